//! Hours of load under one or several specs: what came of each, in sentences and as
//! tables, then a chart of the load and of each size, and when each change was.

use std::collections::{BTreeMap, BTreeSet};

use super::TextOptions;
use super::held::Held;
use crate::render::block::{
    Block, Cell, Facts, Item, PassEntry, Prose, Row, Table, Title, applied,
};
use crate::render::chart::{Curve, Timeline};
use crate::render::text::tune::waits;
use crate::trace::amount::{counted, plural};
use crate::trace::{
    FailedPasses, MergePatch, NOW, Range, Reason, Scores, Search, SimulatedRun, SimulatedStep,
    Simulation, Unbeaten, exact_seconds_text, seconds_text, short,
};

/// The rows of a chart.
const HEIGHT: usize = 5;
/// So many changes of a run are listed, without `-v`.
const MOST_CHANGES: usize = 4;
/// So many clauses are listed on a page, which stays below 2 MiB.
const MOST_ENTRIES: usize = 10_000;
/// So many rows of numbers open there.
const MOST_ROWS: usize = 1_000;
/// The fewest columns of a time.
const LEAST_TIME: usize = 8;

/// Hours of load, with the first changes of each run, or with `-v` all.
pub(in crate::render) fn blocks<'s>(
    simulation: &'s Simulation,
    options: &TextOptions,
) -> Vec<Block<'s>> {
    let warnings = simulation.warnings.iter();
    let warnings = warnings.map(|it| Block::Prose(Prose::behind("Warning: ", it)));
    let mut blocks = vec![Block::Title(title(simulation))];
    blocks.extend(warnings);
    blocks.extend([
        Block::Gap,
        Block::Facts(Facts::of(sentences(simulation))),
        Block::Gap,
        Block::Table(table(simulation)),
    ]);
    for curve in curves(simulation) {
        blocks.extend([Block::Gap, Block::Curve(curve)]);
    }
    // Of more, the sizes alone can be compared.
    let detailed = match simulation.runs.as_slice() {
        [_, _, _, ..] => &[],
        few => few,
    };
    let timelines = detailed.iter().map(|run| timeline(simulation, run));
    blocks.extend(timelines.map(Block::Timeline));
    let most = match options.verbosity {
        0 => MOST_CHANGES,
        _ => usize::MAX,
    };
    for run in simulation.runs.iter().filter(|_| !options.is_page) {
        blocks.push(Block::Gap);
        blocks.extend(changes(run, most));
    }
    if options.is_page {
        blocks.extend(passes(simulation));
    }
    for run in &simulation.runs {
        let title = Prose::plain(format!("Apply {}:", run.name));
        blocks.extend(command(title, run.patch.as_ref()));
    }
    if let Some(search) = &simulation.search {
        blocks.extend(search_blocks(search));
    }
    let assumed = simulation.assumptions.join("; ");
    blocks.extend([
        Block::Gap,
        Block::Prose(Prose::behind("Assumed  ", assumed)),
    ]);
    blocks
}

/// Which HPA it is about, its target, and for how long; and by which rules.
fn title(simulation: &Simulation) -> Title {
    let hpa = [simulation.namespace.as_str(), &simulation.name];
    let load = format!("{} of load, simulated", seconds_text(simulation.seconds));
    let release = format!("v{} rules", simulation.release);
    Title::of(hpa, &simulation.target, load, release)
}

/// How long it is, and what its ends are called.
fn span(simulation: &Simulation) -> ((i64, i64), (String, String)) {
    let end = simulation.seconds;
    ((0, end), ("0s".to_owned(), seconds_text(end)))
}

/// The load, and the size under each spec; sizes in one scale, and all from 0
/// on, so that heights can be compared.
fn curves(simulation: &Simulation) -> Vec<Curve<'_>> {
    let (span, ends) = span(simulation);
    let sizes = simulation.runs.iter().flat_map(|run| &run.steps);
    let most = sizes.map(|it| i64::from(it.desired_replicas)).max();
    let loads = simulation.runs.iter().take(1).map(|run| {
        let demand = run.steps.iter().map(|it| (it.second, it.demand));
        Curve {
            height: HEIGHT,
            label: Box::new(|milli| simulation.amount(milli)),
            ..Curve::of(("Load", &simulation.metric_label), demand, span, &ends)
        }
    });
    let sizes = simulation.runs.iter().map(|run| {
        let steps = run.steps.iter();
        let sizes = steps.map(|it| (it.second, it.desired_replicas));
        Curve {
            reach: vec![0, most.unwrap_or_default()],
            height: HEIGHT,
            is_side: true,
            ..Curve::of(("Replicas", &run.name), sizes, span, &ends)
        }
    });
    loads.chain(sizes).collect()
}

/// Of one spec, what was asked for beside what came of it.
fn timeline<'s>(simulation: &Simulation, run: &SimulatedRun) -> Timeline<'s> {
    type Of = fn(&SimulatedStep) -> Option<i32>;
    let lines: [(&str, Of); 4] = [
        ("desired", |it| Some(it.desired_replicas)),
        ("asked for", |it| {
            (it.recommendation >= 0).then_some(it.recommendation)
        }),
        ("pods", |it| it.pods),
        ("pods that serve", |it| it.serving),
    ];
    let (span, ends) = span(simulation);
    let curves = lines.into_iter().map(|(name, of)| {
        let steps = run.steps.iter();
        let points = steps.filter_map(|it| Some((it.second, of(it)?)));
        Curve::of(("Pods", name), points, span, &ends)
    });
    Timeline {
        title: format!("Passes, {}", run.name),
        curves: curves.filter(|it| !it.points.is_empty()).collect(),
        marks: Vec::new(),
        shades: Vec::new(),
    }
}

/// When the size changes: from what to what, and what held it where it is not
/// what the metrics ask for.
fn changes(run: &SimulatedRun, most: usize) -> Vec<Block<'static>> {
    let listed = run.steps.iter().filter(|it| is_change(it)).take(most);
    let listed = listed.map(|step| (exact_seconds_text(step.second), change(step)));
    let listed: Vec<(String, String)> = listed.collect();
    let width = listed.iter().map(|(at, _)| at.len()).max();
    let width = width.unwrap_or_default().max(LEAST_TIME);
    let items = listed.into_iter();
    let items = items.map(|(at, says)| Item::named(&format!("{at:>width$}"), says));
    let items: Vec<Item> = items.collect();
    // Of many passes, not every change is kept.
    let all = usize::try_from(run.scores.scalings).unwrap_or(usize::MAX);
    let more = match all.saturating_sub(items.len()) {
        0 => None,
        more => Some(format!("and {more} more (all: -v)")),
    };
    let title = format!("Changes, {}", run.name);
    let mut blocks = vec![Block::Facts(Facts::titled(&title, 0, items))];
    blocks.extend(more.map(|more| Block::Prose(Prose::behind("  ", more))));
    blocks
}

/// What a pass does under a spec, with its name.
type RunStep<'s> = (&'s str, &'s SimulatedStep);

/// What is kept of the passes, under each spec; those in a row that decided the same
/// together. Of too many, those that change nothing are left out first.
fn passes(simulation: &Simulation) -> Vec<Block<'static>> {
    let mut moments: BTreeMap<i64, Vec<RunStep>> = BTreeMap::new();
    for run in &simulation.runs {
        for step in &run.steps {
            let moment = moments.entry(step.second).or_default();
            moment.push((&run.name, step));
        }
    }
    let moments: Vec<Vec<RunStep>> = moments.into_values().collect();
    let all = simulation.seconds / simulation.every_seconds.max(1);
    let is_whole = i64::try_from(moments.len()).is_ok_and(|kept| kept >= all);
    let like = moments.chunk_by(|one, other| {
        let [one, other] = [one, other].map(|it| it.iter().map(decided));
        one.eq(other)
    });
    let mut rows = MOST_ROWS;
    let entries = like.filter_map(|passes| {
        // Where passes are left out, nobody knows how many were like it.
        let mut entry = entry(if is_whole { passes } else { passes.get(..1)? })?;
        let sides = passes.first()?;
        if !entry.kinds.is_empty() && sides.len() <= rows {
            rows -= sides.len();
            let table = Table::of(sides.iter().map(|step| numbers(step, simulation)));
            entry.page = vec![Block::Table(table)];
        }
        Some(entry)
    });
    let mut entries: Vec<PassEntry> = entries.collect();
    let told = entries.len();
    // Each has a clause for each spec.
    let most = MOST_ENTRIES / (simulation.runs.len() + 1);
    if told > most {
        entries.retain(|it| !it.kinds.is_empty());
        entries.truncate(most);
    }
    let opening = entries.iter().filter(|it| !it.page.is_empty()).count();
    let matters = entries.iter().filter(|it| !it.kinds.is_empty()).count();
    let is_short = !is_whole || entries.len() < told || opening < matters;
    let says = is_short.then(|| {
        Block::Prose(Prose::with_commands(format!(
            "There are too many passes to tell all: {matters} changes and differences are below, \
             and the first {opening} open to their numbers. `-o json` has every pass."
        )))
    });
    says.into_iter().chain([Block::Passes(entries)]).collect()
}

/// What passes in a row have in common.
fn decided<'s>((name, step): &RunStep<'s>) -> (&'s str, [i32; 2], Option<Reason>, bool) {
    let sizes = [step.current_replicas, step.desired_replicas];
    (name, sizes, step.held_by, step.recommendation >= 0)
}

fn entry(passes: &[Vec<RunStep>]) -> Option<PassEntry<'static>> {
    let sides = passes.first()?;
    let (_, first) = sides.first()?;
    let each = sides.iter().map(|(name, step)| match sides.len() {
        1 => change(step),
        _ => format!("{name}: {}", change(step)),
    });
    let says = each.collect::<Vec<_>>().join("; ");
    let differs = |(_, it): &RunStep| it.desired_replicas != first.desired_replicas;
    let kinds = [
        ("change", sides.iter().any(|(_, it)| is_change(it))),
        ("difference", sides.iter().any(differs)),
    ];
    let begins = exact_seconds_text(first.second);
    Some(PassEntry::of(&begins, passes.len(), says, kinds))
}

/// A pass under a spec, in numbers.
fn numbers((name, step): &RunStep, simulation: &Simulation) -> Row {
    let count = |it: Option<i32>| it.map_or("-".to_owned(), |it| it.to_string());
    let asked = (step.recommendation >= 0).then_some(step.recommendation);
    Row::of([
        Cell::text("SPEC", (*name).to_owned()),
        Cell::number("LOAD", simulation.amount(step.demand)),
        Cell::number("PODS", count(step.pods)),
        Cell::number("SERVING", count(step.serving)),
        Cell::number("ASKED FOR", count(asked)),
        Cell::sentences("DECISION", change(step)),
    ])
}

fn is_change(step: &SimulatedStep) -> bool {
    step.current_replicas != step.desired_replicas
}

fn change(step: &SimulatedStep) -> String {
    let (from, to) = (step.current_replicas, step.desired_replicas);
    let held = if step.recommendation == to {
        String::new()
    } else {
        let held = Held {
            from: Range::of(from),
            recommended: (step.recommendation >= 0).then_some(Range::of(step.recommendation)),
            to: Range::of(to),
            by: step.held_by,
        };
        format!(": {}", held.why("asked for"))
    };
    if from == to {
        return format!("stays at {to}{held}");
    }
    format!("{from} → {to}{held}")
}

fn search_blocks(search: &Search) -> Vec<Block<'static>> {
    let (front, table) = front_and_table(search);
    let mut blocks = vec![
        Block::Gap,
        Block::Prose(Prose::plain(searched(search))),
        Block::Gap,
        Block::Table(table),
    ];
    for (number, it) in front {
        let title = Prose::behind(format!("{number}  "), &it.name);
        blocks.extend(command(title, it.patch.as_ref()));
    }
    blocks
}

/// The command that applies a patch, below what it is about.
fn command(title: Prose, patch: Option<&MergePatch>) -> Vec<Block<'static>> {
    let applied = patch.map(applied).into_iter().flatten();
    let title = patch.map(|_| [Block::Gap, Block::Prose(title)]);
    title.into_iter().flatten().chain(applied).collect()
}

/// What came of each spec, in a sentence, and what the load was.
fn sentences(simulation: &Simulation) -> Vec<String> {
    let mut sentences: Vec<String> = simulation.runs.iter().map(sentence).collect();
    sentences.extend(simulation.runs.iter().filter_map(|run| {
        let waits = waits(run.reaction.as_ref()?);
        Some(format!("{}: if the load doubles, {waits}", run.name))
    }));
    sentences.push(format!(
        "Load: {} in total, {}. A pass runs every {}.",
        simulation.metric_label,
        simulation.load,
        seconds_text(simulation.every_seconds)
    ));
    sentences
}

fn sentence(run: &SimulatedRun) -> String {
    let scores = &run.scores;
    let enough = match scores.under_provisioned_seconds {
        None => String::new(),
        Some(0) => "always enough pods; ".to_owned(),
        Some(seconds) if scores.worst_lag_seconds == Some(seconds) => {
            format!("too few pods for {}; ", seconds_text(seconds))
        }
        Some(seconds) => format!(
            "too few pods for {} in total, {} at the longest; ",
            seconds_text(seconds),
            seconds_text(scores.worst_lag_seconds.unwrap_or(seconds))
        ),
    };
    let failed = match scores.failed_passes as usize {
        0 => String::new(),
        failed => {
            let passes = plural(failed, "pass", "passes");
            let why = reasons(&run.failures);
            format!("; metrics failed in {failed} {passes}{why}")
        }
    };
    let hours = pod_hours(scores.pod_seconds);
    // As they are rounded: what reads as one hour is one.
    let plural = if hours == pod_hours(3_600) { "" } else { "s" };
    let reversals = reversals(scores);
    let name = match run.name.as_str() {
        NOW => "now (the spec as it is)",
        name => name,
    };
    format!("{name}: {enough}{reversals}; {hours} pod-hour{plural}{failed}.")
}

/// Why metrics failed most often, and how many other errors there were.
fn reasons(failures: &[FailedPasses]) -> String {
    let Some(most) = failures.iter().rev().max_by_key(|it| it.passes) else {
        return String::new();
    };
    // Of the controller's sentence, what is wrong.
    let error = most.first.as_ref().unwrap_or(&most.error);
    match failures.len() {
        1 => format!(": {error}"),
        several => format!(
            ", in {} of them: {error} ({} in the others)",
            most.passes,
            counted(several - 1, "other error")
        ),
    }
}

/// How often the size changes, and turns.
fn reversals(scores: &Scores) -> String {
    let changes = counted(scores.scalings as usize, "change");
    match (scores.scalings, scores.reversals) {
        (0, _) => "the size never changes".to_owned(),
        (_, 0) => format!("{changes}, no reversal"),
        (_, reversals) => format!("{changes}, {}", counted(reversals as usize, "reversal")),
    }
}

/// Pod-hours in two digits or more: 12 pods for 10 s are not nothing.
#[expect(clippy::cast_precision_loss, reason = "the text shows a few digits")]
pub(in crate::render::text) fn pod_hours(pod_seconds: i64) -> String {
    let places = match pod_seconds {
        3_600.. => 1,
        360.. => 2,
        36.. => 3,
        _ => 4,
    };
    short(pod_seconds as f64 / 3600.0, places)
}

/// What was tried, and what the table of it shows.
fn searched(search: &Search) -> String {
    let found = search.front.len();
    let shown = match found.saturating_sub(MOST_UNBEATEN) {
        0 => String::new(),
        _ => format!(" ({MOST_UNBEATEN} shown; all: -o json)"),
    };
    let failed = match search.failed {
        0 => String::new(),
        failed => format!(
            " ({failed} did not finish: {})",
            search.failure.as_deref().unwrap_or_default()
        ),
    };
    let are = plural(found, "is", "are");
    format!(
        "{} behaviors tried{failed}. {found} of them {are} not beaten by any other in time with too \
         few pods, pod-hours, and reversals at once{shown}. {}",
        search.tried,
        beats(search)
    )
}

/// Whether any of them is better than what there is, which is asked first.
fn beats(search: &Search) -> String {
    if search.front.iter().any(|it| it.patch.is_none()) {
        return "now is one of them: what is better in one of the three is worse in another."
            .to_owned();
    }
    match search.front.iter().filter(|it| it.beats_now).count() {
        0 => "None of them beats now, which scores the same as one of them.".to_owned(),
        count => format!(
            "{count} {} now (*): better in at least one of the three and worse in none.",
            plural(count, "beats", "beat")
        ),
    }
}

/// Behaviors that are shown of a search; JSON has all.
const MOST_UNBEATEN: usize = 6;
/// Every run, a row each.
fn table(simulation: &Simulation) -> Table {
    let runs = simulation.runs.iter();
    scored(runs.map(|run| (run.name.clone(), &run.scores)))
}

/// Those of a search that nothing beats, by their numbers.
fn front(search: &Search) -> Vec<(String, &Unbeaten)> {
    let shown = shown(&search.front).into_iter();
    let shown = shown.filter_map(|at| search.front.get(at));
    let named = (1..).zip(shown).map(|(number, it): (usize, _)| {
        let name = match it.patch {
            None => format!("{number}, now"),
            Some(_) if it.beats_now => format!("{number}*"),
            Some(_) => number.to_string(),
        };
        (name, it)
    });
    named.collect()
}

/// The places of those that are shown: some that beat what there is, where
/// any do, and the rest spread over all.
fn shown(front: &[Unbeaten]) -> BTreeSet<usize> {
    let better = (0..front.len()).filter(|at| front.get(*at).is_some_and(|it| it.beats_now));
    let better: Vec<usize> = better.collect();
    let places = spread_over(better.len(), MOST_UNBEATEN / 2).into_iter();
    let mut shown: BTreeSet<usize> = places.filter_map(|at| better.get(at).copied()).collect();
    for place in spread_over(front.len(), MOST_UNBEATEN) {
        if shown.len() < MOST_UNBEATEN {
            shown.insert(place);
        }
    }
    shown
}

/// The same, with a row of each, and of what there is.
fn front_and_table(search: &Search) -> (Vec<(String, &Unbeaten)>, Table) {
    let front = front(search);
    let is_now = front.iter().any(|(_, it)| it.patch.is_none());
    let now = (!is_now).then(|| (NOW.to_owned(), &search.now));
    let rows = front.iter().map(|(name, it)| (name.clone(), &it.scores));
    let table = scored(now.into_iter().chain(rows));
    (front, table)
}

fn scored<'s>(rows: impl Iterator<Item = (String, &'s Scores)>) -> Table {
    let rows = rows.map(|(name, scores)| Row::of(cells(name, scores)));
    Table {
        shortens: true,
        ..Table::of(rows)
    }
}

fn cells(name: String, scores: &Scores) -> [Cell; 8] {
    let time = |seconds: Option<i64>| seconds.map_or("unknown".to_owned(), seconds_text);
    let over = scores.over_provisioned_pod_seconds;
    let over = over.map_or("unknown".to_owned(), pod_hours);
    let pods = format!("{}..{}", scores.least_replicas, scores.most_replicas);
    [
        Cell::text("SPEC", name),
        Cell::number("TOO FEW", time(scores.under_provisioned_seconds)),
        Cell::number("LONGEST", time(scores.worst_lag_seconds)),
        Cell::number("POD-HOURS", pod_hours(scores.pod_seconds)),
        Cell::number("TOO MANY", over),
        Cell::number("CHANGES", scores.scalings.to_string()),
        Cell::number("REVERSALS", scores.reversals.to_string()),
        Cell::text("PODS", pods),
    ]
}

/// So many of a front, spread over it, both ends included.
fn spread_over(front: usize, most: usize) -> Vec<usize> {
    if front <= most || most < 2 {
        return (0..front.min(most)).collect();
    }
    (0..most).map(|at| at * (front - 1) / (most - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::pod_hours;

    #[test]
    fn little_is_not_nothing() {
        let rows = [
            (0, "0"),
            (1, "0.0003"),
            (120, "0.033"),
            (2_700, "0.75"),
            (3_600, "1"),
            (52_560, "14.6"),
        ];
        let mut reported = 0;
        for (pod_seconds, text) in rows {
            assert_eq!(pod_hours(pod_seconds), text);
            reported += 1;
        }
        assert_eq!(reported, 6);
    }

    use super::spread_over;

    #[test]
    fn a_front_is_thinned_evenly() {
        assert_eq!(spread_over(10, 4), [0, 3, 6, 9]);
        assert_eq!(spread_over(3, 4), [0, 1, 2]);
        assert_eq!(spread_over(1, 4), [0]);
        assert!(spread_over(0, 4).is_empty());
    }
}
