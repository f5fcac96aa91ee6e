//! A target that somebody else owns and resizes.

use crate::trace::{Code, Finding, Severity, Trace};

use super::{Case, yaml};

/// The kinds that only ever run what their owner tells them to.
const RESIZED_BY_OWNER: [&str; 2] = ["ReplicaSet", "ReplicationController"];

/// The target is a part of something that sets its size.
pub(super) fn target_owned(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let Some(owner) = case.snapshot.target.as_ref().and_then(|it| it.controller()) else {
        return;
    };
    let target = &trace.target;
    let (own, whole) = (
        trace.target_name(),
        format!("{}/{}", owner.kind, owner.name),
    );
    let is_resized = RESIZED_BY_OWNER.contains(&target.kind.as_str());
    let message = if is_resized {
        format!("{own} belongs to {whole}, which sets its size")
    } else {
        format!("{own} belongs to {whole}, which may set its size")
    };
    let fact = format!("controller: {whole}");
    let mut finding =
        Finding::new(Code::TargetOwned, message).fact("metadata.ownerReferences", fact);
    if !is_resized {
        let advice = format!("let {whole} leave replicas out, or scale it instead if it can");
        findings.push(finding.advice(advice).at_most(Severity::Info));
        return;
    }
    finding = match api_version(&owner.kind) {
        Some(api_version) => finding.patch(
            format!("scale {whole} instead: in the HPA"),
            format!(
                "spec:\n  scaleTargetRef:\n    apiVersion: {api_version}\n    kind: {}\n    name: {}",
                yaml::scalar(&owner.kind),
                yaml::scalar(&owner.name),
            ),
        ),
        None => finding.advice(format!("let the HPA scale {whole} instead")),
    };
    findings.push(finding);
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
