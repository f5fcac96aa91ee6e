//! What came back from one request that the controller makes, too.

use serde::{Deserialize, Serialize};

/// Why there is no answer where a list of many HPAs asks for none.
pub const NOT_ASKED: &str = "not asked for; the HPA's status shows the last pass";

/// The answer to one request: exactly one of the three is present.
///
/// The distinction between the last two carries the tool's honesty: an
/// `error` is what the controller's own client would have been told, while
/// `unreadable` is what only *we* may not look at (401, 403).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answered<T> {
    /// The object or list that the server returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<T>,
    /// The error in client-go's words, without the controller's prefixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why we could not look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// The three answers, told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a, T> {
    /// What the server returned.
    Response(&'a T),
    /// What the controller's client would have been told.
    Error(&'a str),
    /// Why we could not look.
    Unreadable(&'a str),
}

impl<'a, T> Answer<'a, T> {
    /// The one that is present, or `None` where there are none or several.
    pub(super) fn one_of(
        response: Option<&'a T>,
        error: Option<&'a str>,
        unreadable: Option<&'a str>,
    ) -> Option<Self> {
        match (response, error, unreadable) {
            (Some(response), None, None) => Some(Self::Response(response)),
            (None, Some(error), None) => Some(Self::Error(error)),
            (None, None, Some(reason)) => Some(Self::Unreadable(reason)),
            _ => None,
        }
    }
}

impl<T> Answered<T> {
    /// The answer; `None` where the document holds none or several, which
    /// reading refuses.
    #[must_use]
    pub fn answer(&self) -> Option<Answer<'_, T>> {
        Answer::one_of(
            self.response.as_ref(),
            self.error.as_deref(),
            self.unreadable.as_deref(),
        )
    }

    /// A successful answer.
    #[must_use]
    pub fn response(response: T) -> Self {
        Self {
            response: Some(response),
            error: None,
            unreadable: None,
        }
    }

    /// What the controller's client would have been told.
    #[must_use]
    pub fn error(error: String) -> Self {
        Self {
            response: None,
            error: Some(error),
            unreadable: None,
        }
    }

    /// Why we could not look.
    #[must_use]
    pub fn unreadable(reason: String) -> Self {
        Self {
            response: None,
            error: None,
            unreadable: Some(reason),
        }
    }

    /// The same failure in the place of another answer, which was not even
    /// asked for because of it.
    #[must_use]
    pub fn hand_on<U>(&self) -> Answered<U> {
        Answered {
            response: None,
            error: self.error.clone(),
            unreadable: self.unreadable.clone(),
        }
    }
}
