//! Metrics that are one value for all pods: the whole metric against the target. With a
//! target of type Value times the pods that are ready (`getUsageRatioReplicaCount`), with one
//! of type AverageValue times the size in the scale's status
//! (`GetObjectPerPodMetricReplicas`, `GetExternalPerPodMetricReplicas`).

use super::{Calculation, Computed, Shown, Terms, no_pods};
use crate::controller::conditions::Complaint;
use crate::controller::go::{ceil_to_i32, to_f64, to_i64};
use crate::controller::prepared::Pod;
use crate::controller::release::Switch;
use crate::trace::{Measured, ReadyPods, Recorder, Rule, milli_text, quotient};

/// The whole metric against the target, both in thousandths.
pub fn usage_ratio(usage: i64, target: i64) -> f64 {
    to_f64(usage) / to_f64(target)
}

/// Proposes a count for a usage and a target in thousandths; `ready` are the
/// pods to multiply by.
/// Errors: the selector matches no pods although they are needed.
pub fn usage_ratio_replicas<R: Recorder>(
    calculation: &Calculation,
    usage: i64,
    target: i64,
    ready: ReadyPods,
    recorder: &mut R,
) -> Result<Computed, Complaint> {
    let release = calculation.settings.release;
    let tolerances = calculation.tolerances;
    let ratio = usage_ratio(usage, target);
    recorder.record(|| {
        let (tolerated_from, tolerated_to) = tolerances.range();
        Measured {
            rule: Rule::MeasureValue,
            total: usage,
            requests: None,
            count: 1,
            utilization: None,
            average: None,
            ratio,
            tolerated_from,
            tolerated_to,
            within_tolerance: tolerances.is_within(ratio),
            uncut_utilization: None,
            spec_ratio: None,
            formula: format!(
                "{} / {} = {}",
                milli_text(usage),
                milli_text(target),
                quotient(ratio)
            ),
        }
    });
    let computed = |rule, replicas, terms| Computed {
        replicas,
        rule,
        shown: Shown::Value(usage),
        terms,
    };
    if calculation.current == 0 {
        let replicas = ceil_to_i32(ratio, release);
        return Ok(computed(Rule::ValueFromZero, replicas, Terms::Ratio(ratio)));
    }
    if tolerances.is_within(ratio) {
        let replicas = calculation.current;
        return Ok(computed(
            Rule::ValueTolerated,
            replicas,
            Terms::Ratio(ratio),
        ));
    }
    if ready.selected == 0 {
        return Err(no_pods().says(|text| format!("unable to calculate ready pods: {text}")));
    }
    recorder.record(|| ready);
    let ready = i64::try_from(ready.ready).unwrap_or(i64::MAX);
    let product = ratio * to_f64(ready);
    let is_capped = release.has(Switch::ValueCapped) && product > f64::from(i32::MAX);
    let replicas = if is_capped {
        i32::MAX
    } else {
        ceil_to_i32(product, release)
    };
    Ok(computed(
        Rule::ValueByReadyPods,
        replicas,
        Terms::Product(ratio, ready),
    ))
}

/// `getReadyPodsCount`: pods that are Running and Ready, terminating ones
/// included.
pub fn ready_pods(pods: &[Pod]) -> ReadyPods {
    ReadyPods {
        selected: pods.len(),
        ready: pods
            .iter()
            .filter(|pod| Pod::is_running_and_ready(pod))
            .count(),
    }
}

/// The whole metric against the target times the size in the scale's status;
/// amounts are thousandths.
pub fn average_ratio(usage: i64, target: i64, status_replicas: i32) -> f64 {
    to_f64(usage) / (to_f64(target) * f64::from(status_replicas))
}

/// Proposes a count for a usage and a target in thousandths. Inside the
/// tolerance that is the size in the scale's *status*, which lags behind the
/// spec while pods come and go.
///
/// `is_external`: since 1.34 External metrics, unlike Object metrics, are
/// capped.
pub fn average_value_replicas<R: Recorder>(
    calculation: &Calculation,
    usage: i64,
    target: i64,
    is_external: bool,
    recorder: &mut R,
) -> Computed {
    let release = calculation.settings.release;
    let tolerances = calculation.tolerances;
    let status_replicas = calculation.status_replicas;
    let ratio = average_ratio(usage, target, status_replicas);
    let is_within = tolerances.is_within_for_average(ratio);
    let reported = reported_average(calculation, usage, is_external);
    recorder.record(|| {
        let (tolerated_from, tolerated_to) = tolerances.range();
        Measured {
            rule: Rule::MeasurePerReplica,
            total: usage,
            requests: None,
            count: i64::from(status_replicas),
            utilization: None,
            average: Some(reported),
            ratio,
            tolerated_from,
            tolerated_to,
            within_tolerance: is_within,
            uncut_utilization: None,
            spec_ratio: Some(average_ratio(usage, target, calculation.current))
                .filter(|ratio| ratio.is_finite() && status_replicas != calculation.current),
            formula: format!(
                "{} / ({} × {status_replicas}) = {}",
                milli_text(usage),
                milli_text(target),
                quotient(ratio)
            ),
        }
    });
    let computed = |rule, replicas, terms| Computed {
        replicas,
        rule,
        shown: Shown::Average(reported),
        terms,
    };
    if is_within {
        return computed(Rule::AverageTolerated, status_replicas, Terms::Ratio(ratio));
    }
    let desired = (to_f64(usage) / to_f64(target)).ceil();
    let is_capped =
        is_external && release.has(Switch::ExternalAverageCapped) && desired > f64::from(i32::MAX);
    let replicas = if is_capped {
        i32::MAX
    } else {
        ceil_to_i32(desired, release)
    };
    computed(
        Rule::AverageOfTotal,
        replicas,
        Terms::Quotient(usage, target),
    )
}

/// What the status reports: the usage per replica of the target's status, in
/// thousandths, rounded up.
fn reported_average(calculation: &Calculation, usage: i64, is_external: bool) -> i64 {
    let release = calculation.settings.release;
    let is_capped = if is_external {
        release.has(Switch::ExternalAverageCapped)
    } else {
        release.has(Switch::ObjectAverageCapped)
    };
    // The float next to the largest integer is one above it.
    if is_capped && to_f64(usage) >= to_f64(i64::MAX) {
        return i64::MAX;
    }
    if calculation.status_replicas == 0 && release.has(Switch::AverageOfZeroReplicas) {
        return 0;
    }
    to_i64((to_f64(usage) / f64::from(calculation.status_replicas)).ceil())
}
