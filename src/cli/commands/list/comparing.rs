//! What many HPAs would do under another release, or other settings.

use std::path::Path;
use std::process::ExitCode;

use crate::cli::exit::FOUND;
use crate::cli::options::Format;
use crate::cli::printer;
use crate::cli::source::{name, read_file};
use crate::cli::terminal::Terminal;
use crate::controller::{Overrides, Settings};
use crate::diagnose::{Divergence, compare};
use crate::history::{Observer, Subject};
use crate::snapshot::Snapshot;
use crate::trace::{Comparison, Untold};

use super::{List, Surveyed, place};

/// Compares the HPAs of a file.
pub fn of_file(
    list: &List,
    change: &Overrides,
    path: &Path,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let documents = read_file(path)?;
    let (wanted, unreadable) = list.wanted(&documents)?;
    let subjects = wanted.iter().map(|snapshot| Subject::of(snapshot));
    let overrides = list.settings.overrides();
    let seen = list.past.read(subjects.collect(), &overrides, terminal)?;
    let mut comparing = Comparing::new(list, change);
    let mut progress = list.progress(wanted.len(), terminal);
    for snapshot in wanted {
        comparing.add(snapshot, seen.of(snapshot));
        if let Some(progress) = &mut progress {
            progress.step();
        }
    }
    drop(progress);
    for error in unreadable {
        terminal.complain(&format!("error: {}: {error}", name(path)));
        comparing.is_incomplete = true;
    }
    comparing.finish(terminal)
}

/// Compares the HPAs of a cluster.
pub async fn of_cluster(
    list: &List,
    change: &Overrides,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let surveyed = Surveyed::read(list, terminal).await?;
    let mut comparing = Comparing::new(list, change);
    surveyed.each(list, terminal, |snapshot, observer, _| {
        match snapshot {
            Ok(snapshot) => comparing.add(&snapshot, observer),
            Err(unusable) => comparing.comparison.failed.push(Untold {
                namespace: unusable.namespace,
                name: unusable.name,
                because: unusable.reason,
            }),
        }
        Ok(())
    })?;
    comparing.finish(terminal)
}

struct Comparing<'l> {
    list: &'l List,
    overrides: Overrides,
    change: &'l Overrides,
    comparison: Comparison,
    /// Whether there are HPAs that not even the comparison names.
    is_incomplete: bool,
}

impl<'l> Comparing<'l> {
    fn new(list: &'l List, change: &'l Overrides) -> Self {
        Self {
            list,
            overrides: list.settings.overrides(),
            change,
            comparison: Comparison {
                settings: change.each_setting().map(|(name, _)| name).collect(),
                ..Comparison::default()
            },
            is_incomplete: false,
        }
    }

    fn add(&mut self, snapshot: &Snapshot, observer: &Observer) {
        let comparison = &mut self.comparison;
        if comparison.release.is_none() && self.change.release.is_some() {
            let changed = self.overrides.changed_by(self.change);
            let settings = Settings::resolve(snapshot, &changed);
            comparison.release = Some(settings.basis().release.clone());
        }
        let at = snapshot.captured_at;
        match compare(snapshot, &self.overrides, self.change, at, observer) {
            Divergence::Differs(compared) => comparison.items.push(*compared),
            Divergence::Same => comparison.same += 1,
            Divergence::Unknown(because) => {
                let (namespace, name) = place(snapshot);
                comparison.unknown.push(Untold {
                    namespace: namespace.to_owned(),
                    name: name.to_owned(),
                    because,
                });
            }
        }
    }

    fn finish(self, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
        let comparison = &self.comparison;
        terminal.text.wide = self.list.format == Format::Wide;
        printer::print(comparison, self.list.format, false, terminal)?;
        Ok(if self.is_incomplete || !comparison.failed.is_empty() {
            ExitCode::FAILURE
        } else if self.list.exit_code && !comparison.items.is_empty() {
            ExitCode::from(FOUND)
        } else {
            ExitCode::SUCCESS
        })
    }
}
