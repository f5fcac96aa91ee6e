//! The parts of a load: `base=2,peak=9,at=20m,for=5m`; its course, where it is not from a
//! file, and any in words. What was left out follows from the demand at the target and
//! from the length.

use anyhow::{Context as _, anyhow, bail, ensure};

use crate::api::MetricSpec;
use crate::cli::commands::simulate::USUAL_SECONDS;
use crate::cli::commands::simulate::workload::milli;
use crate::cli::failure::Failure;
use crate::cli::options::whole_seconds;
use crate::cli::select::did_you_mean;
use crate::simulate::load::Shape;
use crate::simulate::metric_name;
use crate::trace::amount::{in_words, is_many_cores};
use crate::trace::{milli_text, seconds_text};

/// Noise beyond this would make a demand negative.
const MOST_NOISE: u32 = 100;

/// The parts of a load that were typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub(super) demands: Vec<(String, i64)>,
    times: Vec<(String, i64)>,
    /// How uneven it is.
    pub(super) percent: Option<u32>,
    /// What makes the unevenness the same again.
    pub(super) seed: Option<u64>,
}

impl Parts {
    /// Reads the parts that have these names.
    pub(super) fn parse(text: &str, demands: &[&str], times: &[&str]) -> anyhow::Result<Self> {
        let mut parts = Self::default();
        let mut keys: Vec<&str> = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part
                .split_once('=')
                .with_context(|| format!("{part}: write parts as NAME=VALUE"))?;
            ensure!(!keys.contains(&key), "{part}: {key} is given twice");
            keys.push(key);
            match key {
                "by" => parts.percent = Some(percent(value)?),
                "seed" => {
                    let seed = value.parse();
                    let seed = seed.with_context(|| format!("{part}: a seed must be a number"));
                    parts.seed = Some(seed?);
                }
                _ if demands.contains(&key) => {
                    parts.demands.push((key.to_owned(), demand(value)?));
                }
                "period" if times.contains(&key) && time(value)? == 0 => {
                    bail!("{part}: a period must be 1s or more");
                }
                _ if times.contains(&key) => parts.times.push((key.to_owned(), time(value)?)),
                _ => {
                    let known = [demands, times, &["by", "seed"]].concat();
                    let all = || format!("the parts are {}", known.join(", "));
                    let suggestion = did_you_mean(key, known.iter().copied()).unwrap_or_else(all);
                    bail!("{part}: unknown part {key}; {suggestion}");
                }
            }
        }
        Ok(parts)
    }

    /// The same of a load that is even unless it is said by how much it is not.
    pub(super) fn of_a_course(
        text: &str,
        demands: &[&str],
        times: &[&str],
    ) -> anyhow::Result<Self> {
        let parts = Self::parse(text, demands, times)?;
        match (parts.seed, parts.percent) {
            (Some(seed), None) => {
                bail!("seed={seed}: a seed needs by, as in by=20%,seed={seed}")
            }
            _ => Ok(parts),
        }
    }

    /// A demand in thousandths, or what else it is.
    pub(super) fn demand(
        &self,
        key: &str,
        otherwise: impl FnOnce() -> anyhow::Result<i64>,
    ) -> anyhow::Result<i64> {
        let mut given = self.demands.iter().rev();
        given
            .find(|(own, _)| own == key)
            .map_or_else(otherwise, |(_, milli)| Ok(*milli))
    }

    /// A time in seconds, or what else it is.
    pub(super) fn time(&self, key: &str, otherwise: i64) -> i64 {
        let mut given = self.times.iter().rev();
        let given = given.find(|(own, _)| own == key);
        given.map_or(otherwise, |(_, seconds)| *seconds)
    }
}

/// Demands from moments on, in thousandths and seconds.
pub(super) fn steps(text: &str) -> anyhow::Result<Vec<(i64, i64)>> {
    let mut steps: Vec<(i64, i64)> = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (at, value) = part
            .split_once('=')
            .with_context(|| format!("{part}: write steps as TIME=VALUE, such as 20m=6"))?;
        let at = time(at)?;
        match steps.last() {
            None if at > 0 => {
                bail!("{part}: the load before it is missing; start at 0s, as in steps:0s=2,{part}")
            }
            Some((before, _)) if *before >= at => {
                bail!("{part}: each time must be later than the one before")
            }
            _ => {}
        }
        steps.push((at, demand(value)?));
    }
    Ok(steps)
}

fn percent(text: &str) -> anyhow::Result<u32> {
    let number = text.trim_end_matches('%').parse::<u32>().ok();
    let number = number.filter(|percent| *percent <= MOST_NOISE);
    number.with_context(|| format!("{text}: must be from 0% to {MOST_NOISE}%"))
}

fn time(text: &str) -> anyhow::Result<i64> {
    let time = whole_seconds(text).map_err(|why| anyhow!("{text}: {why}"))?;
    Ok(time.seconds())
}

fn demand(text: &str) -> anyhow::Result<i64> {
    milli(text, 0.0)
        .with_context(|| format!("{text}: must be an amount of 0 or more, such as 900m or 2.5"))
}

/// How much the loads that follow from the target go up.
const HIGH: i64 = 3;
/// How long a spike lasts, in seconds.
const SPIKE: i64 = 300;

/// What a load follows from where it does not say.
#[derive(Clone, Copy)]
pub(super) struct Usual {
    /// The demand at the target, in thousandths, where it is known.
    pub base: Option<i64>,
    /// The length in seconds.
    pub seconds: i64,
}

impl Usual {
    /// Much more in the second third.
    pub(super) fn steps(self) -> anyhow::Result<Shape> {
        let base = self.base()?;
        let third = self.seconds / 3;
        let high = base.saturating_mul(HIGH);
        Ok(Shape::Steps(vec![
            (0, base),
            (third, high),
            (third * 2, base),
        ]))
    }

    pub(super) fn sine(self, parts: &Parts) -> anyhow::Result<Shape> {
        Ok(Shape::Sine {
            low: parts.demand("low", || Ok(self.base()? / 2))?,
            high: parts.demand("high", || Ok(self.base()?.saturating_mul(2)))?,
            period: parts.time("period", USUAL_SECONDS).max(1),
        })
    }

    pub(super) fn spike(self, parts: &Parts) -> anyhow::Result<Shape> {
        let base = parts.demand("base", || self.base())?;
        Ok(Shape::Spike {
            base,
            peak: parts.demand("peak", || Ok(base.saturating_mul(HIGH)))?,
            at: parts.time("at", self.seconds / 4),
            seconds: parts.time("for", SPIKE),
        })
    }

    pub(super) fn ramp(self, parts: &Parts) -> anyhow::Result<Shape> {
        let from = parts.demand("from", || self.base())?;
        Ok(Shape::Ramp {
            from,
            to: parts.demand("to", || Ok(from.saturating_mul(HIGH)))?,
            seconds: parts.time("over", self.seconds),
        })
    }

    /// The mean of a noise.
    pub(super) fn constant(self, parts: &Parts) -> anyhow::Result<Shape> {
        let mean = parts.demand("mean", || self.base())?;
        Ok(Shape::Steps(vec![(0, mean)]))
    }

    fn base(self) -> anyhow::Result<i64> {
        self.base.ok_or_else(|| {
            Failure::error(
                "the load has no starting point: the pods' request is unknown",
                "give --request, or the demands themselves, such as --load spike:base=2,peak=9",
            )
        })
    }
}

/// The course of a load, which the simulation may end before it does.
pub(super) fn words(shape: &Shape, metric: &MetricSpec, whole: i64) -> String {
    let of = |milli: i64| amount(metric, milli);
    match shape {
        Shape::Steps(steps) => match steps.as_slice() {
            [(_, demand)] => of(*demand),
            steps => {
                let step = |(at, demand): &(i64, i64)| {
                    let (demand, from) = (of(*demand), seconds_text(*at));
                    format!("{demand} from {from} on{}", unreached(*at, whole))
                };
                steps.iter().map(step).collect::<Vec<_>>().join(", ")
            }
        },
        Shape::Sine { low, high, period } => format!(
            "sine from {} to {}, once in {}",
            of(*low),
            of(*high),
            seconds_text(*period)
        ),
        Shape::Spike {
            base,
            peak,
            at,
            seconds,
        } => format!(
            "{}, and {} from {} on for {}{}",
            of(*base),
            of(*peak),
            seconds_text(*at),
            seconds_text(*seconds),
            unfinished(*at, at.saturating_add(*seconds), whole)
        ),
        Shape::Ramp { from, to, seconds } => format!(
            "from {} to {} in {}{}",
            of(*from),
            of(*to),
            seconds_text(*seconds),
            unfinished(0, *seconds, whole)
        ),
    }
}

fn amount(metric: &MetricSpec, milli: i64) -> String {
    let name = metric_name(metric);
    let text = in_words(name, metric.is_of_resource(), milli);
    let is_cpu = metric.is_of_resource() && name == "cpu";
    if is_cpu && !is_many_cores(milli) {
        return format!("{text} ({} cores)", milli_text(milli));
    }
    text
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

#[cfg(test)]
mod tests {
    use crate::cli::commands::simulate::load::parts::*;

    #[test]
    fn parts_are_read_in_their_units() {
        let spike = Parts::parse(
            "base=900m,peak=9,at=20m,for=90s,by=5%,seed=7",
            &["base", "peak"],
            &["at", "for"],
        );
        let parts = Parts {
            demands: vec![("base".to_owned(), 900), ("peak".to_owned(), 9_000)],
            times: vec![("at".to_owned(), 1_200), ("for".to_owned(), 90)],
            percent: Some(5),
            seed: Some(7),
        };
        assert_eq!(spike.ok(), Some(parts));
    }
}
