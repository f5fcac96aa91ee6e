//! The passes under one or several specs, on a page for a browser: a timeline of each
//! spec, and a strip in which those in a row that decided the same are one entry.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::words::{list, range};
use super::{TextOptions, decision};
use crate::render::block::{Block, Cell, PassEntry, PassKind, Prose, Row, Table};
use crate::render::chart::Timeline;
use crate::trace::{
    BothSizes, Bounds, Range, SimulatedRun, SimulatedStep, SizeDecision, Trace, seconds_text,
};

/// More metrics have no line in a timeline.
pub(super) const MOST_METRICS: usize = 3;
/// So many clauses are listed on a page, which stays below 2 MiB.
const MOST_ENTRIES: usize = 10_000;
/// So many rows of numbers open there.
const MOST_ROWS: usize = 1_000;

/// The passes under a spec.
pub(super) struct RunPasses {
    pub(super) name: String,
    pub(super) bounds: Bounds,
    /// What its metrics are called; one needs no name.
    pub(super) metrics: Vec<String>,
    pub(super) passes: Vec<RunPass>,
}

/// A pass, as far as it is known.
pub(super) struct RunPass {
    /// When, in the seconds of the chart.
    pub(super) second: i64,
    pub(super) decision: SizeDecision,
    /// What each of several metrics asks for.
    pub(super) proposals: Vec<Option<Range>>,
    /// What stabilization leaves of what is asked for.
    pub(super) stabilized: Option<Range>,
    /// What only a simulation has.
    pub(super) world: Option<RunWorld>,
    /// The pass itself, where it opens to more than numbers.
    pub(super) page: Option<Arc<Trace>>,
}

/// What a simulated pass found, and what there really was.
pub(super) struct RunWorld {
    pub(super) load: String,
    pub(super) pods: Option<i32>,
    pub(super) serving: Option<i32>,
    pub(super) happened: Option<BothSizes>,
}

impl RunPasses {
    /// Those of a simulation, with the size that there really was at a second.
    pub(super) fn of(
        run: &SimulatedRun,
        amount: impl Fn(i64) -> String,
        happened: impl Fn(i64) -> Option<BothSizes>,
    ) -> Self {
        let pass = |step: &SimulatedStep| RunPass {
            second: step.second,
            decision: step.into(),
            proposals: Vec::new(),
            stabilized: step.stabilized.map(Range::of),
            world: Some(RunWorld {
                load: amount(step.demand),
                pods: step.pods,
                serving: step.serving,
                happened: happened(step.second),
            }),
            page: step.page.clone(),
        };
        Self {
            name: run.name.clone(),
            bounds: run.bounds,
            metrics: Vec::new(),
            passes: run.steps.iter().map(pass).collect(),
        }
    }

    /// What was asked for, what stabilization left of it, and what came of it. Of what
    /// is known only in part, the most.
    pub(super) fn timeline(&self, span: (i64, i64), ends: &(String, String)) -> Block<'static> {
        let line = |of: &dyn Fn(&RunPass) -> Option<i32>| {
            let points = self.passes.iter().map(|it| (it.second, of(it)));
            points.collect::<Vec<_>>()
        };
        let most = |it: Option<Range>| it.map(|it| it.to);
        let mut lines = vec![("desired".to_owned(), line(&|it| Some(it.decision.to.to)))];
        for (at, name) in self.metrics.iter().enumerate().take(MOST_METRICS) {
            let own = |it: &RunPass| most(*it.proposals.get(at)?);
            lines.push((format!("{name} asked for"), line(&own)));
        }
        if self.metrics.is_empty() {
            lines.push((
                "asked for".to_owned(),
                line(&|it| most(it.decision.recommended)),
            ));
        }
        let world = |of: fn(&RunWorld) -> Option<i32>| move |it: &RunPass| of(it.world.as_ref()?);
        lines.extend([
            (
                "after stabilization".to_owned(),
                line(&|it| most(it.stabilized)),
            ),
            ("pods".to_owned(), line(&world(|it| it.pods))),
            ("pods that serve".to_owned(), line(&world(|it| it.serving))),
        ]);
        let title = format!("Passes, {}", self.name);
        let bounds = [(span.0, self.bounds)];
        Block::Timeline(Timeline::of_sizes(&title, lines, &bounds, span, ends))
    }
}

/// So many seconds from the start on, and what their ends are called.
pub(super) fn whole_span(seconds: i64) -> ((i64, i64), (String, String)) {
    ((0, seconds), ("0s".to_owned(), seconds_text(seconds)))
}

/// A pass under a spec, with its name.
type RunStep<'p> = (&'p RunPasses, &'p RunPass);

/// How passes are told.
pub(super) struct Strip<'p> {
    /// In the words of what is over, or still to come.
    pub(super) asks: &'static str,
    /// When a pass is.
    pub(super) time: &'p dyn Fn(i64) -> String,
    /// Whether none is left out.
    pub(super) is_whole: bool,
    /// What has those that are left out.
    pub(super) elsewhere: &'static str,
    pub(super) options: &'p TextOptions,
}

impl Strip<'_> {
    /// An entry for passes in a row that decided the same under each spec, behind
    /// others. Of too many, those that change nothing are left out first.
    pub(super) fn blocks(
        &self,
        before: Vec<PassEntry<'static>>,
        runs: &[RunPasses],
    ) -> Vec<Block<'static>> {
        let mut moments: BTreeMap<i64, Vec<RunStep>> = BTreeMap::new();
        for run in runs {
            for pass in &run.passes {
                moments.entry(pass.second).or_default().push((run, pass));
            }
        }
        let moments: Vec<Vec<RunStep>> = moments.into_values().collect();
        let like = moments.chunk_by(|one, other| {
            let [one, other] = [one, other].map(|it| it.iter().map(|it| (&it.0.name, decided(it))));
            one.eq(other)
        });
        let happened = |it: &RunPass| it.world.as_ref().is_some_and(|it| it.happened.is_some());
        let has_happened = runs.iter().flat_map(|it| &it.passes).any(happened);
        let mut rows = MOST_ROWS;
        let entries = like.filter_map(|passes| {
            // Where passes are left out, nobody knows how many were like it.
            let shown = if self.is_whole {
                passes
            } else {
                passes.get(..1)?
            };
            let mut entry = self.entry(shown, runs.len() > 1)?;
            let sides = passes.first()?;
            let is_explained = sides.iter().any(|(_, it)| it.page.is_some());
            if !entry.kinds.is_empty() && (is_explained || sides.len() <= rows) {
                let numbers = sides.iter().map(|it| self.numbers(*it, has_happened));
                entry.page = vec![Block::Table(Table::of(numbers))];
                if is_explained {
                    entry.page.extend(self.pages(sides));
                } else {
                    rows -= sides.len();
                }
            }
            Some((sides.first()?.1.second, entry))
        });
        let mut entries: Vec<(i64, PassEntry)> = entries.collect();
        let shown = entries.len();
        // Each has a clause for each spec.
        let most = MOST_ENTRIES / (runs.len() + 1);
        if shown > most {
            entries.retain(|(_, it)| !it.kinds.is_empty());
        }
        let beyond = entries.get(most).map(|(second, _)| (self.time)(*second));
        entries.truncate(most);
        let entries: Vec<PassEntry> = entries.into_iter().map(|(_, it)| it).collect();
        let opening = entries.iter().filter(|it| !it.page.is_empty()).count();
        let explained = entries.iter().filter(|it| it.page.len() > 1).count();
        let matters = entries.iter().filter(|it| !it.kinds.is_empty()).count();
        let is_short = !self.is_whole || entries.len() < shown || opening < matters;
        let opens = format!(
            "{explained} of them can be opened to the whole pass, and {} to their numbers alone.",
            opening - explained
        );
        let says = if is_short {
            Some(format!(
                "There are too many passes to tell all: {matters} changes and differences are \
                 below{}. {opens} {}",
                beyond.map_or_else(String::new, |it| format!(", none from {it} on")),
                self.elsewhere
            ))
        } else {
            (explained < matters)
                .then(|| format!("{matters} entries are changes or differences. {opens}"))
        };
        let says = says.map(|it| Block::Prose(Prose::with_commands(it)));
        let entries = before.into_iter().chain(entries).collect();
        says.into_iter().chain([Block::Passes(entries)]).collect()
    }

    fn entry(&self, passes: &[Vec<RunStep>], are_several: bool) -> Option<PassEntry<'static>> {
        let sides = passes.first()?;
        let (_, first) = sides.first()?;
        let each = sides.iter().enumerate().map(|(at, (run, pass))| {
            let proposed = passes
                .iter()
                .filter_map(|it| it.get(at)?.1.decision.recommended);
            let decision = SizeDecision {
                recommended: proposed.reduce(Range::join),
                ..pass.decision
            };
            let happened = apart(pass).map_or_else(String::new, |(size, by_others)| {
                let by = if by_others {
                    ", set by someone else"
                } else {
                    ""
                };
                format!(" (happened: {size}{by})")
            });
            let says = decision.change(self.asks) + &happened;
            if are_several {
                format!("{}: {says}", run.name)
            } else {
                says
            }
        });
        let says = each.collect::<Vec<_>>().join("; ");
        let differs = |it: &RunStep| apart(it.1).is_some() || decided(it) != decided(&sides[0]);
        let kinds = [
            (
                PassKind::Change,
                sides.iter().any(|(_, it)| it.decision.is_change()),
            ),
            (PassKind::Difference, sides.iter().any(differs)),
        ];
        let begins = (self.time)(first.second);
        Some(PassEntry::of(&begins, passes.len(), says, kinds))
    }

    /// How a pass decided under each spec, where that is known.
    fn pages(&self, sides: &[RunStep]) -> Vec<Block<'static>> {
        let options = TextOptions {
            // Nothing can be read of a pass that has not run.
            live: false,
            unread: Vec::new(),
            is_simulated: sides.iter().any(|(_, pass)| pass.world.is_some()),
            verbosity: 0,
            ..self.options.clone()
        };
        // What is the same under several specs is told once.
        let mut pages: Vec<(Vec<String>, Option<&Arc<Trace>>)> = Vec::new();
        for (run, pass) in sides {
            let page = pass.page.as_ref();
            match pages.iter_mut().find(|(_, other)| *other == page) {
                Some((names, _)) => names.push(run.name.clone()),
                None => pages.push((vec![run.name.clone()], page)),
            }
        }
        let each = pages.into_iter().flat_map(|(names, page)| {
            let name = match page {
                Some(_) => "",
                None => "only the numbers above are known.",
            };
            let under = format!("Under {}: ", list(names, usize::MAX));
            let name = Block::Prose(Prose::behind(under, name));
            let page = page.map(|it| decision(it, &options)).unwrap_or_default();
            std::iter::once(name).chain(page)
        });
        each.collect()
    }

    /// A pass under a spec, in numbers; with what there really was, where that is known.
    fn numbers(&self, (run, pass): RunStep, has_happened: bool) -> Row {
        let size = |it: Option<Range>| it.map_or("-".to_owned(), range);
        let mut cells = vec![Cell::text("SPEC", run.name.clone())];
        if let Some(world) = &pass.world {
            let count = |it: Option<i32>| size(it.map(Range::of));
            cells.extend([
                Cell::number("LOAD", world.load.clone()),
                Cell::number("PODS", count(world.pods)),
                Cell::number("SERVING", count(world.serving)),
            ]);
            if has_happened {
                cells.push(Cell::number(
                    "HAPPENED",
                    count(world.happened.map(|it| it.happened)),
                ));
            }
        }
        let each = run.metrics.iter().zip(&pass.proposals);
        let each = each.map(|(name, proposed)| format!("{name} {}", size(*proposed)));
        let proposed = match each.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => size(pass.decision.recommended),
            each => each,
        };
        cells.extend([
            Cell::number("ASKED FOR", proposed),
            Cell::number("STABILIZED", size(pass.stabilized)),
            Cell::sentences("DECISION", pass.decision.change(self.asks)),
        ]);
        Row::of(cells)
    }
}

/// What happened, where that is not what is simulated, and whether someone else set it.
fn apart(pass: &RunPass) -> Option<(i32, bool)> {
    let it = pass.world.as_ref()?.happened?;
    it.is_apart.then_some((it.happened, it.set_by_others))
}

/// What passes in a row have in common, with what happened instead.
fn decided((_, pass): &RunStep) -> impl PartialEq + use<> {
    (pass.decision.in_common(), apart(pass))
}
