//! Tables without borders, aligned by hand: a table that must never be wider
//! than the page gives up columns in an order of its own, and shortens names
//! in the middle, which table printers do not do.

use crate::render::escape::{display_width, shorten};

use super::page::{Line, Page, Tone};

/// A column of a table. The first one is the only one that is shortened.
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) is_number: bool,
    /// Which columns stay on a narrow page: those with the highest value.
    pub(super) keep: u8,
}

/// A row of a table.
pub(super) enum Row {
    /// Cells, and whether this line is the one that decides.
    Cells(bool, Vec<String>),
    /// A remark that belongs to the row above.
    Note(Vec<Line>),
}

/// The least that is left of a shortened first column.
const LEAST: usize = 20;
/// Between two columns.
const GAP: usize = 2;

/// Lays a table out; every line begins with a mark or two blanks.
pub(super) fn table(page: Page, columns: &[Column], rows: Vec<Row>) -> Vec<Line> {
    let rows = clean(page, rows);
    let widths = widths(columns, &rows);
    let shown = fitting(page, columns, &widths);
    let mut lines = vec![Line::toned(
        Tone::Faint,
        join(page, columns, &widths, &shown, "  ", &titles(columns)),
    )];
    for row in rows {
        match row {
            Row::Cells(is_marked, cells) => {
                let mark = if is_marked { "▶ " } else { "  " };
                lines.push(page.line(&join(page, columns, &widths, &shown, mark, &cells)));
            }
            Row::Note(note) => lines.extend(note),
        }
    }
    lines
}

fn titles(columns: &[Column]) -> Vec<String> {
    let titles = columns.iter().map(|column| column.title.to_owned());
    titles.collect()
}

fn clean(page: Page, rows: Vec<Row>) -> Vec<Row> {
    let rows = rows.into_iter().map(|row| match row {
        Row::Cells(mark, cells) => {
            Row::Cells(mark, cells.iter().map(|cell| page.clean(cell)).collect())
        }
        note @ Row::Note(_) => note,
    });
    rows.collect()
}

fn widths(columns: &[Column], rows: &[Row]) -> Vec<usize> {
    let mut widths: Vec<usize> = columns
        .iter()
        .map(|column| display_width(column.title))
        .collect();
    for row in rows {
        if let Row::Cells(_, cells) = row {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(display_width(cell));
            }
        }
    }
    widths
}

/// The columns that fit beside the least of the first one.
fn fitting(page: Page, columns: &[Column], widths: &[usize]) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    while shown.len() > 1 {
        let others: usize = shown.iter().skip(1).map(|at| widths[*at] + GAP).sum();
        let first = widths.first().copied().unwrap_or_default();
        if GAP + first.min(LEAST) + others <= page.width {
            break;
        }
        let least = shown
            .iter()
            .copied()
            .skip(1)
            .min_by_key(|at| columns[*at].keep);
        shown.retain(|at| Some(*at) != least);
    }
    shown
}

fn join(
    page: Page,
    columns: &[Column],
    widths: &[usize],
    shown: &[usize],
    mark: &str,
    cells: &[String],
) -> String {
    let others: usize = shown.iter().skip(1).map(|at| widths[*at] + GAP).sum();
    let room = page.width.saturating_sub(GAP + others);
    let mut line = mark.to_owned();
    for (position, at) in shown.iter().enumerate() {
        let (cell, width) = (cells.get(*at).map_or("", String::as_str), widths[*at]);
        if position == 0 {
            let width = width.min(room);
            line.push_str(&pad(&shorten(cell, width), width, false));
        } else {
            line.push_str(&" ".repeat(GAP));
            line.push_str(&pad(cell, width, columns[*at].is_number));
        }
    }
    line.trim_end().to_owned()
}

fn pad(text: &str, width: usize, to_the_right: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(display_width(text)));
    if to_the_right {
        blanks + text
    } else {
        text.to_owned() + &blanks
    }
}
