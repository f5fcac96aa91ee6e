//! The `keda.sh/v1alpha1` `ScaledObject` that made an HPA: what KEDA does
//! beside it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Condition, ConditionStatus, OwnerReference, nullable};

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
    #[serde(skip_serializing_if = "PauseAnnotations::is_empty")]
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

impl PauseAnnotations {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
