//! The conditions by which a controller tells how it fares.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConditionKind, ConditionReason, ConditionStatus, OneOf, nullable};

/// A condition that a pass sets, or found already there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(!default)]
pub struct Condition {
    /// Such as `AbleToScale`.
    #[serde(rename = "type")]
    pub kind: OneOf<ConditionKind>,
    /// `True`, `False` or `Unknown`.
    pub status: OneOf<ConditionStatus>,
    /// Why, in one word.
    #[serde(deserialize_with = "nullable::or_default")]
    pub reason: OneOf<ConditionReason>,
    /// Why, in the controller's sentence.
    #[serde(deserialize_with = "nullable::or_default")]
    pub message: String,
    /// When the status last changed, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Timestamp>,
}

impl Condition {
    /// The condition of a type; there is at most one.
    pub fn of(conditions: &[Self], kind: ConditionKind) -> Option<&Self> {
        conditions.iter().find(|it| it.kind == kind)
    }

    /// Whether it says that the controller cannot do its work.
    pub fn fails(&self) -> bool {
        let is_vital = matches!(
            self.kind.known(),
            Some(ConditionKind::AbleToScale | ConditionKind::ScalingActive)
        );
        is_vital
            && self.status == ConditionStatus::False
            && self.reason != ConditionReason::ScalingDisabled
    }
}
