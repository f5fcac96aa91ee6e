//! One HPA, with what the files about its past tell.

use jiff::Timestamp;

use crate::cli::past::{self, PastPasses};
use crate::cli::terminal::Terminal;
use crate::controller::Settings;
use crate::diagnose::{self, ObservedPasses};
use crate::history::{Observer, Subject};
use crate::snapshot::Snapshot;
use crate::trace::Flaps as Answer;

use super::{Flaps, confirm};

impl Flaps {
    /// What the files about the past tell of these HPAs.
    pub(super) fn seen<'s>(
        &self,
        snapshots: impl Iterator<Item = &'s Snapshot>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<PastPasses> {
        if self.past.is_empty() {
            return Ok(PastPasses::default());
        }
        let subjects = snapshots.map(Subject::of).collect();
        self.past.read(subjects, &self.overrides(), terminal)
    }

    /// What is found in the earlier inputs of a record.
    pub(super) fn sightings(
        &self,
        snapshot: &Snapshot,
        at: Timestamp,
    ) -> anyhow::Result<ObservedPasses> {
        let mut sightings = ObservedPasses::default();
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
    pub(super) fn glance(&self, snapshot: &Snapshot) -> Answer {
        let settings = Settings::resolve(snapshot, &self.overrides());
        let (observer, sightings) = (Observer::default(), ObservedPasses::default());
        let at = snapshot.captured_at;
        diagnose::flaps(snapshot, &settings, at, &observer, &sightings)
    }

    pub(super) fn judge(&self, snapshot: &Snapshot, seen: &PastPasses) -> anyhow::Result<Answer> {
        let settings = Settings::resolve(snapshot, &self.overrides());
        let (at, observer) = (snapshot.captured_at, seen.of(snapshot));
        let sightings = self.sightings(snapshot, at)?;
        let mut answer = diagnose::flaps(snapshot, &settings, at, observer, &sightings);
        if let Some(path) = &self.past.history {
            confirm::confirm(&mut answer, snapshot, path, &self.settings)?;
        }
        Ok(answer)
    }
}
