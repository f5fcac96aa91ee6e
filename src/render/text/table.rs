//! Tables without borders, aligned and wrapped by `comfy-table`. Where a page
//! has no room for every column, each row has a line for each of its cells.

use std::collections::BTreeSet;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width, presets};

use super::page::{Line, Page, Tone, toned, wrap};
use crate::render::block::{Column, Row, Table};
use crate::render::escape::display_width;

/// The least that is left to a first column that wraps.
const LEAST: usize = 16;
/// The least that is left of names where all are shortened.
const LEAST_NAME: usize = 9;
/// The least that is left to cells that wrap.
const LEAST_WRAPPED: usize = 20;
/// The most columns of a table that goes on as far as it needs.
const ENDLESS: usize = 10_000;
/// Between two columns.
const GAP: usize = 2;

impl Table {
    pub(super) fn lines(&self, page: Page) -> Vec<Line> {
        match Layout::of(page, self) {
            Some(layout) => self.aligned(&layout),
            None => self.listed(page),
        }
    }

    fn listed(&self, page: Page) -> Vec<Line> {
        let mut lines = Vec::new();
        for row in &self.rows {
            let cells = row.cells.iter();
            let mut cells =
                cells.map(|cell| [page.clean(&cell.column.title), page.clean(&cell.text)]);
            let [_, name] = cells.next().unwrap_or_default();
            lines.extend(page.paragraph(mark(row), &name));
            let mut table = borderless(page.width);
            table.add_rows(cells);
            for (at, column) in table.column_iter_mut().enumerate() {
                column.set_padding((if at == 0 { 4 } else { 2 }, 0));
            }
            lines.extend(table.lines().map(|line| page.line(&line)));
            lines.extend(row.notes.iter().flat_map(|note| note.lines(page)));
        }
        lines
    }

    /// Every line begins with a mark or two blanks.
    fn aligned(&self, layout: &Layout) -> Vec<Line> {
        let mut lines = toned(Tone::Faint, layout.row("  ", &layout.titles));
        for (row, cells) in self.rows.iter().zip(&layout.rows) {
            lines.extend(layout.row(mark(row), cells));
            lines.extend(row.notes.iter().flat_map(|note| note.lines(layout.page)));
        }
        lines
    }
}

const fn mark(row: &Row) -> &'static str {
    if row.is_marked { "▶ " } else { "  " }
}

/// How wide each column is, and what is in it, harmless.
struct Layout<'t> {
    page: Page,
    columns: Vec<&'t Column>,
    widths: Vec<usize>,
    titles: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl<'t> Layout<'t> {
    /// None where a page has no room for the columns beside the least of the
    /// first.
    fn of(mut page: Page, table: &'t Table) -> Option<Self> {
        if table.overflows {
            page.width = ENDLESS;
        }
        let columns: Vec<&Column> = table.columns().collect();
        let titles = columns.iter().map(|column| page.clean(&column.title));
        let rows = table.rows.iter().map(|row| {
            let cells = row.cells.iter();
            cells.map(|cell| page.clean(&cell.text)).collect()
        });
        let mut layout = Self {
            page,
            widths: Vec::new(),
            titles: titles.collect(),
            rows: rows.collect(),
            columns,
        };
        layout.widths = layout.widths();
        if table.shortens {
            layout.shorten_names();
            layout.widths = layout.widths();
        }
        let first = layout.widths.first()?.min(&LEAST);
        (GAP + first + layout.others() <= page.width).then_some(layout)
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.columns.iter().enumerate().map(|(at, column)| {
            let rows = self.rows.iter().chain([&self.titles]);
            let cells = rows.filter_map(|cells| cells.get(at));
            let widest = cells.map(|cell| display_width(cell)).max();
            let most = if column.wraps {
                LEAST_WRAPPED
            } else {
                usize::MAX
            };
            widest.unwrap_or_default().min(most)
        });
        columns.collect()
    }

    /// What the columns behind the first one take, gaps included.
    fn others(&self) -> usize {
        self.widths.iter().skip(1).map(|width| width + GAP).sum()
    }

    /// What is left to the first one.
    fn room(&self) -> usize {
        self.page.width.saturating_sub(GAP + self.others())
    }

    /// Shortens names so far that no column has to go; where they could not be
    /// told apart any more, they stay.
    fn shorten_names(&mut self) {
        let room = self.room();
        let names = self.rows.iter().filter_map(|cells| cells.first());
        let names: Vec<String> = names.map(|name| self.page.name(name, room)).collect();
        let differ = names.iter().collect::<BTreeSet<_>>().len() == names.len();
        if room >= LEAST_NAME && differ {
            for (cells, name) in self.rows.iter_mut().zip(names) {
                cells[0] = name;
            }
        }
    }

    /// A row in one line, or in more where its first or last cell wraps.
    fn row(&self, mark: &str, cells: &[String]) -> Vec<Line> {
        let room = self.room();
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
            column.set_constraint(fixed(width));
            if own.is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines = table.lines();
        lines.map(|line| self.page.line(&line)).collect()
    }
}

/// A column of just this width.
pub(super) fn fixed(width: usize) -> ColumnConstraint {
    let width = u16::try_from(width).unwrap_or(u16::MAX);
    ColumnConstraint::Absolute(Width::Fixed(width))
}

/// A table that is no wider than what is in it, or than so many columns.
pub(super) fn borderless(most: usize) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(most).unwrap_or(u16::MAX));
    table
}
