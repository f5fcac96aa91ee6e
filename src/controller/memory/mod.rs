//! What the controller remembers between two passes of one HPA.

mod account;

use std::cmp::Reverse;

use super::time::{Nanos, timestamp};
use crate::document::snapshot::History;
use crate::trace::{Knowledge, MemoryRecord, Remembered};

pub use account::{Account, BEYOND, Bounded, NextPass};

/// The memory of one HPA. A list that is `None` is not known exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The recommendations before stabilization, in slot order.
    pub recommendations: Option<Vec<Recommendation>>,
    /// The changes upwards, in slot order.
    pub scale_up_events: Option<Vec<ScaleEvent>>,
    /// The changes downwards, in slot order.
    pub scale_down_events: Option<Vec<ScaleEvent>>,
    /// What the lists that are not known can be: any of these accounts is
    /// true. None at all means that nothing is known.
    pub accounts: Vec<Account>,
}

/// A recommendation of a pass, before stabilization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recommendation {
    /// The recommended replicas.
    pub replicas: i32,
    /// When it was stored.
    pub at: Nanos,
}

/// A change of the scale that was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaleEvent {
    /// By how many replicas, without sign.
    pub change: i32,
    /// When it was stored.
    pub at: Nanos,
    /// Whether its slot may be reused. Once set it stays, even when a longer
    /// period is configured later.
    pub outdated: bool,
}

/// How much earlier than the rest of its pass the controller reads the clock
/// for the recommendation that it seeds.
pub(super) const SEED_AGE: Nanos = 1_000;

/// More accounts than this are taken together, which leaves more open.
const MOST_ACCOUNTS: usize = 2;

impl Memory {
    /// The memory of a controller that has just started.
    pub fn empty() -> Self {
        Self {
            recommendations: Some(Vec::new()),
            scale_up_events: Some(Vec::new()),
            scale_down_events: Some(Vec::new()),
            accounts: Vec::new(),
        }
    }

    /// A memory of which only bounds are known.
    pub fn within(accounts: Vec<Account>) -> Self {
        Self {
            accounts,
            ..Self::default()
        }
    }

    /// Reads the memory of a snapshot.
    pub fn new(history: Option<&History>) -> Self {
        let Some(history) = history else {
            return Self::default();
        };
        let events = |events: &Option<Vec<crate::document::snapshot::ScaleEvent>>| {
            let events = events.as_ref()?.iter().map(|event| ScaleEvent {
                change: event.replica_change,
                at: event.timestamp.as_nanosecond(),
                outdated: false,
            });
            Some(events.collect())
        };
        Self {
            recommendations: history.recommendations.as_ref().map(|list| {
                list.iter()
                    .map(|entry| Recommendation {
                        replicas: entry.replicas,
                        at: entry.timestamp.as_nanosecond(),
                    })
                    .collect()
            }),
            scale_up_events: events(&history.scale_up_events),
            scale_down_events: events(&history.scale_down_events),
            accounts: Vec::new(),
        }
    }

    /// Whether nothing is unknown.
    pub fn is_known(&self) -> bool {
        self.recommendations.is_some()
            && self.scale_up_events.is_some()
            && self.scale_down_events.is_some()
    }

    /// How much is known.
    pub fn knowledge(&self) -> Knowledge {
        if self.is_known() {
            Knowledge::Known
        } else if *self == Self::default() {
            Knowledge::Unknown
        } else {
            Knowledge::Partly
        }
    }

    /// The first act on an HPA that the controller remembers nothing of: it
    /// stores the current size as if it had been recommended.
    pub fn seed(&mut self, current: i32, now: Nanos) {
        if let Some(recommendations) = &mut self.recommendations
            && recommendations.is_empty()
        {
            recommendations.push(Recommendation {
                replicas: current,
                at: now - SEED_AGE,
            });
        }
    }

    /// Stores a recommendation in the slot that stabilization found to be
    /// reusable, or in a new one.
    pub fn store_recommendation(&mut self, replicas: i32, now: Nanos, slot: Option<usize>) {
        let Some(recommendations) = &mut self.recommendations else {
            for account in &mut self.accounts {
                let entry = Bounded::exactly(replicas, now);
                account.recommendations.push(entry);
            }
            return;
        };
        let entry = Recommendation { replicas, at: now };
        match slot.and_then(|slot| recommendations.get_mut(slot)) {
            Some(reusable) => *reusable = entry,
            None => recommendations.push(entry),
        }
    }

    /// What is true of the one memory or of the other.
    pub fn join(&mut self, other: &Self) {
        if self == other {
            return;
        }
        let mut accounts = self.all_accounts();
        for account in other.all_accounts() {
            if !accounts.contains(&account) {
                accounts.push(account);
            }
        }
        *self = Self::within(few(accounts));
    }

    /// All that is known, as accounts.
    fn all_accounts(&self) -> Vec<Account> {
        let nothing = [Account::default()];
        let accounts: &[Account] = if self.accounts.is_empty() {
            &nothing
        } else {
            &self.accounts
        };
        let accounts = accounts.iter().cloned();
        accounts.map(|account| account.with_known(self)).collect()
    }

    /// Drops known recommendations that no window goes by, whichever part of them
    /// it still sees: those stored before a time, and those that later ones outdo
    /// both ways. The latest stays, since a controller without any seeds one.
    pub fn forget_recommendations(&mut self, before: Nanos) {
        let Some(entries) = &mut self.recommendations else {
            return;
        };
        entries.sort_by_key(|entry| Reverse(entry.at));
        let mut later: Option<(i32, i32)> = None;
        entries.retain(|entry| {
            let size = entry.replicas;
            let Some((lowest, highest)) = later else {
                later = Some((size, size));
                return true;
            };
            later = Some((lowest.min(size), highest.max(size)));
            entry.at >= before && (size < lowest || size > highest)
        });
    }

    /// Drops what was stored before a time, for nothing looks back so far. Once
    /// the accounts agree on all that is left, that is the memory.
    pub fn forget(&mut self, before: Nanos) {
        self.forget_recommendations(before);
        let events = [&mut self.scale_up_events, &mut self.scale_down_events];
        for events in events.into_iter().flatten() {
            events.retain(|event| event.at >= before);
        }
        let mut accounts: Vec<Account> = Vec::new();
        for mut account in std::mem::take(&mut self.accounts) {
            account.forget(before);
            if !accounts.contains(&account) {
                accounts.push(account);
            }
        }
        self.accounts = accounts;
        let [only] = self.accounts.as_slice() else {
            return;
        };
        let Some(exact) = only.exactly() else {
            return;
        };
        let known = std::mem::take(self);
        *self = Self {
            recommendations: known.recommendations.or(exact.recommendations),
            scale_up_events: known.scale_up_events.or(exact.scale_up_events),
            scale_down_events: known.scale_down_events.or(exact.scale_down_events),
            accounts: Vec::new(),
        };
    }

    /// Drops the recommendations that may be there and decide nothing in any pass that
    /// finds all that there is: which of them are too young for it no longer matters.
    pub fn drop_outlasted(&mut self) {
        self.accounts.iter_mut().for_each(Account::drop_outlasted);
    }

    /// When the latest pass was that stored something for certain, by the
    /// account that puts it latest; nothing where one of them has none.
    pub fn latest_pass(&self, now: Nanos) -> Option<Nanos> {
        let accounts = self.all_accounts().into_iter().enumerate();
        let latest = accounts.map(|(index, account)| account.latest_pass(now, self.begins(index)));
        latest.reduce(|one, other| Some(one?.max(other?)))?
    }

    /// Whether the size that an account begins with can be that of the next
    /// pass: all accounts but the first are of controllers that began anew, and
    /// what is known can be that of one, too.
    fn begins(&self, index: usize) -> bool {
        index > 0 || self.is_known()
    }

    /// What the next pass finds, as far as it is known. `None` where a pass is
    /// certain that is too close to it.
    pub fn found_by(&self, next: &NextPass) -> Option<Self> {
        let accounts = self.all_accounts().into_iter().enumerate();
        let found =
            accounts.filter_map(|(index, account)| account.found_by(next, self.begins(index)));
        let found: Vec<Account> = found.collect();
        if found.is_empty() {
            return None;
        }
        if self.is_known() {
            return Some(self.clone());
        }
        Some(Self::within(found))
    }

    /// The same, its accounts taken together where they are many.
    pub fn in_few_accounts(self) -> Self {
        Self {
            accounts: few(self.accounts),
            ..self
        }
    }

    /// What a trace shows of the memory.
    pub fn record(&self) -> MemoryRecord {
        let events = |events: &Option<Vec<ScaleEvent>>| {
            let events = events.as_ref()?.iter();
            Some(
                events
                    .map(|event| remembered(event.change, event.at))
                    .collect(),
            )
        };
        MemoryRecord {
            recommendations: self.recommendations.as_ref().map(|list| {
                list.iter()
                    .map(|entry| remembered(entry.replicas, entry.at))
                    .collect()
            }),
            scale_up_events: events(&self.scale_up_events),
            scale_down_events: events(&self.scale_down_events),
        }
    }
}

/// The same, taken together where they are many.
fn few(accounts: Vec<Account>) -> Vec<Account> {
    if accounts.len() <= MOST_ACCOUNTS {
        return accounts;
    }
    let all = accounts.into_iter().reduce(Account::hull);
    all.into_iter().collect()
}

fn remembered(replicas: i32, at: Nanos) -> Remembered {
    Remembered {
        replicas,
        timestamp: timestamp(at),
    }
}
