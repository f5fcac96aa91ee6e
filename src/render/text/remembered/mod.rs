//! What the controller remembers: how old, how much, and where it is known
//! from.

mod listing;
mod table;

use jiff::{RoundMode, SignedDuration, Timestamp, TimestampRound, Unit};

use crate::trace::{
    Evidence, EvidenceKind, Recalled, StabilizationRecord, WindowEdge, WindowEntry, Within,
};

use super::words::View;

pub(super) use listing::{listing, notices, sizes, timeline, window};
pub(super) use table::{Row, lines, rows};

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

/// Whether every recommendation that can count is known.
pub(super) fn is_known(view: View) -> bool {
    view.trace.memory.recommendations.is_some()
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
    let holding = entries.iter().filter(holds);
    let recalled = holding.max_by_key(|entry| entry.from)?;
    Some(Holder {
        recalled: recalled.clone(),
        until: recalled.from.map(|from| expires(from, edge.window_seconds)),
    })
}

/// What is remembered: a recommendation, or a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    Recommended,
    Added,
    Removed,
    /// A change of which not even the way is known.
    Changed,
}

impl Amount {
    /// A count, of which perhaps only the bounds are known.
    pub(super) fn text(self, within: Within) -> String {
        // No target has so many replicas: nothing is known of that side.
        let to = within.to.filter(|to| *to < LARGER_THAN_ANY);
        let within = Within { to, ..within };
        if (within.from, within.to) == (0, None) {
            return match self {
                Self::Recommended => "unknown",
                Self::Added => "added: unknown",
                Self::Removed => "removed: unknown",
                Self::Changed => "changes: unknown",
            }
            .to_owned();
        }
        let sign = match self {
            Self::Recommended => "",
            Self::Added => "+",
            Self::Removed => "−",
            Self::Changed => "±",
        };
        match (within.from, within.to) {
            (from, None) => format!("{sign}{from} or more"),
            (from, Some(to)) if from == to => format!("{sign}{from}"),
            (0, Some(to)) => format!("at most {sign}{to}"),
            (from, Some(to)) => format!("{sign}{from}..{to}"),
        }
    }
}

/// No size is this large.
const LARGER_THAN_ANY: i32 = 10_000_000;

/// Moments that lie no further apart are told as one: events and conditions
/// have whole seconds, and are written a moment after what they tell.
const MOMENT: SignedDuration = SignedDuration::from_secs(5);

/// The moment of what is remembered, where its bounds leave next to no doubt.
fn moment(recalled: &Recalled) -> Option<Timestamp> {
    let (from, to) = (recalled.from?, recalled.to);
    let shown = recalled.source.at.filter(|at| (from..=to).contains(at));
    (to.duration_since(from) <= MOMENT).then(|| shown.unwrap_or(to))
}

/// How long ago it was stored.
pub(super) fn age_of(view: View, recalled: &Recalled) -> String {
    match moment(recalled) {
        Some(moment) => view.age(moment),
        None => age(view, recalled.from, recalled.to),
    }
}

/// When it was stored.
pub(super) fn time_of(view: View, recalled: &Recalled) -> String {
    match moment(recalled) {
        Some(moment) => view.time(moment),
        None => span(view, recalled.from, recalled.to),
    }
}

/// How long ago, the earliest moment first.
pub(super) fn age(view: View, from: Option<Timestamp>, to: Timestamp) -> String {
    let youngest = view.age(to);
    let is_now = view.trace.at.duration_since(to).as_secs() == 0;
    match from.map(|from| view.age(from)) {
        None if is_now => "any age".to_owned(),
        None => format!("{youngest} or more"),
        Some(oldest) if oldest == youngest => oldest,
        Some(oldest) => format!("{oldest}..{youngest}"),
    }
}

/// A moment at the latest, or just then.
pub(super) fn by(view: View, from: Option<Timestamp>, to: Timestamp) -> String {
    match from.filter(|from| to.duration_since(*from) <= MOMENT) {
        Some(moment) => view.time(moment),
        None => format!("by {}", view.time(to)),
    }
}

/// A moment, or the two that it lies between.
pub(super) fn span(view: View, from: Option<Timestamp>, to: Timestamp) -> String {
    let latest = view.time(to);
    match from.map(|from| view.time(from)) {
        None => format!("by {latest}"),
        Some(earliest) if earliest == latest => latest,
        Some(earliest) => format!("{earliest}..{latest}"),
    }
}

/// Where something is known from: `event 03:09:23 "New size: 9"`.
pub(super) fn evidence(view: View, evidence: &Evidence) -> String {
    let says = view.name(&evidence.says);
    let is_nothing = matches!(
        evidence.kind,
        EvidenceKind::Unrecorded | EvidenceKind::Nothing
    );
    if is_nothing && !says.is_empty() {
        return says;
    }
    let mut text = kind(evidence.kind).to_owned();
    if let Some(at) = evidence.at {
        text = format!("{text} {}", view.time(as_written(at)));
    }
    let is_quoted = matches!(
        evidence.kind,
        EvidenceKind::Event | EvidenceKind::TargetEvent
    );
    match says.as_str() {
        "" => text,
        // Behind the first part stands the event's reason.
        says if is_quoted => {
            let short = says.split(';').next().unwrap_or(says);
            format!("{text} \"{short}\"")
        }
        says => format!("{text} {says}"),
    }
}

/// A moment as its source shows it: the end of a second that only the second
/// is known of is still that second.
fn as_written(at: Timestamp) -> Timestamp {
    at.round(
        TimestampRound::new()
            .smallest(Unit::Second)
            .mode(RoundMode::Trunc),
    )
    .unwrap_or(at)
}

/// Behind what is perhaps not there: a pass that left no trace, a change that
/// nobody saw, or what was seen and may have made room since.
pub(super) fn perhaps(recalled: &Recalled, amount: Amount) -> &'static str {
    match (recalled.certain, recalled.source.kind) {
        (true, _) => "",
        (_, EvidenceKind::ControllerLog | EvidenceKind::Record | EvidenceKind::History) => {
            "if the controller still has it"
        }
        (_, EvidenceKind::Unrecorded | EvidenceKind::Nothing) => "if any",
        _ if amount == Amount::Recommended => "if a pass ran",
        _ => "if any",
    }
}

pub(super) fn kind(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::History => "history",
        EvidenceKind::ControllerLog => "controller log",
        EvidenceKind::Record => "record",
        EvidenceKind::Prometheus => "Prometheus",
        EvidenceKind::Event => "event",
        EvidenceKind::TargetEvent => "target event",
        EvidenceKind::Status => "status",
        EvidenceKind::LastScaleTime => "lastScaleTime",
        EvidenceKind::ManagedFields => "managedFields",
        EvidenceKind::Lease => "controller Lease",
        EvidenceKind::Creation => "HPA created",
        EvidenceKind::PassTimes => "times of the passes",
        EvidenceKind::FirstSize => "size at the controller's start",
        EvidenceKind::Unrecorded => "unrecorded passes",
        EvidenceKind::Nothing => "no evidence",
    }
}
