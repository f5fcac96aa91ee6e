//! What somebody should know about an HPA: one file a family of findings.
//!
//! A finding is a function that reads the case and its trace; the order of
//! the list below does not matter, for findings are sorted by
//! [`Finding::rank`].

mod behavior;
mod bounds;
mod container_metric;
mod containers;
mod controller;
mod dampened;
mod deleted;
mod failing;
mod fallback;
mod flapping;
mod following;
mod foreign;
mod initializing;
mod keda;
mod limits;
mod managers;
mod metric_spec;
mod metrics_apis;
mod missing_request;
mod negative;
mod of_spec;
mod old_samples;
mod one_hot_pod;
mod owners;
mod pods;
mod policies;
mod reach;
mod rollouts;
mod samples;
mod selector;
mod target;
mod tolerance;
mod utilization;
mod vertical;
mod window;
mod words;
mod writers;
mod wrong_container;
mod yaml;

pub(super) use writers::owner;

pub(super) use limits::at_limits;
pub(super) use reach::{average_in_place_of_value, seems_idle};

use crate::trace::{Finding, Trace};

use super::Case;

/// Looks for one thing, and adds what it finds.
type Check = fn(&Case, &Trace, &mut Vec<Finding>);

/// Everything that is looked for.
const CHECKS: &[Check] = &[
    bounds::at_max,
    bounds::at_min,
    dampened::dampened,
    foreign::foreign_pods,
    foreign::succeeded_pods,
    reach::memory_cannot_fall,
    reach::target_unreachable,
    reach::value_for_average,
    reach::idle_above_target,
    limits::target_above_limit,
    of_spec::of_spec,
    deleted::hpa_deleted,
    negative::negative_metric,
    target::no_scale,
    selector::missing,
    selector::ambiguous,
    behavior::disabled,
    behavior::empty,
    policies::limits,
    policies::period,
    policies::percent,
    policies::sudden_drop,
    window::holds,
    window::up_below_target,
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
    owners::target_owned,
    rollouts::rolling_update,
    vertical::vpa_conflict,
    writers::writers,
    missing_request::missing_request,
    missing_request::zero_request,
    metrics_apis::metrics_apis,
    metrics_apis::refused_to_controller,
    metric_spec::metric_spec_invalid,
    metric_spec::no_pods,
    metric_spec::metric_unreadable,
    wrong_container::wrong_container,
    samples::pods_without_sample,
    old_samples::stale_metrics,
    old_samples::frozen_status,
    pods::pods_pending,
    pods::readiness_collapse,
    pods::pods_ignored,
    pods::not_ready_counted,
    initializing::initializing_pods,
    initializing::never_ready,
    utilization::target_in_units,
    initializing::startup_burst,
    failing::failing_metrics,
    failing::misleading_message,
    failing::stale_conditions,
    fallback::ignored,
    one_hot_pod::one_hot_pod,
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
    findings.extend(flapping::flapping(case, trace, &findings));
    findings.sort_by_key(Finding::rank);
    findings
}
