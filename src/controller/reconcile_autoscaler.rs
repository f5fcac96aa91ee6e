//! One pass, from reading the scale to writing it (`reconcileAutoscaler`).

use std::cmp::Ordering;

use crate::trace::{
    BranchRecord, ConditionRemoved, Event, EventType, Outcome, Range, Recorder, Rule, ScaleRecord,
    ZeroClamp,
};

use super::compute_replicas_for_metric::{MetricError, compute_replicas_for_metric, metric_name};
use super::compute_replicas_for_metrics::{Merged, Proposal, compute_replicas_for_metrics};
use super::conditions::{
    ABLE_TO_SCALE, Reason, SCALED_TO_ZERO, SCALING_ACTIVE, SCALING_LIMITED, condition, warning,
};
use super::memory::Memory;
use super::normalize::{Normalization, Normalized, possible, store_scale_event};
use super::prepared::{Prepared, Scale, ScaleError, SelectorCheck};
use super::release::Switch;
use super::replica_calculator::{Calculation, Tolerances};
use super::settings::Settings;
use super::time::Nanos;

/// What a pass decided, for callers that run many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The count that the pass leaves behind; absent where the scale could
    /// not be read, or where what cannot be seen decides.
    pub replicas: Option<i32>,
    /// What the metrics asked for, not below 0; absent where they were not
    /// asked or gave no answer.
    pub recommendation: Option<i32>,
    /// The reason of the condition `AbleToScale`, where stabilization set it.
    pub able_to_scale: Option<Reason>,
    /// The reason of the condition `ScalingLimited`, where the pass set it.
    pub scaling_limited: Option<Reason>,
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
        Err(error) => without_scale(prepared, error, recorder),
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
            able_to_scale: None,
            scaling_limited: None,
            rescaled: false,
            scaled_to_zero,
        }
    }
}

/// The scale cannot be read: only the condition changes.
fn without_scale<R: Recorder>(
    prepared: &Prepared,
    error: &ScaleError,
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
            recorder.record(|| no_scale(Rule::ScaleUnreadable, reason));
            recorder.record(|| Outcome::undecided(prepared.reported_current, None));
            return Decision::keep(None, prepared.scaled_to_zero);
        }
    };
    recorder.record(|| no_scale(rule, text));
    recorder.record(|| warning("FailedGetScale", text));
    recorder.record(|| {
        let sentence = "the HPA controller was unable to get the target's current scale";
        condition(
            ABLE_TO_SCALE,
            false,
            "FailedGetScale",
            format!("{sentence}: {text}"),
        )
    });
    recorder.record(|| Outcome {
        error: Some(format!("{context}: {text}")),
        ..Outcome::kept(prepared.reported_current, prepared.reported_desired)
    });
    Decision::keep(None, prepared.scaled_to_zero)
}

fn no_scale(rule: Rule, error: &str) -> ScaleRecord {
    ScaleRecord {
        rule,
        current_replicas: None,
        status_replicas: None,
        selector: None,
        error: Some(error.to_owned()),
    }
}

/// A pass that knows the scale.
#[derive(Clone, Copy)]
struct Pass<'a> {
    prepared: &'a Prepared<'a>,
    settings: &'a Settings,
    now: Nanos,
    scale: Scale<'a>,
}

/// Why the scale is written, as the event says it.
#[derive(Clone, Copy)]
enum RescaleReason {
    AboveMax,
    BelowMin,
    AboveTarget(Option<usize>),
    BelowTarget,
    None,
}

impl<'a> Pass<'a> {
    fn run<R: Recorder>(self, memory: &mut Memory, recorder: &mut R) -> Decision {
        self.record_scale(recorder);
        memory.seed(self.scale.replicas, self.now);
        let branch = self.branch(recorder);
        let proposals = self.proposals(branch, recorder);
        let spec = &self.prepared.spec;
        match branch {
            Rule::BranchDisabled => self.disabled(recorder),
            // Outside the bounds the nearest one is written at once: no
            // metrics, no stabilization, no rate limit.
            Rule::BranchAboveMax => {
                self.conclude(spec.max, RescaleReason::AboveMax, None, memory, recorder)
            }
            Rule::BranchBelowMin => {
                self.conclude(spec.min, RescaleReason::BelowMin, None, memory, recorder)
            }
            _ => self.by_metrics(&proposals, memory, recorder),
        }
    }

    fn record_scale<R: Recorder>(self, recorder: &mut R) {
        recorder.record(|| ScaleRecord {
            rule: Rule::ScaleRead,
            current_replicas: Some(self.scale.replicas),
            status_replicas: Some(self.scale.status_replicas),
            selector: Some(self.scale.selector.to_owned()),
            error: None,
        });
        recorder.record(|| {
            let message = "the HPA controller was able to get the target's current scale";
            condition(ABLE_TO_SCALE, true, "SucceededGetScale", message)
        });
    }

    /// Which way the pass goes.
    fn branch<R: Recorder>(self, recorder: &mut R) -> Rule {
        let (current, spec) = (self.scale.replicas, &self.prepared.spec);
        let rule = if current == 0 && self.may_leave_zero() {
            Rule::BranchMetricsAtZero
        } else if current == 0 {
            Rule::BranchDisabled
        } else if current > spec.max {
            Rule::BranchAboveMax
        } else if current < spec.min {
            Rule::BranchBelowMin
        } else {
            Rule::BranchMetrics
        };
        recorder.record(|| BranchRecord {
            rule,
            formula: match rule {
                Rule::BranchAboveMax => format!("{current} > maxReplicas {}", spec.max),
                Rule::BranchBelowMin => format!("{current} < minReplicas {}", spec.min),
                Rule::BranchMetrics => format!("{} <= {current} <= {}", spec.min, spec.max),
                _ => "0 replicas".to_owned(),
            },
        });
        rule
    }

    /// Since 1.36 only an HPA that scaled to zero itself, as its condition
    /// tells, comes back; before, any HPA whose lower bound is 0 does.
    fn may_leave_zero(self) -> bool {
        let spec = &self.prepared.spec;
        if self.settings.release.has(Switch::ScaledToZeroCondition) {
            return self.scaled_to_zero_itself() && (spec.min != 0 || spec.has_object_or_external);
        }
        spec.min == 0
    }

    fn scaled_to_zero_itself(self) -> bool {
        self.settings.gates.scale_to_zero && self.prepared.scaled_to_zero
    }

    /// Every metric, evaluated on its own. A record shows them also where the
    /// pass does not get to them.
    fn proposals<R: Recorder>(
        self,
        branch: Rule,
        recorder: &mut R,
    ) -> Vec<Result<i32, MetricError>> {
        let is_usable = self.prepared.selector == SelectorCheck::Accepted;
        let is_reached = matches!(branch, Rule::BranchMetrics | Rule::BranchMetricsAtZero);
        if !(R::KEEPS || is_usable && is_reached) {
            return Vec::new();
        }
        let calculation = Calculation {
            settings: self.settings,
            tolerances: Tolerances::new(&self.prepared.spec, self.settings),
            now: self.now,
            current: self.scale.replicas,
            status_replicas: self.scale.status_replicas,
            pods: &self.prepared.pods,
        };
        let namespace = self.prepared.namespace;
        let metrics = self.prepared.metrics.iter();
        metrics
            .map(|metric| compute_replicas_for_metric(&calculation, metric, namespace, recorder))
            .collect()
    }

    fn disabled<R: Recorder>(self, recorder: &mut R) -> Decision {
        recorder.record(|| {
            let message = "scaling is disabled since the replica count of the target is zero";
            condition(SCALING_ACTIVE, false, "ScalingDisabled", message)
        });
        let has_condition = self.settings.release.has(Switch::ScaledToZeroCondition);
        let forgets = has_condition && !self.settings.gates.scale_to_zero;
        if forgets {
            recorder.record(|| ConditionRemoved(SCALED_TO_ZERO));
        }
        recorder.record(|| Outcome::kept(0, 0));
        Decision::keep(Some(0), self.prepared.scaled_to_zero && !forgets)
    }

    fn by_metrics<R: Recorder>(
        self,
        proposals: &[Result<i32, MetricError>],
        memory: &mut Memory,
        recorder: &mut R,
    ) -> Decision {
        let merged = compute_replicas_for_metrics(
            self.prepared,
            self.settings,
            self.scale.replicas,
            proposals,
            recorder,
        );
        match merged {
            Err(error) => self.metrics_unusable(&error, recorder),
            Ok(Merged::AtLeast(replicas)) => {
                self.metric_unreadable(replicas.max(0), memory, recorder)
            }
            Ok(Merged::Proposed(proposal)) => self.metrics_found(proposal, memory, recorder),
        }
    }

    /// Nothing changes, and nothing is remembered of this pass.
    fn metrics_unusable<R: Recorder>(self, error: &str, recorder: &mut R) -> Decision {
        let current = self.scale.replicas;
        recorder.record(|| warning("FailedComputeMetricsReplicas", error));
        recorder.record(|| Outcome {
            error: Some(format!(
                "failed to compute desired number of replicas based on listed metrics for {}: {error}",
                self.prepared.reference()
            )),
            ..Outcome::kept(current, self.prepared.reported_desired)
        });
        Decision::keep(Some(current), self.prepared.scaled_to_zero)
    }

    /// The metric could ask for anything, or fail and block everything.
    fn metric_unreadable<R: Recorder>(
        self,
        at_least: i32,
        memory: &mut Memory,
        recorder: &mut R,
    ) -> Decision {
        let possible = possible(&self.normalization(at_least, memory), i32::MAX);
        let stays = Range::of(self.scale.replicas);
        self.undecided(possible.replicas.join(stays), memory, recorder)
    }

    fn metrics_found<R: Recorder>(
        self,
        proposal: Proposal,
        memory: &mut Memory,
        recorder: &mut R,
    ) -> Decision {
        recorder.record(|| {
            let found = "the HPA was able to successfully calculate a replica count from";
            let message = format!("{found} {}", self.metric_name(proposal.winner));
            condition(SCALING_ACTIVE, true, "ValidMetricFound", message)
        });
        let recommendation = proposal.replicas.max(0);
        let normalization = self.normalization(recommendation, memory);
        if !memory.is_known() {
            let possible = possible(&normalization, recommendation);
            if possible.only.is_none() {
                return self.undecided(possible.replicas, memory, recorder);
            }
        }
        let normalized = normalization.normalize(recorder);
        memory.store_recommendation(recommendation, self.now, normalized.slot);
        record_conditions(normalized, recorder);
        let replicas = self.clamp_from_zero(normalized.replicas);
        if replicas != normalized.replicas {
            recorder.record(|| ZeroClamp {
                rule: Rule::ZeroClamp,
                from: normalized.replicas,
                to: replicas,
            });
        }
        let reason = match recommendation.cmp(&self.scale.replicas) {
            Ordering::Greater => RescaleReason::AboveTarget(proposal.winner),
            Ordering::Less => RescaleReason::BelowTarget,
            Ordering::Equal if replicas != normalized.replicas => RescaleReason::BelowMin,
            Ordering::Equal => RescaleReason::None,
        };
        let decision = self.conclude(replicas, reason, proposal.error, memory, recorder);
        Decision {
            recommendation: Some(recommendation),
            able_to_scale: Some(normalized.able_to_scale),
            scaling_limited: Some(normalized.scaling_limited),
            ..decision
        }
    }

    fn normalization<'b>(self, desired: i32, memory: &'b Memory) -> Normalization<'b>
    where
        'a: 'b,
    {
        Normalization {
            spec: &self.prepared.spec,
            settings: self.settings,
            memory,
            now: self.now,
            current: self.scale.replicas,
            desired,
        }
    }

    /// Since 1.36: normalization leaves a size that is not changed alone, so
    /// a lower bound that was raised at zero needs a rule of its own.
    fn clamp_from_zero(self, replicas: i32) -> i32 {
        let applies = self.settings.release.has(Switch::ScaledToZeroCondition)
            && self.scale.replicas == 0
            && self.scaled_to_zero_itself();
        if applies {
            replicas.max(self.prepared.spec.min)
        } else {
            replicas
        }
    }

    /// Writes the scale if it changes, and remembers that.
    fn conclude<R: Recorder>(
        self,
        replicas: i32,
        reason: RescaleReason,
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
        let reason = self.rescale_reason(reason, recorder);
        recorder.record(|| {
            let sentence = "the HPA controller was able to update the target scale to";
            condition(
                ABLE_TO_SCALE,
                true,
                "SucceededRescale",
                format!("{sentence} {replicas}"),
            )
        });
        recorder.record(|| Event {
            kind: EventType::Normal,
            reason: "SuccessfulRescale".to_owned(),
            message: format!("New size: {replicas}; reason: {reason}"),
        });
        store_scale_event(memory, &self.prepared.spec, current, replicas, self.now);
        let scaled_to_zero = self.record_scaled_to_zero(replicas, recorder);
        recorder.record(|| Outcome {
            rule: Rule::Rescale,
            rescale: Some(true),
            reason: Some(reason.clone()),
            error: returned,
            ..Outcome::kept(current, replicas)
        });
        Decision {
            rescaled: true,
            ..Decision::keep(Some(replicas), scaled_to_zero)
        }
    }

    /// The event's reason text; empty where no record is kept.
    fn rescale_reason<R: Recorder>(self, reason: RescaleReason, _recorder: &R) -> String {
        if !R::KEEPS {
            return String::new();
        }
        match reason {
            RescaleReason::AboveMax => {
                "Current number of replicas above Spec.MaxReplicas".to_owned()
            }
            RescaleReason::BelowMin => {
                "Current number of replicas below Spec.MinReplicas".to_owned()
            }
            RescaleReason::AboveTarget(winner) => {
                format!("{} above target", self.metric_name(winner))
            }
            RescaleReason::BelowTarget => "All metrics below target".to_owned(),
            RescaleReason::None => String::new(),
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
            recorder.record(|| ConditionRemoved(SCALED_TO_ZERO));
            return false;
        }
        let to_zero = self.scale.replicas > 0
            && replicas == 0
            && spec.min == 0
            && spec.has_object_or_external;
        recorder.record(|| {
            let (reason, message) = if to_zero {
                (
                    "ScaledToZero",
                    "the HPA controller scaled the workload to zero",
                )
            } else {
                (
                    "NotScaledToZero",
                    "the HPA controller did not scale the workload to zero",
                )
            };
            condition(SCALED_TO_ZERO, to_zero, reason, message)
        });
        to_zero
    }

    /// What cannot be seen decides, and with it what is remembered.
    fn undecided<R: Recorder>(
        self,
        possible: Range,
        memory: &mut Memory,
        recorder: &mut R,
    ) -> Decision {
        *memory = Memory::default();
        let possible = Range {
            from: self.clamp_from_zero(possible.from),
            to: self.clamp_from_zero(possible.to),
        };
        recorder.record(|| Outcome::undecided(self.scale.replicas, Some(possible)));
        Decision::keep(None, self.prepared.scaled_to_zero)
    }

    fn metric_name(self, winner: Option<usize>) -> String {
        let metric = winner.and_then(|winner| self.prepared.metrics.get(winner));
        metric.map_or_else(String::new, |metric| {
            metric_name(&metric.source, self.settings.release)
        })
    }
}

fn record_conditions<R: Recorder>(normalized: Normalized, recorder: &mut R) {
    let (able, limited) = (normalized.able_to_scale, normalized.scaling_limited);
    recorder.record(|| condition(ABLE_TO_SCALE, true, able.as_str(), able.message()));
    recorder.record(|| {
        let is_limited = normalized.is_limited;
        condition(
            SCALING_LIMITED,
            is_limited,
            limited.as_str(),
            limited.message(),
        )
    });
}
