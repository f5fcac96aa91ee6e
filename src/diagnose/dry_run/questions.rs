//! What a spec asks the metrics APIs and nobody has asked before: it is left
//! open, for nothing tells what the controller would be answered.

use crate::snapshot::{
    Answered, CrossVersionObjectReference, CustomMetric, DescribedObject, ExternalMetric, HpaSpec,
    MetricIdentifier, MetricSpec, Snapshot, wire_text,
};

/// Why there is no answer.
const NOT_CAPTURED: &str = "not captured: the HPA did not ask for it at that moment";

/// Marks what a spec asks, the known one did not, and the snapshot has no
/// answer to.
pub(super) fn leave_open(snapshot: &mut Snapshot, known: Option<&HpaSpec>, spec: &HpaSpec) {
    let known = known.map_or(&[][..], |it| &it.metrics);
    let was_asked = |is_it: &dyn Fn(&MetricSpec) -> bool| known.iter().any(is_it);
    for metric in &spec.metrics {
        if let Some(source) = &metric.pods
            && !was_asked(&|it| {
                it.pods
                    .as_ref()
                    .is_some_and(|it| it.metric == source.metric)
            })
        {
            custom(snapshot, &source.metric, None);
        }
        if let Some(source) = &metric.object {
            let object = &source.described_object;
            let is_it = |it: &MetricSpec| {
                let own = it.object.as_ref();
                own.is_some_and(|it| it.metric == source.metric && it.described_object == *object)
            };
            if !was_asked(&is_it) {
                custom(snapshot, &source.metric, Some(object));
            }
        }
        if let Some(source) = &metric.external
            && !was_asked(&|it| {
                it.external
                    .as_ref()
                    .is_some_and(|it| it.metric == source.metric)
            })
        {
            external(snapshot, &source.metric);
        }
        let is_unanswered = snapshot.metrics.resource.is_none();
        if is_of_resource(metric) && is_unanswered && !was_asked(&is_of_resource) {
            snapshot.metrics.resource = Some(Answered::unreadable(NOT_CAPTURED.to_owned()));
        }
    }
}

fn is_of_resource(metric: &MetricSpec) -> bool {
    metric.resource.is_some() || metric.container_resource.is_some()
}

fn custom(
    snapshot: &mut Snapshot,
    metric: &MetricIdentifier,
    object: Option<&CrossVersionObjectReference>,
) {
    let Ok(selector) = wire_text(metric.selector.as_ref()) else {
        return;
    };
    let is_same = |described: Option<&DescribedObject>| match (described, object) {
        (None, None) => true,
        (Some(one), Some(other)) => one.kind == other.kind && one.name == other.name,
        _ => false,
    };
    let is_asked = |asked: &CustomMetric| {
        asked.metric == metric.name
            && asked.metric_selector == selector
            && is_same(asked.described_object.as_ref())
    };
    if snapshot.metrics.custom.iter().any(is_asked) {
        return;
    }
    snapshot.metrics.custom.push(CustomMetric {
        metric: metric.name.clone(),
        metric_selector: selector,
        described_object: object.map(|object| DescribedObject {
            kind: object.kind.clone(),
            name: object.name.clone(),
            ..DescribedObject::default()
        }),
        response: None,
        error: None,
        unreadable: Some(NOT_CAPTURED.to_owned()),
    });
}

fn external(snapshot: &mut Snapshot, metric: &MetricIdentifier) {
    let Ok(selector) = wire_text(metric.selector.as_ref()) else {
        return;
    };
    let is_asked =
        |asked: &ExternalMetric| asked.metric == metric.name && asked.metric_selector == selector;
    if snapshot.metrics.external.iter().any(is_asked) {
        return;
    }
    snapshot.metrics.external.push(ExternalMetric {
        metric: metric.name.clone(),
        metric_selector: selector,
        response: None,
        error: None,
        unreadable: Some(NOT_CAPTURED.to_owned()),
    });
}
