//! The rescales that the controller reported: by its events on the HPA, by its
//! log, and by the HPA's status.
//!
//! Each source tells of a part, and what one tells is not taken back because
//! another is silent about it.

mod events;
mod join;

use jiff::Timestamp;

use crate::api::{Direction, Event, HpaStatus};
use crate::controller::{Nanos, SECOND, timestamp};
use crate::history::recall::Sources;
use crate::history::span::Span;
use crate::trace::{Evidence, EvidenceKind, RescaleReason};

use super::logged::Logged;

pub use events::{PREFIX, complete, none_dropped, size, times, why};

use events::undropped;
use join::join;

/// Stamps of one rescale in two sources lie no further apart.
const APART: Nanos = 2 * SECOND;

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
    pub reason: RescaleReason,
    /// What its evidence says.
    pub message: String,
    /// What tells of it; the controller's log does so to the microsecond.
    pub kind: EvidenceKind,
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

/// What is told of rescales.
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
    /// From when on samples show every rescale.
    pub shown_since: Option<Nanos>,
    /// From when until when the controller's log tells of all.
    pub log_from: Option<(Nanos, Nanos)>,
    /// Until when the log lacks rescales that events tell of.
    pub log_lacks_until: Option<Nanos>,
    /// What a reader should know of the sources.
    pub remarks: Vec<String>,
}

/// Reads the rescales of the last hour.
pub(super) fn rescales(sources: Sources, logged: &Logged) -> Rescales {
    let Sources { snapshot, now, .. } = sources;
    let events: Vec<&Event> = snapshot.own_events().collect();
    let all_occurrences = sources.observer.occurrences();
    let joined = join(&all_occurrences, &events, logged, now);
    let mut rescales = Rescales {
        complete_since: complete(&events, now),
        undropped_since: undropped(&events, now).map(|(since, _)| since),
        log_from: logged.covers.map(|covers| {
            let since = [logged.start, joined.lacking_until].into_iter().flatten();
            (since.fold(covers.from, Nanos::max), covers.to)
        }),
        shown_since: None,
        log_lacks_until: joined.lacking_until,
        known: joined.known,
        between: joined.between,
        remarks: joined.remarks,
    };
    for sample in sources.samples() {
        if sample.status.has_rescaled() {
            rescales.newest(&sample.status, sample.written);
        }
    }
    let hpa = &snapshot.hpa;
    rescales.newest(&hpa.status, hpa.status_written());
    rescales.known.sort_by_key(|rescale| rescale.at);
    rescales
}

impl Rescales {
    /// The newest rescale of a status, where only that tells of it.
    fn newest(&mut self, status: &HpaStatus, written: Option<Timestamp>) {
        let (Some(last), Some(_)) = (status.last_scale_time, written) else {
            return;
        };
        let at = Span::second(last);
        let is_this =
            status.has_rescaled() && status.current_replicas >= 0 && status.desired_replicas >= 0;
        // Where an edit queued a pass, another rescale can come just after one.
        let is_known = |it: &&mut Rescale| {
            let is_same = it.size.is_none_or(|size| size == status.desired_replicas);
            (it.at.from - at.from).abs() <= APART && (!is_this || is_same)
        };
        if let Some(known) = self.known.iter_mut().find(is_known) {
            if is_this && known.size.is_some() {
                known.before = known.before.or(Some(status.current_replicas));
            }
            return;
        }
        self.known.push(Rescale {
            at,
            before: is_this.then_some(status.current_replicas),
            size: is_this.then_some(status.desired_replicas),
            reason: RescaleReason::NONE,
            message: String::new(),
            kind: EvidenceKind::LastScaleTime,
        });
    }

    /// Those whose moments begin within a time.
    pub fn known_within(&self, from: Nanos, to: Nanos) -> impl Iterator<Item = &Rescale> {
        let first = self.known.partition_point(|it| it.at.from < from);
        let rest = self.known.iter().skip(first);
        rest.take_while(move |it| it.at.from <= to)
    }
}

impl Rescale {
    /// Which way it goes. A reason of the log that is none of the known ones is
    /// about a metric, too.
    pub fn way(&self) -> Option<Direction> {
        let is_logged = self.kind == EvidenceKind::ControllerLog;
        let sizes = self.before.zip(self.size).filter(|_| is_logged);
        let by_sizes = sizes.and_then(|(from, to)| Direction::between(from, to));
        self.reason.way().or(by_sizes)
    }

    /// Which way the metrics led.
    pub fn recommended(&self) -> Option<Direction> {
        self.way().filter(|_| !self.reason.is_outside())
    }

    /// Where it is known from.
    pub fn evidence(&self) -> Evidence {
        Evidence::at(self.kind, timestamp(self.at.from), self.message.clone())
    }
}
