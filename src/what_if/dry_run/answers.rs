//! Another answer of the custom or the external metrics API than the one that
//! it gave.
//!
//! The controller asks nothing with a selector that it cannot convert, so that
//! no answer can stand in for it: that is the error of all of these.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::api::{
    Answered, CustomMetric, DescribedObject, ExternalMetric, ExternalMetricValue,
    ExternalMetricValueList, HpaSpec, InvalidOperatorError, MetricIdentifier, MetricSpec,
    MetricValue, MetricValueList, ObjectMetricSource, Phase, Quantity, wire_text,
};
use crate::controller::selected_pods;
use crate::document::snapshot::Snapshot;

/// Every pod says so much; where none said anything, every pod that runs.
pub(super) fn set_pods(
    snapshot: &mut Snapshot,
    metric: &MetricIdentifier,
    amount: &Quantity,
) -> Result<(), InvalidOperatorError> {
    let pods = selected_pods(snapshot);
    let running = pods.iter().filter(|pod| pod.status.phase == Phase::Running);
    let names: Vec<String> = running.map(|pod| pod.metadata.name.to_string()).collect();
    let at = snapshot.captured_at;
    answer(snapshot, metric, None, |items| match items {
        [] => {
            let names = names.iter();
            names.map(|it| value(("Pod", it), at, amount)).collect()
        }
        items => {
            let mut items = items.to_vec();
            for item in &mut items {
                item.value = amount.clone();
            }
            items
        }
    })
}

/// The object says so much.
pub(super) fn set_object(
    snapshot: &mut Snapshot,
    source: &ObjectMetricSource,
    amount: &Quantity,
) -> Result<(), InvalidOperatorError> {
    let at = snapshot.captured_at;
    let namespace = snapshot.hpa.metadata.namespace.clone();
    let object = source.described_object.request_target(&namespace);
    let items = |_: &[MetricValue]| vec![value(object, at, amount)];
    answer(snapshot, &source.metric, Some(object), items)
}

/// One series says all of it.
pub(super) fn set_external(
    snapshot: &mut Snapshot,
    metric: &MetricIdentifier,
    amount: &Quantity,
) -> Result<(), InvalidOperatorError> {
    let item = ExternalMetricValue {
        metric_name: metric.name.clone(),
        metric_labels: BTreeMap::new(),
        timestamp: Some(snapshot.captured_at),
        value: amount.clone(),
    };
    let answered = ExternalMetric {
        metric: metric.name.clone(),
        metric_selector: wire_text(metric.selector.as_ref())?,
        answer: Answered::Response(ExternalMetricValueList { items: vec![item] }),
    };
    let metrics = &mut snapshot.metrics;
    match metrics.external_at(metric)? {
        Some(at) => metrics.external[at] = answered,
        None => metrics.external.push(answered),
    }
    Ok(())
}

/// Another answer in the place of the one to the same question, made from what
/// that one held.
fn answer(
    snapshot: &mut Snapshot,
    metric: &MetricIdentifier,
    object: Option<(&str, &str)>,
    items: impl FnOnce(&[MetricValue]) -> Vec<MetricValue>,
) -> Result<(), InvalidOperatorError> {
    let metrics = &mut snapshot.metrics;
    let place = metrics.custom_at(metric, object)?;
    let query = place.and_then(|at| metrics.custom.get(at));
    let items = items(query.map_or(&[], |it| it.answer.items()));
    let answered = CustomMetric {
        metric: metric.name.clone(),
        metric_selector: wire_text(metric.selector.as_ref())?,
        described_object: object.map(DescribedObject::new),
        answer: Answered::Response(MetricValueList { items }),
    };
    match place {
        Some(at) => metrics.custom[at] = answered,
        None => metrics.custom.push(answered),
    }
    Ok(())
}

fn value(object: (&str, &str), at: Timestamp, amount: &Quantity) -> MetricValue {
    MetricValue {
        described_object: DescribedObject::new(object),
        timestamp: Some(at),
        window_seconds: None,
        value: amount.clone(),
    }
}

/// The metrics that a spec asks for, the known one does not, and the inputs
/// hold no answer to: the pass takes them for something that no API knows.
pub(super) fn unanswered(
    snapshot: &Snapshot,
    known: Option<&HpaSpec>,
    spec: &HpaSpec,
) -> Vec<String> {
    let known = known.map_or(&[][..], |it| &it.metrics);
    let metrics = spec.metrics.iter().enumerate();
    let names = metrics.filter_map(|(at, metric)| {
        // Most stand where they stood.
        let known = [known.get(at..).unwrap_or_default(), known];
        unanswered_metric(snapshot, known.into_iter().flatten(), metric)
    });
    let mut names: Vec<String> = names.collect();
    names.dedup();
    names
}

fn unanswered_metric<'k>(
    snapshot: &Snapshot,
    mut known: impl Iterator<Item = &'k MetricSpec>,
    metric: &MetricSpec,
) -> Option<String> {
    let was_requested = |it: &MetricSpec| match metric.measured_resource() {
        // One question tells of every resource of every container.
        Some(_) => it.measured_resource().is_some(),
        None => it.measures_the_same(metric),
    };
    let is_open = !known.any(was_requested) && !has_answer(snapshot, metric);
    metric.name().filter(|_| is_open).map(str::to_owned)
}

/// Whether the inputs hold an answer of the metric's API.
fn has_answer(snapshot: &Snapshot, metric: &MetricSpec) -> bool {
    let metrics = &snapshot.metrics;
    let namespace = &snapshot.hpa.metadata.namespace;
    let place = if let Some(source) = &metric.pods {
        metrics.custom_at(&source.metric, None)
    } else if let Some(source) = &metric.object {
        let object = source.described_object.request_target(namespace);
        metrics.custom_at(&source.metric, Some(object))
    } else if let Some(source) = &metric.external {
        metrics.external_at(&source.metric)
    } else {
        return metrics.resource.is_some();
    };
    // What cannot be asked for needs no answer.
    place.is_err() || place.is_ok_and(|it| it.is_some())
}
