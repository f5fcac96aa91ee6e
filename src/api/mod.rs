//! Kubernetes' own vocabulary: the objects that an HPA's pass reads, as far as
//! the algorithm or its explanation reads them, and the primitives that they
//! are made of: [`Quantity`], [`Selector`], [`LabelSelector`] and
//! [`GoDuration`].
//!
//! Nothing here knows the algorithm. Fields that nobody reads are dropped on
//! reading.

mod answer;
mod api_service;
mod autoscaler;
mod by_name;
mod defaults;
mod duration;
mod event;
mod field_selector;
mod label_selector;
mod metric_status;
mod metrics;
pub mod names;
pub(crate) mod nullable;
pub(crate) mod object;
mod one_of;
mod pod;
mod quantity;
mod room;
mod selector;
mod series;
pub mod url;
mod vertical_pod_autoscaler;
mod workload;

pub use answer::{
    AnswerError, AnswerErrorKind, Answered, NotOneAnswer, ReadFailure, ReadFailureKind, needing,
};
pub use api_service::{ApiService, Lease};
pub use autoscaler::{
    AutoscalerMeta, Behavior, ContainerResourceMetricSource, CrossVersionObjectReference,
    Direction, ExternalMetricSource, HorizontalPodAutoscaler, HpaSpec, HpaStatus,
    LONGEST_WINDOW_SECONDS, MetricSource, MetricSpec, MetricTarget, ObjectMetricSource,
    PodsMetricSource, ResourceMetricSource, ScalingPolicy, ScalingRules, group_of,
};
pub use by_name::ByName;
pub use defaults::{Designed, ExternalMetricFallback};
pub use duration::{DURATION, GoDuration, ParseDurationError};
pub use event::{Event, InvolvedObject, SUCCESSFUL_RESCALE};
pub use field_selector::FieldSelector;
pub use label_selector::{
    InvalidOperatorError, LabelSelector, LabelSelectorRequirement, go_text, wire_text,
};
pub use metric_status::{
    ContainerResourceMetricStatus, ExternalMetricStatus, FALLBACK_ACTIVE, FALLBACK_NORMAL,
    MetricStatus, MetricValueStatus, ObjectMetricStatus, PodsMetricStatus, ResourceMetricStatus,
};
pub use metrics::{
    ContainerUsage, CustomMetric, DescribedObject, ExternalMetric, ExternalMetricValue,
    ExternalMetricValueList, MetricIdentifier, MetricIndex, MetricValue, MetricValueList, Metrics,
    PodMetrics, PodMetricsList, SampleMeta,
};
pub use names::{beginning, truncated};
pub(crate) use object::share;
pub use object::{Condition, Labels, ObjectMeta, OwnerReference, VpaAnnotations};
pub use one_of::{
    ConditionKind, ConditionReason, ConditionStatus, MetricKind, OneOf, Phase, PodConditionKind,
    PolicyKind, SelectPolicy, TargetKind, Words,
};
pub use pod::{
    Amounts, CRASH_LOOP_BACK_OFF, Container, Pod, PodCondition, PodDemand, PodSpec, PodStatus,
    ResourceRequirements, UNSCHEDULABLE, amounts_of, as_scheduled, is_held_by_each_pod, raise,
};
pub use quantity::{Format, QUANTITY, Quantity};
pub use room::{
    Affinity, HostPort, LimitRange, LimitRangeItem, Node, NodeSelectorTerm, NodeWithPods, Nodes,
    OS_LABEL, PlacedPod, PodAffinity, PodAffinityTerm, ResourceQuota, RoomParts, ScopeRequirement,
    Taint, Toleration, TopologySpreadConstraint, limited_resource,
};
pub use selector::{AllLabels, Selector, Wording};
pub use series::{Series, SeriesAnswer, SeriesPoint};
pub use vertical_pod_autoscaler::{
    NamedMeta, ScaledObject, VerticalPodAutoscaler, scaled_object_of,
};
pub use workload::{
    Fields, ManagedFields, PodTemplateSpec, Present, Scale, ScaleSpec, ScaleStatus, SpecFields,
    TemplateContainer, Workload, Writer, first_set,
};
