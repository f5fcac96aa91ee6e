//! What the sum over the containers of a pod hides.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Value, json};

use super::metrics_apis::worst;
use crate::api::{
    ContainerResourceMetricSource, MetricKind, MetricSpec, Pod, PodMetrics, Quantity,
    ResourceMetricSource, TargetKind,
};
use crate::controller::{Release, Switch};
use crate::findings::Case;
use crate::findings::words::{self, MOST, few, first_with, some};
use crate::trace::amount::plural;
use crate::trace::{Code, FailureCause, Finding, MetricRecord, Severity, Trace, milli_text};

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

/// A container above the target, in pods that are not: measured alone, it
/// would ask for more than the size that the pods' sum leaves as it is.
pub(super) fn hot_container(case: &Case, trace: &Trace, metric: &MetricRecord) -> Option<Finding> {
    let current = trace.outcome.current_replicas;
    let is_whole = metric.kind == MetricKind::Resource && metric.is_utilization();
    if !is_whole || metric.asks_for()? > current {
        return None;
    }
    let target = i128::from(metric.target?.value);
    let measured = metric.measured.as_ref()?;
    let sums = sums(case, metric)?;
    if sums.len() < 2 {
        return None;
    }
    let counted = sums.values().map(|sum| sum.pods).max()?;
    let candidates = sums.iter().filter(|(_, sum)| sum.pods == counted);
    let candidates = candidates.filter_map(|(name, sum)| Some((*name, *sum, sum.percent()?)));
    let candidates = candidates.filter(|(_, _, percent)| *percent > target);
    let (name, sum, percent) = candidates.max_by_key(|(_, _, percent)| *percent)?;
    let alone = alone(case, metric, name)?;
    if alone <= current {
        return None;
    }
    let resource = &metric.source.name;
    let all: i128 = sums.values().map(|sum| sum.requests).sum();
    let message = format!(
        "container {name} is at {percent}% of its {resource} request (target {target}%), but its pods \
         are at {}%; measured alone, it asks for {alone}, not {current}",
        measured.utilization?
    );
    let asks = words::alone(trace, metric, alone);
    let says = format!("container {name} asks for {asks}; the size is {current}");
    let finding = Finding::new(Code::HotContainer, message)
        .fact("measured alone", says)
        .facts(sums.iter().map(|(name, sum)| {
            let percent = sum.percent().map_or_else(
                || format!("no {resource} request"),
                |percent| format!("{percent}% of its {resource} request"),
            );
            (format!("container {name}"), percent)
        }))
        // A small sidecar above its request seldom is what users wait for.
        .info_if(sum.requests * 4 < all);
    if !case.settings.gates.container_metrics {
        return Some(
            finding.advice("set the request of each container in proportion to its usage"),
        );
    }
    Some(finding.patch(
        format!("measure container {name} alone"),
        &container_metrics([(metric, name)]),
    ))
}

/// Usage and requests of each container, over the pods that count.
fn sums<'s>(case: &Case<'s>, metric: &'s MetricRecord) -> Option<BTreeMap<&'s str, Sum>> {
    let items = case.snapshot.metrics.samples().iter();
    let samples = items.map(|item| (item.metadata.name.as_str(), item));
    let samples: HashMap<&str, &PodMetrics> = samples.collect();
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for (pod, _) in case.counted(metric) {
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
    let specs = &mut altered.hpa.spec.metrics;
    let ResourceMetricSource { name, target } = *specs.get(metric.index)?.resource.clone()?;
    let source = ContainerResourceMetricSource {
        name,
        container: container.to_owned(),
        target,
    };
    *specs = vec![MetricSpec {
        kind: MetricKind::ContainerResource.into(),
        container_resource: Some(Box::new(source)),
        ..MetricSpec::default()
    }];
    case.on(&altered).metrics.first()?.asks_for()
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
        if metric.kind != MetricKind::Resource || shown == fair {
            continue;
        }
        let name = &metric.source.name;
        let message = format!(
            "native sidecar {} counts with its usage but not its request, so {name} is {shown}% instead of {fair}%",
            sidecar.name
        );
        let finding = Finding::new(Code::SidecarRequestIgnored, message).fact(
            "release",
            format!(
                "Kubernetes {} adds up the requests of regular containers only; {first} includes native sidecars",
                case.settings.release
            ),
        );
        let asks = metric.asks_for();
        let asks = asks.map(|recommended| format!("asks for {recommended}"));
        let finding = finding.facts(asks.map(|asks| (words::whole_name(metric), asks)));
        findings.push(finding.advice(format!(
            "upgrade to Kubernetes {first}, or measure the main container alone (ContainerResource)"
        )));
    }
}

/// Metrics, each measured on one container, as a part of the HPA's manifest.
pub(super) fn container_metrics<'m>(
    metrics: impl IntoIterator<Item = (&'m MetricRecord, &'m str)>,
) -> Value {
    let metrics = metrics.into_iter();
    let entries = metrics.map(|(metric, container)| entry(metric, container));
    json!({"spec": {"metrics": entries.collect::<Vec<_>>()}})
}

/// An entry of `spec.metrics`.
fn entry(metric: &MetricRecord, container: &str) -> Value {
    let mut source = json!({"name": metric.source.name, "container": container});
    if let Some(target) = metric.target {
        source["target"] = match target.kind {
            TargetKind::Utilization => {
                json!({"type": "Utilization", "averageUtilization": target.value})
            }
            _ => json!({"type": "AverageValue", "averageValue": milli_text(target.value)}),
        };
    }
    json!({"type": "ContainerResource", "containerResource": source})
}

/// The name is misspelled, or a rollout renames the container. Metrics that
/// name the same container have one cause.
pub(super) fn wrong_container(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let mut reported: Vec<&str> = Vec::new();
    for metric in &trace.metrics {
        let Some(container) = metric.source.container.as_deref() else {
            continue;
        };
        if reported.contains(&container) {
            continue;
        }
        reported.push(container);
        // Of those that have ended or are about to, the containers say nothing.
        let is_alive = |pod: &&Pod| !pod.has_ended() && pod.metadata.deletion_timestamp.is_none();
        let pods = case.selected.iter().copied().filter(is_alive);
        let (with, without): (Vec<&Pod>, Vec<&Pod>) = pods.partition(|pod| has(pod, container));
        if without.is_empty() {
            continue;
        }
        let finding = if with.is_empty() {
            in_no_pod(trace, metric, container, &without)
        } else {
            in_some_pods((case, trace), metric, container, (&with, &without))
        };
        let at_most = if metric.is_failed() {
            worst(trace)
        } else {
            Severity::Warning
        };
        findings.push(finding.at_most(at_most));
    }
}

fn names(pod: &Pod) -> impl Iterator<Item = &str> {
    pod.spec.running().map(|container| container.name.as_str())
}

/// Whether a pod has a container of that name, a native sidecar included.
pub(super) fn has(pod: &Pod, container: &str) -> bool {
    names(pod).any(|name| name == container)
}

/// The names that pods have, in order.
fn all_names<'p>(pods: &[&'p Pod]) -> Vec<&'p str> {
    let names: BTreeSet<&str> = pods.iter().flat_map(|pod| names(pod)).collect();
    names.into_iter().collect()
}

fn in_no_pod(trace: &Trace, metric: &MetricRecord, container: &str, pods: &[&Pod]) -> Finding {
    let there = all_names(pods);
    let have = some(&there, 4);
    let message = format!("no pod has a container named {container}; the pods have {have}");
    // The controller guesses at pods that are not ready.
    let guess = (metric.cause() == Some(&FailureCause::NoSamples)).then_some((
        "the controller's message",
        "\"pods might be unready\" is misleading: the container name matches no container",
    ));
    let finding = Finding::new(Code::WrongContainer, message)
        .fact(words::field(metric), format!("names container {container}"))
        .facts(guess);
    if let [only] = there.as_slice() {
        return finding.patch(
            format!("name container {only} instead of {container} in the metric"),
            &container_metrics([(metric, *only)]),
        );
    }
    finding.look(
        "list the containers that have samples",
        trace.kubectl_pods("kubectl top pods --containers"),
    )
}

fn in_some_pods(
    (case, trace): (&Case, &Trace),
    metric: &MetricRecord,
    container: &str,
    (with, without): (&[&Pod], &[&Pod]),
) -> Finding {
    let all = with.len() + without.len();
    let common: BTreeSet<&str> = with.iter().flat_map(|pod| names(pod)).collect();
    let mut other = all_names(without);
    other.retain(|name| !common.contains(name));
    let lacking: Vec<&str> = without.iter().map(|it| it.metadata.name.as_str()).collect();
    let has = plural(without.len(), "has", "have");
    let instead = if other.is_empty() {
        String::new()
    } else {
        format!(" but {has} {} instead", some(&other, 3))
    };
    let message = format!(
        "{} of {all} pods ({}) {has} no container named {container}{instead}",
        without.len(),
        few(&lacking),
    );
    let shown = without.iter().take(MOST).map(|pod| {
        let there: Vec<&str> = names(pod).collect();
        let about = format!("Pod/{}", pod.metadata.name);
        (about, format!("has {}", some(&there, 5)))
    });
    let finding = Finding::new(Code::WrongContainer, message)
        .fact(words::field(metric), effect(case.settings.release, metric))
        .facts(shown);
    if let [old] = other.as_slice() {
        return renamed(finding, metric, container, old);
    }
    let columns = "NAME:.metadata.name,CONTAINERS:.spec.containers[*].name";
    let pods = trace.kubectl("kubectl get pods", &[]).and("-o");
    finding.look(
        "list the containers of each pod",
        pods.value("custom-columns=", columns),
    )
}

/// What a pod without the container does to the metric, by release.
fn effect(release: Release, metric: &MetricRecord) -> String {
    if !release.has(Switch::MissingContainerTolerated) {
        return format!(
            "before {}, one such pod makes the metric fail for all pods",
            first_with(Switch::MissingContainerTolerated)
        );
    }
    if metric.is_utilization() && release.has(Switch::ContainerRequired) {
        return format!(
            "since {}, one such pod makes a utilization metric fail for all pods",
            first_with(Switch::ContainerRequired)
        );
    }
    format!("in Kubernetes {release}, such a pod counts as a pod without a sample")
}

/// Two names during a rollout: one of them has samples before, and
/// the other one after it.
fn renamed(finding: Finding, metric: &MetricRecord, new: &str, old: &str) -> Finding {
    finding
        .patch(
            "name both containers until the rollout is complete, then remove the old entry",
            &container_metrics([(metric, new), (metric, old)]),
        )
        .advice(format!(
            "remove the entry of {old} once no pod has it: it fails then, which blocks scale-downs"
        ))
}
