//! How long ago a pass was at least, by the passes after it.
//!
//! What the API keeps is stamped to the second, and windows and periods mostly
//! are multiples of the sync period: whether what a pass stored four periods
//! ago still counts is decided by less than a second. The controller waits a
//! whole period after each pass before the next, so it was longer ago.

use crate::controller::{Nanos, SECOND};
use crate::history::span::Span;
use crate::snapshot::Snapshot;

use super::Rules;
use super::written::Written;

/// The passes that are known to have run, and how far apart they are.
#[derive(Debug)]
pub struct Spacing {
    now: Nanos,
    period: Nanos,
    /// From when on no news of the HPA but its own status made a pass come
    /// earlier.
    undisturbed: Nanos,
    passes: Vec<Span>,
}

impl Spacing {
    /// The passes that wrote a status before `now`.
    pub fn new(written: &[Written], snapshot: &Snapshot, rules: &Rules, now: Nanos) -> Self {
        let hpa = &snapshot.horizontal_pod_autoscaler;
        let news = hpa.metadata.managed_fields.iter();
        let news = news.filter(|entry| entry.subresource != "status");
        let news = news.filter_map(|entry| entry.time);
        let mut passes: Vec<Span> = written.iter().map(|it| it.at).collect();
        passes.sort_unstable();
        passes.retain(|pass| pass.from < now);
        Self {
            now,
            period: rules.sync_period,
            undisturbed: news
                .map(|at| Span::second(at).to)
                .max()
                .unwrap_or(Nanos::MIN)
                .max(rules.spec_written.unwrap_or(Nanos::MIN)),
            passes,
        }
    }

    /// The latest moment at which a pass of that time can have stored
    /// something, seen from a pass now.
    pub fn latest(&self, at: Span) -> Nanos {
        if at.from <= self.undisturbed {
            return at.to;
        }
        let first_later = self
            .passes
            .partition_point(|pass| pass.from <= at.to.max(at.from));
        let later = &self.passes[first_later..];
        // The status is stamped in whole seconds, cut off.
        let newest = later.last().map_or(at.to, |pass| pass.to);
        let is_due = self.now >= newest / SECOND * SECOND + self.period;
        let count = later.len() + usize::from(is_due);
        let periods = Nanos::try_from(count).unwrap_or_default();
        at.to.min(self.now - periods * self.period)
    }
}
