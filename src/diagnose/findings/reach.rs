//! Metrics that more pods do not bring to their target.

use crate::diagnose::shared_findings;
use crate::trace::amount::{
    amount, counted as counted_pods, in_unit_of_target, now, proposal, target,
};
use crate::trace::{
    Code, End, Finding, Group, MetricRecord, Premise, Prospects, Remedy, Severity, TargetKind,
    Trace, is_pasteable, shell_word,
};

use super::Case;
use super::initializing::is_young;
use super::words::{alone, break_points, field, selected};

/// No number of pods brings the metric to its target.
pub(super) fn target_unreachable(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let Some(metric) = runaway(trace).filter(|metric| metric.is_of_resource()) else {
        return;
    };
    let (Some(measured), Some(goal)) = (&metric.measured, metric.target) else {
        return;
    };
    let (name, max) = (&metric.source.name, trace.bounds.max_replicas);
    let message = format!(
        "{name} is at {} in each pod: unless that falls as pods are added, no size reaches {}, \
         and the HPA goes to maxReplicas {max}",
        now(metric, measured),
        target(metric)
    );
    let mut finding =
        Finding::new(Code::TargetUnreachable, message).fact("spec.maxReplicas", max.to_string());
    if let Some(average) = measured.average {
        finding = finding.fact(format!("{name} of a pod"), amount(metric, average));
        if goal.kind == TargetKind::Utilization && goal.value > 0 {
            // What a pod uses is to be the target's part of what it requests.
            let request = average.saturating_mul(100) / goal.value;
            finding = finding.advice(format!(
                "request more than {} of {name} for each pod, or aim higher than {}",
                amount(metric, request),
                now(metric, measured)
            ));
        }
    }
    findings.push(finding);
}

/// A target of type Value, where the metric does not fall as pods are added.
pub(super) fn value_for_average(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let Some(metric) = runaway(trace) else { return };
    let Some(prospects) = &trace.prospects else {
        return;
    };
    let premise = Premise::AverageInPlaceOfValue {
        metric: metric.index,
    };
    let mut all = prospects.counterfactuals.iter();
    let average = all.find(|one| one.premise == premise);
    let Some((average, measured)) = average.zip(metric.measured.as_ref()) else {
        return;
    };
    let Some(replicas) = average.proposal else {
        return;
    };
    let max = trace.bounds.max_replicas;
    let message = format!(
        "{} is at {}, target Value {}: unless it falls as pods are added, the size goes to \
         maxReplicas {max}; an AverageValue asks for {}",
        metric.source.name,
        now(metric, measured),
        target(metric),
        alone(trace, metric, replicas),
    );
    let mut finding = Finding::new(Code::ValueForAverage, message).fact(
        field(metric),
        "a target of type Value is compared with the whole metric, whatever the size",
    );
    let remedy = average_in_place_of_value(case, trace, metric);
    finding.remedies.push(remedy);
    // Until it has got to the end, it may well fall.
    let severity = if trace.outcome.current_replicas == max {
        Severity::Warning
    } else {
        Severity::Info
    };
    findings.push(finding.at_most(severity));
}

/// Below so many percent of what they request, pods have room to do more.
const ROOM: i32 = 50;
/// Use that differs by no more than this, in percent of the least, is alike.
const ALIKE: i64 = 25;
/// For so many seconds at least the size must have been what it is.
const SETTLED: i64 = 300;

/// The metric of pods that all use the same, little and above the target, at
/// `maxReplicas`: what a pod uses without a load looks like this. What its use
/// is then, nobody has measured.
pub(in crate::diagnose) fn seems_idle<'t>(case: &Case, trace: &'t Trace) -> Option<Idle<'t>> {
    let max = trace.bounds.max_replicas;
    let is_at_max = trace.outcome.current_replicas == max && trace.asked() > Some(max);
    let winner = trace
        .winner()
        .filter(|metric| is_at_max && metric.is_of_resource());
    let metric = winner.filter(|metric| metric.source.name == "cpu")?;
    let measured = metric.measured.as_ref().filter(|it| !it.within_tolerance);
    let percent = measured?.utilization.filter(|it| *it < ROOM)?;
    let hpa = &case.snapshot.horizontal_pod_autoscaler;
    let scaled = hpa.status.last_scale_time;
    let is_settled = |at| trace.at.duration_since(at).as_secs() >= SETTLED;
    let counted = metric.pods.iter().filter(|pod| pod.group == Group::Ready);
    let has_young = counted.clone().any(|pod| is_young(case, trace, pod));
    let uses = counted.filter_map(|pod| pod.usage);
    let (least, most) = (uses.clone().min()?, uses.clone().max()?);
    let is_alike = most.saturating_mul(100) <= least.saturating_mul(100 + ALIKE);
    (!has_young && is_alike && scaled.is_none_or(is_settled)).then(|| Idle {
        metric,
        pods: uses.count(),
        percent,
        least,
        most,
    })
}

/// Pods that seem to be idle above their target.
pub(in crate::diagnose) struct Idle<'t> {
    metric: &'t MetricRecord,
    pods: usize,
    percent: i32,
    /// What a pod uses, in thousandths.
    least: i64,
    most: i64,
}

/// All pods of an HPA at `maxReplicas` seem to be idle above the target.
pub(super) fn idle_above_target(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let Some(idle) = seems_idle(case, trace) else {
        return;
    };
    let Idle {
        metric,
        pods,
        percent,
        least,
        most,
    } = idle;
    let message = format!(
        "all {} use about {percent}% of their cpu request, target {}: if idle pods do, too, the \
         size stays at maxReplicas {}",
        counted_pods(pods, "pod"),
        target(metric),
        trace.bounds.max_replicas
    );
    let mut finding = Finding::new(Code::IdleAboveTarget, message).fact(
        "cpu of a pod",
        format!("{} to {}", amount(metric, least), amount(metric, most)),
    );
    if let Some(down) = break_points(trace, metric).and_then(|points| points.down) {
        let value = in_unit_of_target(metric, down.value);
        let asks = alone(trace, metric, down.replicas);
        finding = finding.fact("to come down", format!("at {value} it asks for {asks}"));
    }
    findings.push(
        finding
            .command(
                "shows what each pod uses; look again when there is no load",
                format!("kubectl top pod {}", selected(trace)),
            )
            .advice("aim well above what a pod uses without a load, or request less"),
    );
}

/// Memory use keeps the size up where the other metrics ask for less.
pub(super) fn memory_cannot_fall(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let current = trace.outcome.current_replicas;
    let winner = trace
        .winner()
        .filter(|metric| metric.source.name == "memory");
    let Some(metric) = winner.filter(|metric| metric.is_of_resource()) else {
        return;
    };
    let others = trace
        .metrics
        .iter()
        .filter(|other| other.index != metric.index);
    let less = others.filter_map(|other| Some((other, proposal(other)?)));
    let most = less.max_by_key(|(_, replicas)| *replicas);
    let (Some((other, replicas)), Some(measured)) = (most, metric.measured.as_ref()) else {
        return;
    };
    let keeps = proposal(metric) == Some(current) && current > trace.bounds.min_replicas;
    if !keeps || replicas >= current {
        return;
    }
    let message = format!(
        "memory alone keeps {current} pods, at {} for a target of {}; {} asks for {}",
        now(metric, measured),
        target(metric),
        other.source.name,
        replicas.max(0)
    );
    let mut finding = Finding::new(Code::MemoryCannotFall, message);
    if let Some(down) = break_points(trace, metric).and_then(|points| points.down) {
        let value = in_unit_of_target(metric, down.value);
        finding = finding.fact(
            "memory",
            format!(
                "asks for {} from {value} down",
                alone(trace, metric, down.replicas)
            ),
        );
    }
    finding = finding.advice("most programs keep the memory that they once had: scale on cpu or requests alone unless memory follows the load");
    findings.push(finding.at_most(Severity::Info));
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
    let asks = proposal(metric)? > trace.outcome.current_replicas;
    (asks && trace.winner()?.index == metric.index).then_some(metric)
}

/// The way out of a target of type Value. Divided by the pods, a latency or a
/// share means nothing; whether a metric is one of these, its name alone tells.
pub(in crate::diagnose) fn average_in_place_of_value(
    case: &Case,
    trace: &Trace,
    metric: &MetricRecord,
) -> Remedy {
    Remedy {
        says: shared_findings::AVERAGE_IN_PLACE_OF_VALUE.to_owned(),
        command: Some(as_average(case, trace, metric)).filter(|it| is_pasteable(it)),
        patch: None,
    }
}

/// The command that makes a target of type Value one of type `AverageValue`.
fn as_average(case: &Case, trace: &Trace, metric: &MetricRecord) -> String {
    let specs = &case.snapshot.horizontal_pod_autoscaler.spec.metrics;
    let spec = specs.get(metric.index);
    let external = spec.and_then(|spec| spec.external.as_ref());
    let object = spec.and_then(|spec| spec.object.as_ref());
    let (source, goal) = match object {
        Some(object) => ("object", Some(&object.target)),
        None => ("external", external.map(|external| &external.target)),
    };
    let amount = goal.and_then(|goal| goal.value.as_ref());
    let amount = amount.map_or("", |amount| amount.text());
    let patch = format!(
        r#"[{{"op":"replace","path":"/spec/metrics/{}/{source}/target","value":{{"type":"AverageValue","averageValue":"{amount}"}}}}]"#,
        metric.index
    );
    format!(
        "kubectl patch hpa {} {} --type=json -p {}",
        shell_word(&trace.name),
        trace.namespace_argument(),
        shell_word(&patch)
    )
}
