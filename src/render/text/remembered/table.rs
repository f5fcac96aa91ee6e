//! The table: a line for what belongs together.

use jiff::Timestamp;

use crate::render::block::Prose;
use crate::render::escape::display_width;
use crate::render::text::page::wrap;
use crate::render::text::words::{View, by_key};
use crate::trace::{Evidence, EvidenceKind, Recalled, Within};

use super::{Amount, age, age_of, evidence, kind, perhaps};

/// A line of the table.
#[derive(Default)]
pub(in crate::render::text) struct Row {
    pub(in crate::render::text) age: String,
    pub(in crate::render::text) value: String,
    /// Where it is known from, in more words and in fewer.
    pub(in crate::render::text) source: Vec<String>,
    /// What it does.
    pub(in crate::render::text) note: String,
    /// Whether it is the one that decides.
    pub(in crate::render::text) is_marked: bool,
    /// Whether it has the titles of the columns.
    pub(in crate::render::text) is_title: bool,
}

impl Row {
    /// The titles of the columns.
    pub(in crate::render::text) fn titles() -> Self {
        Self {
            age: "age".to_owned(),
            value: "value".to_owned(),
            source: vec!["source".to_owned()],
            is_title: true,
            ..Self::default()
        }
    }

    /// Where it is known from, in so many columns, if that fits in any words.
    fn source_within(&self, view: View, most: usize) -> Option<String> {
        let mut texts = self.source.iter().map(|text| view.page.clean(text));
        texts.find(|text| display_width(text) <= most)
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

    fn source(&self, view: View, amount: Amount) -> Vec<String> {
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
        let shown = evidence(view, &entry.source);
        let wordless = Evidence {
            says: String::new(),
            ..entry.source.clone()
        };
        let kind = kind(entry.source.kind).to_owned();
        let texts = [shown, evidence(view, &wordless), kind];
        texts.map(|text| text + &perhaps).to_vec()
    }

    /// Of several entries, the kinds of their evidence.
    fn sources(&self) -> Vec<String> {
        let kinds = self.entries.iter().map(|it| (kind(it.source.kind), ()));
        let kinds: Vec<&str> = by_key(kinds).map(|(kind, _)| kind).collect();
        let kinds = kinds.join(", ");
        let is_unknown = |within: Within| (within.from, within.to) == (0, None);
        if is_unknown(self.replicas) && !self.entries.iter().all(|it| is_unknown(it.replicas)) {
            return vec![format!("{kinds}: incomplete"), "incomplete".to_owned()];
        }
        if self.entries.iter().all(|entry| entry.certain) {
            return vec![format!("{kinds}: {} entries", self.entries.len()), kinds];
        }
        vec![kinds, "several kinds of evidence".to_owned()]
    }
}

/// The rows as aligned lines behind so many columns, the last two of which have
/// the mark.
pub(in crate::render::text) fn lines(view: View, rows: &[Row], indent: usize) -> Vec<Prose> {
    let room = view.page.width.saturating_sub(indent);
    let widest = |cell: fn(&Row) -> &str| {
        let widths = rows.iter().map(|row| display_width(cell(row)));
        widths.max().unwrap_or_default()
    };
    let (age, value) = (widest(|row| &row.age), widest(|row| &row.value));
    let texts = rows.iter().flat_map(|row| {
        let front = format!("{:<age$}  {:<value$}", row.age, row.value);
        let note = if row.note.is_empty() {
            String::new()
        } else {
            format!("  {}", row.note)
        };
        // What it does is never cut: it has lines of its own where it must.
        let is_narrow = display_width(&front) + display_width(&note) > room;
        let narrow = room.saturating_sub(2).max(1);
        let (note, mut below) = if is_narrow {
            (String::new(), wrap(&row.note, narrow))
        } else {
            (note, Vec::new())
        };
        let left = room.saturating_sub(display_width(&front) + 2 + display_width(&note));
        let text = match (row.source_within(view, left), row.source.first()) {
            (Some(source), _) => format!("{front}  {source}{note}"),
            (None, Some(source)) if !row.is_title => {
                below.splice(..0, wrap(&view.page.clean(source), narrow));
                format!("{front}{note}")
            }
            (None, _) => format!("{front}{note}"),
        };
        let below = below.into_iter().map(|line| (" ", format!("  {line}")));
        let mark = if row.is_marked { "▶" } else { " " };
        std::iter::once((mark, text)).chain(below)
    });
    let before = indent.saturating_sub(1);
    let rows = texts.map(|(mark, text)| Prose::line(format!("{mark:>before$} {text}")));
    rows.collect()
}
