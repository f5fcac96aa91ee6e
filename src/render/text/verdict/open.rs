//! Passes whose decision rests on what cannot be seen.

use std::cmp::Ordering;

use crate::render::text::check::{was_at_max, was_paused};
use crate::render::text::failure::cause;
use crate::render::text::page::Tone;
use crate::render::text::pods::not_read;
use crate::render::text::words::View;
use crate::trace::{FailureCause, Knowledge, MetricResult, Range, RecommendationRecord};

use super::Verdict;
use super::clause::{asks, list, partial_failure};

/// Where not even the scale may be read, what the status tells beside a
/// failure: that the last pass found it paused, or at its maximum.
pub(super) fn by_status(view: View, verdict: Verdict) -> Verdict {
    if was_paused(view) {
        return Verdict {
            tone: Tone::Warn,
            word: "Paused",
            rest: " at the last pass".to_owned(),
            ..verdict
        };
    }
    if was_at_max(view) {
        let rest = format!(
            "{}, at maxReplicas {}",
            verdict.rest, view.trace.bounds.max_replicas
        );
        return verdict.because(rest);
    }
    verdict
}

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
        .any(|metric| metric.cause().is_some_and(FailureCause::is_refusal));
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

/// What the controller remembers decides, and is not wholly known.
pub(super) fn remembered(view: View, asked: i32) -> Verdict {
    let known = match (view.trace.remembered, view.options.live) {
        (Knowledge::Unknown, true) => "is shown by no API",
        (Knowledge::Unknown, false) => "is not in the snapshot",
        (Knowledge::Known | Knowledge::Partly, _) => "is only partly known",
    };
    let (tone, word, rest) = ways(view, asked);
    let (what, possible) = (" (recent recommendations and changes)", span(view));
    Verdict::new(tone, word)
        .because(format!("{rest}{}", when(view, asked)))
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

/// Which way it goes, where that is certain, and otherwise the ways that it
/// can go, the one that is asked for first.
fn ways(view: View, asked: i32) -> (Tone, &'static str, String) {
    let (up, down) = ("Scaling up", "Scaling down");
    let current = view.current();
    let Some(range) = view.trace.outcome.possible else {
        return match asked.cmp(&current) {
            Ordering::Greater => (Tone::Plain, up, " or held".to_owned()),
            Ordering::Less => (Tone::Plain, down, " or held".to_owned()),
            Ordering::Equal => (Tone::Plain, "Steady", String::new()),
        };
    };
    let stays = if asked == current { "Steady" } else { "Held" };
    let mut ways = vec![
        (asked > current, up, range.to > current),
        (asked < current, down, range.from < current),
        (asked == current, stays, range.contains(current)),
    ];
    ways.retain(|(_, _, can)| *can);
    // What is asked for, then what stays, then the other way.
    ways.sort_by_key(|(is_asked, word, _)| (!is_asked, *word != stays));
    match ways.as_slice() {
        [(_, word, _)] if *word == up || *word == down => (Tone::Good, word, String::new()),
        [] => (Tone::Plain, stays, String::new()),
        [(_, "Steady", _), ..] => (Tone::Plain, "Steady", String::new()),
        [(_, word, _), others @ ..] => {
            let others: Vec<&str> = others.iter().map(|(_, word, _)| short(word)).collect();
            let rest = match others.as_slice() {
                [] => String::new(),
                [other] => format!(" or {other}"),
                [one, other, ..] => format!(", {one} or {other}"),
            };
            (Tone::Plain, word, rest)
        }
    }
}

fn short(word: &str) -> &'static str {
    match word {
        "Scaling up" => "up",
        "Scaling down" => "down",
        _ => "held",
    }
}

/// When that is, as far as it can be told.
fn when(view: View, asked: i32) -> String {
    let trace = view.trace;
    let is_certain = trace
        .outcome
        .possible
        .is_some_and(|range| !range.contains(view.current()));
    if is_certain {
        return ", by how much is unknown".to_owned();
    }
    let outlook = trace.outlook.as_ref();
    let (way, step) = match asked.cmp(&view.current()) {
        Ordering::Equal => return ", unless raised".to_owned(),
        Ordering::Greater => ("up", outlook.map(|outlook| outlook.up)),
        Ordering::Less => ("down", outlook.map(|outlook| outlook.down)),
    };
    let Some(step) = step else {
        return String::new();
    };
    match (step.earliest, step.latest) {
        (Some(earliest), Some(latest)) => format!(
            ": {way} not before {}, by {} at the latest",
            view.time(earliest),
            view.time(latest)
        ),
        (None, Some(latest)) if latest > trace.at => {
            format!(": {way} by {} at the latest", view.time(latest))
        }
        _ => String::new(),
    }
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
