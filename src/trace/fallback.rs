//! What becomes of the fallback of an External metric, by a design that no
//! release has.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Record, Rule, Trace};
use crate::api::MetricStatus;

/// The fallback of an External metric (KEP-5679). It is recorded only where
/// the feature gate `HPAExternalMetricFallback` is switched on, which no
/// release of Kubernetes has: a cluster's own controller does none of this.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FallbackRecord {
    /// What becomes of it: `fallback.active`, `fallback.waiting`,
    /// `fallback.normal` or `fallback.unknown`.
    pub rule: Rule,
    /// The size that it asks for once it is active.
    pub replicas: i32,
    /// For how many seconds the metric must have failed, defaulted.
    pub failure_duration_seconds: i64,
    /// Since when the metric has failed without a break; absent where it
    /// does not fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<Timestamp>,
    /// Whether the metric asks for `replicas` in this pass.
    pub active: bool,
    /// From when on it does, if the metric goes on failing; absent where the
    /// metric does not fail, and where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_at: Option<Timestamp>,
    /// How many seconds that is from now, rounded up; absent where it is
    /// active already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<i64>,
    /// The comparison, with its numbers.
    pub formula: String,
    /// The entry of `status.currentMetrics` that a failing metric leaves;
    /// absent for one that does not fail, whose proposal has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<MetricStatus>,
}

impl Record for FallbackRecord {
    fn enter(self, trace: &mut Trace) {
        if let Some(metric) = trace.metrics.last_mut() {
            metric.fallback = Some(self);
        }
    }
}
