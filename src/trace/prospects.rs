//! What other inputs would lead to: each answer comes from running the rules
//! of the pass on altered inputs.

use std::ops::Not;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::Range;
use super::ShellCommand;
use crate::api::{OneOf, Phase};

/// What other inputs would lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prospects {
    /// For each metric that proposes a count, the values at which it would
    /// propose another; in the order of the metrics.
    pub break_points: Vec<BreakPoints>,
    /// Where the size ends if the load stays; absent where that cannot be
    /// told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settling: Option<Settling>,
    /// What would be asked for if other pods counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counterfactuals: Vec<Counterfactual>,
    /// Changes of the spec that would let the change through now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Attempt>,
    /// The pods that the selector catches although the target does not own
    /// them, in the order given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign_pods: Vec<ForeignPod>,
}

impl Prospects {
    /// The values at which the metric at a place of the spec would propose
    /// another count, if it proposes one.
    pub fn break_points_of(&self, metric: usize) -> Option<&BreakPoints> {
        let all = &self.break_points;
        let at = all.binary_search_by_key(&metric, |points| points.metric);
        at.ok().and_then(|at| all.get(at))
    }
}

/// The values of a metric at which it alone would propose another count,
/// while the pods that are set aside stay so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BreakPoints {
    /// The metric's place in the spec.
    pub metric: usize,
    /// The nearest value above that asks for more than the current size;
    /// absent where the metric asks for more already, and where no value
    /// above does.
    pub up: Option<BreakPoint>,
    /// Whether the containers' limits keep the metric from coming to that.
    #[serde(skip_serializing_if = "Not::not")]
    pub is_up_out_of_reach: bool,
    /// The nearest value below that asks for less than the current size;
    /// absent where the metric asks for less already, and where no value
    /// below does.
    pub down: Option<BreakPoint>,
}

/// A value at which a proposal changes. Values are percent for
/// `Utilization`, the average of an entry in thousandths for other metrics
/// that are measured pod by pod, else the whole metric in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BreakPoint {
    /// The first value with the new proposal.
    pub value: i64,
    /// The last value without it.
    pub last: i64,
    /// The last value without it in thousandths of a percent, for
    /// `Utilization`: set-aside pods that are filled in make the proposal
    /// change between two whole percentages of those that count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_in_thousandths: Option<i64>,
    /// The sum over what counts, at the first value, in thousandths.
    pub total: i64,
    /// The proposal there.
    pub replicas: i32,
}

/// Where the size ends if the load stays. All pods of the target are taken to
/// count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Settling {
    /// How it ends.
    pub end: End,
    /// The size at which it rests, or the largest one of the cycle; absent
    /// where that depends on what is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// The sizes at which it can rest, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible: Option<Range>,
    /// The sizes on the way, that one included, from the first that differs
    /// from the current one on, with their latest moments; none where what is
    /// remembered, or the moment of the next pass, leaves several ways. The
    /// sizes of a cycle are those that are asked for.
    pub steps: Vec<Reached>,
    /// The metric that decides there, by its place in the spec.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<usize>,
    /// What that metric is measured at there, in the unit of its break-points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i64>,
    /// The values between which that metric goes on asking for that size; an
    /// end is absent where there is none.
    pub holds_from: Option<i64>,
    /// The largest such value.
    pub holds_to: Option<i64>,
    /// The size at which it would rest without `maxReplicas`, where that is
    /// what it ends at; absent where no size satisfies the metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_max: Option<i32>,
    /// The metrics, by their places in the spec, whose value for each pod (or
    /// for all) is taken not to fall as pods are added: memory, and targets of
    /// type Value. The sum of all others is taken to stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taken_constant: Vec<usize>,
}

/// A size that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reached {
    /// The size.
    pub replicas: i32,
    /// When, if passes go on at the sync period's pace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// How a size ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The metrics ask for the size that there is, or for what the bounds or
    /// `selectPolicy: Disabled` forbid.
    Rest,
    /// At `maxReplicas`, still asking for more.
    AtMax,
    /// Round and round.
    Cycle,
}

/// What would be asked for if other pods counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counterfactual {
    /// What would be different.
    pub premise: Premise,
    /// The metric that decides then, by its place in the spec.
    pub metric: Option<usize>,
    /// What that metric is measured at then, in the unit of its break-points.
    pub value: Option<i64>,
    /// What the metric that the premise is about proposes then by itself;
    /// absent where it is about no single metric, or that one fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<i32>,
    /// What the metrics ask for then, not below 0; absent where they fail.
    pub recommendation: Option<i32>,
    /// The same within the bounds.
    pub replicas: Option<i32>,
}

/// What would be different.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "what")]
pub enum Premise {
    /// The pods that the target does not own were not selected.
    WithoutForeignPods {
        /// How many there are.
        pods: usize,
    },
    /// One of the pods that are set aside had a sample like the others.
    OneCounts {
        /// The pod.
        pod: String,
    },
    /// All pods that are set aside counted, and shared the load.
    AllCount {
        /// How many there are.
        pods: usize,
    },
    /// A target of type Value were one of type `AverageValue`, with the same
    /// amount.
    AverageInPlaceOfValue {
        /// The metric's place in the spec.
        metric: usize,
    },
}

/// A change of the spec that would let a change of the size through now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Attempt {
    /// What holds the size or a part of the change.
    pub limit: Limit,
    /// The field, such as `spec.behavior.scaleUp.policies[0].value`.
    pub field: String,
    /// The field's value; absent where the spec has none.
    pub from: Option<String>,
    /// The nearest value that lets it through.
    pub to: String,
    /// The count of the pass under that.
    pub replicas: i32,
    /// The command that makes the change, ready for a shell.
    #[schemars(with = "String")]
    pub command: ShellCommand,
}

/// What holds a size, or a part of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// A scaling policy.
    Policy,
    /// A stabilization window.
    Window,
    /// `maxReplicas`.
    MaxReplicas,
    /// The tolerance.
    Tolerance,
}

/// A pod that the selector catches although the target does not own it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ForeignPod {
    /// The pod's name.
    pub name: String,
    /// Who owns it, as `Kind/name`; absent for a pod that nobody controls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Its phase.
    #[schemars(with = "String")]
    pub phase: OneOf<Phase>,
}

impl Settling {
    /// The values between which the size holds, where both ends are known.
    pub fn holds(&self) -> Option<(i64, i64)> {
        Some((self.holds_from?, self.holds_to?))
    }

    /// The sizes that it passes, as a range.
    pub fn range(&self) -> Range {
        let sizes = self.steps.iter().map(|step| Range::of(step.replicas));
        let all = sizes
            .chain(self.replicas.map(Range::of))
            .chain(self.possible);
        all.reduce(Range::join).unwrap_or(Range::of(0))
    }
}
