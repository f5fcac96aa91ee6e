//! The rescales that the controller reported: by its events on the HPA, by its
//! log, and by the HPA's status.
//!
//! Each source tells of a part, and what one tells is not taken back because
//! another is silent about it. A rescale that both events and the log tell of is one.

mod events;

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::api::{Direction, Event, HpaStatus};
use crate::controller::{Nanos, SECOND, timestamp};
use crate::history::{Occurrence, Span};
use crate::trace::amount::counted;
use crate::trace::{Evidence, EvidenceKind, RescaleReason};

use crate::history::recall::{Logged, Sources};

use events::{Repeats, Reports, message, undropped};

pub use events::{PREFIX, complete, none_dropped, size, times, why};

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

/// What came of it.
struct Joined {
    pub known: Vec<Rescale>,
    pub between: Vec<Repeated>,
    /// Until when the log lacks rescales, by the events.
    pub lacking_until: Option<Nanos>,
    pub remarks: Vec<String>,
}

/// Puts together what events say, those seen earlier included, and the log.
fn join(observed: &[Occurrence], events: &[&Event], logged: &Logged, now: Nanos) -> Joined {
    let reported = Reports::of(observed, events, now);
    let mut joined = Joined {
        known: logged.rescales.clone(),
        between: Vec::new(),
        lacking_until: None,
        remarks: reported.remarks(),
    };
    let mut lacking = 0;
    for (at, text) in &reported.moments {
        if is_logged(logged, *at, size(text)) {
            continue;
        }
        let rescale = rescale(*at, text);
        if joined.is_lacking(logged, rescale.at) {
            lacking += 1;
        }
        joined.known.push(rescale);
    }
    let moments = Moments::of(&reported, logged);
    for group in reported.groups.values() {
        let undated = group.count.saturating_sub(moments.of_group(group));
        if undated == 0 {
            continue;
        }
        let repeated = group.repeated(undated);
        if joined.is_lacking(logged, repeated.rescale.at) {
            lacking += undated as usize;
        }
        joined.between.push(repeated);
    }
    if lacking > 0 {
        let rescales = counted(lacking, "rescale");
        joined.remarks.push(format!(
            "the controller's log has gaps: it lacks {rescales} that events show"
        ));
    }
    joined
}

impl Joined {
    /// Whether the log should have what it has not; it is not complete before
    /// that then.
    fn is_lacking(&mut self, logged: &Logged, at: Span) -> bool {
        let is_covered = logged
            .covers
            .is_some_and(|covers| at.from > covers.from && at.to <= covers.to);
        if is_covered {
            self.lacking_until = self.lacking_until.max(Some(at.to));
        }
        is_covered
    }
}

/// Whether the log tells of a rescale to this size at this second.
fn is_logged(logged: &Logged, at: Nanos, size: Option<i32>) -> bool {
    let first = logged
        .rescales
        .partition_point(|it| it.at.from < at - APART);
    let mut near = logged.rescales[first..]
        .iter()
        .take_while(|it| it.at.from <= at + APART);
    near.any(|it| it.size == size)
}

fn rescale(at: Nanos, text: &str) -> Rescale {
    Rescale {
        at: Span::new(at, at + SECOND - 1),
        before: None,
        kind: EvidenceKind::Event,
        size: size(text),
        reason: RescaleReason::parse(why(text)),
        message: text.to_owned(),
    }
}

/// The moments of what has one, in the order of time.
struct Moments<'a> {
    /// Those that merged events can count.
    merged: Vec<Nanos>,
    /// By what the event says.
    by_text: BTreeMap<Cow<'a, str>, Vec<Nanos>>,
}

impl<'a> Moments<'a> {
    fn of(reported: &Reports<'a>, logged: &Logged) -> Self {
        let only_logged = logged.rescales.iter().filter_map(|it| {
            let size = it.size?;
            let text = message(size, &it.reason);
            (!reported.tells(it.at.from, size)).then_some((it.at.from, Cow::Owned(text), true))
        });
        let moments = reported.moments.iter();
        let is_single = |at: &Nanos| reported.single.contains(at);
        let moments = moments.map(|(at, text)| (*at, Cow::Borrowed(*text), is_single(at)));
        let mut by_text: BTreeMap<_, Vec<Nanos>> = BTreeMap::new();
        let mut merged = Vec::new();
        for (at, text, is_similar) in moments.chain(only_logged) {
            if !is_single(&at) {
                merged.push(at);
            }
            // What a merged event tells, no event of its own counts.
            if is_similar {
                by_text.entry(text).or_default().push(at);
            }
        }
        merged.sort_unstable();
        for times in by_text.values_mut() {
            times.sort_unstable();
        }
        Self { merged, by_text }
    }

    /// How many of those that an event counts have a moment.
    fn of_group(&self, group: &Repeats) -> u32 {
        let times = match self.by_text.get(group.text) {
            _ if group.is_merged => &self.merged,
            Some(times) => times,
            None => return 0,
        };
        let before = |end: Nanos| times.partition_point(|at| *at < end);
        let within = before(group.last + SECOND) - before(group.first);
        u32::try_from(within).unwrap_or(u32::MAX)
    }
}

impl Repeats<'_> {
    fn repeated(&self, count: u32) -> Repeated {
        let at = Span::new(self.first, self.until);
        let whole = rescale(self.first, self.text);
        // What merged events say is said of the last one alone.
        let rescale = if self.is_merged {
            Rescale {
                at,
                size: None,
                reason: RescaleReason::NONE,
                ..whole
            }
        } else {
            Rescale { at, ..whole }
        };
        Repeated { rescale, count }
    }
}
