//! What the user typed, validated but not looked up.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use super::commands::capture::Capture;
use super::commands::completion::Completion;
use super::commands::demo::Demo;
use super::commands::dry_run::DryRun;
use super::commands::explain::Explain;
use super::commands::flaps::Flaps;
use super::commands::lint::Lint;
use super::commands::list::List;
use super::commands::meaning::Meaning;
use super::commands::rbac::Rbac;
use super::commands::record::Record;
use super::commands::simulate::Simulate;
use super::commands::tune::Tune;
use super::commands::version::Version;
use super::commands::watch::Watch;
use super::intended::{intended, refused};
use crate::render::Format;

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain web -n shop          why web runs the replicas it runs
  kubectl hpa-explain list -A              every HPA, one line each
  kubectl hpa-explain demo                 a first look, without a cluster
  kubectl hpa-explain --snapshot web.yaml  every HPA of a snapshot file";

const MORE_EXAMPLES: &str = "\
More examples:
  kubectl hpa-explain pod/web-5d9c-x2k4p -n shop  the HPA that scales its owner
  kubectl hpa-explain web --snapshot all.jsonl    one of them
  kubectl hpa-explain web --snapshot all.jsonl --kubernetes-version 1.32
                                                  what another release would do
  kubectl hpa-explain web -n shop --all-versions  what every release would do
  kubectl hpa-explain web -n shop --history web.jsonl
                                                  now, with what a record tells
  kubectl hpa-explain --history web.jsonl --at -5m
                                                  before its end, no cluster";

/// Examples come first.
const HELP: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{all-args}{after-help}";

/// Why does this HPA run N replicas, and what would change that?
///
/// Re-runs the `HorizontalPodAutoscaler` controller's whole algorithm on what
/// the controller sees, and shows the decision with the evidence.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-hpa_explain",
    bin_name = "kubectl hpa-explain",
    disable_version_flag = true,
    args_conflicts_with_subcommands = true,
    // As in kubectl, the last of a repeated flag counts.
    args_override_self = true,
    before_help = EXAMPLES,
    after_long_help = MORE_EXAMPLES
)]
pub struct Arguments {
    /// Print the version, and the releases whose rules it knows
    #[arg(short = 'V', long, hide_short_help = true)]
    version: bool,
    /// Explaining is what happens without a command.
    #[command(flatten)]
    pub explain: Explain,
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What was read otherwise than it was typed.
    #[arg(skip)]
    pub notes: Vec<String>,
}

impl Arguments {
    /// The command line, for clap. What stands under a heading of its own is
    /// for `--help`: `-h` fits a screen, examples first.
    pub fn definition() -> clap::Command {
        fn short(command: clap::Command) -> clap::Command {
            let command = command.help_template(HELP).mut_args(|arg| {
                let is_hidden = arg.is_hide_short_help_set() || arg.get_help_heading().is_some();
                arg.hide_short_help(is_hidden)
            });
            command.mut_subcommands(short)
        }
        short(Self::command())
    }

    /// Reads and checks the process's arguments.
    /// Errors: they ask for help, or for what does not exist or makes no sense.
    pub fn read(arguments: impl Iterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut definition = Self::definition();
        definition.build();
        let intended = intended(arguments.collect(), &definition)?;
        let matches = definition.try_get_matches_from_mut(&intended.words);
        let matches = matches.map_err(|error| match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(missing))
                if error.kind() == ErrorKind::MissingRequiredArgument =>
            {
                let words = &intended.words;
                let own = words.get(1).and_then(|it| it.to_str()).unwrap_or_default();
                let own = definition
                    .find_subcommand(own)
                    .map_or("", |it| it.get_name());
                // What goes with a record, its usage has.
                let has_record = words.iter().any(|it| it == "--history");
                needed(missing, own, has_record).unwrap_or(error)
            }
            _ => error,
        })?;
        let mut arguments =
            Self::from_arg_matches(&matches).map_err(|error| error.format(&mut definition))?;
        arguments.notes = intended.notes;
        match &mut arguments.command {
            Some(Command::Flaps(flaps)) => flaps.connection.alone = intended.alone,
            _ => arguments.explain.connection.alone = intended.alone,
        }
        if arguments.version {
            let output = arguments.explain.output.clone();
            arguments.command = Some(Command::Version(Version { output }));
        }
        let explain = &arguments.explain;
        let (format, settings, releases) = match &arguments.command {
            Some(Command::Demo(demo)) => (demo.output.format, &demo.settings, demo.releases),
            _ => (explain.output.format, &explain.settings, explain.releases),
        };
        if format == Format::Snapshot && (!settings.is_empty() || releases.all_versions) {
            return Err(Self::command().error(
                ErrorKind::ArgumentConflict,
                "-o snapshot prints the snapshot as it is; what-if settings such as --tolerance change the explanation only",
            ));
        }
        if format == Format::Snapshot && arguments.explain.exit_code {
            return Err(Self::command().error(
                ErrorKind::ArgumentConflict,
                "-o snapshot looks for no problems, so --exit-code has nothing to report",
            ));
        }
        Ok(arguments)
    }
}

/// What to give, where a command is nothing without it; an explanation has no `command`.
fn needed(missing: &[String], command: &str, has_record: bool) -> Option<clap::Error> {
    let all = missing.join(" and ");
    let only = missing.first().filter(|_| missing.len() == 1);
    let (what, hint) = match only.map_or("", String::as_str) {
        "--filename <FILE>" => (
            "dry-run compares an HPA with another spec, and none is given",
            "give -f FILE or --set PATH=VALUE, such as --set spec.maxReplicas=20",
        ),
        "--file <FILE>" if command == "capture" => (
            "capture writes a file, and none is given",
            "give --file FILE, such as --file web.yaml; -o yaml prints instead",
        ),
        "--load <LOAD>" => (
            "simulate runs load against an HPA, and none is given",
            "give --load spike, sine, ramp, steps, noise, csv:FILE or history",
        ),
        "<--history <FILE>|--prometheus [<URL>]>" => (
            "--at, --since and --for need --history or --prometheus",
            "give --history FILE (of `watch --record` or `record`) or --prometheus [URL]",
        ),
        _ if has_record => return None,
        _ => {
            let hint = example(command, &all)?;
            let hint = format!("for example: `kubectl hpa-explain {hint}`");
            let plugin = Some("kubectl hpa-explain").filter(|_| command.is_empty());
            let what = format!("{} needs {all}", plugin.unwrap_or(command));
            return Some(refused(&what, Some(&hint)));
        }
    };
    Some(refused(what, Some(hint)))
}

/// A command line that has what a command needs and was not given.
fn example(command: &str, missing: &str) -> Option<&'static str> {
    let needs = |flag| missing.contains(flag);
    Some(match command {
        "" if needs("--since") => "web --history web.jsonl --since 03:00 --until 03:30",
        "" if needs("--prometheus") => "web -n shop --prometheus --at -1h",
        "" => "web -n shop --nodes",
        "dry-run" if needs("--history") => "dry-run --history web.jsonl --at -5m -f new.yaml",
        "dry-run" => "dry-run web -n shop -f new.yaml",
        "flaps" => "flaps web -n shop --prometheus http://localhost:9090",
        "lint" => "lint hpa.yaml",
        "record" => "record web -n shop --prometheus --file web.jsonl",
        "simulate" => "simulate web -n shop --load spike",
        "tune" => "tune web -n shop --prometheus http://localhost:9090 --for 7d",
        "watch" if needs("--record") => "watch web -n shop --record web.jsonl",
        "watch" => "watch web -n shop",
        _ => return None,
    })
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List HPAs: replicas and verdict, one line per HPA
    #[command(alias = "ls")]
    List(Box<List>),
    /// Check manifests of HPAs before they are applied; without a cluster
    Lint(Lint),
    /// Print what a code such as policy-limits means; without a cluster
    #[command(name = "explain")]
    Meaning(Meaning),
    /// Compare what an HPA does with what it would do under another spec
    DryRun(Box<DryRun>),
    /// Run hours of load against one or several specs, in milliseconds
    Simulate(Box<Simulate>),
    /// Find HPAs that flap or are stuck, why, and what helps
    Flaps(Box<Flaps>),
    /// Find out whether another spec pays for the load of a history
    Tune(Box<Tune>),
    /// Print the smallest RBAC role that the commands need
    Rbac(Rbac),
    /// Explain a built-in case; without a cluster
    Demo(Demo),
    /// Write the inputs of HPAs to a file, for a bug report
    Capture(Box<Capture>),
    /// Keep what a Prometheus knows of an HPA in a file
    Record(Box<Record>),
    /// Follow an HPA pass by pass, and record what each pass runs on
    Watch(Box<Watch>),
    /// Set up shell completion
    Completion(Completion),
    /// Print the version, and the releases whose rules it knows
    Version(Version),
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::{Arguments, example};

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn examples_have_what_is_missing() {
        // Command, what it needs, what its example has.
        let rows = [
            ("", "--prometheus", "--prometheus"),
            ("", "--since", "--since"),
            ("", "<NAME>", "web"),
            ("dry-run", "--history", "--history"),
            ("dry-run", "--filename", "-f"),
            ("flaps", "--prometheus", "--prometheus"),
            ("lint", "<FILE>", "hpa.yaml"),
            ("record", "--file", "--file"),
            ("record", "--prometheus", "--prometheus"),
            ("simulate", "--load", "--load"),
            ("tune", "--prometheus", "--prometheus"),
            ("tune", "<NAME>", "web"),
            ("watch", "--record", "--record"),
            ("watch", "<NAME>", "web"),
        ];
        for (command, missing, has) in rows {
            let example = example(command, missing).expect(command);
            let mut words = example.split(' ');
            assert!(words.any(|it| it == has), "{command} {missing}: {example}");
            let words = ["kubectl-hpa_explain"].into_iter();
            let words = words.chain(example.split(' ')).map(Into::into);
            assert!(Arguments::read(words).is_ok(), "{example}");
        }
        assert_eq!(rows.len(), 14);
    }

    #[test]
    fn mistakes_are_refused_with_a_reason() {
        let rows = [
            ("--tolerance=NaN", "finite number"),
            ("--tolerance=-0.1", "not below 0"),
            ("--tolerance=7", "7 is 700%; 7% is --tolerance 0.07"),
            ("--tolerance=10%%", "must be a fraction such as 0.1, or 10%"),
            ("--tolerance=0,05", "must be a fraction such as 0.1"),
            ("--downscale-stabilization=5", "such as 5s or 5m"),
            ("--sync-period=soon", "a duration such as 10s or 5m"),
            ("--sync-period=-15s", "must not be negative"),
            ("--kubernetes-version=latest", "not a Kubernetes version"),
            ("--feature-gates=HPAScaleToZero", "GATE=true or GATE=false"),
            (
                "--feature-gates=HPAScaletoZero=true",
                "did you mean HPAScaleToZero?",
            ),
            (
                "--feature-gates=HPAScaleToZero=on",
                "neither true nor false",
            ),
            ("-o=xml", "possible values"),
            ("--at=-5m", "--history <FILE>"),
            (
                "--at=yesterday",
                "or -5m for five minutes before the record's end",
            ),
            ("--disable-compression=maybe", "must be true or false"),
            ("", "give NAME or hpa/NAME of an HPA"),
            (" ", "give NAME or hpa/NAME of an HPA"),
            ("hpa/", "give NAME or hpa/NAME of an HPA"),
            ("/web", "such as deploy/web"),
            ("deploy/web/scale", "such as deploy/web"),
        ];
        for (argument, reason) in rows {
            let error = Arguments::try_parse_from(["kubectl-hpa_explain", argument]);
            let text = error.expect_err(argument).to_string();
            assert!(text.contains(reason), "{argument}: {text}");
        }
    }
}
