//! One entry of `status.currentMetrics`: what a pass saw of one metric.

use serde::{Deserialize, Serialize};

use super::{CrossVersionObjectReference, MetricIdentifier, Quantity};

/// What a pass saw of one metric. A metric that failed leaves an entry whose
/// type is empty (1.29 and later).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricStatus {
    /// `Resource`, `ContainerResource`, `Pods`, `Object` or `External`.
    #[serde(rename = "type")]
    pub kind: String,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceMetricStatus {
    /// Such as `cpu` or `memory`.
    pub name: String,
    /// What was seen.
    pub current: MetricValueStatus,
}

/// A resource of one container of each pod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContainerResourceMetricStatus {
    /// Such as `cpu` or `memory`.
    pub name: String,
    /// The container.
    pub container: String,
    /// What was seen.
    pub current: MetricValueStatus,
}

/// A custom metric of each pod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PodsMetricStatus {
    /// Which metric.
    pub metric: MetricIdentifier,
    /// What was seen.
    pub current: MetricValueStatus,
}

/// A custom metric of one object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExternalMetricStatus {
    /// Which metric.
    pub metric: MetricIdentifier,
    /// What was seen.
    pub current: MetricValueStatus,
}

/// What was seen of a metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
