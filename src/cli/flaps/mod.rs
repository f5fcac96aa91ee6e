//! Which HPAs flap or are stuck, by which mechanism, and what helps.

mod confirm;
mod live;
mod print;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use crate::controller::{Overrides, Settings};
use crate::diagnose::{self, Sightings};
use crate::history::{Observer, Subject};
use crate::snapshot::{Selector, Snapshot};
use crate::trace::Flaps as Answer;

use super::args::{self, Output, name};
use super::connection::Connection;
use super::exit::Verdict;
use super::failure::Failure;
use super::list::{nothing, selector};
use super::past::{self, Asked, Instant, Moment, Past, Seen};
use super::select::{Wanted, list};
use super::source::{self, read_file};
use super::terminal::Terminal;

const EXAMPLES: &str = "\
The API server keeps events for an hour, and of equal ones only the first and
the last moment: what they tell is a lower bound. A record (`watch --record`)
and the controller's log tell more. On the load of a record, what would help
is tried by simulation.

Examples:
  kubectl hpa-explain flaps -A                    every HPA, worst first
  kubectl hpa-explain flaps -A --exit-code -o name
                                                  the same for a script
  kubectl hpa-explain flaps web -n shop           one: why, and what helps
  kubectl hpa-explain flaps web -n shop --history web.jsonl \\
    --controller-log kcm.log                      with what a record tells
  kubectl hpa-explain flaps --history web.jsonl --at -0s
                                                  at its end, no cluster
  kubectl hpa-explain flaps --snapshot all.jsonl  what `capture -A` wrote";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Flaps {
    /// Which HPAs: NAME, hpa/NAME, or TYPE/NAME of a target (deploy/web);
    /// without a name, all of the namespace
    #[arg(value_name = "NAME", value_parser = name)]
    names: Vec<String>,
    /// HPAs of this namespace
    #[arg(short, long)]
    namespace: Option<String>,
    /// HPAs of all namespaces
    #[arg(short = 'A', long, conflicts_with_all = ["names", "namespace"])]
    all_namespaces: bool,
    /// Only HPAs whose labels match, such as app=web
    #[arg(short = 'l', long, value_name = "SELECTOR", value_parser = selector, conflicts_with = "names")]
    selector: Option<Selector>,
    /// Exit with 3 if an HPA flaps or is stuck
    #[arg(long)]
    exit_code: bool,
    /// Read a snapshot file (YAML, JSON or JSON lines; - for standard input)
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    #[command(flatten)]
    past: Past,
    /// Judge at this moment of the record, such as 2026-11-20T08:30:00Z, or
    /// -5m: before its end; no cluster is asked
    #[arg(
        long,
        value_name = "TIME",
        requires = "history",
        conflicts_with_all = ["snapshot", "all_namespaces", "selector"],
        allow_hyphen_values = true,
        value_parser = Instant::parse,
        help_heading = "Earlier passes"
    )]
    at: Option<Instant>,
    #[command(flatten)]
    settings: args::Settings,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    output: Output,
}

/// What came of it.
#[derive(Default)]
struct Judged {
    items: Vec<Answer>,
    /// Whether an HPA could not be judged.
    has_failed: bool,
}

/// Judges HPAs.
///
/// # Errors
///
/// The HPAs cannot be read; the output cannot be written.
pub fn run(flaps: &Flaps, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.adopt(&flaps.output);
    print::check(&flaps.output)?;
    let judged = match (&flaps.at, &flaps.snapshot) {
        (Some(instant), _) => flaps.of_moment(*instant, terminal)?,
        (None, Some(path)) => flaps.of_file(path, terminal)?,
        (None, None) => match live::run(flaps, terminal)? {
            Ok(judged) => judged,
            Err(code) => return Ok(code),
        },
    };
    flaps.finish(judged, terminal)
}

impl Flaps {
    fn overrides(&self) -> Overrides {
        self.settings.overrides()
    }

    /// The namespace; as in kubectl, an empty one was not given.
    fn namespace(&self) -> Option<&str> {
        let namespace = self.namespace.as_deref();
        namespace.filter(|name| !name.is_empty() && !self.all_namespaces)
    }

    /// A moment of a record.
    fn of_moment(&self, instant: Instant, terminal: &mut Terminal) -> anyhow::Result<Judged> {
        let overrides = self.overrides();
        let Some(path) = &self.past.history else {
            return Ok(Judged::default());
        };
        let asked = Asked {
            path,
            instant,
            names: &self.names,
            namespace: self.namespace(),
            past: &self.past,
            overrides: &overrides,
        };
        let Moment {
            at,
            snapshot,
            observer,
        } = asked.read(terminal)?;
        let settings = Settings::resolve(&snapshot, &overrides);
        let sightings = self.sightings(&snapshot, at)?;
        let mut answer = diagnose::flaps(&snapshot, &settings, at, &observer, &sightings);
        confirm::confirm(&mut answer, &snapshot, path, &self.settings)?;
        Ok(Judged {
            items: vec![answer],
            has_failed: false,
        })
    }

    /// The HPAs of a file. Without `-n`, that is all of them.
    fn of_file(&self, path: &Path, terminal: &mut Terminal) -> anyhow::Result<Judged> {
        let file = source::name(path);
        let (mut snapshots, mut judged) = (Vec::new(), Judged::default());
        for document in read_file(path)? {
            for warning in &document.warnings {
                terminal.complain(&format!("warning: {file}: {warning}"));
            }
            match document.snapshot {
                Ok(snapshot) => snapshots.push(snapshot),
                Err(error) => {
                    terminal.complain(&format!("error: {file}: {error}"));
                    judged.has_failed = true;
                }
            }
        }
        for text in &self.names {
            let wanted = Wanted::parse(text);
            let is_meant = |it: &&Snapshot| self.is_of_scope(it) && wanted.matches(it);
            if !snapshots.iter().any(|it| is_meant(&it)) {
                let held = list(snapshots.iter());
                return Err(Failure::error(
                    format!("no HPA in {file} is {text}"),
                    format!("it holds {held}"),
                ));
            }
        }
        snapshots.retain(|it| self.is_of_scope(it) && self.is_named(it));
        let seen = self.seen(snapshots.iter(), terminal)?;
        let items = snapshots.iter().map(|it| self.judge(it, &seen));
        judged.items = items.collect::<anyhow::Result<_>>()?;
        Ok(judged)
    }

    fn is_of_scope(&self, snapshot: &Snapshot) -> bool {
        let metadata = &snapshot.horizontal_pod_autoscaler.metadata;
        let labels = self.selector.as_ref();
        self.namespace()
            .is_none_or(|namespace| metadata.namespace == namespace)
            && labels.is_none_or(|labels| labels.matches(&metadata.labels))
    }

    fn is_named(&self, snapshot: &Snapshot) -> bool {
        let mut names = self.names.iter();
        self.names.is_empty() || names.any(|name| Wanted::parse(name).matches(snapshot))
    }

    /// What the files about the past tell of these HPAs.
    fn seen<'s>(
        &self,
        snapshots: impl Iterator<Item = &'s Snapshot>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Seen> {
        if self.past.is_empty() {
            return Ok(Seen::default());
        }
        let subjects = snapshots.map(Subject::of).collect();
        self.past.read(subjects, &self.overrides(), terminal)
    }

    /// What is found in the earlier inputs of a record.
    fn sightings(&self, snapshot: &Snapshot, at: Timestamp) -> anyhow::Result<Sightings> {
        let mut sightings = Sightings::default();
        let Some(path) = &self.past.history else {
            return Ok(sightings);
        };
        let overrides = self.overrides();
        let metadata = &snapshot.horizontal_pod_autoscaler.metadata;
        let own = (metadata.namespace.as_str(), metadata.name.as_str());
        past::samples(path, own, at, |sample| {
            sightings.note(sample, &Settings::resolve(sample, &overrides));
        })?;
        Ok(sightings)
    }

    /// Judges by the inputs of now alone.
    fn glance(&self, snapshot: &Snapshot) -> Answer {
        let settings = Settings::resolve(snapshot, &self.overrides());
        let (observer, sightings) = (Observer::default(), Sightings::default());
        let at = snapshot.captured_at;
        diagnose::flaps(snapshot, &settings, at, &observer, &sightings)
    }

    fn judge(&self, snapshot: &Snapshot, seen: &Seen) -> anyhow::Result<Answer> {
        let settings = Settings::resolve(snapshot, &self.overrides());
        let (at, observer) = (snapshot.captured_at, seen.of(snapshot));
        let sightings = self.sightings(snapshot, at)?;
        let mut answer = diagnose::flaps(snapshot, &settings, at, observer, &sightings);
        if let Some(path) = &self.past.history {
            confirm::confirm(&mut answer, snapshot, path, &self.settings)?;
        }
        Ok(answer)
    }

    fn finish(&self, mut judged: Judged, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
        let rank = |it: &Answer| (std::cmp::Reverse(it.severity), it.state);
        judged.items.sort_by(|one, other| {
            let place = |it: &Answer| (it.namespace.clone(), it.name.clone());
            (rank(one), place(one)).cmp(&(rank(other), place(other)))
        });
        let mut verdict = Verdict::default();
        for item in &judged.items {
            verdict.note(item.severity);
        }
        if judged.has_failed {
            verdict.fail();
        }
        if judged.items.is_empty() && !judged.has_failed {
            terminal.complain(&nothing(self.namespace()));
        }
        print::print(&judged.items, &self.output, terminal)?;
        Ok(verdict.code(self.exit_code))
    }
}
