//! Passes whose decision rests on what cannot be seen.

use crate::render::text::failure::{cause, is_refusal, message};
use crate::render::text::page::Tone;
use crate::render::text::pods::not_read;
use crate::render::text::words::View;
use crate::trace::{Knowledge, MetricResult, Range, RecommendationRecord};

use super::Verdict;
use super::clause::{asks, list, partial_failure};

/// A metric that we may not read could ask for anything, or fail.
pub(super) fn unreadable(view: View, recommendation: &RecommendationRecord) -> Verdict {
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
        .any(|metric| message(metric).is_some_and(is_refusal));
    let head = if refused {
        format!("You may not read {what}; the controller may well.")
    } else {
        format!("From here {what} could not be read; the controller may well.")
    };
    let single = view.trace.outcome.possible.and_then(Range::single);
    let mut verdict = match single {
        Some(count) => Verdict::new(Tone::Good, "Decided")
            .because(", though not everything can be read")
            .say(format!(
                "{head} {rest} Whatever it is, the size is {count} after the pass."
            )),
        None => Verdict::new(Tone::Warn, "Unknown").say(format!("{head} {rest}{}", span(view))),
    };
    if let Some(cause) = unreadable.first().and_then(|metric| cause(view, metric)) {
        verdict = verdict.then(cause.command);
    }
    verdict
}

/// The controller's memory decides, and it is not known.
pub(super) fn memory(view: View, asked: i32) -> Verdict {
    let current = view.current();
    let word_of = |range: Range| {
        if range.from > current {
            (Tone::Good, "Scaling up", ", by how much is unknown")
        } else if range.to < current {
            (Tone::Good, "Scaling down", ", by how much is unknown")
        } else {
            (Tone::Warn, "Unknown", "")
        }
    };
    let (tone, name, rest) = view
        .trace
        .outcome
        .possible
        .map_or((Tone::Warn, "Unknown", ""), word_of);
    Verdict::new(tone, name)
        .because(rest)
        .say(asks(view, asked))
        .say(format!(
            "What the controller remembers (recent recommendations and changes) {}, and {}.{}",
            effect(view, asked),
            match (view.options.live, view.trace.remembered) {
                (true, _) => "no API shows it",
                (false, Knowledge::Partly) => "is only partly in the snapshot",
                (false, _) => "is not in the snapshot",
            },
            span(view)
        ))
        .say(partial_failure(view))
        .advise((!view.options.live).then_some("add `history` to the snapshot to narrow this"))
}

/// Without `behavior`, older recommendations can also raise the count.
fn effect(view: View, asked: i32) -> &'static str {
    if asked == view.current() {
        return "can lead to another size";
    }
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
