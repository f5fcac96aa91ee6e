//! The conditions that a pass sets, with the controller's words.

pub use crate::trace::Reason;
use crate::trace::{Condition, Event, EventType, FailureCause};

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

/// What the controller says of a metric that it cannot compute, and why that
/// is: its words alone do not always tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The controller's words.
    pub text: String,
    /// Why.
    pub cause: FailureCause,
    /// The error of the metrics API in it, where that is what is wrong.
    pub answer: Option<String>,
}

impl Complaint {
    /// A complaint.
    #[must_use]
    pub fn new(text: impl Into<String>, cause: FailureCause) -> Self {
        Self {
            text: text.into(),
            cause,
            answer: None,
        }
    }

    /// The same in other words.
    #[must_use]
    pub fn says(self, words: impl FnOnce(&str) -> String) -> Self {
        Self {
            text: words(&self.text),
            ..self
        }
    }
}
