//! Where the controller asks for a metric.

use crate::api::url::{query, segment};
use crate::api::{
    CrossVersionObjectReference, ExternalMetricSource, MetricIdentifier, MetricKind, MetricSource,
    MetricSpec, PodsMetricSource, wire_text,
};
use crate::snapshot::Snapshot;

/// The three metrics APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MetricsApi {
    /// Of types `Resource` and `ContainerResource`.
    Resource,
    /// Of types `Pods` and `Object`.
    Custom,
    /// Of type `External`.
    External,
}

impl MetricsApi {
    /// The API of a type of metric.
    pub(super) const fn of(kind: MetricKind) -> Self {
        match kind {
            MetricKind::Resource | MetricKind::ContainerResource => Self::Resource,
            MetricKind::Pods | MetricKind::Object => Self::Custom,
            MetricKind::External => Self::External,
        }
    }

    /// The API's group.
    pub(super) const fn group(self) -> &'static str {
        match self {
            Self::Resource => "metrics.k8s.io",
            Self::Custom => "custom.metrics.k8s.io",
            Self::External => "external.metrics.k8s.io",
        }
    }

    /// The objects that register the API. Adapters serve v1beta2 of custom
    /// metrics, v1beta1, or both.
    pub(super) const fn services(self) -> &'static str {
        match self {
            Self::Resource => "v1beta1.metrics.k8s.io",
            Self::Custom => "v1beta1.custom.metrics.k8s.io v1beta2.custom.metrics.k8s.io",
            Self::External => "v1beta1.external.metrics.k8s.io",
        }
    }

    /// What usually serves it.
    pub(super) const fn server(self) -> &'static str {
        match self {
            Self::Resource => "metrics-server",
            Self::Custom => "an adapter such as prometheus-adapter",
            Self::External => "an adapter such as KEDA's",
        }
    }
}

/// The path that the controller asks for a metric of the spec, with
/// `v1beta2` of custom metrics; none of a kind whose plural only discovery
/// knows.
pub(super) fn path(snapshot: &Snapshot, selector: &str, spec: &MetricSpec) -> Option<String> {
    let namespace = segment(&snapshot.hpa.metadata.namespace);
    let custom = format!("/apis/custom.metrics.k8s.io/v1beta2/namespaces/{namespace}");
    Some(match spec.source()? {
        MetricSource::Resource(_) | MetricSource::ContainerResource(_) => format!(
            "/apis/metrics.k8s.io/v1beta1/namespaces/{namespace}/pods{}",
            query(&[("labelSelector", selector)])
        ),
        MetricSource::Pods(PodsMetricSource { metric, .. }) => {
            let query = query(&[
                ("labelSelector", selector),
                ("metricLabelSelector", &wire(metric)?),
            ]);
            format!("{custom}/pods/%2A/{}{query}", segment(&metric.name))
        }
        MetricSource::Object(source) => {
            let query = query(&[("metricLabelSelector", &wire(&source.metric)?)]);
            let name = segment(&source.metric.name);
            let object = object(&source.described_object)?;
            format!("{custom}/{object}/{name}{query}")
        }
        MetricSource::External(ExternalMetricSource { metric, .. }) => {
            let query = query(&[("labelSelector", &wire(metric)?)]);
            let name = segment(&metric.name);
            format!("/apis/external.metrics.k8s.io/v1beta1/namespaces/{namespace}/{name}{query}")
        }
    })
}

/// `services/web`; of a namespace, which is always the HPA's own, `metrics`.
fn object(object: &CrossVersionObjectReference) -> Option<String> {
    if object.is_namespace() {
        return Some("metrics".to_owned());
    }
    let resource = match object.group() {
        "" => object.plural()?.to_owned(),
        group => format!("{}.{group}", object.plural()?),
    };
    Some(format!("{resource}/{}", segment(&object.name)))
}

fn wire(metric: &MetricIdentifier) -> Option<String> {
    wire_text(metric.selector.as_ref()).ok()
}
