//! A rolling update of the target: more pods than its size.

use crate::trace::{Code, Finding, Trace};

use super::Case;

/// Pods of the old and of the new template are there at the same time.
pub(super) fn rolling_update(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let Some(target) = &case.snapshot.target else {
        return;
    };
    let (Some(all), Some(updated)) = (target.status.replicas, target.status.updated_replicas)
    else {
        return;
    };
    if updated >= all {
        return;
    }
    let name = trace.target_name();
    let size = target.spec.replicas.unwrap_or(1);
    let mut message = format!("{name} is rolling out: {updated} of {all} pods are updated");
    if all > size {
        message = format!(
            "{message}, {} more than its size {size}",
            i64::from(all) - i64::from(size)
        );
    }
    let mut finding = Finding::new(Code::RollingUpdate, message)
        .fact("status.replicas", all.to_string())
        .fact("status.updatedReplicas", updated.to_string());
    if target.spec.paused == Some(true) {
        finding = finding.fact("spec.paused", "true");
    }
    let (argument, namespace) = (trace.target_argument(), trace.namespace_argument());
    findings.push(match trace.target.kind.as_str() {
        "Deployment" | "StatefulSet" => finding.command(
            "see how far it is",
            format!("kubectl rollout status {argument} {namespace} --watch=false"),
        ),
        _ => finding.command(
            "see how far it is",
            format!("kubectl get {argument} {namespace} -o yaml"),
        ),
    });
}
