//! One entry of `status.currentMetrics`: what a pass saw of one metric.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CrossVersionObjectReference, MetricIdentifier, MetricKind, MetricSource, MetricSpec, OneOf,
    Quantity, nullable,
};

/// What a pass saw of one metric. A metric that failed leaves an entry whose
/// type is empty (1.29 and later).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricStatus {
    /// `Resource`, `ContainerResource`, `Pods`, `Object` or `External`.
    #[serde(rename = "type")]
    pub kind: OneOf<MetricKind>,
    /// Set for type `Resource`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceMetricStatus>,
    /// Set for type `ContainerResource`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_resource: Option<ContainerResourceMetricStatus>,
    /// Set for type `Pods`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<PodsMetricStatus>,
    /// Set for type `Object`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectMetricStatus>,
    /// Set for type `External`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalMetricStatus>,
}

/// A resource of the whole pod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceMetricStatus {
    /// Such as `cpu` or `memory`.
    pub name: String,
    /// What was seen.
    pub current: MetricValueStatus,
}

/// A resource of one container of each pod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContainerResourceMetricStatus {
    /// Such as `cpu` or `memory`.
    pub name: String,
    /// The container.
    pub container: String,
    /// What was seen.
    pub current: MetricValueStatus,
}

/// A custom metric of each pod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PodsMetricStatus {
    /// Which metric.
    pub metric: MetricIdentifier,
    /// What was seen.
    pub current: MetricValueStatus,
}

/// A custom metric of one object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectMetricStatus {
    /// Which metric.
    pub metric: MetricIdentifier,
    /// The object.
    pub described_object: CrossVersionObjectReference,
    /// What was seen.
    pub current: MetricValueStatus,
}

/// A metric from outside the cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalMetricStatus {
    /// Which metric.
    pub metric: MetricIdentifier,
    /// What was seen; empty for a metric that failed.
    #[serde(default, deserialize_with = "nullable::or_default")]
    pub current: MetricValueStatus,
    /// Since when the metric has failed without a break. Only the design of
    /// KEP-5679 has this field and the next, which no release has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_failure_time: Option<Timestamp>,
    /// [`FALLBACK_NORMAL`] or [`FALLBACK_ACTIVE`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_status: Option<String>,
}

/// The `fallbackStatus` of an External metric that asks for what it measures,
/// or fails and asks for nothing (KEP-5679).
pub const FALLBACK_NORMAL: &str = "Normal";
/// The `fallbackStatus` of an External metric that fails and asks for its
/// fallback's replicas (KEP-5679).
pub const FALLBACK_ACTIVE: &str = "Fallback";

/// What was seen of a metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricValueStatus {
    /// The whole metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Quantity>,
    /// The metric per pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_value: Option<Quantity>,
    /// Percent of what the pods request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_utilization: Option<i32>,
}

impl MetricStatus {
    /// What a pass saw of a metric of the spec, where its type has a source.
    pub fn of(spec: &MetricSpec, current: MetricValueStatus) -> Option<Self> {
        let mut status = Self {
            kind: spec.kind.clone(),
            ..Self::default()
        };
        match spec.source()? {
            MetricSource::Resource(source) => {
                let name = source.name.clone();
                status.resource = Some(ResourceMetricStatus { name, current });
            }
            MetricSource::ContainerResource(source) => {
                status.container_resource = Some(ContainerResourceMetricStatus {
                    name: source.name.clone(),
                    container: source.container.clone(),
                    current,
                });
            }
            MetricSource::Pods(source) => {
                let metric = source.metric.clone();
                status.pods = Some(PodsMetricStatus { metric, current });
            }
            MetricSource::Object(source) => {
                status.object = Some(ObjectMetricStatus {
                    metric: source.metric.clone(),
                    described_object: source.described_object.clone(),
                    current,
                });
            }
            MetricSource::External(source) => {
                status.external = Some(ExternalMetricStatus {
                    metric: source.metric.clone(),
                    current,
                    first_failure_time: None,
                    fallback_status: None,
                });
            }
        }
        Some(status)
    }

    /// Whether this is what a pass saw of a metric of the spec. The order of
    /// the two lists says nothing: metrics that failed may be left out.
    pub fn is_of(&self, spec: &MetricSpec) -> bool {
        let Some(source) = spec.source().filter(|_| self.kind == spec.kind) else {
            return false;
        };
        match source {
            MetricSource::Resource(spec) => {
                let own = self.resource.as_ref();
                own.is_some_and(|own| own.name == spec.name)
            }
            MetricSource::ContainerResource(spec) => {
                let own = self.container_resource.as_ref();
                own.is_some_and(|own| own.name == spec.name && own.container == spec.container)
            }
            MetricSource::Pods(spec) => {
                let own = self.pods.as_ref();
                own.is_some_and(|own| own.metric == spec.metric)
            }
            MetricSource::Object(spec) => self.object.as_ref().is_some_and(|own| {
                own.metric == spec.metric
                    && own.described_object.kind == spec.described_object.kind
                    && own.described_object.name == spec.described_object.name
            }),
            MetricSource::External(spec) => {
                let own = self.external.as_ref();
                own.is_some_and(|own| own.metric == spec.metric)
            }
        }
    }

    /// What was seen; absent for a metric that failed.
    pub fn current(&self) -> Option<&MetricValueStatus> {
        let resource = self.resource.as_ref().map(|it| &it.current);
        let container = self.container_resource.as_ref().map(|it| &it.current);
        let pods = self.pods.as_ref().map(|it| &it.current);
        let object = self.object.as_ref().map(|it| &it.current);
        let external = self.external.as_ref().map(|it| &it.current);
        resource.or(container).or(pods).or(object).or(external)
    }
}
