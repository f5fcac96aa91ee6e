//! What many HPAs would do under another release, or other settings: a row for
//! each that differs, and how many stay.

use crate::render::block::{Block, Cell, Facts, Prose, Row, Table};
use crate::trace::amount::{counted, plural};
use crate::trace::{AtZero, Compared, Comparison, PassStep, Untold};

use super::TextOptions;
use super::preview::{dated, decision, reason, size};
use super::words::list;

/// The most HPAs of one kind that are named below the table.
const MOST_NAMED: usize = 5;

/// What many HPAs would do: on a page without an end with the steps of both
/// sides.
pub(in crate::render) fn blocks(
    comparison: &Comparison,
    options: &TextOptions,
) -> Vec<Block<'static>> {
    let mut blocks = Vec::new();
    if !comparison.items.is_empty() {
        let shown = Table {
            overflows: options.wide,
            ..table(comparison, options.wide)
        };
        blocks.extend([
            Block::Page(vec![Block::Table(shown)]),
            Block::Beyond(vec![Block::Table(table(comparison, true))]),
            Block::Gap,
        ]);
    }
    blocks.push(Block::Facts(Facts::of(notes(comparison))));
    blocks
}

/// The HPAs that differ; with the steps of both sides where there is room.
fn table(comparison: &Comparison, is_wide: bool) -> Table {
    let rows = comparison.items.iter().map(|item| {
        let mut then = decision(&item.then);
        if then == decision(&item.now) {
            "same size".clone_into(&mut then);
        }
        let mut cells = vec![
            Cell::text("HPA", format!("{}/{}", item.namespace, item.name)),
            Cell::text("NOW", decision(&item.now)),
            Cell::text("THEN", then),
        ];
        if is_wide {
            let step = |step: &Option<PassStep>| step.as_ref().map_or_else(String::new, reason);
            cells.push(Cell::text("STEP NOW", step(&item.now.step)));
            cells.push(Cell::text("STEP THEN", step(&item.then.step)));
        }
        cells.push(Cell::sentences("BECAUSE", because(item)));
        let zero = item.at_zero.map(at_zero).into_iter();
        Row {
            notes: zero.map(|zero| Prose::behind("    ", zero)).collect(),
            ..Row::of(cells)
        }
    });
    Table::of(rows)
}

/// Whether the size differs, as far as it is known.
fn is_resized(item: &Compared) -> bool {
    size(&item.now) != size(&item.then)
}

/// The rules and settings that make the difference.
fn because(item: &Compared) -> String {
    let rules = item.then.new_rules.iter().map(dated);
    let all: Vec<String> = item.settings.iter().cloned().chain(rules).collect();
    if all.is_empty() {
        return "More than two of the rules together make the difference.".to_owned();
    }
    all.join("; ")
}

/// What becomes of an HPA at zero.
fn at_zero(zero: AtZero) -> String {
    let side = |returns| match (zero.is_there, returns) {
        (true, true) => "its metrics bring it back",
        (true, false) => "it stays there until the size is set by hand",
        (false, true) => "its metrics would bring it back",
        (false, false) => "it would stay there until the size is set by hand",
    };
    let when = if zero.is_there {
        "At 0 replicas"
    } else {
        "Once it scales to 0"
    };
    let mut text = format!(
        "{when}: now {}; then {}.",
        side(zero.returns_now),
        side(zero.returns_then)
    );
    if zero.forgets {
        text.push_str(
            " The condition ScaledToZero is removed, so a later upgrade does not bring it back.",
        );
    }
    if zero.refuses_zero && !zero.returns_then {
        text.push_str(
            " The API server then refuses minReplicas 0 for an HPA that does not have it yet.",
        );
    }
    text
}

/// How many differ and how many stay, and what weakens the comparison.
fn notes(comparison: &Comparison) -> Vec<String> {
    let (differ, same) = (comparison.items.len(), comparison.same);
    let verb = plural(differ, "differs", "differ");
    let sizes = comparison.items.iter().filter(|item| is_resized(item));
    let sizes = match sizes.count() {
        0 if differ == 0 => String::new(),
        0 => " (none in size)".to_owned(),
        sizes => format!(" ({sizes} in size)"),
    };
    let stay = plural(same, "stays", "stay");
    let first = format!(
        "{} {verb}{}{sizes}; {same} {stay} the same.",
        counted(differ, "HPA"),
        what(comparison)
    );
    let mut notes = vec![first];
    let kinds = [
        (&comparison.unknown, "with an unknown answer"),
        (&comparison.failed, "that cannot be read"),
    ];
    let kinds = kinds.into_iter();
    notes.extend(kinds.filter_map(|(hpas, what)| untold(hpas, what)));
    if let Some(release) = &comparison.release {
        notes.extend(release.remark.clone());
        let derived = release.describe_derived();
        notes.extend(derived.map(|described| described + "."));
    }
    if comparison.items.is_empty() && same > 0 {
        let way = "`kubectl hpa-explain NAME --all-versions` shows what each release decides.";
        notes.push(way.to_owned());
    }
    notes.push(
        "Flags and gates that are read or given stay; others use the default of each release."
            .to_owned(),
    );
    notes
}

fn what(comparison: &Comparison) -> String {
    let release = comparison.release.as_ref();
    let release = release.map(|release| format!(" under {}", release.rules));
    let settings = (!comparison.settings.is_empty())
        .then(|| format!(" with {}", comparison.settings.join(" ")));
    release.into_iter().chain(settings).collect()
}

fn untold(hpas: &[Untold], what: &str) -> Option<String> {
    let first = hpas.first()?;
    let named = hpas.iter();
    let named = named.map(|it| format!("{}/{}", it.namespace, it.name));
    let of = if hpas.len() > 1 { "the first: " } else { "" };
    Some(format!(
        "{} {what}: {} ({of}{})",
        counted(hpas.len(), "HPA"),
        list(named, MOST_NAMED),
        first.because
    ))
}
