//! An answer as one page that needs nothing else, with step charts as SVG:
//! for a report, an incident, or a phone.

use std::fmt::Write as _;
use std::io;
use std::io::Write;

use crate::trace::seconds_text;

use super::block::{Block, Facts, Item, Table};
use super::chart::Curve;
use super::escape::escape_markup;
use super::text::Page;
use super::{Printable, Renderer, TextOptions};

/// What a page says in its first lines about who wrote it.
pub const PAGE_GENERATOR: &str = "kubectl-hpa-explain";

/// How the page looks: readable at a phone's width, in the light and the dark.
const STYLE: &str = "\
:root{color-scheme:light dark;--fg:#1b1b1f;--bg:#fff;--faint:#63636e;--line:#d9d9e0}
@media(prefers-color-scheme:dark){:root{--fg:#e8e8ee;--bg:#16161a;--faint:#9a9aa6;--line:#3a3a44}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.25rem}h2{font-size:1rem;margin:1.5rem 0 .25rem}
ul{padding-left:1.25rem}p,li{overflow-wrap:anywhere}.faint,figure{color:var(--faint);font-size:.875rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25rem 1rem .25rem 0;text-align:right;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}
@media(max-width:44rem){tr:first-child{display:none}tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
td{display:flex;gap:1.5rem;justify-content:space-between;border:0;padding:0}td::before{content:attr(data-title);color:var(--faint)}td:first-child{font-weight:bold}}
figure{margin:0;display:grid;grid-template-columns:auto minmax(0,1fr);gap:.25rem .5rem}figure>svg{width:100%;height:11rem;display:block;border:1px solid var(--line);border-width:0 0 1px 1px}
.axis{display:flex;flex-direction:column;justify-content:space-between;text-align:right;line-height:1}
figcaption,.legend{grid-column:2}figcaption{display:flex;justify-content:space-between}.legend{overflow-wrap:anywhere}
path{vector-effect:non-scaling-stroke}.area{fill:#7aa2f7;opacity:.45}.run{fill:none;stroke-width:2}
.key{display:inline-block;width:2.5rem;height:.5rem}
.r0{stroke:#3b6fd4}.r1{stroke:#d4703b;stroke-dasharray:7 3}.r2{stroke:#2a9d74;stroke-dasharray:2 3}.r3{stroke:#b05fc9;stroke-dasharray:9 3 2 3}
.r4{stroke:#b8860b;stroke-width:3.5}.r5{stroke:#2f9fc4;stroke-dasharray:14 4;stroke-width:3.5}.r6{stroke:#d1495b;stroke-dasharray:3 5;stroke-width:3.5}.r7{stroke:#7d7d88;stroke-dasharray:14 3 3 3 3 3;stroke-width:3.5}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);padding:.5rem}";

/// Changes that are listed of each run.
const MOST_CHANGES: usize = 12;

/// A page of its own.
pub(super) struct Html;

impl Renderer for Html {
    fn write(
        answer: &(impl Printable + ?Sized),
        options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let options = TextOptions {
            changes: MOST_CHANGES,
            ..options.clone()
        };
        let page = Page::new(&options);
        let blocks = answer.blocks(&options).0;
        let titles = blocks.iter().filter_map(|block| match block {
            Block::Title(title) => Some(clean(&title.parts.join(" · "))),
            _ => None,
        });
        let title: String = titles.collect();
        writeln!(out, "<!DOCTYPE html>")?;
        writeln!(out, "<html lang=\"en\"><head><meta charset=\"utf-8\">")?;
        writeln!(
            out,
            "<meta name=\"generator\" content=\"{PAGE_GENERATOR}\">"
        )?;
        writeln!(
            out,
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
        )?;
        writeln!(
            out,
            "<title>{title}</title><style>{STYLE}</style></head><body>"
        )?;
        write_blocks(page, &blocks, out)?;
        writeln!(out, "<p class=\"faint\">By kubectl hpa-explain.</p>")?;
        writeln!(out, "</body></html>")
    }
}

fn write_blocks(page: Page, blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    let shown = blocks
        .iter()
        .filter(|it| !matches!(it, Block::Gap | Block::Page(_)));
    let mut shown = shown.peekable();
    while let Some(block) = shown.next() {
        match block {
            Block::Gap | Block::Page(_) => {}
            Block::Curve(first) => {
                let mut curves = vec![first];
                let goes_on =
                    |it: &&Block| matches!(it, Block::Curve(it) if it.title == first.title);
                while let Some(Block::Curve(next)) = shown.next_if(goes_on) {
                    curves.push(next);
                }
                plots(first, &curves, out)?;
            }
            Block::Beyond(blocks) => write_blocks(page, blocks, out)?,
            Block::Title(title) => {
                let (title, moment) = (title.parts.join(" · "), &title.moment);
                writeln!(out, "<h1>{}</h1>", clean(&title))?;
                writeln!(out, "<p class=\"faint\">{}</p>", clean(moment))?;
            }
            Block::Prose(prose) => {
                let (begins, text) = (strong(&prose.begins.1), clean(&prose.text));
                writeln!(out, "<p>{begins}{text}</p>")?;
            }
            Block::Facts(it) => facts(it, out)?,
            Block::Table(it) => table(it, out)?,
            Block::Command(it) => writeln!(out, "<pre>{}</pre>", clean(it))?,
            Block::List(it) => table(&it.table(page), out)?,
            Block::Rows(_) => {
                let lines: Vec<String> = block
                    .lines(page)
                    .iter()
                    .map(|line| clean(&line.text()))
                    .collect();
                writeln!(out, "<pre>{}</pre>", lines.join("\n"))?;
            }
        }
    }
    Ok(())
}

fn facts(facts: &Facts, out: &mut dyn Write) -> io::Result<()> {
    if facts.items.is_empty() {
        return Ok(());
    }
    if !facts.title.is_empty() {
        writeln!(out, "<h2>{}</h2>", clean(&facts.title))?;
    }
    list(&facts.items, out)
}

fn list(items: &[Item], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<ul>")?;
    for item in items {
        let name = strong(&item.name);
        write!(out, "<li>{name}{}", clean(&item.says))?;
        let remedy = item.remedy.iter();
        for code in remedy.flat_map(|it| it.command.iter().chain(&it.patch)) {
            let lines: Vec<String> = code.lines().map(clean).collect();
            writeln!(out, "<pre>{}</pre>", lines.join("\n"))?;
        }
        if !item.below.is_empty() {
            list(&item.below, out)?;
        }
        writeln!(out, "</li>")?;
    }
    writeln!(out, "</ul>")
}

/// Curves of one title in one chart; those that go the same way say so. More
/// lines than can be told apart have a chart each, in one scale.
fn plots(first: &Curve, curves: &[&Curve], out: &mut dyn Write) -> io::Result<()> {
    let series = curves.iter().enumerate().map(|(at, curve)| {
        let mut before = curves.iter().take(at);
        let same = before.find(|other| other.points == curve.points);
        let name = match same {
            Some(same) => format!("{} (the same sizes as {})", curve.name, same.name),
            None => curve.name.clone(),
        };
        Series::new(&clean(&name), &curve.points)
    });
    let drawn: Vec<Series> = series.collect();
    let charts: Vec<(String, Vec<Series>)> = if let [curve] = curves {
        vec![(clean(&curve.heading()), drawn)]
    } else if drawn.len() > LINES {
        let named = drawn.into_iter();
        let named = named.map(|it| (format!("{}, {}", clean(&first.title), it.name), vec![it]));
        named.collect()
    } else {
        vec![(clean(&first.title), drawn)]
    };
    for (title, series) in charts {
        let plot = Plot {
            seconds: first.span.1.saturating_sub(first.span.0),
            series,
            is_area: curves.len() == 1,
            reach: first.reach.iter().copied().max().unwrap_or_default(),
        };
        writeln!(out, "<h2>{title}</h2>")?;
        plot.write(&|count| clean(&(first.label)(count)), out)?;
    }
    Ok(())
}

fn table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<table><tr>")?;
    for column in table.columns() {
        write!(out, "<th>{}</th>", clean(&column.title))?;
    }
    writeln!(out, "</tr>")?;
    for row in &table.rows {
        write!(out, "<tr>")?;
        for cell in &row.cells {
            let (title, text) = (clean(&cell.column.title), clean(&cell.text));
            write!(out, "<td data-title=\"{title}\">{text}</td>")?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</table>")
}

/// What a text begins with, if it stands out.
fn strong(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("<strong>{}</strong> ", clean(text)),
    }
}

/// A text that is nothing but text in a page: harmless for a terminal that
/// shows the source, and for a browser.
fn clean(text: &str) -> String {
    escape_markup(text).replace('\'', "&#39;")
}

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
}

impl Plot {
    /// Writes the chart; `label` writes a value.
    pub(super) fn write(
        &self,
        label: &dyn Fn(i64) -> String,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let points = self.series.iter().flat_map(|it| &it.points);
        let most = points.map(|(_, value)| *value).max();
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
