//! Why something that is needed cannot be read; and what a failed request reads like in the
//! controller's own client.
//!
//! The controller's errors quote client-go, so the text of an answer that
//! failed has to be client-go's, to the letter
//! (`rest.Request.transformResponse`, `errors.NewGenericServerResponse`).

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny, IntoDeserializer, value};
use thiserror::Error;

use super::reader::NoObject;
use crate::api::{AnswerError, AnswerErrorKind, ReadFailure, ReadFailureKind};
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
    /// Errors: it was refused, or is not what was asked for.
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

/// How much of a body client-go quotes.
const MOST_QUOTED: usize = 2048;

/// What client-go says of an answer that is no success: a Status object's own message,
/// else a sentence by code.
pub fn failed(
    endpoint: &Endpoint,
    code: u16,
    content_type: Option<&str>,
    body: &[u8],
) -> AnswerError {
    let failure = Status::of(body).filter(|it| it.outcome != "Success");
    if let Some(failure) = failure {
        return failure.message.into();
    }
    let subject = match &*endpoint.name {
        "" => endpoint.resource.clone(),
        name => format!("{} {name}", endpoint.resource),
    };
    let (kind, sentence) = sentence(code, quoted_body(content_type, body));
    AnswerError::new(kind, format!("{sentence} (get {subject})"))
}

fn sentence(code: u16, body: String) -> (AnswerErrorKind, String) {
    let kind = AnswerErrorKind::of_text(&body);
    let text = match code {
        400 => "the server rejected our request for an unknown reason",
        401 => "the server has asked for the client to provide credentials",
        404 => "the server could not find the requested resource",
        405 => "the server does not allow this method on the requested resource",
        406 if body.is_empty() || body == "unknown" => {
            "the server was unable to respond with a content type that the client supports"
        }
        403 | 406 | 415 => return (kind, body),
        409 => "the server reported a conflict",
        422 => "the server rejected our request due to an error in our request",
        429 => "the server has received too many requests and has asked us to try again later",
        503 => "the server is currently unable to handle the request",
        504 => {
            "the server was unable to return a response in the time allotted, but may still be processing the request"
        }
        500.. => {
            let kind = match kind {
                AnswerErrorKind::Other => AnswerErrorKind::Unavailable,
                other => other,
            };
            return (
                kind,
                format!(
                    "an error on the server ({body:?}) has prevented the request from succeeding"
                ),
            );
        }
        code => {
            return (
                AnswerErrorKind::Other,
                format!(
                    "the server responded with the status code {code} but did not return more information"
                ),
            );
        }
    };
    let kind = match code {
        404 => AnswerErrorKind::ApiNotFound,
        429 | 503 | 504 => AnswerErrorKind::Unavailable,
        _ => AnswerErrorKind::Other,
    };
    (kind, text.to_owned())
}

/// The beginning of a body that is text.
fn quoted_body(content_type: Option<&str>, body: &[u8]) -> String {
    if !content_type.is_none_or(|kind| kind.starts_with("text/")) {
        return "unknown".to_owned();
    }
    let quoted = &body[..body.len().min(MOST_QUOTED)];
    String::from_utf8_lossy(quoted).trim().to_owned()
}

/// The texts of a `Warning` header (RFC 7234, section 5.5): of `299 - "text"`,
/// and of several in one line. As in client-go, only code 299 counts, and what
/// cannot be read is left out.
pub fn texts(header: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = header;
    while let Some((text, after)) = first(rest) {
        texts.extend(text);
        rest = after;
    }
    texts
}

/// The first warning, if its code is the one that counts, and what follows.
fn first(header: &str) -> Option<(Option<String>, &str)> {
    let header = header.trim_start_matches([' ', '\t', ',']);
    let (code, rest) = header.split_once(' ')?;
    let (_agent, rest) = rest.trim_start().split_once(' ')?;
    let (text, rest) = quoted(rest.trim_start())?;
    // The date that may follow a text is of no interest.
    let rest = quoted(rest.trim_start()).map_or(rest, |(_, rest)| rest);
    let counts = code == "299" && !text.is_empty();
    Some((counts.then_some(text), rest))
}

/// The content of a quoted string, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut content = String::new();
    let mut characters = inside.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((content, &inside[at + 1..])),
            '\\' => content.push(characters.next()?.1),
            other => content.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{AnswerError, AnswerErrorKind, failed, texts};
    use crate::collect::request::paths;

    fn error(code: u16, content_type: Option<&str>, body: &str) -> AnswerError {
        let endpoint = paths::pod_metrics(None, "");
        failed(&endpoint, code, content_type, body.as_bytes())
    }

    #[test]
    fn a_status_speaks_for_itself() {
        let body = r#"{"kind":"Status","status":"Failure","message":"deployments.apps \"web\" not found","code":404}"#;
        assert_eq!(
            error(404, Some("application/json"), body).text,
            "deployments.apps \"web\" not found"
        );
    }

    #[test]
    fn any_other_body_gives_a_sentence_by_code() {
        let plain = Some("text/plain; charset=utf-8");
        let rows = [
            (
                404,
                plain,
                "404 page not found\n",
                "the server could not find the requested resource",
            ),
            (
                503,
                plain,
                "service unavailable",
                "the server is currently unable to handle the request",
            ),
            (403, plain, " no \n", "no"),
            (403, Some("application/json"), "{}", "unknown"),
            (
                406,
                plain,
                "",
                "the server was unable to respond with a content type that the client supports",
            ),
            (406, None, "only proto", "only proto"),
            (
                500,
                plain,
                "a \"b\"",
                "an error on the server (\"a \\\"b\\\"\") has prevented the request from succeeding",
            ),
            (
                502,
                Some("text/html"),
                "<html>",
                "an error on the server (\"<html>\") has prevented the request from succeeding",
            ),
            (
                418,
                plain,
                "",
                "the server responded with the status code 418 but did not return more information",
            ),
        ];
        for (code, kind, body, sentence) in rows {
            let expected = format!("{sentence} (get pods.metrics.k8s.io)");
            let error = error(code, kind, body);
            // Who reads it in a document knows as much.
            assert_eq!(error.kind, AnswerErrorKind::of_text(&error.text), "{code}");
            assert_eq!(error.text, expected);
        }
    }

    #[test]
    fn only_the_text_of_a_warning_counts() {
        let rows: [(&str, &[&str]); 12] = [
            (r#"299 - "is deprecated""#, &["is deprecated"]),
            (r#"299 k8s "is deprecated""#, &["is deprecated"]),
            (r#"299 - "a \"b\" \\ c""#, &[r#"a "b" \ c"#]),
            (r#"299 - "one", 299 - "two, too""#, &["one", "two, too"]),
            (
                r#"299 - "one" "Sat, 25 Aug 2012 23:34:45 GMT", 299 - "two""#,
                &["one", "two"],
            ),
            (r#"299 - "größe""#, &["größe"]),
            // Of other codes and what is no warning nothing is said.
            (r#"110 - "stale", 299 - "two""#, &["two"]),
            (r#"299 - """#, &[]),
            (r#"299 - "no end"#, &[]),
            (r#"299 - "no end\"#, &[]),
            ("299 - bare", &[]),
            ("", &[]),
        ];
        for (header, want) in rows {
            assert_eq!(texts(header), want, "{header}");
        }
    }
}
