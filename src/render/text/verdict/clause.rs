//! The parts of sentences that several verdicts share.

use super::undecided::reason;
use crate::api::TargetKind;
use crate::render::text::failure::fallback_asks;
use crate::render::text::words::{
    self, View, amount, counted, list, now, proposal, ratio, target, tolerated,
};
use crate::trace::amount::plural;
use crate::trace::{FilledIn, Measured, MetricRecord};

/// Where a metric stands: `cpu is at 150% of its request, target 60%`.
pub(super) fn state(view: View, metric: &MetricRecord) -> String {
    let name = subject(view, metric);
    let Some(measured) = &metric.measured else {
        return format!("{name} has no measurement");
    };
    let (now, target) = (now(metric, measured), target(metric));
    let per_pod = metric.groups.is_some();
    match metric.target.map(|target| target.kind) {
        Some(TargetKind::Utilization) => {
            format!("{name} is at {now} of its request, target {target}")
        }
        Some(TargetKind::AverageValue) if per_pod => {
            format!("{name} is at {now} per pod, target {target}")
        }
        Some(TargetKind::AverageValue) => format!(
            "{name} is at {} in total, target {target} for each pod",
            amount(metric, measured.total)
        ),
        _ => format!("{name} is at {now}, target {target}"),
    }
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
pub(super) fn asks(view: View, recommended: i32) -> String {
    let Some(metric) = view.trace.winner() else {
        return format!("The metrics ask for {recommended}.");
    };
    if let Some(fallback) = metric.in_fallback() {
        return fallback_asks(view, metric, fallback);
    }
    let mut sentence = state(view, metric);
    if let Some(filled) = &metric.filled_in {
        sentence = format!("{sentence}; {}", filled_in(metric, filled));
    }
    let others = view.trace.metrics.iter().filter_map(proposal).count();
    let most = if others > 1 { ", the most of all" } else { "" };
    let mut text = match metric.proposed() {
        Some(proposed) if proposed.rule.is_tolerated() && recommended == view.current() => {
            format!("{sentence}: {}.", tolerance(metric))
        }
        Some(proposed) if proposed.rule.is_tolerated() => format!(
            "{sentence}: {}, so the {recommended} that the target's status shows count.",
            tolerance(metric)
        ),
        _ => format!("{sentence}: that asks for {recommended}{most}."),
    };
    text.push_str(&oddity(view, metric));
    text
}

/// `the ratio 0.95 is inside the tolerance 0.90..1.10`.
pub(super) fn tolerance(metric: &MetricRecord) -> String {
    let filled = metric.filled_in.as_ref().map(|filled| &filled.measured);
    let Some(measured) = filled.or(metric.measured.as_ref()) else {
        return "inside the tolerance".to_owned();
    };
    format!(
        "the ratio {} is inside the tolerance {}",
        ratio(measured),
        tolerated(measured)
    )
}

/// `57% with 3 pods counted as 0%`.
pub(super) fn filled_in(metric: &MetricRecord, filled: &FilledIn) -> String {
    let parts: Vec<String> = fills(metric, filled);
    if parts.is_empty() {
        return format!("{} with nothing filled in", now(metric, &filled.measured));
    }
    format!(
        "{} with {}",
        now(metric, &filled.measured),
        parts.join(" and ")
    )
}

/// What was filled in, as `3 pods counted as 0%`.
pub(super) fn fills(metric: &MetricRecord, filled: &FilledIn) -> Vec<String> {
    let fills = words::fills(metric, filled).into_iter();
    fills
        .map(|(pods, value)| format!("{} counted as {value}", counted(pods, "pod")))
        .collect()
}

/// What would make a reader doubt the arithmetic.
fn oddity(view: View, metric: &MetricRecord) -> String {
    let Some(measured) = &metric.measured else {
        return String::new();
    };
    let recommended = proposal(metric).unwrap_or_default();
    if recommended < 0 {
        return format!(" (A proposal below 0, here {recommended}, counts as 0.)");
    }
    if let Some(ready) = metric.ready_pods
        && ready.ready < ready.selected
        && measured.ratio > 1.0
        && i64::from(recommended) <= i64::from(view.current())
    {
        if ready.ready == 0 {
            return format!(
                " None of the {} is Ready: {} × 0 = {recommended}.",
                counted(ready.selected, "pod"),
                words::ratio(measured)
            );
        }
        return format!(
            " Only {} of {} {} Ready, and {} multiplied.",
            ready.ready,
            counted(ready.selected, "pod"),
            plural(ready.ready, "is", "are"),
            plural(ready.ready, "just that one is", "just those are"),
        );
    }
    let is_average = metric.target.map(|target| target.kind) == Some(TargetKind::AverageValue);
    let is_total = is_average && metric.groups.is_none();
    let is_reported = metric
        .proposed()
        .is_some_and(|proposed| proposed.rule.is_tolerated());
    if is_total && !is_reported && measured.count != i64::from(view.current()) {
        return format!(
            " (Its ratio is for the {} replicas of the target's status.)",
            measured.count
        );
    }
    more_pods_than_replicas(view, metric, measured, recommended)
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
            let formula = metric.proposed().map_or("", |it| it.formula.as_str());
            let verb = plural(groups.ready, "counts", "count");
            format!(
                " Only {} of {} {verb}: {formula}.",
                groups.ready,
                counted(usize::try_from(current).unwrap_or_default(), "pod"),
            )
        }
        Some(selected) if measured.ratio < 1.0 && recommended > current && selected > 0 => format!(
            " Below the target it still asks for more, because the selector matches {} where the \
             target has {current}: pods of another workload?",
            counted(selected, "pod")
        ),
        _ => String::new(),
    }
}

/// Metrics that failed while the others scale up all the same.
pub(super) fn partial_failure(view: View) -> String {
    let failed: Vec<&MetricRecord> = view.trace.invalid_metrics().collect();
    let named = match failed.as_slice() {
        [] => return String::new(),
        [metric] => {
            let reason = view.page.reason(&reason(view, metric), 150);
            format!("{}: {reason}", subject(view, metric))
        }
        all => {
            let names: Vec<String> = all.iter().map(|metric| subject(view, metric)).collect();
            list(&names, 2)
        }
    };
    let fails = fails(failed.len(), view.trace.metrics.len());
    format!(
        "{fails} ({named}): that does not stop a change upwards, but would block one downwards."
    )
}

/// `1 of 2 metrics fails`.
pub(super) fn fails(failed: usize, all: usize) -> String {
    match (failed, all) {
        (1, 1) => "The only metric fails".to_owned(),
        (failed, all) if failed >= all => format!("All {all} metrics fail"),
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
