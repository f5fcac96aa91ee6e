//! The fallback of an External metric: a design that no release has, and
//! always called so.

use crate::render::block::Prose;
use crate::trace::{FallbackRecord, MetricRecord, Rule, seconds_text};

use super::words::View;

/// What every mention of it begins with.
const DESIGN: &str = "fallback (a design, in no release)";

/// The remark on a metric: that its fallback asks for something, or when it
/// would.
pub(super) fn note(view: View, metric: &MetricRecord) -> Option<Prose> {
    let fallback = metric.fallback.as_ref()?;
    let is_told = fallback.rule != Rule::FallbackNormal || view.options.verbosity > 0;
    is_told.then(|| Prose::behind("    ", format!("{DESIGN}: {}", says(view, fallback))))
}

/// What becomes of each fallback, with the metric's name.
pub(super) fn ahead(view: View) -> Vec<(String, String)> {
    let metrics = view.trace.metrics.iter();
    let all = metrics.filter_map(|metric| Some((metric, metric.fallback.as_ref()?)));
    all.map(|(metric, fallback)| {
        let text = format!("{DESIGN}: {}", says(view, fallback));
        (view.metric_name(metric), text)
    })
    .collect()
}

fn says(view: View, fallback: &FallbackRecord) -> String {
    let replicas = fallback.replicas;
    match fallback.rule {
        Rule::FallbackActive => match fallback.first_failure {
            Some(since) => format!("failing for {}, so it asks for {replicas}", view.age(since)),
            None => format!("it asks for {replicas}"),
        },
        Rule::FallbackWaiting => format!("in {}", would_ask(fallback)),
        Rule::FallbackUnknown => "unknown, since the metric was not read".to_owned(),
        _ => {
            let needed = seconds_text(fallback.failure_duration_seconds);
            format!("after {needed} of failures this metric would ask for {replicas}")
        }
    }
}

/// `1m40s this metric would ask for 10`.
fn would_ask(fallback: &FallbackRecord) -> String {
    let left = seconds_text(fallback.seconds_left.unwrap_or_default());
    format!("{left} this metric would ask for {}", fallback.replicas)
}

/// The sentence of the verdict where a fallback decides.
pub(super) fn asks(view: View, metric: &MetricRecord, fallback: &FallbackRecord) -> String {
    let failing = fallback.first_failure.map_or_else(
        || "fails".to_owned(),
        |since| format!("has failed for {}", view.age(since)),
    );
    format!(
        "{} {failing}, and its fallback asks for {}. That is a design, in no Kubernetes release: the \
         cluster's own controller does not do it.",
        view.metric_name(metric),
        fallback.replicas
    )
}

/// The sentence of the verdict where a fallback that waits may decide later.
pub(super) fn countdown(view: View) -> Option<String> {
    // Where the pass does not get to the metrics, no clock runs.
    view.trace.recommendation.as_ref()?;
    let waiting = view.trace.metrics.iter();
    let waiting = waiting.filter_map(|metric| Some((metric, metric.awaits_fallback()?)));
    let (metric, fallback) = waiting.min_by_key(|(_, fallback)| fallback.active_at)?;
    let left = seconds_text(fallback.seconds_left.unwrap_or_default());
    Some(format!(
        "If {} goes on failing, in {left} its fallback would ask for {}: a design, in no \
         Kubernetes release.",
        view.metric_name(metric),
        fallback.replicas
    ))
}

/// The step with its numbers (`-v`).
pub(super) fn formula(view: View, fallback: &FallbackRecord) -> String {
    let active = fallback.active_at.filter(|_| !fallback.active);
    let from = active.map_or_else(String::new, |at| format!(" from {} on", view.time(at)));
    format!("{}; fallback {}{from}", fallback.formula, fallback.replicas)
}
