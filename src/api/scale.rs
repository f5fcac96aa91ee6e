//! The scale subresource, `autoscaling/v1` Scale.

use serde::{Deserialize, Deserializer, Serialize};

use super::nullable;

/// What the controller reads from, and writes to, the target.
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
    #[serde(
        deserialize_with = "nullable::or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub selector: String,
}

fn unless_scale<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let kind: Option<String> = nullable::or_other(deserializer)?;
    Ok(kind.filter(|kind| kind != "Scale"))
}
