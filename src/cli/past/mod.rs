//! What tells of earlier passes: a record of the inputs, the controller's own
//! log, a Prometheus.

pub mod confirm;
pub mod kept;
pub mod moment;
pub mod prometheus;
pub mod reading;
mod record;
pub mod story;

use std::borrow::Borrow;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::{Arg, Args, Id};
use jiff::{SignedDuration, Timestamp};

use crate::controller::Settings;
use crate::document::TextError;
use crate::document::snapshot::{Document, RecordEntry, Snapshot};
use crate::history::{ControllerLog, Observer, ScrapedMoment, Subject};

use crate::cli::kind::{FileKind, MOST_BYTES, open, read_file};
use crate::cli::{failure::Failure, terminal::Terminal};

use kept::{Kept, is_kept};
use prometheus::PrometheusFlags;
use reading::{Instant, Reading};
use record::Record;

/// So long after a moment the scrape comes that shows its pass.
const AFTER: SignedDuration = SignedDuration::from_mins(3);

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Earlier passes")]
pub struct Past {
    /// Read the record of an HPA that `watch --record` or `record` wrote
    #[arg(long, value_name = "FILE", group = "earlier")]
    pub history: Option<PathBuf>,
    /// Read the kube-controller-manager's log, of `-v=4` or more
    #[arg(long, value_name = "FILE")]
    pub controller_log: Option<PathBuf>,
    #[command(flatten)]
    pub prometheus: PrometheusFlags,
}

/// These files, and the moment of the record that is asked for instead of now.
#[derive(Clone, Debug, Args)]
pub struct PastOrMoment {
    #[command(flatten)]
    pub files: Past,
    /// Take this moment of the record, such as 03:00, 2026-11-20T08:30:00Z, or -5m
    /// before its end; needs no cluster
    #[arg(
        long,
        value_name = "TIME",
        requires = "history",
        conflicts_with = "snapshot",
        allow_hyphen_values = true,
        value_parser = Instant::parse,
        help_heading = "Earlier passes"
    )]
    pub at: Option<Instant>,
}

/// Has `--at` say what a command does with the moment, and refuses it beside
/// other flags.
pub fn moment(does: &str, refused: &'static [&'static str]) -> impl Fn(Arg) -> Arg {
    let help = format!(
        "{does} of the record, such as 03:00, 2026-11-20T08:30:00Z, or -5m before its end; needs \
         no cluster"
    );
    move |arg| match arg.get_id().as_str() {
        "at" => arg.help(&help).conflicts_with_all(refused),
        _ => arg,
    }
}

/// Has `--at` of an explanation take a moment of a Prometheus as well.
pub fn moment_of_any(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "at" => arg
            .help(
                "Explain this moment, of a record or as scraped, such as 03:00, \
                 2026-11-20T08:30:00Z, or -5m before its end; with a record, no cluster is needed",
            )
            .requires(Resettable::<Id>::Reset)
            .requires("earlier")
            .conflicts_with(Resettable::<Id>::Reset)
            .conflicts_with("all_namespaces"),
        _ => arg,
    }
}

/// What was seen of the passes of some HPAs.
#[derive(Default)]
pub struct PastPasses {
    observers: Vec<(Subject, Observer)>,
    nothing: Observer,
    /// Whether a Prometheus does not tell of all of them.
    pub is_incomplete: bool,
}

impl PastPasses {
    /// What the pass of a moment found by what was scraped, and what was seen
    /// until then.
    pub fn scraped_moment(
        &self,
        snapshot: &Snapshot,
        reading: &Reading,
    ) -> anyhow::Result<Option<(Timestamp, ScrapedMoment)>> {
        let Some(at) = reading.moment(snapshot.captured_at) else {
            return Ok(None);
        };
        let settings = Settings::resolve(snapshot, reading.overrides);
        let moment = self.of(snapshot).scraped_moment(snapshot, &settings, at);
        let moment = moment.ok_or_else(|| {
            Failure::error(
                format!("nothing was scraped around {at}"),
                "`flaps --prometheus` names the holes; scrapes before and after a moment tell of it",
            )
        })?;
        Ok(Some((at, moment)))
    }

    /// What was seen of the HPA of a snapshot before its moment.
    pub fn of(&self, snapshot: &Snapshot) -> &Observer {
        let subject = Subject::of(snapshot);
        let mut observers = self.observers.iter();
        let found = observers.find(|(own, _)| *own == subject);
        found.map_or(&self.nothing, |(_, observer)| observer)
    }
}

impl Past {
    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.history.is_none() && self.controller_log.is_none() && !self.prometheus.is_given()
    }

    /// The record of `--history`, if it is one of what passes ran on.
    pub fn record(&self) -> Option<&Path> {
        self.history.as_deref().filter(|path| !is_kept(path))
    }

    /// The flags that would read more.
    pub fn unread(&self) -> Vec<&'static str> {
        let flags = [
            ("--history FILE", self.record().is_none()),
            ("--controller-log FILE", self.controller_log.is_none()),
        ];
        let unread = flags.into_iter().filter(|(_, is_unread)| *is_unread);
        unread.map(|(flag, _)| flag).collect()
    }

    /// Whether the record is one, before a cluster is asked.
    pub fn check(&self) -> anyhow::Result<()> {
        self.record().map(Record::open).transpose().map(drop)
    }

    /// What a Prometheus answered, where `--history` gives a file of that.
    fn kept(&self) -> anyhow::Result<Option<Kept>> {
        let kept = self.history.as_deref().map(Kept::open);
        Ok(kept.transpose()?.flatten())
    }

    /// The HPAs of a file: of `--snapshot`, or else of what a Prometheus answered,
    /// where `--history` gives a file of that.
    pub fn documents<'f>(
        &'f self,
        snapshot: Option<&'f Path>,
    ) -> anyhow::Result<Option<(&'f Path, Vec<Document>)>> {
        if let Some(path) = snapshot {
            return Ok(Some((path, read_file(path)?)));
        }
        let Some(path) = &self.history else {
            return Ok(None);
        };
        Ok(self.kept()?.map(|kept| (&**path, vec![kept.document()])))
    }

    /// Reads what these sources tell of the HPAs. A record is of one, which
    /// must be among them.
    /// Errors: a file cannot be read, or the record is of another HPA; a Prometheus
    /// does not answer, or tells nothing of the only HPA.
    pub fn read(
        &self,
        snapshots: impl IntoIterator<Item = impl Borrow<Snapshot>>,
        reading: Reading,
        terminal: &mut Terminal,
    ) -> anyhow::Result<PastPasses> {
        if self.is_empty() {
            return Ok(PastPasses::default());
        }
        let kept = self.kept()?;
        let (mut subjects, mut hpas) = (Vec::new(), Vec::new());
        for snapshot in snapshots {
            let snapshot = snapshot.borrow();
            subjects.push(Subject::of(snapshot));
            if self.prometheus.is_given() || kept.is_some() {
                let now = snapshot.captured_at;
                let after = reading
                    .moment(now)
                    .and_then(|at| at.checked_add(AFTER).ok());
                hpas.push((snapshot.hpa.clone(), after.unwrap_or(now)));
            }
        }
        let overrides = reading.overrides;
        let mut observers: Vec<Observer> = vec![Observer::default(); subjects.len()];
        if let Some(path) = self.history.as_ref().filter(|_| kept.is_none()) {
            let record = Record::open(path)?;
            let is_recorded = |subject: &Subject| record.is_of(&subject.namespace, &subject.name);
            if !subjects.iter().any(is_recorded) {
                return Err(of_another(&record, &subjects));
            }
            let both = subjects.iter().zip(&mut observers);
            for (subject, observer) in both.filter(|(subject, _)| is_recorded(subject)) {
                record.observe(subject.at, overrides, observer, terminal)?;
            }
        }
        if let Some(path) = &self.controller_log {
            let logs = read_log(path, &subjects, terminal)?;
            for (observer, log) in observers.iter_mut().zip(logs) {
                observer.read_log(log);
            }
        }
        let scraped = match &kept {
            Some(kept) => kept.of_each(&hpas, reading)?,
            None => self.prometheus.scraped(&hpas, reading, terminal)?,
        };
        // A file is of one HPA.
        let is_incomplete = kept.is_none() && scraped.iter().any(Option::is_none);
        for (observer, scrapes) in observers.iter_mut().zip(scraped) {
            observer.read_scrapes(scrapes.unwrap_or_default());
        }
        Ok(PastPasses {
            observers: subjects.into_iter().zip(observers).collect(),
            nothing: Observer::default(),
            is_incomplete,
        })
    }
}

/// Visits the samples of a record up to a moment, where it is of this HPA and not
/// what a Prometheus answered.
/// What weakens them was said when the record was first read.
pub fn samples(
    path: &Path,
    (namespace, name): (&str, &str),
    until: Timestamp,
    mut visit: impl FnMut(&Snapshot),
) -> anyhow::Result<()> {
    if is_kept(path) {
        return Ok(());
    }
    let record = Record::open(path)?;
    if !record.is_of(namespace, name) {
        return Ok(());
    }
    record.walk((until, until), |entry| {
        if let RecordEntry::Sample(sample) = entry {
            visit(&sample.snapshot);
        }
    })?;
    Ok(())
}

fn of_another(record: &Record, subjects: &[Subject]) -> anyhow::Error {
    let requested = match subjects {
        [one] => format!("{}/{}", one.namespace, one.name),
        _ => "any of these".to_owned(),
    };
    let (namespace, name) = record.autoscaler();
    Failure::error(
        format!(
            "{} is the record of {namespace}/{name}, not of {requested}",
            record.name()
        ),
        format!(
            "`kubectl hpa-explain {name} -n {namespace} --history {} --at -0s` reads it without a cluster; each HPA has a record of its own",
            record.name()
        ),
    )
}

/// Reads a log up to the end that it has now; of a pipe or a device, not more
/// than anybody waits for.
fn read_bounded(path: &Path, subjects: &[Subject]) -> Result<Vec<ControllerLog>, TextError> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    let most = if metadata.is_file() {
        metadata.len()
    } else {
        MOST_BYTES
    };
    let mut file = file.take(most);
    let logs = ControllerLog::read(BufReader::new(&mut file), subjects.to_vec())?;
    if !metadata.is_file() && file.limit() == 0 {
        let text = format!("larger than {} MiB, and not a file", MOST_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text).into());
    }
    Ok(logs)
}

/// Reads what a log says of each HPA, and says what weakens it.
fn read_log(
    path: &Path,
    subjects: &[Subject],
    terminal: &mut Terminal,
) -> anyhow::Result<Vec<ControllerLog>> {
    let logs = read_bounded(path, subjects).map_err(|error| {
        let hint =
            "`kubectl logs -n kube-system POD` prints a log; POD is that of the kube-controller-manager";
        let message = format!("{}: {error}", path.display());
        Failure::error(message, error.hint().unwrap_or(hint))
    })?;
    if logs.iter().all(|log| log.covers.is_none()) {
        FileKind::ControllerLog.expect_file(path)?;
    }
    let mut reported: Vec<&String> = logs.iter().flat_map(|log| &log.remarks).collect();
    reported.sort();
    reported.dedup();
    for remark in reported {
        terminal.complain(&format!("warning: {}: {remark}", path.display()));
    }
    Ok(logs)
}
