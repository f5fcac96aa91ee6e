//! The changes of a size over time, with their moments as far as these are
//! known, what the metrics asked for at passes that were seen, and what of the
//! spec decided then; and what events tell of rescales, as they stand.

use jiff::Timestamp;

use crate::api::SUCCESSFUL_RESCALE;
use crate::snapshot::Snapshot;
use crate::trace::{Bounds, EvidenceKind, Range, RescaleReason, SizeChange};

use super::recall::rescales::{PREFIX, size, times, why};

/// What is known of the sizes before a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// The changes whose moments are known to the second, the oldest first.
    pub known: Vec<SizeChange>,
    /// The changes that an aggregated event only counts, those of one event
    /// together.
    pub undated: Vec<SizeChange>,
    /// From when on every change by the HPA is known, if only as one of
    /// several within a time; absent where one may always be missing.
    pub complete_since: Option<Timestamp>,
    /// What a reader should know of the sources.
    pub remarks: Vec<String>,
    /// What the metrics asked for, pass by pass, the oldest first.
    pub proposals: Vec<ProposedAt>,
    /// Where that is known from.
    pub proposals_from: Option<EvidenceKind>,
    /// What shows the sizes of an hour or more, also where they never changed.
    pub sizes_from: Option<EvidenceKind>,
    /// The latest edit of the behavior or of the metrics: at the latest then.
    pub edited: Option<Timestamp>,
    /// The scaleDown window of the times of which it is known, the oldest
    /// first.
    pub windows: Vec<InForce>,
    /// The bounds, each from when it was first seen; the oldest first.
    pub bounds: Vec<(Timestamp, Bounds)>,
}

/// A scaleDown window, and a time in which it was in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InForce {
    /// From when on; absent where nothing tells of another one before.
    pub from: Option<Timestamp>,
    /// Until when.
    pub to: Timestamp,
    /// The window, in seconds.
    pub seconds: i64,
}

impl Moves {
    /// The scaleDown window that was in force at a moment, in seconds, where
    /// that is known.
    pub fn window_at(&self, at: Timestamp) -> Option<i64> {
        let holds = |it: &&InForce| it.from.is_none_or(|from| from <= at) && at <= it.to;
        self.windows.iter().find(holds).map(|it| it.seconds)
    }
}

/// What the metrics asked for in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProposedAt {
    /// When the pass ran, or was sampled.
    pub at: Timestamp,
    /// The count, or its bounds.
    pub replicas: Range,
}

/// What one event tells: one rescale, or several to the same size for the
/// same reason, of which only the first and the last have a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedRescales {
    /// When the first was, in whole seconds.
    pub first: Timestamp,
    /// When the last was, in whole seconds.
    pub last: Timestamp,
    pub count: i32,
    /// The new size; that of the last one where similar events were merged.
    pub size: i32,
    /// Why, in the controller's words; that of the last one where similar
    /// events were merged.
    pub reason: RescaleReason,
    /// Whether similar events were merged: all but the last had other sizes
    /// or reasons, which nobody knows any more.
    pub is_merged: bool,
}

/// Until when events of the target hide changes of its size: merged ones tell of
/// the last alone, and equal ones of the first and the last.
pub fn target_events_hide_until(snapshot: &Snapshot) -> Option<Timestamp> {
    let hidden = snapshot.target_events().filter_map(|event| {
        let (_, last, count) = times(event)?;
        let reported = if event.message.starts_with(PREFIX) {
            0
        } else {
            2
        };
        (count > reported).then_some(last)
    });
    hidden.max()
}

/// The rescales that the events of the snapshot tell of, in the order of
/// their last moments.
pub fn reported_rescales(snapshot: &Snapshot) -> Vec<ReportedRescales> {
    let events = snapshot.own_events();
    let rescales = events.filter(|event| event.reason == SUCCESSFUL_RESCALE);
    let mut reported: Vec<ReportedRescales> = rescales
        .filter_map(|event| {
            let (first, last, count) = times(event)?;
            let text = event.message.trim_start_matches(PREFIX);
            Some(ReportedRescales {
                first,
                last,
                count,
                size: size(text)?,
                reason: RescaleReason::parse(why(text)),
                is_merged: event.message.starts_with(PREFIX),
            })
        })
        .collect();
    reported.sort_by_key(|reported| reported.last);
    reported
}
