//! The first line: which HPA, and what the next pass does.

use crate::render::escape::display_width;
use crate::trace::Range;

use super::page::{Line, Tone};
use super::words::View;

/// The least that is left of each of the two names.
const LEAST: usize = 6;

/// Renders the header.
pub(super) fn header(view: View) -> Vec<Line> {
    let trace = view.trace;
    let page = view.page;
    let answer = page.clean(&answer(view));
    let time = view.time(trace.at);
    let hpa = page.clean(&format!("{}/{}", trace.namespace, trace.name));
    let target = page.clean(&format!("{}/{}", trace.target.kind, trace.target.name));
    let fixed = display_width(&answer) + display_width(&time) + 6;
    let mut lines = Vec::new();
    let names = display_width(&hpa) + display_width(&target);
    let mut rest = answer;
    if names + fixed > page.width {
        // Names that leave no room for the answer get a line of their own.
        let room = page.width.saturating_sub(fixed);
        if room < names.min(4 * LEAST) {
            let room = page.width.saturating_sub(2);
            lines.push(strong(view, &pair(view, &hpa, &target, room)));
        } else {
            rest = format!("{}  {rest}", pair(view, &hpa, &target, room));
        }
    } else {
        rest = format!("{hpa}  {target}  {rest}");
    }
    let used = display_width(&rest) + display_width(&time);
    let gap = " ".repeat(page.width.saturating_sub(used).max(2));
    lines.push(strong(view, &format!("{rest}{gap}{time}")));
    lines
}

fn strong(view: View, text: &str) -> Line {
    Line {
        head: (Tone::Strong, view.page.line(text).rest.1),
        ..Line::default()
    }
}

/// Both names within so many columns; the shorter one keeps its length if it
/// can.
fn pair(view: View, hpa: &str, target: &str, room: usize) -> String {
    let half = room / 2;
    let (one, other) = (display_width(hpa), display_width(target));
    let (first, second) = match (one <= half, other <= half) {
        (true, false) => (one, room - one),
        (false, true) => (room - other, other),
        _ => (half, room - half),
    };
    format!(
        "{}  {}",
        view.page.name(hpa, first),
        view.page.name(target, second)
    )
}

/// What the next pass does to the size.
fn answer(view: View) -> String {
    let outcome = &view.trace.outcome;
    let current = outcome.current_replicas;
    match (outcome.desired_replicas, outcome.rescale) {
        (Some(desired), Some(true)) => format!("{current} → {desired} at the next pass"),
        (Some(desired), _) if desired == current => format!("stays at {current}"),
        (Some(desired), _) => format!("stays at {current} (desired: still {desired})"),
        (None, _) => open_answer(current, outcome.possible),
    }
}

fn open_answer(current: i32, possible: Option<Range>) -> String {
    let Some(range) = possible else {
        return format!("{current} → unknown");
    };
    if let Some(only) = range.single() {
        return if only == current {
            format!("stays at {current}")
        } else {
            format!("{current} → {only}")
        };
    }
    let span = |from: i32, to: i32| {
        if from == to {
            from.to_string()
        } else {
            format!("{from}..{to}")
        }
    };
    if range.from == current {
        let up = span(current.saturating_add(1), range.to);
        format!("stays at {current} or goes up to {up}")
    } else if range.to == current {
        let down = span(range.from, current.saturating_sub(1));
        format!("stays at {current} or goes down to {down}")
    } else {
        format!("{current} → {}", span(range.from, range.to))
    }
}
