//! Passes whose decision rests on what cannot be seen.

use crate::render::text::failure::cause;
use crate::render::text::pods::not_read;
use crate::render::text::words::View;
use crate::trace::{FailureCause, Knowledge, MetricResult, Range, RecommendationRecord};

use super::Answer;
use super::clause::{asks, list, partial_failure};

/// A metric that we may not read could ask for anything, or fail.
pub(super) fn unreadable(view: View, recommendation: &RecommendationRecord) -> Answer {
    let metrics = view.trace.metrics.iter();
    let unreadable: Vec<_> = metrics
        .filter(|metric| matches!(metric.result, Some(MetricResult::Unreadable { .. })))
        .collect();
    let names: Vec<String> = unreadable
        .iter()
        .map(|metric| view.metric_name(metric))
        .collect();
    let rest = match recommendation.largest {
        Some(largest) => {
            format!("What can be read asks for {largest}; the rest can ask for more, or fail.")
        }
        None => "Nothing else tells what the size will be.".to_owned(),
    };
    let what = match not_read(view) {
        Some(_) => "the pods".to_owned(),
        None => list(&names, 2),
    };
    let refused = unreadable
        .iter()
        .any(|metric| metric.cause().is_some_and(FailureCause::is_refusal));
    let head = if refused {
        format!("You may not read {what}; the controller may well.")
    } else {
        format!("From here {what} could not be read; the controller may well.")
    };
    let single = view.trace.outcome.possible.and_then(Range::single);
    let mut verdict = match single {
        Some(count) => Answer::default().say(format!(
            "{head} {rest} Whatever it is, the size is {count} after the pass."
        )),
        None => Answer::default().say(format!("{head} {rest}{}", span(view))),
    };
    if let Some(cause) = unreadable.first().and_then(|metric| cause(view, metric)) {
        verdict = verdict.then(cause.command);
    }
    verdict
}

/// What the controller remembers decides, and is not wholly known.
pub(super) fn remembered(view: View, asked: i32) -> Answer {
    let known = match (view.trace.remembered, view.options.live) {
        (Knowledge::Unknown, true) => "is shown by no API",
        (Knowledge::Unknown, false) => "is not in the snapshot",
        (Knowledge::Known | Knowledge::Partly, _) => "is only partly known",
    };
    let (what, possible) = (" (recent recommendations and changes)", span(view));
    Answer::default()
        .say(asks(view, asked))
        .say(if asked == view.current() {
            format!(
                "Without behavior the highest recommendation of the window counts, even upwards; it \
                 {known}.{possible}"
            )
        } else {
            format!(
                "What the controller remembers{what} {}, and {known}.{possible}",
                effect(view, asked)
            )
        })
        .say(partial_failure(view))
}

/// Without `behavior`, older recommendations can also raise the count.
fn effect(view: View, asked: i32) -> &'static str {
    let ends = (asked.min(view.current()), asked.max(view.current()));
    match view.trace.outcome.possible {
        Some(range) if range.from < ends.0 || range.to > ends.1 => {
            "can hold that back, or lead further"
        }
        _ => "can hold that back",
    }
}

fn span(view: View) -> String {
    match view.trace.outcome.possible {
        Some(range) if range.single().is_none() => {
            format!(" Possible: {}..{}.", range.from, range.to)
        }
        Some(range) => format!(" Possible: {}.", range.from),
        None => String::new(),
    }
}
