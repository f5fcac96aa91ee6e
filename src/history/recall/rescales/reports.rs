//! What the events on the HPA say of rescales, each moment and each count
//! once.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::Event;
use crate::controller::{Nanos, SECOND, whole_seconds};
use crate::history::observer::Occurrence;
use crate::trace::amount::counted;
use crate::trace::seconds_text;

use super::APART;
use super::events::{PREFIX, RESCALED, size, times};

/// Stamps that are ahead by no more are taken to be of one clock.
const AHEAD: Nanos = 5 * SECOND;

/// Several rescales of which an event tells the first and the last moment.
pub(super) struct Repeats<'e> {
    pub first: Nanos,
    /// The second of the last one, and its end.
    pub last: Nanos,
    pub until: Nanos,
    pub text: &'e str,
    /// Whether it tells of others than the last one.
    pub is_merged: bool,
    pub count: u32,
}

/// What the events say.
#[derive(Default)]
pub(super) struct Reports<'e> {
    /// What has a moment of its own, in the order in which it was listed.
    pub moments: Vec<(Nanos, &'e str)>,
    /// The same, in the order of time.
    sorted: BTreeSet<(Nanos, &'e str)>,
    /// Those that an event tells which is not merged: no merged one counts them.
    pub single: BTreeSet<Nanos>,
    /// What is counted between two moments; equal ones are one.
    pub groups: BTreeMap<(Nanos, Nanos, &'e str, bool), Repeats<'e>>,
    equal: usize,
    without_size: usize,
    ahead: usize,
    furthest: Nanos,
}

impl<'e> Reports<'e> {
    pub(super) fn of(seen: &'e [Occurrence], events: &[&'e Event], now: Nanos) -> Self {
        let mut said = Self::default();
        let rescales = events.iter().filter(|event| event.reason == RESCALED);
        for event in rescales {
            said.read(event, now);
        }
        for Occurrence { at, message } in seen {
            let at = at.as_nanosecond();
            if at <= now + AHEAD && size(bare(message)).is_some() {
                said.note(at, message);
            }
        }
        said
    }

    /// Whether it is told for the first time.
    fn note(&mut self, at: Nanos, message: &'e str) -> bool {
        let text = bare(message);
        if text == message {
            self.single.insert(at);
        }
        let is_new = self.sorted.insert((at, text));
        if is_new {
            self.moments.push((at, text));
        }
        is_new
    }

    fn read(&mut self, event: &'e Event, now: Nanos) {
        let Some((first, last, count)) = times(event) else {
            return;
        };
        let text = bare(&event.message);
        if size(text).is_none() {
            self.without_size += 1;
            return;
        }
        let (first, last) = (first.as_nanosecond(), last.as_nanosecond());
        if last > now + AHEAD {
            self.ahead += 1;
            self.furthest = self.furthest.max(last - now);
        }
        let is_merged = event.message.starts_with(PREFIX);
        let told = [(first, !is_merged), (last, count > 1 || is_merged)];
        for (at, is_told) in told {
            let is_new = !is_told || at > now + AHEAD || self.note(at, &event.message);
            self.equal += usize::from(!is_new && count == 1);
        }
        if count > 1 && first <= now + AHEAD {
            let key = (first, last, text, is_merged);
            let group = self.groups.entry(key).or_insert(Repeats {
                first,
                last,
                until: (last + SECOND - 1).min(now).max(first),
                text,
                is_merged,
                count: 0,
            });
            let count = u32::try_from(count).unwrap_or_default();
            group.count = group.count.saturating_add(count);
        }
    }

    /// Whether an event tells of a rescale to this size about then.
    pub(super) fn tells(&self, at: Nanos, of: i32) -> bool {
        let mut near = self.sorted.range((at - APART, "")..(at + APART + 1, ""));
        near.any(|(_, text)| size(text) == Some(of))
    }

    /// What a reader of the result should know.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.ahead > 0 {
            let events = counted(self.ahead, "event");
            remarks.push(format!(
                "{events} up to {} ahead of this moment: the clocks differ, and what is ahead \
                 is left out",
                seconds_text(whole_seconds(self.furthest))
            ));
        }
        if self.without_size > 0 {
            let events = counted(self.without_size, "event");
            remarks.push(format!("{events} without a valid new size left out"));
        }
        if self.equal > 0 {
            let events = counted(self.equal, "event");
            remarks.push(format!("{events} with second and text of another left out"));
        }
        remarks
    }
}

/// The message without what merging puts before it.
fn bare(message: &str) -> &str {
    message.strip_prefix(PREFIX).unwrap_or(message)
}
