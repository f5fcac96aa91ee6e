//! A load as it is typed: `spike:base=2,peak=9,at=20m,for=5m`; or from a file, with what
//! is said of it.

mod parts;

use std::path::{Path, PathBuf};

use anyhow::bail;
use jiff::{SignedDuration, Timestamp};

use super::{Simulate, USUAL_SECONDS};
use crate::api::MetricSpec;
use crate::cli::kind::name;
use crate::cli::{
    failure::Failure, kind::FileKind, past::kept::Kept, past::moment::follow,
    past::reading::Reading, terminal::Terminal,
};
use crate::controller::{Overrides, Release, Settings};
use crate::document::nearest;
use crate::document::snapshot::Snapshot;
use crate::simulate::load::{Load, Noise, Recorded, RecordedLoad, Shape, read_csv};
use crate::simulate::{Model, metric_name, target_of_a_pod};
use crate::trace::amount::counted;
use crate::trace::seconds_text;
use parts::{Parts, Usual};

/// What a load is called.
const KINDS: [&str; 7] = ["steps", "sine", "spike", "ramp", "noise", "csv", "history"];

/// The deviation of a load that is called noise, in percent.
const USUAL_NOISE: u32 = 20;

/// A load as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadSpec {
    /// Demands from moments on.
    Steps(Vec<(i64, i64)>),
    /// Up and down.
    Sine(Parts),
    /// Once much more.
    Spike(Parts),
    /// From one demand to another.
    Ramp(Parts),
    /// Uneven about a mean.
    Noise(Parts),
    /// From a file.
    Csv(PathBuf),
    /// From a record of an HPA.
    History(PathBuf),
    /// From a Prometheus.
    Scraped,
}

/// A load, and what is said of it.
pub struct ReadLoad {
    /// The demand.
    pub load: Load,
    /// The load in words.
    pub words: String,
    /// How long it is, where it has an end.
    pub seconds: Option<i64>,
    pub recorded: Option<RecordedLoad>,
}

impl Default for LoadSpec {
    fn default() -> Self {
        Self::Steps(Vec::new())
    }
}

impl LoadSpec {
    /// The file that it is read from.
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::Csv(path) | Self::History(path) => Some(path),
            _ => None,
        }
    }

    /// Reads a load.
    /// Errors: what is wrong with it, and what there is.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "steps" => parts::steps(rest).map(Self::Steps),
            "sine" => Parts::of_a_course(rest, &["low", "high"], &["period"]).map(Self::Sine),
            "spike" => Parts::of_a_course(rest, &["base", "peak"], &["at", "for"]).map(Self::Spike),
            "ramp" => Parts::of_a_course(rest, &["from", "to"], &["over"]).map(Self::Ramp),
            "noise" => Parts::parse(rest, &["mean"], &[]).map(Self::Noise),
            "csv" if rest.is_empty() => bail!("csv needs a file: csv:load.csv"),
            "csv" => Ok(Self::Csv(PathBuf::from(rest))),
            "history" if rest.is_empty() => Ok(Self::Scraped),
            "history" => Ok(Self::History(PathBuf::from(rest))),
            _ if let Some(near) = nearest(kind, &KINDS) => {
                bail!("unknown load {kind}; did you mean {near}?")
            }
            _ if let Some(end) = Path::new(text).extension()
                && (end == "csv" || end == "jsonl") =>
            {
                let kind = if end == "csv" { "csv" } else { "history" };
                bail!("{text} is a file: {kind}:{text}")
            }
            _ => bail!(
                "unknown load {kind}; the loads are steps, sine, spike, ramp, noise, csv:FILE and history:FILE, such as steps:0s=2,20m=6"
            ),
        }
    }

    /// The load itself. What was left out follows from the demand at the
    /// target, in thousandths, and from the length.
    /// Errors: a file that cannot be read, or is no load; nothing to start from.
    pub fn load(
        &self,
        simulate: &Simulate,
        (snapshot, metric): (&Snapshot, &MetricSpec),
        base: Option<i64>,
        requested: Option<i64>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<ReadLoad> {
        let seconds = requested.unwrap_or(super::USUAL_SECONDS);
        let usual = Usual { base, seconds };
        let shape = match self {
            Self::Csv(path) => return csv(path, requested),
            Self::History(path) => {
                if let Some(kept) = Kept::open(path)? {
                    terminal.warn_of(&name(path), &kept.document());
                    let of = (&kept.snapshot, metric);
                    let kept = Some((&kept, &*name(path)));
                    return scraped(simulate, of, kept, requested, terminal);
                }
                let overrides = simulate.settings.overrides();
                return history(path, metric, &overrides, requested, terminal);
            }
            Self::Scraped => {
                return scraped(simulate, (snapshot, metric), None, requested, terminal);
            }
            Self::Steps(steps) if steps.is_empty() => usual.steps()?,
            Self::Steps(steps) => Shape::Steps(steps.clone()),
            Self::Sine(parts) => usual.sine(parts)?,
            Self::Spike(parts) => usual.spike(parts)?,
            Self::Ramp(parts) => usual.ramp(parts)?,
            Self::Noise(parts) => usual.constant(parts)?,
        };
        let words = parts::words(&shape, metric, seconds);
        let (noise, words) = match self.noise() {
            Some((percent, seed)) => (
                Some(Noise::new(seed, percent, seconds)),
                format!("{words}, uneven by up to {percent}% (seed {seed})"),
            ),
            None => (None, words),
        };
        Ok(ReadLoad {
            load: Load { shape, noise },
            words,
            seconds: None,
            recorded: None,
        })
    }

    /// Whether its demands follow from the one at the target.
    pub fn starts_at_target(&self) -> bool {
        match self {
            Self::Steps(steps) => steps.is_empty(),
            Self::Sine(parts) | Self::Spike(parts) | Self::Ramp(parts) | Self::Noise(parts) => {
                parts.demands.is_empty()
            }
            Self::Csv(_) | Self::History(_) | Self::Scraped => false,
        }
    }

    /// By how much it is uneven, and its seed.
    fn noise(&self) -> Option<(u32, u64)> {
        let (parts, usual) = match self {
            Self::Sine(parts) | Self::Spike(parts) | Self::Ramp(parts) => (parts, 0),
            Self::Noise(parts) => (parts, USUAL_NOISE),
            Self::Steps(_) | Self::Csv(_) | Self::History(_) | Self::Scraped => return None,
        };
        let percent = parts.percent.unwrap_or(usual);
        (percent > 0).then(|| (percent, parts.seed.unwrap_or_default()))
    }
}

/// What the pods carry together at the target, in thousandths.
pub fn at_target(
    metric: &MetricSpec,
    model: &Model,
    replicas: i32,
    release: Release,
) -> Option<i64> {
    let (each, spreads) = target_of_a_pod(metric, model.request, release)?;
    let pods = if spreads {
        i64::from(replicas.max(1))
    } else {
        1
    };
    Some(each.saturating_mul(pods))
}

/// No file holds a longer time, in seconds.
const WHOLE_FILE: i64 = 86_400;

/// The load of a file with lines of time and value.
fn csv(path: &Path, requested: Option<i64>) -> anyhow::Result<ReadLoad> {
    let hint = "a load file needs lines of time,value, such as 15s,2.5";
    let text = FileKind::Load.read(path, hint)?;
    let file = name(path);
    let (shape, length) =
        read_csv(&text).map_err(|error| Failure::error(format!("{file}: {error}"), hint))?;
    let words = format!(
        "from {file}{}{}",
        fitted(length, requested),
        unused(&shape, length, requested)
    );
    Ok(ReadLoad {
        load: Load::even(shape),
        words,
        seconds: Some(length),
        recorded: None,
    })
}

/// The load of a record that `watch --record` wrote.
fn history(
    path: &Path,
    metric: &MetricSpec,
    overrides: &Overrides,
    requested: Option<i64>,
    terminal: &mut Terminal,
) -> anyhow::Result<ReadLoad> {
    let mut recorded = Recorded::new(metric, overrides);
    // A record is of one HPA.
    let mut recorded_of = String::new();
    let all = (Timestamp::MIN, Timestamp::MAX);
    follow(path, all, terminal, |sample| {
        let metadata = &sample.hpa.metadata;
        recorded_of = format!("{}/{}", metadata.namespace, metadata.name);
        recorded.take(sample);
    })?;
    let hint = "`kubectl hpa-explain watch NAME --record FILE` records an HPA";
    let words = |it: &RecordedLoad| {
        let samples = counted(it.samples, "sample");
        format!("from {samples} of {recorded_of} in {}", name(path))
    };
    read_load(&recorded, metric, (&name(path), hint), requested, words)
}

/// The load that a Prometheus tells of, of the last time, or what was kept of it in
/// a file.
fn scraped(
    simulate: &Simulate,
    (snapshot, metric): (&Snapshot, &MetricSpec),
    kept: Option<(&Kept, &str)>,
    requested: Option<i64>,
    terminal: &mut Terminal,
) -> anyhow::Result<ReadLoad> {
    let usual = kept.map_or(USUAL_SECONDS, |_| WHOLE_FILE);
    let span = SignedDuration::from_secs(requested.unwrap_or(usual));
    let overrides = simulate.settings.overrides();
    let reading = Reading::new(&overrides, &simulate.connection).of_load(span);
    let hpa = snapshot.hpa.clone();
    let subject = [(hpa, snapshot.captured_at)];
    let (read, source) = if let Some((kept, file)) = kept {
        (kept.of_each(&subject, reading)?, file)
    } else {
        let read = simulate.prometheus.scraped(&subject, reading, terminal)?;
        (read, "Prometheus")
    };
    let scrapes = read.into_iter().flatten().next().unwrap_or_default();
    let mut recorded = Recorded::new(metric, reading.overrides);
    let settings = Settings::resolve(snapshot, reading.overrides);
    let sampled = scrapes.samples(snapshot, &settings, |sample| recorded.take(sample));
    for remark in scrapes.remarks() {
        terminal.complain(&format!("warning: {remark}"));
    }
    let own = &snapshot.hpa.metadata;
    let hint = "a load takes kube-state-metrics 2.6 or newer, and two passes that it shows";
    let words = |it: &RecordedLoad| {
        let all = counted(it.samples, "sample");
        let uncertain = sampled.uncertain().map(|it| format!(" ({it})"));
        let uncertain = uncertain.unwrap_or_default();
        format!(
            "from {all} of {}/{} in {source}{uncertain}",
            own.namespace, own.name
        )
    };
    read_load(&recorded, metric, (source, hint), requested, words)
}

/// A load that samples tell of, in words.
fn read_load(
    recorded: &Recorded,
    metric: &MetricSpec,
    (source, hint): (&str, &str),
    requested: Option<i64>,
    words: impl FnOnce(&RecordedLoad) -> String,
) -> anyhow::Result<ReadLoad> {
    let recorded = match recorded.load() {
        Some(recorded) if recorded.samples > 1 => recorded,
        few => {
            let (found, hint) = match few {
                None => (
                    "no sample has a value",
                    format!("--metric names another one; {hint}"),
                ),
                Some(_) => (
                    "only one sample has a value",
                    format!("a load needs two; {hint}"),
                ),
            };
            let reported = format!("{source}: {found} of {}", metric_name(metric));
            return Err(Failure::error(reported, hint));
        }
    };
    let words = format!(
        "{}, {}{}{}",
        words(&recorded),
        distances(&recorded),
        filled(&recorded),
        fitted(recorded.seconds, requested)
    );
    Ok(ReadLoad {
        load: Load::even(recorded.shape.clone()),
        words,
        seconds: Some(recorded.seconds),
        recorded: Some(recorded),
    })
}

/// What of it is not measured.
fn filled(recorded: &RecordedLoad) -> String {
    recorded.filled.map_or_else(String::new, |filled| {
        format!(
            "; in {} of them, up to {}% of the Ready pods have no usable sample and are assumed to \
             use what the others do",
            filled.samples, filled.percent
        )
    })
}

/// How even a record is.
fn distances(recorded: &RecordedLoad) -> String {
    let apart = seconds_text(recorded.apart);
    match recorded.gaps {
        0 => format!("at most {apart} apart"),
        1 => format!("with a gap of {apart}, through which the demand before it continues"),
        gaps => format!(
            "with {gaps} gaps of up to {apart}, through which the demand before each continues"
        ),
    }
}

/// What is said of a last value that gets no time.
fn unused(shape: &Shape, length: i64, requested: Option<i64>) -> &'static str {
    let Shape::Steps(steps) = shape else {
        return "";
    };
    match steps.as_slice() {
        [.., (_, before), (_, last)]
            if before != last && requested.is_none_or(|requested| requested == length) =>
        {
            "; its last line only marks the end: a longer --for gives that value time"
        }
        _ => "",
    }
}

/// What is said of a load that is shorter or longer than the simulation.
fn fitted(length: i64, requested: Option<i64>) -> String {
    match requested {
        Some(requested) if requested > length => format!(
            "; its last value continues from {} to {}",
            seconds_text(length),
            seconds_text(requested)
        ),
        Some(requested) if requested < length => format!(
            "; the first {} of its {}",
            seconds_text(requested),
            seconds_text(length)
        ),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::commands::simulate::load::*;

    #[test]
    fn what_is_no_load_is_said() {
        let rows = [
            ("wave", "unknown load wave"),
            ("load.csv", "load.csv is a file: csv:load.csv"),
            ("csv", "csv needs a file"),
            ("steps:0s", "write steps as TIME=VALUE"),
            (
                "steps:0s=1,0s=2",
                "each time must be later than the one before",
            ),
            ("steps:0s=-1", "must be an amount of 0 or more"),
            ("steps:-5s=1", "must not be negative"),
            ("steps:soon=1", "must be a duration"),
            ("steps:20m=6", "start at 0s, as in steps:0s=2,20m=6"),
            ("steps:0s=1,1500ms=6", "must be whole seconds"),
            ("sine:period=0s", "a period must be 1s or more"),
            ("steps:0s=NaN", "must be an amount"),
            ("spike:top=3", "unknown part top; the parts are base, peak"),
            ("spike:peak", "write parts as NAME=VALUE"),
            ("noise:by=200%", "must be from 0% to 100%"),
            ("noise:seed=x", "a seed must be a number"),
            ("sine:high=1e30", "must be an amount"),
            ("spike:base=2,base=3", "base is given twice"),
            ("sine:seed=7", "a seed needs by, as in by=20%,seed=7"),
        ];
        let mut refused = 0;
        for (text, reason) in rows {
            let error = LoadSpec::parse(text).expect_err(text).to_string();
            assert!(error.contains(reason), "{text}: {error}");
            refused += 1;
        }
        assert_eq!(refused, 19);
    }
}
