//! The course of a load that is not from a file, and any in words. What was
//! left out follows from the demand at the target and from the length.

use crate::api::MetricSpec;
use crate::cli::Failure;
use crate::cli::commands::simulate::USUAL_SECONDS;
use crate::simulate::load::Shape;
use crate::simulate::metric_name;
use crate::trace::amount::{in_words, is_many_cores};
use crate::trace::{milli_text, seconds_text};

use super::Parts;

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
