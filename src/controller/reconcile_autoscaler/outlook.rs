//! When the size can next change by the passing of time alone: the same
//! normalization, at later moments.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::controller::memory::{Account, Memory, ScaleEvent};
use crate::controller::normalize::{Normalization, possible_range};
use crate::controller::prepared::Rules;
use crate::controller::time::{Nanos, SECOND, timestamp};
use crate::trace::{Outlook, Range, Step};

use super::Pass;

/// More moments than this are not looked at.
const MOST_MOMENTS: usize = 2_000;

/// Which way a step goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

impl Pass<'_> {
    /// The next step each way, if the metrics go on asking for what they ask
    /// for; where they do not ask for a step, if from now on they did.
    pub(super) fn outlook(self, recommendation: i32, memory: &Memory) -> Outlook {
        // Later passes store what is asked for; nothing else is added to what
        // is not known now.
        let mut memory = Cow::Borrowed(memory);
        if memory.accounts.is_empty() && !memory.is_known() {
            memory.to_mut().accounts = Account::unknown(self.scale.replicas, self.now);
        }
        let memory = &*memory;
        let moments = self.moments(memory);
        let step = |way| self.step(way, recommendation, memory, &moments);
        Outlook {
            up: step(Way::Up),
            down: step(Way::Down),
        }
    }

    fn step(
        self,
        way: Way,
        recommendation: i32,
        memory: &Memory,
        moments: &BTreeSet<Nanos>,
    ) -> Step {
        let (current, spec) = (self.scale.replicas, &self.prepared.spec);
        let asked = match way {
            Way::Up => recommendation > current,
            Way::Down => recommendation < current,
        };
        let desired = match way {
            _ if asked => recommendation,
            Way::Up => spec.max,
            Way::Down => spec.min,
        };
        let is_step = |replicas: i32| match way {
            Way::Up => replicas > current,
            Way::Down => replicas < current,
        };
        let mut step = Step {
            asked,
            earliest: None,
            latest: None,
            replicas: None,
        };
        for now in moments.iter().copied().take(MOST_MOMENTS) {
            let normalization = Normalization {
                now,
                ..self.normalization(desired, memory)
            };
            let range = possible_range(&normalization);
            let (near, far) = match way {
                Way::Up => (range.from, range.to),
                Way::Down => (range.to, range.from),
            };
            if step.replicas.is_none() && is_step(far) {
                step.earliest = (now > self.now).then(|| timestamp(now));
                step.replicas = Some(steps(range, current, way));
            }
            if is_step(near) {
                // The first pass after this moment can be a whole period away.
                let wait = if now > self.now {
                    self.settings.sync_period
                } else {
                    0
                };
                step.latest = Some(timestamp(now + wait));
                break;
            }
        }
        step
    }

    /// The moments at which something remembered ceases to count, this one
    /// first.
    fn moments(self, memory: &Memory) -> BTreeSet<Nanos> {
        let (windows, periods) = self.lengths();
        let mut moments = BTreeSet::from([self.now]);
        let mut expire = |at: Nanos, lengths: &[Nanos]| {
            // What is exactly as old as the window counts without `behavior`.
            moments.extend(
                lengths
                    .iter()
                    .flat_map(|length| [at + length, at + length + 1]),
            );
        };
        for entry in memory.recommendations.iter().flatten() {
            expire(entry.at, &windows);
        }
        for event in events(memory) {
            expire(event.at, &periods);
        }
        for account in &memory.accounts {
            for entry in &account.recommendations {
                expire(entry.from, &windows);
                expire(entry.to, &windows);
            }
            for event in account
                .scale_up_events
                .iter()
                .chain(&account.scale_down_events)
            {
                expire(event.from, &periods);
                expire(event.to, &periods);
            }
        }
        moments.retain(|moment| *moment >= self.now);
        moments
    }

    /// The lengths of the windows, and of the policies' periods.
    fn lengths(self) -> (Vec<Nanos>, Vec<Nanos>) {
        let flag = self.settings.downscale_stabilization;
        let Some(behavior) = &self.prepared.spec.behavior else {
            return (vec![flag], Vec::new());
        };
        let seconds = |length: i32| Nanos::from(length) * SECOND;
        let rules: [&Rules; 2] = [&behavior.scale_up, &behavior.scale_down];
        let windows = [
            rules[0].window.map_or(0, seconds),
            rules[1].window.map_or(flag, seconds),
        ];
        let policies = rules.iter().flat_map(|rules| &rules.policies);
        let periods: BTreeSet<Nanos> = policies.map(|it| seconds(it.period_seconds)).collect();
        (windows.to_vec(), periods.into_iter().collect())
    }
}

fn events(memory: &Memory) -> impl Iterator<Item = &ScaleEvent> {
    let up = memory.scale_up_events.iter().flatten();
    up.chain(memory.scale_down_events.iter().flatten())
}

/// The part of what is possible that is a step this way.
fn steps(range: Range, current: i32, way: Way) -> Range {
    match way {
        Way::Up => Range {
            from: range.from.max(current.saturating_add(1)),
            to: range.to,
        },
        Way::Down => Range {
            from: range.from,
            to: range.to.min(current.saturating_sub(1)),
        },
    }
}
