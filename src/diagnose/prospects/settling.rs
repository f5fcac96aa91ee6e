//! Where the size ends if the load stays.

use crate::controller::{Trial, WhatIf};
use crate::trace::{End, Settling};

use super::Question;
use super::break_points::break_points;

/// More steps than this are not taken.
const MOST_STEPS: usize = 200;
/// No size beyond this is asked for without `maxReplicas`: no cluster holds
/// so many pods.
const LARGEST: i32 = 1_000_000;

/// How a walk from size to size ends.
struct Walk {
    end: End,
    replicas: i32,
    steps: Vec<i32>,
}

impl Question<'_> {
    /// Follows what the metrics ask for from size to size, the load staying.
    pub(super) fn settling(self) -> Option<Settling> {
        let first = self.trace.recommendation.as_ref()?.replicas?;
        let walk = self.walk(self.within_bounds(first), self.trace.bounds.max_replicas)?;
        let there = self.what_if.at_size(walk.replicas)?;
        let (_, metric) = there.recommendation()?;
        let deciding = metric.and_then(|metric| Some((metric, *there.metric(metric)?)));
        let holds = deciding.map(|(metric, trial)| break_points(metric, &trial, walk.replicas));
        let is_at_max = walk.end == End::AtMax;
        let without_max = is_at_max
            .then(|| self.walk(walk.replicas, LARGEST))
            .flatten();
        Some(Settling {
            end: walk.end,
            replicas: walk.replicas,
            steps: walk.steps,
            metric,
            value: deciding.and_then(|(_, trial)| Some(trial.ask()?.value)),
            holds_from: holds.and_then(|holds| Some(holds.down?.last)),
            holds_to: holds.and_then(|holds| Some(holds.up?.last)),
            without_max: without_max
                .filter(|walk| walk.end == End::Rest)
                .map(|walk| walk.replicas),
            taken_constant: self.taken_constant(),
        })
    }

    fn walk(self, first: i32, max: i32) -> Option<Walk> {
        let min = self.trace.bounds.min_replicas;
        let mut steps = vec![first];
        let mut size = first;
        while steps.len() < MOST_STEPS {
            let (wanted, _) = self.what_if.at_size(size)?.recommendation()?;
            let next = wanted.max(min).min(max);
            if next == size {
                let end = if wanted > max { End::AtMax } else { End::Rest };
                return Some(Walk {
                    end,
                    replicas: size,
                    steps,
                });
            }
            if let Some(again) = steps.iter().position(|step| *step == next) {
                let largest = steps[again..].iter().max().copied();
                return Some(Walk {
                    end: End::Cycle,
                    replicas: largest.unwrap_or(size),
                    steps,
                });
            }
            steps.push(next);
            size = next;
        }
        None
    }

    fn taken_constant(self) -> Vec<usize> {
        let metrics = 0..self.trace.metrics.len();
        let is_constant = |metric: &usize| {
            let trial: Option<&Trial> = WhatIf::metric(self.what_if, *metric);
            trial.is_some_and(|trial| !trial.spreads())
        };
        metrics.filter(is_constant).collect()
    }
}
