//! A pass of the controller, as it was seen and as we saw it coming.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::{Condition, ConditionKind, ConditionStatus, HpaStatus};
use crate::trace::{PassFigures, Range, Verdict};

use super::Written;
use super::foresight::Prediction;

/// A pass of the controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pass {
    #[schemars(extend("const" = "Pass"))]
    kind: &'static str,
    /// When it ran: when the status was written, or by the sync period.
    pub at: Timestamp,
    /// Whether it wrote nothing, so that only the time tells of it.
    pub inferred: bool,
    /// The size before it.
    pub current_replicas: i32,
    /// The size that it decided on.
    pub desired_replicas: i32,
    /// What the metrics asked for, by our prediction.
    pub asks_for: Option<i32>,
    /// The reasons that its conditions give, those that tell something.
    pub reasons: Vec<String>,
    /// The answer that our prediction gave, and why; absent without a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// How it compares with our prediction.
    pub prediction: Agreement,
    /// The sizes that were possible by our prediction.
    pub expected: Option<Range>,
    /// Which inputs the pass saw otherwise than the sample behind our
    /// prediction: `cpu moved from 60% to 110%`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<String>,
    /// Whether the controller could not do its work.
    #[serde(skip)]
    pub is_failing: bool,
    /// What our prediction rests on, in numbers.
    #[serde(skip)]
    pub figures: Option<PassFigures>,
}

/// How a pass compares with our prediction, made from the sample before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Agreement {
    /// One size was possible, and that is it.
    Predicted,
    /// It is among several that were possible.
    Inside,
    /// It was not among the possible ones.
    Missed,
    /// There was no sample shortly before it.
    NoSample,
}

impl Pass {
    /// A pass with the status that it left.
    pub(super) fn new(
        at: Timestamp,
        inferred: bool,
        written: &Written,
        prediction: Option<&Prediction>,
    ) -> Self {
        let status = &written.status;
        let desired = status.desired_replicas;
        Self {
            kind: "Pass",
            at,
            inferred,
            current_replicas: status.current_replicas,
            desired_replicas: desired,
            asks_for: prediction.and_then(|it| it.asks_for),
            reasons: reasons(status),
            verdict: prediction.map(|it| it.verdict.clone()),
            prediction: prediction.map_or(Agreement::NoSample, |it| compared(it.expected, desired)),
            expected: prediction.and_then(|it| it.expected),
            moved: prediction.map_or_else(Vec::new, |it| it.inputs.moved(written)),
            is_failing: status.conditions.iter().any(is_failing),
            figures: prediction.map(|it| it.figures.clone()),
        }
    }
}

/// Where nothing could be told, every size was possible.
fn compared(expected: Option<Range>, desired: i32) -> Agreement {
    match expected {
        None => Agreement::Inside,
        Some(range) if range.single() == Some(desired) => Agreement::Predicted,
        Some(range) if range.contains(desired) => Agreement::Inside,
        Some(_) => Agreement::Missed,
    }
}

fn is_failing(condition: &Condition) -> bool {
    let is_vital = matches!(
        condition.kind.known(),
        Some(ConditionKind::AbleToScale | ConditionKind::ScalingActive)
    );
    is_vital && condition.status == ConditionStatus::False
}

/// What fails says it all; otherwise what was done, and what limited it.
fn reasons(status: &HpaStatus) -> Vec<String> {
    let reasons = |tells: fn(&Condition) -> bool| -> Vec<String> {
        let telling = status.conditions.iter().filter(|it| tells(it));
        telling.map(|it| it.reason.to_string()).collect()
    };
    let failing = reasons(is_failing);
    if !failing.is_empty() {
        return failing;
    }
    reasons(|it| match it.kind.known() {
        Some(ConditionKind::AbleToScale) => true,
        Some(ConditionKind::ScalingLimited) => it.status == ConditionStatus::True,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::{Agreement, compared};
    use crate::trace::Range;

    #[test]
    fn a_decision_is_held_against_what_was_possible() {
        let rows = [
            (Some((3, 3)), 3, Agreement::Predicted),
            (Some((3, 5)), 3, Agreement::Inside),
            (Some((3, 5)), 5, Agreement::Inside),
            (Some((3, 5)), 6, Agreement::Missed),
            (Some((3, 3)), 4, Agreement::Missed),
            (None, 4, Agreement::Inside),
        ];
        for (expected, desired, mark) in rows {
            let expected = expected.map(|(from, to)| Range::new(from, to));
            assert_eq!(compared(expected, desired), mark, "{expected:?} {desired}");
        }
    }
}
