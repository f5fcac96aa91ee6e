//! Recent recommendations hold a change back (`stabilizeRecommendation`,
//! `stabilizeRecommendationWithBehaviors`).

use super::Normalization;
use crate::controller::conditions::Reason;
use crate::controller::go::{to_f64, to_i32};
use crate::controller::memory::Recommendation;
use crate::controller::prepared::Behavior;
use crate::controller::time::{Nanos, SECOND, timestamp};
use crate::trace::{Recorder, Rule, StabilizationRecord, WindowEdge, WindowEntry};

/// A stabilized recommendation.
#[derive(Clone, Copy)]
pub struct Stabilized {
    pub replicas: i32,
    /// The slot whose entry is too old to count.
    pub slot: Option<usize>,
    pub reason: Reason,
}

/// One side of the window: which entries count, and the strictest of them.
#[derive(Clone, Copy)]
struct Edge {
    window: Nanos,
    from_spec: bool,
    /// Entries exactly as old as the window count only without `behavior`.
    includes_its_end: bool,
    value: i32,
}

impl Edge {
    fn new(desired: i32, window: Nanos, from_spec: bool, includes_its_end: bool) -> Self {
        Self {
            window,
            from_spec,
            includes_its_end,
            value: desired,
        }
    }

    fn counts(&self, entry: &Recommendation, now: Nanos) -> bool {
        let cutoff = now - self.window;
        entry.at > cutoff || (self.includes_its_end && entry.at == cutoff)
    }

    /// The record; `holds` says which entries, as long as they count, keep
    /// the stabilized count where it is.
    fn record(
        &self,
        entries: &[Recommendation],
        now: Nanos,
        holds: impl Fn(i32) -> bool,
    ) -> WindowEdge {
        let counting = entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| self.counts(entry, now));
        let holding = counting.filter(|(_, entry)| holds(entry.replicas));
        let last = holding.max_by_key(|(_, entry)| entry.at);
        WindowEdge {
            window_seconds: i64::try_from(self.window / SECOND).unwrap_or(i64::MAX),
            from_spec: self.from_spec,
            value: self.value,
            held_by: last.map(|(slot, _)| slot),
            expires: last.map(|(_, entry)| timestamp(entry.at + self.window)),
        }
    }
}

impl Normalization<'_> {
    pub(super) fn stabilize_recommendation<R: Recorder>(&self, recorder: &mut R) -> Stabilized {
        match &self.spec.behavior {
            Some(behavior) => self.with_behaviors(behavior, recorder),
            None => self.without_behavior(recorder),
        }
    }

    fn entries(&self) -> &[Recommendation] {
        self.memory.recommendations.as_deref().unwrap_or_default()
    }

    /// The highest recommendation of the window counts. That is meant to slow
    /// down the way down, but it can lead up as well.
    fn without_behavior<R: Recorder>(&self, recorder: &mut R) -> Stabilized {
        let window = self.settings.downscale_stabilization;
        let mut down = Edge::new(self.desired, window, false, true);
        let mut slot = None;
        for (index, entry) in self.entries().iter().enumerate() {
            if down.counts(entry, self.now) {
                down.value = down.value.max(entry.replicas);
            } else {
                slot = Some(index);
            }
        }
        let replicas = down.value;
        let reason = if replicas == self.desired {
            Reason::ReadyForNewScale
        } else {
            Reason::ScaleDownStabilized
        };
        recorder.record(|| {
            let desired = self.desired;
            let formula = if replicas == desired {
                format!("nothing above {replicas} in the window")
            } else {
                format!("max({desired}, {replicas} in the window) = {replicas}")
            };
            let edges = (None, down);
            self.stabilization(Rule::StabilizeHighest, replicas, edges, reason, formula)
        });
        Stabilized {
            replicas,
            slot,
            reason,
        }
    }

    /// The current size moves only as far as every recommendation of the
    /// window agrees: up to the lowest, down to the highest.
    fn with_behaviors<R: Recorder>(&self, behavior: &Behavior, recorder: &mut R) -> Stabilized {
        let (mut up, mut down) = self.edges(behavior);
        let mut slot = None;
        for (index, entry) in self.entries().iter().enumerate() {
            let (counts_up, counts_down) =
                (up.counts(entry, self.now), down.counts(entry, self.now));
            if counts_up {
                up.value = up.value.min(entry.replicas);
            }
            if counts_down {
                down.value = down.value.max(entry.replicas);
            }
            if entry.at < self.now - up.window && entry.at < self.now - down.window {
                slot = Some(index);
            }
        }
        let replicas = self.current.max(up.value).min(down.value);
        let reason = if replicas == self.desired {
            Reason::ReadyForNewScale
        } else if self.desired >= self.current {
            Reason::ScaleUpStabilized
        } else {
            Reason::ScaleDownStabilized
        };
        recorder.record(|| {
            let formula = format!(
                "{} moved into {}..{} = {replicas}",
                self.current, up.value, down.value
            );
            let edges = (Some(up), down);
            self.stabilization(Rule::StabilizeBand, replicas, edges, reason, formula)
        });
        Stabilized {
            replicas,
            slot,
            reason,
        }
    }

    fn edges(&self, behavior: &Behavior) -> (Edge, Edge) {
        let edge = |own: Option<i32>, default: i32| {
            let window = Nanos::from(own.unwrap_or(default)) * SECOND;
            Edge::new(self.desired, window, own.is_some(), false)
        };
        // The controller fills in its own flag, as 32-bit seconds.
        let flag = self.settings.downscale_stabilization_seconds();
        let flag = to_i32(to_f64(flag));
        (
            edge(behavior.scale_up.window, 0),
            edge(behavior.scale_down.window, flag),
        )
    }

    fn stabilization(
        &self,
        rule: Rule,
        result: i32,
        (up, down): (Option<Edge>, Edge),
        reason: Reason,
        formula: String,
    ) -> StabilizationRecord {
        let entries = self.entries();
        StabilizationRecord {
            rule,
            recommendation: self.desired,
            result,
            up: up.map(|up| {
                up.record(entries, self.now, |replicas| {
                    result < self.desired && replicas <= result
                })
            }),
            down: down.record(entries, self.now, |replicas| {
                result > self.desired && replicas >= result
            }),
            entries: entries
                .iter()
                .map(|entry| WindowEntry {
                    replicas: entry.replicas,
                    timestamp: timestamp(entry.at),
                    counts_up: up.is_some_and(|up| up.counts(entry, self.now)),
                    counts_down: down.counts(entry, self.now),
                })
                .collect(),
            reason,
            formula,
        }
    }
}
