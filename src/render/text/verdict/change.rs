//! Passes that change the size.

use crate::render::text::page::Tone;
use crate::render::text::remembered::{Amount, age_of, holder};
use crate::render::text::words::View;
use crate::trace::{Hold, LimitRecord, Recalled, Rule, WindowEdge};

use super::Verdict;
use super::clause::{asks, partial_failure, proposed, window};

/// More replicas than allowed.
pub(super) fn above_max(view: View) -> Verdict {
    let max = view.trace.bounds.max_replicas;
    out_of_range(view, &format!("above maxReplicas {max}"), max)
}

/// Fewer replicas than allowed.
pub(super) fn below_min(view: View) -> Verdict {
    let min = view.trace.bounds.min_replicas;
    out_of_range(view, &format!("below minReplicas {min}"), min)
}

fn out_of_range(view: View, side: &str, bound: i32) -> Verdict {
    Verdict::new(Tone::Warn, "Out of range").say(format!(
        "The size {} is {side}: the controller sets {bound} at once. Metrics, \
         windows and policies have no say in that.",
        view.current(),
    ))
}

/// The metrics decide, and the size changes.
pub(super) fn changed(view: View, asked: i32, desired: i32) -> Verdict {
    let trace = view.trace;
    let current = view.current();
    let is_up = desired > current;
    let word = if is_up { "Scaling up" } else { "Scaling down" };
    let mut verdict = Verdict::new(Tone::Good, word);
    if let Some(clamp) = &trace.zero_clamp {
        return verdict
            .because(" from zero")
            .say(asks(view, asked))
            .say(format!(
                "A workload that the HPA itself scaled to zero comes back with at least \
                 minReplicas {}.",
                clamp.to
            ));
    }
    let stabilized = trace.stabilization.as_ref().map(|record| record.result);
    if is_up && stabilized.is_some_and(|stabilized| stabilized > asked) {
        return older_recommendation(view, asked, desired);
    }
    if asked == desired
        && let Some(adopted) = adopted(view, asked)
    {
        return verdict
            .because(adopted)
            .say(asks(view, asked))
            .say(partial_failure(view));
    }
    let held = held_on_the_way(view, asked);
    let limited = trace.limit.as_ref().filter(|limit| limit.limited);
    if let Some(limit) = limited {
        verdict = verdict.because(how_limited(limit));
    } else if held.is_some() {
        verdict = verdict.because(", held back by the window");
    }
    verdict = verdict.say(asks(view, asked)).say(held.unwrap_or_default());
    if let Some(limit) = limited {
        verdict = verdict.say(limit_sentence(view, limit));
    }
    verdict.say(partial_failure(view))
}

/// Inside the tolerance an average of a total keeps the size that the
/// target's status shows, not the one that its spec wants.
fn adopted(view: View, asked: i32) -> Option<String> {
    let rule = proposed(view.trace.winner()?)?.rule;
    if rule != Rule::AverageTolerated {
        return None;
    }
    let current = view.current();
    let how = if asked > current {
        ", by a rollout"
    } else {
        ""
    };
    let verb = if asked == 1 { "pod runs" } else { "pods run" };
    let are = if asked == 1 { "is" } else { "are" };
    Some(format!(
        "{how}: {asked} {verb} for {current} wanted, and inside the tolerance the {asked} {are} kept"
    ))
}

/// Without `behavior` the highest recommendation of the window is applied,
/// also upwards, and the event then says the opposite of what happens.
fn older_recommendation(view: View, asked: i32, desired: i32) -> Verdict {
    let verdict =
        Verdict::new(Tone::Warn, "Scaling up").because(", raised by an older recommendation");
    let Some(stabilization) = &view.trace.stabilization else {
        return verdict.say(asks(view, asked));
    };
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
    verdict
        .say(asks(view, asked))
        .say(format!(
            "{counts}: without behavior, the highest of the last {} is applied, even upwards, \
             here to {desired}.{event}",
            window(edge.window_seconds)
        ))
        .say(limit.map_or_else(String::new, |limit| limit_sentence(view, limit)))
        .say(partial_failure(view))
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

fn how_limited(limit: &LimitRecord) -> &'static str {
    match limit.hold() {
        Some(Hold::Doubling) => ", slowed to twice the size",
        Some(Hold::MaxReplicas) => ", to maxReplicas",
        Some(Hold::MinReplicas) => ", to minReplicas",
        Some(_) => ", slowed by policy",
        None => "",
    }
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
