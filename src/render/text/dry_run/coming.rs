//! The coming minutes of every side: how often the size changes and turns,
//! the moments at which it does, and both as charts.

use jiff::{SignedDuration, Timestamp};

use super::{LEAD, sides};
use crate::document::snapshot::SAMPLE_REACH_SECONDS;
use crate::render::block::{Block, Cell, Facts, Item, PassEntry, Prose, Row, Table};
use crate::render::chart::Curve;
use crate::render::text::TextOptions;
use crate::render::text::page::Page;
use crate::render::text::passes::{RunPass, RunPasses, Strip};
use crate::render::text::words::{TIME, View, by_key, moment, range};
use crate::trace::amount::{counted, plural};
use crate::trace::{
    Average, Coming, ComingPass, DryRun, ForecastLoad, Minutes, Range, Side, SizeDecision, Word,
    seconds_text,
};

/// The most columns for the name of a side.
const NAME: usize = 16;
/// More moments than this are left out, and said to be.
const MOST_MOMENTS: usize = 24;
/// The rows of a chart.
const HEIGHT: usize = 3;
/// Of passes to come.
const ASKS: &str = "asks for";

/// The answer for each of the other specs, in a sentence.
pub(super) fn answers(dry_run: &DryRun, options: &TextOptions) -> Vec<String> {
    let Some(minutes) = &dry_run.minutes else {
        return Vec::new();
    };
    let time = seconds_text(minutes.seconds);
    let current = dry_run.current.as_ref().and_then(|it| it.coming.as_ref());
    let shown = dry_run.candidates.iter().filter_map(|side| {
        let coming = side.coming.as_ref()?;
        let own = counts(coming)?;
        let first = current.and_then(|it| it.first_difference(coming));
        let place = match current.and_then(counts) {
            None => String::new(),
            Some(now) if now != own => format!(" instead of {now}"),
            Some(_) if current.is_some_and(|it| it.has_same_sizes(coming)) => {
                ", the same as current".to_owned()
            }
            Some(_) => ", as many as current".to_owned(),
        };
        let differ = first.zip(dry_run.current.as_ref());
        let differ = differ.map_or_else(String::new, |(at, current)| {
            let (at, now, instead) = (moment(at, options, TIME), end(current), end(side));
            format!("; the size first differs at {at}, and ends at {instead} (current: {now})")
        });
        Some(format!("{}: {own} in {time}{place}{differ}.", side.name))
    });
    shown.collect()
}

/// The size after the last pass.
pub(super) fn end(side: &Side) -> String {
    let whole = side.coming.as_ref().filter(|it| it.stopped.is_none());
    let last = whole.and_then(|it| it.passes.last());
    last.map_or_else(|| "unknown".to_owned(), |pass| range(pass.replicas))
}

/// `14 changes and 7 reversals`; nothing of what could not be run.
fn counts(coming: &Coming) -> Option<String> {
    let word = |range: Range, word: &str| match range.single() {
        Some(1) => format!("1 {word}"),
        _ => format!("{} {word}s", self::range(range)),
    };
    let changes = word(coming.changes, "change");
    let reversals = word(coming.reversals, "reversal");
    (!coming.passes.is_empty()).then(|| format!("{changes} and {reversals}"))
}

/// Every side's coming minutes.
pub(super) struct Whole<'a> {
    minutes: &'a Minutes,
    all: Vec<(&'a Side, &'a Coming)>,
    at: Timestamp,
    options: &'a TextOptions,
}

impl<'a> Whole<'a> {
    /// Nothing where no minutes were asked for.
    pub(super) fn of(dry_run: &'a DryRun, options: &'a TextOptions) -> Option<Self> {
        let all = sides(dry_run).filter_map(|side| Some((side, side.coming.as_ref()?)));
        Some(Self {
            minutes: dry_run.minutes.as_ref()?,
            all: all.collect(),
            at: dry_run.at,
            options,
        })
    }

    /// What is told of them.
    pub(super) fn blocks(&self) -> Vec<Block<'static>> {
        let changing = self.changing();
        let most = match self.options.verbosity {
            0 => MOST_MOMENTS.min(changing.len()),
            _ => changing.len(),
        };
        let (shown, more) = changing.split_at(most);
        let basis = self.basis().into_iter().map(Item::of).collect();
        let mut blocks = vec![
            Block::Gap,
            Block::Facts(Facts::titled("Coming", LEAD, basis)),
            Block::Gap,
            Block::Table(self.score()),
        ];
        if !shown.is_empty() {
            blocks.extend([Block::Gap, Block::Table(self.moments(shown))]);
        }
        if !more.is_empty() {
            let all = if self.options.is_page {
                "the passes have all"
            } else {
                "-v shows all"
            };
            let left_out = format!("and {}; {all}", counted(more.len(), "more moment"));
            blocks.push(Block::Prose(Prose::behind("  ", left_out)));
        }
        blocks.push(Block::Gap);
        // A page for a browser has them further up.
        let curves = self.curves().into_iter().filter(|_| !self.options.is_page);
        blocks.extend(curves.map(Block::Curve));
        blocks
    }

    /// The sizes of all sides in one chart, and how each comes to them.
    pub(super) fn timelines(&self, runs: &[RunPasses]) -> Vec<Block<'static>> {
        let curves = self.curves().into_iter().map(Block::Curve);
        let (span, ends) = self.span();
        let timelines = runs.iter().map(|it| it.timeline(span, &ends));
        curves.chain(timelines).collect()
    }

    /// Those entries, and behind them one for each of the passes to come.
    pub(super) fn strip(
        &self,
        mut now: Vec<PassEntry<'static>>,
        runs: &[RunPasses],
    ) -> Vec<Block<'static>> {
        let time = |second: i64| {
            Timestamp::from_second(second).map_or_else(|_| String::new(), |it| self.time(it))
        };
        let strip = Strip {
            asks: ASKS,
            time: &time,
            is_whole: true,
            elsewhere: "`-o json` has every pass.",
            options: self.options,
        };
        // The first pass to come is the same.
        for entry in &mut now {
            entry.kinds.clear();
        }
        strip.blocks(now, runs)
    }

    fn time(&self, at: Timestamp) -> String {
        moment(at, self.options, TIME)
    }

    fn name(&self, side: &Side) -> String {
        Page::new(self.options).name(&side.name, NAME)
    }

    fn score(&self) -> Table {
        let rows = self.all.iter().map(|(side, coming)| {
            let sizes = coming.passes.iter().map(|pass| pass.replicas);
            let sizes = sizes.reduce(Range::join);
            let Average { from, to } = coming.average_replicas;
            let (from, to) = (format!("{from:.1}"), format!("{to:.1}"));
            let average = if from == to {
                to
            } else {
                format!("{from}..{to}")
            };
            let number =
                |title, text| Cell::number(title, sizes.map_or_else(|| "-".to_owned(), |_| text));
            Row::of([
                Cell::text("SIDE", side.name.clone()),
                number("CHANGES", range(coming.changes)),
                number("REVERSALS", range(coming.reversals)),
                number("SIZES", sizes.map_or_else(String::new, range)),
                number("ON AVERAGE", average),
            ])
        });
        Table::of(rows)
    }

    fn basis(&self) -> Vec<String> {
        let mut reported = vec![self.load()];
        if let ForecastLoad::Recorded { until, gaps, .. } = &self.minutes.load {
            reported.extend(gaps.iter().map(|gap| {
                let (from, to) = (self.time(gap.from), self.time(gap.to));
                format!("The record has no sample from {from} to {to}: the load before it stays.")
            }));
            reported.extend(self.end_of_record(*until));
        }
        let sides = self.all.iter().flat_map(|(side, coming)| {
            let reported = self.of_side(side, coming).into_iter();
            reported.map(|text| (self.name(side), text))
        });
        reported.extend(grouped(sides));
        reported
    }

    fn load(&self) -> String {
        let time = seconds_text(self.minutes.seconds);
        let every = seconds_text(self.minutes.every_seconds);
        let spread = "spread over the pods of each side";
        let steps = format!("{time}, a pass every {every}");
        match self.minutes.load {
            ForecastLoad::Constant => {
                format!("{steps}. The load stays as it is, {spread}; new pods count at once.")
            }
            ForecastLoad::Recorded { starts, .. } => {
                let pods = match starts {
                    0 => "No pod starts in the record, so new pods count at once.",
                    _ => "New pods become Ready and get their first sample as in the record.",
                };
                format!(
                    "{steps}. The load is the recorded one, {spread}. {pods} Changes of the \
                     size that were not the HPA's are not repeated."
                )
            }
        }
    }

    /// What is said where the record ends before the time does.
    fn end_of_record(&self, until: Option<Timestamp>) -> Option<String> {
        let last = until.unwrap_or(self.at);
        let left = self.minutes.seconds - last.duration_since(self.at).as_secs();
        let is_short =
            until.is_none() || left > self.minutes.every_seconds.max(SAMPLE_REACH_SECONDS);
        is_short.then(|| {
            let last = self.time(last);
            format!("The record ends at {last}: after that, its last load stays.")
        })
    }

    fn of_side(&self, side: &Side, coming: &Coming) -> Vec<String> {
        let mut reported = Vec::new();
        let view = View::of(&side.trace, self.options);
        let metrics = coming.taken_constant.iter();
        let metrics = metrics.filter_map(|at| side.trace.metrics.get(*at));
        let names: Vec<String> = metrics.map(|metric| view.metric_name(metric)).collect();
        if !names.is_empty() {
            reported.push(format!(
                "{} {} assumed not to change with the size.",
                names.join(", "),
                plural(names.len(), "is", "are")
            ));
        }
        let is_run = coming.passes.get(1).is_some_and(|pass| !pass.is_mute());
        let is_constant = matches!(self.minutes.load, ForecastLoad::Constant);
        if is_constant && is_run && side.trace.has_set_aside() {
            let until = match side.trace.verdict.word {
                Word::Stuck => format!("size stays at {}", side.trace.outcome.current_replicas),
                _ => "later passes differ".to_owned(),
            };
            reported.push(format!(
                "pods that have no sample or are not Ready now are assumed to be healthy from the \
                 second pass on; while they are not, the {until}."
            ));
        }
        if is_open(coming) {
            reported.push(
                "the controller's memory is known only in part; where several sizes are possible, \
                 such as 4..9, all of them are followed."
                    .to_owned(),
            );
        }
        match coming.passes.iter().filter(|pass| pass.is_mute()).count() {
            0 => {}
            _ if unselected(side).is_some() => reported.extend(unselected(side)),
            count => reported.push(format!(
                "in {count} of {} passes a metric fails, so the size stays.",
                coming.passes.len()
            )),
        }
        reported.extend(coming.stopped.as_ref().map(|stopped| {
            let at = self.time(stopped.at);
            format!("the run stops at {at}: {}.", stopped.why)
        }));
        reported
    }

    /// The passes at which some size changes.
    fn changing(&self) -> Vec<usize> {
        let longest = self.all.iter().map(|(_, coming)| coming.passes.len()).max();
        let is_changing = |at: &usize| {
            let mut passes = self.all.iter().filter_map(|(_, it)| it.passes.get(*at));
            passes.any(ComingPass::is_change)
        };
        (0..longest.unwrap_or_default())
            .filter(is_changing)
            .collect()
    }

    /// All sides at some passes.
    fn moments(&self, passes: &[usize]) -> Table {
        let rows = passes.iter().map(|at| {
            let mut passes = self.all.iter().filter_map(|(_, it)| it.passes.get(*at));
            let time = passes.next().map_or(String::new(), |it| self.time(it.at));
            let mut cells = vec![Cell::text("TIME", time)];
            let mut reasons = Vec::new();
            for (side, coming) in &self.all {
                let pass = coming.passes.get(*at);
                let name = self.name(side);
                cells.push(Cell::text(name.clone(), pass.map_or("-".to_owned(), step)));
                if let Some(pass) = pass.filter(|pass| pass.is_change()) {
                    reasons.push((name, SizeDecision::from(pass).why(ASKS)));
                }
            }
            cells.push(Cell::sentences("WHY", grouped(reasons).join("; ")));
            Row::of(cells)
        });
        Table::of(rows)
    }

    /// A chart a side, to one scale; none where no size ever changes.
    fn curves(&self) -> Vec<Curve<'static>> {
        let passes = || self.all.iter().flat_map(|(_, coming)| &coming.passes);
        if !passes().any(ComingPass::is_change) {
            return Vec::new();
        }
        let reach: Vec<i64> = passes().map(|pass| i64::from(pass.replicas.to)).collect();
        let curves = self.all.iter();
        let curves = curves.map(|(side, coming)| self.curve(side, coming, &reach));
        curves.collect()
    }

    /// From when until when, and what that is called.
    fn span(&self) -> ((i64, i64), (String, String)) {
        let from = self.at.as_second();
        let length = SignedDuration::from_secs(self.minutes.seconds);
        let until = self.at.checked_add(length).unwrap_or(self.at);
        let span = (from, from.saturating_add(self.minutes.seconds));
        (span, (self.time(self.at), self.time(until)))
    }

    fn curve_name(&self, side: &Side, coming: &Coming) -> String {
        let which = if is_open(coming) { " (at most)" } else { "" };
        format!("{}{which}", self.name(side))
    }

    /// The passes of each side that could be run.
    pub(super) fn runs(&self) -> Vec<RunPasses> {
        let run = |(side, coming): &(&Side, &Coming)| {
            let view = View::of(&side.trace, self.options);
            let metrics = side.trace.metrics.as_slice();
            let several = metrics.iter().filter(|_| metrics.len() > 1);
            let names = several.map(|it| view.metric_name(it));
            let pass = |pass: &ComingPass| RunPass {
                second: pass.at.as_second(),
                decision: pass.into(),
                proposals: pass.proposals.clone(),
                stabilized: pass.stabilized,
                world: None,
                page: pass.page.clone(),
            };
            RunPasses {
                name: self.curve_name(side, coming),
                bounds: side.trace.bounds,
                metrics: names.collect(),
                passes: coming.passes.iter().map(pass).collect(),
            }
        };
        self.all.iter().map(run).collect()
    }

    fn curve(&self, side: &Side, coming: &Coming, reach: &[i64]) -> Curve<'static> {
        let first = coming.passes.first();
        let found = first.map(|pass| (self.at.as_second(), pass.current_replicas.to));
        let points = coming.passes.iter();
        let points = points.map(|pass| (pass.at.as_second(), pass.replicas.to));
        let points = found.into_iter().chain(points);
        let name = self.curve_name(side, coming);
        let (span, ends) = self.span();
        Curve {
            reach: reach.to_vec(),
            height: HEIGHT,
            is_side: true,
            ..Curve::of(("Size", &name), points, span, &ends)
        }
    }
}

/// What is said of sides; what is said of several is said once.
fn grouped(all: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let groups = by_key(all.into_iter().map(|(name, text)| (text, name)));
    let texts = groups.map(|(text, names)| format!("{}: {text}", names.join(", ")));
    texts.collect()
}

/// What is said of passes that end at the pods' selector.
fn unselected(side: &Side) -> Option<String> {
    let selector = side.trace.selector.as_ref();
    let failed = selector.filter(|it| it.error.is_some())?;
    let why = failed.rule.says();
    Some(format!(
        "every pass stops before the metrics ({why}), so the size stays."
    ))
}

/// Whether several sizes are possible.
fn is_open(coming: &Coming) -> bool {
    let mut passes = coming.passes.iter();
    passes.any(|pass| pass.replicas.single().is_none())
}

/// `13 → 4`, or the size that stays.
fn step(pass: &ComingPass) -> String {
    let (from, to) = (pass.current_replicas, pass.replicas);
    if from == to {
        range(to)
    } else {
        format!("{} → {}", range(from), range(to))
    }
}
