//! What several findings say in the same words.

use jiff::Timestamp;

use crate::api::{Condition, Workload, truncated};
use crate::controller::{Release, Switch};
use crate::trace::amount::{amount, counted, is_in_cores};
use crate::trace::{
    BreakPoints, Direction, LimitRecord, MetricRecord, Origin, PolicyRecord, Rule, Trace,
    seconds_text,
};

pub(super) use crate::trace::amount::some;

/// The metric's name; a metric whose source is unusable has none.
pub(super) fn metric_name(metric: &MetricRecord) -> String {
    if metric.source.name.is_empty() {
        return field(metric);
    }
    metric.source.name.clone()
}

/// `the metrics ask for 30`, or which one does.
pub(super) fn asks(trace: &Trace, recommended: i32) -> String {
    match trace.winner() {
        Some(metric) if trace.metrics.len() > 1 => {
            format!("{} asks for {recommended}", metric_name(metric))
        }
        _ => format!("the metrics ask for {recommended}"),
    }
}

/// The other metrics that propose something, with that.
pub(super) fn others<'t>(
    trace: &'t Trace,
    metric: &MetricRecord,
) -> impl DoubleEndedIterator<Item = (&'t MetricRecord, i32)> + use<'t> {
    let index = metric.index;
    let others = trace.metrics.iter().filter(move |it| it.index != index);
    others.filter_map(|other| Some((other, other.asks_for()?)))
}

/// `2, but p2 asks for 8`: what one metric proposes by itself, and where that is not
/// what comes of it, what counts. The largest proposal does.
pub(super) fn alone(trace: &Trace, metric: &MetricRecord, replicas: i32) -> String {
    let own = replicas.max(0);
    let others = others(trace, metric).rev();
    match others.max_by_key(|(_, recommended)| *recommended) {
        Some((other, most)) if most > own => {
            format!("{own}, but {} asks for {most}", whole_name(other))
        }
        _ => own.to_string(),
    }
}

/// How pods of others leave a selector: a Job cannot be changed, only what makes
/// it can.
pub(super) fn other_labels(owners: &[String]) -> String {
    let defined = match owners {
        [] => "these pods are".to_owned(),
        [owner] => format!("{owner} is"),
        owners => format!("{} are", some(owners, 2)),
    };
    format!(
        "change the pod labels where {defined} defined, so that the selector does not match them"
    )
}

/// From where on a metric alone would ask for another size, where somebody
/// looked.
pub(super) fn break_points<'t>(trace: &'t Trace, metric: &MetricRecord) -> Option<&'t BreakPoints> {
    trace.prospects.as_ref()?.break_points_of(metric.index)
}

/// Which side of `behavior` a limit belongs to; absent without `behavior`, and
/// where nothing was to be limited.
pub(super) fn side(limit: &LimitRecord) -> Option<Direction> {
    match limit.rule {
        Rule::LimitScaleUp => Some(Direction::Up),
        Rule::LimitScaleDown => Some(Direction::Down),
        _ => None,
    }
}

/// The side of `behavior` that a metric is on which is off its target.
pub(super) fn below_or_above(ratio: f64) -> Direction {
    if ratio < 1.0 {
        Direction::Down
    } else {
        Direction::Up
    }
}

/// A policy as people say it: `Pods 4 per 1m`.
pub(super) fn policy_text(policy: &PolicyRecord) -> String {
    let period = seconds_text(policy.period_seconds.into());
    format!("{} {} per {period}", policy.kind, policy.value)
}

/// `Kubernetes 1.33`: the first release that has a rule.
pub(super) fn first_with(rule: Switch) -> String {
    format!("Kubernetes {}", Release::minor(rule.since()))
}

/// `Kubernetes 1.32`: the last release that does not have it.
pub(super) fn last_without(rule: Switch) -> String {
    let before = rule.since().saturating_sub(1);
    format!("Kubernetes {}", Release::minor(before))
}

/// How long ago a moment was, or how far ahead it lies.
pub(super) fn apart(trace: &Trace, at: Timestamp) -> String {
    let apart = trace.at.duration_since(at).as_millis().unsigned_abs();
    seconds_text(i64::try_from((apart + 500) / 1_000).unwrap_or(i64::MAX))
}

/// Where a setting's value comes from.
pub(super) fn origin_text(origin: Origin) -> &'static str {
    match origin {
        Origin::Given => "given to this run",
        Origin::Observed => "read from the controller",
        Origin::Assumed => "assumed default",
    }
}

/// When the size of a target was last written, by whomever.
pub(super) fn resized_at(target: &Workload) -> Option<Timestamp> {
    let entries = target.metadata.managed_fields.iter();
    let sizes = entries.filter(|entry| entry.owns_replicas());
    sizes.filter_map(|entry| entry.time).max()
}

/// The most objects that one finding names one by one.
pub(super) const MOST: usize = 5;

/// The most characters of names in the message of a finding.
const LONGEST_NAMES: usize = 60;

/// One or two names, and how many more there are, as a message has room for.
pub(super) fn few(names: &[&str]) -> String {
    let length: usize = names.iter().take(2).map(|name| name.len()).sum();
    some(names, if length > LONGEST_NAMES { 1 } else { 2 })
}

/// `2 of 7 pods (a, b)`.
pub(super) fn of_all(names: &[&str], all: usize) -> String {
    let (count, pods) = (names.len(), counted(all, "pod"));
    format!("{count} of {pods} ({})", few(names))
}

/// `cpu and memory`, each once.
pub(super) fn each_once<S: Into<String>>(names: impl IntoIterator<Item = S>) -> String {
    listed(&once(names), "and")
}

/// `a, b and c`, or with another word before the last one.
pub(super) fn listed(names: &[String], word: &str) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => {
            format!("{} {word} {last}", first.join(", "))
        }
        _ => names.concat(),
    }
}

/// Names, each once, in the order in which they come.
pub(super) fn once<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for name in names {
        let name = name.into();
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

/// A metric as sentences name it: `cpu`, `cpu of container app`.
pub(super) fn whole_name(metric: &MetricRecord) -> String {
    let source = &metric.source;
    match (&source.container, &source.object) {
        (Some(container), _) => format!("{} of container {container}", source.name),
        (_, Some(object)) => format!("{} of {object}", source.name),
        _ if source.name.is_empty() => field(metric),
        _ => source.name.clone(),
    }
}

/// The longest text of the cluster that evidence quotes, in characters.
const LONGEST: usize = 160;

/// A text of the cluster as a line: without breaks and a full stop, and cut
/// where it goes on for long.
pub(super) fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let text = text.trim_end_matches(['.', ' ']);
    if text.is_empty() {
        return "no text".to_owned();
    }
    truncated(text, LONGEST)
}

/// `False (FailedGetScale)`, or the status alone.
pub(super) fn condition(it: &Condition) -> String {
    match it.reason.as_str() {
        "" => it.status.to_string(),
        reason => format!("{} ({reason})", it.status),
    }
}

/// An amount with its unit: `250m`, `1 cpu`.
pub(super) fn quantity(metric: &MetricRecord, milli: i64) -> String {
    let text = amount(metric, milli);
    if is_in_cores(metric, milli) {
        text + " cpu"
    } else {
        text
    }
}

/// Where a metric stands in the HPA.
pub(super) fn field(metric: &MetricRecord) -> String {
    format!("spec.metrics[{}]", metric.index)
}

#[cfg(test)]
mod tests {
    use super::{each_once, line, some};

    #[test]
    fn texts_of_the_cluster_become_lines() {
        assert_eq!(
            line("0/9 nodes:\n 9 Insufficient cpu. "),
            "0/9 nodes: 9 Insufficient cpu"
        );
        assert_eq!(line(" .\n"), "no text");
        assert_eq!(line(&"x".repeat(160)).len(), 160);
        assert_eq!(line(&"é".repeat(161)).chars().count(), 161);
    }

    #[test]
    fn lists_stay_short_and_without_repetition() {
        assert_eq!(some(&["a", "b"], 2), "a, b");
        assert_eq!(some(&["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(each_once(["cpu", "memory", "cpu"]), "cpu and memory");
        assert_eq!(each_once(["a", "b", "c"]), "a, b and c");
        assert_eq!(each_once(["a"]), "a");
    }
}
