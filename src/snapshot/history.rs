//! What the controller holds in memory for one HPA.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The controller's memory, each list in slot order: slots are reused, so
/// this is not the order of time.
///
/// A list that is absent is unknown; one that is present but empty is that
/// of a controller that has just started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct History {
    /// The recommendations before stabilization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendations: Option<Vec<Recommendation>>,
    /// The changes upwards that were carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_up_events: Option<Vec<ScaleEvent>>,
    /// The changes downwards that were carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_down_events: Option<Vec<ScaleEvent>>,
}

/// A recommendation of an earlier pass, before stabilization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The replicas that the metrics asked for.
    pub replicas: i32,
    /// When it was stored.
    pub timestamp: Timestamp,
}

/// A change of the scale that the controller carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScaleEvent {
    /// By how many replicas, without sign.
    pub replica_change: i32,
    /// When it was stored.
    pub timestamp: Timestamp,
}
