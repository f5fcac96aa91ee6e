//! The controller of one HPA, pass after pass.

use jiff::Timestamp;

use crate::controller::prepared::Prepared;
use crate::controller::{
    Memory, MetricsError, Nanos, Reason, Recommendation, SECOND, Settings, reconcile_autoscaler,
};
use crate::snapshot::Snapshot;
use crate::trace::{FailedPasses, Nothing, SimulatedStep};

/// More different errors than these are not told apart.
const MOST_ERRORS: usize = 8;

/// Something of a simulated pass that is always the same: the moment at which
/// second 0 is.
pub(super) fn moment(start: Timestamp, second: i64) -> Nanos {
    start.as_nanosecond() + Nanos::from(second) * SECOND
}

/// The controller of one HPA, with what it remembers and what the HPA's
/// status carries from pass to pass.
#[derive(Debug)]
pub(super) struct Controller<'s> {
    /// What the next pass finds; the workload writes it.
    pub(super) prepared: Prepared<'s>,
    settings: &'s Settings,
    memory: Memory,
    scaling_limited: Option<Reason>,
    /// Why metrics failed.
    pub(super) failures: Vec<FailedPasses>,
    /// The size that the scale asks for.
    pub(super) replicas: i32,
}

impl<'s> Controller<'s> {
    /// A controller that has just started.
    pub(super) fn new(snapshot: &'s Snapshot, settings: &'s Settings, replicas: i32) -> Self {
        Self {
            prepared: Prepared::new(snapshot, settings),
            settings,
            memory: Memory::empty(),
            scaling_limited: None,
            failures: Vec::new(),
            replicas,
        }
    }

    /// Runs the pass of a second. All its readings of the clock are the same,
    /// that of the entry which the first pass seeds included.
    pub(super) fn pass(&mut self, second: i64, now: Nanos, demand: i64) -> SimulatedStep {
        let current = self.replicas;
        self.seed(now);
        if let Ok(scale) = &mut self.prepared.scale {
            scale.replicas = current;
        }
        let decision = reconcile_autoscaler(
            &self.prepared,
            self.settings,
            &mut self.memory,
            now,
            &mut Nothing,
        );
        let desired = decision.replicas.unwrap_or(current);
        self.scaling_limited = decision.scaling_limited.or(self.scaling_limited);
        self.prepared.scaled_to_zero = decision.scaled_to_zero;
        self.prepared.reported_current = current;
        self.prepared.reported_desired = desired;
        self.replicas = desired;
        if let Some(error) = &decision.metrics_error {
            self.note(error);
        }
        SimulatedStep {
            second,
            demand,
            current_replicas: current,
            recommendation: decision.recommendation.unwrap_or(-1),
            desired_replicas: desired,
            scaling_limited_reason: self.scaling_limited,
            held_by: decision.held_by,
            able_to_scale_reason: decision.able_to_scale.into(),
            metrics_failed: decision.metrics_error.is_some(),
            pods: None,
            serving: None,
        }
    }

    /// Counts an error; of many different ones, those beyond a few with the
    /// last of them.
    fn note(&mut self, error: &MetricsError) {
        let is_full = self.failures.len() >= MOST_ERRORS;
        let known = self.failures.iter().position(|it| it.error == error.text);
        let known = known.or_else(|| is_full.then_some(MOST_ERRORS - 1));
        match known.and_then(|at| self.failures.get_mut(at)) {
            Some(failed) => failed.passes = failed.passes.saturating_add(1),
            None => self.failures.push(FailedPasses {
                error: error.text.clone(),
                first: error.first.clone(),
                passes: 1,
            }),
        }
    }

    fn seed(&mut self, now: Nanos) {
        if let Some(recommendations) = &mut self.memory.recommendations
            && recommendations.is_empty()
        {
            recommendations.push(Recommendation {
                replicas: self.replicas,
                at: now,
            });
        }
    }
}
