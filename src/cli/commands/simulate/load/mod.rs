//! A load as it is typed: `spike:base=2,peak=9,at=20m,for=5m`.

mod files;
mod parts;

use std::path::{Path, PathBuf};

use crate::api::MetricSpec;
use crate::cli::kind::name;
use crate::cli::{Kept, Terminal};
use crate::controller::Release;
use crate::document::nearest;
use crate::simulate::load::{Load, Noise, RecordedLoad, Shape};
use crate::simulate::{Model, target_of_a_pod};
use crate::snapshot::Snapshot;

use super::Simulate;
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
    ///
    /// # Errors
    ///
    /// What is wrong with it, and what there is.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "steps" => parts::steps(rest).map(Self::Steps),
            "sine" => Parts::of_a_course(rest, &["low", "high"], &["period"]).map(Self::Sine),
            "spike" => Parts::of_a_course(rest, &["base", "peak"], &["at", "for"]).map(Self::Spike),
            "ramp" => Parts::of_a_course(rest, &["from", "to"], &["over"]).map(Self::Ramp),
            "noise" => Parts::parse(rest, &["mean"], &[]).map(Self::Noise),
            "csv" if rest.is_empty() => Err("csv needs a file: csv:load.csv".to_owned()),
            "csv" => Ok(Self::Csv(PathBuf::from(rest))),
            "history" if rest.is_empty() => Ok(Self::Scraped),
            "history" => Ok(Self::History(PathBuf::from(rest))),
            _ if Path::new(text).extension().is_some_and(|end| end == "csv") => {
                Err(format!("{text} is a file: csv:{text}"))
            }
            _ if let Some(near) = nearest(kind, &KINDS) => {
                Err(format!("unknown load {kind}; did you mean {near}?"))
            }
            _ => Err(format!(
                "unknown load {kind}; the loads are steps, sine, spike, ramp, noise, csv:FILE and history:FILE, such as steps:0s=2,20m=6"
            )),
        }
    }

    /// The load itself. What was left out follows from the demand at the
    /// target, in thousandths, and from the length.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or is no load; nothing to start from.
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
            Self::Csv(path) => return files::csv(path, requested),
            Self::History(path) => {
                if let Some(kept) = Kept::open(path)? {
                    let of = (&kept.snapshot, metric);
                    let kept = Some((&kept, &*name(path)));
                    return files::scraped(simulate, of, kept, requested, terminal);
                }
                let overrides = simulate.settings.overrides();
                return files::history(path, metric, &overrides, requested, terminal);
            }
            Self::Scraped => {
                return files::scraped(simulate, (snapshot, metric), None, requested, terminal);
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
            let error = LoadSpec::parse(text).expect_err(text);
            assert!(error.contains(reason), "{text}: {error}");
            refused += 1;
        }
        assert_eq!(refused, 19);
    }
}
