//! HPAs under other rules or settings of the controller, beside what they do
//! now.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ReleaseAnswer, ReleaseBasis};

/// What many HPAs would do under another release, or other settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// What is compared with: the release, where another one was asked for.
    pub release: Option<ReleaseBasis>,
    /// The settings that were asked for, as one would write them.
    pub settings: Vec<String>,
    /// The HPAs whose decision or reason would differ, by namespace and name.
    pub items: Vec<Compared>,
    /// How many HPAs would do the same for the same reason.
    pub same: usize,
    /// Those of which neither is known: what they rest on is not seen.
    pub unknown: Vec<Untold>,
    /// Those that could not be read.
    pub failed: Vec<Untold>,
}

/// An HPA that would do something else, or for another reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// What it does now; its step is the first one that differs.
    pub now: ReleaseAnswer,
    /// What it would do, with the rules that make the difference.
    pub then: ReleaseAnswer,
    /// The settings that make a difference, as one would write them.
    pub settings: Vec<String>,
    /// What becomes of it at zero replicas, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_zero: Option<AtZero>,
}

/// What becomes of an HPA at zero replicas, where that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "a document's fields")]
pub struct AtZero {
    /// Whether it is at zero; otherwise this is about the time when it gets
    /// there by its own decision.
    pub is_there: bool,
    /// Whether its metrics bring it back now.
    pub returns_now: bool,
    /// Whether they would then. Where they do not, the size stays 0 until
    /// somebody sets it.
    pub returns_then: bool,
    /// Whether the condition `ScaledToZero` would be removed, so that a later
    /// upgrade does not bring it back either.
    pub forgets: bool,
    /// Whether the API server would refuse `minReplicas: 0` of an HPA that
    /// does not have it yet.
    pub refuses_zero: bool,
}

/// An HPA of which nothing can be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Untold {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// Why not.
    pub because: String,
}
