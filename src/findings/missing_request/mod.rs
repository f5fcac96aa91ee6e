//! Requests that utilization is measured by, and that are not there.

mod own;
mod repair;

use crate::findings::Case;
use crate::findings::words::{each_once, selected};
use crate::trace::{Code, FailureCause, Finding, Severity, Trace};

use super::metrics_apis::worst;
use own::{Gap, gaps, in_foreign_pods, in_own_pods};

/// One container without a request fails the metric for all pods, also if its
/// pod is another workload's, or has long ended. All of them are told, not
/// only the one that the controller came to first.
pub(super) fn missing_request(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let gaps = gaps(case, trace);
    let (foreign, own): (Vec<&Gap>, Vec<&Gap>) = gaps.iter().partition(|gap| gap.foreign.is_some());
    let fails = trace
        .metrics
        .iter()
        .any(|metric| matches!(metric.cause(), Some(FailureCause::MissingRequest { .. })));
    let at_most = if fails {
        worst(trace)
    } else {
        Severity::Warning
    };
    if !own.is_empty() {
        findings.push(in_own_pods(case, trace, &own).at_most(at_most));
    }
    if !foreign.is_empty() {
        findings.push(in_foreign_pods(case, trace, &foreign).at_most(at_most));
    }
}

/// Pods that count request nothing at all, which is a request, too.
pub(super) fn zero_request(_case: &Case, trace: &Trace) -> Option<Finding> {
    let zero = trace
        .metrics
        .iter()
        .filter(|metric| metric.cause() == Some(&FailureCause::NoReadyPodWithRequest));
    let names = each_once(zero.map(|metric| metric.source.name.as_str()));
    if names.is_empty() {
        return None;
    }
    let message =
        format!("all counted pods request 0 {names}, so the utilization cannot be computed");
    let command = format!("kubectl describe pods {}", selected(trace));
    Some(
        Finding::new(Code::MissingRequest, message)
            .look("see the requests of each container", command),
    )
}
