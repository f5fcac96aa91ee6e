//! Charts of what is known over time (`-v`).

use jiff::Timestamp;

use crate::render::chart::{Canvas, Chart};
use crate::trace::seconds_text;

use super::page::Line;
use super::words::View;

/// Fewer counts are told faster than drawn.
const LEAST: usize = 3;
/// The rows of a chart.
const HEIGHT: usize = 5;
/// Nothing is gained by more columns.
const MOST_WIDTH: usize = 100;

/// The recommendations over the length of the longer window, where enough of
/// them are known.
pub(super) fn window(view: View) -> Vec<Line> {
    let Some(record) = &view.trace.stabilization else {
        return Vec::new();
    };
    let up = record.up.map_or(0, |up| up.window_seconds);
    let seconds = up.max(record.down.window_seconds);
    let now = view.trace.at.as_second();
    let from = now.saturating_sub(seconds);
    let entries = record.entries.iter();
    let entries = entries.map(|entry| (entry.timestamp.as_second(), i64::from(entry.replicas)));
    let mut points: Vec<(i64, i64)> = entries.filter(|(at, _)| *at > from).collect();
    if points.len() < LEAST {
        return Vec::new();
    }
    points.sort_by_key(|(at, _)| *at);
    points.push((now, i64::from(record.recommendation)));
    let length = seconds_text(seconds);
    chart(
        view,
        &format!("Recommendations known of the last {length}"),
        ", each until the next",
        &points,
        (from, now),
    )
}

/// The sizes that were seen.
pub(super) fn sizes(view: View) -> Vec<Line> {
    let seen = &view.trace.recollection.sizes;
    let second = |at: Timestamp| at.as_second();
    let points = seen.iter();
    let points = points.map(|size| (second(size.at), i64::from(size.replicas)));
    let mut points: Vec<(i64, i64)> = points.collect();
    let Some((from, _)) = points.first().copied().filter(|_| points.len() >= LEAST) else {
        return Vec::new();
    };
    let now = second(view.trace.at);
    points.push((now, i64::from(view.current())));
    let length = seconds_text(now.saturating_sub(from));
    chart(
        view,
        &format!("Sizes seen in the last {length}"),
        "",
        &points,
        (from, now),
    )
}

fn chart(
    view: View,
    title: &str,
    how: &str,
    points: &[(i64, i64)],
    (from, to): (i64, i64),
) -> Vec<Line> {
    // What never changes is no chart.
    if let [(_, first), others @ ..] = points
        && others.iter().all(|(_, other)| other == first)
    {
        return vec![view.page.line(&format!("{title}: always {first}"))];
    }
    let ago = format!("-{}", seconds_text(to.saturating_sub(from)));
    let drawn = Chart {
        points,
        span: (from, to),
        ends: (&ago, "now"),
        reach: &[],
    };
    let lines = drawn.lines(Canvas {
        width: view.page.width.min(MOST_WIDTH).saturating_sub(2),
        height: HEIGHT,
        ascii: view.options.ascii,
    });
    if lines.is_empty() {
        return Vec::new();
    }
    let lines = lines
        .iter()
        .map(|line| view.page.line(&format!("  {line}")));
    let mut titled = vec![view.page.line(&format!("{title}{how}"))];
    titled.extend(lines);
    titled
}
