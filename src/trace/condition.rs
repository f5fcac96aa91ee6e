//! Conditions and events, as the pass leaves them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Record, Trace};
use crate::api::{Condition, ConditionKind};

/// `setConditionInList`: a type keeps its place in the list, and its
/// transition time moves only when the status changes.
impl Record for Condition {
    fn enter(mut self, trace: &mut Trace) {
        self.last_transition_time = Some(trace.at);
        match trace.conditions.iter_mut().find(|c| c.kind == self.kind) {
            Some(known) => {
                if known.status == self.status {
                    self.last_transition_time = known.last_transition_time;
                }
                *known = self;
            }
            None => trace.conditions.push(self),
        }
    }
}

/// A condition that the pass takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionRemoved(
    /// The condition's type.
    pub ConditionKind,
);

impl Record for ConditionRemoved {
    fn enter(self, trace: &mut Trace) {
        trace.conditions.retain(|c| c.kind != self.0);
    }
}

/// An event that a pass emits on the HPA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// Why, in one word.
    pub reason: String,
    /// The controller's sentence.
    pub message: String,
}

/// How serious an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum EventType {
    /// All is well.
    Normal,
    /// Something failed.
    Warning,
}

impl Record for Event {
    fn enter(self, trace: &mut Trace) {
        trace.events.push(self);
    }
}
