//! A plain HTTP client that shows what came over the wire, and gives up in
//! time.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::{http1, http2};
use hyper::header::HeaderMap;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::support::apiserver::ApiServer;

const DEADLINE: Duration = Duration::from_secs(10);

/// How the client connects.
#[derive(Clone)]
pub struct Options {
    pub alpn: Vec<&'static str>,
    pub name: &'static str,
    pub certificate: bool,
    pub trusts: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            alpn: vec!["h2", "http/1.1"],
            name: "localhost",
            certificate: false,
            trusts: true,
        }
    }
}

/// An answer, as far as it came.
pub struct Got {
    pub status: u16,
    pub version: Version,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// Whether the body came to its end.
    pub complete: bool,
}

impl Got {
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().expect("text"))
    }

    pub fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("text")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The names of a list's objects.
    pub fn names(&self) -> Vec<String> {
        let document = self.json();
        let items = document["items"].as_array().expect("a list").iter();
        items
            .map(|item| {
                item["metadata"]["name"]
                    .as_str()
                    .expect("a name")
                    .to_owned()
            })
            .collect()
    }
}

/// Runs a test's future, at most until the deadline.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let work = async { tokio::time::timeout(DEADLINE, work).await };
    runtime.block_on(work).expect("an answer in time")
}

/// A GET request on a connection of its own.
pub fn get(server: &ApiServer, path: &str) -> Got {
    get_with(server, path, &[])
}

pub fn get_with(server: &ApiServer, path: &str, headers: &[(&str, &str)]) -> Got {
    let options = Options::default();
    run(async {
        let mut connection = Connection::open(server, &options).await?;
        connection.send("GET", path, headers).await
    })
    .expect(path)
}

enum Sender {
    Http1(http1::SendRequest<Empty<Bytes>>),
    Http2(http2::SendRequest<Empty<Bytes>>),
}

/// A connection to a server.
pub struct Connection {
    sender: Sender,
    url: String,
}

impl Connection {
    pub async fn open(server: &ApiServer, options: &Options) -> io::Result<Self> {
        let stream = TcpStream::connect(server.address()).await?;
        let url = server.url();
        let sender = if url.starts_with("https:") {
            let config = Arc::new(tls(server, options));
            let name = ServerName::try_from(options.name).expect("a name");
            let stream = TlsConnector::from(config).connect(name, stream).await?;
            let h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            handshake(stream, h2).await
        } else {
            handshake(stream, false).await
        };
        Ok(Self {
            sender: sender.map_err(io::Error::other)?,
            url,
        })
    }

    pub async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
    ) -> io::Result<Got> {
        let response = self.start(method, path, headers).await?;
        let (head, mut body) = response.into_parts();
        let mut got = Got {
            status: head.status.as_u16(),
            version: head.version,
            headers: head.headers,
            body: Vec::new(),
            complete: true,
        };
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else {
                // Whoever asks again is told so again, for ever.
                got.complete = false;
                break;
            };
            got.body.extend(frame.into_data().unwrap_or_default());
        }
        Ok(got)
    }

    /// The answer before its body.
    pub async fn start(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
    ) -> io::Result<Response<Incoming>> {
        let host = self.url.split("://").nth(1).expect("a host").to_owned();
        let mut request = Request::builder().method(method);
        request = match &self.sender {
            Sender::Http1(_) => request.uri(path).header("host", host),
            Sender::Http2(_) => request.uri(format!("{}{path}", self.url)),
        };
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Empty::new()).expect("a request");
        let response = match &mut self.sender {
            Sender::Http1(sender) => sender.send_request(request).await,
            Sender::Http2(sender) => sender.send_request(request).await,
        };
        response.map_err(io::Error::other)
    }
}

async fn handshake<S>(stream: S, h2: bool) -> hyper::Result<Sender>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let stream = TokioIo::new(stream);
    if h2 {
        let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await?;
        tokio::spawn(connection);
        return Ok(Sender::Http2(sender));
    }
    let (sender, connection) = http1::handshake(stream).await?;
    tokio::spawn(connection);
    Ok(Sender::Http1(sender))
}

fn tls(server: &ApiServer, options: &Options) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    if options.trusts {
        let ca = CertificateDer::from_pem_slice(server.ca().as_bytes()).expect("PEM");
        roots.add(ca).expect("a CA");
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("TLS")
        .with_root_certificates(roots);
    let mut config = if options.certificate {
        let (certificate, key) = server.client();
        let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).expect("PEM");
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("PEM");
        config
            .with_client_auth_cert(vec![certificate], key)
            .expect("a certificate and its key")
    } else {
        config.with_no_client_auth()
    };
    let protocols = options.alpn.iter();
    config.alpn_protocols = protocols.map(|name| name.as_bytes().to_vec()).collect();
    config
}
