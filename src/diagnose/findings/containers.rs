//! What the sum over the containers of a pod hides.

use std::collections::{BTreeMap, HashMap};

use crate::api::{
    ContainerResourceMetricSource, MetricSpec, Pod, PodMetrics, Quantity, ResourceMetricSource,
};
use crate::controller::{Release, Switch};
use crate::diagnose::Case;
use crate::diagnose::findings::words;
use crate::trace::amount::proposal;
use crate::trace::{Code, Finding, Group, MetricRecord, Severity, TargetKind, Trace};

use super::container_metric::container_metric;

/// A container above the target, in pods that are not: measured alone, it
/// would ask for more than the size that the pods' sum leaves as it is.
pub(super) fn hot_container(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    for metric in utilizations(trace) {
        let Some(asked) = proposal(metric) else {
            continue;
        };
        let current = trace.outcome.current_replicas;
        if asked > current {
            continue;
        }
        let Some(finding) = hottest(case, trace, metric) else {
            continue;
        };
        findings.push(finding);
    }
}

/// Metrics of whole pods, in percent of what they request.
fn utilizations(trace: &Trace) -> impl Iterator<Item = &MetricRecord> {
    let metrics = trace.metrics.iter();
    metrics.filter(|metric| {
        let target = metric.target.map(|target| target.kind);
        metric.kind == "Resource" && target == Some(TargetKind::Utilization)
    })
}

/// What one container uses and requests in the pods that count.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    pods: usize,
    usage: i128,
    requests: i128,
}

impl Sum {
    fn percent(self) -> Option<i128> {
        (self.usage * 100).checked_div(self.requests)
    }
}

fn hottest(case: &Case, trace: &Trace, metric: &MetricRecord) -> Option<Finding> {
    let current = trace.outcome.current_replicas;
    let target = i128::from(metric.target?.value);
    let measured = metric.measured.as_ref()?;
    let sums = sums(case, metric)?;
    if sums.len() < 2 {
        return None;
    }
    let counted = sums.values().map(|sum| sum.pods).max()?;
    let candidates = sums
        .iter()
        .filter(|(_, sum)| sum.pods == counted)
        .filter_map(|(name, sum)| Some((*name, *sum, sum.percent()?)))
        .filter(|(_, _, percent)| *percent > target);
    let (name, sum, percent) = candidates.max_by_key(|(_, _, percent)| *percent)?;
    let alone = alone(case, metric, name)?;
    if alone <= current {
        return None;
    }
    let resource = &metric.source.name;
    let all: i128 = sums.values().map(|sum| sum.requests).sum();
    let message = format!(
        "container {name} is at {percent}% of its {resource} request; the sum of its pod hides that: {}%, target {target}%",
        measured.utilization?
    );
    let mut finding = Finding::new(Code::HotContainer, message).fact(
        "measured alone",
        format!(
            "container {name} asks for {}; there are {current}",
            words::alone(trace, metric, alone)
        ),
    );
    for (name, sum) in &sums {
        let percent = sum.percent().map_or_else(
            || "requests nothing".to_owned(),
            |percent| format!("{percent}% of its {resource} request"),
        );
        finding = finding.fact(format!("container {name}"), percent);
    }
    // A small sidecar above its request seldom is what users wait for.
    let is_small = sum.requests * 4 < all;
    let at_most = if is_small {
        Severity::Info
    } else {
        Severity::Warning
    };
    let finding = finding.at_most(at_most);
    if !case.settings.gates.container_metrics {
        return Some(finding.advice("spread the requests as the containers use them"));
    }
    Some(finding.patch(
        format!("measures container {name} alone"),
        container_metric(metric, name),
    ))
}

/// Usage and requests of each container, over the pods that count.
fn sums<'s>(case: &Case<'s>, metric: &'s MetricRecord) -> Option<BTreeMap<&'s str, Sum>> {
    let list = case.snapshot.metrics.resource.as_ref()?.response.as_ref()?;
    let samples: HashMap<&str, &PodMetrics> = list
        .items
        .iter()
        .map(|item| (item.metadata.name.as_str(), item))
        .collect();
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for (pod, record) in case.selected.iter().zip(&metric.pods) {
        if record.group != Group::Ready {
            continue;
        }
        let sample = samples.get(pod.metadata.name.as_str())?;
        for (name, usage, request) in containers(pod, sample, &metric.source.name) {
            let sum = sums.entry(name).or_default();
            sum.pods += 1;
            sum.usage += i128::from(usage);
            sum.requests += i128::from(request);
        }
    }
    Some(sums)
}

fn containers<'s>(
    pod: &'s Pod,
    sample: &'s PodMetrics,
    resource: &'s str,
) -> impl Iterator<Item = (&'s str, i64, i64)> {
    sample.containers.iter().filter_map(move |used| {
        let mut all = pod.spec.containers.iter().chain(&pod.spec.init_containers);
        let own = all.find(|own| own.name == used.name)?;
        let request = own.request(resource).map_or(0, Quantity::milli_value);
        let usage = used.usage.get(resource)?.milli_value();
        Some((own.name.as_str(), usage, request))
    })
}

/// What the metric would ask for if it were measured on the container alone.
fn alone(case: &Case, metric: &MetricRecord, container: &str) -> Option<i32> {
    let mut altered = case.snapshot.clone();
    let specs = &mut altered.horizontal_pod_autoscaler.spec.metrics;
    let ResourceMetricSource { name, target } = specs.get(metric.index)?.resource.clone()?;
    let source = ContainerResourceMetricSource {
        name,
        container: container.to_owned(),
        target,
    };
    *specs = vec![MetricSpec {
        kind: "ContainerResource".to_owned(),
        container_resource: Some(source),
        ..MetricSpec::default()
    }];
    proposal(case.on(&altered).metrics.first()?)
}

/// Before 1.29 the controller adds up what native sidecars use, and not what
/// they request (`calculatePodRequests`), so that the percentage is too high.
pub(super) fn sidecar_request_ignored(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    if case.settings.release.has(Switch::SidecarRequests) {
        return;
    }
    let sidecar = case.selected.iter().find_map(|pod| {
        let mut init = pod.spec.init_containers.iter();
        init.find(|container| container.is_sidecar())
    });
    let Some(sidecar) = sidecar else { return };
    let first = Release::minor(Switch::SidecarRequests.since());
    let counted = case.with_rule(Switch::SidecarRequests);
    for (metric, fair) in trace.metrics.iter().zip(&counted.metrics) {
        let percent = |metric: &MetricRecord| metric.measured.as_ref()?.utilization;
        let (Some(shown), Some(fair)) = (percent(metric), percent(fair)) else {
            continue;
        };
        if metric.kind != "Resource" || shown == fair {
            continue;
        }
        let name = &metric.source.name;
        let message = format!(
            "native sidecar {} counts with its usage, not its request: {name} shows {shown}% in place of {fair}%",
            sidecar.name
        );
        let finding = Finding::new(Code::SidecarRequestIgnored, message).fact(
            "release",
            format!(
                "Kubernetes {} adds up the requests of ordinary containers only; {first} adds sidecars",
                case.settings.release
            ),
        );
        let finding = match proposal(metric) {
            Some(asked) => finding.fact(words::whole_name(metric), format!("asks for {asked}")),
            None => finding,
        };
        findings.push(finding.advice(format!(
            "upgrade to {first}, or measure the main container alone (ContainerResource)"
        )));
    }
}
