//! The words that a field of the API may hold, and what else is written there.

use std::borrow::Cow;
use std::fmt;

use compact_str::CompactString;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A field's closed list of words.
pub trait Words: Copy + Eq + 'static {
    /// All of them, in the API's order.
    const ALL: &'static [Self];

    /// The word as the API writes it.
    fn as_str(self) -> &'static str;

    /// All of them, for a person.
    fn list() -> String {
        let words: Vec<&str> = Self::ALL.iter().map(|word| word.as_str()).collect();
        words.join(", ")
    }
}

/// One of a field's words. A file can hold another one: what refuses it, or
/// shows it, has it as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OneOf<T> {
    /// One that the API knows.
    Known(T),
    /// Any other text; empty where nothing is written.
    Unknown(CompactString),
}

impl<T: Words> OneOf<T> {
    /// The text as it is written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(word) => word.as_str(),
            Self::Unknown(text) => text,
        }
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.as_str().is_empty()
    }

    /// The word, if the API knows it.
    pub const fn known(&self) -> Option<T> {
        match self {
            Self::Known(word) => Some(*word),
            Self::Unknown(_) => None,
        }
    }
}

impl<T: Words> PartialEq<T> for OneOf<T> {
    fn eq(&self, word: &T) -> bool {
        self.known() == Some(*word)
    }
}

impl<T: Words> From<&str> for OneOf<T> {
    fn from(text: &str) -> Self {
        let mut words = T::ALL.iter();
        let known = words.find(|word| word.as_str() == text);
        known.map_or_else(|| Self::Unknown(text.into()), |word| Self::Known(*word))
    }
}

impl<T: Words> From<T> for OneOf<T> {
    fn from(word: T) -> Self {
        Self::Known(word)
    }
}

impl<T> Default for OneOf<T> {
    fn default() -> Self {
        Self::Unknown(CompactString::default())
    }
}

impl<T: Words> fmt::Display for OneOf<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl<T: Words> Serialize for OneOf<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de, T: Words> Deserialize<'de> for OneOf<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = CompactString::deserialize(deserializer)?;
        Ok(Self::from(text.as_str()))
    }
}

/// In documents it is any text, as in the API.
impl<T> JsonSchema for OneOf<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "string".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$says:meta])* $word:ident,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
        pub enum $name { $($(#[$says])* $word,)* }

        impl Words for $name {
            const ALL: &'static [Self] = &[$(Self::$word,)*];

            fn as_str(self) -> &'static str {
                match self { $(Self::$word => stringify!($word),)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.pad(self.as_str())
            }
        }
    )*};
}

words! {
    /// What a metric of the spec measures.
    MetricKind {
        /// A resource of one container of each pod.
        ContainerResource,
        /// A metric from outside the cluster.
        External,
        /// A custom metric of one object.
        Object,
        /// A custom metric of each pod.
        Pods,
        /// A resource of the whole pod.
        Resource,
    }

    /// What a metric is aimed at.
    TargetKind {
        /// Percent of what the pods request.
        Utilization,
        /// The whole metric.
        Value,
        /// The metric per pod.
        AverageValue,
    }

    /// What a policy's value means.
    PolicyKind {
        /// A number of pods.
        Pods,
        /// Percent of the size at the start of the period.
        Percent,
    }

    /// `selectPolicy`: which of the policies counts.
    SelectPolicy {
        /// The one that allows the largest change.
        Max,
        /// The one that allows the smallest change.
        Min,
        /// No change in this direction.
        Disabled,
    }

    /// What a condition of an HPA is about.
    ConditionKind {
        /// Whether the controller can read and write the scale.
        AbleToScale,
        /// Whether the metrics give a count.
        ScalingActive,
        /// Whether policies or bounds changed the count.
        ScalingLimited,
        /// Whether the controller itself scaled the workload to zero (1.36
        /// and later).
        ScaledToZero,
        /// Whether a fallback stands in for an External metric (KEP-5679).
        ExternalMetricFallbackActive,
    }

    /// Whether a condition holds.
    ConditionStatus {
        /// It holds.
        True,
        /// It does not.
        False,
        /// Nobody can tell.
        Unknown,
    }

    /// Why a condition of an HPA is as it is.
    ConditionReason {
        /// The scale was read.
        SucceededGetScale,
        /// The scale could not be read.
        FailedGetScale,
        /// The scale was written.
        SucceededRescale,
        /// The scale could not be written.
        FailedUpdateScale,
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
        /// The target is at 0 replicas.
        ScalingDisabled,
        /// The scale has no selector, or one that cannot be read.
        InvalidSelector,
        /// Other HPAs choose the same pods.
        AmbiguousSelector,
        /// At least one metric gave a count.
        ValidMetricFound,
        /// A metric of type Resource failed.
        FailedGetResourceMetric,
        /// A metric of type ContainerResource failed.
        FailedGetContainerResourceMetric,
        /// A metric of type Pods failed.
        FailedGetPodsMetric,
        /// A metric of type Object failed.
        FailedGetObjectMetric,
        /// A metric of type External failed.
        FailedGetExternalMetric,
        /// A metric's type is none that the controller knows.
        InvalidMetricSourceType,
        /// The controller scaled the workload to zero.
        ScaledToZero,
        /// The controller did not.
        NotScaledToZero,
        /// A fallback stands in for a metric.
        FallbackActive,
        /// No fallback does.
        FallbackInactive,
        /// What we may not read decides that.
        FallbackUnknown,
    }

    /// A pod's phase.
    Phase {
        /// Accepted, not all containers started.
        Pending,
        /// At least one container runs.
        Running,
        /// All containers ended well.
        Succeeded,
        /// All containers ended, at least one badly.
        Failed,
        /// Nobody hears from its node, or nothing is written.
        Unknown,
    }

    /// What a condition of a pod is about, of those that are read.
    PodConditionKind {
        /// Whether it waits for other resources than it has.
        PodResizePending,
        /// Whether a node was found for it.
        PodScheduled,
        /// Whether it takes requests.
        Ready,
    }
}

impl OneOf<MetricKind> {
    /// Whether it is one value for all pods, not one of each.
    pub const fn is_one_value(&self) -> bool {
        matches!(
            self.known(),
            Some(MetricKind::Object | MetricKind::External)
        )
    }

    /// Whether it is measured by `metrics.k8s.io`.
    pub const fn is_of_resource(&self) -> bool {
        matches!(
            self.known(),
            Some(MetricKind::Resource | MetricKind::ContainerResource)
        )
    }
}

impl Phase {
    /// Whether all containers of the pod have ended for good.
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed)
    }
}

impl OneOf<ConditionReason> {
    /// Whether a metric could not be got.
    pub const fn is_failed_metric(&self) -> bool {
        matches!(
            self.known(),
            Some(
                ConditionReason::FailedGetResourceMetric
                    | ConditionReason::FailedGetContainerResourceMetric
                    | ConditionReason::FailedGetPodsMetric
                    | ConditionReason::FailedGetObjectMetric
                    | ConditionReason::FailedGetExternalMetric
            )
        )
    }
}

impl MetricKind {
    /// The field of a metric that holds what its type asks for.
    pub const fn field(self) -> &'static str {
        match self {
            Self::ContainerResource => "containerResource",
            Self::External => "external",
            Self::Object => "object",
            Self::Pods => "pods",
            Self::Resource => "resource",
        }
    }
}
