//! What stands between what the metrics ask for and the size.
//!
//! The verdict asks here, once for all that name a cause: the list, the page and the
//! findings have it from the verdict.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Direction, LimitHold, LimitRecord, MetricRecord, Reported, Rule, StabilizationRecord, Trace,
    WindowEdge,
};
use crate::api::{Condition, ConditionKind, ConditionReason, SelectPolicy};

/// What keeps the size from being what the metrics ask for, or the metrics
/// from asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// No pass comes to a size: the scale, the selector or every metric fails.
    Failure,
    /// A failed metric forbids the change downwards that the others ask for.
    FailedMetric,
    /// The target is at 0 replicas, where the HPA does nothing.
    Paused,
    /// `spec.maxReplicas`.
    MaxReplicas,
    /// `spec.minReplicas`.
    MinReplicas,
    /// The stabilization window of `scaleUp`.
    ScaleUpWindow,
    /// The stabilization window of `scaleDown`.
    ScaleDownWindow,
    /// The policies of `scaleUp`.
    ScaleUpPolicy,
    /// The policies of `scaleDown`.
    ScaleDownPolicy,
    /// `selectPolicy: Disabled`.
    Disabled,
    /// Without `behavior`: at most twice the size, or 4, in one pass.
    Doubling,
    /// The metric is off its target by no more than is tolerated.
    Tolerance,
    /// Pods without numbers dampen what the others ask for.
    PodsWithoutNumbers,
    /// What cannot be seen decides: earlier passes, or what we may not read.
    Unknown,
}

impl Trace {
    /// What holds the size that the metrics come to, if anything does. Where the
    /// metrics do not decide, [`Verdict`](super::Verdict) knows what does.
    pub(super) fn hold_of_metrics(&self) -> Option<Hold> {
        let Some(desired) = self.outcome.desired_replicas else {
            return Some(Hold::Unknown);
        };
        let recommended = self.recommendation.as_ref()?.replicas?;
        let current = self.outcome.current_replicas;
        match desired {
            _ if recommended == desired && desired == current => {
                self.winner().and_then(|metric| self.hold_of_metric(metric))
            }
            _ if recommended == desired => None,
            _ if desired == current => self.hold_of_kept(recommended),
            _ => self.hold_of_changed(recommended, desired),
        }
    }

    /// The metric asks for just this size, which need not mean that it is on
    /// its target.
    fn hold_of_metric(&self, metric: &MetricRecord) -> Option<Hold> {
        match metric.proposed()?.rule {
            _ if self.dampened().is_some() => Some(Hold::PodsWithoutNumbers),
            Rule::ReplicasReversed | Rule::ReplicasOpposed => Some(Hold::Tolerance),
            rule => rule.is_tolerated().then_some(Hold::Tolerance),
        }
    }

    /// Another size is asked for, and the size stays.
    fn hold_of_kept(&self, recommended: i32) -> Option<Hold> {
        let current = self.outcome.current_replicas;
        let direction = Direction::between(current, recommended)?;
        match (direction, &self.stabilization) {
            (Direction::Up, _) if current == self.bounds.max_replicas => Some(Hold::MaxReplicas),
            (Direction::Down, _) if current == self.bounds.min_replicas => Some(Hold::MinReplicas),
            (_, Some(record)) if record.keeps(current, direction) => Some(window(direction)),
            _ => self.limit.as_ref().and_then(LimitRecord::hold),
        }
    }

    /// The size changes, but not to what is asked for.
    fn hold_of_changed(&self, recommended: i32, desired: i32) -> Option<Hold> {
        match &self.limit {
            Some(limit) if limit.result != limit.stabilized => limit.hold(),
            _ => Direction::between(desired, recommended).map(window),
        }
    }
}

fn window(direction: Direction) -> Hold {
    match direction {
        Direction::Up => Hold::ScaleUpWindow,
        Direction::Down => Hold::ScaleDownWindow,
    }
}

impl StabilizationRecord {
    /// What keeps the size from going in a direction; absent without `behavior` upwards.
    pub const fn edge(&self, direction: Direction) -> Option<WindowEdge> {
        match direction {
            Direction::Up => self.up,
            Direction::Down => Some(self.down),
        }
    }

    /// Whether the window of a direction keeps this size; one that holds more
    /// than the size holds the size as well.
    pub fn keeps(&self, current: i32, direction: Direction) -> bool {
        Direction::between(current, self.result) != Some(direction)
    }
}

impl LimitRecord {
    /// What limited the count, if anything did; the bounds come before what
    /// is slower than they are (`convertDesiredReplicasWithRules`,
    /// `convertDesiredReplicasWithBehaviorRate`).
    pub fn hold(&self) -> Option<Hold> {
        match self.reason {
            _ if !self.limited => None,
            Reason::TooManyReplicas => Some(Hold::MaxReplicas),
            Reason::TooFewReplicas => Some(Hold::MinReplicas),
            _ if self.select_policy == Some(SelectPolicy::Disabled) => Some(Hold::Disabled),
            _ if self.rule == Rule::LimitDoubling => Some(Hold::Doubling),
            Reason::ScaleUpLimit => Some(Hold::ScaleUpPolicy),
            Reason::ScaleDownLimit => Some(Hold::ScaleDownPolicy),
            _ => None,
        }
    }

    /// What comes of the limit.
    pub(super) fn lets(&self) -> LimitHold {
        let mut policies = self.policies.iter().filter(|_| self.slows());
        let selected = policies.find(|policy| policy.selected);
        LimitHold {
            allows: self.result,
            policy: selected.cloned().map(Box::new),
        }
    }

    /// Whether it is the change that is limited, by `behavior` or without it
    /// by doubling, and not the size by a bound.
    pub fn slows(&self) -> bool {
        let hold = self.hold();
        hold.is_some_and(|hold| !matches!(hold, Hold::MaxReplicas | Hold::MinReplicas))
    }
}

impl Reported {
    /// What held the size in the last pass according to its conditions alone.
    pub fn hold(&self) -> Option<Hold> {
        let reason = |kind| self.condition(kind).and_then(|it| it.reason.known());
        let able = reason(ConditionKind::AbleToScale);
        let limited = reason(ConditionKind::ScalingLimited);
        if self.is_paused() {
            return Some(Hold::Paused);
        }
        if self.failing().is_some() {
            return Some(Hold::Failure);
        }
        Some(match (able, limited) {
            (_, Some(ConditionReason::TooManyReplicas)) => Hold::MaxReplicas,
            (_, Some(ConditionReason::TooFewReplicas)) => Hold::MinReplicas,
            (Some(ConditionReason::ScaleDownStabilized), _) => Hold::ScaleDownWindow,
            (Some(ConditionReason::ScaleUpStabilized), _) => Hold::ScaleUpWindow,
            (_, Some(ConditionReason::ScaleUpLimit)) => Hold::ScaleUpPolicy,
            (_, Some(ConditionReason::ScaleDownLimit)) => Hold::ScaleDownPolicy,
            _ => return None,
        })
    }

    /// Whether the last pass found the target at 0, and so left it alone.
    pub fn is_paused(&self) -> bool {
        let active = self.condition(ConditionKind::ScalingActive);
        active.is_some_and(|one| one.reason == ConditionReason::ScalingDisabled)
    }

    /// The first condition by which the controller cannot do its work.
    pub fn failing(&self) -> Option<&Condition> {
        self.conditions.iter().find(|one| one.fails())
    }

    /// The condition of a type, where the status shows it.
    pub fn condition(&self, kind: ConditionKind) -> Option<&Condition> {
        Condition::of(&self.conditions, kind)
    }
}

/// The outcomes of stabilizing and limiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Reason {
    /// Stabilization changed nothing.
    ReadyForNewScale,
    /// A lower recommendation holds the size down.
    ScaleUpStabilized,
    /// A higher recommendation holds the size up.
    ScaleDownStabilized,
    /// Neither policies nor bounds changed anything.
    DesiredWithinRange,
    /// The rate limit upwards was met.
    ScaleUpLimit,
    /// The rate limit downwards was met.
    ScaleDownLimit,
    /// `maxReplicas` was met.
    TooManyReplicas,
    /// `minReplicas` was met.
    TooFewReplicas,
}

impl Reason {
    /// The word in the condition's `reason`.
    pub const fn word(self) -> ConditionReason {
        match self {
            Self::ReadyForNewScale => ConditionReason::ReadyForNewScale,
            Self::ScaleUpStabilized => ConditionReason::ScaleUpStabilized,
            Self::ScaleDownStabilized => ConditionReason::ScaleDownStabilized,
            Self::DesiredWithinRange => ConditionReason::DesiredWithinRange,
            Self::ScaleUpLimit => ConditionReason::ScaleUpLimit,
            Self::ScaleDownLimit => ConditionReason::ScaleDownLimit,
            Self::TooManyReplicas => ConditionReason::TooManyReplicas,
            Self::TooFewReplicas => ConditionReason::TooFewReplicas,
        }
    }

    /// The sentence in the condition's `message`.
    pub const fn message(self) -> &'static str {
        match self {
            Self::ReadyForNewScale => "recommended size matches current size",
            Self::ScaleUpStabilized => {
                "recent recommendations were lower than current one, applying the lowest recent recommendation"
            }
            Self::ScaleDownStabilized => {
                "recent recommendations were higher than current one, applying the highest recent recommendation"
            }
            Self::DesiredWithinRange => "the desired count is within the acceptable range",
            Self::ScaleUpLimit => {
                "the desired replica count is increasing faster than the maximum scale rate"
            }
            Self::ScaleDownLimit => {
                "the desired replica count is decreasing faster than the maximum scale rate"
            }
            Self::TooManyReplicas => {
                "the desired replica count is more than the maximum replica count"
            }
            Self::TooFewReplicas => {
                "the desired replica count is less than the minimum replica count"
            }
        }
    }
}
