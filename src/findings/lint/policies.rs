//! The policies of `spec.behavior`: those that never count, and shares of few
//! pods.

use super::behavior::{ALL, directions, is_all, path_of, policies, redundant, text};
use super::{Found, at};
use crate::api::{
    Behavior, Direction, HpaSpec, OneOf, PolicyKind, ScalingPolicy, ScalingRules, SelectPolicy,
};
use crate::findings::shared_findings;
use crate::trace::{Code, Finding, Severity};

/// Of more policies, each with each of the others, nobody needs to know.
const MOST_COMPARED: usize = 200;

/// Policies that another one makes idle.
pub(super) fn idle(spec: &HpaSpec, findings: &mut Vec<Found>) {
    for (direction, rules) in directions(spec) {
        let policies = policies(rules);
        if is_default(direction, rules) || policies.len() > MOST_COMPARED {
            continue;
        }
        let takes_largest = match rules.select_policy.as_ref().and_then(OneOf::known) {
            Some(SelectPolicy::Max) => true,
            Some(SelectPolicy::Min) => false,
            _ => continue,
        };
        for (index, policy) in policies.iter().enumerate() {
            let finding = if policies[..index].contains(policy) {
                let text = text(policy);
                redundant(format!(
                    "{direction} policy {text} is listed twice and counts once"
                ))
            } else {
                let beats = |one, other| beats(one, other, direction, takes_largest, spec);
                let mut others = policies.iter().enumerate();
                // Of two that come to the same, the first one counts.
                let Some((_, winner)) = others.find(|(other, it)| {
                    *other != index && beats(it, policy) && (*other < index || !beats(policy, it))
                }) else {
                    continue;
                };
                if beats(policy, winner) {
                    same(direction, policy, winner, spec)
                } else {
                    never_chosen(direction, policy, winner, takes_largest, spec)
                }
            };
            let field = path_of(direction).field("policies").item(index);
            findings.push(at(field, finding));
        }
    }
}

/// Two of different kinds that come to the same at any size.
fn same(
    direction: Direction,
    policy: &ScalingPolicy,
    other: &ScalingPolicy,
    spec: &HpaSpec,
) -> Finding {
    redundant(format!(
        "{direction} policies {} and {} allow the same{}",
        text(other),
        text(policy),
        at_sizes(policy, other, spec)
    ))
}

fn never_chosen(
    direction: Direction,
    policy: &ScalingPolicy,
    winner: &ScalingPolicy,
    takes_largest: bool,
    spec: &HpaSpec,
) -> Finding {
    let (select, other, which) = if takes_largest {
        ("Max", "Min", "slower")
    } else {
        ("Min", "Max", "faster")
    };
    let advice =
        format!("remove one of them, or use selectPolicy {other} to choose the {which} one");
    let message = format!(
        "{direction} policy {} is never used: selectPolicy {select} always chooses {}{}",
        text(policy),
        text(winner),
        at_sizes(policy, winner, spec)
    );
    Finding::new(Code::PolicyUnused, message).advice(advice)
}

/// For which sizes a comparison holds, where not for any.
fn at_sizes(one: &ScalingPolicy, other: &ScalingPolicy, spec: &HpaSpec) -> String {
    if one.kind == other.kind || is_all(one) || is_all(other) {
        return String::new();
    }
    let least = spec.min_replicas.unwrap_or(1);
    format!(" at sizes from {least} to {}", spec.max_replicas)
}

/// Whether one policy is chosen over another at any size that there can be: it
/// allows at least as much in at most the time, or at most as much in at least
/// the time.
fn beats(
    one: &ScalingPolicy,
    other: &ScalingPolicy,
    direction: Direction,
    is_largest: bool,
    spec: &HpaSpec,
) -> bool {
    let (more, less) = if is_largest {
        (one, other)
    } else {
        (other, one)
    };
    if more.period_seconds > less.period_seconds {
        return false;
    }
    if direction == Direction::Down && is_all(more) {
        return true;
    }
    match (more.kind.known(), less.kind.known()) {
        (Some(PolicyKind::Pods), Some(PolicyKind::Percent)) => {
            more.value >= share(less, spec.max_replicas)
        }
        (Some(PolicyKind::Percent), Some(PolicyKind::Pods)) => {
            share(more, spec.min_replicas.unwrap_or(1)) >= less.value
        }
        _ => more.kind == less.kind && more.value >= less.value,
    }
}

/// The pods that a percentage of so many comes to: parts of one are a whole one.
fn share(percent: &ScalingPolicy, pods: i32) -> i32 {
    let parts = i64::from(percent.value).saturating_mul(pods.into());
    let whole = parts / i64::from(ALL) + i64::from(parts % i64::from(ALL) > 0);
    i32::try_from(whole).unwrap_or(i32::MAX)
}

/// Whether the policies are those that the API server puts where there are
/// none.
fn is_default(direction: Direction, rules: &ScalingRules) -> bool {
    let defaults = Behavior::of_defaults();
    let defaults = defaults.rules(direction);
    defaults.is_some_and(|defaults| defaults.policies == rules.policies)
}

/// A percentage of few pods: rounded to whole ones, and nothing of none.
pub(super) fn percent(spec: &HpaSpec, findings: &mut Vec<Found>) {
    let min = spec.min_replicas.unwrap_or(1);
    for (direction, rules) in directions(spec) {
        let policies = policies(rules);
        let is_min = rules.select_policy == Some(SelectPolicy::Min.into());
        let has_only_percent = policies.iter().all(|it| it.kind == PolicyKind::Percent);
        for (index, policy) in policies.iter().enumerate() {
            if policy.kind != PolicyKind::Percent || policy.value < 1 {
                continue;
            }
            let field = path_of(direction).field("policies").item(index);
            let field = field.field("value");
            let text = text(policy);
            if direction == Direction::Up && min == 0 && (has_only_percent || is_min) {
                let message = format!(
                    "{direction} policy {text} of 0 pods is 0, so the size never grows from 0"
                );
                let finding = Finding::new(Code::PercentTrap, message);
                findings.push(at(field, finding.advice("add a policy of type Pods")));
                continue;
            }
            // At this size and below, a share of one pod or less is what
            // the percentage comes to. Down that is the least that can go.
            let single = ALL / policy.value;
            if direction == Direction::Up
                && policy.value < ALL
                && single >= min.max(1)
                && (is_min || policies.len() == 1)
            {
                let few = single.min(spec.max_replicas);
                let message = format!(
                    "{direction} policy {text} of {} is 1 pod: {}",
                    match few {
                        1 => "1 pod".to_owned(),
                        few => format!("{few} pods or fewer"),
                    },
                    shared_findings::WHOLE_PODS
                );
                let finding = Finding::new(Code::PercentTrap, message);
                findings.push(at(field, finding.at_most(Severity::Info)));
            }
        }
    }
}
