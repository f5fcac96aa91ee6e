//! What the stabilization window held.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Reason, Record, Rule, Trace};

/// How the recommendation was stabilized.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StabilizationRecord {
    /// The algorithm.
    pub rule: Rule,
    /// The recommendation that went in.
    pub recommendation: i32,
    /// What came out.
    pub result: i32,
    /// What keeps the size from rising; absent without `behavior`.
    pub up: Option<WindowEdge>,
    /// What keeps the size from falling.
    pub down: WindowEdge,
    /// The memory that was looked at, in slot order; none where it is
    /// unknown.
    pub entries: Vec<WindowEntry>,
    /// The condition's reason: `ReadyForNewScale`, `ScaleUpStabilized` or
    /// `ScaleDownStabilized`.
    pub reason: Reason,
    /// The comparison, with its numbers.
    pub formula: String,
}

/// One side of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowEdge {
    /// The length of the window.
    pub window_seconds: i64,
    /// Whether the spec sets the window; otherwise the controller's flag does.
    pub from_spec: bool,
    /// The lowest (up) or highest (down) recommendation that counts.
    pub value: i32,
    /// Of the entries of the memory that keep the stabilized count where it
    /// is, the one that lets go last; absent where none does.
    pub held_by: Option<usize>,
    /// From when on that entry no longer counts, so that the stabilized count
    /// changes if the recommendation stays.
    pub expires: Option<Timestamp>,
}

/// One remembered recommendation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowEntry {
    /// The recommended replicas.
    pub replicas: i32,
    /// When it was stored.
    pub timestamp: Timestamp,
    /// Whether it counts against rising.
    pub counts_up: bool,
    /// Whether it counts against falling.
    pub counts_down: bool,
}

impl Record for StabilizationRecord {
    fn enter(self, trace: &mut Trace) {
        trace.stabilization = Some(self);
    }
}
