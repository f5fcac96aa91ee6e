//! Where the candidates for a word come from.

use clap::Arg;
use clap::builder::StyledStr;

use crate::controller::Release;
use crate::trace::Code;

use super::typed::{Typed, ValueSource, WordKind};
use super::{Candidate, live};
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

fn values(typed: &Typed, argument: &Arg, begun: &str) -> Vec<Candidate> {
    match ValueSource::of(argument) {
        ValueSource::Definition => listed_values(argument),
        ValueSource::Cases => demo::cases()
            .map(|(name, shows)| Candidate::new(name, shows))
            .collect(),
        ValueSource::Codes => Code::ALL
            .iter()
            .map(|code| Candidate::new(code.as_str(), code.says()))
            .collect(),
        ValueSource::Releases => Release::known()
            .map(|release| Candidate::new(release.to_string(), ""))
            .collect(),
        ValueSource::Files | ValueSource::Nowhere => Vec::new(),
        live => live::candidates(live, typed, begun),
    }
}

fn listed_values(argument: &Arg) -> Vec<Candidate> {
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
                let is_free = ValueSource::of(argument) == ValueSource::Nowhere;
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
