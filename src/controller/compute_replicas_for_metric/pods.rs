//! Type Pods (`computeStatusForPodsMetric`).

use super::{MetricError, unavailable};
use crate::api::ConditionReason;
use crate::controller::conditions::Complaint;
use crate::controller::prepared::PodsMetric;
use crate::controller::replica_calculator::{
    Calculation, Computed, Measure, PerPod, per_pod_replicas,
};
use crate::trace::Recorder;

pub(super) fn compute<R: Recorder>(
    calculation: &Calculation,
    pods: &PodsMetric,
    recorder: &mut R,
) -> Result<Computed, MetricError> {
    let name = &pods.metric.name;
    let samples = pods.samples.as_ref().map_err(|error| {
        let sentence = |error: &str| format!("unable to get metric {name}: {error}");
        unavailable(error, sentence, failure)
    })?;
    let input = PerPod {
        samples,
        requests: &Ok(Vec::new()),
        measure: Measure::Average {
            target: pods.target,
        },
        is_cpu: false,
    };
    per_pod_replicas(calculation, &input, recorder).map_err(failure)
}

fn failure(complaint: Complaint) -> MetricError {
    let context = "failed to get pods metric value: ";
    MetricError::failed(complaint, ConditionReason::FailedGetPodsMetric, context)
}
