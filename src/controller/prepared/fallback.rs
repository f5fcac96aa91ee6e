//! The fallback of an External metric, and what the status remembers of it
//! (KEP-5679). No release has it.

use super::nanos;
use crate::api::{
    Designed, ExternalMetricSource, ExternalMetricStatus, FALLBACK_ACTIVE, MetricKind, MetricStatus,
};
use crate::controller::settings::{FallbackGate, Settings};
use crate::controller::time::{Nanos, SECOND};
use crate::document::snapshot::Snapshot;

/// What an External metric asks for once it has failed for long enough, by
/// the design of KEP-5679.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// The size that it then asks for.
    pub replicas: i32,
    /// For how long it must have failed.
    pub failure_duration: Nanos,
    /// Since when it has failed without a break, as the status remembers it.
    pub first_failure: Option<Nanos>,
    /// Whether the last pass asked for these replicas.
    pub was_active: bool,
}

/// The fallback of a metric at its place in the spec; none where the gate is
/// off.
pub(super) fn prepare(
    snapshot: &Snapshot,
    settings: &Settings,
    index: usize,
    source: &ExternalMetricSource,
) -> Option<Fallback> {
    let gate = settings.gates.external_metric_fallback;
    let fallback = match source.fallback {
        Some(Designed::Fits(fallback)) if gate.is_on() => fallback,
        _ => return None,
    };
    let statuses = &snapshot.hpa.status.current_metrics;
    // With the gate off nobody kept the clock: it starts anew.
    let remembered = match gate {
        FallbackGate::TurnedOn => None,
        _ => remembered(statuses, index, source),
    };
    let first_failure = remembered.and_then(|status| status.first_failure_time);
    let status = remembered.and_then(|status| status.fallback_status.as_deref());
    Some(Fallback {
        replicas: fallback.replicas,
        failure_duration: Nanos::from(fallback.failure_seconds()) * SECOND,
        first_failure: first_failure.map(nanos),
        was_active: status == Some(FALLBACK_ACTIVE),
    })
}

/// The metric's entry of the status: the one at its own place, unless that is
/// another metric's; else the one of its name and selector.
fn remembered<'s>(
    statuses: &'s [MetricStatus],
    index: usize,
    source: &ExternalMetricSource,
) -> Option<&'s ExternalMetricStatus> {
    let external = |status: &'s MetricStatus| {
        let is_external = status.kind == MetricKind::External;
        status.external.as_ref().filter(|_| is_external)
    };
    let own = statuses.get(index).and_then(external);
    own.filter(|status| status.metric.name == source.metric.name)
        .or_else(|| {
            let mut all = statuses.iter().filter_map(external);
            all.find(|status| status.metric == source.metric)
        })
}
