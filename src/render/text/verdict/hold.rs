//! Passes that leave the size as it is.

use crate::render::text::remembered::holder;
use crate::render::text::words::{View, now, ratio, target, tolerated, word};
use crate::trace::{
    Because, LimitRecord, Measured, MetricRecord, Rule, StabilizationRecord, WindowEdge, Word,
};

use super::Answer;
use super::change::{limit_sentence, still_counts};
use super::clause::{asks, fills, partial_failure, proposed, subject, window};

/// The target is at zero, and the HPA does not bring it back.
pub(super) fn paused(view: View) -> Answer {
    let condition = match (view.trace.bounds.min_replicas, scale_to_zero_gate(view)) {
        (0, Some("false")) => {
            " minReplicas is 0, but the feature gate HPAScaleToZero is off, so the HPA does \
             not come back from there."
        }
        (0, _) => {
            " minReplicas is 0, but only an HPA that went to zero itself, as its condition \
             ScaledToZero tells, comes back from there."
        }
        _ => "",
    };
    Answer::default()
        .say(format!(
            "The target is at 0 replicas, and at 0 the HPA does nothing until somebody sets \
             another size.{condition}"
        ))
        .then(format!(
            "kubectl scale {} --replicas={} {}",
            view.target_argument(),
            view.trace.bounds.min_replicas.max(1),
            view.namespace_argument()
        ))
}

/// The gate's value, where the release's controller looks at it.
fn scale_to_zero_gate(view: View<'_>) -> Option<&str> {
    let mut settings = view.trace.basis.settings.iter();
    let gate = settings.find(|setting| setting.name == "HPAScaleToZero");
    gate.map(|gate| gate.value.as_str())
}

/// The metrics decide, and the size stays.
pub(super) fn kept(view: View, asked: i32) -> Answer {
    let trace = view.trace;
    let verdict = &trace.verdict;
    match (&verdict.because, &trace.stabilization, &trace.limit) {
        (Some(Because::PodsWithoutNumbers { .. }), ..) => stuck(view).unwrap_or_default(),
        (Some(Because::MaxReplicas { .. }), ..) => at_max(view, asked),
        (Some(Because::MinReplicas), ..) => at_min(view, asked),
        (Some(Because::Window), Some(stabilization), _) => by_window(view, asked, stabilization),
        (Some(Because::Policy | Because::Disabled), _, Some(limit)) => by_limit(view, asked, limit),
        _ if verdict.word == Word::Steady => wanted(view),
        _ => Answer::default().say(asks(view, asked)),
    }
}

/// The metrics ask for just this size.
fn wanted(view: View) -> Answer {
    let current = view.current();
    let rounded = view.trace.winner().map_or_else(String::new, rounded);
    let at_bound = if current == view.trace.bounds.max_replicas {
        format!("{current} is also maxReplicas, which plays no part yet.")
    } else {
        String::new()
    };
    Answer::default()
        .say(asks(view, current))
        .say(rounded)
        .say(at_bound)
        .say(partial_failure(view))
}

/// Off the target, and all the same the size there is: a fraction of a pod is
/// a whole one.
fn rounded(metric: &MetricRecord) -> String {
    let is_off = metric
        .measured
        .as_ref()
        .is_some_and(|it| !it.within_tolerance);
    match proposed(metric).filter(|proposed| is_off && proposed.rule.rounds_up()) {
        Some(proposed) => format!("Rounded up: {}.", proposed.formula),
        None => String::new(),
    }
}

/// Pods without numbers dampen what the others ask for.
fn stuck(view: View) -> Option<Answer> {
    let metric = view.trace.dampened()?;
    let proposed = proposed(metric)?;
    let (measured, filled) = (metric.measured.as_ref()?, metric.filled_in.as_ref()?);
    let why = match proposed.rule {
        Rule::ReplicasToleratedFilledIn => {
            format!("inside the tolerance {}", tolerated(&filled.measured))
        }
        Rule::ReplicasReversed => "on the other side of the target, so the size stays".to_owned(),
        Rule::ReplicasOpposed => {
            "and the result would go the other way, so the size stays".to_owned()
        }
        Rule::ReplicasFilledIn => {
            format!("which rounds up to the {} there are", proposed.replicas)
        }
        _ => return None,
    };
    let groups = metric.groups.unwrap_or_default();
    let answer = Answer::default().say(format!(
        "The other {} put {} at {}, but with {} it is {}: ratio {}, {why}.",
        groups.ready,
        subject(view, metric),
        aim(metric, measured),
        fills(metric, filled).join(" and "),
        now(metric, &filled.measured),
        ratio(&filled.measured)
    ));
    Some(describe_first(view, metric, answer).say(partial_failure(view)))
}

/// The first pod that time alone will not mend is where to look.
fn describe_first(view: View, metric: &MetricRecord, verdict: Answer) -> Answer {
    match metric.filled_in_pods().find(|pod| pod.until.is_none()) {
        Some(pod) => verdict.then(format!(
            "kubectl describe pod {} {}",
            word(&pod.name),
            view.namespace_argument()
        )),
        None => verdict,
    }
}

/// `92% of its request (target 60%)`.
fn aim(metric: &MetricRecord, measured: &Measured) -> String {
    let (now, target) = (now(metric, measured), target(metric));
    if measured.utilization.is_some() {
        format!("{now} of its request (target {target})")
    } else {
        format!("{now} per pod (target {target})")
    }
}

fn at_max(view: View, asked: i32) -> Answer {
    let current = view.current();
    Answer::default()
        .say(asks(view, asked))
        .say(format!("maxReplicas {current} allows no more."))
        .say(partial_failure(view))
}

fn at_min(view: View, asked: i32) -> Answer {
    let current = view.current();
    Answer::default()
        .say(asks(view, asked))
        .say(format!("minReplicas {current} keeps {current}."))
}

fn by_window(view: View, asked: i32, stabilization: &StabilizationRecord) -> Answer {
    let is_up = asked > view.current();
    let edge = if is_up {
        stabilization.up
    } else {
        Some(stabilization.down)
    };
    let verdict = Answer::default().say(asks(view, asked));
    let Some(edge) = edge else {
        return verdict;
    };
    verdict
        .say(holding(view, stabilization, &edge, is_up))
        .say(partial_failure(view))
}

/// The recommendation that holds the size longest.
fn holding(
    view: View,
    stabilization: &StabilizationRecord,
    edge: &WindowEdge,
    is_up: bool,
) -> String {
    let until = edge
        .expires
        .map_or_else(String::new, |at| format!(", until {}", view.time(at)));
    if is_seeded(view, stabilization, edge) {
        return format!("The controller has just started and holds the current size{until}.");
    }
    let held_by = holder(view, stabilization, edge, is_up).map(|holder| holder.recalled);
    if view.trace.memory.recommendations.is_none() {
        return still_counts(view, edge, held_by.as_ref()) + ".";
    }
    let (kind, further) = if is_up {
        ("lowest", "fewer")
    } else {
        ("highest", "more")
    };
    match held_by {
        Some(entry) if entry.replicas.from != edge.value => format!(
            "A recommendation of {} or {further}, {} old at the youngest, still counts{until}.",
            entry.replicas.from,
            view.age(entry.to),
        ),
        entry => {
            let age =
                entry.map_or_else(String::new, |entry| format!(", {} old", view.age(entry.to)));
            format!(
                "The {kind} recommendation of the last {} counts: {}{age}{until}.",
                window(edge.window_seconds),
                edge.value,
            )
        }
    }
}

/// A controller without a memory of the HPA begins with the current size, as
/// if it had been recommended a moment ago.
fn is_seeded(view: View, stabilization: &StabilizationRecord, edge: &WindowEdge) -> bool {
    let [entry] = stabilization.entries.as_slice() else {
        return false;
    };
    edge.held_by.is_some()
        && view.trace.at.duration_since(entry.timestamp).as_millis() == 0
        && entry.replicas == view.current()
}

fn by_limit(view: View, asked: i32, limit: &LimitRecord) -> Answer {
    Answer::default()
        .say(asks(view, asked))
        .say(limit_sentence(view, limit))
        .say(partial_failure(view))
}
