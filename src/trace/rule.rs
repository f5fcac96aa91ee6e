//! The rules that decide, each with a stable id, the place in the controller
//! that it comes from, and a sentence.

macro_rules! rules {
    ($($(#[$default:meta])? $name:ident = $id:literal, $source:literal, $says:literal;)*) => {
        /// A rule of the controller that decided something in a pass.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $says] $(#[$default])? $name,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable id, for documents and other tools.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// The controller's function that holds the rule.
            pub const fn source(self) -> &'static str {
                match self { $(Self::$name => $source,)* }
            }

            /// The rule in a sentence.
            pub const fn says(self) -> &'static str {
                match self { $(Self::$name => $says,)* }
            }
        }
    };
}

rules! {
    ScaleRead = "scale.read", "scaleForResourceMappings", "the scale subresource was read";
    ScaleApiVersion = "scale.api-version", "reconcileAutoscaler", "the target's apiVersion does not parse";
    ScaleNoMapping = "scale.no-mapping", "reconcileAutoscaler", "no API serves the target's kind";
    ScaleFailed = "scale.failed", "scaleForResourceMappings", "the scale subresource could not be read";
    ScaleUnreadable = "scale.unreadable", "scaleForResourceMappings", "you are not allowed to read the scale subresource";

    BranchDisabled = "branch.disabled", "reconcileAutoscaler", "scaling is disabled while the target has 0 replicas";
    BranchAboveMax = "branch.above-max", "reconcileAutoscaler", "more replicas than maxReplicas: set to maxReplicas at once";
    BranchBelowMin = "branch.below-min", "reconcileAutoscaler", "fewer replicas than minReplicas: set to minReplicas at once";
    BranchMetrics = "branch.metrics", "reconcileAutoscaler", "the metrics decide";
    BranchMetricsAtZero = "branch.metrics-at-zero", "reconcileAutoscaler", "the metrics decide, starting from 0 replicas";

    SelectorAccepted = "selector.accepted", "validateAndParseSelector", "the selector is usable";
    SelectorRequired = "selector.required", "validateAndParseSelector", "the target's scale has no pod selector";
    SelectorInvalid = "selector.invalid", "validateAndParseSelector", "the target's pod selector does not parse";
    SelectorAmbiguous = "selector.ambiguous", "validateAndParseSelector", "several HPAs select the same pods";

    PodTerminating = "pod.ignored.terminating", "groupPods", "being deleted: left out";
    PodFailed = "pod.ignored.failed", "groupPods", "phase Failed: left out";
    PodSucceeded = "pod.ignored.succeeded", "groupPods", "phase Succeeded: left out";
    PodPending = "pod.unready.pending", "groupPods", "phase Pending: counts as not ready";
    PodNoSample = "pod.missing.no-sample", "groupPods", "no sample for this pod";
    PodNoReadyCondition = "pod.unready.no-ready-condition", "groupPods", "no Ready condition or start time yet: counts as not ready";
    PodInitializing = "pod.unready.initializing", "groupPods", "not Ready within the cpu initialization period";
    PodStaleSample = "pod.unready.stale-sample", "groupPods", "within the cpu initialization period, and the sample starts before it became Ready";
    PodNeverReady = "pod.unready.never-ready", "groupPods", "has not been Ready since shortly after it started";
    PodReady = "pod.ready", "groupPods", "counts";

    MeasureUtilization = "measure.utilization", "GetResourceUtilizationRatio", "usage in percent of the requests, truncated, compared with the target";
    MeasureAverage = "measure.average", "GetMetricUsageRatio", "usage per entry, truncated to a thousandth, compared with the target";
    MeasureValue = "measure.value", "getUsageRatioReplicaCount", "the whole metric compared with the target";
    MeasurePerReplica = "measure.per-replica", "GetExternalPerPodMetricReplicas", "the whole metric compared with the target times the replicas in the target's status";
    FillOnTarget = "fill.on-target", "GetResourceReplicas", "below the target: pods without a sample count as if they were at the target";
    FillAtZero = "fill.at-zero", "GetResourceReplicas", "above the target: pods without a usable sample count as 0";

    ReplicasTolerated = "replicas.tolerated", "GetResourceReplicas", "the ratio is inside the tolerance: the current size stays";
    ReplicasByReadyPods = "replicas.ready-pods", "GetResourceReplicas", "ratio times the counted pods, rounded up";
    ReplicasFilledIn = "replicas.filled-in", "GetResourceReplicas", "ratio with the set-aside pods times all of these pods, rounded up";
    ReplicasToleratedFilledIn = "replicas.tolerated-filled-in", "GetResourceReplicas", "the ratio with the set-aside pods is inside the tolerance: the current size stays";
    ReplicasReversed = "replicas.reversed", "GetResourceReplicas", "the set-aside pods reverse the direction: the current size stays";
    ReplicasOpposed = "replicas.opposed", "GetResourceReplicas", "the result would move the size against the ratio: the current size stays";
    ValueTolerated = "value.tolerated", "getUsageRatioReplicaCount", "the ratio is inside the tolerance: the current size stays";
    ValueByReadyPods = "value.ready-pods", "getUsageRatioReplicaCount", "ratio times the pods that are Running and Ready, rounded up";
    ValueFromZero = "value.from-zero", "getUsageRatioReplicaCount", "from 0 replicas, the ratio itself, rounded up";
    AverageTolerated = "average.tolerated", "GetExternalPerPodMetricReplicas", "the ratio is inside the tolerance: the size is the replicas in the target's status";
    AverageOfTotal = "average.total", "GetExternalPerPodMetricReplicas", "the total divided by the target, rounded up";
    MetricFailed = "metric.failed", "computeReplicasForMetric", "the metric failed and proposes no size";
    MetricUnreadable = "metric.unreadable", "computeReplicasForMetric", "you are not allowed to read the metric";

    FallbackActive = "fallback.active", "KEP-5679, in no release", "a design, in no release: the metric has failed for long enough and asks for its fallback's replicas";
    FallbackWaiting = "fallback.waiting", "KEP-5679, in no release", "a design, in no release: the metric fails, but not for long enough for the fallback";
    FallbackNormal = "fallback.normal", "KEP-5679, in no release", "a design, in no release: the metric answers, so its fallback does not apply";
    FallbackUnknown = "fallback.unknown", "KEP-5679, in no release", "a design, in no release: you are not allowed to read the metric, so its fallback is unknown";

    RecommendationLargest = "recommendation.largest", "computeReplicasForMetrics", "the largest proposal counts";
    RecommendationBlocked = "recommendation.blocked", "computeReplicasForMetrics", "a failed metric blocks a scale-down";
    RecommendationNone = "recommendation.none", "computeReplicasForMetrics", "no metric proposes a size";
    RecommendationUnreadable = "recommendation.unreadable", "computeReplicasForMetrics", "a metric that you are not allowed to read could ask for more";

    StabilizeHighest = "stabilize.highest", "stabilizeRecommendation", "the highest recommendation in the window counts";
    StabilizeBand = "stabilize.band", "stabilizeRecommendationWithBehaviors", "the size changes only as far as every recommendation in the window allows";

    LimitDoubling = "limit.doubling", "convertDesiredReplicasWithRules", "at most twice the current size or 4, whichever is larger, in one pass; within minReplicas and maxReplicas";
    LimitScaleUp = "limit.scale-up", "convertDesiredReplicasWithBehaviorRate", "at most what the scaleUp policies and maxReplicas allow";
    LimitScaleDown = "limit.scale-down", "convertDesiredReplicasWithBehaviorRate", "at least what the scaleDown policies and minReplicas allow";
    LimitUnchanged = "limit.unchanged", "convertDesiredReplicasWithBehaviorRate", "no change, so no limit";
    ZeroClamp = "zero.clamp", "reconcileAutoscaler", "a target that the HPA scaled to 0 comes back with at least minReplicas";

    Rescale = "rescale", "reconcileAutoscaler", "the size changes";
    NoRescale = "rescale.none", "reconcileAutoscaler", "the size stays";
    #[default]
    Undecided = "rescale.undecided", "reconcileAutoscaler", "the result depends on what cannot be seen";
}

impl Rule {
    /// Whether a metric keeps the size because it is inside the tolerance,
    /// with or without pods that are filled in.
    pub const fn is_tolerated(self) -> bool {
        matches!(
            self,
            Self::ReplicasTolerated
                | Self::ReplicasToleratedFilledIn
                | Self::ValueTolerated
                | Self::AverageTolerated
        )
    }

    /// Whether a metric's proposal is what it computes, rounded up.
    pub const fn rounds_up(self) -> bool {
        matches!(
            self,
            Self::ReplicasByReadyPods
                | Self::ReplicasFilledIn
                | Self::ValueByReadyPods
                | Self::ValueFromZero
                | Self::AverageOfTotal
        )
    }
}

/// What has a stable id and a sentence is printed and written as its id, and
/// its schema lists all of them.
macro_rules! written_by_id {
    ($type:ident, $id:ident, $description:literal) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                formatter.write_str(self.$id())
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.$id())
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let all = Self::ALL.iter().map(
                    |it| schemars::json_schema!({ "const": it.$id(), "description": it.says() }),
                );
                schemars::json_schema!({ "description": $description, "oneOf": all.collect::<Vec<_>>() })
            }
        }
    };
}
pub(super) use written_by_id;

written_by_id!(Rule, id, "The id of a rule of the controller.");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Rule;

    #[test]
    fn ids_are_unique() {
        let ids: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        assert_eq!(ids.len(), Rule::ALL.len());
    }
}
