//! A time of the past as a list of changes.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::CrossVersionObjectReference;

use super::Range;

/// What happened to an HPA and its target in a time, by what was scraped.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Story {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The HPA's scale target.
    pub target: CrossVersionObjectReference,
    /// When it begins.
    pub from: Timestamp,
    /// When it ends.
    pub to: Timestamp,
    /// What changed, the oldest first.
    pub changes: Vec<StoryChange>,
}

/// A change, and its cause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoryChange {
    /// When it was at the earliest.
    pub from: Timestamp,
    /// When it was at the latest.
    pub to: Timestamp,
    /// The size before, of a change of the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i32>,
    /// The size after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i32>,
    /// Its cause.
    pub cause: StoryCause,
}

/// Why something changed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum StoryCause {
    /// The metrics asked for so much.
    #[serde(rename_all = "camelCase")]
    Metrics {
        /// The metric that decided, where it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        metric: Option<String>,
        /// How much.
        #[serde(rename = "asked")]
        proposal: Range,
    },
    /// The size lay beyond the bounds; no metric was asked.
    Bounds,
    /// A pass of the HPA whose measurements no scrape has, or somebody else.
    Unmeasured,
    /// Somebody else set the size.
    SetByOthers,
    /// Somebody edited the spec.
    #[serde(rename_all = "camelCase")]
    Edited {
        /// What changed.
        what: String,
    },
    /// The behavior was written; what it was before is not known.
    BehaviorWritten,
    /// The metrics began to fail.
    Failing,
    /// The metrics are there again.
    Working,
    /// Nothing was scraped.
    Hole,
    /// Another controller took over, and remembers nothing.
    Restarted,
}
