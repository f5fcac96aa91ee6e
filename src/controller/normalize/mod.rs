//! From the recommendation to the count that is written: stabilize, then
//! limit (`normalizeDesiredReplicas`, `normalizeDesiredReplicasWithBehaviors`).
//!
//! There are two algorithms. Which one runs depends on whether the spec has a
//! `behavior`, be it an empty one.

mod convert_desired_replicas;
mod possible;
mod scale_events;
mod scale_limit;
mod stabilize_recommendation;

use crate::trace::Recorder;

use super::conditions::Reason;
use super::memory::Memory;
use super::prepared::Spec;
use super::settings::Settings;
use super::time::Nanos;

use stabilize_recommendation::Stabilized;

pub use possible::{Possible, Witness, possible, possible_range};
pub use scale_events::store_scale_event;

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
            slot: stabilized.slot,
            able_to_scale: stabilized.reason,
            scaling_limited: limited.reason,
            is_limited: limited.replicas != stabilized.replicas,
        }
    }
}
