//! What else in the same input, or behind it, sets the size.

use std::collections::BTreeSet;

use super::metrics::{Held, percents};
use super::{Found, InFile, Lint, at};
use crate::api::{HpaSpec, scaled_object_of};
use crate::document::manifest::{Manifest, Neighbor, Scaler};
use crate::findings::keda::BEHAVIOR;
use crate::findings::shared_findings;
use crate::trace::{Code, Finding, kubectl_kind};

/// Of more objects that do the same to one target, the rest is not told.
const MOST_SIMILAR: usize = 3;

/// An HPA that KEDA makes is written by KEDA.
pub(super) fn keda(lint: &Lint, _spec: &HpaSpec, findings: &mut Vec<Found>) {
    let metadata = &lint.manifest.metadata;
    let label = |key: &str| metadata.labels.get(key).map(String::as_str);
    let Some(name) = scaled_object_of(&metadata.owner_references, label) else {
        return;
    };
    let message =
        format!("KEDA creates this HPA for ScaledObject {name} and overwrites changes made here");
    let finding = Finding::new(Code::KedaOwned, message)
        .advice(format!("change the ScaledObject instead: {BEHAVIOR}"));
    findings.push(at("metadata", finding));
}

/// Of two HPAs of one name the one is applied over the other.
pub(super) fn same_name(lint: &Lint, _spec: &HpaSpec, findings: &mut Vec<Found>) {
    let name = &lint.manifest.metadata.name;
    let namespace = lint.manifest.metadata.namespace.as_str();
    let others = lint.input.by_name.get(&(namespace, name.as_str()));
    let mut others = others.into_iter().flatten();
    let is_other = |it: &&&InFile<Manifest>| !std::ptr::eq(it.item, lint.manifest);
    let Some(other) = others.find(is_other).filter(|_| !name.is_empty()) else {
        return;
    };
    let place = lint.place(other.file, other.item.place_of(&"metadata.name".into()));
    let message =
        format!("HPA {name} is defined twice, also at {place}; the last one that is applied wins");
    let finding = Finding::new(Code::DuplicateName, message);
    findings.push(at("metadata.name", finding.advice("keep one of them")));
}

/// Two HPAs of one target block each other, from 1.26 on.
pub(super) fn same_target(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let target = &spec.scale_target_ref;
    let namespace = lint.manifest.metadata.namespace.as_str();
    let others = lint.input.by_target.get(&(namespace, target.name.as_str()));
    let is_same = |other: &&&InFile<Manifest>| {
        let theirs = &other.item.spec.scale_target_ref;
        other.item.metadata.name != lint.manifest.metadata.name
            && theirs.is_same_target(target)
            && !target.name.is_empty()
    };
    let Some(other) = others.into_iter().flatten().find(is_same) else {
        return;
    };
    let message = format!(
        "HPA {} ({}) also scales {} {}; from Kubernetes 1.26 on, neither HPA scales",
        other.item.metadata.name,
        lint.place(other.file, other.item.node.place),
        target.kind,
        target.name
    );
    let finding = Finding::new(Code::AmbiguousSelector, message);
    let field = "spec.scaleTargetRef";
    let finding =
        finding.advice("merge the metrics of both into one HPA (the highest proposal counts)");
    findings.push(at(field, finding));
}

/// The objects of the input that the HPA scales: more than one where the input
/// holds several versions of it.
pub(super) fn targets<'a>(
    lint: &Lint<'a>,
    spec: &HpaSpec,
) -> impl Iterator<Item = &'a InFile<'a, Neighbor>> {
    let target = &spec.scale_target_ref;
    let of_name = lint.input.objects.of(&target.name, lint);
    of_name.filter(move |it| it.item.object.is_same_target(target))
}

/// What may set the size or the requests of what the HPA scales.
fn scalers<'a>(lint: &Lint<'a>, spec: &HpaSpec) -> impl Iterator<Item = &'a InFile<'a, Neighbor>> {
    let name = &spec.scale_target_ref.name;
    lint.input.scalers.of(name, lint)
}

/// A manifest that sets the size of what the HPA scales resets it with every
/// apply.
pub(super) fn sizes(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let sizes = targets(lint, spec).filter_map(|it| Some((it, it.item.replicas.as_ref()?)));
    for (InFile { file, item }, (replicas, place)) in sizes.take(MOST_SIMILAR) {
        let place = lint.place(file, *place);
        findings.push(at("spec.scaleTargetRef", reset(item, replicas, &place)));
    }
}

fn reset(size: &Neighbor, replicas: &str, place: &str) -> Finding {
    let (kind, name) = (&size.object.kind, &size.object.name);
    let target = format!("{}/{name}", kubectl_kind(kind, &size.object.api_version));
    let message = format!(
        "{kind} {name} sets replicas {replicas} ({place}), so every apply resets the size to {replicas}"
    );
    let finding = Finding::new(Code::AppliedReplicas, message);
    shared_findings::stop_applying(finding, &target, &size.namespace)
        .advice("omit replicas in a chart while the HPA is enabled")
}

/// KEDA makes an HPA of its own for the same target.
pub(super) fn scaled_object(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let metadata = &lint.manifest.metadata;
    let label = |key: &str| metadata.labels.get(key).map(String::as_str);
    let own = scaled_object_of(&metadata.owner_references, label);
    let others = scalers(lint, spec).filter_map(|it| {
        let Some(Scaler::ScaledObject {
            target,
            takes_over,
            is_paused,
        }) = &it.item.scaler
        else {
            return None;
        };
        // KEDA made this one, or makes it its own.
        let is_of_it = own == Some(it.item.object.name.as_str())
            || takes_over.as_ref() == Some(&metadata.name);
        let is_other = !is_of_it && !*is_paused && target.is_same_target(&spec.scale_target_ref);
        is_other.then_some((it, target))
    });
    for (InFile { file, item }, target) in others.take(MOST_SIMILAR) {
        let name = &item.object.name;
        let message = format!(
            "ScaledObject {name} ({}) also scales {} {} with an HPA that KEDA creates; from \
             Kubernetes 1.26 on, neither HPA scales",
            lint.place(file, item.place),
            target.kind,
            target.name
        );
        let finding = Finding::new(Code::AmbiguousSelector, message);
        let finding = finding
            .advice("keep one of the two: a trigger of type cpu or memory does what this HPA does")
            .advice(format!(
                "let KEDA take over this HPA instead: scaledobject.keda.sh/transfer-hpa-ownership: \
                 \"true\", and {} as spec.advanced.horizontalPodAutoscalerConfig.name",
                metadata.name
            ));
        findings.push(at("spec.scaleTargetRef", finding));
    }
}

/// A `VerticalPodAutoscaler` sets the requests that targets are percentages of.
pub(super) fn vertical(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let all = scalers(lint, spec).filter_map(|it| match &it.item.scaler {
        Some(Scaler::Vertical(vpa)) if vpa.changes(&spec.scale_target_ref) => Some((it, vpa)),
        _ => None,
    });
    for (InFile { file, item }, vpa) in all.take(MOST_SIMILAR) {
        let pods = targets(lint, spec).find_map(|it| it.item.pods.as_ref());
        let set = |metric: &Held| match (metric.container, pods) {
            (Some(container), _) => vpa.controls(container, metric.resource),
            (None, Some(pods)) => {
                let mut containers = pods.containers.iter();
                containers.any(|it| vpa.controls(&it.name, metric.resource))
            }
            (None, None) => vpa.controls("*", metric.resource),
        };
        let metrics = percents(spec).filter(|(metric, _)| set(metric));
        let metrics: Vec<(Held, i32)> = metrics.collect();
        let Some((first, _)) = metrics.first() else {
            continue;
        };
        let resources: BTreeSet<&str> = metrics.iter().map(|(it, _)| it.resource).collect();
        let resources: Vec<&str> = resources.into_iter().collect();
        let finding = shared_findings::vpa_conflict(vpa, &resources);
        let finding = finding.facts(metrics.iter().map(|(metric, percent)| {
            let says = format!("{} at {percent}% of the request", metric.resource);
            (&metric.field, says)
        }));
        let finding = finding.fact("the VerticalPodAutoscaler", lint.place(file, item.place));
        let finding = shared_findings::vpa_remedies(finding, vpa, &resources);
        findings.push(at(first.field.clone(), finding));
    }
}
