//! What else in the same input, or behind it, sets the size.

use crate::diagnose::alike;
use crate::diagnose::keda::BEHAVIOR;
use crate::manifest::{Manifest, ReplicasOf};
use crate::snapshot::{CrossVersionObjectReference, HpaSpec, scaled_object_of};
use crate::trace::{Code, Finding, Severity, kubectl_kind, shell_word};

use super::{Found, InFile, Lint, at};

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
    .advice(format!("change the ScaledObject: {BEHAVIOR}"));
    findings.push(at("metadata", finding));
}

/// The HPAs of the input that are not this one, in its namespace.
fn others<'a>(lint: &Lint<'a>) -> impl Iterator<Item = &'a InFile<'a, Manifest>> {
    let own = lint.manifest;
    let all = lint.autoscalers.iter();
    all.filter(move |other| {
        !std::ptr::eq(other.item, own) && other.item.metadata.namespace == own.metadata.namespace
    })
}

/// Of two HPAs of one name the one is applied over the other.
pub(super) fn same_name(lint: &Lint, _spec: &HpaSpec, findings: &mut Vec<Found>) {
    let name = &lint.manifest.metadata.name;
    let mut others = others(lint);
    let Some(other) = others.find(|it| it.item.metadata.name == *name && !name.is_empty()) else {
        return;
    };
    let place = lint.place(other.file, other.item.place_of("metadata.name"));
    let finding = Finding::new(
        Code::DuplicateName,
        format!("HPA {name} is given twice, also at {place}: the last one applied stays"),
    );
    let finding = finding.at_most(Severity::Warning);
    findings.push(at("metadata.name", finding.advice("keep one of them")));
}

/// Two HPAs of one target block each other, from 1.26 on.
pub(super) fn same_target(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let target = &spec.scale_target_ref;
    let is_same = |other: &&InFile<Manifest>| {
        let theirs = &other.item.spec.scale_target_ref;
        other.item.metadata.name != lint.manifest.metadata.name
            && theirs.is_same_target(target)
            && !target.name.is_empty()
    };
    let Some(other) = others(lint).find(is_same) else {
        return;
    };
    let finding = Finding::new(
        Code::AmbiguousSelector,
        format!(
            "HPA {} ({}) scales {} {}, too: from Kubernetes 1.26 on neither of them does",
            other.item.metadata.name,
            lint.place(other.file, other.item.node.place),
            target.kind,
            target.name
        ),
    );
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
    let is_target = |InFile { item: size, .. }: &&InFile<ReplicasOf>| {
        let sized = CrossVersionObjectReference {
            kind: size.kind.clone(),
            name: size.name.clone(),
            api_version: size.api_version.clone(),
        };
        sized.is_same_target(target)
            && (size.namespace == *namespace || size.namespace.is_empty() || namespace.is_empty())
    };
    for size in lint.sizes.iter().filter(is_target) {
        let place = lint.place(size.file, size.item.place);
        findings.push(at("spec.scaleTargetRef", reset(size.item, &place)));
    }
}

fn reset(size: &ReplicasOf, place: &str) -> Finding {
    let (kind, name) = (&size.kind, &size.name);
    let target = format!("{}/{name}", kubectl_kind(kind, &size.api_version));
    let finding = Finding::new(
        Code::AppliedReplicas,
        format!(
            "{kind} {name} sets replicas {} ({place}): every apply resets the size to it",
            size.replicas
        ),
    );
    alike::stop_applying(finding, &shell_word(&target), &size.namespace)
        .advice("a chart leaves replicas out where an HPA is on")
}
