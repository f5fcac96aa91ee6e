//! Nothing is ever written: whatever else goes wrong above, a request that
//! could change the cluster does not leave this program.

use std::future::{Future, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Method, Request, Uri};
use tower::{BoxError, Service};

/// A request that could change the cluster.
#[derive(Debug, thiserror::Error)]
#[error("{0} {1} is not sent: it lacks dryRun=All")]
struct Refused(Method, Uri);

/// Lets reading through, and of writing only what the server is asked to
/// forget again (`dryRun=All`).
#[derive(Clone, Debug)]
pub struct OnlyDryRun<S>(pub S);

impl<S, B> Service<Request<B>> for OnlyDryRun<S>
where
    S: Service<Request<B>>,
    S::Response: Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if !is_harmless(request.method(), request.uri()) {
            let (method, uri) = (request.method().clone(), request.uri().clone());
            return Box::pin(ready(Err(Refused(method, uri).into())));
        }
        let answer = self.0.call(request);
        Box::pin(async move { answer.await.map_err(Into::into) })
    }
}

/// The server takes the last of a parameter that is given twice.
fn is_harmless(method: &Method, uri: &Uri) -> bool {
    let parameters = uri.query().unwrap_or_default().as_bytes();
    let mut endpoint = form_urlencoded::parse(parameters).filter(|(name, _)| name == "dryRun");
    let is_dry_run =
        endpoint.next().is_some_and(|(_, value)| value == "All") && endpoint.next().is_none();
    *method == Method::GET || is_dry_run
}

#[cfg(test)]
mod tests {
    use http::{Method, Uri};

    use super::is_harmless;

    #[test]
    fn a_write_needs_to_be_a_dry_run() {
        let rows = [
            (Method::GET, "/x", true),
            (Method::PATCH, "/x", false),
            (Method::PATCH, "/x?dryRun=All", true),
            (Method::POST, "/x?fieldManager=a&dryRun=All", true),
            (Method::PUT, "/x?dryRun=all", false),
            (Method::PUT, "/x?dryRun=", false),
            (Method::DELETE, "/x?xdryRun=All", false),
            (Method::PATCH, "/x?dryRun=All&dryRun=None", false),
            (Method::PATCH, "/dryRun=All", false),
            (Method::POST, "/x#dryRun=All", false),
        ];
        for (method, uri, harmless) in rows {
            let parsed: Uri = uri.parse().expect(uri);
            assert_eq!(is_harmless(&method, &parsed), harmless, "{method} {uri}");
        }
    }
}
