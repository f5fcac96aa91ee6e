//! What the pass leaves behind, and every setting (`-vv`).

use crate::trace::{EventType, Origin, Remembered, Rule};

use super::origin;
use super::page::Line;
use super::words::View;

/// Renders conditions, events, what is remembered, and settings.
pub(super) fn evidence(view: View) -> Vec<Line> {
    let trace = view.trace;
    let page = view.page;
    let mut lines = vec![page.line("Conditions after the pass")];
    for condition in &trace.conditions {
        let text = if condition.status == "Unknown" {
            format!("{}  unknown ({})", condition.kind, condition.message)
        } else {
            format!(
                "{} {} {}: {}",
                condition.kind, condition.status, condition.reason, condition.message
            )
        };
        lines.extend(page.paragraph("  ", &text));
    }
    if trace.outcome.rule == Rule::Undecided {
        lines.push(page.line("Events of the pass: unknown"));
    } else {
        lines.push(page.line("Events of the pass"));
        if trace.events.is_empty() {
            lines.push(page.line("  none"));
        }
    }
    for event in &trace.events {
        let kind = match event.kind {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        };
        lines.extend(page.paragraph("  ", &format!("{kind} {}: {}", event.reason, event.message)));
    }
    lines.push(page.line("Remembered after the pass, in slot order"));
    lines.extend(memory(view));
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

/// The lists of the memory.
fn memory(view: View) -> Vec<Line> {
    let memory = &view.trace.memory;
    let lists = [
        ("recommendations", &memory.recommendations),
        ("scaleUp events", &memory.scale_up_events),
        ("scaleDown events", &memory.scale_down_events),
    ];
    let lines = lists.map(|(name, slots)| {
        let text = format!("{name}: {}", slots_text(slots.as_deref()));
        view.page.paragraph("  ", &text)
    });
    lines.concat()
}

fn slots_text(slots: Option<&[Remembered]>) -> String {
    let Some(slots) = slots else {
        return "unknown".to_owned();
    };
    if slots.is_empty() {
        return "none".to_owned();
    }
    let counts: Vec<String> = slots.iter().map(|slot| slot.replicas.to_string()).collect();
    counts.join(", ")
}
