//! The conditions that a pass sets, with the controller's words.

use std::fmt;

use crate::api::{Condition, ConditionKind, ConditionReason, ConditionStatus};
use crate::trace::{Event, EventType, FailureCause};

pub use crate::trace::Reason;

/// A condition, ready to be recorded.
pub fn condition(
    kind: ConditionKind,
    status: bool,
    reason: ConditionReason,
    message: impl Into<String>,
) -> Condition {
    Condition {
        kind: kind.into(),
        status: if status {
            ConditionStatus::True
        } else {
            ConditionStatus::False
        }
        .into(),
        reason: reason.into(),
        message: message.into(),
        last_transition_time: None,
    }
}

/// A Warning event, ready to be recorded.
pub fn warning(reason: impl fmt::Display, message: impl Into<String>) -> Event {
    Event {
        kind: EventType::Warning,
        reason: reason.to_string(),
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
    pub fn new(text: impl Into<String>, cause: FailureCause) -> Self {
        Self {
            text: text.into(),
            cause,
            answer: None,
        }
    }

    /// The same in other words.
    pub fn says(self, words: impl FnOnce(&str) -> String) -> Self {
        Self {
            text: words(&self.text),
            ..self
        }
    }
}
