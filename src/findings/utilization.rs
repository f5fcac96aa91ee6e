//! What a target in percent comes to.

use crate::api::TargetKind;
use crate::document::snapshot::Snapshot;
use crate::findings::Case;
use crate::findings::words::{apart, field, quantity, whole_name as name};
use crate::trace::amount::{amount, target};
use crate::trace::{Code, Finding, MetricRecord, Trace};

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
    let mut requests = metric.counted().filter_map(|pod| pod.request);
    let first = requests.next()?;
    let is_same = requests.all(|request| request == first);
    let request = if is_same {
        first
    } else {
        measured.requests?.checked_div(measured.count)?
    };
    let on_average = if is_same { "" } else { " on average" };
    let units = i128::from(request) * i128::from(target.value) / 100;
    let units = i64::try_from(units).ok()?;
    let message = format!(
        "the target of {}, {}% of the request {}, is {} per pod{on_average}",
        name(metric),
        target.value,
        quantity(metric, request),
        quantity(metric, units),
    );
    let now = measured.utilization.zip(measured.average);
    let now = now.map(|(percent, average)| {
        let says = format!("measured {} per pod, {percent}%", quantity(metric, average));
        (field(metric), says)
    });
    let limit = limit(case.snapshot, metric).filter(|limit| *limit > 0);
    let limit = limit.map(|limit| {
        let share = i128::from(units) * 100 / i128::from(limit);
        let limit = quantity(metric, limit);
        format!("the target is {share}% of the limit {limit}; limits do not count")
    });
    let finding = Finding::new(Code::TargetInUnits, message).facts(now);
    Some(finding.facts(limit.map(|says| ("the pod template", says))))
}

/// A request of at most so much, in thousandths of a core, is small.
const SMALL: i64 = 50;

/// A load of so many percent of its request says that the request is not what
/// the pods need.
const HUNDREDS: i32 = 200;

/// A cpu request so small that any load asks for more pods.
pub(super) fn small_request(case: &Case, trace: &Trace) -> Option<Finding> {
    let is_up = trace.recommended()? > trace.outcome.current_replicas;
    let is_cpu = |it: &&MetricRecord| it.is_of_resource() && it.source.name == "cpu";
    let metric = trace.winner().filter(is_cpu).filter(|_| is_up)?;
    let measured = metric.measured.as_ref()?;
    let percent = measured.utilization.filter(|it| *it >= HUNDREDS)?;
    let request = measured.requests?.checked_div(measured.count)?;
    if !(1..=SMALL).contains(&request) {
        return None;
    }
    let owners = case.snapshot.target.iter();
    let owners = owners.flat_map(|target| &target.metadata.managed_fields);
    let of_template = owners.filter(|it| {
        let spec = it.fields.spec.as_ref();
        spec.is_some_and(|spec| spec.template.is_some())
    });
    let last = of_template.max_by_key(|it| it.time);
    let last = last.and_then(|it| Some((it, it.time?)));
    let who = last.map_or_else(String::new, |(owner, at)| {
        let ago = apart(trace, at);
        format!("; {} set the template {ago} ago", owner.manager)
    });
    let message = format!(
        "the cpu request of {}'s pods is only {}, so a usage of {} per pod is {percent}% (target {}){who}",
        trace.target_name(),
        amount(metric, request),
        quantity(metric, measured.average?),
        target(metric)
    );
    let changed = last.map(|(owner, at)| {
        let ago = apart(trace, at);
        let (who, how) = (&owner.manager, &owner.operation);
        format!("{who} ({how}) last changed the pod template {ago} ago, at {at}")
    });
    Some(
        Finding::new(Code::SmallRequest, message)
            .facts(changed.map(|says| ("metadata.managedFields", says)))
            .look("see the requests and who set them", trace.see_managers())
            .advice(
                "set the cpu request to what a pod uses under normal load; this replaces all pods \
                 (a rollout)",
            ),
    )
}

/// The limit that the pod template sets, in thousandths, if each container
/// that is measured has one.
fn limit(snapshot: &Snapshot, metric: &MetricRecord) -> Option<i64> {
    let template = snapshot.target.as_ref()?.spec.template.as_ref()?;
    let containers = template.spec.as_ref()?.containers.iter();
    let measured = containers.filter(|own| metric.source.has_container(&own.name));
    let mut total: Option<i64> = None;
    for container in measured {
        let limits = &container.resources.as_ref()?.limits;
        let limit = limits.get(&metric.source.name)?.milli_value();
        total = Some(total.unwrap_or_default().checked_add(limit)?);
    }
    total
}
