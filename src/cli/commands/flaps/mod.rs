//! Which HPAs flap or are stuck, by which mechanism, and what helps.

mod confirm;
mod file;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jiff::SignedDuration;

use crate::cli::printer;
use crate::trace::{Flaps as Answer, Story};

use super::list::nothing;
use crate::cli::connection::Connection;
use crate::cli::exit::ExitStatus;
use crate::cli::failure::Failure;
use crate::cli::options::{self, Output};
use crate::cli::page::PageFlags;
use crate::cli::past::{PastOrMoment, moment};
use crate::cli::prometheus::span;
use crate::cli::terminal::Terminal;
use crate::cli::which::Which;
use crate::collect::RoomReading;
use crate::render::FormatKind;

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

/// What came of it.
#[derive(Default)]
struct Judged {
    items: Vec<Answer>,
    /// Whether an HPA could not be judged.
    has_failed: bool,
    /// What a page tells of the only one, where its passes are known.
    story: Option<Story>,
}

/// Judges HPAs.
pub fn run(flaps: &Flaps, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.adopt(&flaps.output);
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
    let judged = if let Some(judged) = flaps.of_moment(terminal)? {
        judged
    } else if let Some((path, documents)) = files.documents(flaps.snapshot.as_deref())? {
        let read = flaps.which.of_file(path, documents, terminal)?;
        flaps.judge_all(&read.snapshots, read.has_failed, terminal)?
    } else {
        files.check()?;
        let room = RoomReading::default();
        let read = flaps
            .which
            .live("flaps", room, &flaps.connection, terminal)?;
        let judged = flaps.judge_all(&read.snapshots, read.has_failed, terminal)?;
        read.report(terminal);
        judged
    };
    flaps.finish(judged, terminal)
}

impl Flaps {
    fn finish(&self, mut judged: Judged, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
        let rank = |it: &Answer| (std::cmp::Reverse(it.severity), it.state);
        judged.items.sort_by(|one, other| {
            let place = |it: &Answer| (it.namespace.clone(), it.name.clone());
            (rank(one), place(one)).cmp(&(rank(other), place(other)))
        });
        let mut status = ExitStatus::default();
        for item in &judged.items {
            status.note(item.severity);
        }
        if judged.has_failed {
            status.fail();
        }
        if judged.items.is_empty() && !judged.has_failed {
            terminal.complain(&nothing(self.which.namespace()));
        }
        let format = self.output.format;
        match (judged.items.as_slice(), judged.story) {
            ([only], Some(story)) => {
                let flaps = Some(Box::new(only.clone()));
                printer::print(&Story { flaps, ..story }, format, false, terminal)?;
            }
            (items, _) => printer::print(items, format, false, terminal)?,
        }
        Ok(status.code(self.exit_code))
    }
}
