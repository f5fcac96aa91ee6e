//! When the size can next change by the passing of time alone: the same
//! normalization, at later moments.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::Pass;
use crate::controller::memory::{self, Account, Memory, ScaleEvent};
use crate::controller::normalize::{Normalization, possible_range};
use crate::controller::prepared::Rules;
use crate::controller::time::{Nanos, SECOND, timestamp};
use crate::trace::{Direction, NextPass, Outlook, Range, Step};

/// More moments than this are not looked at.
const MOST_MOMENTS: usize = 2_000;

/// How much later than a sync period after the latest known pass the next one
/// begins at most.
const LATE: Nanos = 3 * SECOND;

/// A moment, and what a pass finds remembered then.
type Remembered<'m> = (Nanos, Cow<'m, Memory>);

impl Pass<'_> {
    /// The next pass, and the next step each way, if the metrics go on asking
    /// for what they ask for; where they do not ask for a step, if from now on
    /// they did.
    pub(super) fn outlook(self, recommendation: i32, memory: &Memory) -> Outlook {
        // Later passes store what is asked for; nothing else is added to what
        // is not known now.
        let mut memory = memory.clone();
        if let Some(longest) = self.lengths().0.into_iter().max() {
            memory.forget_recommendations(self.now - longest);
        }
        if memory.accounts.is_empty() && !memory.is_known() {
            memory.accounts = Account::unknown(self.scale.replicas, self.now);
        }
        let mut later = memory.clone();
        later.drop_outlasted();
        let soon = self.now + self.settings.sync_period;
        let mut moments = self.moments(&later).split_off(&soon);
        moments.extend(self.moments(&memory).range(..soon));
        // When the next pass is at the earliest and by when, and what comes of it.
        let mut next: Option<(Nanos, Nanos, Range)> = None;
        let mut steps =
            [Direction::Up, Direction::Down].map(|way| self.search(way, recommendation));
        for at in moments.into_iter().take(MOST_MOMENTS) {
            // From then on, nothing of now is younger than a period.
            let remembered = if at < soon {
                self.remembered(&memory, at)
            } else {
                Some((at, Cow::Borrowed(&later)))
            };
            let Some(remembered) = remembered else {
                continue;
            };
            let is_first = next.is_none();
            let sizes = || self.sizes([recommendation; 2], &remembered);
            let (_, until, all) =
                next.get_or_insert_with(|| (at, self.next_pass_until(&memory, at), sizes()));
            let until = *until;
            if !is_first && at <= until {
                *all = all.join(sizes());
            }
            for search in &mut steps {
                search.look(self, &remembered, is_first, until);
            }
            if at > until && steps.iter().all(|it| it.is_over(at)) {
                break;
            }
        }
        let [up, down] = steps.map(Search::found);
        let next_pass = next.map(|(earliest, latest, sizes)| NextPass {
            earliest: timestamp(earliest),
            latest: timestamp(latest),
            replicas: self.clamp_range(sizes),
        });
        Outlook {
            next_pass,
            up,
            down,
        }
    }

    /// What a pass within a period from now finds remembered, if one can be then.
    /// Memories of long records are large, so one at a time is held.
    fn remembered<'m>(self, memory: &Memory, at: Nanos) -> Option<Remembered<'m>> {
        let next = memory::NextPass {
            now: self.now,
            at,
            spread: 0,
            apart: self.settings.sync_period,
        };
        let mut found = memory.found_by(&next)?;
        found.drop_outlasted();
        Some((at, Cow::Owned(found)))
    }

    /// The moment by which the next pass has begun: a period from now, or from
    /// the latest pass that is known if none can have run since.
    fn next_pass_until(self, memory: &Memory, earliest: Nanos) -> Nanos {
        let period = self.settings.sync_period;
        let none_since = earliest > self.now;
        let latest = memory.latest_pass(self.now).filter(|_| none_since);
        let due = latest.map_or(Nanos::MAX, |at| at + period + LATE);
        due.min(self.now + period)
    }

    /// The sizes that the recommendations from the one to the other lead to.
    fn sizes(self, [near, far]: [i32; 2], (now, memory): &Remembered) -> Range {
        let sizes = |desired| {
            possible_range(&Normalization {
                now: *now,
                ..self.normalization(desired, memory)
            })
        };
        match sizes(near) {
            range if near == far => range,
            range => range.join(sizes(far)),
        }
    }

    fn search(self, way: Direction, recommendation: i32) -> Search {
        let (current, spec) = (self.scale.replicas, &self.prepared.spec);
        let (recommended, least, most) = match way {
            Direction::Up => (
                recommendation > current,
                current.saturating_add(1),
                spec.max,
            ),
            Direction::Down => (
                recommendation < current,
                current.saturating_sub(1),
                spec.min,
            ),
        };
        let ends = if recommended {
            [recommendation; 2]
        } else {
            [least, most]
        };
        let step = Step {
            recommended,
            earliest: None,
            latest: None,
            replicas: None,
        };
        Search {
            way,
            ends,
            step,
            certain: None,
        }
    }

    /// The moments at which something remembered ceases to count, this one
    /// first.
    fn moments(self, memory: &Memory) -> BTreeSet<Nanos> {
        let (mut windows, mut periods) = self.lengths();
        // Until then nothing of now is known to be older than a period.
        windows.push(self.settings.sync_period);
        periods.push(self.settings.sync_period);
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

/// The search for the next step one way, from moment to moment.
struct Search {
    way: Direction,
    /// The recommendations that would lead to it.
    ends: [i32; 2],
    step: Step,
    /// By when a pass has run since every memory lets a step through.
    certain: Option<Nanos>,
}

impl Search {
    /// Whether nothing later matters.
    fn is_over(&self, now: Nanos) -> bool {
        self.certain.is_some_and(|by| now > by)
    }

    fn look(&mut self, pass: Pass, at: &Remembered, is_first: bool, until: Nanos) {
        let (now, current, way) = (at.0, pass.scale.replicas, self.way);
        if self.is_over(now) {
            return;
        }
        let is_step = |replicas: i32| match way {
            Direction::Up => replicas > current,
            Direction::Down => replicas < current,
        };
        let range = pass.sizes(self.ends, at);
        let (near, far) = match way {
            Direction::Up => (range.from, range.to),
            Direction::Down => (range.to, range.from),
        };
        if is_step(far) {
            if self.step.replicas.is_none() && !is_first {
                self.step.earliest = Some(timestamp(now));
            }
            let sizes = steps(range, current, way);
            let all = self.step.replicas;
            self.step.replicas = Some(all.map_or(sizes, |all| all.join(sizes)));
        }
        self.certain = match self.certain {
            _ if !is_step(near) => None,
            None if is_first => Some(until),
            None => Some(now + pass.settings.sync_period),
            certain => certain,
        };
    }

    fn found(self) -> Step {
        Step {
            latest: self.certain.map(timestamp),
            ..self.step
        }
    }
}

/// The part of what is possible that is a step this way.
fn steps(range: Range, current: i32, way: Direction) -> Range {
    match way {
        Direction::Up => Range::new(range.from.max(current.saturating_add(1)), range.to),
        Direction::Down => Range::new(range.from, range.to.min(current.saturating_sub(1))),
    }
}
