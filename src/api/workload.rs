//! The object that an HPA scales, and the `ReplicaSets` between a Deployment
//! and its pods: what else happens to the size that the HPA sets.

use std::collections::BTreeMap;

use compact_str::CompactString;
use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

use super::{
    ByName, LabelSelector, LabelSelectorRequirement, OwnerReference, Quantity, nullable, object,
};

/// A Deployment, `StatefulSet`, `ReplicaSet` or any other object with a scale.
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
    pub replicas: Option<Owned>,
    /// Present for an owner of a part of the pod template.
    #[serde(rename = "f:template", skip_serializing_if = "Option::is_none")]
    pub template: Option<Owned>,
    /// Present for the owner of an HPA's `spec.minReplicas`.
    #[serde(rename = "f:minReplicas", skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<Owned>,
    /// Present for the owner of an HPA's `spec.maxReplicas`.
    #[serde(rename = "f:maxReplicas", skip_serializing_if = "Option::is_none")]
    pub max_replicas: Option<Owned>,
    /// Present for an owner of an HPA's `spec.behavior`, or of a part of it.
    #[serde(rename = "f:behavior", skip_serializing_if = "Option::is_none")]
    pub behavior: Option<Owned>,
    /// Present for the owner of an HPA's `spec.metrics`.
    #[serde(rename = "f:metrics", skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Owned>,
}

/// A field that somebody owns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owned {}

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
}

/// What pods are made from, as far as the containers are named: what a pod
/// has beyond these was injected into it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PodTemplate {
    /// The containers; absent where the document means something else by the
    /// word.
    #[serde(deserialize_with = "nullable::object_or_none")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<PodTemplateSpec>,
}

/// The containers of a pod template.
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
}

/// A container of a pod template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TemplateContainer {
    #[serde(deserialize_with = "nullable::or_default")]
    pub name: CompactString,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<TemplateResources>,
}

/// What a container of a pod template may use; pods are modelled without,
/// for the algorithm does not look at limits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TemplateResources {
    /// The limits by resource name.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub limits: ByName<Quantity>,
}

impl PodTemplateSpec {
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

impl ManagedFields {
    /// Whether the size is among the fields.
    pub fn owns_replicas(&self) -> bool {
        let spec = self.fields.spec.as_ref();
        spec.is_some_and(|spec| spec.replicas.is_some())
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
/// subresource, `autoscaling/v1` Scale.
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
