//! What the controller says of a metric that it cannot compute.

use crate::trace::FailureCause;

/// What the controller says of a metric that it cannot compute, and why that
/// is: its words alone do not always tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The controller's words.
    pub text: String,
    /// Why.
    pub cause: FailureCause,
}

impl Complaint {
    /// A complaint.
    #[must_use]
    pub fn new(text: impl Into<String>, cause: FailureCause) -> Self {
        Self {
            text: text.into(),
            cause,
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
