//! What stands between what the metrics ask for and the size.

use schemars::JsonSchema;
use serde::Serialize;

use crate::trace::{
    Condition, LimitRecord, MetricRecord, Reported, Rule, StabilizationRecord, Trace,
};

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

impl Hold {
    /// What holds the size in a pass, if anything does.
    pub(super) fn of(trace: &Trace) -> Option<Self> {
        if let Some(scale) = &trace.scale
            && scale.rule != Rule::ScaleRead
        {
            let is_ours = scale.rule == Rule::ScaleUnreadable;
            return Some(if is_ours {
                Self::Unknown
            } else {
                Self::Failure
            });
        }
        let branch = trace.branch.as_ref().map(|branch| branch.rule);
        match branch {
            Some(Rule::BranchDisabled) => return Some(Self::Paused),
            Some(Rule::BranchAboveMax | Rule::BranchBelowMin) => return None,
            _ => {}
        }
        let selector = trace.selector.as_ref();
        if selector.is_some_and(|selector| selector.error.is_some()) {
            return Some(Self::Failure);
        }
        let recommendation = trace.recommendation.as_ref()?;
        match recommendation.rule {
            Rule::RecommendationNone => return Some(Self::Failure),
            Rule::RecommendationBlocked => return Some(Self::FailedMetric),
            _ => {}
        }
        let Some(desired) = trace.outcome.desired_replicas else {
            return Some(Self::Unknown);
        };
        let asked = recommendation.replicas?;
        let current = trace.outcome.current_replicas;
        match desired {
            _ if asked == desired && desired == current => trace
                .winner()
                .and_then(|metric| Self::of_metric(trace, metric)),
            _ if asked == desired => None,
            _ if desired == current => Self::kept(trace, asked),
            _ => Self::changed(trace, asked, desired),
        }
    }

    /// What holds it according to the conditions alone.
    pub(super) fn reported(reported: &Reported) -> Option<Self> {
        let of = |kind| condition(reported, kind);
        let is_false = |kind| of(kind).is_some_and(|one| one.status == "False");
        let reason = |kind| of(kind).map_or("", |one| one.reason.as_str());
        match (reason("AbleToScale"), reason("ScalingLimited")) {
            _ if reason("ScalingActive") == "ScalingDisabled" => Some(Self::Paused),
            _ if is_false("AbleToScale") || is_false("ScalingActive") => Some(Self::Failure),
            (_, "TooManyReplicas") => Some(Self::MaxReplicas),
            (_, "TooFewReplicas") => Some(Self::MinReplicas),
            ("ScaleDownStabilized", _) => Some(Self::ScaleDownWindow),
            ("ScaleUpStabilized", _) => Some(Self::ScaleUpWindow),
            (_, "ScaleUpLimit") => Some(Self::ScaleUpPolicy),
            (_, "ScaleDownLimit") => Some(Self::ScaleDownPolicy),
            _ => None,
        }
    }

    /// The metric asks for just this size, which need not mean that it is on
    /// its target.
    fn of_metric(trace: &Trace, metric: &MetricRecord) -> Option<Self> {
        match metric.proposed()?.rule {
            _ if trace.dampened().is_some() => Some(Self::PodsWithoutNumbers),
            Rule::ReplicasToleratedFilledIn
            | Rule::ReplicasReversed
            | Rule::ReplicasOpposed
            | Rule::ReplicasTolerated
            | Rule::ValueTolerated
            | Rule::AverageTolerated => Some(Self::Tolerance),
            _ => None,
        }
    }

    /// Another size is asked for, and the size stays.
    fn kept(trace: &Trace, asked: i32) -> Option<Self> {
        let current = trace.outcome.current_replicas;
        let is_up = asked > current;
        if is_up && current == trace.bounds.max_replicas {
            return Some(Self::MaxReplicas);
        }
        if !is_up && current == trace.bounds.min_replicas {
            return Some(Self::MinReplicas);
        }
        // A window that holds more than the size holds that as well.
        let holds = |record: &&StabilizationRecord| {
            if is_up {
                record.result <= current
            } else {
                record.result >= current
            }
        };
        match trace.stabilization.as_ref().filter(holds) {
            Some(_) => Some(Self::window(is_up)),
            None => trace.limit.as_ref().and_then(Self::of_limit),
        }
    }

    /// The size changes, but not to what is asked for.
    fn changed(trace: &Trace, asked: i32, desired: i32) -> Option<Self> {
        match &trace.limit {
            Some(limit) if limit.result != limit.stabilized => Self::of_limit(limit),
            _ => Some(Self::window(asked > desired)),
        }
    }

    fn window(is_up: bool) -> Self {
        if is_up {
            Self::ScaleUpWindow
        } else {
            Self::ScaleDownWindow
        }
    }

    fn of_limit(limit: &LimitRecord) -> Option<Self> {
        match (limit.reason, limit.rule) {
            ("TooManyReplicas", _) => Some(Self::MaxReplicas),
            ("TooFewReplicas", _) => Some(Self::MinReplicas),
            _ if limit.select_policy == Some("Disabled") => Some(Self::Disabled),
            (_, Rule::LimitDoubling) => Some(Self::Doubling),
            ("ScaleUpLimit", _) => Some(Self::ScaleUpPolicy),
            ("ScaleDownLimit", _) => Some(Self::ScaleDownPolicy),
            _ => None,
        }
    }
}

pub(super) fn condition<'r>(reported: &'r Reported, kind: &str) -> Option<&'r Condition> {
    reported.conditions.iter().find(|one| one.kind == kind)
}
