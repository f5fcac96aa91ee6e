//! What the controller remembers, as lines of a table: how old, how much, and
//! where it is known from.

mod listing;
mod table;
mod words;

pub(super) use listing::listing;
pub(super) use table::{Row, rows, texts};
pub(super) use words::{Amount, age_of, by, evidence, kind, span, time_of};

use jiff::{SignedDuration, Timestamp};

use crate::trace::{
    Evidence, EvidenceKind, Recalled, StabilizationRecord, WindowEdge, WindowEntry, Within,
};

use super::words::View;

/// The recommendations, the newest first. A pass on a memory that was given
/// recollects nothing: there it is what the window looked at.
pub(super) fn recommendations(view: View) -> Vec<Recalled> {
    let recalled = &view.trace.recollection.recommendations;
    if !recalled.is_empty() {
        return recalled.clone();
    }
    let stabilization = view.trace.stabilization.iter();
    let entries = stabilization.flat_map(|record| &record.entries);
    let mut entries: Vec<Recalled> = entries.map(given).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.to));
    entries
}

fn given(entry: &WindowEntry) -> Recalled {
    Recalled {
        replicas: Within {
            from: entry.replicas,
            to: Some(entry.replicas),
        },
        from: Some(entry.timestamp),
        to: entry.timestamp,
        certain: true,
        source: Evidence::of(EvidenceKind::History, ""),
    }
}

/// Whether something can still lie within so many seconds.
pub(super) fn can_be_within(view: View, entry: &Recalled, seconds: i64) -> bool {
    expires(entry.to, seconds) >= view.trace.at
}

/// Whether it certainly lies within so many seconds.
pub(super) fn is_within(view: View, entry: &Recalled, seconds: i64) -> bool {
    let from = entry.from.filter(|_| entry.certain);
    from.is_some_and(|from| expires(from, seconds) >= view.trace.at)
}

fn expires(at: Timestamp, seconds: i64) -> Timestamp {
    at.saturating_add(SignedDuration::from_secs(seconds))
        .unwrap_or(at)
}

/// What holds the stabilized count.
pub(super) struct Holder {
    pub(super) recalled: Recalled,
    /// From when on it no longer counts, at the earliest.
    pub(super) until: Option<Timestamp>,
}

/// The one that holds the stabilized count longest, of those that certainly
/// do.
pub(super) fn holder(
    view: View,
    record: &StabilizationRecord,
    edge: &WindowEdge,
    is_up: bool,
) -> Option<Holder> {
    let entries = recommendations(view);
    if let Some(at) = edge.held_by {
        let held_at = record.entries.get(at)?.timestamp;
        let is_it = |entry: &&Recalled| entry.from == Some(held_at) && entry.to == held_at;
        let recalled = entries.iter().find(is_it)?.clone();
        let until = edge.expires;
        return Some(Holder { recalled, until });
    }
    let holds = |entry: &&Recalled| {
        let bound = if is_up {
            entry.replicas.to.is_some_and(|most| most <= record.result)
        } else {
            entry.replicas.from >= record.result
        };
        bound && is_within(view, entry, edge.window_seconds)
    };
    let recalled = entries
        .iter()
        .filter(holds)
        .max_by_key(|entry| entry.from)?;
    Some(Holder {
        recalled: recalled.clone(),
        until: recalled.from.map(|from| expires(from, edge.window_seconds)),
    })
}
