//! `minReplicas` and `maxReplicas`.

use crate::api::HpaSpec;
use crate::trace::{Code, Finding};

use super::{Found, Lint, at};

/// Equal bounds leave the HPA nothing to do.
pub(super) fn fixed_size(spec: &HpaSpec, findings: &mut Vec<Found>) {
    let max = spec.max_replicas;
    if spec.min_replicas != Some(max) || max < 1 {
        return;
    }
    let finding = Finding::new(
        Code::FixedSize,
        format!("minReplicas and maxReplicas are both {max}: the size cannot change"),
    );
    findings.push(at(
        "spec.maxReplicas",
        finding.advice("raise maxReplicas, or set replicas in the target and leave the HPA out"),
    ));
}

/// Where the API server refuses 0 because of a gate, the gate is the cause.
pub(super) fn scale_to_zero(lint: &Lint, spec: &HpaSpec, findings: &mut Vec<Found>) {
    if spec.min_replicas != Some(0) || lint.rules.scale_to_zero {
        return;
    }
    let finding = Finding::new(
        Code::ScaleToZeroOff,
        format!(
            "minReplicas 0 needs the feature gate HPAScaleToZero, which {} has off by default",
            lint.rules.release
        ),
    )
    .advice(
        "switch the gate on in kube-apiserver and kube-controller-manager, use KEDA, or set \
         minReplicas 1",
    )
    .advice("with the gate on: lint --feature-gates HPAScaleToZero=true");
    findings.push(at("spec.minReplicas", finding));
}
