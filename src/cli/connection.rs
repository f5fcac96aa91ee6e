//! kubectl's connection flags, and the environment that stands in for them.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::collect::{ConnectionFlags, Environment, Patience};
use crate::snapshot::GoDuration;

/// How long one request may take, unless said otherwise.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// How many requests may take as long as one may, before nothing more is
/// asked: there are three stages, and pods come in pages.
const MOST_TIMEOUTS: u32 = 4;

/// Which cluster, as whom; the flags of kubectl.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Connection")]
pub struct Connection {
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
    #[arg(long)]
    insecure_skip_tls_verify: bool,
    /// Name to check the server's certificate against
    #[arg(long, value_name = "NAME")]
    tls_server_name: Option<String>,
    /// Do not ask for compressed answers
    #[arg(long)]
    disable_compression: bool,
    /// How long one request may take, such as 5s
    #[arg(long, value_name = "DURATION", value_parser = timeout)]
    request_timeout: Option<Duration>,
}

impl Connection {
    /// The flags as they were given.
    pub fn flags(&self) -> ConnectionFlags {
        ConnectionFlags {
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
            cluster: self.cluster.clone(),
            user: self.user.clone(),
            server: self.server.clone(),
            token: self.token.clone(),
            impersonate: self.impersonate.clone(),
            impersonate_groups: self.impersonate_groups.clone(),
            impersonate_uid: self.impersonate_uid.clone(),
            certificate_authority: self.certificate_authority.clone(),
            client_certificate: self.client_certificate.clone(),
            client_key: self.client_key.clone(),
            insecure_skip_tls_verify: self.insecure_skip_tls_verify,
            tls_server_name: self.tls_server_name.clone(),
            disable_compression: self.disable_compression,
        }
    }

    /// The deadlines: of one request, and of all of them.
    pub fn patience(&self) -> Patience {
        let request = self.request_timeout.unwrap_or(REQUEST_TIMEOUT);
        Patience {
            request,
            whole: request.saturating_mul(MOST_TIMEOUTS),
        }
    }
}

/// The files of `$KUBECONFIG`, else the one in the home folder.
pub fn environment() -> Environment {
    let listed = env::var_os("KUBECONFIG").filter(|list| !list.is_empty());
    let kubeconfig_files = match listed {
        Some(list) => env::split_paths(&list).collect(),
        None => env::home_dir()
            .map(|home| home.join(".kube/config"))
            .into_iter()
            .collect(),
    };
    Environment {
        kubeconfig_files,
        is_in_cluster: env::var_os("KUBERNETES_SERVICE_HOST").is_some(),
    }
}

/// As kubectl: `5s`, `1m30s`, or whole seconds; 0 means the default here,
/// because nothing waits for ever.
fn timeout(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<u32>() {
        return Ok(positive(Duration::from_secs(seconds.into())));
    }
    let duration: GoDuration = text
        .parse()
        .map_err(|_| "must be a time such as 5s or 1m30s".to_owned())?;
    let nanos = u64::try_from(duration.0).map_err(|_| "must not be negative".to_owned())?;
    Ok(positive(Duration::from_nanos(nanos)))
}

fn positive(timeout: Duration) -> Duration {
    if timeout.is_zero() {
        REQUEST_TIMEOUT
    } else {
        timeout
    }
}
