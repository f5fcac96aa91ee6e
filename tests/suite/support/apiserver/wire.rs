//! Connections: loopback, with or without TLS, HTTP/1.1 and HTTP/2.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::distance;
use super::respond::{Peer, Shared, respond};

/// A client that does not finish its handshake in this time is gone.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How connections are made.
#[derive(Clone)]
pub struct Wiring {
    pub tls: Option<TlsAcceptor>,
    pub round_trip: Duration,
}

/// Takes connections until it is dropped.
pub async fn accept(listener: TcpListener, wiring: Wiring, shared: Arc<Shared>) {
    for connection in 0.. {
        match listener.accept().await {
            Ok((stream, _)) => {
                let peer = Peer {
                    connection,
                    has_certificate: false,
                };
                tokio::spawn(greet(stream, peer, wiring.clone(), Arc::clone(&shared)));
            }
            // Out of file descriptors, most likely.
            Err(_) => sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn greet(stream: TcpStream, peer: Peer, wiring: Wiring, shared: Arc<Shared>) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    if wiring.round_trip.is_zero() {
        secure(stream, peer, wiring.tls, shared).await;
    } else {
        let stream = distance::far(stream, wiring.round_trip);
        secure(stream, peer, wiring.tls, shared).await;
    }
}

async fn secure<S>(stream: S, mut peer: Peer, tls: Option<TlsAcceptor>, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Some(tls) = tls else {
        return serve(stream, peer, shared).await;
    };
    if let Ok(Ok(stream)) = timeout(HANDSHAKE, tls.accept(stream)).await {
        peer.has_certificate = stream.get_ref().1.peer_certificates().is_some();
        serve(stream, peer, shared).await;
    }
}

async fn serve<S>(stream: S, peer: Peer, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, io::Error>(respond(request, peer, &shared).await) }
    });
    let server = auto::Builder::new(TokioExecutor::new());
    // A connection that ends badly is the client's business: tests see it there.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}
