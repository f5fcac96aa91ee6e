//! The same curves as SVG: in one chart, with what happened marked.
//!
//! A page stretches a chart to its width; what is to be read stands beside it as
//! text, and each line is told by its dashes as well as by its colour.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::render::escape::escape_page;
use crate::trace::seconds_text;

use super::{BOUNDS, Curve};

/// Curves over one time in one chart.
pub(in crate::render) struct Timeline<'a> {
    pub(in crate::render) title: String,
    pub(in crate::render) curves: Vec<Curve<'a>>,
    pub(in crate::render) marks: Vec<Mark>,
    /// From when until when nothing could be measured.
    pub(in crate::render) shades: Vec<(i64, i64)>,
}

/// Something that happened.
pub(in crate::render) struct Mark {
    pub(in crate::render) at: i64,
    pub(in crate::render) time: String,
    pub(in crate::render) says: String,
    /// The pass that shows it, by its number on the page.
    pub(in crate::render) pass: Option<usize>,
}

/// The size of a chart in its own units.
const WIDTH: i64 = 1_000;
const HEIGHT: i64 = 200;
/// Above the highest value, and below 0: a line at the edge would be cut off.
const MARGIN: i64 = 4;
/// Steps of a curve that are nearer to each other are not told apart.
const COLUMN: i64 = 8;
/// How many lines can be told apart in a chart.
pub(in crate::render) const LINES: usize = 8;
/// A flag of one number is so wide, and one of several three times as wide.
const FLAG: i64 = 55;
/// More marks than this are only counted.
const MOST_MARKS: usize = 40;

/// What people count time in, in seconds.
const STEPS: [i64; 26] = [
    1, 2, 3, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600,
    43_200, DAY, 172_800, 259_200, 345_600, 604_800, 1_209_600, 2_592_000,
];
const DAY: i64 = 86_400;
/// More times on the axis are not read.
const MOST_TICKS: i64 = 7;
/// A time that is nearer to an end has no room.
const EDGE: i64 = 30;

/// A chart of several curves with the times of a zone, shaded where nothing could be
/// measured. Those that go the same way say so.
pub(in crate::render) fn chart(
    curves: &[&Curve],
    marks: &[Mark],
    shades: &[(i64, i64)],
    zone: &TimeZone,
) -> String {
    let Some(first) = curves.first() else {
        return String::new();
    };
    let values = curves.iter().flat_map(|it| it.shown().collect::<Vec<_>>());
    let most = values.chain(first.reach.iter().copied()).max();
    let frame = Frame {
        span: first.span,
        most: most.unwrap_or_default().max(1),
    };
    let difference = first_difference(curves);
    let difference = difference.map(|(at, says)| Mark {
        at,
        time: format!("after {}", seconds_text(at.saturating_sub(first.span.0))),
        says: format!("the first pass that differs: {says}"),
        pass: None,
    });
    let mut all: Vec<&Mark> = difference.iter().chain(marks).collect();
    all.sort_by_key(|it| it.at);
    let (shown, more) = all.split_at(all.len().min(MOST_MARKS));
    let label = |value: i64| escape_page(&(first.label)(value));
    let mut svg = String::new();
    let summaries: Vec<String> = curves.iter().map(|it| it.summary()).collect();
    // Text that is written to memory cannot fail.
    _ = write!(
        svg,
        "<figure><div class=\"axis\" aria-hidden=\"true\"><span>{}</span><span>{}</span></div><div class=\"plot\">",
        label(frame.most),
        label(0)
    );
    // Flags that would cover each other are one, with the first and the last number.
    let numbered: Vec<(i64, usize)> = (1..)
        .zip(shown)
        .map(|(number, mark)| (frame.x(mark.at), number))
        .collect();
    let mut rest = numbered.as_slice();
    while let [(left, first), others @ ..] = rest {
        let is_near = |within: i64| others.partition_point(|(x, _)| x - left < within);
        let width = if is_near(FLAG) > 0 { 3 * FLAG } else { 0 };
        let near = is_near(width);
        let last = near.checked_sub(1).map_or(first, |at| &others[at].1);
        rest = &others[near..];
        let numbers = if first == last {
            first.to_string()
        } else {
            format!("{first}–{last}")
        };
        _ = write!(
            svg,
            "<span class=\"flag\" aria-hidden=\"true\" style=\"left:{}.{}%\">{numbers}</span>",
            left / 10,
            left % 10,
        );
    }
    _ = write!(
        svg,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
        escape_page(&summaries.join("; "))
    );
    for (from, to) in shades {
        let (from, to) = (frame.x(*from), frame.x(*to));
        _ = write!(
            svg,
            "<path class=\"shade\" d=\"M{from} 0H{to}V{HEIGHT}H{from}Z\"/>"
        );
    }
    let ticks = frame.ticks(zone).unwrap_or_default();
    for (x, _) in &ticks {
        _ = write!(svg, "<path class=\"grid\" d=\"M{x} 0V{HEIGHT}\"/>");
    }
    for mark in shown {
        let x = frame.x(mark.at);
        _ = write!(svg, "<path class=\"mark\" d=\"M{x} 0V{HEIGHT}\"/>");
    }
    // The first one is the thickest, and the others lie on top of it.
    for (at, curve) in curves.iter().enumerate() {
        let (class, path) = match curves.len() {
            1 => ("area".to_owned(), frame.area(curve)),
            _ => (format!("run r{}", style(at, curve)), frame.line(curve)),
        };
        _ = write!(svg, "<path class=\"{class}\" d=\"{path}\"/>");
    }
    let (from, to) = (escape_page(&first.ends.0), escape_page(&first.ends.1));
    let ticks = ticks.iter().map(|(x, time)| {
        let (left, rest, time) = (x / 10, x % 10, escape_page(time));
        format!("<span style=\"left:{left}.{rest}%\">{time}</span>")
    });
    let ticks = ticks.collect::<String>();
    _ = writeln!(
        svg,
        "</svg></div><div class=\"ticks\" aria-hidden=\"true\">{ticks}</div><figcaption><span>{from}</span><span>{to}</span></figcaption>"
    );
    svg += &legend(curves, !shades.is_empty());
    svg += "</figure>\n";
    svg + &listed(shown, more.len())
}

/// How a line looks: a bound the same on every page.
fn style(at: usize, curve: &Curve) -> usize {
    let bound = BOUNDS.iter().position(|name| *name == curve.name);
    bound.map_or(at % LINES, |bound| LINES - BOUNDS.len() + bound)
}

/// Which line is which, where there are several.
fn legend(curves: &[&Curve], is_shaded: bool) -> String {
    if curves.len() < 2 {
        return String::new();
    }
    let mut legend = "<ul class=\"legend\">\n".to_owned();
    for (at, curve) in curves.iter().enumerate() {
        let mut before = curves.iter().take(at);
        let same = before.find(|other| other.points == curve.points);
        let same = same.map_or_else(String::new, |it| format!(" (the same as {})", it.name));
        _ = writeln!(
            legend,
            "<li><svg class=\"key\" viewBox=\"0 0 40 8\" aria-hidden=\"true\"><path class=\"run r{}\" d=\"M0 4H40\"/></svg> {}</li>",
            style(at, curve),
            escape_page(&format!("{}{same}", curve.name))
        );
    }
    if is_shaded {
        legend += "<li>shaded: no metric could be had</li>\n";
    }
    legend + "</ul>\n"
}

/// What the marks stand for, in their order.
fn listed(marks: &[&Mark], more: usize) -> String {
    if marks.is_empty() {
        return String::new();
    }
    let mut list = "<ol class=\"marks\">\n".to_owned();
    for mark in marks {
        let (time, says) = (escape_page(&mark.time), escape_page(&mark.says));
        let link = mark.pass.map_or_else(String::new, |pass| {
            format!(" <a href=\"#p{pass}\">see this pass</a>")
        });
        _ = writeln!(list, "<li><strong>{time}</strong> {says}{link}</li>");
    }
    list += "</ol>\n";
    if more > 0 {
        _ = writeln!(list, "<p>and {more} more</p>");
    }
    list
}

/// Where several curves first have different values, and which.
fn first_difference(curves: &[&Curve]) -> Option<(i64, String)> {
    let mut sides = curves.iter().filter(|it| it.is_side);
    let first = sides.next()?;
    let differs = sides.filter_map(|other| {
        let mut moments: Vec<i64> = [first, other]
            .iter()
            .flat_map(|it| it.points.iter().map(|(at, _)| *at))
            .collect();
        moments.sort_unstable();
        let at = moments
            .into_iter()
            .find(|at| first.at(*at) != other.at(*at))?;
        let (one, two) = first.at(at).zip(other.at(at))?;
        let says = format!(
            "{} {}, {} {}",
            first.name,
            (first.label)(one),
            other.name,
            (other.label)(two)
        );
        Some((at, says))
    });
    differs.min_by_key(|(at, _)| *at)
}

/// From moments and values to places.
struct Frame {
    span: (i64, i64),
    most: i64,
}

impl Frame {
    fn x(&self, at: i64) -> i64 {
        let (from, to) = self.span;
        scaled(at.saturating_sub(from), to.saturating_sub(from), WIDTH)
    }

    /// The places of round times, with what they are called: the time of the day or the
    /// day, or how long it is since a simulation began.
    fn ticks(&self, zone: &TimeZone) -> Option<Vec<(i64, String)>> {
        let (from, to) = self.span;
        let length = to.saturating_sub(from);
        let step = STEPS.iter().find(|step| length < MOST_TICKS * **step)?;
        let zone = if from == 0 { &TimeZone::UTC } else { zone };
        let begins = Timestamp::from_second(from).ok()?;
        let offset = i64::from(zone.to_offset(begins).seconds());
        let first = from - (from + offset).rem_euclid(*step);
        let moments = (1..=MOST_TICKS).map(|count| first + count * step);
        let named = moments.filter_map(|at| {
            let format = match at + offset {
                own if *step >= DAY || own % DAY == 0 => "%m-%d",
                _ if *step < 60 => "%H:%M:%S",
                _ => "%H:%M",
            };
            let time = Timestamp::from_second(at).ok()?.to_zoned(zone.clone());
            let time = time.strftime(format).to_string();
            let x = self.x(at);
            let name = if from == 0 { seconds_text(at) } else { time };
            (EDGE..=WIDTH - EDGE).contains(&x).then_some((x, name))
        });
        Some(named.collect())
    }

    fn y(&self, value: i64) -> i64 {
        HEIGHT - MARGIN - scaled(value, self.most, HEIGHT - 2 * MARGIN)
    }

    /// The corners of a curve, from the first moment in the span on; from one without a
    /// height on, nothing is known.
    fn corners(&self, curve: &Curve) -> Vec<(i64, Option<i64>)> {
        let (held, new) = curve.held_and_new();
        let held = held.map(|value| (self.span.0, Some(value)));
        let all = held.into_iter().chain(new.iter().copied());
        let all = all.map(|(at, value)| (self.x(at), value.map(|it| self.y(it))));
        let mut all: Vec<(i64, Option<i64>)> = all.collect();
        all.dedup_by_key(|(_, y)| *y);
        // Of several in a column, how far they reach, and where they end.
        let columns = all.chunk_by(|one, next| one.0 / COLUMN == next.0 / COLUMN);
        let drawn = columns.flat_map(|column| {
            let ys = || column.iter().filter_map(|(_, y)| *y);
            let reach = [ys().max(), ys().min()].map(|it| it.filter(|_| column.len() > 1));
            let x = column.first().map_or(0, |(x, _)| *x);
            let reach = reach.into_iter().flatten().map(Some);
            let ends = reach.chain(column.last().map(|(_, y)| *y));
            ends.map(move |y| (x, y))
        });
        drawn.collect()
    }

    fn line(&self, curve: &Curve) -> String {
        let mut path = String::new();
        let mut is_drawn = false;
        for (x, y) in self.corners(curve) {
            _ = match (is_drawn, y) {
                (true, Some(y)) => write!(path, "H{x}V{y}"),
                (false, Some(y)) => write!(path, "M{x} {y}"),
                (true, None) => write!(path, "H{x}"),
                (false, None) => Ok(()),
            };
            is_drawn = y.is_some();
        }
        if is_drawn {
            _ = write!(path, "H{WIDTH}");
        }
        path
    }

    fn area(&self, curve: &Curve) -> String {
        match self.corners(curve).first() {
            Some((x, _)) => format!("{}V{HEIGHT}H{x}Z", self.line(curve)),
            None => String::new(),
        }
    }
}

fn scaled(value: i64, most: i64, length: i64) -> i64 {
    let scaled = i128::from(value) * i128::from(length) / i128::from(most.max(1));
    i64::try_from(scaled).unwrap_or(length).clamp(0, length)
}

#[cfg(test)]
mod tests {
    use super::super::tests::curve;
    use super::{Curve, Frame, Mark, TimeZone, chart};

    #[test]
    fn values_hold_until_the_next_one() {
        let frame = Frame {
            span: (0, 10),
            most: 4,
        };
        let own = curve(&[(0, 2), (5, 4), (7, 4)], 3);
        assert_eq!(frame.line(&own), "M0 100H500V4H1000");
        assert_eq!(frame.area(&own), "M0 100H500V4H1000V200H0Z");
        assert_eq!(frame.line(&curve(&[], 3)), "");
        // Where nothing is known, nothing is drawn.
        let mut gap = curve(&[(0, 2), (4, 3), (6, 4)], 3);
        gap.points[1].1 = None;
        assert_eq!(frame.line(&gap), "M0 100H400M600 4H1000");
        // Several in a column are its span.
        let (span, most) = ((0, 1_000), 4);
        let frame = Frame { span, most };
        let own = curve(&[(0, 2), (400, 4), (401, 1), (405, 2)], 3);
        let own = Curve { span, ..own };
        assert_eq!(frame.line(&own), "M0 100H400V148H400V4H400V100H1000");
    }

    #[test]
    fn long_curves_keep_their_peaks_and_dips() {
        let mut points: Vec<(i64, i64)> = (0..100_000).map(|at| (at, 50 + at % 2)).collect();
        (points[54_321].1, points[12_345].1) = (99, 1);
        let mut own = curve(&points, 3);
        own.span = (0, 100_000);
        let frame = Frame {
            span: own.span,
            most: 99,
        };
        let corners = frame.corners(&own);
        assert!(corners.len() <= 380, "{}", corners.len());
        for value in [99, 1] {
            assert!(
                corners.iter().any(|(_, y)| *y == Some(frame.y(value))),
                "{value}"
            );
        }
    }

    /// In thousandths of the width: when something happened, and the flags.
    #[test]
    fn flags_that_would_cover_each_other_are_one() {
        let evenly: Vec<i64> = (0..30).map(|at| at * 33).collect();
        let rows: [(&[i64], &str); 5] = [
            (&[0, 55, 110], "1 2 3"),
            (&[0, 54], "1–2"),
            // Only what lies under a flag of several goes into it.
            (&[0, 40, 80, 165, 900], "1–3 4 5"),
            (&[5, 5, 5], "1–3"),
            (&evenly, "1–5 6–10 11–15 16–20 21–25 26–30"),
        ];
        for (moments, flags) in rows {
            let marks = moments.iter().map(|at| Mark {
                at: *at,
                time: String::new(),
                says: String::new(),
                pass: None,
            });
            let span = (0, 1_000);
            let own = Curve {
                span,
                ..curve(&[(0, 1), (500, 2)], 3)
            };
            let text = chart(&[&own], &marks.collect::<Vec<_>>(), &[], &TimeZone::UTC);
            let drawn = text.split("class=\"flag\"").skip(1);
            let drawn = drawn.filter_map(|it| it.split(['>', '<']).nth(1));
            assert_eq!(drawn.collect::<Vec<_>>().join(" "), flags, "{moments:?}");
        }
        assert_eq!(rows.len(), 5);
    }

    #[test]
    fn nothing_and_extremes_are_drawn_all_the_same() {
        let utc = &TimeZone::UTC;
        let extremes = [(i64::MIN, i64::MIN), (i64::MAX, i64::MAX)];
        let marks = [Mark {
            at: i64::MAX,
            time: String::new(),
            says: String::new(),
            pass: None,
        }];
        for points in [&[][..], &[(0, 0)], &extremes] {
            let text = chart(&[&curve(points, 3)], &marks, &[(1, 2)], utc);
            assert!(text.ends_with("</ol>\n"), "{text}");
        }
        assert_eq!(chart(&[], &[], &[], utc), "");
    }
}
