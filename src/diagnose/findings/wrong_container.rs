//! Metrics of one container, and pods that have none of that name.

use crate::trace::amount::plural;
use std::collections::BTreeSet;

use crate::api::Pod;
use crate::controller::{Release, Switch};
use crate::diagnose::Case;
use crate::diagnose::findings::words::{self, MOST, first_with, selected, some};
use crate::trace::{Code, Finding, MetricRecord, Severity, TargetKind, Trace, shell_word};

use super::container_metric::{container_metric, entry, manifest};
use super::metrics_apis::worst;

/// The name is misspelt, or a roll-out renames the container. Metrics that
/// name the same container have one cause.
pub(super) fn wrong_container(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let mut told: Vec<&str> = Vec::new();
    for metric in &trace.metrics {
        let Some(container) = metric.source.container.as_deref() else {
            continue;
        };
        if told.contains(&container) {
            continue;
        }
        told.push(container);
        let pods = alive(case);
        let (with, without): (Vec<&Pod>, Vec<&Pod>) =
            pods.into_iter().partition(|pod| has(pod, container));
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

/// The pods that a metric can be measured on; of those that have ended or
/// are about to, the containers say nothing.
fn alive<'s>(case: &Case<'s>) -> Vec<&'s Pod> {
    let ended = |pod: &Pod| matches!(pod.status.phase.as_str(), "Succeeded" | "Failed");
    let mut pods = case.selected.to_vec();
    pods.retain(|pod| pod.metadata.deletion_timestamp.is_none() && !ended(pod));
    pods
}

fn names(pod: &Pod) -> impl Iterator<Item = &str> {
    let init = pod.spec.init_containers.iter();
    let sidecars = init.filter(|container| container.is_sidecar());
    let containers = pod.spec.containers.iter().chain(sidecars);
    containers.map(|container| container.name.as_str())
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
    let message = format!(
        "no pod has a container {container}; there {}",
        match there.as_slice() {
            [only] => format!("is {only}"),
            _ => format!("are {}", some(&there, 4)),
        }
    );
    let mut finding = Finding::new(Code::WrongContainer, message)
        .fact(words::field(metric), format!("names container {container}"));
    if says_unready(metric) {
        finding = finding.fact(
            "the controller's message",
            "\"pods might be unready\" misleads: the name is what keeps it without a sample",
        );
    }
    if let [only] = there.as_slice() {
        return finding.patch(
            "name the container that is there",
            container_metric(metric, only),
        );
    }
    finding.command(
        "shows the containers that are measured",
        format!("kubectl top pods --containers {}", selected(trace)),
    )
}

/// Whether the controller guesses at pods that are not ready.
fn says_unready(metric: &MetricRecord) -> bool {
    use crate::trace::FailureCause::NoSamples;
    metric.cause() == Some(&NoSamples)
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
    let (first, rest) = (without.first(), without.len().saturating_sub(1));
    let first = first.map_or("", |pod| pod.metadata.name.as_str());
    let named = match rest {
        0 => first.to_owned(),
        more => format!("{first} and {more} more"),
    };
    let instead = if other.is_empty() {
        "not".to_owned()
    } else {
        format!("{} instead", some(&other, 3))
    };
    let message = format!(
        "container {container} is in {} of {all} pods; {named} {} {instead}",
        with.len(),
        if other.is_empty() {
            plural(without.len(), "has it", "have it")
        } else {
            plural(without.len(), "has", "have")
        },
    );
    let mut finding = Finding::new(Code::WrongContainer, message)
        .fact(words::field(metric), effect(case.settings.release, metric));
    for pod in without.iter().take(MOST) {
        let there: Vec<&str> = names(pod).collect();
        let about = format!("Pod/{}", pod.metadata.name);
        finding = finding.fact(about, format!("has {}", some(&there, 5)));
    }
    if let [old] = other.as_slice() {
        return renamed(finding, metric, container, old);
    }
    finding.command(
        "shows the containers of each pod",
        format!(
            "kubectl get pods {} -o custom-columns={}",
            trace.namespace_argument(),
            shell_word("NAME:.metadata.name,CONTAINERS:.spec.containers[*].name")
        ),
    )
}

/// What a pod without the container does to the metric, by release.
fn effect(release: Release, metric: &MetricRecord) -> String {
    let is_utilization = metric
        .target
        .is_some_and(|target| target.kind == TargetKind::Utilization);
    if !release.has(Switch::MissingContainerTolerated) {
        return format!(
            "before {} one such pod fails the metric for all",
            first_with(Switch::MissingContainerTolerated)
        );
    }
    if is_utilization && release.has(Switch::ContainerRequired) {
        return format!(
            "since {} one such pod fails a utilization for all",
            first_with(Switch::ContainerRequired)
        );
    }
    format!("in Kubernetes {release} such a pod counts as one without a sample")
}

/// Two names while a roll-out goes on: one of them has samples before, and
/// the other one after it.
fn renamed(finding: Finding, metric: &MetricRecord, new: &str, old: &str) -> Finding {
    let both = [new, old].map(|name| entry(metric, name));
    finding
        .patch(
            "for a rename, name both until the roll-out is over, then take the old one out",
            manifest(both),
        )
        .advice(format!(
            "with {old} gone from all pods its metric fails, which blocks scale-downs until it is out"
        ))
}
