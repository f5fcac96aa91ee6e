//! What is known of the controller's memory before the pass, and from what.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Bounds, Range, Record, Trace};

/// What is known of the controller's memory before the pass.
///
/// No API shows the memory. It is put together from what the API keeps of
/// earlier passes, each part with its bounds and its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Recollection {
    /// The memory goes back to here at most.
    pub since: Option<MemorySince>,
    /// Whether a restart of the controller since then, with the loss of its
    /// memory, cannot be ruled out.
    pub may_have_restarted: bool,
    /// The recommendations that can count, the newest first.
    pub recommendations: Vec<Recalled>,
    /// The changes upwards that can count, the newest first.
    pub scale_up_events: Vec<Recalled>,
    /// The changes downwards that can count, the newest first.
    pub scale_down_events: Vec<Recalled>,
    /// What else was noticed of the past, in the order of time.
    pub notices: Vec<Notice>,
    /// The sizes that samples of the past showed, the oldest first: where
    /// they begin, and where the size changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<ObservedSize>,
    /// The bounds that they showed, from when on each.
    #[serde(skip)]
    pub bounds: Vec<(Timestamp, Bounds)>,
}

/// A size that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ObservedSize {
    /// When it was seen first.
    pub at: Timestamp,
    /// `status.currentReplicas`.
    pub replicas: i32,
}

/// The memory goes back to here at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemorySince {
    /// The moment.
    pub at: Timestamp,
    /// Where it is known from.
    pub source: Evidence,
}

/// One thing that the controller remembers, or several that nobody recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recalled {
    /// The recommended replicas, or the replicas added or removed.
    pub replicas: Within,
    /// When it was stored, at the earliest; absent where nothing tells.
    pub from: Option<Timestamp>,
    /// When it was stored, at the latest.
    pub to: Timestamp,
    /// Whether it is there for certain; otherwise there can be any number of
    /// such entries, or none.
    pub certain: bool,
    /// Where it is known from.
    pub source: Evidence,
}

/// A count of which only the bounds are known, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Within {
    /// The smallest count.
    pub from: i32,
    /// The largest count; absent where nothing tells.
    pub to: Option<i32>,
}

/// Where something about the past is known from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// What kind of thing it is.
    pub kind: EvidenceKind,
    /// When it was written, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// What it says, such as a condition's reason or an event's message.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub says: String,
}

/// What kind of thing tells about the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// `history` in the snapshot: the memory itself.
    History,
    /// The controller's own log.
    ControllerLog,
    /// A record of the inputs of earlier passes.
    Record,
    /// What a Prometheus scraped.
    Prometheus,
    /// An event of the HPA.
    Event,
    /// An event of the scale target.
    TargetEvent,
    /// The HPA's status, conditions included.
    Status,
    /// `status.lastScaleTime`.
    LastScaleTime,
    /// Who wrote which fields, and when.
    ManagedFields,
    /// The controller's lease.
    Lease,
    /// When the HPA was created.
    Creation,
    /// The times of the passes.
    PassTimes,
    /// The size that a controller begins with, as if it had recommended it.
    FirstSize,
    /// Passes that nobody recorded: bounded only by what they did not do.
    Unrecorded,
    /// Nothing: anything is possible.
    Nothing,
}

/// Something that was noticed of the past and changes what the controller
/// remembers, or what it can be known from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Notice {
    /// What happened.
    pub kind: NoticeKind,
    /// When, at the earliest; absent where nothing tells.
    pub from: Option<Timestamp>,
    /// When, at the latest.
    pub to: Timestamp,
    /// What happened, in a sentence without its time.
    pub says: String,
    /// Where it is known from.
    pub source: Evidence,
}

/// What was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// The controller restarted, or its lead changed: its memory was lost.
    Restarted,
    /// Somebody else than the HPA set the size.
    ScaledByOthers,
    /// A manifest with a size was applied.
    Applied,
    /// The HPA's spec was changed.
    SpecEdited,
    /// The HPA was deleted and created again.
    Recreated,
    /// A clock was set.
    ClockJumped,
    /// Two pieces of evidence contradict each other.
    Contradiction,
}

/// A memory that agrees with all that is known, and the count that it leads
/// to: a pass on just this memory confirms it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WitnessRecord {
    /// The count.
    pub replicas: i32,
    /// The recommendation that it goes with.
    pub recommendation: i32,
    /// The memory before the pass; absent where the count is only a bound.
    pub memory: Option<super::MemoryRecord>,
}

/// The ends of what is possible, each with a memory that leads there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witnesses(pub Vec<WitnessRecord>);

impl Record for Witnesses {
    fn enter(self, trace: &mut Trace) {
        trace.witnesses = self.0;
    }
}

/// What keeps the decision open: knowing this part of what the controller
/// remembers would settle it, or at least narrow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unsettled {
    /// The recommendations in the stabilization windows.
    pub recommendations: bool,
    /// The changes within the policies' periods.
    pub changes: bool,
}

/// The stages ran on a memory that stands in for the one that is not known:
/// what they show of single entries and changes is taken back, unless every
/// possible memory shows the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandIn {
    /// Whether the recommendations are known.
    pub recommendations_known: bool,
    /// Whether the starts of all periods are known.
    pub starts_known: bool,
}

impl Record for StandIn {
    fn enter(self, trace: &mut Trace) {
        if let Some(stabilization) = &mut trace.stabilization
            && !self.recommendations_known
        {
            stabilization.entries.clear();
            for edge in stabilization.up.iter_mut().chain([&mut stabilization.down]) {
                edge.held_by = None;
                edge.expires = None;
            }
        }
        if let Some(limit) = &mut trace.limit
            && !self.starts_known
        {
            limit.policies.clear();
            limit.rate_limit = None;
        }
    }
}

impl Within {
    /// A count that is known.
    pub fn exactly(count: i32) -> Self {
        Self {
            from: count,
            to: Some(count),
        }
    }

    /// The only count that there is, if it is one.
    pub fn single(self) -> Option<i32> {
        self.to.filter(|to| *to == self.from)
    }

    /// Bounds on both sides, or on one.
    pub fn new(range: Range, anything: i32) -> Self {
        Self {
            from: range.from,
            to: (range.to < anything).then_some(range.to),
        }
    }
}

impl Evidence {
    /// Evidence of a moment.
    pub fn at(kind: EvidenceKind, at: Timestamp, says: impl Into<String>) -> Self {
        Self {
            at: Some(at),
            ..Self::of(kind, says)
        }
    }

    /// Evidence without a moment.
    pub fn of(kind: EvidenceKind, says: impl Into<String>) -> Self {
        Self {
            kind,
            at: None,
            says: says.into(),
        }
    }
}
