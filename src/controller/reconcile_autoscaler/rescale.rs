//! The end of a pass: the scale is written, or left alone.

use crate::api::{ConditionKind, ConditionReason, SUCCESSFUL_RESCALE};
use crate::controller::compute_replicas_for_metric::metric_name;
use crate::controller::conditions::condition;
use crate::controller::memory::Memory;
use crate::controller::normalize::store_scale_event;
use crate::controller::release::Switch;
use crate::trace::{ConditionRemoved, Event, EventType, Outcome, Recorder, RescaleReason, Rule};

use super::{Decision, Pass};

impl Pass<'_> {
    /// Writes the scale if it changes, and remembers that.
    pub(super) fn conclude<R: Recorder>(
        self,
        replicas: i32,
        reason: impl Fn() -> RescaleReason,
        error: Option<String>,
        memory: &mut Memory,
        recorder: &mut R,
    ) -> Decision {
        let current = self.scale.replicas;
        let returned = error.filter(|_| self.settings.release.has(Switch::PartialFailureReturned));
        if replicas == current {
            recorder.record(|| Outcome {
                error: returned,
                ..Outcome::kept(current, current)
            });
            return Decision::keep(Some(current), self.prepared.scaled_to_zero);
        }
        recorder.record(|| {
            let sentence = "the HPA controller was able to update the target scale to";
            condition(
                ConditionKind::AbleToScale,
                true,
                ConditionReason::SucceededRescale,
                format!("{sentence} {replicas}"),
            )
        });
        recorder.record(|| Event {
            kind: EventType::Normal,
            reason: SUCCESSFUL_RESCALE.to_owned(),
            message: format!("New size: {replicas}; reason: {}", reason()),
        });
        store_scale_event(memory, &self.prepared.spec, current, replicas, self.now);
        let scaled_to_zero = self.record_scaled_to_zero(replicas, recorder);
        recorder.record(|| Outcome {
            rule: Rule::Rescale,
            formula: format!("{current} becomes {replicas}"),
            rescale: Some(true),
            reason: Some(reason().to_string()),
            error: returned,
            ..Outcome::kept(current, replicas)
        });
        Decision {
            rescaled: true,
            able_to_scale: ConditionReason::SucceededRescale,
            ..Decision::keep(Some(replicas), scaled_to_zero)
        }
    }

    /// The condition that tells a workload at zero by the controller's own
    /// doing from one that a person paused (1.36 and later).
    fn record_scaled_to_zero<R: Recorder>(self, replicas: i32, recorder: &mut R) -> bool {
        let spec = &self.prepared.spec;
        if !self.settings.release.has(Switch::ScaledToZeroCondition) {
            return self.prepared.scaled_to_zero;
        }
        if !self.settings.gates.scale_to_zero {
            recorder.record(|| ConditionRemoved(ConditionKind::ScaledToZero));
            return false;
        }
        let to_zero = self.scale.replicas > 0
            && replicas == 0
            && spec.min == 0
            && spec.has_object_or_external;
        recorder.record(|| {
            let (reason, message) = if to_zero {
                (
                    ConditionReason::ScaledToZero,
                    "the HPA controller scaled the workload to zero",
                )
            } else {
                (
                    ConditionReason::NotScaledToZero,
                    "the HPA controller did not scale the workload to zero",
                )
            };
            condition(ConditionKind::ScaledToZero, to_zero, reason, message)
        });
        to_zero
    }

    pub(super) fn metric_name(self, winner: usize) -> String {
        let metric = self.prepared.metrics.get(winner);
        metric.map_or_else(String::new, |metric| {
            metric_name(&metric.source, self.settings.release)
        })
    }
}
