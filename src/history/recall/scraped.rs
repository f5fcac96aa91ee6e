//! What scrapes tell of the size: no series has reasons or the moment of the
//! last rescale, so that a rescale shows only by what its pass reported: the
//! size that it found, and the size that it asked for.

use jiff::Timestamp;

use crate::api::{ConditionKind, ConditionStatus, HpaSpec, HpaStatus};
use crate::controller::Nanos;
use crate::history::observer::Observer;
use crate::snapshot::Snapshot;

use super::sampled::SizeSample;
use crate::controller::timestamp;

/// The sizes that were scraped before the inputs were sampled.
pub fn scraped_sizes<'a>(
    snapshot: &Snapshot,
    observer: &'a Observer,
    now: Nanos,
) -> impl Iterator<Item = SizeSample<'a>> {
    let until = snapshot.captured_at.as_nanosecond().min(now);
    let scrapes = observer.scrapes().all.iter();
    scrapes
        .filter(move |it| it.at < until)
        .map(|it| SizeSample {
            at: it.at,
            size: it.size,
            status: &it.status,
            target: &it.spec.scale_target_ref,
            created: it.created,
            is_scraped: true,
        })
}

/// The specs that were scraped since a moment and before the inputs were sampled.
/// Their behavior is that of now.
pub fn scraped_specs<'a>(
    snapshot: &Snapshot,
    observer: &'a Observer,
    now: Nanos,
) -> impl Iterator<Item = (Timestamp, &'a HpaSpec)> {
    let until = snapshot.captured_at.as_nanosecond().min(now);
    let scrapes = observer.scrapes().all.iter();
    let scrapes = scrapes.filter(move |it| it.at < until);
    scrapes.map(|it| (timestamp(it.at), &*it.spec))
}

/// The rescale between two scrapes that differ in size, as the status of the
/// later one tells of it, or that of the one after: the size and the status
/// come to whoever is scraped one after the other.
///
/// A pass that fails leaves an older size as the desired one, so that only one
/// whose metrics and whose scale could be read tells of a rescale. A status that
/// was there before can be of an earlier one.
pub fn rescaled(
    before: &SizeSample,
    after: &SizeSample,
    next: Option<&SizeSample>,
) -> Option<(i32, i32)> {
    let is_same = |it: &SizeSample| it.is_scraped && it.created == before.created;
    if !before.is_scraped || !is_same(after) || before.size == after.size {
        return None;
    }
    let sizes = |it: &SizeSample| (it.status.current_replicas, it.status.desired_replicas);
    let tells = |it: &SizeSample| {
        let (from, to) = sizes(it);
        let is_new = sizes(it) != sizes(before);
        from != to && to == after.size && it.size == to && is_new && is_active(it.status)
    };
    if tells(after) {
        return Some(sizes(after));
    }
    let is_late = |it: &&SizeSample| {
        is_same(it) && tells(it) && sizes(after) == sizes(before) && sizes(it).0 == before.size
    };
    next.filter(is_late).map(sizes)
}

fn is_active(status: &HpaStatus) -> bool {
    let kinds = [ConditionKind::AbleToScale, ConditionKind::ScalingActive];
    let mut conditions = kinds.into_iter().map(|kind| status.condition(kind));
    conditions.all(|it| it.is_some_and(|it| it.status == ConditionStatus::True))
}
