//! The `autoscaling.k8s.io/v1` `VerticalPodAutoscaler`: it changes the requests
//! that a utilization is measured by.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CrossVersionObjectReference, Quantity, nullable};

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

/// The metadata of an object of which only the name is read.
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
    #[serde(skip_serializing_if = "VpaUpdatePolicy::is_empty")]
    pub update_policy: VpaUpdatePolicy,
    /// What of them.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "VpaResourcePolicy::is_empty")]
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

impl VpaUpdatePolicy {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl VpaResourcePolicy {
    fn is_empty(&self) -> bool {
        self.container_policies.is_empty()
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
