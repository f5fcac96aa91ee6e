//! The metrics APIs' answers as numbers
//! (`pkg/controller/podautoscaler/metrics`, the REST metrics client).

use std::collections::BTreeMap;

use super::nanos;
use super::pods::Positions;
use crate::api::{
    Answered, ContainerUsage, CrossVersionObjectReference, MetricIdentifier, MetricIndex,
    MetricValue, PodMetrics, PodMetricsList, ReadFailure, Selector,
};
use crate::controller::conditions::Complaint;
use crate::controller::go::{milli_value, wrap_i64};
use crate::controller::release::{Release, Switch};
use crate::controller::settings::Settings;
use crate::controller::time::{Nanos, SECOND, ZERO_TIME};
use crate::document::snapshot::Snapshot;
use crate::trace::FailureCause;

/// The samples of one metric: one for each selected pod that has one, and
/// those of pods that are not selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// The sample of each selected pod, in the pods' order.
    pub by_pod: Vec<Option<Sample>>,
    /// The values of pods that the selector does not match (deleted
    /// meanwhile, or labelled otherwise).
    pub foreign_pods: Vec<i64>,
}

/// What was measured of one pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The end of the interval that was measured.
    pub taken: Nanos,
    /// The length of that interval.
    pub window: Nanos,
    /// The value in thousandths.
    pub value: i64,
}

/// Why there are no samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// What the controller's metrics client returns.
    Client(Complaint),
    /// The metric's own selector does not convert, so nothing is asked.
    Selector(Complaint),
    /// We may not look.
    Unreadable(ReadFailure),
}

/// Values that are keyed by pod name, put beside the selected pods. Of two
/// values for one name the last one counts.
struct ByPod<'a, 'p, 'n> {
    positions: &'a Positions<'p>,
    samples: Vec<Option<Sample>>,
    foreign_pods: BTreeMap<&'n str, i64>,
    next: usize,
}

impl<'a, 'p, 'n> ByPod<'a, 'p, 'n> {
    fn new(positions: &'a Positions<'p>) -> Self {
        Self {
            positions,
            samples: vec![None; positions.len()],
            foreign_pods: BTreeMap::new(),
            next: 0,
        }
    }

    fn put(&mut self, name: &'n str, sample: Sample) {
        if let Some(position) = self.positions.find(name, self.next) {
            self.samples[position] = Some(sample);
            self.next = position + 1;
        } else {
            self.foreign_pods.insert(name, sample.value);
        }
    }

    fn finish(self) -> Samples {
        Samples {
            by_pod: self.samples,
            foreign_pods: self.foreign_pods.into_values().collect(),
        }
    }
}

/// `GetResourceMetric`: the usage of a resource, of the whole pod or of one
/// container.
pub(super) fn resource(
    snapshot: &Snapshot,
    settings: &Settings,
    selector: &Selector,
    positions: &Positions,
    name: &str,
    container: Option<&str>,
) -> Result<Samples, Unavailable> {
    let list = match &snapshot.metrics.resource {
        Some(answered) => response(answered, "resource")?,
        None => {
            return Err(failed(
                "resource",
                "the server could not find the requested resource (get pods.metrics.k8s.io)",
                FailureCause::ApiNotFound,
            ));
        }
    };
    let mut samples = ByPod::new(positions);
    let mut is_empty = true;
    for item in matching(list, selector) {
        is_empty = false;
        let usage = match container {
            Some(container) => {
                let namespace = &snapshot.hpa.metadata.namespace;
                container_usage(item, name, container, namespace, settings)?
            }
            None => pod_usage(item, name, settings.release),
        };
        if let Some(value) = usage {
            let sample = Sample {
                taken: nanos(item.timestamp),
                window: Nanos::from(item.window.0),
                value,
            };
            samples.put(&item.metadata.name, sample);
        }
    }
    if is_empty {
        return Err(none_returned("resource"));
    }
    Ok(samples.finish())
}

/// The metrics API applies the pod selector to the labels of its own
/// objects.
fn matching<'s>(
    list: &'s PodMetricsList,
    selector: &Selector,
) -> impl Iterator<Item = &'s PodMetrics> {
    let items = list.items.iter();
    items.filter(|item| selector.matches(&item.metadata.labels))
}

/// The sum over all containers, each rounded up to a thousandth on its own.
/// A pod of which one container lacks the resource has no sample.
fn pod_usage(item: &PodMetrics, resource: &str, release: Release) -> Option<i64> {
    if item.containers.is_empty() {
        return None;
    }
    let usage = |container: &ContainerUsage| {
        let usage = container.usage.get(resource)?;
        Some(i128::from(milli_value(usage, release)))
    };
    let total: Option<i128> = item.containers.iter().map(usage).sum();
    total.map(wrap_i64)
}

/// The usage of one container. Before 1.33 a pod without the container failed
/// the whole metric.
fn container_usage(
    item: &PodMetrics,
    resource: &str,
    name: &str,
    namespace: &str,
    settings: &Settings,
) -> Result<Option<i64>, Unavailable> {
    match item
        .containers
        .iter()
        .find(|container| container.name == name)
    {
        Some(container) => Ok(container
            .usage
            .get(resource)
            .map(|usage| milli_value(usage, settings.release))),
        None if settings.release.has(Switch::MissingContainerTolerated) => Ok(None),
        None => Err(Unavailable::Client(Complaint::new(
            format!(
                "failed to get container metrics: container {name} not present in metrics for pod {namespace}/{}",
                item.metadata.name
            ),
            FailureCause::ContainerNotFound {
                container: name.to_owned(),
                pod: item.metadata.name.to_string(),
            },
        ))),
    }
}

/// `GetRawMetric`: a custom metric of each pod.
pub(super) fn pods(
    index: &MetricIndex,
    positions: &Positions,
    metric: &MetricIdentifier,
    release: Release,
) -> Result<Samples, Unavailable> {
    let items = custom(index, metric, None)?;
    if items.is_empty() {
        return Err(none_returned("custom"));
    }
    let mut samples = ByPod::new(positions);
    for item in items {
        let sample = Sample {
            taken: item.timestamp.map_or(ZERO_TIME, nanos),
            window: Nanos::from(item.window_seconds.unwrap_or(60)) * SECOND,
            value: milli_value(&item.value, release),
        };
        samples.put(&item.described_object.name, sample);
    }
    Ok(samples.finish())
}

/// `GetObjectMetric`: a custom metric of one object, in thousandths.
pub(super) fn object(
    index: &MetricIndex,
    namespace: &str,
    object: &CrossVersionObjectReference,
    metric: &MetricIdentifier,
    release: Release,
) -> Result<i64, Unavailable> {
    match custom(index, metric, Some(object.request_target(namespace)))? {
        [item] => Ok(milli_value(&item.value, release)),
        items => Err(failed(
            "custom",
            &format!(
                "the custom metrics API server returned {} results when we asked for exactly one",
                items.len()
            ),
            FailureCause::NotOne { items: items.len() },
        )),
    }
}

/// The answer of the custom metrics API for a metric and, unless it is the
/// per-pod list, an object.
fn custom<'s>(
    index: &MetricIndex<'s>,
    metric: &MetricIdentifier,
    object: Option<(&str, &str)>,
) -> Result<&'s [MetricValue], Unavailable> {
    let query = index.custom(metric, object);
    match query.map_err(|error| refused_selector(&error))? {
        Some(query) => Ok(&response(&query.answer, "custom")?.items),
        None => Err(failed(
            "custom",
            &format!(
                "the server could not find the metric {} for {}",
                metric.name,
                object.map_or("pods", |(_, name)| name),
            ),
            FailureCause::MetricNotFound,
        )),
    }
}

/// `GetExternalMetric`: the values of all series, in thousandths.
pub(super) fn external(
    index: &MetricIndex,
    metric: &MetricIdentifier,
    release: Release,
) -> Result<Vec<i64>, Unavailable> {
    let query = index.external(metric);
    let Some(query) = query.map_err(|error| refused_selector(&error))? else {
        let error = format!("the server could not find the metric {}", metric.name);
        return Err(failed("external", &error, FailureCause::MetricNotFound));
    };
    let list = response(&query.answer, "external")?;
    if list.items.is_empty() {
        return Err(none_returned("external"));
    }
    Ok(list
        .items
        .iter()
        .map(|item| milli_value(&item.value, release))
        .collect())
}

fn response<'s, T>(answer: &'s Answered<T>, api: &str) -> Result<&'s T, Unavailable> {
    match answer {
        Answered::Response(list) => Ok(list),
        Answered::Error(error) => Err(failed(api, &error.text, (&error.kind).into())),
        Answered::Unreadable(reason) => Err(Unavailable::Unreadable(reason.clone())),
    }
}

fn failed(api: &str, error: &str, cause: FailureCause) -> Unavailable {
    let text = format!("unable to fetch metrics from {api} metrics API: {error}");
    Unavailable::Client(Complaint {
        answer: Some(error.to_owned()),
        ..Complaint::new(text, cause)
    })
}

/// What the client returns where an API (`resource`, `custom`, `external`)
/// answers with an empty list.
pub fn none_returned(api: &str) -> Unavailable {
    let text = format!("no metrics returned from {api} metrics API");
    Unavailable::Client(Complaint::new(text, FailureCause::NoMetrics))
}

fn refused_selector(error: &impl ToString) -> Unavailable {
    let complaint = Complaint::new(error.to_string(), FailureCause::InvalidSelector);
    Unavailable::Selector(complaint)
}
