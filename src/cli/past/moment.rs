//! A moment of a record: no cluster is asked.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use super::read_log;
use super::record::Record;
use crate::cli::{
    failure::Failure, past::PastOrMoment, past::reading::Instant, select::Selection,
    terminal::Terminal,
};
use crate::controller::{Overrides, Settings};
use crate::document::snapshot::{Gap, RecordEntry, SAMPLE_REACH_SECONDS, Sample, Snapshot};
use crate::history::{Observer, Subject};

/// A moment of a record.
pub struct Moment {
    /// The moment itself.
    pub at: Timestamp,
    /// The inputs that were recorded last before it.
    pub snapshot: Snapshot,
    /// What was seen until then.
    pub observer: Observer,
}

/// Visits the samples after a moment, up to another, and says what weakens
/// them.
pub fn follow(
    path: &Path,
    (after, until): (Timestamp, Timestamp),
    terminal: &mut Terminal,
    mut visit: impl FnMut(&Snapshot),
) -> anyhow::Result<()> {
    let record = Record::open(path)?;
    record.entries((after, until), terminal, |entry| {
        if let RecordEntry::Sample(sample) = entry
            && sample.at > after
        {
            visit(&sample.snapshot);
        }
    })?;
    Ok(())
}

impl PastOrMoment {
    /// What was recorded of the moment that is asked for, if one is; without
    /// names, of whichever HPA the record is of.
    /// Errors: the record cannot be read, is of another HPA, or says nothing of the
    /// moment.
    pub fn moment(
        &self,
        names: &[String],
        namespace: Option<&str>,
        overrides: &Overrides,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Option<Moment>> {
        let (Some(instant), Some(path)) = (self.at, self.files.record()) else {
            return Ok(None);
        };
        let record = Record::open(path)?;
        let at = moment(&record, instant)?;
        let (sample, mut observer) = latest(&record, at, overrides, terminal)?;
        let snapshot = sample.snapshot;
        let is_intended = |name: &String| Selection::parse(name).matches(&snapshot);
        let (own, _) = record.autoscaler();
        if namespace.is_some_and(|requested| requested != own) || !names.iter().all(is_intended) {
            return Err(is_not_of(&record, names, namespace));
        }
        if let Some(path) = &self.files.controller_log {
            // What the controller did after the sample is not in its inputs.
            let subject = Subject::of(&snapshot);
            for mut log in read_log(path, &[subject], terminal)? {
                log.covers = log
                    .covers
                    .map(|(from, to)| (from, to.min(snapshot.captured_at)));
                observer.read_log(log);
            }
        }
        // The sample itself tells of the time since the one before it.
        let settings = Settings::resolve(&snapshot, overrides);
        let pass_at = sample.pass_at.filter(|pass| *pass < at);
        observer.observe(snapshot.clone(), &settings, pass_at);
        Ok(Some(Moment {
            at,
            snapshot,
            observer,
        }))
    }
}

pub(super) fn is_not_of(
    record: &Record,
    names: &[String],
    namespace: Option<&str>,
) -> anyhow::Error {
    let (own, name) = record.autoscaler();
    let requested = match (names, namespace) {
        ([], requested) => format!("namespace {}", requested.unwrap_or_default()),
        (names, None) => names.join(" "),
        (names, Some(requested)) => format!("{} in namespace {requested}", names.join(" ")),
    };
    Failure::error(
        format!(
            "{} is the record of {own}/{name}, not of {requested}",
            record.name()
        ),
        "leave the name out, or give the record of that HPA; each has its own",
    )
}

/// The moment that is meant.
pub(super) fn moment(record: &Record, instant: Instant) -> anyhow::Result<Timestamp> {
    if let Instant::At(at) = instant {
        return Ok(at);
    }
    let end = record.end()?;
    Ok(instant.before(end.unwrap_or(Timestamp::MAX)))
}

/// The latest sample at or before a moment, and what was seen before it.
fn latest(
    record: &Record,
    at: Timestamp,
    overrides: &Overrides,
    terminal: &mut Terminal,
) -> anyhow::Result<(Sample, Observer)> {
    let mut observer = Observer::default();
    let mut latest: Option<Box<Sample>> = None;
    let mut gap: Option<Gap> = None;
    let (next, _) = record.entries((at, at), terminal, |entry| match entry {
        RecordEntry::Sample(sample) => {
            if let Some(before) = latest.replace(sample) {
                let settings = Settings::resolve(&before.snapshot, overrides);
                observer.observe(before.snapshot, &settings, before.pass_at);
            }
            if gap.take().is_some() {
                observer.gap();
            }
        }
        RecordEntry::Gap(found) if found.at <= at => gap = Some(found),
        RecordEntry::Gap(_) => {}
    })?;
    let before = latest.as_ref().map(|sample| sample.at);
    let reach = SignedDuration::from_secs(SAMPLE_REACH_SECONDS);
    let is_near = |sample: &Sample| at.duration_since(sample.at) <= reach;
    match (latest, gap) {
        (Some(sample), None) if is_near(&sample) => Ok((*sample, observer)),
        (_, gap) => Err(says_nothing(record, at, (before, next), gap)),
    }
}

/// That a record has nothing of a moment, between these samples.
fn says_nothing(
    record: &Record,
    at: Timestamp,
    (before, next): (Option<Timestamp>, Option<Timestamp>),
    gap: Option<Gap>,
) -> anyhow::Error {
    let name = record.name();
    let message = match (before, next, gap) {
        (_, _, Some(gap)) => format!("{name}: nothing was sampled at {at}: {}", gap.error),
        (None, Some(_), None) => format!("{name}: begins after {at}"),
        (Some(_), None, None) => format!("{name}: ends before {at}"),
        (_, _, None) => format!("{name}: nothing was sampled at {at}"),
    };
    let hint = match (before, next) {
        (Some(before), Some(next)) => {
            format!("the nearest samples are of --at {before} and --at {next}")
        }
        (Some(only), None) | (None, Some(only)) => {
            format!("the nearest sample is of --at {only}")
        }
        (None, None) => "--at -0s explains the last sample".to_owned(),
    };
    Failure::error(message, hint)
}
