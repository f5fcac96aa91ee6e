//! Which HPAs flap or are stuck, by which mechanism, and what helps.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use rayon::prelude::*;

use crate::cli::past::confirm::{RecordedLoads, confirm};
use crate::cli::past::reading::{Instant, Reading};
use crate::cli::past::story::{LONGEST_STORY, RecordTime, of_record, of_scrapes};
use crate::cli::past::{self, moment};
use crate::cli::{
    connection::Connection, exit::ExitStatus, failure::Failure, options, options::Output,
    page::PageFlags, past::PastOrMoment, past::prometheus::span, printer::Printer,
    terminal::Terminal, waiting::Progress, which::Read, which::Which,
};
use crate::collect::RoomReading;
use crate::controller::Settings;
use crate::document::snapshot::Snapshot;
use crate::flaps::ObservedPasses;
use crate::history::Observer;
use crate::render::FormatKind;
use crate::trace::{self, Story};
use crate::what_if;

use crate::cli::commands::list::listing::nothing;

const MORE: &str = "\
The API server keeps events for one hour, and of equal ones only the first and
the last time, so events give a lower bound. A record (`watch --record`) and the
controller's log show more, a Prometheus that scrapes kube-state-metrics reaches
further back. With a record, fixes are tried by simulation.";

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain flaps -A                    every HPA, worst first
  kubectl hpa-explain flaps -A --exit-code -o name
                                                  the same for a script
  kubectl hpa-explain flaps web -n shop           one: why, and what helps
  kubectl hpa-explain flaps web -n shop --history web.jsonl \\
    --controller-log kcm.log                      with a record and a log
  kubectl hpa-explain flaps web -n shop --prometheus http://localhost:9090
                                                  with a day of scraped sizes
  kubectl hpa-explain flaps --history web.jsonl --at -0s
                                                  at its end, no cluster
  kubectl hpa-explain flaps --snapshot all.jsonl  what `capture -A` wrote";

#[derive(Debug, Args)]
#[command(
    before_help = EXAMPLES,
    after_long_help = MORE,
    mut_arg("format", |format| format.value_parser(options::formats(FormatKind::General))),
    mut_args(moment("Judge at this moment", &["all_namespaces", "selector"]))
)]
pub struct Flaps {
    #[command(flatten)]
    which: Which,
    /// Exit with 3 if an HPA flaps or is stuck
    #[arg(long)]
    exit_code: bool,
    /// Read a snapshot file, or - for standard input
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    #[command(flatten)]
    past: PastOrMoment,
    /// How far back to ask a Prometheus, such as 6h or 14d
    #[arg(
        long = "for",
        value_name = "DURATION",
        value_parser = span,
        default_value = "24h",
        requires = "earlier",
        help_heading = "Earlier passes"
    )]
    span: SignedDuration,
    #[command(flatten)]
    settings: options::Settings,
    #[command(flatten)]
    pub connection: Connection,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    page: PageFlags,
}

/// Of so many HPAs the past is held at once.
const AT_ONCE: usize = 8;

/// What came of it.
#[derive(Default)]
struct Judged {
    items: Vec<trace::Flaps>,
    /// Whether an HPA could not be judged.
    has_failed: bool,
    /// What a page tells of the only one, where its passes are known.
    story: Option<Story>,
}

/// Judges HPAs.
pub fn run(flaps: &Flaps, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.expect_page(&flaps.page, &flaps.output)?;
    flaps.output.refuse_snapshot(
        "an answer about flapping is not a snapshot",
        "`kubectl hpa-explain capture` writes the inputs to a file",
    )?;
    let files = &flaps.past.files;
    if flaps.past.at.is_some() && files.history.is_some() && files.record().is_none() {
        return Err(Failure::error(
            "flaps judges what a Prometheus answered at its end",
            "leave out --at; --for says how far back it looks",
        ));
    }
    if let Some(judged) = flaps.of_moment(terminal)? {
        return flaps.finish(judged, terminal);
    }
    let which = &flaps.which;
    let read = if let Some((path, documents)) = files.documents(flaps.snapshot.as_deref())? {
        which.of_file(path, documents, terminal)?
    } else {
        files.check()?;
        let room = RoomReading::default();
        which.live("flaps", room, &flaps.connection, terminal)?
    };
    let judged = flaps.judge_all(&read, terminal)?;
    read.report(terminal);
    flaps.finish(judged, terminal)
}

impl Flaps {
    /// A moment of a record.
    fn of_moment(&self, terminal: &mut Terminal) -> anyhow::Result<Option<Judged>> {
        let (overrides, namespace) = (self.settings.overrides(), self.which.namespace());
        let past = &self.past;
        let Some(it) = past.moment(&self.which.names, namespace, &overrides, terminal)? else {
            return Ok(None);
        };
        let item = self.judge_at(it.at, &terminal.shown(&it.snapshot), &it.observer)?;
        Ok(Some(Judged {
            story: self.recorded(Some(Instant::At(it.at)), &item, terminal)?,
            items: vec![item],
            has_failed: false,
        }))
    }

    /// Judges HPAs by their inputs and what the sources of the past tell of them.
    fn judge_all(&self, read: &Read, terminal: &mut Terminal) -> anyhow::Result<Judged> {
        let snapshots = &*read.snapshots;
        let overrides = self.settings.overrides();
        let mut reading = Reading::new(&overrides, &self.connection);
        reading.span = self.span;
        let mut judged = Judged {
            has_failed: read.has_failed,
            ..Judged::default()
        };
        let mut progress = Progress::of("judging", Some(snapshots.len()), "HPAs");
        for some in self.in_batches(snapshots) {
            let past_passes = self.past.files.read(some, reading, terminal)?;
            let shown: Vec<_> = some.iter().map(|it| terminal.shown(it)).collect();
            let items = shown.par_iter();
            let items = items.map(|it| self.judge_at(it.captured_at, it, past_passes.of(it)));
            for item in items.collect::<Vec<_>>() {
                judged.items.push(item?);
                progress.step();
            }
            judged.has_failed |= past_passes.is_incomplete;
            if let ([only], [item], Some(_)) = (snapshots, &*judged.items, &terminal.page) {
                let files = &self.past.files;
                let is_scraped = files.prometheus.is_given() || files.history.is_some();
                judged.story = self.recorded(None, item, terminal)?;
                if judged.story.is_none() && is_scraped {
                    let (until, observer) = (only.captured_at, past_passes.of(only));
                    let times = (until.checked_sub(self.span.min(LONGEST_STORY))?, until);
                    let story = of_scrapes(only, observer, &overrides, times, Some(item), terminal);
                    judged.story = Some(story);
                }
            }
        }
        Ok(judged)
    }

    /// What a record tells of the day before a moment, or before its end, where a page
    /// is asked for.
    fn recorded(
        &self,
        until: Option<Instant>,
        answer: &trace::Flaps,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Option<Story>> {
        let Some(path) = self.past.files.record().filter(|_| terminal.page.is_some()) else {
            return Ok(None);
        };
        let time = RecordTime {
            path,
            names: &self.which.names,
            namespace: self.which.namespace(),
            since: Instant::BeforeTheEnd(LONGEST_STORY),
            until,
            flaps: Some(answer),
        };
        of_record(&time, &self.settings, terminal).map(Some)
    }

    /// The HPAs whose past is held at once: of weeks, the scrapes of each take
    /// megabytes, and those of thirty are more than a run may hold. A file is read
    /// once, for all of them.
    fn in_batches<'s>(&self, snapshots: &'s [Snapshot]) -> impl Iterator<Item = &'s [Snapshot]> {
        let files = &self.past.files;
        let batches = match (&files.history, &files.controller_log) {
            (None, None) => snapshots.len().div_ceil(AT_ONCE),
            _ => 1,
        };
        snapshots.chunks(snapshots.len().div_ceil(batches.max(1)).max(1))
    }

    fn judge_at(
        &self,
        at: Timestamp,
        snapshot: &Snapshot,
        observer: &Observer,
    ) -> anyhow::Result<trace::Flaps> {
        let overrides = self.settings.overrides();
        let settings = Settings::resolve(snapshot, &overrides);
        let mut sightings = ObservedPasses::default();
        let mut recorded = RecordedLoads::new(snapshot, &overrides);
        if let Some(path) = &self.past.files.history {
            let metadata = &snapshot.hpa.metadata;
            let own = (metadata.namespace.as_str(), metadata.name.as_str());
            past::samples(path, own, at, |sample| {
                sightings.note(sample, &Settings::resolve(sample, &overrides));
                recorded.take(sample);
            })?;
        }
        let mut answer = what_if::flaps(snapshot, &settings, at, observer, &sightings);
        confirm(&mut answer, snapshot, recorded, &self.settings);
        Ok(answer)
    }

    fn finish(&self, mut judged: Judged, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
        let rank = |it: &trace::Flaps| (std::cmp::Reverse(it.severity), it.state);
        judged.items.sort_by(|one, other| {
            let place = |it: &trace::Flaps| (it.namespace.clone(), it.name.clone());
            (rank(one), place(one)).cmp(&(rank(other), place(other)))
        });
        let mut status = ExitStatus::of(judged.has_failed);
        for item in &judged.items {
            status.note(item.severity);
        }
        if judged.items.is_empty() && !judged.has_failed {
            terminal.complain(&nothing(self.which.namespace()));
        }
        // Of nothing there is no page, and one that is there already stays.
        if judged.items.is_empty() && terminal.page.is_some() {
            return Ok(status.code(self.exit_code));
        }
        let format = self.output.format;
        match (judged.items.as_slice(), judged.story) {
            (_, Some(story)) => Printer::new(format, 1, terminal).print(&story)?,
            (items, None) => Printer::new(format, 1, terminal).print(items)?,
        }
        Ok(status.code(self.exit_code))
    }
}
