//! Follow an HPA pass by pass: what the controller decides, whether we saw it
//! coming, and a record of the inputs.

mod record;
mod run;
mod samples;
mod view;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use clap::Args;
use jiff::SignedDuration;
use tokio::time::sleep;

use crate::api::Quantity;
use crate::cli::failure::{Failure, Interrupted};
use crate::cli::live::names;
use crate::cli::session::{Session, block_on};
use crate::cli::{
    connection::Connection, exit, exit::INTERRUPTED, options, options::Color, terminal::Terminal,
};
use crate::collect::{Cluster, Pace, Start};
use crate::render::{Format, FormatKind};
use record::{RecordFile, Recording};
use run::{Run, now};
use samples::{Plan, Sampling};
use view::{Lines, View};

/// So many times as long as usual may all requests together take.
const FOR_EVER: u32 = u32::MAX;

#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  kubectl hpa-explain watch web -n shop
  kubectl hpa-explain watch web -n shop --record web.jsonl
  kubectl hpa-explain watch web -n shop --record web.jsonl --quiet --for 8h
  kubectl hpa-explain watch deploy/web -n shop -o json | jq .desiredReplicas",
    after_long_help = "\
A watch shows every status that the controller writes; the inputs are sampled
three times a sync period, once shortly before a pass is due. A pass that
changes nothing writes nothing: it is inferred from the sync period. Each pass
is compared with its prediction:
  predicted     one size was possible, and it is that one
  inside 3..5   it is one of several possible sizes
  missed: 4     it is not the predicted size
What cannot be read is reported as a gap and read again later.

A record grows by whole lines, so it can be cut off at any byte; the same
command continues it. It holds what `capture` holds, redacted the same way.
`kubectl hpa-explain NAME --history FILE` reads it."
)]
pub struct Watch {
    /// Which HPA: NAME, hpa/NAME, deploy/NAME of its target, or pod/NAME
    #[arg(value_name = "NAME", value_parser = options::name)]
    name: String,
    /// The namespace of the HPA
    #[arg(short, long)]
    namespace: Option<String>,
    /// Stop after this time, such as 10m
    #[arg(long = "for", value_name = "DURATION", value_parser = |text: &str| options::time(text, "90s, 10m or 8h"))]
    duration: Option<SignedDuration>,
    /// Append the inputs to this file, readable for you alone
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Only record; gaps and the summary still go to stderr
    #[arg(long, requires = "record")]
    quiet: bool,
    /// Size at which the record becomes FILE.1 and a new one begins
    #[arg(long, value_name = "SIZE", default_value = "64Mi", requires = "record", value_parser = size)]
    record_size: u64,
    /// Keep images, node names and annotations in the record as they are
    #[arg(long, requires = "record")]
    no_redact: bool,
    /// Output format; text is the newest explanation on a terminal, and one line
    /// per pass elsewhere
    #[arg(
        short = 'o',
        long = "output",
        value_name = "FORMAT",
        default_value = "text",
        ignore_case = true,
        value_parser = options::formats(FormatKind::OfPasses)
    )]
    format: Format,
    /// When to color the text
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_short_help = true
    )]
    color: Color,
    #[command(flatten)]
    settings: options::Settings,
    #[command(flatten)]
    connection: Connection,
}

/// Follows an HPA until it is told to end.
/// Errors: no connection, no such HPA, nobody may watch it, or nowhere to write.
pub fn run(watch: &Watch, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.text.live = true;
    terminal.text.colour = terminal.colour(watch.color);
    block_on(async {
        let mut end = std::pin::pin!(watch.end()?);
        let begun = tokio::select! {
            begun = watch.begin(terminal) => Ok(begun?),
            end = &mut end => Err(end),
        };
        let (session, start, record) = match begun {
            Ok(begun) => begun,
            Err(End::Signal) => return Err(Interrupted.into()),
            Err(End::Time) => {
                return Err(Failure::error(
                    "it ended before anything was read",
                    "the server has not answered yet; --show-requests shows the pending request",
                ));
            }
        };
        let overrides = watch.settings.overrides();
        let plan = Plan::default();
        let sampling = Sampling {
            session: &session,
            name: &start.hpa.metadata.name,
            overrides: &overrides,
            pace: pace(),
            patience: watch.connection.patience().whole,
            plan: &plan,
        };
        let view = watch.view(terminal);
        let mut run = Run::new(&start, view, record, terminal, now(&session));
        let ended = tokio::select! {
            failed = run.follow(&start, sampling) => failed.map(|()| End::Time),
            end = end => Ok(end),
        };
        run.end();
        // Whoever has seen a pass has what there is.
        Ok(match ended? {
            End::Signal if run.has_no_pass() => ExitCode::from(INTERRUPTED),
            End::Signal | End::Time => ExitCode::SUCCESS,
        })
    })
}

/// What ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Somebody, by Ctrl-C for one.
    Signal,
    /// The time that it was given.
    Time,
}

impl Watch {
    /// Waits for whatever ends a run.
    fn end(&self) -> anyhow::Result<impl Future<Output = End>> {
        let reported = exit::end()?;
        let time = self.duration.map(|time| pace().here(time.unsigned_abs()));
        Ok(async move {
            let over = async {
                match time {
                    Some(time) => sleep(time).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = reported => End::Signal,
                () = over => End::Time,
            }
        })
    }

    /// Connects, reads the HPA, and opens the record.
    async fn begin(
        &self,
        terminal: &mut Terminal,
    ) -> anyhow::Result<(Session, Start, Option<RecordFile>)> {
        let namespace = self.namespace.as_deref();
        let session = Session::open_for(FOR_EVER, &self.connection, namespace).await?;
        let begun = self.read(&session).await;
        session.report(terminal);
        let start = begun?;
        let record = self.open_record(&session, &start)?;
        if let Some(record) = record.as_ref().filter(|_| self.quiet) {
            terminal.complain(&format!(
                "Recording {}/{} to {}; Ctrl-C stops it",
                session.namespace,
                start.hpa.metadata.name,
                record.path().display()
            ));
        }
        Ok((session, start, record))
    }

    async fn read(&self, session: &Session) -> anyhow::Result<Start> {
        let cluster = Cluster::new(&session.reader);
        let requested = std::slice::from_ref(&self.name);
        let found = names(requested, session, &cluster).await?;
        let [one] = found.as_slice() else {
            let all: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
            return Err(Failure::error(
                format!("{} HPAs scale {}", all.len(), self.name),
                format!("watch one of them: {}", all.join(", ")),
            ));
        };
        let start = Start::read(&session.reader, &session.namespace, &one.name).await;
        start.map_err(|error| session.failure(&error))
    }

    fn open_record(&self, session: &Session, start: &Start) -> anyhow::Result<Option<RecordFile>> {
        let Some(path) = &self.record else {
            return Ok(None);
        };
        let recording = Recording {
            path: path.clone(),
            namespace: session.namespace.clone(),
            name: start.hpa.metadata.name.to_string(),
            most_bytes: self.record_size,
            redact: !self.no_redact,
        };
        RecordFile::open(recording, now(session)).map(Some)
    }

    /// What else is written to a terminal would be in the way of a picture.
    fn view(&self, terminal: &Terminal) -> View {
        match self.format {
            _ if self.quiet => View::Quiet,
            format if format.is(FormatKind::Document) => View::Documents(format),
            _ if terminal.can_be_drawn_on() && !self.connection.show_requests => {
                View::Drawn(Box::default())
            }
            _ => View::Lines(Lines::default()),
        }
    }
}

/// The clock of the tests' API server runs faster than this machine's. What is
/// shipped knows no such server.
fn pace() -> Pace {
    let times = cfg!(feature = "test-pace")
        .then(|| std::env::var("HPA_EXPLAIN_TEST_PACE").ok())
        .flatten();
    Pace(times.and_then(|it| it.parse().ok()).unwrap_or(1))
}

/// The least size of a record: a sample takes some of it.
const LEAST_SIZE: u64 = 64 << 10;

fn size(text: &str) -> anyhow::Result<u64> {
    let quantity = text.parse::<Quantity>().ok();
    let size = quantity.and_then(|size| u64::try_from(size.exact_milli_value() / 1_000).ok());
    let size = size.context("must be a size such as 64Mi")?;
    ensure!(size >= LEAST_SIZE, "must be at least 64Ki");
    Ok(size)
}
