//! Where the candidates for a word come from: from the plugin itself, and names from what the
//! cluster, the kubeconfig or the snapshot file knows.
//!
//! What is asked of a cluster happens on a thread that is left behind when the time is up:
//! an exec plugin or a name server that hangs must not hold up the shell.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::builder::StyledStr;
use clap::{Arg, CommandFactory, Parser, ValueHint};
use kube::config::Kubeconfig;

use super::{Candidate, Typed, WordKind};
use crate::api::{HorizontalPodAutoscaler, names::is_subdomain};
use crate::cli::commands::{demo, meaning};
use crate::cli::connection::environment;
use crate::cli::{
    connection::Connection, kind::read_file, options::given, select::Selection, session::block_on,
};
use crate::collect::{self, Audience, Environment, Patience, Reader, client, load};
use crate::controller::Release;
use crate::render::escape;

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
            "name" | "names" => Self::Live(autoscalers),
            "namespace" => Self::Live(namespaces),
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
                meaning::all()
                    .map(|[_, code, says]| Candidate::new(code, says))
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
        ValueSource::Live(look_up) => looked_up(look_up, typed, begun),
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

/// Of the second that a user may wait, what is left beside starting kubectl
/// and the plugin.
const DEADLINE: Duration = Duration::from_millis(800);

/// What the flags before the cursor say of where the names are.
#[derive(Parser)]
pub struct Scope {
    #[arg(long)]
    snapshot: Option<PathBuf>,
    #[arg(short, long)]
    namespace: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Scope {
    /// Nothing where a flag makes no sense: the command will say so.
    fn of(typed: &Typed) -> Option<Self> {
        let known = Self::command();
        let is_known = |id| {
            known
                .get_arguments()
                .any(|argument| argument.get_id() == id)
        };
        let flags = typed
            .flags
            .iter()
            .filter(|(flag, _)| is_known(flag.get_id()));
        let words = flags.filter_map(|(flag, value)| {
            let long = flag.get_long()?;
            Some(match value {
                Some(value) => format!("--{long}={value}"),
                None => format!("--{long}"),
            })
        });
        Self::try_parse_from([String::new()].into_iter().chain(words)).ok()
    }

    /// What the kubeconfig files name, each file that can be read.
    pub fn configured(&self, names: fn(Kubeconfig) -> Vec<String>) -> Vec<Candidate> {
        let files = match self.connection.flags().kubeconfig {
            Some(file) => vec![file],
            None => environment().kubeconfig_files,
        };
        let configs = files
            .iter()
            .filter_map(|file| Kubeconfig::read_from(file).ok());
        let names = configs.flat_map(names);
        let sound = names.filter(|name| escape(name) == *name);
        sound.map(|name| Candidate::new(name, "")).collect()
    }
}

/// Where candidates are looked up, for what is begun of a word.
pub type LookUp = fn(&Scope, &str) -> Vec<Candidate>;

/// The candidates, or none if they cannot be had in time.
fn looked_up(look_up: LookUp, typed: &Typed, begun: &str) -> Vec<Candidate> {
    let Some(scope) = Scope::of(typed) else {
        return Vec::new();
    };
    let begun = begun.to_owned();
    let (send, receive) = mpsc::channel();
    let look_up = move || {
        // Where nobody waits any more, nobody misses it.
        _ = send.send(look_up(&scope, &begun));
    };
    if thread::Builder::new().spawn(look_up).is_err() {
        return Vec::new();
    }
    let mut candidates = receive.recv_timeout(DEADLINE).unwrap_or_default();
    candidates.sort();
    candidates.dedup_by(|one, other| one.value == other.value);
    candidates
}

/// HPAs of the namespace, and their targets.
pub fn autoscalers(scope: &Scope, begun: &str) -> Vec<Candidate> {
    let found = match &scope.snapshot {
        Some(file) => in_file(file, scope.namespace.as_deref()),
        None => ask(async {
            let (reader, namespace) = connect(scope).await?;
            collect::autoscalers(&reader, Some(&namespace)).await.ok()
        }),
    };
    let named = found.iter().filter_map(|hpa| named_as(hpa, begun));
    named.collect()
}

/// The cluster's namespaces.
pub fn namespaces(scope: &Scope, _begun: &str) -> Vec<Candidate> {
    let names = ask(async {
        let (reader, _) = connect(scope).await?;
        collect::namespaces(&reader).await.ok()
    });
    let sound = names.iter().filter(|name| is_name(name));
    sound.map(|name| Candidate::new(name, "")).collect()
}

fn ask<T>(question: impl Future<Output = Option<Vec<T>>>) -> Vec<T> {
    let answer = block_on(async { Ok(question.await) });
    answer.ok().flatten().unwrap_or_default()
}

/// The HPAs of a snapshot file. Standard input is left to the command.
fn in_file(file: &Path, namespace: Option<&str>) -> Vec<HorizontalPodAutoscaler> {
    let documents = match file.to_str() {
        Some("-") => return Vec::new(),
        _ => read_file(file).unwrap_or_default(),
    };
    let snapshots = documents.into_iter().filter_map(|one| one.snapshot.ok());
    let hpas = snapshots.map(|snapshot| snapshot.hpa);
    let requested =
        hpas.filter(|hpa| namespace.is_none_or(|requested| hpa.metadata.namespace == *requested));
    requested.collect()
}

/// An HPA in the words in which the user has begun to name it: `NAME`,
/// `hpa/NAME`, or `TYPE/NAME` of its target.
fn named_as(hpa: &HorizontalPodAutoscaler, begun: &str) -> Option<Candidate> {
    let (name, target) = (hpa.metadata.name.as_str(), &hpa.spec.scale_target_ref);
    let is_sound = is_name(name) && is_name(&target.name) && is_kind(&target.kind);
    if !is_sound {
        return None;
    }
    let prefix = begun.split_once('/').map(|(kind, _)| kind);
    let target_name = format!("{}/{}", target.kind, target.name);
    match (Selection::parse(begun), prefix) {
        (Selection::Autoscaler(_), None) => Some(Candidate::new(name, &target_name)),
        (Selection::Autoscaler(_), Some(prefix)) => {
            Some(Candidate::new(format!("{prefix}/{name}"), &target_name))
        }
        (Selection::Target { kind, .. }, Some(prefix)) => {
            let is_of_kind = target.kind.eq_ignore_ascii_case(&kind);
            let value = format!("{prefix}/{}", target.name);
            is_of_kind.then(|| Candidate::new(value, &format!("hpa/{name}")))
        }
        (Selection::Target { .. }, None) => None,
    }
}

async fn connect(scope: &Scope) -> Option<(Reader, String)> {
    let flags = scope.connection.flags();
    let environment = Environment {
        // A plugin would ask on the terminal, and complain there.
        audience: Audience::Nobody,
        ..environment()
    };
    let config = load(&flags, &environment).await.ok()?;
    let namespace = given(scope.namespace.as_deref()).unwrap_or(&config.default_namespace);
    let namespace = namespace.to_owned();
    let client = client(config).ok()?;
    let patience = Patience {
        request: DEADLINE,
        whole: DEADLINE,
    };
    Some((Reader::new(client, patience), namespace))
}

/// Whether the API accepts it as an object's name (RFC 1123 subdomain), so
/// that it is harmless in a shell too.
fn is_name(text: &str) -> bool {
    text.len() <= 253 && is_subdomain(text)
}

fn is_kind(text: &str) -> bool {
    text.len() <= 63 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::{ValueSource, is_name};
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

    #[test]
    fn only_names_that_the_api_accepts_are_offered() {
        let long = "a".repeat(254);
        let rows = [
            ("web", true),
            ("0", true),
            ("keda-hpa-worker", true),
            ("web.v2", true),
            (&long[..253], true),
            (&long, false),
            ("", false),
            ("-web", false),
            ("web-", false),
            ("Web", false),
            ("web\nx", false),
            ("web\t", false),
            ("\u{1b}[2J", false),
            ("$(reboot)", false),
            ("web x", false),
            ("wéb", false),
        ];
        for (name, is_sound) in rows {
            assert_eq!(is_name(name), is_sound, "{name:?}");
        }
    }
}
