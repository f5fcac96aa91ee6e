//! What events on the HPA say of rescales, each moment and each count once, and
//! how long events are kept.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::api::{Event, SUCCESSFUL_RESCALE};
use crate::controller::{Nanos, SECOND, whole_seconds};
use crate::history::Occurrence;
use crate::snapshot::Snapshot;
use crate::trace::amount::counted;
use crate::trace::{RescaleReason, seconds_text};

use super::APART;

/// What the client puts before the message of merged events.
pub const PREFIX: &str = "(combined from similar events): ";

/// The first and the last moment of an event, and how often it was said.
pub fn times(event: &Event) -> Option<(Timestamp, Timestamp, i32)> {
    let series = event.series.as_ref();
    let first = event.first_timestamp.or(event.event_time)?;
    let last = event
        .last_timestamp
        .or(series.and_then(|series| series.last_observed_time))
        .unwrap_or(first);
    let count = event.count.or(series.and_then(|series| series.count));
    Some((first, last.max(first), count.unwrap_or(1).max(1)))
}

/// The new size that an event tells. Without one it is not the controller's, which
/// has reported a rescale in the same words in all releases.
pub fn size(message: &str) -> Option<i32> {
    let rest = message.strip_prefix("New size: ")?;
    let size: i32 = rest.split(';').next()?.trim().parse().ok()?;
    (size >= 0).then_some(size)
}

/// The controller's words for why.
pub fn why(message: &str) -> &str {
    message.split_once("reason: ").map_or("", |(_, why)| why)
}

/// The message of an event about a rescale.
pub fn message(size: i32, why: &RescaleReason) -> String {
    format!("New size: {size}; reason: {why}")
}

/// The client drops events of an object beyond 25 at once and one each 300 s,
/// and the server forgets them, after an hour unless it was told otherwise.
/// Where fewer are seen than it would let through in any case, none was
/// dropped; none was forgotten that is younger than the oldest one seen.
pub fn complete(events: &[&Event], now: Nanos) -> Option<Nanos> {
    let (undropped, oldest) = undropped(events, now)?;
    let since = undropped.max(oldest);
    (since < now).then_some(since)
}

/// How long it takes until the client lets one more event of an object through.
const REFILL: Nanos = 300 * SECOND;

/// Whether no event of a moment can have been dropped: the client has let more
/// through soon after than it had gained by then. A client that began later
/// tells nothing of it: each begins with all that it lets through at once. It
/// is the same one as long as it leads, or counts on what it said before.
pub fn none_dropped(snapshot: &Snapshot, at: Nanos) -> bool {
    let lease = snapshot.controller_lease.as_ref();
    let led_since = lease.and_then(|lease| lease.spec.acquire_time);
    let is_led = led_since.map(|since| since.as_nanosecond() <= at);
    if is_led == Some(false) {
        return false;
    }
    let reported = snapshot.own_events().filter_map(times);
    let reported = reported.map(|(first, last, _)| (first.as_nanosecond(), last.as_nanosecond()));
    let reported: Vec<(Nanos, Nanos)> = reported.filter(|(_, last)| *last > at).collect();
    let counted_on = reported.iter().filter(|(first, _)| *first <= at);
    let same_until = match is_led {
        Some(_) => Some(Nanos::MAX),
        None => counted_on.map(|(_, last)| *last).max(),
    };
    let last = reported.iter().map(|(_, last)| *last);
    let mut later: Vec<Nanos> = last.filter(|last| Some(*last) <= same_until).collect();
    later.sort_unstable();
    let mut gained = later.iter().zip(0..);
    gained.any(|(later, gains)| gains > 0 && later - at <= gains * REFILL)
}

/// From when on none of the events can have been dropped, and the oldest that
/// is kept; absent where there are none.
pub fn undropped(events: &[&Event], now: Nanos) -> Option<(Nanos, Nanos)> {
    const KEPT: Nanos = 3_600 * SECOND;
    let times = events.iter().filter_map(|event| times(event));
    let recent: Vec<_> = times
        .filter(|(_, last, _)| last.as_nanosecond() > now - KEPT)
        .collect();
    let reported = recent.iter().map(|(_, _, count)| Nanos::from(*count));
    let undropped = now - KEPT + REFILL * (reported.sum::<Nanos>() + 1);
    let oldest = recent
        .iter()
        .map(|(_, last, _)| last.as_nanosecond())
        .min()?;
    Some((undropped, oldest))
}

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
    pub(super) fn of(observed: &'e [Occurrence], events: &[&'e Event], now: Nanos) -> Self {
        let mut reported = Self::default();
        let rescales = events
            .iter()
            .filter(|event| event.reason == SUCCESSFUL_RESCALE);
        for event in rescales {
            reported.read(event, now);
        }
        for Occurrence { at, message } in observed {
            let at = at.as_nanosecond();
            if at <= now + AHEAD && size(bare(message)).is_some() {
                reported.note(at, message);
            }
        }
        reported
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
        let ends = [(first, !is_merged), (last, count > 1 || is_merged)];
        for (at, is_reported) in ends {
            let is_new = !is_reported || at > now + AHEAD || self.note(at, &event.message);
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
                "ignored {events} up to {} in the future: the clocks differ",
                seconds_text(whole_seconds(self.furthest))
            ));
        }
        if self.without_size > 0 {
            let events = counted(self.without_size, "event");
            remarks.push(format!("ignored {events} without a valid new size"));
        }
        if self.equal > 0 {
            let events = counted(self.equal, "event");
            remarks.push(format!(
                "ignored {events} with the same second and text as another"
            ));
        }
        remarks
    }
}

/// The message without what merging puts before it.
fn bare(message: &str) -> &str {
    message.strip_prefix(PREFIX).unwrap_or(message)
}
