//! Pods that count as 0, or not at all, for what they are and not for what
//! they use.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::Case;
use super::words::{MOST, alone, few, line, of_all, quantity, some};
use crate::api::{
    CRASH_LOOP_BACK_OFF, ConditionStatus, Pod, PodConditionKind, UNSCHEDULABLE, beginning,
};
use crate::controller::whole_seconds;
use crate::trace::amount::{amount, counted, counted_as, plural, ratio};
use crate::trace::{
    Code, Finding, Group, MetricRecord, PodRecord, Rule, Severity, Trace, WaitingContainer,
    seconds_text,
};

/// The records of a pod in all metrics that look at pods one by one.
pub(super) fn pods_with(
    trace: &Trace,
    is_intended: impl Fn(&PodRecord) -> bool,
) -> Vec<&PodRecord> {
    let mut names: BTreeMap<&str, &PodRecord> = BTreeMap::new();
    let records = trace.metrics.iter().flat_map(|metric| &metric.pods);
    for record in records.filter(|record| is_intended(record)) {
        names.entry(record.name.as_str()).or_insert(record);
    }
    names.into_values().collect()
}

/// How many pods the selector matches.
pub(super) fn all(trace: &Trace) -> usize {
    let counts = trace.metrics.iter().map(|metric| metric.pods.len());
    counts.max().unwrap_or_default()
}

/// Pods that do not start (`groupPods`: phase Pending is not ready).
pub(super) fn pods_pending(case: &Case, trace: &Trace) -> Option<Finding> {
    let pending = pods_with(trace, |pod| pod.rule == Rule::PodPending);
    let first = pending.first()?;
    let mut by_reason: BTreeMap<String, Vec<&Pod>> = BTreeMap::new();
    for record in &pending {
        if let Some(pod) = case.by_name.get(record.name.as_str()) {
            by_reason.entry(reason(pod)).or_default().push(pod);
        }
    }
    let mut reasons = by_reason.keys().filter(|reason| !reason.is_empty());
    let why = reasons.next().map_or_else(String::new, |first| {
        let first = beginning(first, 70);
        let more = reasons.next().map_or("", |_| ", and other reasons");
        format!(": {first}{more}")
    });
    let value = trace.metrics.iter().find_map(|metric| {
        let fill = metric.filled_in.as_ref()?.unready?;
        Some(counted_as(metric, fill))
    });
    let slows = value.is_some();
    let names: Vec<&str> = pending.iter().map(|pod| pod.name.as_str()).collect();
    let is_pending = plural(names.len(), "is Pending", "are Pending");
    let counts = plural(names.len(), "counts", "count");
    let counts = value.map_or_else(String::new, |it| format!(" and {counts} as {it}"));
    let message = format!("{} {is_pending}{counts}{why}", of_all(&names, all(trace)));
    let reasons = by_reason.iter().take(MOST).map(|(reason, pods)| {
        let names: Vec<&str> = pods.iter().map(|pod| pod.metadata.name.as_str()).collect();
        let created = pods
            .iter()
            .filter_map(|pod| pod.metadata.creation_timestamp);
        let since = created.min().map_or_else(String::new, |since| {
            format!(", for up to {}", trace.age(since))
        });
        let reason = match reason.as_str() {
            "" => "no reason reported",
            reason => reason,
        };
        (
            format!("Pod/{}", some(&names, 3)),
            format!("{reason}{since}"),
        )
    });
    let finding = Finding::new(Code::PodsPending, message)
        .facts(reasons)
        .facts(slows.then_some((
            "scale-up",
            "Pending pods count as 0, which slows it down; a scale-down leaves them out",
        )))
        // Of a metric that fails, nothing was counted.
        .info_if(!slows && !trace.metrics.iter().any(MetricRecord::is_failed));
    let command = trace.look_at_pod(&first.name);
    let finding = finding.look("see why the pod does not start", command);
    let pods = pending.iter().filter_map(|it| case.by_name.get(&*it.name));
    let mut scheduled = pods.filter_map(|it| it.condition(PodConditionKind::PodScheduled));
    if scheduled.any(|it| it.reason.as_deref() == Some(UNSCHEDULABLE)) {
        return Some(finding.advice("add a node that fits them, or free room on the nodes"));
    }
    Some(finding)
}

/// Why a pod does not start: no room for it, or what its containers wait for.
fn reason(pod: &Pod) -> String {
    let scheduled = pod.condition(PodConditionKind::PodScheduled);
    let unscheduled = scheduled.filter(|condition| condition.status == ConditionStatus::False);
    if let Some(condition) = unscheduled {
        let text = condition.message.as_ref().or(condition.reason.as_ref());
        let text = text.map_or("not scheduled", String::as_str);
        return line(text);
    }
    match pod.waiting() {
        Some((container, reason)) if !reason.is_empty() => format!("{reason} ({container})"),
        _ => String::new(),
    }
}

/// A target of type Value multiplies by the pods that are Ready
/// (`getReadyPodsCount`), so that an overload that makes them not ready asks
/// for fewer of them.
pub(super) fn readiness_collapse(
    _case: &Case,
    trace: &Trace,
    metric: &MetricRecord,
) -> Option<Finding> {
    let current = trace.outcome.current_replicas;
    let (ready, measured) = (metric.ready_pods?, metric.measured.as_ref()?);
    let recommended = metric.asks_for()?;
    // More than there are for these few alone, too: where that comes to
    // less, the number overflowed.
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 pods")]
    let desired = measured.ratio * ready.ready as f64;
    if measured.ratio <= measured.tolerated_to
        || ready.ready >= ready.selected
        || recommended >= current
        || desired > f64::from(current)
    {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 pods")]
    let with_all = (measured.ratio * ready.selected as f64).ceil();
    let names: Vec<&str> = trace.not_ready.iter().map(String::as_str).collect();
    let few = few(&names);
    let not_ready = match (ready.selected - ready.ready, ready.selected) {
        (1, 1) => format!("the only pod ({few}) is not Ready"),
        (without, all) if without == all => format!("none of the {all} pods is Ready"),
        (1, all) => format!("1 of {all} pods ({few}) is not Ready and is left out"),
        (without, all) => {
            format!("{without} of {all} pods ({few}) are not Ready and are left out")
        }
    };
    let message = format!(
        "{} is above its target ({}×), but {not_ready}, so it asks for {recommended} instead of \
         {with_all}",
        metric.source.name,
        ratio(measured),
    );
    let mut finding = Finding::new(Code::ReadinessCollapse, message)
        .fact(
            "a target of type Value",
            "multiplies by the pods that are Running and Ready, not by the size",
        )
        .fact("not Running and Ready", some(&names, MOST));
    if current > trace.bounds.min_replicas {
        let patch = format!(r#"{{"spec":{{"minReplicas":{current}}}}}"#);
        finding = finding.change(
            format!(
                "stop the scale-down while you find out why; set minReplicas back to {} later",
                trace.bounds.min_replicas
            ),
            trace.patch_hpa("--type=merge", &patch),
        );
    }
    Some(finding
            .look(
                "see which pods are not Ready",
                trace.kubectl_pods("kubectl get pods"),
            )
            .advice("use a target of type AverageValue, which does not depend on how many pods are Ready")
            .advice("make the readiness probe pass under load"))
}

/// Pods that play no part, so that nobody need suspect them (`groupPods`).
pub(super) fn pods_ignored(_case: &Case, trace: &Trace) -> Option<Finding> {
    let ignored = pods_with(trace, |pod| pod.group == Group::Ignored);
    if ignored.is_empty() {
        return None;
    }
    let kinds = [
        (Rule::PodFailed, "Failed"),
        (Rule::PodSucceeded, "Succeeded"),
        (Rule::PodTerminating, "terminating"),
    ];
    let by_kind = kinds.into_iter().map(|(rule, says)| {
        let pods = ignored.iter().filter(|pod| pod.rule == rule);
        let names: Vec<&str> = pods.map(|pod| pod.name.as_str()).collect();
        (says, names)
    });
    let by_kind = by_kind.filter(|(_, names)| !names.is_empty());
    let parts = by_kind.clone();
    let parts = parts.map(|(says, names)| format!("{} {says}", names.len()));
    let verb = plural(ignored.len(), "is", "are");
    let message = format!(
        "{} of {} {verb} left out: {}",
        ignored.len(),
        counted(all(trace), "pod"),
        parts.collect::<Vec<_>>().join(", ")
    );
    let finding = Finding::new(Code::PodsIgnored, message)
        .facts(by_kind.map(|(says, names)| (says, some(&names, MOST))));
    Some(finding.fact(
        "their requests",
        "are still checked: a missing one makes the metric fail",
    ))
}

/// After its start-up a pod counts for cpu whether it is Ready or not, unless
/// it never was (`groupPods`).
pub(super) fn not_ready_counted(_case: &Case, trace: &Trace) -> Option<Finding> {
    let counted_pods = pods_with(trace, |pod| {
        let ready = pod.times.and_then(|times| times.ready);
        pod.group == Group::Ready && ready == Some(false)
    });
    let first = counted_pods.first()?;
    let names: Vec<&str> = counted_pods.iter().map(|pod| pod.name.as_str()).collect();
    let (is, it) = match names.len() {
        1 => ("is not Ready but still counts", "it was"),
        _ => ("are not Ready but still count", "they were"),
    };
    let of_all = of_all(&names, all(trace));
    let message = format!("{of_all} {is} for cpu, because {it} Ready before");
    let since = first.times.and_then(|times| times.ready_changed);
    let since = since.map(|since| format!("not Ready for {}", trace.age(since)));
    let finding =
        Finding::new(Code::NotReadyCounted, message).fact("not Ready", some(&names, MOST));
    Some(see_probe(finding, trace, first, since))
}

/// Since when a pod is not Ready, where that is known, and how to see why.
fn see_probe(finding: Finding, trace: &Trace, pod: &PodRecord, since: Option<String>) -> Finding {
    finding
        .facts(since.map(|since| (format!("Pod/{}", pod.name), since)))
        .look(
            "see what the readiness probe reports",
            trace.look_at_pod(&pod.name),
        )
}

/// Pods that do not count for cpu yet, and until when (`groupPods`).
pub(super) fn initializing_pods(case: &Case, trace: &Trace) -> Option<Finding> {
    let young = pods_with(trace, |pod| {
        matches!(
            pod.rule,
            Rule::PodInitializing | Rule::PodStaleSample | Rule::PodNoReadyCondition
        )
    });
    if young.is_empty() {
        return None;
    }
    let ends = young.iter().filter_map(|pod| pod.until);
    let first = ends.clone().min();
    let last = ends.max();
    let verb = plural(young.len(), "does", "do");
    let when = match (young.len() == all(trace), first, last) {
        (true, Some(first), _) => {
            let within = within(trace, first);
            format!("; the first one counts {within} at the latest")
        }
        (_, _, Some(last)) => {
            let counts = plural(young.len(), "it counts", "they count");
            format!("; {counts} {} at the latest", within(trace, last))
        }
        _ => String::new(),
    };
    let message = format!(
        "{} of {} {verb} not count for cpu yet{when}",
        young.len(),
        counted(all(trace), "pod")
    );
    let (shown, rest) = young.split_at(young.len().min(MOST));
    let rest: Vec<&str> = rest.iter().map(|pod| pod.name.as_str()).collect();
    let finding = Finding::new(Code::InitializingPods, message)
        .at_most(Severity::Info)
        .facts((shown.iter()).map(|pod| (format!("Pod/{}", pod.name), state(trace, pod))))
        .facts((!rest.is_empty()).then(|| ("also", some(&rest, MOST))));
    let period = seconds_text(whole_seconds(case.settings.cpu_initialization_period));
    Some(finding.advice(format!(
        "use a startupProbe to delay readiness until a pod has warmed up: a Ready pod counts even in \
         its first {period}, as soon as a full sample follows"
    )))
}

/// Pods that count already, and still do what they do only at their start.
pub(super) fn startup_burst(case: &Case, trace: &Trace, metric: &MetricRecord) -> Option<Finding> {
    if metric.source.name != "cpu" {
        return None;
    }
    let (young, old): (Vec<&PodRecord>, Vec<&PodRecord>) =
        metric.counted().partition(|pod| is_young(case, trace, pod));
    let (young_uses, old_uses) = (average(&young)?, average(&old)?);
    let (recommended, without) = (metric.asks_for()?, without(case, metric, &young)?);
    // Without them there are fewer pods to multiply by, too.
    let raises =
        recommended > trace.outcome.current_replicas && without <= trace.outcome.current_replicas;
    if young_uses < old_uses.saturating_mul(2) || !raises {
        return None;
    }
    let names: Vec<&str> = young.iter().map(|pod| pod.name.as_str()).collect();
    let who = match names.as_slice() {
        [only] => format!("pod {only} just became Ready and uses"),
        names => format!("{} pods just became Ready and use", names.len()),
    };
    let message = format!(
        "{who} {} cpu, the others {}; without {} cpu asks for {}, not {recommended}",
        amount(metric, young_uses),
        quantity(metric, old_uses),
        plural(names.len(), "it", "them"),
        alone(trace, metric, without),
    );
    Some(
        Finding::new(Code::StartupBurst, message)
            .fact("new pods", some(&names, MOST))
            .advice(
                "use a startupProbe to delay readiness until the pod has warmed up: a pod that is \
                 not Ready does not count in its first minutes",
            ),
    )
}

/// Whether a pod is in what the controller takes for its start-up.
pub(super) fn is_young(case: &Case, trace: &Trace, pod: &PodRecord) -> bool {
    let started = pod.times.and_then(|times| times.started);
    let period = case.settings.cpu_initialization_period;
    started.is_some_and(|at| trace.at.duration_since(at).as_nanos() < period)
}

/// What the pods use on average.
pub(super) fn average(pods: &[&PodRecord]) -> Option<i64> {
    let usages = pods.iter().filter_map(|pod| pod.usage);
    let total: i128 = usages.map(i128::from).sum();
    let average = total.checked_div(i128::try_from(pods.len()).ok()?)?;
    i64::try_from(average).ok()
}

/// What the metric asks for if these pods are not there.
fn without(case: &Case, metric: &MetricRecord, pods: &[&PodRecord]) -> Option<i32> {
    let names: BTreeSet<&str> = pods.iter().map(|pod| pod.name.as_str()).collect();
    let metrics = case.without_pods(&names).metrics;
    metrics.get(metric.index)?.asks_for()
}

/// Pods that never were Ready stay out for good.
pub(super) fn never_ready(_case: &Case, trace: &Trace) -> Option<Finding> {
    let never = pods_with(trace, |pod| pod.rule == Rule::PodNeverReady);
    let first = never.first()?;
    let names: Vec<&str> = never.iter().map(|pod| pod.name.as_str()).collect();
    let (have, count) = match never.len() {
        1 => ("has not been Ready since shortly after it", "counts"),
        _ => ("have not been Ready since shortly after they", "count"),
    };
    let of_all = of_all(&names, all(trace));
    let message = format!("{of_all} {have} started and {count} as 0 for a scale-up");
    let started = first.times.and_then(|times| times.started);
    let started = started.map(|started| format!("started {} ago", trace.age(started)));
    let finding = Finding::new(Code::NeverReady, message).fact("never Ready", some(&names, MOST));
    Some(see_probe(finding, trace, first, started))
}

fn state(trace: &Trace, pod: &PodRecord) -> String {
    let times = pod.times.unwrap_or_default();
    let started = match times.started {
        Some(started) => format!("started {} ago", trace.age(started)),
        None => "not started".to_owned(),
    };
    let why = match pod.rule {
        Rule::PodInitializing => "not Ready".to_owned(),
        Rule::PodStaleSample => match times.sample_needed {
            Some(needed) => format!("Ready, but needs a sample from {needed} or later"),
            None => "Ready, but its sample starts before that".to_owned(),
        },
        _ => "no Ready condition yet".to_owned(),
    };
    let until = pod.until.map_or_else(
        || "; counts once it is Ready".to_owned(),
        |until| format!("; counts {} at the latest", within(trace, until)),
    );
    format!("{started}, {why}{until}")
}

fn within(trace: &Trace, at: Timestamp) -> String {
    let left = at.duration_since(trace.at).as_secs().max(0);
    format!("in {}", seconds_text(left))
}

/// A container that crashes again and again leaves a last sample behind, or
/// another container's, and its pod counts with that.
pub(super) fn crash_loop(_: &Case, trace: &Trace) -> Option<Finding> {
    let waiting = trace.waiting.iter();
    let crashing = waiting.filter(|it| it.reason == CRASH_LOOP_BACK_OFF);
    let mut crashing: Vec<&WaitingContainer> = crashing.collect();
    crashing.first()?;
    let counting = pods_with(trace, |pod| pod.group == Group::Ready).into_iter();
    let counting: BTreeSet<&str> = counting.map(|pod| pod.name.as_str()).collect();
    crashing.retain(|it| counting.contains(it.pod.as_str()));
    let first = crashing.first()?;
    let names: Vec<&str> = crashing.iter().map(|it| it.pod.as_str()).collect();
    let message = format!(
        "{} {}: {}",
        of_all(&names, all(trace)),
        plural(
            names.len(),
            "counts although it crashes repeatedly",
            "count although they crash repeatedly"
        ),
        first.text()
    );
    let shown = crashing.iter().take(MOST);
    let finding = Finding::new(Code::CrashLoop, message)
        .facts(shown.map(|it| (format!("Pod/{}", it.pod), it.text())));
    Some(finding.look("see why it crashes", trace.look_at_pod(&first.pod)))
}
