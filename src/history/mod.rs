//! From what the API keeps of earlier passes to what the controller must
//! remember, with bounds and the source of each part.

mod check;
mod controller_log;
mod follow;
mod observer;
mod past_proposals;
mod recall;
mod scrapes;
mod story;

use jiff::Timestamp;

use crate::api::HpaSpec;
use crate::controller::{
    Memory, Nanos, Prepared, SECOND, Settings, reconcile_once, reconcile_prepared,
};
use crate::document::snapshot::Snapshot;
use crate::trace::{Bounds, ObservedSize, Trace};
use check::check;
use observer::{Observation, Occurrence};
use recall::{Recall, When, recall};
use scrapes::Scrape;

pub use controller_log::{ControllerLog, LoggedPass, LoggedRescale, LoggedUnchanged};
pub use follow::{Agreement, Follower, Pass};
pub use observer::{Observer, ScrapedMoment, Stored};
pub use past_proposals::{PastProposals, past_proposals};
pub use recall::changes_by_others;
pub use recall::moves::{Moves, ProposedAt, moves, reported_rescales, target_events_hide_until};
pub use scrapes::{ScrapedPass, Scrapes, ScrapesError};
pub use story::{Explain, Teller};

/// A change of the target's size that no event of the HPA explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeByOthers {
    /// When it was reported, to the second.
    pub at: Timestamp,
    /// The size before, where the report tells.
    pub from: Option<i32>,
    /// The size after.
    pub to: i32,
    /// What was reported.
    pub message: String,
    /// Whether every change by the HPA at that time is known. Otherwise an
    /// event of the HPA may have been dropped.
    pub is_certain: bool,
}

/// Re-runs one pass of the controller on a snapshot, at `now`, with what the
/// controller must remember by all that is known, and holds the result
/// against its latest pass.
///
/// `observer` adds what was seen of the past to what the snapshot itself
/// tells of it; a new one adds nothing.
pub fn explain(
    snapshot: &Snapshot,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> Trace {
    explain_and_recall(&Prepared::new(snapshot, settings), settings, now, observer).0
}

/// The same for the first pass after a sample, which is due at a moment:
/// between the two there is no other. Only one that looks ahead has an outlook.
pub fn explain_next(
    snapshot: &Snapshot,
    settings: &Settings,
    due: Timestamp,
    observer: &Observer,
    looks_ahead: bool,
) -> Trace {
    let when = When::first_after(snapshot.captured_at, due);
    let prepared = Prepared::new(snapshot, settings);
    pass(snapshot, &prepared, settings, when, observer, looks_ahead).0
}

/// The same, with what the controller must remember before the pass: for
/// passes on other inputs.
pub fn explain_and_recall(
    prepared: &Prepared,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> (Trace, Memory) {
    let (snapshot, when) = (prepared.snapshot, When::at(now));
    let (mut trace, recall) = pass(snapshot, prepared, settings, when, observer, true);
    trace.check = Some(check(snapshot, &trace, recall.last.as_ref()));
    (trace, recall.memory)
}

/// The same for a spec that is not there yet, with what the controller must
/// remember under the one that is. It keeps recommendations and scale events
/// across an edit. Changes count as far back as the periods of the spec that is
/// thought of reach; recommendations that have left the windows of now are taken
/// to be forgotten after the next pass, for each writes over such a slot, unless
/// an edit within the windows of that spec can have left more of them. There is no earlier
/// pass on this spec to hold the result against.
pub fn explain_edited(
    before: &Snapshot,
    after: &Prepared,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> (Trace, Memory) {
    let (trace, recall) = pass(before, after, settings, When::at(now), observer, true);
    (trace, recall.memory)
}

/// What the controller must remember at a moment, as far back as counts under a
/// spec that is not there yet.
pub fn remembered(
    before: &Snapshot,
    spec: &HpaSpec,
    settings: &Settings,
    now: Timestamp,
    observer: &Observer,
) -> Memory {
    recall(before, spec, settings, When::at(now), observer).memory
}

/// A pass on some inputs, with what the controller must remember by others.
fn pass(
    before: &Snapshot,
    after: &Prepared,
    settings: &Settings,
    when: When,
    observer: &Observer,
    looks_ahead: bool,
) -> (Trace, Recall) {
    let spec = &after.snapshot.hpa.spec;
    let mut recall = recall(before, spec, settings, when, observer);
    let mut memory = recall.memory.clone();
    let mut trace = if looks_ahead {
        reconcile_prepared(after, settings, &mut memory, when.at.as_nanosecond()).0
    } else {
        reconcile_once(after, settings, memory, when.at)
    };
    trace.recollection = std::mem::take(&mut recall.recollection);
    if looks_ahead {
        let sizes = observer.shown(when.at, |it| it.status.current_replicas);
        let sizes = sizes
            .into_iter()
            .map(|(at, replicas)| ObservedSize { at, replicas });
        trace.recollection.sizes = sizes.collect();
        trace.recollection.bounds = observer.shown(when.at, |it| Bounds::of(&it.spec));
    }
    (trace, recall)
}

/// An HPA at a moment, by the names that records and logs have for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// The HPA's namespace, and its target's.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// The target's kind.
    pub target_kind: String,
    /// The target's name.
    pub target_name: String,
    /// The moment: what is known of the time before matters.
    pub at: Timestamp,
}

impl Subject {
    /// The HPA of a snapshot, at its moment.
    pub fn of(snapshot: &Snapshot) -> Self {
        let hpa = &snapshot.hpa;
        let target = &hpa.spec.scale_target_ref;
        Self {
            namespace: hpa.metadata.namespace.to_string(),
            name: hpa.metadata.name.to_string(),
            target_kind: target.kind.clone(),
            target_name: target.name.clone(),
            at: snapshot.captured_at,
        }
    }
}

/// From the earliest to the latest moment that something can have happened,
/// both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The earliest.
    pub from: Nanos,
    /// The latest.
    pub to: Nanos,
}

impl Span {
    /// The time between two moments.
    pub const fn new(from: Nanos, to: Nanos) -> Self {
        Self { from, to }
    }

    /// A single moment.
    pub const fn at(moment: Nanos) -> Self {
        Self::new(moment, moment)
    }

    /// A moment of which the API keeps whole seconds, cut off.
    pub fn second(moment: Timestamp) -> Self {
        let from = moment.as_nanosecond();
        Self::new(from, from + SECOND - 1)
    }

    /// As much earlier and later.
    pub const fn widened(self, before: Nanos, after: Nanos) -> Self {
        Self::new(self.from - before, self.to + after)
    }

    /// How far another lies from it; nothing where they meet.
    pub fn gap(self, other: Self) -> Nanos {
        (other.from - self.to).max(self.from - other.to).max(0)
    }

    /// What both allow, if anything.
    pub fn meet(self, other: Self) -> Option<Self> {
        let both = Self::new(self.from.max(other.from), self.to.min(other.to));
        (both.from <= both.to).then_some(both)
    }
}
