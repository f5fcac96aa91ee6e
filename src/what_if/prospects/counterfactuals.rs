//! What would be asked for if other pods counted.

use std::collections::BTreeSet;

use crate::api::TargetKind;
use crate::controller::{MetricProposal, Trial};
use crate::snapshot::Snapshot;
use crate::trace::{Counterfactual, Group, Measured, MetricRecord, PodRecord, Premise, Trace};

use super::Question;

impl Question<'_> {
    /// Each answer that differs from the pass's, or that explains it.
    pub(super) fn counterfactuals(self, foreign: &BTreeSet<&str>) -> Vec<Counterfactual> {
        let mut all = Vec::new();
        all.extend(self.without_foreign_pods(foreign));
        all.extend(self.counting_set_aside());
        all.extend(self.average_in_place_of_value());
        all
    }

    fn without_foreign_pods(self, foreign: &BTreeSet<&str>) -> Option<Counterfactual> {
        if foreign.is_empty() {
            return None;
        }
        let premise = Premise::WithoutForeignPods {
            pods: foreign.len(),
        };
        Some(self.answer(premise, &self.case.without_pods(foreign)))
    }

    /// What the pods change that the deciding metric set aside and filled in.
    fn counting_set_aside(self) -> Vec<Counterfactual> {
        let Some((metric, trial)) = self.dampened() else {
            return Vec::new();
        };
        let silent: Vec<&PodRecord> = metric.filled_in_pods().collect();
        let Some(first) = silent.iter().min_by_key(|pod| pod.group != Group::Missing) else {
            return Vec::new();
        };
        let one = Premise::OneCounts {
            pod: first.name.to_string(),
        };
        let all = Premise::AllCount { pods: silent.len() };
        let request = first.request.unwrap_or_default();
        let one_counts = trial.counting_one(first.group == Group::Missing, request);
        let mut answers = Vec::new();
        let answer = |premise, recommended| self.alone(metric.index, premise, recommended);
        answers.extend(one_counts.and_then(|it| Some(answer(one, it.ask()?))));
        answers.extend(
            trial
                .counting_all()
                .and_then(|it| Some(answer(all, it.ask()?))),
        );
        answers
    }

    /// The deciding metric, where it filled in pods that are set aside.
    fn dampened(&self) -> Option<(&MetricRecord, &Trial<'_>)> {
        let metric = self.trace.winner()?;
        metric.filled_in.as_ref()?;
        Some((metric, self.what_if.metric(metric.index)?))
    }

    /// A target of type Value that is not met makes no size rest, if the value
    /// does not fall as pods are added.
    fn average_in_place_of_value(self) -> Option<Counterfactual> {
        let metric = self.trace.winner()?;
        let is_value = metric.target?.kind == TargetKind::Value;
        let proposed = metric.asks_for()?;
        if !is_value || proposed <= self.current() {
            return None;
        }
        let altered = with_average(self.case.snapshot, metric.index)?;
        let premise = Premise::AverageInPlaceOfValue {
            metric: metric.index,
        };
        let trace = self.case.on(&altered);
        Some(Counterfactual {
            proposal: trace
                .metrics
                .get(metric.index)
                .and_then(MetricRecord::asks_for),
            ..self.answer(premise, &trace)
        })
    }

    /// What the pass on other inputs asks for.
    fn answer(self, premise: Premise, trace: &Trace) -> Counterfactual {
        let recommendation = trace.recommended();
        let winner = trace.winner().filter(|_| recommendation.is_some());
        Counterfactual {
            premise,
            metric: winner.map(|metric| metric.index),
            value: winner.and_then(|metric| value(metric, metric.measured.as_ref()?)),
            proposal: None,
            recommendation,
            replicas: recommendation.map(|replicas| self.within_bounds(replicas)),
        }
    }

    /// What is asked for if one metric proposes something else.
    fn alone(self, metric: usize, premise: Premise, recommended: MetricProposal) -> Counterfactual {
        let others = self.trace.metrics.iter();
        let others = others.filter(|other| other.index != metric);
        let most = others
            .filter_map(MetricRecord::asks_for)
            .fold(recommended.replicas, i32::max);
        let recommendation = most.max(0);
        Counterfactual {
            premise,
            metric: Some(metric),
            value: Some(recommended.value),
            proposal: Some(recommended.replicas),
            recommendation: Some(recommendation),
            replicas: Some(self.within_bounds(recommendation)),
        }
    }
}

/// What a metric is measured at, in the unit of its break-points.
fn value(metric: &MetricRecord, measured: &Measured) -> Option<i64> {
    match metric.target?.kind {
        TargetKind::Utilization => measured.utilization.map(i64::from),
        TargetKind::AverageValue if metric.groups.is_some() => measured.average,
        TargetKind::AverageValue | TargetKind::Value => Some(measured.total),
    }
}

/// The snapshot with a metric's target of type Value as one of type
/// `AverageValue`.
fn with_average(snapshot: &Snapshot, metric: usize) -> Option<Snapshot> {
    let mut altered = snapshot.clone();
    let spec = &mut altered.hpa.spec;
    let target = spec.metrics.get_mut(metric)?.targets_mut().next()?;
    target.kind = TargetKind::AverageValue.into();
    target.average_value = Some(target.value.take()?);
    Some(altered)
}
