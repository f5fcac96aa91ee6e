//! The conditions that a pass sets, with the controller's words.

use crate::trace::{Condition, Event, EventType};

/// Whether the controller can read and write the scale.
pub const ABLE_TO_SCALE: &str = "AbleToScale";
/// The reason of [`ABLE_TO_SCALE`] once the scale was read.
pub const SUCCEEDED_GET_SCALE: &str = "SucceededGetScale";
/// The reason of [`ABLE_TO_SCALE`] where the scale could not be read.
pub const FAILED_GET_SCALE: &str = "FailedGetScale";
/// The reason of [`ABLE_TO_SCALE`] once the scale was written.
pub const SUCCEEDED_RESCALE: &str = "SucceededRescale";
/// Whether the metrics give a count.
pub const SCALING_ACTIVE: &str = "ScalingActive";
/// Whether policies or bounds changed the count.
pub const SCALING_LIMITED: &str = "ScalingLimited";
/// Whether the controller itself scaled the workload to zero (1.36 and
/// later).
pub const SCALED_TO_ZERO: &str = "ScaledToZero";

/// The outcomes of stabilizing and limiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Stabilization changed nothing.
    ReadyForNewScale,
    /// A lower recommendation holds the size down.
    ScaleUpStabilized,
    /// A higher recommendation holds the size up.
    ScaleDownStabilized,
    /// Neither policies nor bounds changed anything.
    DesiredWithinRange,
    /// The rate limit upwards was met.
    ScaleUpLimit,
    /// The rate limit downwards was met.
    ScaleDownLimit,
    /// `maxReplicas` was met.
    TooManyReplicas,
    /// `minReplicas` was met.
    TooFewReplicas,
}

impl Reason {
    /// The word in the condition's `reason`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadyForNewScale => "ReadyForNewScale",
            Self::ScaleUpStabilized => "ScaleUpStabilized",
            Self::ScaleDownStabilized => "ScaleDownStabilized",
            Self::DesiredWithinRange => "DesiredWithinRange",
            Self::ScaleUpLimit => "ScaleUpLimit",
            Self::ScaleDownLimit => "ScaleDownLimit",
            Self::TooManyReplicas => "TooManyReplicas",
            Self::TooFewReplicas => "TooFewReplicas",
        }
    }

    /// The sentence in the condition's `message`.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::ReadyForNewScale => "recommended size matches current size",
            Self::ScaleUpStabilized => {
                "recent recommendations were lower than current one, applying the lowest recent recommendation"
            }
            Self::ScaleDownStabilized => {
                "recent recommendations were higher than current one, applying the highest recent recommendation"
            }
            Self::DesiredWithinRange => "the desired count is within the acceptable range",
            Self::ScaleUpLimit => {
                "the desired replica count is increasing faster than the maximum scale rate"
            }
            Self::ScaleDownLimit => {
                "the desired replica count is decreasing faster than the maximum scale rate"
            }
            Self::TooManyReplicas => {
                "the desired replica count is more than the maximum replica count"
            }
            Self::TooFewReplicas => {
                "the desired replica count is less than the minimum replica count"
            }
        }
    }
}

/// A condition, ready to be recorded.
#[must_use]
pub fn condition(kind: &str, status: bool, reason: &str, message: impl Into<String>) -> Condition {
    Condition {
        kind: kind.to_owned(),
        status: if status { "True" } else { "False" }.to_owned(),
        reason: reason.to_owned(),
        message: message.into(),
        last_transition_time: None,
    }
}

/// A Warning event, ready to be recorded.
#[must_use]
pub fn warning(reason: &str, message: impl Into<String>) -> Event {
    Event {
        kind: EventType::Warning,
        reason: reason.to_owned(),
        message: message.into(),
    }
}
