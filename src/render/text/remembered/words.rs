//! Ages, amounts and evidence in words.

use jiff::{RoundMode, SignedDuration, Timestamp, TimestampRound, Unit};

use crate::render::text::words::View;
use crate::trace::{Evidence, EvidenceKind, Recalled, Within};

/// What is remembered: a recommendation, or a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::render::text) enum Amount {
    Recommended,
    Added,
    Removed,
    /// A change of which not even the way is known.
    Changed,
}

impl Amount {
    /// A count, of which perhaps only the bounds are known.
    pub(in crate::render::text) fn text(self, within: Within) -> String {
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

/// Moments that lie no further apart are told as one: events and conditions
/// have whole seconds, and are written a moment after what they tell.
const MOMENT: SignedDuration = SignedDuration::from_secs(5);

/// The moment of what is remembered, where its bounds leave next to no doubt.
fn moment(recalled: &Recalled) -> Option<Timestamp> {
    let (from, to) = (recalled.from?, recalled.to);
    let told = recalled.source.at.filter(|at| (from..=to).contains(at));
    (to.duration_since(from) <= MOMENT).then(|| told.unwrap_or(to))
}

/// How long ago it was stored.
pub(in crate::render::text) fn age_of(view: View, recalled: &Recalled) -> String {
    match moment(recalled) {
        Some(moment) => view.age(moment),
        None => age(view, recalled.from, recalled.to),
    }
}

/// When it was stored.
pub(in crate::render::text) fn time_of(view: View, recalled: &Recalled) -> String {
    match moment(recalled) {
        Some(moment) => view.time(moment),
        None => span(view, recalled.from, recalled.to),
    }
}

/// How long ago, the earliest moment first.
pub(in crate::render::text) fn age(view: View, from: Option<Timestamp>, to: Timestamp) -> String {
    let youngest = view.age(to);
    match from.map(|from| view.age(from)) {
        None if youngest == "0s" => "any age".to_owned(),
        None => format!("{youngest} or more"),
        Some(oldest) if oldest == youngest => oldest,
        Some(oldest) => format!("{oldest}..{youngest}"),
    }
}

/// A moment at the latest, or just then.
pub(in crate::render::text) fn by(view: View, from: Option<Timestamp>, to: Timestamp) -> String {
    match from.filter(|from| to.duration_since(*from) <= MOMENT) {
        Some(moment) => view.time(moment),
        None => format!("by {}", view.time(to)),
    }
}

/// A moment, or the two that it lies between.
pub(in crate::render::text) fn span(view: View, from: Option<Timestamp>, to: Timestamp) -> String {
    let latest = view.time(to);
    match from.map(|from| view.time(from)) {
        None => format!("by {latest}"),
        Some(earliest) if earliest == latest => latest,
        Some(earliest) => format!("{earliest}..{latest}"),
    }
}

/// Where something is known from: `event 03:09:23 "New size: 9"`.
pub(in crate::render::text) fn evidence(view: View, evidence: &Evidence) -> String {
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
pub(in crate::render::text) fn perhaps(recalled: &Recalled, amount: Amount) -> &'static str {
    match (recalled.certain, recalled.source.kind) {
        (true, _) => "",
        (_, EvidenceKind::ControllerLog | EvidenceKind::Record | EvidenceKind::History) => {
            "if still kept"
        }
        (_, EvidenceKind::Unrecorded | EvidenceKind::Nothing) => "if any",
        _ if amount == Amount::Recommended => "if any pass",
        _ => "if any",
    }
}

/// What kind of evidence it is.
pub(in crate::render::text) fn kind(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::History => "history",
        EvidenceKind::ControllerLog => "controller's log",
        EvidenceKind::Record => "record",
        EvidenceKind::Event => "event",
        EvidenceKind::TargetEvent => "target's event",
        EvidenceKind::Status => "status",
        EvidenceKind::LastScaleTime => "lastScaleTime",
        EvidenceKind::ManagedFields => "managedFields",
        EvidenceKind::Lease => "controller's Lease",
        EvidenceKind::Creation => "HPA created",
        EvidenceKind::PassTimes => "times of the passes",
        EvidenceKind::FirstSize => "the size at its start",
        EvidenceKind::Unrecorded => "passes that nobody recorded",
        EvidenceKind::Nothing => "nothing tells",
    }
}
