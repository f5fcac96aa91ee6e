//! When the size last changed, from what, and to what.

use jiff::Timestamp;

use crate::trace::{Direction, EvidenceKind, RescaleReason, SizeChange, Trace};

/// The latest change before the pass: the one that something tells of, or else
/// the one of the status or of the controller's memory. The memory has how many
/// replicas it added, and so the size before.
pub(super) fn last_change(known: Option<&SizeChange>, trace: &Trace) -> Option<SizeChange> {
    let stored = stored(trace);
    let mut change = match known {
        Some(known) => known.clone(),
        None => by_status(trace, stored)?,
    };
    if let (None, Some(after), Some((at, added))) = (change.before, change.after, stored)
        && change.is_by_hpa()
        && SizeChange::is_moment(at, change.to)
    {
        change.before = Some(after.saturating_sub(added));
    }
    Some(since_status(&change, trace).unwrap_or(change))
}

/// The size is not the one that the last pass left: it changed after the last
/// rescale of the status.
fn since_status(rescale: &SizeChange, trace: &Trace) -> Option<SizeChange> {
    let (before, size) = (trace.reported.desired_replicas, trace.size()?);
    let is_left = trace.reported.current_replicas == before;
    let is_of_status = rescale.source == Some(EvidenceKind::LastScaleTime);
    (is_left && is_of_status && size != before).then(|| SizeChange {
        to: trace.at,
        before: Some(before),
        after: Some(size),
        way: Direction::between(before, size),
        is_own: None,
        source: Some(EvidenceKind::Status),
        ..rescale.clone()
    })
}

/// The last change before this pass that the controller's memory holds, and how
/// many replicas it added.
fn stored(trace: &Trace) -> Option<(Timestamp, i32)> {
    let up = trace.memory.scale_up_events.iter().flatten();
    let down = trace.memory.scale_down_events.iter().flatten();
    let up = up.map(|event| (event.timestamp, event.replicas));
    let down = down.map(|event| (event.timestamp, event.replicas.saturating_neg()));
    let earlier = up.chain(down).filter(|(at, _)| *at < trace.at);
    earlier.max_by_key(|(at, _)| *at)
}

/// A change by the HPA of which at most the moment and the number are known.
/// It led to the size that there is if the status still says so.
fn by_status(trace: &Trace, stored: Option<(Timestamp, i32)>) -> Option<SizeChange> {
    let reported = &trace.reported;
    let stored = stored.map(|(at, _)| at);
    let at = reported.last_scale_time.or(stored)?;
    let size = trace.size().unwrap_or(trace.outcome.current_replicas);
    let is_stored = stored.is_some_and(|stored| SizeChange::is_moment(stored, at));
    Some(SizeChange {
        from: at,
        to: at,
        count: 1,
        before: None,
        after: (is_stored && size == reported.desired_replicas).then_some(size),
        way: None,
        is_own: Some(true),
        reason: RescaleReason::NONE,
        source: reported
            .last_scale_time
            .map(|_| EvidenceKind::LastScaleTime),
    })
}
