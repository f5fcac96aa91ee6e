//! What the controller remembers: how old, how much, and where it is known
//! from; in a table with a line for what belongs together.

mod listing;

use comfy_table::ColumnConstraint;
use jiff::{RoundMode, SignedDuration, Timestamp, TimestampRound, Unit};

use super::table::borderless;
use super::words::{View, by_key};
use crate::render::block::Prose;
use crate::trace::{
    Evidence, EvidenceKind, Recalled, StabilizationRecord, WindowEdge, WindowEntry, Within,
};

pub(super) use listing::{listing, notices, sizes, timeline, window};

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
        Some(moment) => view.trace.age(moment),
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
    let youngest = view.trace.age(to);
    let is_now = view.trace.at.duration_since(to).as_secs() == 0;
    match from.map(|from| view.trace.age(from)) {
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

/// A line of the table.
#[derive(Default)]
pub(in crate::render::text) struct Row {
    pub(in crate::render::text) age: String,
    pub(in crate::render::text) value: String,
    /// Where it is known from.
    pub(in crate::render::text) source: String,
    /// What it does.
    pub(in crate::render::text) note: String,
    /// Whether it is the one that decides.
    pub(in crate::render::text) is_marked: bool,
}

impl Row {
    /// The titles of the columns.
    pub(in crate::render::text) fn titles() -> Self {
        Self {
            age: "age".to_owned(),
            value: "value".to_owned(),
            source: "source".to_owned(),
            ..Self::default()
        }
    }
}

/// Whether an entry may share the line of others.
type Belong = fn(&MemoryGroup, &Recalled) -> bool;

/// What belongs together of what is remembered.
struct MemoryGroup<'r> {
    from: Option<Timestamp>,
    to: Timestamp,
    replicas: Within,
    entries: Vec<&'r Recalled>,
    /// Whether all of them are of one size.
    is_as_much: bool,
    /// Whether all of them are equally certain.
    is_as_certain: bool,
    is_marked: bool,
}

/// The rows for entries, the oldest first, in at most so many lines; the one
/// that decides has its own. Not even two lines show it alone. Lines of which
/// nothing matters are left out, and no line reaches across one.
pub(in crate::render::text) fn rows(
    view: View,
    entries: &[Recalled],
    decides: Option<&Recalled>,
    amount: Amount,
    most: usize,
) -> Vec<Row> {
    let coarser: [Belong; 3] = [is_one_run, is_as_much, |_, _| true];
    let mut groups = Vec::new();
    for belong in coarser {
        groups = grouped(entries, decides, belong);
        if groups.len() <= most {
            break;
        }
    }
    if groups.len() > most {
        let is_any_marked = groups.iter().any(|group| group.is_marked);
        groups.retain(|group| group.is_marked == is_any_marked);
        groups.truncate(most);
    }
    groups.iter().map(|group| group.row(view, amount)).collect()
}

fn grouped<'r>(
    entries: &'r [Recalled],
    decides: Option<&Recalled>,
    belong: Belong,
) -> Vec<MemoryGroup<'r>> {
    let mut groups: Vec<MemoryGroup> = Vec::new();
    for entry in entries.iter().rev() {
        let is_marked = decides == Some(entry) && !groups.iter().any(|group| group.is_marked);
        let may_join =
            |group: &&mut MemoryGroup| !group.is_marked && !is_marked && belong(group, entry);
        let last = groups.last_mut().filter(may_join);
        match last {
            Some(group) => group.add(entry),
            None => groups.push(MemoryGroup {
                from: entry.from,
                to: entry.to,
                replicas: entry.replicas,
                entries: vec![entry],
                is_as_much: true,
                is_as_certain: true,
                is_marked,
            }),
        }
    }
    groups
}

/// Of which the same is known.
fn is_as_much(group: &MemoryGroup, entry: &Recalled) -> bool {
    group.is_as_much && group.entries[0].replicas == entry.replicas
}

/// Passes after each other that are known in the same way, or the same that
/// several pieces of one kind of evidence tell.
fn is_one_run(group: &MemoryGroup, entry: &Recalled) -> bool {
    let first = group.entries[0];
    if first.source.kind != entry.source.kind {
        return false;
    }
    let is_of_passes = matches!(
        entry.source.kind,
        EvidenceKind::History | EvidenceKind::Record | EvidenceKind::ControllerLog
    );
    is_as_much(group, entry)
        || is_of_passes && group.is_as_certain && first.certain == entry.certain
}

impl<'r> MemoryGroup<'r> {
    fn add(&mut self, entry: &'r Recalled) {
        let first = self.entries[0];
        self.is_as_much &= first.replicas == entry.replicas;
        self.is_as_certain &= first.certain == entry.certain;
        self.from = self.from.zip(entry.from).map(|(one, other)| one.min(other));
        self.to = self.to.max(entry.to);
        let both = self.replicas.to.zip(entry.replicas.to);
        self.replicas = Within {
            from: self.replicas.from.min(entry.replicas.from),
            to: both.map(|(one, other)| one.max(other)),
        };
        self.entries.push(entry);
    }

    fn row(&self, view: View, amount: Amount) -> Row {
        Row {
            age: match self.entries.as_slice() {
                [entry] => age_of(view, entry),
                _ => age(view, self.from, self.to),
            },
            value: amount.text(self.replicas),
            source: self.source(view, amount),
            is_marked: self.is_marked,
            ..Row::default()
        }
    }

    fn source(&self, view: View, amount: Amount) -> String {
        let [entry] = self.entries.as_slice() else {
            return self.sources();
        };
        let is_shown = matches!(
            entry.source.kind,
            EvidenceKind::Unrecorded | EvidenceKind::Nothing
        );
        let perhaps = match perhaps(entry, amount) {
            text if text.is_empty() || is_shown => String::new(),
            text => format!(", {text}"),
        };
        evidence(view, &entry.source) + &perhaps
    }

    /// Of several entries, the kinds of their evidence.
    fn sources(&self) -> String {
        let kinds = self.entries.iter().map(|it| (kind(it.source.kind), ()));
        let kinds: Vec<&str> = by_key(kinds).map(|(kind, _)| kind).collect();
        let kinds = kinds.join(", ");
        let is_unknown = |within: Within| (within.from, within.to) == (0, None);
        if is_unknown(self.replicas) && !self.entries.iter().all(|it| is_unknown(it.replicas)) {
            return format!("{kinds}: incomplete");
        }
        if self.entries.iter().all(|entry| entry.certain) {
            return format!("{kinds}: {} entries", self.entries.len());
        }
        kinds
    }
}

/// The rows as a table behind so many columns, the last two of which have the mark.
pub(in crate::render::text) fn lines(view: View, rows: &[Row], indent: usize) -> Vec<Prose> {
    // A browser puts them behind their stage.
    let indent = if view.options.is_page { 0 } else { indent };
    let before = indent.saturating_sub(2);
    let mut table = borderless(view.page.width.saturating_sub(before));
    table.add_rows(rows.iter().map(|row| {
        let mark = if row.is_marked { "▶" } else { " " };
        let age = format!("{mark} {}", row.age);
        let source = format!("{}  {}", row.source, row.note);
        [&age, &row.value, &source].map(|it| view.page.clean(it.trim_end()))
    }));
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if at == 0 { 0 } else { 2 }, 0));
        if at < 2 {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    let lines = table.lines();
    let lines = lines.map(|line| Prose::line(format!("{:before$}{}", "", line.trim_end())));
    lines.collect()
}
