//! The first steps of a pass: the scale, and the way that the pass takes.

use schemars::JsonSchema;
use serde::Serialize;

use super::{FailureCause, Rule};

/// What reading the scale subresource gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScaleRecord {
    /// What happened.
    pub rule: Rule,
    /// `scale.spec.replicas`: what every rule calls the current size.
    pub current_replicas: Option<i32>,
    /// `scale.status.replicas`: the size that per-pod averages divide by.
    pub status_replicas: Option<i32>,
    /// `scale.status.selector`.
    pub selector: Option<String>,
    /// Why there is no scale.
    pub error: Option<String>,
    /// Why we may not read it, where the controller may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<FailureCause>,
}

/// Which way the pass went once it knew the current size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchRecord {
    /// The way.
    pub rule: Rule,
    /// The comparison that chose it, with its numbers.
    pub formula: String,
}
