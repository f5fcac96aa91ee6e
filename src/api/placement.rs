//! Where a pod may run: what its template says to the scheduler.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

use super::{ByName, LabelSelector, LabelSelectorRequirement, Present, Taint, nullable};

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
#[serde(default)]
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
