//! What the spec alone tells, as `lint` does for a manifest.

use crate::diagnose::Case;
use crate::diagnose::lint;
use crate::trace::{Code, CodeKind, Finding, Origin, Severity, Trace};

use super::words::setting;

/// The bounds, the metrics and the periods of the spec, for this controller.
pub(super) fn of_spec(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let mut spec = case.snapshot.horizontal_pod_autoscaler.spec.clone();
    spec.set_defaults();
    let found = lint::of_spec(&spec, case.settings.sync_period_seconds());
    let found = found.into_iter().map(|(_, finding)| finding);
    let flag = setting(trace, "--horizontal-pod-autoscaler-sync-period");
    let is_assumed = flag.is_none_or(|flag| flag.origin == Origin::Assumed);
    for finding in found.filter(|finding| finding.code.is(CodeKind::OfSpec)) {
        // Nobody has seen how often this controller looks.
        findings.push(if finding.code == Code::ShortPeriod && is_assumed {
            finding.at_most(Severity::Info)
        } else {
            finding
        });
    }
}
