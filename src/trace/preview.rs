//! What other releases would decide on the same inputs: each answer comes
//! from running the same pass under their rules.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Range, ReleaseBasis, Rule};
use crate::api::CrossVersionObjectReference;

/// What each release whose rules are known would decide.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
#[serde(rename_all = "camelCase")]
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
