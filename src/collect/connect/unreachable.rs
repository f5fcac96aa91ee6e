//! Why a server could not be reached, found in the layers of an error.

use std::error::Error;
use std::io;

use kube::client::AuthError;
use kube::config::LoadDataError;
use rustls::{CertificateError, OtherError};

use super::client::ProxyFailed;

/// What stands between us and an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreachable {
    /// The user's auth provider gives no credentials; why not.
    Credentials(String),
    /// Nobody listens there.
    Refused,
    /// The host's name leads nowhere; the resolver's sentence.
    UnknownHost(String),
    /// The server's certificate is from an authority that is not known.
    UnknownAuthority,
    /// The server shows the certificate of an authority as its own.
    AuthorityAsServer,
    /// The certificate is for other names.
    OtherName {
        /// The name that it was checked against, where known.
        requested: Option<String>,
        /// The names that it is for, where known.
        names: Vec<String>,
    },
    /// The certificate is no longer valid.
    Expired,
    /// The certificate is not valid yet.
    NotYetValid,
    /// The server's certificate is wrong in another way.
    Certificate(String),
    /// The server does not speak TLS.
    NoTls,
    /// The server wants TLS, and was asked in plain http.
    OnlyTls,
    /// A proxy is in the way.
    Proxy {
        /// Its host and port.
        name: String,
        /// What it did.
        fault: ProxyFault,
    },
    /// Anything else, by its innermost cause.
    Other(String),
}

/// What is wrong with a proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProxyFault {
    /// Nobody listens there.
    Refused,
    /// Its name leads nowhere.
    UnknownHost,
    /// It wants another user and password, or one at all.
    Login,
    /// Its own certificate is not accepted.
    Certificate,
    /// It does not let us through; the innermost cause.
    Other(String),
}

impl Unreachable {
    /// Finds the cause.
    pub fn of(error: &(dyn Error + 'static)) -> Self {
        let layers = layers(error);
        let proxy = layers.iter().position(|layer| layer.is::<ProxyFailed>());
        if let Some(at) = proxy
            && let Some(failed) = layers[at].downcast_ref::<ProxyFailed>()
        {
            return Self::Proxy {
                name: failed.name.clone(),
                fault: fault(&layers[at + 1..]),
            };
        }
        let credentials = layers.iter().find_map(|it| it.downcast_ref());
        if let Some(AuthError::Oidc(error)) = credentials {
            return Self::Credentials(error.to_string());
        }
        of_layers(&layers)
    }
}

/// The cause that says what failed: what the kubeconfig's data is not, else the
/// innermost one, for the layers above only say that something failed.
pub fn innermost(error: &(dyn Error + 'static)) -> String {
    let layers = layers(error);
    let of_data = layers.iter().find(|it| it.is::<LoadDataError>());
    of_data
        .or(layers.last())
        .map_or_else(String::new, ToString::to_string)
}

/// An error, and what it comes from. An I/O error that wraps another one
/// hides it from `source`.
fn layers<'a>(error: &'a (dyn Error + 'static)) -> Vec<&'a (dyn Error + 'static)> {
    let mut layers = vec![error];
    let mut layer = error;
    while let Some(next) = layer
        .downcast_ref::<io::Error>()
        .and_then(|error| error.get_ref())
        .map(|inner| inner as &(dyn Error + 'static))
        .or_else(|| layer.source())
    {
        layers.push(next);
        layer = next;
    }
    layers
}

/// How a proxy asks for a login; the types are private to their crate, these
/// are their words.
const LOGIN: [&str; 3] = [
    "proxy authorization required",
    "server does not support user/pass authentication",
    "credentials not accepted",
];

fn fault(layers: &[&(dyn Error + 'static)]) -> ProxyFault {
    let asks_for_login = |layer: &&(dyn Error + 'static)| {
        let text = layer.to_string();
        LOGIN.iter().any(|words| text.ends_with(words))
    };
    if layers.iter().any(asks_for_login) {
        return ProxyFault::Login;
    }
    match of_layers(layers) {
        Unreachable::Refused => ProxyFault::Refused,
        Unreachable::UnknownHost(_) => ProxyFault::UnknownHost,
        Unreachable::Other(text) => ProxyFault::Other(text),
        Unreachable::NoTls | Unreachable::OnlyTls => {
            ProxyFault::Other("it speaks another protocol".to_owned())
        }
        _ => ProxyFault::Certificate,
    }
}

fn of_layers(layers: &[&(dyn Error + 'static)]) -> Unreachable {
    for layer in layers {
        if let Some(error) = layer.downcast_ref::<rustls::Error>() {
            return of_tls(error);
        }
        if let Some(error) = layer.downcast_ref::<io::Error>()
            && error.kind() == io::ErrorKind::ConnectionRefused
        {
            return Unreachable::Refused;
        }
        if layer.to_string() == "dns error" {
            return Unreachable::UnknownHost(innermost(*layer));
        }
        if let Some(error) = layer.downcast_ref::<hyper::Error>()
            && error.is_parse()
        {
            return Unreachable::OnlyTls;
        }
    }
    let outermost = layers.first().copied();
    Unreachable::Other(outermost.map_or_else(String::new, innermost))
}

fn of_tls(error: &rustls::Error) -> Unreachable {
    match error {
        rustls::Error::InvalidCertificate(certificate) => of_certificate(certificate),
        rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType) => {
            Unreachable::NoTls
        }
        other => Unreachable::Other(other.to_string()),
    }
}

fn of_certificate(error: &CertificateError) -> Unreachable {
    match error {
        CertificateError::UnknownIssuer => Unreachable::UnknownAuthority,
        CertificateError::NotValidForName => Unreachable::OtherName {
            requested: None,
            names: Vec::new(),
        },
        CertificateError::NotValidForNameContext {
            expected,
            presented,
        } => Unreachable::OtherName {
            requested: Some(expected.to_str().into_owned()),
            names: presented.iter().map(|name| bare(name)).collect(),
        },
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => Unreachable::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            Unreachable::NotYetValid
        }
        CertificateError::Other(OtherError(other))
            if other.to_string().contains("CaUsedAsEndEntity") =>
        {
            Unreachable::AuthorityAsServer
        }
        other => Unreachable::Certificate(other.to_string()),
    }
}

/// The library writes a certificate's names as `DnsName("…")` and
/// `IpAddress(…)`.
fn bare(name: &str) -> String {
    let inside = name
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(')'));
    inside.unwrap_or(name).trim_matches('"').to_owned()
}
