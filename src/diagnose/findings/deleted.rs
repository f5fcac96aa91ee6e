//! An HPA that is on its way out.

use crate::diagnose::Case;
use crate::trace::{Code, Finding, Trace, shell_word};

use super::words::apart;

/// Something holds an HPA that somebody deleted; the controller does not mind.
pub(super) fn hpa_deleted(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let metadata = &case.snapshot.horizontal_pod_autoscaler.metadata;
    let Some(at) = metadata.deletion_timestamp else {
        return;
    };
    let message = format!(
        "the HPA was deleted {} ago: it works until its finalizers let it go, and then nothing \
         changes the size",
        apart(trace, at)
    );
    let command = format!(
        "kubectl get hpa {} {} -o {}",
        shell_word(&trace.name),
        trace.namespace_argument(),
        shell_word("jsonpath={.metadata.finalizers}")
    );
    findings.push(
        Finding::new(Code::HpaDeleted, message)
            .fact("metadata.deletionTimestamp", at.to_string())
            .command(
                "shows what holds it; nothing shown: it is gone already",
                command,
            ),
    );
}
