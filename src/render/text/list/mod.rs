//! Many HPAs as a table; where a line has no room for every column, with a line
//! for each.

mod columns;

use std::collections::BTreeSet;

use super::TextOptions;
use super::page::{Line, Page, Tone, stand_out, toned, wrap};
use super::table::{borderless, fixed};
use crate::render::block::{Block, Cell, Prose, Row, Table};
use crate::render::escape::{display_width, take_front};
use crate::render::{Summary, SummaryList};
use crate::trace::FailureCause;
use crate::trace::amount::counted;
use columns::{Column, GAP, LONGEST, cells, titles};

/// At a verdict of the last pass; explained below the table.
const MARK: &str = " *";
/// The same where there is nothing below.
const IN_WORDS: &str = " (last pass)";
/// The most reasons that are told below it.
const MOST_REASONS: usize = 2;

/// What the table shows beside the HPAs, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListOptions {
    /// Whether there is a column for the namespace.
    pub namespaces: bool,
    /// Whether the columns have titles.
    pub headers: bool,
    /// Whether there are columns for target, bounds, metrics, findings, age.
    /// As in kubectl, a row is a line, however long.
    pub wide: bool,
    /// The most display columns of a line that is not wide; absent where lines
    /// have no end, as in a file.
    pub width: Option<usize>,
    /// The command that prints the role which the list needs.
    pub rbac: String,
}

impl ListOptions {
    fn columns(&self) -> Vec<Column> {
        let columns = [
            (self.namespaces, Column::Namespace),
            (true, Column::Name),
            (self.wide, Column::Target),
            (true, Column::Replicas),
            (self.wide, Column::Bounds),
            (self.wide, Column::Metrics),
            (true, Column::Verdict),
            (true, Column::Since),
            (self.wide, Column::Findings),
            (self.wide, Column::Age),
        ];
        let columns = columns.into_iter().filter(|(is_shown, _)| *is_shown);
        columns.map(|(_, column)| column).collect()
    }
}

/// The HPAs of a list, before any format lays them out.
pub(in crate::render) struct HpaTable<'a> {
    items: &'a [Summary],
    columns: &'a ListOptions,
}

impl HpaTable<'_> {
    /// On a page no column is wider than it must be.
    pub(super) fn lines(&self, page: Page) -> Vec<Line> {
        let layout = Layout::of(self.items, self.columns, page, MARK);
        let has_titles = self.columns.headers && layout.widths.is_some();
        let titles = has_titles.then(|| titles(&layout.columns)).into_iter();
        let rows = self.items.iter();
        let rows = rows.map(|summary| cells(page, summary, &layout.columns, MARK));
        let rows = titles.chain(rows);
        rows.flat_map(|row| layout.row_lines(&row)).collect()
    }

    /// For formats with tables of their own.
    pub(in crate::render) fn table(&self, page: Page) -> Table {
        let shown = self.columns.columns();
        let rows = self.items.iter().map(|summary| {
            let cells = cells(page, summary, &shown, MARK).into_iter();
            let cells = shown.iter().zip(cells);
            let cells = cells.map(|(column, (_, text))| Cell::text(column.title(), text));
            Row::of(cells.collect::<Vec<_>>())
        });
        Table::of(rows)
    }
}

/// The table, and below it where a line is not of this pass.
pub(in crate::render) fn blocks<'a>(
    list: &'a SummaryList,
    columns: &'a ListOptions,
) -> Vec<Block<'a>> {
    let items = &list.items;
    let mut blocks = vec![
        Block::List(HpaTable { items, columns }),
        Block::Beyond(vec![Block::Gap]),
    ];
    let notes = footnotes(items, &columns.rbac).into_iter();
    blocks.extend(notes.map(Block::Prose));
    blocks
}

/// The lines of the table alone, each of them once, in ASCII and without
/// colour: what somebody chooses from.
pub fn list_lines(list: &SummaryList, columns: &ListOptions, options: &TextOptions) -> Vec<String> {
    let options = TextOptions {
        ascii: true,
        colour: false,
        ..options.clone()
    };
    let page = Page::new(&options);
    let most = columns.width.unwrap_or(usize::MAX);
    let mut layout = Layout::of(&list.items, columns, page, IN_WORDS);
    if layout.widths.is_none() {
        let columns = ListOptions {
            width: None,
            ..columns.clone()
        };
        // Cut at its end.
        layout = Layout::of(&list.items, &columns, page, IN_WORDS);
    }
    let widths = layout.widths.as_deref().unwrap_or_default();
    let lines = list.items.iter().map(|summary| {
        let mut row = cells(page, summary, &layout.columns, IN_WORDS);
        for ((_, text), (column, width)) in row.iter_mut().zip(layout.columns.iter().zip(widths)) {
            *text = match column {
                Column::Verdict => page.cut(text, *width),
                _ => page.name(text, *width),
            };
        }
        let lines = layout.row_lines(&row).into_iter();
        lines.map(|line| page.cut(&line.text(), most)).collect()
    });
    distinct(lines.collect())
}

/// Names that look alike once they are shortened are told apart by a number.
fn distinct(lines: Vec<String>) -> Vec<String> {
    let mut known = BTreeSet::new();
    let lines = lines.into_iter().map(|line| {
        let mut own = line.clone();
        let mut number = 2;
        while !known.insert(own.clone()) {
            own = format!("{line} #{number}");
            number += 1;
        }
        own
    });
    lines.collect()
}

/// How wide the columns of a table are.
struct Layout {
    page: Page,
    columns: Vec<Column>,
    /// The width of each; none where a line has no room for all.
    widths: Option<Vec<usize>>,
    most: Option<usize>,
}

impl Layout {
    /// No column is wider than it must be.
    fn of(items: &[Summary], columns: &ListOptions, page: Page, mark: &str) -> Self {
        let shown = columns.columns();
        let mut natural = vec![0; shown.len()];
        let titles = columns.headers.then(|| titles(&shown));
        let rows = items.iter();
        let rows = rows.map(|summary| cells(page, summary, &shown, mark));
        for row in titles.into_iter().chain(rows) {
            for (width, (_, text)) in natural.iter_mut().zip(row) {
                *width = (*width).max(display_width(&text));
            }
        }
        let most = columns.width.filter(|_| !columns.wide);
        let widths = match most {
            Some(most) => columns::fit(&shown, &natural, most),
            None => Some(natural.iter().map(|width| LONGEST.min(*width)).collect()),
        };
        Self {
            page,
            columns: shown,
            widths,
            most,
        }
    }

    fn row_lines(&self, row: &[(Tone, String)]) -> Vec<Line> {
        match &self.widths {
            Some(widths) => self.aligned(row, widths),
            None => self.listed(row),
        }
    }

    /// The names, and below them a line for each other column.
    fn listed(&self, row: &[(Tone, String)]) -> Vec<Line> {
        let titles = self.columns.iter().map(|column| column.title());
        let widest = titles.map(display_width).max().unwrap_or_default();
        let lines = row.iter().zip(&self.columns);
        let lines = lines.flat_map(|((tone, text), column)| {
            let title = column.title();
            let lead = match column {
                Column::Namespace | Column::Name => format!("{title:<widest$}   "),
                _ => format!("  {title:<widest$} "),
            };
            let mut lines = toned(*tone, self.page.paragraph(&lead, text));
            for line in &mut lines {
                stand_out(line, Tone::Plain, lead.len());
            }
            lines
        });
        lines.collect()
    }

    /// A line, or several where texts wrap, without blanks at their ends.
    fn aligned(&self, row: &[(Tone, String)], widths: &[usize]) -> Vec<Line> {
        let cells = || row.iter().zip(widths);
        let texts = cells().map(|((_, text), width)| {
            let width = self.most.map_or(LONGEST, |_| (*width).max(1));
            wrap(text, width).join("\n")
        });
        let mut table = borderless(usize::MAX);
        table.add_row(texts);
        for (column, width) in table.column_iter_mut().zip(widths) {
            column.set_padding((0, 0));
            column.set_constraint(fixed(width + GAP));
        }
        let lines = table.lines().map(|line| {
            let mut rest = line.trim_end();
            let pieces = cells().map(|((tone, _), width)| {
                let own = take_front(rest, width + GAP);
                rest = &rest[own.len()..];
                (*tone, own)
            });
            Line(pieces.collect())
        });
        lines.collect()
    }
}

/// What the marks of a table mean: a line if nothing is missing but the question; else
/// why, each reason once, and where that ends.
fn footnotes(items: &[Summary], rbac: &str) -> Vec<Prose> {
    let passes = || items.iter().filter_map(|it| it.last_pass.as_ref());
    let mut notes = Vec::new();
    if passes().any(|pass| pass.cause == FailureCause::NotAsked) {
        let text = "from the status of the last pass: `list` does not query custom and external \
                    metrics; `list --full` does";
        notes.push(Prose::behind("* ", text));
    }
    let mut reasons: Vec<&String> = Vec::new();
    for pass in passes().filter(|pass| pass.cause != FailureCause::NotAsked) {
        if !reasons.contains(&&pass.because) {
            reasons.push(&pass.because);
        }
    }
    for reason in reasons.iter().take(MOST_REASONS) {
        let text = format!("from the status of the last pass: {reason}");
        notes.push(Prose::behind("* ", text));
    }
    let more = reasons.len().saturating_sub(MOST_REASONS);
    if more > 0 {
        let more = counted(more, "more reason");
        notes.push(Prose::behind("  ", format!("and {more}")));
    }
    if passes().any(|pass| pass.cause.is_refusal()) {
        let text = format!("`{rbac}` prints the required role");
        notes.push(Prose::behind("  ", text));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::distinct;

    #[test]
    fn no_two_lines_are_the_same() {
        let lines = ["a", "b", "a", "a #2", "a"].map(str::to_owned).to_vec();
        assert_eq!(distinct(lines), ["a", "b", "a #2", "a #2 #2", "a #3"]);
    }
}
