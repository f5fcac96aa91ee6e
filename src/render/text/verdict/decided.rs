//! Passes that change the size, and those that leave it as it is.

use crate::render::text::failure::describe_pod;
use crate::render::text::remembered::{Amount, age_of, holder};
use crate::render::text::words::{View, now, ratio, target, tolerated, window};
use crate::trace::{
    Because, Direction, Hold, LimitRecord, Measured, MetricRecord, Recalled, Rule,
    StabilizationRecord, WindowEdge, Word,
};

use super::Answer;
use super::clause::{fills, partial_failure, subject};

/// The size is outside the bounds.
pub(super) fn out_of_range(view: View) -> Answer {
    let (bounds, current) = (view.trace.bounds, view.current());
    let (side, bound) = if current > bounds.max_replicas {
        ("above maxReplicas", bounds.max_replicas)
    } else {
        ("below minReplicas", bounds.min_replicas)
    };
    Answer::of(format!(
        "The size {current} is {side} {bound}: the controller sets {bound} at once. Metrics, \
         windows and policies have no say in that.",
    ))
}

/// The metrics decide, and the size changes: what made it another than they
/// ask for.
pub(super) fn changed(view: View, recommended: i32, because: Option<&Because>) -> Vec<String> {
    let trace = view.trace;
    match (because, &trace.zero_clamp, &trace.limit) {
        (Some(Because::FromZero), Some(clamp), _) => vec![format!(
            "A workload that the HPA itself scaled to zero comes back with at least minReplicas \
             {}.",
            clamp.to
        )],
        (Some(Because::OlderRecommendation), ..) => older_recommendation(view, recommended),
        (Some(Because::StatusReplicas { .. }), ..) => Vec::new(),
        (Some(Because::Limited { .. }), _, Some(limit)) => {
            let held = held_on_the_way(view, recommended).into_iter();
            held.chain([limit_sentence(view, limit)]).collect()
        }
        _ => held_on_the_way(view, recommended).into_iter().collect(),
    }
}

/// Without `behavior` the highest recommendation of the window is applied,
/// also upwards, and the event then says the opposite of what happens.
fn older_recommendation(view: View, recommended: i32) -> Vec<String> {
    let Some(stabilization) = &view.trace.stabilization else {
        return Vec::new();
    };
    let desired = view.trace.outcome.desired_replicas.unwrap_or_default();
    let edge = stabilization.down;
    let held_by = holder(view, stabilization, &edge, false).map(|holder| holder.recalled);
    let counts = match &held_by {
        Some(entry) if is_known(view) => format!(
            "A recommendation of {}, {} old, still counts",
            edge.value,
            view.age(entry.to)
        ),
        entry => still_counts(view, &edge, entry.as_ref()),
    };
    let event = if recommended < view.current() {
        " The event will read \"All metrics below target\"."
    } else {
        ""
    };
    let limit = view.trace.limit.as_ref().filter(|limit| limit.limited);
    let raised = format!(
        "{counts}: without behavior, the highest of the last {} is applied, even upwards, here to \
         {desired}.{event}",
        window(edge.window_seconds)
    );
    let limit = limit.map(|limit| limit_sentence(view, limit));
    std::iter::once(raised).chain(limit).collect()
}

/// Whether every recommendation that can count is known.
fn is_known(view: View) -> bool {
    view.trace.memory.recommendations.is_some()
}

/// What holds the stabilized count, where only bounds are known of what is
/// remembered.
pub(super) fn still_counts(view: View, edge: &WindowEdge, held_by: Option<&Recalled>) -> String {
    let restarted = if view.trace.recollection.may_have_restarted {
        " (or the size at a restart)"
    } else {
        ""
    };
    match held_by {
        Some(entry) => format!(
            "A recommendation of {}, {} old, still counts{restarted}",
            Amount::Recommended.text(entry.replicas),
            age_of(view, entry)
        ),
        None => format!(
            "An earlier recommendation of the last {} still counts{restarted}",
            window(edge.window_seconds)
        ),
    }
}

/// The window let only a part of the change through.
fn held_on_the_way(view: View, recommended: i32) -> Option<String> {
    let stabilization = view.trace.stabilization.as_ref()?;
    let result = stabilization.result;
    if result == recommended {
        return None;
    }
    let (side, edge, kind) = if recommended > result {
        (Direction::Up, stabilization.up?, "lowest")
    } else {
        (Direction::Down, stabilization.down, "highest")
    };
    let held_by =
        holder(view, stabilization, &edge, recommended > result).map(|holder| holder.recalled);
    if !is_known(view) {
        let counts = still_counts(view, &edge, held_by.as_ref());
        return Some(format!("{counts}: the {side} window allows {result}."));
    }
    let held_by = held_by.filter(|entry| entry.replicas.from == edge.value);
    let age = held_by.map_or_else(String::new, |entry| {
        format!(", {} ago,", view.age(entry.to))
    });
    Some(format!(
        "The {kind} recommendation of the last {}{age} was {}: the {side} window allows {result}.",
        window(edge.window_seconds),
        edge.value
    ))
}

/// What limited the count, with its numbers.
pub(super) fn limit_sentence(view: View, limit: &LimitRecord) -> String {
    let bounds = view.trace.bounds;
    match limit.hold() {
        Some(Hold::MaxReplicas) => {
            format!("maxReplicas allows no more than {}.", bounds.max_replicas)
        }
        Some(Hold::MinReplicas) => {
            format!("minReplicas allows no fewer than {}.", bounds.min_replicas)
        }
        Some(Hold::Doubling) => format!(
            "Without behavior, one pass goes to twice the size or to 4 at most: {}.",
            limit.result
        ),
        _ => policy_sentence(view, limit),
    }
}

fn policy_sentence(view: View, limit: &LimitRecord) -> String {
    let (side, way) = match limit.rule {
        Rule::LimitScaleUp => (Direction::Up, "up"),
        _ => (Direction::Down, "down"),
    };
    if limit.hold() == Some(Hold::Disabled) {
        return format!("selectPolicy Disabled forbids scaling {way}.");
    }
    let what = if limit.result == view.current() {
        "no change".to_owned()
    } else {
        limit.result.to_string()
    };
    let Some(policy) = limit.policies.iter().find(|policy| policy.selected) else {
        return format!("The {side} policies allow {what} for now.");
    };
    format!(
        "The {side} policy {} {} per {}s allows {what} for now.",
        policy.kind, policy.value, policy.period_seconds
    )
}

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
    Answer::of(format!(
        "The target is at 0 replicas, and at 0 the HPA does nothing until somebody sets \
             another size.{condition}"
    ))
    .then(view.kubectl(
        &format!(
            "scale {} --replicas={}",
            view.trace.target_argument(),
            view.trace.bounds.min_replicas.max(1)
        ),
        "",
    ))
}

/// The gate's value, where the release's controller looks at it.
fn scale_to_zero_gate(view: View<'_>) -> Option<&str> {
    let mut settings = view.trace.basis.settings.iter();
    let gate = settings.find(|setting| setting.name == "HPAScaleToZero");
    gate.map(|gate| gate.value.as_str())
}

/// The metrics decide, and the size stays: why.
pub(super) fn kept(view: View, recommended: i32) -> Vec<String> {
    let trace = view.trace;
    let (verdict, current) = (&trace.verdict, view.current());
    let why = match (&verdict.because, &trace.stabilization, &trace.limit) {
        (Some(Because::MaxReplicas { .. }), ..) => {
            format!("maxReplicas {current} allows no more.")
        }
        (Some(Because::MinReplicas), ..) => format!("minReplicas {current} keeps {current}."),
        (Some(Because::Window), Some(stabilization), _) => {
            let is_up = recommended > current;
            let down = Some(stabilization.down);
            let edge = if is_up { stabilization.up } else { down };
            let holding = edge.map(|edge| holding(view, stabilization, &edge, is_up));
            holding.unwrap_or_default()
        }
        (Some(Because::Policy | Because::Disabled), _, Some(limit)) => limit_sentence(view, limit),
        _ if verdict.word == Word::Steady => return proposals(view),
        _ => return Vec::new(),
    };
    vec![why]
}

/// The metrics ask for just this size.
fn proposals(view: View) -> Vec<String> {
    let current = view.current();
    let at_bound = (current == view.trace.bounds.max_replicas)
        .then(|| format!("{current} is also maxReplicas, which plays no part yet."));
    let rounded = view.trace.winner().and_then(rounded);
    rounded.into_iter().chain(at_bound).collect()
}

/// Off the target, and all the same the size there is: a fraction of a pod is
/// a whole one.
fn rounded(metric: &MetricRecord) -> Option<String> {
    let measured = metric.measured.as_ref();
    let is_off = measured.is_some_and(|it| !it.within_tolerance);
    let proposed = metric.proposed().filter(|_| is_off)?;
    let rounds_up = proposed.rule.rounds_up();
    rounds_up.then(|| format!("Rounded up: {}.", proposed.formula))
}

/// Pods without numbers dampen what the others ask for.
pub(super) fn stuck(view: View) -> Option<Answer> {
    let metric = view.trace.dampened()?;
    let proposed = metric.proposed()?;
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
    let answer = Answer::of(format!(
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
        Some(pod) => verdict.then(describe_pod(view, &pod.name)),
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
