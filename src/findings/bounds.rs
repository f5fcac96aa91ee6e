//! What the bounds do to the size.

use std::cmp::Ordering;

use super::pods::is_young;
use super::words::{alone, asks, break_points, field, others, quantity, whole_name};
use crate::api::{MetricKind, MetricSpec, Pod, ResourceRequirements, TargetKind};
use crate::controller::Switch;
use crate::findings::{Case, shared_findings};
use crate::trace::amount::{amount, counted as counted_pods, in_unit_of_target, now, target};
use crate::trace::{
    Code, End, Finding, Hold, Measured, MetricRecord, Premise, Prospects, Remedy, Rule, Severity,
    ShellCommand, Trace,
};

/// The metrics ask for more than `maxReplicas`, or for just that.
pub(super) fn at_max(case: &Case, trace: &Trace) -> Option<Finding> {
    let max = trace.bounds.max_replicas;
    let recommended = trace.recommended()?;
    let is_there = trace.outcome.current_replicas == max;
    let at = if is_there {
        "is at"
    } else if trace.outcome.desired_replicas == Some(max) {
        "goes to"
    } else {
        return None;
    };
    match recommended.cmp(&max) {
        Ordering::Greater => {
            let more = i64::from(recommended) - i64::from(max);
            let message = format!(
                "the size {at} maxReplicas {max}, but {}, {more} more",
                asks(trace, recommended)
            );
            let finding =
                Finding::new(Code::AtMax, message).fact("spec.maxReplicas", max.to_string());
            // More pods may be in vain, and what to do then is told beside it.
            if runaway(trace).is_some() || seems_idle(case, trace).is_some() {
                return Some(finding);
            }
            Some(finding.advice(
                "raise maxReplicas if the cluster has room, or make each pod handle more load",
            ))
        }
        Ordering::Equal if is_there => {
            let message =
                format!("the size is at maxReplicas {max}, exactly what the metrics ask for");
            Some(Finding::new(Code::AtMaxExactly, message))
        }
        _ => None,
    }
}

/// The metrics ask for less than `minReplicas`. A metric that is above its
/// target and asks for less all the same is no sign of an idle app.
pub(super) fn at_min(_case: &Case, trace: &Trace) -> Option<Finding> {
    let min = trace.bounds.min_replicas;
    let is_at_min = trace.outcome.current_replicas == min;
    let recommended = trace.recommended().filter(|_| is_at_min)?;
    let first = trace.winner().and_then(|winner| winner.measured.as_ref());
    let last = trace.winner().and_then(MetricRecord::deciding);
    let is_idle = [first, last].iter().flatten().all(|it| it.ratio < 1.0);
    let size = trace.outcome.desired_replicas;
    let is_there = recommended < min && is_idle && size.is_none_or(|size| size == min);
    let message = format!(
        "the size is at minReplicas {min}, and {}: the target is idle",
        asks(trace, recommended)
    );
    is_there.then(|| Finding::new(Code::AtMin, message))
}

/// The size is outside the bounds.
pub(super) fn out_of_bounds(_case: &Case, trace: &Trace) -> Option<Finding> {
    let current = trace.outcome.current_replicas;
    let (min, max) = (trace.bounds.min_replicas, trace.bounds.max_replicas);
    let (says, field, bound) = match trace.branch.as_ref().map(|branch| branch.rule) {
        Some(Rule::BranchAboveMax) => ("above maxReplicas", "spec.maxReplicas", max),
        Some(Rule::BranchBelowMin) => ("below minReplicas", "spec.minReplicas", min),
        _ => return None,
    };
    let message = format!(
        "the size {current} is {says} {bound} and is set to {bound} at once, whatever the metrics ask for"
    );
    Some(Finding::new(Code::OutOfBounds, message).fact(field, bound.to_string()))
}

/// The target is at 0, and the HPA leaves it there.
pub(super) fn paused(case: &Case, trace: &Trace) -> Option<Finding> {
    if trace.verdict.hold != Some(Hold::Paused) {
        return None;
    }
    let target = trace.target_name();
    let hpa = &case.hpa().metadata;
    let mut owners = hpa.owner_references.iter();
    if let Some(owner) = owners.find(|owner| owner.kind == "ScaledObject") {
        let message = format!("{target} has 0 replicas; KEDA, not the HPA, scales it from 0 to 1");
        return Some(
            Finding::new(Code::Paused, message)
                .at_most(Severity::Info)
                .fact(
                    format!("ScaledObject/{}", owner.name),
                    "owns the HPA and scales the target up when a trigger is active",
                ),
        );
    }
    let message =
        format!("{target} has 0 replicas, so the HPA does nothing until something sets its size");
    let min = trace.bounds.min_replicas;
    let finding = Finding::new(Code::Paused, message).change(
        "scale it up, unless it was stopped on purpose; the HPA continues from there",
        trace.scale_to_min(),
    );
    // Why a lower bound of 0 does not bring the target back.
    let zero = if trace.basis.is_off("HPAScaleToZero") {
        "0, but the feature gate HPAScaleToZero is off"
    } else {
        "0, but the HPA scales up from 0 only after it scaled to 0 itself (condition ScaledToZero)"
    };
    Some(finding.facts((min == 0).then_some(("spec.minReplicas", zero))))
}

/// No number of pods brings the metric to its target.
pub(super) fn target_unreachable(_case: &Case, trace: &Trace) -> Option<Finding> {
    let metric = runaway(trace).filter(|metric| metric.is_of_resource())?;
    let (measured, goal) = (metric.measured.as_ref()?, metric.target?);
    let (name, max) = (&metric.source.name, trace.bounds.max_replicas);
    let message = format!(
        "no number of pods brings {name} from {} to its target {} unless it falls as pods are added, \
         so the size goes to maxReplicas {max}",
        now(metric, measured),
        target(metric)
    );
    let mut finding =
        Finding::new(Code::TargetUnreachable, message).fact("spec.maxReplicas", max.to_string());
    if let Some(average) = measured.average {
        finding = finding.fact(format!("{name} per pod"), quantity(metric, average));
        if goal.kind == TargetKind::Utilization && goal.value > 0 {
            // What a pod uses is to be the target's part of what it requests.
            let request = average.saturating_mul(100) / goal.value;
            finding = finding.advice(format!(
                "request more than {} of {name} per pod (replaces all pods: a rollout), or raise the \
                 target above {}",
                amount(metric, request),
                now(metric, measured)
            ));
        }
    }
    Some(finding)
}

/// A target of type Value, where the metric does not fall as pods are added.
pub(super) fn value_for_average(case: &Case, trace: &Trace) -> Option<Finding> {
    let metric = runaway(trace)?;
    let prospects = trace.prospects.as_ref()?;
    let premise = Premise::AverageInPlaceOfValue {
        metric: metric.index,
    };
    let mut all = prospects.counterfactuals.iter();
    let average = all.find(|one| one.premise == premise);
    let (average, measured) = average.zip(metric.measured.as_ref())?;
    let replicas = average.proposal?;
    let max = trace.bounds.max_replicas;
    let is_there = trace.outcome.current_replicas == max;
    let then = if is_there {
        let asks = metric.asks_for()?;
        format!("at maxReplicas {max} it still asks for {asks}")
    } else {
        format!("unless it falls as pods are added, the size goes to maxReplicas {max}")
    };
    let message = format!(
        "{} is at {}, and its target {} has type Value; {then}; an AverageValue asks for {}",
        metric.source.name,
        now(metric, measured),
        target(metric),
        alone(trace, metric, replicas),
    );
    let mut finding = Finding::new(Code::ValueForAverage, message)
        .fact(field(metric), shared_findings::VALUE_IS_OF_THE_WHOLE);
    let remedy = average_in_place_of_value(case, trace, metric);
    finding.remedies.push(remedy);
    // Until it has got to the end, it may well fall; unless it did not before.
    Some(finding.info_if(!is_there && !has_not_fallen(case, metric, measured)))
}

/// Whether the last pass, of a smaller size, measured no more than there is now.
fn has_not_fallen(case: &Case, metric: &MetricRecord, measured: &Measured) -> bool {
    let hpa = case.hpa();
    let size = case.snapshot.scale.response().map(|it| it.spec.replicas);
    let spec = hpa.spec.metrics.get(metric.index);
    let mut entries = hpa.status.current_metrics.iter();
    let entry = spec.and_then(|spec| entries.find(|entry| entry.is_of(spec)));
    let value = entry.and_then(|entry| entry.current()?.value.as_ref());
    Some(hpa.status.current_replicas) < size
        && hpa.status.current_replicas > 0
        && value.is_some_and(|value| value.milli_value() <= measured.total)
}

/// Below so many percent of what they request, pods have room to do more.
const ROOM: i32 = 50;
/// Use that differs by no more than this, in percent of the least, is similar.
const SIMILAR: i64 = 25;
/// For so many seconds at least the size must have been what it is.
const SETTLED: i64 = 300;

/// The metric of pods that all use the same, little and above the target, at
/// `maxReplicas`: what a pod uses without a load looks like this. What its use
/// is then, nobody has measured.
pub(crate) fn seems_idle<'t>(case: &Case, trace: &'t Trace) -> Option<Idle<'t>> {
    let max = trace.bounds.max_replicas;
    let is_at_max = trace.outcome.current_replicas == max && trace.recommended() > Some(max);
    let winner = trace.winner().filter(|it| is_at_max && it.is_of_resource());
    let metric = winner.filter(|metric| metric.source.name == "cpu")?;
    let measured = metric.measured.as_ref().filter(|it| !it.within_tolerance);
    let percent = measured?.utilization.filter(|it| *it < ROOM)?;
    let hpa = case.hpa();
    let scaled = hpa.status.last_scale_time;
    let is_settled = |at| trace.at.duration_since(at).as_secs() >= SETTLED;
    let counted = metric.counted();
    let has_young = counted.clone().any(|pod| is_young(case, trace, pod));
    let uses = counted.filter_map(|pod| pod.usage);
    let (least, most) = (uses.clone().min()?, uses.clone().max()?);
    let is_similar = most.saturating_mul(100) <= least.saturating_mul(100 + SIMILAR);
    (!has_young && is_similar && scaled.is_none_or(is_settled)).then(|| Idle {
        metric,
        pods: uses.count(),
        percent,
        least,
        most,
    })
}

/// Pods that seem to be idle above their target.
pub(crate) struct Idle<'t> {
    metric: &'t MetricRecord,
    pods: usize,
    percent: i32,
    /// What a pod uses, in thousandths.
    least: i64,
    most: i64,
}

/// All pods of an HPA at `maxReplicas` seem to be idle above the target.
pub(super) fn idle_above_target(case: &Case, trace: &Trace) -> Option<Finding> {
    let idle = seems_idle(case, trace)?;
    let (metric, percent) = (idle.metric, idle.percent);
    let message = format!(
        "all {} use about {percent}% of their cpu request (target {}); if idle pods use as much, the \
         size stays at maxReplicas {}",
        counted_pods(idle.pods, "pod"),
        target(metric),
        trace.bounds.max_replicas
    );
    let (least, most) = (amount(metric, idle.least), amount(metric, idle.most));
    let down = down(trace, metric);
    let down = down.map(|(value, asks)| format!("at {value} it asks for {asks}"));
    let finding = Finding::new(Code::IdleAboveTarget, message)
        .fact("cpu per pod", format!("{least} to {most}"))
        .facts(down.map(|says| ("scale-down", says)))
        .look(
            "see what each pod uses, now and again without load",
            trace.kubectl_pods("kubectl top pod"),
        );
    Some(finding.advice("set the target well above what a pod uses without load"))
}

/// From where on a metric asks for fewer pods, in the unit of its target, and
/// for how many.
fn down(trace: &Trace, metric: &MetricRecord) -> Option<(String, String)> {
    let down = break_points(trace, metric)?.down?;
    let value = in_unit_of_target(metric, down.value);
    Some((value, alone(trace, metric, down.replicas)))
}

/// Memory use keeps the size up where the other metrics ask for less.
pub(super) fn memory_cannot_fall(_case: &Case, trace: &Trace) -> Option<Finding> {
    let current = trace.outcome.current_replicas;
    let winner = trace.winner().filter(|it| it.source.name == "memory");
    let metric = winner.filter(|metric| metric.is_of_resource())?;
    let most = others(trace, metric).max_by_key(|(_, replicas)| *replicas);
    let (Some((other, replicas)), Some(measured)) = (most, metric.measured.as_ref()) else {
        return None;
    };
    let keeps = metric.asks_for() == Some(current) && current > trace.bounds.min_replicas;
    if !keeps || replicas >= current {
        return None;
    }
    let message = format!(
        "memory alone keeps the size at {current}: it is at {} (target {}), while {} asks for {}",
        now(metric, measured),
        target(metric),
        other.source.name,
        replicas.max(0)
    );
    let down = down(trace, metric);
    let down = down.map(|(value, asks)| format!("at {value} or less it asks for {asks}"));
    let finding =
        Finding::new(Code::MemoryCannotFall, message).facts(down.map(|it| ("memory", it)));
    Some(finding.advice("scale on cpu or requests alone unless memory follows the load: most programs do not give memory back"))
}

/// The metric that leads to `maxReplicas` and still asks for more there, since
/// it is taken not to fall as pods are added.
pub(super) fn runaway(trace: &Trace) -> Option<&MetricRecord> {
    let prospects: &Prospects = trace.prospects.as_ref()?;
    let settling = prospects.settling.as_ref()?;
    let is_runaway = settling.end == End::AtMax && settling.without_max.is_none();
    let metric = settling.metric.filter(|_| is_runaway)?;
    let is_constant = settling.taken_constant.contains(&metric);
    let metric = trace.metrics.get(metric).filter(|_| is_constant)?;
    // What pods do not count yet is another story.
    let asks = metric.asks_for()? > trace.outcome.current_replicas;
    (asks && trace.winner()?.index == metric.index).then_some(metric)
}

/// The way out of a target of type Value. Divided by the pods, a latency or a
/// share means nothing; whether a metric is one of these, its name alone tells.
pub(crate) fn average_in_place_of_value(
    case: &Case,
    trace: &Trace,
    metric: &MetricRecord,
) -> Remedy {
    Remedy {
        command: as_average(case, trace, metric).pasteable(),
        ..Remedy::advice(shared_findings::AVERAGE_IN_PLACE_OF_VALUE)
    }
}

/// The command that makes a target of type Value one of type `AverageValue`.
fn as_average(case: &Case, trace: &Trace, metric: &MetricRecord) -> ShellCommand {
    let spec = case.hpa().spec.metrics.get(metric.index);
    let source = spec.and_then(MetricSpec::source);
    let amount = source.and_then(|source| source.target().value.as_ref());
    let kind = metric.kind.known().unwrap_or(MetricKind::External);
    let source = kind.field();
    let amount = amount.map_or("", |amount| amount.text());
    let patch = format!(
        r#"[{{"op":"replace","path":"/spec/metrics/{}/{source}/target","value":{{"type":"AverageValue","averageValue":"{amount}"}}}}]"#,
        metric.index
    );
    trace.patch_hpa("--type=json", &patch)
}

/// A metric that asks for no more pods even when all that count use as much as
/// their limits allow.
pub(super) fn target_above_limit(
    case: &Case,
    trace: &Trace,
    metric: &MetricRecord,
) -> Option<Finding> {
    let goal = metric.target.filter(|target| target.value > 0)?;
    let measured = metric.measured.as_ref()?;
    let at_limits = at_limits(case, metric)?;
    let (counted, limits, requests) = (at_limits.counted, at_limits.limits, at_limits.requests);
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
    let request = i64::try_from(requests.checked_div(counted.into())?).ok()?;
    let finding = shared_findings::target_above_limit(
        &whole_name(metric),
        &metric.source.name,
        &in_unit_of_target(metric, most),
        &in_unit_of_target(metric, goal.value),
    );
    let up = break_points(trace, metric).and_then(|points| points.up);
    let up = up.map(|up| {
        let value = in_unit_of_target(metric, up.value);
        format!("asks for more at {value} or more")
    });
    Some(
        finding
            .fact("limit per pod", quantity(metric, limit))
            .facts((requests > 0).then(|| ("request per pod", quantity(metric, request))))
            .facts(up.map(|says| (field(metric), says))),
    )
}

/// What the pods that count may use together, and what they request, in
/// thousandths.
#[derive(Default)]
pub(crate) struct AtLimits {
    pub counted: i64,
    pub limits: i128,
    pub requests: i128,
}

/// What the pods that count may use of what a metric measures; `None` where
/// something of it has no limit.
pub(crate) fn at_limits(case: &Case, metric: &MetricRecord) -> Option<AtLimits> {
    // What others add has no limit here.
    if !metric.is_of_resource() || metric.groups?.foreign_pods > 0 {
        return None;
    }
    let mut all = AtLimits::default();
    for (pod, record) in case.counted(metric) {
        all.counted += 1;
        all.limits += i128::from(limit(pod, metric)?);
        all.requests += i128::from(record.request.unwrap_or_default());
    }
    Some(all)
}

/// What a pod can use of what a metric measures, in thousandths; `None` where
/// nothing limits it.
fn limit(pod: &Pod, metric: &MetricRecord) -> Option<i64> {
    let of = |resources: Option<&ResourceRequirements>| {
        let limit = resources?.limits.get(&metric.source.name)?;
        Some(limit.milli_value()).filter(|limit| *limit > 0)
    };
    let measured = pod.spec.running();
    let measured = measured.filter(|own| metric.source.has_container(&own.name));
    let mut limits = measured.map(|container| of(container.resources.as_ref()));
    let sum = limits.try_fold(0, |sum: i64, limit| sum.checked_add(limit?));
    let sum = sum.filter(|sum| *sum > 0);
    let whole = of(pod.spec.resources.as_deref());
    sum.into_iter().chain(whole).min()
}
