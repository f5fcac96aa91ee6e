//! The pods: how many count, and which are set aside, by which rule, until
//! when, and as what they count.

use jiff::Timestamp;

use super::metrics::foreign_pods;
use super::verdict::counts_as;
use super::words::{View, by_key, counted, list};
use crate::document::snapshot::Part;
use crate::render::block::{Block, Facts, Item, Prose};
use crate::trace::{FailureCause, Group, MetricRecord, PodRecord, Rule};

/// The metric whose pods are shown: the winner, else the first that looked
/// at pods one by one.
pub(super) fn metric_with_pods(view: View<'_>) -> Option<&MetricRecord> {
    let has_groups = |metric: &&MetricRecord| metric.groups.is_some();
    let winner = view.trace.winner().filter(has_groups);
    winner.or_else(|| view.trace.metrics.iter().find(has_groups))
}

/// The line that counts the pods.
pub(super) fn pods(view: View) -> Option<Prose> {
    let text = match (not_read(view), metric_with_pods(view)) {
        (Some(reason), _) => format!("not read: {}", view.page.reason(reason, 300)),
        (None, Some(metric)) => grouped(view, metric),
        (None, None) => selected(view)?,
    };
    Some(Prose::behind("Pods   ", text))
}

/// Why the pods could not be read.
pub(super) fn not_read(view: View<'_>) -> Option<&str> {
    let mut missing = view.trace.basis.not_read.iter();
    let pods = missing.find(|missing| missing.part == Part::Pods)?;
    Some(&pods.reason.text)
}

/// What is known without a metric that looks at pods.
fn selected(view: View) -> Option<String> {
    let mut metrics = view.trace.metrics.iter();
    if let Some(ready) = metrics.find_map(|metric| metric.ready_pods) {
        let names = view.trace.not_ready.iter().map(|name| view.name(name));
        let names: Vec<String> = names.collect();
        let not_ready = match names.as_slice() {
            [] => String::new(),
            names => format!("; not Ready: {}", list(names.to_vec(), view.most(3))),
        };
        return Some(format!(
            "{} selected, {} Running and Ready{not_ready}",
            ready.selected, ready.ready
        ));
    }
    let selected = view.trace.selector.as_ref()?.selected?;
    let needs_them = |it: &MetricRecord| it.cause() == Some(&FailureCause::NoPods);
    let is_needed = view.trace.metrics.iter().any(needs_them);
    Some(if selected == 0 && view.current() > 0 && !is_needed {
        "no metric here depends on them (0 selected)".to_owned()
    } else {
        format!("{selected} selected")
    })
}

fn grouped(view: View, metric: &MetricRecord) -> String {
    let groups = metric.groups.unwrap_or_default();
    let desired = usize::try_from(view.current()).unwrap_or_default();
    let is_short = desired > groups.selected;
    let missing = is_short.then(|| format!(" of {desired} desired"));
    let missing = missing.unwrap_or_default();
    let mut parts = vec![
        format!("{} selected{missing}", groups.selected),
        format!("{} counted", groups.ready),
    ];
    let aside = [
        (groups.unready, "not ready"),
        (groups.missing, "without a sample"),
        (groups.ignored, "ignored"),
    ];
    if aside.iter().all(|(count, _)| *count == 0) {
        parts.push("none set aside".to_owned());
    }
    let aside = aside.into_iter().filter(|(count, _)| *count > 0);
    parts.extend(aside.map(|(count, what)| format!("{count} {what}")));
    let foreign_pods = foreign_pods(metric);
    if foreign_pods > 0 {
        parts.push(format!(
            "{} of pods that are not selected are also counted",
            counted(foreign_pods, "sample")
        ));
    }
    let mut text = parts.join(", ");
    if let Some(age) = sample_ages(view, metric) {
        text = format!("{text}; {age}");
    }
    text
}

/// How old the samples are, where that is known.
fn sample_ages(view: View, metric: &MetricRecord) -> Option<String> {
    let times = || metric.pods.iter().filter_map(|pod| pod.times?.sampled);
    let (oldest, youngest) = (
        view.trace.age(times().min()?),
        view.trace.age(times().max()?),
    );
    if oldest == youngest {
        return Some(format!("samples {oldest} old"));
    }
    Some(format!("samples {youngest} to {oldest} old"))
}

/// The pods that are set aside, by name.
pub(super) fn set_aside(view: View) -> Vec<Block<'static>> {
    let Some(metric) = metric_with_pods(view) else {
        return Vec::new();
    };
    let aside = metric.pods.iter().filter(|pod| pod.group != Group::Ready);
    let mut aside: Vec<&PodRecord> = aside.collect();
    // What counts as something comes before what plays no part.
    aside.sort_by_key(|pod| pod.group == Group::Ignored);
    let reasons = aside.into_iter().map(|pod| {
        let waiting = view.waiting(pod).map(|it| format!("; {it}"));
        let why = remark(view, metric, pod) + &waiting.unwrap_or_default();
        (why, view.name(&pod.name))
    });
    let most = view.most(3);
    let items = by_key(reasons);
    let items = items.map(|(why, names)| Item::of(format!("{}: {why}", list(names, most))));
    let title = format!("Set aside for {}", view.metric_name(metric));
    vec![Block::Facts(Facts::titled(&title, 0, items.collect()))]
}

/// Why a pod is set aside, and what it counts as.
fn remark(view: View, metric: &MetricRecord, pod: &PodRecord) -> String {
    let why = why(view, pod);
    if !metric.is_failed() {
        return match counts_as(metric, pod) {
            Some(value) => format!("{why}, counted as {value}"),
            None => format!("{why}, ignored"),
        };
    }
    if misses_request(metric, pod) {
        let why = match pod.group {
            Group::Missing => "no sample",
            _ => &why,
        };
        let name = view.metric_name(metric);
        return format!("{why}; its missing {name} request fails the metric");
    }
    match pod.group {
        Group::Ignored => format!("{why}, ignored"),
        // Nothing is filled in where the metric fails before that.
        Group::Ready | Group::Unready | Group::Missing => why,
    }
}

/// Whether the pod is the one whose request the failed metric looked for.
fn misses_request(metric: &MetricRecord, pod: &PodRecord) -> bool {
    matches!(metric.cause(), Some(FailureCause::MissingRequest { pod: name, .. }) if pod.name == *name)
}

/// The rule that set a pod aside, with the times that it compared.
fn why(view: View, pod: &PodRecord) -> String {
    let times = pod.times.unwrap_or_default();
    let until = pod.until.map_or_else(String::new, |until| {
        format!(", until {}", view.moment(until))
    });
    let better = times.sample_needed.map_or_else(String::new, |at| {
        format!(" (a sample from {} on counts)", view.time(at))
    });
    let ago = |at: Option<Timestamp>| {
        at.map_or_else(
            || "at an unknown time".to_owned(),
            |at| format!("{} ago", view.trace.age(at)),
        )
    };
    let since = times.ready_changed.map(|at| view.time(at));
    let since = since.unwrap_or_else(|| "unknown".to_owned());
    match pod.rule {
        Rule::PodTerminating => "terminating".to_owned(),
        Rule::PodFailed | Rule::PodSucceeded | Rule::PodPending => pod.phase.to_string(),
        Rule::PodNoSample => format!("{}, no sample", pod.phase),
        Rule::PodNoReadyCondition => "no Ready condition or start time yet".to_owned(),
        Rule::PodInitializing => {
            format!("not Ready, started {}{until}", ago(times.started))
        }
        Rule::PodStaleSample => {
            format!("Ready since {since}, its sample starts before that{better}{until}")
        }
        Rule::PodNeverReady => format!("not Ready since {since}, shortly after its start"),
        _ => pod.rule.says().to_owned(),
    }
}
