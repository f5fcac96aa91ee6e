//! The table of the metrics: what each one asks for.

use super::check::is_blind;
use super::failure::{cause, fallback_note, message};
use super::page::Tone;
use super::words::{View, exact_amount, fills, now, ratio, reported, tolerated};
use crate::api::TargetKind;
use crate::render::block::{Block, Cell, Prose, Row, Table};
use crate::trace::amount::{plural, target_in_units};
use crate::trace::{FilledIn, Measured, MetricRecord, MetricResult, Rule, milli_text};

/// Which columns the table has beside those that it always has.
#[derive(Clone, Copy)]
struct Shape {
    /// Pods were filled in.
    is_filled: bool,
    /// Something was measured over pods.
    has_pods: bool,
    /// There is room for what few ask for.
    is_wide: bool,
}

/// Renders the table.
pub(super) fn metrics(view: View) -> Vec<Block<'static>> {
    let all = &view.trace.metrics;
    if all.is_empty() {
        return Vec::new();
    }
    let decisive = decisive(view);
    let shown = shown(view, decisive);
    let is_filled = shown.iter().any(|metric| metric.filled_in.is_some());
    let shape = Shape {
        is_filled,
        has_pods: is_filled || shown.iter().any(|metric| pods(metric).is_some()),
        is_wide: view.options.wide,
    };
    let rows = shown.iter().map(|metric| Row {
        is_marked: decisive == Some(metric.index),
        cells: cells(view, metric, shape),
        notes: notes(view, metric),
    });
    let table = Table::of(rows);
    let mut blocks = Vec::new();
    // Said where the pass does not get to its metrics.
    if view.trace.recommendation.is_none() && !is_blind(view) {
        let text = if all.iter().all(MetricRecord::is_failed) {
            "The controller stops before the metrics. They would fail:"
        } else {
            "The controller stops before the metrics. They would ask for:"
        };
        blocks.push(Block::Prose(Prose::plain(text)));
    }
    blocks.push(Block::Table(table));
    if shown.iter().any(|metric| reported(metric).is_some()) {
        let text = "* from the HPA's status, written by the last pass";
        blocks.push(Block::Prose(Prose::behind("  ", text)));
    }
    if shown.len() < all.len() {
        blocks.push(Block::Prose(Prose::behind("  ", rest(all, &shown))));
    }
    blocks
}

/// The metric that decides: the winner or, where a failure decides, the
/// first one that failed.
fn decisive(view: View) -> Option<usize> {
    let recommendation = view.trace.recommendation.as_ref()?;
    match recommendation.rule {
        Rule::RecommendationLargest => recommendation.winner,
        Rule::RecommendationUnreadable => None,
        _ => view.trace.invalid_metrics().map(|it| it.index).next(),
    }
}

/// The first few: the one that decides, failed ones, then the highest.
fn shown(view: View<'_>, decisive: Option<usize>) -> Vec<&MetricRecord> {
    let all = &view.trace.metrics;
    let mut order: Vec<&MetricRecord> = all.iter().collect();
    order.sort_by_key(|metric| {
        let is_decisive = decisive == Some(metric.index);
        let recommended = metric.asks_for().map_or(i64::MAX, i64::from);
        (std::cmp::Reverse((is_decisive, recommended)), metric.index)
    });
    order.truncate(view.most(8));
    order.sort_by_key(|metric| metric.index);
    order
}

fn rest(all: &[MetricRecord], shown: &[&MetricRecord]) -> String {
    let is_shown = |metric: &&MetricRecord| shown.iter().any(|it| it.index == metric.index);
    let hidden: Vec<&MetricRecord> = all.iter().filter(|metric| !is_shown(metric)).collect();
    let failed = hidden.iter().filter(|metric| metric.is_invalid()).count();
    let unknown = hidden.iter().filter(|metric| metric.asks_for().is_none());
    let unknown = unknown.count() - failed;
    let verb = plural(failed, "fails", "fail");
    let what = match (failed, unknown) {
        (0, 0) if hidden.len() == 1 => ", which asks for no more".to_owned(),
        (0, 0) => ", which ask for no more".to_owned(),
        (0, unknown) => format!(" ({unknown} of them unknown)"),
        (failed, 0) => format!(" ({failed} of them {verb})"),
        (failed, unknown) => format!(" ({failed} of them {verb}, {unknown} unknown)"),
    };
    format!("and {} more{what}", hidden.len())
}

/// What a metric measures, with the kind of its target.
fn label(view: View, metric: &MetricRecord) -> String {
    let source = &metric.source;
    // The table shortens what does not fit it.
    let name = |name: &str| view.page.name(name, 200);
    let mut label = if source.name.is_empty() {
        view.metric_name(metric)
    } else {
        name(&source.name)
    };
    if let Some(container) = &source.container {
        label = format!("{label} of {}", name(container));
    }
    if let Some(object) = &source.object {
        label = format!("{label} of {}", name(object));
    }
    match metric.target.map(|target| target.kind) {
        Some(TargetKind::Utilization) => format!("{label} % of request"),
        Some(TargetKind::AverageValue) => format!("{label}, per pod"),
        _ => label,
    }
}

fn cells(view: View, metric: &MetricRecord, shape: Shape) -> Vec<Cell> {
    let measured = metric.measured.as_ref();
    let filled = metric.filled_in.as_ref();
    let now = measured
        .map(|measured| now(metric, measured))
        .or_else(|| reported(metric));
    let total = measured.map(|it| exact_amount(metric, it.total));
    let filled_in = filled.map(|it| filled_in(metric, it));
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let number = |title, text| Cell::number(title, known(text));
    let cells = [
        (true, Cell::text("METRIC", label(view, metric))),
        (true, number("NOW", now)),
        (true, Cell::number("TARGET", target_in_units(metric))),
        (true, number("RATIO", measured.map(|it| ratios(it, filled)))),
        (shape.is_wide, number("TOLERATED", measured.map(tolerated))),
        (shape.has_pods, number("PODS", pods(metric))),
        (shape.is_wide, number("TOTAL", total)),
        (shape.is_filled, Cell::text("FILLED IN", known(filled_in))),
        (true, Cell::number("ASKS FOR", asks_for(metric))),
    ];
    let cells = cells.into_iter().filter(|(is_there, _)| *is_there);
    cells.map(|(_, cell)| cell).collect()
}

/// `1.53`, or `1.53 → 0.95` where pods were filled in.
fn ratios(measured: &Measured, filled: Option<&FilledIn>) -> String {
    let first = ratio(measured);
    match filled {
        Some(filled) => format!("{first} → {}", ratio(&filled.measured)),
        None => first,
    }
}

fn asks_for(metric: &MetricRecord) -> String {
    if let Some(fallback) = metric.in_fallback() {
        return format!("fallback {}", fallback.replicas);
    }
    match &metric.result {
        Some(MetricResult::Proposed(proposed)) => proposed.replicas.to_string(),
        Some(MetricResult::Failed { .. }) => "failed".to_owned(),
        Some(MetricResult::Unreadable { .. }) | None => "unknown".to_owned(),
    }
}

/// How many pods the measurement rests on.
fn pods(metric: &MetricRecord) -> Option<String> {
    if let Some(groups) = metric.groups {
        let (ready, all) = (groups.ready, groups.selected);
        return Some(match foreign_pods(metric) {
            0 => format!("{ready} of {all}"),
            foreign_pods => format!("{ready} +{foreign_pods} of {all}"),
        });
    }
    if let Some(ready) = metric.ready_pods {
        return Some(format!("{} of {}", ready.ready, ready.selected));
    }
    let measured = metric.measured.as_ref();
    let measured = measured.filter(|_| metric.is_aimed_at(TargetKind::AverageValue))?;
    Some(measured.count.to_string())
}

/// The samples of pods that are not selected, where they count: always in an
/// average, and in a utilization as pods of the second measurement.
pub(super) fn foreign_pods(metric: &MetricRecord) -> usize {
    let groups = metric.groups.unwrap_or_default();
    if metric.is_utilization() && metric.filled_in.is_none() {
        return 0;
    }
    groups.foreign_pods
}

/// `3 at 0%: 57%`.
fn filled_in(metric: &MetricRecord, filled: &FilledIn) -> String {
    let parts = fills(metric, filled).into_iter();
    let parts = parts.map(|(pods, value)| format!("{pods} at {value}"));
    let parts = parts.collect::<Vec<_>>().join(", ");
    let parts = if parts.is_empty() { "none" } else { &parts };
    format!("{parts}: {}", now(metric, &filled.measured))
}

/// Why a metric failed, and with `-v` the exact numbers.
fn notes(view: View, metric: &MetricRecord) -> Vec<Prose> {
    let is_verbose = view.options.verbosity > 0;
    let mut notes = Vec::new();
    // One reason for all, which stands at the top.
    if let Some(text) = message(metric).filter(|_| !is_blind(view)) {
        let most = if is_verbose { 2000 } else { 400 };
        notes.push(Prose::behind("    ", view.page.reason(text, most)));
        let plain = cause(view, metric).and_then(|cause| cause.plain);
        let plain = plain.filter(|_| is_verbose);
        notes.extend(plain.map(|plain| Prose::behind("    that is: ", plain)));
    }
    notes.extend(fallback_note(view, metric));
    if let Some(measured) = metric.measured.as_ref().filter(|_| is_verbose) {
        let average = measured.average.map_or_else(String::new, |average| {
            format!(", average {}", milli_text(average))
        });
        let text = format!("exactly: total {}{average}", milli_text(measured.total));
        notes.push(Prose::behind("    ", text));
    }
    let faint = notes.into_iter().map(|note| note.toned(Tone::Faint));
    faint.collect()
}
