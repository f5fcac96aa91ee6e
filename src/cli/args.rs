//! What the user typed, validated but not looked up.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::api::{GoDuration, ParseDurationError};
use crate::controller::{self, Overrides, Release};
use crate::manifest::Rules;
use crate::snapshot::Snapshot;

use super::capture::Capture;
use super::completion::Completion;
use super::connection::Connection;
use super::dry_run::DryRun;
use super::failure::Failure;
use super::flaps::Flaps;
use super::lint::Lint;
use super::list::List;
use super::past::{Instant, Past};
use super::rbac::Rbac;
use super::simulate::Simulate;
use super::watch::Watch;

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain web -n shop                 why web runs what it runs
  kubectl hpa-explain deploy/web -n shop          every HPA that scales it
  kubectl hpa-explain list -A                     every HPA, one line each
  kubectl hpa-explain demo                        a first look, without a cluster
  kubectl hpa-explain --snapshot web.yaml         every HPA of a snapshot file
  kubectl hpa-explain web --snapshot all.jsonl    one of them
  kubectl hpa-explain web --snapshot all.jsonl --kubernetes-version 1.32
                                                  what another release would do
  kubectl hpa-explain web -n shop --all-versions  what every release would do
  kubectl hpa-explain web -n shop --history web.jsonl
                                                  now, with what a record tells
  kubectl hpa-explain --history web.jsonl --at -5m
                                                  before its end, no cluster";

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
    after_help = EXAMPLES
)]
pub struct Arguments {
    /// Print the version, and the releases whose rules it knows
    #[arg(short = 'V', long)]
    version: bool,
    /// Explaining is what happens without a command.
    #[command(flatten)]
    pub explain: Explain,
    #[command(flatten)]
    pub output: Output,
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Arguments {
    /// Reads and checks the process's arguments.
    ///
    /// # Errors
    ///
    /// They ask for help, or for what does not exist or makes no sense.
    pub fn read(arguments: impl Iterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut arguments = Self::try_parse_from(arguments)?;
        let mut commands = Self::command();
        let is_command = |name: &String| commands.find_subcommand(name).is_some();
        if let Some(name) = arguments
            .explain
            .names
            .first()
            .filter(|name| is_command(name))
        {
            let message = format!(
                "put the flags behind the command: kubectl hpa-explain {name} …; an HPA of that name is hpa/{name}"
            );
            return Err(commands.error(ErrorKind::ArgumentConflict, message));
        }
        if arguments.version {
            let output = arguments.output.clone();
            arguments.command = Some(Command::Version(Version { output }));
        }
        let explain = &arguments.explain;
        let (format, settings, releases) = match &arguments.command {
            Some(Command::Demo(demo)) => (demo.output.format, &demo.settings, demo.releases),
            _ => (arguments.output.format, &explain.settings, explain.releases),
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
                "-o snapshot finds nothing that --exit-code could tell of",
            ));
        }
        Ok(arguments)
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List HPAs: replicas and verdict, one line an HPA
    List(Box<List>),
    /// Check manifests of HPAs before they are applied; without a cluster
    Lint(Lint),
    /// Compare what an HPA does with what it would do under another spec
    DryRun(Box<DryRun>),
    /// Run hours of load against one or several specs, in milliseconds
    Simulate(Box<Simulate>),
    /// Find HPAs that flap or are stuck: why, and what helps
    Flaps(Box<Flaps>),
    /// Print the least role for what the commands read
    Rbac(Rbac),
    /// Explain a built-in case, most from bug reports; without a cluster
    Demo(Demo),
    /// Write the inputs of HPAs to a file, for a colleague or a bug report
    Capture(Box<Capture>),
    /// Follow an HPA pass by pass, and record what each pass runs on
    Watch(Box<Watch>),
    /// Shell completion: a shell's script, or kubectl's helper
    Completion(Completion),
    /// Print the version, and the releases whose rules it knows
    Version(Version),
}

#[derive(Clone, Debug, Args)]
pub struct Explain {
    /// Which HPAs: NAME, hpa/NAME, or TYPE/NAME of a target (deploy/web);
    /// without a name, one is picked from the list on a terminal, else all are
    /// listed; or every HPA of a snapshot explained
    #[arg(value_name = "NAME", value_parser = name)]
    pub names: Vec<String>,
    /// Read a snapshot file (YAML, JSON or JSON lines; - for standard input)
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,
    /// Only HPAs of this namespace
    #[arg(short, long)]
    pub namespace: Option<String>,
    /// HPAs of all namespaces; they are listed
    #[arg(short = 'A', long, conflicts_with_all = ["names", "namespace"])]
    pub all_namespaces: bool,
    /// Exit with 3 if there is a finding of severity warning or error
    #[arg(long)]
    pub exit_code: bool,
    #[command(flatten)]
    pub past: Past,
    /// Explain this moment of the record, such as 2026-11-20T08:30:00Z, or
    /// -5m: before its end; no cluster is asked
    #[arg(
        long,
        value_name = "TIME",
        requires = "history",
        conflicts_with_all = ["snapshot", "all_namespaces"],
        allow_hyphen_values = true,
        value_parser = Instant::parse,
        help_heading = "Earlier passes"
    )]
    pub at: Option<Instant>,
    #[command(flatten)]
    pub releases: Releases,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub connection: Connection,
}

impl Explain {
    /// The namespace; as in kubectl, an empty one was not given.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref().filter(|name| !name.is_empty())
    }
}

#[derive(Debug, Args)]
pub struct Demo {
    /// Which case; without one, all are listed after the first is explained
    pub case: Option<String>,
    /// List the cases
    #[arg(long, conflicts_with = "case")]
    pub list: bool,
    #[command(flatten)]
    pub releases: Releases,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
pub struct Version {
    #[command(flatten)]
    pub output: Output,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Output format; docs/schema.json describes json and yaml,
    /// docs/snapshot.md a snapshot
    #[arg(
        short = 'o',
        long = "output",
        value_name = "FORMAT",
        value_enum,
        default_value_t
    )]
    pub format: Format,
    /// More of the explanation: -v every step and pod, -vv the formulas, rules
    /// and raw values
    #[arg(short = 'v', long = "verbose", action = clap::ArgAction::Count)]
    pub verbosity: u8,
    /// When to colour the text
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub color: Color,
}

impl Output {
    /// Refuses `-o snapshot` where no snapshot is the answer.
    ///
    /// # Errors
    ///
    /// It was asked for.
    pub fn refuse_snapshot(&self, says: &str, hint: &str) -> anyhow::Result<()> {
        if self.format == Format::Snapshot {
            return Err(Failure::error(says, hint));
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For people with a wide terminal: nothing is left out for want of room
    Wide,
    /// For programs; one document a line where there are several
    Json,
    /// For programs
    Yaml,
    /// For a pull request or an incident
    Markdown,
    /// The names alone, as kubectl takes them
    Name,
    /// The inputs themselves, for --snapshot; those of a cluster redacted, as
    /// `capture` writes them
    Snapshot,
}

impl Format {
    /// Reads a format where no snapshot is the answer: that one is not
    /// offered, and refused later with the command that prints it.
    pub fn but_snapshot() -> impl TypedValueParser<Value = Self> {
        let values = Self::value_variants().iter();
        let values = values.filter_map(|format| {
            let value = format.to_possible_value()?;
            Some(value.hide(*format == Self::Snapshot))
        });
        PossibleValuesParser::new(values).try_map(|name| Self::from_str(&name, false))
    }

    /// What stands before a document of this format, after so many printed
    /// ones; `is_list` is whether there are several.
    pub fn separator(self, is_list: bool, printed: usize) -> &'static str {
        match self {
            Self::Text | Self::Wide | Self::Markdown if printed > 0 => "\n",
            Self::Yaml | Self::Snapshot if is_list => "---\n",
            _ => "",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    Always,
    Never,
}

/// Where the help has what changes the answer.
const SETTINGS: &str = "Controller settings (a what-if where they differ)";

/// Which releases are asked for an answer.
#[derive(Clone, Copy, Debug, Args)]
pub struct Releases {
    /// What each Kubernetes release would decide, and which of its rules
    /// makes the difference
    #[arg(long, conflicts_with = "kubernetes_version", help_heading = SETTINGS)]
    pub all_versions: bool,
}

/// Settings of the controller that win over what the snapshot says.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = SETTINGS)]
pub struct Settings {
    /// The release whose rules apply, such as 1.32
    #[arg(long, value_name = "VERSION", value_parser = Release::parse)]
    pub kubernetes_version: Option<Release>,
    /// Tolerated deviation from the target, such as 0.1
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true, value_parser = fraction)]
    pub tolerance: Option<f64>,
    /// Window that holds back a scale-down, such as 5m
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub downscale_stabilization: Option<GoDuration>,
    /// Time after a start in which cpu samples are under suspicion
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub cpu_initialization_period: Option<GoDuration>,
    /// Time after a start in which a pod may lose readiness unnoticed
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub initial_readiness_delay: Option<GoDuration>,
    /// Time between two passes (evaluations by the controller)
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub sync_period: Option<GoDuration>,
    /// Feature gates, such as HPAScaleToZero=true
    #[arg(long, value_name = "GATE=BOOL", value_delimiter = ',', value_parser = gate)]
    pub feature_gates: Vec<(String, bool)>,
}

impl Settings {
    fn is_empty(&self) -> bool {
        self.overrides() == Overrides::default()
    }

    /// The settings that were given.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            release: self.kubernetes_version,
            sync_period: self.sync_period,
            tolerance: self.tolerance,
            downscale_stabilization: self.downscale_stabilization,
            cpu_initialization_period: self.cpu_initialization_period,
            initial_readiness_delay: self.initial_readiness_delay,
            feature_gates: self.feature_gates.iter().cloned().collect(),
        }
    }

    /// What the API server goes by, as far as it is known.
    pub fn rules(&self, snapshot: &Snapshot) -> Rules {
        let overrides = self.overrides();
        let settings = controller::Settings::resolve(snapshot, &overrides);
        let mut gates = snapshot.controller.feature_gates.clone();
        gates.extend(overrides.feature_gates);
        Rules::new(settings.release, &gates)
    }
}

/// Checks that a text can name an HPA or a target; which one is seen later.
///
/// # Errors
///
/// What a name looks like.
pub fn name(text: &str) -> Result<String, String> {
    let mut parts = text.split('/');
    if parts.clone().count() <= 2 && parts.all(|part| !part.trim().is_empty()) {
        return Ok(text.to_owned());
    }
    Err("give NAME or hpa/NAME of an HPA, or TYPE/NAME of a target, such as deploy/web".to_owned())
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        Ok(_) => Err("must be a finite number, not below 0".to_owned()),
        Err(_) => Err("must be a fraction such as 0.1".to_owned()),
    }
}

/// Reads a duration that is not negative.
///
/// # Errors
///
/// What a duration looks like.
pub fn duration(text: &str) -> Result<GoDuration, String> {
    match text.parse::<GoDuration>() {
        Ok(value) if value.0 >= 0 => Ok(value),
        Ok(_) => Err("must not be negative".to_owned()),
        Err(ParseDurationError::MissingUnit(_)) => Err("give a unit: 10s or 5m".to_owned()),
        Err(_) => Err("must be a duration such as 10s or 5m".to_owned()),
    }
}

/// Reads a duration of whole seconds, as a simulation counts time.
///
/// # Errors
///
/// What such a duration looks like.
pub fn whole_seconds(text: &str) -> Result<GoDuration, String> {
    let duration = duration(text)?;
    if duration.is_whole_seconds() {
        Ok(duration)
    } else {
        Err("must be whole seconds".to_owned())
    }
}

/// Reads a feature gate and its value.
///
/// # Errors
///
/// What a gate looks like.
pub fn gate(text: &str) -> Result<(String, bool), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| "must be GATE=true or GATE=false".to_owned())?;
    match value {
        "true" => Ok((name.to_owned(), true)),
        "false" => Ok((name.to_owned(), false)),
        _ => Err(format!("`{value}` is neither true nor false")),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Arguments;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn mistakes_are_refused_with_a_reason() {
        let rows = [
            ("--tolerance=NaN", "finite number"),
            ("--tolerance=-0.1", "not below 0"),
            ("--tolerance=10%", "must be a fraction such as 0.1"),
            ("--tolerance=0,05", "must be a fraction such as 0.1"),
            ("--downscale-stabilization=5", "give a unit: 10s or 5m"),
            ("--sync-period=soon", "a duration such as 10s or 5m"),
            ("--sync-period=-15s", "must not be negative"),
            ("--kubernetes-version=latest", "no Kubernetes version"),
            ("--feature-gates=HPAScaleToZero", "GATE=true or GATE=false"),
            (
                "--feature-gates=HPAScaleToZero=on",
                "neither true nor false",
            ),
            ("-o=xml", "possible values"),
            ("--at=-5m", "--history <FILE>"),
            ("--at=yesterday", "or -5m: before the record's end"),
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
