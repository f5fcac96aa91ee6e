//! What is found on a side: of its pass, and of its spec alone.

use crate::api::HpaSpec;
use crate::controller::Settings;
use crate::diagnose::lint::of_spec;
use crate::trace::{Code, Finding};

/// Adds what the spec alone tells, with the codes that `lint` has for it. What
/// the pass tells of the same code has its numbers, and stands for both.
pub(super) fn with_spec(findings: &mut Vec<Finding>, spec: &HpaSpec, settings: &Settings) {
    let mut spec = spec.clone();
    spec.set_defaults();
    let found = of_spec(&spec, settings.sync_period_seconds())
        .into_iter()
        .map(|(_, finding)| finding);
    let told: Vec<Code> = findings.iter().map(|it| it.code).collect();
    findings.extend(found.filter(|it| !told.contains(&it.code)));
    findings.sort_by_key(Finding::rank);
}

/// Leaves out what cannot have befallen an HPA that does not exist yet: that
/// nothing is remembered of it is no restart.
pub(super) fn without_past(findings: &mut Vec<Finding>) {
    findings.retain(|it| it.code != Code::ControllerRestarted);
}
