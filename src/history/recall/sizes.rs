//! The size of the target over time, and who changed it.

use jiff::Timestamp;

use super::rescales::complete;
use crate::api::{ConditionReason, Event, ManagedFields, Workload};
use crate::controller::{Nanos, SECOND, timestamp};
use crate::document::snapshot::Snapshot;
use crate::history::recall::{
    ANYTHING, CLOSER, MemoryRules, Rescales, Scaling, Sources, none_dropped, times,
};
use crate::history::{ChangeByOthers, Span};
use crate::trace::{Evidence, EvidenceKind, Notice, NoticeKind, Range};

/// How long after the HPA's event the target's controller may take to report
/// the same change.
const REPORTED_WITHIN: Nanos = 5 * SECOND;

/// The size over time.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// The changes that are known, the oldest first.
    pub changes: Vec<Scaling>,
    /// From when on every change by the HPA is known.
    pub complete_since: Nanos,
    /// From when on every change by the HPA is told of, if only as one of
    /// several within a time.
    pub reported_since: Nanos,
    current: Option<i32>,
    /// From when on every change by others is known.
    pub others_known_since: Option<Nanos>,
    /// What others did.
    pub notices: Vec<Notice>,
}

/// A size change that the target's own controller reported.
#[derive(Clone, Debug)]
struct Reported {
    at: Span,
    set: String,
    from: Option<i32>,
    to: i32,
    message: String,
    /// Whether its event is kept for as long as others of its time.
    is_kept: bool,
}

/// Puts the sizes together.
pub(super) fn sizes(sources: Sources, rescales: &Rescales) -> Sizes {
    let Sources { snapshot, now, .. } = sources;
    let mut reported = reported(snapshot, now);
    // What others did to the size would have been reported since then.
    let events: Vec<&Event> = snapshot.target_events().collect();
    let mut others_known_since = complete(&events, now);
    if is_rolling_out(snapshot, &reported) {
        reported.clear();
        others_known_since = None;
    }
    let mut changes = rescales.known.clone();
    for rescale in &mut changes {
        rescale.before = rescale
            .before
            .or_else(|| in_status(snapshot, rescale.at))
            .or_else(|| before(&reported, rescale.at, rescale.after?));
    }
    let mut notices = Vec::new();
    for report in by_others(&reported, rescales) {
        changes.push(Scaling {
            before: report.from,
            after: Some(report.to),
            ..Scaling::new(report.at, Some(false), EvidenceKind::TargetEvent)
        });
        notices.push(scaled_by_others(snapshot, report));
    }
    in_order(&mut changes, snapshot.size());
    let (complete_since, reported_since) = complete_since(snapshot, rescales, sources.rules);
    let shown_since = rescales.shown_since.unwrap_or(Nanos::MAX);
    let mut sizes = Sizes {
        changes,
        complete_since: complete_since.min(shown_since),
        reported_since: reported_since.min(shown_since),
        current: snapshot.size(),
        others_known_since,
        notices,
    };
    sizes.by_owner(snapshot, now);
    sizes.unseen(snapshot, now);
    sizes.chain();
    sizes
}

/// What the target's controller reported of the changes by others.
pub(super) fn reported_of_others(sources: Sources, rescales: &Rescales) -> Vec<ChangeByOthers> {
    let Sources { snapshot, now, .. } = sources;
    let reported = reported(snapshot, now);
    if is_rolling_out(snapshot, &reported) {
        return Vec::new();
    }
    let (_, reported_since) = complete_since(snapshot, rescales, sources.rules);
    let undropped = rescales.undropped_since;
    let is_undropped =
        |at: Span| undropped.is_some_and(|since| at.from >= since) || none_dropped(snapshot, at.to);
    let others = by_others(&reported, rescales).into_iter();
    let change = |report: &Reported| ChangeByOthers {
        at: timestamp(report.at.from),
        from: report.from,
        to: report.to,
        message: report.message.clone(),
        is_certain: report.at.from >= reported_since || report.is_kept && is_undropped(report.at),
    };
    others.map(change).collect()
}

impl Sizes {
    /// The sizes that the target can have had within a time.
    pub fn within(&self, span: Span) -> Range {
        if span.from < self.complete_since {
            return ANYTHING;
        }
        let is_earlier = |change: &&Scaling| change.at.to < span.from;
        let earlier = self.changes.iter().rev().find(is_earlier);
        let later = self.changes.iter().find(|change| !is_earlier(change));
        let begin = match (earlier, later) {
            (Some(earlier), _) => earlier.after,
            (None, Some(later)) => later.before,
            (None, None) => self.current,
        };
        let Some(begin) = begin else {
            return ANYTHING;
        };
        let mut sizes = Range::of(begin);
        for change in &self.changes {
            if change.at.to >= span.from && change.at.from <= span.to {
                let Some(after) = change.after else {
                    return ANYTHING;
                };
                let before = change.before.unwrap_or(after);
                sizes = sizes.join(Range::of(after)).join(Range::of(before));
            }
        }
        sizes
    }

    /// The size before a rescale, where it is known.
    pub fn before(&self, at: Span) -> Option<i32> {
        self.own(at)?.before
    }

    /// The change by the HPA of a moment.
    pub fn own(&self, at: Span) -> Option<&Scaling> {
        // Changes that overlap may have been put into another order.
        let early = at.from - 2 * REPORTED_WITHIN;
        let first = self.changes.partition_point(|it| it.at.from < early);
        let near = self.changes[first..].iter();
        let mut near = near.take_while(|change| change.at.from <= at.from + 2 * REPORTED_WITHIN);
        near.find(|change| change.is_own == Some(true) && change.at == at)
    }

    /// Somebody else owns the size by now.
    fn by_owner(&mut self, snapshot: &Snapshot, now: Nanos) {
        let Some((target, owner)) = foreign_owner(snapshot) else {
            return;
        };
        let Some(time) = owner.time else { return };
        let at = Span::second(time);
        let near = |change: &Scaling| {
            change.is_own == Some(false) && (change.at.from - at.from).abs() <= REPORTED_WITHIN
        };
        if self.changes.iter().any(near) || at.from > now {
            return;
        }
        self.changes.push(Scaling {
            after: target.spec.replicas,
            ..Scaling::new(at, Some(false), EvidenceKind::ManagedFields)
        });
        self.changes.sort_by_key(|change| change.at);
        self.notices.push(owned(&owner, time, target.spec.replicas));
    }

    /// The size is not what it was last made, and nothing tells who changed
    /// it: neither that which the last pass saw, nor that of now.
    fn unseen(&mut self, snapshot: &Snapshot, now: Nanos) {
        let last = self.changes.last();
        let mut last = last.map(|change| (change.after, change.at.to));
        let current = self.current.map(|size| (size, now));
        for (size, at) in reported_size(snapshot).into_iter().chain(current) {
            if last.is_some_and(|(_, since)| since >= at) {
                continue;
            }
            if let Some((Some(before), since)) = last
                && before != size
            {
                self.changes.push(Scaling {
                    before: Some(before),
                    after: Some(size),
                    ..Scaling::new(Span::new(since, at), Some(false), EvidenceKind::Status)
                });
                let differ = "the scale and the last known size differ";
                let change = format!("changed from {before} to {size}");
                self.notices.push(Notice {
                    kind: NoticeKind::ScaledByOthers,
                    from: Some(timestamp(since)),
                    to: timestamp(at),
                    says: format!("the size {change} without a rescale on record"),
                    source: Evidence::of(EvidenceKind::Status, differ),
                });
            }
            last = Some((Some(size), at));
        }
    }

    /// Where nothing else tells, the size before a change is the one after
    /// the change before it, if whatever others did is known.
    fn chain(&mut self) {
        let Some(known_since) = self.others_known_since else {
            return;
        };
        let mut last: Option<i32> = None;
        for change in &mut self.changes {
            let is_complete = change.at.from > self.complete_since.max(known_since);
            if change.before.is_none() && is_complete {
                change.before = last;
            }
            last = change.after;
        }
    }
}

/// The size before a rescale, where the status is that of its pass.
fn in_status(snapshot: &Snapshot, at: Span) -> Option<i32> {
    let status = &snapshot.hpa.status;
    let last = Span::second(status.last_scale_time?);
    let is_this = (last.from - at.from).abs() <= 2 * SECOND;
    let is_reported = is_this && status.has_rescaled() && status.current_replicas >= 0;
    is_reported.then_some(status.current_replicas)
}

/// The size after the last pass that could read it, by its status, and when
/// that was written.
fn reported_size(snapshot: &Snapshot) -> Option<(i32, Nanos)> {
    let hpa = &snapshot.hpa;
    let size = if hpa.status.has_rescaled() {
        hpa.status.desired_replicas
    } else {
        hpa.status.current_replicas
    };
    let mut conditions = hpa.status.conditions.iter();
    let unread = conditions.find(|it| it.reason == ConditionReason::FailedGetScale);
    let at = match unread {
        // The status is then that of a pass before the first one that failed,
        // which may have rescaled after it read the size, or may not.
        Some(_) if hpa.status.current_replicas != hpa.status.desired_replicas => return None,
        Some(unread) => unread.last_transition_time?,
        None => hpa.status_written()?,
    };
    (size >= 0).then(|| (size, at.as_nanosecond()))
}

/// Sorts changes by time, and those of one second by their sizes: of two that
/// lead there and back, the last one ends at the size after them, or else the
/// first one begins at the size before them. `current` is the size by now.
fn in_order(changes: &mut [Scaling], current: Option<i32>) {
    changes.sort_by_key(|change| change.at);
    let mut before = None;
    for at in 1..changes.len() {
        let (one, other) = (&changes[at - 1], &changes[at]);
        let is_close = one.at.to >= other.at.from;
        let follows = |a: Option<i32>, b: Option<i32>| a.is_some() && a == b;
        let after = changes.get(at + 1).map_or(current, |next| next.before);
        let adjacent = if after == one.before { after } else { before };
        let is_other_way = !follows(one.after, other.before)
            || follows(after, other.before)
            || follows(adjacent, other.before) && !follows(adjacent, one.before);
        if is_close && follows(other.after, one.before) && is_other_way {
            changes.swap(at - 1, at);
        }
        before = changes[at - 1].after;
    }
}

/// From when on no rescale can be missing: the status names the time of the
/// newest, and the events those before. And from when on none is missing but
/// for its moment.
fn complete_since(snapshot: &Snapshot, rescales: &Rescales, rules: &MemoryRules) -> (Nanos, Nanos) {
    let status = &snapshot.hpa.status;
    let is_trusted = snapshot.hpa.status_written().is_some();
    let newest = rescales.known.last();
    let Some(last) = status.last_scale_time else {
        let since = if is_trusted { Nanos::MIN } else { Nanos::MAX };
        return (since, since);
    };
    let last = Span::second(last);
    let matches = newest.is_some_and(|newest| (newest.at.from - last.from).abs() <= 2 * SECOND);
    let by_log = rescales.log_from;
    let by_log = by_log.filter(|(_, to)| last.from <= *to);
    let by_log = by_log.map_or(Nanos::MAX, |(from, _)| from);
    // Another one cannot have come right before it.
    let of_last = if rules.may_be_at_once(last.from) && (is_trusted || matches) {
        last.from
    } else if is_trusted || matches {
        last.from - rules.sync_period + CLOSER
    } else {
        Nanos::MAX
    };
    let (complete, reported_at) = match rescales.complete_since.filter(|_| matches) {
        Some(since) if rescales.between.iter().all(|it| it.at.to < since) => {
            let since = since.min(last.from);
            (since, since)
        }
        Some(since) => (of_last, since.min(of_last)),
        None => (of_last, of_last),
    };
    // What either knows in full is known.
    (complete.min(by_log), reported_at.min(by_log))
}

/// What the Deployment's controller says of its replica set.
fn reported(snapshot: &Snapshot, now: Nanos) -> Vec<Reported> {
    let mut all = Vec::new();
    for event in snapshot.target_events() {
        let (Some((first, last, _)), Some((set, from, to))) =
            (times(event), scaled(&event.message))
        else {
            continue;
        };
        for at in [first, last] {
            let report = Reported {
                at: Span::second(at),
                set: set.to_owned(),
                from,
                to,
                message: event.message.clone(),
                is_kept: at == last,
            };
            if report.at.from <= now && (at == first || last != first) {
                all.push(report);
            }
        }
    }
    all.sort_by_key(|report| report.at);
    all.dedup_by(|a, b| a.at == b.at && a.message == b.message);
    all
}

/// `Scaled up replica set web-1 from 4 to 8`, or without the `from`.
fn scaled(message: &str) -> Option<(&str, Option<i32>, i32)> {
    let rest = message
        .strip_prefix("Scaled up replica set ")
        .or_else(|| message.strip_prefix("Scaled down replica set "))?;
    let (set, rest) = rest.split_once(' ')?;
    let rest = rest.trim_start_matches("to ");
    if let Some(rest) = rest.strip_prefix("from ") {
        let (from, to) = rest.split_once(" to ")?;
        return Some((set, Some(from.parse().ok()?), to.parse().ok()?));
    }
    let to = rest.split(' ').next()?;
    Some((set, None, to.parse().ok()?))
}

/// While one replica set takes over from another, their sizes change without
/// the target's: what is reported of them tells nothing then.
fn is_rolling_out(snapshot: &Snapshot, reported: &[Reported]) -> bool {
    let Some(first) = reported.first() else {
        return false;
    };
    let is_one = reported.iter().all(|report| report.set == first.set);
    let created = snapshot.own_replica_sets();
    let mut created = created.filter_map(|set| set.metadata.creation_timestamp);
    !is_one || created.any(|at| at.as_nanosecond() > first.at.to)
}

/// The size before a rescale to `size`, as the target's controller saw it.
fn before(reported: &[Reported], at: Span, size: i32) -> Option<i32> {
    let first = reported.partition_point(|report| report.at.from < at.from - SECOND);
    let late = at.from + REPORTED_WITHIN;
    let mut near = reported[first..].iter().take_while(|it| it.at.from <= late);
    near.find(|report| report.to == size)?.from
}

/// The changes that no rescale explains.
fn by_others<'r>(reported: &'r [Reported], rescales: &Rescales) -> Vec<&'r Reported> {
    let is_own = |report: &&Reported| {
        let explains = |at: Span, size: Option<i32>| {
            size.is_none_or(|size| size == report.to)
                && report.at.from >= at.from - SECOND
                && report.at.from <= at.to + REPORTED_WITHIN
        };
        let at = report.at.from;
        // A moment is known to the second.
        let known = rescales.known_within(at - REPORTED_WITHIN - SECOND, at + SECOND);
        let mut all = known.chain(&rescales.between);
        all.any(|it| explains(it.at, it.after))
    };
    let others = reported.iter().filter(|it| it.from != Some(0));
    others.filter(|it| !is_own(it)).collect()
}

fn scaled_by_others(snapshot: &Snapshot, report: &Reported) -> Notice {
    let target = snapshot.target.as_ref();
    let applied = target.is_some_and(|target| {
        let mut entries = target.metadata.managed_fields.iter();
        entries.any(|entry| {
            let apart = |time: Timestamp| (time.as_nanosecond() - report.at.from).abs();
            is_apply(entry) && entry.time.is_some_and(|it| apart(it) <= 2 * SECOND)
        })
    });
    let (kind, who) = if applied {
        (NoticeKind::Applied, "an apply")
    } else {
        (NoticeKind::ScaledByOthers, "another writer")
    };
    let from = report.from.map(|from| format!(" from {from}"));
    let from = from.unwrap_or_default();
    let at = timestamp(report.at.from);
    Notice {
        kind,
        from: Some(at),
        to: timestamp(report.at.to),
        says: format!("{who}, not the HPA, set the size{from} to {}", report.to),
        source: Evidence::at(EvidenceKind::TargetEvent, at, report.message.clone()),
    }
}

fn is_apply(entry: &ManagedFields) -> bool {
    entry.operation == "Apply" || entry.manager.contains("apply")
}

/// Who else than the controller owns `spec.replicas`.
fn foreign_owner(snapshot: &Snapshot) -> Option<(&Workload, ManagedFields)> {
    let target = snapshot.target.as_ref()?;
    let entries = &snapshot.hpa.metadata.managed_fields;
    let controller = entries.iter().find(|entry| entry.subresource == "status")?;
    let owns =
        |entry: &&ManagedFields| entry.owns_replicas() && entry.manager != controller.manager;
    let owner = target.metadata.managed_fields.iter().find(owns)?;
    // Whoever created the target with this size is nobody of interest.
    let created = target.metadata.creation_timestamp;
    (owner.time != created).then(|| (target, owner.clone()))
}

fn owned(owner: &ManagedFields, time: Timestamp, size: Option<i32>) -> Notice {
    let kind = if is_apply(owner) {
        NoticeKind::Applied
    } else {
        NoticeKind::ScaledByOthers
    };
    let size = size.map_or_else(String::new, |size| format!(" to {size}"));
    Notice {
        kind,
        from: Some(time),
        to: time,
        says: format!("{}, not the HPA, set the size{size}", owner.manager),
        source: Evidence::at(EvidenceKind::ManagedFields, time, owner.manager.clone()),
    }
}
