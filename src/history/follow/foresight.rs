//! What we said of passes before they ran, and which of their inputs were
//! other ones, as far as the HPA tells.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use super::Written;
use crate::api::{ConditionReason, HpaSpec, MetricStatus};
use crate::document::snapshot::Snapshot;
use crate::history::check::{UNNAMED, changed, is_same_value};
use crate::trace::{PassFigures, Range, Trace, Verdict};

/// How many predictions are kept: passes that are seen late, after a gap of
/// the watch, are held against those of their own time.
const MOST: usize = 1_000;

/// What we said of the pass after a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// When the sample was taken, or its HPA edited.
    pub sampled: Timestamp,
    /// Whether it was edited: a pass that is seen later came later, even in
    /// the same second.
    pub is_of_edit: bool,
    /// What the metrics ask for, as far as it is known.
    pub asks_for: Option<i32>,
    /// The sizes that are possible; all, where none are named.
    pub expected: Option<Range>,
    /// The answer.
    pub verdict: Verdict,
    /// What led to it, in numbers.
    pub figures: PassFigures,
    /// The inputs, as far as the HPA tells afterwards what they were.
    pub inputs: SampledInputs,
}

/// The latest predictions.
#[derive(Debug, Default)]
pub struct Foresight(VecDeque<Prediction>);

impl Foresight {
    /// Keeps what a trace says of the pass after a sample, or after the HPA of one
    /// was edited.
    pub fn note(
        &mut self,
        sampled: Timestamp,
        is_of_edit: bool,
        snapshot: &Snapshot,
        trace: &Trace,
    ) {
        let recommendation = trace.recommendation.as_ref();
        let outcome = &trace.outcome;
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(Prediction {
            sampled,
            is_of_edit,
            asks_for: recommendation.and_then(|it| it.replicas),
            expected: outcome.left(),
            verdict: trace.verdict.clone(),
            figures: PassFigures::of(trace),
            inputs: SampledInputs::of(snapshot, trace),
        });
    }

    /// What we said of a pass: by the last sample before it, unless that was
    /// longer ago than a period. Times are whole seconds, so a sample of the
    /// same second may be one of after the pass.
    pub fn of(&self, pass: Timestamp, period: SignedDuration) -> Option<&Prediction> {
        let is_before = |it: &&Prediction| {
            it.sampled < pass || it.is_of_edit && it.sampled.as_second() == pass.as_second()
        };
        let before = self.0.iter().rev().find(is_before)?;
        (pass.duration_since(before.sampled) <= period).then_some(before)
    }
}

/// What a sample showed of the inputs of a pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampledInputs {
    spec: Option<HpaSpec>,
    size: Option<i32>,
    /// What a pass would have measured; nothing where it would not get to the
    /// metrics.
    metrics: Option<Vec<Option<MetricStatus>>>,
}

impl SampledInputs {
    /// What a pass on a sample sees.
    pub fn of(snapshot: &Snapshot, trace: &Trace) -> Self {
        let metrics = trace.metrics.iter();
        let metrics = metrics.map(|it| Some(it.proposed()?.current.clone()));
        Self {
            spec: Some(snapshot.hpa.spec.clone()),
            size: trace.scale.as_ref().and_then(|it| it.current_replicas),
            metrics: trace.recommendation.is_some().then(|| metrics.collect()),
        }
    }

    /// What is otherwise by what a pass wrote, or would have written.
    pub fn moved(&self, written: &Written) -> Vec<String> {
        let status = &written.status;
        let spec = self.spec.as_ref();
        let Some(spec) = spec.filter(|it| Some(*it) == written.spec.as_ref()) else {
            return vec!["the HPA was edited".to_owned()];
        };
        let mut moved = Vec::new();
        let has_size = !status.has_reason(ConditionReason::FailedGetScale);
        if let Some(size) = self.size.filter(|_| has_size)
            && size != status.current_replicas
        {
            let now = status.current_replicas;
            moved.push(format!("the size changed from {size} to {now}"));
        }
        let metrics = self.metrics.iter().flatten().zip(&spec.metrics);
        for (before, spec) in metrics {
            let name = spec.name().unwrap_or(UNNAMED);
            let after = status.current_metrics.iter().find(|it| it.is_of(spec));
            let before = before.as_ref().and_then(MetricStatus::current);
            match (before, after.and_then(MetricStatus::current)) {
                (Some(before), Some(after)) if !is_same_value(before, after) => {
                    moved.push(changed(name, before, after));
                }
                (Some(_), None) => moved.push(format!("{name} could not be read")),
                (None, Some(_)) => moved.push(format!("{name} could be read again")),
                _ => {}
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{Foresight, PassFigures, Prediction, SampledInputs, Verdict};

    #[test]
    fn a_pass_is_held_against_the_last_sample_before_it() {
        let second = |second| Timestamp::from_second(second).expect("a time");
        let prediction = |at| Prediction {
            sampled: second(at),
            is_of_edit: false,
            asks_for: None,
            expected: None,
            verdict: Verdict::default(),
            figures: PassFigures::default(),
            inputs: SampledInputs::default(),
        };
        let foresight = Foresight([10, 15, 20].map(prediction).into());
        let rows = [
            (10, None),
            (11, Some(10)),
            (15, Some(10)),
            (16, Some(15)),
            (35, Some(20)),
            (36, None),
        ];
        for (pass, sampled) in rows {
            let found = foresight.of(second(pass), SignedDuration::from_secs(15));
            assert_eq!(found.map(|it| it.sampled), sampled.map(second), "{pass}");
        }
    }
}
