//! The HPAs of a file, or of a moment of a record: no cluster is asked.

use std::path::Path;

use crate::cli::failure::Failure;
use crate::cli::past::{Instant, Moment, MomentQuery};
use crate::cli::select::{Selection, list};
use crate::cli::source::{self, read_file};
use crate::cli::terminal::Terminal;
use crate::controller::Settings;
use crate::diagnose;
use crate::snapshot::Snapshot;

use super::{Flaps, Judged, confirm};

impl Flaps {
    /// A moment of a record.
    pub(super) fn of_moment(
        &self,
        instant: Instant,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Judged> {
        let overrides = self.overrides();
        let Some(path) = &self.past.history else {
            return Ok(Judged::default());
        };
        let asked = MomentQuery {
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
    pub(super) fn of_file(&self, path: &Path, terminal: &mut Terminal) -> anyhow::Result<Judged> {
        let file = source::name(path);
        let (mut snapshots, mut judged) = (Vec::new(), Judged::default());
        for document in read_file(path)? {
            for warning in document.warning_lines() {
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
            let wanted = Selection::parse(text);
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
        self.names.is_empty() || names.any(|name| Selection::parse(name).matches(snapshot))
    }
}
