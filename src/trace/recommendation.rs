//! From the metrics' proposals to one recommendation.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Record, Rule, Trace};

/// What checking the pod selector gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectorRecord {
    /// What happened.
    pub rule: Rule,
    /// The selector's text.
    pub selector: String,
    /// What was found, with its numbers.
    pub formula: String,
    /// How many pods it matches, where it parses.
    pub selected: Option<usize>,
    /// The HPAs that select the same pods, this one included; sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub autoscalers: Vec<String>,
    /// The controller's sentence, where the selector was refused.
    pub error: Option<String>,
}

impl Record for SelectorRecord {
    fn enter(self, trace: &mut Trace) {
        trace.selector = Some(self);
    }
}

/// How the proposals were merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecommendationRecord {
    /// The rule that decided.
    pub rule: Rule,
    /// The recommendation, not below 0; absent where there is none or where
    /// an unreadable metric could raise it.
    pub replicas: Option<i32>,
    /// The largest proposal that is known.
    pub largest: Option<i32>,
    /// The metric that it comes from, by its place in the spec.
    pub winner: Option<usize>,
    /// How many metrics failed.
    pub failed: usize,
    /// How many metrics we may not read.
    pub unreadable: usize,
    /// The comparison, with its numbers.
    pub formula: String,
}

impl Record for RecommendationRecord {
    fn enter(self, trace: &mut Trace) {
        trace.recommendation = Some(self);
    }
}
