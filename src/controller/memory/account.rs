//! A memory of which values and times are only bounded.

use std::cmp::Reverse;

use super::{Memory, Recommendation, SEED_AGE, ScaleEvent};
use crate::controller::time::Nanos;
use crate::trace::Range;

/// One account of what the controller may hold: every memory in which each
/// entry lies within its bounds.
///
/// Bounds are independent of each other: whatever one entry is, another may
/// be anything within its own. What is known of several entries at once, such
/// as that one of them is 9 or more, is an entry of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The recommendations before stabilization.
    pub recommendations: Vec<Bounded>,
    /// The changes upwards.
    pub scale_up_events: Vec<Bounded>,
    /// The changes downwards.
    pub scale_down_events: Vec<Bounded>,
}

/// Something remembered, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The recommended replicas, or the replicas added or removed.
    pub replicas: Range,
    /// When it was stored at the earliest.
    pub from: Nanos,
    /// When it was stored at the latest.
    pub to: Nanos,
    /// Whether it is there for certain. What is not stands for any number of
    /// entries within the bounds; changes for their sum.
    pub is_certain: bool,
}

/// When the pass is that comes next.
#[derive(Clone, Copy, Debug)]
pub struct NextPass {
    /// The present moment.
    pub now: Nanos,
    /// The moment of the pass.
    pub at: Nanos,
    /// By how much it can be earlier.
    pub spread: Nanos,
    /// How far passes lie apart: by then all that was stored is older.
    pub apart: Nanos,
}

/// A change that is larger than any size, but overflows nothing. Larger ones
/// are not considered.
pub const BEYOND: i32 = 10_000_000;

impl Account {
    /// What may be remembered where nothing is known: anything, or nothing
    /// but the size that a controller begins with.
    pub fn unknown(current: i32, now: Nanos) -> Vec<Self> {
        let seeded = Self {
            recommendations: vec![Bounded::exactly(current, now - SEED_AGE)],
            ..Self::default()
        };
        vec![Self::anything(now), seeded]
    }

    /// Whatever a controller can have stored until `now`.
    pub fn anything(now: Nanos) -> Self {
        Self {
            recommendations: vec![Bounded::anything(i32::MAX, now)],
            scale_up_events: vec![Bounded::anything(BEYOND, now)],
            scale_down_events: vec![Bounded::anything(BEYOND, now)],
        }
    }

    /// The passes that stored something for certain. A controller that may
    /// have begun anew stores a size at its first one, which may be the next.
    fn passes(&self, now: Nanos, begins: bool) -> impl Iterator<Item = &Bounded> {
        let changes = self.scale_up_events.iter().chain(&self.scale_down_events);
        let stored = self.recommendations.iter();
        let stored = stored.filter(move |entry| !begins || entry.to < now - SEED_AGE);
        stored.chain(changes).filter(|entry| entry.is_certain)
    }

    /// When the latest of these was at the latest.
    pub(super) fn latest_pass(&self, now: Nanos, begins: bool) -> Option<Nanos> {
        self.passes(now, begins).map(|entry| entry.to).max()
    }

    /// What of it the next pass finds; nothing where one is certain that is
    /// too close to it.
    pub(super) fn found_by(&self, next: &NextPass, begins: bool) -> Option<Self> {
        let latest = next.at - next.apart;
        if self
            .passes(next.now, begins)
            .any(|entry| entry.from > latest)
        {
            return None;
        }
        let older = |entries: &[Bounded], latest_of: &dyn Fn(&Bounded) -> Nanos| {
            let entries = entries.iter().filter_map(|entry| {
                let to = (entry.to + next.spread).min(latest_of(entry));
                (entry.from <= to).then_some(Bounded { to, ..*entry })
            });
            entries.collect::<Vec<Bounded>>()
        };
        // The size that a controller begins with is stored by the pass itself.
        let is_seed = |entry: &Bounded| entry.is_certain && entry.to >= next.now - SEED_AGE;
        let seeded = |entry: &Bounded| {
            if is_seed(entry) {
                next.at - SEED_AGE
            } else {
                latest
            }
        };
        Some(Self {
            recommendations: older(&self.recommendations, &seeded),
            scale_up_events: older(&self.scale_up_events, &|_| latest),
            scale_down_events: older(&self.scale_down_events, &|_| latest),
        })
    }

    /// Adds a change that was carried out.
    pub(in crate::controller) fn store_change(&mut self, is_up: bool, change: i32, now: Nanos) {
        let events = if is_up {
            &mut self.scale_up_events
        } else {
            &mut self.scale_down_events
        };
        events.push(Bounded::exactly(change, now));
    }

    /// The same, with the lists that are known exactly.
    pub(super) fn with_known(mut self, memory: &Memory) -> Self {
        let changes = |list: &[ScaleEvent]| {
            let counting = list.iter().filter(|event| !event.outdated);
            counting
                .map(|event| Bounded::exactly(event.change, event.at))
                .collect()
        };
        if let Some(list) = &memory.recommendations {
            let entries = list.iter();
            self.recommendations = entries
                .map(|entry| Bounded::exactly(entry.replicas, entry.at))
                .collect();
        }
        if let Some(list) = &memory.scale_up_events {
            self.scale_up_events = changes(list);
        }
        if let Some(list) = &memory.scale_down_events {
            self.scale_down_events = changes(list);
        }
        self
    }

    /// An account that is true where one of the two is: what only one of them
    /// has may be there.
    pub(super) fn hull(self, other: Self) -> Self {
        Self {
            recommendations: either(self.recommendations, other.recommendations),
            scale_up_events: either(self.scale_up_events, other.scale_up_events),
            scale_down_events: either(self.scale_down_events, other.scale_down_events),
        }
    }

    /// Drops what was certainly stored before a time.
    pub(super) fn forget(&mut self, before: Nanos) {
        let lists = [
            &mut self.recommendations,
            &mut self.scale_up_events,
            &mut self.scale_down_events,
        ];
        for list in lists {
            list.retain(|entry| entry.to >= before);
        }
        drop_outdone(&mut self.recommendations);
    }

    /// Drops the recommendations that may be there and decide nothing: others that
    /// may be there too count longer, and reach as low and as high.
    pub(super) fn drop_outlasted(&mut self) {
        self.recommendations.sort_by_key(|entry| Reverse(entry.to));
        let mut reached: Option<Range> = None;
        self.recommendations.retain(|entry| {
            if entry.is_certain {
                return true;
            }
            let all = reached.map_or(entry.replicas, |it| it.join(entry.replicas));
            reached.replace(all) != Some(all)
        });
    }

    /// The memory, where all of it is known: each list in the order of time.
    pub fn exactly(&self) -> Option<Memory> {
        let recommendations = in_order(&self.recommendations)?;
        let events = |list: &[Bounded]| -> Option<Vec<ScaleEvent>> {
            let events = in_order(list)?.into_iter().map(|entry| ScaleEvent {
                change: entry.replicas.from,
                at: entry.to,
                outdated: false,
            });
            Some(events.collect())
        };
        // The controller has at least begun with something.
        if recommendations.is_empty() {
            return None;
        }
        let recommendations = recommendations.into_iter().map(|entry| Recommendation {
            replicas: entry.replicas.from,
            at: entry.to,
        });
        Some(Memory {
            recommendations: Some(recommendations.collect()),
            scale_up_events: Some(events(&self.scale_up_events)?),
            scale_down_events: Some(events(&self.scale_down_events)?),
            accounts: Vec::new(),
        })
    }
}

/// Drops the recommendations that decide nothing: every window that holds one holds
/// a later one that is as high, and one that is as low.
fn drop_outdone(entries: &mut Vec<Bounded>) {
    let certain = entries.iter().filter(|entry| entry.is_certain);
    let mut latest: Vec<Bounded> = certain.copied().collect();
    latest.sort_by_key(|entry| Reverse(entry.from));
    // How high the highest is at least and how low the lowest at most, of each
    // and those after it.
    let reached = latest.iter().scan((i32::MIN, i32::MAX), |ends, it| {
        *ends = (ends.0.max(it.replicas.from), ends.1.min(it.replicas.to));
        Some(*ends)
    });
    let ends: Vec<(i32, i32)> = reached.collect();
    entries.retain(|entry| {
        let later = latest.partition_point(|it| it.from > entry.to);
        let ends = later.checked_sub(1).and_then(|last| ends.get(last));
        !ends.is_some_and(|(highest, lowest)| {
            *highest >= entry.replicas.to && *lowest <= entry.replicas.from
        })
    });
}

/// What the one list or the other holds; of the same time, it is one entry.
fn either(one: Vec<Bounded>, mut other: Vec<Bounded>) -> Vec<Bounded> {
    let mut entries = Vec::new();
    for entry in one {
        let is_same = |it: &Bounded| (it.from, it.to) == (entry.from, entry.to);
        let same = other.iter().position(is_same).map(|at| other.remove(at));
        entries.push(Bounded {
            replicas: same.map_or(entry.replicas, |same| entry.replicas.join(same.replicas)),
            is_certain: entry.is_certain && same.is_some_and(|same| same.is_certain),
            ..entry
        });
    }
    entries.extend(other.into_iter().map(|entry| Bounded {
        is_certain: false,
        ..entry
    }));
    entries
}

/// The entries, the oldest first, if each is known exactly.
fn in_order(entries: &[Bounded]) -> Option<Vec<Bounded>> {
    let is_exact = |entry: &Bounded| {
        entry.is_certain && entry.replicas.single().is_some() && entry.from == entry.to
    };
    if !entries.iter().all(is_exact) {
        return None;
    }
    let mut entries = entries.to_vec();
    entries.sort_by_key(|entry| entry.to);
    Some(entries)
}

impl Bounded {
    /// Any number of entries of any age.
    pub const fn anything(most: i32, now: Nanos) -> Self {
        Self {
            replicas: Range::new(0, most),
            from: Nanos::MIN / 2,
            to: now - 1,
            is_certain: false,
        }
    }

    /// Something that is known exactly.
    pub const fn exactly(replicas: i32, at: Nanos) -> Self {
        Self {
            replicas: Range::of(replicas),
            from: at,
            to: at,
            is_certain: true,
        }
    }
}
