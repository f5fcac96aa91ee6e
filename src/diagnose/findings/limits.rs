//! What the limits of the containers make of a target.

use crate::api::{Pod, ResourceRequirements};
use crate::controller::Switch;
use crate::diagnose::{Case, shared_findings};
use crate::trace::amount::{amount, in_unit_of_target};
use crate::trace::{Finding, Group, MetricRecord, TargetKind, Trace};

use super::words::{break_points, field, whole_name};

/// A metric that asks for no more pods even when all that count use as much as
/// their limits allow.
pub(super) fn target_above_limit(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    for metric in &trace.metrics {
        findings.extend(above_limit(case, trace, metric));
    }
}

fn above_limit(case: &Case, trace: &Trace, metric: &MetricRecord) -> Option<Finding> {
    let goal = metric.target.filter(|target| target.value > 0)?;
    let measured = metric.measured.as_ref()?;
    let AtLimits {
        counted,
        limits,
        requests,
    } = at_limits(case, metric)?;
    let most = match goal.kind {
        TargetKind::Utilization => (limits * 100).checked_div(requests)?,
        _ => limits.checked_div(counted.into())?,
    };
    let most = i64::try_from(most).ok()?;
    #[expect(clippy::cast_precision_loss, reason = "as the controller divides")]
    let ratio = most as f64 / goal.value as f64;
    // Up to 1.32 the edge itself is not always tolerated.
    let is_range = case.settings.release.has(Switch::ToleranceRange);
    let is_kept = ratio < measured.tolerated_to || is_range && ratio <= measured.tolerated_to;
    if !is_kept {
        return None;
    }
    let limit = i64::try_from(limits.checked_div(counted.into())?).ok()?;
    let mut finding = shared_findings::target_above_limit(
        &whole_name(metric),
        &metric.source.name,
        &in_unit_of_target(metric, most),
        &in_unit_of_target(metric, goal.value),
    );
    finding = finding.fact("the limit of a pod", amount(metric, limit));
    if requests > 0 {
        let request = i64::try_from(requests.checked_div(counted.into())?).ok()?;
        finding = finding.fact("the request of a pod", amount(metric, request));
    }
    if let Some(up) = break_points(trace, metric).and_then(|points| points.up) {
        let value = in_unit_of_target(metric, up.value);
        finding = finding.fact(field(metric), format!("asks for more from {value} on"));
    }
    Some(finding)
}

/// What the pods that count may use together, and what they request, in
/// thousandths.
pub(in crate::diagnose) struct AtLimits {
    pub counted: i64,
    pub limits: i128,
    pub requests: i128,
}

/// What the pods that count may use of what a metric measures; `None` where
/// something of it has no limit.
pub(in crate::diagnose) fn at_limits(case: &Case, metric: &MetricRecord) -> Option<AtLimits> {
    // What others add has no limit here.
    if !metric.is_of_resource() || metric.groups?.strangers > 0 {
        return None;
    }
    let mut all = AtLimits {
        counted: 0,
        limits: 0,
        requests: 0,
    };
    let pods = case.selected.iter().zip(&metric.pods);
    for (pod, record) in pods.filter(|(_, record)| record.group == Group::Ready) {
        all.counted += 1;
        all.limits += i128::from(limit(pod, metric)?);
        all.requests += i128::from(record.request.unwrap_or_default());
    }
    Some(all)
}

/// What a pod can use of what a metric measures, in thousandths; `None` where
/// nothing limits it.
fn limit(pod: &Pod, metric: &MetricRecord) -> Option<i64> {
    let of = |resources: &Option<ResourceRequirements>| {
        let limit = resources.as_ref()?.limits.get(&metric.source.name)?;
        Some(limit.milli_value()).filter(|limit| *limit > 0)
    };
    let sidecars = pod.spec.init_containers.iter();
    let sidecars = sidecars.filter(|container| container.is_sidecar());
    let containers = pod.spec.containers.iter().chain(sidecars);
    let measured = containers.filter(|own| match &metric.source.container {
        Some(container) => own.name == *container,
        None => true,
    });
    let sum = measured.map(|container| of(&container.resources));
    let sum: Option<i64> = sum.sum::<Option<i64>>().filter(|sum| *sum > 0);
    let whole = of(&pod.spec.resources);
    sum.into_iter().chain(whole).min()
}
