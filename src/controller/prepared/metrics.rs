//! The spec's metrics, each with the answer of its API.

use super::calculate_pod_requests;
use super::fallback::{self, Fallback};
use super::metrics_client::{self, Samples, Unavailable};
use super::pods::Positions;
use crate::api::{
    ExternalMetricSource, MetricIdentifier, MetricIndex, MetricSource, MetricSpec, MetricStatus,
    MetricTarget, ObjectMetricSource, Pod, Quantity, ReadFailure, Selector, TargetKind,
};
use crate::controller::conditions::Complaint;
use crate::controller::go::milli_value;
use crate::controller::release::Release;
use crate::controller::settings::Settings;
use crate::document::snapshot::Snapshot;

/// A metric of the spec.
#[derive(Clone, Debug)]
pub struct Metric<'s> {
    /// The metric's place in the spec, counted from 0.
    pub index: usize,
    /// The metric as the spec writes it.
    pub spec: &'s MetricSpec,
    /// What the HPA's status shows of the metrics of the last pass.
    pub reported: &'s [MetricStatus],
    /// Where its numbers come from, and the numbers.
    pub source: Source<'s>,
}

/// Where a metric's numbers come from, and the numbers.
#[derive(Clone, Debug)]
pub enum Source<'s> {
    /// Types `Resource` and `ContainerResource`.
    Resource(Resource<'s>),
    /// Type `Pods`.
    Pods(PodsMetric<'s>),
    /// Type `Object`.
    Object(Object<'s>),
    /// Type `External`.
    External(External<'s>),
    /// A type that the controller does not know.
    Unknown,
}

impl Source<'_> {
    /// The samples of the pods, of what is measured pod by pod.
    pub fn samples(&self) -> Option<&Result<Samples, Unavailable>> {
        match self {
            Self::Resource(resource) => Some(&resource.samples),
            Self::Pods(pods) => Some(&pods.samples),
            _ => None,
        }
    }

    /// The same, to be put.
    pub fn samples_mut(&mut self) -> Option<&mut Result<Samples, Unavailable>> {
        match self {
            Self::Resource(resource) => Some(&mut resource.samples),
            Self::Pods(pods) => Some(&mut pods.samples),
            _ => None,
        }
    }
}

/// A target, in the unit that the arithmetic uses. Which one applies follows
/// from the fields that are set, as in the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Percent of the request.
    Utilization(i32),
    /// The whole metric, in thousandths.
    Value(i64),
    /// The metric per pod, in thousandths.
    AverageValue(i64),
}

/// A resource of the pod, or of one of its containers.
#[derive(Clone, Debug)]
pub struct Resource<'s> {
    /// The resource.
    pub name: &'s str,
    /// The container, for `ContainerResource`.
    pub container: Option<&'s str>,
    /// The target, if one is set.
    pub target: Option<Target>,
    /// What the pods use.
    pub samples: Result<Samples, Unavailable>,
    /// What the pods request, in the pods' order, or the first complaint;
    /// empty unless the target is a utilization.
    pub requests: Result<Vec<i64>, Complaint>,
}

impl Resource<'_> {
    /// Whether it is cpu, the only one with readiness rules.
    pub fn is_cpu(&self) -> bool {
        self.name == "cpu"
    }
}

/// A custom metric of each pod.
#[derive(Clone, Debug)]
pub struct PodsMetric<'s> {
    /// Which metric.
    pub metric: &'s MetricIdentifier,
    /// The target per pod, in thousandths.
    pub target: i64,
    /// What was measured.
    pub samples: Result<Samples, Unavailable>,
}

/// A custom metric of one object.
#[derive(Clone, Debug)]
pub struct Object<'s> {
    /// The metric and the object.
    pub source: &'s ObjectMetricSource,
    /// The target, if type and field agree.
    pub target: Option<Target>,
    /// What was measured, in thousandths.
    pub value: Result<i64, Unavailable>,
}

/// A metric from outside the cluster.
#[derive(Clone, Debug)]
pub struct External<'s> {
    /// The metric.
    pub source: &'s ExternalMetricSource,
    /// The target, if one is set.
    pub target: Option<Target>,
    /// What each series says, in thousandths.
    pub values: Result<Vec<i64>, Unavailable>,
    /// What it asks for once it has failed for long enough; none where the
    /// gate of that design is off.
    pub fallback: Option<Fallback>,
}

/// The metrics, or why what decides on their pods may not be read.
pub(super) fn prepare<'s, 'a>(
    snapshot: &'s Snapshot,
    settings: &'a Settings,
    (selector, selected, positions): (&'a Selector, &'a [&'s Pod], Positions<'a>),
    unreadable: Option<&'a ReadFailure>,
) -> Vec<Metric<'s>> {
    let inputs = MetricInputs {
        snapshot,
        index: MetricIndex::new(&snapshot.metrics),
        settings,
        selector,
        selected,
        positions,
        unreadable,
    };
    inputs.metrics()
}

struct MetricInputs<'s, 'a> {
    snapshot: &'s Snapshot,
    index: MetricIndex<'s>,
    settings: &'a Settings,
    selector: &'a Selector,
    selected: &'a [&'s Pod],
    positions: Positions<'a>,
    unreadable: Option<&'a ReadFailure>,
}

impl<'s> MetricInputs<'s, '_> {
    fn metrics(&self) -> Vec<Metric<'s>> {
        let hpa = &self.snapshot.hpa;
        let metrics = hpa.spec.metrics.iter().enumerate();
        metrics
            .map(|(index, spec)| Metric {
                index,
                spec,
                reported: &hpa.status.current_metrics,
                source: self.source(index, spec),
            })
            .collect()
    }

    /// What the metrics client would be told, unless we may not look.
    fn ask<T>(&self, client: impl FnOnce() -> Result<T, Unavailable>) -> Result<T, Unavailable> {
        match self.unreadable {
            Some(reason) => Err(Unavailable::Unreadable(reason.clone())),
            None => client(),
        }
    }

    fn source(&self, index: usize, metric: &'s MetricSpec) -> Source<'s> {
        let release = self.settings.release;
        match metric.source() {
            None => Source::Unknown,
            Some(MetricSource::Resource(source)) => {
                self.resource(&source.name, None, &source.target)
            }
            Some(MetricSource::ContainerResource(source)) => {
                self.resource(&source.name, Some(&source.container), &source.target)
            }
            Some(MetricSource::Pods(source)) => Source::Pods(PodsMetric {
                metric: &source.metric,
                target: milli(source.target.average_value.as_ref(), release).unwrap_or_default(),
                samples: self.ask(|| {
                    let positions = &self.positions;
                    metrics_client::pods(&self.index, positions, &source.metric, release)
                }),
            }),
            Some(MetricSource::Object(source)) => Source::Object(Object {
                source,
                target: object_target(&source.target, release),
                value: self.ask(|| {
                    let object = &source.described_object;
                    let namespace = &self.snapshot.hpa.metadata.namespace;
                    metrics_client::object(&self.index, namespace, object, &source.metric, release)
                }),
            }),
            Some(MetricSource::External(source)) => Source::External(External {
                source,
                target: external_target(&source.target, release),
                values: self.ask(|| metrics_client::external(&self.index, &source.metric, release)),
                fallback: fallback::prepare(self.snapshot, self.settings, index, source),
            }),
        }
    }

    fn resource(
        &self,
        name: &'s str,
        container: Option<&'s str>,
        target: &MetricTarget,
    ) -> Source<'s> {
        let target = resource_target(target, self.settings.release);
        Source::Resource(Resource {
            name,
            container,
            target,
            samples: self.ask(|| {
                metrics_client::resource(
                    self.snapshot,
                    self.settings,
                    self.selector,
                    &self.positions,
                    name,
                    container,
                )
            }),
            requests: match target {
                Some(Target::Utilization(_)) => {
                    calculate_pod_requests::calculate(self.selected, name, container, self.settings)
                }
                _ => Ok(Vec::new()),
            },
        })
    }
}

/// The target of a metric, if its type has one that is set.
pub fn target(metric: &MetricSpec, release: Release) -> Option<Target> {
    let source = metric.source()?;
    let target = source.target();
    match source {
        MetricSource::Resource(_) | MetricSource::ContainerResource(_) => {
            resource_target(target, release)
        }
        MetricSource::Pods(_) => {
            milli(target.average_value.as_ref(), release).map(Target::AverageValue)
        }
        MetricSource::Object(_) => object_target(target, release),
        MetricSource::External(_) => external_target(target, release),
    }
}

/// Of which kind the target of a metric is, if it has one that is set.
pub fn target_kind(metric: &MetricSpec) -> Option<TargetKind> {
    Some(match target(metric, Release::NEWEST)? {
        Target::Utilization(_) => TargetKind::Utilization,
        Target::AverageValue(_) => TargetKind::AverageValue,
        Target::Value(_) => TargetKind::Value,
    })
}

/// An average value goes before a utilization, whatever the type says.
fn resource_target(target: &MetricTarget, release: Release) -> Option<Target> {
    milli(target.average_value.as_ref(), release)
        .map(Target::AverageValue)
        .or(target.average_utilization.map(Target::Utilization))
}

/// Only here must type and field agree.
fn object_target(target: &MetricTarget, release: Release) -> Option<Target> {
    match target.kind.known()? {
        TargetKind::Value => milli(target.value.as_ref(), release).map(Target::Value),
        TargetKind::AverageValue => {
            milli(target.average_value.as_ref(), release).map(Target::AverageValue)
        }
        TargetKind::Utilization => None,
    }
}

/// An average value goes before a value, whatever the type says.
fn external_target(target: &MetricTarget, release: Release) -> Option<Target> {
    milli(target.average_value.as_ref(), release)
        .map(Target::AverageValue)
        .or_else(|| milli(target.value.as_ref(), release).map(Target::Value))
}

fn milli(quantity: Option<&Quantity>, release: Release) -> Option<i64> {
    quantity.map(|quantity| milli_value(quantity, release))
}
