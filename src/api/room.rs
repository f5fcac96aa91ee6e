//! Where pods may run, and what limits how many there can be: quotas, limit ranges,
//! nodes, and what a pod template says to the scheduler.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

use super::{
    ByName, ConditionStatus, LabelSelector, LabelSelectorRequirement, Labels, NamedMeta,
    ObjectMeta, Phase, PodCondition, PodConditionKind, PodTemplateSpec, Present, Quantity,
    ResourceRequirements, nullable,
};

/// What limits the pods of an HPA's target, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RoomParts {
    /// The quotas of the namespace; absent where they were not read.
    #[serde(
        deserialize_with = "nullable::some_items",
        skip_serializing_if = "Option::is_none"
    )]
    pub resource_quotas: Option<Vec<ResourceQuota>>,
    /// The limit ranges of the namespace; absent where they were not read.
    #[serde(
        deserialize_with = "nullable::some_items",
        skip_serializing_if = "Option::is_none"
    )]
    pub limit_ranges: Option<Vec<LimitRange>>,
    /// The nodes of the cluster; absent where they were not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Nodes>,
}

/// A `v1` `ResourceQuota`: no more of it than a snapshot keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResourceQuota {
    /// Its name.
    pub metadata: NamedMeta,
    /// What it is to allow.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: ResourceQuotaSpec,
    /// What it allows, and what is used of that.
    #[serde(deserialize_with = "nullable::or_default")]
    pub status: ResourceQuotaStatus,
}

/// What a quota is to allow, and to which pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceQuotaSpec {
    /// The most by name, such as `requests.cpu` or `count/pods`.
    pub hard: ByName<Quantity>,
    /// Which objects it counts; all of these must hold.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// The same with operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_selector: Option<ScopeSelector>,
}

/// Which objects a quota counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScopeSelector {
    /// All of these must hold.
    #[serde(deserialize_with = "nullable::or_default")]
    pub match_expressions: Vec<ScopeRequirement>,
}

/// A requirement of a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScopeRequirement {
    /// Such as `PriorityClass`.
    pub scope_name: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// The values of `In` and `NotIn`.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// What a quota allows, and what is used of that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResourceQuotaStatus {
    /// The most by name.
    pub hard: ByName<Quantity>,
    /// What is used by name.
    pub used: ByName<Quantity>,
}

/// A `v1` `LimitRange`: no more of it than a snapshot keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitRange {
    /// Its name.
    pub metadata: NamedMeta,
    /// What it sets and refuses.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: LimitRangeSpec,
}

/// What a limit range sets and refuses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitRangeSpec {
    /// Its rules.
    #[serde(deserialize_with = "nullable::or_default")]
    pub limits: Vec<LimitRangeItem>,
}

/// A rule of a limit range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitRangeItem {
    /// `Container` or `Pod`; others are about no pod.
    #[serde(rename = "type")]
    pub kind: String,
    /// The limits of containers that name none.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub default: ByName<Quantity>,
    /// The requests of containers that name none.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub default_request: ByName<Quantity>,
    /// The least request and limit.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub min: ByName<Quantity>,
    /// The highest request and limit.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub max: ByName<Quantity>,
    /// The highest ratio of limit to request.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub max_limit_request_ratio: ByName<Quantity>,
}

/// The nodes of the cluster, and what matters of the pods on them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Nodes {
    /// The nodes.
    #[serde(deserialize_with = "nullable::or_default")]
    pub items: Vec<NodeWithPods>,
    /// How many pods of others wait for a node.
    pub others_waiting: usize,
    /// What these request; absent where they may evict pods, which would wait as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others_request: Option<ByName<Quantity>>,
    /// The highest priority of the target's own pods; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_priority: Option<i32>,
    /// The lowest priority of a pod that has a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_priority: Option<i32>,
    /// Whether admission has changed where the target's own pods may run: one of them
    /// differs from the template in it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own_differ: bool,
    /// The first field by which one of the target's own pods can run on fewer nodes than
    /// resources, labels and taints allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_limit: Option<String>,
    /// What pods that have a node require not to be near to, as far as it can be
    /// pods of the HPA's namespace.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept_away: Vec<LabelSelector>,
}

/// A node, and what the pods on it request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeWithPods {
    /// The node.
    #[serde(flatten)]
    pub node: Node,
    /// How many pods there are on it.
    pub pods: i64,
    /// What they request, each rounded up as the scheduler does.
    pub requested: ByName<Quantity>,
}

/// A `v1` `Node`, as far as pods are placed by it: a cluster has thousands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Node {
    /// Its name, and its labels.
    pub metadata: NodeMeta,
    /// What keeps pods away from it.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: NodeSpec,
    /// What it has.
    #[serde(deserialize_with = "nullable::or_default")]
    pub status: NodeStatus,
}

/// A node's name and its labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeMeta {
    /// Its name.
    pub name: String,
    /// Its labels; in a snapshot those that the pod template asks for, and
    /// [`OS_LABEL`].
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub labels: Labels,
}

/// What keeps pods away from a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeSpec {
    /// Whether it takes no more pods.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unschedulable: bool,
    /// Its taints.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<Taint>,
}

/// What keeps pods away that do not tolerate it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Taint {
    /// Its key.
    pub key: String,
    /// Its value.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: String,
}

/// What a node has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeStatus {
    /// What its pods can request together.
    pub allocatable: ByName<Quantity>,
    /// Its `Ready` condition, where that is not true.
    #[serde(deserialize_with = "not_ready", skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<PodCondition>,
}

/// The label of a node's operating system.
pub const OS_LABEL: &str = "kubernetes.io/os";

/// Reads of the conditions `Ready`, where it is not true, without what it says in words,
/// which can name the node.
fn not_ready<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PodCondition>, D::Error> {
    let mut conditions: Vec<PodCondition> = nullable::or_default(deserializer)?;
    conditions.retain_mut(|it| {
        it.message = None;
        it.kind == PodConditionKind::Ready && it.status != ConditionStatus::True
    });
    Ok(conditions)
}

/// Whether a name of a quota is about limits, and the resource: `limits.cpu`,
/// `requests.cpu`, or `cpu`, which is the same.
pub fn limited_resource(name: &str) -> (bool, &str) {
    match name.split_once('.') {
        Some(("limits", own)) => (true, own),
        Some(("requests", own)) => (false, own),
        _ => (false, name),
    }
}

/// A pod of any namespace, as far as it takes room from others: a cluster has tens of
/// thousands.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct PlacedPod {
    /// Its name and its namespace.
    pub metadata: ObjectMeta,
    /// What it requests, and where it is.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: PodTemplateSpec,
    /// Whether it has ended, and what it was resized to.
    #[serde(deserialize_with = "nullable::or_default")]
    pub status: PlacedPodStatus,
}

/// Whether a pod has ended, and what it was resized to.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PlacedPodStatus {
    /// `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`.
    #[serde(deserialize_with = "nullable::or_default")]
    pub phase: super::OneOf<Phase>,
    /// That a resize waits, among others.
    #[serde(deserialize_with = "nullable::or_default")]
    pub conditions: Vec<PodCondition>,
    /// What the node has set aside for the pod as a whole.
    pub allocated_resources: ByName<Quantity>,
    /// What the pod as a whole runs with.
    #[serde(deserialize_with = "nullable::or_default")]
    pub resources: ResourceRequirements,
    /// What its containers have, where they can be resized.
    #[serde(deserialize_with = "nullable::or_default")]
    pub container_statuses: Vec<AllocatedContainer>,
    /// The same of the init containers: a sidecar can be resized, too.
    #[serde(deserialize_with = "nullable::or_default")]
    pub init_container_statuses: Vec<AllocatedContainer>,
}

/// What a container has, which can differ from what it is to have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AllocatedContainer {
    /// The container's name.
    pub name: String,
    /// What the node has set aside for it.
    pub allocated_resources: ByName<Quantity>,
    /// What it runs with.
    #[serde(deserialize_with = "nullable::or_default")]
    pub resources: ResourceRequirements,
}

/// Which nodes and which other pods a pod is to be near to; what it merely
/// prefers is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Affinity {
    /// Which nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_affinity: Option<NodeAffinity>,
    /// Near to which pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_affinity: Option<PodAffinity>,
    /// Away from which pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_anti_affinity: Option<PodAffinity>,
}

/// Which nodes a pod requires.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeAffinity {
    /// The nodes.
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<NodeSelector>,
}

/// Nodes by their labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSelector {
    /// One of these must hold.
    #[serde(deserialize_with = "nullable::or_default")]
    pub node_selector_terms: Vec<NodeSelectorTerm>,
}

/// A term about a node: all of it must hold, and an empty one never does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSelectorTerm {
    /// Of its labels; the operators are those of selectors, `Gt` and `Lt`.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
    /// Of its name.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_fields: Vec<LabelSelectorRequirement>,
}

/// Which pods a pod requires near to it, or away from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PodAffinity {
    /// The pods.
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<PodAffinityTerm>,
}

/// Pods, by their labels and their namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAffinityTerm {
    /// Their labels; absent, it means no pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Their namespaces; its own where neither this nor the selector is there.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// The same by labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
}

/// A taint that does not keep a pod away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Toleration {
    /// The taint's key; empty for any.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// `Exists`, or `Equal` where it is empty; a later release knows others.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub operator: String,
    /// The taint's value.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The taint's effect; empty for any.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub effect: String,
    /// How long a pod may stay on a node that gets the taint; absent for any time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toleration_seconds: Option<i64>,
}

impl Toleration {
    /// Whether it tolerates a taint (`Toleration.ToleratesTaint`).
    pub fn tolerates(&self, taint: &Taint) -> bool {
        let is_effect = self.effect.is_empty() || self.effect == taint.effect;
        let is_key = self.key.is_empty() || self.key == taint.key;
        is_effect
            && is_key
            && match self.operator.as_str() {
                "" | "Equal" => self.value == taint.value,
                "Exists" => true,
                _ => false,
            }
    }
}

/// How pods are to be spread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TopologySpreadConstraint {
    /// `DoNotSchedule`, or `ScheduleAnyway`, which hinders no pod.
    pub when_unsatisfiable: String,
}

/// The ports of a container, as far as they are taken from the node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HostPort {
    /// The port of the node.
    #[serde(deserialize_with = "nullable::or_default")]
    pub host_port: i32,
}

/// Reads the ports that are taken from the node, and no others.
pub(super) fn host_ports<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<HostPort>, D::Error> {
    let mut ports: Vec<HostPort> = nullable::or_default(deserializer)?;
    ports.retain(|port| port.host_port != 0);
    Ok(ports)
}

/// Kinds of volumes that every node has.
const EVERYWHERE: [&str; 7] = [
    "configMap",
    "downwardAPI",
    "emptyDir",
    "hostPath",
    "image",
    "projected",
    "secret",
];

/// Reads of which kinds the volumes are that not every node can mount, and nothing
/// else of them.
pub(super) fn bound_volumes<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ByName<Present>>, D::Error> {
    let volumes: Vec<ByName<IgnoredAny>> = nullable::or_default(deserializer)?;
    let kinds = volumes.iter().flat_map(ByName::keys);
    let bound = kinds.filter(|kind| *kind != "name" && !EVERYWHERE.contains(&kind.as_str()));
    let bound = bound.map(|kind| ByName::from_iter([(kind.clone(), Present {})]));
    Ok(bound.collect())
}
