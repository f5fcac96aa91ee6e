//! One HPA: the answer, why, what helps, and what all of it rests on.

use crate::render::escape::display_width;
use crate::render::text::TextOptions;
use crate::render::text::page::{Line, Page, Tone};
use crate::render::text::table::{Column, Row, Table};
use crate::trace::amount::counted;
use crate::trace::{
    Change, EvidenceKind, FlapState, Flaps, Mechanism, MechanismKind, Proof, Remedy, SizeChange,
    Swing, Told, seconds_text, shell_word,
};

use super::words::{ago, clock, period, sizes as between, times};

/// The columns for what a block is about.
const LEAD: &str = "       ";
/// More changes of the size are not listed.
const MOST_CHANGES: usize = 40;
/// More facts of a mechanism are shown with `-v` only.
const MOST_FACTS: usize = 4;

/// A part of the page.
pub(in crate::render) struct Block {
    /// What it is about; empty for the answer.
    pub(in crate::render) title: &'static str,
    /// Sentences, each with what belongs below it.
    pub(in crate::render) items: Vec<Item>,
}

/// A sentence and what belongs below it.
pub(in crate::render) struct Item {
    pub(in crate::render) says: String,
    pub(in crate::render) below: Vec<String>,
    /// What to run, or to change.
    pub(in crate::render) remedy: Option<Remedy>,
}

impl Item {
    fn of(says: String) -> Self {
        Self {
            says,
            below: Vec::new(),
            remedy: None,
        }
    }
}

pub(super) fn lines(page: Page, flaps: &Flaps, options: &TextOptions) -> Vec<Line> {
    let mut lines = title(page, flaps, options);
    for block in blocks(flaps, options) {
        if block.title.is_empty() {
            lines.push(Line::blank());
            for item in &block.items {
                lines.extend(page.paragraph("", &item.says));
            }
            lines.push(Line::blank());
            continue;
        }
        lines.extend(block_lines(page, &block));
    }
    if let Some(table) = sizes(flaps, options) {
        lines.push(Line::blank());
        lines.extend(table.lines(page));
    }
    lines
}

fn block_lines(page: Page, block: &Block) -> Vec<Line> {
    let mut lines = Vec::new();
    for item in &block.items {
        let lead = if lines.is_empty() {
            format!("{:<7}", block.title)
        } else {
            LEAD.to_owned()
        };
        lines.extend(page.paragraph(&lead, &item.says));
        for below in &item.below {
            let mut fact = page.paragraph(&format!("{LEAD}  "), below);
            for line in &mut fact {
                line.rest.0 = Tone::Faint;
            }
            lines.extend(fact);
        }
        let Some(remedy) = &item.remedy else { continue };
        if let Some(command) = &remedy.command {
            let command = page.command(&format!("{LEAD}  "), command);
            if command.is_empty() {
                lines.extend(page.paragraph(&format!("{LEAD}  "), "(-o wide has the command)"));
            }
            lines.extend(command);
        }
        for line in remedy.patch.iter().flat_map(|patch| patch.lines()) {
            lines.push(page.line(&format!("{LEAD}  {line}")));
        }
    }
    lines
}

fn title(page: Page, flaps: &Flaps, options: &TextOptions) -> Vec<Line> {
    let (text, time) = (page.clean(&heading(flaps)), moment(flaps, options));
    let used = display_width(&text) + 2 + display_width(&time);
    if used <= page.width {
        let gap = " ".repeat(page.width + 2 - used);
        return vec![Line {
            head: (Tone::Strong, text),
            rest: (Tone::Plain, format!("{gap}{time}")),
        }];
    }
    let mut lines = page.paragraph("", &text);
    for line in &mut lines {
        line.rest.0 = Tone::Strong;
    }
    lines.push(page.line(&time));
    lines
}

/// Which HPA it is about, and the answer in a few words.
pub(in crate::render) fn heading(flaps: &Flaps) -> String {
    let target = &flaps.target;
    let answer = match (flaps.state, &flaps.swing) {
        (FlapState::Flapping, Some(swing)) => {
            format!("flaps {}", between(swing))
        }
        (FlapState::Stuck, _) if climbs(flaps) => format!("runs away, at {}", flaps.replicas),
        (FlapState::Stuck, _) => format!("stuck at {}", flaps.replicas),
        (FlapState::Unknown, _) => "not to be told".to_owned(),
        _ => "no flapping".to_owned(),
    };
    format!(
        "{}/{}  {}/{}  {answer}",
        flaps.namespace, flaps.name, target.kind, target.name
    )
}

/// The moment that it is about.
pub(in crate::render) fn moment(flaps: &Flaps, options: &TextOptions) -> String {
    let at = flaps.at.to_zoned(options.zone.clone());
    at.strftime("%H:%M:%S %Z").to_string()
}

/// The page before its layout.
pub(in crate::render) fn blocks(flaps: &Flaps, options: &TextOptions) -> Vec<Block> {
    let mut blocks = vec![
        block("", vec![Item::of(answer(flaps, options))]),
        block("Why", why(flaps, options)),
        block("Try", changes(flaps)),
        block("Told", told(flaps, options)),
        block("Next", next(flaps)),
    ];
    blocks.retain(|block| !block.items.is_empty());
    blocks
}

fn block(title: &'static str, items: Vec<Item>) -> Block {
    Block { title, items }
}

fn answer(flaps: &Flaps, options: &TextOptions) -> String {
    let swing = flaps.swing.as_ref();
    match flaps.state {
        FlapState::Flapping => {
            let ups = swing.map_or_else(String::new, |it| ups_and_downs(flaps, it, options));
            format!("Flapping. {ups}")
        }
        FlapState::Stuck => stuck(flaps),
        FlapState::Unknown => {
            let reason = flaps.told.events_not_read.as_deref().unwrap_or_default();
            format!("Not to be told: the events could not be read ({reason}).")
        }
        FlapState::Calm => calm(flaps, options),
    }
}

/// How often, how far, since when.
fn ups_and_downs(flaps: &Flaps, swing: &Swing, options: &TextOptions) -> String {
    let seconds = swing.until.duration_since(swing.since).as_secs();
    let period = period(swing).map_or_else(String::new, |period| {
        format!(" One way and back takes {period} on average.")
    });
    format!(
        "The size turned round {} in {}, {}.{period} The first change that is told of was at {}, \
         the last {}.",
        times(swing.reversals),
        seconds_text(seconds),
        between(swing),
        clock(swing.since, flaps, options),
        ago(flaps, swing.until)
    )
}

fn stuck(flaps: &Flaps) -> String {
    let why = match (&flaps.other_reason, flaps.mechanisms.as_slice()) {
        (Some(reason), _) => format!(" {}.", capitalized(&reason.message)),
        (None, [only]) => format!(" The mechanism: {}.", only.kind.title()),
        (None, _) => String::new(),
    };
    let what = if climbs(flaps) {
        "Runs away, without flapping."
    } else {
        "Stuck, not flapping."
    };
    format!("{what}{why}")
}

/// Whether it is on its way to `maxReplicas`, whatever the load does.
fn climbs(flaps: &Flaps) -> bool {
    let runs = [
        MechanismKind::ValueRunaway,
        MechanismKind::UnreachableTarget,
    ];
    let mut mechanisms = flaps.mechanisms.iter();
    mechanisms.any(|it| runs.contains(&it.kind)) && flaps.replicas < flaps.bounds.max_replicas
}

fn calm(flaps: &Flaps, options: &TextOptions) -> String {
    let Some(swing) = &flaps.swing else {
        let last = flaps.changes.last();
        let last = last.map_or_else(String::new, |it| ago(flaps, it.from));
        let told = &flaps.told;
        return match told.with_moment.saturating_add(told.without_moment) {
            0 => "No flapping: no change of the size is told of.".to_owned(),
            1 => format!("No flapping: the size changed once, {last}."),
            more => format!(
                "No flapping: the size changed {more} times and never turned round; the last \
                 change was {last}."
            ),
        };
    };
    let over = if swing.goes_on {
        String::new()
    } else {
        format!(", and not since {}", clock(swing.until, flaps, options))
    };
    format!(
        "No flapping: the size turned round {} in {}, {}{over}.",
        times(swing.reversals),
        seconds_text(swing.until.duration_since(swing.since).as_secs()),
        between(swing),
    )
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

fn why(flaps: &Flaps, options: &TextOptions) -> Vec<Item> {
    if flaps.state == FlapState::Flapping && flaps.mechanisms.is_empty() {
        let thin = "what is told of the changes is too little to tell the mechanism by";
        return vec![Item::of(thin.to_owned())];
    }
    let most = if options.verbosity > 0 {
        usize::MAX
    } else {
        MOST_FACTS
    };
    let items = flaps.mechanisms.iter().map(|mechanism| Item {
        below: facts(mechanism, most),
        ..Item::of(format!("{}: {}", mechanism.kind.title(), mechanism.says))
    });
    items.collect()
}

fn facts(mechanism: &Mechanism, most: usize) -> Vec<String> {
    let facts = mechanism.evidence.iter().take(most);
    let mut facts: Vec<String> = facts
        .map(|fact| format!("{}: {}", fact.about, fact.says))
        .collect();
    let more = mechanism.evidence.len().saturating_sub(most);
    if more > 0 {
        facts.push(format!("and {more} more (-v)"));
    }
    facts
}

/// What helps; that it is only suggested is said behind each, or once where
/// all are.
fn changes(flaps: &Flaps) -> Vec<Item> {
    let all: Vec<&Change> = flaps.mechanisms.iter().flat_map(|it| &it.changes).collect();
    let mut items: Vec<Item> = all.iter().map(|change| tried(change)).collect();
    if let Some(reason) = &flaps.other_reason {
        items.extend(reason.remedies.iter().map(|remedy| Item {
            remedy: Some(remedy.clone()),
            ..Item::of(remedy.says.clone())
        }));
    }
    let is_suggested = |change: &&Change| change.proof == Proof::Suggested;
    if all.iter().any(is_suggested) {
        let caveat = "(suggested by what stands above; not confirmed by simulation)";
        items.push(Item::of(caveat.to_owned()));
    }
    items
}

fn tried(change: &Change) -> Item {
    let says = match change.proof {
        Proof::Suggested => change.remedy.says.clone(),
        Proof::Confirmed { before, after } => format!(
            "{}; confirmed by simulation on the recorded load: {} before, {} after",
            change.remedy.says,
            counted(before.reversals as usize, "reversal"),
            after.reversals
        ),
    };
    Item {
        remedy: Some(change.remedy.clone()),
        ..Item::of(says)
    }
}

/// What it rests on, and how far that reaches.
fn told(flaps: &Flaps, options: &TextOptions) -> Vec<Item> {
    let told = &flaps.told;
    let mut items = Vec::new();
    let changes = told.with_moment.saturating_add(told.without_moment);
    if changes > 0 {
        items.push(Item::of(moments(told)));
    }
    let first = flaps.changes.first().map(|it| it.from);
    let reach = match told.complete_since {
        Some(since) if first.is_none_or(|first| since <= first) => "none is missing".to_owned(),
        Some(since) => format!(
            "none is missing since {}, some may be before",
            clock(since, flaps, options)
        ),
        None => "some may be missing".to_owned(),
    };
    items.push(Item::of(format!("{}; {reach}", sources(told))));
    if let Some(reason) = &told.events_not_read {
        items.push(Item::of(format!("events were not read: {reason}")));
    }
    items
}

fn moments(told: &Told) -> String {
    let all = told.with_moment.saturating_add(told.without_moment);
    let all = counted(all as usize, "change");
    match (told.without_moment, told.with_moment) {
        (0, 1) => format!("{all} of the size, with its moment"),
        (0, _) => format!("{all} of the size, each with its moment"),
        (hidden, _) => format!(
            "{all} of the size: {} with their moments, {hidden} only counted by aggregated events",
            told.with_moment
        ),
    }
}

fn sources(told: &Told) -> String {
    let mut names: Vec<&str> = Vec::new();
    for source in &told.sources {
        let name = match source {
            EvidenceKind::ControllerLog => "the controller's log",
            EvidenceKind::Record => "a record",
            EvidenceKind::Event => "events (kept for an hour by default)",
            EvidenceKind::LastScaleTime => "the HPA's status",
            _ => continue,
        };
        names.push(name);
    }
    match names.as_slice() {
        [] => "no event, record or log tells of a change".to_owned(),
        names => format!("known from {}", names.join(" and ")),
    }
}

/// What would tell more.
fn next(flaps: &Flaps) -> Vec<Item> {
    let name = shell_word(&flaps.name);
    let namespace = shell_word(&flaps.namespace);
    let command = match flaps.state {
        FlapState::Calm => return Vec::new(),
        FlapState::Stuck => Remedy {
            says: "the whole story of its last pass".to_owned(),
            command: Some(format!("kubectl hpa-explain {name} -n {namespace}")),
            patch: None,
        },
        _ if flaps.told.passes > 0 => return Vec::new(),
        _ => Remedy {
            says: "a record tells what the metrics asked for, pass by pass; read it with --history"
                .to_owned(),
            command: Some(format!(
                "kubectl hpa-explain watch {name} -n {namespace} --record {}.jsonl",
                shell_word(&flaps.name)
            )),
            patch: None,
        },
    };
    vec![Item {
        remedy: Some(command.clone()),
        ..Item::of(command.says)
    }]
}

/// Every change, the latest last (`-v`).
pub(in crate::render) fn sizes(flaps: &Flaps, options: &TextOptions) -> Option<Table> {
    if options.verbosity == 0 || flaps.changes.is_empty() {
        return None;
    }
    let skipped = flaps.changes.len().saturating_sub(MOST_CHANGES);
    let rows = flaps.changes.iter().skip(skipped).map(|change| Row {
        cells: size(change, flaps, options),
        ..Row::default()
    });
    Some(Table {
        columns: vec![
            Column::new("CHANGED AT", false, u8::MAX),
            Column::new("SIZE", false, u8::MAX),
            Column::of_sentences("WHY"),
        ],
        rows: rows.collect(),
    })
}

fn size(change: &SizeChange, flaps: &Flaps, options: &TextOptions) -> Vec<String> {
    let time = |at| clock(at, flaps, options);
    let apart = change.to.duration_since(change.from).as_secs();
    let when = if apart > 1 {
        format!("{}..{}", time(change.from), time(change.to))
    } else {
        time(change.from)
    };
    let count = match change.count {
        1 if apart <= 1 => String::new(),
        count => format!("{count} times "),
    };
    let after = change.after.map_or("?".to_owned(), |it| it.to_string());
    let sizes = match change.before {
        Some(before) => format!("{before} → {after}"),
        None => format!("→ {after}"),
    };
    let who = if change.is_own {
        change.reason.clone()
    } else {
        "not by the HPA".to_owned()
    };
    vec![when, format!("{count}{sizes}"), who]
}
