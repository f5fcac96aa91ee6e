//! Events of an HPA and of its target: what controllers said about earlier
//! passes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::nullable;

/// Why the controller wrote an event: it wrote another size.
pub const SUCCESSFUL_RESCALE: &str = "SuccessfulRescale";

/// A `v1` Event: no more of it than a snapshot keeps, and a cluster has thousands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// What it is about; in a file without it, the HPA.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "nullable::is_default")]
    pub involved_object: InvolvedObject,
    /// `Normal` or `Warning`.
    #[serde(rename = "type", deserialize_with = "nullable::or_default")]
    pub kind: String,
    /// Why, in one word.
    #[serde(deserialize_with = "nullable::or_default")]
    pub reason: String,
    /// The controller's sentence.
    #[serde(deserialize_with = "nullable::or_default")]
    pub message: String,
    /// How often it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i32>,
    /// When it was first said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_timestamp: Option<Timestamp>,
    /// When it was last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_timestamp: Option<Timestamp>,
    /// When it was said, in the newer form of events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_time: Option<Timestamp>,
    /// The repetitions, in the newer form of events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<EventSeries>,
}

/// What an event is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct InvolvedObject {
    /// Such as `HorizontalPodAutoscaler` or `Deployment`.
    #[serde(deserialize_with = "nullable::or_default")]
    pub kind: String,
    /// The object's name.
    #[serde(deserialize_with = "nullable::or_default")]
    pub name: String,
    /// The object's namespace.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// What tells it from another object that had the same name before, or
    /// has it since; hashed in a redacted snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
}

impl InvolvedObject {
    /// Whether it can be this object: what it does not say speaks against
    /// none.
    pub fn can_be(&self, kind: &str, name: &str, namespace: &str) -> bool {
        let reported = [
            (&self.kind, kind),
            (&self.name, name),
            (&self.namespace, namespace),
        ];
        reported
            .iter()
            .all(|(reported, own)| reported.is_empty() || reported.as_str() == *own)
    }
}

/// The repetitions of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// How often it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i32>,
    /// When it was last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_observed_time: Option<Timestamp>,
}
