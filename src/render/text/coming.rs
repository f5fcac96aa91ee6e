//! The coming minutes of every side: how often the size changes and turns,
//! the moments at which it does, and both as charts.

use jiff::Timestamp;

use crate::render::chart::{Canvas, Chart};
use crate::trace::{
    Average, Coming, ComingPass, DryRun, LoadAhead, Minutes, Range, Side, seconds_text,
};

use super::TextOptions;
use super::dry_run::sides;
use super::page::Page;
use super::table::{Column, Row, Table};
use super::words::{View, range};

/// The most columns for the name of a side.
const NAME: usize = 16;
/// The same where there is no room for reasons.
const SHORT_NAME: usize = 13;
/// More moments than this are left out, and said to be.
const MOST_MOMENTS: usize = 24;
/// The rows of a chart.
const HEIGHT: usize = 3;
/// Nothing is gained by more columns.
const MOST_WIDTH: usize = 100;

/// What is to be said of the coming minutes.
pub(in crate::render) struct Ahead {
    /// What they rest on.
    pub(in crate::render) basis: Vec<String>,
    /// How often the size changes and turns, a row a side.
    pub(in crate::render) score: Table,
    /// The moments at which a size changes; none where none does.
    pub(in crate::render) moments: Option<Table>,
    /// The same for a page: as many sides in a table as it has room for.
    pub(in crate::render) blocks: Vec<Table>,
    /// Whether the page has no room for the reasons.
    pub(in crate::render) is_narrow: bool,
    /// How many moments were left out.
    pub(in crate::render) more: usize,
    /// A chart a side.
    pub(in crate::render) charts: Vec<String>,
}

/// The coming minutes, if they were asked for.
pub(in crate::render) fn ahead(dry_run: &DryRun, options: &TextOptions) -> Option<Ahead> {
    let minutes = dry_run.minutes.as_ref()?;
    let all: Vec<(&Side, &Coming)> = sides(dry_run)
        .filter_map(|side| Some((side, side.coming.as_ref()?)))
        .collect();
    let whole = Whole {
        minutes,
        all,
        at: dry_run.at,
        options,
    };
    let changing = whole.changing();
    let most = match options.verbosity {
        0 => MOST_MOMENTS.min(changing.len()),
        _ => changing.len(),
    };
    let (told, more) = changing.split_at(most);
    let is_narrow = whole.is_narrow(told);
    Some(Ahead {
        basis: whole.basis(),
        score: whole.score(),
        moments: (!told.is_empty()).then(|| whole.moments(&whole.all, told, true)),
        blocks: whole.blocks(told, is_narrow),
        is_narrow,
        more: more.len(),
        charts: whole.charts(),
    })
}

/// What is said of moments that are left out.
pub(in crate::render) fn left_out(ahead: &Ahead) -> Option<String> {
    let moments = if ahead.more == 1 { "moment" } else { "moments" };
    (ahead.more > 0).then(|| format!("and {} more {moments}; -v shows all", ahead.more))
}

/// What is said where the page has no room for the reasons.
pub(super) fn without_reasons(ahead: &Ahead) -> Option<&'static str> {
    ahead.is_narrow.then_some("-o markdown has the reasons")
}

/// The answer for each of the other specs, in a sentence.
pub(in crate::render) fn answers(dry_run: &DryRun) -> Vec<String> {
    let Some(minutes) = &dry_run.minutes else {
        return Vec::new();
    };
    let time = seconds_text(minutes.seconds);
    let current = dry_run.current.as_ref().and_then(|it| it.coming.as_ref());
    let told = dry_run.candidates.iter().filter_map(|side| {
        let own = counts(side.coming.as_ref()?)?;
        let place = match current.and_then(counts) {
            None => String::new(),
            Some(now) if now == own => ", as many as now".to_owned(),
            Some(now) => format!(", in place of {now}"),
        };
        Some(format!("{}: {own} in {time}{place}.", side.name))
    });
    told.collect()
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

/// Every side's minutes.
struct Whole<'a> {
    minutes: &'a Minutes,
    all: Vec<(&'a Side, &'a Coming)>,
    at: Timestamp,
    options: &'a TextOptions,
}

impl Whole<'_> {
    fn page(&self) -> Page {
        Page::new(self.options)
    }

    fn time(&self, at: Timestamp) -> String {
        let zoned = at.to_zoned(self.options.zone.clone());
        zoned.strftime("%H:%M:%S").to_string()
    }

    fn basis(&self) -> Vec<String> {
        let mut said = vec![self.load()];
        if let LoadAhead::Recorded { until, gaps } = &self.minutes.load {
            said.extend(gaps.iter().map(|gap| {
                let (from, to) = (self.time(gap.from), self.time(gap.to));
                format!("Nothing was recorded from {from} to {to}: the load before it stays.")
            }));
            said.extend(self.end_of_record(*until));
        }
        let sides = self.all.iter().flat_map(|(side, coming)| {
            let said = self.of_side(side, coming).into_iter();
            said.map(|text| (self.name(side), text))
        });
        said.extend(grouped(sides));
        said
    }

    fn name(&self, side: &Side) -> String {
        self.page().name(&side.name, NAME)
    }

    fn load(&self) -> String {
        let time = seconds_text(self.minutes.seconds);
        let every = seconds_text(self.minutes.every_seconds);
        let spread = "spread over the pods of each side, which count at once";
        let steps = format!("{time}, a pass every {every}");
        match self.minutes.load {
            LoadAhead::Constant => format!("{steps}. The load stays as it is, {spread}."),
            LoadAhead::Recorded { .. } => format!(
                "{steps}. The load is what the record's metrics measured in all, that is what its \
                 pods served, {spread}. What others did to the size is not repeated."
            ),
        }
    }

    /// What is said where the record ends before the time does.
    fn end_of_record(&self, until: Option<Timestamp>) -> Option<String> {
        let last = until.unwrap_or(self.at);
        let left = self.minutes.seconds - last.duration_since(self.at).as_secs();
        let is_short = until.is_none() || left > self.minutes.every_seconds.max(60);
        is_short.then(|| {
            let last = self.time(last);
            format!("The record ends at {last}: from then on its load stays.")
        })
    }

    fn of_side(&self, side: &Side, coming: &Coming) -> Vec<String> {
        let mut said = Vec::new();
        let view = View {
            trace: &side.trace,
            options: self.options,
            page: self.page(),
            squeeze: 0,
        };
        let metrics = coming.taken_constant.iter();
        let metrics = metrics.filter_map(|at| side.trace.metrics.get(*at));
        let names: Vec<String> = metrics.map(|metric| view.metric_name(metric)).collect();
        if !names.is_empty() {
            said.push(format!(
                "{} is taken not to change with the size.",
                names.join(", ")
            ));
        }
        if coming
            .passes
            .iter()
            .any(|it| it.replicas.single().is_none())
        {
            said.push(
                "what the controller remembers is known only in part; where that leaves several \
                 sizes, such as 4..9, all of them are followed."
                    .to_owned(),
            );
        }
        match coming.passes.iter().filter(|pass| pass.is_mute()).count() {
            0 => {}
            count => said.push(format!(
                "the metrics give no number at {count} of {} passes, which change nothing.",
                coming.passes.len()
            )),
        }
        said.extend(coming.stopped.as_ref().map(|stopped| {
            let at = self.time(stopped.at);
            format!("not run from {at} on: {}.", stopped.why)
        }));
        said
    }

    fn score(&self) -> Table {
        let rows = self.all.iter().map(|(side, coming)| {
            let sizes = coming.passes.iter().map(|pass| pass.replicas);
            let cells = sizes.reduce(Range::join).map(|sizes| {
                let Average { from, to } = coming.average_replicas;
                let (from, to) = (format!("{from:.1}"), format!("{to:.1}"));
                [
                    range(coming.changes),
                    range(coming.reversals),
                    range(sizes),
                    if from == to {
                        to
                    } else {
                        format!("{from}..{to}")
                    },
                ]
            });
            let cells = cells.unwrap_or_else(|| ["-"; 4].map(str::to_owned));
            Row {
                cells: [vec![side.name.clone()], cells.to_vec()].concat(),
                ..Row::default()
            }
        });
        Table {
            rows: rows.collect(),
            columns: vec![
                Column::new("SIDE", false, u8::MAX),
                Column::new("CHANGES", true, 8),
                Column::new("REVERSALS", true, 9),
                Column::new("SIZES", true, 7),
                Column::new("ON AVERAGE", true, 6),
            ],
        }
    }

    /// The passes at which some size changes.
    fn changing(&self) -> Vec<usize> {
        let longest = self.all.iter().map(|(_, coming)| coming.passes.len()).max();
        let all = 0..longest.unwrap_or_default();
        all.filter(|at| is_changing(&self.all, *at)).collect()
    }

    /// Some sides at some passes.
    fn moments(&self, sides: &[(&Side, &Coming)], passes: &[usize], has_why: bool) -> Table {
        let most = if has_why { NAME } else { SHORT_NAME };
        let rows = passes.iter().map(|at| self.moment(sides, *at));
        let names = sides.iter().zip((0..u8::MAX).rev());
        let name = |side: &Side| self.page().name(&side.name, most);
        let mut columns = vec![Column::new("TIME", false, u8::MAX)];
        columns.extend(names.map(|((side, _), keep)| Column::named(name(side), keep)));
        columns.extend(has_why.then(|| Column::of_sentences("WHY")));
        Table {
            rows: rows.collect(),
            columns,
        }
    }

    /// Whether a side's moments and reasons do not fit beside each other.
    fn is_narrow(&self, passes: &[usize]) -> bool {
        let fits = |side: &(&Side, &Coming)| {
            let alone = std::slice::from_ref(side);
            self.moments(alone, passes, true).fits(self.page())
        };
        !passes.is_empty() && !self.all.iter().all(fits)
    }

    /// As many sides in a table as the page has room for, each table with the
    /// passes at which one of its sides changes.
    fn blocks(&self, passes: &[usize], is_narrow: bool) -> Vec<Table> {
        let mut blocks = Vec::new();
        let mut rest = &self.all[..];
        while !rest.is_empty() && !passes.is_empty() {
            let fits = |count: &usize| {
                let table = self.moments(&rest[..*count], passes, !is_narrow);
                table.fits(self.page())
            };
            let count = (1..=rest.len()).take_while(fits).last().unwrap_or(1);
            let (sides, others) = rest.split_at(count);
            let own = passes.iter().filter(|at| is_changing(sides, **at)).copied();
            let mut own: Vec<usize> = own.collect();
            if own.is_empty() {
                // The size that stays.
                own.extend(passes.first());
            }
            blocks.push(self.moments(sides, &own, !is_narrow));
            rest = others;
        }
        blocks
    }

    fn moment(&self, sides: &[(&Side, &Coming)], at: usize) -> Row {
        let mut passes = self.all.iter().filter_map(|(_, it)| it.passes.get(at));
        let time = passes.next().map_or(String::new(), |it| self.time(it.at));
        let mut cells = vec![time];
        let mut reasons = Vec::new();
        for (side, coming) in sides {
            let pass = coming.passes.get(at);
            cells.push(pass.map_or("-".to_owned(), step));
            if let Some(pass) = pass.filter(|pass| pass.is_change()) {
                reasons.push((self.name(side), why(pass)));
            }
        }
        cells.push(grouped(reasons).join("; "));
        Row {
            cells,
            ..Row::default()
        }
    }

    /// A chart a side, to one scale; none where no size ever changes.
    fn charts(&self) -> Vec<String> {
        let passes = || self.all.iter().flat_map(|(_, coming)| &coming.passes);
        if !passes().any(ComingPass::is_change) {
            return Vec::new();
        }
        let reach: Vec<i64> = passes().map(|pass| i64::from(pass.replicas.to)).collect();
        let charts = self.all.iter();
        let charts = charts.flat_map(|(side, coming)| self.chart(side, coming, &reach));
        charts.collect()
    }

    fn chart(&self, side: &Side, coming: &Coming, reach: &[i64]) -> Vec<String> {
        let from = self.at.as_second();
        let to = from.saturating_add(self.minutes.seconds);
        let points = coming.passes.iter();
        let points = points.map(|pass| (pass.at.as_second(), i64::from(pass.replicas.to)));
        let points: Vec<(i64, i64)> = points.collect();
        let is_open = coming
            .passes
            .iter()
            .any(|it| it.replicas.single().is_none());
        let which = if is_open { " (at most)" } else { "" };
        let ends = (self.time(self.at), self.time(until(self.at, self.minutes)));
        let chart = Chart {
            points: &points,
            span: (from, to),
            ends: (&ends.0, &ends.1),
            reach,
        };
        let lines = chart.lines(Canvas {
            width: self.options.width.min(MOST_WIDTH).saturating_sub(2),
            height: HEIGHT,
            ascii: self.options.ascii,
        });
        if lines.is_empty() {
            return lines;
        }
        let lines = lines.into_iter().map(|line| format!("  {line}"));
        let title = format!("Size, {}{which}", self.name(side));
        std::iter::once(title).chain(lines).collect()
    }
}

fn is_changing(sides: &[(&Side, &Coming)], at: usize) -> bool {
    let mut passes = sides.iter().filter_map(|(_, it)| it.passes.get(at));
    passes.any(ComingPass::is_change)
}

fn until(at: Timestamp, minutes: &Minutes) -> Timestamp {
    let length = jiff::SignedDuration::from_secs(minutes.seconds);
    at.checked_add(length).unwrap_or(at)
}

/// What is said of sides; what is said of several is said once.
fn grouped(all: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let mut groups: Vec<(String, String)> = Vec::new();
    for (name, text) in all {
        match groups.iter_mut().find(|(_, own)| *own == text) {
            Some((names, _)) => *names = format!("{names}, {name}"),
            None => groups.push((name, text)),
        }
    }
    let groups = groups.into_iter();
    groups
        .map(|(names, text)| format!("{names}: {text}"))
        .collect()
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

/// Why a pass leaves the size that it does.
fn why(pass: &ComingPass) -> String {
    let Some(asked) = pass.asked else {
        return match pass.held_by {
            Some("TooManyReplicas") => "is above maxReplicas".to_owned(),
            Some(_) => "is below minReplicas".to_owned(),
            None => "has no number".to_owned(),
        };
    };
    let held = match pass.held_by {
        Some(reason) => format!(", {} ({reason})", held_by(reason)),
        None if pass.replicas == asked => String::new(),
        None => ", what is remembered decides".to_owned(),
    };
    format!("asks for {}{held}", range(asked))
}

fn held_by(reason: &str) -> &'static str {
    match reason {
        "ScaleUpStabilized" | "ScaleDownStabilized" => "held by the window",
        "ScaleUpLimit" | "ScaleDownLimit" => "limited by rate",
        _ => "limited by the bounds",
    }
}
