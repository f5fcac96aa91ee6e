//! How far back the memory can go at most.

use jiff::{SignedDuration, Timestamp};

use crate::api::Event;
use crate::snapshot::Snapshot;
use crate::trace::{Evidence, EvidenceKind, MemorySince};

use super::rescales::times;

/// The latest moment at which the controller cannot have remembered anything
/// of the HPA: its lead began, or the HPA was created.
pub fn since(snapshot: &Snapshot) -> Option<MemorySince> {
    let lease = lead(snapshot).map(|at| MemorySince {
        at,
        source: Evidence::at(EvidenceKind::Lease, at, "the controller leads since then"),
    });
    let creation = creation(snapshot).map(|at| MemorySince {
        at,
        source: Evidence::at(EvidenceKind::Creation, at, "the HPA was created"),
    });
    let moments = lease.into_iter().chain(creation);
    moments.max_by_key(|since| since.at)
}

/// A lease that was not renewed for so long is nobody's: leader election is
/// off by now, or nobody leads.
const STALE: SignedDuration = SignedDuration::from_secs(120);

/// Since when the controller leads.
pub fn lead(snapshot: &Snapshot) -> Option<Timestamp> {
    let lease = &snapshot.controller_lease.as_ref()?.spec;
    let is_stale = |renewed: Timestamp| snapshot.captured_at.duration_since(renewed) > STALE;
    lease
        .acquire_time
        .filter(|_| !lease.renew_time.is_some_and(is_stale))
}

/// Until when the process that leads is known to have led: who fails to renew
/// the lease for some seconds ends, and its successor acquires it anew.
pub fn led_until(snapshot: &Snapshot) -> Option<Timestamp> {
    lead(snapshot)?;
    snapshot.controller_lease.as_ref()?.spec.renew_time
}

/// When the HPA was created, unless one of its name lived before: what the
/// controller remembers is kept by name, and deleting and creating an HPA
/// within one sync period goes unnoticed.
fn creation(snapshot: &Snapshot) -> Option<Timestamp> {
    let created = snapshot
        .horizontal_pod_autoscaler
        .metadata
        .creation_timestamp?;
    (!had_predecessor(snapshot)).then_some(created)
}

/// Whether events tell of an HPA of the same name before this one.
pub fn had_predecessor(snapshot: &Snapshot) -> bool {
    let metadata = &snapshot.horizontal_pod_autoscaler.metadata;
    let is_older = |event: &Event| {
        let first = times(event).map(|(first, ..)| first);
        first
            .zip(metadata.creation_timestamp)
            .is_some_and(|(first, created)| first < created)
    };
    let is_of_another = |event: &Event| {
        let uids = event
            .involved_object
            .uid
            .as_ref()
            .zip(metadata.uid.as_ref());
        uids.is_some_and(|(one, other)| one != other)
    };
    let mut events = snapshot.own_events();
    events.any(|event| is_older(event) || is_of_another(event))
}

/// Whether no pass has run on the HPA yet: the first one writes a status.
/// Where nothing tells when the HPA came to be, a status that was never
/// filled in tells nothing either.
pub fn is_untouched(snapshot: &Snapshot) -> bool {
    let status = &snapshot.horizontal_pod_autoscaler.status;
    since(snapshot).is_some()
        && !had_predecessor(snapshot)
        && status.conditions.is_empty()
        && status.last_scale_time.is_none()
}
