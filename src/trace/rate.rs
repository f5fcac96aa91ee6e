//! What policies and bounds allowed.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Reason, Record, Rule, Trace};

/// How the stabilized count was limited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitRecord {
    /// The rule that applied.
    pub rule: Rule,
    /// The stabilized count that went in.
    pub stabilized: i32,
    /// What came out.
    pub result: i32,
    /// The furthest that the policies (or, without `behavior`, doubling)
    /// allow in this direction; absent where nothing was to be limited, and
    /// where the changes of the last periods are unknown.
    pub rate_limit: Option<i32>,
    /// `Max`, `Min` or `Disabled`; absent without `behavior`.
    pub select_policy: Option<&'static str>,
    /// Each policy with its numbers; none where the changes of the last
    /// periods are unknown.
    pub policies: Vec<PolicyRecord>,
    /// The condition's reason, such as `ScaleUpLimit`.
    pub reason: Reason,
    /// Whether the count was limited.
    pub limited: bool,
    /// The comparison, with its numbers.
    pub formula: String,
}

/// One policy with its numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRecord {
    /// `Pods` or `Percent`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Pods, or percent of the size at the start of the period.
    pub value: i32,
    /// The length of the period.
    pub period_seconds: i32,
    /// What was added within the period, as far as the release counts it.
    pub added: i32,
    /// What was removed within the period, as far as the release counts it.
    pub removed: i32,
    /// The size at the start of the period.
    pub period_start: i32,
    /// The furthest that this policy allows.
    pub limit: i32,
    /// Whether this policy was selected; several can give the same limit.
    pub selected: bool,
    /// When the oldest change that counts leaves the period.
    pub changes_at: Option<Timestamp>,
    /// The limit's formula, with its numbers.
    pub formula: String,
}

impl Record for LimitRecord {
    fn enter(self, trace: &mut Trace) {
        trace.limit = Some(self);
    }
}

/// A workload at zero was raised to its lower bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZeroClamp {
    /// Always `zero.clamp`.
    pub rule: Rule,
    /// The comparison, with its numbers.
    pub formula: String,
    /// The count before.
    pub from: i32,
    /// The count after.
    pub to: i32,
}

impl Record for ZeroClamp {
    fn enter(self, trace: &mut Trace) {
        trace.zero_clamp = Some(self);
    }
}
