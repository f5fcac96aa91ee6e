//! The coming minutes of every side: how often the size changes and turns,
//! the moments at which it does, and both as charts.

mod basis;
mod charts;
mod moments;

use crate::trace::amount::plural;
use jiff::Timestamp;

use crate::trace::{Average, Coming, DryRun, Minutes, Range, Side, seconds_text};

use crate::render::text::TextOptions;
use crate::render::text::page::Page;
use crate::render::text::table::{Column, Row, Table};
use crate::render::text::words::range;

use super::sides;

/// The most columns for the name of a side.
const NAME: usize = 16;
/// More moments than this are left out, and said to be.
const MOST_MOMENTS: usize = 24;

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
    let moments = plural(ahead.more, "moment", "moments");
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

    fn name(&self, side: &Side) -> String {
        self.page().name(&side.name, NAME)
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
