//! What somebody should know about an HPA: one file a family of findings.
//!
//! A finding is a function that reads the case and its trace, or one of its
//! metrics; its place in the lists below does not matter, for findings are
//! sorted by [`Finding::rank`].

mod asked;
mod behavior;
mod bounds;
mod containers;
mod controller;
mod crash_loop;
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
mod replica_sets;
mod samples;
mod target;
mod tolerance;
mod utilization;
mod vertical;
mod words;
mod writers;

pub(super) use writers::owner;

pub(super) use bounds::{at_limits, average_in_place_of_value, seems_idle};

use crate::trace::{Finding, MetricRecord, Trace};

use super::Case;

/// Looks for one thing in a pass.
type Check = fn(&Case, &Trace) -> Option<Finding>;

/// Looks for one thing in each metric.
type MetricCheck = fn(&Case, &Trace, &MetricRecord) -> Option<Finding>;

/// Adds everything of a kind that it finds.
type ManyCheck = fn(&Case, &Trace, &mut Vec<Finding>);

/// What is looked for in a pass.
const OF_PASS: &[Check] = &[
    bounds::at_max,
    bounds::at_min,
    behavior::dampened,
    foreign::foreign_pods,
    foreign::succeeded_pods,
    bounds::memory_cannot_fall,
    bounds::target_unreachable,
    bounds::value_for_average,
    bounds::idle_above_target,
    target::hpa_deleted,
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
    crash_loop::crash_loop,
    following::lags,
    following::surge,
    keda::keda_fallback,
    keda::keda_owned,
    keda::keda_paused,
    foreign::target_owned,
    following::rolling_update,
    missing_request::zero_request,
    metrics_apis::refused_to_controller,
    metric_spec::no_pods,
    metric_spec::metric_unreadable,
    pods::pods_pending,
    pods::pods_ignored,
    pods::not_ready_counted,
    pods::initializing_pods,
    pods::never_ready,
    failing::failing_metrics,
    failing::misleading_message,
    failing::stale_conditions,
    keda::ignored,
    samples::one_hot_pod,
    replica_sets::hot,
    replica_sets::uneven,
    utilization::small_request,
];

/// What is looked for in each metric.
const OF_METRICS: &[MetricCheck] = &[
    bounds::target_above_limit,
    metric_spec::negative_metric,
    metric_spec::metric_spec_invalid,
    samples::frozen_status,
    pods::readiness_collapse,
    utilization::target_in_units,
    pods::startup_burst,
    containers::hot_container,
];

/// What there can be several of.
const OF_MANY: &[ManyCheck] = &[
    metric_spec::of_spec,
    vertical::vpa_conflict,
    writers::writers,
    missing_request::missing_request,
    metrics_apis::metrics_apis,
    containers::wrong_container,
    samples::pods_without_sample,
    samples::stale_metrics,
    containers::sidecar_request_ignored,
    asked::beyond_a_bound,
];

/// Everything that is found, causes first.
pub(super) fn findings(case: &Case, trace: &Trace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in OF_MANY {
        check(case, trace, &mut findings);
    }
    for metric in &trace.metrics {
        let of_metric = OF_METRICS.iter();
        findings.extend(of_metric.filter_map(|check| check(case, trace, metric)));
    }
    findings.extend(OF_PASS.iter().filter_map(|check| check(case, trace)));
    // It looks at the others for the reason.
    findings.extend(following::flapping(case, trace, &findings));
    findings.sort_by_key(Finding::rank);
    findings
}
