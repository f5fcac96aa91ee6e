//! How long to wait before asking again.

use std::time::Duration;

/// Delays that grow to a bound, until something goes well.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    first: Duration,
    most: Duration,
    next: Duration,
}

impl Backoff {
    /// Delays from the first one to the longest, each twice the one before.
    #[must_use]
    pub fn new(first: Duration, most: Duration) -> Self {
        Self {
            first,
            most,
            next: first.min(most),
        }
    }

    /// How long to wait after one more failure.
    pub fn failed(&mut self) -> Duration {
        let delay = self.next;
        self.next = self.next.saturating_mul(2).min(self.most);
        delay
    }

    /// Something went well: the next failure is a first one.
    pub fn went_well(&mut self) {
        self.next = self.first.min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Backoff;

    #[test]
    fn delays_grow_to_their_bound_and_begin_anew() {
        let mut backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(30));
        let mut delays = || -> Vec<u64> {
            let failed = (0..7).map(|_| backoff.failed().as_secs()).collect();
            backoff.went_well();
            failed
        };
        assert_eq!(delays(), [1, 2, 4, 8, 16, 30, 30]);
        assert_eq!(delays(), [1, 2, 4, 8, 16, 30, 30]);
    }
}
