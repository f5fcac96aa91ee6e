//! Which servers are reached without the proxy of the environment.
//!
//! The rules are those of Go's `golang.org/x/net/http/httpproxy`, which
//! kubectl follows.

use std::net::IpAddr;

/// The entries of a `NO_PROXY` list.
#[derive(Debug, Default)]
pub struct NoProxy {
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
    use super::NoProxy;

    #[test]
    #[rustfmt::skip] // one row a line
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
            assert_eq!(NoProxy::parse(list).covers(host, port), direct, "{list:?} {host}:{port}");
        }
        assert_eq!(rows.len(), 56);
    }
}
