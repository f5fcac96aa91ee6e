//! What other releases, or other settings, would decide on the same inputs: each answer comes
//! from running the same pass under their rules.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Range, ReleaseBasis, Rule, Verdict};
use crate::api::CrossVersionObjectReference;

/// What each release whose rules are known would decide.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Preview {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The HPA's scale target.
    pub target: CrossVersionObjectReference,
    /// The moment of the pass.
    pub at: Timestamp,
    /// The cluster's own release.
    pub release: ReleaseBasis,
    /// The releases whose rules no recorded answer of a real controller
    /// covers.
    pub unchecked: Vec<String>,
    /// The answers, that of the oldest release first; releases that decide
    /// the same in the same steps share one.
    pub answers: Vec<ReleaseAnswer>,
}

/// What a release decides, or several that follow each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseAnswer {
    /// The first of the releases, such as `1.25`.
    pub from: String,
    /// The last of them.
    pub to: String,
    /// Whether the cluster's own release is among them.
    pub is_own: bool,
    /// The answer, without what would be found.
    pub verdict: Verdict,
    /// The size before the pass.
    pub current_replicas: i32,
    /// The size after it; absent where what cannot be seen decides.
    pub desired_replicas: Option<i32>,
    /// The counts that are possible, where not everything is known.
    pub possible: Option<Range>,
    /// Whether the pass writes the size; absent where that is not known.
    pub rescale: Option<bool>,
    /// The first step that differs from the own release's; for the own
    /// release, the first one that differs from its neighbour's. Absent where
    /// all do the same.
    pub step: Option<PassStep>,
    /// The rules that make the difference to the release before or, of a
    /// single comparison, between the two: each of them alone, or two
    /// together.
    pub new_rules: Vec<NewRule>,
}

/// A step of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PassStep {
    /// The stage.
    pub stage: Stage,
    /// The metric's name, where it is the step of one.
    pub metric: Option<String>,
    /// What decided.
    pub rule: Rule,
    /// The count that it leads to, or its bounds; absent where it leads to
    /// none.
    pub replicas: Option<Range>,
    /// The rule's formula with its numbers, or the error.
    pub formula: String,
}

/// The stages of a pass, in the order in which two passes are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Reading the scale.
    Scale,
    /// Choosing the way of the pass.
    Branch,
    /// Checking the selector.
    Selector,
    /// Evaluating one metric.
    Metric,
    /// Merging the proposals.
    Recommendation,
    /// The stabilization window.
    Stabilization,
    /// Policies and bounds.
    Limit,
    /// Coming back from zero.
    Zero,
    /// What is decided.
    Outcome,
    /// What a metric makes of the pods; here it stands last, because it
    /// matters most where it changes a number of another stage.
    Pods,
}

/// A rule that came with a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewRule {
    /// Its stable name.
    pub name: &'static str,
    /// The first release that has it, such as `1.33`.
    pub since: String,
    /// What it says, in a sentence.
    pub says: &'static str,
    /// The pull requests that it is derived from, where it is not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived_from: Option<&'static str>,
}

/// What the cluster's own release decides, where the rules of another one
/// were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnRelease {
    /// Whether it is the same, by the same steps.
    pub is_same: bool,
    /// Its answer, with the rules between the two releases that make the
    /// difference.
    pub answer: ReleaseAnswer,
    /// What the release that was asked for does in the place of the answer's
    /// step.
    pub instead: Option<PassStep>,
}

/// What many HPAs would do under another release, or other settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
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
pub struct Untold {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// Why not.
    pub because: String,
}
