//! What a metric's evaluation made of one pod.

use compact_str::CompactString;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::amount::counted;
use super::{Record, Rule, Trace};
use crate::api::Phase;

/// What a metric's evaluation made of one pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodRecord {
    /// The pod's name.
    #[schemars(with = "String")]
    pub name: CompactString,
    /// The group that it fell into.
    pub group: Group,
    /// The rule that put it there.
    pub rule: Rule,
    /// The pod's phase.
    pub phase: Phase,
    /// The sample's value in thousandths, where there is a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<i64>,
    /// The request in thousandths, where the metric compares with requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<i64>,
    /// The times that the readiness rules of cpu metrics compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<PodTimes>,
    /// From when on the pod counts, if it has a sample, by the passing of time
    /// alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// What the kubelet says of a container that does not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingContainer {
    /// The pod's name.
    pub pod: String,
    /// The container's name.
    pub container: String,
    /// Why it waits, such as `CrashLoopBackOff`; empty where nothing tells.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// How often it was restarted.
    pub restarts: i32,
}

impl WaitingContainer {
    /// `container app: CrashLoopBackOff, 12 restarts`.
    pub fn text(&self) -> String {
        let reason = match self.reason.as_str() {
            "" => "waiting",
            reason => reason,
        };
        let text = format!("container {}: {reason}", self.container);
        match usize::try_from(self.restarts) {
            Ok(0) | Err(_) => text,
            Ok(restarts) => format!("{text}, {}", counted(restarts, "restart")),
        }
    }
}

/// The four groups of `groupPods`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Counts with its sample.
    Ready,
    /// Has no say downwards, counts as 0 upwards.
    Unready,
    /// Counts as if it sat on the target downwards, as 0 upwards.
    Missing,
    /// Plays no part.
    Ignored,
}

/// The times that the readiness rules of cpu metrics compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodTimes {
    /// `status.startTime`.
    pub started: Option<Timestamp>,
    /// Start plus the cpu initialization period.
    pub initialization_ends: Option<Timestamp>,
    /// Start plus the initial readiness delay.
    pub readiness_delay_ends: Option<Timestamp>,
    /// Whether the pod is Ready.
    pub ready: Option<bool>,
    /// The last transition of the Ready condition.
    pub ready_changed: Option<Timestamp>,
    /// When the sample was taken.
    pub sampled: Option<Timestamp>,
    /// The earliest sample that lies wholly after the transition.
    pub sample_needed: Option<Timestamp>,
}

impl Record for PodRecord {
    fn enter(self, trace: &mut Trace) {
        if let Some(metric) = trace.metrics.last_mut() {
            metric.pods.push(self);
        }
    }
}
