//! Hours of load under one or several specs: what came of each, then a chart
//! of the load and of each size, and when each change was.

mod scores;

use std::collections::BTreeMap;

use crate::render::block::{Block, Facts, Item, PassEntry, Prose, Title, applied};
use crate::render::chart::{Curve, Timeline};
use crate::trace::{
    MergePatch, Range, Reason, Search, SimulatedRun, SimulatedStep, Simulation, exact_seconds_text,
    seconds_text,
};

use super::TextOptions;
use super::held::Held;

pub(super) use scores::pod_hours;
use scores::{front_and_table, searched, sentences, table};

/// The rows of a chart.
const HEIGHT: usize = 5;
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
    blocks.push(Block::Passes(passes(simulation)));
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
/// together.
fn passes(simulation: &Simulation) -> Vec<PassEntry<'static>> {
    let mut moments: BTreeMap<i64, Vec<RunStep>> = BTreeMap::new();
    for run in &simulation.runs {
        for step in &run.steps {
            let moment = moments.entry(step.second).or_default();
            moment.push((&run.name, step));
        }
    }
    let moments: Vec<Vec<RunStep>> = moments.into_values().collect();
    let like = moments.chunk_by(|one, other| {
        let [one, other] = [one, other].map(|it| it.iter().map(decided));
        one.eq(other)
    });
    like.filter_map(entry).collect()
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
        format!("  {}", held.why("asked for"))
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
