//! kubectl's connection flags, and the environment that stands in for them.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::{ArgAction, Args};
use kube::Config;
use tokio::sync::OnceCell;

use super::connection_error::no_configuration;
use super::failure::Interrupted;
use super::home::{self, home};
use super::waiting::complain;
use crate::api::GoDuration;
use crate::collect::{
    Audience, ConnectionFlags, Environment, InCluster, PROXY_VARIABLES, Patience, interrupted, load,
};

/// How long one request may take, unless said otherwise.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// How many requests may take as long as one may, before nothing more is
/// asked: there are three stages, and pods come in pages.
const MOST_TIMEOUTS: u32 = 4;

/// How long an exec plugin may take on its own, unless said otherwise.
const PLUGIN_TIMEOUT: Duration = Duration::from_secs(60);

/// And how long where somebody may have to log in.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(300);

/// Where a pod finds its service account.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Which cluster, as whom; the flags of kubectl.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Connection")]
pub struct Connection {
    /// What does the same without a cluster.
    #[arg(skip)]
    pub alone: Option<String>,
    /// Path to the kubeconfig file
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The kubeconfig context to use
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// The kubeconfig cluster to use
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// The kubeconfig user to use
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// The address and port of the API server
    #[arg(short = 's', long, value_name = "URL")]
    server: Option<String>,
    /// Bearer token for the API server
    #[arg(long)]
    token: Option<String>,
    /// Username to impersonate
    #[arg(long = "as", value_name = "USER")]
    impersonate: Option<String>,
    /// Group to impersonate; can be repeated
    #[arg(long = "as-group", value_name = "GROUP")]
    impersonate_groups: Vec<String>,
    /// UID to impersonate
    #[arg(long = "as-uid", value_name = "UID")]
    impersonate_uid: Option<String>,
    /// Path to a certificate file of the certificate authority
    #[arg(long, value_name = "FILE")]
    certificate_authority: Option<PathBuf>,
    /// Path to a client certificate file
    #[arg(long, value_name = "FILE")]
    client_certificate: Option<PathBuf>,
    /// Path to a client key file
    #[arg(long, value_name = "FILE")]
    client_key: Option<PathBuf>,
    /// Do not check the server's certificate
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_value = "false", default_missing_value = "true",
        hide_default_value = true, action = ArgAction::Set, value_parser = go_bool)]
    insecure_skip_tls_verify: bool,
    /// Name to check the server's certificate against
    #[arg(long, value_name = "NAME")]
    tls_server_name: Option<String>,
    /// Do not ask for compressed answers
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_value = "false", default_missing_value = "true",
        hide_default_value = true, action = ArgAction::Set, value_parser = go_bool)]
    disable_compression: bool,
    /// How long one request may take, such as 5s; by default 15s, and one
    /// minute in all
    #[arg(long, value_name = "DURATION", value_parser = timeout)]
    request_timeout: Option<Duration>,
    /// Print every request with status and duration, on stderr
    #[arg(long)]
    pub show_requests: bool,
    /// What it comes to, once that is known.
    #[arg(skip)]
    config: OnceCell<Config>,
}

impl Connection {
    /// The flags as they were given; what is empty was not, as in kubectl.
    pub fn flags(&self) -> ConnectionFlags {
        let text = |flag: &Option<String>| flag.clone().filter(|text| !text.is_empty());
        let path =
            |flag: &Option<PathBuf>| flag.clone().filter(|path| !path.as_os_str().is_empty());
        ConnectionFlags {
            kubeconfig: path(&self.kubeconfig),
            context: text(&self.context),
            cluster: text(&self.cluster),
            user: text(&self.user),
            server: text(&self.server),
            token: text(&self.token),
            impersonate: text(&self.impersonate),
            impersonate_groups: self.impersonate_groups.clone(),
            impersonate_uid: text(&self.impersonate_uid),
            certificate_authority: path(&self.certificate_authority),
            client_certificate: path(&self.client_certificate),
            client_key: path(&self.client_key),
            insecure_skip_tls_verify: self.insecure_skip_tls_verify,
            tls_server_name: text(&self.tls_server_name),
            disable_compression: self.disable_compression,
            plugin_timeout: self.timeout().unwrap_or(if io::stdin().is_terminal() {
                LOGIN_TIMEOUT
            } else {
                PLUGIN_TIMEOUT
            }),
        }
    }

    /// Resolves flags and kubeconfig, once for a command: an exec plugin may run.
    /// Errors: there is no configuration, or somebody ends it with a key.
    pub async fn config(&self) -> anyhow::Result<Config> {
        let read = async || {
            let (flags, environment) = (self.flags(), environment());
            let config = tokio::select! {
                config = load(&flags, &environment) => config,
                // An exec plugin can wait for somebody.
                () = interrupted() => return Err(Interrupted.into()),
            };
            config.map_err(|error| no_configuration(&error, self.alone.as_deref()))
        };
        self.config.get_or_try_init(read).await.cloned()
    }

    /// The deadlines: of one request, and of all of them.
    pub fn patience(&self) -> Patience {
        let request = self.timeout().unwrap_or(REQUEST_TIMEOUT);
        Patience {
            request,
            whole: request.saturating_mul(MOST_TIMEOUTS),
        }
    }

    /// What was asked for. 0, for kubectl no limit, leaves the defaults:
    /// nothing waits for ever here.
    fn timeout(&self) -> Option<Duration> {
        self.request_timeout.filter(|time| !time.is_zero())
    }
}

/// What the process finds around it that says how to connect.
pub fn environment() -> Environment {
    let set = |name: &&str| Some(((*name).to_owned(), env::var(name).ok()?));
    Environment {
        kubeconfig_files: kubeconfig_files(),
        in_cluster: in_cluster(),
        proxy_variables: PROXY_VARIABLES.iter().filter_map(set).collect(),
        audience: if io::stdin().is_terminal() {
            Audience::Terminal
        } else {
            Audience::Reader(complain)
        },
    }
}

/// The files of `$KUBECONFIG`, else the one in the home folder.
fn kubeconfig_files() -> Vec<PathBuf> {
    let listed = env::var_os("KUBECONFIG").filter(|list| !list.is_empty());
    match listed {
        Some(list) => env::split_paths(&list).collect(),
        None => home()
            .map(|home| home.join(home::KUBECONFIG))
            .into_iter()
            .collect(),
    }
}

/// As client-go: a pod is told the server's address and has a token.
fn in_cluster() -> Option<InCluster> {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let folder = Path::new(SERVICE_ACCOUNT);
    folder.join("token").is_file().then_some(InCluster {
        host: set("KUBERNETES_SERVICE_HOST")?,
        port: set("KUBERNETES_SERVICE_PORT")?,
        folder: folder.to_owned(),
    })
}

/// As kubectl: `5s`, `1m30s`, or whole seconds.
fn timeout(text: &str) -> anyhow::Result<Duration> {
    if let Ok(seconds) = text.parse::<u32>() {
        return Ok(Duration::from_secs(seconds.into()));
    }
    let duration = GoDuration::typed(text).context("must be a time such as 5s or 1m30s")?;
    let nanos = u64::try_from(duration.0).context("must not be negative")?;
    Ok(Duration::from_nanos(nanos))
}

/// As Go reads a flag that is on or off.
fn go_bool(text: &str) -> anyhow::Result<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => bail!("must be true or false"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;

    use super::{Connection, LOGIN_TIMEOUT, PLUGIN_TIMEOUT, Patience};

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        connection: Connection,
    }

    fn read(arguments: &[&str]) -> Connection {
        let arguments = [&["x"], arguments].concat();
        Flags::parse_from(arguments).connection
    }

    /// What a request, all requests and a plugin may take; `None` for the
    /// plugin's own default.
    #[test]
    fn zero_leaves_the_defaults() {
        let rows: [(&[&str], u64, u64, Option<u64>); 6] = [
            (&[], 15, 60, None),
            (&["--request-timeout=0"], 15, 60, None),
            (&["--request-timeout=0s"], 15, 60, None),
            (&["--request-timeout=0m0s"], 15, 60, None),
            (&["--request-timeout=5s"], 5, 20, Some(5)),
            (&["--request-timeout=90"], 90, 360, Some(90)),
        ];
        for (arguments, request, whole, plugin) in rows {
            let connection = read(arguments);
            let expected = Patience {
                request: Duration::from_secs(request),
                whole: Duration::from_secs(whole),
            };
            assert_eq!(connection.patience(), expected, "{arguments:?}");
            let flags = connection.flags();
            match plugin.map(Duration::from_secs) {
                Some(plugin) => assert_eq!(flags.plugin_timeout, plugin, "{arguments:?}"),
                // Depending on whether the test has a terminal.
                None => assert!(
                    [PLUGIN_TIMEOUT, LOGIN_TIMEOUT].contains(&flags.plugin_timeout),
                    "{arguments:?}"
                ),
            }
        }
    }

    #[test]
    fn a_switch_may_have_a_value() {
        let rows: [(&[&str], bool); 8] = [
            (&[], false),
            (&["--disable-compression"], true),
            (&["--disable-compression=true"], true),
            (&["--disable-compression=T"], true),
            (&["--disable-compression=1"], true),
            (&["--disable-compression=false"], false),
            (&["--disable-compression=F"], false),
            (&["--disable-compression=0"], false),
        ];
        for (arguments, is_set) in rows {
            let flags = read(arguments).flags();
            assert_eq!(flags.disable_compression, is_set, "{arguments:?}");
        }
    }
}
