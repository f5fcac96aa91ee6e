//! How many requests of a survey are under way at the same time: so many in
//! all, however its lists nest.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::collect::request::reader::Reader;

use super::AT_ONCE;

/// The turns of a survey's requests.
pub struct Permits<'r> {
    reader: &'r Reader,
    free: Semaphore,
}

impl<'r> Permits<'r> {
    /// Nothing is under way yet.
    pub fn new(reader: &'r Reader) -> Self {
        Self {
            reader,
            free: Semaphore::new(AT_ONCE),
        }
    }

    /// Waits until one more request may be sent. Its time starts then, so
    /// that a long queue makes no request late.
    pub async fn next(&self) -> Permit<'_> {
        Permit {
            reader: self.reader,
            // The semaphore is never closed, which is the only failure.
            _permit: self.free.acquire().await.ok(),
        }
    }
}

/// The reader for one request after another, never for two at a time.
pub struct Permit<'t> {
    reader: &'t Reader,
    _permit: Option<SemaphorePermit<'t>>,
}

impl Deref for Permit<'_> {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        self.reader
    }
}

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
