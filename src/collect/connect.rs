//! From a configuration to a client: one HTTP/2 connection for all requests.
//!
//! The kube crate's own stack speaks HTTP/1.1, so that requests in parallel
//! cost a TLS handshake each, and it runs an exec plugin three times. This
//! one does neither. Through a proxy the crate's stack is kept, because only
//! it knows how.

use http::{HeaderName, HeaderValue};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::rt::TokioExecutor;
use kube::client::ConfigExt;
use kube::{Client, Config};
use tower::{BoxError, ServiceBuilder};
use tower_http::decompression::DecompressionLayer;

/// How the tool names itself to the server.
const USER_AGENT: &str = concat!("kubectl-hpa-explain/", env!("CARGO_PKG_VERSION"));

/// Builds a client; nothing is sent yet, but an exec plugin runs.
///
/// # Errors
///
/// Certificates that cannot be used, or an exec plugin that fails.
pub fn client(mut config: Config) -> Result<Client, kube::Error> {
    let agent = HeaderValue::from_static(USER_AGENT);
    let header = (HeaderName::from_static("user-agent"), agent);
    config.headers.push(header);
    if config.proxy_url.is_some() {
        return Client::try_from(config);
    }
    let auth = config.auth_layer()?;
    let mut tls = config.clone();
    if auth.is_some() {
        // The plugin has run; asked for certificates it would run again.
        tls.auth_info.exec = None;
    }
    let https = hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(tls.rustls_client_config()?)
        .https_or_http()
        .enable_all_versions()
        .build();
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .layer(DecompressionLayer::new().gzip(!config.disable_compression))
        .option_layer(auth)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(HyperClient::builder(TokioExecutor::new()).build(https));
    Ok(Client::new(service, config.default_namespace))
}
