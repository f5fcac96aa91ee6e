//! Step charts as SVG.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::trace::seconds_text;

/// The size of a chart in its own units; a page stretches it, and its labels
/// stand beside it as text.
const WIDTH: i64 = 1_000;
const HEIGHT: i64 = 200;
/// Above the highest value.
const TOP: i64 = 4;
/// More points than this of a series are not told apart.
const MOST_POINTS: usize = 1_200;
/// How many lines can be told apart in a chart.
pub(super) const LINES: usize = 8;

/// Values that hold until the next one.
pub(super) struct Series {
    name: String,
    points: Vec<(i64, i64)>,
}

/// Series over the same time.
pub(super) struct Plot {
    pub(super) seconds: i64,
    pub(super) series: Vec<Series>,
    /// Whether what is below the line is filled.
    pub(super) is_area: bool,
    /// A value that the axis reaches, too, for charts in one scale.
    pub(super) reach: i64,
}

impl Series {
    /// A series with a name that is ready for a page. Of many points, the
    /// highest of each stretch is kept.
    pub(super) fn new(name: &str, points: &[(i64, i64)]) -> Self {
        let stretch = points.len().div_ceil(MOST_POINTS).max(1);
        let highest = |points: &[(i64, i64)]| {
            let (at, _) = points.first()?;
            let value = points.iter().map(|(_, value)| *value).max()?;
            Some((*at, value))
        };
        Self {
            name: name.to_owned(),
            points: points.chunks(stretch).filter_map(highest).collect(),
        }
    }

    /// Its name, ready for a page.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The highest value.
    pub(super) fn most(&self) -> Option<i64> {
        self.points.iter().map(|(_, value)| *value).max()
    }
}

impl Plot {
    /// Writes the chart; `label` writes a value.
    pub(super) fn write(
        &self,
        label: &dyn Fn(i64) -> String,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let most = self.series.iter().filter_map(Series::most).max();
        let most = most.unwrap_or_default().max(self.reach).max(1);
        let (top, floor, end) = (label(most), label(0), seconds_text(self.seconds));
        writeln!(
            out,
            "<figure><div class=\"axis\"><span>{top}</span><span>{floor}</span></div>"
        )?;
        writeln!(
            out,
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"up to {top} in {end}\">"
        )?;
        for (at, series) in self.series.iter().enumerate() {
            let line = at % LINES;
            let path = self.path(series, most);
            let class = if self.is_area {
                "area".to_owned()
            } else {
                format!("run r{line}")
            };
            writeln!(out, "<path class=\"{class}\" d=\"{path}\"/>")?;
        }
        writeln!(out, "</svg>")?;
        writeln!(
            out,
            "<figcaption><span>0s</span><span>{end}</span></figcaption>"
        )?;
        self.legend(out)?;
        writeln!(out, "</figure>")
    }

    fn path(&self, series: &Series, most: i64) -> String {
        let x = |second: i64| scaled(second, self.seconds, WIDTH);
        let y = |value: i64| HEIGHT - scaled(value, most, HEIGHT - TOP);
        let mut path = String::new();
        let mut last = None;
        for (second, value) in &series.points {
            let (x, y) = (x(*second), y(*value));
            // Text that is written to memory cannot fail.
            _ = match last {
                None if self.is_area => write!(path, "M{x} {HEIGHT}V{y}"),
                None => write!(path, "M{x} {y}"),
                Some(before) if before == y => Ok(()),
                Some(_) => write!(path, "H{x}V{y}"),
            };
            last = Some(y);
        }
        if last.is_some() {
            _ = write!(path, "H{WIDTH}");
        }
        if last.is_some() && self.is_area {
            _ = write!(path, "V{HEIGHT}Z");
        }
        path
    }

    /// Which line is which, where there are several.
    fn legend(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.series.len() < 2 {
            return Ok(());
        }
        writeln!(out, "<div class=\"legend\">")?;
        for (at, series) in self.series.iter().enumerate() {
            let line = at % LINES;
            writeln!(
                out,
                "<div><svg class=\"key\" viewBox=\"0 0 40 8\"><path class=\"run r{line}\" d=\"M0 4H40\"/></svg> {}</div>",
                series.name
            )?;
        }
        writeln!(out, "</div>")
    }
}

fn scaled(value: i64, most: i64, length: i64) -> i64 {
    let scaled = i128::from(value) * i128::from(length) / i128::from(most.max(1));
    i64::try_from(scaled).unwrap_or(length).clamp(0, length)
}

#[cfg(test)]
mod tests {
    use super::{Plot, Series};

    fn drawn(points: &[(i64, i64)], is_area: bool) -> String {
        let plot = Plot {
            seconds: 100,
            series: vec![Series::new("a", points), Series::new("b", points)],
            is_area,
            reach: 0,
        };
        let mut out = Vec::new();
        plot.write(&|value| value.to_string(), &mut out)
            .expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn values_hold_until_the_next_one() {
        let text = drawn(&[(0, 2), (50, 4), (75, 4)], false);
        assert!(text.contains("d=\"M0 102H500V4H1000\""), "{text}");
        let area = drawn(&[(0, 2), (50, 4)], true);
        assert!(area.contains("d=\"M0 200V102H500V4H1000V200Z\""), "{area}");
        assert_eq!(text.matches("class=\"run").count(), 4);
    }

    #[test]
    fn long_series_keep_their_peaks() {
        let mut points: Vec<(i64, i64)> = (0..100_000).map(|at| (at, 1)).collect();
        points[54_321].1 = 9;
        let series = Series::new("", &points);
        assert!(series.points.len() <= 1_200);
        assert!(series.points.iter().any(|(_, value)| *value == 9));
    }

    #[test]
    fn nothing_and_extremes_are_drawn_all_the_same() {
        let extremes = [(i64::MAX, i64::MAX), (i64::MIN, i64::MIN)];
        for points in [&[][..], &[(0, 0)], &extremes] {
            assert!(drawn(points, true).ends_with("</figure>\n"));
        }
    }
}
