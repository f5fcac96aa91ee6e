//! The lease of the kube-controller-manager that leads: since when it has
//! had a memory.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::nullable;

/// A `coordination.k8s.io/v1` Lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lease {
    /// Who leads since when.
    #[serde(deserialize_with = "nullable::or_default")]
    pub spec: LeaseSpec,
}

/// Who leads since when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaseSpec {
    /// Who leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder_identity: Option<String>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acquire_time: Option<Timestamp>,
    /// When it last said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renew_time: Option<Timestamp>,
    /// How often the lead changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_transitions: Option<i32>,
}
