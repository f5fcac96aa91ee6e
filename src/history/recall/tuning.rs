//! What of the spec decides about ups and downs, over time: the behavior, the
//! metrics and the bounds.

use jiff::Timestamp;

use crate::api::HpaSpec;
use crate::controller::{Nanos, Settings, whole_seconds};
use crate::history::moves::InForce;
use crate::history::observer::Observer;
use crate::snapshot::Snapshot;
use crate::trace::Bounds;

use super::to_timestamp;

/// A spec that was seen, and when.
type ObservedSpec<'a> = (Timestamp, &'a HpaSpec);

/// When the behavior or the metrics were last edited, at the latest.
pub fn edited(snapshot: &Snapshot, observer: &Observer, now: Nanos) -> Option<Timestamp> {
    let hpa = &snapshot.horizontal_pod_autoscaler;
    let seen = seen(snapshot, observer, now);
    let created = hpa.metadata.creation_timestamp;
    let written = hpa.tuning_written().filter(|at| Some(*at) != created);
    // Whoever writes again what was there before has edited nothing: where
    // specs were seen, they tell.
    let is_unseen = |at: &Timestamp| seen.first().is_some_and(|(first, _)| at < first);
    let changed = seen.windows(2).rev().find_map(|pair| {
        let [(before, old), (after, new)] = pair else {
            return None;
        };
        let is_same = old.behavior == new.behavior && old.metrics == new.metrics;
        // It is stamped in whole seconds, cut off.
        let is_between = |at: &Timestamp| at.as_second() >= before.as_second() && at <= after;
        (!is_same).then(|| written.filter(is_between).unwrap_or(*after))
    });
    changed.or(written.filter(is_unseen))
}

/// The scaleDown windows that are known to have been in force. What lies
/// between two specs that differ belongs to neither.
pub fn windows(
    snapshot: &Snapshot,
    settings: &Settings,
    observer: &Observer,
    now: Nanos,
) -> Vec<InForce> {
    let seen = seen(snapshot, observer, now);
    let written = snapshot.horizontal_pod_autoscaler.tuning_written();
    let mut all: Vec<InForce> = Vec::new();
    for (at, spec) in seen {
        let seconds = whole_seconds(settings.windows(spec).1);
        match all.last_mut() {
            Some(last) if last.seconds == seconds => last.to = at,
            Some(_) => all.push(InForce {
                from: Some(at),
                to: at,
                seconds,
            }),
            None => all.push(InForce {
                from: written.map(|written| written.min(at)),
                to: at,
                seconds,
            }),
        }
    }
    // The last one holds until now, and since it was written.
    if let [.., before, last] = all.as_mut_slice() {
        last.from = written.filter(|at| *at >= before.to).or(last.from);
    }
    if let Some(last) = all.last_mut() {
        last.to = last.to.max(to_timestamp(now));
    }
    all
}

/// The bounds that were seen, each from the first sample that has it.
pub fn bounds(snapshot: &Snapshot, observer: &Observer, now: Nanos) -> Vec<(Timestamp, Bounds)> {
    let seen = seen(snapshot, observer, now).into_iter();
    let bounds = seen.map(|(at, spec)| {
        let bounds = Bounds {
            min_replicas: spec.min_replicas.unwrap_or(1),
            max_replicas: spec.max_replicas,
        };
        (at, bounds)
    });
    let mut bounds: Vec<_> = bounds.collect();
    bounds.dedup_by_key(|it| it.1);
    bounds
}

/// The specs of the samples, and that of now.
fn seen<'a>(snapshot: &'a Snapshot, observer: &'a Observer, now: Nanos) -> Vec<ObservedSpec<'a>> {
    let samples = observer.samples().filter(|sample| sample.at <= now);
    let samples = samples.map(|sample| (to_timestamp(sample.at), &*sample.spec));
    let last = (
        snapshot.captured_at,
        &snapshot.horizontal_pod_autoscaler.spec,
    );
    samples.chain([last]).collect()
}
