//! The metadata that objects share.

use compact_str::CompactString;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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
    #[serde(
        default,
        deserialize_with = "nullable::or_default",
        skip_serializing_if = "CompactString::is_empty"
    )]
    pub namespace: CompactString,
    /// The labels.
    #[serde(
        default,
        deserialize_with = "nullable::or_default",
        skip_serializing_if = "ByName::is_empty"
    )]
    pub labels: Labels,
    /// When the object was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<Timestamp>,
    /// Set once the object is being deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<Timestamp>,
    /// The owners.
    #[serde(
        default,
        deserialize_with = "nullable::or_default",
        skip_serializing_if = "<[_]>::is_empty"
    )]
    pub owner_references: Box<[OwnerReference]>,
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
