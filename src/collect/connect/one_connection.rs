//! One connection where several requests wait for the first.
//!
//! Whether a server speaks HTTP/2 is only known once TLS is up, so hyper
//! would connect once for each request of the first stage, and then use one
//! connection. This lets the first one through, and the others only if the
//! connection turns out not to be shared.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::Connection;
use tokio::sync::Mutex;
use tokio::time::sleep;
use tower::{Service, ServiceExt};

/// How long a request that could share a connection is kept from making its
/// own. It has long been sent by then, unless the connection broke.
const SPARE: Duration = Duration::from_secs(5);

/// Whether connections to this server can be shared, once that is known.
type Shared = Arc<Mutex<Option<bool>>>;

/// Makes connections, the first one alone.
#[derive(Clone)]
pub struct OneConnection<C> {
    inner: C,
    shared: Shared,
}

impl<C> OneConnection<C> {
    /// On top of what makes each connection.
    pub fn new(inner: C) -> Self {
        Self {
            inner,
            shared: Arc::default(),
        }
    }
}

impl<C> Service<Uri> for OneConnection<C>
where
    C: Service<Uri> + Clone + Send + 'static,
    C::Response: Connection + Send,
    C::Future: Send,
    C::Error: Send,
{
    type Response = C::Response;
    type Error = C::Error;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, C::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), C::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        // The one that was polled ready must be the one that is called.
        let ready = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, ready);
        Box::pin(connect(inner, server, Arc::clone(&self.shared)))
    }
}

async fn connect<C>(inner: C, server: Uri, shared: Shared) -> Result<C::Response, C::Error>
where
    C: Service<Uri>,
    C::Response: Connection,
{
    // Who asks when all is known has a reason: the old connection is gone.
    let is_late = shared.try_lock().is_ok_and(|known| known.is_some());
    let mut known = shared.lock().await;
    if let Some(is_shared) = *known {
        drop(known);
        if is_shared && !is_late {
            sleep(SPARE).await;
        }
        return inner.oneshot(server).await;
    }
    let stream = inner.oneshot(server).await?;
    *known = Some(stream.connected().is_negotiated_h2());
    Ok(stream)
}
