//! The histories that HPAs are tuned by: a record, a file of what a Prometheus
//! answered, or a Prometheus.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use crate::cli::failure::Failure;
use crate::cli::kind::{name, read_file};
use crate::cli::past::kept::Kept;
use crate::cli::past::reading::{DAY, Instant, Reading};
use crate::cli::select::Selection;
use crate::cli::terminal::Terminal;
use crate::cli::{past, past::PastOrMoment, past::moment::follow};
use crate::collect::RoomReading;
use crate::controller::Settings;
use crate::document::snapshot::Snapshot;
use crate::flaps::ObservedPasses;
use crate::history::{Observer, Scrapes};
use crate::trace::amount::counted;
use crate::trace::{Flaps, NoAdvice, NoAdviceCause};
use crate::tune::Observed;
use crate::what_if;

use super::Tune;

/// After so many HPAs in a row without a history, no more are asked for.
const MOST_FAILURES: usize = 3;

/// An HPA, and what is known of its past.
pub(super) struct Past {
    /// The HPA as it is at the end.
    pub(super) snapshot: Snapshot,
    pub(super) observed: Observed,
    pub(super) flaps: Flaps,
    /// Why nothing is known of its past.
    pub(super) missing: Option<NoAdvice>,
}

impl Tune {
    /// Visits each HPA with its past, and how many there are; one past is held
    /// at once. Whether some could not be read.
    pub(super) fn each(
        &self,
        terminal: &mut Terminal,
        mut visit: impl FnMut(&Past, usize),
    ) -> anyhow::Result<bool> {
        let Some(path) = &self.history else {
            return self.scraped(terminal, visit);
        };
        let past = match Kept::open(path)? {
            Some(kept) => {
                terminal.warn_of(&name(path), &kept.document());
                self.of_kept(&kept, terminal)?
            }
            None => self.of_record(path, terminal)?,
        };
        visit(&past, 1);
        Ok(false)
    }

    /// A record: its last sample is the HPA as it is.
    fn of_record(&self, path: &Path, terminal: &mut Terminal) -> anyhow::Result<Past> {
        let overrides = self.settings.overrides();
        let end = PastOrMoment {
            files: past::Past {
                history: Some(path.to_owned()),
                ..past::Past::default()
            },
            at: Some(Instant::BeforeTheEnd(SignedDuration::ZERO)),
        };
        let (names, namespace) = (&self.which.names, self.which.namespace());
        let moment = end.moment(names, namespace, &overrides, terminal)?;
        let moment =
            moment.ok_or_else(|| Failure::error("the record has no end", "record another one"))?;
        let mut observed = Observed::new(&overrides);
        let begin = self.span.and_then(|span| moment.at.checked_sub(span).ok());
        let time = (begin.unwrap_or(Timestamp::MIN), Timestamp::MAX);
        follow(path, time, terminal, |sample| observed.take(sample))?;
        let snapshot = terminal.shown(&moment.snapshot).into_owned();
        Ok(self.judged(snapshot, moment.at, observed, &moment.observer))
    }

    /// An HPA with its past, and what that tells of its ups and downs.
    fn judged(
        &self,
        snapshot: Snapshot,
        at: Timestamp,
        observed: Observed,
        past: &Observer,
    ) -> Past {
        let settings = Settings::resolve(&snapshot, &self.settings.overrides());
        let flaps = what_if::flaps(&snapshot, &settings, at, past, &ObservedPasses::default());
        Past {
            snapshot,
            observed,
            flaps,
            missing: None,
        }
    }

    /// What a Prometheus answered once.
    fn of_kept(&self, kept: &Kept, terminal: &mut Terminal) -> anyhow::Result<Past> {
        let snapshot = &kept.snapshot;
        if !Selection::any_matches(&self.which.names, snapshot) {
            return Err(Failure::error(
                "the file of --history is of another HPA",
                "each HPA has a file of its own",
            ));
        }
        let overrides = self.settings.overrides();
        let span = self.span.unwrap_or(SignedDuration::MAX);
        let reading = Reading::new(&overrides, &self.connection).of_load(span);
        let hpa = snapshot.hpa.clone();
        let read = kept.of_each(&[(hpa, snapshot.captured_at)], reading)?;
        let scrapes = read.into_iter().flatten().next().unwrap_or_default();
        Ok(self.of_scrapes(snapshot, scrapes, terminal))
    }

    /// What a Prometheus answers now, of one HPA after the other.
    fn scraped(
        &self,
        terminal: &mut Terminal,
        mut visit: impl FnMut(&Past, usize),
    ) -> anyhow::Result<bool> {
        let (always, nodes) = (true, self.nodes);
        let room = RoomReading { always, nodes };
        let read = match &self.snapshot {
            Some(path) => self.which.of_file(path, read_file(path)?, terminal)?,
            None => self.which.live("tune", room, &self.connection, terminal)?,
        };
        let overrides = self.settings.overrides();
        let span = self.span.unwrap_or(DAY);
        let reading = Reading::new(&overrides, &self.connection).of_load(span);
        let count = read.snapshots.len();
        let (mut has_failed, mut failures) = (read.has_failed, 0);
        for (place, snapshot) in read.snapshots.iter().enumerate() {
            let hpa = snapshot.hpa.clone();
            let subject = [(hpa, snapshot.captured_at)];
            match self.prometheus.scraped(&subject, reading, terminal) {
                Ok(scrapes) => {
                    failures = 0;
                    let scrapes = scrapes.into_iter().flatten().next().unwrap_or_default();
                    visit(&self.of_scrapes(snapshot, scrapes, terminal), count);
                }
                Err(error) if count == 1 => return Err(error),
                Err(error) => {
                    let metadata = &snapshot.hpa.metadata;
                    terminal.complain(&format!("{}/{}:", metadata.namespace, metadata.name));
                    terminal.fail(&error);
                    let mut past = self.of_scrapes(snapshot, Scrapes::default(), terminal);
                    let reason = format!("no history: {error}");
                    past.missing = Some(NoAdvice::new(NoAdviceCause::NoLoad, reason));
                    visit(&past, count);
                    has_failed = true;
                    failures += 1;
                    let left = count - place - 1;
                    if failures == MOST_FAILURES && left > 0 {
                        terminal.complain(&format!(
                            "error: no history of {MOST_FAILURES} HPAs in a row; {} not tried",
                            counted(left, "other HPA")
                        ));
                        break;
                    }
                }
            }
        }
        read.report(terminal);
        Ok(has_failed)
    }

    fn of_scrapes(&self, snapshot: &Snapshot, scrapes: Scrapes, terminal: &mut Terminal) -> Past {
        let overrides = self.settings.overrides();
        let settings = Settings::resolve(snapshot, &overrides);
        let observed = Observed::new(&overrides);
        let mut observed = observed.since_edit_of(&snapshot.hpa);
        scrapes.samples(snapshot, &settings, |sample| observed.take(sample));
        for remark in scrapes.remarks() {
            let metadata = &snapshot.hpa.metadata;
            let whose = format!("{}/{}", metadata.namespace, metadata.name);
            terminal.warn_once(&format!("warning: {whose}: {remark}"));
        }
        let mut past = Observer::default();
        past.read_scrapes(scrapes);
        let snapshot = terminal.shown(snapshot).into_owned();
        let at = snapshot.captured_at;
        self.judged(snapshot, at, observed, &past)
    }
}
