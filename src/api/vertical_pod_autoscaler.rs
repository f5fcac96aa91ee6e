//! The `autoscaling.k8s.io/v1` `VerticalPodAutoscaler`: it changes the requests
//! that a utilization is measured by. And the `keda.sh/v1alpha1` `ScaledObject` that made
//! an HPA: what KEDA does beside it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    Condition, ConditionStatus, CrossVersionObjectReference, OwnerReference, Quantity, nullable,
};

/// A VPA, as far as it can get in an HPA's way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VerticalPodAutoscaler {
    /// Its name.
    pub metadata: NamedMeta,
    /// What it changes.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: VpaSpec,
    /// What it recommends.
    #[serde(deserialize_with = "nullable::or_default")]
    pub status: VpaStatus,
}

/// What only has a name, or of which only that is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NamedMeta {
    /// The object's name.
    pub name: String,
}

/// What a VPA changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VpaSpec {
    /// Whose pods; in the VPA's namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_ref: Option<CrossVersionObjectReference>,
    /// When it changes them.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "nullable::is_default")]
    pub update_policy: VpaUpdatePolicy,
    /// What of them.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "nullable::is_default")]
    pub resource_policy: VpaResourcePolicy,
}

/// When a VPA changes pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VpaUpdatePolicy {
    /// `Off`, `Initial`, `Recreate`, `Auto`, or one of the later modes that
    /// change pods in place; absent means `Auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_mode: Option<String>,
}

/// What of its pods a VPA changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VpaResourcePolicy {
    /// One a container; `*` is for those without their own.
    #[serde(deserialize_with = "nullable::or_default")]
    pub container_policies: Vec<VpaContainerPolicy>,
}

/// What of a container a VPA changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VpaContainerPolicy {
    /// The container, or `*`.
    pub container_name: String,
    /// `Off` leaves it alone; absent means `Auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Which resources; absent means cpu and memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controlled_resources: Option<Vec<String>>,
}

/// What a VPA recommends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VpaStatus {
    /// Absent while it has seen too little.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<VpaRecommendation>,
}

/// The requests that a VPA recommends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VpaRecommendation {
    #[serde(deserialize_with = "nullable::or_default")]
    pub container_recommendations: Vec<VpaContainerRecommendation>,
}

/// The requests that a VPA recommends for a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VpaContainerRecommendation {
    pub container_name: String,
    /// By resource.
    #[serde(deserialize_with = "nullable::or_default")]
    pub target: BTreeMap<String, Quantity>,
}

impl VerticalPodAutoscaler {
    /// When it changes pods: `Off` is never.
    pub fn mode(&self) -> &str {
        let mode = self.spec.update_policy.update_mode.as_deref();
        mode.filter(|mode| !mode.is_empty()).unwrap_or("Auto")
    }

    /// Whether it is for a target.
    pub fn is_for(&self, target: &CrossVersionObjectReference) -> bool {
        let own = self.spec.target_ref.as_ref();
        own.is_some_and(|own| own.is_same_target(target))
    }

    /// Whether it changes the pods of a target at all.
    pub fn changes(&self, target: &CrossVersionObjectReference) -> bool {
        self.mode() != "Off" && self.is_for(target)
    }

    /// Whether it sets a container's request of a resource, once it changes
    /// pods. The container's own policy counts before that of `*`.
    pub fn controls(&self, container: &str, resource: &str) -> bool {
        let policies = &self.spec.resource_policy.container_policies;
        let of = |name: &str| policies.iter().find(|it| it.container_name == name);
        let Some(policy) = of(container).or_else(|| of("*")) else {
            return matches!(resource, "cpu" | "memory");
        };
        let is_listed = match &policy.controlled_resources {
            Some(resources) => resources.iter().any(|listed| listed == resource),
            None => matches!(resource, "cpu" | "memory"),
        };
        policy.mode.as_deref() != Some("Off") && is_listed
    }
}

/// The `ScaledObject` that KEDA made an HPA for, by the HPA's metadata: its
/// owner, or where an owner is not set, the one that its labels name.
pub fn scaled_object_of<'m>(
    owners: &'m [OwnerReference],
    label: impl Fn(&str) -> Option<&'m str>,
) -> Option<&'m str> {
    let mut owners = owners.iter();
    if let Some(owner) = owners.find(|owner| owner.kind == "ScaledObject") {
        return Some(&owner.name);
    }
    let is_kedas = label("app.kubernetes.io/managed-by") == Some("keda-operator");
    label("scaledobject.keda.sh/name").filter(|_| is_kedas)
}

/// A `ScaledObject`, without its triggers: what they ask for is in the HPA,
/// and what they say of their sources can be secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScaledObject {
    /// Name and orders to pause.
    pub metadata: ScaledObjectMeta,
    /// What was asked for.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: ScaledObjectSpec,
    /// What KEDA last reported.
    #[serde(deserialize_with = "nullable::or_default")]
    pub status: ScaledObjectStatus,
}

/// The part of a `ScaledObject`'s metadata that the tool reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScaledObjectMeta {
    pub name: String,
    /// The annotations by which KEDA is told to pause, and no others.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "nullable::is_default")]
    pub annotations: PauseAnnotations,
}

/// The annotations by which KEDA is told to pause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PauseAnnotations {
    /// Whether all scaling pauses.
    #[serde(rename = "autoscaling.keda.sh/paused")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// At which size all scaling pauses.
    #[serde(rename = "autoscaling.keda.sh/paused-replicas")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_replicas: Option<String>,
}

/// What was asked of KEDA.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScaledObjectSpec {
    /// How long nothing must be active before KEDA takes the target from 1 to
    /// 0, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooldown_period: Option<i32>,
    /// The size while nothing is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_replica_count: Option<i32>,
    /// The lower bound; 0 lets KEDA take the target to 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_replica_count: Option<i32>,
    /// What to answer while a source fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<ScaledObjectFallback>,
}

/// What KEDA answers while a source fails.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScaledObjectFallback {
    /// After how many failures in a row.
    pub failure_threshold: i32,
    /// As if this many replicas were asked for.
    pub replicas: i32,
}

/// What KEDA last reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScaledObjectStatus {
    /// The conditions, of the same form as an HPA's.
    #[serde(deserialize_with = "nullable::or_default")]
    pub conditions: Vec<Condition>,
    /// How the source of each metric is.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub health: BTreeMap<String, SourceHealth>,
    /// When a trigger was last active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_active_time: Option<Timestamp>,
    /// The size at which KEDA has paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_replica_count: Option<i32>,
}

/// How the source of a metric is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceHealth {
    /// How often it has failed in a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_of_failures: Option<i32>,
    /// `Happy` or `Failing`.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
}

impl ScaledObject {
    /// Whether a condition is True.
    pub fn is(&self, condition: &str) -> bool {
        let mut conditions = self.status.conditions.iter();
        conditions.any(|it| it.kind.as_str() == condition && it.status == ConditionStatus::True)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::VerticalPodAutoscaler;

    #[test]
    fn the_containers_own_policy_counts_first() {
        let own = |mode: &str| json!({"containerName": "app", "mode": mode});
        let all =
            |resources: Value| json!({"containerName": "*", "controlledResources": resources});
        let rows = [
            (json!([]), "cpu", true),
            (json!([]), "ephemeral-storage", false),
            (json!(null), "memory", true),
            (json!([own("Off")]), "cpu", false),
            (json!([own("Auto")]), "cpu", true),
            (json!([all(json!(["memory"]))]), "cpu", false),
            (json!([all(json!(["memory"]))]), "memory", true),
            (json!([all(json!(null))]), "cpu", true),
            (json!([all(json!(["memory"])), own("Auto")]), "cpu", true),
            (
                json!([{"containerName": "other", "mode": "Off"}]),
                "cpu",
                true,
            ),
        ];
        for (policies, resource, controls) in &rows {
            let vpa = json!({
                "metadata": {"name": "web"},
                "spec": {"resourcePolicy": {"containerPolicies": policies}},
            });
            let vpa: VerticalPodAutoscaler = serde_json::from_value(vpa).expect("a VPA");
            assert_eq!(vpa.controls("app", resource), *controls, "{policies}");
        }
        assert_eq!(rows.len(), 10);
    }
}
