//! The normalization at one end of what is possible.

use crate::controller::conditions::Reason;
use crate::controller::normalize::{Normalization, Normalized};
use crate::trace::Nothing;

use super::possible;

/// An end of what is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The smallest count.
    Least,
    /// The largest count.
    Most,
}

impl Normalization<'_> {
    /// What the recommendation comes to, where the memory leaves it open at
    /// that end.
    pub fn normalize_at(&self, edge: Edge) -> Normalized {
        if self.memory.is_known() {
            return self.normalize(&mut Nothing);
        }
        let possible = possible(self, self.desired);
        let witness = match edge {
            Edge::Least => possible.least,
            Edge::Most => possible.most,
        };
        let Some(memory) = &witness.memory else {
            return self.by_policy(witness.replicas);
        };
        let normalization = Normalization { memory, ..*self };
        Normalized {
            slot: None,
            ..normalization.normalize(&mut Nothing)
        }
    }

    /// A bound that only policies lead to.
    fn by_policy(&self, replicas: i32) -> Normalized {
        Normalized {
            replicas,
            slot: None,
            able_to_scale: Reason::ReadyForNewScale,
            scaling_limited: if self.desired > self.current {
                Reason::ScaleUpLimit
            } else {
                Reason::ScaleDownLimit
            },
            is_limited: replicas != self.desired,
        }
    }
}
