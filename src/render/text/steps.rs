//! Every step of the pass with its rule (`-v`); the rules' sentences and places
//! in the controller, what the pass leaves behind, and every setting (`-vv`).

use super::failure::fallback_formula;
use super::origin;
use super::words::{self, View, by_key, counted, exact_amount};
use crate::api::ConditionStatus;
use crate::render::block::Prose;
use crate::trace::{Group, MetricRecord, MetricResult, Origin, PodRecord, Remembered, Rule};

/// Renders the steps.
pub(super) fn steps(view: View) -> Vec<Prose> {
    let trace = view.trace;
    let mut lines = vec![Prose::line("Steps")];
    if let Some(scale) = &trace.scale {
        let size =
            |size: Option<i32>| size.map_or_else(|| "unknown".to_owned(), |size| size.to_string());
        let text = scale.error.clone().unwrap_or_else(|| {
            format!(
                "spec {}, status {}, selector {}",
                size(scale.current_replicas),
                size(scale.status_replicas),
                scale.selector.as_deref().unwrap_or("none")
            )
        });
        lines.extend(step(view, scale.rule, &text));
    }
    if let Some(branch) = &trace.branch {
        lines.extend(step(view, branch.rule, &branch.formula));
    }
    if let Some(selector) = &trace.selector {
        let text = match (&selector.error, selector.selected) {
            (Some(error), _) => error.clone(),
            (None, Some(selected)) => format!("matches {selected}"),
            (None, None) => String::new(),
        };
        lines.extend(step(view, selector.rule, &text));
    }
    for metric in &trace.metrics {
        lines.extend(metric_steps(view, metric));
    }
    lines.extend(later_steps(view));
    lines
}

/// A paragraph behind the id of its rule, or behind the blanks of one.
fn behind(id: &str, text: impl Into<String>) -> Prose {
    Prose::behind(format!("  {id:<26} "), text)
}

fn step(view: View, rule: Rule, text: &str) -> Vec<Prose> {
    let mut lines = vec![behind(rule.id(), text)];
    if view.options.verbosity > 1 {
        let source = format!("{} ({})", rule.says(), rule.source());
        lines.push(Prose::behind("      ", source));
    }
    lines
}

fn metric_steps(view: View, metric: &MetricRecord) -> Vec<Prose> {
    let selector = metric.source.selector.as_deref();
    let selector = selector.map_or_else(String::new, |selector| format!(" {{{selector}}}"));
    let title = format!(
        "  metric {}: {} {}{selector}",
        metric.index,
        view.name(metric.kind.as_str()),
        view.metric_name(metric)
    );
    let mut lines = vec![Prose::plain(title.trim())];
    lines.extend(pod_steps(view, metric));
    if let Some(measured) = &metric.measured {
        lines.push(behind("", &measured.formula));
    }
    if let Some(filled) = &metric.filled_in {
        let text = format!("filled in: {}", filled.measured.formula);
        lines.push(behind("", text));
    }
    match &metric.result {
        Some(MetricResult::Proposed(proposed)) => {
            lines.extend(step(view, proposed.rule, &proposed.formula));
            if view.options.verbosity > 1 {
                let name = format!("the controller calls it: {}", proposed.name);
                lines.push(Prose::behind("      ", name));
            }
        }
        Some(MetricResult::Failed { rule, error, .. }) => lines.extend(step(view, *rule, error)),
        Some(MetricResult::Unreadable { rule, reason, .. }) => {
            lines.extend(step(view, *rule, reason));
        }
        None => {}
    }
    if let Some(fallback) = &metric.fallback {
        let text = fallback_formula(view, fallback);
        lines.extend(step(view, fallback.rule, &text));
    }
    lines
}

/// So many names of pods are a paragraph.
const NAMES: usize = 50;

/// A line a pod; with `-v`, pods of which the same is said share one, with
/// their names below.
fn pod_steps(view: View, metric: &MetricRecord) -> Vec<Prose> {
    let pods = metric.pods.iter().enumerate().map(|(at, pod)| {
        let alone = (view.options.verbosity != 1).then_some(at);
        let key = (alone, pod.rule, pod_text(view, metric, pod));
        (key, view.name(&pod.name))
    });
    let lines = by_key(pods).map(|((_, rule, text), names)| {
        let [name] = names.as_slice() else {
            let who = counted(names.len(), "pod");
            // A paragraph has an end, however long its text is.
            let names = names.chunks(NAMES);
            let names = names.map(|names| Prose::behind("      ", names.join(", ")));
            let all = behind(rule.id(), format!("{who}: {text}"));
            return [all].into_iter().chain(names).collect();
        };
        vec![behind(rule.id(), format!("{name} {text}"))]
    });
    lines.flatten().collect()
}

fn pod_text(view: View, metric: &MetricRecord, pod: &PodRecord) -> String {
    let group = match pod.group {
        Group::Ready => "counts",
        Group::Unready => "not ready",
        Group::Missing => "no sample",
        Group::Ignored => "left out",
    };
    let mut parts = vec![group.to_owned()];
    let amount = |milli| exact_amount(metric, milli);
    let usage = pod.usage.map(|usage| format!("usage {}", amount(usage)));
    parts.extend(usage);
    let request = pod.request.map(|it| format!("request {}", amount(it)));
    parts.extend(request);
    parts.extend(pod.until.map(|at| format!("until {}", view.time(at))));
    if view.options.verbosity > 1 {
        parts.extend(pod_times(view, pod));
    }
    parts.join(", ")
}

fn pod_times(view: View, pod: &PodRecord) -> Vec<String> {
    let mut parts = vec![format!("phase {}", pod.phase)];
    let times = pod.times.unwrap_or_default();
    if let Some(ready) = times.ready {
        parts.push(if ready { "Ready" } else { "not Ready" }.to_owned());
    }
    let named = [
        ("started", times.started),
        ("initialization ends", times.initialization_ends),
        ("readiness delay ends", times.readiness_delay_ends),
        ("Ready changed", times.ready_changed),
        ("sampled", times.sampled),
        ("sample needed of", times.sample_needed),
    ];
    let times = named.into_iter();
    parts.extend(times.filter_map(|(name, at)| Some(format!("{name} {}", view.time(at?)))));
    parts
}

fn later_steps(view: View) -> Vec<Prose> {
    let trace = view.trace;
    let mut lines = Vec::new();
    if let Some(recommendation) = &trace.recommendation {
        lines.extend(step(view, recommendation.rule, &recommendation.formula));
    }
    if let Some(stabilization) = &trace.stabilization {
        lines.extend(step(view, stabilization.rule, &stabilization.formula));
    }
    if let Some(limit) = &trace.limit {
        lines.extend(step(view, limit.rule, &limit.formula));
        for policy in &limit.policies {
            let mark = if policy.selected { ", selected" } else { "" };
            let (added, removed) = (policy.added, policy.removed);
            let (name, formula) = (words::policy(policy), &policy.formula);
            let text = format!("{name}: {formula}; added {added}, removed {removed}{mark}");
            lines.push(behind("", text));
        }
    }
    if let Some(clamp) = &trace.zero_clamp {
        let text = format!("{} → {}", clamp.from, clamp.to);
        lines.extend(step(view, clamp.rule, &text));
    }
    let outcome = &trace.outcome;
    let text = outcome.error.as_ref().or(outcome.reason.as_ref());
    lines.extend(step(view, outcome.rule, text.map_or("", String::as_str)));
    lines
}

/// Renders conditions, events, what is remembered, and settings.
pub(super) fn evidence(view: View) -> Vec<Prose> {
    let trace = view.trace;
    let conditions = trace.conditions.iter().map(|it| {
        if it.status == ConditionStatus::Unknown {
            return format!("{}  unknown ({})", it.kind, it.message);
        }
        format!("{} {} {}: {}", it.kind, it.status, it.reason, it.message)
    });
    let events = trace
        .events
        .iter()
        .map(|event| format!("{} {}: {}", event.kind, event.reason, event.message));
    let none = trace.events.is_empty().then(|| "none".to_owned());
    let (title, none) = match trace.outcome.rule {
        Rule::Undecided => ("Events of the pass: unknown", None),
        _ => ("Events of the pass", none),
    };
    let settings = trace.basis.settings.iter().map(|it| {
        let mark = match it.origin {
            Origin::Given => " (what-if)",
            _ => "",
        };
        format!("{}={}  {}{mark}", it.name, it.value, origin(it.origin))
    });
    let sections: [(&str, Vec<String>); 4] = [
        ("Conditions after the pass", conditions.collect()),
        (title, none.into_iter().chain(events).collect()),
        (
            "Controller memory after the pass, in slot order",
            memory(view).to_vec(),
        ),
        ("Settings", settings.collect()),
    ];
    let lines = sections.iter().flat_map(|(title, texts)| {
        let texts = texts.iter();
        let texts = texts.map(|text| Prose::behind("  ", text));
        std::iter::once(Prose::behind("", *title)).chain(texts)
    });
    lines.collect()
}

/// The lists of the memory.
fn memory(view: View) -> [String; 3] {
    let memory = &view.trace.memory;
    let lists = [
        ("recommendations", &memory.recommendations),
        ("scaleUp events", &memory.scale_up_events),
        ("scaleDown events", &memory.scale_down_events),
    ];
    let counts = |slots: &[Remembered]| {
        let counts: Vec<String> = slots.iter().map(|slot| slot.replicas.to_string()).collect();
        counts.join(", ")
    };
    lists.map(|(name, slots)| match slots.as_deref() {
        None => format!("{name}: unknown"),
        Some([]) => format!("{name}: none"),
        Some(slots) => format!("{name}: {}", counts(slots)),
    })
}
