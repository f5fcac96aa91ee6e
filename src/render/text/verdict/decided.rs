//! Passes that change the size, and those that leave it as it is.

use super::clause::{
    NEVER_REVERSES, aside, asks, left_out, never_caused, partial_failure, subject, tolerance,
};
use super::{Answer, Sentence};
use crate::render::text::forecast;
use crate::render::text::remembered::{Amount, age_of, holder, is_known};
use crate::render::text::words::{View, counted, now, ratio, target, tolerated, window};
use crate::trace::{
    Because, CodeKind, Direction, EvidenceKind, Hold, Knowledge, LimitRecord, MetricRecord,
    PolicyRecord, Recalled, Rule, StabilizationRecord, WindowEdge, WindowHold, Word,
};

/// The size is outside the bounds.
pub(super) fn out_of_range(view: View) -> Answer {
    let (bounds, current) = (view.trace.bounds, view.current());
    let (side, bound) = if current > bounds.max_replicas {
        ("above maxReplicas", bounds.max_replicas)
    } else {
        ("below minReplicas", bounds.min_replicas)
    };
    Answer::of(format!(
        "the size {current} is {side} {bound}, so the controller sets {bound} at once"
    ))
    .say("metrics, windows, and policies do not matter for that")
}

/// The metrics decide, and the size changes: what made it another than they
/// ask for.
pub(super) fn changed(view: View, recommended: i32, because: Option<&Because>) -> Answer {
    let trace = view.trace;
    let asks = asks(view, recommended);
    match (because, &trace.zero_clamp, &trace.limit) {
        (Some(Because::FromZero), Some(clamp), _) => Answer::of(asks).say(format!(
            "a workload that the HPA itself scaled to zero comes back with at least minReplicas {}",
            clamp.to
        )),
        (Some(Because::OlderRecommendation), ..) => {
            older_recommendation(view, recommended).say(asks)
        }
        (Some(Because::StatusReplicas { running, spec }), ..) => {
            Answer::of(status_replicas(view, *running, *spec)).say(asks)
        }
        (Some(Because::Limited { window, .. }), _, Some(limit)) => {
            let held = window.as_ref().and_then(|it| held_on_the_way(view, it));
            let limit = limit_clause(view, limit);
            Answer::of(asks.and(held).and(Some(limit)))
        }
        (Some(Because::WindowOnTheWay { lets }), ..) => {
            Answer::of(asks.and(held_on_the_way(view, lets)))
        }
        _ => Answer::of(asks.and(unlimited(view).or_else(|| forecast::climbs(view)))),
    }
}

/// Inside its tolerance an average of a total keeps the size that the target's
/// status shows.
fn status_replicas(view: View, running: i32, spec: i32) -> String {
    let winner = view.trace.winner();
    let of_spec = winner.and_then(|winner| winner.measured.as_ref()?.spec_ratio);
    let of_spec = of_spec.map_or_else(String::new, |ratio| {
        format!(" (with {spec} the ratio would be {ratio:.2})")
    });
    format!(
        "the target's status has {running} replicas and its spec {spec}, as in a rollout, and \
         {}, so the controller takes the {running} as the size{of_spec}",
        winner.map_or_else(String::new, tolerance)
    )
}

/// Nothing slows a drop of most of the pods.
fn unlimited(view: View) -> Option<String> {
    let is_unlimited = view.trace.finds(CodeKind::Unlimited);
    is_unlimited.then(|| "no scaleDown policy limits this drop".to_owned())
}

/// Without `behavior` the highest recommendation of the window is applied,
/// also upwards, and the event then says the opposite of what happens.
fn older_recommendation(view: View, recommended: i32) -> Answer {
    let Some(stabilization) = &view.trace.stabilization else {
        return Answer::default();
    };
    let desired = view.trace.outcome.desired_replicas.unwrap_or_default();
    let edge = stabilization.down;
    let held_by = holder(view, stabilization, &edge, false).map(|holder| holder.recalled);
    let counts = match &held_by {
        Some(entry) if is_known(view) => format!(
            "a recommendation of {} from {} ago still counts",
            edge.value,
            view.trace.age(entry.to)
        ),
        entry => still_counts(view, &edge, entry.as_ref()),
    };
    let resized = view.trace.last_change.as_ref();
    let resized = resized.filter(|it| it.source == Some(EvidenceKind::Status));
    let resized = resized.and_then(|it| Some((it.before?, it.after?)));
    let resized = resized.map_or_else(String::new, |(before, after)| {
        format!("the size changed from {before} to {after} after the last pass; ")
    });
    let answer = Answer::of(format!(
        "{resized}{counts}, and without behavior the highest recommendation of the last {} applies even \
         upward, so the size rises to {desired}",
        window(edge.window_seconds)
    ));
    let limit = view.trace.limit.as_ref().filter(|limit| limit.limited);
    let answer = answer.say(limit.map_or_else(String::new, |it| limit_clause(view, it)));
    if recommended < view.current() {
        return answer.say("the event will say \"All metrics below target\"");
    }
    answer
}

/// What holds the stabilized count, where only bounds are known of what is
/// remembered.
pub(super) fn still_counts(view: View, edge: &WindowEdge, held_by: Option<&Recalled>) -> String {
    let restarted = if view.trace.recollection.may_have_restarted {
        " (or the size at a controller restart)"
    } else {
        ""
    };
    match held_by {
        Some(entry) => format!(
            "a recommendation of {} from {} ago still counts{restarted}",
            Amount::Recommended.text(entry.replicas),
            age_of(view, entry)
        ),
        None => format!(
            "an earlier recommendation of the last {} still counts{restarted}",
            window(edge.window_seconds)
        ),
    }
}

/// The window let only a part of the change through.
fn held_on_the_way(view: View, lets: &WindowHold) -> Option<String> {
    let side = view.trace.verdict.direction?;
    let stabilization = view.trace.stabilization.as_ref()?;
    let (allows, edge) = (lets.allows, stabilization.edge(side)?);
    let is_up = side == Direction::Up;
    let kind = if is_up { "lowest" } else { "highest" };
    let held_by = holder(view, stabilization, &edge, is_up).map(|holder| holder.recalled);
    if !is_known(view) {
        let counts = still_counts(view, &edge, held_by.as_ref());
        return Some(format!("{counts}, so the {side} window allows {allows}"));
    }
    let held_by = held_by.filter(|entry| entry.replicas.from == edge.value);
    let age = held_by.map_or_else(String::new, |entry| {
        format!(", {} ago", view.trace.age(entry.to))
    });
    Some(format!(
        "the {side} window allows {allows}, because the {kind} recommendation of the last {} was \
         {}{age}",
        window(edge.window_seconds),
        edge.value
    ))
}

/// What limited the count, with its numbers.
fn limit_clause(view: View, limit: &LimitRecord) -> String {
    let bounds = view.trace.bounds;
    match limit.hold() {
        Some(Hold::MaxReplicas) => format!("maxReplicas allows at most {}", bounds.max_replicas),
        Some(Hold::MinReplicas) => {
            let bound = format!("minReplicas keeps {}", bounds.min_replicas);
            let unlimited = unlimited(view).map(|it| format!("{it}, and "));
            unlimited.unwrap_or_default() + &bound
        }
        Some(Hold::Doubling) => format!(
            "without behavior, one pass goes at most to {} (twice the size or 4, whichever is larger)",
            limit.result
        ),
        _ => policy_clause(view, limit),
    }
}

fn policy_clause(view: View, limit: &LimitRecord) -> String {
    let (side, scaling) = match limit.rule {
        Rule::LimitScaleUp => (Direction::Up, "scaling up"),
        _ => (Direction::Down, "scaling down"),
    };
    if limit.hold() == Some(Hold::Disabled) {
        return format!("spec.behavior.{side}.selectPolicy Disabled forbids {scaling}");
    }
    let selected = limit.policies.iter().find(|policy| policy.selected);
    let verb = selected.map_or("allow", |_| "allows");
    let allows = if limit.result == view.current() {
        let until = selected.and_then(|policy| policy.changes_at);
        let until = until.filter(|_| view.trace.remembered == Knowledge::Known);
        let until = until.map_or_else(String::new, |at| format!(" until {}", view.moment(at)));
        format!("{verb} no change{until}")
    } else {
        let change = match side {
            Direction::Up => "a rise",
            Direction::Down => "a drop",
        };
        format!("{verb} {change} to {} now", limit.result)
    };
    let Some(policy) = selected else {
        return format!("the {side} policies {allows}");
    };
    let select = limit.select_policy.filter(|_| limit.policies.len() > 1);
    let select = select.map_or_else(String::new, |it| format!("(selectPolicy {it}) "));
    format!(
        "the {side} policy {} {} per {}s {select}{}{allows}",
        policy.kind,
        policy.value,
        policy.period_seconds,
        period_start(view, limit, policy)
    )
}

/// What a policy counts from, where changes have moved that.
fn period_start(view: View, limit: &LimitRecord, policy: &PolicyRecord) -> String {
    let (start, current) = (policy.period_start, view.current());
    if start == current {
        return String::new();
    }
    let of = match (limit.rule, policy.added, policy.removed) {
        (Rule::LimitScaleUp, added, 0) if policy.uncounted.is_some() => format!(
            "because {added} of the {current} were added within its period, and this release does \
             not add back what was removed"
        ),
        (Rule::LimitScaleDown, added, 0) => {
            format!("because {added} of the {current} were added within its period")
        }
        (Rule::LimitScaleUp, 0, removed) => {
            format!("because {removed} were removed within its period")
        }
        (_, added, 0) => format!("the size before {added} were added"),
        (_, 0, removed) => format!("the size before {removed} were removed"),
        (_, added, removed) => {
            format!("the size before {added} were added and {removed} removed")
        }
    };
    format!("counts from {start}, {of}, so it ")
}

/// The target is at zero, and the HPA does not bring it back.
pub(super) fn paused(view: View) -> Answer {
    let is_off = view.trace.basis.is_off("HPAScaleToZero");
    let condition = match view.trace.bounds.min_replicas {
        0 if is_off => {
            "minReplicas is 0, but the feature gate HPAScaleToZero is off, so the HPA does not \
             bring it back"
        }
        0 => {
            "minReplicas is 0, but the HPA brings a target back only if it scaled it to zero \
             itself, which its condition ScaledToZero shows"
        }
        _ => "",
    };
    Answer::of(
        "the target has 0 replicas, and at 0 the HPA does nothing until someone sets another size",
    )
    .say(condition)
    .then(view.trace.scale_to_min())
}

/// The metrics decide, and the size stays: why.
pub(super) fn kept(view: View, recommended: i32) -> Answer {
    let trace = view.trace;
    let (verdict, current) = (&trace.verdict, view.current());
    let asks = asks(view, recommended);
    match (&verdict.because, &trace.stabilization, &trace.limit) {
        (Some(Because::MaxReplicas { short }), ..) => Answer::of(asks.with(&format!(
            ", {short} more than maxReplicas {current}{}",
            window_too(view, Direction::Up)
        ))),
        (Some(Because::MinReplicas), ..) => {
            let window = window_too(view, Direction::Down);
            Answer::of(asks.and(Some(format!("minReplicas keeps {current}{window}"))))
        }
        (Some(Because::Window { .. }), Some(stabilization), _) => {
            let holding = verdict.direction.and_then(|side| {
                let edge = stabilization.edge(side)?;
                Some(holding(view, stabilization, &edge, side == Direction::Up))
            });
            let holding = Sentence::from(holding.unwrap_or_default());
            Answer::of(holding.and(Some(asks.text)))
        }
        (Some(Because::Policy { .. } | Because::Disabled), _, Some(limit)) => {
            let limit = Sentence::from(limit_clause(view, limit));
            Answer::of(limit.and(Some(asks.text)))
        }
        _ if matches!(verdict.word, Word::Steady | Word::Unchanged) => proposals(view, asks),
        _ => Answer::of(asks),
    }
}

/// A window that would keep the size as well as a bound does.
fn window_too(view: View, direction: Direction) -> String {
    let stabilization = view.trace.stabilization.as_ref();
    let keeps = stabilization.is_some_and(|it| it.keeps(view.current(), direction));
    if keeps && is_known(view) {
        return format!(", and so would the {direction} window");
    }
    String::new()
}

/// The metrics ask for just this size.
fn proposals(view: View, asks: Sentence) -> Answer {
    let current = view.current();
    let rounded = view.trace.winner().and_then(rounded);
    let answer = Answer::of(asks.and(rounded));
    if current == view.trace.bounds.max_replicas {
        return answer.say(format!(
            "{current} is also maxReplicas, which does not limit it yet"
        ));
    }
    answer
}

/// Off the target, and all the same the size there is: a fraction of a pod is
/// a whole one.
fn rounded(metric: &MetricRecord) -> Option<String> {
    let measured = metric.measured.as_ref();
    let is_off = measured.is_some_and(|it| !it.within_tolerance);
    let proposed = metric.proposed().filter(|_| is_off)?;
    let rounds_up = proposed.rule.rounds_up();
    rounds_up.then(|| format!("rounded up to whole pods: {}", proposed.formula))
}

/// Pods without numbers dampen what the others ask for.
pub(super) fn stuck(view: View) -> Option<Answer> {
    let metric = view.trace.dampened()?;
    let proposed = metric.proposed()?;
    let (measured, filled) = (metric.measured.as_ref()?, metric.filled_in.as_ref()?);
    // Those that are filled in count, too.
    let counting = metric.groups.unwrap_or_default().ready + filled.pods;
    let (result, why) = match proposed.rule {
        Rule::ReplicasToleratedFilledIn => (
            format!(
                " (ratio {}, inside the tolerance {})",
                ratio(&filled.measured),
                tolerated(&filled.measured)
            ),
            "",
        ),
        Rule::ReplicasReversed => {
            let (_, side) = never_caused(filled);
            (format!(", {side} the target"), NEVER_REVERSES)
        }
        Rule::ReplicasOpposed => (
            ", which would change the size the other way".to_owned(),
            NEVER_REVERSES,
        ),
        Rule::ReplicasFilledIn => (
            format!(
                " over the {} that count{}, and asks for {}",
                counted(counting, "pod"),
                left_out(metric),
                proposed.replicas
            ),
            "",
        ),
        _ => return None,
    };
    let first = format!(
        "{}, which changes {} from {} (target {}) to {}{result}",
        aside(view, metric).join(", "),
        subject(view, metric),
        now(metric, measured),
        target(metric),
        now(metric, &filled.measured),
    );
    let current = view.current();
    let full = if current == view.trace.bounds.max_replicas && measured.ratio > 1.0 {
        format!("{current} is also maxReplicas, so it could not rise anyway")
    } else {
        String::new()
    };
    let answer = Answer::of(format!("{first}, so the size stays at {current}")).say(why);
    let answer = answer.say(full);
    let answer = answer.say(partial_failure(view));
    // The first pod that time alone will not mend is where to look.
    Some(
        match metric.filled_in_pods().find(|pod| pod.until.is_none()) {
            Some(pod) => answer.then(view.trace.look_at_pod(&pod.name)),
            None => answer,
        },
    )
}

/// The recommendation that holds the size longest.
fn holding(
    view: View,
    stabilization: &StabilizationRecord,
    edge: &WindowEdge,
    is_up: bool,
) -> String {
    let until = edge.expires.map(|at| format!(" until {}", view.moment(at)));
    let until = until.unwrap_or_default();
    if is_seeded(view, stabilization, edge) {
        return format!("the controller has just started and holds the current size{until}");
    }
    let held_by = holder(view, stabilization, edge, is_up).map(|holder| holder.recalled);
    if !is_known(view) {
        return still_counts(view, edge, held_by.as_ref());
    }
    let (kind, further) = if is_up {
        ("lowest", " or fewer")
    } else {
        ("highest", " or more")
    };
    match held_by {
        Some(entry) if entry.replicas.from != edge.value => format!(
            "a recommendation of {}{} from {} ago, the last that holds {}, still counts{until}",
            entry.replicas.from,
            entry.replicas.single().map_or(further, |_| ""),
            view.trace.age(entry.to),
            view.current(),
        ),
        entry => {
            let age = entry.map_or_else(String::new, |entry| {
                format!(", from {} ago", view.trace.age(entry.to))
            });
            let current = view.current();
            let kept = if edge.value == current {
                String::new()
            } else {
                format!(", so the size stays at {current}")
            };
            format!(
                "the {kind} recommendation of the last {}, {}{age}, still counts{until}{kept}",
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
