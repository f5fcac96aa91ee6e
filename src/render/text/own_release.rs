//! What the cluster's own release decides, beside an answer by the rules of
//! another one.

use super::page::Line;
use super::preview::{decision, news, reason};
use super::words::View;

/// Renders it in a line or two: what makes the difference before where it
/// shows.
pub(super) fn own_release(view: View) -> Vec<Line> {
    let Some(own) = &view.trace.own_release else {
        return Vec::new();
    };
    let answer = &own.answer;
    let first = format!("Cluster: {} ", answer.from);
    if own.is_same {
        return view
            .page
            .paragraph(&first, "does the same, for the same reasons");
    }
    let short = match answer.rescale {
        Some(false) => decision(answer),
        _ => format!("decides {}", decision(answer)),
    };
    let rules = news(&answer.new_rules);
    let because = answer.step.as_ref();
    let because = because.map_or_else(String::new, |step| format!(": {}", reason(step)));
    let text = format!("{short}{because}. {rules}");
    view.page.paragraph(&first, &text)
}
