//! What a simulation did: hours of passes under a made-up or recorded load.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::amount::amount_of;
use super::{Bounds, Delay, MergePatch, Range, Reason, SizeDecision, Trace};
use crate::api::{ConditionReason, CrossVersionObjectReference, MetricKind, OneOf};

/// The same load under one or several specs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The HPA's scale target.
    pub target: CrossVersionObjectReference,
    /// The metric that the load is of.
    pub metric: String,
    /// What tells it from others of its name, such as `cpu/app`; else the same.
    pub metric_label: String,
    /// That metric's type, such as `Resource`.
    pub metric_type: OneOf<MetricKind>,
    /// The load, in words.
    pub load: String,
    /// For how long, in seconds.
    pub seconds: i64,
    /// The time between two passes, in seconds.
    pub every_seconds: i64,
    /// The release whose rules apply, such as `1.36`.
    pub release: String,
    /// What is taken for granted of the workload, in words.
    pub assumptions: Vec<String>,
    /// What weakens the answer as a whole.
    pub warnings: Vec<String>,
    /// The spec as it is, then the others in the order given.
    pub runs: Vec<SimulatedRun>,
    /// Behaviors that were searched for; absent where none were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
}

/// Of a run of more passes, charts and lists have only what stands out.
const MOST_PASSES: i64 = 20_000;

/// Whether charts and lists have every pass of so many seconds, one every so many.
pub fn has_every_pass(seconds: i64, every: i64) -> bool {
    seconds / every.max(1) <= MOST_PASSES
}

impl Simulation {
    /// An amount of the metric, given in thousandths, as a person reads it.
    pub fn amount(&self, milli: i64) -> String {
        amount_of(&self.metric, self.metric_type.is_of_resource(), milli)
    }
}

/// Many behaviors on the same load, and those of them that nothing beats.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Search {
    /// How many were tried, the spec as it is included.
    pub tried: usize,
    /// How many of them could not be simulated.
    pub failed: usize,
    /// Why not the first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What came of the spec as it is.
    pub now: Scores,
    /// Those that no other beats: whichever is better than one of them in time
    /// with too few pods, in pod-hours or in reversals, is worse in another of
    /// the three. The least time with too few pods comes first.
    pub front: Vec<Unbeaten>,
}

/// A behavior that no other beats.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unbeaten {
    /// What it changes, in words; empty for the spec as it is.
    pub name: String,
    /// The change that leads to it; absent for the spec as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<MergePatch>,
    /// Whether it beats the spec as it is: better in one of the three, and
    /// worse in none.
    pub beats_now: bool,
    /// What came of it.
    pub scores: Scores,
}

/// The load under one spec.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedRun {
    /// What it is called: `now`, or where the spec comes from.
    pub name: String,
    /// Whether it is of the spec as it is.
    #[serde(skip)]
    pub is_now: bool,
    /// The change that leads to this spec.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<MergePatch>,
    /// The bounds of the spec.
    pub bounds: Bounds,
    /// What came of it.
    pub scores: Scores,
    /// How long a doubled load of the pods at the start waits for the pods that
    /// it needs, whatever the load is; absent where that cannot be simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction: Option<Delay>,
    /// Why metrics failed, the first error first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailedPasses>,
    /// Every pass. Of very many, a text keeps those that it shows.
    pub steps: Vec<SimulatedStep>,
}

/// A scenario of a file under its one spec.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioRun {
    /// What weakens the answer as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The run.
    #[serde(flatten)]
    pub run: SimulatedRun,
}

/// Passes in which metrics failed for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedPasses {
    /// The controller's error.
    pub error: String,
    /// The error of the first metric in it.
    #[serde(skip)]
    pub first: Option<String>,
    /// How many.
    pub passes: u32,
}

/// A pass of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedStep {
    /// When, in seconds since the start.
    pub second: i64,
    /// The demand at that moment: of a scenario as its file writes it, else
    /// in thousandths of the metric's unit.
    pub demand: i64,
    /// The size before.
    pub current_replicas: i32,
    /// What the metrics ask for, before stabilization and not below 0; -1
    /// where they were not asked, or gave no answer.
    pub recommendation: i32,
    /// What stabilization leaves of that; absent where nothing was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stabilized: Option<i32>,
    /// The size after.
    pub desired_replicas: i32,
    /// The reason of the condition `ScalingLimited` after the pass; absent
    /// before the first pass that sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaling_limited_reason: Option<Reason>,
    /// What makes it another size than the metrics ask for, as the reason of
    /// the condition that says so; outside of the bounds, where the controller
    /// asks no metric, `TooManyReplicas` or `TooFewReplicas`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<Reason>,
    /// The reason of the condition `AbleToScale` after the pass.
    pub able_to_scale_reason: OneOf<ConditionReason>,
    /// Whether metrics failed, so that nothing could change.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub metrics_failed: bool,
    /// The pods that there are; absent of a scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<i32>,
    /// The pods that are Ready and serve; absent of a scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serving: Option<i32>,
    /// The pass itself, where a page opens it.
    #[serde(skip)]
    pub page: Option<Arc<Trace>>,
}

impl From<&SimulatedStep> for SizeDecision {
    fn from(step: &SimulatedStep) -> Self {
        Self {
            from: Range::of(step.current_replicas),
            recommended: (step.recommendation >= 0).then_some(Range::of(step.recommendation)),
            to: Range::of(step.desired_replicas),
            held_by: step.held_by,
        }
    }
}

/// What came of a simulation.
///
/// What is too few and too many is measured against what a pod carries at the
/// target of the spec as it is, also under other specs. Where the metric has no
/// target of a pod, it is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scores {
    /// For how long the pods that served were too few: each had more to carry
    /// than the target and its tolerance. In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under_provisioned_seconds: Option<i64>,
    /// How many pods the demand needed at the target beyond those that served,
    /// in fractions of a pod, summed over all seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_pod_seconds: Option<i64>,
    /// How many pods there were on nodes beyond those that the demand needs at the
    /// target, and beyond `minReplicas`, summed over all seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_provisioned_pod_seconds: Option<i64>,
    /// How many pods there were on nodes, summed over all seconds.
    pub pod_seconds: i64,
    /// How often the scale was written.
    pub scalings: u32,
    /// How often it went up after it had gone down, or down after up.
    pub reversals: u32,
    /// Passes in which metrics failed, so that nothing could change.
    pub failed_passes: u32,
    /// The longest time without a break in which pods were too few, in
    /// seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_lag_seconds: Option<i64>,
    /// The smallest size.
    pub least_replicas: i32,
    /// The largest size.
    pub most_replicas: i32,
}

impl Scores {
    /// How many pods were missing, summed over all seconds; none where that is unknown.
    pub fn missing_pod_seconds(&self) -> i64 {
        self.short_pod_seconds.unwrap_or_default()
    }
}
