//! Pods that have just started: a cpu that says nothing about the load.

use crate::trace::amount::plural;
use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::diagnose::Case;
use crate::diagnose::findings::words::{MOST, alone, on_pod, some};
use crate::trace::amount::{amount, counted, proposal};
use crate::trace::{
    Code, Finding, Group, MetricRecord, PodRecord, Rule, Severity, Trace, seconds_text,
};

use super::pods::{all, pods_with};

/// Pods that do not count for cpu yet, and until when (`groupPods`).
pub(super) fn initializing_pods(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let young = pods_with(trace, |pod| {
        matches!(
            pod.rule,
            Rule::PodInitializing | Rule::PodStaleSample | Rule::PodNoReadyCondition
        )
    });
    if young.is_empty() {
        return;
    }
    let ends = young.iter().filter_map(|pod| pod.until);
    let first = ends.clone().min();
    let last = ends.max();
    let verb = plural(young.len(), "does", "do");
    let when = match (young.len() == all(trace), first, last) {
        (true, Some(first), _) => format!(
            ": the first one counts {} at the latest",
            within(trace, first)
        ),
        (_, _, Some(last)) => format!(": {} at the latest", within(trace, last)),
        _ => String::new(),
    };
    let message = format!(
        "{} of {} {verb} not count for cpu yet{when}",
        young.len(),
        counted(all(trace), "pod")
    );
    let mut finding = Finding::new(Code::InitializingPods, message).at_most(Severity::Info);
    for pod in young.iter().take(MOST) {
        finding = finding.fact(format!("Pod/{}", pod.name), state(trace, pod));
    }
    if young.len() > MOST {
        let rest: Vec<&str> = young[MOST..].iter().map(|pod| pod.name.as_str()).collect();
        finding = finding.fact("also", some(&rest, MOST));
    }
    let period = crate::controller::SECOND.max(1);
    let period = case.settings.cpu_initialization_period / period;
    let period = seconds_text(i64::try_from(period).unwrap_or(i64::MAX));
    findings.push(finding.advice(format!(
        "a pod that is Ready counts within the first {period}, too, once a whole sample lies after that: \
         let a startupProbe hold readiness back until the pod has warmed up"
    )));
}

/// Pods that count already, and still do what they do only at their start.
pub(super) fn startup_burst(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    for metric in trace
        .metrics
        .iter()
        .filter(|metric| metric.source.name == "cpu")
    {
        let pods = metric.pods.iter().filter(|pod| pod.group == Group::Ready);
        let (young, old): (Vec<&PodRecord>, Vec<&PodRecord>) =
            pods.partition(|pod| is_young(case, trace, pod));
        let (Some(young_uses), Some(old_uses)) = (average(&young), average(&old)) else {
            continue;
        };
        let (Some(asked), Some(without)) = (proposal(metric), without(case, metric, &young)) else {
            continue;
        };
        // Without them there are fewer pods to multiply by, too.
        let raises =
            asked > trace.outcome.current_replicas && without <= trace.outcome.current_replicas;
        if young_uses < old_uses.saturating_mul(2) || !raises {
            continue;
        }
        let verb = plural(young.len(), "uses", "use");
        let message = format!(
            "{} that just became Ready {verb} {} cpu, the others {}: that is what asks for {asked}",
            counted(young.len(), "pod"),
            amount(metric, young_uses),
            amount(metric, old_uses),
        );
        let names: Vec<&str> = young.iter().map(|pod| pod.name.as_str()).collect();
        findings.push(
            Finding::new(Code::StartupBurst, message)
                .fact("young pods", some(&names, MOST))
                .fact("without their samples", alone(trace, metric, without))
                .advice(
                    "let a startupProbe hold readiness back until the pod has warmed up; \
                     a pod that is not Ready does not count in its first minutes",
                ),
        );
    }
}

/// Whether a pod is in what the controller takes for its start-up.
pub(super) fn is_young(case: &Case, trace: &Trace, pod: &PodRecord) -> bool {
    let started = pod.times.and_then(|times| times.started);
    let period = case.settings.cpu_initialization_period;
    started.is_some_and(|at| trace.at.duration_since(at).as_nanos() < period)
}

/// What the pods use on average.
pub(super) fn average(pods: &[&PodRecord]) -> Option<i64> {
    let total: i128 = pods
        .iter()
        .filter_map(|pod| pod.usage)
        .map(i128::from)
        .sum();
    let average = total.checked_div(i128::try_from(pods.len()).ok()?)?;
    i64::try_from(average).ok()
}

/// What the metric asks for if these pods are not there.
fn without(case: &Case, metric: &MetricRecord, pods: &[&PodRecord]) -> Option<i32> {
    let names: BTreeSet<&str> = pods.iter().map(|pod| pod.name.as_str()).collect();
    proposal(case.without_pods(&names).metrics.get(metric.index)?)
}

/// Pods that never were Ready stay out for good.
pub(super) fn never_ready(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let never = pods_with(trace, |pod| pod.rule == Rule::PodNeverReady);
    let Some(first) = never.first() else {
        return;
    };
    let names: Vec<&str> = never.iter().map(|pod| pod.name.as_str()).collect();
    let (have, count) = if never.len() == 1 {
        ("has", "counts")
    } else {
        ("have", "count")
    };
    let message = format!(
        "{} of {} {have} not been Ready since shortly after the start, and {count} as 0 upwards",
        never.len(),
        counted(all(trace), "pod")
    );
    let mut finding =
        Finding::new(Code::NeverReady, message).fact("never Ready", some(&names, MOST));
    if let Some(started) = first.times.and_then(|times| times.started) {
        let says = format!("started {} ago", ago(trace, started));
        finding = finding.fact(format!("Pod/{}", first.name), says);
    }
    let command = on_pod(trace, "describe", &first.name);
    findings.push(finding.command("shows what the readiness probe says", command));
}

fn state(trace: &Trace, pod: &PodRecord) -> String {
    let times = pod.times.unwrap_or_default();
    let started = match times.started {
        Some(started) => format!("started {} ago", ago(trace, started)),
        None => "not started".to_owned(),
    };
    let why = match pod.rule {
        Rule::PodInitializing => "not Ready".to_owned(),
        Rule::PodStaleSample => match times.sample_needed {
            Some(needed) => format!("Ready, but the sample must be of {needed} or later"),
            None => "Ready, but the sample is older than that".to_owned(),
        },
        _ => "no Ready condition yet".to_owned(),
    };
    let until = pod.until.map_or_else(
        || "; counts once it is Ready".to_owned(),
        |until| format!("; counts {} at the latest", within(trace, until)),
    );
    format!("{started}, {why}{until}")
}

fn ago(trace: &Trace, at: Timestamp) -> String {
    seconds_text(trace.at.duration_since(at).as_secs().max(0))
}

fn within(trace: &Trace, at: Timestamp) -> String {
    let left = at.duration_since(trace.at).as_secs().max(0);
    format!("in {}", seconds_text(left))
}
