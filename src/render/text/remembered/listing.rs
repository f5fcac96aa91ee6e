//! All that is known of what the controller remembers (`-v`).

use jiff::Timestamp;

use crate::render::text::notices;
use crate::render::text::page::Line;
use crate::render::text::words::View;
use crate::trace::{Recalled, Remembered, WitnessRecord};

use super::words::{Amount, age_of, evidence, perhaps};
use super::{Row, recommendations, texts};

/// The most entries that are told of each list of an end.
const MOST_OF_AN_END: usize = 8;

/// Renders the lists, what was noticed of the past, and what leads to the
/// ends of what is possible.
pub(in crate::render::text) fn listing(view: View) -> Vec<Line> {
    let recollection = &view.trace.recollection;
    let lists = [
        (
            "recommendations",
            recommendations(view),
            Amount::Recommended,
        ),
        (
            "scaleUp changes",
            recollection.scale_up_events.clone(),
            Amount::Added,
        ),
        (
            "scaleDown changes",
            recollection.scale_down_events.clone(),
            Amount::Removed,
        ),
    ];
    let mut lines: Vec<Line> = Vec::new();
    for (name, entries, amount) in lists {
        lines.extend(list(view, name, &entries, amount));
    }
    lines.extend(notices::all(view));
    lines.extend(ends(view));
    if !lines.is_empty() {
        let title = "What the controller remembers, the newest first";
        lines.insert(0, view.page.line(title));
    }
    lines
}

fn list(view: View, name: &str, entries: &[Recalled], amount: Amount) -> Vec<Line> {
    if entries.is_empty() {
        return Vec::new();
    }
    let rows: Vec<Row> = entries
        .iter()
        .map(|entry| row(view, entry, amount))
        .collect();
    let mut lines = vec![view.page.line(&format!("  {name}"))];
    let texts = texts(view, &rows, view.page.width.saturating_sub(4));
    lines.extend(
        texts
            .iter()
            .map(|(_, text)| view.page.line(&format!("    {text}"))),
    );
    lines
}

fn row(view: View, entry: &Recalled, amount: Amount) -> Row {
    Row {
        age: age_of(view, entry),
        value: amount.text(entry.replicas),
        source: vec![evidence(view, &entry.source)],
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
        Some((true, true)) => "counts both ways",
        Some((true, false)) => "counts against rising",
        Some((false, true)) => "counts against falling",
        Some((false, false)) => "too old",
        None => perhaps(entry, Amount::Recommended),
    }
}

/// For each end of what is possible, what leads there; nothing where there is
/// but one.
fn ends(view: View) -> Vec<Line> {
    let witnesses = &view.trace.witnesses;
    if witnesses.len() < 2 {
        return Vec::new();
    }
    let lines = witnesses.iter().flat_map(|witness| {
        let lead = format!("  {}  ", witness.replicas);
        view.page.paragraph(&lead, &premise(view, witness))
    });
    lines.collect()
}

/// What would have to have happened before.
fn premise(view: View, witness: &WitnessRecord) -> String {
    let Some(memory) = &witness.memory else {
        return "is a bound alone: what leads there is unknown".to_owned();
    };
    let recommendation = view.trace.recommendation.as_ref();
    let asked = recommendation.and_then(|recommendation| recommendation.replicas);
    let mut parts = Vec::new();
    if asked != Some(witness.recommendation) {
        let asked = amount(witness.recommendation);
        parts.push(format!("the metrics ask for {asked} now"));
    }
    let lists = [
        ("recommended", "", &memory.recommendations),
        ("added", " pods", &memory.scale_up_events),
        ("removed", " pods", &memory.scale_down_events),
    ];
    parts.extend(lists.iter().filter_map(|(name, what, list)| {
        let list = list.as_deref().filter(|list| !list.is_empty())?;
        let entries = entries(view, list, what);
        Some(format!("it has {name} {entries}"))
    }));
    if parts.is_empty() {
        parts.push("it remembers nothing".to_owned());
    }
    format!("if {}", parts.join(" and "))
}

/// A count that stands for any that is larger than all sizes is no number to
/// show.
fn amount(replicas: i32) -> String {
    const LARGER_THAN_ANY: i32 = 10_000_000;
    if replicas >= LARGER_THAN_ANY {
        return "very many".to_owned();
    }
    replicas.to_string()
}

fn entries(view: View, list: &[Remembered], what: &str) -> String {
    let shown = list.iter().take(MOST_OF_AN_END);
    let mut texts: Vec<String> = shown
        .map(|entry| {
            let amount = amount(entry.replicas);
            format!("{amount}{what} {}", moment(view, entry.timestamp))
        })
        .collect();
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
