//! The metadata that objects share.

use compact_str::CompactString;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

use super::{ByName, nullable};

/// Labels by key. Keys and values are short, so they are kept in place: with
/// ten thousand pods, following pointers is what takes the time.
pub type Labels = ByName<CompactString>;

/// The part of `metadata` that the tool reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectMeta {
    /// The object's name.
    pub name: CompactString,
    /// The object's namespace; empty where the object does not say.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "CompactString::is_empty")]
    pub namespace: CompactString,
    /// The labels.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub labels: Labels,
    /// What a VPA has noted on a pod, and no other annotations; hardly any
    /// pod has them.
    #[serde(default, deserialize_with = "noted")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Box<VpaAnnotations>>,
    /// When the object was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<Timestamp>,
    /// Set once the object is being deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<Timestamp>,
    /// The owners.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub owner_references: Box<[OwnerReference]>,
}

/// What a `VerticalPodAutoscaler` notes on the pods whose requests it sets
/// (`vpa-admission-controller`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VpaAnnotations {
    /// Which requests it set as the pod was created, and by which VPA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vpa_updates: Option<String>,
    /// The containers of a pod that a VPA changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vpa_observed_containers: Option<String>,
    /// Whether it has changed the pod while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vpa_in_place_updated: Option<String>,
}

fn noted<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Box<VpaAnnotations>>, D::Error> {
    let noted = Option::<VpaAnnotations>::deserialize(deserializer)?;
    let noted = noted.filter(|noted| *noted != VpaAnnotations::default());
    Ok(noted.map(Box::new))
}

/// An owner of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerReference {
    /// The owner's kind.
    pub kind: String,
    /// The owner's name.
    pub name: String,
    /// Whether this owner manages the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<bool>,
}
