//! Which proxy leads to the server, by the rules of kubectl.
//!
//! The kube crate has rules of its own: it matches `NO_PROXY` against the
//! proxy, holds it against a kubeconfig's `proxy-url` too, and sends plain
//! http and this machine through `HTTPS_PROXY`.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Uri;
use http::uri::Scheme;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use percent_encoding::percent_decode_str;
use thiserror::Error;

use super::no_proxy::NoProxy;

/// A proxy that cannot be used. The value stays out of the message: it may
/// hold a password.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{origin} is not a valid proxy: {reason}")]
pub struct ProxyError {
    /// The variable, or the field of the kubeconfig.
    pub origin: &'static str,
    reason: &'static str,
}

/// The environment variables that kubectl reads about proxies.
pub const PROXY_VARIABLES: [&str; 6] = [
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "NO_PROXY",
    "no_proxy",
];

/// The proxy for a server, if one is to be used: that of the cluster's
/// `proxy-url` in any case, else that of the variables, which are pairs of a
/// name and a value.
///
/// # Errors
///
/// The proxy to be used is none.
pub fn proxy_for(
    server: &Uri,
    proxy_url: Option<&str>,
    variables: &[(String, String)],
) -> Result<Option<Uri>, ProxyError> {
    if let Some(url) = proxy_url.filter(|url| !url.is_empty()) {
        return parse("proxy-url of the cluster", url).map(Some);
    }
    let is_https = server.scheme() == Some(&Scheme::HTTPS);
    let names = if is_https {
        ["HTTPS_PROXY", "https_proxy"]
    } else {
        ["HTTP_PROXY", "http_proxy"]
    };
    let Some((name, value)) = first_set(names, variables) else {
        return Ok(None);
    };
    let port = server.port_u16().unwrap_or(if is_https { 443 } else { 80 });
    let listed = first_set(["NO_PROXY", "no_proxy"], variables);
    let exempt = NoProxy::parse(listed.map_or("", |(_, list)| list));
    if exempt.covers(bare_host(server), port) {
        return Ok(None);
    }
    // Only a variable may leave out the scheme.
    if value.contains("://") {
        parse(name, value).map(Some)
    } else {
        parse(name, &format!("http://{value}")).map(Some)
    }
}

/// The first of two variables that is set to something.
fn first_set<'a>(
    names: [&'static str; 2],
    variables: &'a [(String, String)],
) -> Option<(&'static str, &'a str)> {
    names.into_iter().find_map(|name| {
        let set = variables
            .iter()
            .find(|(known, value)| known == name && !value.is_empty());
        set.map(|(_, value)| (name, value.as_str()))
    })
}

fn parse(origin: &'static str, value: &str) -> Result<Uri, ProxyError> {
    let wrong = |reason| ProxyError { origin, reason };
    let uri: Option<Uri> = value.parse().ok().filter(has_host_and_port);
    let uri = uri.ok_or(wrong("it is not a URL such as http://proxy.example:3128"))?;
    match uri.scheme_str() {
        Some("http" | "https" | "socks5" | "socks5h") => Ok(uri),
        _ => Err(wrong("its scheme is not http, https or socks5")),
    }
}

/// The URL type takes any text for a port, and says later that there is none.
pub fn has_host_and_port(uri: &Uri) -> bool {
    let Some(authority) = uri.authority().filter(|_| uri.scheme().is_some()) else {
        return false;
    };
    let host = authority.host();
    let ends_with_host = authority.as_str().ends_with(host);
    !host.is_empty() && (authority.port_u16().is_some() || ends_with_host)
}

/// How a proxy is talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP's CONNECT, or a forwarded request.
    Http,
    /// SOCKS 5; the proxy looks names up.
    Socks,
}

/// A proxy, taken apart.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// How it is talked to.
    pub protocol: Protocol,
    /// Scheme, host and port for a connection to it.
    pub address: Uri,
    /// User and password.
    pub user: Option<(String, String)>,
}

impl Proxy {
    /// Of a URL from [`proxy_for`].
    pub fn new(uri: &Uri) -> Self {
        let (protocol, scheme, port) = match uri.scheme_str() {
            Some("socks5" | "socks5h") => (Protocol::Socks, "http", 1080),
            Some("https") => (Protocol::Http, "https", 443),
            _ => (Protocol::Http, "http", 80),
        };
        let host = uri.host().unwrap_or_default();
        let port = uri.port_u16().unwrap_or(port);
        let address = format!("{scheme}://{host}:{port}");
        Self {
            protocol,
            // The parts of a URL make a URL.
            address: address.parse().unwrap_or_default(),
            user: user(uri),
        }
    }

    /// Host and port, for messages.
    pub fn name(&self) -> String {
        let authority = self.address.authority();
        authority.map(ToString::to_string).unwrap_or_default()
    }
}

fn user(uri: &Uri) -> Option<(String, String)> {
    let (user, _) = uri.authority()?.as_str().rsplit_once('@')?;
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
    Some((decoded(name), decoded(password)))
}

/// The host without the brackets of an IPv6 address.
fn bare_host(uri: &Uri) -> &str {
    let host = uri.host().unwrap_or_default();
    let inside = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    inside.unwrap_or(host)
}

/// A connection to an HTTP proxy for plain http: the request itself goes to the
/// proxy. It tells the client so, which then writes the server's whole URL.
pub struct Forwarded<S>(pub S);

impl<S: Connection> Connection for Forwarded<S> {
    fn connected(&self) -> Connected {
        self.0.connected().proxy(true)
    }
}

impl<S: Read + Unpin> Read for Forwarded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: Write + Unpin> Write for Forwarded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::{Protocol, Proxy, proxy_for};

    fn variables(text: &str) -> Vec<(String, String)> {
        let pairs = text.split_whitespace();
        pairs
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    #[rustfmt::skip] // one row a line
    fn the_proxy_is_kubectls() {
        // Server, proxy-url, variables, proxy.
        let rows = [
            ("https://api.test", "", "", ""),
            // A variable by the server's scheme; the one in upper case first.
            ("https://api.test", "", "HTTPS_PROXY=http://a:1", "http://a:1/"),
            ("https://api.test", "", "https_proxy=http://a:1", "http://a:1/"),
            ("https://api.test", "", "https_proxy=http://b:1 HTTPS_PROXY=http://a:1", "http://a:1/"),
            ("https://api.test", "", "HTTPS_PROXY= https_proxy=http://b:1", "http://b:1/"),
            ("https://api.test", "", "HTTP_PROXY=http://a:1", ""),
            ("https://api.test", "", "ALL_PROXY=http://a:1 all_proxy=http://a:1", ""),
            ("http://api.test", "", "HTTP_PROXY=http://a:1", "http://a:1/"),
            ("http://api.test", "", "http_proxy=http://a:1", "http://a:1/"),
            ("http://api.test", "", "HTTPS_PROXY=http://a:1", ""),
            // The scheme may be left out.
            ("https://api.test", "", "HTTPS_PROXY=a:1", "http://a:1/"),
            ("https://api.test", "", "HTTPS_PROXY=u:p@a:1", "http://u:p@a:1/"),
            ("https://api.test", "", "HTTPS_PROXY=a", "http://a/"),
            // NO_PROXY is about the server, not the proxy.
            ("https://api.test", "", "HTTPS_PROXY=http://a:1 NO_PROXY=a,", "http://a:1/"),
            ("https://api.test", "", "HTTPS_PROXY=http://a:1 NO_PROXY=.test", ""),
            ("https://api.test", "", "HTTPS_PROXY=http://a:1 no_proxy=.test", ""),
            ("https://api.test", "", "HTTPS_PROXY=http://a:1 no_proxy=.test NO_PROXY=b", "http://a:1/"),
            ("https://api.test", "", "HTTPS_PROXY=http://a:1 NO_PROXY=api.test:443", ""),
            ("http://api.test", "", "HTTP_PROXY=http://a:1 NO_PROXY=api.test:80", ""),
            ("https://api.test:6443", "", "HTTPS_PROXY=http://a:1 NO_PROXY=api.test:443", "http://a:1/"),
            ("https://127.0.0.1:6443", "", "HTTPS_PROXY=http://a:1", ""),
            ("https://localhost:6443", "", "HTTPS_PROXY=http://a:1", ""),
            ("https://[::1]:6443", "", "HTTPS_PROXY=http://a:1", ""),
            ("https://[2001:db8::1]:6443", "", "HTTPS_PROXY=http://a:1 NO_PROXY=2001:db8::/32", ""),
            // Nobody asks whether a proxy that is not used is one.
            ("https://api.test", "", "HTTPS_PROXY=ftp://a NO_PROXY=*", ""),
            // The kubeconfig's is used in any case.
            ("https://api.test", "socks5://b:2", "HTTPS_PROXY=http://a:1", "socks5://b:2/"),
            ("https://api.test", "http://b:2", "NO_PROXY=*", "http://b:2/"),
            ("https://127.0.0.1", "http://b:2", "", "http://b:2/"),
            ("http://api.test", "https://b:2", "", "https://b:2/"),
        ];
        for (server, url, set, want) in rows {
            let server = server.parse().expect(server);
            let proxy = proxy_for(&server, Some(url), &variables(set)).expect(set);
            assert_eq!(proxy.map_or(String::new(), |uri| uri.to_string()), want, "{server} {url} {set}");
        }
        assert_eq!(rows.len(), 29);
    }

    #[test]
    fn what_is_no_proxy_is_named_without_its_password() {
        let server = "https://api.test".parse().expect("a URL");
        let rows = [
            ("", "HTTPS_PROXY=ftp://u:secret@a", "HTTPS_PROXY"),
            ("", "https_proxy=socks4://u:secret@a", "https_proxy"),
            ("", "HTTPS_PROXY=http://", "HTTPS_PROXY"),
            ("", "HTTPS_PROXY=http://u:secret@a:port", "HTTPS_PROXY"),
            ("", "HTTPS_PROXY=http://u:secret@:80", "HTTPS_PROXY"),
            ("", "HTTPS_PROXY=http://u:secret@a:99999", "HTTPS_PROXY"),
            ("ftp://u:secret@a", "", "proxy-url of the cluster"),
            ("a:1", "", "proxy-url of the cluster"),
            ("u:secret@a:1", "", "proxy-url of the cluster"),
        ];
        for (url, set, origin) in rows {
            let error = proxy_for(&server, Some(url), &variables(set)).expect_err(set);
            assert_eq!(error.origin, origin);
            let text = format!("{error} {error:?}");
            assert!(!text.contains("secret"), "{text}");
        }
        assert_eq!(rows.len(), 9);
    }

    #[test]
    #[rustfmt::skip] // one row a line
    fn a_proxy_is_taken_apart() {
        let rows = [
            ("http://a:3128", Protocol::Http, "http://a:3128/", None),
            ("http://a", Protocol::Http, "http://a:80/", None),
            ("https://a", Protocol::Http, "https://a:443/", None),
            ("socks5://a", Protocol::Socks, "http://a:1080/", None),
            ("socks5h://[::1]:9", Protocol::Socks, "http://[::1]:9/", None),
            ("http://u@a", Protocol::Http, "http://a:80/", Some(("u", ""))),
            ("http://u:p@a", Protocol::Http, "http://a:80/", Some(("u", "p"))),
            ("http://u%40b:p%3Aq+%25@a", Protocol::Http, "http://a:80/", Some(("u@b", "p:q+%"))),
        ];
        for (text, protocol, address, user) in rows {
            let proxy = Proxy::new(&text.parse().expect(text));
            let user = user.map(|(name, password)| (name.to_owned(), password.to_owned()));
            assert_eq!((proxy.protocol, proxy.address.to_string(), proxy.user), (protocol, address.to_owned(), user), "{text}");
        }
        assert_eq!(rows.len(), 8);
    }
}
