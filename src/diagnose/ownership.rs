//! Whose a pod is: the selector of a scale matches labels, whoever made the
//! pods that carry them.

use crate::snapshot::{OwnerReference, Pod, Snapshot, Workload};

/// Whose a pod is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The target's.
    Target,
    /// Somebody else's, as `Kind/name`; the nearest one that is known.
    Other(String),
    /// The data does not tell.
    Unknown,
}

impl Owner {
    /// Whether it is somebody else's for certain.
    pub(super) fn is_other(&self) -> bool {
        matches!(self, Self::Other(_))
    }

    /// Who made the pod, follows from who controls it. Of a target of
    /// somebody's own kind nobody can say what it makes in between.
    pub(super) fn of(pod: &Pod, snapshot: &Snapshot) -> Self {
        let Some(maker) = controller(&pod.metadata.owner_references) else {
            return Self::Unknown;
        };
        let target = &snapshot.horizontal_pod_autoscaler.spec.scale_target_ref;
        let is_target =
            |owner: &OwnerReference| owner.kind == target.kind && owner.name == target.name;
        if is_target(maker) {
            return Self::Target;
        }
        if maker.kind == "ReplicaSet" {
            let (kind, name) = above_replica_set(maker, pod, snapshot);
            if kind == target.kind && name == target.name {
                return Self::Target;
            }
            return if is_known(&target.kind) {
                Self::Other(format!("{kind}/{name}"))
            } else {
                Self::Unknown
            };
        }
        if is_known(&target.kind) {
            return Self::Other(format!("{}/{}", maker.kind, maker.name));
        }
        Self::Unknown
    }
}

/// Kinds of which it is known what they make.
fn is_known(kind: &str) -> bool {
    matches!(
        kind,
        "Deployment" | "StatefulSet" | "ReplicaSet" | "ReplicationController" | "Rollout"
    )
}

/// What made a `ReplicaSet`: its own owner or, where it was not read, what
/// its name says. Deployments and Rollouts call theirs `NAME-HASH`, and label
/// the pods with the hash.
fn above_replica_set(maker: &OwnerReference, pod: &Pod, snapshot: &Snapshot) -> (String, String) {
    let read = snapshot.replica_sets.iter();
    let read = read.map(|set: &Workload| &set.metadata);
    if let Some(set) = read.clone().find(|set| set.name == maker.name) {
        return match controller(&set.owner_references) {
            Some(owner) => (owner.kind.clone(), owner.name.clone()),
            None => (maker.kind.clone(), maker.name.clone()),
        };
    }
    let labels = &pod.metadata.labels;
    let makers = [
        ("pod-template-hash", "Deployment"),
        ("rollouts-pod-template-hash", "Rollout"),
    ];
    for (label, kind) in makers {
        let name = labels
            .get(label)
            .and_then(|hash| maker.name.strip_suffix(hash.as_str()))
            .and_then(|name| name.strip_suffix('-'));
        if let Some(name) = name {
            return (kind.to_owned(), name.to_owned());
        }
    }
    (maker.kind.clone(), maker.name.clone())
}

/// The owner that manages an object.
fn controller(owners: &[OwnerReference]) -> Option<&OwnerReference> {
    owners.iter().find(|owner| owner.controller == Some(true))
}
