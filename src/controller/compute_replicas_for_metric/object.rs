//! Type Object (`computeStatusForObjectMetric`).

use super::{MetricError, unavailable};
use crate::api::ConditionReason;
use crate::controller::conditions::Complaint;
use crate::controller::prepared::{Object, Target};
use crate::controller::release::{Release, Switch};
use crate::controller::replica_calculator::{
    Calculation, Computed, average_value_replicas, ready_pods, usage_ratio_replicas,
};
use crate::trace::{FailureCause, Recorder};

const NO_TARGET: &str =
    "invalid object metric source: neither a value target nor an average value target was set";

pub(super) fn compute<R: Recorder>(
    calculation: &Calculation,
    object: &Object,
    namespace: &str,
    recorder: &mut R,
) -> Result<Computed, MetricError> {
    let release = calculation.settings.release;
    match object.target {
        Some(Target::Value(target)) => {
            let usage = usage(object, namespace, release, "")?;
            let ready = ready_pods(calculation.pods);
            usage_ratio_replicas(calculation, usage, target, ready, recorder)
                .map_err(|complaint| failure(complaint, ""))
        }
        Some(Target::AverageValue(target)) => {
            let metric = &object.source.metric.name;
            let context = format!("failed to get {metric} object metric: ");
            let usage = usage(object, namespace, release, &context)?;
            Ok(average_value_replicas(
                calculation,
                usage,
                target,
                false,
                recorder,
            ))
        }
        _ => {
            let complaint = Complaint::new(NO_TARGET, FailureCause::NoTarget);
            Err(failure(complaint, ""))
        }
    }
}

/// The measured value; `context` goes into the error of the pass only.
fn usage(
    object: &Object,
    namespace: &str,
    release: Release,
    context: &str,
) -> Result<i64, MetricError> {
    let (metric, described) = (&object.source.metric.name, &object.source.described_object);
    object.value.clone().map_err(|error| {
        let (kind, name) = (&described.kind, &described.name);
        let sentence = |error: &str| {
            if release.has(Switch::ObjectErrorNamed) {
                format!("unable to get metric {metric} on {kind} {namespace}/{name}: {error}")
            } else {
                // Namespace and error stand where a reader would expect the
                // name.
                format!("unable to get metric {metric}: {kind} on {namespace} {name}/{error}")
            }
        };
        unavailable(&error, sentence, |complaint| failure(complaint, context))
    })
}

fn failure(complaint: Complaint, context: &str) -> MetricError {
    let context = format!("failed to get object metric value: {context}");
    MetricError::failed(complaint, ConditionReason::FailedGetObjectMetric, &context)
}
