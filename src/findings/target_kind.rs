//! Kinds that can be scaled, and those that cannot.

use serde_json::json;

use crate::api::CrossVersionObjectReference;
use crate::document::nearest;
use crate::trace::{Code, Finding};

/// The kinds that have a scale subresource and come with Kubernetes, with the
/// API version that serves them.
const SCALABLE: [(&str, &str); 4] = [
    ("Deployment", "apps/v1"),
    ("StatefulSet", "apps/v1"),
    ("ReplicaSet", "apps/v1"),
    ("ReplicationController", "v1"),
];

/// Whether a kind comes with Kubernetes and can be scaled, in whichever group.
pub(super) fn is_scalable(kind: &str) -> bool {
    SCALABLE.iter().any(|(own, _)| *own == kind)
}

/// The kind that was probably meant, and the API version that serves it.
fn intended(kind: &str) -> Option<(&'static str, &'static str)> {
    let known = SCALABLE.map(|(kind, _)| kind);
    let mut all = SCALABLE.into_iter();
    let lower = kind.to_lowercase();
    all.find(|(own, _)| own.to_lowercase() == lower)
        .or_else(|| {
            // A DaemonSet is no misspelt ReplicaSet.
            let near = nearest(kind, &known).filter(|_| !is_without_scale(kind))?;
            SCALABLE.into_iter().find(|(own, _)| *own == near)
        })
}

fn is_without_scale(kind: &str) -> bool {
    matches!(kind, "DaemonSet" | "Pod" | "Job" | "CronJob")
}

/// No API serves the kind: mostly it has moved to another group.
pub(super) fn unknown(target: &CrossVersionObjectReference) -> Finding {
    let version = &target.api_version;
    let named = if version.is_empty() {
        "scaleTargetRef has no apiVersion".to_owned()
    } else {
        format!(
            "scaleTargetRef.apiVersion {version} does not serve kind {}",
            target.kind
        )
    };
    let Some((kind, home)) = intended(&target.kind) else {
        return Finding::new(Code::TargetUnknownKind, named).look(
            "list the kinds that the API server has",
            "kubectl api-resources",
        );
    };
    let message = if kind == target.kind {
        format!("{named}; {kind} is in {home}")
    } else {
        format!("{named}; did you mean {kind} of {home}?")
    };
    Finding::new(Code::TargetUnknownKind, message).patch(
        "use the apiVersion and kind that are served",
        &json!({"spec": {"scaleTargetRef": {"apiVersion": home, "kind": kind}}}),
    )
}

/// The kind has no size that can be set.
pub(super) fn without_scale(kind: &str) -> Finding {
    let message = format!("kind {kind} has no scale subresource, so the HPA cannot set its size");
    Finding::new(Code::TargetCannotScale, message).advice(match kind {
        "DaemonSet" => "use a Deployment: a DaemonSet always runs one pod per node",
        "Pod" | "Job" | "CronJob" => "scale a Deployment or StatefulSet instead",
        _ => "declare spec.versions[].subresources.scale in its CRD",
    })
}

/// What is wrong with a target of a group that Kubernetes itself serves; of
/// other groups nothing is known. The version does not count.
pub(super) fn of_built_in(target: &CrossVersionObjectReference) -> Option<Finding> {
    let group = target.group();
    // A group that somebody adds has a dot in its name.
    if target.kind.is_empty() || group.contains('.') {
        return None;
    }
    let is_served = |(kind, home): (&str, &str)| {
        kind == target.kind && home.split_once('/').map_or("", |(group, _)| group) == group
    };
    if SCALABLE.into_iter().any(is_served) {
        return None;
    }
    Some(match intended(&target.kind) {
        Some(_) => unknown(target),
        None if is_without_scale(&target.kind) => without_scale(&target.kind),
        None => Finding::new(
            Code::TargetCannotScale,
            format!(
                "apiVersion {:?} has no kind {} that an HPA can scale",
                target.api_version, target.kind
            ),
        )
        .advice("scale a Deployment or StatefulSet of apps/v1, or add the API group of the kind"),
    })
}
