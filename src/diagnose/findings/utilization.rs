//! What a target in percent comes to.

use crate::api::TargetKind;
use crate::diagnose::Case;
use crate::diagnose::findings::words::{field, quantity, whole_name as name};
use crate::snapshot::Snapshot;
use crate::trace::{Code, Finding, Group, MetricRecord, Trace};

/// Percent of what the pods *request*, whatever their limits are.
pub(super) fn target_in_units(
    case: &Case,
    _trace: &Trace,
    metric: &MetricRecord,
) -> Option<Finding> {
    let target = metric.target?;
    let measured = metric.measured.as_ref()?;
    if target.kind != TargetKind::Utilization {
        return None;
    }
    let counted = metric.pods.iter().filter(|pod| pod.group == Group::Ready);
    let mut requests = counted.filter_map(|pod| pod.request);
    let first = requests.next()?;
    let is_same = requests.all(|request| request == first);
    let request = if is_same {
        first
    } else {
        measured.requests?.checked_div(measured.count)?
    };
    let on_average = if is_same { "" } else { " on average" };
    let units = percent_of(request, target.value)?;
    let message = format!(
        "the target of {}, {}% of the request {}, is {} per pod{on_average}",
        name(metric),
        target.value,
        quantity(metric, request),
        quantity(metric, units),
    );
    let mut finding = Finding::new(Code::TargetInUnits, message);
    if let (Some(percent), Some(average)) = (measured.utilization, measured.average) {
        let says = format!("measured {} per pod, {percent}%", quantity(metric, average));
        finding = finding.fact(field(metric), says);
    }
    if let Some(limit) = limit(case.snapshot, metric).filter(|limit| *limit > 0) {
        let share = (i128::from(units) * 100).checked_div(i128::from(limit))?;
        let says = format!(
            "the target is {share}% of the limit {}; limits do not count",
            quantity(metric, limit)
        );
        finding = finding.fact("the pod template", says);
    }
    Some(finding)
}

fn percent_of(request: i64, percent: i64) -> Option<i64> {
    let units = i128::from(request) * i128::from(percent) / 100;
    i64::try_from(units).ok()
}

/// The limit that the pod template sets, in thousandths, if each container
/// that is measured has one.
fn limit(snapshot: &Snapshot, metric: &MetricRecord) -> Option<i64> {
    let template = snapshot.target.as_ref()?.spec.template.as_ref()?;
    let containers = template.spec.as_ref()?.containers.iter();
    let measured = containers.filter(|own| match &metric.source.container {
        Some(container) => own.name == *container,
        None => true,
    });
    let mut total: Option<i64> = None;
    for container in measured {
        let limit = container
            .resources
            .as_ref()?
            .limits
            .get(&metric.source.name)?;
        total = Some(total.unwrap_or_default().checked_add(limit.milli_value())?);
    }
    total
}
