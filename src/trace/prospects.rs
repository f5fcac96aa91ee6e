//! What other inputs would lead to: each answer comes from running the same
//! pass on altered inputs.

use schemars::JsonSchema;
use serde::Serialize;

/// What other inputs would lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prospects {
    /// For each metric that proposes a count, the values at which it would
    /// propose another.
    pub break_points: Vec<BreakPoints>,
}

/// The values of a metric at which it alone would propose another count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BreakPoints {
    /// The metric's place in the spec.
    pub metric: usize,
    /// The nearest value above that asks for more than the current size.
    pub up: Option<BreakPoint>,
    /// The nearest value below that asks for less than the current size.
    pub down: Option<BreakPoint>,
}

/// A value at which a proposal changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BreakPoint {
    /// The first value with the new proposal: percent for `Utilization`,
    /// thousandths otherwise, as in the metric's target.
    pub value: i64,
    /// The proposal there.
    pub replicas: i32,
}
