//! Pods that give no number although they should.

use crate::trace::amount::plural;
use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;

use crate::api::Pod;
use crate::controller::Switch;
use crate::diagnose::Case;
use crate::snapshot::Snapshot;
use crate::trace::amount::{counted, now as value};
use crate::trace::{
    Code, FailureCause, Finding, MetricRecord, Rule, Severity, TargetKind, Trace, shell_word,
};

use super::metrics_apis::worst;
use super::words::{MOST, apart, each_once, on_pod, some, whole_name as name};
use super::wrong_container::has;

/// A new pod has no sample before it was measured twice; metrics-server
/// measures every 15 to 60 seconds.
pub(super) const USUAL: SignedDuration = SignedDuration::from_secs(120);

/// Pods that should count and have no sample. Metrics without a sample of the
/// same pods have one cause.
pub(super) fn pods_without_sample(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let pods: BTreeMap<&str, &Pod> = case
        .selected
        .iter()
        .map(|pod| (pod.metadata.name.as_str(), *pod))
        .collect();
    let mut silent: BTreeMap<Vec<&str>, Vec<&MetricRecord>> = BTreeMap::new();
    for metric in &trace.metrics {
        let names = silent_in(metric, &pods);
        if !names.is_empty() {
            silent.entry(names).or_default().push(metric);
        }
    }
    for (names, metrics) in silent {
        let pods: Vec<&Pod> = names
            .iter()
            .filter_map(|name| pods.get(name).copied())
            .collect();
        findings.push(without_sample(case, trace, &pods, &metrics));
    }
}

/// The pods that a metric misses, or the one that fails it for all.
fn silent_in<'t>(metric: &'t MetricRecord, pods: &BTreeMap<&str, &Pod>) -> Vec<&'t str> {
    if let Some(FailureCause::ContainerNotFound { container, pod }) = metric.cause() {
        let has = pods
            .get(pod.as_str())
            .is_some_and(|pod| has(pod, container));
        return if has { vec![pod.as_str()] } else { Vec::new() };
    }
    let mut names: Vec<&str> = metric
        .pods
        .iter()
        // A completed pod is silent for another reason.
        .filter(|pod| pod.rule == Rule::PodNoSample && pod.phase != "Succeeded")
        .map(|pod| pod.name.as_str())
        .filter(|name| match &metric.source.container {
            Some(container) => pods.get(name).is_some_and(|pod| has(pod, container)),
            None => true,
        })
        .collect();
    names.sort_unstable();
    names
}

fn without_sample(case: &Case, trace: &Trace, pods: &[&Pod], metrics: &[&MetricRecord]) -> Finding {
    let names: Vec<&str> = pods.iter().map(|pod| pod.metadata.name.as_str()).collect();
    let of = each_once(metrics.iter().map(|metric| name(metric)));
    let all = case.selected.len();
    let verb = plural(pods.len(), "has", "have");
    let fails = metrics
        .iter()
        .any(|metric| matches!(metric.cause(), Some(FailureCause::ContainerNotFound { .. })));
    let then = if fails {
        ", which fails the metric for all"
    } else {
        ""
    };
    let message = format!(
        "{} of {} {verb} no sample of {of}{then}",
        pods.len(),
        counted(all, "pod")
    );
    let mut finding = Finding::new(Code::PodsWithoutSample, message);
    for pod in pods.iter().take(MOST) {
        let about = format!("Pod/{}", pod.metadata.name);
        finding = finding.fact(about, state(trace, pod));
    }
    if names.len() > MOST {
        finding = finding.fact("also", some(&names[MOST..], MOST));
    }
    for metric in metrics.iter().filter(|metric| !metric.is_failed()) {
        finding = finding.fact(name(metric), directions(case, metric));
    }
    let silent = silent_nodes(case.snapshot, pods);
    if let [node] = silent.as_slice() {
        finding = finding.fact(format!("Node/{node}"), "no pod on it has a sample");
    }
    let finding = finding.at_most(severity(trace, pods, metrics));
    match (silent.as_slice(), names.first()) {
        ([node], _) => finding.command(
            "asks for the node's own sample",
            format!(
                "kubectl get --raw /apis/metrics.k8s.io/v1beta1/nodes/{}",
                shell_word(node)
            ),
        ),
        (_, Some(first)) => {
            finding.command("shows what the pod does", on_pod(trace, "describe", first))
        }
        _ => finding,
    }
}

/// `Running, not Ready, CrashLoopBackOff (app); started 8m ago on node w-3`.
fn state(trace: &Trace, pod: &Pod) -> String {
    let ready = pod.condition("Ready");
    let ready = match ready.map(|condition| condition.status.as_str()) {
        Some("True") => ", Ready",
        Some(_) => ", not Ready",
        None => "",
    };
    let waiting = pod.waiting();
    let waiting = waiting.map_or_else(String::new, |(container, reason)| {
        format!(", {reason} ({container})")
    });
    let started = pod.status.start_time.map_or_else(String::new, |started| {
        format!("; started {} ago", apart(trace, started))
    });
    let node = pod.spec.node_name.as_ref();
    let node = node.map_or_else(String::new, |node| format!(" on node {node}"));
    format!("{}{ready}{waiting}{started}{node}", pod.status.phase)
}

/// What such a pod counts as (`GetResourceReplicas`).
fn directions(case: &Case, metric: &MetricRecord) -> String {
    let down = match metric.target {
        Some(target) if target.kind == TargetKind::Utilization => {
            let at_target = case.settings.release.has(Switch::MissingFilledAtTarget);
            let percent = if at_target {
                target.value.max(100)
            } else {
                100
            };
            format!("{percent}% of its request")
        }
        _ => "the target".to_owned(),
    };
    let filled = metric.filled_in.as_ref();
    let then = filled.filter(|filled| filled.missing.is_some());
    let then = match (then, &metric.measured) {
        (Some(filled), Some(measured)) => format!(
            "; with them {} becomes {}",
            value(metric, measured),
            value(metric, &filled.measured)
        ),
        _ => String::new(),
    };
    format!("a pod without a sample counts as {down} downwards, as 0 upwards{then}")
}

/// The nodes on which nothing is measured, where that is all there is to it.
fn silent_nodes<'s>(snapshot: &'s Snapshot, pods: &[&'s Pod]) -> Vec<&'s str> {
    let nodes: BTreeSet<&str> = pods
        .iter()
        .filter_map(|pod| pod.spec.node_name.as_deref())
        .collect();
    let answered = snapshot.metrics.resource.as_ref();
    let Some(list) = answered.and_then(|answered| answered.response.as_ref()) else {
        return Vec::new();
    };
    let sampled: BTreeSet<&str> = list
        .items
        .iter()
        .map(|item| item.metadata.name.as_str())
        .collect();
    let speaks = |node: &str| {
        let mut pods = snapshot.pods.iter();
        pods.any(|pod| {
            pod.spec.node_name.as_deref() == Some(node)
                && sampled.contains(pod.metadata.name.as_str())
        })
    };
    // One pod alone says more about itself than about its node.
    let several = |node: &str| {
        let own = pods
            .iter()
            .filter(|pod| pod.spec.node_name.as_deref() == Some(node));
        own.count() > 1
    };
    let nodes = nodes
        .into_iter()
        .filter(|node| several(node) && !speaks(node));
    nodes.take(2).collect()
}

fn severity(trace: &Trace, pods: &[&Pod], metrics: &[&MetricRecord]) -> Severity {
    if metrics.iter().any(|metric| metric.is_failed()) {
        return worst(trace);
    }
    let is_young = |pod: &&Pod| {
        let started = pod.status.start_time;
        started.is_some_and(|started| trace.at.duration_since(started) < USUAL)
    };
    let matters = metrics.iter().any(|metric| {
        let filled = metric.filled_in.as_ref();
        filled.is_some_and(|filled| filled.missing.is_some())
    });
    if matters && !pods.iter().all(is_young) {
        Severity::Warning
    } else {
        Severity::Info
    }
}
