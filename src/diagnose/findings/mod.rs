//! What somebody should know about an HPA: one file a family of findings.
//!
//! A finding is a function that reads the case and its trace; the order of
//! the list below does not matter, for findings are sorted by
//! [`Finding::rank`].

mod bounds;
mod keda;
mod kubectl;
mod managers;
mod owners;
mod rollouts;
mod vertical;
mod writers;

use crate::trace::{Finding, Trace};

use super::Case;

/// Looks for one thing, and adds what it finds.
type Check = fn(&Case, &Trace, &mut Vec<Finding>);

/// Everything that is looked for.
const CHECKS: &[Check] = &[
    bounds::at_max,
    bounds::at_min,
    keda::keda_fallback,
    keda::keda_owned,
    keda::keda_paused,
    owners::target_owned,
    rollouts::rolling_update,
    vertical::vpa_conflict,
    writers::writers,
];

/// Everything that is found, causes first.
pub(super) fn findings(case: &Case, trace: &Trace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in CHECKS {
        check(case, trace, &mut findings);
    }
    findings.sort_by_key(Finding::rank);
    findings
}
