//! Events of an HPA: what the controller said about earlier passes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::nullable;

/// A `v1` Event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
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
