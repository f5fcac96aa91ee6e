//! Hours of load under one or several specs: what came of each, in sentences and as
//! tables, then a chart of the load and of each size, and when each change was.

use std::collections::BTreeSet;

use super::TextOptions;
use super::passes::{RunPasses, Strip, whole_span};
use crate::api::is_held_by_each_pod;
use crate::render::block::{Block, Cell, Facts, Item, Prose, Row, Table, Title, applied};
use crate::render::chart::Curve;
use crate::render::text::tune::{hours, waits};
use crate::trace::amount::{counted, plural};
use crate::trace::{
    FailedPasses, MergePatch, NOW, Scores, Search, SimulatedRun, Simulation, SizeDecision,
    Unbeaten, exact_seconds_text, has_every_pass, seconds_text, short,
};

/// The rows of a chart.
const HEIGHT: usize = 5;
/// Of passes that are over.
pub(super) const ASKS: &str = "asked for";
/// So many changes of a run are listed, without `-v`.
const MOST_CHANGES: usize = 4;
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
    ]);
    let curves = curves(simulation).into_iter();
    let curves = curves.flat_map(|curve| [Block::Gap, Block::Curve(curve)]);
    let table = Block::Table(table(simulation));
    let mut search = simulation.search.iter().flat_map(search_blocks);
    if options.is_page {
        blocks.extend(search.by_ref());
        blocks.extend(curves);
        blocks.extend(passes(simulation, table, options));
    } else {
        blocks.push(table);
        blocks.extend(curves);
        for run in &simulation.runs {
            blocks.push(Block::Gap);
            blocks.extend(changes(run, options));
        }
    }
    for run in &simulation.runs {
        let title = Prose::plain(format!("Apply {}:", run.name));
        blocks.extend(command(title, run.patch.as_ref()));
    }
    blocks.extend(search);
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

/// The load, and the size under each spec; sizes in one scale, and all from 0
/// on, so that heights can be compared.
fn curves(simulation: &Simulation) -> Vec<Curve<'_>> {
    let (span, ends) = whole_span(simulation.seconds);
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

/// The passes under each spec, on a page for a browser: with the table of scores
/// between how they went and what each did.
fn passes(
    simulation: &Simulation,
    table: Block<'static>,
    options: &TextOptions,
) -> Vec<Block<'static>> {
    let runs = simulation.runs.iter();
    let runs = runs.map(|run| RunPasses::of(run, |it| simulation.amount(it), |_| None));
    let runs: Vec<RunPasses> = runs.collect();
    let (span, ends) = whole_span(simulation.seconds);
    let timelines = runs.iter().map(|it| it.timeline(span, &ends));
    let mut blocks: Vec<Block> = timelines.collect();
    let strip = Strip {
        asks: ASKS,
        time: &exact_seconds_text,
        is_whole: has_every_pass(simulation.seconds, simulation.every_seconds),
        elsewhere: "`-o json` has every pass.",
        options,
    };
    blocks.push(table);
    blocks.extend(strip.blocks(Vec::new(), &runs));
    blocks
}

/// When the size changes: from what to what, and what held it where it is not
/// what the metrics ask for.
fn changes(run: &SimulatedRun, options: &TextOptions) -> Vec<Block<'static>> {
    let most = match options.verbosity {
        0 => MOST_CHANGES,
        _ => usize::MAX,
    };
    let all = run.steps.iter();
    let all = all.map(|step| (step.second, SizeDecision::from(step)));
    let listed = all.filter(|(_, it)| it.is_change()).take(most);
    let listed = listed.map(|(second, it)| (exact_seconds_text(second), it.change(ASKS)));
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

fn search_blocks(search: &Search) -> Vec<Block<'_>> {
    let front = front(search);
    // A row of each, and of what there is.
    let is_now = front.iter().any(|(_, it)| it.patch.is_none());
    let now = (!is_now).then(|| (NOW.to_owned(), &search.now));
    let rows = front.iter().map(|(name, it)| (name.clone(), &it.scores));
    let table = scored(now.into_iter().chain(rows));
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
    let is_of_resource = simulation.metric_type.is_of_resource();
    let of = if is_of_resource && is_held_by_each_pod(&simulation.metric) {
        "of each pod"
    } else {
        "in total"
    };
    sentences.push(format!(
        "Load: {} {of}, {}. A pass runs every {}.",
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
    let hours = hours(scores.pod_seconds);
    let reversals = reversals(scores);
    let what = if run.is_now {
        " (the spec as it is)"
    } else {
        ""
    };
    format!("{}{what}: {enough}{reversals}; {hours}{failed}.", run.name)
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
