//! The `v1` Status that says why there is no answer.

use serde::Deserialize;

/// What is read of a Status.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Status {
    kind: String,
    /// `Success` or `Failure`.
    #[serde(rename = "status")]
    pub outcome: String,
    /// Why, in one word.
    pub reason: String,
    /// Why, in a sentence.
    pub message: String,
}

impl Status {
    /// The Status of a body; nothing where that is something else, which it
    /// is to client-go without the kind, too.
    pub fn of(body: &[u8]) -> Option<Self> {
        let status: Self = serde_json::from_slice(body).ok()?;
        (status.kind == "Status").then_some(status)
    }
}
