//! Groups of flags that several commands share, and the values of flags.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail, ensure};
use clap::builder::{
    ArgPredicate, PossibleValue, PossibleValuesParser, Resettable, TypedValueParser,
};
use clap::{Args, ValueEnum};
use jiff::SignedDuration;

use crate::api::{GoDuration, ParseDurationError};
use crate::cli::failure::Failure;
use crate::controller::{GATES, Overrides, Release};
use crate::document::manifest::Rules;
use crate::document::nearest;
use crate::document::snapshot::Snapshot;
use crate::render::{Format, FormatKind};

// The groups before it have headings.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = Resettable::Reset)]
pub struct Output {
    /// Output format
    #[arg(
        short = 'o',
        long = "output",
        value_name = "FORMAT",
        default_value = "text",
        // A page is what these two are about.
        default_value_ifs = [
            ("open", ArgPredicate::Equals("true".into()), "html"),
            ("page_file", ArgPredicate::IsPresent, "html"),
        ],
        ignore_case = true,
        value_parser = formats_with(FormatKind::General, true)
    )]
    pub format: Format,
    /// More detail: -v steps and pods, -vv also formulas
    #[arg(short = 'v', long = "verbose", action = clap::ArgAction::Count)]
    pub verbosity: u8,
    /// When to color the text
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_short_help = true
    )]
    pub color: Color,
}

impl Output {
    /// Refuses `-o snapshot` where no snapshot is the answer.
    pub fn refuse_snapshot(&self, says: &str, hint: &str) -> anyhow::Result<()> {
        if self.format == Format::Snapshot {
            return Err(Failure::usage(says, hint));
        }
        Ok(())
    }
}

/// Reads a format of a kind where no snapshot is the answer: that one is not
/// offered, and refused later with the command that prints it.
pub fn formats(kind: FormatKind) -> impl TypedValueParser<Value = Format> {
    formats_with(kind, false)
}

fn formats_with(kind: FormatKind, snapshot: bool) -> impl TypedValueParser<Value = Format> {
    let formats = Format::ALL.iter().filter(move |it| it.is(kind));
    let values = formats.clone().map(move |format| {
        let value = PossibleValue::new(format.as_str()).help(format.help());
        value.hide(*format == Format::Snapshot && !snapshot)
    });
    PossibleValuesParser::new(values).try_map(move |name| {
        let mut formats = formats.clone();
        let format = formats.find(|it| it.as_str().eq_ignore_ascii_case(&name));
        format.copied().context("no such format")
    })
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
    /// Tolerated deviation from the target, such as 0.1 or 10%
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true, value_parser = fraction)]
    pub tolerance: Option<f64>,
    /// How long the highest recent recommendation holds a scale-down, such as 5m
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub downscale_stabilization: Option<GoDuration>,
    /// How long after a pod starts its cpu may be ignored, such as 5m
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub cpu_initialization_period: Option<GoDuration>,
    /// How long after a pod starts it may count as not yet ready, such as 30s
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub initial_readiness_delay: Option<GoDuration>,
    /// Time between two passes of the controller, such as 15s
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub sync_period: Option<GoDuration>,
    /// Feature gates, such as HPAScaleToZero=true
    #[arg(long, value_name = "GATE=BOOL", value_delimiter = ',', value_parser = gate)]
    pub feature_gates: Vec<(String, bool)>,
}

impl Settings {
    /// Whether none was given.
    pub fn is_empty(&self) -> bool {
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

    /// Checks what many passes are simulated with.
    /// Errors: a time between passes that is no whole number of seconds.
    pub fn expect_whole_seconds(&self) -> anyhow::Result<()> {
        let is_whole = |it: GoDuration| it.is_whole_seconds() && it.seconds() > 0;
        if self.sync_period.is_none_or(is_whole) {
            return Ok(());
        }
        Err(Failure::usage(
            "--sync-period must be whole seconds, at least 1s: time is simulated second by second",
            "the controller's default is 15s",
        ))
    }

    /// What the API server goes by, as far as it is known.
    pub fn rules(&self, snapshot: &Snapshot) -> Rules {
        let gates = snapshot.controller.feature_gates.clone();
        self.rules_of(snapshot.server_version.as_deref(), gates)
    }

    /// The same, of the server's version and the controller's gates.
    pub fn rules_of(&self, version: Option<&str>, mut gates: BTreeMap<String, bool>) -> Rules {
        let observed = version.and_then(|it| Release::parse(it).ok());
        let release = self.kubernetes_version.or(observed);
        gates.extend(self.feature_gates.iter().cloned());
        let release = release.unwrap_or(Release::ASSUMED).nearest_known();
        Rules::new(release, &gates)
    }
}

/// A namespace; as in kubectl, an empty one was not given.
pub fn given(namespace: Option<&str>) -> Option<&str> {
    namespace.filter(|name| !name.is_empty())
}

/// A namespace, or all of them, as a flag.
pub fn scope_flag(namespace: Option<&str>) -> String {
    namespace.map_or_else(|| "-A".to_owned(), |name| format!("-n {name}"))
}

/// Checks that a text can name an HPA or a target; which one is seen later.
pub fn name(text: &str) -> anyhow::Result<String> {
    let mut parts = text.split('/');
    if parts.clone().count() <= 2 && parts.all(|part| !part.trim().is_empty()) {
        return Ok(text.to_owned());
    }
    bail!("give NAME or hpa/NAME of an HPA, or TYPE/NAME of a target, such as deploy/web")
}

fn fraction(text: &str) -> anyhow::Result<f64> {
    let (number, whole) = match text.strip_suffix('%') {
        Some(percent) => (percent, 100.0),
        None => (text, 1.0),
    };
    match number.parse::<f64>().map(|it| it / whole) {
        Ok(value) if value.is_finite() && value > 1.0 && whole < 2.0 => bail!(
            "{text} is {:.0}%; {text}% is --tolerance {}",
            100.0 * value,
            value / 100.0
        ),
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        Ok(_) => bail!("must be a finite number, not below 0"),
        Err(_) => bail!("must be a fraction such as 0.1, or 10%"),
    }
}

/// Reads a duration that is not negative.
pub fn duration(text: &str) -> anyhow::Result<GoDuration> {
    match GoDuration::typed(text) {
        Ok(value) if value.0 >= 0 => Ok(value),
        Ok(_) => bail!("must not be negative"),
        Err(ParseDurationError::MissingUnit(_)) => {
            bail!("give a unit, such as {text}s or {text}m")
        }
        Err(_) => bail!("must be a duration such as 10s or 5m"),
    }
}

/// Reads a time that is longer than none, such as these.
pub fn time(text: &str, such_as: &str) -> anyhow::Result<SignedDuration> {
    let time = GoDuration::typed(text).map(|it| SignedDuration::from_nanos(it.0));
    let time = time.ok().filter(SignedDuration::is_positive);
    time.with_context(|| format!("must be a time such as {such_as}"))
}

/// Reads a duration of whole seconds, as a simulation counts time.
pub fn whole_seconds(text: &str) -> anyhow::Result<GoDuration> {
    let duration = duration(text)?;
    ensure!(duration.is_whole_seconds(), "must be whole seconds");
    Ok(duration)
}

/// Reads a feature gate and its value.
pub fn gate(text: &str) -> anyhow::Result<(String, bool)> {
    let (name, value) = text
        .split_once('=')
        .context("must be GATE=true or GATE=false, such as HPAScaleToZero=true")?;
    if !GATES.contains(&name) {
        let known = nearest(name, GATES).map_or_else(
            || format!("the gates that matter here are {}", GATES.join(", ")),
            |near| format!("did you mean {near}?"),
        );
        bail!("no gate is called {name}: {known}");
    }
    let neither = || format!("`{value}` is neither true nor false");
    Ok((name.to_owned(), value.parse().with_context(neither)?))
}
