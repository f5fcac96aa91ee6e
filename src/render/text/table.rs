//! Tables without borders, aligned by `comfy-table`. Where a page has no room for every
//! column, each row has a line for each of its cells.

use std::collections::BTreeSet;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width, presets};

use super::page::{Line, Page, Tone, stand_out, toned, wrap};
use crate::render::block::{AsKubectl, Column, Row, Table};
use crate::render::escape::display_width;

/// The least that is left of names where all are shortened.
const LEAST_NAME: usize = 9;
/// The most columns of a table that goes on as far as it needs.
pub(super) const ENDLESS: usize = 10_000;

impl Table {
    pub(super) fn lines(&self, page: Page) -> Vec<Line> {
        match (Layout::of(page, self), self.as_kubectl) {
            (Some(layout), _) => layout.lines(),
            (None, Some(own)) => self.listed_as_kubectl(page, own.names),
            (None, None) => self.listed(page),
        }
    }

    /// How wide each column is; none where they cannot be aligned.
    pub(super) fn widths(&self, page: Page) -> Option<Vec<usize>> {
        Layout::of(page, self).map(|layout| layout.widths)
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

    /// The names, and below them a line for each other column.
    fn listed_as_kubectl(&self, page: Page, names: usize) -> Vec<Line> {
        let titles = self.columns().map(|column| display_width(&column.title));
        let widest = titles.max().unwrap_or_default();
        let mut lines = Vec::new();
        for (at, cell) in self
            .rows
            .iter()
            .flat_map(|row| row.cells.iter().enumerate())
        {
            let title = &cell.column.title;
            let lead = if at < names {
                format!("{title:<widest$}   ")
            } else {
                format!("  {title:<widest$} ")
            };
            let mut own = toned(cell.tone, page.paragraph(&lead, &cell.text));
            for line in &mut own {
                stand_out(line, Tone::Plain, lead.len());
            }
            lines.extend(own);
        }
        lines
    }
}

const fn mark(row: &Row) -> &'static str {
    if row.is_marked { "▶ " } else { "  " }
}

/// What tables of one kind have in common.
struct Look {
    /// Before every line, where the mark of a row has its place.
    margin: usize,
    /// Between two columns.
    gap: usize,
    titles: Tone,
    has_titles: bool,
    /// How many columns, the first ones, are names, which wrap.
    names: usize,
    /// The least that is left to each of them.
    least_name: usize,
    /// The least that is left to other cells that wrap.
    least_wrapped: usize,
}

impl Look {
    fn of(table: &Table) -> Self {
        match table.as_kubectl {
            Some(AsKubectl { names, has_titles }) => Self {
                margin: 0,
                gap: 3,
                titles: Tone::Plain,
                has_titles,
                names,
                least_name: 12,
                least_wrapped: 24,
            },
            None => Self {
                margin: 2,
                gap: 2,
                titles: Tone::Faint,
                has_titles: true,
                names: 1,
                least_name: 16,
                least_wrapped: 20,
            },
        }
    }
}

/// How wide each column is, and what is in it, harmless.
struct Layout<'t> {
    page: Page,
    look: Look,
    table: &'t Table,
    columns: Vec<&'t Column>,
    widths: Vec<usize>,
    titles: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl<'t> Layout<'t> {
    /// None where a page has no room for the least of every column.
    fn of(mut page: Page, table: &'t Table) -> Option<Self> {
        page.width = table.width.unwrap_or(page.width);
        let look = Look::of(table);
        let columns: Vec<&Column> = table.columns().collect();
        let titles = columns.iter().filter(|_| look.has_titles);
        let titles = titles.map(|column| page.clean(&column.title));
        let rows = table.rows.iter().map(|row| {
            let cells = row.cells.iter();
            cells.map(|cell| page.clean(&cell.text)).collect()
        });
        let mut layout = Self {
            page,
            table,
            widths: Vec::new(),
            titles: titles.collect(),
            rows: rows.collect(),
            look,
            columns,
        };
        if table.shortens {
            layout.shorten_names();
        }
        layout.widths = layout.fitted(layout.look.least_name)?;
        Some(layout)
    }

    fn fitted(&self, least_name: usize) -> Option<Vec<usize>> {
        let columns = self.columns.iter().enumerate().map(|(at, column)| {
            let rows = self.rows.iter().chain([&self.titles]);
            let cells = rows.filter_map(|cells| cells.get(at));
            let widest = cells.map(|cell| display_width(cell)).max();
            let least = if at < self.look.names {
                least_name
            } else if column.wraps {
                self.look.least_wrapped
            } else {
                usize::MAX
            };
            [least, widest.unwrap_or_default()]
        });
        let columns: Vec<[usize; 2]> = columns.collect();
        let gaps = self.look.gap * columns.len().saturating_sub(1);
        fit(
            &columns,
            self.page.width.checked_sub(self.look.margin + gaps)?,
        )
    }

    /// Shortens names so far that no column has to go; where they could not be
    /// told apart any more, they stay.
    fn shorten_names(&mut self) {
        let Some(room) = self.fitted(LEAST_NAME).and_then(|it| it.first().copied()) else {
            return;
        };
        let names = self.rows.iter().filter_map(|cells| cells.first());
        let names: Vec<String> = names.map(|name| self.page.name(name, room)).collect();
        if names.iter().collect::<BTreeSet<_>>().len() == names.len() {
            for (cells, name) in self.rows.iter_mut().zip(names) {
                cells[0] = name;
            }
        }
    }

    fn lines(&self) -> Vec<Line> {
        let titles = self.titles.iter().map(|title| (Tone::Plain, title));
        let titles = self.row("", titles).into_iter();
        let titles = titles.map(|line| Line::toned(self.look.titles, line.text()));
        let mut lines: Vec<Line> = titles.collect();
        for (row, cells) in self.table.rows.iter().zip(&self.rows) {
            let tones = row.cells.iter().map(|cell| cell.tone);
            lines.extend(self.row(&self.page.clean(mark(row)), tones.zip(cells)));
            lines.extend(row.notes.iter().flat_map(|note| note.lines(self.page)));
        }
        lines
    }

    /// A row in one line, or in more where its cells wrap, without blanks at
    /// their ends.
    fn row<'c>(&self, mark: &str, cells: impl Iterator<Item = (Tone, &'c String)>) -> Vec<Line> {
        let (margin, gap) = (self.look.margin, self.look.gap);
        let cells = cells.zip(&self.widths);
        let cells: Vec<(Tone, Vec<String>, usize)> = cells
            .map(|((tone, text), width)| (tone, wrap(text, *width), *width))
            .collect();
        let mut table = borderless(usize::MAX);
        table.add_row(cells.iter().map(|(_, lines, _)| lines.join("\n")));
        for (at, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, u16::try_from(gap).unwrap_or(u16::MAX)));
            column.set_constraint(fixed(self.widths[at] + gap));
            if self.columns[at].is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines = table.lines().enumerate();
        let lines = lines.map(|(at, line)| {
            let mark = if at == 0 { mark } else { "" };
            let mut pieces = vec![(Tone::Plain, format!("{mark:margin$.margin$}"))];
            let mut rest = line.as_str();
            for (tone, lines, width) in &cells {
                // By what is in it: what stands together may be narrower than each for itself.
                let own = lines.get(at).map_or("", String::as_str);
                let blanks = width.saturating_sub(display_width(own)) + gap;
                let (piece, others) = rest
                    .split_at_checked(own.len() + blanks)
                    .unwrap_or((rest, ""));
                pieces.push((*tone, piece.to_owned()));
                rest = others;
            }
            trimmed(pieces)
        });
        lines.collect()
    }
}

/// A column of just this width.
fn fixed(width: usize) -> ColumnConstraint {
    let width = u16::try_from(width).unwrap_or(u16::MAX);
    ColumnConstraint::Absolute(Width::Fixed(width))
}

fn trimmed(mut pieces: Vec<(Tone, String)>) -> Line {
    while let Some((_, text)) = pieces.last_mut() {
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            break;
        }
        pieces.pop();
    }
    Line(pieces)
}

/// The width of each of several columns within `most`, given the least that is left to
/// it where it wraps, and what it would take; none where there is no room for all.
fn fit(columns: &[[usize; 2]], most: usize) -> Option<Vec<usize>> {
    let least = columns.iter().map(|[least, natural]| *least.min(natural));
    let mut widths: Vec<usize> = least.collect();
    let mut left = most.checked_sub(widths.iter().sum())?;
    // Names first, to which less is left than to sentences, because these read well in
    // several lines; of the names the short ones, so that they stay whole.
    let mut places: Vec<usize> = (0..columns.len()).collect();
    places.sort_by_key(|place| columns[*place]);
    for place in places {
        let [_, natural] = columns[place];
        let more = left.min(natural.saturating_sub(widths[place]));
        widths[place] += more;
        left -= more;
    }
    Some(widths)
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

#[cfg(test)]
mod tests {
    use super::fit;

    /// Between two of the columns.
    const GAP: usize = 3;

    #[test]
    fn names_have_what_there_is_before_the_verdict() {
        // Namespace, name, replicas, verdict, since.
        let least = [12, 12, usize::MAX, 24, usize::MAX];
        let rows = [
            ([5, 9, 8, 60, 5], 78, Some([5, 9, 8, 39, 5])),
            ([5, 60, 8, 24, 5], 78, Some([5, 24, 8, 24, 5])),
            ([60, 5, 8, 24, 5], 78, Some([24, 5, 8, 24, 5])),
            ([60, 50, 8, 24, 5], 78, Some([12, 17, 8, 24, 5])),
            ([60, 50, 8, 24, 5], 200, Some([60, 50, 8, 24, 5])),
            ([60, 50, 8, 24, 5], 72, None),
            ([5, 9, 8, 60, 5], 40, None),
        ];
        for (natural, most, expected) in rows {
            let columns: [_; 5] = std::array::from_fn(|at| [least[at], natural[at]]);
            let widths = fit(&columns, most - 4 * GAP);
            assert_eq!(widths, expected.map(Vec::from), "{natural:?} {most}");
            let used = widths.map(|widths| widths.iter().sum::<usize>() + 4 * GAP);
            assert!(used <= Some(most));
        }
    }
}
