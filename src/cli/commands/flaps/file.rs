//! HPAs by their inputs, or by a moment of a record, and what the past tells of
//! them.

use jiff::Timestamp;
use rayon::prelude::*;

use crate::cli::past::story::{LONGEST_STORY, RecordTime, of_record, of_scrapes};
use crate::cli::past::{self, Instant, Reading};
use crate::cli::terminal::Terminal;
use crate::cli::waiting::Progress;
use crate::controller::Settings;
use crate::flaps::ObservedPasses;
use crate::history::Observer;
use crate::snapshot::Snapshot;
use crate::trace::{Flaps as Answer, Story};
use crate::what_if;

use super::{Flaps, Judged, confirm};

/// Of so many HPAs the past is held at once.
const AT_ONCE: usize = 8;

impl Flaps {
    /// A moment of a record.
    pub(super) fn of_moment(&self, terminal: &mut Terminal) -> anyhow::Result<Option<Judged>> {
        let (overrides, namespace) = (self.settings.overrides(), self.which.namespace());
        let past = &self.past;
        let Some(it) = past.moment(&self.which.names, namespace, &overrides, terminal)? else {
            return Ok(None);
        };
        let item = self.judge_at(it.at, &terminal.shown(&it.snapshot), &it.observer)?;
        Ok(Some(Judged {
            items: vec![item],
            has_failed: false,
            story: self.recorded(Some(Instant::At(it.at)), terminal)?,
        }))
    }

    /// Judges HPAs by their inputs and what the sources of the past tell of them.
    pub(super) fn judge_all(
        &self,
        snapshots: &[Snapshot],
        has_failed: bool,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Judged> {
        let overrides = self.settings.overrides();
        let mut reading = Reading::new(&overrides, &self.connection);
        reading.span = self.span;
        let mut judged = Judged {
            has_failed,
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
            if let ([only], Some(_)) = (snapshots, &terminal.page) {
                let files = &self.past.files;
                let is_scraped = files.prometheus.is_given() || files.history.is_some();
                judged.story = self.recorded(None, terminal)?;
                if judged.story.is_none() && is_scraped {
                    let (until, observer) = (only.captured_at, past_passes.of(only));
                    let times = (until.checked_sub(self.span.min(LONGEST_STORY))?, until);
                    let story = of_scrapes(only, observer, &overrides, times, terminal);
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
        };
        of_record(&time, &self.settings.overrides(), terminal).map(Some)
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
    ) -> anyhow::Result<Answer> {
        let settings = Settings::resolve(snapshot, &self.settings.overrides());
        let mut sightings = ObservedPasses::default();
        let history = self.past.files.history.as_deref();
        if let Some(path) = history {
            let overrides = self.settings.overrides();
            let metadata = &snapshot.hpa.metadata;
            let own = (metadata.namespace.as_str(), metadata.name.as_str());
            past::samples(path, own, at, |sample| {
                sightings.note(sample, &Settings::resolve(sample, &overrides));
            })?;
        }
        let mut answer = what_if::flaps(snapshot, &settings, at, observer, &sightings);
        if let Some(path) = history {
            confirm::confirm(&mut answer, snapshot, path, &self.settings)?;
        }
        Ok(answer)
    }
}
