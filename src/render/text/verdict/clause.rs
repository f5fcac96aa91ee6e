//! The parts of sentences that several verdicts share.

use std::collections::BTreeSet;

use super::Sentence;
use super::undecided::reason;
use crate::api::{Phase, TargetKind};
use crate::render::text::failure::fallback_asks;
use crate::render::text::words::{
    self, View, amount, by_key, counted, list, now, ratio, target, tolerated,
};
use crate::trace::amount::{amount_in_words, as_in_kubectl, plural, target_in_units};
use crate::trace::{FilledIn, Group, Measured, MetricRecord, PodRecord, Rule, short};

/// Where a metric stands: `cpu is at 150% of its request (750m of 500m), target
/// 60%`.
pub(super) fn state(view: View, metric: &MetricRecord) -> String {
    let name = subject(view, metric);
    let Some(measured) = &metric.measured else {
        return format!("{name} has no measurement");
    };
    let (now, target) = (now(metric, measured), target(metric));
    let per_pod = metric.groups.is_some();
    let average = |now: String| {
        let average = measured.average.filter(|_| measured.count != 0);
        average.map_or(now, |average| as_in_kubectl(metric, average))
    };
    match metric.target.map(|target| target.kind) {
        Some(TargetKind::Utilization) => {
            let units = of_request(metric, measured);
            let units = units.map_or_else(String::new, |units| format!(" ({units})"));
            let target = target_in_units(metric);
            format!("{name} is at {now} of its request{units}, target {target}")
        }
        Some(TargetKind::AverageValue) if per_pod => {
            format!("{name} is at {} per pod, target {target}", average(now))
        }
        Some(TargetKind::AverageValue) if measured.count == 0 => {
            format!("{name} is at {now} in total, target {target} per pod")
        }
        Some(TargetKind::AverageValue) => format!(
            "{name} is at {} in total ({} per pod), target {target} per pod",
            amount(metric, measured.total),
            average(now)
        ),
        Some(TargetKind::Value) if view.trace.lead().is_none() => {
            format!("{name} is at {now}, target {target} (type Value: not divided by the pods)")
        }
        _ => format!("{name} is at {now}, target {target}"),
    }
}

/// `750m of 500m`: what a pod uses of what it requests, on average.
fn of_request(metric: &MetricRecord, measured: &Measured) -> Option<String> {
    let request = measured.requests?.checked_div(measured.count)?;
    let average = measured.average.filter(|_| measured.count > 0)?;
    Some(format!(
        "{} of {}",
        amount(metric, average),
        amount_in_words(metric, request)
    ))
}

/// The metric as the subject of a sentence.
pub(super) fn subject(view: View, metric: &MetricRecord) -> String {
    let name = view.metric_name(metric);
    let of = |what: &str, of: &str| format!("{name} {what} {}", view.name(of));
    match (&metric.source.container, &metric.source.object) {
        (Some(container), _) => of("of container", container),
        (None, Some(object)) => of("of", object),
        (None, None) => name,
    }
}

/// What the winning metric asks for, with its measurement.
pub(super) fn asks(view: View, recommended: i32) -> Sentence {
    let Some(metric) = view.trace.winner() else {
        return format!("the metrics ask for {recommended}").into();
    };
    if let Some(fallback) = metric.in_fallback() {
        return Sentence::name(fallback_asks(view, metric, fallback));
    }
    let mut sentence = state(view, metric);
    // The pods named last do not ask.
    let mut asker = ", and".to_owned();
    if let Some(filled) = &metric.filled_in {
        let guard = guard(view, metric, filled).unwrap_or_default();
        sentence = format!("{sentence}; {}{guard}", filled_in(view, metric, filled));
        asker = format!("; {}", subject(view, metric));
    }
    let proposals = view.trace.metrics.iter().filter_map(MetricRecord::asks_for);
    let lower = proposals.filter(|other| *other < recommended).count();
    let most = if lower > 0 { ", the highest" } else { "" };
    let text = match metric.proposed() {
        Some(proposed) if proposed.rule.is_tolerated() && recommended == view.current() => {
            let less = match lower {
                0 => "",
                1 => ", and another metric asks for less",
                _ => ", and other metrics ask for less",
            };
            format!("{sentence}, and {}{less}", tolerance(metric))
        }
        // What is kept then has a sentence of its own.
        Some(proposed) if proposed.rule.is_tolerated() => sentence,
        _ => match oddity(view, metric) {
            clause if !clause.is_empty() => {
                format!("{sentence}; {clause}it asks for {recommended}{most}")
            }
            _ => format!("{sentence}{asker} asks for {recommended}{most}"),
        },
    };
    Sentence::name(text)
}

/// `the ratio 0.95 is inside the tolerance 0.90..1.10`.
pub(super) fn tolerance(metric: &MetricRecord) -> String {
    let filled = metric.filled_in.as_ref().map(|filled| &filled.measured);
    let Some(measured) = filled.or(metric.measured.as_ref()) else {
        return "inside the tolerance".to_owned();
    };
    let edges = [measured.tolerated_from, measured.tolerated_to];
    let is_at = |edge: &f64| (measured.ratio - edge).abs() < 1e-9;
    let place = if edges.iter().any(is_at) {
        "exactly on the edge of"
    } else {
        "inside"
    };
    let (ratio, tolerated) = (ratio(measured), tolerated(measured));
    let within = format!("the ratio {ratio} is {place} the tolerance {tolerated}");
    match measured.uncut_utilization {
        Some(uncut) => format!(
            "the controller rounds {}% down to {}, so {within}",
            short(uncut, 2),
            now(metric, measured)
        ),
        None => within,
    }
}

/// `3 of 8 pods have no sample (web-a, web-b, web-c) and count as 0%, which
/// makes it 57%`.
fn filled_in(view: View, metric: &MetricRecord, filled: &FilledIn) -> String {
    let before = metric.measured.as_ref();
    let before = before.map(|measured| now(metric, measured));
    let now = now(metric, &filled.measured);
    match aside(view, metric).as_slice() {
        [] => format!("{now} counts"),
        groups if before.as_ref() == Some(&now) => {
            format!("{}, which leaves it at {now}", groups.join(", "))
        }
        groups => format!("{}, which makes it {now}", groups.join(", ")),
    }
}

/// What pods without a usable sample never cause, and on which side of the target.
pub(super) fn never_caused(filled: &FilledIn) -> (&'static str, &'static str) {
    if filled.measured.ratio < 1.0 {
        ("scale-up", "below")
    } else {
        ("scale-down", "above")
    }
}

/// Where pods without a usable sample may not decide the direction.
fn guard(view: View, metric: &MetricRecord, filled: &FilledIn) -> Option<String> {
    let (change, side) = never_caused(filled);
    let (selected, current) = (metric.groups.unwrap_or_default().selected, view.current());
    let because = match usize::try_from(current) {
        Ok(current) if current != selected => format!("over {} ", counted(selected, "pod")),
        _ => String::new(),
    };
    match metric.proposed()?.rule {
        Rule::ReplicasReversed => Some(format!(", {side} the target, and {NEVER_REVERSES}")),
        Rule::ReplicasOpposed => Some(format!(
            ", and {because}that would be a {change}, which such pods never cause {side} the target"
        )),
        _ => None,
    }
}

/// What holds where pods without a usable sample would turn the direction.
pub(super) const NEVER_REVERSES: &str = "the controller never lets such pods reverse the direction";

/// Selected pods that play no part: `, without 2 Failed ones`.
pub(super) fn left_out(metric: &MetricRecord) -> String {
    let ignored = metric.pods.iter().filter(|pod| pod.group == Group::Ignored);
    let kinds = ignored.map(|pod| match pod.rule {
        Rule::PodFailed | Rule::PodSucceeded => (pod.phase.to_string(), ()),
        _ => ("terminating".to_owned(), ()),
    });
    let texts = by_key(kinds).map(|(kind, pods)| {
        let ones = plural(pods.len(), "one", "ones");
        format!(", without {} {kind} {ones}", pods.len())
    });
    texts.collect()
}

/// The pods that are filled in, by what is the matter with them, and what they
/// count as: `2 of 5 pods are Pending (a, b) and count as 0%`.
pub(super) fn aside(view: View, metric: &MetricRecord) -> Vec<String> {
    let groups = by_key(metric.filled_in_pods().map(|pod| (matter(pod), pod)));
    let groups: Vec<(Matter, Vec<&PodRecord>)> = groups.collect();
    let selected = metric.groups.unwrap_or_default().selected;
    let value = |pods: &[&PodRecord]| pods.first().and_then(|pod| counts_as(metric, pod));
    let mut values: Vec<_> = groups.iter().map(|(_, pods)| value(pods)).collect();
    values.dedup();
    let last = groups.len().saturating_sub(1);
    let all: usize = groups.iter().map(|(_, pods)| pods.len()).sum();
    let texts = groups.iter().enumerate();
    let texts = texts.map(|(index, ((one, many), pods))| {
        let (count, is) = (pods.len(), plural(pods.len(), one, many));
        let of = match index {
            0 => format!(" of {}", counted(selected, "selected pod")),
            _ => String::new(),
        };
        // What all count as is said once.
        let (counts, verb) = match values.len() {
            1 if index < last => (None, ""),
            1 => (value(pods), plural(all, "counts", "count")),
            _ => (value(pods), plural(count, "counts", "count")),
        };
        let counts = counts.map_or_else(String::new, |value| format!(" and {verb} as {value}"));
        format!("{count}{of} {is} ({}){counts}", named(view, pods))
    });
    texts.collect()
}

/// What is the matter with one pod, and with several.
type Matter = (&'static str, &'static str);

fn matter(pod: &PodRecord) -> Matter {
    match pod.rule {
        Rule::PodPending => ("is Pending", "are Pending"),
        Rule::PodNoSample if pod.phase == Phase::Succeeded => ("is Succeeded", "are Succeeded"),
        Rule::PodNoSample => ("has no sample", "have no sample"),
        Rule::PodInitializing => ("is still starting", "are still starting"),
        Rule::PodStaleSample => ("became Ready too recently", "became Ready too recently"),
        Rule::PodNeverReady => (
            "has never been Ready for long",
            "have never been Ready for long",
        ),
        Rule::PodNoReadyCondition => ("has no Ready condition yet", "have no Ready condition yet"),
        _ => ("is set aside", "are set aside"),
    }
}

/// What a pod that is set aside counts as, if it is filled in.
pub(in crate::render::text) fn counts_as(metric: &MetricRecord, pod: &PodRecord) -> Option<String> {
    let filled = metric.filled_in.as_ref()?;
    let fill = match pod.group {
        Group::Missing => filled.missing,
        Group::Unready => filled.unready,
        Group::Ready | Group::Ignored => None,
    };
    fill.map(|fill| words::counted_as(metric, fill))
}

/// Pods by their names, with whose they are where they are not the target's.
fn named(view: View, pods: &[&PodRecord]) -> String {
    let names: Vec<String> = pods.iter().map(|pod| view.name(&pod.name)).collect();
    let names = match pods {
        [only] => format!("{}{}", names.concat(), waiting(view, only)),
        _ => list(names, 2),
    };
    let owners = pods.iter().map(|pod| {
        let mut foreign = view.trace.foreign_pods().iter();
        foreign.find(|it| it.name == pod.name.as_str())
    });
    let owners: Option<BTreeSet<_>> = owners.map(|pod| Some(pod?.owner.as_deref())).collect();
    let target = view.name(&view.trace.target_name());
    match owners.as_ref().and_then(BTreeSet::first) {
        Some(Some(owner)) => format!("{names} of {}, not of {target}", view.name(owner)),
        Some(None) => format!("{names}, not of {target}"),
        None => names,
    }
}

/// `: container app: CrashLoopBackOff, 14 restarts`, of a pod that does not run.
pub(super) fn waiting(view: View, pod: &PodRecord) -> String {
    let waiting = view.waiting(pod);
    waiting.map_or_else(String::new, |it| format!(": {it}"))
}

/// The first pod that does not run and counts all the same, and how to say so.
pub(super) fn counted_but_waiting(view: View<'_>) -> Option<(&str, String)> {
    let mut counting = view.trace.winner()?.counted();
    counting.find_map(|pod| {
        let why = view.waiting(pod)?;
        let name = view.name(&pod.name);
        let text = format!("pod {name} counts although it does not run ({why})");
        Some((pod.name.as_str(), text))
    })
}

/// What would make a reader doubt the arithmetic, as a clause before what is
/// asked for.
fn oddity(view: View, metric: &MetricRecord) -> String {
    let measured = metric.measured.as_ref();
    // What was found says it better.
    let Some(measured) = measured.filter(|_| view.trace.lead().is_none()) else {
        return String::new();
    };
    let recommended = metric.asks_for().unwrap_or_default();
    if recommended < 0 {
        return format!("a proposal below 0, here {recommended}, counts as 0; ");
    }
    if let Some(ready) = metric.ready_pods
        && ready.ready < ready.selected
        && measured.ratio > 1.0
        && i64::from(recommended) <= i64::from(view.current())
    {
        return format!(
            "the ratio {} is multiplied by the {} of {} that {} Ready, so ",
            words::ratio(measured),
            ready.ready,
            counted(ready.selected, "pod"),
            plural(ready.ready, "is", "are"),
        );
    }
    let is_average = metric.is_aimed_at(TargetKind::AverageValue);
    let is_total = is_average && metric.groups.is_none();
    let proposed = metric.proposed();
    let is_reported = proposed.is_some_and(|proposed| proposed.rule.is_tolerated());
    if is_total && !is_reported && measured.count != i64::from(view.current()) {
        return format!(
            "its ratio is for the {} replicas of the target's status; ",
            measured.count
        );
    }
    if !is_total && let Some(clause) = not_ready_counted(view, metric) {
        return clause;
    }
    more_pods_than_replicas(view, metric, measured, recommended)
}

/// Pods that are no longer Ready count for cpu like the others.
fn not_ready_counted(view: View, metric: &MetricRecord) -> Option<String> {
    let is_not_ready = |pod: &&PodRecord| pod.times.and_then(|times| times.ready) == Some(false);
    let pods = metric.counted().filter(is_not_ready);
    let names: Vec<String> = pods.map(|pod| view.name(&pod.name)).collect();
    let (all, count) = (metric.counted().count(), names.len());
    let few = list(names, 2);
    let still = match count {
        0 => return None,
        1 if all > 1 => format!("1 pod that is not Ready still counts ({few}), because it was"),
        _ if count < all => {
            format!("{count} pods that are not Ready still count ({few}), because they were")
        }
        1 => format!("the only pod is not Ready ({few}), but still counts, because it was"),
        _ => format!(
            "none of the {all} pods is Ready ({few}), but they still count, because they were"
        ),
    };
    Some(format!("{still} Ready before; "))
}

/// A ratio below the target that still asks for more: the selector matches
/// pods that the target does not count as its own.
fn more_pods_than_replicas(
    view: View,
    metric: &MetricRecord,
    measured: &Measured,
    recommended: i32,
) -> String {
    let selected = metric.groups.map(|groups| groups.selected);
    let current = view.current();
    match selected {
        Some(_)
            if metric.filled_in.is_none() && is_of_fewer(view, metric, measured, recommended) =>
        {
            let groups = metric.groups.unwrap_or_default();
            let verb = plural(groups.ready, "counts", "count");
            format!(
                "only {} of {} {verb}{}, so ",
                groups.ready,
                counted(current, "pod"),
                others(metric),
            )
        }
        Some(selected) if measured.ratio < 1.0 && recommended > current && selected > 0 => format!(
            "the selector matches {} and the target has {current}, so ",
            counted(selected, "pod")
        ),
        _ => String::new(),
    }
}

/// What is the matter with most of the pods that do not count.
fn others(metric: &MetricRecord) -> String {
    let aside = metric.pods.iter().filter(|pod| pod.group != Group::Ready);
    let matters = by_key(aside.map(|pod| (matter(pod), ())));
    let most = matters.max_by_key(|(_, pods)| pods.len());
    most.map_or_else(String::new, |((one, many), pods)| {
        format!(" ({} {})", pods.len(), plural(pods.len(), one, many))
    })
}

/// Metrics that failed while the others scale up all the same.
pub(super) fn partial_failure(view: View) -> String {
    let failed: Vec<&MetricRecord> = view.trace.invalid_metrics().collect();
    let named = match failed.as_slice() {
        [] => return String::new(),
        [metric] => {
            format!("{}: {}", subject(view, metric), reason(view, metric))
        }
        all => list(all.iter().map(|metric| subject(view, metric)), 2),
    };
    let fails = fails(failed.len(), view.trace.metrics.len());
    format!("{fails} ({named}), which does not stop a scale-up, but would block a scale-down")
}

/// `1 of 2 metrics fails`.
pub(super) fn fails(failed: usize, all: usize) -> String {
    match (failed, all) {
        (1, 1) => "the only metric fails".to_owned(),
        (2, 2) => "both metrics fail".to_owned(),
        (failed, all) if failed >= all => format!("all {all} metrics fail"),
        (1, all) => format!("1 of {all} metrics fails"),
        (failed, all) => format!("{failed} of {all} metrics fail"),
    }
}

/// Whether fewer pods than there are lead to fewer than the ratio alone would.
fn is_of_fewer(view: View, metric: &MetricRecord, measured: &Measured, recommended: i32) -> bool {
    let groups = metric.groups.unwrap_or_default();
    let current = usize::try_from(view.current()).unwrap_or_default();
    groups.ready < current && recommended < view.current() && !measured.within_tolerance
}
