//! Whether another spec pays: of one HPA a page that begins with how far the
//! simulation can be trusted, of several a table.

use crate::render::block::{Block, Cell, Facts, Item, Prose, Row, Table, Title, applied};
use crate::render::chart::{Curve, Timeline};
use crate::trace::amount::counted;
use crate::trace::{
    BothSizes, Calibration, Delay, Proven, Reaction, Scores, Tune, TuneAnswer, seconds_text, short,
};

use super::TextOptions;
use super::page::Page;
use super::simulation::pod_hours;
use super::words::View;

/// The rows of a chart.
const HEIGHT: usize = 5;

/// What is not tried of several.
const COARSE: &str = "Fewer specs are tried of several HPAs: `kubectl hpa-explain tune NAME -n NAMESPACE` tries \
                      all of one.";

/// What came of tuning one HPA, or several.
pub(in crate::render) fn blocks<'t>(items: &'t [Tune], options: &TextOptions) -> Vec<Block<'t>> {
    match items {
        [] => Vec::new(),
        [only] => of_one(only, options),
        several => of_several(several, options),
    }
}

fn of_one<'t>(tune: &'t Tune, options: &TextOptions) -> Vec<Block<'t>> {
    let page = Page::new(options);
    let hpa = [tune.namespace.as_str(), &tune.name];
    let history = format!("{} of history", seconds_text(tune.seconds));
    let release = format!("v{} rules", tune.release);
    let title = Title::of(page, hpa, &tune.target, history, release);
    let mut blocks = vec![Block::Title(title), Block::Gap];
    let calibrated = tune.calibration.as_ref().map(calibrated);
    blocks.extend(calibrated.map(|says| Block::Prose(Prose::plain(says))));
    blocks.push(Block::Gap);
    blocks.extend(answered(tune));
    if let Some(calibration) = &tune.calibration {
        if options.verbosity > 0 {
            for curve in curves(calibration) {
                blocks.extend([Block::Gap, Block::Curve(curve)]);
            }
        } else {
            blocks.push(Block::Timeline(Timeline {
                title: "What happened, and what was simulated".to_owned(),
                curves: curves(calibration).into(),
                marks: Vec::new(),
            }));
        }
    }
    if let Some(reaction) = &tune.reaction {
        blocks.push(Block::Gap);
        blocks.extend(
            reacts(reaction)
                .into_iter()
                .map(|it| Block::Prose(Prose::plain(it))),
        );
    }
    let assumed = tune.assumptions.join("; ");
    if !assumed.is_empty() {
        blocks.extend([
            Block::Gap,
            Block::Prose(Prose::behind("Assumed  ", assumed)),
        ]);
    }
    blocks
}

/// How far the simulation can be trusted.
fn calibrated(calibration: &Calibration) -> String {
    format!(
        "Simulated {}, {} happened; pod-hours {}% apart.",
        counted(calibration.simulated.changes as usize, "change"),
        calibration.happened.changes,
        short(calibration.pod_hours_apart, 1)
    )
}

fn answered(tune: &Tune) -> Vec<Block<'_>> {
    let prose = |says: String| Block::Prose(Prose::plain(says));
    match &tune.answer {
        TuneAnswer::Refused { reason } => vec![prose(format!("No advice: {reason}."))],
        TuneAnswer::NothingToGain { tried, best } => {
            let mut blocks = vec![prose(format!(
                "Nothing to gain{}",
                match best {
                    None => format!(": none of {} costs less.", counted(*tried, "other spec")),
                    Some(best) => format!(
                        ": the best of {} ({}) does not pay.",
                        counted(*tried, "spec"),
                        names(best)
                    ),
                }
            ))];
            blocks.extend(
                best.iter()
                    .flat_map(|best| [Block::Gap, Block::Table(scored(best))]),
            );
            blocks
        }
        TuneAnswer::Advice { tried, proposal } => {
            let fields = proposal.fields.iter();
            let fields = fields.map(|it| Item::named(&it.name, brings(it.brings, proposal)));
            let mut blocks = vec![
                prose(format!("{}{}.", advice(proposal), saved(tune))),
                Block::Gap,
                Block::Table(scored(proposal)),
                Block::Gap,
                Block::Facts(Facts::titled("Change", 0, fields.collect())),
                Block::Gap,
                prose(format!(
                    "{} tried on the first half of the history; this is the second half.",
                    counted(*tried, "spec")
                )),
            ];
            blocks.extend(applied(&proposal.patch));
            blocks
        }
    }
}

fn names(proven: &Proven) -> String {
    let names = proven.fields.iter().map(|it| it.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// What a change brings, in a sentence.
fn advice(proven: &Proven) -> String {
    let (now, then) = (&proven.now, &proven.then);
    let hours = match percent(then.pod_seconds - now.pod_seconds, now.pod_seconds) {
        0 => "as many pod-hours".to_owned(),
        less @ ..0 => format!("{}% fewer pod-hours", -less),
        more => format!("{more}% more pod-hours"),
    };
    let missing = |scores: &Scores| scores.short_pod_seconds.unwrap_or_default();
    let missing = match (missing(now), missing(then)) {
        (now, then) if then > now => format!(
            "; {} pod-hours missing instead of {}",
            pod_hours(then),
            pod_hours(now)
        ),
        _ => "; no more pods missing".to_owned(),
    };
    format!(
        "Advice: {}: {hours} and {} instead of {}{missing}",
        names(proven),
        counted(then.reversals as usize, "reversal"),
        now.reversals
    )
}

fn percent(part: i64, of: i64) -> i64 {
    (part * 100).checked_div(of).unwrap_or_default()
}

fn brings(percent: f64, proven: &Proven) -> String {
    match proven.fields.len() {
        1 => "brings all of it".to_owned(),
        _ => format!("without it, {}% of the gain is lost", short(percent, 0)),
    }
}

/// In money, where prices were given.
fn saved(tune: &Tune) -> String {
    tune.saved_monthly().map_or_else(String::new, |saved| {
        format!("; at these prices, {} less in 30 days", short(saved, 2))
    })
}

fn scored(proven: &Proven) -> Table {
    let rows = [("now", &proven.now), ("then", &proven.then)];
    Table::of(rows.map(|(name, scores)| Row::of(cells(name, scores))))
}

fn cells(name: &str, scores: &Scores) -> [Cell; 6] {
    let missing = scores.short_pod_seconds;
    let missing = missing.map_or("unknown".to_owned(), pod_hours);
    let pods = format!("{}..{}", scores.least_replicas, scores.most_replicas);
    [
        Cell::text("SPEC", name.to_owned()),
        Cell::number("POD-HOURS", pod_hours(scores.pod_seconds)),
        Cell::number("MISSING", missing),
        Cell::number("CHANGES", scores.scalings.to_string()),
        Cell::number("REVERSALS", scores.reversals.to_string()),
        Cell::text("PODS", pods),
    ]
}

/// What was, and what the simulation made of it, in one scale.
fn curves(calibration: &Calibration) -> [Curve<'_>; 2] {
    let most = calibration
        .sizes
        .iter()
        .map(|it| it.happened.max(it.simulated));
    let most = i64::from(most.max().unwrap_or_default());
    let curve = |name: &str, size: fn(&BothSizes) -> i32| Curve {
        title: "Replicas".to_owned(),
        name: name.to_owned(),
        points: calibration
            .sizes
            .iter()
            .map(|it| (it.second, i64::from(size(it))))
            .collect(),
        span: (0, calibration.seconds),
        ends: ("0s".to_owned(), seconds_text(calibration.seconds)),
        reach: vec![0, most],
        height: HEIGHT,
        is_side: true,
        label: Box::new(|count| count.to_string()),
    };
    [
        curve("happened", |it| it.happened),
        curve("simulated", |it| it.simulated),
    ]
}

/// How long a doubled load waits, under each spec.
fn reacts(reaction: &Reaction) -> Vec<String> {
    let pods = counted(usize::try_from(reaction.from).unwrap_or_default(), "pod");
    let now = format!(
        "Reaction: if the load of {pods} doubles, {}",
        waits(&reaction.now)
    );
    let then = reaction.then.as_ref().filter(|then| **then != reaction.now);
    let then = then.map(|then| format!("With the change, {}", waits(then)));
    [now].into_iter().chain(then).collect()
}

/// The same as a row of an explanation.
pub(super) fn reaction(view: View) -> Option<Prose> {
    let reaction = view.trace.reaction.as_ref()?;
    let pods = counted(usize::try_from(reaction.from).unwrap_or_default(), "pod");
    let says = format!("if the load of {pods} doubles, {}", waits(&reaction.now));
    Some(Prose::behind("React  ", says))
}

/// How long a wait is, and what for.
pub(super) fn waits(delay: &Delay) -> String {
    let Some(seconds) = delay.seconds else {
        return "there are never enough pods for it.".to_owned();
    };
    let parts = delay.parts.iter();
    let parts = parts.map(|it| format!("{} {}", it.cause.as_str(), seconds_text(it.seconds)));
    let parts: Vec<String> = parts.collect();
    format!(
        "the pods for it are Ready after at most {} ({}).",
        seconds_text(seconds),
        parts.join(", ")
    )
}

fn of_several<'t>(items: &'t [Tune], options: &TextOptions) -> Vec<Block<'t>> {
    let advised = || items.iter().filter_map(Tune::advice);
    let saved: f64 = advised().map(Proven::pod_hours_saved_monthly).sum();
    let money: Option<f64> = items.iter().map(Tune::saved_monthly).sum();
    let money = money.map_or_else(String::new, |money| {
        format!(", {} at these prices", short(money, 2))
    });
    let refused = items
        .iter()
        .filter(|it| matches!(it.answer, TuneAnswer::Refused { .. }));
    let count = advised().count();
    let summary = format!(
        "{}: a change pays for {count} ({} pod-hours{money} in 30 days), {} without advice.",
        counted(items.len(), "HPA"),
        short(saved, 0),
        refused.count()
    );
    let rows = items.iter().map(|it| Row::of(row(it)));
    let mut blocks = vec![
        Block::Prose(Prose::plain(summary)),
        Block::Gap,
        Block::Table(Table {
            shortens: true,
            ..Table::of(rows)
        }),
    ];
    blocks.extend([Block::Gap, Block::Prose(Prose::plain(COARSE))]);
    let each = items.iter().filter(|it| it.advice().is_some());
    let each = each.flat_map(|it| std::iter::once(Block::Gap).chain(of_one(it, options)));
    if options.verbosity > 0 {
        blocks.extend(each);
    } else {
        blocks.push(Block::Beyond(each.collect()));
    }
    blocks
}

fn row(tune: &Tune) -> [Cell; 4] {
    let (gain, saved, says) = match &tune.answer {
        TuneAnswer::Advice { proposal, .. } => (
            format!("{}%", short(proposal.gain, 1)),
            short(proposal.pod_hours_saved_monthly(), 0),
            names(proposal),
        ),
        TuneAnswer::NothingToGain { .. } => (
            "0%".to_owned(),
            "0".to_owned(),
            "nothing to gain".to_owned(),
        ),
        TuneAnswer::Refused { reason } => (
            "-".to_owned(),
            "-".to_owned(),
            format!("no advice: {reason}"),
        ),
    };
    [
        Cell::text("HPA", format!("{}/{}", tune.namespace, tune.name)),
        Cell::number("GAIN", gain),
        Cell::number("POD-HOURS/30D", saved),
        Cell::sentences("CHANGE", says),
    ]
}
