//! Since when an HPA is held, or has its size: only what the API or what is
//! remembered tells, never more.

use jiff::Timestamp;

use crate::trace::{Hold, Trace};

/// Since when a pass is held as it is, or its size is what it is; `is_last`
/// where the conditions stand in for the pass.
pub(super) fn since(trace: &Trace, hold: Option<Hold>, is_last: bool) -> Option<Timestamp> {
    let told = StatusFacts { trace, is_last };
    let at = match hold {
        None | Some(Hold::Tolerance) => settled(trace, is_last),
        Some(hold) => told.held(hold),
    };
    at.filter(|at| *at <= trace.at)
}

/// Since when the size is what it is, where it is what the metrics ask for.
fn settled(trace: &Trace, is_last: bool) -> Option<Timestamp> {
    let outcome = &trace.outcome;
    let current = outcome.current_replicas;
    let is_kept = is_last || outcome.rescale == Some(false);
    let is_settled = is_kept && trace.reported.desired_replicas == current;
    trace.reported.last_scale_time.filter(|_| is_settled)
}

/// What the status tells.
struct StatusFacts<'t> {
    trace: &'t Trace,
    is_last: bool,
}

impl StatusFacts<'_> {
    fn held(&self, hold: Hold) -> Option<Timestamp> {
        match hold {
            Hold::Failure | Hold::FailedMetric => self.failing(),
            Hold::Paused => self.condition("ScalingActive", "False"),
            Hold::MaxReplicas | Hold::MinReplicas => self.at_bound(),
            Hold::ScaleUpWindow => self.asked_otherwise(|asked, current| asked > current),
            Hold::ScaleDownWindow => self.asked_otherwise(|asked, current| asked < current),
            _ => None,
        }
    }

    /// The transition of a condition, where the pass leaves it as it is: a
    /// transition is of the status alone, so status and reason must agree.
    fn condition(&self, kind: &str, status: &str) -> Option<Timestamp> {
        let reported = self.trace.reported.condition(kind)?;
        let mut ours = self.trace.conditions.iter();
        let ours = ours.find(|one| one.kind == kind);
        // What cannot be told of this pass contradicts nothing.
        let agrees = ours.is_some_and(|ours| {
            let both = (&ours.status, &ours.reason);
            ours.status == "Unknown" || both == (&reported.status, &reported.reason)
        });
        let is_told = reported.status == status && (agrees || self.is_last);
        reported.last_transition_time.filter(|_| is_told)
    }

    /// `AbleToScale` tells of the scale, `ScalingActive` of all else.
    fn failing(&self) -> Option<Timestamp> {
        let scale = self.condition("AbleToScale", "False");
        scale.or_else(|| self.condition("ScalingActive", "False"))
    }

    /// `ScalingLimited` stays True when a policy's limit becomes a bound's,
    /// but a size that was not changed since then was at the bound all along.
    fn at_bound(&self) -> Option<Timestamp> {
        let outcome = &self.trace.outcome;
        let stays = outcome.desired_replicas == Some(outcome.current_replicas);
        let bound = if outcome.current_replicas == self.trace.bounds.max_replicas {
            "TooManyReplicas"
        } else {
            "TooFewReplicas"
        };
        let reported = self.trace.reported.condition("ScalingLimited")?;
        let is_kept = (stays || self.is_last) && reported.reason == bound;
        let limited = self.condition("ScalingLimited", "True");
        let limited = limited.filter(|_| is_kept)?;
        let scaled = self.trace.reported.last_scale_time.unwrap_or(limited);
        Some(limited.max(scaled))
    }

    /// Since the first of the latest passes, without a gap, that asked for a
    /// change in the direction. What the windows hold tells it, where all of
    /// that is known.
    fn asked_otherwise(&self, is_otherwise: fn(i32, i32) -> bool) -> Option<Timestamp> {
        let current = self.trace.outcome.current_replicas;
        let stabilization = self.trace.stabilization.as_ref()?;
        let mut entries: Vec<_> = stabilization.entries.iter().collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.timestamp));
        let end = entries
            .iter()
            .position(|entry| !is_otherwise(entry.replicas, current))?;
        Some(match end {
            0 => self.trace.at,
            end => entries[end - 1].timestamp,
        })
    }
}
