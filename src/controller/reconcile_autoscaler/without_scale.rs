//! A pass that cannot read the scale.

use crate::api::{ConditionKind, ConditionReason};
use crate::controller::compute_replicas_for_metric::record_unreadable;
use crate::controller::conditions::{condition, warning};
use crate::controller::external_metric_fallback::record_unknown_condition;
use crate::controller::memory::Memory;
use crate::controller::prepared::{Prepared, ScaleError};
use crate::trace::{Outcome, Recorder, Rule, ScaleRecord};

use super::Decision;

/// The scale cannot be read: only the condition changes.
pub(super) fn without_scale<R: Recorder>(
    prepared: &Prepared,
    error: &ScaleError,
    memory: &mut Memory,
    recorder: &mut R,
) -> Decision {
    let (rule, text, context) = match error {
        ScaleError::ApiVersion(text) => (
            Rule::ScaleApiVersion,
            text.as_str(),
            "invalid API version in scale target reference".to_owned(),
        ),
        ScaleError::NoMapping(text) => (
            Rule::ScaleNoMapping,
            *text,
            "unable to determine resource for scale target reference".to_owned(),
        ),
        ScaleError::Failed(text) => (
            Rule::ScaleFailed,
            *text,
            format!(
                "failed to query scale subresource for {}",
                prepared.reference()
            ),
        ),
        ScaleError::Unreadable(reason) => {
            // The controller reads it, and goes on to something unknown.
            *memory = Memory::default();
            recorder.record(|| ScaleRecord {
                unreadable: Some(reason.kind.into()),
                ..no_scale(Rule::ScaleUnreadable, &reason.text)
            });
            for metric in &prepared.metrics {
                record_unreadable(metric, reason, recorder);
            }
            record_unknown_condition(prepared, recorder);
            recorder.record(|| Outcome::undecided(prepared.reported_current, None));
            return Decision::keep(None, prepared.scaled_to_zero);
        }
    };
    recorder.record(|| no_scale(rule, text));
    recorder.record(|| warning("FailedGetScale", text));
    recorder.record(|| {
        let sentence = "the HPA controller was unable to get the target's current scale";
        condition(
            ConditionKind::AbleToScale,
            false,
            ConditionReason::FailedGetScale,
            format!("{sentence}: {text}"),
        )
    });
    recorder.record(|| Outcome {
        error: Some(format!("{context}: {text}")),
        ..Outcome::kept(prepared.reported_current, prepared.reported_desired)
    });
    Decision {
        able_to_scale: ConditionReason::FailedGetScale,
        ..Decision::keep(None, prepared.scaled_to_zero)
    }
}

fn no_scale(rule: Rule, error: &str) -> ScaleRecord {
    ScaleRecord {
        rule,
        current_replicas: None,
        status_replicas: None,
        selector: None,
        error: Some(error.to_owned()),
        unreadable: None,
    }
}
