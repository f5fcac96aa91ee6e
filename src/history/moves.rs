//! The changes of a size over time, with their moments as far as these are
//! known, what the metrics asked for at passes that were seen, and what of the
//! spec decided then.

use jiff::Timestamp;

use crate::trace::{Bounds, EvidenceKind, Range, SizeChange};

/// What is known of the sizes before a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// The changes whose moments are known to the second, the oldest first.
    pub known: Vec<SizeChange>,
    /// The changes that an aggregated event only counts, those of one event
    /// together.
    pub untold: Vec<SizeChange>,
    /// From when on every change by the HPA is known, if only as one of
    /// several within a time; absent where one may always be missing.
    pub complete_since: Option<Timestamp>,
    /// What a reader should know of the sources.
    pub remarks: Vec<String>,
    /// What the metrics asked for, pass by pass, the oldest first.
    pub asked: Vec<ProposedAt>,
    /// Where that is known from.
    pub asked_by: Option<EvidenceKind>,
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
    #[must_use]
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
