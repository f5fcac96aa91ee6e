//! What a spec asks the metrics APIs and nobody has asked before: without an
//! answer, the pass takes it for something that no API knows.

use crate::snapshot::{
    CrossVersionObjectReference, HpaSpec, MetricIdentifier, MetricSpec, Snapshot, wire_text,
};

/// The metrics that a spec asks for, the known one does not, and the inputs
/// hold no answer to.
pub(super) fn unanswered(
    snapshot: &Snapshot,
    known: Option<&HpaSpec>,
    spec: &HpaSpec,
) -> Vec<String> {
    let known = known.map_or(&[][..], |it| &it.metrics);
    let metrics = spec.metrics.iter();
    let mut names: Vec<String> = metrics
        .filter_map(|metric| unanswered_metric(snapshot, known, metric))
        .collect();
    names.dedup();
    names
}

fn unanswered_metric(
    snapshot: &Snapshot,
    known: &[MetricSpec],
    metric: &MetricSpec,
) -> Option<String> {
    let was_asked = |is_it: &dyn Fn(&MetricSpec) -> bool| known.iter().any(is_it);
    if let Some(source) = &metric.pods {
        let is_it = |it: &MetricSpec| {
            it.pods
                .as_ref()
                .is_some_and(|it| it.metric == source.metric)
        };
        let is_open = !was_asked(&is_it) && !has_custom(snapshot, &source.metric, None);
        return is_open.then(|| source.metric.name.clone());
    }
    if let Some(source) = &metric.object {
        let object = &source.described_object;
        let is_it = |it: &MetricSpec| {
            let own = it.object.as_ref();
            own.is_some_and(|it| it.metric == source.metric && it.described_object == *object)
        };
        let is_open = !was_asked(&is_it) && !has_custom(snapshot, &source.metric, Some(object));
        return is_open.then(|| source.metric.name.clone());
    }
    if let Some(source) = &metric.external {
        let is_it = |it: &MetricSpec| {
            it.external
                .as_ref()
                .is_some_and(|it| it.metric == source.metric)
        };
        let is_open = !was_asked(&is_it) && !has_external(snapshot, &source.metric);
        return is_open.then(|| source.metric.name.clone());
    }
    let is_open = snapshot.metrics.resource.is_none() && !was_asked(&|it| resource(it).is_some());
    resource(metric).filter(|_| is_open).cloned()
}

/// The resource of a metric that is measured by resources.
fn resource(metric: &MetricSpec) -> Option<&String> {
    let whole = metric.resource.as_ref().map(|it| &it.name);
    whole.or(metric.container_resource.as_ref().map(|it| &it.name))
}

fn has_custom(
    snapshot: &Snapshot,
    metric: &MetricIdentifier,
    object: Option<&CrossVersionObjectReference>,
) -> bool {
    let selector = wire_text(metric.selector.as_ref()).unwrap_or_default();
    snapshot.metrics.custom.iter().any(|asked| {
        let is_same = match (&asked.described_object, object) {
            (None, None) => true,
            (Some(one), Some(other)) => one.kind == other.kind && one.name == other.name,
            _ => false,
        };
        is_same && asked.metric == metric.name && asked.metric_selector == selector
    })
}

fn has_external(snapshot: &Snapshot, metric: &MetricIdentifier) -> bool {
    let selector = wire_text(metric.selector.as_ref()).unwrap_or_default();
    let mut asked = snapshot.metrics.external.iter();
    asked.any(|asked| asked.metric == metric.name && asked.metric_selector == selector)
}
