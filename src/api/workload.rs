//! The object that an HPA scales, and the `ReplicaSets` between a Deployment
//! and its pods: what else happens to the size that the HPA sets.

use std::collections::BTreeMap;

use compact_str::CompactString;
use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

use super::room::{bound_volumes, host_ports};
use super::{
    Affinity, Answered, ByName, Condition, ConditionStatus, HostPort, LabelSelector,
    LabelSelectorRequirement, Labels, NamedMeta, NodeSelectorTerm, OwnerReference, PodAffinity,
    Quantity, ResourceRequirements, Toleration, TopologySpreadConstraint, nullable, object,
};

/// A Deployment, `StatefulSet`, `ReplicaSet` or any other object with a scale, of
/// whatever kind: no more of it than a snapshot keeps, and lists have thousands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Workload {
    /// The object's API version; empty where a list does not repeat it.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// The object's kind; empty where a list does not repeat it.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Name, owners, and who set the size.
    pub metadata: WorkloadMeta,
    /// The wanted size.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: WorkloadSpec,
    /// The observed size.
    #[serde(deserialize_with = "nullable::or_default")]
    pub status: WorkloadStatus,
}

/// The part of a workload's metadata that the tool reads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadMeta {
    /// The object's name.
    pub name: String,
    /// The object's namespace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Counts the changes of the spec.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// When the object was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<Timestamp>,
    /// Set once the object is being deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<Timestamp>,
    /// The annotations; of what was last applied only the size.
    #[serde(deserialize_with = "object::annotations")]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub owner_references: Vec<OwnerReference>,
    /// Who wrote which fields, as far as the size is among them.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub managed_fields: Vec<ManagedFields>,
}

/// Who wrote fields of an object, and when last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ManagedFields {
    /// The name that the writer gave itself.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// Such as `scale`; empty for the object itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// When the fields were last written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// The fields.
    #[serde(rename = "fieldsV1", deserialize_with = "nullable::or_default")]
    pub fields: Fields,
}

/// Who is behind managed fields, told apart by what makes it stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// `kubectl apply`, on the client's side.
    ClientSideApply,
    /// Server-side apply by anything.
    ServerSideApply,
    /// Helm.
    Helm,
    /// Argo CD.
    ArgoCd,
    /// Flux's kustomize-controller.
    FluxKustomize,
    /// Flux's helm-controller.
    FluxHelm,
    /// KEDA, which takes a target from 0 to 1 and back.
    Keda,
    /// A person with `kubectl scale`, `edit` or `patch`.
    ByHand,
    /// Anything else.
    Other,
}

impl ManagedFields {
    /// Who is behind them.
    pub fn writer(&self) -> Writer {
        let manager = self.manager.as_str();
        match manager {
            "kubectl-client-side-apply" => Writer::ClientSideApply,
            "helm" | "Helm" => Writer::Helm,
            "kustomize-controller" => Writer::FluxKustomize,
            "helm-controller" => Writer::FluxHelm,
            "keda" | "keda-operator" => Writer::Keda,
            _ if manager.starts_with("argocd") => Writer::ArgoCd,
            _ if self.operation == "Apply" => Writer::ServerSideApply,
            "kubectl" => Writer::ByHand,
            _ if manager.starts_with("kubectl-") => Writer::ByHand,
            _ => Writer::Other,
        }
    }

    /// What a person calls that.
    pub fn writer_name(&self) -> String {
        let manager = self.manager.as_str();
        match self.writer() {
            Writer::ClientSideApply => "kubectl apply".to_owned(),
            Writer::ServerSideApply if manager == "kubectl" => {
                "kubectl apply --server-side".to_owned()
            }
            Writer::Helm => "Helm".to_owned(),
            Writer::ArgoCd => format!("Argo CD ({manager})"),
            Writer::FluxKustomize | Writer::FluxHelm => format!("Flux ({manager})"),
            Writer::Keda => "KEDA".to_owned(),
            Writer::ByHand if manager == "kubectl" => "kubectl scale".to_owned(),
            Writer::ByHand => manager.replacen('-', " ", 1),
            Writer::ServerSideApply | Writer::Other => manager.to_owned(),
        }
    }

    /// Whether the size is among the fields.
    pub fn owns_replicas(&self) -> bool {
        let spec = self.fields.spec.as_ref();
        spec.is_some_and(|spec| spec.replicas.is_some())
    }
}

impl Writer {
    /// Whether it has a manifest that it will apply again.
    pub fn applies(self) -> bool {
        !matches!(self, Self::Keda | Self::ByHand | Self::Other)
    }
}

/// The fields that a writer owns, as far as the size and what decides about it
/// are among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fields {
    /// The fields of the spec.
    #[serde(rename = "f:spec", skip_serializing_if = "Option::is_none")]
    pub spec: Option<SpecFields>,
}

/// The fields of the spec that a writer owns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpecFields {
    /// Present for the owner of `spec.replicas`.
    #[serde(rename = "f:replicas", skip_serializing_if = "Option::is_none")]
    pub replicas: Option<Present>,
    /// Present for an owner of a part of the pod template.
    #[serde(rename = "f:template", skip_serializing_if = "Option::is_none")]
    pub template: Option<Present>,
    /// Present for the owner of an HPA's `spec.minReplicas`.
    #[serde(rename = "f:minReplicas", skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<Present>,
    /// Present for the owner of an HPA's `spec.maxReplicas`.
    #[serde(rename = "f:maxReplicas", skip_serializing_if = "Option::is_none")]
    pub max_replicas: Option<Present>,
    /// Present for an owner of an HPA's `spec.behavior`, or of a part of it.
    #[serde(rename = "f:behavior", skip_serializing_if = "Option::is_none")]
    pub behavior: Option<Present>,
    /// Present for the owner of an HPA's `spec.metrics`.
    #[serde(rename = "f:metrics", skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Present>,
}

/// Something of which it only matters that it is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Present {}

/// The wanted size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadSpec {
    /// `spec.replicas`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Which pods are its own.
    #[serde(deserialize_with = "selector", skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// Whether a roll-out is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// What its pods are made from.
    #[serde(deserialize_with = "nullable::object_or_none")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<PodTemplate>,
    /// An entry for each claim that a pod of a `StatefulSet` has of its own.
    #[serde(deserialize_with = "nullable::or_other")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volume_claim_templates: Vec<Present>,
}

/// What pods are made from: what a pod has beyond this was injected into it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PodTemplate {
    /// The labels.
    #[serde(deserialize_with = "nullable::or_other")]
    #[serde(skip_serializing_if = "nullable::is_default")]
    pub metadata: TemplateMeta,
    /// The containers; absent where the document means something else by the
    /// word.
    #[serde(deserialize_with = "nullable::object_or_none")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<PodTemplateSpec>,
}

/// The labels of a pod template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TemplateMeta {
    /// The labels.
    pub labels: Labels,
}

/// The containers of a pod template, and where its pods may run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodTemplateSpec {
    /// The ordinary containers.
    #[serde(deserialize_with = "nullable::or_default")]
    pub containers: Vec<TemplateContainer>,
    /// The init containers.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub init_containers: Vec<TemplateContainer>,
    /// Pod-level resources (1.34 and later).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<Box<ResourceRequirements>>,
    /// What the runtime class adds on top of the containers.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub overhead: ByName<Quantity>,
    /// The runtime class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_class_name: Option<CompactString>,
    /// The priority class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority_class_name: Option<CompactString>,
    /// The priority, which the API server sets by the class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// For how long the pods may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_deadline_seconds: Option<i64>,
    /// Who places the pods, where that is not the default scheduler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler_name: Option<CompactString>,
    /// The node, where it is set beforehand, or the pod has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_name: Option<CompactString>,
    /// The operating system, which the kubelet checks and the scheduler does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<NamedMeta>,
    /// The labels that a node must have.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub node_selector: Labels,
    /// Which nodes and pods it must be near to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Box<Affinity>>,
    /// Which taints do not keep it away.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    /// How its pods are to be spread.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// Whether its ports are those of the node.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub host_network: bool,
    /// The kinds of its volumes that not every node can mount.
    #[serde(deserialize_with = "bound_volumes")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<ByName<Present>>,
    /// An entry for each device that it claims.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_claims: Vec<Present>,
    /// An entry for each that keeps it from being placed.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scheduling_gates: Vec<Present>,
}

/// A container of a pod template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TemplateContainer {
    /// Its name.
    #[serde(deserialize_with = "nullable::or_default")]
    pub name: CompactString,
    /// What it requests, and its limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    /// `Always` makes an init container a sidecar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_policy: Option<CompactString>,
    /// The ports that it takes from the node.
    #[serde(deserialize_with = "host_ports")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<HostPort>,
}

/// Taints that the API server lets every pod tolerate for a while
/// (`DefaultTolerationSeconds`).
const TOLERATED: [&str; 2] = [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
];

/// The first field that is set.
pub fn first_set<'f>(fields: &[(bool, &'f str)]) -> Option<&'f str> {
    let (_, field) = fields.iter().find(|(is_set, _)| *is_set)?;
    Some(field)
}

impl PodTemplateSpec {
    /// Whether a pod of this template may run where the template says: what admission
    /// adds to a pod, such as the node selector of its namespace, shows on the pod alone.
    pub fn is_placed_as(&self, pod: &Self) -> bool {
        let tolerations = |of: &Self| -> Vec<Toleration> {
            let all = of.tolerations.iter();
            let own = all.filter(|it| !TOLERATED.contains(&it.key.as_str()));
            own.cloned().collect()
        };
        self.node_selector == pod.node_selector
            && self.affinity == pod.affinity
            && self.uses_default_scheduler() == pod.uses_default_scheduler()
            && self.runtime_class_name == pod.runtime_class_name
            && pod.scheduling_gates.is_empty()
            && tolerations(self) == tolerations(pod)
    }

    /// The first field that lets its pods run on fewer nodes than resources, labels
    /// and taints do.
    pub fn further_limit(&self) -> Option<&'static str> {
        let affinity = self.affinity.as_deref();
        let requires = |of: fn(&Affinity) -> Option<&PodAffinity>| {
            let pods = affinity.and_then(of);
            pods.is_some_and(|it| !it.required.is_empty())
        };
        let mut constraints = self.topology_spread_constraints.iter();
        let mut containers = self.containers.iter().chain(&self.init_containers);
        first_set(&[
            (
                constraints.any(|it| it.when_unsatisfiable != "ScheduleAnyway"),
                "topologySpreadConstraints",
            ),
            (
                requires(|it| it.pod_affinity.as_ref()),
                "affinity.podAffinity",
            ),
            (
                requires(|it| it.pod_anti_affinity.as_ref()),
                "affinity.podAntiAffinity",
            ),
            (!self.volumes.is_empty(), "volumes"),
            (!self.resource_claims.is_empty(), "resourceClaims"),
            (self.host_network, "hostNetwork"),
            (containers.any(|it| !it.ports.is_empty()), "hostPort"),
        ])
    }

    /// Whether the default scheduler places its pods.
    pub fn uses_default_scheduler(&self) -> bool {
        let name = self.scheduler_name.as_deref();
        name.is_none_or(|name| name.is_empty() || name == "default-scheduler")
    }

    /// Of the nodes that it requires: one of these must hold.
    pub fn node_terms(&self) -> Option<&[NodeSelectorTerm]> {
        let affinity = self.affinity.as_ref()?.node_affinity.as_ref()?;
        Some(&affinity.required.as_ref()?.node_selector_terms)
    }

    /// Whether a label of a node decides where its pods may run.
    pub fn looks_at(&self, label: &str) -> bool {
        let terms = self.node_terms().unwrap_or_default().iter();
        let mut keys = terms.flat_map(|term| &term.match_expressions);
        self.node_selector.get(label).is_some() || keys.any(|it| it.key == label)
    }

    /// The names of its containers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let containers = self.containers.iter().chain(&self.init_containers);
        containers.map(|container| container.name.as_str())
    }
}

/// The observed size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadStatus {
    /// The generation that the status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// All pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Those of the newest template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_replicas: Option<i32>,
    /// Those that are ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_replicas: Option<i32>,
    /// Those that have been ready for long enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_replicas: Option<i32>,
    /// That pods cannot be created, where they cannot.
    #[serde(deserialize_with = "failures", skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// Of the conditions, `ReplicaFailure`; kinds of somebody's own have others.
fn failures<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Condition>, D::Error> {
    let mut conditions: Vec<Condition> = nullable::or_other(deserializer)?;
    conditions.retain(|it| {
        it.kind.as_str() == "ReplicaFailure"
            && it.reason.as_str() == "FailedCreate"
            && it.status == ConditionStatus::True
    });
    Ok(conditions)
}

impl Workload {
    /// The size that the last `kubectl apply` of it set, if it set one.
    pub fn applied_replicas(&self) -> Option<i64> {
        object::replicas(&self.metadata.annotations)
    }

    /// The owner that manages it.
    pub fn controller(&self) -> Option<&OwnerReference> {
        let mut owners = self.metadata.owner_references.iter();
        owners.find(|owner| owner.controller == Some(true))
    }
}

/// Reads a label selector, or the plain map of a `ReplicationController`. A
/// kind of somebody's own may mean something else by the word.
fn selector<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<LabelSelector>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Labels(Labels),
        Map(BTreeMap<String, String>),
        Other(IgnoredAny),
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Labels {
        match_labels: Option<BTreeMap<String, String>>,
        match_expressions: Option<Vec<LabelSelectorRequirement>>,
    }
    let form = Option::<Form>::deserialize(deserializer)?;
    Ok(match form {
        Some(Form::Labels(labels)) => Some(LabelSelector {
            match_labels: labels.match_labels.unwrap_or_default(),
            match_expressions: labels.match_expressions.unwrap_or_default(),
        }),
        Some(Form::Map(match_labels)) => Some(LabelSelector {
            match_labels,
            ..LabelSelector::default()
        }),
        Some(Form::Other(_)) | None => None,
    })
}

/// What the controller reads from, and writes to, the target: the scale
/// subresource, `autoscaling/v1` Scale; unlike that of `k8s-openapi`, it is read also
/// where it says to be of another kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scale {
    /// What it says to be, where that is no Scale.
    #[serde(rename = "kind", skip_serializing, deserialize_with = "unless_scale")]
    pub other_kind: Option<String>,
    /// The wanted size.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: ScaleSpec,
    /// The observed size and the pod selector.
    #[serde(deserialize_with = "nullable::or_default")]
    pub status: ScaleStatus,
}

impl Answered<Scale> {
    /// The pod selector, if there is one.
    pub fn selector(&self) -> Option<&str> {
        let selector = &self.response()?.status.selector;
        (!selector.is_empty()).then_some(selector)
    }
}

/// The wanted size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScaleSpec {
    /// Absent means 0.
    #[serde(deserialize_with = "nullable::or_default")]
    pub replicas: i32,
}

/// The observed size and the pod selector.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScaleStatus {
    /// Absent means 0.
    #[serde(deserialize_with = "nullable::or_default")]
    pub replicas: i32,
    /// The pod selector as text; empty where the kind declares none.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selector: String,
}

fn unless_scale<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let kind: Option<String> = nullable::or_other(deserializer)?;
    Ok(kind.filter(|kind| kind != "Scale"))
}
