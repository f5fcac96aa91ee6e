//! What an answer can do without may delay it only for a moment.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::timeout;

/// How long to wait once all that is needed is there. A person takes a third
/// of a second for no delay at all.
pub const GRACE: Duration = Duration::from_millis(250);

/// Runs both; what is beside ends at the latest a moment after what is
/// needed.
///
/// # Errors
///
/// Those of what is needed, at once.
pub async fn within<T, E>(
    needed: impl Future<Output = Result<T, E>>,
    supplements: impl Future<Output = ()>,
    wait: Duration,
) -> Result<T, E> {
    match select(pin!(needed), pin!(supplements)).await {
        Either::Left((needed, supplements)) => {
            let needed = needed?;
            // What has not come by then is named as not waited for.
            let _ = timeout(wait, supplements).await;
            Ok(needed)
        }
        Either::Right(((), needed)) => needed.await,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::pending;
    use std::time::Duration;

    use tokio::time::{Instant, sleep};

    use super::{GRACE, within};

    /// A paused clock goes on as soon as everything waits for it.
    #[tokio::test(start_paused = true)]
    async fn what_can_be_done_without_delays_by_a_moment_at_most() {
        let milli = Duration::from_millis;
        let rows = [
            // Needed, beside, when it is over.
            (milli(100), milli(50), milli(100)),
            (milli(100), milli(200), milli(200)),
            (milli(100), milli(300), milli(300)),
            (milli(100), milli(400), milli(350)),
            (milli(100), Duration::from_secs(60), milli(350)),
        ];
        for (needed, supplements, over) in rows {
            let started = Instant::now();
            let came = Cell::new(false);
            let supplements = async {
                sleep(supplements).await;
                came.set(true);
            };
            let needed = async {
                sleep(needed).await;
                Ok::<_, ()>(())
            };
            assert_eq!(within(needed, supplements, GRACE).await, Ok(()));
            let took = started.elapsed();
            // The timer counts whole milliseconds.
            assert!(took >= over && took <= over + milli(1), "{took:?}");
            assert_eq!(came.get(), over < milli(350), "{took:?}");
        }
        assert!(GRACE <= milli(300));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_needed_and_fails_is_waited_for_no_longer() {
        let failed = async { Err::<(), _>("no") };
        assert_eq!(within(failed, pending(), GRACE).await, Err("no"));
    }
}
