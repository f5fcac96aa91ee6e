//! Type External (`computeStatusForExternalMetric`).

use super::{MetricError, unavailable};
use crate::api::{ConditionReason, go_text};
use crate::controller::conditions::Complaint;
use crate::controller::prepared::{External, Target};
use crate::controller::release::{Release, Switch};
use crate::controller::replica_calculator::{
    Calculation, Computed, average_value_replicas, ready_pods, usage_ratio_replicas,
};
use crate::trace::{FailureCause, Recorder};

const NO_TARGET: &str =
    "invalid external metric source: neither a value target nor an average value target was set";

pub(super) fn compute<R: Recorder>(
    calculation: &Calculation,
    external: &External,
    namespace: &str,
    recorder: &mut R,
) -> Result<Computed, MetricError> {
    let release = calculation.settings.release;
    let metric = &external.source.metric.name;
    match external.target {
        Some(Target::AverageValue(target)) => {
            let context = || format!("failed to get {metric} external metric: ");
            let usage = sum_for_average(values(external, namespace, release, context)?, release);
            Ok(average_value_replicas(
                calculation,
                usage,
                target,
                true,
                recorder,
            ))
        }
        Some(Target::Value(target)) => {
            let context = || format!("failed to get external metric {metric}: ");
            let usage = sum_for_value(values(external, namespace, release, context)?, release);
            let ready = ready_pods(calculation.pods);
            usage_ratio_replicas(calculation, usage, target, ready, recorder)
                .map_err(|complaint| failure(external, release, complaint, &context()))
        }
        _ => {
            let complaint = Complaint::new(NO_TARGET, FailureCause::NoTarget);
            Err(failure(external, release, complaint, ""))
        }
    }
}

/// A failure; `context` goes into the error of the pass only.
fn failure(
    external: &External,
    release: Release,
    complaint: Complaint,
    context: &str,
) -> MetricError {
    let name = &external.source.metric.name;
    let context = if release.has(Switch::WrappedMetricErrors) {
        format!("failed to get {name} external metric value: {context}")
    } else {
        context.to_owned()
    };
    MetricError::failed(
        complaint,
        ConditionReason::FailedGetExternalMetric,
        &context,
    )
}

fn values<'a>(
    external: &'a External,
    namespace: &str,
    release: Release,
    context: impl FnOnce() -> String,
) -> Result<&'a [i64], MetricError> {
    let metric = &external.source.metric;
    external.values.as_deref().map_err(|error| {
        let sentence = |error: &str| {
            let selector = go_text(metric.selector.as_ref());
            format!(
                "unable to get external metric {namespace}/{}/{selector}: {error}",
                metric.name
            )
        };
        let failed = |complaint| failure(external, release, complaint, &context());
        unavailable(error, sentence, failed)
    })
}

/// The sum over all series. Since 1.34 a sum that falls below 0 is taken for
/// an overflow, also where the metric really is negative.
pub(in crate::controller) fn sum_for_average(values: &[i64], release: Release) -> i64 {
    let mut sum: i64 = 0;
    for value in values {
        sum = sum.wrapping_add(*value);
        if sum < 0 && release.has(Switch::ExternalAverageCapped) {
            return i64::MAX;
        }
    }
    sum
}

/// The sum over all series; since 1.35 it does not overflow upwards.
pub(in crate::controller) fn sum_for_value(values: &[i64], release: Release) -> i64 {
    let is_capped = release.has(Switch::ValueCapped);
    values
        .iter()
        .fold(0_i64, |sum, value| match sum.checked_add(*value) {
            None if is_capped && sum > 0 => i64::MAX,
            _ => sum.wrapping_add(*value),
        })
}
