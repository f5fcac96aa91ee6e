//! Charts of what is known over time (`-v`).

use jiff::Timestamp;

use crate::render::block::{Block, Curve};
use crate::trace::seconds_text;

use super::words::View;

/// Fewer counts are told faster than drawn.
const LEAST: usize = 3;
/// The rows of a chart.
const HEIGHT: usize = 5;

/// The recommendations over the length of the longer window, where enough of
/// them are known.
pub(super) fn window(view: View) -> Option<Block<'static>> {
    let record = view.trace.stabilization.as_ref()?;
    let up = record.up.map_or(0, |up| up.window_seconds);
    let seconds = up.max(record.down.window_seconds);
    let now = view.trace.at.as_second();
    let from = now.saturating_sub(seconds);
    let entries = record.entries.iter();
    let entries = entries.map(|entry| (entry.timestamp.as_second(), i64::from(entry.replicas)));
    let mut points: Vec<(i64, i64)> = entries.filter(|(at, _)| *at > from).collect();
    if points.len() < LEAST {
        return None;
    }
    points.sort_by_key(|(at, _)| *at);
    points.push((now, i64::from(record.recommendation)));
    let length = seconds_text(seconds);
    let title = format!("Recommendations known of the last {length}");
    Some(chart(
        view,
        title,
        ", each until the next",
        points,
        (from, now),
    ))
}

/// The sizes that were seen.
pub(super) fn sizes(view: View) -> Option<Block<'static>> {
    let seen = &view.trace.recollection.sizes;
    let second = |at: Timestamp| at.as_second();
    let points = seen.iter();
    let points = points.map(|size| (second(size.at), i64::from(size.replicas)));
    let mut points: Vec<(i64, i64)> = points.collect();
    let (from, _) = points.first().copied().filter(|_| points.len() >= LEAST)?;
    let now = second(view.trace.at);
    points.push((now, i64::from(view.current())));
    let length = seconds_text(now.saturating_sub(from));
    let title = format!("Sizes seen in the last {length}");
    Some(chart(view, title, "", points, (from, now)))
}

fn chart(
    view: View,
    title: String,
    how: &str,
    points: Vec<(i64, i64)>,
    (from, to): (i64, i64),
) -> Block<'static> {
    // What never changes is no chart.
    if let [(_, first), others @ ..] = points.as_slice()
        && others.iter().all(|(_, other)| other == first)
    {
        return Block::Lines(vec![view.page.line(&format!("{title}: always {first}"))]);
    }
    let ago = format!("-{}", seconds_text(to.saturating_sub(from)));
    Block::Curve(Curve {
        title: title + how,
        name: String::new(),
        points,
        span: (from, to),
        ends: (ago, "now".to_owned()),
        reach: Vec::new(),
        height: HEIGHT,
        label: Box::new(|count| count.to_string()),
    })
}
