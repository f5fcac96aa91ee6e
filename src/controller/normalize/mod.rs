//! From the recommendation to the count that is written: stabilize, then
//! limit (`normalizeDesiredReplicas`, `normalizeDesiredReplicasWithBehaviors`).
//!
//! There are two algorithms. Which one runs depends on whether the spec has a
//! `behavior`, be it an empty one.

mod convert_desired_replicas;
mod possible;
mod scale_limit;
mod stabilize_recommendation;

use super::conditions::Reason;
use super::settings::Settings;
use crate::controller::memory::{Memory, ScaleEvent};
use crate::controller::prepared::Spec;
use crate::controller::time::Nanos;
use crate::trace::Recorder;
use stabilize_recommendation::Stabilized;

pub use possible::{Possible, Witness, possible, possible_range};

/// What normalization reads.
#[derive(Clone, Copy, Debug)]
pub struct Normalization<'a> {
    /// The HPA's spec.
    pub spec: &'a Spec,
    pub settings: &'a Settings,
    /// What the controller remembers; a list that is unknown counts as
    /// empty.
    pub memory: &'a Memory,
    /// The moment of the pass.
    pub now: Nanos,
    /// `scale.spec.replicas`.
    pub current: i32,
    /// The recommendation, not below 0.
    pub desired: i32,
}

/// A normalized recommendation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Normalized {
    /// The count.
    pub replicas: i32,
    /// What stabilization made of the recommendation, before limits.
    pub stabilized: i32,
    /// The slot in which the recommendation is to be stored; `None` for a
    /// new one.
    pub slot: Option<usize>,
    /// The reason of the condition `AbleToScale`.
    pub able_to_scale: Reason,
    /// The reason of the condition `ScalingLimited`.
    pub scaling_limited: Reason,
    /// Whether that condition is True.
    pub is_limited: bool,
}

impl Normalized {
    /// Why it is another count than the recommendation; of several reasons
    /// the last one.
    pub fn held_by(&self) -> Option<Reason> {
        let is_ready = self.able_to_scale == Reason::ReadyForNewScale;
        match (self.is_limited, is_ready) {
            (true, _) => Some(self.scaling_limited),
            (false, false) => Some(self.able_to_scale),
            (false, true) => None,
        }
    }
}

impl Normalization<'_> {
    /// Stabilizes and limits the recommendation.
    pub fn normalize<R: Recorder>(&self, recorder: &mut R) -> Normalized {
        let stabilized = self.stabilize_recommendation(recorder);
        self.limit(stabilized, recorder)
    }

    fn limit<R: Recorder>(&self, stabilized: Stabilized, recorder: &mut R) -> Normalized {
        let limited = self.convert_desired_replicas(stabilized.replicas, recorder);
        Normalized {
            replicas: limited.replicas,
            stabilized: stabilized.replicas,
            slot: stabilized.slot,
            able_to_scale: stabilized.reason,
            scaling_limited: limited.reason,
            is_limited: limited.replicas != stabilized.replicas,
        }
    }
}

/// Stores a change of the scale, unless the spec has no `behavior`.
///
/// A slot is reused once it is older than the longest period of its own
/// direction, even where the other direction still looks back further.
pub fn store_scale_event(memory: &mut Memory, spec: &Spec, from: i32, to: i32, now: Nanos) {
    let Some(behavior) = &spec.behavior else {
        return;
    };
    let change = to.wrapping_sub(from).wrapping_abs();
    let (events, rules) = if to > from {
        (&mut memory.scale_up_events, &behavior.scale_up)
    } else {
        (&mut memory.scale_down_events, &behavior.scale_down)
    };
    let Some(events) = events else {
        for account in &mut memory.accounts {
            account.store_change(to > from, change, now);
        }
        return;
    };
    let slot = mark_outdated(events, now - rules.longest_period());
    let event = ScaleEvent {
        change,
        at: now,
        outdated: false,
    };
    match slot {
        Some(slot) => events[slot] = event,
        None => events.push(event),
    }
}

/// Marks what is older than the cutoff for good and returns the last slot
/// that is marked.
fn mark_outdated(events: &mut [ScaleEvent], cutoff: Nanos) -> Option<usize> {
    let mut slot = None;
    for (index, event) in events.iter_mut().enumerate() {
        event.outdated |= event.at < cutoff;
        if event.outdated {
            slot = Some(index);
        }
    }
    slot
}
