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
pub async fn with_grace<T, E>(
    needed: impl Future<Output = Result<T, E>>,
    beside: impl Future<Output = ()>,
    grace: Duration,
) -> Result<T, E> {
    match select(pin!(needed), pin!(beside)).await {
        Either::Left((needed, beside)) => {
            let needed = needed?;
            // What has not come by then is named as not waited for.
            let _ = timeout(grace, beside).await;
            Ok(needed)
        }
        Either::Right(((), needed)) => needed.await,
    }
}
