//! One pass, from reading the scale to writing it (`reconcileAutoscaler`).

mod by_metrics;
mod outlook;

use super::compute_replicas_for_metrics::MetricsError;
use super::settings::Settings;
use super::time::Nanos;
use crate::api::{ConditionKind, ConditionReason, HpaSpec, SUCCESSFUL_RESCALE};
use crate::controller::compute_replicas_for_metric::{metric_name, record_unreadable};
use crate::controller::conditions::{Reason, condition, warning};
use crate::controller::external_metric_fallback::record_unknown_condition;
use crate::controller::memory::Memory;
use crate::controller::normalize::store_scale_event;
use crate::controller::prepared::{Prepared, Scale, ScaleError, Spec};
use crate::controller::release::Switch;
use crate::trace::{
    BranchRecord, ConditionRemoved, Event, EventType, Outcome, Recorder, RescaleReason, Rule,
    ScaleRecord,
};

pub(super) use by_metrics::clamp_from_zero;

/// What a pass decided, for callers that run many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The count that the pass leaves behind; absent where the scale could
    /// not be read, or where what cannot be seen decides.
    pub replicas: Option<i32>,
    /// What the metrics asked for, not below 0; absent where they were not
    /// asked or gave no answer.
    pub recommendation: Option<i32>,
    /// What stabilization made of that.
    pub stabilized: Option<i32>,
    /// The reason of the condition `AbleToScale` after the pass.
    pub able_to_scale: ConditionReason,
    /// The reason of the condition `ScalingLimited`, where the pass set it.
    pub scaling_limited: Option<Reason>,
    /// Why it is another size than was recommended, or than there was where
    /// the bounds decide; of several reasons the last one.
    pub held_by: Option<Reason>,
    /// The error of the metrics, where it ended the pass.
    pub metrics_error: Option<MetricsError>,
    /// Whether the scale was written.
    pub rescaled: bool,
    /// Whether the condition `ScaledToZero` is True afterwards.
    pub scaled_to_zero: bool,
}

/// Runs one pass on prepared inputs and updates the memory.
pub fn reconcile_autoscaler<R: Recorder>(
    prepared: &Prepared,
    settings: &Settings,
    memory: &mut Memory,
    now: Nanos,
    recorder: &mut R,
) -> Decision {
    let decision = match &prepared.scale {
        Ok(scale) => Pass {
            prepared,
            settings,
            now,
            scale: *scale,
        }
        .run(memory, recorder),
        Err(error) => without_scale(prepared, error, memory, recorder),
    };
    recorder.record(|| memory.record());
    decision
}

impl Decision {
    /// The decision of a pass that changes nothing.
    const fn keep(replicas: Option<i32>, scaled_to_zero: bool) -> Self {
        Self {
            replicas,
            recommendation: None,
            stabilized: None,
            able_to_scale: ConditionReason::SucceededGetScale,
            scaling_limited: None,
            held_by: None,
            metrics_error: None,
            rescaled: false,
            scaled_to_zero,
        }
    }
}

/// The ways that a pass can go once it knows the current size.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Branch {
    /// At zero, and nothing brings the target back.
    Disabled,
    /// At zero, and the metrics may bring it back.
    MetricsAtZero,
    /// More replicas than `maxReplicas`.
    AboveMax,
    /// Fewer replicas than `minReplicas`.
    BelowMin,
    /// The metrics decide.
    Metrics,
}

impl Branch {
    /// The way of a pass at a size; at zero, one whose condition says that
    /// the controller scaled to it, or not.
    pub(super) fn of(spec: &Spec, settings: &Settings, current: i32, scaled_to_zero: bool) -> Self {
        if current == 0 && may_leave_zero(spec, settings, scaled_to_zero) {
            Self::MetricsAtZero
        } else if current == 0 {
            Self::Disabled
        } else if current > spec.max {
            Self::AboveMax
        } else if current < spec.min {
            Self::BelowMin
        } else {
            Self::Metrics
        }
    }
}

/// Whether a pass at a size changes nothing because scaling is disabled: at
/// zero, where nothing brings the target back.
pub fn is_disabled_at(prepared: &Prepared, settings: &Settings, current: i32) -> bool {
    let branch = Branch::of(&prepared.spec, settings, current, prepared.scaled_to_zero);
    branch == Branch::Disabled
}

/// Whether the metrics bring an HPA back from zero, if `scaled_to_zero` is
/// what it remembers of how it got there.
pub fn comes_back_from_zero(spec: &HpaSpec, settings: &Settings, scaled_to_zero: bool) -> bool {
    may_leave_zero(&Spec::new(spec, settings.release), settings, scaled_to_zero)
}

/// Since 1.36 only an HPA that scaled to zero itself, as its condition
/// tells, comes back; before, any HPA whose lower bound is 0 does.
fn may_leave_zero(spec: &Spec, settings: &Settings, scaled_to_zero: bool) -> bool {
    if settings.release.has(Switch::ScaledToZeroCondition) {
        let is_its_own = settings.gates.scale_to_zero && scaled_to_zero;
        return is_its_own && (spec.min != 0 || spec.has_object_or_external);
    }
    spec.min == 0
}

/// A pass that knows the scale.
#[derive(Clone, Copy)]
struct Pass<'a> {
    prepared: &'a Prepared<'a>,
    settings: &'a Settings,
    now: Nanos,
    scale: Scale<'a>,
}

impl Pass<'_> {
    fn run<R: Recorder>(self, memory: &mut Memory, recorder: &mut R) -> Decision {
        self.record_scale(recorder);
        memory.seed(self.scale.replicas, self.now);
        let branch = self.branch(recorder);
        let proposals = self.proposals(branch, recorder);
        let spec = &self.prepared.spec;
        match branch {
            Branch::Disabled => self.disabled(recorder),
            // Outside the bounds the nearest one is written at once: no
            // metrics, no stabilization, no rate limit.
            Branch::AboveMax => Decision {
                held_by: Some(Reason::TooManyReplicas),
                ..self.conclude(spec.max, || RescaleReason::AboveMax, None, memory, recorder)
            },
            Branch::BelowMin => Decision {
                held_by: Some(Reason::TooFewReplicas),
                ..self.conclude(spec.min, || RescaleReason::BelowMin, None, memory, recorder)
            },
            Branch::Metrics | Branch::MetricsAtZero => {
                self.by_metrics(&proposals, memory, recorder)
            }
        }
    }

    fn record_scale<R: Recorder>(self, recorder: &mut R) {
        recorder.record(|| ScaleRecord {
            rule: Rule::ScaleRead,
            current_replicas: Some(self.scale.replicas),
            status_replicas: Some(self.scale.status_replicas),
            selector: Some(self.scale.selector.to_owned()),
            error: None,
            unreadable: None,
        });
        recorder.record(|| {
            let message = "the HPA controller was able to get the target's current scale";
            condition(
                ConditionKind::AbleToScale,
                true,
                ConditionReason::SucceededGetScale,
                message,
            )
        });
    }

    /// Which way the pass goes.
    fn branch<R: Recorder>(self, recorder: &mut R) -> Branch {
        let (current, spec) = (self.scale.replicas, &self.prepared.spec);
        let branch = Branch::of(spec, self.settings, current, self.prepared.scaled_to_zero);
        recorder.record(|| {
            let (rule, formula) = match branch {
                Branch::Disabled => (Rule::BranchDisabled, self.zero_formula()),
                Branch::MetricsAtZero => (Rule::BranchMetricsAtZero, self.zero_formula()),
                Branch::AboveMax => (
                    Rule::BranchAboveMax,
                    format!("{current} > maxReplicas {}", spec.max),
                ),
                Branch::BelowMin => (
                    Rule::BranchBelowMin,
                    format!("{current} < minReplicas {}", spec.min),
                ),
                Branch::Metrics => (
                    Rule::BranchMetrics,
                    format!("{} <= {current} <= {}", spec.min, spec.max),
                ),
            };
            BranchRecord { rule, formula }
        });
        branch
    }

    fn zero_formula(self) -> String {
        let min = self.prepared.spec.min;
        if !self.settings.release.has(Switch::ScaledToZeroCondition) {
            return format!("0 replicas, minReplicas {min}");
        }
        let gate = if self.settings.gates.scale_to_zero {
            "on"
        } else {
            "off"
        };
        let condition = if self.prepared.scaled_to_zero {
            "True"
        } else {
            "not True"
        };
        format!("0 replicas, minReplicas {min}, HPAScaleToZero {gate}, ScaledToZero {condition}")
    }

    fn disabled<R: Recorder>(self, recorder: &mut R) -> Decision {
        recorder.record(|| {
            let message = "scaling is disabled since the replica count of the target is zero";
            condition(
                ConditionKind::ScalingActive,
                false,
                ConditionReason::ScalingDisabled,
                message,
            )
        });
        let has_condition = self.settings.release.has(Switch::ScaledToZeroCondition);
        let forgets = has_condition && !self.settings.gates.scale_to_zero;
        if forgets {
            recorder.record(|| ConditionRemoved(ConditionKind::ScaledToZero));
        }
        recorder.record(|| Outcome::kept(0, 0));
        Decision::keep(Some(0), self.prepared.scaled_to_zero && !forgets)
    }
}

impl Pass<'_> {
    /// Writes the scale if it changes, and remembers that.
    fn conclude<R: Recorder>(
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

    fn metric_name(self, winner: usize) -> String {
        let metric = self.prepared.metrics.get(winner);
        metric.map_or_else(String::new, |metric| {
            metric_name(&metric.source, self.settings.release)
        })
    }
}

/// The scale cannot be read: only the condition changes.
fn without_scale<R: Recorder>(
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
