//! Normalization where the memory, or the recommendation, is not known.
//!
//! Nothing is computed apart from the algorithm: it runs on *witnesses*,
//! memories at the edges of what the unknown lists could hold, and the counts
//! from the lowest to the highest answer are the possible ones. That is sound
//! for three reasons:
//!
//! * A remembered recommendation only moves the stabilized count its own way,
//!   so a memory with the lowest, the highest or both at once goes furthest.
//! * The answer rises with the recommendation, so its two ends suffice.
//! * A policy's limit rises with the size at the start of its period, and so
//!   do the largest and the smallest of several limits. Periods of different
//!   length have starts of their own, but whatever moves all of them as far as
//!   the bounds reach goes further than any mixture.
//!
//! The last one does not hold where a limit overflows, or falls (a scaleDown
//! policy of more than 100%). There every count between the current size and
//! the bound is taken to be possible.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::controller::memory::{Memory, Recommendation, ScaleEvent};
use crate::controller::prepared::{Policy, PolicyKind, Rules, SelectPolicy, Spec};
use crate::controller::time::Nanos;
use crate::trace::{Nothing, Range};

use super::scale_limit::Direction;
use super::{Normalization, Normalized};

/// The possible outcomes of a normalization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Possible {
    /// The counts.
    pub replicas: Range,
    /// The one outcome, reasons included, if all witnesses agree on it.
    pub only: Option<Normalized>,
}

/// Normalizes every recommendation from `desired` (that of `normalization`)
/// to `highest` on every memory that the unknown lists allow.
#[must_use]
pub fn possible(normalization: &Normalization, highest: i32) -> Possible {
    let first = normalization.normalize(&mut Nothing);
    let mut possible = Possible {
        replicas: Range::of(first.replicas),
        only: Some(first),
    };
    let witnesses = witnesses(normalization);
    for spec in specs(normalization) {
        for memory in &witnesses {
            for desired in [normalization.desired, highest] {
                let witness = Normalization {
                    spec: &spec,
                    memory,
                    desired,
                    ..*normalization
                };
                possible.add(witness.normalize(&mut Nothing));
            }
        }
    }
    possible
}

/// The spec and, where unknown changes could move its policies anywhere, the
/// same with policies that allow nothing and policies that allow everything.
fn specs<'a>(normalization: &Normalization<'a>) -> Vec<Cow<'a, Spec>> {
    let spec = normalization.spec;
    let known = normalization.memory;
    let is_known = known.scale_up_events.is_some() && known.scale_down_events.is_some();
    let mut specs = vec![Cow::Borrowed(spec)];
    if is_known || !has_unruly_policy(spec) {
        return specs;
    }
    // Without policies, the smallest change is none and the largest has no
    // limit: the selection over nothing starts from the other end.
    for select in [SelectPolicy::Disabled, SelectPolicy::Min] {
        let mut spec = spec.clone();
        if let Some(behavior) = &mut spec.behavior {
            for rules in [&mut behavior.scale_up, &mut behavior.scale_down] {
                rules.policies.clear();
                rules.select = select;
            }
        }
        specs.push(Cow::Owned(spec));
    }
    specs
}

/// Whether a policy's limit can overflow, or fall as the start of its period
/// rises.
fn has_unruly_policy(spec: &Spec) -> bool {
    const LARGE: i32 = 1_000_000;
    let is_large = |rules: &Rules| rules.policies.iter().any(|policy| policy.value > LARGE);
    let falls = |policy: &Policy| policy.kind == PolicyKind::Percent && policy.value > 100;
    spec.behavior.as_ref().is_some_and(|behavior| {
        spec.max > LARGE
            || is_large(&behavior.scale_up)
            || is_large(&behavior.scale_down)
            || behavior.scale_down.policies.iter().any(falls)
    })
}

impl Possible {
    fn add(&mut self, outcome: Normalized) {
        self.replicas = self.replicas.join(Range::of(outcome.replicas));
        self.only = self.only.filter(|only| is_same(only, &outcome));
    }
}

/// Equal but for the slot, which is nobody's business but the memory's.
fn is_same(one: &Normalized, other: &Normalized) -> bool {
    Normalized {
        slot: other.slot,
        ..*one
    } == *other
}

/// The memories at the edges of what the unknown lists could hold.
fn witnesses(normalization: &Normalization) -> Vec<Memory> {
    let known = normalization.memory;
    let recommendations = match &known.recommendations {
        Some(known) => vec![known.clone()],
        None => unknown_recommendations(normalization.now),
    };
    let mut witnesses = Vec::new();
    for shift in shifts(normalization) {
        let events = |known: &Option<Vec<ScaleEvent>>, change: i32| {
            Some(
                known
                    .clone()
                    .unwrap_or_else(|| one_event(change, normalization.now)),
            )
        };
        for recommendations in &recommendations {
            witnesses.push(Memory {
                recommendations: Some(recommendations.clone()),
                scale_up_events: events(&known.scale_up_events, shift.saturating_neg()),
                scale_down_events: events(&known.scale_down_events, shift),
            });
        }
    }
    witnesses
}

/// Nothing that counts; something lower than everything; something higher
/// than everything; both. The entries are so young that every window but one
/// of 0 s holds them.
fn unknown_recommendations(now: Nanos) -> Vec<Vec<Recommendation>> {
    let entry = |replicas| Recommendation {
        replicas,
        at: now - 1,
    };
    let (lowest, highest) = (entry(0), entry(i32::MAX));
    vec![vec![], vec![lowest], vec![highest], vec![lowest, highest]]
}

/// A change that every period holds, if there is one at all.
fn one_event(change: i32, now: Nanos) -> Vec<ScaleEvent> {
    let event = ScaleEvent {
        change,
        at: now,
        outdated: false,
    };
    (change > 0).then_some(event).into_iter().collect()
}

/// A change that is larger than any size, but overflows nothing.
const BEYOND: i32 = 10_000_000;

/// By how much unknown changes could shift the start of the periods: beyond
/// everything in either direction, and so that a policy just begins to allow
/// something or meets a bound. A shift up means replicas removed, one down
/// replicas added.
fn shifts(normalization: &Normalization) -> BTreeSet<i32> {
    let known = normalization.memory;
    let mut shifts = BTreeSet::from([0]);
    if known.scale_up_events.is_some() && known.scale_down_events.is_some() {
        return shifts;
    }
    shifts.extend([-BEYOND, BEYOND]);
    let Some(behavior) = &normalization.spec.behavior else {
        return shifts;
    };
    let directions = [
        (Direction::Up, &behavior.scale_up),
        (Direction::Down, &behavior.scale_down),
    ];
    for (direction, rules) in directions {
        for policy in &rules.policies {
            let start = normalization.policy_limit(direction, policy).period_start;
            let edges = edges(direction, policy, normalization);
            shifts.extend(edges.map(|edge| edge.saturating_sub(start)));
        }
    }
    shifts
}

/// The sizes at the start of a period at which the policy's limit meets
/// something, and their neighbours.
fn edges(
    direction: Direction,
    policy: &Policy,
    normalization: &Normalization,
) -> impl Iterator<Item = i32> {
    let spec = normalization.spec;
    let limits = [normalization.current, spec.min, spec.max];
    limits
        .map(|limit| start_for(limit, direction, policy))
        .into_iter()
        .flat_map(|start| [-1, 0, 1].map(|step| start.saturating_add(step)))
}

/// About the size at the start of a period from which the policy allows to go
/// to `limit`.
fn start_for(limit: i32, direction: Direction, policy: &Policy) -> i32 {
    let share = f64::from(policy.value) / 100.0;
    match (policy.kind, direction) {
        (PolicyKind::Pods, Direction::Up) => limit.saturating_sub(policy.value),
        (PolicyKind::Pods, Direction::Down) => limit.saturating_add(policy.value),
        (PolicyKind::Percent, Direction::Up) => divide(limit, 1.0 + share),
        (PolicyKind::Percent, Direction::Down) => divide(limit, 1.0 - share),
    }
}

fn divide(limit: i32, factor: f64) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounded, and the cast saturates"
    )]
    let start = (f64::from(limit) / factor).round() as i32;
    start
}
