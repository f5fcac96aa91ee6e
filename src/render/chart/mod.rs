//! A small chart: counts over time, as blocks or in ASCII, or as SVG.
//!
//! A count holds until the next one. Where several fall into a column, the
//! highest shows; a column before the first one stays empty. What the heights
//! mean stands at the axis, never in a colour.

mod svg;

use super::text::Page;
use crate::trace::Bounds;

pub(super) use svg::{LINES, Mark, Timeline, chart};

/// A count over time.
pub(super) struct Curve<'a> {
    pub(super) title: String,
    /// Which of several curves with this title it is.
    pub(super) name: String,
    /// Moments in seconds and counts, in the order of time; from one without a count on,
    /// nothing is known.
    pub(super) points: Vec<(i64, Option<i64>)>,
    /// The first and the last moment. That of a simulation begins at 0.
    pub(super) span: (i64, i64),
    /// What they are called.
    pub(super) ends: (String, String),
    /// Counts that the axis reaches, too: for charts that stand side by side.
    pub(super) reach: Vec<i64>,
    /// The rows of the plot on a page; below it are two more.
    pub(super) height: usize,
    /// Whether it is one of several sides that are compared.
    pub(super) is_side: bool,
    /// A count in words.
    pub(super) label: Box<dyn Fn(i64) -> String + 'a>,
}

/// A name, and sizes from a moment on; none where it is unknown.
pub(super) type SizeLine = (String, Vec<(i64, Option<i32>)>);

/// The lines of the bounds, which look the same in every chart.
const BOUNDS: [&str; 2] = ["minReplicas", "maxReplicas"];

/// So many times higher than all that is drawn, a bound would leave no room for it.
const FAR: i32 = 2;

impl Timeline<'_> {
    /// Sizes over a time with the bounds that they had from some moments on; nothing is
    /// marked. A bound that lies far above all is only named.
    pub(super) fn of_sizes(
        title: &str,
        lines: impl IntoIterator<Item = SizeLine>,
        bounds: &[(i64, Bounds)],
        span: (i64, i64),
        ends: &(String, String),
    ) -> Self {
        let mut lines: Vec<_> = lines.into_iter().collect();
        let sizes = lines.iter().flat_map(|(_, points)| points);
        let highest = sizes.filter_map(|(_, size)| *size).max();
        let room = highest.unwrap_or_default().max(1).saturating_mul(FAR);
        let of: [fn(&Bounds) -> i32; 2] = [|it| it.min_replicas, |it| it.max_replicas];
        let mut above = String::new();
        for (name, of) in BOUNDS.into_iter().zip(of) {
            let points = bounds.iter().map(|(at, it)| (*at, Some(of(it))));
            let most = bounds.iter().map(|(_, it)| of(it)).max();
            match most.filter(|most| *most > room) {
                Some(most) => above = format!("; {name} {most} lies above"),
                None => lines.push((name.to_owned(), points.collect())),
            }
        }
        lines.retain(|(_, points)| points.iter().any(|(_, size)| size.is_some()));
        let title = format!("{title}{above}");
        let curves = lines.into_iter();
        let curves = curves.map(|(name, points)| {
            let points = points.into_iter();
            let points = points.map(|(at, size)| (at, size.map(i64::from)));
            Curve {
                points: points.collect(),
                ..Curve::of((&title, &name), [(0, 0); 0], span, ends)
            }
        });
        Self {
            curves: curves.collect(),
            title,
            marks: Vec::new(),
            shades: Vec::new(),
        }
    }
}

/// Nothing is gained by more columns.
const MOST_WIDTH: usize = 100;
/// With fewer columns nothing can be told apart.
const LEAST_COLUMNS: usize = 8;
/// With more rows it is no small chart.
const MOST_ROWS: usize = 40;
/// Steps of a row, by how much of it is filled.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl Curve<'_> {
    /// Counts as plain numbers, from nothing on; without rows on a page of text.
    pub(super) fn of<V: Into<i64>>(
        (title, name): (&str, &str),
        points: impl IntoIterator<Item = (i64, V)>,
        span: (i64, i64),
        ends: &(String, String),
    ) -> Self {
        let points = points.into_iter();
        Self {
            title: title.to_owned(),
            name: name.to_owned(),
            points: points.map(|(at, count)| (at, Some(count.into()))).collect(),
            span,
            ends: ends.clone(),
            reach: vec![0],
            height: 0,
            is_side: false,
            label: Box::new(|count| count.to_string()),
        }
    }

    /// What the chart is of.
    pub(super) fn heading(&self) -> String {
        match self.name.as_str() {
            "" => self.title.clone(),
            name => format!("{}, {name}", self.title),
        }
    }

    /// The chart on a page; no line where it has no room.
    pub(super) fn drawn(&self, page: Page) -> Vec<String> {
        let width = page.width.min(MOST_WIDTH).saturating_sub(2);
        self.plotted(width, page.ascii)
    }

    /// The lines of the chart, the highest first; none where there is nothing
    /// to show, or no room for it.
    fn plotted(&self, width: usize, ascii: bool) -> Vec<String> {
        let rows = self.height.min(MOST_ROWS);
        let shown: Vec<i64> = self.shown().collect();
        if shown.is_empty() {
            return Vec::new();
        }
        let shown = [shown, self.reach.clone()].concat();
        let (Some(least), Some(most)) = (shown.iter().min(), shown.iter().max()) else {
            return Vec::new();
        };
        let scale = Heights::of(*least, *most, rows);
        let labels = [scale.top, scale.floor].map(&self.label);
        let widths = labels.iter().map(|label| label.chars().count());
        let margin = widths.max().unwrap_or_default();
        let columns = width.saturating_sub(margin + 2);
        if rows == 0 || columns < LEAST_COLUMNS {
            return Vec::new();
        }
        let heights = self.columns(columns);
        let heights = heights.into_iter();
        let heights = heights.map(|count| count.map(|count| scale.steps(count)));
        let heights: Vec<Option<usize>> = heights.collect();
        let mut lines: Vec<String> = (0..rows)
            .map(|row| {
                let label = match row {
                    _ if row + 1 == rows => labels[1].as_str(),
                    // All counts are the one at the floor.
                    0 if scale.top == scale.floor => "",
                    0 => labels[0].as_str(),
                    _ => "",
                };
                let axis = match (ascii, label.is_empty()) {
                    (true, _) => '|',
                    (false, true) => '│',
                    (false, false) => '┤',
                };
                let below = (rows - 1 - row) * 8;
                let cells = heights.iter().map(|steps| cell(*steps, below, ascii));
                let line = format!("{label:>margin$} {axis}{}", cells.collect::<String>());
                line.trim_end().to_owned()
            })
            .collect();
        lines.extend(self.axis(margin, columns, ascii));
        lines
    }

    /// The count that holds when the span begins, and what follows in it.
    fn held_and_new(&self) -> (Option<i64>, &[(i64, Option<i64>)]) {
        let (from, to) = self.span;
        let first = self.points.partition_point(|(at, _)| *at <= from);
        let end = self.points.partition_point(|(at, _)| *at <= to);
        let (before, rest) = self.points.split_at(first);
        let new = rest.get(..end.saturating_sub(first)).unwrap_or_default();
        (before.last().and_then(|(_, count)| *count), new)
    }

    /// The count of a moment.
    fn at(&self, moment: i64) -> Option<i64> {
        let next = self.points.partition_point(|(at, _)| *at <= moment);
        self.points.get(next.checked_sub(1)?)?.1
    }

    /// The curve in words, for those who do not see it.
    fn summary(&self) -> String {
        let least = self.shown().min().map(&self.label);
        let most = self.shown().max().map(&self.label);
        let end = self.shown().last().map(&self.label);
        let name = self.heading();
        match (least, most, end) {
            (Some(least), Some(most), _) if least == most => format!("{name}: always {least}"),
            (Some(least), Some(most), Some(end)) => {
                format!("{name}: from {least} to {most}, {end} at the end")
            }
            _ => format!("{name}: nothing is known"),
        }
    }

    /// The counts that show.
    fn shown(&self) -> impl Iterator<Item = i64> {
        let (held, new) = self.held_and_new();
        held.into_iter().chain(new.iter().filter_map(|it| it.1))
    }

    /// The count of each column.
    fn columns(&self, columns: usize) -> Vec<Option<i64>> {
        let (from, to) = self.span;
        let length = (i128::from(to) - i128::from(from)).max(1);
        let end = |column: usize| {
            let share = length * as_i128(column + 1) / as_i128(columns);
            i128::from(from) + share
        };
        let (mut held, new) = self.held_and_new();
        let mut new = new.iter().peekable();
        let columns = (0..columns).map(|column| {
            let mut highest = held;
            while let Some((_, count)) = new.next_if(|(at, _)| i128::from(*at) <= end(column)) {
                highest = highest.max(*count);
                held = *count;
            }
            highest
        });
        columns.collect()
    }

    fn axis(&self, margin: usize, columns: usize, ascii: bool) -> [String; 2] {
        let (corner, line) = if ascii { ("+", "-") } else { ("└", "─") };
        let (from, to) = &self.ends;
        let blank = " ".repeat(margin + 2);
        let gap = columns.saturating_sub(from.len() + to.len());
        let ends = if gap == 0 {
            String::new()
        } else {
            format!("{blank}{from}{}{to}", " ".repeat(gap))
        };
        [
            format!("{}{corner}{}", " ".repeat(margin + 1), line.repeat(columns)),
            ends,
        ]
    }
}

/// From counts to heights.
struct Heights {
    floor: i64,
    top: i64,
    steps: i128,
}

impl Heights {
    /// Heights begin at 0, unless the counts are so close together that
    /// their differences would not show, or below it.
    fn of(least: i64, most: i64, rows: usize) -> Self {
        let spread = i128::from(most) - i128::from(least);
        let is_close = spread > 0 && spread * 4 < i128::from(most);
        let floor = if is_close { least - 1 } else { least.min(0) };
        Self {
            floor,
            top: most.max(floor),
            steps: as_i128(rows * 8),
        }
    }

    /// The height of a count in eighths of a row; one that is there is seen.
    fn steps(&self, count: i64) -> usize {
        let range = (i128::from(self.top) - i128::from(self.floor)).max(1);
        let above = i128::from(count) - i128::from(self.floor);
        let steps = (above * self.steps + range / 2) / range;
        usize::try_from(steps.clamp(1, self.steps)).unwrap_or(1)
    }
}

/// What shows in a row of which so many eighths are below.
fn cell(steps: Option<usize>, below: usize, ascii: bool) -> char {
    let filled = steps.unwrap_or_default().saturating_sub(below).min(8);
    match (ascii, filled) {
        (false, filled) => BLOCKS[filled],
        (true, 4..) => '#',
        (true, 1..) if below == 0 => '_',
        (true, _) => ' ',
    }
}

fn as_i128(count: usize) -> i128 {
    i128::try_from(count).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::Curve;

    pub(super) fn curve(points: &[(i64, i64)], height: usize) -> Curve<'static> {
        let ends = ("-10s".to_owned(), "now".to_owned());
        Curve {
            reach: Vec::new(),
            height,
            ..Curve::of(("", ""), points.iter().copied(), (0, 10), &ends)
        }
    }

    fn lines(points: &[(i64, i64)]) -> Vec<String> {
        curve(points, 3).plotted(14, false)
    }

    #[test]
    fn counts_hold_until_the_next_one() {
        let drawn = lines(&[(0, 4), (5, 12), (8, 6)]);
        assert_eq!(
            drawn,
            [
                "12 ┤    ████",
                "   │    ████▄▄",
                " 0 ┤██████████",
                "   └──────────",
                "    -10s   now",
            ]
        );
    }

    #[test]
    fn ascii_says_the_same() {
        let drawn = curve(&[(0, 4), (5, 12), (8, 6)], 3).plotted(14, true);
        assert_eq!(
            drawn,
            [
                "12 |    ####",
                "   |    ######",
                " 0 |##########",
                "   +----------",
                "    -10s   now",
            ]
        );
    }

    #[test]
    fn what_has_little_to_show_is_shown_all_the_same() {
        // Nothing, one point, all equal, all zero, and what differs little.
        assert!(lines(&[]).is_empty());
        assert_eq!(lines(&[(5, 3)])[0], "3 ┤     ██████");
        assert_eq!(lines(&[(0, 7), (5, 7)])[0], "7 ┤███████████");
        assert_eq!(lines(&[(0, 0)])[0], "  │");
        assert_eq!(lines(&[(0, 0)])[2], "0 ┤▁▁▁▁▁▁▁▁▁▁▁");
        let close = lines(&[(0, 100), (5, 103)]);
        assert_eq!(close[0], "103 ┤    █████");
        assert_eq!(close[2], " 99 ┤▆▆▆▆█████");
    }

    #[test]
    fn the_ends_of_the_numbers_are_no_problem() {
        let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
        let drawn = curve(&[(0, least), (5, most)], 3).plotted(40, false);
        assert!(drawn[0].starts_with(" 2147483647 ┤"));
        assert!(drawn[2].starts_with("-2147483648 ┤▁"));
        let extreme = Curve {
            span: (i64::MIN, i64::MAX),
            ends: <(String, String)>::default(),
            ..curve(&[(i64::MIN, i64::MIN), (i64::MAX, i64::MAX)], 3)
        };
        assert_eq!(extreme.plotted(40, false).len(), 5);
    }

    #[test]
    fn no_chart_is_larger_than_its_canvas() {
        let points = [(0, 4), (5, 12), (8, 6)];
        let mut drawn = 0;
        for width in 0..60 {
            for height in 0..6 {
                let lines = curve(&points, height).plotted(width, false);
                let widest = lines.iter().map(|line| line.chars().count()).max();
                assert!(widest.unwrap_or_default() <= width, "{width}x{height}");
                assert!(lines.len() <= height + 2);
                drawn += usize::from(!lines.is_empty());
            }
        }
        // From the eighth column of the plot on, and with a row or more.
        assert_eq!(drawn, (60 - 12) * 5);
    }
}
