//! Which proxy leads to the server, and which servers are reached without it, by the rules
//! of kubectl, which are those of Go's `golang.org/x/net/http/httpproxy`.
//!
//! The kube crate has rules of its own: it matches `NO_PROXY` against the
//! proxy, holds it against a kubeconfig's `proxy-url` too, and sends plain
//! http and this machine through `HTTPS_PROXY`.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Uri;
use http::uri::Scheme;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use percent_encoding::percent_decode_str;
use thiserror::Error;

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
/// Errors: the proxy to be used is none.
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

/// The entries of a `NO_PROXY` list.
#[derive(Debug, Default)]
struct NoProxy {
    everything: bool,
    networks: Vec<Network>,
    addresses: Vec<(IpAddr, Option<String>)>,
    domains: Vec<Domain>,
}

#[derive(Debug)]
struct Network {
    address: IpAddr,
    prefix: u8,
}

#[derive(Debug)]
struct Domain {
    /// With a dot in front.
    suffix: String,
    port: Option<String>,
    /// Whether the domain itself is meant too, not only what is below it.
    itself: bool,
}

impl NoProxy {
    /// Reads a list; blanks and empty entries are ignored.
    pub fn parse(list: &str) -> Self {
        let mut entries = Self::default();
        for entry in list.split(',').map(|entry| entry.trim().to_lowercase()) {
            entries.add(&entry);
        }
        entries
    }

    fn add(&mut self, entry: &str) {
        if entry == "*" {
            self.everything = true;
            return;
        }
        if let Some(network) = Network::parse(entry) {
            self.networks.push(network);
            return;
        }
        let (host, port) = split_port(entry);
        if let Ok(address) = host.parse::<IpAddr>() {
            self.addresses.push((address.to_canonical(), port));
            return;
        }
        let host = host.strip_prefix('*').filter(below).unwrap_or(host);
        if host.is_empty() {
            return;
        }
        let itself = !host.starts_with('.');
        self.domains.push(Domain {
            suffix: if itself {
                format!(".{host}")
            } else {
                host.to_owned()
            },
            port,
            itself,
        });
    }

    /// Whether a server is reached directly: it is listed, or this machine
    /// itself. An IPv6 address comes without brackets.
    pub fn covers(&self, host: &str, port: u16) -> bool {
        let host = host.to_lowercase();
        let address = host.parse::<IpAddr>().ok().map(|ip| ip.to_canonical());
        let is_local = host == "localhost" || address.is_some_and(|ip| ip.is_loopback());
        let port = port.to_string();
        let is_port = |requested: &Option<String>| requested.as_ref().is_none_or(|w| *w == port);
        is_local
            || self.everything
            || address.is_some_and(|address| {
                self.networks.iter().any(|network| network.holds(address))
                    || self
                        .addresses
                        .iter()
                        .any(|(listed, port)| *listed == address && is_port(port))
            })
            || self
                .domains
                .iter()
                .any(|domain| domain.holds(&host) && is_port(&domain.port))
    }
}

impl Network {
    fn parse(entry: &str) -> Option<Self> {
        let (address, prefix) = entry.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let prefix = prefix.parse().ok()?;
        (prefix <= bits(address)).then_some(Self { address, prefix })
    }

    fn holds(&self, address: IpAddr) -> bool {
        let away = bits(self.address) - self.prefix;
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let difference = network.to_bits() ^ address.to_bits();
                difference.checked_shr(away.into()).unwrap_or(0) == 0
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let difference = network.to_bits() ^ address.to_bits();
                difference.checked_shr(away.into()).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

impl Domain {
    fn holds(&self, host: &str) -> bool {
        host.ends_with(&self.suffix) || self.itself && host == &self.suffix[1..]
    }
}

fn bits(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// `*.suffix` is the same as `.suffix`.
fn below(rest: &&str) -> bool {
    rest.starts_with('.')
}

/// Host and port of `host:port` and `[address]:port`; an IPv6 address without
/// brackets has no port.
fn split_port(entry: &str) -> (&str, Option<String>) {
    let bracketed = entry.strip_prefix('[');
    let split = match bracketed.and_then(|rest| rest.split_once("]:")) {
        Some(split) => Some(split),
        None => entry
            .split_once(':')
            .filter(|(_, port)| !port.contains(':')),
    };
    match split {
        Some((host, "")) => (host, None),
        Some((host, port)) => (host, Some(port.to_owned())),
        None => (entry, None),
    }
}

#[cfg(test)]
mod tests {
    use super::{NoProxy, Protocol, Proxy, proxy_for};

    fn variables(text: &str) -> Vec<(String, String)> {
        let pairs = text.split_whitespace();
        pairs
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    fn the_proxy_is_kubectls() {
        // Server, proxy-url of the cluster, variables, proxy.
        let rows = [
            "https://api.test -> direct",
            // A variable by the server's scheme; the one in upper case first.
            "https://api.test HTTPS_PROXY=http://a:1 -> http://a:1/",
            "https://api.test https_proxy=http://a:1 -> http://a:1/",
            "https://api.test https_proxy=http://b:1 HTTPS_PROXY=http://a:1 -> http://a:1/",
            "https://api.test HTTPS_PROXY= https_proxy=http://b:1 -> http://b:1/",
            "https://api.test HTTP_PROXY=http://a:1 -> direct",
            "https://api.test ALL_PROXY=http://a:1 all_proxy=http://a:1 -> direct",
            "http://api.test HTTP_PROXY=http://a:1 -> http://a:1/",
            "http://api.test http_proxy=http://a:1 -> http://a:1/",
            "http://api.test HTTPS_PROXY=http://a:1 -> direct",
            // The scheme may be left out.
            "https://api.test HTTPS_PROXY=a:1 -> http://a:1/",
            "https://api.test HTTPS_PROXY=u:p@a:1 -> http://u:p@a:1/",
            "https://api.test HTTPS_PROXY=a -> http://a/",
            // NO_PROXY is about the server, not the proxy.
            "https://api.test HTTPS_PROXY=http://a:1 NO_PROXY=a, -> http://a:1/",
            "https://api.test HTTPS_PROXY=http://a:1 NO_PROXY=.test -> direct",
            "https://api.test HTTPS_PROXY=http://a:1 no_proxy=.test -> direct",
            "https://api.test HTTPS_PROXY=http://a:1 no_proxy=.test NO_PROXY=b -> http://a:1/",
            "https://api.test HTTPS_PROXY=http://a:1 NO_PROXY=api.test:443 -> direct",
            "http://api.test HTTP_PROXY=http://a:1 NO_PROXY=api.test:80 -> direct",
            "https://api.test:6443 HTTPS_PROXY=http://a:1 NO_PROXY=api.test:443 -> http://a:1/",
            "https://127.0.0.1:6443 HTTPS_PROXY=http://a:1 -> direct",
            "https://localhost:6443 HTTPS_PROXY=http://a:1 -> direct",
            "https://[::1]:6443 HTTPS_PROXY=http://a:1 -> direct",
            "https://[2001:db8::1]:6443 HTTPS_PROXY=http://a:1 NO_PROXY=2001:db8::/32 -> direct",
            // Nobody asks whether a proxy that is not used is one.
            "https://api.test HTTPS_PROXY=ftp://a NO_PROXY=* -> direct",
            // The kubeconfig's is used in any case.
            "https://api.test proxy-url=socks5://b:2 HTTPS_PROXY=http://a:1 -> socks5://b:2/",
            "https://api.test proxy-url=http://b:2 NO_PROXY=* -> http://b:2/",
            "https://127.0.0.1 proxy-url=http://b:2 -> http://b:2/",
            "http://api.test proxy-url=https://b:2 -> https://b:2/",
        ];
        for row in rows {
            let (given, want) = row.split_once(" -> ").expect(row);
            let server = given.split(' ').next().unwrap_or_default();
            let server = server.parse().expect(row);
            let set = variables(given);
            let url = set.iter().find(|(name, _)| name == "proxy-url");
            let url = url.map_or("", |(_, url)| url);
            let proxy = proxy_for(&server, Some(url), &set).expect(row);
            let proxy = proxy.map_or("direct".to_owned(), |uri| uri.to_string());
            assert_eq!(proxy, want, "{row}");
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
    fn a_proxy_is_taken_apart() {
        let rows = [
            ("http://a:3128", Protocol::Http, "http://a:3128/", None),
            ("http://a", Protocol::Http, "http://a:80/", None),
            ("https://a", Protocol::Http, "https://a:443/", None),
            ("socks5://a", Protocol::Socks, "http://a:1080/", None),
            (
                "socks5h://[::1]:9",
                Protocol::Socks,
                "http://[::1]:9/",
                None,
            ),
            (
                "http://u@a",
                Protocol::Http,
                "http://a:80/",
                Some(("u", "")),
            ),
            (
                "http://u:p@a",
                Protocol::Http,
                "http://a:80/",
                Some(("u", "p")),
            ),
            (
                "http://u%40b:p%3Aq+%25@a",
                Protocol::Http,
                "http://a:80/",
                Some(("u@b", "p:q+%")),
            ),
        ];
        for (text, protocol, address, user) in rows {
            let proxy = Proxy::new(&text.parse().expect(text));
            let user = user.map(|(name, password)| (name.to_owned(), password.to_owned()));
            let parts = (proxy.protocol, proxy.address.to_string(), proxy.user);
            assert_eq!(parts, (protocol, address.to_owned(), user), "{text}");
        }
        assert_eq!(rows.len(), 8);
    }

    #[test]
    fn entries_cover_what_they_cover_in_go() {
        // List, host, port, whether it is reached directly.
        let rows = [
            // Nothing is listed: only this machine is reached directly.
            ("", "api.test", 443, false),
            ("", "localhost", 443, true),
            ("", "LocalHost", 443, true),
            ("", "127.0.0.1", 443, true),
            ("", "127.9.9.9", 443, true),
            ("", "::1", 443, true),
            ("", "::ffff:127.0.0.1", 443, true),
            ("", "localhost.test", 443, false),
            // Everything.
            ("*", "api.test", 443, true),
            ("other, *", "10.0.0.1", 443, true),
            ("**", "api.test", 443, false),
            // A domain is itself and what is below it.
            ("test", "api.test", 443, true),
            ("api.test", "api.test", 443, true),
            ("api.test", "API.Test", 443, true),
            ("API.TEST", "api.test", 443, true),
            ("api.test", "a.api.test", 443, true),
            ("api.test", "myapi.test", 443, false),
            ("api.test", "api.test.org", 443, false),
            // With a dot, or a star, only what is below it.
            (".test", "api.test", 443, true),
            (".test", "test", 443, false),
            ("*.test", "api.test", 443, true),
            ("*.test", "a.b.test", 443, true),
            ("*.test", "test", 443, false),
            ("*test", "api.test", 443, false),
            ("a*.test", "api.test", 443, false),
            // A port is compared with the server's.
            ("api.test:443", "api.test", 443, true),
            ("api.test:443", "api.test", 6443, false),
            ("api.test:", "api.test", 6443, true),
            (".test:6443", "api.test", 6443, true),
            ("*.test:6443", "api.test", 443, false),
            ("10.0.0.1:6443", "10.0.0.1", 6443, true),
            ("10.0.0.1:6443", "10.0.0.1", 443, false),
            ("[2001:db8::1]:443", "2001:db8::1", 443, true),
            ("[2001:db8::1]:443", "2001:db8::1", 6443, false),
            // Addresses are compared as such, never as text.
            ("10.0.0.1", "10.0.0.1", 443, true),
            ("10.0.0.1", "10.0.0.11", 443, false),
            ("2001:db8::1", "2001:0db8:0::1", 443, true),
            ("::ffff:10.0.0.1", "10.0.0.1", 443, true),
            ("0.0.1", "10.0.0.1", 443, true),
            // Networks.
            ("10.0.0.0/8", "10.200.3.4", 443, true),
            ("10.0.0.0/8", "11.0.0.1", 443, false),
            ("10.0.0.7/32", "10.0.0.7", 443, true),
            ("10.0.0.7/31", "10.0.0.6", 443, true),
            ("0.0.0.0/0", "192.0.2.1", 443, true),
            ("0.0.0.0/0", "2001:db8::1", 443, false),
            ("0.0.0.0/0", "api.test", 443, false),
            ("2001:db8::/32", "2001:db8:1::1", 443, true),
            ("2001:db8::/32", "2001:db9::1", 443, false),
            ("::/0", "2001:db8::1", 443, true),
            ("10.0.0.0/33", "10.0.0.0", 443, false),
            // Blanks and empty entries.
            (" api.test ", "api.test", 443, true),
            (",,other, api.test,", "api.test", 443, true),
            (",", "api.test", 443, false),
            (" , ", "api.test", 443, false),
            (":443", "api.test", 443, false),
            (".", "api.test", 443, false),
        ];
        for (list, host, port, direct) in rows {
            let covers = NoProxy::parse(list).covers(host, port);
            assert_eq!(covers, direct, "{list:?} {host}:{port}");
        }
        assert_eq!(rows.len(), 56);
    }
}
