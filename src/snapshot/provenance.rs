//! How a snapshot came about: by which version, what could not be read, and
//! whether names were taken out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::nullable;

/// How a snapshot came about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Provenance {
    /// The version of the tool that read the cluster; absent for a file that
    /// was written by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Whether names and texts that the explanation does not need were taken
    /// out or hashed.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// What reading it left out; the answer is weaker for it.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<NotRead>,
}

impl Provenance {
    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Something that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRead {
    /// What.
    pub part: Part,
    /// Why not.
    pub reason: String,
}

/// What can be left out. What the metrics, the scale and the HPA itself
/// gave stands in their own places.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// The pods: every metric that is measured on them, or multiplied by
    /// their number, counts as unreadable then.
    Pods,
    /// `/version`: the release is assumed then.
    ServerVersion,
    /// The kube-controller-manager's command line: defaults are assumed then.
    ControllerFlags,
    /// The kube-controller-manager's lease.
    ControllerLease,
    /// The other HPAs and what they select: whether several HPAs select the
    /// same pods is not checked then.
    OtherAutoscalers,
    /// The HPA's events.
    Events,
    /// The target itself.
    Target,
    /// The `ReplicaSets` between the target and its pods.
    ReplicaSets,
    /// The `VerticalPodAutoscalers` of the target.
    VerticalPodAutoscalers,
    /// The `ScaledObject` that made the HPA.
    ScaledObject,
    /// The registrations of the metrics APIs that failed.
    ApiServices,
}
