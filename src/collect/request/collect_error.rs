//! Why something that is needed cannot be read.

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny, IntoDeserializer, value};
use thiserror::Error;

use crate::api::{AnswerError, ReadFailure, ReadFailureKind};

use super::reader::NoObject;
use crate::collect::request::{Endpoint, Reply, Right, Status, Unanswered};

/// Why something that is needed cannot be read.
#[derive(Debug, Error)]
pub enum CollectError {
    /// The server has no answer.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
    /// The server refuses: the reason as kubectl names it, and the server's
    /// sentence.
    #[error("Error from server{}: {message}", in_brackets(*.reason))]
    Refused {
        /// Absent where the server gives none that the API knows.
        reason: Option<StatusReason>,
        /// The server's sentence.
        message: String,
        /// What one must be allowed to do to ask; absent for what everybody
        /// may.
        right: Option<Box<Right>>,
    },
    /// The server's answer cannot be what it is.
    #[error("{0}")]
    Malformed(String),
}

impl CollectError {
    /// Why, without saying that it is an error.
    pub fn reason(&self) -> String {
        match self {
            Self::Refused { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }

    /// Why something was not read that we can do without.
    pub fn failure(&self) -> ReadFailure {
        let kind = match self {
            _ if self.is_because(StatusReason::Unauthorized) => ReadFailureKind::Unauthorized,
            _ if self.is_forbidden() => ReadFailureKind::Refused,
            _ => ReadFailureKind::NotRead,
        };
        let text = self.reason();
        ReadFailure { kind, text }
    }

    /// There is no HPA of this name, as the API server says it.
    pub fn no_autoscaler(name: &str) -> Self {
        Self::Refused {
            reason: Some(StatusReason::NotFound),
            message: format!("horizontalpodautoscalers.autoscaling {name:?} not found"),
            right: None,
        }
    }

    /// Whether what was asked for goes on from where nothing is kept any more.
    pub fn is_expired(&self) -> bool {
        self.is_because(StatusReason::Expired) || self.is_because(StatusReason::Gone)
    }

    /// Whether what is asked for is not there, or nothing serves it.
    pub fn is_not_found(&self) -> bool {
        self.is_because(StatusReason::NotFound)
    }

    /// Whether it is what was sent that is refused: by validation or admission,
    /// and not for want of a right, nor because the server is in trouble.
    pub fn is_about_the_object(&self) -> bool {
        let Self::Refused {
            reason, message, ..
        } = self
        else {
            return false;
        };
        match reason {
            None
            | Some(
                StatusReason::Invalid
                | StatusReason::BadRequest
                | StatusReason::RequestEntityTooLarge,
            ) => true,
            Some(StatusReason::Forbidden) => is_by_admission(message),
            Some(_) => false,
        }
    }

    /// Whether it is a right that is missing.
    pub fn is_forbidden(&self) -> bool {
        self.is_because(StatusReason::Forbidden)
    }

    /// Whether the server refuses for this reason.
    pub fn is_because(&self, own: StatusReason) -> bool {
        matches!(self, Self::Refused { reason, .. } if *reason == Some(own))
    }
}

impl Reply {
    /// The object, which somebody waits for.
    ///
    /// # Errors
    ///
    /// It was refused, or is not what was asked for.
    pub fn required<T: DeserializeOwned>(&self, endpoint: &Endpoint) -> Result<T, CollectError> {
        self.object(endpoint)
            .map_err(|error| self.refusal(endpoint, error))
    }

    /// Why there is no object in an answer that was not to have one.
    pub fn refused(&self, endpoint: &Endpoint) -> CollectError {
        match self.object::<IgnoredAny>(endpoint) {
            Err(error) => self.refusal(endpoint, error),
            Ok(_) => CollectError::Malformed(format!("unexpected answer to {}", endpoint.path)),
        }
    }

    fn refusal(&self, endpoint: &Endpoint, error: NoObject) -> CollectError {
        let (NoObject::Failed(AnswerError { text: message, .. }) | NoObject::Malformed(message)) =
            error;
        if self.status.is_success() {
            return CollectError::Malformed(message);
        }
        let code = self.status.as_u16();
        CollectError::Refused {
            reason: self.reason(),
            right: endpoint.right.clone().map(Box::new),
            message: if matches!(code, 401 | 403) {
                endpoint.refused(&message)
            } else {
                message
            },
        }
    }
}

/// Whether an admission plugin or webhook forbids it, by the API server's words:
/// its code and reason are those of a right that is missing.
pub(super) fn is_by_admission(message: &str) -> bool {
    let is_denied = ["denied the request", "denied request"];
    let forbids = message.split_once("is forbidden: ");
    is_denied.iter().any(|words| message.contains(words))
        || forbids.is_some_and(|(_, why)| !why.starts_with("User "))
}

/// The reasons that the API knows (`metav1.StatusReason`).
#[expect(missing_docs, reason = "the names are those of the API")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum StatusReason {
    Unauthorized,
    Forbidden,
    NotFound,
    AlreadyExists,
    Conflict,
    Gone,
    Invalid,
    ServerTimeout,
    StoreReadError,
    Timeout,
    TooManyRequests,
    BadRequest,
    MethodNotAllowed,
    NotAcceptable,
    RequestEntityTooLarge,
    UnsupportedMediaType,
    InternalError,
    Expired,
    ServiceUnavailable,
}

impl Reply {
    /// The reason that kubectl prints: the server's own, else one by status
    /// code.
    fn reason(&self) -> Option<StatusReason> {
        match self.failure() {
            Some(Status { reason, .. }) => {
                let text: value::StrDeserializer<value::Error> =
                    reason.as_str().into_deserializer();
                StatusReason::deserialize(text).ok()
            }
            None => by_code(self.status.as_u16()),
        }
    }
}

/// As client-go names an answer that is no Status
/// (`errors.NewGenericServerResponse`).
fn by_code(code: u16) -> Option<StatusReason> {
    Some(match code {
        400 => StatusReason::BadRequest,
        401 => StatusReason::Unauthorized,
        403 => StatusReason::Forbidden,
        404 => StatusReason::NotFound,
        405 => StatusReason::MethodNotAllowed,
        406 => StatusReason::NotAcceptable,
        409 => StatusReason::Conflict,
        410 => StatusReason::Gone,
        415 => StatusReason::UnsupportedMediaType,
        422 => StatusReason::Invalid,
        429 => StatusReason::TooManyRequests,
        503 => StatusReason::ServiceUnavailable,
        504 => StatusReason::Timeout,
        500.. => StatusReason::InternalError,
        _ => return None,
    })
}

fn in_brackets(reason: Option<StatusReason>) -> String {
    reason.map_or_else(String::new, |it| format!(" ({it:?})"))
}
