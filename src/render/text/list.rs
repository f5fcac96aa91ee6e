//! Many HPAs as a table, one line an HPA.

use std::io::{self, Write};

use crate::render::escape::display_width;
use crate::render::{Summary, SummaryList};
use crate::trace::FailureCause;

use super::TextOptions;
use super::page::{Line, Page, Tone};

/// Between two columns, as kubectl has it.
const GAP: &str = "   ";

/// What is left to the verdict where names are long.
const VERDICT: usize = 24;

/// Where not even that is there: what is left to each name, as long as the
/// verdict keeps its first word.
const NAME: usize = 12;
const WORD: usize = 8;

/// The most lines for a reason, and the most reasons.
const MOST_LINES: usize = 4;
const MOST_REASONS: usize = 2;

/// What the table shows beside the HPAs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListOptions {
    /// Whether there is a column for the namespace.
    pub namespaces: bool,
    /// Whether the columns have titles.
    pub headers: bool,
    /// The command that prints the role which the list needs.
    pub rbac: String,
}

/// Writes the table, and below it where a line is not of this pass.
///
/// # Errors
///
/// What `out` returns.
pub fn write_list(
    list: &SummaryList,
    columns: &ListOptions,
    options: &TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = Page::new(options);
    let mut rows: Vec<Row> = Vec::new();
    if columns.headers {
        rows.push(Row::titles());
    }
    rows.extend(list.items.iter().map(|summary| Row::of(page, summary)));
    if !columns.namespaces {
        for row in &mut rows {
            row.names.remove(0);
        }
    }
    let mut lines = table(page, &rows);
    lines.extend(footnotes(page, &list.items, &columns.rbac));
    page.write(&lines, out)
}

struct Row {
    names: Vec<String>,
    replicas: String,
    verdict: (Tone, String),
}

impl Row {
    fn titles() -> Self {
        Self {
            names: vec!["NAMESPACE".to_owned(), "NAME".to_owned()],
            replicas: "REPLICAS".to_owned(),
            verdict: (Tone::Plain, "VERDICT".to_owned()),
        }
    }

    fn of(page: Page, summary: &Summary) -> Self {
        let mark = if summary.last_pass.is_some() {
            " *"
        } else {
            ""
        };
        let error = match &summary.error {
            Some(error) => format!(": {error}"),
            None => String::new(),
        };
        let verdict = format!("{}{error}{mark}", summary.verdict);
        Self {
            names: vec![page.clean(&summary.namespace), page.clean(&summary.name)],
            replicas: page.clean(&summary.replicas()),
            verdict: (summary.tone, page.clean(&verdict)),
        }
    }
}

fn table(page: Page, rows: &[Row]) -> Vec<Line> {
    let widest = |cell: &dyn Fn(&Row) -> usize| rows.iter().map(cell).max().unwrap_or_default();
    let replicas = widest(&|row| display_width(&row.replicas));
    let verdict = widest(&|row| display_width(&row.verdict.1)).min(VERDICT);
    let columns = rows.first().map_or(0, |row| row.names.len());
    let gaps = GAP.len() * (columns + 1);
    let room = page.width.saturating_sub(replicas + gaps);
    let room = for_names(columns, room, verdict);
    let names: Vec<usize> = (0..columns)
        .map(|column| widest(&|row| display_width(&row.names[column])))
        .collect();
    let names = shared(&names, room);
    let lines = rows.iter().map(|row| {
        let mut front = String::new();
        for (name, width) in row.names.iter().zip(&names) {
            front.push_str(&pad(&page.name(name, *width), *width));
            front.push_str(GAP);
        }
        front.push_str(&pad(&row.replicas, replicas));
        front.push_str(GAP);
        let left = page.width.saturating_sub(display_width(&front));
        Line {
            head: (Tone::Plain, front),
            rest: (row.verdict.0, page.cut(&row.verdict.1, left)),
        }
    });
    lines.collect()
}

/// What of the room the names get beside the verdict.
fn for_names(columns: usize, room: usize, verdict: usize) -> usize {
    let least = (NAME * columns).min(room.saturating_sub(WORD));
    room.saturating_sub(verdict).max(least)
}

/// The widths of the columns within the room that they share: what a short
/// one does not need is left to the others.
fn shared(widest: &[usize], room: usize) -> Vec<usize> {
    let mut left = room;
    let mut widths = widest.to_vec();
    let mut by_width: Vec<usize> = (0..widest.len()).collect();
    by_width.sort_by_key(|column| widest[*column]);
    for (done, column) in by_width.into_iter().enumerate() {
        let share = left / (widest.len() - done);
        widths[column] = widest[column].min(share.max(1));
        left = left.saturating_sub(widths[column]);
    }
    widths
}

fn pad(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(display_width(text)))
}

/// What the mark means, in a line if nothing is missing but the question; else
/// why, and where that ends.
fn footnotes(page: Page, items: &[Summary], rbac: &str) -> Vec<Line> {
    let passes = items
        .iter()
        .filter_map(|summary| summary.last_pass.as_ref());
    let (not_asked, unread): (Vec<_>, Vec<_>) =
        passes.partition(|pass| pass.cause == FailureCause::NotAsked);
    let mut lines = Vec::new();
    if !not_asked.is_empty() {
        let text = "last pass: custom and external metrics are not asked; `list --full` asks";
        lines.extend(page.brief("* ", text, 1));
    }
    let mut reasons: Vec<&str> = Vec::new();
    for pass in &unread {
        if !reasons.contains(&pass.because.as_str()) {
            reasons.push(&pass.because);
        }
    }
    for reason in reasons.iter().take(MOST_REASONS) {
        lines.extend(page.brief("* ", &format!("last pass: {reason}"), MOST_LINES));
    }
    if let Some(more) = reasons
        .len()
        .checked_sub(MOST_REASONS)
        .filter(|more| *more > 0)
    {
        lines.push(page.line(&format!("  and {more} more such")));
    }
    if unread.iter().any(|pass| pass.cause.is_refusal()) {
        let text = format!("`{rbac}` prints the role that is needed");
        lines.extend(page.paragraph("  ", &text));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{for_names, shared};

    #[test]
    fn names_stay_readable_before_the_verdict_is_whole() {
        let rows = [
            (1, 100, 24, 76),
            (1, 40, 24, 16),
            (1, 30, 24, 12),
            (1, 15, 24, 7),
            (2, 40, 24, 24),
            (2, 23, 24, 15),
            (2, 5, 24, 0),
        ];
        for (columns, room, verdict, names) in rows {
            assert_eq!(for_names(columns, room, verdict), names, "{room}");
        }
    }

    #[test]
    fn columns_share_the_room() {
        let rows: [(&[usize], usize, &[usize]); 5] = [
            (&[5, 9], 40, &[5, 9]),
            (&[5, 60], 40, &[5, 35]),
            (&[60, 5], 40, &[35, 5]),
            (&[60, 50], 40, &[20, 20]),
            (&[60], 40, &[40]),
        ];
        for (widest, room, widths) in rows {
            assert_eq!(shared(widest, room), widths, "{widest:?}");
        }
    }
}
