//! Which inputs a pass saw otherwise than a sample before it, as far as the
//! HPA tells.

use crate::api::{HpaSpec, MetricStatus};
use crate::history::check::{UNNAMED, differing, is_same_value, proposed};
use crate::snapshot::Snapshot;
use crate::trace::Trace;

use super::Written;

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
        let metrics = trace.metrics.iter().map(|it| proposed(it).cloned());
        Self {
            spec: Some(snapshot.horizontal_pod_autoscaler.spec.clone()),
            size: trace.scale.as_ref().and_then(|it| it.current_replicas),
            metrics: trace.recommendation.is_some().then(|| metrics.collect()),
        }
    }

    /// What is otherwise by what a pass wrote, or would have written.
    pub fn moved(&self, written: &Written) -> Vec<String> {
        let status = &written.status;
        let Some(spec) = self
            .spec
            .as_ref()
            .filter(|it| Some(*it) == written.spec.as_ref())
        else {
            return vec!["the HPA was edited".to_owned()];
        };
        let mut moved = Vec::new();
        let mut conditions = status.conditions.iter();
        let has_size = !conditions.any(|it| it.reason == "FailedGetScale");
        if let Some(size) = self.size.filter(|_| has_size)
            && size != status.current_replicas
        {
            let now = status.current_replicas;
            moved.push(format!("the size moved from {size} to {now}"));
        }
        let metrics = self.metrics.iter().flatten().zip(&spec.metrics);
        for (before, spec) in metrics {
            let name = spec.name().unwrap_or(UNNAMED);
            let after = status.current_metrics.iter().find(|it| it.is_of(spec));
            let before = before.as_ref().and_then(MetricStatus::current);
            match (before, after.and_then(MetricStatus::current)) {
                (Some(before), Some(after)) if !is_same_value(before, after) => {
                    let (before, after) = differing(before, after);
                    moved.push(format!("{name} moved from {before} to {after}"));
                }
                (Some(_), None) => moved.push(format!("{name} could not be read")),
                (None, Some(_)) => moved.push(format!("{name} could be read again")),
                _ => {}
            }
        }
        moved
    }
}
