//! Many HPAs as a table; where a line has no room for every column, with a line
//! for each.

mod columns;

use std::collections::BTreeSet;

use super::TextOptions;
use super::page::Page;
use super::table::ENDLESS;
use crate::render::block::{AsKubectl, Block, Prose, Row, Table};
use crate::render::{Summary, SummaryList};
use crate::trace::FailureCause;
use crate::trace::amount::counted;
use columns::cells;

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
    /// How many columns say which HPA it is.
    fn names(&self) -> usize {
        1 + usize::from(self.namespaces)
    }
}

/// A row for each HPA.
fn table(items: &[Summary], columns: &ListOptions, page: Page, mark: &str) -> Table {
    let rows = items.iter();
    let rows = rows.map(|summary| Row::of(cells(page, summary, columns, mark)));
    let width = columns.width.filter(|_| !columns.wide);
    Table {
        width: Some(width.unwrap_or(ENDLESS)),
        as_kubectl: Some(AsKubectl {
            names: columns.names(),
            has_titles: columns.headers,
        }),
        ..Table::of(rows)
    }
}

/// The table, and below it where a line is not of this pass.
pub(in crate::render) fn blocks(
    list: &SummaryList,
    columns: &ListOptions,
    options: &TextOptions,
) -> Vec<Block<'static>> {
    let items = &list.items;
    let mut blocks = vec![
        Block::Table(table(items, columns, Page::new(options), MARK)),
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
    let mut table = table(&list.items, columns, page, IN_WORDS);
    let widths = table.widths(page).unwrap_or_else(|| {
        // Cut at its end.
        table.width = Some(ENDLESS);
        table.widths(page).unwrap_or_default()
    });
    for row in &mut table.rows {
        for ((at, cell), width) in row.cells.iter_mut().enumerate().zip(&widths) {
            cell.text = if at < columns.names() {
                page.name(&cell.text, *width)
            } else {
                page.cut(&cell.text, *width)
            };
        }
    }
    let most = columns.width.unwrap_or(usize::MAX);
    let lines = table.lines(page).into_iter();
    let lines = lines.skip(usize::from(columns.headers));
    distinct(lines.map(|line| page.cut(&line.text(), most)).collect())
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
