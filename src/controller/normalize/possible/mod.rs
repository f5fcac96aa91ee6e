//! Normalization where the memory, or the recommendation, is not known.
//!
//! Nothing is computed apart from the algorithm: it runs on *witnesses*,
//! memories at the edges of what is known, and the counts from the lowest to
//! the highest answer are the possible ones. Both ends are answers of
//! witnesses, so they can be confirmed by a re-run. Nothing lies outside, for
//! three reasons:
//!
//! * A remembered recommendation only moves the stabilized count its own way,
//!   so memories whose entries are as low, or as high, as they can be go
//!   furthest (`recommendations`).
//! * The answer rises with the recommendation, so its two ends suffice.
//! * A policy's limit rises with the size at the start of its period, and so
//!   do the largest and the smallest of several limits, so what moves all
//!   starts as far as it can goes furthest (`changes`). Policies whose limit
//!   falls or overflows are looked at one period at a time.

mod changes;
mod unordered;

use std::borrow::Cow;

use crate::controller::memory::{Account, Bounded, Memory, Recommendation};
use crate::controller::normalize::{Normalization, Normalized};
use crate::controller::prepared::Behavior;
use crate::controller::time::SECOND;
use crate::trace::{Nothing, Range, Unsettled};
use changes::changes;

/// The possible outcomes of a normalization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Possible {
    /// A memory that gives the smallest count.
    pub least: Witness,
    /// A memory that gives the largest count.
    pub most: Witness,
    /// The one outcome, reasons included, if all witnesses agree on it.
    pub only: Option<Normalized>,
    /// Whether all witnesses agree on the starts of all periods.
    pub starts_known: bool,
}

/// A memory that agrees with all that is known, and what it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The count.
    pub replicas: i32,
    /// The recommendation that it goes with.
    pub desired: i32,
    /// The memory; none where the count is only a bound, with policies that
    /// change too irregularly to tell.
    pub memory: Option<Memory>,
}

impl Possible {
    /// The counts.
    pub fn replicas(&self) -> Range {
        Range::new(self.least.replicas, self.most.replicas)
    }

    fn add(&mut self, outcome: Normalized, witness: impl Fn() -> Witness) {
        if outcome.replicas < self.least.replicas {
            self.least = witness();
        }
        if outcome.replicas > self.most.replicas {
            self.most = witness();
        }
        self.only = self.only.filter(|only| is_same(only, &outcome));
    }
}

/// Normalizes every recommendation from `desired` (that of `normalization`)
/// to `highest` on every memory that agrees with what is known.
pub fn possible(normalization: &Normalization, highest: i32) -> Possible {
    let mut possible = None;
    let lowest = normalization.desired;
    let ends = [lowest, highest];
    let ends = &ends[..if lowest == highest { 1 } else { 2 }];
    for account in &*accounts(normalization) {
        for desired in ends.iter().copied() {
            let normalization = Normalization {
                desired,
                ..*normalization
            };
            normalization.within(account, &mut possible);
        }
    }
    possible.expect("every account has a witness")
}

impl Normalization<'_> {
    /// Which part of the memory keeps the decision open: with the rest as one
    /// witness has it, there are still several counts.
    pub fn unsettled(&self, possible: &Possible) -> Unsettled {
        let witnesses = [&possible.least, &possible.most];
        let is_open = |known: fn(&Memory) -> Memory| {
            witnesses.iter().any(|witness| {
                let Some(witness) = &witness.memory else {
                    return true;
                };
                let memory = Memory {
                    accounts: self.memory.accounts.clone(),
                    ..known(witness)
                };
                let normalization = Normalization {
                    memory: &memory,
                    ..*self
                };
                possible_range(&normalization).single().is_none()
            })
        };
        Unsettled {
            recommendations: is_open(|witness| Memory {
                recommendations: None,
                ..witness.clone()
            }),
            changes: is_open(|witness| Memory {
                scale_up_events: None,
                scale_down_events: None,
                ..witness.clone()
            }),
        }
    }
}

/// The ends alone, without their witnesses and reasons: much cheaper, for
/// looking at many moments.
pub fn possible_range(normalization: &Normalization) -> Range {
    if unordered::has_unordered_policy(normalization.spec) {
        return possible(normalization, normalization.desired).replicas();
    }
    let mut range: Option<Range> = None;
    for account in &*accounts(normalization) {
        let changes = changes(normalization, account, Extent::Ends);
        for entries in recommendations(normalization, account, Extent::Ends) {
            let stabilized = normalization
                .on(&entries)
                .stabilize_recommendation(&mut Nothing);
            for changes in &changes {
                let witness = normalization.on(changes);
                let replicas = Range::of(witness.limit(stabilized, &mut Nothing).replicas);
                range = Some(range.map_or(replicas, |range| range.join(replicas)));
            }
        }
    }
    range.expect("every account has a witness")
}

/// How many witnesses are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Those that reach the ends.
    Ends,
    /// Those that meet a bound or give another reason, too.
    Reasons,
}

fn accounts<'a>(normalization: &Normalization<'a>) -> Cow<'a, [Account]> {
    let known = &normalization.memory.accounts;
    if known.is_empty() {
        return Cow::Owned(Account::unknown(normalization.current, normalization.now));
    }
    Cow::Borrowed(known)
}

impl<'a> Normalization<'a> {
    fn on<'m>(&self, memory: &'m Memory) -> Normalization<'m>
    where
        'a: 'm,
    {
        Normalization { memory, ..*self }
    }

    fn within(&self, account: &Account, possible: &mut Option<Possible>) {
        let recommendations = recommendations(self, account, Extent::Reasons);
        let changes = changes(self, account, Extent::Reasons);
        let starts_known = self.agree_on_starts(&changes);
        for entries in &recommendations {
            self.try_memories(entries, &changes, true, possible);
        }
        if let Some(possible) = possible {
            possible.starts_known &= starts_known;
        }
        if !unordered::is_settled(self, account) {
            for spec in unordered::bounds(self.spec) {
                let bound = Normalization {
                    spec: &spec,
                    ..*self
                };
                for entries in &recommendations {
                    bound.try_memories(entries, &changes[..1], false, possible);
                }
            }
        }
    }

    /// Recommendations with each of the changes: only what comes of the
    /// changes is computed for each. A memory under other policies is no
    /// witness.
    fn try_memories(
        &self,
        entries: &Memory,
        changes: &[Memory],
        is_witness: bool,
        possible: &mut Option<Possible>,
    ) {
        let stabilized = self.on(entries).stabilize_recommendation(&mut Nothing);
        for changes in changes {
            let outcome = self.on(changes).limit(stabilized, &mut Nothing);
            let witness = || Witness {
                replicas: outcome.replicas,
                desired: self.desired,
                memory: is_witness.then(|| Memory {
                    recommendations: entries.recommendations.clone(),
                    ..changes.clone()
                }),
            };
            match possible {
                Some(possible) => possible.add(outcome, witness),
                None => {
                    *possible = Some(Possible {
                        least: witness(),
                        most: witness(),
                        only: Some(outcome),
                        starts_known: true,
                    });
                }
            }
        }
    }

    fn agree_on_starts(&self, changes: &[Memory]) -> bool {
        let starts = |changes: &Memory| -> Vec<i32> {
            let normalization = self.on(changes);
            let behavior = self.spec.behavior.iter();
            let policies = behavior.flat_map(Behavior::policies);
            policies
                .map(|(direction, policy)| {
                    normalization.policy_limit(direction, policy).period_start
                })
                .collect()
        };
        let first = changes.first().map(starts);
        changes.iter().all(|change| Some(starts(change)) == first)
    }
}

/// Equal but for the slot, which is nobody's business but the memory's, and for what
/// a limit hides.
fn is_same(one: &Normalized, other: &Normalized) -> bool {
    Normalized {
        slot: other.slot,
        stabilized: other.stabilized,
        ..*one
    } == *other
}

/// Which way the entries lean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lean {
    /// As low as they can be, to hold back a rise and not a fall.
    Low,
    /// As high as they can be, to hold back a fall and not a rise.
    High,
    /// Both: those that are certain are low.
    BothLow,
    /// Both: those that are certain are high.
    BothHigh,
    /// Neither, as far as they can.
    Neither,
}

/// Memories of nothing but the recommendations that go furthest, each with at
/// least one entry: an empty list would be filled by the pass itself.
fn recommendations(
    normalization: &Normalization,
    account: &Account,
    extent: Extent,
) -> Vec<Memory> {
    let memory = |list| Memory {
        recommendations: Some(list),
        ..Memory::default()
    };
    if let Some(known) = &normalization.memory.recommendations {
        return vec![memory(known.clone())];
    }
    let leans: &[Lean] = match extent {
        Extent::Ends => &[Lean::Low, Lean::High],
        Extent::Reasons => &[
            Lean::Low,
            Lean::High,
            Lean::BothLow,
            Lean::BothHigh,
            Lean::Neither,
        ],
    };
    let mut lists: Vec<Vec<Recommendation>> = Vec::new();
    for lean in leans.iter().copied() {
        let entries = account.recommendations.iter();
        let mut list: Vec<Recommendation> = entries
            .flat_map(|entry| lean.of(entry, normalization.desired))
            .collect();
        if list.is_empty() {
            list.push(normalization.outdated());
        }
        if !lists.contains(&list) {
            lists.push(list);
        }
    }
    lists.into_iter().map(memory).collect()
}

impl Lean {
    /// What becomes of an entry, where `desired` is recommended. The latest
    /// moment is the one that counts in most windows, the earliest the one
    /// that counts in fewest.
    fn of(self, entry: &Bounded, desired: i32) -> impl Iterator<Item = Recommendation> {
        let low = Recommendation {
            replicas: entry.replicas.from,
            at: entry.to,
        };
        let high = Recommendation {
            replicas: entry.replicas.to,
            at: entry.to,
        };
        let holds_rise = low.replicas < desired;
        let holds_fall = high.replicas > desired;
        let nearest = Recommendation {
            replicas: desired.clamp(low.replicas, high.replicas),
            at: entry.from,
        };
        let takes_low = match self {
            Self::Low | Self::BothLow => true,
            Self::BothHigh => !entry.is_certain || !holds_fall,
            Self::High | Self::Neither => false,
        };
        let takes_high = match self {
            Self::High | Self::BothHigh => true,
            Self::BothLow => !entry.is_certain || !holds_rise,
            Self::Low | Self::Neither => false,
        };
        let low = (takes_low && holds_rise).then_some(low);
        let high = (takes_high && holds_fall).then_some(high);
        let is_neither = low.is_none() && high.is_none();
        let nearest = (is_neither && entry.is_certain).then_some(nearest);
        [low, high, nearest].into_iter().flatten()
    }
}

impl Normalization<'_> {
    /// An entry that no window holds.
    fn outdated(&self) -> Recommendation {
        let seconds = |window: Option<i32>| window.map_or(0, i64::from);
        let behavior = self.spec.behavior.as_ref();
        let up = behavior.map_or(0, |behavior| seconds(behavior.scale_up.window));
        let down = behavior.map_or(0, |behavior| seconds(behavior.scale_down.window));
        let flag = self.settings.downscale_stabilization_seconds();
        let longest = i128::from(up.max(down).max(flag));
        Recommendation {
            replicas: self.current,
            at: self.now - (longest + 1) * SECOND,
        }
    }
}
