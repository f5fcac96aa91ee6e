//! An answer before it goes over the wire.

use hyper::body::Bytes;
use serde_json::Value;

pub const JSON: &str = "application/json";

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub content_type: String,
    pub body: Bytes,
    pub headers: Vec<(&'static str, String)>,
}

impl Reply {
    pub fn bytes(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            content_type: content_type.to_owned(),
            body: body.into(),
            headers: Vec::new(),
        }
    }

    /// A JSON document, ended by a line break as the API server ends it.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::bytes(status, JSON, format!("{body}\n"))
    }

    /// Plain text in the form of Go's `http.Error`.
    pub fn text(status: u16, words: &str) -> Self {
        let mut reply = Self::bytes(status, "text/plain; charset=utf-8", format!("{words}\n"));
        reply
            .headers
            .push(("x-content-type-options", "nosniff".to_owned()));
        reply
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// The body as JSON; null where it is none.
    pub fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}
