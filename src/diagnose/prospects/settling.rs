//! Where the size ends if the load stays.

use crate::controller::timestamp;
use crate::trace::{End, Reached, Settling};

use super::Question;
use super::break_points::break_points;

/// More steps, or passes, than this are not taken.
const MOST_STEPS: usize = 200;
const MOST_PASSES: i128 = 2_000;
/// No size beyond this is asked for without `maxReplicas`: no cluster holds
/// so many pods.
const LARGEST: i32 = 1_000_000;

/// How a walk from size to size ends.
struct Walk {
    end: End,
    replicas: i32,
    steps: Vec<Reached>,
}

impl Question<'_> {
    /// Follows the size from pass to pass, the load staying.
    pub(super) fn settling(self) -> Option<Settling> {
        let first = self.trace.recommendation.as_ref()?.replicas?;
        let asked = self.within_bounds(first);
        let by_request = || self.walk(asked, self.trace.bounds.max_replicas);
        let walk = self.passes().or_else(by_request)?;
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
            taken_constant: self.what_if.taken_constant(),
        })
    }

    /// Runs pass after pass, until the size has stayed for longer than
    /// anything is remembered. Policies decide on the way at which size a
    /// ratio comes to be tolerated.
    fn passes(self) -> Option<Walk> {
        let settings = self.case.settings;
        let mut memory = self.case.memory.clone();
        let mut now = self.case.now.as_nanosecond();
        let is_known = memory.is_known() && settings.sync_period > 0;
        let longest = is_known.then(|| self.what_if.longest_memory() / settings.sync_period + 2)?;
        if longest > MOST_PASSES / 4 {
            return None;
        }
        let mut size = self.current();
        // What is set aside now may be so no more at the second pass.
        let mut next = self.what_if.pass(&mut memory, now)?.replicas;
        let mut steps = Vec::new();
        let mut wanted = next;
        let mut quiet = 0;
        let mut there = self.what_if.at_size(size)?;
        for _ in 0..MOST_PASSES {
            if next == size {
                quiet += 1;
            } else {
                steps.push(Reached {
                    replicas: next,
                    at: Some(timestamp(now)),
                });
                there = self.what_if.at_size(next)?;
                size = next;
                quiet = 0;
            }
            if quiet > longest {
                let max = self.trace.bounds.max_replicas;
                let is_short = size == max && wanted > max;
                return Some(Walk {
                    end: if is_short { End::AtMax } else { End::Rest },
                    replicas: size,
                    steps,
                });
            }
            now += settings.sync_period;
            let passed = there.pass(&mut memory, now)?;
            next = passed.replicas;
            wanted = passed.asked.unwrap_or(size);
        }
        // It may only be slow; on a round, sizes come again.
        let last = steps.split_off(steps.len().saturating_sub(MOST_STEPS));
        let largest = last.iter().map(|step| step.replicas).max()?;
        let again = last.iter().filter(|step| step.replicas == largest).count();
        (again > 2).then_some(Walk {
            end: End::Cycle,
            replicas: largest,
            steps: last,
        })
    }

    /// Follows what is asked for alone.
    fn walk(self, first: i32, max: i32) -> Option<Walk> {
        let min = self.trace.bounds.min_replicas;
        let mut steps = vec![first];
        let mut size = first;
        while steps.len() < MOST_STEPS {
            let (wanted, _) = self.what_if.at_size(size)?.recommendation()?;
            let next = wanted.max(min).min(max);
            if next == size {
                let end = if wanted > max { End::AtMax } else { End::Rest };
                return Some(walked(end, size, &steps));
            }
            if let Some(again) = steps.iter().position(|step| *step == next) {
                let round = &steps[again..];
                let largest = round.iter().max().copied();
                return Some(walked(End::Cycle, largest.unwrap_or(size), round));
            }
            steps.push(next);
            size = next;
        }
        None
    }
}

fn walked(end: End, replicas: i32, sizes: &[i32]) -> Walk {
    let steps = sizes.iter().map(|size| Reached {
        replicas: *size,
        at: None,
    });
    Walk {
        end,
        replicas,
        steps: steps.collect(),
    }
}
