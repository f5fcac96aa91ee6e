//! What somebody should know about an HPA: one file a family of findings, and in
//! `lint/` those of a manifest.
//!
//! Nothing here decides what the controller does. Where a finding needs to know
//! what would happen under other inputs, it runs the same
//! [`reconcile_once`](crate::controller::reconcile_once) on them.
//!
//! A finding is a function that reads the case and its trace, or one of its
//! metrics; its place in the lists below does not matter, for
//! [`Trace::conclude`] sorts them.

mod behavior;
mod beyond_a_bound;
mod bounds;
mod case;
mod containers;
mod controller;
mod failing;
mod following;
mod foreign;
mod keda;
mod lint;
mod metric_spec;
mod metrics_apis;
mod missing_request;
mod pods;
mod policies;
mod replica_sets;
mod samples;
mod shared_findings;
mod target;
mod tolerance;
mod utilization;
mod vertical;
mod words;
mod writers;

use crate::controller::{Memory, Prepared, Settings};
use crate::history::Observer;
use crate::trace::{Finding, MetricRecord, Trace};

pub(crate) use bounds::{at_limits, average_in_place_of_value, seems_idle};
pub(crate) use case::{Case, drop_pods, drop_samples, of_case};
pub(crate) use keda::BEHAVIOR;
pub(crate) use lint::of_spec;
pub use lint::{InFile, Lint, WholeInput, lint, review, unreadable};
pub(crate) use writers::owner;

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
    pods::crash_loop,
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
    beyond_a_bound::beyond_a_bound,
];

/// Everything that is found by a pass alone, in no order.
pub(crate) fn findings(case: &Case, trace: &Trace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in OF_MANY {
        check(case, trace, &mut findings);
    }
    for metric in &trace.metrics {
        let of_metric = OF_METRICS.iter();
        findings.extend(of_metric.filter_map(|check| check(case, trace, metric)));
    }
    findings.extend(OF_PASS.iter().filter_map(|check| check(case, trace)));
    findings
}

/// What is found in a pass of which nothing is remembered, causes first. What its
/// coming minutes bring takes long to tell, and is left out: no finding that shows
/// only while it lasts needs it.
pub(crate) fn found(prepared: &Prepared, settings: &Settings, trace: Trace) -> Vec<Finding> {
    let (memory, observer) = (Memory::default(), Observer::default());
    let all = |case: &Case, trace| findings(case, &trace);
    let mut found = of_case(
        prepared.snapshot,
        prepared,
        settings,
        &memory,
        trace,
        &observer,
        all,
    );
    found.sort_by_key(Finding::rank);
    found
}
