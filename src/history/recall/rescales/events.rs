//! What an event says of a rescale, and how long events are kept.

use jiff::Timestamp;

use crate::api::Event;
use crate::controller::{Nanos, SECOND};
use crate::snapshot::Snapshot;

/// What the client puts before the message of merged events.
pub const PREFIX: &str = "(combined from similar events): ";

/// The reason of the events that report a rescale.
pub const RESCALED: &str = "SuccessfulRescale";

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
pub fn message(size: i32, why: &str) -> String {
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
    let said = snapshot.own_events().filter_map(times);
    let said = said.map(|(first, last, _)| (first.as_nanosecond(), last.as_nanosecond()));
    let said: Vec<(Nanos, Nanos)> = said.filter(|(_, last)| *last > at).collect();
    let counted_on = said.iter().filter(|(first, _)| *first <= at);
    let same_until = match is_led {
        Some(_) => Some(Nanos::MAX),
        None => counted_on.map(|(_, last)| *last).max(),
    };
    let last = said.iter().map(|(_, last)| *last);
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
    let said = recent.iter().map(|(_, _, count)| Nanos::from(*count));
    let undropped = now - KEPT + REFILL * (said.sum::<Nanos>() + 1);
    let oldest = recent
        .iter()
        .map(|(_, last, _)| last.as_nanosecond())
        .min()?;
    Some((undropped, oldest))
}
