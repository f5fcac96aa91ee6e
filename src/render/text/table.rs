//! Tables without borders, aligned and wrapped by `comfy-table`. Where a page
//! has no room for every column, each row has a line for each of its cells.

use std::collections::BTreeSet;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width, presets};

use crate::render::block::{Column, Row, Table};
use crate::render::escape::display_width;

use super::page::{Line, Page, Tone, toned, wrap};

/// The least that is left to a first column that wraps.
const LEAST: usize = 16;
/// The least that is left of names where all are shortened.
const LEAST_NAME: usize = 9;
/// The least that is left to cells that wrap.
const LEAST_WRAPPED: usize = 20;
/// Between two columns.
const GAP: usize = 2;

impl Table {
    /// Whether a page has room for every column.
    pub(super) fn fits(&self, page: Page) -> bool {
        Layout::of(page, &self.columns, &self.cells(page)).fits()
    }

    pub(super) fn lines(&self, page: Page) -> Vec<Line> {
        let cells = self.cells(page);
        let layout = Layout::of(page, &self.columns, &cells);
        if layout.fits() {
            self.aligned(&layout, &cells)
        } else {
            self.listed(page)
        }
    }

    /// The cells of each row, harmless.
    fn cells(&self, page: Page) -> Vec<Vec<String>> {
        let cells = self.rows.iter().map(|row| clean(page, &row.cells));
        let mut cells: Vec<Vec<String>> = cells.collect();
        if self.shortens {
            shorten_names(page, &self.columns, &mut cells);
        }
        cells
    }

    fn listed(&self, page: Page) -> Vec<Line> {
        let titles = self.columns.iter().map(|column| page.clean(&column.title));
        let titles: Vec<String> = titles.collect();
        let named = |cells: &mut dyn Iterator<Item = String>| -> Vec<[String; 2]> {
            titles
                .iter()
                .skip(1)
                .cloned()
                .zip(cells)
                .map(<[_; 2]>::from)
                .collect()
        };
        let mut lines = Vec::new();
        for row in &self.rows {
            let mut cells = clean(page, &row.cells).into_iter();
            let name = cells.next().unwrap_or_default();
            lines.extend(page.paragraph(mark(row), &name));
            let mut table = borderless(page.width);
            table.add_rows(named(&mut cells));
            for (at, column) in table.column_iter_mut().enumerate() {
                column.set_padding((if at == 0 { 4 } else { 2 }, 0));
            }
            lines.extend(table.lines().map(|line| page.line(&line)));
            lines.extend(row.notes.iter().flat_map(|note| note.lines(page)));
        }
        lines
    }

    /// Every line begins with a mark or two blanks.
    fn aligned(&self, layout: &Layout, cells: &[Vec<String>]) -> Vec<Line> {
        let page = layout.page;
        let titles = self.columns.iter().map(|column| page.clean(&column.title));
        let mut lines = toned(Tone::Faint, layout.row("  ", &titles.collect::<Vec<_>>()));
        for (row, cells) in self.rows.iter().zip(cells) {
            lines.extend(layout.row(mark(row), cells));
            lines.extend(row.notes.iter().flat_map(|note| note.lines(page)));
        }
        lines
    }
}

const fn mark(row: &Row) -> &'static str {
    if row.is_marked { "▶ " } else { "  " }
}

/// Shortens names so far that no column has to go; where they could not be
/// told apart any more, they stay.
fn shorten_names(page: Page, columns: &[Column], rows: &mut [Vec<String>]) {
    let others: usize = widths(columns, rows)
        .iter()
        .skip(1)
        .map(|it| it + GAP)
        .sum();
    let room = page.width.saturating_sub(GAP + others);
    let names = rows.iter().filter_map(|cells| cells.first());
    let names: Vec<String> = names.map(|name| page.name(name, room)).collect();
    let differ = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    if room >= LEAST_NAME && differ {
        for (cells, name) in rows.iter_mut().zip(names) {
            cells[0] = name;
        }
    }
}

fn clean(page: Page, cells: &[String]) -> Vec<String> {
    cells.iter().map(|cell| page.clean(cell)).collect()
}

/// How wide each column is.
struct Layout<'t> {
    page: Page,
    columns: &'t [Column],
    widths: Vec<usize>,
}

impl<'t> Layout<'t> {
    fn of(page: Page, columns: &'t [Column], rows: &[Vec<String>]) -> Self {
        Self {
            page,
            columns,
            widths: widths(columns, rows),
        }
    }

    /// Whether the columns fit beside the least of the first.
    fn fits(&self) -> bool {
        let first = self.widths.first().copied().unwrap_or_default();
        GAP + first.min(LEAST) + self.others() <= self.page.width
    }

    /// What the columns behind the first one take, gaps included.
    fn others(&self) -> usize {
        self.widths.iter().skip(1).map(|width| width + GAP).sum()
    }

    /// A row in one line, or in more where its first or last cell wraps.
    fn row(&self, mark: &str, cells: &[String]) -> Vec<Line> {
        let room = self.page.width.saturating_sub(GAP + self.others());
        let mut table = borderless(usize::MAX);
        let texts = cells.iter().enumerate().map(|(at, cell)| match at {
            0 => format!("{mark}{}", wrap(cell, room.max(1)).join("\n  ")),
            _ => cell.clone(),
        });
        table.add_row(texts);
        let first = GAP + self.widths[0].min(room);
        let mut used = 0;
        let columns = self.columns.iter().zip(&self.widths).enumerate();
        for ((at, (own, width)), column) in columns.zip(table.column_iter_mut()) {
            let (padding, width) = match at {
                0 => (0, first),
                _ if own.wraps => (GAP, self.page.width.saturating_sub(used)),
                _ => (GAP, GAP + width),
            };
            used += width;
            column.set_padding((u16::try_from(padding).unwrap_or(u16::MAX), 0));
            let width = u16::try_from(width).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
            if own.is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines = table.lines();
        lines.map(|line| self.page.line(&line)).collect()
    }
}

/// A table that is no wider than what is in it, or than so many columns.
fn borderless(most: usize) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(most).unwrap_or(u16::MAX));
    table
}

fn widths(columns: &[Column], rows: &[Vec<String>]) -> Vec<usize> {
    let widths = columns.iter().enumerate().map(|(at, column)| {
        let cells = rows.iter().filter_map(|cells| cells.get(at));
        let widest = cells.map(|cell| display_width(cell)).max();
        let widest = widest.unwrap_or_default().max(display_width(&column.title));
        if column.wraps {
            widest.min(LEAST_WRAPPED)
        } else {
            widest
        }
    });
    widths.collect()
}
