//! Proxies for tests: HTTP, with CONNECT and without, and SOCKS 5.
//!
//! They alone know where the names lead: every name is the one server that
//! they were started for.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

/// How a proxy treats its clients.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Everybody is let through.
    Open,
    /// Only `user` with the password `p@ss`.
    Login,
    /// Nobody is.
    Closed,
}

#[derive(Clone)]
struct Proxying {
    manner: Manner,
    server: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

/// A running proxy; it ends with the test program.
pub struct Proxy {
    /// Where it listens.
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// An HTTP proxy, with TLS or without.
    pub fn http(server: SocketAddr, manner: Manner, tls: Option<Arc<ServerConfig>>) -> Self {
        let tls = tls.map(TlsAcceptor::from);
        Self::start(server, manner, move |stream, proxying| {
            let tls = tls.clone();
            async move {
                match tls {
                    Some(tls) => proxying.http(tls.accept(stream).await?).await,
                    None => proxying.http(stream).await,
                }
            }
        })
    }

    /// A SOCKS 5 proxy.
    pub fn socks(server: SocketAddr, manner: Manner) -> Self {
        Self::start(server, manner, |stream, proxying| async move {
            proxying.socks(stream).await
        })
    }

    /// What clients asked for so far: `CONNECT api.test:443`.
    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("seen").clone()
    }

    fn start<F>(
        server: SocketAddr,
        manner: Manner,
        serve: impl Fn(TcpStream, Proxying) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::default();
        let proxying = Proxying {
            manner,
            server,
            seen: Arc::clone(&seen),
        };
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(stream, proxying.clone()));
                }
            });
        });
        Self { address, seen }
    }
}

/// `user:p@ss` as HTTP's basic authentication writes it.
const BASIC: &str = "Basic dXNlcjpwQHNz";

impl Proxying {
    fn note(&self, asked: &str) {
        self.seen.lock().expect("seen").push(asked.to_owned());
    }

    /// CONNECT opens a tunnel; any other request goes to the server as it is.
    async fn http(self, mut client: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<()> {
        let head = head(&mut client).await?;
        if head.is_empty() {
            return client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
        let text = String::from_utf8_lossy(&head).into_owned();
        let asked = text.lines().next().unwrap_or_default();
        self.note(asked.trim_end_matches(" HTTP/1.1"));
        let may = match self.manner {
            Manner::Open => true,
            Manner::Closed => false,
            Manner::Login => text.lines().any(|line| {
                let header = line.split_once(": ");
                header.is_some_and(|(name, value)| {
                    name.eq_ignore_ascii_case("proxy-authorization") && value == BASIC
                })
            }),
        };
        if !may {
            let refusal = match self.manner {
                Manner::Login => "407 Proxy Authentication Required",
                _ => "403 Forbidden",
            };
            let answer = format!("HTTP/1.1 {refusal}\r\ncontent-length: 0\r\n\r\n");
            return client.write_all(answer.as_bytes()).await;
        }
        let mut server = TcpStream::connect(self.server).await?;
        if asked.starts_with("CONNECT ") {
            client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
        } else {
            server.write_all(&head).await?;
        }
        copy_bidirectional(&mut client, &mut server).await?;
        Ok(())
    }

    /// RFC 1928, with the login of RFC 1929.
    async fn socks(self, mut client: TcpStream) -> io::Result<()> {
        let [_version, methods] = take(&mut client).await?;
        let mut offered = vec![0; methods.into()];
        client.read_exact(&mut offered).await?;
        if self.manner == Manner::Login {
            if !offered.contains(&2) {
                return client.write_all(&[5, 0xff]).await;
            }
            client.write_all(&[5, 2]).await?;
            let [_version] = take(&mut client).await?;
            let login = (text(&mut client).await?, text(&mut client).await?);
            let may = login == ("user".to_owned(), "p@ss".to_owned());
            client.write_all(&[1, u8::from(!may)]).await?;
            if !may {
                return Ok(());
            }
        } else {
            client.write_all(&[5, 0]).await?;
        }
        let [_version, _connect, _reserved, kind] = take(&mut client).await?;
        // An IPv4 address, or a name for the proxy to look up.
        let host = if kind == 1 {
            let address: [u8; 4] = take(&mut client).await?;
            std::net::Ipv4Addr::from(address).to_string()
        } else {
            text(&mut client).await?
        };
        let port = u16::from_be_bytes(take(&mut client).await?);
        self.note(&format!("SOCKS {host}:{port}"));
        let refused = u8::from(self.manner == Manner::Closed) * 2;
        client
            .write_all(&[5, refused, 0, 1, 0, 0, 0, 0, 0, 0])
            .await?;
        if refused == 0 {
            let mut server = TcpStream::connect(self.server).await?;
            copy_bidirectional(&mut client, &mut server).await?;
        }
        Ok(())
    }
}

/// The head of a request; nothing if it is none.
async fn head(client: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
        if !head[0].is_ascii_uppercase() {
            return Ok(Vec::new());
        }
    }
    Ok(head)
}

async fn take<const N: usize>(client: &mut TcpStream) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    client.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// A text behind its length.
async fn text(client: &mut TcpStream) -> io::Result<String> {
    let [length] = take(client).await?;
    let mut bytes = vec![0; length.into()];
    client.read_exact(&mut bytes).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
