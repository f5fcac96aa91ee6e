//! A snapshot goes in, a trace comes out.

use jiff::Timestamp;

use super::{Decision, Memory, Nanos, Prepared, Settings, reconcile_autoscaler, timestamp};
use crate::document::snapshot::Snapshot;
use crate::trace::{
    Bounds, Knowledge, Outcome, Reported, SCHEMA_VERSION, ThisPass, Trace, Verdict,
};

/// Re-runs one pass of the controller on a snapshot, at `now`, and says what
/// it did and why.
pub fn reconcile(snapshot: &Snapshot, settings: &Settings, now: Timestamp) -> Trace {
    let mut memory = Memory::new(snapshot.history.as_ref());
    let prepared = Prepared::new(snapshot, settings);
    reconcile_prepared(&prepared, settings, &mut memory, now.as_nanosecond()).0
}

/// The same of a pass whose next ones nobody asks for: its trace has no outlook,
/// which takes longer than the pass where much is unknown.
pub fn reconcile_once(
    prepared: &Prepared,
    settings: &Settings,
    mut memory: Memory,
    now: Timestamp,
) -> Trace {
    let mut trace = begin(prepared, settings, memory.knowledge(), now);
    let (recorder, now) = (&mut ThisPass(&mut trace), now.as_nanosecond());
    reconcile_autoscaler(prepared, settings, &mut memory, now, recorder);
    trace.verdict = Verdict::of(&trace);
    trace
}

/// A pass of more pods is not explained where many are: its record takes megabytes.
pub const MOST_PODS_EXPLAINED: usize = 5_000;

/// The same of a pass that finds something else than a snapshot has, with what it decided.
pub fn reconcile_prepared(
    prepared: &Prepared,
    settings: &Settings,
    memory: &mut Memory,
    now: Nanos,
) -> (Trace, Decision) {
    let mut trace = begin(prepared, settings, memory.knowledge(), timestamp(now));
    let decision = reconcile_autoscaler(prepared, settings, memory, now, &mut trace);
    trace.verdict = Verdict::of(&trace);
    (trace, decision)
}

/// The trace of a pass that has done nothing yet.
fn begin(prepared: &Prepared, settings: &Settings, remembered: Knowledge, now: Timestamp) -> Trace {
    let hpa = &prepared.snapshot.hpa;
    let status = &hpa.status;
    let reported = Reported {
        current_replicas: prepared.reported_current,
        desired_replicas: prepared.reported_desired,
        last_scale_time: status.last_scale_time,
        conditions: status.conditions.clone(),
    };
    Trace {
        schema_version: SCHEMA_VERSION,
        namespace: hpa.metadata.namespace.to_string(),
        name: hpa.metadata.name.to_string(),
        target: hpa.spec.scale_target_ref.clone(),
        at: now,
        basis: settings.basis().clone(),
        bounds: Bounds {
            min_replicas: prepared.spec.min,
            max_replicas: prepared.spec.max,
        },
        conditions: reported.conditions.clone(),
        reported,
        metrics: Vec::with_capacity(prepared.metrics.len()),
        outcome: Outcome::undecided(prepared.reported_current, None),
        remembered,
        ..Trace::default()
    }
}
