//! A `VerticalPodAutoscaler` that changes what the HPA measures by.

use std::collections::BTreeSet;

use super::words::field;
use crate::api::VerticalPodAutoscaler;
use crate::findings::{Case, shared_findings};
use crate::trace::{Finding, MetricRecord, Trace};

/// Two autoscalers turn at one screw: the VPA raises a request, so that the
/// utilization falls, and the HPA takes pods away, so that the usage of each
/// rises.
pub(super) fn vpa_conflict(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let target = &case.hpa().spec.scale_target_ref;
    let vpas = case.snapshot.vertical_pod_autoscalers.iter();
    for vpa in vpas.filter(|vpa| vpa.changes(target)) {
        let metrics = trace.metrics.iter();
        let metrics = metrics.filter(|it| it.is_utilization() && it.is_of_resource());
        let changed = metrics.filter_map(|metric| changed(vpa, metric, case));
        let changed: Vec<Changed> = changed.collect();
        if !changed.is_empty() {
            findings.push(conflict(vpa, &changed, trace));
        }
    }
}

/// A metric whose requests a VPA sets.
struct Changed<'t> {
    metric: &'t MetricRecord,
    containers: BTreeSet<String>,
}

fn conflict(vpa: &VerticalPodAutoscaler, changed: &[Changed], trace: &Trace) -> Finding {
    let name = &vpa.metadata.name;
    let resources = changed.iter().map(|it| it.metric.source.name.as_str());
    let resources: BTreeSet<&str> = resources.collect();
    let resources: Vec<&str> = resources.into_iter().collect();
    let mut finding = shared_findings::vpa_conflict(vpa, &resources);
    for Changed { metric, containers } in changed {
        let resource = &metric.source.name;
        let percent = metric.target.map_or(0, |target| target.value);
        let says = format!("{resource} at {percent}% of the request");
        let requests = recommended(vpa, resource, containers).map(|(container, request)| {
            let says = format!("recommends {resource} {request} for {container}");
            (format!("VerticalPodAutoscaler/{name}"), says)
        });
        finding = finding.fact(field(metric), says).facts(requests);
    }
    shared_findings::vpa_remedies(finding, vpa, &resources).look(
        "see what it changes",
        trace.kubectl("kubectl describe verticalpodautoscaler", &[name]),
    )
}

/// The containers whose request of a metric's resource the VPA sets.
fn changed<'t>(
    vpa: &VerticalPodAutoscaler,
    metric: &'t MetricRecord,
    case: &Case,
) -> Option<Changed<'t>> {
    let resource = &metric.source.name;
    let all = match &metric.source.container {
        Some(container) => BTreeSet::from([container.clone()]),
        None => containers(case),
    };
    let set = all.into_iter().filter(|it| vpa.controls(it, resource));
    let containers: BTreeSet<String> = set.collect();
    (!containers.is_empty()).then_some(Changed { metric, containers })
}

/// The containers of the pods that are selected; `*` where there are none.
fn containers(case: &Case) -> BTreeSet<String> {
    let selected = case.selected.iter();
    let containers = selected.flat_map(|pod| pod.spec.containers.iter());
    let names = containers.map(|container| container.name.to_string());
    let mut names: BTreeSet<String> = names.collect();
    if names.is_empty() {
        names.insert("*".to_owned());
    }
    names
}

/// What the VPA recommends for containers.
fn recommended<'v>(
    vpa: &'v VerticalPodAutoscaler,
    resource: &'v str,
    containers: &'v BTreeSet<String>,
) -> impl Iterator<Item = (&'v str, String)> {
    let recommendation = vpa.status.recommendation.as_ref();
    let all = recommendation
        .into_iter()
        .flat_map(|it| &it.container_recommendations);
    all.filter(|it| containers.contains(&it.container_name))
        .filter_map(move |it| {
            let request = it.target.get(resource)?;
            Some((it.container_name.as_str(), request.to_string()))
        })
}
