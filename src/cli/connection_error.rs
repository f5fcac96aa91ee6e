//! What stood between us and the cluster, in kubectl's words, each with the
//! next step.

use super::select::enumerated;
use crate::cli::{failure::Failure, kind::FileKind};
use crate::collect::{
    ClientError, CollectError, ConfigError, PluginError, ProxyFault, Right, StatusReason,
    Unanswered, Unreachable,
};
use crate::trace::shell_word;

const LOG_IN: &str = "log in again; `kubectl config view --minify` shows how the user does";

/// There is no configuration to connect with; `alone` needs none.
pub fn no_configuration(error: &ConfigError, alone: Option<&str>) -> anyhow::Error {
    if let (ConfigError::Nothing(_) | ConfigError::Missing(_), Some(alone)) = (error, alone) {
        return Failure::error(error.to_string(), format!("without a cluster: {alone}"));
    }
    if let ConfigError::OtherKind { path, .. } = error
        && let Some((kind, hpa)) = FileKind::of_file(path)
    {
        let file = shell_word(&path.display().to_string());
        let way = kind.way(&file, hpa.as_deref().unwrap_or("NAME"));
        return Failure::error(error.to_string(), way);
    }
    let with = |hint: String| Failure::error(error.to_string(), hint);
    let hint = match error {
        ConfigError::NoContext { known, .. } => {
            let listed = enumerated(known.iter().cloned());
            return with(format!("--context takes one of these: {listed}"));
        }
        ConfigError::NoCurrentContext => {
            "`kubectl config get-contexts`, with the same --kubeconfig, lists the contexts"
        }
        ConfigError::NoCluster(_) => "`kubectl config get-clusters` lists the clusters",
        ConfigError::NoUser(_) => "`kubectl config get-users` lists the users",
        ConfigError::RootAndInsecure => {
            "give either --certificate-authority or --insecure-skip-tls-verify"
        }
        ConfigError::TwoMethods => {
            "give --user another user of the kubeconfig, or leave out --token"
        }
        ConfigError::AuthProvider { name, .. } => match name.as_str() {
            "gcp" => "set up the user with an exec plugin: gke-gcloud-auth-plugin",
            "azure" => "set up the user with an exec plugin: kubelogin",
            _ => "set up the user with an exec plugin",
        },
        ConfigError::NobodyImpersonated => "also give the user, with --as",
        ConfigError::IdToken(_) => {
            "log in again, or set a new one with `kubectl config set-credentials` and the same --kubeconfig"
        }
        ConfigError::Broken {
            hint: Some(hint), ..
        } => hint,
        ConfigError::Broken { path, .. } => {
            let path = shell_word(&path.display().to_string());
            return with(format!(
                "correct it, or give another kubeconfig; `kubectl config view --kubeconfig {path}` checks it"
            ));
        }
        ConfigError::OtherKind { .. } | ConfigError::NoContexts { .. } => {
            "give another kubeconfig with --kubeconfig or KUBECONFIG; your cloud's login command writes one"
        }
        ConfigError::Unreadable { what, .. } => {
            return with(format!(
                "correct {what}; `kubectl config view --minify`, with the same flags, shows the setting"
            ));
        }
        ConfigError::NoAuthority => {
            "check the cluster's certificate-authority; it holds PEM certificates"
        }
        ConfigError::Token => "check where the token comes from; it is one line of plain ASCII",
        ConfigError::Server(_) | ConfigError::NoServer(_) => {
            "--server takes a URL such as https://10.0.0.1:6443"
        }
        ConfigError::Proxy(proxy) => {
            let origin = proxy.origin;
            return with(format!(
                "set {origin} to a URL such as http://proxy.example:3128"
            ));
        }
        ConfigError::Plugin(plugin) => return no_credentials(error, plugin),
        ConfigError::Unusable(_) => {
            "`kubectl config view --minify --raw` shows what the context holds, including secrets"
        }
        ConfigError::Missing(_) => {
            "correct the path; --snapshot FILE and `kubectl hpa-explain demo` need no cluster"
        }
        ConfigError::Nothing(_) => {
            "set KUBECONFIG or --kubeconfig; --snapshot FILE and `kubectl hpa-explain demo` need no cluster"
        }
    };
    Failure::error(error.to_string(), hint)
}

fn no_credentials(error: &ConfigError, plugin: &PluginError) -> anyhow::Error {
    let hint = match plugin {
        PluginError::NotFound {
            install_hint: Some(hint),
            ..
        } => hint.trim(),
        PluginError::NotFound { .. } => "install it, or put its folder into PATH",
        PluginError::Timeout { .. } => {
            "run it by hand to see what it waits for; --request-timeout gives it more time"
        }
        PluginError::Misconfigured(_) => {
            "`kubectl config view --minify` shows how the user's exec plugin is set up"
        }
        _ => "log in again, or run it by hand; `kubectl config view --minify` shows it",
    };
    Failure::error(error.to_string(), hint)
}

/// The configuration makes no client.
pub fn no_client(error: &ClientError) -> anyhow::Error {
    let hint = match error {
        ClientError::Certificates(_) => {
            "check the certificates and the key that the kubeconfig or the flags name"
        }
        ClientError::Credentials(_) => LOG_IN,
        ClientError::Header(_) => "check --as, --as-group, --as-uid, and the user's names",
        ClientError::ServerName(_) => "--tls-server-name takes a host name or an IP address",
    };
    Failure::error(error.to_string(), hint)
}

/// The HPA itself could not be read.
pub fn not_collected(error: &CollectError, server: &str, namespace: &str) -> anyhow::Error {
    match error {
        CollectError::Unanswered(error) => unreachable(error, server),
        _ if error.is_because(StatusReason::Unauthorized) => Failure::error(
            "You must be logged in to the server (Unauthorized)",
            "log in again, or give --token; `kubectl config view --minify` shows the user",
        ),
        CollectError::Refused { right, .. } => {
            let hint = match right {
                Some(right) if error.is_forbidden() => missing(right),
                _ if error.is_not_found() => {
                    format!("`kubectl get hpa -n {namespace}` lists the HPAs")
                }
                _ => "try again; `kubectl get --raw /readyz` shows whether the server is ready"
                    .to_owned(),
            };
            Failure::stated(error.to_string(), hint)
        }
        CollectError::Malformed(_) => Failure::error(
            error.to_string(),
            "is that an API server? `kubectl get --raw /version` shows what answers",
        ),
    }
}

/// Who may give a right needs to know which.
fn missing(right: &Right) -> String {
    let Right { verb, resource, .. } = right;
    let (place, flag) = match &right.namespace {
        Some(namespace) => (format!("namespace {namespace}"), format!("-n {namespace}")),
        None => ("all namespaces".to_owned(), "-A".to_owned()),
    };
    format!(
        "ask for the right to {verb} {resource} in {place}; `kubectl hpa-explain rbac {flag}` prints the role"
    )
}

/// No answer came from the server.
fn unreachable(error: &Unanswered, server: &str) -> anyhow::Error {
    let Unanswered::Broken(cause) = error else {
        let server = host(server);
        return match error {
            Unanswered::TooLarge | Unanswered::Spent(_) => Failure::error(
                format!("{server}: {error}"),
                "`kubectl get --raw /version` shows what answers; an API server does not send that much",
            ),
            _ => Failure::error(
                format!("no answer from {server}: {error}"),
                "check the connection, or allow more time with --request-timeout",
            ),
        };
    };
    let (message, hint) = words(&Unreachable::of(cause), server);
    Failure::stated(message, hint)
}

/// Message and hint.
fn words(cause: &Unreachable, server: &str) -> (String, String) {
    let certificate = |why: &str| {
        format!("Unable to connect to the server: failed to verify certificate: x509: {why}")
    };
    let (message, hint) = match cause {
        Unreachable::Credentials(text) => (format!("getting credentials: {text}"), LOG_IN),
        Unreachable::Refused => (
            format!(
                "The connection to the server {} was refused - did you specify the right host or port?",
                host(server)
            ),
            "`kubectl config view --minify` shows the cluster; -s takes another server",
        ),
        Unreachable::UnknownHost(text) => (
            format!(
                "Unable to connect to the server: lookup {}: no such host ({text})",
                host_name(server)
            ),
            "check the server's name: `kubectl config view --minify` shows it",
        ),
        Unreachable::UnknownAuthority => (
            certificate("certificate signed by unknown authority"),
            "give the cluster's authority with --certificate-authority",
        ),
        Unreachable::AuthorityAsServer => (
            certificate("the server presents a CA certificate (CA:TRUE)"),
            "kubectl accepts this; give the server a certificate of its own, or use --insecure-skip-tls-verify",
        ),
        Unreachable::OtherName { requested, names } => (
            certificate(&other_name(
                names,
                requested.as_deref().unwrap_or_else(|| host_name(server)),
            )),
            "connect by a name of the certificate, or give one with --tls-server-name",
        ),
        Unreachable::Expired => (
            certificate("certificate has expired"),
            "renew the server's certificate, or check this machine's clock",
        ),
        Unreachable::NotYetValid => (
            certificate("certificate is not yet valid"),
            "check this machine's clock",
        ),
        Unreachable::Certificate(text) => (
            certificate(text),
            "check the server's certificate and --certificate-authority",
        ),
        Unreachable::NoTls => (
            format!(
                "Unable to connect to the server: {} does not speak TLS",
                host(server)
            ),
            "is it the right port? a server without TLS is given as http://…",
        ),
        Unreachable::OnlyTls => (
            format!(
                "Unable to connect to the server: {} gives no HTTP answer",
                host(server)
            ),
            "is it the right port? a server with TLS is given as https://…",
        ),
        Unreachable::Proxy { name, fault } => (
            format!(
                "Unable to connect to the server: the proxy {name} {}",
                proxy_fault(fault)
            ),
            match fault {
                ProxyFault::Login => {
                    "put them in the proxy's URL, as in http://USER:PASSWORD@proxy.example:3128"
                }
                _ => "check HTTPS_PROXY, NO_PROXY, and the cluster's proxy-url in the kubeconfig",
            },
        ),
        Unreachable::Other(text) => (
            format!("Unable to connect to the server: {text}"),
            "check the connection and the address: `kubectl config view --minify`",
        ),
    };
    (message, hint.to_owned())
}

fn other_name(names: &[String], requested: &str) -> String {
    if names.is_empty() {
        return format!("certificate is not valid for {requested}");
    }
    format!(
        "certificate is valid for {}, not {requested}",
        names.join(", ")
    )
}

fn proxy_fault(fault: &ProxyFault) -> String {
    match fault {
        ProxyFault::Refused => "refuses connections".to_owned(),
        ProxyFault::UnknownHost => "has a name that cannot be resolved".to_owned(),
        ProxyFault::Login => "requires a user and a password".to_owned(),
        ProxyFault::Certificate => "has a certificate that is not accepted".to_owned(),
        ProxyFault::Other(text) => format!("refuses the connection: {text}"),
    }
}

/// Host and port of a URL, without a password that may be in front.
fn host(server: &str) -> &str {
    let rest = server.split_once("://").map_or(server, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or(rest);
    authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host)
}

/// The host of a URL.
fn host_name(server: &str) -> &str {
    let host = host(server);
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => name,
        _ => host,
    }
}
