//! What the HPA scales: its kind, whether it is there, and between which bounds.

use super::neighbors::targets;
use super::{Found, InFile, Lint, at};
use crate::api::HpaSpec;
use crate::document::manifest::Neighbor;
use crate::document::nearest;
use crate::findings::target::of_built_in;
use crate::trace::amount::plural;
use crate::trace::{Code, Finding, Severity};

/// A kind that nothing serves, or that has no size.
pub(super) fn kind(_lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    if let Some(finding) = of_built_in(&spec.scale_target_ref) {
        let field = match finding.code {
            Code::TargetUnknownKind if spec.scale_target_ref.api_version.is_empty() => {
                "spec.scaleTargetRef"
            }
            _ => "spec.scaleTargetRef.kind",
        };
        findings.push(at(field, finding));
    }
}

/// Of more names it takes too long to find the nearest one.
const MOST_COMPARED: usize = 500;

/// The target is not in the input, though others of its namespace are. What
/// is near it was probably meant; without that, it may come from elsewhere.
pub(super) fn absent(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    let target = &spec.scale_target_ref;
    let is_there = targets(lint, spec).next().is_some();
    if is_there || target.name.is_empty() || of_built_in(target).is_some() {
        return;
    }
    let namesakes = lint.input.objects.of(&target.name, lint);
    // Another kind of this name, with pods to scale.
    let namesakes = namesakes.filter(|it| it.item.pods.is_some());
    let of_kind = lint.input.kinds.of(&target.kind, lint);
    let of_kind = of_kind.filter(|it| it.item.object.is_same_kind(target));
    let others: Vec<&InFile<Neighbor>> = namesakes.take(1).chain(of_kind).collect();
    let near = others.iter().take(MOST_COMPARED);
    let names: Vec<&str> = near.map(|it| it.item.object.name.as_str()).collect();
    let near = nearest(&target.name, &names);
    let near = near.and_then(|near| others.iter().find(|it| it.item.object.name == near));
    let (says, severity) = match (near, others.as_slice()) {
        (_, []) => return,
        (Some(near), _) => {
            let place = lint.place(near.file, near.item.place);
            let (kind, name) = (&near.item.object.kind, &near.item.object.name);
            (
                format!("; did you mean {kind} {name} ({place})?"),
                Severity::Error,
            )
        }
        (None, others) => (
            format!(
                ", which has {} {} of its kind",
                others.len(),
                plural(others.len(), "other object", "other objects")
            ),
            Severity::Info,
        ),
    };
    let message = format!(
        "{} {} is not among the manifests of its namespace{says}",
        target.kind, target.name
    );
    let finding = Finding::new(Code::TargetNotFound, message);
    let advice =
        "add the manifest of the target, or fix the name if nothing else creates the target";
    let finding = finding.at_most(severity).advice(advice);
    findings.push(at("spec.scaleTargetRef.name", finding));
}

/// Equal bounds leave the HPA nothing to do.
pub(super) fn fixed_size(spec: &HpaSpec, findings: &mut Vec<Found>) {
    let max = spec.max_replicas;
    if spec.min_replicas != Some(max) || max < 1 {
        return;
    }
    let message = format!("minReplicas and maxReplicas are both {max}, so the size cannot change");
    let finding = Finding::new(Code::FixedSize, message);
    let field = "spec.maxReplicas";
    let finding =
        finding.advice("raise maxReplicas, or set replicas in the target and remove the HPA");
    findings.push(at(field, finding));
}

/// Where the API server refuses 0 because of a gate, the gate is the cause.
pub(super) fn scale_to_zero(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    if spec.min_replicas != Some(0) || lint.rules.scale_to_zero {
        return;
    }
    let message = format!(
        "minReplicas 0 needs feature gate HPAScaleToZero, which is off by default in {}",
        lint.rules.release
    );
    let finding = Finding::new(Code::ScaleToZeroOff, message)
        .advice(
            "enable the gate in kube-apiserver and kube-controller-manager, use KEDA, or set \
         minReplicas 1",
        )
        .advice("use lint --feature-gates HPAScaleToZero=true if the gate is on");
    findings.push(at("spec.minReplicas", finding));
}
