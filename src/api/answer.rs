//! What came back from one request that the controller makes, too.

use std::convert::Infallible;
use std::fmt;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The answer to one request.
///
/// The distinction between the last two carries the tool's honesty: an
/// `error` is what the controller's own client would have been told, while
/// `unreadable` is what only *we* may not look at (401, 403).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "AnswerForm<T>")]
pub enum Answered<T> {
    /// The object or list that the server returned.
    Response(T),
    /// The error that the controller's own client would have been told.
    Error(AnswerError),
    /// Why we could not look.
    Unreadable(ReadFailure),
}

/// A document has none of the three, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must hold exactly one of `response`, `error` and `unreadable`")]
pub struct NotOneAnswer;

impl<T> Answered<T> {
    /// The answer of a document, which is to hold one of the three.
    ///
    /// # Errors
    ///
    /// It holds none or several.
    pub fn one_of(
        response: Option<T>,
        error: Option<AnswerError>,
        unreadable: Option<ReadFailure>,
    ) -> Result<Self, NotOneAnswer> {
        match (response, error, unreadable) {
            (Some(response), None, None) => Ok(Self::Response(response)),
            (None, Some(error), None) => Ok(Self::Error(error)),
            (None, None, Some(failure)) => Ok(Self::Unreadable(failure)),
            _ => Err(NotOneAnswer),
        }
    }

    /// What the server returned, if anything.
    pub fn response(&self) -> Option<&T> {
        match self {
            Self::Response(response) => Some(response),
            _ => None,
        }
    }

    /// What the controller's client would have been told, if anything.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Error(error) => Some(&error.text),
            _ => None,
        }
    }

    /// What the server returned, to be changed.
    pub fn response_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Response(response) => Some(response),
            _ => None,
        }
    }

    /// What the server returned, taken out, or the failure in the place of
    /// another answer, which was not even asked for because of it.
    ///
    /// # Errors
    ///
    /// The failure.
    pub fn into_response<U>(self) -> Result<T, Answered<U>> {
        match self {
            Self::Response(response) => Ok(response),
            Self::Error(error) => Err(Answered::Error(error)),
            Self::Unreadable(failure) => Err(Answered::Unreadable(failure)),
        }
    }

    /// Why there is no response, where only we wanted one.
    pub fn failure(&self) -> Option<ReadFailure> {
        match self {
            Self::Response(_) => None,
            Self::Error(error) => Some(ReadFailure::not_read(error.text.clone())),
            Self::Unreadable(failure) => Some(failure.clone()),
        }
    }
}

impl Answered<Infallible> {
    /// The same failure in the place of another answer, which was not even
    /// asked for because of it.
    pub fn hand_on<T>(&self) -> Answered<T> {
        let Err(failure) = self.clone().into_response();
        failure
    }
}

/// As a map of one key: YAML would write an enum with a tag.
impl<T: Serialize> Serialize for Answered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        match self {
            Self::Response(response) => map.serialize_entry("response", response)?,
            Self::Error(error) => map.serialize_entry("error", &error.text)?,
            Self::Unreadable(failure) => map.serialize_entry("unreadable", failure)?,
        }
        map.end()
    }
}

/// An answer as documents hold it: exactly one of the three is to be there.
#[derive(Deserialize)]
struct AnswerForm<T> {
    response: Option<T>,
    error: Option<AnswerError>,
    unreadable: Option<ReadFailure>,
}

impl<T> TryFrom<AnswerForm<T>> for Answered<T> {
    type Error = NotOneAnswer;

    fn try_from(form: AnswerForm<T>) -> Result<Self, NotOneAnswer> {
        Self::one_of(form.response, form.error, form.unreadable)
    }
}

/// An error that the controller's own client would have been told; in documents
/// its text alone.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct AnswerError {
    /// What it means.
    pub kind: AnswerErrorKind,
    /// The error in client-go's words, without the controller's prefixes.
    pub text: String,
}

/// What the errors of servers mean, told apart by what one can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerErrorKind {
    /// No API serves the kind.
    NoMapping,
    /// There is no object of the name.
    NotFound(String),
    /// Nothing serves what is asked for.
    ApiNotFound,
    /// The metrics API does not have the metric.
    MetricNotFound,
    /// The server, or one behind it, fails or is in trouble.
    Unavailable,
    /// Somebody has no right to it.
    Forbidden,
    /// Something else; the text says it.
    Other,
}

impl AnswerErrorKind {
    /// What a text means that a server wrote, or that a document holds.
    pub fn of_text(text: &str) -> Self {
        const TEXTS: [(&str, AnswerErrorKind); 14] = [
            ("forbidden", AnswerErrorKind::Forbidden),
            ("unable to map kind", AnswerErrorKind::NoMapping),
            (
                "could not find the requested resource",
                AnswerErrorKind::ApiNotFound,
            ),
            ("no custom metrics api", AnswerErrorKind::ApiNotFound),
            (
                "no known available metric versions",
                AnswerErrorKind::ApiNotFound,
            ),
            ("could not find the metric", AnswerErrorKind::MetricNotFound),
            ("no matching metrics found", AnswerErrorKind::MetricNotFound),
            ("unable to handle the request", AnswerErrorKind::Unavailable),
            ("unable to return a response", AnswerErrorKind::Unavailable),
            ("an error on the server", AnswerErrorKind::Unavailable),
            ("too many requests", AnswerErrorKind::Unavailable),
            ("internal error occurred", AnswerErrorKind::Unavailable),
            // Of metrics-server and of adapters whose own source is gone.
            ("metrics not available", AnswerErrorKind::Unavailable),
            ("unable to fetch metrics", AnswerErrorKind::Unavailable),
        ];
        // The RESTMapper's words for a kind that nothing serves.
        if text.starts_with("no matches for ") {
            return Self::NoMapping;
        }
        if let Some(name) = not_found(text) {
            return Self::NotFound(name.to_owned());
        }
        let text = text.to_lowercase();
        let known = TEXTS.into_iter().find(|(part, _)| text.contains(part));
        known.map_or(Self::Other, |(_, kind)| kind)
    }
}

/// The name in the API server's `deployments.apps "web" not found`.
fn not_found(text: &str) -> Option<&str> {
    let (resource, name) = text.strip_suffix("\" not found")?.split_once(" \"")?;
    (!resource.contains(' ') && !name.contains('"')).then_some(name)
}

impl AnswerError {
    /// An error whose meaning is known.
    pub fn new(kind: AnswerErrorKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }
}

/// An error of which the text is all there is.
impl From<String> for AnswerError {
    fn from(text: String) -> Self {
        Self::new(AnswerErrorKind::of_text(&text), text)
    }
}

/// Why we could not look; in documents its text alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFailure {
    /// What kind of a reason it is.
    pub kind: ReadFailureKind,
    /// The reason, for people.
    pub text: String,
}

/// The reasons why we could not look, told apart by what one can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFailureKind {
    /// A list of many HPAs does not ask for it.
    NotAsked,
    /// The API server does not know who we are.
    Unauthorized,
    /// We may not look.
    Refused,
    /// Anything else.
    NotRead,
}

/// What stands in a refusal before the right that is missing.
const NEEDS: &str = "(needs ";

/// A refusal that names the right that is missing.
pub fn needing(text: &str, right: impl fmt::Display) -> String {
    format!("{text} {NEEDS}{right})")
}

impl ReadFailure {
    /// A list of many HPAs does not ask for it.
    pub fn not_asked() -> Self {
        Self {
            kind: ReadFailureKind::NotAsked,
            text: "not asked for; the HPA's status shows the last pass".to_owned(),
        }
    }

    /// A failure of neither us nor our rights.
    pub fn not_read(text: impl Into<String>) -> Self {
        Self {
            kind: ReadFailureKind::NotRead,
            text: text.into(),
        }
    }

    /// What a server says no with, by the status code of its answer.
    pub fn of_status(code: u16, text: String) -> Self {
        let kind = match code {
            401 => ReadFailureKind::Unauthorized,
            403 => ReadFailureKind::Refused,
            _ => ReadFailureKind::NotRead,
        };
        Self { kind, text }
    }

    /// The reason that a document gives, of which the text is all there is:
    /// it can come from another version, or be written by hand.
    fn of_text(text: String) -> Self {
        let is_unknown = text.starts_with("Unauthorized")
            || text.starts_with("the server has asked for the client to provide credentials");
        let is_refusal = ["forbidden", "Forbidden", "Unauthorized", NEEDS]
            .iter()
            .any(|word| text.contains(word));
        let kind = match (is_unknown, is_refusal) {
            (true, _) => ReadFailureKind::Unauthorized,
            (_, true) => ReadFailureKind::Refused,
            _ => ReadFailureKind::NotRead,
        };
        Self { kind, text }
    }

    /// Whether somebody said no to us, as opposed to saying nothing.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self.kind,
            ReadFailureKind::Unauthorized | ReadFailureKind::Refused
        )
    }
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for ReadFailure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ReadFailure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::of_text)
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerErrorKind, ReadFailure, ReadFailureKind};

    #[test]
    fn what_a_server_says_is_told_apart() {
        let rows = [
            (
                "the server could not find the requested resource (get pods.metrics.k8s.io)",
                AnswerErrorKind::ApiNotFound,
            ),
            (
                "no custom metrics API (custom.metrics.k8s.io) registered",
                AnswerErrorKind::ApiNotFound,
            ),
            (
                "no known available metric versions found",
                AnswerErrorKind::ApiNotFound,
            ),
            (
                "the server is currently unable to handle the request",
                AnswerErrorKind::Unavailable,
            ),
            ("metrics not available", AnswerErrorKind::Unavailable),
            ("unable to fetch metrics", AnswerErrorKind::Unavailable),
            (
                "an error on the server (\"\") has prevented the request from succeeding",
                AnswerErrorKind::Unavailable,
            ),
            (
                "the server could not find the metric m for pods",
                AnswerErrorKind::MetricNotFound,
            ),
            (
                "No matching metrics found for s0-kafka",
                AnswerErrorKind::MetricNotFound,
            ),
            (
                "pods.metrics.k8s.io is forbidden: User \"x\" cannot list",
                AnswerErrorKind::Forbidden,
            ),
            (
                "pods is forbidden: User \"x\" cannot list: RBAC: role \"x\" not found",
                AnswerErrorKind::Forbidden,
            ),
            (
                "unable to map kind Route to resource: no matches",
                AnswerErrorKind::NoMapping,
            ),
            (
                "no matches for kind \"Rocket\" in group \"\"",
                AnswerErrorKind::NoMapping,
            ),
            (
                "deployments.apps \"forbidden\" not found",
                AnswerErrorKind::NotFound("forbidden".to_owned()),
            ),
            ("gone", AnswerErrorKind::Other),
            ("", AnswerErrorKind::Other),
        ];
        for (text, kind) in rows {
            assert_eq!(AnswerErrorKind::of_text(text), kind, "{text}");
        }
    }

    #[test]
    fn why_a_document_could_not_look_is_told_apart() {
        let rows = [
            ("Unauthorized", ReadFailureKind::Unauthorized),
            (
                "pods is forbidden: User \"viewer\" cannot list",
                ReadFailureKind::Refused,
            ),
            ("no (needs list pods)", ReadFailureKind::Refused),
            ("the snapshot holds no answer", ReadFailureKind::NotRead),
            ("", ReadFailureKind::NotRead),
        ];
        for (text, kind) in rows {
            assert_eq!(ReadFailure::of_text(text.to_owned()).kind, kind, "{text}");
        }
    }
}
