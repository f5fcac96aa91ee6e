//! Normalization where the memory, or the recommendation, is not known.
//!
//! Nothing is computed apart from the algorithm: it runs on *witnesses*, the
//! strictest and the loosest memories that the unknown lists could hold, and
//! the counts between the lowest and the highest answer are the possible
//! ones. That is sound because the answer rises with every remembered
//! recommendation and with the size at the start of a period; and it is
//! tight, because each end is the answer to a witness.

use crate::controller::memory::{Memory, Recommendation, ScaleEvent};
use crate::controller::prepared::{Policy, PolicyKind, Rules};
use crate::trace::{Nothing, Range};

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
    for memory in &witnesses(normalization) {
        for desired in [normalization.desired, highest] {
            let witness = Normalization {
                memory,
                desired,
                ..*normalization
            };
            possible.add(witness.normalize(&mut Nothing));
        }
    }
    possible
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
        None => unknown_recommendations(normalization),
    };
    let events = unknown_events(normalization);
    let mut witnesses = Vec::new();
    for recommendations in recommendations {
        for (up, down) in &events {
            let event = |change: i32| ScaleEvent {
                change,
                at: normalization.now,
                outdated: false,
            };
            let list = |known: &Option<Vec<ScaleEvent>>, change: i32| {
                let unknown = (change > 0).then(|| event(change)).into_iter().collect();
                Some(known.clone().unwrap_or(unknown))
            };
            witnesses.push(Memory {
                recommendations: Some(recommendations.clone()),
                scale_up_events: list(&known.scale_up_events, *up),
                scale_down_events: list(&known.scale_down_events, *down),
            });
        }
    }
    witnesses
}

/// Nothing that counts; something lower than everything; something higher
/// than everything; both. The entries are so young that every window but one of
/// 0 s holds them.
fn unknown_recommendations(normalization: &Normalization) -> Vec<Vec<Recommendation>> {
    let at = normalization.now - 1;
    let entry = |replicas| Recommendation { replicas, at };
    let (lowest, highest) = (entry(0), entry(i32::MAX));
    vec![vec![], vec![lowest], vec![highest], vec![lowest, highest]]
}

/// Changes (added, removed) that move the start of every period to where it
/// blocks each direction, or frees it as far as the bounds go.
fn unknown_events(normalization: &Normalization) -> Vec<(i32, i32)> {
    let (current, spec) = (normalization.current, normalization.spec);
    let mut starts = vec![current];
    if let Some(behavior) = &spec.behavior {
        for rules in [&behavior.scale_up, &behavior.scale_down] {
            starts.extend(decisive_starts(rules, current, spec.min, spec.max));
        }
    }
    starts
        .into_iter()
        .map(|start| match start.saturating_sub(current) {
            removed @ 0.. => (0, removed),
            added => (added.saturating_neg(), 0),
        })
        .collect()
}

/// Sizes at the start of a period from which each policy allows just nothing,
/// or just as much as the bounds.
fn decisive_starts(rules: &Rules, current: i32, min: i32, max: i32) -> Vec<i32> {
    let mut starts = Vec::new();
    for policy in &rules.policies {
        for wanted in [current, min, max] {
            for start in starts_for(policy, wanted) {
                starts.extend([-1, 0, 1].map(|step| start.saturating_add(step)));
            }
        }
    }
    starts
}

/// Sizes from which the policy allows about `wanted`, in either direction.
fn starts_for(policy: &Policy, wanted: i32) -> [i32; 2] {
    match policy.kind {
        PolicyKind::Pods => [
            wanted.saturating_sub(policy.value),
            wanted.saturating_add(policy.value),
        ],
        PolicyKind::Percent => {
            let share = f64::from(policy.value) / 100.0;
            [1.0 + share, 1.0 - share].map(|factor| divide(wanted, factor))
        }
    }
}

fn divide(wanted: i32, factor: f64) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a guess, and the cast saturates"
    )]
    let start = (f64::from(wanted) / factor).ceil() as i32;
    start
}
