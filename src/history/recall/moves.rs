//! The changes of the size over time, put together from all that tells of
//! them, with their moments as far as these are known; what the metrics asked for at passes
//! that were seen; what of the spec decided about them then: the behavior, the
//! metrics and the bounds; and what events tell of rescales, as they stand.

use jiff::Timestamp;

use super::rescales::{PREFIX, size, times, why};
use super::sampled::sampled;
use super::scraped::scraped_specs;
use super::sizes::sizes;
use crate::api::{HpaSpec, SUCCESSFUL_RESCALE};
use crate::controller::{Nanos, SECOND, Settings, timestamp, whole_seconds};
use crate::document::snapshot::Snapshot;
use crate::history::Observer;
use crate::history::recall::{
    Logged, MemoryRules, Scaling, Sizes, Sources, none_dropped, reported,
};
use crate::trace::amount::counted;
use crate::trace::{Bounds, EvidenceKind, Range, RescaleReason, SizeChange, seconds_text};

/// The changes of the target's size before a moment, by the HPA and by others,
/// with their moments as far as these are known.
pub fn moves(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> Moves {
    let now = now.as_nanosecond();
    let rules = &MemoryRules::new(snapshot, settings, observer);
    let sources = Sources {
        snapshot,
        observer,
        rules,
        since: Nanos::MIN,
        now,
    };
    let (logged, rescales) = reported(sources);
    let sizes = sizes(sources, &rescales);
    let complete_since = complete_since(&sizes, &logged, now);
    let mut known = sizes.changes;
    for change in known.iter_mut().filter(|it| it.is_own == Some(false)) {
        let is_complete = complete_since.is_some_and(|since| timestamp(change.at.from) >= since);
        // The HPA's own event of it may have been dropped.
        let is_known = match change.source {
            EvidenceKind::ManagedFields => true,
            EvidenceKind::TargetEvent => none_dropped(snapshot, change.at.to),
            _ => false,
        };
        change.is_own = (is_complete || is_known).then_some(false);
    }
    let by_samples = sampled(sources, (known, rescales.between));
    let size_changes = |all: &[Scaling]| all.iter().map(size_change).collect::<Vec<_>>();
    let mut known = size_changes(&by_samples.known);
    let mut undated = size_changes(&by_samples.undated);
    let shown_since = rescales.shown_since.map(timestamp);
    let sampled_since = shown_since.filter(|_| by_samples.shown.is_some());
    without_behavior(&mut known, &mut undated, rules);
    let mut remarks = rescales.remarks;
    remarks.extend(without_activation(snapshot, &mut known));
    remarks.extend(logged.gap_until.map(|until| {
        let ago = seconds_text(whole_seconds(now - until));
        format!("the controller's log has gaps; the last one ended {ago} ago")
    }));
    let size = snapshot.scale.response().map(|scale| scale.spec.replicas);
    let impossible = size.filter(|size| *size < 0);
    remarks.extend(impossible.map(|size| {
        format!("the scale shows {size} replicas, which is impossible; it is ignored")
    }));
    remarks.extend(observer.scrapes().remarks.iter().cloned());
    let (proposals, proposals_from) = proposals(sources, &logged);
    let shown = by_samples.shown.filter(|(_, long)| *long >= LONG);
    Moves {
        known,
        undated,
        complete_since: complete_since.into_iter().chain(sampled_since).min(),
        remarks,
        proposals,
        proposals_from,
        sizes_from: shown.map(|(source, _)| source),
        edited: edited(sources),
        windows: windows(sources, settings),
        bounds: bounds(sources),
    }
}

/// Sizes that were seen for so long tell whether an HPA flaps; events do for as long.
const LONG: Nanos = 3_600 * SECOND;

/// From when on every change by the HPA is told of. A restart that the log
/// tells of ends what the controller remembers, and not what the log tells.
fn complete_since(sizes: &Sizes, logged: &Logged, now: Nanos) -> Option<Timestamp> {
    let since = match (logged.start, logged.covers) {
        (Some(start), Some(covers)) if (covers.from..=start).contains(&sizes.reported_since) => {
            covers.from
        }
        _ => sizes.reported_since,
    };
    (since < now).then(|| timestamp(since.max(0)))
}

fn size_change(change: &Scaling) -> SizeChange {
    SizeChange {
        from: timestamp(change.at.from),
        to: timestamp(change.at.to),
        count: change.count,
        before: change.before,
        after: change.after,
        way: change.by_sizes().or_else(|| change.way()),
        is_own: change.is_own,
        reason: change.reason.clone(),
        source: Some(change.source),
    }
}

/// KEDA takes its target to 0 and back while the HPA rests: neither is a change
/// that the HPA would take back.
fn without_activation(snapshot: &Snapshot, known: &mut Vec<SizeChange>) -> Option<String> {
    if !snapshot.is_by_keda() {
        return None;
    }
    let is_to_zero = |it: &&SizeChange| !it.is_by_hpa() && it.after == Some(0);
    let times = known.iter().filter(is_to_zero).count();
    known.retain(|it| it.is_by_hpa() || (it.before != Some(0) && it.after != Some(0)));
    (times > 0).then(|| {
        let times = counted(times, "time");
        format!("KEDA scaled to 0 {times} because there was no work; that is not flapping")
    })
}

/// Without `behavior` the highest recommendation of the window is taken up
/// again whatever the size is by now, upwards as well, and the reason is still
/// that all metrics are below target. It tells the way only where the HPA
/// itself went further up, and nobody else took it down from there: where it
/// was is known then.
fn without_behavior(known: &mut [SizeChange], undated: &mut [SizeChange], rules: &MemoryRules) {
    let had_behavior = |it: &SizeChange| rules.had_behavior(it.from.as_nanosecond());
    let all = || known.iter().chain(undated.iter());
    let own = all().filter(|it| it.is_by_hpa());
    let largest = own.filter_map(|it| it.after).max();
    let is_all_own = all().all(SizeChange::is_by_hpa);
    for change in known.iter_mut().chain(undated) {
        let by_sizes = change.before.zip(change.after);
        let is_open =
            change.is_by_hpa() && by_sizes.is_none() && change.reason == RescaleReason::BelowTarget;
        if is_open && !had_behavior(change) && (!is_all_own || change.after >= largest) {
            change.way = None;
        }
    }
}

/// What the metrics asked for, and where that is from: the log knows it,
/// samples bound it.
fn proposals(sources: Sources, logged: &Logged) -> (Vec<ProposedAt>, Option<EvidenceKind>) {
    let passes = logged.passes.iter().map(|(at, replicas)| ProposedAt {
        at: timestamp(*at),
        replicas: Range::of(*replicas),
    });
    let passes: Vec<ProposedAt> = passes.collect();
    if !passes.is_empty() {
        return (passes, Some(EvidenceKind::ControllerLog));
    }
    let proposals = sources.samples().filter_map(|sample| {
        Some(ProposedAt {
            at: timestamp(sample.at),
            replicas: sample.since_last.within()?,
        })
    });
    let proposals: Vec<ProposedAt> = proposals.collect();
    let source = (!proposals.is_empty()).then_some(EvidenceKind::Record);
    (proposals, source)
}

/// A spec that was seen, and when.
type ObservedSpec<'a> = (Timestamp, &'a HpaSpec);

/// When the behavior or the metrics were last edited, at the latest.
fn edited(sources: Sources) -> Option<Timestamp> {
    let hpa = &sources.snapshot.hpa;
    let observed_specs = observed_specs(sources);
    let created = hpa.metadata.creation_timestamp;
    let written = hpa.tuning_written().filter(|at| Some(*at) != created);
    // Whoever writes again what was there before has edited nothing: where
    // specs were seen, they tell.
    // Scrapes show the behavior of now, whatever it was then.
    let is_scraped = scraped_specs(sources).next().is_some();
    let is_before_first =
        |at: &Timestamp| is_scraped || observed_specs.first().is_some_and(|(first, _)| at < first);
    let changed = observed_specs.windows(2).rev().find_map(|pair| {
        let [(before, old), (after, new)] = pair else {
            return None;
        };
        let is_same = old.behavior == new.behavior && old.metrics == new.metrics;
        // It is stamped in whole seconds, cut off.
        let is_between = |at: &Timestamp| at.as_second() >= before.as_second() && at <= after;
        (!is_same).then(|| written.filter(is_between).unwrap_or(*after))
    });
    let written = written.filter(is_before_first);
    if is_scraped {
        return changed.max(written);
    }
    changed.or(written)
}

/// The scaleDown windows that are known to have been in force. What lies
/// between two specs that differ belongs to neither.
fn windows(sources: Sources, settings: &Settings) -> Vec<InForce> {
    let snapshot = sources.snapshot;
    let observed_specs = observed_specs(sources);
    let written = snapshot.hpa.tuning_written();
    let mut all: Vec<InForce> = Vec::new();
    let first_scrape = scraped_specs(sources).next();
    // Scrapes show the behavior of now, whatever it was then.
    let is_known = |at: Timestamp| {
        first_scrape.is_none_or(|(first, _)| at < first)
            || at == snapshot.captured_at
            || written.is_some_and(|written| at >= written)
    };
    for (at, spec) in observed_specs.into_iter().filter(|(at, _)| is_known(*at)) {
        let seconds = whole_seconds(settings.windows(spec).1);
        match all.last_mut() {
            Some(last) if last.seconds == seconds => last.to = at,
            before => {
                let first = written.map(|written| written.min(at));
                let from = before.map_or(first, |_| Some(at));
                let to = at;
                all.push(InForce { from, to, seconds });
            }
        }
    }
    // The last one holds until now, and since it was written.
    if let [.., before, last] = all.as_mut_slice() {
        last.from = written.filter(|at| *at >= before.to).or(last.from);
    }
    if let Some(last) = all.last_mut() {
        last.to = last.to.max(timestamp(sources.now));
    }
    all
}

/// The bounds that were seen, each from the first sample that has it.
fn bounds(sources: Sources) -> Vec<(Timestamp, Bounds)> {
    let specs = observed_specs(sources).into_iter();
    let bounds = specs.map(|(at, spec)| (at, Bounds::of(spec)));
    let mut bounds: Vec<_> = bounds.collect();
    bounds.dedup_by_key(|it| it.1);
    bounds
}

/// The specs of the samples, and that of now.
fn observed_specs(sources: Sources) -> Vec<ObservedSpec> {
    let snapshot = sources.snapshot;
    let samples = sources.samples();
    let samples = samples.map(|sample| (timestamp(sample.at), &*sample.spec));
    let last = &snapshot.hpa.spec;
    let mut all: Vec<ObservedSpec> = samples.chain([(snapshot.captured_at, last)]).collect();
    all.extend(scraped_specs(sources));
    all.sort_by_key(|(at, _)| *at);
    all
}

/// What is known of the sizes before a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// The changes whose moments are known to the second, the oldest first.
    pub known: Vec<SizeChange>,
    /// The changes that an aggregated event only counts, those of one event
    /// together.
    pub undated: Vec<SizeChange>,
    /// From when on every change by the HPA is known, if only as one of
    /// several within a time; absent where one may always be missing.
    pub complete_since: Option<Timestamp>,
    /// What a reader should know of the sources.
    pub remarks: Vec<String>,
    /// What the metrics asked for, pass by pass, the oldest first.
    pub proposals: Vec<ProposedAt>,
    /// Where that is known from.
    pub proposals_from: Option<EvidenceKind>,
    /// What shows the sizes of an hour or more, also where they never changed.
    pub sizes_from: Option<EvidenceKind>,
    /// The latest edit of the behavior or of the metrics: at the latest then.
    pub edited: Option<Timestamp>,
    /// The scaleDown window of the times of which it is known, the oldest
    /// first.
    pub windows: Vec<InForce>,
    /// The bounds, each from when it was first seen; the oldest first.
    pub bounds: Vec<(Timestamp, Bounds)>,
}

/// A scaleDown window, and a time in which it was in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InForce {
    /// From when on; absent where nothing tells of another one before.
    pub from: Option<Timestamp>,
    /// Until when.
    pub to: Timestamp,
    /// The window, in seconds.
    pub seconds: i64,
}

impl Moves {
    /// The scaleDown window that was in force at a moment, in seconds, where
    /// that is known.
    pub fn window_at(&self, at: Timestamp) -> Option<i64> {
        let holds = |it: &&InForce| it.from.is_none_or(|from| from <= at) && at <= it.to;
        self.windows.iter().find(holds).map(|it| it.seconds)
    }
}

/// What the metrics asked for in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProposedAt {
    /// When the pass ran, or was sampled.
    pub at: Timestamp,
    /// The count, or its bounds.
    pub replicas: Range,
}

/// What one event tells: one rescale, or several to the same size for the
/// same reason, of which only the first and the last have a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedRescales {
    /// When the first was, in whole seconds.
    pub first: Timestamp,
    /// When the last was, in whole seconds.
    pub last: Timestamp,
    /// The new size; that of the last one where similar events were merged.
    pub size: i32,
    /// Why, in the controller's words; that of the last one where similar
    /// events were merged.
    pub reason: RescaleReason,
}

/// Until when events of the target hide changes of its size: merged ones tell of
/// the last alone, and equal ones of the first and the last.
pub fn target_events_hide_until(snapshot: &Snapshot) -> Option<Timestamp> {
    let hidden = snapshot.target_events().filter_map(|event| {
        let (_, last, count) = times(event)?;
        let is_merged = event.message.starts_with(PREFIX);
        let reported = if is_merged { 0 } else { 2 };
        (count > reported).then_some(last)
    });
    hidden.max()
}

/// The rescales that the events of the snapshot tell of, in the order of
/// their last moments.
pub fn reported_rescales(snapshot: &Snapshot) -> Vec<ReportedRescales> {
    let events = snapshot.own_events();
    let rescales = events.filter(|event| event.reason == SUCCESSFUL_RESCALE);
    let reported = rescales.filter_map(|event| {
        let (first, last, _) = times(event)?;
        let text = event.message.trim_start_matches(PREFIX);
        Some(ReportedRescales {
            first,
            last,
            size: size(text)?,
            reason: RescaleReason::parse(why(text)),
        })
    });
    let mut reported: Vec<ReportedRescales> = reported.collect();
    reported.sort_by_key(|reported| reported.last);
    reported
}
