//! The rules that decide, each with a stable id, the place in the controller
//! that it comes from, and a sentence.

macro_rules! rules {
    ($($(#[$default:meta])? $name:ident = $id:literal, $source:literal, $says:literal, $helps:literal;)*) => {
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

            /// What helps where this is not wanted, in a sentence.
            pub const fn helps(self) -> &'static str {
                match self { $(Self::$name => $helps,)* }
            }
        }
    };
}

rules! {
    ScaleRead = "scale.read", "scaleForResourceMappings", "the scale subresource was read",
        "Nothing is wrong here.";
    ScaleApiVersion = "scale.api-version", "reconcileAutoscaler", "the target's apiVersion does not parse",
        "Write apiVersion of scaleTargetRef as group/version, such as apps/v1.";
    ScaleNoMapping = "scale.no-mapping", "reconcileAutoscaler", "no API serves the target's kind",
        "Set the kind and apiVersion of scaleTargetRef to what the cluster serves; `kubectl api-resources` lists it.";
    ScaleFailed = "scale.failed", "scaleForResourceMappings", "the scale subresource could not be read",
        "Check that the target exists in the HPA's namespace and that its kind has a scale subresource.";
    ScaleUnreadable = "scale.unreadable", "scaleForResourceMappings", "you are not allowed to read the scale subresource",
        "Get the rights: `kubectl hpa-explain rbac` prints the role. The controller itself can read it.";

    BranchDisabled = "branch.disabled", "reconcileAutoscaler", "scaling is disabled while the target has 0 replicas",
        "Set the target's replicas to at least 1; the HPA then takes over again.";
    BranchAboveMax = "branch.above-max", "reconcileAutoscaler", "more replicas than maxReplicas: set to maxReplicas at once",
        "If so many pods are needed, raise maxReplicas before the size is set by hand.";
    BranchBelowMin = "branch.below-min", "reconcileAutoscaler", "fewer replicas than minReplicas: set to minReplicas at once",
        "If fewer pods are enough, lower minReplicas instead of setting the size by hand.";
    BranchMetrics = "branch.metrics", "reconcileAutoscaler", "the metrics decide",
        "Nothing is wrong here: look at the metrics and at what limits them.";
    BranchMetricsAtZero = "branch.metrics-at-zero", "reconcileAutoscaler", "the metrics decide, starting from 0 replicas",
        "Nothing is wrong here if the HPA has an Object or External metric: that brings the target back.";

    SelectorAccepted = "selector.accepted", "validateAndParseSelector", "the selector is usable",
        "Nothing is wrong here.";
    SelectorRequired = "selector.required", "validateAndParseSelector", "the target's scale has no pod selector",
        "Set labelSelectorPath in the scale subresource of the CRD, and let its operator fill that field.";
    SelectorInvalid = "selector.invalid", "validateAndParseSelector", "the target's pod selector does not parse",
        "Correct the label selector in status.selector of the target's scale.";
    SelectorAmbiguous = "selector.ambiguous", "validateAndParseSelector", "several HPAs select the same pods",
        "Keep one HPA for each target, and give targets selectors that do not overlap.";

    PodTerminating = "pod.ignored.terminating", "groupPods", "being deleted: left out",
        "Wait until it is gone; if that takes long, look at its finalizers and grace period.";
    PodFailed = "pod.ignored.failed", "groupPods", "phase Failed: left out",
        "Find out why it failed, and delete it.";
    PodSucceeded = "pod.ignored.succeeded", "groupPods", "phase Succeeded: left out",
        "Delete it, or keep pods of Jobs out of the target's selector.";
    PodPending = "pod.unready.pending", "groupPods", "phase Pending: counts as not ready",
        "Find out what it waits for: `kubectl describe pod` tells.";
    PodNoSample = "pod.missing.no-sample", "groupPods", "no sample for this pod",
        "Check metrics-server, or the adapter that serves the metric; a new pod has its first sample after about a minute, one that has ended has none.";
    PodNoReadyCondition = "pod.unready.no-ready-condition", "groupPods", "no Ready condition or start time yet: counts as not ready",
        "Wait until its kubelet has reported it.";
    PodInitializing = "pod.unready.initializing", "groupPods", "not Ready within the cpu initialization period",
        "Shorten its start, or the time until its readiness probe succeeds.";
    PodStaleSample = "pod.unready.stale-sample", "groupPods", "within the cpu initialization period, and the sample starts before it became Ready",
        "Wait for a sample that begins after it became Ready: the passes from then on count it.";
    PodNeverReady = "pod.unready.never-ready", "groupPods", "has not been Ready since shortly after it started",
        "Find out why its readiness probe fails: `kubectl describe pod` tells.";
    PodReady = "pod.ready", "groupPods", "counts",
        "Nothing is wrong here.";

    MeasureUtilization = "measure.utilization", "GetResourceUtilizationRatio", "usage in percent of the requests, truncated, compared with the target",
        "To aim at another share, change averageUtilization; what the containers request counts as much as what they use.";
    MeasureAverage = "measure.average", "GetMetricUsageRatio", "usage per entry, truncated to a thousandth, compared with the target",
        "To aim at another amount, change averageValue.";
    MeasureValue = "measure.value", "getUsageRatioReplicaCount", "the whole metric compared with the target",
        "If the metric is a sum over the pods, use a target of type AverageValue.";
    MeasurePerReplica = "measure.per-replica", "GetExternalPerPodMetricReplicas", "the whole metric compared with the target times the replicas in the target's status",
        "To aim at another amount for each pod, change averageValue.";
    FillOnTarget = "fill.on-target", "GetResourceReplicas", "below the target: pods without a sample count as if they were at the target, or at their request where that is more",
        "Make every pod report: those without a sample make a scale-down smaller.";
    FillAtZero = "fill.at-zero", "GetResourceReplicas", "above the target: pods without a usable sample count as 0",
        "Make every pod Ready and report: those that are not make a scale-up smaller.";

    ReplicasTolerated = "replicas.tolerated", "GetResourceReplicas", "the ratio is inside the tolerance: the current size stays",
        "For a change at smaller differences, set tolerance in behavior (Kubernetes 1.35 and later), or move the target.";
    ReplicasByReadyPods = "replicas.ready-pods", "GetResourceReplicas", "ratio times the counted pods, rounded up",
        "To get another size, change the target of the metric.";
    ReplicasFilledIn = "replicas.filled-in", "GetResourceReplicas", "ratio with the set-aside pods times all of these pods, rounded up",
        "Make every pod Ready and report: those set aside make the change smaller.";
    ReplicasToleratedFilledIn = "replicas.tolerated-filled-in", "GetResourceReplicas", "the ratio with the set-aside pods is inside the tolerance: the current size stays",
        "Make every pod Ready and report: counted in, those set aside leave no reason to change.";
    ReplicasReversed = "replicas.reversed", "GetResourceReplicas", "the set-aside pods reverse the direction: the current size stays",
        "Make every pod Ready and report: the HPA does nothing while those set aside could turn the answer around.";
    ReplicasOpposed = "replicas.opposed", "GetResourceReplicas", "the result would move the size against the ratio: the current size stays",
        "Nothing is wrong here: pods were added or removed while the metrics were read. The next pass counts them.";
    ValueTolerated = "value.tolerated", "getUsageRatioReplicaCount", "the ratio is inside the tolerance: the current size stays",
        "For a change at smaller differences, set tolerance in behavior (Kubernetes 1.35 and later), or move the target.";
    ValueByReadyPods = "value.ready-pods", "getUsageRatioReplicaCount", "ratio times the pods that are Running and Ready, rounded up",
        "To get another size, change the target; if the metric is a sum over the pods, use AverageValue.";
    ValueFromZero = "value.from-zero", "getUsageRatioReplicaCount", "from 0 replicas, the ratio itself, rounded up",
        "To start with more pods, lower the target.";
    AverageTolerated = "average.tolerated", "GetExternalPerPodMetricReplicas", "the ratio is inside the tolerance: the size is the replicas in the target's status",
        "For a change at smaller differences, set tolerance in behavior (Kubernetes 1.35 and later), or move the target.";
    AverageOfTotal = "average.total", "GetExternalPerPodMetricReplicas", "the total divided by the target, rounded up",
        "To get another size, change averageValue: the total does not depend on the pods.";
    MetricFailed = "metric.failed", "computeReplicasForMetric", "the metric failed and proposes no size",
        "Read the error beside it: it names what is missing. `kubectl get apiservices` shows whether the metrics APIs answer.";
    MetricUnreadable = "metric.unreadable", "computeReplicasForMetric", "you are not allowed to read the metric",
        "Get the rights: `kubectl hpa-explain rbac` prints the role. The controller itself can read it.";

    FallbackActive = "fallback.active", "KEP-5679, in no release", "a design, in no release: the metric has failed for long enough and asks for its fallback's replicas",
        "Make the metric answer again: until then its fallback decides.";
    FallbackWaiting = "fallback.waiting", "KEP-5679, in no release", "a design, in no release: the metric fails, but not for long enough for the fallback",
        "Fix the metric, or wait until the fallback takes over.";
    FallbackNormal = "fallback.normal", "KEP-5679, in no release", "a design, in no release: the metric answers, so its fallback does not apply",
        "Nothing is wrong here.";
    FallbackUnknown = "fallback.unknown", "KEP-5679, in no release", "a design, in no release: you are not allowed to read the metric, so its fallback is unknown",
        "Get the rights: `kubectl hpa-explain rbac` prints the role.";

    RecommendationLargest = "recommendation.largest", "computeReplicasForMetrics", "the largest proposal counts",
        "To let another metric decide, change the target of the one that asks for most.";
    RecommendationBlocked = "recommendation.blocked", "computeReplicasForMetrics", "a failed metric blocks a scale-down",
        "Fix the failed metric, or remove it: until then the size can only grow.";
    RecommendationNone = "recommendation.none", "computeReplicasForMetrics", "no metric proposes a size",
        "Fix the metrics: until one has a value, the size stays.";
    RecommendationUnreadable = "recommendation.unreadable", "computeReplicasForMetrics", "a metric that you are not allowed to read could ask for more",
        "Get the rights: `kubectl hpa-explain rbac` prints the role.";

    StabilizeHighest = "stabilize.highest", "stabilizeRecommendation", "the highest recommendation in the window counts",
        "For a faster scale-down, give the spec a behavior with a shorter scaleDown window.";
    StabilizeBand = "stabilize.band", "stabilizeRecommendationWithBehaviors", "the size changes only as far as every recommendation in the window allows",
        "For a faster change, shorten stabilizationWindowSeconds of its direction; `dry-run --set` shows what comes of it.";

    LimitDoubling = "limit.doubling", "convertDesiredReplicasWithRules", "at most twice the current size or 4, whichever is larger, in one pass; within minReplicas and maxReplicas",
        "For larger steps, give the spec a behavior with scaleUp policies; or raise maxReplicas if that is the limit.";
    LimitScaleUp = "limit.scale-up", "convertDesiredReplicasWithBehaviorRate", "at most what the scaleUp policies and maxReplicas allow",
        "For larger steps, raise the policy that decides; with selectPolicy Disabled, set another one; or raise maxReplicas if that is the limit.";
    LimitScaleDown = "limit.scale-down", "convertDesiredReplicasWithBehaviorRate", "at least what the scaleDown policies and minReplicas allow",
        "For larger steps, raise the policy that decides; with selectPolicy Disabled, set another one; or lower minReplicas if that is the limit.";
    LimitUnchanged = "limit.unchanged", "convertDesiredReplicasWithBehaviorRate", "no change, so no limit",
        "Nothing is wrong here.";
    ZeroClamp = "zero.clamp", "reconcileAutoscaler", "a target that the HPA scaled to 0 comes back with at least minReplicas",
        "To come back with fewer pods, lower minReplicas.";

    Rescale = "rescale", "reconcileAutoscaler", "the size changes",
        "Nothing is wrong here: what asked for it stands above it.";
    NoRescale = "rescale.none", "reconcileAutoscaler", "the size stays",
        "If it should change, look at what held it: the tolerance, the window, a policy or a bound.";
    #[default]
    Undecided = "rescale.undecided", "reconcileAutoscaler", "the result depends on what cannot be seen",
        "Read what is missing, named beside it: rights that you lack, or what the controller remembers.";
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
