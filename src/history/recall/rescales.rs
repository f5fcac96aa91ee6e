//! The rescales that the controller reported: its events on the HPA.

use crate::controller::{Nanos, SECOND};
use crate::history::observer::Occurrence;
use crate::history::span::Span;
use crate::snapshot::{Event, Snapshot};
use crate::trace::{Evidence, EvidenceKind};

use super::logged::Logged;
use super::outcome::Asked;
use super::to_timestamp;

/// A rescale that the controller reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescale {
    /// When its event was written, by the controller's clock.
    pub at: Span,
    /// The size before; absent where the rescale itself does not tell.
    pub before: Option<i32>,
    /// The new size; absent where similar events were merged into one.
    pub size: Option<i32>,
    /// Why.
    pub reason: Reason,
    /// What its evidence says.
    pub message: String,
    /// What tells of it; the controller's log does so to the microsecond.
    pub kind: EvidenceKind,
}

impl Rescale {
    /// Where it is known from.
    pub fn evidence(&self) -> Evidence {
        Evidence::at(self.kind, to_timestamp(self.at.from), self.message.clone())
    }
}

/// Why the controller changed the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The metrics asked for more, or for less.
    Metrics(Asked),
    /// The size lay above `maxReplicas`; no metric was asked.
    AboveMax,
    /// The size lay below `minReplicas`; no metric was asked.
    BelowMin,
    /// Something else.
    Unknown,
}

/// Rescales of which it is only known how many there were, and between which
/// moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// What is known of each.
    pub rescale: Rescale,
    /// How many there were, at least 1.
    pub count: u32,
}

/// What the events tell of rescales.
#[derive(Clone, Debug, Default)]
pub struct Rescales {
    /// Those whose moment is known to the second, the oldest first.
    pub known: Vec<Rescale>,
    /// Those that aggregated events only count.
    pub between: Vec<Repeated>,
    /// From when on no event can have been dropped; absent where that is
    /// never certain.
    pub complete_since: Option<Nanos>,
    /// From when on no event can have been dropped, if those of that time are
    /// still kept.
    pub undropped_since: Option<Nanos>,
    /// From when until when the controller's log tells of all.
    pub log_from: Option<(Nanos, Nanos)>,
}

/// What the client puts before the message of merged events.
pub const PREFIX: &str = "(combined from similar events): ";

/// Reads the rescales of the last hour.
pub fn rescales(snapshot: &Snapshot, seen: &[Occurrence], logged: &Logged, now: Nanos) -> Rescales {
    let events: Vec<&Event> = snapshot.own_events().collect();
    let mut rescales = Rescales::default();
    for occurrence in seen {
        rescales.add(occurrence);
    }
    for event in events.iter().filter(|event| event.reason == RESCALED) {
        rescales.read(event, now);
    }
    rescales.complete_since = complete(&events, now);
    rescales.undropped_since = undropped(&events, now).map(|(since, _)| since);
    rescales.log(logged);
    rescales.newest(snapshot);
    rescales.known.sort_by_key(|rescale| rescale.at);
    rescales
}

/// The reason of the events that report a rescale.
pub const RESCALED: &str = "SuccessfulRescale";

impl Rescales {
    fn read(&mut self, event: &Event, now: Nanos) {
        let Some((first, last, count)) = times(event) else {
            return;
        };
        let is_merged = event.message.starts_with(PREFIX);
        let mut told = 0;
        for (at, is_told) in [(first, !is_merged), (last, count > 1 || is_merged)] {
            if is_told {
                self.add(&Occurrence {
                    at,
                    message: event.message.clone(),
                });
                told += 1;
            }
        }
        let within = |rescale: &&Rescale| {
            let text = event.message.trim_start_matches(PREFIX);
            (first.as_nanosecond()..=last.as_nanosecond()).contains(&rescale.at.from)
                && (is_merged || rescale.message == text)
        };
        let known = self.known.iter().filter(within).count();
        let known = i32::try_from(known).unwrap_or(i32::MAX).max(told);
        let untold = u32::try_from(count.saturating_sub(known)).unwrap_or_default();
        if untold == 0 {
            return;
        }
        let text = event.message.trim_start_matches(PREFIX);
        let reason = if is_merged {
            Reason::Unknown
        } else {
            Reason::in_message(text)
        };
        let rescale = Rescale {
            at: Span {
                from: first.as_nanosecond(),
                to: (last.as_nanosecond() + SECOND - 1).min(now),
            },
            before: None,
            kind: EvidenceKind::Event,
            size: size(text).filter(|_| !is_merged),
            reason,
            message: text.to_owned(),
        };
        self.between.push(Repeated {
            rescale,
            count: untold,
        });
    }

    /// The newest rescale, where only the status tells of it.
    fn newest(&mut self, snapshot: &Snapshot) {
        let hpa = &snapshot.horizontal_pod_autoscaler;
        let status = &hpa.status;
        let (Some(last), Some(_)) = (status.last_scale_time, hpa.status_written()) else {
            return;
        };
        let at = Span::second(last);
        let is_known = |rescale: &Rescale| (rescale.at.from - at.from).abs() <= 2 * SECOND;
        if self.known.iter().any(is_known) {
            return;
        }
        let mut conditions = status.conditions.iter();
        let is_this = conditions.any(|condition| condition.reason == "SucceededRescale");
        self.known.push(Rescale {
            at,
            before: is_this.then_some(status.current_replicas),
            size: is_this.then_some(status.desired_replicas),
            reason: Reason::Unknown,
            message: String::new(),
            kind: EvidenceKind::LastScaleTime,
        });
    }

    /// What the log covers, it tells better.
    fn log(&mut self, logged: &Logged) {
        let Some(covers) = logged.covers else { return };
        let is_covered = |at: Span| at.from > covers.from && at.from <= covers.to;
        self.known.retain(|rescale| !is_covered(rescale.at));
        self.between
            .retain(|it| !(is_covered(it.rescale.at) && it.rescale.at.to <= covers.to));
        self.known.extend(logged.rescales.iter().cloned());
        let from = logged.start.unwrap_or(covers.from);
        self.log_from = Some((from, covers.to));
    }

    fn add(&mut self, occurrence: &Occurrence) {
        let text = occurrence.message.trim_start_matches(PREFIX);
        let rescale = Rescale {
            at: Span::second(occurrence.at),
            before: None,
            kind: EvidenceKind::Event,
            size: size(text),
            reason: Reason::in_message(text),
            message: text.to_owned(),
        };
        if !self.known.contains(&rescale) {
            self.known.push(rescale);
        }
    }
}

/// The first and the last moment of an event, and how often it was said.
pub fn times(event: &Event) -> Option<(jiff::Timestamp, jiff::Timestamp, i32)> {
    let series = event.series.as_ref();
    let first = event.first_timestamp.or(event.event_time)?;
    let last = event
        .last_timestamp
        .or(series.and_then(|series| series.last_observed_time))
        .unwrap_or(first);
    let count = event.count.or(series.and_then(|series| series.count));
    Some((first, last.max(first), count.unwrap_or(1).max(1)))
}

/// The new size that an event tells.
pub fn size(message: &str) -> Option<i32> {
    let rest = message.strip_prefix("New size: ")?;
    rest.split(';').next()?.trim().parse().ok()
}

impl Reason {
    fn in_message(message: &str) -> Self {
        match message.split_once("reason: ") {
            Some((_, reason)) => Self::parse(reason),
            None => Self::Unknown,
        }
    }

    /// The controller's words for it.
    pub fn parse(text: &str) -> Self {
        match text {
            "All metrics below target" => Self::Metrics(Asked::Less),
            "Current number of replicas above Spec.MaxReplicas" => Self::AboveMax,
            "Current number of replicas below Spec.MinReplicas" => Self::BelowMin,
            _ if text.ends_with(" above target") => Self::Metrics(Asked::More),
            _ => Self::Unknown,
        }
    }
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

/// From when on none of the events can have been dropped, and the oldest that
/// is kept; absent where there are none.
pub fn undropped(events: &[&Event], now: Nanos) -> Option<(Nanos, Nanos)> {
    const KEPT: Nanos = 3_600 * SECOND;
    const REFILL: Nanos = 300 * SECOND;
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
