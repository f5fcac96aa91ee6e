//! Tables without borders. A table that must never be wider than the page
//! gives up columns in an order of its own, and shortens names in the middle;
//! what is left is aligned and wrapped by `comfy-table`.

use std::collections::BTreeSet;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width, presets};

use crate::render::block::{Column, Narrow, Table};
use crate::render::escape::display_width;

use super::page::{Line, Page, Tone, toned};

/// The least that is left of a shortened first column.
const LEAST: usize = 20;
/// The same where all names are shortened.
const LEAST_NAME: usize = 9;
/// The least that is left to cells that wrap.
const LEAST_WRAPPED: usize = 24;
/// Between two columns.
const GAP: usize = 2;

impl Table {
    /// Whether a page has room for every column.
    pub(super) fn fits(&self, page: Page) -> bool {
        let cells = self.rows.iter().map(|row| clean(page, &row.cells));
        let cells: Vec<Vec<String>> = cells.collect();
        Layout::of(page, &self.columns, &cells).shown.len() == self.columns.len()
    }

    /// The table on a page: where that has no room for every column, without
    /// some, or with a line for each of a row's.
    pub(super) fn lines(&self, page: Page) -> Vec<Line> {
        if self.narrow == Narrow::Lists && !self.fits(page) {
            self.listed(page)
        } else {
            self.aligned(page)
        }
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
            let name = page.name(&name, page.width.saturating_sub(2));
            let mark = if row.is_marked { "▶ " } else { "  " };
            lines.push(page.line(&format!("{mark}{name}")));
            let mut table = borderless();
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
    fn aligned(&self, page: Page) -> Vec<Line> {
        let cells = self.rows.iter().map(|row| clean(page, &row.cells));
        let mut cells: Vec<Vec<String>> = cells.collect();
        if self.narrow == Narrow::Shortens {
            shorten_names(page, &self.columns, &mut cells);
        }
        let layout = Layout::of(page, &self.columns, &cells);
        let titles = self.columns.iter().map(|column| page.clean(&column.title));
        let mut lines = toned(Tone::Faint, layout.row("  ", &titles.collect::<Vec<_>>()));
        for (row, cells) in self.rows.iter().zip(&cells) {
            let mark = if row.is_marked { "▶ " } else { "  " };
            lines.extend(layout.row(mark, cells));
            lines.extend(row.notes.iter().flat_map(|note| note.lines(page)));
        }
        lines
    }
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

/// How wide each column is, and which are shown.
struct Layout<'t> {
    page: Page,
    columns: &'t [Column],
    widths: Vec<usize>,
    shown: Vec<usize>,
}

impl<'t> Layout<'t> {
    fn of(page: Page, columns: &'t [Column], rows: &[Vec<String>]) -> Self {
        let mut layout = Self {
            page,
            columns,
            widths: widths(columns, rows),
            shown: (0..columns.len()).collect(),
        };
        layout.fit();
        layout
    }

    /// Gives up columns until the others fit beside the least of the first.
    fn fit(&mut self) {
        while self.shown.len() > 1 {
            let first = self.widths.first().copied().unwrap_or_default();
            if GAP + first.min(LEAST) + self.others() <= self.page.width {
                break;
            }
            let others = self.shown.iter().copied().skip(1);
            let least = others.min_by_key(|at| self.columns[*at].keep);
            self.shown.retain(|at| Some(*at) != least);
        }
    }

    /// What the columns behind the first one take, gaps included.
    fn others(&self) -> usize {
        let others = self.shown.iter().skip(1);
        others.map(|at| self.widths[*at] + GAP).sum()
    }

    /// A row in one line, or in more where its last cell wraps.
    fn row(&self, mark: &str, cells: &[String]) -> Vec<Line> {
        let room = self.page.width.saturating_sub(GAP + self.others());
        let mut table = borderless();
        let texts = self.shown.iter().enumerate().map(|(position, at)| {
            let cell = cells.get(*at).map_or("", String::as_str);
            match position {
                0 => format!("{mark}{}", self.page.name(cell, self.widths[*at].min(room))),
                _ => cell.to_owned(),
            }
        });
        table.add_row(texts);
        let first = GAP + self.widths[0].min(room);
        let mut used = 0;
        for ((position, at), column) in self.shown.iter().enumerate().zip(table.column_iter_mut()) {
            let (padding, width) = match position {
                0 => (0, first),
                _ if self.columns[*at].wraps => (GAP, self.page.width.saturating_sub(used)),
                _ => (GAP, GAP + self.widths[*at]),
            };
            used += width;
            column.set_padding((u16::try_from(padding).unwrap_or(u16::MAX), 0));
            let width = u16::try_from(width).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
            if self.columns[*at].is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines = table.lines();
        lines.map(|line| self.page.line(&line)).collect()
    }
}

/// A table that is no wider than what is in it.
fn borderless() -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::MAX);
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
