//! A pass of the past by what a Prometheus scraped around it.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::Range;

/// What scrapes tell of the pass of a moment. The pages of the moment run it
/// again on one set of inputs; these bounds hold whichever it was.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScrapedPassRecord {
    /// The pass ran then at the earliest.
    pub from: Timestamp,
    /// And then at the latest.
    pub to: Timestamp,
    /// Whether a scrape has what it measured: another pass may have followed
    /// before the next scrape.
    pub is_measured: bool,
    /// What it asked for; absent where it asked for nothing, since its metrics
    /// failed or were not read.
    #[serde(rename = "asked", skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Range>,
    /// The size that it found; absent where other passes or somebody else may have
    /// set it since the last scrape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Range>,
    /// The size that it left; absent where another pass or somebody else may have
    /// set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Range>,
    /// When the behavior was last written, where that was after the pass: it is
    /// unknown before. Windows and policies are then those of now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behavior_unknown_before: Option<Timestamp>,
}
