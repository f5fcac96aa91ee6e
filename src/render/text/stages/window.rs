//! The stabilization window, with the recommendation that holds.

use crate::render::text::page::Line;
use crate::render::text::words::{View, certain_count};
use crate::render::text::{origin, verdict_window as span};
use crate::trace::{StabilizationRecord, WindowEdge, WindowEntry};

use super::{below, marked, memory_is_known, stage};

/// The windows by their lengths.
pub(super) fn names(record: &StabilizationRecord) -> String {
    let down = span(record.down.window_seconds);
    match record.up {
        Some(up) => format!("windows {} up, {down} down", span(up.window_seconds)),
        None => format!("window {down}"),
    }
}

/// Renders the stage.
pub(super) fn stabilize(view: View, record: &StabilizationRecord) -> Vec<Line> {
    let (from, to) = (record.recommendation, record.result);
    if from == to {
        let text = if memory_is_known(view) {
            format!("{}: nothing held back", names(record))
        } else if certain_count(view).is_some() {
            format!("{}: held or not, the count is the same", names(record))
        } else {
            format!("{}: they can make no difference", names(record))
        };
        return stage(view, "stabilize", &from.to_string(), &text);
    }
    let is_up = from > to;
    let (edge, kind) = match record.up {
        Some(up) if is_up => (up, "lowest"),
        _ => (record.down, "highest"),
    };
    let effect = if edge.value == to {
        "counts".to_owned()
    } else {
        format!("is {}, so {to} stays", edge.value)
    };
    let text = format!(
        "the {kind} of the last {} {effect} ({})",
        span(edge.window_seconds),
        source(view, record, &edge, is_up)
    );
    let mut lines = stage(view, "stabilize", &format!("{from} → {to}"), &text);
    lines.extend(entries(view, record, &edge, is_up));
    lines
}

/// Where the window's length comes from.
fn source(view: View, record: &StabilizationRecord, edge: &WindowEdge, is_up: bool) -> String {
    if edge.from_spec {
        return "spec".to_owned();
    }
    if is_up {
        return "default".to_owned();
    }
    let name = "--horizontal-pod-autoscaler-downscale-stabilization";
    let settings = &view.trace.basis.settings;
    let setting = settings.iter().find(|setting| setting.name == name);
    let flag = setting.map_or_else(
        || "flag".to_owned(),
        |setting| format!("flag, {}", origin(setting.origin)),
    );
    if record.up.is_none() {
        return format!("no behavior; {flag}");
    }
    flag
}

/// The remembered recommendations that count: the one that holds, and what
/// the others are.
fn entries(view: View, record: &StabilizationRecord, edge: &WindowEdge, is_up: bool) -> Vec<Line> {
    if !memory_is_known(view) {
        let text = "what it remembers is unknown, but can make no difference";
        return vec![below(view, text)];
    }
    let counts = |entry: &&WindowEntry| {
        if is_up {
            entry.counts_up
        } else {
            entry.counts_down
        }
    };
    let most = view.most(&[4, 4, 2, 1]);
    let mut lines = Vec::new();
    if most > 1 {
        lines.push(below(view, "age      value  counts until"));
    }
    let held = edge.held_by.and_then(|at| record.entries.get(at));
    if let Some(entry) = held {
        let until = edge.expires.map_or_else(String::new, |at| view.time(at));
        let age = view.age(entry.timestamp);
        let text = format!("{age:<8} {:<5}  {until}", entry.replicas);
        lines.push(marked(view, true, &text));
    }
    let others = record.entries.iter().filter(counts).count();
    let others = others.saturating_sub(usize::from(held.is_some()));
    if others > 0 {
        let values = record.entries.iter().filter(counts);
        let (low, high) = values.fold((i32::MAX, i32::MIN), |(low, high), entry| {
            (low.min(entry.replicas), high.max(entry.replicas))
        });
        let range = if low == high {
            format!("also {low}")
        } else {
            format!("from {low} to {high}")
        };
        let s = if others == 1 { "s" } else { "" };
        lines.push(below(
            view,
            &format!("and {others} more that count{s}, {range}"),
        ));
    }
    lines.push(below(
        view,
        &format!("{:<8} {:<5}  this pass", "now", record.recommendation),
    ));
    lines.truncate(most);
    lines
}
