//! What came of a simulation.

use crate::api::{Direction, HpaSpec, MetricSpec};
use crate::controller::prepared::Spec;
use crate::controller::{Settings, Tolerances};
use crate::trace::{Scores, SimulatedStep};

use super::compare::target_of_a_pod;

/// What a pod is meant to carry, in thousandths of the metric's unit.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    pub(super) at_target: i64,
    /// At the upper edge of the tolerance.
    pub(super) at_most: i64,
    /// The fewest pods that the HPA may keep.
    pub(super) min_replicas: i32,
}

impl Capacity {
    /// What a pod is meant to carry under a spec; unknown of a value that
    /// pods do not change, or that each of them holds.
    pub fn of(
        spec: &HpaSpec,
        metric: &MetricSpec,
        request: Option<i64>,
        settings: &Settings,
    ) -> Option<Self> {
        let (at_target, carries_more) = target_of_a_pod(metric, request, settings.release)?;
        if !carries_more {
            return None;
        }
        let spec = Spec::new(spec, settings.release);
        let tolerance = Tolerances::new(&spec, settings).up;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "casts of floats are bounded; a score needs no last digit"
        )]
        let at_most = (at_target as f64 * (1.0 + tolerance)) as i64;
        Some(Self {
            at_target,
            at_most,
            min_replicas: spec.min,
        })
    }

    /// What so many pods are meant to carry, in thousandths.
    pub fn of_pods(self, pods: i32) -> i64 {
        self.at_target.saturating_mul(i64::from(pods))
    }

    /// A demand of another metric of which pods carry so much, as one of this.
    pub(super) fn as_of(self, other: Self, demand: i64) -> i64 {
        let own = i128::from(demand) * i128::from(self.at_target);
        i64::try_from(own / i128::from(other.at_target.max(1))).unwrap_or(i64::MAX)
    }

    /// How many pods carry a demand at the target, in fractions of a pod, in
    /// thousandths.
    pub fn milli_pods(self, demand: i64) -> i64 {
        let milli = i128::from(demand) * 1_000 / i128::from(self.at_target.max(1));
        i64::try_from(milli).unwrap_or(i64::MAX)
    }
}

/// How many pods are enough for fractions of a pod, given in thousandths.
pub fn whole_pods(milli: i64) -> i32 {
    i32::try_from(milli.saturating_add(999) / 1_000).unwrap_or(i32::MAX)
}

/// Keeps the score, second by second and pass by pass.
#[derive(Clone, Debug)]
pub(super) struct Score {
    capacity: Option<Capacity>,
    scores: Scores,
    /// For how long the pods that serve have been too few.
    lag: i64,
    /// What the demand had beyond the pods that served at the target, in
    /// thousandths of the metric's unit times seconds.
    unserved: i128,
    last_direction: Option<Direction>,
}

impl Score {
    /// Without a capacity of a pod, what is too few or too many is unknown.
    pub(super) fn new(capacity: Option<Capacity>, replicas: i32) -> Self {
        let known = capacity.map(|_| 0);
        Self {
            capacity,
            scores: Scores {
                under_provisioned_seconds: known,
                over_provisioned_pod_seconds: known,
                short_pod_seconds: known,
                worst_lag_seconds: known,
                least_replicas: replicas,
                most_replicas: replicas,
                ..Scores::default()
            },
            lag: 0,
            unserved: 0,
            last_direction: None,
        }
    }

    /// Some seconds with so many pods, of which so many serve.
    pub(super) fn serve(&mut self, demand: i64, pods: i64, serving: i64, seconds: i64) {
        let scores = &mut self.scores;
        let sum = |sum: i64, pods: i64| sum.saturating_add(pods.saturating_mul(seconds));
        scores.pod_seconds = sum(scores.pod_seconds, pods);
        let Some(capacity) = self.capacity else {
            return;
        };
        let demand = i128::from(demand);
        let served = i128::from(serving) * i128::from(capacity.at_target);
        self.unserved += (demand - served).max(0) * i128::from(seconds);
        let is_short = demand > i128::from(serving) * i128::from(capacity.at_most);
        self.lag = if is_short {
            self.lag.saturating_add(seconds)
        } else {
            0
        };
        if let Some(short) = &mut scores.under_provisioned_seconds
            && is_short
        {
            *short = short.saturating_add(seconds);
        }
        if let Some(worst) = &mut scores.worst_lag_seconds {
            *worst = (*worst).max(self.lag);
        }
        // So many pods carry the demand at the target.
        let each = i128::from(capacity.at_target.max(1));
        let needed = demand / each + i128::from(demand % each > 0);
        let needed = needed.max(i128::from(capacity.min_replicas));
        let over = (i128::from(pods) - needed).max(0);
        if let Some(spare) = &mut scores.over_provisioned_pod_seconds {
            *spare = sum(*spare, i64::try_from(over).unwrap_or(i64::MAX));
        }
    }

    /// A pass and what it did to the size.
    pub(super) fn pass(&mut self, step: &SimulatedStep) {
        let scores = &mut self.scores;
        scores.failed_passes += u32::from(step.metrics_failed);
        let (from, to) = (step.current_replicas, step.desired_replicas);
        scores.least_replicas = scores.least_replicas.min(to);
        scores.most_replicas = scores.most_replicas.max(to);
        let Some(direction) = Direction::between(from, to) else {
            return;
        };
        scores.scalings += 1;
        let before = self.last_direction.replace(direction);
        scores.reversals += u32::from(before == Some(direction.opposite()));
    }

    pub(super) fn scores(&self) -> Scores {
        let short = self.capacity.map(|capacity| {
            let pods = self.unserved / i128::from(capacity.at_target.max(1));
            i64::try_from(pods).unwrap_or(i64::MAX)
        });
        Scores {
            short_pod_seconds: short,
            ..self.scores
        }
    }
}
