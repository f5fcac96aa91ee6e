//! What somebody should know about an HPA: one file a family of findings.
//!
//! A finding is a function that reads the case and its trace; the order of
//! the list below does not matter, for findings are sorted by
//! [`Finding::rank`].

mod behavior;
mod bounds;
mod containers;
mod controller;
mod failing;
mod following;
mod foreign;
mod keda;
mod managers;
mod metric_spec;
mod metrics_apis;
mod missing_request;
mod pods;
mod policies;
mod samples;
mod target;
mod tolerance;
mod utilization;
mod vertical;
mod words;
mod writers;

pub(super) use writers::owner;

pub(super) use bounds::{at_limits, average_in_place_of_value, seems_idle};

use crate::trace::{Finding, Trace};

use super::Case;

/// Looks for one thing, and adds what it finds.
type Check = fn(&Case, &Trace, &mut Vec<Finding>);

/// Everything that is looked for.
const CHECKS: &[Check] = &[
    bounds::at_max,
    bounds::at_min,
    behavior::dampened,
    foreign::foreign_pods,
    foreign::succeeded_pods,
    bounds::memory_cannot_fall,
    bounds::target_unreachable,
    bounds::value_for_average,
    bounds::idle_above_target,
    bounds::target_above_limit,
    metric_spec::of_spec,
    target::hpa_deleted,
    metric_spec::negative_metric,
    target::no_scale,
    target::missing,
    target::ambiguous,
    behavior::disabled,
    behavior::empty,
    policies::limits,
    policies::period,
    policies::percent,
    policies::sudden_drop,
    behavior::holds,
    behavior::up_below_target,
    tolerance::within,
    tolerance::rounded_up,
    bounds::out_of_bounds,
    bounds::paused,
    controller::restarted,
    controller::late,
    following::lags,
    following::surge,
    keda::keda_fallback,
    keda::keda_owned,
    keda::keda_paused,
    foreign::target_owned,
    following::rolling_update,
    vertical::vpa_conflict,
    writers::writers,
    missing_request::missing_request,
    missing_request::zero_request,
    metrics_apis::metrics_apis,
    metrics_apis::refused_to_controller,
    metric_spec::metric_spec_invalid,
    metric_spec::no_pods,
    metric_spec::metric_unreadable,
    containers::wrong_container,
    samples::pods_without_sample,
    samples::stale_metrics,
    samples::frozen_status,
    pods::pods_pending,
    pods::readiness_collapse,
    pods::pods_ignored,
    pods::not_ready_counted,
    pods::initializing_pods,
    pods::never_ready,
    utilization::target_in_units,
    pods::startup_burst,
    failing::failing_metrics,
    failing::misleading_message,
    failing::stale_conditions,
    keda::ignored,
    samples::one_hot_pod,
    containers::hot_container,
    containers::sidecar_request_ignored,
];

/// Everything that is found, causes first.
pub(super) fn findings(case: &Case, trace: &Trace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in CHECKS {
        check(case, trace, &mut findings);
    }
    // It looks at the others for the reason.
    findings.extend(following::flapping(case, trace, &findings));
    findings.sort_by_key(Finding::rank);
    findings
}
