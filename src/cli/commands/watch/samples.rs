//! The inputs of a pass, sampled as often as it takes to have some from
//! shortly before each.

use std::cell::Cell;
use std::time::Duration;

use futures_util::stream::{self, Stream};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};

use crate::cli::session::Session;
use crate::collect::{Backoff, Cluster, CollectError, Pace, Unanswered, collect};
use crate::controller::{Overrides, Settings};
use crate::document::snapshot::Snapshot;

/// How many samples are taken in a sync period. What is the same for every
/// HPA of a cluster is asked once for so many.
const OF_A_PERIOD: u32 = 3;

/// The first sample is taken before the sync period is known.
const FIRST_INTERVAL: Duration = Duration::from_secs(5);

/// The shortest time between two samples, whatever the sync period.
const SHORTEST: Duration = Duration::from_secs(1);

/// The longest time until it is tried again to take one.
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// By how much times of the server's clock can be wrong.
const UNCERTAIN: SignedDuration = SignedDuration::from_secs(2);

/// The inputs as they were at one time.
pub struct TakenSample {
    /// The inputs.
    pub snapshot: Snapshot,
    /// The settings of the controller.
    pub settings: Settings,
    /// When reading them began.
    pub began: Instant,
}

/// How long before a pass is due a sample begins to be taken: times are whole
/// seconds, and what is of another second than the pass is of before it.
const BEFORE_PASS: Duration = Duration::from_secs(2);

/// What is known of when a sample is best taken.
#[derive(Default)]
pub struct Plan {
    /// When a pass was seen; more follow each sync period.
    passed: Cell<Option<Instant>>,
    changed: Notify,
}

impl Plan {
    /// A pass was seen just now.
    pub fn passed(&self) {
        self.passed.set(Some(Instant::now()));
    }

    /// The HPA was edited: what was sampled before is no longer so.
    pub fn changed(&self) {
        self.changed.notify_one();
    }

    /// When to begin the next sample: after an interval, or later or sooner
    /// if that is shortly before a pass.
    fn next(
        &self,
        began: Instant,
        interval: Duration,
        period: Duration,
        before: Duration,
    ) -> Instant {
        let usual = began + interval;
        let Some(passed) = self.passed.get().filter(|_| !period.is_zero()) else {
            return usual;
        };
        let since = began.saturating_duration_since(passed) + before;
        let periods = since.as_nanos() / period.as_nanos() + 1;
        let Ok(periods) = u32::try_from(periods) else {
            return usual;
        };
        let aligned = (passed + period * periods).checked_sub(before);
        let is_near = |it: &Instant| *it > began && *it <= usual + interval / 2;
        aligned.filter(is_near).unwrap_or(usual)
    }
}

#[derive(Clone, Copy)]
pub struct Sampling<'s> {
    /// The connection.
    pub session: &'s Session,
    /// The HPA.
    pub name: &'s str,
    /// Settings that win over what is seen.
    pub overrides: &'s Overrides,
    /// By which clock times go.
    pub pace: Pace,
    /// How long one sample may take.
    pub patience: Duration,
    /// When samples are best taken.
    pub plan: &'s Plan,
}

/// Samples without an end; one that cannot be taken is tried again.
pub fn samples(sampling: Sampling) -> impl Stream<Item = Result<TakenSample, CollectError>> {
    let sampler = Sampler {
        sampling,
        cluster: None,
        due: Instant::now(),
        earliest: Instant::now(),
        interval: FIRST_INTERVAL,
        backoff: Backoff::new(FIRST_INTERVAL, LONGEST_DELAY),
        latest: Timestamp::MIN,
    };
    stream::unfold(sampler, |mut sampler| async move {
        let sample = sampler.next().await;
        Some((sample, sampler))
    })
}

struct Sampler<'s> {
    sampling: Sampling<'s>,
    /// What is the same for every HPA, and for how many samples it still is.
    cluster: Option<(Cluster<'s>, u32)>,
    due: Instant,
    /// When the next one may begin, however often the HPA is edited.
    earliest: Instant,
    interval: Duration,
    backoff: Backoff,
    latest: Timestamp,
}

impl Sampler<'_> {
    async fn next(&mut self) -> Result<TakenSample, CollectError> {
        tokio::select! {
            () = sleep_until(self.due) => {}
            () = self.sampling.plan.changed.notified() => sleep_until(self.earliest).await,
        }
        let began = Instant::now();
        let pace = self.sampling.pace;
        self.earliest = began + pace.here(SHORTEST);
        match self.collect().await {
            Ok(mut snapshot) => {
                let settings = Settings::resolve(&snapshot, self.sampling.overrides);
                let period = Duration::from_nanos(settings.sync_period.try_into().unwrap_or(0));
                self.interval = (period / OF_A_PERIOD).max(SHORTEST);
                self.backoff = Backoff::new(self.interval, LONGEST_DELAY.max(self.interval));
                let [interval, period, before] =
                    [self.interval, period, BEFORE_PASS.min(self.interval)].map(|it| pace.here(it));
                let due = self.sampling.plan.next(began, interval, period, before);
                self.due = due.max(Instant::now());
                snapshot.captured_at = self.in_order(snapshot.captured_at);
                Ok(TakenSample {
                    snapshot,
                    settings,
                    began,
                })
            }
            Err(error) => {
                self.cluster = None;
                self.due = Instant::now() + pace.here(self.backoff.failed());
                Err(error)
            }
        }
    }

    /// The server's clock is read to the second, so that a moment can seem to
    /// be before the last one. A clock that is set back is another matter.
    fn in_order(&mut self, at: Timestamp) -> Timestamp {
        let back = self.latest.duration_since(at);
        if back > UNCERTAIN || back.is_negative() {
            self.latest = at;
        }
        self.latest
    }

    async fn collect(&mut self) -> Result<Snapshot, CollectError> {
        let Sampling {
            session,
            name,
            pace,
            patience,
            ..
        } = self.sampling;
        self.cluster.take_if(|(_, left)| *left == 0);
        let (cluster, left) = self.cluster.get_or_insert_with(|| {
            let mut cluster = Cluster::new(&session.reader);
            // Nobody looks on as each sample is taken: until the next one is
            // due, all of it is waited for.
            cluster.wait = cluster.wait.max(pace.here(self.interval));
            (cluster, OF_A_PERIOD)
        });
        *left -= 1;
        let sample = collect(cluster, &session.namespace, name, Timestamp::now());
        let sample = timeout(patience, sample).await;
        sample.unwrap_or(Err(CollectError::Unanswered(Unanswered::Late(patience))))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Plan;

    /// Three samples a period, one of them shortly before each pass.
    #[test]
    fn a_sample_comes_shortly_before_each_pass() {
        let seconds = Duration::from_secs;
        let begun = Instant::now();
        let next = |plan: &Plan, began| {
            let next = plan.next(begun + seconds(began), seconds(5), seconds(15), seconds(2));
            next.duration_since(begun).as_secs()
        };
        let plan = Plan::default();
        assert_eq!(next(&plan, 3), 8, "no pass is known");
        plan.passed.set(Some(begun));
        // When one began, and when the next one is to begin.
        let rows = [
            (0, 5),
            (3, 8),
            (6, 13),
            (8, 13),
            (13, 18),
            (18, 23),
            (23, 28),
            (100, 103),
        ];
        for (began, expected) in rows {
            assert_eq!(next(&plan, began), expected, "{began}");
        }
    }
}
