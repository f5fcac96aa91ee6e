//! Which of the selected pods the target owns.

use super::Snapshot;
use crate::api::{CrossVersionObjectReference, OwnerReference, Pod};

/// Whose a pod is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The target's.
    Target,
    /// Somebody else's, as `Kind/name`.
    Other(String),
    /// Nobody's.
    Nobody,
    /// It cannot be told.
    Unknown,
}

/// Whether a pod may be the target's: nothing says that it is somebody else's.
pub fn may_be_own(snapshot: &Snapshot, pod: &Pod) -> bool {
    !matches!(owner(snapshot, pod), Owner::Other(_))
}

/// Whose a pod is, as far as the chain of owners can be followed.
pub fn owner(snapshot: &Snapshot, pod: &Pod) -> Owner {
    let target = &snapshot.hpa.spec.scale_target_ref;
    let Some(owner) = controller(&pod.metadata.owner_references) else {
        return Owner::Nobody;
    };
    if is(owner, target) {
        return Owner::Target;
    }
    match (owner.kind.as_str(), target.kind.as_str()) {
        ("ReplicaSet", "ReplicaSet" | "StatefulSet" | "ReplicationController") => named(owner),
        ("ReplicaSet", _) => through_replica_set(snapshot, pod, owner, target),
        (_, "Deployment" | "ReplicaSet" | "StatefulSet" | "ReplicationController") => named(owner),
        // What lies between a kind of somebody's own and its pods is unknown,
        // but one object does not own another of its kind.
        (kind, own) if kind == own => named(owner),
        _ => Owner::Unknown,
    }
}

/// A pod of a `ReplicaSet`: whose is that?
fn through_replica_set(
    snapshot: &Snapshot,
    pod: &Pod,
    replica_set: &OwnerReference,
    target: &CrossVersionObjectReference,
) -> Owner {
    let mut known = snapshot.replica_sets.iter();
    let is_deployment = target.kind == "Deployment";
    match known.find(|known| known.metadata.name == replica_set.name) {
        Some(known) => match controller(&known.metadata.owner_references) {
            Some(owner) if is(owner, target) => Owner::Target,
            Some(owner) if is_deployment || owner.kind == target.kind => named(owner),
            None if is_deployment => named(replica_set),
            _ => Owner::Unknown,
        },
        None if is_deployment => by_template_hash(pod, replica_set, target),
        None => Owner::Unknown,
    }
}

/// The Deployment controller calls a `ReplicaSet` after the Deployment and
/// the label that it puts on the pods (`getNewReplicaSet`).
fn by_template_hash(
    pod: &Pod,
    replica_set: &OwnerReference,
    target: &CrossVersionObjectReference,
) -> Owner {
    let hash = pod.metadata.labels.get("pod-template-hash");
    let deployment = hash.and_then(|hash| {
        let name = replica_set.name.strip_suffix(hash.as_str())?;
        name.strip_suffix('-')
    });
    match deployment {
        Some(name) if name == target.name => Owner::Target,
        Some(name) => Owner::Other(format!("Deployment/{name}")),
        None => Owner::Unknown,
    }
}

fn controller(owners: &[OwnerReference]) -> Option<&OwnerReference> {
    owners.iter().find(|owner| owner.controller == Some(true))
}

fn is(owner: &OwnerReference, target: &CrossVersionObjectReference) -> bool {
    owner.kind == target.kind && owner.name == target.name
}

fn named(owner: &OwnerReference) -> Owner {
    Owner::Other(format!("{}/{}", owner.kind, owner.name))
}
