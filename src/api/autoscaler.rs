//! The `autoscaling/v2` HorizontalPodAutoscaler: what the user wrote, and
//! what the controller last reported.

use std::fmt;

use compact_str::CompactString;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Condition, ConditionKind, ConditionReason, ConditionStatus, Designed, ExternalMetricFallback,
    Labels, ManagedFields, MetricIdentifier, MetricKind, MetricStatus, OneOf, OwnerReference,
    PolicyKind, Quantity, SelectPolicy, SpecFields, TargetKind, nullable, scaled_object_of,
};

/// An HPA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HorizontalPodAutoscaler {
    /// `autoscaling/v2`.
    pub api_version: String,
    /// `HorizontalPodAutoscaler`.
    pub kind: String,
    /// Name, namespace and identity.
    pub metadata: AutoscalerMeta,
    /// What the user wrote, with the API server's defaults.
    pub spec: HpaSpec,
    /// What the controller last reported.
    #[serde(default, deserialize_with = "nullable::or_default")]
    pub status: HpaStatus,
}

impl HorizontalPodAutoscaler {
    /// When the status was last written, in whole seconds. A pass that leaves
    /// it as it is writes nothing.
    pub fn status_written(&self) -> Option<Timestamp> {
        let entries = self.metadata.managed_fields.iter();
        let status = entries.filter(|entry| entry.subresource == "status");
        status.filter_map(|entry| entry.time).max()
    }

    /// The `ScaledObject` that KEDA made the HPA for.
    pub fn scaled_object(&self) -> Option<&str> {
        let labels = &self.metadata.labels;
        let label = |key: &str| labels.get(key).map(CompactString::as_str);
        scaled_object_of(&self.metadata.owner_references, label)
    }

    /// Whether any metric is measured by what pods request of a resource that
    /// a `VerticalPodAutoscaler` can change.
    pub fn measures_by_request(&self) -> bool {
        let metrics = self.spec.metrics.iter();
        let mut resources = metrics.filter_map(MetricSpec::percent_of_request);
        resources.any(|resource| matches!(resource, "cpu" | "memory"))
    }

    /// Whether the HPA itself scaled its target to zero, as the condition
    /// tells (1.36 and later).
    pub fn is_scaled_to_zero(&self) -> bool {
        let condition = self.status.condition(ConditionKind::ScaledToZero);
        condition.is_some_and(|it| it.status == ConditionStatus::True)
    }

    /// Whether the status is about an older spec, where it says (1.37 and
    /// later): the spec was edited, and no pass on it has written its numbers
    /// yet. Before, and with the gate `HPAGeneration` off, the controller
    /// leaves the generation out.
    pub fn is_status_of_older_spec(&self) -> bool {
        let observed = self.status.observed_generation;
        observed
            .zip(self.metadata.generation)
            .is_some_and(|(observed, generation)| observed < generation)
    }

    /// Whether the latest pass was on an older spec, where the status says. A
    /// pass that cannot read the scale writes its conditions only, and leaves
    /// the generation as it was.
    pub fn is_pass_of_older_spec(&self) -> bool {
        let has_scale = !self.status.has_reason(ConditionReason::FailedGetScale);
        has_scale && self.is_status_of_older_spec()
    }

    /// When the spec was last written, in whole seconds, as far as that is
    /// known.
    pub fn spec_written(&self) -> Option<Timestamp> {
        let entries = self.metadata.managed_fields.iter();
        let spec = entries.filter(|entry| entry.fields.spec.is_some());
        spec.filter_map(|entry| entry.time).max()
    }

    /// When the spec was last written, in whole seconds, where the status says
    /// that it is about this spec (1.37 and later): its pass came after.
    pub fn edited_before_status(&self) -> Option<Timestamp> {
        let is_reported =
            self.status.observed_generation.is_some() && !self.is_status_of_older_spec();
        self.spec_written().filter(|_| is_reported)
    }

    /// When an owner of the behavior or of the metrics last wrote, in whole
    /// seconds, as far as that is known: neither was edited later.
    pub fn tuning_written(&self) -> Option<Timestamp> {
        let entries = self.metadata.managed_fields.iter();
        let tuning = entries.filter(|entry| {
            let spec = entry.fields.spec.as_ref();
            // Of an older capture it is not known what of the spec it was.
            let may_be = |spec: &SpecFields| {
                spec.behavior.is_some() || spec.metrics.is_some() || *spec == SpecFields::default()
            };
            spec.is_some_and(may_be)
        });
        tuning.filter_map(|entry| entry.time).max()
    }
}

/// The part of an HPA's metadata that the tool reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AutoscalerMeta {
    /// The HPA's name.
    pub name: CompactString,
    /// The HPA's namespace.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "CompactString::is_empty")]
    pub namespace: CompactString,
    /// What tells it from every other object there ever was. It is random,
    /// so it keys the hashes of a redacted snapshot, which does not hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// The labels.
    #[serde(default)]
    #[serde(skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// When the HPA was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<Timestamp>,
    /// Set once the HPA is being deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<Timestamp>,
    /// The owners.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub owner_references: Vec<OwnerReference>,
    /// Counts the changes of the spec (1.37 and later).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// Who wrote the spec and the status, and when last.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub managed_fields: Vec<ManagedFields>,
}

/// What the user wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HpaSpec {
    /// Whose scale subresource is read and written.
    pub scale_target_ref: CrossVersionObjectReference,
    /// The lower bound; defaulted to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<i32>,
    /// The upper bound.
    pub max_replicas: i32,
    /// What to scale on; defaulted to 80% cpu utilization.
    #[serde(default, deserialize_with = "nullable::or_default")]
    pub metrics: Vec<MetricSpec>,
    /// How fast to scale; absent selects the older algorithm, which is not
    /// the same as one that is present but empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behavior: Option<Behavior>,
}

/// A reference to an object in the HPA's namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrossVersionObjectReference {
    /// The object's kind.
    pub kind: String,
    /// The object's name.
    pub name: String,
    /// The object's API version; for a scale target only its group counts.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
}

impl CrossVersionObjectReference {
    /// Whether two scale targets are one, as the controller finds them: by
    /// kind, name and group. The version does not count.
    pub fn is_same_target(&self, other: &Self) -> bool {
        self.is_same_kind(other) && self.name == other.name
    }

    /// Whether two scale targets are of one kind and group.
    pub fn is_same_kind(&self, other: &Self) -> bool {
        self.kind == other.kind && self.group() == other.group()
    }

    /// The group of its `apiVersion`.
    pub fn group(&self) -> &str {
        group_of(&self.api_version)
    }

    /// The plural of a kind that every cluster has. The version does not matter.
    pub fn plural(&self) -> Option<&'static str> {
        Some(match (self.group(), self.kind.as_str()) {
            ("apps", "Deployment") => "deployments",
            ("apps", "StatefulSet") => "statefulsets",
            ("apps", "ReplicaSet") => "replicasets",
            ("", "ReplicationController") => "replicationcontrollers",
            ("", "Pod") => "pods",
            ("", "Service") => "services",
            ("networking.k8s.io", "Ingress") => "ingresses",
            _ => return None,
        })
    }

    /// The kind and the name that the custom metrics API is asked for: a
    /// namespace is always the HPA's own, whatever name the metric gives.
    pub fn request_target<'a>(&'a self, namespace: &'a str) -> (&'a str, &'a str) {
        let name = if self.is_namespace() {
            namespace
        } else {
            &self.name
        };
        (&self.kind, name)
    }

    /// Whether it is a namespace.
    pub fn is_namespace(&self) -> bool {
        self.kind == "Namespace" && matches!(self.api_version.as_str(), "" | "v1")
    }
}

/// The group of an `apiVersion`; empty for the core group.
pub fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// One metric of the spec: a type, and the source that it asks for. There can be
/// thousands of them, each with one source of five.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricSpec {
    /// What it measures.
    #[serde(rename = "type")]
    pub kind: OneOf<MetricKind>,
    /// The source of type `Resource`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<Box<ResourceMetricSource>>,
    /// The source of type `ContainerResource`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container_resource: Option<Box<ContainerResourceMetricSource>>,
    /// The source of type `Pods`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pods: Option<Box<PodsMetricSource>>,
    /// The source of type `Object`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Box<ObjectMetricSource>>,
    /// The source of type `External`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<Box<ExternalMetricSource>>,
}

impl HpaSpec {
    /// Whether the HPA never scales in a direction.
    pub fn is_disabled(&self, direction: Direction) -> bool {
        let behavior = self.behavior.as_ref();
        let rules = behavior.and_then(|it| it.rules(direction));
        rules.is_some_and(ScalingRules::is_disabled)
    }

    /// The rules of a direction, to be changed; where there is no behavior, the
    /// API's defaults.
    pub fn rules_mut(&mut self, direction: Direction) -> &mut ScalingRules {
        let behavior = self.behavior.get_or_insert_with(Behavior::of_defaults);
        behavior.rules_mut(direction)
    }

    /// The metric that measures the same as another one.
    pub fn metric_like(&self, other: &MetricSpec) -> Option<&MetricSpec> {
        self.metrics.iter().find(|it| it.measures_the_same(other))
    }

    /// The same, to be changed.
    pub fn metric_like_mut(&mut self, other: &MetricSpec) -> Option<&mut MetricSpec> {
        let mut metrics = self.metrics.iter_mut();
        metrics.find(|it| it.measures_the_same(other))
    }
}

impl MetricSpec {
    /// The name of the resource or metric; absent where no source is given.
    pub fn name(&self) -> Option<&str> {
        let resource = self.resource.as_ref().map(|it| it.name.as_str());
        let container = self.container_resource.as_ref();
        let container = container.map(|it| it.name.as_str());
        let pods = self.pods.as_ref().map(|it| it.metric.name.as_str());
        let object = self.object.as_ref().map(|it| it.metric.name.as_str());
        let external = self.external.as_ref().map(|it| it.metric.name.as_str());
        resource.or(container).or(pods).or(object).or(external)
    }

    /// The resource that it measures, and the container if it is not of the
    /// whole pod.
    pub fn measured_resource(&self) -> Option<(&str, Option<&str>)> {
        let whole = self.resource.as_ref().map(|it| (it.name.as_str(), None));
        let one = self.container_resource.as_ref();
        whole.or(one.map(|it| (it.name.as_str(), Some(it.container.as_str()))))
    }

    /// The targets of its sources: one, unless the API server refuses it.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut MetricTarget> {
        let all = [
            self.resource.as_mut().map(|it| &mut it.target),
            self.container_resource.as_mut().map(|it| &mut it.target),
            self.pods.as_mut().map(|it| &mut it.target),
            self.object.as_mut().map(|it| &mut it.target),
            self.external.as_mut().map(|it| &mut it.target),
        ];
        all.into_iter().flatten()
    }

    /// Whether it is one value for all pods, not one of each.
    pub fn is_one_value(&self) -> bool {
        self.kind.is_one_value()
    }

    /// Whether it is measured by `metrics.k8s.io`.
    pub fn is_of_resource(&self) -> bool {
        self.kind.is_of_resource()
    }

    /// Whether two metrics measure the same, whatever their targets.
    pub fn measures_the_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.measured() == other.measured()
    }

    /// What it measures: the metric, and of what.
    fn measured(&self) -> impl PartialEq + use<'_> {
        (
            self.resource.as_ref().map(|it| &it.name),
            self.container_resource
                .as_ref()
                .map(|it| (&it.name, &it.container)),
            self.pods.as_ref().map(|it| &it.metric),
            self.object
                .as_ref()
                .map(|it| (&it.metric, &it.described_object)),
            self.external.as_ref().map(|it| &it.metric),
        )
    }

    /// The resource that is measured as a percentage of what pods request,
    /// if any is.
    pub fn percent_of_request(&self) -> Option<&str> {
        let source = self.source()?;
        let (name, _) = source.resource()?;
        source.target().average_utilization.map(|_| name)
    }

    /// What its type asks for, if it is there.
    pub fn source(&self) -> Option<MetricSource<'_>> {
        Some(match self.kind.known()? {
            MetricKind::Resource => MetricSource::Resource(self.resource.as_ref()?),
            MetricKind::ContainerResource => {
                MetricSource::ContainerResource(self.container_resource.as_ref()?)
            }
            MetricKind::Pods => MetricSource::Pods(self.pods.as_ref()?),
            MetricKind::Object => MetricSource::Object(self.object.as_ref()?),
            MetricKind::External => MetricSource::External(self.external.as_ref()?),
        })
    }
}

/// What a metric of the spec measures, by its type.
#[derive(Clone, Copy, Debug)]
pub enum MetricSource<'s> {
    /// A resource of the whole pod.
    Resource(&'s ResourceMetricSource),
    /// A resource of one container of each pod.
    ContainerResource(&'s ContainerResourceMetricSource),
    /// A custom metric of each pod.
    Pods(&'s PodsMetricSource),
    /// A custom metric of one object.
    Object(&'s ObjectMetricSource),
    /// A metric from outside the cluster.
    External(&'s ExternalMetricSource),
}

impl<'s> MetricSource<'s> {
    /// What it is aimed at.
    pub const fn target(self) -> &'s MetricTarget {
        match self {
            Self::Resource(source) => &source.target,
            Self::ContainerResource(source) => &source.target,
            Self::Pods(source) => &source.target,
            Self::Object(source) => &source.target,
            Self::External(source) => &source.target,
        }
    }

    /// The resource, and the container if it is not of the whole pod.
    pub fn resource(self) -> Option<(&'s str, Option<&'s str>)> {
        match self {
            Self::Resource(source) => Some((&source.name, None)),
            Self::ContainerResource(source) => Some((&source.name, Some(&source.container))),
            Self::Pods(_) | Self::Object(_) | Self::External(_) => None,
        }
    }

    /// The custom or external metric.
    pub const fn metric(self) -> Option<&'s MetricIdentifier> {
        match self {
            Self::Resource(_) | Self::ContainerResource(_) => None,
            Self::Pods(source) => Some(&source.metric),
            Self::Object(source) => Some(&source.metric),
            Self::External(source) => Some(&source.metric),
        }
    }
}

/// A resource of the whole pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceMetricSource {
    /// Such as `cpu` or `memory`.
    pub name: String,
    /// What to aim at.
    pub target: MetricTarget,
}

/// A resource of one container of each pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContainerResourceMetricSource {
    /// Such as `cpu` or `memory`.
    pub name: String,
    /// The container.
    pub container: String,
    /// What to aim at.
    pub target: MetricTarget,
}

/// A custom metric of each pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodsMetricSource {
    /// Which metric.
    pub metric: MetricIdentifier,
    /// What to aim at.
    pub target: MetricTarget,
}

/// A custom metric of one object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectMetricSource {
    /// The object.
    pub described_object: CrossVersionObjectReference,
    /// Which metric.
    pub metric: MetricIdentifier,
    /// What to aim at.
    pub target: MetricTarget,
}

/// A metric from outside the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalMetricSource {
    /// Which metric.
    pub metric: MetricIdentifier,
    /// What to aim at.
    pub target: MetricTarget,
    /// What to ask for once the metric has failed for long enough. No release
    /// of Kubernetes has this field: it is the design of KEP-5679, which the
    /// feature gate `HPAExternalMetricFallback` switches on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Designed<ExternalMetricFallback>>,
}

/// What a metric is to be aimed at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricTarget {
    /// What it sets; empty is allowed where the controller does not look.
    #[serde(rename = "type", default, deserialize_with = "nullable::or_default")]
    pub kind: OneOf<TargetKind>,
    /// The whole metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Quantity>,
    /// The metric per pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_value: Option<Quantity>,
    /// Percent of what the pods request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_utilization: Option<i32>,
}

/// How fast to scale, in each direction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Behavior {
    /// Upwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_up: Option<ScalingRules>,
    /// Downwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_down: Option<ScalingRules>,
}

impl Behavior {
    /// The rules of a direction.
    pub fn rules(&self, direction: Direction) -> Option<&ScalingRules> {
        match direction {
            Direction::Up => self.scale_up.as_ref(),
            Direction::Down => self.scale_down.as_ref(),
        }
    }

    /// The rules of a direction, to be changed; where there are none, they are
    /// empty.
    pub fn rules_mut(&mut self, direction: Direction) -> &mut ScalingRules {
        match direction {
            Direction::Up => self.scale_up.get_or_insert_default(),
            Direction::Down => self.scale_down.get_or_insert_default(),
        }
    }

    /// The directions that there are rules for, upwards first.
    pub fn directions(&self) -> impl Iterator<Item = (Direction, &ScalingRules)> {
        let both = [Direction::Up, Direction::Down].into_iter();
        both.filter_map(|direction| Some((direction, self.rules(direction)?)))
    }
}

/// Which way a size goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// More replicas.
    Up,
    /// Fewer replicas.
    Down,
}

impl Direction {
    /// The other way.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }

    /// The field of `spec.behavior` that rules it.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Up => "scaleUp",
            Self::Down => "scaleDown",
        }
    }

    /// The next size this way.
    pub const fn step(self, size: i32) -> i32 {
        match self {
            Self::Up => size.saturating_add(1),
            Self::Down => size.saturating_sub(1),
        }
    }

    /// The way from one size to another, if they differ.
    pub fn between(before: i32, after: i32) -> Option<Self> {
        match after.cmp(&before) {
            std::cmp::Ordering::Greater => Some(Self::Up),
            std::cmp::Ordering::Less => Some(Self::Down),
            std::cmp::Ordering::Equal => None,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.field())
    }
}

/// The longest stabilization window that the API allows, in seconds.
pub const LONGEST_WINDOW_SECONDS: i32 = 3_600;

/// How fast to scale in one direction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScalingRules {
    /// How many seconds of recommendations hold a change back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stabilization_window_seconds: Option<i32>,
    /// Which of the policies counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select_policy: Option<OneOf<SelectPolicy>>,
    /// How much may change in how long; absent is defaulted, empty is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policies: Option<Vec<ScalingPolicy>>,
    /// The deviation that is accepted in this direction, a fraction of 1
    /// (1.33 and later).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Quantity>,
}

impl ScalingRules {
    /// Whether the direction is switched off.
    pub fn is_disabled(&self) -> bool {
        self.select_policy == Some(SelectPolicy::Disabled.into())
    }

    /// Its policies: `Pods 4/15s, Percent 100/15s`.
    pub fn policies_text(&self) -> String {
        let policies = self.policies.iter().flatten();
        let texts = policies.map(|it| format!("{} {}/{}s", it.kind, it.value, it.period_seconds));
        texts.collect::<Vec<_>>().join(", ")
    }

    /// The longest period of its policies, in seconds.
    pub fn longest_period(&self) -> i32 {
        let policies = self.policies.iter().flatten();
        policies.map(|it| it.period_seconds).max().unwrap_or(0)
    }
}

/// How much may change in how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScalingPolicy {
    /// What its value means.
    #[serde(rename = "type")]
    pub kind: OneOf<PolicyKind>,
    /// Pods, or percent of the replicas at the start of the period.
    pub value: i32,
    /// The length of the period.
    pub period_seconds: i32,
}

/// What the controller last reported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HpaStatus {
    /// The generation of the spec that the report is about (1.37 and later).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// When the controller last changed the scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_scale_time: Option<Timestamp>,
    /// The size that the scale asked for.
    #[serde(deserialize_with = "nullable::or_default")]
    pub current_replicas: i32,
    /// The size that the controller last decided on.
    #[serde(deserialize_with = "nullable::or_default")]
    pub desired_replicas: i32,
    /// The metrics as the last pass saw them.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub current_metrics: Vec<MetricStatus>,
    /// The conditions, in the order in which they were first set.
    #[serde(deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

impl HpaStatus {
    /// The condition of a type, where the controller has set it.
    pub fn condition(&self, kind: ConditionKind) -> Option<&Condition> {
        Condition::of(&self.conditions, kind)
    }

    /// Whether it is that of a pass that changed the size.
    pub fn has_rescaled(&self) -> bool {
        self.has_reason(ConditionReason::SucceededRescale)
    }

    /// Whether one of the conditions has a reason.
    pub fn has_reason(&self, reason: ConditionReason) -> bool {
        self.conditions.iter().any(|it| it.reason == reason)
    }
}

#[cfg(test)]
mod tests {
    use super::CrossVersionObjectReference;

    #[test]
    fn a_target_is_told_by_kind_name_and_group() {
        let target = |api_version: &str, kind: &str, name: &str| CrossVersionObjectReference {
            kind: kind.to_owned(),
            name: name.to_owned(),
            api_version: api_version.to_owned(),
        };
        let web = target("apps/v1", "Deployment", "web");
        let rows = [
            (target("apps/v1", "Deployment", "web"), true),
            (target("apps/v1beta1", "Deployment", "web"), true),
            (target("example.com/v1", "Deployment", "web"), false),
            (target("v1", "Deployment", "web"), false),
            (target("", "Deployment", "web"), false),
            (target("apps/v1", "StatefulSet", "web"), false),
            (target("apps/v1", "Deployment", "api"), false),
        ];
        for (other, is_same) in &rows {
            assert_eq!(web.is_same_target(other), *is_same, "{other:?}");
            assert_eq!(other.is_same_target(&web), *is_same, "{other:?}");
        }
        assert_eq!(rows.len(), 7);
    }
}
