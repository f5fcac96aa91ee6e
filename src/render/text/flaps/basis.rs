//! What the answer rests on, and how far that reaches.

use crate::render::block::{Column, Item, Narrow, Row, Table};
use crate::render::text::TextOptions;
use crate::trace::amount::counted;
use crate::trace::{EvidenceKind, Flaps, SizeChange, Told};

use jiff::Timestamp;

use super::answer::clock;

/// More changes of the size are not listed.
const MOST_CHANGES: usize = 40;

/// What it rests on, and how far that reaches.
pub(super) fn told(flaps: &Flaps, options: &TextOptions) -> Vec<Item> {
    let told = &flaps.told;
    let mut items = Vec::new();
    let changes = told.with_moment.saturating_add(told.without_moment);
    if changes > 0 {
        items.push(Item::of(moments(told)));
    }
    let reach = match told.complete_since {
        Some(since) if is_all(flaps, since) => "none is missing".to_owned(),
        Some(since) => {
            let since = clock(since, flaps, options);
            format!("none is missing since {since}, some may be before")
        }
        None => "some may be missing".to_owned(),
    };
    items.push(Item::of(format!("{}; {reach}", sources(told))));
    items.extend(told.remarks.iter().cloned().map(Item::of));
    if let Some(reason) = &told.events_not_read {
        items.push(Item::of(format!("events are missing: {reason}")));
    }
    items
}

/// Events are not kept for longer by default; what is older is another story.
const LONG: i64 = 3_600;

/// Whether every change is known as far as anybody looks back.
fn is_all(flaps: &Flaps, since: Timestamp) -> bool {
    flaps.told.events_not_read.is_none() && flaps.at.duration_since(since).as_secs() >= LONG
}

fn moments(told: &Told) -> String {
    let all = told.with_moment.saturating_add(told.without_moment);
    let all = counted(all as usize, "change");
    match (told.without_moment, told.with_moment) {
        (0, 1) => format!("{all} of the size, with its moment"),
        (0, _) => format!("{all} of the size, each with its moment"),
        (hidden, _) => format!(
            "{all} of the size: {} with their moments, {hidden} only counted by aggregated events",
            told.with_moment
        ),
    }
}

fn sources(told: &Told) -> String {
    let mut names: Vec<&str> = Vec::new();
    for source in &told.sources {
        let name = match source {
            EvidenceKind::ControllerLog => "the controller's log",
            EvidenceKind::Record => "a record",
            EvidenceKind::Event => "events (kept for an hour by default)",
            EvidenceKind::TargetEvent => "events of the target",
            EvidenceKind::LastScaleTime | EvidenceKind::Status => "the HPA's status",
            EvidenceKind::ManagedFields => "managedFields",
            _ => continue,
        };
        names.push(name);
    }
    names.dedup();
    match names.as_slice() {
        [] => "no event, record or log tells of a change".to_owned(),
        [name] => format!("known from {name}"),
        [names @ .., last] => format!("known from {} and {last}", names.join(", ")),
    }
}

/// Every change, the latest last (`-v`).
pub(super) fn sizes(flaps: &Flaps, options: &TextOptions) -> Option<Table> {
    if options.verbosity == 0 || flaps.changes.is_empty() {
        return None;
    }
    let skipped = flaps.changes.len().saturating_sub(MOST_CHANGES);
    let rows = flaps
        .changes
        .iter()
        .skip(skipped)
        .map(|change| Row::of(size(change, flaps, options)));
    Some(Table {
        columns: vec![
            Column::new("CHANGED AT", false, u8::MAX),
            Column::new("SIZE", false, u8::MAX),
            Column::of_sentences("WHY"),
        ],
        rows: rows.collect(),
        narrow: Narrow::GivesUp,
    })
}

fn size(change: &SizeChange, flaps: &Flaps, options: &TextOptions) -> Vec<String> {
    let time = |at| clock(at, flaps, options);
    let apart = change.to.duration_since(change.from).as_secs();
    let when = if apart > 1 {
        format!("{}..{}", time(change.from), time(change.to))
    } else {
        time(change.from)
    };
    let count = match change.count {
        1 => String::new(),
        count => format!("{count} times "),
    };
    let after = change.after.map_or("?".to_owned(), |it| it.to_string());
    let sizes = match change.before {
        Some(before) => format!("{before} → {after}"),
        None => format!("→ {after}"),
    };
    let who = match change.is_own {
        Some(true) => change.reason.clone(),
        Some(false) => "not by the HPA".to_owned(),
        None => "nothing tells by whom".to_owned(),
    };
    vec![when, format!("{count}{sizes}"), who]
}
