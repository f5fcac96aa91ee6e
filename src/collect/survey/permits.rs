//! How many requests of a survey are under way at the same time: so many in
//! all, however its lists nest.

use std::ops::Deref;

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
