//! GET requests, and nothing else: each within its deadline.

use std::cell::RefCell;
use std::time::Duration;

use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use jiff::Timestamp;
use kube::Client;
use kube::client::Body;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::snapshot::Answered;

use super::failed_request::FailedRequest;
use super::warning_header;

/// The largest body that is read; a page of 500 pods stays far below.
const MOST_BYTES: usize = 256 << 20;

/// What is asked for; resource and name are client-go's terms, for its error
/// texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The path with its query.
    pub path: String,
    /// The resource with its group, such as `pods.metrics.k8s.io`.
    pub resource: String,
    /// The object; empty for a list.
    pub name: String,
}

/// Why a request has no answer at all.
#[derive(Debug, Error)]
pub enum Unanswered {
    /// The server did not answer in time.
    #[error("the server did not answer within {}s", .0.as_secs())]
    Timeout(Duration),
    /// The server could not be reached, or broke off.
    #[error("{}", innermost(.0))]
    Broken(kube::Error),
    /// The body broke off or is too large.
    #[error("the answer broke off: {0}")]
    Body(String),
}

/// The innermost cause: the layers above only say that something failed.
fn innermost(error: &kube::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// An answer, successful or not.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    headers: HeaderMap,
    /// The body.
    body: Vec<u8>,
}

/// Sends requests, and keeps what the answers say beside their content.
pub struct Reader {
    client: Client,
    timeout: Duration,
    warnings: RefCell<Vec<String>>,
    server_time: RefCell<Option<Timestamp>>,
}

impl Reader {
    /// A reader with a deadline for each request.
    #[must_use]
    pub fn new(client: Client, timeout: Duration) -> Self {
        Self {
            client,
            timeout,
            warnings: RefCell::default(),
            server_time: RefCell::default(),
        }
    }

    /// The server's clock, as its latest answer told it, in whole seconds.
    #[must_use]
    pub fn server_time(&self) -> Option<Timestamp> {
        *self.server_time.borrow()
    }

    /// The server's warnings, once each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.borrow().clone()
    }

    /// Sends one GET and reads the whole answer.
    ///
    /// # Errors
    ///
    /// No answer, or none in time.
    pub async fn get(&self, asked: &Asked) -> Result<Reply, Unanswered> {
        let exchange = tokio::time::timeout(self.timeout, self.exchange(&asked.path));
        let reply = exchange
            .await
            .map_err(|_| Unanswered::Timeout(self.timeout))??;
        self.note(&reply.headers);
        Ok(reply)
    }

    async fn exchange(&self, path: &str) -> Result<Reply, Unanswered> {
        let request = Request::get(path)
            .header("accept", "application/json")
            .body(Body::empty())
            .map_err(|error| Unanswered::Body(error.to_string()))?;
        let response = self
            .client
            .send(request)
            .await
            .map_err(Unanswered::Broken)?;
        let (parts, body) = response.into_parts();
        let collected = Limited::new(body, MOST_BYTES)
            .collect()
            .await
            .map_err(|error| Unanswered::Body(error.to_string()))?;
        Ok(Reply {
            status: parts.status,
            headers: parts.headers,
            body: collected.to_bytes().to_vec(),
        })
    }

    fn note(&self, headers: &HeaderMap) {
        for warning in headers.get_all("warning") {
            let mut warnings = self.warnings.borrow_mut();
            for text in warning_header::texts(&String::from_utf8_lossy(warning.as_bytes())) {
                if !warnings.contains(&text) {
                    warnings.push(text);
                }
            }
        }
        let date = headers.get("date").and_then(|date| date.to_str().ok());
        if let Some(date) = date.and_then(|date| jiff::fmt::rfc2822::parse(date).ok()) {
            *self.server_time.borrow_mut() = Some(date.timestamp());
        }
    }

    /// What the controller would have been told, or why we may not look.
    pub async fn ask<T: DeserializeOwned>(&self, asked: &Asked) -> Answered<T> {
        match self.get(asked).await {
            Ok(reply) => reply.answered(asked),
            // In client-go a request that takes too long reads like a
            // gateway's timeout.
            Err(Unanswered::Timeout(_)) => Answered::error(failed(asked, 504, None, b"")),
            Err(error) => Answered::unreadable(error.to_string()),
        }
    }
}

impl Reply {
    /// The object, or the failure in client-go's words.
    ///
    /// # Errors
    ///
    /// The text of an answer that is no success, or is not what was asked
    /// for.
    pub fn object<T: DeserializeOwned>(&self, asked: &Asked) -> Result<T, String> {
        if self.status.is_success() {
            let object = serde_json::from_slice(&self.body);
            return object.map_err(|error| format!("unexpected answer to {}: {error}", asked.path));
        }
        let kind = self
            .headers
            .get("content-type")
            .and_then(|kind| kind.to_str().ok());
        Err(failed(asked, self.status.as_u16(), kind, &self.body))
    }

    fn answered<T: DeserializeOwned>(&self, asked: &Asked) -> Answered<T> {
        match (self.object(asked), self.status) {
            (Ok(response), _) => Answered::response(response),
            // Ours alone: the controller has rights of its own.
            (Err(text), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                Answered::unreadable(text)
            }
            (Err(text), status) if status.is_success() => Answered::unreadable(text),
            (Err(text), _) => Answered::error(text),
        }
    }
}

fn failed(asked: &Asked, code: u16, content_type: Option<&str>, body: &[u8]) -> String {
    FailedRequest {
        code,
        content_type,
        body,
        resource: &asked.resource,
        name: &asked.name,
    }
    .text()
}
