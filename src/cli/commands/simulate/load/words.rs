//! A load in words.

use crate::api::MetricSpec;
use crate::simulate::load::Shape;
use crate::simulate::metric_name;
use crate::trace::amount::amount_of;
use crate::trace::seconds_text;

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
    let text = amount_of(name, metric.is_of_resource(), milli);
    if metric.is_of_resource() && name == "cpu" && !text.ends_with('m') {
        let noun = if milli == 1_000 { "core" } else { "cores" };
        return format!("{text} {noun}");
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
