//! The coming minutes of every side: how often the size changes and turns,
//! the moments at which it does, and both as charts.

use jiff::Timestamp;

use crate::render::chart::{Canvas, Chart};
use crate::trace::{
    Coming, ComingPass, Course, DryRun, LoadAhead, Minutes, Range, Side, seconds_text, short,
};

use super::TextOptions;
use super::dry_run::sides;
use super::page::Page;
use super::table::{Column, Row, Table};
use super::words::{View, range};

/// The most columns for the name of a side.
const NAME: usize = 16;
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
    let (moments, more) = whole.moments();
    Some(Ahead {
        basis: whole.basis(),
        score: whole.score(),
        moments,
        more,
        charts: whole.charts(),
    })
}

/// What is said of moments that are left out.
pub(in crate::render) fn left_out(ahead: &Ahead) -> Option<String> {
    let moments = if ahead.more == 1 { "moment" } else { "moments" };
    (ahead.more > 0).then(|| format!("and {} more {moments}; -v shows all", ahead.more))
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
        let now = current.and_then(counts);
        let place = now.map_or(String::new(), |now| format!(", in place of {now}"));
        Some(format!("{}: {own} in {time}{place}.", side.name))
    });
    told.collect()
}

/// `14 changes and 7 reversals`.
fn counts(coming: &Coming) -> Option<String> {
    let changes = joined(coming, |course| course.changes)?;
    let reversals = joined(coming, |course| course.reversals)?;
    let word = |range: Range, word: &str| match range.single() {
        Some(1) => format!("1 {word}"),
        _ => format!("{} {word}s", self::range(range)),
    };
    Some(format!(
        "{} and {}",
        word(changes, "change"),
        word(reversals, "reversal")
    ))
}

fn joined(coming: &Coming, count: impl Fn(&Course) -> usize) -> Option<Range> {
    let counts = coming.courses.iter().map(count);
    let counts = counts.map(|count| i32::try_from(count).unwrap_or(i32::MAX));
    counts.map(Range::of).reduce(Range::join)
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
        for (side, coming) in &self.all {
            said.extend(self.of_side(side, coming));
        }
        said
    }

    fn load(&self) -> String {
        let time = seconds_text(self.minutes.seconds);
        let every = seconds_text(self.minutes.every_seconds);
        let spread = "spread over the pods of each side, which count at once";
        match self.minutes.load {
            LoadAhead::Constant => {
                format!("{time}, a pass every {every}. The load stays as it is, {spread}.")
            }
            LoadAhead::Recorded { .. } => format!(
                "{time}, a pass every {every}. The load is the record's: what its pods served in \
                 all, {spread}. What others did to the size is not repeated."
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
        let name = &side.name;
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
                "{name}: {} is taken not to change with the size.",
                names.join(", ")
            ));
        }
        if coming.courses.len() > 1 {
            said.push(format!(
                "{name}: what the controller remembers is known only in part. Where that leaves \
                 several sizes, both ends are followed: the smallest at every pass, and the \
                 largest."
            ));
        }
        let passes = coming.courses.first().map_or(&[][..], |it| &it.passes);
        let is_mute = |pass: &&ComingPass| pass.asked.is_none() && pass.held_by.is_none();
        let mute = passes.iter().filter(is_mute).filter(|it| it.replicas > 0);
        match mute.count() {
            0 => {}
            count => said.push(format!(
                "{name}: the metrics give no number at {count} of {} passes, which change nothing.",
                passes.len()
            )),
        }
        said.extend(coming.stopped.as_ref().map(|stopped| {
            let at = self.time(stopped.at);
            format!("{name}: not run from {at} on: {}.", stopped.why)
        }));
        said
    }

    fn score(&self) -> Table {
        let rows = self.all.iter().map(|(side, coming)| {
            let count = |count: fn(&Course) -> usize| joined(coming, count).map(range);
            let sizes = coming.courses.iter().flat_map(|course| &course.passes);
            let sizes = sizes.map(|pass| Range::of(pass.replicas));
            let averages = coming.courses.iter().map(|it| it.average_replicas);
            let (least, most) = averages.fold((f64::MAX, 0.0_f64), |(least, most), it| {
                (least.min(it), most.max(it))
            });
            let (least, most) = (short(least, 1), short(most, 1));
            let average = match sizes.clone().next() {
                None => None,
                Some(_) if least == most => Some(most),
                Some(_) => Some(format!("{least}..{most}")),
            };
            let cells = [
                count(|course| course.changes),
                count(|course| course.reversals),
                sizes.reduce(Range::join).map(range),
                average,
            ];
            let cells = cells.map(|cell| cell.unwrap_or_else(|| "-".to_owned()));
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

    /// The moments at which some size changes, and how many more there are.
    fn moments(&self) -> (Option<Table>, usize) {
        let longest = self.all.iter().flat_map(|(_, coming)| &coming.courses);
        let longest = longest.map(|course| course.passes.len()).max();
        let changing = (0..longest.unwrap_or_default()).filter(|at| {
            let mut sides = self.all.iter();
            sides.any(|(_, coming)| passes(coming, *at).any(ComingPass::is_change))
        });
        let changing: Vec<usize> = changing.collect();
        let most = if self.options.verbosity > 0 {
            usize::MAX
        } else {
            MOST_MOMENTS
        };
        let rows = changing.iter().take(most).map(|at| self.moment(*at));
        let rows: Vec<Row> = rows.collect();
        let more = changing.len() - rows.len();
        let names = self.all.iter().zip((0..u8::MAX).rev());
        let mut columns = vec![Column::new("TIME", false, u8::MAX)];
        columns.extend(names.map(|((side, _), keep)| {
            let name = self.page().name(&side.name, NAME);
            Column::named(name, keep)
        }));
        columns.push(Column::of_sentences("WHY"));
        ((!rows.is_empty()).then_some(Table { columns, rows }), more)
    }

    fn moment(&self, at: usize) -> Row {
        let mut all = self.all.iter();
        let time = all.find_map(|(_, coming)| passes(coming, at).next());
        let mut cells = vec![time.map_or(String::new(), |pass| self.time(pass.at))];
        let mut reasons = Vec::new();
        for (side, coming) in &self.all {
            cells.push(step(coming, at));
            if passes(coming, at).any(ComingPass::is_change) {
                let name = self.page().name(&side.name, NAME);
                reasons.push(format!("{name} {}", why(coming, at)));
            }
        }
        cells.push(reasons.join("; "));
        Row {
            cells,
            ..Row::default()
        }
    }

    /// A chart a side, to one scale; none where no size ever changes.
    fn charts(&self) -> Vec<String> {
        if !self.all.iter().any(|(_, coming)| coming.has_changes()) {
            return Vec::new();
        }
        let courses = || self.all.iter().flat_map(|(_, coming)| &coming.courses);
        let passes = courses().flat_map(|course| &course.passes);
        let reach: Vec<i64> = passes.map(|pass| i64::from(pass.replicas)).collect();
        let charts = self.all.iter().flat_map(|(side, coming)| {
            let last = coming.courses.len();
            let courses = coming.courses.iter().enumerate();
            courses.flat_map(move |(at, course)| {
                let which = match (last, at) {
                    (1, _) => "",
                    (_, 0) => ", the smallest at every pass",
                    _ => ", the largest at every pass",
                };
                vec![(format!("{}{which}", side.name), course)]
            })
        });
        charts
            .flat_map(|(title, course)| self.chart(&title, course, &reach))
            .collect()
    }

    fn chart(&self, title: &str, course: &Course, reach: &[i64]) -> Vec<String> {
        let from = self.at.as_second();
        let to = from.saturating_add(self.minutes.seconds);
        let points = course.passes.iter();
        let points = points.map(|pass| (pass.at.as_second(), i64::from(pass.replicas)));
        let points: Vec<(i64, i64)> = points.collect();
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
        let title = format!("Size, {}", self.page().clean(title));
        std::iter::once(title).chain(lines).collect()
    }
}

fn until(at: Timestamp, minutes: &Minutes) -> Timestamp {
    let length = jiff::SignedDuration::from_secs(minutes.seconds);
    at.checked_add(length).unwrap_or(at)
}

/// A pass of every course.
fn passes(coming: &Coming, at: usize) -> impl Iterator<Item = &ComingPass> {
    let courses = coming.courses.iter();
    courses.filter_map(move |course| course.passes.get(at))
}

/// `13 → 4`, or the size that stays.
fn step(coming: &Coming, at: usize) -> String {
    let join = |size: fn(&ComingPass) -> i32| {
        let sizes = passes(coming, at).map(|pass| Range::of(size(pass)));
        sizes.reduce(Range::join)
    };
    match (join(|it| it.current_replicas), join(|it| it.replicas)) {
        (Some(from), Some(to)) if from == to => range(to),
        (Some(from), Some(to)) => format!("{} → {}", range(from), range(to)),
        _ => "-".to_owned(),
    }
}

/// Why a pass leaves the size that it does.
fn why(coming: &Coming, at: usize) -> String {
    let asked = passes(coming, at).filter_map(|pass| pass.asked);
    let asked = asked.map(Range::of).reduce(Range::join);
    let mut held: Vec<Option<&str>> = passes(coming, at).map(|pass| pass.held_by).collect();
    held.dedup();
    let mut text = match asked {
        Some(asked) => format!("asks for {}", range(asked)),
        None => "is outside of the bounds".to_owned(),
    };
    for reason in held.iter().flatten() {
        let perhaps = if held.len() > 1 { "perhaps " } else { "" };
        text = format!("{text}, {perhaps}{} ({reason})", held_by(reason));
    }
    text
}

fn held_by(reason: &str) -> &'static str {
    match reason {
        "ScaleUpStabilized" | "ScaleDownStabilized" => "held by the window",
        "ScaleUpLimit" | "ScaleDownLimit" => "limited by rate",
        _ => "limited by the bounds",
    }
}
