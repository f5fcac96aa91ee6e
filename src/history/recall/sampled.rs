//! The changes of the size that samples show, and who made each.
//!
//! Events tell less: the client drops those of an object beyond a burst, and
//! counts on where it lets none through. A sample has the size itself, and its
//! status has the last rescale. So a change between two samples that no event
//! tells of is the HPA's, somebody else's, or nobody knows: it is somebody
//! else's only where the HPA cannot have made it.

use std::iter::Peekable;
use std::vec::IntoIter;

use jiff::Timestamp;

use super::scraped::{rescaled, scraped_sizes};
use crate::api::{CrossVersionObjectReference, HpaStatus};
use crate::controller::{Nanos, SECOND};
use crate::history::recall::{CLOSER, MemoryRules, Scaling, Sources, lead};
use crate::history::{Observation, Span};
use crate::trace::EvidenceKind;

/// The clocks of a sample and of the controller differ by no more.
const SLACK: Nanos = 2 * SECOND;
/// By then, the status of a pass is written.
const SETTLED: Nanos = 5 * SECOND;

/// The changes, with what samples show.
pub struct Sampled {
    /// Those that are known, the oldest first.
    pub known: Vec<Scaling>,
    /// Those that aggregated events only count.
    pub undated: Vec<Scaling>,
    /// What shows the sizes, and for how long; absent where no sample has one.
    pub shown: Option<(EvidenceKind, Nanos)>,
}

/// A size that was seen.
pub struct SizeSample<'a> {
    pub at: Nanos,
    pub size: i32,
    pub status: &'a HpaStatus,
    pub target: &'a CrossVersionObjectReference,
    /// An HPA that was created again has a status of its own.
    pub created: Option<Timestamp>,
    /// Whether a Prometheus scraped it: its status has no reasons, and does not
    /// tell of the last rescale.
    pub is_scraped: bool,
}

/// What the samples hold.
struct Samples<'a> {
    by_time: Vec<SizeSample<'a>>,
    /// The changes by the HPA.
    own: Vec<Scaling>,
    /// What tells of the changes by others.
    others: Vec<Scaling>,
    rules: &'a MemoryRules,
    lead: Option<Nanos>,
    /// Whether the samples and the controller have one time.
    has_one_clock: bool,
}

/// Puts what else tells of changes together with what the samples show.
pub(super) fn sampled(sources: Sources, (known, undated): (Vec<Scaling>, Vec<Scaling>)) -> Sampled {
    let by_time = sightings(sources);
    let times = by_time.first().zip(by_time.last());
    let Some((begin, end)) = times.map(|(first, last)| (first.at, last.at)) else {
        return Sampled {
            known,
            undated,
            shown: None,
        };
    };
    let (own, others) = known.into_iter().partition(|it| it.is_own == Some(true));
    let mut samples = Samples {
        by_time,
        own,
        others,
        rules: sources.rules,
        lead: lead(sources.snapshot).map(Timestamp::as_nanosecond),
        has_one_clock: true,
    };
    let is_scraped = samples.by_time.iter().any(|it| it.is_scraped);
    let source = if is_scraped {
        EvidenceKind::Prometheus
    } else {
        EvidenceKind::Record
    };
    samples.by_scrapes();
    samples.by_status();
    let known = samples.changes(begin, end);
    let undated = undated.into_iter();
    let undated = undated.filter_map(|group| left(group, &known));
    Sampled {
        undated: undated.collect(),
        shown: Some((source, end - begin)),
        known,
    }
}

/// From when on samples show every rescale: two in a row name the same one as the
/// last, or lie so close that each pass left its status in one of them.
pub(super) fn shown_since(sources: Sources) -> Option<Nanos> {
    let rules = sources.rules;
    let captured_at = sources.snapshot.captured_at.as_nanosecond();
    let mut later: Option<&Observation> = None;
    for sample in sources.samples().rev() {
        let until = later.map_or(captured_at, |it| it.at);
        let is_close = until - sample.at <= rules.sync_period - CLOSER;
        let is_reported = later.map_or(is_close, |later| {
            let (new, old) = (&later.status, &sample.status);
            let is_same = later.created == sample.created
                && new.last_scale_time == old.last_scale_time
                && later.spec.scale_target_ref == sample.spec.scale_target_ref;
            let is_next = is_close || has_no_room(sample, later, rules);
            let is_other =
                later.spec != sample.spec || new.observed_generation != old.observed_generation;
            let is_edited = rules.is_at_once_on_edits && is_other;
            is_same || is_next && !is_edited && later.status.has_rescaled()
        });
        // What nobody wrote is no status, but before the first pass.
        let is_status = sample.written.is_some() || sample.status.conditions.is_empty();
        if !is_reported || !is_status {
            break;
        }
        later = Some(sample);
    }
    later.map(|sample| sample.at)
}

/// Whether no pass can have run between those that wrote what two samples show,
/// by the times at which they wrote it.
fn has_no_room(sample: &Observation, later: &Observation, rules: &MemoryRules) -> bool {
    let apart = rules.sync_period - CLOSER;
    let written = sample.written.zip(later.written);
    written.is_some_and(|(one, other)| {
        let one = (sample.at - SLACK).max(Span::second(one).from + apart);
        one > Span::second(other).to - apart
    })
}

fn sightings(sources: Sources) -> Vec<SizeSample> {
    let snapshot = sources.snapshot;
    let hpa = &snapshot.hpa;
    let samples = sources.samples().filter_map(|sample| {
        Some(SizeSample {
            at: sample.at,
            size: sample.size?,
            status: &sample.status,
            target: &sample.spec.scale_target_ref,
            created: sample.created,
            is_scraped: false,
        })
    });
    let mut by_time: Vec<SizeSample> = samples.collect();
    by_time.extend(scraped_sizes(sources));
    by_time.sort_by_key(|it| it.at);
    let captured_at = snapshot.captured_at.as_nanosecond();
    let is_later = by_time.last().is_some_and(|last| last.at < captured_at);
    if let Some(size) = snapshot.size().filter(|_| is_later) {
        by_time.push(SizeSample {
            at: captured_at,
            size,
            status: &hpa.status,
            target: &hpa.spec.scale_target_ref,
            created: hpa.metadata.creation_timestamp,
            is_scraped: false,
        });
    }
    by_time
}

/// What an aggregated event counts and samples do not show.
fn left(group: Scaling, known: &[Scaling]) -> Option<Scaling> {
    let is_of_it = |it: &&Scaling| {
        let is_this = it.after == group.after || group.after.is_none();
        let is_new = it.source == EvidenceKind::Record;
        is_new && it.is_own == Some(true) && is_this && it.at.meet(group.at).is_some()
    };
    let shown = known.iter().filter(is_of_it).count();
    let shown = u32::try_from(shown).unwrap_or(u32::MAX);
    let count = group.count.saturating_sub(shown);
    (count > 0).then_some(Scaling { count, ..group })
}

impl Samples<'_> {
    /// The rescales that the statuses tell of, and what they tell of those
    /// that are known.
    fn by_status(&mut self) {
        for pair in self.by_time.windows(2) {
            let [before, by_time] = pair else {
                continue;
            };
            let last = by_time.status.last_scale_time;
            let is_new = last != before.status.last_scale_time;
            let Some(at) = last.filter(|_| is_new && !by_time.is_scraped) else {
                continue;
            };
            let status = by_time.status;
            let is_reported = status.has_rescaled() && status.current_replicas >= 0;
            let sizes = is_reported.then_some((status.current_replicas, status.desired_replicas));
            let second = Span::second(at);
            self.has_one_clock &= before.is_scraped
                || second.to > before.at - SETTLED && second.from <= by_time.at + SLACK;
            let is_it = |it: &Scaling| {
                let is_near = (it.at.from - second.from).abs() <= SLACK;
                let is_inside = is_of_scrapes(it)
                    && it.at.from - SLACK <= second.from
                    && second.to <= it.at.to + SLACK;
                (is_near || is_inside)
                    && (sizes.is_none() || it.after.is_none() || it.after == sizes.map(|it| it.1))
            };
            // Between scrapes, several can be near: this is the last one.
            let found = if before.is_scraped {
                self.own.iter().rposition(is_it)
            } else {
                self.own.iter().position(is_it)
            };
            if let Some(known) = found.and_then(|found| self.own.get_mut(found)) {
                if let Some((before, after)) = sizes {
                    (known.before, known.after) = (Some(before), Some(after));
                }
                if is_of_scrapes(known) {
                    known.at = second;
                }
                if !before.is_scraped {
                    known.source = of_record(known.source);
                }
                continue;
            }
            let source = if before.is_scraped {
                EvidenceKind::LastScaleTime
            } else {
                EvidenceKind::Record
            };
            self.own.push(Scaling {
                before: sizes.map(|it| it.0),
                after: sizes.map(|it| it.1),
                ..Scaling::new(second, Some(true), source)
            });
        }
        self.own.sort_by_key(|it| it.at.from);
    }

    /// The rescales that scrapes tell of, the latest first: a moment without a
    /// size is that of the last rescale.
    fn by_scrapes(&mut self) {
        let by_time = &self.by_time;
        let reported = self.own.len();
        for (index, pair) in by_time.windows(2).enumerate().rev() {
            let [one, other] = pair else {
                continue;
            };
            let Some((before, after)) = rescaled(one, other, by_time.get(index + 2)) else {
                continue;
            };
            let is_it = |it: &&mut Scaling| {
                let is_near = it.at.to > one.at - SLACK && it.at.from <= other.at + SLACK;
                let is_same = it.after.is_none_or(|it| it == after)
                    && it.before.is_none_or(|it| it == before);
                is_near && is_same && !is_of_scrapes(it)
            };
            if let Some(known) = self.own[..reported].iter_mut().rfind(is_it) {
                // One so shortly after the scrape can be the next one.
                if known.after.is_some() || known.at.from <= other.at {
                    (known.before, known.after) = (Some(before), Some(after));
                }
                continue;
            }
            let at = Span::new(one.at, other.at);
            self.own.push(Scaling {
                before: Some(before),
                after: Some(after),
                ..Scaling::new(at, Some(true), EvidenceKind::Prometheus)
            });
        }
        self.own.sort_by_key(|it| it.at.from);
    }

    /// All changes, the oldest first.
    fn changes(&self, begin: Nanos, end: Nanos) -> Vec<Scaling> {
        let mut own = self.own.clone().into_iter().peekable();
        let others = self.others.iter();
        let mut all: Vec<Scaling> = others.filter(|it| it.at.to <= begin).cloned().collect();
        // What came before the samples is told by all else.
        while let Some(change) = own.next_if(|it| it.at.to <= begin - SLACK) {
            all.push(change);
        }
        all.sort_by_key(|it| it.at.from);
        for pair in self.by_time.windows(2) {
            if let [one, other] = pair
                && one.target == other.target
            {
                self.between(one, other, &mut own, &mut all);
            }
        }
        let others = self.others.iter();
        let later = others.filter(|it| it.at.from > end).cloned();
        let mut later: Vec<Scaling> = later.chain(own).collect();
        later.sort_by_key(|it| it.at.from);
        all.extend(later);
        all
    }

    /// The changes between two samples.
    fn between(
        &self,
        one: &SizeSample,
        other: &SizeSample,
        own: &mut Peekable<IntoIter<Scaling>>,
        all: &mut Vec<Scaling>,
    ) {
        let (mut from, mut size) = (one.at, one.size);
        let is_of_here = |it: &Scaling, size: i32| {
            let is_inside = it.at.to <= other.at - SLACK;
            let is_near = it.at.from <= other.at + SLACK;
            let arrives = size != other.size && it.after.is_none_or(|to| to == other.size);
            let is_scraped = is_of_scrapes(it) && it.at.to <= other.at;
            is_inside || is_scraped || is_near && arrives
        };
        while let Some(mut change) = own.next_if(|it| is_of_here(it, size)) {
            if let Some(before) = change.before.filter(|before| *before != size) {
                let to = change.at.to.min(other.at).max(from);
                all.push(self.unexplained((size, before), (from, to), one));
            }
            if change.source == EvidenceKind::LastScaleTime && !one.is_scraped {
                change.source = EvidenceKind::Record;
            }
            size = change.after.unwrap_or(other.size);
            from = from.max(change.at.from).min(other.at);
            all.push(change);
        }
        if size != other.size {
            all.push(self.unexplained((size, other.size), (from, other.at), one));
        }
    }

    /// A change that no rescale explains.
    fn unexplained(
        &self,
        (before, after): (i32, i32),
        (from, to): (Nanos, Nanos),
        sample: &SizeSample,
    ) -> Scaling {
        let reported = self.others.iter().find(|it| {
            let is_near = it.at.to > from - SLACK && it.at.from <= to + SLACK;
            is_near && it.after == Some(after) && it.source != EvidenceKind::Status
        });
        let (at, source) = match reported {
            Some(it) => (it.at, it.source),
            None if sample.is_scraped => (Span::new(from, to), EvidenceKind::Prometheus),
            None => (Span::new(from, to), EvidenceKind::Record),
        };
        let is_own = (!self.can_be_own(after, from, to)).then_some(false);
        Scaling {
            before: Some(before),
            after: Some(after),
            ..Scaling::new(at, is_own, source)
        }
    }

    /// Whether the HPA can have made a change that no event and no status
    /// tells of.
    fn can_be_own(&self, after: i32, from: Nanos, to: Nanos) -> bool {
        !self.has_one_clock || !self.is_denied(from, to) && !self.is_between_passes(after, from, to)
    }

    /// A later status has an older rescale as the last one.
    fn is_denied(&self, from: Nanos, to: Nanos) -> bool {
        let first = self.by_time.partition_point(|it| it.at < to + SETTLED);
        let then = self.by_time.partition_point(|it| it.at <= from);
        let then = self.by_time[..then].last();
        let Some((later, then)) = self.by_time.get(first).zip(then) else {
            return false;
        };
        let is_older = |last: Timestamp| Span::second(last).to < from - SLACK;
        let status = later.status;
        let is_reported = !later.is_scraped && later.created == then.created;
        is_reported && !status.conditions.is_empty() && status.last_scale_time.is_none_or(is_older)
    }

    /// The HPA made another change so shortly before or after that it had no
    /// pass in this time, as long as one controller leads and no edit queues a
    /// pass.
    fn is_between_passes(&self, after: i32, from: Nanos, to: Nanos) -> bool {
        let period = self.rules.sync_period;
        let apart = period - CLOSER - SLACK;
        let has_restarted = |at: Nanos| at > from - period;
        if self.lead.is_some_and(has_restarted) || self.rules.may_be_at_once(from) {
            return false;
        }
        let first = self.own.partition_point(|it| it.at.from + apart < to);
        let near = self.own[first..].iter();
        let mut near = near.take_while(|it| it.at.from <= from + apart);
        near.any(|it| {
            let is_another = it.after.is_some_and(|size| size != after) || it.before == Some(after);
            is_another && it.at.to <= from + apart
        })
    }
}

fn is_of_scrapes(change: &Scaling) -> bool {
    change.source == EvidenceKind::Prometheus
}

/// What a sample has shown needs no other evidence.
fn of_record(kind: EvidenceKind) -> EvidenceKind {
    match kind {
        EvidenceKind::LastScaleTime | EvidenceKind::Status => EvidenceKind::Record,
        counts => counts,
    }
}
