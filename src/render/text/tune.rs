//! Whether another spec pays: of one HPA a page that begins with how far the
//! simulation can be trusted, of several a table.

use std::cmp::Ordering;

use crate::render::block::{Block, Cell, Facts, Item, Prose, Row, Table, Title, applied};
use crate::render::chart::{Curve, Mark, Timeline};
use crate::trace::amount::{counted, plural};
use crate::trace::{
    BothSizes, Calibration, Delay, FieldStep, LEAST_GAIN, NOW, Proven, Reaction, Requests, Scores,
    SizeLimit, SizeLimitKind, Tune, TuneAnswer, exact_seconds_text, seconds_text, short,
};

use super::TextOptions;
use super::page::Page;
use super::passes::{RunPasses, Strip, whole_span};
use super::simulation::{ASKS, pod_hours};
use super::words::{View, moment};

/// The rows of a chart.
const HEIGHT: usize = 5;

/// A doubled load that waits longer by less is not told beside the advice, in seconds.
const SLOWER: i64 = 15;

/// What is not tried of several.
const COARSE: &str = "Of several HPAs, fewer specs are tried than of one: `tune NAME` may find a better change, \
                      or another one. Run it before you apply what stands here.";

/// What is not proven of advice where no change of the size was simulated again.
const NEVER_CHANGED: &str = "The size never changed in this history, so nothing proves the simulation where it does: \
                             go there in small steps, and look at the metrics after each.";

/// What the columns of numbers mean.
const COLUMNS: &str = "MISSING: pod-hours that the load needs at today's target beyond the pods that serve. \
                       CHANGES of the size; REVERSALS: changes in the other direction than the last one.";

/// What came of tuning one HPA, or several.
pub(in crate::render) fn blocks<'t>(items: &'t [Tune], options: &TextOptions) -> Vec<Block<'t>> {
    match items {
        [] => Vec::new(),
        [only] => {
            let mut blocks = of_one(only, options);
            blocks.extend(strip(only, options));
            blocks
        }
        several => of_several(several, options),
    }
}

fn of_one<'t>(tune: &'t Tune, options: &TextOptions) -> Vec<Block<'t>> {
    let hpa = [tune.namespace.as_str(), &tune.name];
    let since = tune.since.map_or_else(
        || "of history".to_owned(),
        |since| format!("from {}", moment(since, options, "%Y-%m-%d %H:%M %Z")),
    );
    let history = format!("{} {since}", seconds_text(tune.seconds));
    let release = format!("v{} rules", tune.release);
    let title = Title::of(hpa, &tune.target, history, release);
    let mut blocks = vec![Block::Title(title), Block::Gap];
    let calibrated = tune.calibration.as_ref().map(calibrated);
    blocks.extend(calibrated.map(|says| Block::Prose(Prose::plain(says))));
    blocks.push(Block::Gap);
    let mut answered = answered(tune).into_iter().peekable();
    let calibration = tune.calibration.as_ref();
    if let Some(calibration) = calibration.filter(|_| options.is_page) {
        // What is told of the answer in a sentence stands before the charts.
        while let Some(says) = answered.next_if(|it| !matches!(it, Block::Gap)) {
            blocks.push(says);
        }
        blocks.push(Block::Timeline(Timeline {
            title: "What happened, and what was simulated".to_owned(),
            curves: curves(tune, calibration),
            marks: apart(tune, calibration).into_iter().collect(),
            shades: Vec::new(),
        }));
    }
    blocks.extend(answered);
    if let Some(calibration) = calibration.filter(|_| options.verbosity > 0) {
        blocks.extend([Block::Gap, Block::Prose(Prose::plain(COLUMNS))]);
        if !options.is_page {
            let curves = curves(tune, calibration).into_iter();
            blocks.extend(curves.flat_map(|it| [Block::Gap, Block::Curve(it)]));
        }
    }
    blocks.extend(requested(tune));
    blocks.extend(tune.reaction.iter().flat_map(reacts));
    if let Some(room) = &tune.room {
        let room = super::room::of_max(Page::new(options), room, room.replicas);
        blocks.extend([Block::Gap, Block::Prose(room)]);
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

/// The simulated passes beside what happened, on a page for a browser.
fn strip<'t>(tune: &Tune, options: &TextOptions) -> Vec<Block<'t>> {
    let calibration = tune.calibration.as_ref().filter(|_| options.is_page);
    let Some(calibration) = calibration else {
        return Vec::new();
    };
    let runs = tune.runs.iter().enumerate();
    let runs = runs.map(|(at, run)| {
        // That of another spec has not happened.
        let happened = |second: i64| calibration.at(second).filter(|_| at == 0);
        RunPasses::of(run, |it| tune.amount(it), happened)
    });
    let runs: Vec<RunPasses> = runs.collect();
    let (span, ends) = whole_span(calibration.seconds);
    let timelines = runs.iter().map(|it| it.timeline(span, &ends));
    let strip = Strip {
        asks: ASKS,
        time: &exact_seconds_text,
        is_whole: true,
        elsewhere: "A shorter time (`--for`) shows more of them.",
        options,
    };
    let strip = strip.blocks(Vec::new(), &runs);
    timelines.chain(strip).collect()
}

/// The first simulated pass that is apart from what happened.
fn apart(tune: &Tune, calibration: &Calibration) -> Option<Mark> {
    let mut seconds = tune.runs.first()?.steps.iter().map(|it| it.second);
    let (at, sizes) = seconds.find_map(|at| {
        let sizes = calibration.at(at).filter(|it| it.is_apart)?;
        Some((at, sizes))
    })?;
    Some(Mark {
        at,
        time: format!("after {}", exact_seconds_text(at)),
        says: format!(
            "the first difference: happened {}, simulated {}",
            sizes.happened, sizes.simulated
        ),
        pass: None,
    })
}

/// How far the simulation can be trusted.
fn calibrated(calibration: &Calibration) -> String {
    format!(
        "Replayed: simulated {}, {} happened; pod-hours {}% apart.",
        counted(calibration.simulated.changes, "change"),
        calibration.happened.changes,
        short(calibration.pod_hours_apart, 1)
    )
}

fn answered(tune: &Tune) -> Vec<Block<'_>> {
    let prose = |says: String| Block::Prose(Prose::plain(says));
    let too_low = tune.limit.map(|it| prose(too_low(it) + "."));
    let mut blocks: Vec<Block> = too_low.into_iter().collect();
    match &tune.answer {
        TuneAnswer::Refused(it) => blocks.push(prose(format!("No advice: {}.", it.reason))),
        TuneAnswer::NothingToGain { tried, best, .. } => {
            let begins = match (tune.limit, tune.request()) {
                (_, Some(_)) => "Only a smaller cpu request pays (below), no other change",
                (Some(_), None) => "Otherwise nothing to gain",
                (None, None) => "Nothing to gain",
            };
            blocks.push(prose(format!(
                "{begins}: the best of {} ({}) {}.",
                counted(*tried, "spec"),
                names(best),
                does_not_pay(best)
            )));
            blocks.push(Block::Gap);
            blocks.extend(scored(best, &[], "best"));
        }
        TuneAnswer::Advice { tried, proposal } => {
            let fields = proposal.fields.iter();
            let fields = fields.map(|it| Item::of(changed(it)));
            let slower = tune.reaction.as_ref().map_or_else(String::new, slower);
            let saved = saved(tune.saved_monthly(None));
            blocks.push(prose(format!("{}{slower}{saved}.", advice(proposal))));
            let never_changed = |it: &Calibration| it.happened.changes == 0;
            if tune.calibration.as_ref().is_some_and(never_changed) {
                blocks.push(prose(NEVER_CHANGED.to_owned()));
            }
            if !tune.load_from_outside.is_empty() {
                let metrics = tune.load_from_outside.join(" and ");
                let does = plural(tune.load_from_outside.len(), "does", "do");
                blocks.push(prose(format!(
                    "It holds only if {metrics} {does} not depend on the pods. A backlog that they work \
                     off themselves would grow with fewer pods: then the advice is wrong."
                )));
            }
            blocks.push(Block::Gap);
            blocks.extend(scored(proposal, &proposal.fields, "proposed"));
            blocks.extend([
                Block::Gap,
                Block::Facts(Facts::titled("Change", 0, fields.collect())),
                Block::Gap,
                prose(format!(
                    "{} tried on the first half.",
                    counted(*tried, "spec")
                )),
            ]);
            blocks.extend(applied(&proposal.patch));
        }
    }
    blocks
}

fn too_low(limit: SizeLimit) -> String {
    limit.too_low() + "; raise it if there is room"
}

/// Why the best spec is no advice.
fn does_not_pay(best: &Proven) -> String {
    let (missing, allowed) = (
        best.then.missing_pod_seconds(),
        best.allowed_missing_pod_seconds,
    );
    let saves = |gain: f64| match gain {
        0.05.. => format!("saves only {}%", short(gain, 1)),
        _ => "saves nothing".to_owned(),
    };
    if best.searched_gain < LEAST_GAIN {
        return format!("{} on the first half", saves(best.searched_gain));
    }
    if missing > allowed {
        let allowed = pod_hours(allowed);
        return format!(
            "leaves {} missing, and {allowed} is allowed",
            hours(missing)
        );
    }
    saves(best.gain)
}

/// That a doubled load waits longer, where it does.
fn slower(reaction: &Reaction) -> String {
    let then = reaction.then.as_ref().and_then(|it| it.seconds);
    let seconds = reaction.now.seconds.zip(then).map(|(now, then)| then - now);
    seconds
        .filter(|seconds| *seconds >= SLOWER)
        .map_or_else(String::new, |seconds| {
            format!("; a doubled load waits {} longer", seconds_text(seconds))
        })
}

fn names(proven: &Proven) -> String {
    let names = proven.fields.iter().map(|it| it.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// What a change brings, in a sentence: first what gets better.
fn advice(proven: &Proven) -> String {
    let (now, then) = (&proven.now, &proven.then);
    let used = then.pod_seconds - now.pod_seconds;
    let percent = percent(used.abs(), now.pod_seconds);
    let more = if used > 0 { "more" } else { "fewer" };
    let reversals = counted(then.reversals, "reversal");
    let (was, is) = (now.missing_pod_seconds(), then.missing_pod_seconds());
    let missing = format!("{} missing instead of {}", hours(is), pod_hours(was));
    let rest = match is.cmp(&was) {
        Ordering::Less => String::new(),
        Ordering::Equal => "; no more pods missing than now".to_owned(),
        // What the calibration does not tell.
        Ordering::Greater => format!("; {missing}"),
    };
    let parts = [
        (
            used.signum() * percent,
            format!("{percent}% {more} pod-hours"),
        ),
        (
            i64::from(then.reversals) - i64::from(now.reversals),
            format!("{reversals} instead of {}", now.reversals),
        ),
        ((is - was).min(0), missing),
    ];
    let of = |way: Ordering| {
        let parts = parts.iter().filter(|(change, _)| change.cmp(&0) == way);
        parts.map(|(_, says)| says.as_str()).collect::<Vec<_>>()
    };
    let better = of(Ordering::Less).join(", ");
    let worse = of(Ordering::Greater).join(" and ");
    let but = if worse.is_empty() { "" } else { ", but " };
    format!(
        "Advice (by the second half): {}: {better}{but}{worse}{rest}",
        names(proven)
    )
}

/// Rounded.
fn percent(part: i64, of: i64) -> i64 {
    let half = of / 2 * part.signum();
    (part * 100 + half).checked_div(of).unwrap_or_default()
}

/// As they are rounded: what reads as one hour is one.
pub(super) fn hours(pod_seconds: i64) -> String {
    let hours = pod_hours(pod_seconds);
    let plural = if hours == pod_hours(3_600) { "" } else { "s" };
    format!("{hours} pod-hour{plural}")
}

/// A field with the value that it has and the one that it gets.
fn changed(field: &FieldStep) -> String {
    let from = field.from.as_deref().unwrap_or("not set");
    format!("{} {from} → {}", field.field, field.to)
}

/// In money, where prices were given.
fn saved(saved: Option<f64>) -> String {
    saved.map_or_else(String::new, |saved| {
        let less = if saved < 0.0 { "more" } else { "less" };
        let saved = short(saved.abs(), 2);
        format!("; at these prices, {saved} {less} in 30 days of such a load")
    })
}

/// Another cpu request, with the commands for both sides of it.
fn requested(tune: &Tune) -> Vec<Block<'_>> {
    let prose = |says: String| [Block::Gap, Block::Prose(Prose::behind("Requests  ", says))];
    match &tune.requests {
        None => Vec::new(),
        Some(Requests::Keep { reason }) => {
            prose(format!("no other request pays: {reason}.")).into()
        }
        Some(Requests::Change(it)) => {
            let saved = saved(tune.saved_monthly(Some(it)));
            let (or, as_much) = match tune.advice() {
                Some(_) => ("or, instead of the patch above: ", "with that patch"),
                None => ("", "now"),
            };
            let says = format!(
                "{or}a cpu request of {}m (today {}m) with a target of {}% (today {}%): {}% fewer \
                 cores requested, and a pod carries as much as {as_much}{saved}. A pod uses at most \
                 {}m in 99% of the time; beyond its request it gets only what its node has to spare. \
                 Run both commands, or neither; the first starts a rollout:",
                it.to,
                it.from,
                it.to_target,
                it.from_target,
                short(it.saved, 0),
                it.used
            );
            let command = Block::Command(it.command.clone());
            let mut blocks: Vec<Block> = prose(says).into_iter().chain([command]).collect();
            blocks.extend(applied(&it.patch));
            blocks
        }
    }
}

/// A spec on the part of the history that proves, and what each field of a change makes
/// of it, with those before; of one that changes nothing, only the spec as it is.
fn scored<'t>(proven: &Proven, steps: &[FieldStep], name: &str) -> [Block<'t>; 2] {
    let half = format!(
        "On the second half of the history ({}), which the search did not see{}:",
        seconds_text(proven.seconds),
        if steps.len() > 1 {
            ", field by field"
        } else {
            ""
        }
    );
    let last = steps.len().saturating_sub(1);
    let steps = steps.iter().take(last).enumerate();
    let steps = steps.filter_map(|(at, it)| {
        let and = if at == 0 { "" } else { "and " };
        Some((format!("{and}{}", it.name), it.then.as_ref()?))
    });
    let then = Some((name.to_owned(), &proven.then)).filter(|(_, then)| **then != proven.now);
    let rows = std::iter::once((NOW.to_owned(), &proven.now));
    let rows = rows.chain(steps).chain(then);
    let table = Table::of(rows.map(|(name, scores)| Row::of(cells(&name, scores))));
    [Block::Prose(Prose::plain(half)), Block::Table(table)]
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

/// What was, and what the simulation made of it under the spec as it is and the
/// proposed one, which are the sides that are compared; in one scale.
fn curves<'t>(tune: &Tune, calibration: &Calibration) -> Vec<Curve<'t>> {
    let sizes = |size: fn(&BothSizes) -> i32| {
        let sizes = calibration.sizes.iter();
        sizes.map(|it| (it.second, size(it))).collect::<Vec<_>>()
    };
    let proposed = tune.runs.get(1).map_or(&[][..], |it| &it.steps);
    let found = proposed.first().map(|it| (0, it.current_replicas));
    let proposed = proposed.iter().map(|it| (it.second, it.desired_replicas));
    let proposed = found.into_iter().chain(proposed);
    let mut all = vec![
        ("happened", false, sizes(|it| it.happened)),
        ("simulated", true, sizes(|it| it.simulated)),
        ("proposed", true, proposed.collect()),
    ];
    all.retain(|(.., sizes)| !sizes.is_empty());
    let most = all.iter().flat_map(|(.., sizes)| sizes).map(|(_, it)| *it);
    let reach = vec![0, i64::from(most.max().unwrap_or_default())];
    let (span, ends) = whole_span(calibration.seconds);
    let curves = all.into_iter().map(|(name, is_side, sizes)| Curve {
        reach: reach.clone(),
        height: HEIGHT,
        is_side,
        ..Curve::of(("Replicas", name), sizes, span, &ends)
    });
    curves.collect()
}

/// How long a doubled load waits, under each spec.
fn reacts(reaction: &Reaction) -> Vec<Block<'_>> {
    let pods = counted(reaction.from, "pod");
    let now = format!(
        "Reaction: if the load of {pods} doubles, {}",
        waits(&reaction.now)
    );
    let then = reaction.then.as_ref().filter(|then| **then != reaction.now);
    let then = then.map(|then| format!("With the change, {}", waits(then)));
    let says = [now].into_iter().chain(then);
    let says = says.map(|it| Block::Prose(Prose::plain(it)));
    [Block::Gap].into_iter().chain(says).collect()
}

/// The same as a row of an explanation.
pub(super) fn reaction(view: View) -> Option<Prose> {
    let reaction = view.trace.reaction.as_ref()?;
    let pods = counted(reaction.from, "pod");
    let says = format!("if the load of {pods} doubles, {}", waits(&reaction.now));
    Some(Prose::behind("React  ", says))
}

/// How long a wait is, and what for.
pub(super) fn waits(delay: &Delay) -> String {
    let Some(seconds) = delay.seconds else {
        let Some(limit) = delay.limit else {
            return "the pods that it needs do not come within an hour.".to_owned();
        };
        let (replicas, needed) = (limit.replicas, limit.needed);
        let stops = match limit.kind {
            SizeLimitKind::MaxReplicas => format!("maxReplicas {replicas}"),
            SizeLimitKind::Disabled => "scaleUp is disabled".to_owned(),
            SizeLimitKind::Tolerance => format!("the tolerance of the target, at {replicas}"),
        };
        return format!("the {needed} pods that it needs never come ({stops}).");
    };
    let parts = delay.parts.iter();
    let parts = parts.map(|it| format!("{} {}", it.cause, seconds_text(it.seconds)));
    let parts: Vec<String> = parts.collect();
    if seconds == 0 {
        return "enough pods for it are there already.".to_owned();
    }
    format!(
        "enough pods for it are Ready after about {} ({}).",
        seconds_text(seconds),
        parts.join(", ")
    )
}

fn of_several<'t>(items: &'t [Tune], options: &TextOptions) -> Vec<Block<'t>> {
    let advised = || items.iter().filter_map(Tune::advice);
    let saved: f64 = advised().map(Proven::pod_hours_saved_monthly).sum();
    let money = items.iter().map(|it| it.saved_monthly(it.request()));
    let money: Option<f64> = money.sum();
    let money = money.map_or_else(String::new, |money| {
        format!(", {} at these prices,", short(money, 2))
    });
    let refused = items
        .iter()
        .filter(|it| matches!(it.answer, TuneAnswer::Refused(_)));
    let count = items.iter().filter(|it| it.pays()).count();
    let brings = match count {
        0 => String::new(),
        _ => format!(" (saves {} pod-hours{money} in 30 days)", short(saved, 0)),
    };
    let refused = refused.count();
    let summary = format!(
        "{}: a change pays for {count}{brings}, nothing to gain for {}, no advice for {refused}.",
        counted(items.len(), "HPA"),
        items.len().saturating_sub(count + refused)
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
    blocks.extend([Block::Gap, Block::Prose(Prose::with_commands(COARSE))]);
    let each = items.iter().filter(|it| it.pays());
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
        TuneAnswer::Refused(it) => (
            "-".to_owned(),
            "-".to_owned(),
            format!("no advice: {}", it.reason),
        ),
    };
    let too_low = tune.limit.map(too_low);
    let request = tune.request();
    let request = request.map(|it| format!("a cpu request of {}m pays", it.to));
    let says = too_low.into_iter().chain([says]).chain(request);
    let says = says.collect::<Vec<_>>().join("; ");
    [
        Cell::text("HPA", format!("{}/{}", tune.namespace, tune.name)),
        Cell::number("GAIN", gain),
        Cell::number("SAVED/30D", saved),
        Cell::sentences("CHANGE", says),
    ]
}
