//! What a spec asks the metrics APIs and nobody has asked before: without an
//! answer, the pass takes it for something that no API knows.

use crate::api::{HpaSpec, MetricSpec};
use crate::snapshot::Snapshot;

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
    let was_asked = |it: &MetricSpec| match metric.measured_resource() {
        // One question tells of every resource of every container.
        Some(_) => it.measured_resource().is_some(),
        None => it.measures_the_same(metric),
    };
    let is_open = !known.iter().any(was_asked) && !has_answer(snapshot, metric);
    metric.name().filter(|_| is_open).map(str::to_owned)
}

/// Whether the inputs hold an answer of the metric's API.
fn has_answer(snapshot: &Snapshot, metric: &MetricSpec) -> bool {
    let metrics = &snapshot.metrics;
    let namespace = &snapshot.horizontal_pod_autoscaler.metadata.namespace;
    let place = if let Some(source) = &metric.pods {
        metrics.custom_at(&source.metric, None)
    } else if let Some(source) = &metric.object {
        let object = source.described_object.asked_as(namespace);
        metrics.custom_at(&source.metric, Some(object))
    } else if let Some(source) = &metric.external {
        metrics.external_at(&source.metric)
    } else {
        return metrics.resource.is_some();
    };
    // What cannot be asked for needs no answer.
    place.is_err() || place.is_ok_and(|it| it.is_some())
}
