//! Our result held against the controller's latest pass, and what comes next.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::Range;
use crate::api::{ConditionReason, OneOf};

/// Our result against what status, conditions and events show of the
/// controller's latest pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// How they compare.
    pub verdict: CheckVerdict,
    /// When the status was last written; a pass that changes nothing writes
    /// nothing.
    pub written: Option<Timestamp>,
    /// `status.desiredReplicas`.
    pub desired_replicas: i32,
    /// The reason of the condition `AbleToScale`; empty without one.
    pub able_to_scale: OneOf<ConditionReason>,
    /// What differs, or why nothing can be said, in a clause.
    pub says: String,
}

/// How our result compares with the controller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckVerdict {
    /// The same inputs lead us where they led the controller.
    Agrees,
    /// The inputs have changed since.
    InputsNewer,
    /// What the controller remembers makes, or may make, the difference.
    Memory,
    /// Nothing explains the difference.
    Unexplained,
    /// There is no pass to compare with.
    NoPass,
}

/// When the size can next change, if what the metrics ask for stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outlook {
    /// The next pass; absent where no moment for it is known.
    pub next_pass: Option<NextPass>,
    /// The next step upwards.
    pub up: Step,
    /// The next step downwards.
    pub down: Step,
}

impl Outlook {
    /// Whether a step certainly comes with the next pass.
    pub fn is_at_next_pass(&self, step: Step) -> bool {
        let next = self.next_pass.map(|next| next.latest);
        step.earliest.is_none() && step.latest.is_some_and(|latest| next >= Some(latest))
    }
}

/// The pass that comes next. Passes lie a sync period apart, so when it runs,
/// what an earlier one stored is at least as old.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NextPass {
    /// Not before.
    pub earliest: Timestamp,
    /// By then, unless the controller is late.
    pub latest: Timestamp,
    /// The sizes that it can lead to, whenever within a sync period it runs.
    pub replicas: Range,
}

/// The next step one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Whether the metrics ask for it now; otherwise this is what would
    /// happen if from now on they did.
    #[serde(rename = "asked")]
    pub recommended: bool,
    /// Not before; absent where nothing but the next pass is waited for.
    pub earliest: Option<Timestamp>,
    /// By then at the latest; absent where it may never come.
    pub latest: Option<Timestamp>,
    /// The sizes that it can lead to; absent where it never comes.
    pub replicas: Option<Range>,
}
