//! An HPA at a moment: whose past is looked for.

use jiff::Timestamp;

use crate::snapshot::Snapshot;

/// An HPA at a moment, by the names that records and logs have for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// The HPA's namespace, and its target's.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The target's kind.
    pub target_kind: String,
    /// The target's name.
    pub target_name: String,
    /// The moment: what is known of the time before matters.
    pub at: Timestamp,
}

impl Subject {
    /// The HPA of a snapshot, at its moment.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let hpa = &snapshot.horizontal_pod_autoscaler;
        let target = &hpa.spec.scale_target_ref;
        Self {
            namespace: hpa.metadata.namespace.to_string(),
            name: hpa.metadata.name.to_string(),
            target_kind: target.kind.clone(),
            target_name: target.name.clone(),
            at: snapshot.captured_at,
        }
    }
}
