//! The HPA controller's algorithm: pure, one file a stage, in the
//! controller's order and with its names.
//!
//! # Layout
//!
//! In the order in which a pass runs through them:
//!
//! * `release` and `settings`: which rules and which numbers apply
//! * `prepared`: the inputs as integers, made once
//! * `reconcile_autoscaler`: the pass from the scale to the decision
//! * `validate_and_parse_selector`: whether the pods can be told at all
//! * `compute_replicas_for_metrics`: the largest of the proposals
//! * `compute_replicas_for_metric`: one metric, by type
//! * `replica_calculator`: from measurements to a count
//! * `external_metric_fallback`: a design that no release has, behind its gate
//! * `normalize`: window, policies and bounds, on the `memory`
//! * `what_if`: the same rules, asked again under another load or spec
//!
//! Nothing here does I/O, reads a clock or depends on the order of a hash
//! map: the same snapshot, settings and moment give the same trace.

mod compute_replicas_for_metric;
mod compute_replicas_for_metrics;
mod conditions;
mod external_metric_fallback;
mod go;
mod memory;
mod normalize;
pub mod prepared;
mod reconcile;
mod reconcile_autoscaler;
mod release;
mod replica_calculator;
mod settings;
mod time;
mod validate_and_parse_selector;
mod what_if;

pub use compute_replicas_for_metrics::MetricsError;
pub use conditions::Reason;
pub use memory::{Account, BEYOND, Bounded, Memory, NextPass, Recommendation, ScaleEvent};
pub use prepared::{Prepared, missing_requests, pod_request, selected_pods};
pub use reconcile::{MOST_PODS_EXPLAINED, reconcile, reconcile_once, reconcile_prepared};
pub use reconcile_autoscaler::{
    Decision, comes_back_from_zero, is_disabled_at, reconcile_autoscaler,
};
pub use release::{Evidence, Release, Switch};
pub use replica_calculator::Tolerances;
pub use settings::{
    FALLBACK_DESIGN, FALLBACK_GATE, FallbackGate, GATES, Gates, Overrides, Settings,
};
pub use time::{Nanos, SECOND, timestamp, whole_seconds};
pub use what_if::{MetricProposal, Open, Trial, WhatIf, counting, decision, tolerated};
