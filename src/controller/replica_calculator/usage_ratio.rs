//! Targets of type Value: the whole metric against the target, times the
//! pods that are ready (`getUsageRatioReplicaCount`).

use crate::controller::conditions::Complaint;
use crate::controller::go::{ceil_to_i32, to_f64};
use crate::controller::prepared::Pod;
use crate::controller::release::Switch;
use crate::trace::{Measured, ReadyPods, Recorder, Rule, milli_text, quotient};

use super::{Calculation, Computed, Shown, Terms, no_pods};

/// The whole metric against the target, both in thousandths.
pub fn usage_ratio(usage: i64, target: i64) -> f64 {
    to_f64(usage) / to_f64(target)
}

/// Proposes a count for a usage and a target in thousandths; `ready` are the
/// pods to multiply by.
///
/// # Errors
///
/// The selector matches no pods although they are needed.
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
