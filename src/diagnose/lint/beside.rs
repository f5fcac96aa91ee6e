//! What else in the same input, or behind it, sets the size.

use crate::diagnose::alike;
use crate::manifest::{Manifest, ReplicasOf};
use crate::snapshot::{HpaSpec, scaled_object_of};
use crate::trace::{Code, Finding, kubectl_kind, shell_word};

use super::{Found, Lint, at};

/// An HPA that KEDA makes is written by KEDA.
pub(super) fn keda(lint: &Lint, _spec: &HpaSpec, findings: &mut Vec<Found>) {
    let metadata = &lint.manifest.metadata;
    let label = |key: &str| metadata.labels.get(key).map(String::as_str);
    let Some(name) = scaled_object_of(&metadata.owner_references, label) else {
        return;
    };
    let finding = Finding::new(
        Code::KedaOwned,
        format!("KEDA makes this HPA for ScaledObject {name} and overwrites what is changed here"),
    )
    .advice("change the ScaledObject: spec.advanced.horizontalPodAutoscalerConfig.behavior");
    findings.push(at("metadata", finding));
}

/// Two HPAs of one target block each other, from 1.26 on.
pub(super) fn same_target(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let target = &spec.scale_target_ref;
    let is_same = |other: &&&Manifest| {
        let theirs = &other.spec.scale_target_ref;
        let is_other = !std::ptr::eq::<Manifest>(**other, lint.manifest);
        is_other
            && other.metadata.namespace == lint.manifest.metadata.namespace
            && theirs.name == target.name
            && theirs.kind == target.kind
            && !target.name.is_empty()
    };
    let Some(other) = lint.autoscalers.iter().find(is_same) else {
        return;
    };
    let finding = if other.metadata.name == lint.manifest.metadata.name {
        Finding::new(
            Code::AmbiguousSelector,
            format!(
                "the HPA {} is given twice; the last one applied stays",
                other.metadata.name
            ),
        )
    } else {
        Finding::new(
            Code::AmbiguousSelector,
            format!(
                "HPA {} scales {} {}, too: from Kubernetes 1.26 on neither of them does",
                other.metadata.name, target.kind, target.name
            ),
        )
    };
    findings.push(at(
        "spec.scaleTargetRef",
        finding.advice("put the metrics of both into one HPA, where the largest count wins"),
    ));
}

/// A manifest that sets the size of what the HPA scales resets it with every
/// apply.
pub(super) fn sizes(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let target = &spec.scale_target_ref;
    let namespace = &lint.manifest.metadata.namespace;
    let is_target = |size: &&&ReplicasOf| {
        let group = |version: &str| version.split_once('/').map(|(group, _)| group.to_owned());
        size.kind == target.kind
            && size.name == target.name
            && (size.namespace == *namespace || size.namespace.is_empty() || namespace.is_empty())
            && (target.api_version.is_empty()
                || group(&size.api_version) == group(&target.api_version))
    };
    for size in lint.sizes.iter().filter(is_target) {
        findings.push(at("spec.scaleTargetRef", reset(size)));
    }
}

fn reset(size: &ReplicasOf) -> Finding {
    let (kind, name) = (&size.kind, &size.name);
    let target = format!("{}/{name}", kubectl_kind(kind, &size.api_version));
    let finding = Finding::new(
        Code::AppliedReplicas,
        format!(
            "{kind} {name} sets replicas {} (line {}): every apply resets the size to it",
            size.replicas, size.place.line
        ),
    );
    alike::stop_applying(finding, &shell_word(&target), &size.namespace)
        .advice("a chart leaves replicas out where an HPA is on")
}
