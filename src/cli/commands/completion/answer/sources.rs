//! Where the candidates for a word come from.

use clap::builder::StyledStr;
use clap::{Arg, ValueHint};

use crate::controller::Release;
use crate::trace::Code;

use super::Candidate;
use super::live::{self, LookUp};
use crate::cli::commands::completion::answer::{Typed, WordKind};
use crate::cli::commands::demo;

/// What may stand at the cursor and begins as what is typed there.
pub fn candidates(typed: &Typed, requested: WordKind, begun: &str) -> Vec<Candidate> {
    let mut candidates = match requested {
        WordKind::Value(argument) => values(typed, argument, begun),
        WordKind::Command(positional) => {
            let values = positional.map(|argument| values(typed, argument, begun));
            [commands(typed), values.unwrap_or_default()].concat()
        }
        WordKind::Flag => flags(typed),
        WordKind::Nothing => Vec::new(),
    };
    candidates.retain(|candidate| {
        candidate.value.starts_with(begun) && !typed.positionals.contains(&candidate.value)
    });
    candidates
}

/// Where the values of an argument come from.
#[derive(Clone, Copy)]
pub enum ValueSource {
    /// The plugin itself has them.
    Own(fn(&Arg) -> Vec<Candidate>),
    /// The cluster has them, or a file that the command line names.
    Live(LookUp),
    /// Files, which the shell itself knows best.
    Files,
    /// Free text.
    Nowhere,
}

impl ValueSource {
    /// By the argument's identity, which is its field's name.
    pub fn of(argument: &Arg) -> Self {
        match argument.get_id().as_str() {
            "name" | "names" => Self::Live(live::autoscalers),
            "namespace" => Self::Live(live::namespaces),
            "context" => Self::Live(|scope, _| {
                scope.configured(|it| it.contexts.into_iter().map(|it| it.name).collect())
            }),
            "cluster" => Self::Live(|scope, _| {
                scope.configured(|it| it.clusters.into_iter().map(|it| it.name).collect())
            }),
            "user" => Self::Live(|scope, _| {
                scope.configured(|it| it.auth_infos.into_iter().map(|it| it.name).collect())
            }),
            "case" => Self::Own(|_| {
                let cases = demo::cases();
                cases
                    .map(|(name, shows)| Candidate::new(name, shows))
                    .collect()
            }),
            "code" => Self::Own(|_| {
                let codes = Code::ALL.iter();
                codes
                    .map(|it| Candidate::new(it.as_str(), it.says()))
                    .collect()
            }),
            "kubernetes_version" | "compare-version" => Self::Own(|_| {
                let releases = Release::known();
                releases
                    .map(|it| Candidate::new(it.to_string(), ""))
                    .collect()
            }),
            _ if !argument.get_possible_values().is_empty() => Self::Own(possible_values),
            _ => match argument.get_value_hint() {
                ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath => Self::Files,
                _ => Self::Nowhere,
            },
        }
    }
}

fn values(typed: &Typed, argument: &Arg, begun: &str) -> Vec<Candidate> {
    match ValueSource::of(argument) {
        ValueSource::Own(values) => values(argument),
        ValueSource::Live(look_up) => live::candidates(look_up, typed, begun),
        ValueSource::Files | ValueSource::Nowhere => Vec::new(),
    }
}

fn possible_values(argument: &Arg) -> Vec<Candidate> {
    let values = argument.get_possible_values();
    let shown = values.iter().filter(|value| !value.is_hide_set());
    let candidates = shown.map(|value| helped(value.get_name(), value.get_help()));
    candidates.collect()
}

fn commands(typed: &Typed) -> Vec<Candidate> {
    let commands = typed.command.get_subcommands();
    let shown = commands.filter(|command| !command.is_hide_set());
    let candidates = shown.map(|command| helped(command.get_name(), command.get_about()));
    candidates.collect()
}

fn flags(typed: &Typed) -> Vec<Candidate> {
    let flags = typed.command.get_arguments();
    let flags = flags.filter(|flag| typed.may_follow(flag));
    let candidates =
        flags.filter_map(|flag| Some(helped(format!("--{}", flag.get_long()?), flag.get_help())));
    candidates.collect()
}

fn helped(value: impl Into<String>, help: Option<&StyledStr>) -> Candidate {
    Candidate::new(value, &help.map(ToString::to_string).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::ValueSource;
    use crate::cli::args::Arguments;

    /// Arguments whose values nobody can list.
    const FREE: [&str; 51] = [
        "since",
        "until",
        "insecure_skip_tls_verify",
        "disable_compression",
        "server",
        "token",
        "impersonate",
        "impersonate_groups",
        "impersonate_uid",
        "tls_server_name",
        "request_timeout",
        "tolerance",
        "set",
        "metric",
        "unready",
        "missing",
        "replicas",
        "downscale_stabilization",
        "cpu_initialization_period",
        "initial_readiness_delay",
        "sync_period",
        "feature_gates",
        "compare-tolerance",
        "compare-downscale-stabilization",
        "compare-cpu-initialization-period",
        "compare-initial-readiness-delay",
        "compare-sync-period",
        "compare-feature-gates",
        "selector",
        "field_selector",
        "at",
        "targets",
        "subcommand",
        "duration",
        "record_size",
        "load",
        "request",
        "start_up",
        "readiness",
        "metric_window",
        "metric_lag",
        "status_lag",
        "burst",
        "rollout",
        "crashing",
        "capacity",
        "prometheus",
        "prometheus_label",
        "prometheus_header",
        "price",
        "span",
    ];

    /// A new argument is completed, or said here to be free text.
    #[test]
    fn every_value_has_a_source() {
        let mut command = Arguments::command();
        command.build();
        let mut checked = 0;
        check(&command, &mut checked);
        assert!(checked > 30, "{checked} arguments");
    }

    fn check(command: &Command, checked: &mut usize) {
        for argument in command.get_arguments() {
            if argument.get_action().takes_values() {
                let is_free = matches!(ValueSource::of(argument), ValueSource::Nowhere);
                let id = argument.get_id().as_str();
                assert_eq!(is_free, FREE.contains(&id), "{} {id}", command.get_name());
                *checked += 1;
            }
        }
        for command in command.get_subcommands() {
            check(command, checked);
        }
    }
}
