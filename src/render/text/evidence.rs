//! What the pass leaves on the HPA, and every setting (`-vv`).

use crate::trace::{EventType, Origin};

use super::origin;
use super::page::Line;
use super::words::View;

/// Renders conditions, events and settings.
pub(super) fn evidence(view: View) -> Vec<Line> {
    let trace = view.trace;
    let page = view.page;
    let mut lines = vec![page.line("Conditions after the pass")];
    for condition in &trace.conditions {
        let text = format!(
            "{} {} {}: {}",
            condition.kind, condition.status, condition.reason, condition.message
        );
        lines.extend(page.paragraph("  ", &text));
    }
    lines.push(page.line("Events of the pass"));
    if trace.events.is_empty() {
        lines.push(page.line("  none"));
    }
    for event in &trace.events {
        let kind = match event.kind {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        };
        lines.extend(page.paragraph("  ", &format!("{kind} {}: {}", event.reason, event.message)));
    }
    lines.push(page.line("Settings"));
    for setting in &trace.basis.settings {
        let mark = if setting.origin == Origin::Given {
            " (what-if)"
        } else {
            ""
        };
        let text = format!(
            "{}={}  {}{mark}",
            setting.name,
            setting.value,
            origin(setting.origin)
        );
        lines.extend(page.paragraph("  ", &text));
    }
    lines
}
