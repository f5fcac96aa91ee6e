//! Selected pods that do not carry the target's load.

use std::collections::BTreeSet;

use serde_json::json;

use super::Case;
use super::words::{MOST, few, last_without, once, other_labels, some};
use crate::api::Phase;
use crate::controller::Switch;
use crate::trace::amount::{counted, plural};
use crate::trace::{Code, FailureCause, Finding, ForeignPod, Group, Premise, Severity, Trace};

/// The selector catches pods that the target does not own.
pub(super) fn foreign_pods(case: &Case, trace: &Trace) -> Option<Finding> {
    let pods = trace.foreign_pods();
    pods.first()?;
    let mut tried = trace.prospects.iter().flat_map(|it| &it.counterfactuals);
    let without = tried.find(|one| matches!(one.premise, Premise::WithoutForeignPods { .. }));
    let without = without.and_then(|one| one.recommendation);
    let names: Vec<&str> = pods.iter().map(|pod| pod.name.as_str()).collect();
    let message = format!(
        "{} of {} ({}) {}{}",
        pods.len(),
        counted(case.selected.len(), "selected pod"),
        few(&names),
        whose(pods, &trace.target_name()),
        difference(trace, pods.len(), without),
    );
    let shown = pods.iter().take(MOST).map(|pod| {
        let says = match &pod.owner {
            Some(owner) => format!("belongs to {owner}, phase {}", pod.phase),
            None => format!("has no owner, phase {}", pod.phase),
        };
        (format!("Pod/{}", pod.name), says)
    });
    let finding = Finding::new(Code::ForeignPods, message).facts(shown);
    let owners = once(pods.iter().filter_map(|pod| pod.owner.as_deref()));
    let finding = selected_by(trace, finding, "--show-labels")
        .advice(other_labels(&owners))
        .advice(
            "or select by a label that only the target's pods have (in a new Deployment: a \
             selector is immutable)",
        );
    Some(reported(trace, without, finding))
}

/// Completed pods count as pods without a sample.
pub(super) fn succeeded_pods(case: &Case, trace: &Trace) -> Option<Finding> {
    let pods = trace.metrics.iter().flat_map(|metric| &metric.pods);
    let counting = pods.filter(|pod| pod.phase == Phase::Succeeded && pod.group == Group::Missing);
    let names: BTreeSet<&str> = counting.map(|pod| pod.name.as_str()).collect();
    let first = names.first()?;
    let all: Vec<&str> = names.iter().copied().collect();
    let without = case.without_pods(&names).recommended();
    let (verb, pods) = match names.len() {
        1 => ("counts as a pod", "pod"),
        _ => ("count as pods", "pods"),
    };
    let is_missing = trace.metrics.iter().any(|metric| {
        let why = metric.cause();
        matches!(why, Some(FailureCause::MissingRequest { pod, .. }) if names.contains(pod.as_str()))
    });
    // A later release leaves the pod out, but not its missing request.
    let until = if is_missing {
        String::new()
    } else {
        format!(" (up to {})", last_without(Switch::SucceededIgnored))
    };
    let foreign = trace.foreign_pods().iter();
    let is_stated = foreign
        .map(|pod| pod.name.as_str())
        .eq(names.iter().copied());
    let difference = if is_stated {
        String::new()
    } else {
        difference(trace, names.len(), without)
    };
    let message = format!(
        "{} Succeeded {pods} ({}) {verb} without a sample{until}{difference}",
        names.len(),
        few(&all),
    );
    let finding = Finding::new(Code::SucceededPods, message)
        .fact(
            format!("Pod/{first}"),
            "phase Succeeded, matches the selector, has no sample",
        )
        .advice(
            "give completed pods labels that the selector does not match, or delete them (their \
             logs are lost)",
        );
    let finding = selected_by(
        trace,
        finding,
        "--show-labels --field-selector=status.phase=Succeeded",
    );
    Some(reported(trace, without, finding))
}

/// `belong to Deployment/canary, not to Deployment/web`.
fn whose(pods: &[ForeignPod], target: &str) -> String {
    let owners = once(pods.iter().filter_map(|pod| pod.owner.as_deref()));
    let has_unowned = pods.iter().any(|pod| pod.owner.is_none());
    let some = some(&owners, 2);
    match (owners.is_empty(), pods.len()) {
        (true, 1) => format!("has no owner and does not belong to {target}"),
        (true, _) => format!("have no owner and do not belong to {target}"),
        (false, 1) => format!("belongs to {some}, not to {target}"),
        (false, _) if has_unowned => {
            format!("belong to {some} or have no owner, and are not of {target}")
        }
        (false, _) => format!("belong to {some}, not to {target}"),
    }
}

/// The bound that keeps the size above what is asked for.
fn below_min(trace: &Trace, replicas: i32) -> String {
    match trace.bounds.min_replicas {
        min if replicas < min => format!(" (minReplicas {min})"),
        _ => String::new(),
    }
}

/// What the metrics ask for without the pods, if that is something else.
fn difference(trace: &Trace, pods: usize, without: Option<i32>) -> String {
    let them = plural(pods, "it", "them");
    let recommended = trace.recommended();
    let Some(without) = without.filter(|_| without != recommended) else {
        return String::new();
    };
    let bound = below_min(trace, without);
    let instead_of = recommended.map_or_else(String::new, |it| format!(", not {it}"));
    format!("; without {them} the metrics ask for {without}{bound}{instead_of}")
}

/// Pods that change nothing are good to know only.
fn reported(trace: &Trace, without: Option<i32>, finding: Finding) -> Finding {
    finding.info_if(without.is_none() || without == trace.recommended())
}

/// What catches the pods, and the command that shows them.
fn selected_by(trace: &Trace, finding: Finding, flags: &'static str) -> Finding {
    let scale = trace.scale.as_ref();
    let Some(selector) = scale.and_then(|scale| scale.selector.as_deref()) else {
        return finding;
    };
    let command = trace.kubectl_pods("kubectl get pods").and(flags);
    finding
        .fact("scale.status.selector", selector)
        .look("list the selected pods with their labels", command)
}

/// The kinds that only ever run what their owner tells them to.
const RESIZED_BY_OWNER: [&str; 2] = ["ReplicaSet", "ReplicationController"];

/// The target is a part of something that sets its size.
pub(super) fn target_owned(case: &Case, trace: &Trace) -> Option<Finding> {
    let owner = case.snapshot.target.as_ref()?.controller()?;
    let (own, whole) = (
        trace.target_name(),
        format!("{}/{}", owner.kind, owner.name),
    );
    let is_resized = RESIZED_BY_OWNER.contains(&trace.target.kind.as_str());
    let sets = if is_resized { "sets" } else { "may set" };
    let message = format!("{own} belongs to {whole}, which {sets} its size");
    let fact = format!("controller: {whole}");
    let finding = Finding::new(Code::TargetOwned, message).fact("metadata.ownerReferences", fact);
    if !is_resized {
        let advice = format!(
            "remove replicas from {whole}, or make the HPA scale {whole} if it can be scaled"
        );
        return Some(finding.advice(advice).at_most(Severity::Info));
    }
    let says = format!("make the HPA scale {whole} instead");
    Some(match api_version(&owner.kind) {
        Some(api_version) => finding.patch(
            says,
            &json!({"spec": {"scaleTargetRef": {
                "apiVersion": api_version,
                "kind": owner.kind,
                "name": owner.name,
            }}}),
        ),
        None => finding.advice(says),
    })
}

/// An owner does not tell its version here; those of the usual ones are known.
fn api_version(kind: &str) -> Option<&'static str> {
    match kind {
        "Deployment" => Some("apps/v1"),
        "Rollout" => Some("argoproj.io/v1alpha1"),
        "DeploymentConfig" => Some("apps.openshift.io/v1"),
        _ => None,
    }
}
