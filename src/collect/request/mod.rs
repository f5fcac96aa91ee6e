//! What is asked of the API server, and what came back: paths, rights,
//! deadlines, pages, and failures in client-go's words.

pub mod collect_error;
pub mod items;
pub mod pages;
pub mod paths;
pub mod reader;

use std::fmt;

use serde::Deserialize;

use crate::api::beginning;

pub use collect_error::{CollectError, StatusReason};
pub use items::{Depth, Lines};
pub use pages::{each_of, list, list_of, pages_of};
pub use paths::{Endpoint, Resource};
pub use reader::{Patience, Reader, Reply, Sent, Unanswered, interrupted};

/// A right: a verb on a resource of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Right {
    /// The group; empty for the core group.
    pub group: String,
    /// The plural, with the subresource if there is one.
    pub resource: String,
    /// `get`, `list` or `watch`.
    pub verb: &'static str,
    /// Where; absent for all namespaces.
    pub namespace: Option<String>,
}

impl Right {
    fn new(verb: &'static str, group: &str, resource: &str, namespace: Option<&str>) -> Self {
        Self {
            group: group.to_owned(),
            resource: resource.to_owned(),
            verb,
            namespace: namespace.map(str::to_owned),
        }
    }
}

/// `list pods in API group "metrics.k8s.io" in namespace "shop"`.
impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        if !self.group.is_empty() {
            write!(f, " in API group {:?}", self.group)?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " in namespace {namespace:?}"),
            None => write!(f, " in all namespaces"),
        }
    }
}

/// What is read of a `v1` Status, which says why there is no answer.
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

/// A message is kept once for each HPA of which something cannot be read. More
/// characters than this say nothing more, and no page shows them.
const LONGEST: usize = 8 << 10;

impl Status {
    /// The Status of a body; nothing where that is something else, which it
    /// is to client-go without the kind, too.
    pub fn of(body: &[u8]) -> Option<Self> {
        let mut status: Self = serde_json::from_slice(body).ok()?;
        let cut = beginning(&status.message, LONGEST).len();
        status.message.truncate(cut);
        status.message.shrink_to_fit();
        (status.kind == "Status").then_some(status)
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Status};

    #[test]
    fn a_message_is_cut() {
        let body = |letters| serde_json::json!({"kind": "Status", "message": "é".repeat(letters)});
        let cut = |letters| Status::of(body(letters).to_string().as_bytes()).expect("a Status");
        assert_eq!(cut(LONGEST).message.chars().count(), LONGEST);
        assert_eq!(cut(1 << 20).message.chars().count(), LONGEST);
    }
}
