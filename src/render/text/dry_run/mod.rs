//! What an HPA would do under other specs: the answer first, then both sides
//! in a table, what would change the size next, and what the change is.

mod answer;
mod changed;
mod coming;

use crate::render::block::{
    Block, Cell, Facts, Item, PassEntry, Prose, Row, Table, Title, applied,
};
use crate::trace::{DryRun, Side};

use super::page::Tone;
use super::words::{DAY, View, moment};
use super::{TextOptions, explanation, forecast};
use crate::render::text::given;

use answer::{decision, sentences};

/// The columns for what a line is about.
const LEAD: usize = 10;

/// What an HPA would do under other specs.
pub(in crate::render) fn blocks(dry_run: &DryRun, options: &TextOptions) -> Vec<Block<'static>> {
    let (dry_run, origin) = &named(dry_run);
    let mut blocks = vec![Block::Title(title(dry_run, options))];
    blocks.extend(premises(dry_run, options).map(Block::Prose));
    blocks.extend([
        Block::Gap,
        Block::Facts(Facts::of(sentences(dry_run, origin, options))),
        Block::Gap,
        Block::Table(table(dry_run, options)),
    ]);
    blocks.extend(coming::blocks(dry_run, options));
    for (title, rows) in changed::groups(dry_run, options) {
        let items = rows.into_iter();
        let items = items.map(|(name, says)| Item::named(&name, says)).collect();
        let lead = if title.len() < LEAD { LEAD } else { 0 };
        blocks.extend([Block::Gap, Block::Facts(Facts::titled(title, lead, items))]);
    }
    for side in &dry_run.candidates {
        if let Some(patch) = &side.patch {
            let says = match dry_run.candidates.as_slice() {
                [_] => "Apply it",
                _ => &format!("Apply {}", side.name),
            };
            let removed = side.difference.iter().flat_map(|it| changed::removed(it));
            let removed: Vec<String> = removed.collect();
            let says = match removed.as_slice() {
                [] => format!("{says}:"),
                removed => format!("{says}; this removes {}:", removed.join(", ")),
            };
            blocks.extend([Block::Gap, Block::Prose(Prose::plain(says))]);
            blocks.extend(applied(patch));
        }
        if let Some(command) = side.create.clone() {
            let says = "Create it:".to_owned();
            blocks.extend([
                Block::Gap,
                Block::Prose(Prose::plain(says)),
                Block::Command(command),
            ]);
        }
    }
    blocks.push(Block::Passes(
        sides(dry_run).map(|it| pass(it, options)).collect(),
    ));
    blocks
}

/// The pass of a side, which a page opens.
fn pass(side: &Side, options: &TextOptions) -> PassEntry<'static> {
    let difference = side.difference.as_ref();
    let differs = difference.is_some_and(|it| it.decision.is_some());
    let blocks = explanation(&side.trace, options).into_iter();
    let is_below = |it: &Block| !matches!(it, Block::Title(_) | Block::Timeline(_));
    let kinds = [("difference", differs)];
    PassEntry {
        page: blocks.filter(is_below).collect(),
        ..PassEntry::of(&side.name, 1, decision(&side.trace), kinds)
    }
}

/// The same with its sides called *current* and *proposed*, and where the
/// latter comes from; several keep the names of their files.
fn named(dry_run: &DryRun) -> (DryRun, String) {
    let mut named = dry_run.clone();
    if let Some(current) = &mut named.current {
        "current".clone_into(&mut current.name);
    }
    let mut origin = String::new();
    if let [side] = named.candidates.as_mut_slice() {
        let name = std::mem::replace(&mut side.name, "proposed".to_owned());
        origin = format!(" ({name})");
    }
    (named, origin)
}

/// Which HPA it is about, the answer, and the moment.
fn title(dry_run: &DryRun, options: &TextOptions) -> Title {
    let is_new = dry_run.current.is_none().then(|| "new HPA".to_owned());
    let now = dry_run.current.iter().map(|side| decision(&side.trace));
    let others = dry_run.candidates.iter();
    let others = others.map(|side| format!("{} {}", side.name, decision(&side.trace)));
    let all: Vec<String> = is_new.into_iter().chain(now).chain(others).collect();
    let hpa = [dry_run.namespace.as_str(), &dry_run.name];
    let at = moment(dry_run.at, options, DAY);
    Title::of(hpa, &dry_run.target, all.join(", "), at)
}

/// What is altered for every side, of the controller and of the inputs, and
/// what weakens the answer.
fn premises(dry_run: &DryRun, options: &TextOptions) -> impl Iterator<Item = Prose> {
    let first = sides(dry_run).next();
    let given = first.and_then(|side| given(View::of(&side.trace, options)));
    let altered = &dry_run.premises;
    let altered = (!altered.is_empty()).then(|| format!("{}, on every side", altered.join(", ")));
    let what_if = given.into_iter().chain(altered);
    let what_if = what_if.map(|it| Prose::behind("What-if: ", it).toned(Tone::Warn));
    let warnings = dry_run.warnings.iter();
    what_if.chain(warnings.map(|it| Prose::behind("Warning: ", it)))
}

fn sides(dry_run: &DryRun) -> impl Iterator<Item = &Side> {
    let current = dry_run.current.as_deref().into_iter();
    current.chain(&dry_run.candidates)
}

/// Every side, a row each.
fn table(dry_run: &DryRun, options: &TextOptions) -> Table {
    Table::of(sides(dry_run).map(|side| Row::of(cells(side, options))))
}

fn cells(side: &Side, options: &TextOptions) -> [Cell; 7] {
    let trace = &side.trace;
    let count = |title, count: Option<i32>| {
        Cell::number(
            title,
            count.map_or("-".to_owned(), |count| count.to_string()),
        )
    };
    let recommendation = trace.recommendation.as_ref();
    let recommended = recommendation.and_then(|record| record.replicas);
    let bounds = trace.bounds;
    let bounds = format!("{}..{}", bounds.min_replicas, bounds.max_replicas);
    let window = trace.stabilization.as_ref().map(|record| record.result);
    let limit = trace.limit.as_ref().map(|record| record.result);
    let settling = trace.prospects.as_ref().and_then(|it| it.settling.as_ref());
    let rests = settling.filter(|_| forecast::can_settle(View::of(trace, options)));
    let ending = rests.map_or("-".to_owned(), forecast::ending);
    [
        Cell::text("SIDE", side.name.clone()),
        Cell::text("DECISION", decision(trace)),
        count("ASKS FOR", recommended),
        count("WINDOW", window),
        count("POLICY", limit),
        Cell::text("BOUNDS", bounds),
        Cell::number("SETTLES AT", ending),
    ]
}
