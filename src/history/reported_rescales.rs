//! What the events of an HPA tell of its rescales, as they stand.

use jiff::Timestamp;

use crate::snapshot::Snapshot;

use super::recall::rescales::{PREFIX, RESCALED, size, times, why};

/// What one event tells: one rescale, or several to the same size for the
/// same reason, of which only the first and the last have a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedRescales {
    /// When the first was, in whole seconds.
    pub first: Timestamp,
    /// When the last was, in whole seconds.
    pub last: Timestamp,
    /// How many there were.
    pub count: i32,
    /// The new size; that of the last one where similar events were merged.
    pub size: i32,
    /// Why, in the controller's words; that of the last one where similar
    /// events were merged.
    pub reason: String,
    /// Whether similar events were merged: all but the last had other sizes
    /// or reasons, which nobody knows any more.
    pub is_merged: bool,
}

/// Until when events of the target hide changes of its size: merged ones tell of
/// the last alone, and equal ones of the first and the last.
#[must_use]
pub fn target_events_hide_until(snapshot: &Snapshot) -> Option<Timestamp> {
    let hidden = snapshot.target_events().filter_map(|event| {
        let (_, last, count) = times(event)?;
        let told = if event.message.starts_with(PREFIX) {
            0
        } else {
            2
        };
        (count > told).then_some(last)
    });
    hidden.max()
}

/// The rescales that the events of the snapshot tell of, in the order of
/// their last moments.
#[must_use]
pub fn reported_rescales(snapshot: &Snapshot) -> Vec<ReportedRescales> {
    let events = snapshot.own_events();
    let rescales = events.filter(|event| event.reason == RESCALED);
    let mut told: Vec<ReportedRescales> = rescales
        .filter_map(|event| {
            let (first, last, count) = times(event)?;
            let text = event.message.trim_start_matches(PREFIX);
            Some(ReportedRescales {
                first,
                last,
                count,
                size: size(text)?,
                reason: why(text).to_owned(),
                is_merged: event.message.starts_with(PREFIX),
            })
        })
        .collect();
    told.sort_by_key(|told| told.last);
    told
}
