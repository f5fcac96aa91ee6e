//! What each release would decide: a row for those that do the same, and
//! below it the rules that make the difference. And what many HPAs would do under another
//! release, or other settings: a row for each that differs, and how many stay.

use super::table::ENDLESS;
use super::words::{DAY, list, moment, range};
use super::{TextOptions, verdict};
use crate::render::block::{Block, Cell, Facts, Item, Prose, Row, Table, Title};
use crate::trace::amount::{counted, plural};
use crate::trace::{
    AtZero, Compared, Comparison, NewRule, Origin, PassStep, Preview, ReleaseAnswer, Rule, Stage,
    Trace, Untold, Word,
};

/// What each release would decide.
pub(in crate::render) fn blocks(preview: &Preview, options: &TextOptions) -> Vec<Block<'static>> {
    let rules = preview.answers.iter().skip(1);
    let rules = rules.map(|it| Item::named(&it.from, news(&it.new_rules, described)));
    let hpa = [preview.namespace.as_str(), &preview.name];
    let answer = "what each release decides".to_owned();
    let at = moment(preview.at, options, DAY);
    vec![
        Block::Title(Title::of(hpa, &preview.target, answer, at)),
        Block::Gap,
        Block::Table(table(preview)),
        Block::Gap,
        Block::Facts(Facts::titled("", 0, rules.collect())),
        Block::Gap,
        Block::Facts(Facts::of(notes(preview))),
    ]
}

/// The answers, the own release's marked.
fn table(preview: &Preview) -> Table {
    let is_alone = preview.answers.len() == 1;
    let rows = preview.answers.iter().map(|answer| Row {
        is_marked: answer.is_own,
        ..Row::of([
            Cell::text("RELEASES", releases(answer)),
            Cell::text("DECISION", decision(answer)),
            Cell::sentences("WHY", why(answer, is_alone)),
        ])
    });
    Table::of(rows)
}

fn releases(answer: &ReleaseAnswer) -> String {
    if answer.from == answer.to {
        return answer.from.clone();
    }
    format!("{}..{}", answer.from, answer.to)
}

/// What is decided, as the header of an explanation says it, behind the word of
/// the verdict where that says more than whether the size changes.
pub(super) fn decision(answer: &ReleaseAnswer) -> String {
    let size = size(answer);
    match answer.verdict.word {
        _ if answer.verdict.is_open() => size,
        Word::ScalingUp | Word::ScalingDown | Word::Steady | Word::Decided | Word::Unknown => size,
        word => format!("{}: {size}", verdict::word(word)),
    }
}

/// Only whether the size changes.
pub(super) fn size(answer: &ReleaseAnswer) -> String {
    let current = answer.current_replicas;
    match (answer.desired_replicas, answer.possible) {
        (Some(desired), _) if answer.rescale == Some(true) => format!("{current} → {desired}"),
        (Some(_), _) => format!("stays at {current}"),
        (None, Some(possible)) => format!("{current} → {}?", range(possible)),
        (None, None) => format!("{current} → unknown"),
    }
}

fn why(answer: &ReleaseAnswer, is_alone: bool) -> String {
    match &answer.step {
        Some(step) => reason(step),
        None if is_alone => "every release takes the same steps".to_owned(),
        None => "the same steps as in the cluster's own release".to_owned(),
    }
}

/// What a step does, with its numbers.
pub(super) fn reason(step: &PassStep) -> String {
    let subject = match (&step.metric, step.replicas) {
        (Some(metric), _) if step.stage == Stage::Pods => format!("pods left out for {metric}"),
        (Some(metric), Some(count)) if step.rule == Rule::FallbackActive => {
            format!("{metric} asks for {} (its fallback)", range(count))
        }
        (Some(metric), Some(count)) => format!("{metric} asks for {}", range(count)),
        (Some(metric), None) => format!("{metric} has no value"),
        (None, _) => stage_name(step.stage).to_owned(),
    };
    if step.rule.is_tolerated() {
        return format!("{subject}, inside the tolerance");
    }
    if step.formula.is_empty() {
        return format!("{subject}: {}", step.rule.says());
    }
    format!("{subject}: {}", step.formula)
}

/// A stage in words.
fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Scale => "scale",
        Stage::Branch => "bounds check",
        Stage::Selector => "selector",
        Stage::Metric => "metric",
        Stage::Recommendation => "recommendation",
        Stage::Stabilization => "stabilization window",
        Stage::Limit => "policies and bounds",
        Stage::Zero => "scale from zero",
        Stage::Outcome => "decision",
        Stage::Pods => "pods",
    }
}

/// What is new, in sentences.
fn news(rules: &[NewRule], says: fn(&NewRule) -> String) -> String {
    if rules.is_empty() {
        return "More than two of the new rules together make the difference.".to_owned();
    }
    rules.iter().map(says).collect::<Vec<_>>().join(" ")
}

/// A rule in a sentence, and that it is not measured.
fn described(rule: &NewRule) -> String {
    match rule.derived_from {
        None => rule.says.to_owned(),
        Some(_) => format!("{} (Derived from a pull request.)", rule.says),
    }
}

/// The same with the release that brought it.
fn dated(rule: &NewRule) -> String {
    format!("From {} on: {}", rule.since, described(rule))
}

/// Which release the mark stands for, and what weakens the answers.
fn notes(preview: &Preview) -> Vec<String> {
    let release = &preview.release;
    let own = match (release.origin, &release.version) {
        (Origin::Assumed, _) => format!("{} (assumed)", release.rules),
        (_, Some(version)) => version.clone(),
        (_, None) => release.rules.clone(),
    };
    let mut notes = vec![format!("▶ the cluster's own release: {own}")];
    if !preview.unchecked.is_empty() {
        notes.push(format!(
            "Not checked against a real controller: {}",
            preview.unchecked.join(", ")
        ));
    }
    notes
}

/// What the cluster's own release decides, beside an answer by the rules of
/// another one: what makes the difference before where it shows.
pub(super) fn own_release(trace: &Trace) -> Option<Prose> {
    let own = trace.own_release.as_ref()?;
    let answer = &own.answer;
    let first = format!("Cluster: {} ", answer.from);
    if own.is_same {
        return Some(Prose::behind(
            first,
            "decides the same, for the same reasons",
        ));
    }
    let short = match answer.rescale {
        Some(false) => size(answer),
        _ => format!("decides {}", size(answer)),
    };
    let rules = news(&answer.new_rules, dated);
    let because = answer.step.as_ref();
    let because = because.map_or_else(String::new, |step| format!(": {}", reason(step)));
    let text = format!("{short}{because}. {rules}");
    Some(Prose::behind(first, text))
}

/// The most HPAs of one kind that are named below the table.
const MOST_NAMED: usize = 5;

/// What many HPAs would do: on a page without an end with the steps of both
/// sides.
pub(in crate::render) fn comparison(
    comparison: &Comparison,
    options: &TextOptions,
) -> Vec<Block<'static>> {
    let mut blocks = Vec::new();
    if !comparison.items.is_empty() {
        let shown = Table {
            width: options.wide.then_some(ENDLESS),
            ..compared_table(comparison, options.wide)
        };
        blocks.extend([
            Block::Page(vec![Block::Table(shown)]),
            Block::Beyond(vec![Block::Table(compared_table(comparison, true))]),
            Block::Gap,
        ]);
    }
    blocks.push(Block::Facts(Facts::of(compared_notes(comparison))));
    blocks
}

/// The HPAs that differ; with the steps of both sides where there is room.
fn compared_table(comparison: &Comparison, is_wide: bool) -> Table {
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
fn compared_notes(comparison: &Comparison) -> Vec<String> {
    let (differ, same) = (comparison.items.len(), comparison.same);
    let verb = plural(differ, "differs", "differ");
    let sizes = comparison.items.iter();
    let sizes = sizes.filter(|it| size(&it.now) != size(&it.then));
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
