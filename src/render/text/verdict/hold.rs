//! Passes that leave the size as it is.

use crate::render::text::page::Tone;
use crate::render::text::remembered::holder;
use crate::render::text::words::{View, counted, now, ratio, target, tolerated, word};
use crate::trace::{
    Hold, LimitRecord, Measured, MetricRecord, Rule, StabilizationRecord, WindowEdge,
};

use super::Verdict;
use super::change::{limit_sentence, still_counts};
use super::clause::{asks, fills, partial_failure, proposed, subject, window};

/// The target is at zero, and the HPA does not bring it back.
pub(super) fn paused(view: View) -> Verdict {
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
    Verdict::new(Tone::Warn, "Paused")
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
pub(super) fn kept(view: View, asked: i32) -> Verdict {
    let trace = view.trace;
    match (trace.hold(), &trace.stabilization, &trace.limit) {
        _ if asked == view.current() => wanted(view),
        (Some(Hold::MaxReplicas), ..) => at_max(view, asked),
        (Some(Hold::MinReplicas), ..) => at_min(view, asked),
        (Some(Hold::ScaleUpWindow | Hold::ScaleDownWindow), Some(stabilization), _) => {
            by_window(view, asked, stabilization)
        }
        (_, _, Some(limit)) if limit.slows() => by_limit(view, asked, limit),
        _ => Verdict::new(Tone::Warn, "Held").say(asks(view, asked)),
    }
}

/// The metrics ask for just this size.
fn wanted(view: View) -> Verdict {
    if let Some(winner) = view.trace.winner()
        && let Some(stuck) = stuck(view, winner)
    {
        return stuck;
    }
    let current = view.current();
    let rounded = view.trace.winner().map_or_else(String::new, rounded);
    let at_bound = if current == view.trace.bounds.max_replicas {
        format!("{current} is also maxReplicas, which plays no part yet.")
    } else {
        String::new()
    };
    Verdict::new(Tone::Good, "Steady")
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
    let formula = proposed(metric).map(|proposed| proposed.formula.as_str());
    match formula
        .filter(|formula| is_off && formula.starts_with("ceil(") && formula.contains(") = "))
    {
        Some(formula) => format!("Rounded up: {formula}."),
        None => String::new(),
    }
}

/// Pods without numbers dampen what the others ask for.
fn stuck(view: View, metric: &MetricRecord) -> Option<Verdict> {
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
    view.trace.dampened()?;
    let groups = metric.groups.unwrap_or_default();
    let verdict = silent_verdict(metric, filled.pods).say(format!(
        "The other {} put {} at {}, but with {} it is {}: ratio {}, {why}.",
        groups.ready,
        subject(view, metric),
        aim(metric, measured),
        fills(metric, filled).join(" and "),
        now(metric, &filled.measured),
        ratio(&filled.measured)
    ));
    Some(describe_first(view, metric, verdict).say(partial_failure(view)))
}

/// Pods that will count by the passing of time alone hold the size; nobody
/// knows about the others.
fn silent_verdict(metric: &MetricRecord, silent: usize) -> Verdict {
    let selected = metric.groups.unwrap_or_default().selected;
    let of = format!("{silent} of {}", counted(selected, "pod"));
    if metric.filled_in_pods().all(|pod| pod.until.is_some()) {
        let verb = if silent == 1 { "does" } else { "do" };
        return Verdict::new(Tone::Warn, "Held").because(format!(": {of} {verb} not count yet"));
    }
    let verb = if silent == 1 { "gives" } else { "give" };
    Verdict::new(Tone::Warn, "Stuck").because(format!(": {of} {verb} no number that counts"))
}

/// The first pod that time alone will not mend is where to look.
fn describe_first(view: View, metric: &MetricRecord, verdict: Verdict) -> Verdict {
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

fn at_max(view: View, asked: i32) -> Verdict {
    let current = view.current();
    Verdict::new(Tone::Warn, "At max")
        .because(format!(", {} short", i64::from(asked) - i64::from(current)))
        .say(asks(view, asked))
        .say(format!("maxReplicas {current} allows no more."))
        .say(partial_failure(view))
}

fn at_min(view: View, asked: i32) -> Verdict {
    let current = view.current();
    Verdict::new(Tone::Good, "At min")
        .because(", nothing is wrong")
        .say(asks(view, asked))
        .say(format!("minReplicas {current} keeps {current}."))
}

fn by_window(view: View, asked: i32, stabilization: &StabilizationRecord) -> Verdict {
    let is_up = asked > view.current();
    let edge = if is_up {
        stabilization.up
    } else {
        Some(stabilization.down)
    };
    let side = if is_up { "scaleUp" } else { "scaleDown" };
    let verdict = Verdict::new(Tone::Warn, "Held")
        .because(format!(" by the {side} window"))
        .say(asks(view, asked));
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

fn by_limit(view: View, asked: i32, limit: &LimitRecord) -> Verdict {
    let how = match limit.hold() {
        Some(Hold::Disabled) => " by selectPolicy Disabled",
        _ => " by policy",
    };
    Verdict::new(Tone::Warn, "Held")
        .because(how)
        .say(asks(view, asked))
        .say(limit_sentence(view, limit))
        .say(partial_failure(view))
}
