//! Types Resource and `ContainerResource`
//! (`computeStatusForResourceMetricGeneric`).

use super::{Failure, MetricError, unavailable};
use crate::api::ConditionReason;
use crate::controller::conditions::Complaint;
use crate::controller::prepared::{Resource, Target};
use crate::controller::release::{Release, Switch};
use crate::controller::replica_calculator::{
    Calculation, Computed, Measure, PerPod, per_pod_replicas,
};
use crate::trace::{FailureCause, Recorder};

const DISABLED: &str =
    "ContainerResource metric type is not supported: disabled by the feature gate";

pub(super) fn compute<R: Recorder>(
    calculation: &Calculation,
    resource: &Resource,
    recorder: &mut R,
) -> Result<Computed, MetricError> {
    let is_enabled = resource.container.is_none() || calculation.settings.gates.container_metrics;
    if !is_enabled {
        if R::KEEPS {
            // The controller stops before this; the record shows what a
            // reader would see with the gate on.
            _ = evaluate(calculation, resource, recorder);
        }
        return Err(MetricError::Failed(Box::new(Failure {
            cause: FailureCause::GateOff,
            answer: None,
            message: String::new(),
            error: DISABLED.to_owned(),
            reason: None,
            fallback: None,
        })));
    }
    evaluate(calculation, resource, recorder)
}

/// What the pods are measured by, where the target says.
pub(in crate::controller) fn measure(resource: &Resource) -> Option<Measure> {
    match resource.target? {
        Target::AverageValue(target) => Some(Measure::Average { target }),
        Target::Utilization(target) => Some(Measure::Utilization { target }),
        Target::Value(_) => None,
    }
}

/// The proposal, whatever the gates say.
fn evaluate<R: Recorder>(
    calculation: &Calculation,
    resource: &Resource,
    recorder: &mut R,
) -> Result<Computed, MetricError> {
    let failed = |complaint| failure(calculation, resource, complaint);
    let Some(measure) = measure(resource) else {
        return Err(failed(no_target(calculation)));
    };
    let prefixed = |text: &str| prefix(calculation, resource, measure) + text;
    let samples = match &resource.samples {
        Ok(samples) => samples,
        Err(error) => {
            let sentence = |error: &str| {
                format!(
                    "unable to get metrics for resource {}: {error}",
                    resource.name
                )
            };
            let failed = |complaint: Complaint| failed(complaint.says(prefixed));
            return Err(unavailable(error, sentence, failed));
        }
    };
    let input = PerPod {
        samples,
        requests: &resource.requests,
        measure,
        is_cpu: resource.is_cpu(),
    };
    per_pod_replicas(calculation, &input, recorder)
        .map_err(|complaint| failed(complaint.says(prefixed)))
}

fn prefix(calculation: &Calculation, resource: &Resource, measure: Measure) -> String {
    let is_average = matches!(measure, Measure::Average { .. });
    let what = if is_average && calculation.settings.release.has(Switch::UsageTexts) {
        "usage"
    } else {
        "utilization"
    };
    format!("failed to get {} {what}: ", resource.name)
}

fn no_target(calculation: &Calculation) -> Complaint {
    let release = calculation.settings.release;
    let desired = if release.has(Switch::UsageTexts) {
        "neither an average utilization target nor an average value (usage) target was set"
    } else if release.has(Switch::AverageTargetTexts) {
        "neither an average utilization target nor an average value target was set"
    } else {
        "neither a utilization target nor a value target was set"
    };
    let text = format!("invalid resource metric source: {desired}");
    Complaint::new(text, FailureCause::NoTarget)
}

fn failure(calculation: &Calculation, resource: &Resource, complaint: Complaint) -> MetricError {
    let is_wrapped = calculation
        .settings
        .release
        .has(Switch::WrappedMetricErrors);
    let (reason, wrapper) = match resource.container {
        Some(container) => (
            ConditionReason::FailedGetContainerResourceMetric,
            format!("failed to get {container} container metric value: "),
        ),
        None => (
            ConditionReason::FailedGetResourceMetric,
            format!("failed to get {} resource metric value: ", resource.name),
        ),
    };
    MetricError::failed(complaint, reason, if is_wrapped { &wrapper } else { "" })
}

/// The controller's name of the metric.
pub(super) fn name(resource: &Resource, release: Release) -> String {
    let name = resource.name;
    match resource.target {
        Some(Target::Utilization(_)) => {
            let is_reported =
                resource.container.is_some() && release.has(Switch::ContainerMetricName);
            let container = if is_reported { "container " } else { "" };
            format!("{name} {container}resource utilization (percentage of request)")
        }
        _ => format!("{name} resource"),
    }
}
