//! A load as it is typed: `spike:base=2,peak=9,at=20m,for=5m`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::cli::failure::Failure;
use crate::cli::past::follow;
use crate::cli::source::{name, read_text};
use crate::controller::Overrides;
use crate::simulate::load::{Load, Noise, Recorded, RecordedLoad, Shape, read_csv};
use crate::simulate::{Model, metric_name, target_of_a_pod};
use crate::snapshot::{GoDuration, MetricSpec, Quantity};
use crate::trace::amount::{amount_of, counted};
use crate::trace::seconds_text;

/// Nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;
/// The deviation of a load that is called noise, in percent.
const USUAL_NOISE: u32 = 20;
/// Noise beyond this would make a demand negative.
const MOST_NOISE: u32 = 100;
/// How much the loads that follow from the target go up.
const HIGH: i64 = 3;

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
}

/// The parts of a load that were typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    demands: Vec<(String, i64)>,
    times: Vec<(String, i64)>,
    percent: Option<u32>,
    seed: Option<u64>,
}

/// A load, and what is said of it.
pub struct Told {
    /// The demand.
    pub load: Load,
    /// The load in words.
    pub words: String,
    /// How long it is, where it has an end.
    pub seconds: Option<i64>,
}

impl Default for LoadSpec {
    fn default() -> Self {
        Self::Steps(Vec::new())
    }
}

impl LoadSpec {
    /// Whether it is what was measured, not what was there.
    pub fn is_measured(&self) -> bool {
        matches!(self, Self::History(_))
    }

    /// Reads a load.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and what there is.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "steps" => steps(rest),
            "sine" => Parts::parse(rest, &["low", "high"], &["period"]).map(Self::Sine),
            "spike" => Parts::parse(rest, &["base", "peak"], &["at", "for"]).map(Self::Spike),
            "ramp" => Parts::parse(rest, &["from", "to"], &["over"]).map(Self::Ramp),
            "noise" => Parts::parse(rest, &["mean"], &[]).map(Self::Noise),
            "csv" if rest.is_empty() => Err("csv takes a file: csv:load.csv".to_owned()),
            "csv" => Ok(Self::Csv(PathBuf::from(rest))),
            "history" if rest.is_empty() => {
                Err("history takes a record: history:web.jsonl".to_owned())
            }
            "history" => Ok(Self::History(PathBuf::from(rest))),
            _ => Err(format!(
                "there is no load {kind}; there are steps, sine, spike, ramp, noise, csv:FILE and history:FILE"
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
        metric: &MetricSpec,
        overrides: &Overrides,
        base: Option<i64>,
        seconds: Option<i64>,
    ) -> anyhow::Result<Told> {
        let of = |milli: i64| in_words(metric, milli);
        let whole = seconds.unwrap_or(super::USUAL_SECONDS);
        let (parts, shape, words) = match self {
            Self::Csv(path) => return csv(path, seconds),
            Self::History(path) => return history(path, metric, overrides, seconds),
            Self::Steps(steps) if !steps.is_empty() => {
                let listed = steps.iter().map(|(at, demand)| {
                    let (demand, from) = (of(*demand), seconds_text(*at));
                    format!("{demand} from {from} on{}", unreached(*at, whole))
                });
                let words = listed.collect::<Vec<_>>().join(", ");
                (&Parts::default(), Shape::Steps(steps.clone()), words)
            }
            Self::Steps(_) => {
                let base = known(base)?;
                let high = base.saturating_mul(HIGH);
                let steps = vec![(0, base), (whole / 3, high), (whole / 3 * 2, base)];
                let words = format!("{}, and {} in the second third", of(base), of(high));
                (&Parts::default(), Shape::Steps(steps), words)
            }
            Self::Sine(parts) => {
                let low = parts.demand("low", || Ok(known(base)? / 2))?;
                let high = parts.demand("high", || Ok(known(base)?.saturating_mul(2)))?;
                let period = parts.time("period", super::USUAL_SECONDS).max(1);
                let words = format!(
                    "sine from {} to {}, once in {}",
                    of(low),
                    of(high),
                    seconds_text(period)
                );
                (parts, Shape::Sine { low, high, period }, words)
            }
            Self::Spike(parts) => {
                let base_ = parts.demand("base", || known(base))?;
                let peak = parts.demand("peak", || Ok(base_.saturating_mul(HIGH)))?;
                let at = parts.time("at", whole / 4);
                let length = parts.time("for", 300);
                let words = format!(
                    "{}, and {} from {} on for {}{}",
                    of(base_),
                    of(peak),
                    seconds_text(at),
                    seconds_text(length),
                    unfinished(at, at.saturating_add(length), whole)
                );
                let shape = Shape::Spike {
                    base: base_,
                    peak,
                    at,
                    seconds: length,
                };
                (parts, shape, words)
            }
            Self::Ramp(parts) => {
                let from = parts.demand("from", || known(base))?;
                let to = parts.demand("to", || Ok(from.saturating_mul(HIGH)))?;
                let over = parts.time("over", whole);
                let words = format!(
                    "from {} to {} in {}{}",
                    of(from),
                    of(to),
                    seconds_text(over),
                    unfinished(0, over, whole)
                );
                let shape = Shape::Ramp {
                    from,
                    to,
                    seconds: over,
                };
                (parts, shape, words)
            }
            Self::Noise(parts) => {
                let mean = parts.demand("mean", || known(base))?;
                (parts, Shape::Steps(vec![(0, mean)]), of(mean))
            }
        };
        let usual = matches!(self, Self::Noise(_)).then_some(USUAL_NOISE);
        let noise = parts.percent.or(usual).filter(|percent| *percent > 0);
        let seed = parts.seed.unwrap_or_default();
        let words = match noise {
            Some(percent) => format!("{words}, uneven by up to {percent}% (seed {seed})"),
            None => words,
        };
        Ok(Told {
            load: Load {
                shape,
                noise: noise.map(|percent| Noise::new(seed, percent, whole)),
            },
            words,
            seconds: None,
        })
    }
}

/// What is said of a step that comes after the end.
fn unreached(at: i64, whole: i64) -> &'static str {
    if at >= whole { " (after the end)" } else { "" }
}

/// The same of what begins and takes its time.
fn unfinished(at: i64, end: i64, whole: i64) -> &'static str {
    match unreached(at, whole) {
        "" if end > whole => " (not over at the end)",
        unreached => unreached,
    }
}

/// What is said of a load that is shorter or longer than the simulation.
fn fitted(length: i64, asked: Option<i64>) -> String {
    match asked {
        Some(asked) if asked > length => format!(
            "; its last value goes on from {} to {}",
            seconds_text(length),
            seconds_text(asked)
        ),
        Some(asked) if asked < length => format!(
            "; the first {} of its {}",
            seconds_text(asked),
            seconds_text(length)
        ),
        _ => String::new(),
    }
}

fn csv(path: &Path, asked: Option<i64>) -> anyhow::Result<Told> {
    let hint = "a load file has lines of time,value, such as 15s,2.5";
    let text = read_text(path, hint)?;
    let file = name(path);
    let (shape, length) =
        read_csv(&text).map_err(|error| Failure::error(format!("{file}: {error}"), hint))?;
    Ok(Told {
        load: Load { shape, noise: None },
        words: format!("as {file} has it{}", fitted(length, asked)),
        seconds: Some(length),
    })
}

/// The load of a record that `watch --record` wrote.
fn history(
    path: &Path,
    metric: &MetricSpec,
    overrides: &Overrides,
    asked: Option<i64>,
) -> anyhow::Result<Told> {
    let mut recorded = Recorded::new(metric, overrides);
    let mut recorded_of = BTreeSet::new();
    follow(path, (Timestamp::MIN, Timestamp::MAX), |sample| {
        let metadata = &sample.horizontal_pod_autoscaler.metadata;
        recorded_of.insert(format!("{}/{}", metadata.namespace, metadata.name));
        recorded.take(sample);
    })?;
    let file = name(path);
    let hint = "`kubectl hpa-explain watch NAME --record FILE` records an HPA";
    let recorded_of = recorded_of.into_iter().collect::<Vec<_>>();
    if recorded_of.len() > 1 {
        let told = format!(
            "{file}: a record of several HPAs: {}",
            recorded_of.join(", ")
        );
        return Err(Failure::error(told, hint));
    }
    let recorded = match recorded.load() {
        Some(recorded) if recorded.samples > 1 => recorded,
        few => {
            let (found, hint) = match few {
                None => (
                    "no sample tells",
                    format!("--metric names another one; {hint}"),
                ),
                Some(_) => ("only one sample tells", format!("two are a load; {hint}")),
            };
            let told = format!("{file}: {found} of {}", metric_name(metric));
            return Err(Failure::error(told, hint));
        }
    };
    let words = format!(
        "as {} of {} in {file} have it, {}{}",
        counted(recorded.samples, "sample"),
        recorded_of.join(""),
        distances(&recorded),
        fitted(recorded.seconds, asked)
    );
    Ok(Told {
        load: Load {
            shape: recorded.shape,
            noise: None,
        },
        words,
        seconds: Some(recorded.seconds),
    })
}

/// How even a record is.
fn distances(recorded: &RecordedLoad) -> String {
    let apart = seconds_text(recorded.apart);
    let apart = match recorded.gaps {
        0 => format!("at most {apart} apart"),
        1 => format!("with a gap of {apart} in which the demand before it goes on"),
        gaps => format!(
            "with {gaps} gaps of up to {apart} in which the demand before each of them goes on"
        ),
    };
    match recorded.unordered {
        0 => apart,
        samples => format!(
            "{apart}; {} out of order left out",
            counted(samples, "sample")
        ),
    }
}

fn steps(text: &str) -> Result<LoadSpec, String> {
    let mut steps: Vec<(i64, i64)> = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (at, value) = part
            .split_once('=')
            .ok_or_else(|| format!("{part}: steps are TIME=VALUE, such as 20m=6"))?;
        let at = time(at)?;
        if steps.is_empty() && at > 0 {
            return Err(format!(
                "{part}: the load before it is missing; begin with 0s, as in steps:0s=2,{part}"
            ));
        }
        if steps.last().is_some_and(|(before, _)| *before >= at) {
            return Err(format!("{part}: the times must grow"));
        }
        steps.push((at, demand(value)?));
    }
    Ok(LoadSpec::Steps(steps))
}

impl Parts {
    fn parse(text: &str, demands: &[&str], times: &[&str]) -> Result<Self, String> {
        let mut parts = Self::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| format!("{part}: parts are NAME=VALUE"))?;
            match key {
                "by" => parts.percent = Some(percent(value)?),
                "seed" => {
                    let seed = value.parse();
                    parts.seed = Some(seed.map_err(|_| format!("{part}: a seed is a number"))?);
                }
                _ if demands.contains(&key) => {
                    parts.demands.push((key.to_owned(), demand(value)?));
                }
                "period" if times.contains(&key) && time(value)? == 0 => {
                    return Err(format!("{part}: a period takes 1s or more"));
                }
                _ if times.contains(&key) => parts.times.push((key.to_owned(), time(value)?)),
                _ => {
                    let known = [demands, times, &["by", "seed"]].concat().join(", ");
                    return Err(format!("{part}: there is no part {key}; there are {known}"));
                }
            }
        }
        Ok(parts)
    }

    fn demand(
        &self,
        key: &str,
        otherwise: impl FnOnce() -> anyhow::Result<i64>,
    ) -> anyhow::Result<i64> {
        let mut given = self.demands.iter().rev();
        given
            .find(|(own, _)| own == key)
            .map_or_else(otherwise, |(_, milli)| Ok(*milli))
    }

    fn time(&self, key: &str, otherwise: i64) -> i64 {
        let mut given = self.times.iter().rev();
        let given = given.find(|(own, _)| own == key);
        given.map_or(otherwise, |(_, seconds)| *seconds)
    }
}

/// What the pods carry together at the target, in thousandths.
pub fn at_target(metric: &MetricSpec, model: &Model, replicas: i32) -> Option<i64> {
    let (each, spreads) = target_of_a_pod(metric, model.request)?;
    let pods = if spreads {
        i64::from(replicas.max(1))
    } else {
        1
    };
    Some(each.saturating_mul(pods))
}

fn known(base: Option<i64>) -> anyhow::Result<i64> {
    base.ok_or_else(|| {
        Failure::error(
            "the load has nothing to start from: what a pod requests is not known",
            "give --request, or the demands themselves, such as --load spike:base=2,peak=9",
        )
    })
}

fn in_words(metric: &MetricSpec, milli: i64) -> String {
    let name = metric_name(metric);
    let amount = amount_of(name, metric.is_of_resource(), milli);
    if metric.is_of_resource() && name == "cpu" && !amount.ends_with('m') {
        let noun = if milli == 1_000 { "core" } else { "cores" };
        return format!("{amount} {noun}");
    }
    amount
}

fn percent(text: &str) -> Result<u32, String> {
    let number = text.trim_end_matches('%').parse::<u32>().ok();
    let number = number.filter(|percent| *percent <= MOST_NOISE);
    number.ok_or_else(|| format!("{text}: must be from 0% to {MOST_NOISE}%"))
}

fn time(text: &str) -> Result<i64, String> {
    let duration = text.parse::<GoDuration>().ok().filter(|it| it.0 >= 0);
    let whole = duration.map(|it| (it.0 / SECOND, it.0 % SECOND));
    match whole {
        Some((seconds, 0)) => Ok(seconds),
        Some(_) => Err(format!("{text}: must be whole seconds")),
        None => Err(format!("{text}: must be a time such as 90s or 20m")),
    }
}

fn demand(text: &str) -> Result<i64, String> {
    let quantity = text.parse::<Quantity>().ok();
    let float = quantity.as_ref().map(Quantity::as_approximate_float);
    let is_sane = float.is_some_and(|value| (0.0..=9e12).contains(&value));
    let quantity = quantity.filter(|_| is_sane);
    let milli = quantity.map(|quantity| quantity.milli_value());
    milli.ok_or_else(|| format!("{text}: must be an amount from 0 on, such as 900m or 2.5"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_load_is_said() {
        let rows = [
            ("wave", "there is no load wave"),
            ("csv", "csv takes a file"),
            ("steps:0s", "steps are TIME=VALUE"),
            ("steps:0s=1,0s=2", "the times must grow"),
            ("steps:0s=-1", "must be an amount from 0 on"),
            ("steps:-5s=1", "must be a time"),
            ("steps:soon=1", "must be a time"),
            ("steps:20m=6", "begin with 0s, as in steps:0s=2,20m=6"),
            ("steps:0s=1,1500ms=6", "must be whole seconds"),
            ("sine:period=0s", "a period takes 1s or more"),
            ("steps:0s=NaN", "must be an amount"),
            ("spike:top=3", "there is no part top; there are base, peak"),
            ("spike:peak", "parts are NAME=VALUE"),
            ("noise:by=200%", "must be from 0% to 100%"),
            ("noise:seed=x", "a seed is a number"),
            ("sine:high=1e30", "must be an amount"),
        ];
        let mut refused = 0;
        for (text, reason) in rows {
            let error = LoadSpec::parse(text).expect_err(text);
            assert!(error.contains(reason), "{text}: {error}");
            refused += 1;
        }
        assert_eq!(refused, 16);
    }

    #[test]
    fn parts_are_read_in_their_units() {
        let spike = LoadSpec::parse("spike:base=900m,peak=9,at=20m,for=90s,by=5%,seed=7");
        let parts = Parts {
            demands: vec![("base".to_owned(), 900), ("peak".to_owned(), 9_000)],
            times: vec![("at".to_owned(), 1_200), ("for".to_owned(), 90)],
            percent: Some(5),
            seed: Some(7),
        };
        assert_eq!(spike, Ok(LoadSpec::Spike(parts)));
    }
}
