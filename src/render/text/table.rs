//! Tables without borders. A table that must never be wider than the page
//! gives up columns in an order of its own, and shortens names in the middle;
//! what is left is aligned and wrapped by `comfy-table`.

use std::borrow::Cow;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width, presets};

use crate::render::escape::{display_width, shorten};

use super::page::{Line, Page, Tone};

/// A table before its layout: what every format shows of it.
pub(in crate::render) struct Table {
    pub(in crate::render) columns: Vec<Column>,
    pub(in crate::render) rows: Vec<Row>,
}

/// A column of a table. The first one is the only one that is shortened.
#[derive(Clone)]
pub(in crate::render) struct Column {
    pub(in crate::render) title: Cow<'static, str>,
    pub(in crate::render) is_number: bool,
    /// Which columns stay on a narrow page: those with the highest value.
    pub(in crate::render) keep: u8,
    /// Whether long cells go on in further lines; only the last column's may.
    pub(in crate::render) wraps: bool,
}

/// A row of a table.
#[derive(Default)]
pub(in crate::render) struct Row {
    /// Whether this line is the one that decides.
    pub(in crate::render) is_marked: bool,
    pub(in crate::render) cells: Vec<String>,
    /// Remarks that belong to the row.
    pub(in crate::render) note: Vec<Line>,
}

/// The least that is left of a shortened first column.
const LEAST: usize = 20;
/// The least that is left to cells that wrap.
const LEAST_WRAPPED: usize = 24;
/// Between two columns.
const GAP: usize = 2;

impl Column {
    /// A column whose cells stay on their line.
    pub(in crate::render) const fn new(title: &'static str, is_number: bool, keep: u8) -> Self {
        Self {
            title: Cow::Borrowed(title),
            is_number,
            keep,
            wraps: false,
        }
    }

    /// A column about something that has a name of its own.
    pub(in crate::render) const fn named(title: String, keep: u8) -> Self {
        Self {
            title: Cow::Owned(title),
            is_number: false,
            keep,
            wraps: false,
        }
    }

    /// A last column of sentences.
    pub(in crate::render) const fn of_sentences(title: &'static str) -> Self {
        Self {
            title: Cow::Borrowed(title),
            is_number: false,
            keep: u8::MAX,
            wraps: true,
        }
    }
}

impl Table {
    /// Whether a page has room for every column.
    pub(super) fn fits(&self, page: Page) -> bool {
        let cells = self.rows.iter().map(|row| clean(page, &row.cells));
        let cells: Vec<Vec<String>> = cells.collect();
        Layout::of(page, &self.columns, &cells).shown.len() == self.columns.len()
    }

    /// The same without giving up a column: where the page has no room for all
    /// of them, every row takes a line for each.
    pub(in crate::render) fn whole_lines(&self, page: Page) -> Vec<Line> {
        if self.fits(page) {
            return self.lines(page);
        }
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
            let name = shorten(&name, page.width.saturating_sub(2));
            lines.push(page.line(&format!("  {name}")));
            let mut table = borderless();
            table.add_rows(named(&mut cells));
            for (at, column) in table.column_iter_mut().enumerate() {
                column.set_padding((if at == 0 { 4 } else { 2 }, 0));
            }
            lines.extend(table.lines().map(|line| page.line(&line)));
            lines.extend(row.note.iter().cloned());
        }
        lines
    }

    /// Lays the table out; every line begins with a mark or two blanks.
    pub(in crate::render) fn lines(&self, page: Page) -> Vec<Line> {
        let cells = self.rows.iter().map(|row| clean(page, &row.cells));
        let cells: Vec<Vec<String>> = cells.collect();
        let layout = Layout::of(page, &self.columns, &cells);
        let titles = self.columns.iter().map(|column| page.clean(&column.title));
        let mut lines = layout.row("  ", &titles.collect::<Vec<_>>());
        for line in &mut lines {
            line.rest.0 = Tone::Faint;
        }
        for (row, cells) in self.rows.iter().zip(&cells) {
            let mark = if row.is_marked { "▶ " } else { "  " };
            lines.extend(layout.row(mark, cells));
            lines.extend(row.note.iter().cloned());
        }
        lines
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
                0 => format!("{mark}{}", shorten(cell, self.widths[*at].min(room))),
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
