//! The stabilization window, with the recommendation that holds.

use crate::render::text::page::Line;
use crate::render::text::remembered::{
    Amount, Holder, Row, can_be_within, holder, recommendations, rows,
};
use crate::render::text::words::{View, certain_count};
use crate::render::text::{origin, verdict_window as span};
use crate::trace::{Recalled, StabilizationRecord, WindowEdge};

use super::{below, stage, table};

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
        let text = if is_known(view) {
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
    let effect = if edge.value == to || !is_known(view) {
        "counts".to_owned()
    } else {
        format!("is {}, so {to} stays", edge.value)
    };
    let text = format!(
        "the {kind} of the last {} {effect}",
        span(edge.window_seconds)
    );
    let text = format!("{text} ({})", source(view, record, &edge, is_up));
    let mut lines = stage(view, "stabilize", &format!("{from} → {to}"), &text);
    lines.extend(entries(view, record, &edge, is_up));
    lines
}

/// Whether every recommendation that can count is known.
fn is_known(view: View) -> bool {
    view.trace.memory.recommendations.is_some()
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

/// The remembered recommendations that can count, the one that holds among
/// them.
fn entries(view: View, record: &StabilizationRecord, edge: &WindowEdge, is_up: bool) -> Vec<Line> {
    let recalled = recommendations(view);
    let seconds = edge.window_seconds;
    let recalled: Vec<Recalled> = recalled
        .into_iter()
        .filter(|entry| can_be_within(view, entry, seconds))
        .collect();
    let holder = holder(view, record, edge, is_up);
    let decides = holder.as_ref().map(|holder| &holder.recalled);
    let most = view.most(6);
    let mut rows = rows(view, &recalled, decides, Amount::Recommended, most);
    for row in rows.iter_mut().filter(|row| row.is_marked) {
        row.note = note(view, record, holder.as_ref());
    }
    if rows.is_empty() {
        let text = "what it remembers is unknown, but can make no difference";
        return vec![below(view, text)];
    }
    if most > 1 {
        rows.insert(0, Row::titles());
        rows.push(this_pass(record.recommendation));
    }
    table(view, &rows)
}

/// What the entry that decides does, and for how long; where others can
/// follow it, the next step's bounds tell that.
fn note(view: View, record: &StabilizationRecord, holder: Option<&Holder>) -> String {
    let until = holder.and_then(|holder| holder.until);
    match until.filter(|_| is_known(view)) {
        Some(until) => format!("holds {} until {}", record.result, view.time(until)),
        None => format!("holds {}", record.result),
    }
}

/// What this pass itself adds.
pub(super) fn this_pass(recommendation: i32) -> Row {
    Row {
        age: "now".to_owned(),
        value: recommendation.to_string(),
        source: vec!["this pass".to_owned()],
        ..Row::default()
    }
}
