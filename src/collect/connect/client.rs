//! From a configuration to a client: one HTTP/2 connection for all requests,
//! through a proxy or not.
//!
//! The kube crate's own stack speaks HTTP/1.1, so that requests in parallel
//! cost a TLS handshake each. This one does not.

use std::future::{Future, ready};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{PROXY_AUTHORIZATION, USER_AGENT};
use http::uri::Scheme;
use http::{HeaderValue, Uri};
use hyper::rt::{Read, Write};
use hyper_rustls::builderstates::WantsProtocols1;
use hyper_rustls::{FixedServerNameResolver, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
use hyper_util::client::legacy::{Builder, Client as HyperClient};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use kube::client::ConfigExt;
use kube::{Client, Config};
use rustls::ClientConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::sleep;
use tower::layer::layer_fn;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn};
use tower_http::decompression::DecompressionLayer;

use super::kubeconfig::{ConfigError, Environment};
use super::only_dry_run::OnlyDryRun;
use super::proxy::{Forwarded, Protocol, Proxy, proxy_for};
use super::unreachable::innermost;

/// How the tool names itself to the server.
const AGENT: &str = concat!("kubectl-hpa-explain/", env!("CARGO_PKG_VERSION"));

/// After how long a connection in use is asked for a sign of life, and how
/// long that may take; as in client-go.
const PING: Duration = Duration::from_secs(30);
const PONG: Duration = Duration::from_secs(15);

/// Why no client can be made of a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The user's certificate, its key or the authority cannot be used.
    #[error("unable to load certificates: {}", innermost(.0))]
    Certificates(#[source] kube::Error),
    /// The user's token, password or auth provider cannot be used.
    #[error("getting credentials: {}", innermost(.0))]
    Credentials(#[source] kube::Error),
    /// The user has a name that no header can hold.
    #[error("unable to say who you are: {}", innermost(.0))]
    Header(#[source] kube::Error),
    /// `--tls-server-name` is no name.
    #[error("{0:?} is not a valid name for a certificate")]
    ServerName(String),
}

/// The proxy is in the way of a connection.
#[derive(Debug, thiserror::Error)]
#[error("proxy {name}: {cause}")]
pub struct ProxyFailed {
    /// Host and port.
    pub name: String,
    /// What it did.
    #[source]
    pub cause: BoxError,
}

/// Builds a client; nothing is sent yet.
///
/// # Errors
///
/// Certificates or a server name that cannot be used.
pub fn client(mut config: Config) -> Result<Client, ClientError> {
    let agent = HeaderValue::from_static(AGENT);
    config.headers.push((USER_AGENT, agent));
    let tls = config
        .rustls_client_config()
        .map_err(ClientError::Certificates)?;
    let mut tcp = HttpConnector::new();
    // What is http and what is not is for the layers above to know.
    tcp.enforce_http(false);
    // A stage's requests must not wait until the server acknowledges the last.
    tcp.set_nodelay(true);
    match config.proxy_url.as_ref().map(Proxy::new) {
        None => over(tcp, tls, config),
        Some(proxy) => through(proxy, tcp, tls, config),
    }
}

/// How to reach a server beside the cluster, through the proxy that leads to it;
/// without certificates of authorities, those of the system count.
///
/// # Errors
///
/// There is no certificate in what is to hold some, or the proxy is none.
pub fn config_outside_cluster(
    server: Uri,
    authorities: Option<&str>,
    environment: &Environment,
) -> Result<Config, ConfigError> {
    let proxy_url = proxy_for(&server, None, &environment.proxy_variables)?;
    let mut config = Config::new(server);
    config.proxy_url = proxy_url;
    // The reader has deadlines of its own.
    (config.connect_timeout, config.read_timeout) = (None, None);
    if let Some(pem) = authorities {
        let all = CertificateDer::pem_slice_iter(pem.as_bytes());
        let all: Result<Vec<Vec<u8>>, _> = all.map(|it| it.map(|it| it.to_vec())).collect();
        let all = all.ok().filter(|all| !all.is_empty());
        config.root_cert = Some(all.ok_or(ConfigError::NoAuthority)?);
    }
    Ok(config)
}

/// A client behind a proxy. Plain http is forwarded by an HTTP proxy, all else
/// is tunnelled.
fn through(
    proxy: Proxy,
    tcp: HttpConnector,
    tls: ClientConfig,
    mut config: Config,
) -> Result<Client, ClientError> {
    let name = proxy.name();
    let failed = |cause: BoxError| ProxyFailed { name, cause };
    if proxy.protocol == Protocol::Socks {
        let socks = service_fn(move |server| through_socks(proxy.clone(), tcp.clone(), server));
        return over(socks.map_err(failed), tls, config);
    }
    let auth = basic_auth(&proxy);
    let to_proxy = https_or_http(tls.clone())
        .enable_http1()
        .wrap_connector(tcp);
    if config.cluster_url.scheme() == Some(&Scheme::HTTP) {
        config
            .headers
            .extend(auth.map(|auth| (PROXY_AUTHORIZATION, auth)));
        let forward = to_proxy
            .map_request(move |_: Uri| proxy.address.clone())
            .map_response(Forwarded)
            .map_err(failed);
        return over(forward, tls, config);
    }
    let mut tunnel = Tunnel::new(proxy.address, to_proxy);
    if let Some(auth) = auth {
        tunnel = tunnel.with_auth(auth);
    }
    over(tunnel.map_err(|e| failed(e.into())), tls, config)
}

/// A connection to a server through a SOCKS proxy. That to the proxy is made
/// first, because the SOCKS connector does not tell why it cannot be made.
async fn through_socks(
    proxy: Proxy,
    tcp: HttpConnector,
    server: Uri,
) -> Result<TokioIo<TcpStream>, BoxError> {
    let mut stream = Some(tcp.oneshot(proxy.address.clone()).await?);
    let connected =
        service_fn(move |_: Uri| ready(stream.take().ok_or(io::ErrorKind::NotConnected)));
    let connected = connected.map_err(io::Error::from);
    let mut socks = SocksV5::new(proxy.address, connected);
    if let Some((user, password)) = proxy.user {
        socks = socks.with_auth(user, password);
    }
    Ok(socks.oneshot(with_port(server)).await?)
}

/// A client over whatever makes connections to the server.
fn over<C>(connector: C, tls: ClientConfig, config: Config) -> Result<Client, ClientError>
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    C::Future: Send + 'static,
    C::Error: Into<BoxError>,
{
    let mut https = https_or_http(tls);
    if let Some(name) = &config.tls_server_name {
        let known = ServerName::try_from(name.clone());
        let name = known.map_err(|_| ClientError::ServerName(name.clone()))?;
        https = https.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    let https = https.enable_all_versions().wrap_connector(connector);
    let shared = Shared::default();
    let service = ServiceBuilder::new()
        .layer(layer_fn(OnlyDryRun))
        .layer(config.base_uri_layer())
        .layer(DecompressionLayer::new().gzip(!config.disable_compression))
        .option_layer(config.auth_layer().map_err(ClientError::Credentials)?)
        .layer(config.extra_headers_layer().map_err(ClientError::Header)?)
        .map_err(BoxError::from)
        .service(pool().build(OneConnection {
            inner: https,
            shared,
        }));
    Ok(Client::new(service, config.default_namespace))
}

/// Connections are kept, and given up once nobody is at the other end: with
/// HTTP/2 everything goes over one, and one that died unnoticed would hold up
/// all that comes after.
fn pool() -> Builder {
    let mut pool = HyperClient::builder(TokioExecutor::new());
    pool.timer(TokioTimer::new())
        .http2_keep_alive_interval(PING)
        .http2_keep_alive_timeout(PONG);
    pool
}

/// The SOCKS connector takes every server without a port for one with TLS.
fn with_port(server: Uri) -> Uri {
    if server.port().is_some() || server.scheme() != Some(&Scheme::HTTP) {
        return server;
    }
    let host = server.host().unwrap_or_default();
    format!("http://{host}:80").parse().unwrap_or(server)
}

fn https_or_http(tls: ClientConfig) -> HttpsConnectorBuilder<WantsProtocols1> {
    HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
}

fn basic_auth(proxy: &Proxy) -> Option<HeaderValue> {
    let (user, password) = proxy.user.as_ref()?;
    let encoded = STANDARD.encode(format!("{user}:{password}"));
    let mut header = HeaderValue::try_from(format!("Basic {encoded}")).ok()?;
    header.set_sensitive(true);
    Some(header)
}

/// How long a request that could share a connection is kept from making its
/// own. It has long been sent by then, unless the connection broke.
const SPARE: Duration = Duration::from_secs(5);

/// Whether connections to this server can be shared, once that is known.
type Shared = Arc<Mutex<Option<bool>>>;

/// Makes connections, the first one alone, where several requests wait for it.
///
/// Whether a server speaks HTTP/2 is only known once TLS is up, so hyper
/// would connect once for each request of the first stage, and then use one
/// connection. This lets the first one through, and the others only if the
/// connection turns out not to be shared.
#[derive(Clone)]
struct OneConnection<C> {
    /// What makes each connection.
    inner: C,
    shared: Shared,
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
