//! How far a survey is, for somebody who waits.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many HPAs are wanted, and of how many everything is read. Whoever
/// shows it looks at it from elsewhere.
#[derive(Debug, Default)]
pub struct SurveyTally {
    wanted: AtomicUsize,
    read: AtomicUsize,
}

impl SurveyTally {
    /// So many are wanted.
    pub(super) fn want(&self, count: usize) {
        self.wanted.store(count, Ordering::Relaxed);
    }

    /// So many more are read.
    pub(super) fn add(&self, count: usize) {
        self.read.fetch_add(count, Ordering::Relaxed);
    }

    /// How many are read, and how many are wanted; nothing as long as that is
    /// not known.
    #[must_use]
    pub fn counts(&self) -> Option<(usize, usize)> {
        let wanted = self.wanted.load(Ordering::Relaxed);
        let read = self.read.load(Ordering::Relaxed);
        (wanted > 0).then_some((read.min(wanted), wanted))
    }
}
