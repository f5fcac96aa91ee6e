//! What the spec alone tells, as `lint` does for a manifest.

use crate::diagnose::Case;
use crate::diagnose::lint;
use crate::trace::{Code, Finding, Trace};

/// What nothing else that is found in a pass tells, with more to go by.
const CODES: [Code; 3] = [Code::FixedSize, Code::MetricTwice, Code::ShortPeriod];

/// The bounds, the metrics and the periods of the spec, for this controller.
pub(super) fn of_spec(case: &Case, _trace: &Trace, findings: &mut Vec<Finding>) {
    let mut spec = case.snapshot.horizontal_pod_autoscaler.spec.clone();
    spec.set_defaults();
    let found = lint::of_spec(&spec, case.settings.sync_period_seconds());
    let found = found.into_iter().map(|(_, finding)| finding);
    findings.extend(found.filter(|finding| CODES.contains(&finding.code)));
}
