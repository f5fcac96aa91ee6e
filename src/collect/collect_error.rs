//! Why something that is needed cannot be read.

use serde::de::DeserializeOwned;
use thiserror::Error;

use super::paths::Asked;
use super::reader::{Reply, Unanswered};

/// Why something that is needed cannot be read.
#[derive(Debug, Error)]
pub enum CollectError {
    /// The server has no answer.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
    /// The server refuses: the reason as kubectl names it, and the server's
    /// sentence.
    #[error("Error from server ({reason}): {message}")]
    Refused {
        /// Such as `NotFound` or `Forbidden`.
        reason: &'static str,
        /// The server's sentence.
        message: String,
    },
    /// The server's answer cannot be what it is.
    #[error("{0}")]
    Malformed(String),
}

impl CollectError {
    /// Why, without saying that it is an error.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Refused { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }
}

impl Reply {
    /// The object, which somebody waits for.
    ///
    /// # Errors
    ///
    /// It was refused, or is not what was asked for.
    pub fn required<T: DeserializeOwned>(&self, asked: &Asked) -> Result<T, CollectError> {
        self.object(asked).map_err(|message| {
            if self.status.is_success() {
                return CollectError::Malformed(message);
            }
            let code = self.status.as_u16();
            CollectError::Refused {
                reason: reason(code),
                message: if matches!(code, 401 | 403) {
                    asked.refused(&message)
                } else {
                    message
                },
            }
        })
    }
}

/// The reason that kubectl prints for a status code.
fn reason(code: u16) -> &'static str {
    match code {
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        429 => "TooManyRequests",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "InternalError",
    }
}
