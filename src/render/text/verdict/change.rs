//! Passes that change the size.

use crate::render::text::remembered::{Amount, age_of, holder};
use crate::render::text::words::View;
use crate::trace::{Because, Hold, LimitRecord, Recalled, Rule, WindowEdge};

use super::Answer;
use super::clause::{asks, partial_failure, window};

/// The size is outside the bounds.
pub(super) fn out_of_range(view: View) -> Answer {
    let (bounds, current) = (view.trace.bounds, view.current());
    let (side, bound) = if current > bounds.max_replicas {
        ("above maxReplicas", bounds.max_replicas)
    } else {
        ("below minReplicas", bounds.min_replicas)
    };
    Answer::default().say(format!(
        "The size {current} is {side} {bound}: the controller sets {bound} at once. Metrics, \
         windows and policies have no say in that.",
    ))
}

/// The metrics decide, and the size changes.
pub(super) fn changed(view: View, asked: i32, because: Option<&Because>) -> Answer {
    let trace = view.trace;
    let answer = Answer::default().say(asks(view, asked));
    let answer = match (because, &trace.zero_clamp, &trace.limit) {
        (Some(Because::FromZero), Some(clamp), _) => {
            return answer.say(format!(
                "A workload that the HPA itself scaled to zero comes back with at least \
                 minReplicas {}.",
                clamp.to
            ));
        }
        (Some(Because::OlderRecommendation), ..) => older_recommendation(view, asked, answer),
        (Some(Because::StatusReplicas { .. }), ..) => answer,
        (Some(Because::Limited { .. }), _, Some(limit)) => answer
            .say(held_on_the_way(view, asked).unwrap_or_default())
            .say(limit_sentence(view, limit)),
        _ => answer.say(held_on_the_way(view, asked).unwrap_or_default()),
    };
    answer.say(partial_failure(view))
}

/// Without `behavior` the highest recommendation of the window is applied,
/// also upwards, and the event then says the opposite of what happens.
fn older_recommendation(view: View, asked: i32, answer: Answer) -> Answer {
    let Some(stabilization) = &view.trace.stabilization else {
        return answer;
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
    let event = if asked < view.current() {
        " The event will read \"All metrics below target\"."
    } else {
        ""
    };
    let limit = view.trace.limit.as_ref().filter(|limit| limit.limited);
    answer
        .say(format!(
            "{counts}: without behavior, the highest of the last {} is applied, even upwards, \
             here to {desired}.{event}",
            window(edge.window_seconds)
        ))
        .say(limit.map_or_else(String::new, |limit| limit_sentence(view, limit)))
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
fn held_on_the_way(view: View, asked: i32) -> Option<String> {
    let stabilization = view.trace.stabilization.as_ref()?;
    let result = stabilization.result;
    if result == asked {
        return None;
    }
    let (side, edge, kind) = if asked > result {
        ("scaleUp", stabilization.up?, "lowest")
    } else {
        ("scaleDown", stabilization.down, "highest")
    };
    let held_by = holder(view, stabilization, &edge, asked > result).map(|holder| holder.recalled);
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
    let side = if limit.rule == Rule::LimitScaleUp {
        "scaleUp"
    } else {
        "scaleDown"
    };
    if limit.hold() == Some(Hold::Disabled) {
        let way = if limit.rule == Rule::LimitScaleUp {
            "up"
        } else {
            "down"
        };
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
