//! The changes of a time, each with its cause.

use jiff::Timestamp;

use super::{edits, is_active, set_by_others};
use crate::controller::{Nanos, timestamp};
use crate::document::snapshot::Snapshot;
use crate::history::recall::restarts::lead;
use crate::history::story::{by_pass, of_scraped};
use crate::history::{Scrape, ScrapedPass, Scrapes, Stored};
use crate::trace::{Story, StoryCause, StoryChange, StoryPass};

impl Scrapes {
    /// Tells what happened between two moments.
    pub(in crate::history) fn story(
        &self,
        passes: &[ScrapedPass],
        base: &Snapshot,
        times: (Timestamp, Timestamp),
        of_passes: Vec<StoryPass>,
    ) -> Story {
        let hpa = &base.hpa;
        let mut changes: Vec<StoryChange> = passes.iter().filter_map(by_hpa).collect();
        changes.extend(set_by_others(&self.all).into_iter().map(|it| {
            let sizes = (Some(it.left), Some(it.found));
            change((it.from, it.to), sizes, StoryCause::SetByOthers)
        }));
        changes.extend(self.changes_of_states());
        changes.extend(of_objects(base));
        Story::of(hpa, times, changes, of_passes)
    }

    /// States that a record has: what tells them apart is not judged by their
    /// distance.
    pub(in crate::history) fn of_states(all: Vec<Scrape>) -> Self {
        Self {
            all,
            longest: Nanos::MAX,
            ..Self::default()
        }
    }

    /// What changed from one state to the next, but for the size.
    pub(in crate::history) fn changes_of_states(&self) -> Vec<StoryChange> {
        let mut changes: Vec<StoryChange> = Vec::new();
        changes.extend(edits(&self.all).into_iter().map(|it| {
            let what = it.what;
            change((it.from, it.to), (None, None), StoryCause::Edited { what })
        }));
        for pair in self.all.windows(2) {
            let (one, other) = (&pair[0], &pair[1]);
            let cause = match (is_active(&one.status), is_active(&other.status)) {
                _ if self.is_hole(one.at, other.at) => StoryCause::Hole,
                (true, false) if other.status.current_replicas > 0 => StoryCause::Failing,
                (false, true) if one.status.current_replicas > 0 => StoryCause::Working,
                _ => continue,
            };
            changes.push(change((one.at, other.at), (None, None), cause));
        }
        changes
    }
}

/// A pass that changed the size.
fn by_hpa(pass: &ScrapedPass) -> Option<StoryChange> {
    // A status that was there before is of no other pass.
    let change = by_pass(&of_scraped(pass)).filter(|_| !pass.is_observed || pass.is_certain)?;
    Some(match pass.proposal {
        Stored::None => StoryChange {
            cause: StoryCause::Bounds,
            ..change
        },
        Stored::Within(_) | Stored::Unknown => change,
    })
}

/// What objects tell that are kept: when the behavior was last written, and since
/// when the controller leads.
fn of_objects(base: &Snapshot) -> Vec<StoryChange> {
    let created = base.hpa.metadata.creation_timestamp;
    let written = base.hpa.tuning_written();
    let written = written.filter(|at| Some(*at) != created);
    let all = [
        (written, StoryCause::BehaviorWritten),
        (lead(base), StoryCause::Restarted { says: None }),
    ];
    let all = all.into_iter().filter_map(|(at, cause)| {
        let at = at?.as_nanosecond();
        Some(change((at, at), (None, None), cause))
    });
    all.collect()
}

fn change(
    (from, to): (Nanos, Nanos),
    sizes: (Option<i32>, Option<i32>),
    cause: StoryCause,
) -> StoryChange {
    StoryChange::of((timestamp(from), timestamp(to)), sizes, cause)
}
