//! What tells of earlier passes: a record of the inputs, the controller's own
//! log, a Prometheus.

mod moment;
mod record;

use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::{Arg, Args, Id};
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use crate::api::GoDuration;
use crate::controller::{Overrides, Settings};
use crate::document::TextError;
use crate::history::{ControllerLog, Observer, ScrapedMoment, Subject};
use crate::snapshot::{RecordEntry, Snapshot};

use super::connection::Connection;
use super::failure::Failure;
use super::kind::FileKind;
use super::prometheus::PrometheusFlags;
use super::source::MOST_BYTES;
use super::terminal::Terminal;

pub use moment::follow;
use record::{Record, Walked};

/// How far back a Prometheus is asked, unless said otherwise.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// So far back a controller remembers, and a little more.
const REACH: SignedDuration = SignedDuration::from_hours(2);

/// So long after a moment the scrape comes that shows its pass.
const AFTER: SignedDuration = SignedDuration::from_mins(3);

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Earlier passes")]
pub struct Past {
    /// Read the record of an HPA that `watch --record` wrote
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
    /// Take this moment of the record, such as 2026-11-20T08:30:00Z, or -5m
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
        "{does} of the record, such as 2026-11-20T08:30:00Z, or -5m before its end; needs no \
         cluster"
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
                "Explain this moment, of a record or as scraped, such as 2026-11-20T08:30:00Z, or \
                 -5m before its end; with a record, no cluster is needed",
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

/// How a source of the past is read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The settings that were given.
    pub overrides: &'a Overrides,
    /// The cluster that a Prometheus may have to be found in.
    pub connection: &'a Connection,
    /// How far back a Prometheus is asked.
    pub span: SignedDuration,
    /// How far back also for the pods, and for what was measured.
    pub pods: Option<SignedDuration>,
    /// The moment that is asked for instead of now.
    pub at: Option<Instant>,
}

impl<'a> Reading<'a> {
    /// As usual: a Prometheus is asked for a day.
    pub fn new(overrides: &'a Overrides, connection: &'a Connection) -> Self {
        Self {
            overrides,
            connection,
            span: DAY,
            pods: None,
            at: None,
        }
    }

    /// For a moment of the past, if one is asked for: passes remember no more
    /// than two hours.
    pub fn of_moment(mut self, at: Option<Instant>) -> Self {
        if at.is_some() {
            (self.at, self.span, self.pods) = (at, REACH, Some(REACH));
        }
        self
    }

    /// For a time of the past: what its passes remember is of before.
    pub fn of_time(mut self, (since, until): (Timestamp, Timestamp)) -> Self {
        let span = until.duration_since(since).saturating_add(REACH);
        self.at = Some(Instant::At(until));
        (self.span, self.pods) = (span, Some(span));
        self
    }

    /// The moment, for inputs of now.
    fn moment(&self, now: Timestamp) -> Option<Timestamp> {
        self.at.map(|at| match at {
            Instant::At(at) => at,
            Instant::BeforeTheEnd(ago) => now.checked_sub(ago).unwrap_or(Timestamp::MIN),
        })
    }
}

impl PastPasses {
    /// What the pass of a moment found by what was scraped, and what was seen
    /// until then.
    ///
    /// # Errors
    ///
    /// Nothing was scraped around it.
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

    /// The flags that would read more.
    pub fn unread(&self) -> Vec<&'static str> {
        let flags = [
            ("--history FILE", self.history.is_none()),
            ("--controller-log FILE", self.controller_log.is_none()),
        ];
        let unread = flags.into_iter().filter(|(_, is_unread)| *is_unread);
        unread.map(|(flag, _)| flag).collect()
    }

    /// Whether the record is one, before a cluster is asked.
    ///
    /// # Errors
    ///
    /// It is none, or cannot be read.
    pub fn check(&self) -> anyhow::Result<()> {
        let record = self.history.as_deref().map(Record::open);
        record.transpose().map(drop)
    }

    /// Reads what these sources tell of the HPAs. A record is of one, which
    /// must be among them.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or the record is of another HPA; a Prometheus
    /// does not answer, or tells nothing of the only HPA.
    pub fn read(
        &self,
        snapshots: impl IntoIterator<Item = impl Borrow<Snapshot>>,
        reading: Reading,
        terminal: &mut Terminal,
    ) -> anyhow::Result<PastPasses> {
        let (mut subjects, mut hpas) = (Vec::new(), Vec::new());
        for snapshot in snapshots {
            let snapshot = snapshot.borrow();
            subjects.push(Subject::of(snapshot));
            if self.prometheus.is_given() {
                let now = snapshot.captured_at;
                let after = reading
                    .moment(now)
                    .and_then(|at| at.checked_add(AFTER).ok());
                hpas.push((
                    snapshot.horizontal_pod_autoscaler.clone(),
                    after.unwrap_or(now),
                ));
            }
        }
        let overrides = reading.overrides;
        let mut observers: Vec<Observer> = vec![Observer::default(); subjects.len()];
        if let Some(path) = &self.history {
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
        let scraped = self.prometheus.scraped(&hpas, reading, terminal)?;
        let is_incomplete = scraped.iter().any(Option::is_none);
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

/// Visits the samples of a record up to a moment, where it is of this HPA.
/// What weakens them was said when the record was first read.
///
/// # Errors
///
/// The record cannot be read.
pub fn samples(
    path: &Path,
    (namespace, name): (&str, &str),
    until: Timestamp,
    mut visit: impl FnMut(&Snapshot),
) -> anyhow::Result<()> {
    let record = Record::open(path)?;
    if !record.is_of(namespace, name) {
        return Ok(());
    }
    let Walked { .. } = record.walk(until, |entry| match entry {
        RecordEntry::Sample(sample) if sample.at > until => ControlFlow::Break(()),
        RecordEntry::Sample(sample) => {
            visit(&sample.snapshot);
            ControlFlow::Continue(())
        }
        RecordEntry::Gap(_) => ControlFlow::Continue(()),
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

/// A moment of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instant {
    /// This one.
    At(Timestamp),
    /// So long before the record's last sample.
    BeforeTheEnd(SignedDuration),
}

impl Instant {
    /// Reads `2026-11-20T08:30:00Z`, a date and a time as the page has them, `-5m`
    /// or `now`.
    ///
    /// # Errors
    ///
    /// What a moment looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Ok(at) = text.parse() {
            return Ok(Self::At(at));
        }
        // The page has its time zone behind the time.
        let (local, zone) = match text.strip_suffix(" UTC") {
            Some(local) => (local, TimeZone::UTC),
            None => (text, TimeZone::system()),
        };
        let local = local.parse::<DateTime>().ok();
        if let Some(at) = local.filter(|_| text.contains(':')) {
            let at = zone.to_timestamp(at).map_err(|error| error.to_string())?;
            return Ok(Self::At(at));
        }
        if text == "now" {
            return Ok(Self::BeforeTheEnd(SignedDuration::ZERO));
        }
        let ago = text.strip_prefix('-').map(GoDuration::typed);
        match ago {
            Some(Ok(GoDuration(ago))) if ago >= 0 => {
                Ok(Self::BeforeTheEnd(SignedDuration::from_nanos(ago)))
            }
            None if GoDuration::typed(text).is_ok() => Err(format!("did you mean -{text}?")),
            _ => Err(
                "must be a date and time such as 2026-11-20T08:30:00Z, or -5m for five minutes \
                 before the record's end"
                    .to_owned(),
            ),
        }
    }
}

/// A moment as people say it: a time of the day, or any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The last such time.
    OfDay(Time),
    /// This one, or so long ago.
    At(Instant),
}

impl Clock {
    /// Reads `03:00`, and what `--at` takes.
    ///
    /// # Errors
    ///
    /// What a moment looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Ok(time) =
            Time::strptime("%H:%M", text).or_else(|_| Time::strptime("%H:%M:%S", text))
        {
            return Ok(Self::OfDay(time));
        }
        let wrong = |_| {
            "must be a time such as 03:00, 2026-11-20T03:00:00Z, or -2h for two hours ago"
                .to_owned()
        };
        Instant::parse(text).map(Self::At).map_err(wrong)
    }

    /// The last such moment before another.
    pub fn before(self, now: Timestamp, zone: &TimeZone) -> Timestamp {
        match self {
            Self::At(Instant::At(at)) => at,
            Self::At(Instant::BeforeTheEnd(ago)) => now.checked_sub(ago).unwrap_or(now),
            Self::OfDay(time) => {
                let of_day = |back: i64| {
                    let day = now
                        .to_zoned(zone.clone())
                        .date()
                        .checked_sub(back.days())
                        .ok()?;
                    let at = day.to_datetime(time).to_zoned(zone.clone()).ok()?;
                    Some(at.timestamp()).filter(|at| *at <= now)
                };
                of_day(0).or_else(|| of_day(1)).unwrap_or(now)
            }
        }
    }
}

/// Reads a log up to the end that it has now; of a pipe or a device, not more
/// than anybody waits for.
fn read_bounded(path: &Path, subjects: &[Subject]) -> Result<Vec<ControllerLog>, TextError> {
    let file = File::open(path)?;
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
            "`kubectl logs -n kube-system POD` of the kube-controller-manager prints its log";
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

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::Instant;

    #[test]
    fn moments_are_read_as_they_are_typed() {
        let at = |text: &str| Some(Instant::At(text.parse().expect("a time")));
        let ago = |seconds| Some(Instant::BeforeTheEnd(SignedDuration::from_secs(seconds)));
        let rows = [
            ("2026-11-20T08:30:00Z", at("2026-11-20T08:30:00Z")),
            ("2026-11-20T10:30:00+02:00", at("2026-11-20T08:30:00Z")),
            ("-5m", ago(300)),
            ("-1h30m", ago(5_400)),
            ("-0s", ago(0)),
            ("-1d", ago(86_400)),
            ("now", ago(0)),
            ("2026-11-20 08:30:00 UTC", at("2026-11-20T08:30:00Z")),
            ("2026-11-20", None),
            ("5m", None),
            ("--5m", None),
            ("-5", None),
            ("08:30", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(Instant::parse(text).ok(), expected, "{text}");
        }
    }
}
