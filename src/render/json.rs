//! The explanation as a document for programs.

use serde::Serialize;

use crate::snapshot::API_VERSION;
use crate::trace::{Range, Trace};

use super::Prediction;

/// The most counts that are listed one by one; beyond, the range alone is
/// given.
const MOST_LISTED: u32 = 10_000;

/// An explanation, as `-o json` and `-o yaml` print it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation<'t> {
    api_version: &'static str,
    kind: &'static str,
    namespace: &'t str,
    name: &'t str,
    /// What the controller will have done; absent where what cannot be seen
    /// decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    prediction: Option<Prediction<'t>>,
    /// Every count that is possible, where it is not known which one comes.
    #[serde(skip_serializing_if = "Option::is_none")]
    possible: Option<Vec<i32>>,
    /// The ends of the possible counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    possible_range: Option<Range>,
    /// Everything that the pass did.
    trace: &'t Trace,
}

impl<'t> Explanation<'t> {
    /// Reads the document from a trace.
    #[must_use]
    pub fn of(trace: &'t Trace) -> Self {
        let range = trace.outcome.possible;
        Self {
            api_version: API_VERSION,
            kind: "Explanation",
            namespace: &trace.namespace,
            name: &trace.name,
            prediction: Prediction::of(trace),
            possible: range
                .filter(|range| range.from.abs_diff(range.to) < MOST_LISTED)
                .map(|range| (range.from..=range.to).collect()),
            possible_range: range,
            trace,
        }
    }
}
