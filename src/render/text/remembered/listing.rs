//! All that is known of the past: what the controller remembers and charts of
//! it (`-v`), and what else was noticed.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::{Amount, LARGER_THAN_ANY, Row, age_of, by, evidence, perhaps, recommendations, span};
use crate::render::block::{Block, Prose};
use crate::render::chart::{Curve, Mark, Timeline};
use crate::render::text::page::Tone;
use crate::render::text::words::View;
use crate::trace::{Bounds, Notice, NoticeKind, Recalled, Remembered, WitnessRecord, seconds_text};

/// The most entries that are told of each list of an end.
const MOST_OF_AN_END: usize = 8;

/// Renders the lists, what was noticed of the past, and what leads to the
/// ends of what is possible.
pub(in crate::render::text) fn listing(view: View) -> Vec<Prose> {
    let recollection = &view.trace.recollection;
    let (up, down) = (
        &recollection.scale_up_events,
        &recollection.scale_down_events,
    );
    let recommended = recommendations(view);
    let mut lines = list(view, "recommendations", &recommended, Amount::Recommended);
    lines.extend(list(view, "scaleUp changes", up, Amount::Added));
    lines.extend(list(view, "scaleDown changes", down, Amount::Removed));
    lines.extend(noticed(view));
    lines.extend(ends(view));
    if !lines.is_empty() {
        lines.insert(0, Prose::line("Controller memory, newest first"));
    }
    lines
}

fn list(view: View, name: &str, entries: &[Recalled], amount: Amount) -> Vec<Prose> {
    if entries.is_empty() {
        return Vec::new();
    }
    let rows = entries.iter().map(|entry| row(view, entry, amount));
    let rows: Vec<Row> = rows.collect();
    let mut lines = vec![Prose::line(format!("  {name}"))];
    lines.extend(super::lines(view, &rows, 4));
    lines
}

fn row(view: View, entry: &Recalled, amount: Amount) -> Row {
    Row {
        age: age_of(view, entry),
        value: amount.text(entry.replicas),
        source: evidence(view, &entry.source),
        note: match amount {
            Amount::Recommended => counts(view, entry).to_owned(),
            Amount::Added | Amount::Removed | Amount::Changed => String::new(),
        },
        ..Row::default()
    }
}

/// What an entry does in the windows, where the pass has looked at it.
fn counts(view: View, entry: &Recalled) -> &'static str {
    let stabilization = view.trace.stabilization.iter();
    let mut entries = stabilization.flat_map(|record| &record.entries);
    let found =
        entries.find(|found| entry.from == Some(found.timestamp) && entry.to == found.timestamp);
    match found.map(|found| (found.counts_up, found.counts_down)) {
        Some((true, true)) => "counts for both directions",
        Some((true, false)) => "counts when scaling up",
        Some((false, true)) => "counts when scaling down",
        Some((false, false)) => "too old",
        None => perhaps(entry, Amount::Recommended),
    }
}

/// For each end of what is possible, what leads there; nothing where there is
/// but one.
fn ends(view: View) -> Vec<Prose> {
    let witnesses = &view.trace.witnesses;
    if witnesses.len() < 2 {
        return Vec::new();
    }
    let lines = witnesses.iter().map(|witness| {
        let lead = format!("  {}  ", witness.replicas);
        Prose::behind(lead, premise(view, witness))
    });
    lines.collect()
}

/// What would have to have happened before.
fn premise(view: View, witness: &WitnessRecord) -> String {
    let Some(memory) = &witness.memory else {
        return "is only a bound; no way to reach it is known".to_owned();
    };
    let recommendation = view.trace.recommendation.as_ref();
    let recommended = recommendation.and_then(|recommendation| recommendation.replicas);
    let mut parts = Vec::new();
    if recommended != Some(witness.recommendation) {
        let recommended = amount(witness.recommendation);
        parts.push(format!("the metrics ask for {recommended} now"));
    }
    let lists = [
        ("recommended", "", &memory.recommendations),
        ("added", " pods", &memory.scale_up_events),
        ("removed", " pods", &memory.scale_down_events),
    ];
    parts.extend(lists.iter().filter_map(|(name, what, list)| {
        let list = list.as_deref().filter(|list| !list.is_empty())?;
        let entries = entries(view, list, what);
        Some(format!("the controller has {name} {entries}"))
    }));
    if parts.is_empty() {
        parts.push("the controller's memory is empty".to_owned());
    }
    format!("if {}", parts.join(" and "))
}

/// A count that stands for any that is larger than all sizes is no number to
/// show.
fn amount(replicas: i32) -> String {
    if replicas >= LARGER_THAN_ANY {
        return "a very large number".to_owned();
    }
    replicas.to_string()
}

fn entries(view: View, list: &[Remembered], what: &str) -> String {
    let shown = list.iter().take(MOST_OF_AN_END);
    let texts = shown.map(|entry| {
        let amount = amount(entry.replicas);
        format!("{amount}{what} {}", moment(view, entry.timestamp))
    });
    let mut texts: Vec<String> = texts.collect();
    texts.dedup();
    if list.len() > MOST_OF_AN_END {
        texts.push(format!("and {} more", list.len() - MOST_OF_AN_END));
    }
    texts.join(", ")
}

/// A moment that may as well be this one lies before the pass all the same.
fn moment(view: View, at: Timestamp) -> String {
    if view.time(at) == view.time(view.trace.at) {
        return "just before this pass".to_owned();
    }
    format!("at {}", view.time(at))
}

/// Renders the most important ones.
pub(in crate::render::text) fn notices(view: View) -> Vec<Prose> {
    if view.options.verbosity > 0 {
        return Vec::new();
    }
    // Where nothing is stabilized, what is remembered does not matter.
    if view.trace.recommended().is_none() {
        return Vec::new();
    }
    let all = &view.trace.recollection.notices;
    let mut notices: Vec<&Notice> = all.iter().filter(|it| !is_covered(it, all)).collect();
    notices.sort_by_key(|notice| (importance(notice.kind), Reverse(notice.to)));
    notices.dedup_by_key(|notice| (notice.to, notice.says.as_str()));
    let mut lines = Vec::new();
    for notice in notices.iter().take(view.most(2)) {
        let lead = if lines.is_empty() { "Note" } else { "" };
        let at = by(view, notice.from, notice.to);
        let tone = match notice.kind {
            NoticeKind::Contradiction => Tone::Warn,
            _ => Tone::Plain,
        };
        let lead = format!("{lead:<7}{at}  ");
        lines.push(Prose::behind(lead, &notice.says).toned(tone));
    }
    lines
}

/// Whether another notice tells the same of a shorter time.
fn is_covered(notice: &Notice, all: &[Notice]) -> bool {
    let holds = |other: &Notice| {
        notice.from.is_none_or(|from| other.from >= Some(from)) && other.to <= notice.to
    };
    let is_same = |other: &Notice| (other.from, other.to) == (notice.from, notice.to);
    let of_kind = || all.iter().filter(|other| other.kind == notice.kind);
    // Of the same words only the latest are news.
    let mut later = of_kind().filter(|other| other.says == notice.says && other.to > notice.to);
    later.next().is_some() || of_kind().any(|other| holds(other) && !is_same(other))
}

/// Renders all of them, in the order of time, with their sources (`-v`).
fn noticed(view: View) -> Vec<Prose> {
    let notices = &view.trace.recollection.notices;
    let lines = notices.iter().rev().map(|notice| {
        let at = span(view, notice.from, notice.to);
        let text = format!("{}; {}", notice.says, evidence(view, &notice.source));
        Prose::behind(format!("    {at}  "), text)
    });
    let title = (!notices.is_empty()).then(|| Prose::line("  noticed"));
    title.into_iter().chain(lines).collect()
}

/// First what makes the answer doubtful, then what explains it, last what
/// merely leaves it open.
fn importance(kind: NoticeKind) -> u8 {
    match kind {
        NoticeKind::Contradiction => 0,
        NoticeKind::Restarted => 1,
        NoticeKind::Recreated => 2,
        NoticeKind::SpecEdited => 3,
        NoticeKind::ScaledByOthers => 4,
        NoticeKind::Applied => 5,
        NoticeKind::ClockJumped => 6,
    }
}

/// Fewer counts are told faster than drawn.
const LEAST: usize = 3;
/// The rows of a chart.
const HEIGHT: usize = 5;

/// The recommendations over the length of the longer window, where enough of
/// them are known.
pub(in crate::render::text) fn window(view: View) -> Option<Block<'static>> {
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
    let title = format!("Known recommendations of the last {length}");
    let how = ", each until the next";
    Some(chart(title, how, points, (from, now)))
}

/// The sizes that were seen.
pub(in crate::render::text) fn sizes(view: View) -> Option<Block<'static>> {
    let observed = &view.trace.recollection.sizes;
    let second = |at: Timestamp| at.as_second();
    let points = observed.iter();
    let points = points.map(|size| (second(size.at), i64::from(size.replicas)));
    let mut points: Vec<(i64, i64)> = points.collect();
    let (from, _) = points.first().copied().filter(|_| points.len() >= LEAST)?;
    let now = second(view.trace.at);
    points.push((now, i64::from(view.current())));
    let length = seconds_text(now.saturating_sub(from));
    let title = format!("Sizes in the last {length}");
    Some(chart(title, "", points, (from, now)))
}

/// Sizes, what was asked for and the bounds, up to a pass, and what was noticed.
pub(in crate::render::text) fn timeline(view: View) -> Option<Block<'static>> {
    let (trace, now) = (view.trace, view.trace.at.as_second());
    let second = |at: Timestamp| at.as_second();
    let recollection = &trace.recollection;
    let sizes = recollection.sizes.iter();
    let sizes = sizes.map(|it| (second(it.at), Some(it.replicas)));
    let size = (now, Some(view.current()));
    let certain = recollection.recommendations.iter().rev();
    let certain = certain.filter(|it| it.certain && it.replicas.to == Some(it.replicas.from));
    let certain = certain.map(|it| (second(it.to), Some(it.replicas.from)));
    let certain = certain.chain(trace.recommended().map(|it| (now, Some(it))));
    let lines = [
        ("size", sizes.chain([size]).collect::<Vec<_>>()),
        ("asked for, as far as it is remembered", certain.collect()),
    ];
    let first = lines
        .iter()
        .flat_map(|(_, it)| it)
        .map(|(at, _)| *at)
        .min()?;
    let points: usize = lines.iter().map(|(_, it)| it.len()).sum();
    // What never changes is no chart.
    let values = lines.iter().flat_map(|(_, it)| it);
    let values = values.filter_map(|(_, size)| *size);
    let (least, most) = (values.clone().min()?, values.max()?);
    if points <= LEAST || first == now || least == most {
        return None;
    }
    let edge = trace
        .stabilization
        .as_ref()
        .map(|it| (now, Some(it.result)));
    let edge = edge.map(|it| ("after stabilization", vec![it]));
    let from = Timestamp::from_second(first).unwrap_or(trace.at);
    let lines = lines.into_iter().chain(edge);
    let lines = lines.map(|(name, points)| (name.to_owned(), points));
    let (over, ends) = ((first, now), (view.time(from), view.time(trace.at)));
    let bounds = recollection.bounds.iter();
    let bounds = bounds.map(|(at, bounds)| (second(*at).max(first), *bounds));
    let mut bounds: Vec<(i64, Bounds)> = bounds.collect();
    let latest = if bounds.is_empty() { first } else { now };
    bounds.push((latest, trace.bounds));
    let marks = recollection.notices.iter().map(|it| Mark {
        at: second(it.to),
        time: span(view, it.from, it.to),
        says: it.says.clone(),
        pass: None,
    });
    Some(Block::Timeline(Timeline {
        marks: marks.filter(|it| it.at >= first).collect(),
        ..Timeline::of_sizes("Before this pass, pods", lines, &bounds, over, &ends)
    }))
}

fn chart(
    title: String,
    how: &str,
    points: Vec<(i64, i64)>,
    (from, to): (i64, i64),
) -> Block<'static> {
    // What never changes is no chart.
    if let [(_, first), others @ ..] = points.as_slice()
        && others.iter().all(|(_, other)| other == first)
    {
        return Block::Rows(vec![Prose::line(format!("{title}: always {first}"))]);
    }
    let ago = format!("-{}", seconds_text(to.saturating_sub(from)));
    let ends = (ago, "now".to_owned());
    Block::Curve(Curve {
        reach: Vec::new(),
        height: HEIGHT,
        ..Curve::of((&(title + how), ""), points, (from, to), &ends)
    })
}
