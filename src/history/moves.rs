//! The changes of a size over time, with their moments as far as these are
//! known, and what the metrics asked for at passes that were seen.

use jiff::Timestamp;

use crate::trace::{EvidenceKind, Range, SizeChange};

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
    pub asked: Vec<AskedAt>,
    /// Where that is known from.
    pub asked_by: Option<EvidenceKind>,
}

/// What the metrics asked for in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedAt {
    /// When the pass ran, or was sampled.
    pub at: Timestamp,
    /// The count, or its bounds.
    pub replicas: Range,
}
