//! What people did to the HPA itself: edited, or deleted and created again.

use crate::controller::Nanos;
use crate::snapshot::Snapshot;
use crate::trace::{Evidence, EvidenceKind, Notice, NoticeKind};

use super::MemoryRules;
use super::since::had_predecessor;

/// The HPA has had a predecessor, of which something may be remembered.
pub fn predecessor(snapshot: &Snapshot) -> Option<Notice> {
    let created = snapshot
        .horizontal_pod_autoscaler
        .metadata
        .creation_timestamp?;
    had_predecessor(snapshot).then(|| Notice {
        kind: NoticeKind::Recreated,
        from: None,
        to: created,
        says: "the HPA was deleted and created again; what was remembered of the old one may \
               still count"
            .to_owned(),
        source: Evidence::at(EvidenceKind::Event, created, "events older than the HPA"),
    })
}

/// An edit of the spec within the time that counts.
pub fn edited(snapshot: &Snapshot, rules: &MemoryRules, now: Nanos) -> Option<Notice> {
    let hpa = &snapshot.horizontal_pod_autoscaler;
    let at = hpa.spec_written()?;
    let created = hpa.metadata.creation_timestamp;
    let longest = rules.longest_window().max(rules.longest_period);
    let is_recent = at.as_nanosecond() >= now - longest;
    (is_recent && Some(at) != created).then(|| Notice {
        kind: NoticeKind::SpecEdited,
        from: Some(at),
        to: at,
        says: "the HPA's spec was changed; what older passes did tells less".to_owned(),
        source: Evidence::at(EvidenceKind::ManagedFields, at, ""),
    })
}
