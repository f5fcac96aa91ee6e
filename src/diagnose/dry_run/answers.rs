//! Another answer of the custom or the external metrics API than the one that
//! it gave.
//!
//! The controller asks nothing with a selector that it cannot convert, so that
//! no answer can stand in for it: that is the error of all of these.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::api::{
    CustomMetric, DescribedObject, ExternalMetric, ExternalMetricValue, ExternalMetricValueList,
    InvalidOperatorError, MetricIdentifier, MetricValue, MetricValueList, ObjectMetricSource,
    Quantity, wire_text,
};
use crate::controller::selected_pods;
use crate::snapshot::Snapshot;

/// Every pod says so much; where none said anything, every pod that runs.
pub(super) fn set_pods(
    snapshot: &mut Snapshot,
    metric: &MetricIdentifier,
    amount: &Quantity,
) -> Result<(), InvalidOperatorError> {
    let pods = selected_pods(snapshot);
    let running = pods.iter().filter(|pod| pod.status.phase == "Running");
    let names: Vec<String> = running.map(|pod| pod.metadata.name.to_string()).collect();
    let at = snapshot.captured_at;
    answer(snapshot, metric, None, |items| match items {
        [] => names
            .iter()
            .map(|name| value(("Pod", name), at, amount))
            .collect(),
        items => items
            .iter()
            .map(|item| MetricValue {
                value: amount.clone(),
                ..item.clone()
            })
            .collect(),
    })
}

/// The object says so much.
pub(super) fn set_object(
    snapshot: &mut Snapshot,
    source: &ObjectMetricSource,
    amount: &Quantity,
) -> Result<(), InvalidOperatorError> {
    let at = snapshot.captured_at;
    let namespace = snapshot
        .horizontal_pod_autoscaler
        .metadata
        .namespace
        .clone();
    let object = source.described_object.asked_as(&namespace);
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
        response: Some(ExternalMetricValueList { items: vec![item] }),
        error: None,
        unreadable: None,
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
    let asked = place.and_then(|at| metrics.custom.get(at));
    let held = asked.and_then(|asked| asked.response.as_ref());
    let items = items(held.map_or(&[], |list| &list.items));
    let answered = CustomMetric {
        metric: metric.name.clone(),
        metric_selector: wire_text(metric.selector.as_ref())?,
        described_object: object.map(DescribedObject::new),
        response: Some(MetricValueList { items }),
        error: None,
        unreadable: None,
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
