//! A pass that the metrics decide.

use std::cmp::Ordering;

use super::{Branch, Decision, Pass};
use crate::api::{ConditionKind, ConditionReason};
use crate::controller::compute_replicas_for_metric::{MetricError, compute_replicas_for_metric};
use crate::controller::compute_replicas_for_metrics::{
    Merged, MetricsError, Proposal, compute_replicas_for_metrics,
};
use crate::controller::conditions::{condition, warning};
use crate::controller::memory::Memory;
use crate::controller::normalize::{Normalization, Normalized, Possible, Witness, possible};
use crate::controller::prepared::{Prepared, SelectorCheck};
use crate::controller::release::Switch;
use crate::controller::replica_calculator::{Calculation, Tolerances};
use crate::controller::settings::Settings;
use crate::trace::{
    Outcome, Range, ReasonsUnknown, Recorder, RescaleReason, Rule, StandIn, WitnessRecord,
    Witnesses, ZeroClamp,
};

impl<'a> Pass<'a> {
    /// Every metric, evaluated on its own. A record shows them also where the
    /// pass does not get to them.
    pub(super) fn proposals<R: Recorder>(
        self,
        branch: Branch,
        recorder: &mut R,
    ) -> Vec<Result<i32, MetricError>> {
        let is_usable = self.prepared.selector == SelectorCheck::Accepted;
        let is_reached = matches!(branch, Branch::Metrics | Branch::MetricsAtZero);
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
        let namespace = self.prepared.namespace();
        let metrics = self.prepared.metrics.iter();
        metrics
            .map(|metric| compute_replicas_for_metric(&calculation, metric, namespace, recorder))
            .collect()
    }

    pub(super) fn by_metrics<R: Recorder>(
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
            self.now,
            recorder,
        );
        match merged {
            Err(error) => self.metrics_unusable(error, recorder),
            Ok(Merged::AtLeast { replicas, may_fail }) => {
                self.metric_unreadable(replicas.max(0), may_fail, memory, recorder)
            }
            Ok(Merged::Proposed(proposal)) => self.metrics_found(proposal, memory, recorder),
        }
    }

    /// Nothing changes, and nothing is remembered of this pass.
    fn metrics_unusable<R: Recorder>(self, error: MetricsError, recorder: &mut R) -> Decision {
        let current = self.scale.replicas;
        let text = &error.text;
        recorder.record(|| warning("FailedComputeMetricsReplicas", text));
        recorder.record(|| Outcome {
            error: Some(format!(
                "failed to compute desired number of replicas based on listed metrics for {}: {text}",
                self.prepared.reference()
            )),
            ..Outcome::kept(current, self.prepared.reported_desired)
        });
        Decision {
            metrics_error: Some(error),
            ..Decision::keep(Some(current), self.prepared.scaled_to_zero)
        }
    }

    /// The metric could ask for anything, or fail and block everything.
    fn metric_unreadable<R: Recorder>(
        self,
        at_least: i32,
        may_fail: bool,
        memory: &mut Memory,
        recorder: &mut R,
    ) -> Decision {
        let possible = possible(&self.normalization(at_least, memory), i32::MAX);
        let mut replicas = self.clamp_range(possible.replicas());
        if may_fail {
            replicas = replicas.join(Range::of(self.scale.replicas));
        }
        recorder.record(|| witnesses(&possible));
        self.undecided(replicas, memory, recorder)
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
            condition(
                ConditionKind::ScalingActive,
                true,
                ConditionReason::ValidMetricFound,
                message,
            )
        });
        let recommendation = proposal.replicas.max(0);
        let normalization = self.normalization(recommendation, memory);
        let mut is_certain = true;
        recorder.record(|| self.outlook(recommendation, memory));
        let (mut stands_in, mut starts_known) = (None, true);
        if !memory.is_known() {
            let possible = possible(&normalization, recommendation);
            recorder.record(|| witnesses(&possible));
            if possible.replicas().single().is_none() {
                recorder.record(|| normalization.unsettled(&possible));
                let replicas = self.clamp_range(possible.replicas());
                return self.undecided(replicas, memory, recorder);
            }
            is_certain = possible.only.is_some();
            stands_in = possible
                .least
                .memory
                .filter(|_| !memory.accounts.is_empty());
            starts_known = possible.starts_known;
        }
        let normalized = match &stands_in {
            Some(memory) => self
                .normalization(recommendation, memory)
                .normalize(recorder),
            None => normalization.normalize(recorder),
        };
        if stands_in.is_some() {
            recorder.record(|| StandIn {
                recommendations_known: memory.recommendations.is_some(),
                starts_known,
            });
        }
        memory.store_recommendation(recommendation, self.now, normalized.slot);
        record_conditions(normalized, recorder);
        let replicas = self.clamp_from_zero(normalized.replicas);
        if replicas != normalized.replicas {
            recorder.record(|| ZeroClamp {
                rule: Rule::ZeroClamp,
                formula: format!(
                    "max({}, minReplicas {replicas}) = {replicas}",
                    normalized.replicas
                ),
                from: normalized.replicas,
                to: replicas,
            });
        }
        let reason = || match recommendation.cmp(&self.scale.replicas) {
            Ordering::Greater => RescaleReason::AboveTarget(self.metric_name(proposal.winner)),
            Ordering::Less => RescaleReason::BelowTarget,
            Ordering::Equal if replicas != normalized.replicas => RescaleReason::BelowMin,
            Ordering::Equal => RescaleReason::NONE,
        };
        let decision = self.conclude(replicas, reason, proposal.error, memory, recorder);
        if !is_certain {
            recorder.record(|| ReasonsUnknown);
        }
        Decision {
            recommendation: Some(recommendation),
            stabilized: Some(normalized.stabilized),
            able_to_scale: if decision.rescaled {
                decision.able_to_scale
            } else {
                normalized.able_to_scale.word()
            },
            scaling_limited: Some(normalized.scaling_limited),
            held_by: normalized.held_by(),
            ..decision
        }
    }

    pub(super) fn normalization<'b>(self, desired: i32, memory: &'b Memory) -> Normalization<'b>
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

    fn clamp_from_zero(self, replicas: i32) -> i32 {
        clamp_from_zero(self.prepared, self.settings, self.scale.replicas, replicas)
    }

    pub(super) fn clamp_range(self, replicas: Range) -> Range {
        Range::new(
            self.clamp_from_zero(replicas.from),
            self.clamp_from_zero(replicas.to),
        )
    }

    /// What cannot be seen decides, and with it what is remembered.
    pub(super) fn undecided<R: Recorder>(
        self,
        possible: Range,
        memory: &mut Memory,
        recorder: &mut R,
    ) -> Decision {
        *memory = Memory::default();
        recorder.record(|| Outcome::undecided(self.scale.replicas, Some(possible)));
        Decision::keep(None, self.prepared.scaled_to_zero)
    }
}

/// Since 1.36: normalization leaves a size that is not changed alone, so a
/// lower bound that was raised at zero needs a rule of its own
/// (`reconcileAutoscaler`).
pub fn clamp_from_zero(
    prepared: &Prepared,
    settings: &Settings,
    current: i32,
    replicas: i32,
) -> i32 {
    let applies = settings.release.has(Switch::ScaledToZeroCondition)
        && settings.gates.scale_to_zero
        && prepared.scaled_to_zero
        && current == 0;
    if applies {
        replicas.max(prepared.spec.min)
    } else {
        replicas
    }
}

/// The ends of what is possible.
fn witnesses(possible: &Possible) -> Witnesses {
    let ends = [&possible.least, &possible.most];
    let ends = &ends[..if possible.replicas().single().is_some() {
        1
    } else {
        2
    }];
    let record = |witness: &&Witness| WitnessRecord {
        replicas: witness.replicas,
        recommendation: witness.desired,
        memory: witness.memory.as_ref().map(Memory::record),
    };
    Witnesses(ends.iter().map(record).collect())
}

fn record_conditions<R: Recorder>(normalized: Normalized, recorder: &mut R) {
    let (able, limited) = (normalized.able_to_scale, normalized.scaling_limited);
    recorder.record(|| {
        condition(
            ConditionKind::AbleToScale,
            true,
            able.word(),
            able.message(),
        )
    });
    recorder.record(|| {
        let is_limited = normalized.is_limited;
        condition(
            ConditionKind::ScalingLimited,
            is_limited,
            limited.word(),
            limited.message(),
        )
    });
}
