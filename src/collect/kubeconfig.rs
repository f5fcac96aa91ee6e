//! Which cluster, as whom: kubeconfig files and kubectl's connection flags.
//!
//! kubectl and the kube crate differ in details that users would notice:
//! kubectl skips files of `$KUBECONFIG` that are missing, and its flags change
//! the *chosen* cluster and user. Both are done here, before the kube crate
//! sees the configuration.

use std::path::{Path, PathBuf};

use kube::Config;
use kube::config::{
    AuthInfo, Cluster, Context, KubeConfigOptions, Kubeconfig, NamedAuthInfo, NamedCluster,
    NamedContext,
};
use thiserror::Error;

/// kubectl's connection flags, as the user gave them.
#[derive(Clone, Debug, Default)]
pub struct ConnectionFlags {
    /// `--kubeconfig`: this file alone.
    pub kubeconfig: Option<PathBuf>,
    /// `--context`.
    pub context: Option<String>,
    /// `--cluster`.
    pub cluster: Option<String>,
    /// `--user`.
    pub user: Option<String>,
    /// `--server`.
    pub server: Option<String>,
    /// `--token`.
    pub token: Option<String>,
    /// `--as`.
    pub impersonate: Option<String>,
    /// `--as-group`.
    pub impersonate_groups: Vec<String>,
    /// `--as-uid`.
    pub impersonate_uid: Option<String>,
    /// `--certificate-authority`.
    pub certificate_authority: Option<PathBuf>,
    /// `--client-certificate`.
    pub client_certificate: Option<PathBuf>,
    /// `--client-key`.
    pub client_key: Option<PathBuf>,
    /// `--insecure-skip-tls-verify`.
    pub insecure_skip_tls_verify: bool,
    /// `--tls-server-name`.
    pub tls_server_name: Option<String>,
    /// `--disable-compression`.
    pub disable_compression: bool,
}

/// Where configuration is looked for when no flag says so.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The files of `$KUBECONFIG`, or the one in the home folder.
    pub kubeconfig_files: Vec<PathBuf>,
    /// Whether this runs in a pod of the cluster.
    pub is_in_cluster: bool,
}

/// Why there is no configuration.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A file that was named explicitly is not there.
    #[error("{}: no such file", .0.display())]
    Missing(PathBuf),
    /// No file is there, nothing else says where the cluster is.
    #[error("no configuration has been provided: there is no kubeconfig file")]
    Nothing,
    /// A file or its data cannot be used.
    #[error(transparent)]
    Unusable(#[from] kube::config::KubeconfigError),
    /// The pod's own service account cannot be used.
    #[error(transparent)]
    InCluster(#[from] kube::config::InClusterError),
    /// The named context is not in the files.
    #[error("context \"{0}\" does not exist")]
    NoContext(String),
    /// The named cluster is not in the files.
    #[error("cluster \"{0}\" does not exist")]
    NoCluster(String),
    /// Two flags contradict each other.
    #[error("specifying a root certificates file with the insecure flag is not allowed")]
    RootAndInsecure,
}

/// Resolves flags and files into one configuration.
///
/// # Errors
///
/// No configuration, or one that cannot be used.
pub async fn load(
    flags: &ConnectionFlags,
    environment: &Environment,
) -> Result<Config, ConfigError> {
    if flags.insecure_skip_tls_verify && flags.certificate_authority.is_some() {
        return Err(ConfigError::RootAndInsecure);
    }
    let mut config = match read_files(flags, environment)? {
        Some(files) => from_files(&files, flags).await?,
        None if flags.server.is_some() => from_files(&Kubeconfig::default(), flags).await?,
        None if environment.is_in_cluster => Config::incluster()?,
        None => return Err(ConfigError::Nothing),
    };
    // A metrics API that is down answers 503, and the crate's own retries
    // would keep us waiting for minutes.
    config.default_retry = false;
    Ok(config)
}

/// The merged files; the first one that sets a value wins.
fn read_files(
    flags: &ConnectionFlags,
    environment: &Environment,
) -> Result<Option<Kubeconfig>, ConfigError> {
    if let Some(path) = &flags.kubeconfig {
        if !path.exists() {
            return Err(ConfigError::Missing(path.clone()));
        }
        return Ok(Some(Kubeconfig::read_from(path)?));
    }
    let mut merged: Option<Kubeconfig> = None;
    for path in environment
        .kubeconfig_files
        .iter()
        .filter(|path| path.exists())
    {
        let next = Kubeconfig::read_from(path)?;
        merged = Some(match merged {
            Some(merged) => merged.merge(next)?,
            None => next,
        });
    }
    Ok(merged)
}

/// The name under which the chosen context, cluster and user are handed to
/// the kube crate.
const CHOSEN: &str = "chosen";

/// Builds a configuration that holds just the chosen context, with the flags
/// applied to it.
async fn from_files(files: &Kubeconfig, flags: &ConnectionFlags) -> Result<Config, ConfigError> {
    let context = context(files, flags)?;
    let mut cluster = cluster(files, flags, &context)?;
    let mut user = user(files, flags, &context);
    apply_to_cluster(&mut cluster, flags);
    apply_to_user(&mut user, flags);
    let chosen = Kubeconfig {
        current_context: Some(CHOSEN.to_owned()),
        contexts: vec![NamedContext {
            name: CHOSEN.to_owned(),
            context: Some(Context {
                cluster: CHOSEN.to_owned(),
                user: Some(CHOSEN.to_owned()),
                namespace: context.namespace,
                ..Context::default()
            }),
            ..NamedContext::default()
        }],
        clusters: vec![NamedCluster {
            name: CHOSEN.to_owned(),
            cluster: Some(cluster),
            ..NamedCluster::default()
        }],
        auth_infos: vec![NamedAuthInfo {
            name: CHOSEN.to_owned(),
            auth_info: Some(user),
            ..NamedAuthInfo::default()
        }],
        ..Kubeconfig::default()
    };
    Ok(Config::from_custom_kubeconfig(chosen, &KubeConfigOptions::default()).await?)
}

fn context(files: &Kubeconfig, flags: &ConnectionFlags) -> Result<Context, ConfigError> {
    let wanted = flags.context.as_ref().or(files.current_context.as_ref());
    let Some(wanted) = wanted.filter(|name| !name.is_empty()) else {
        return Ok(Context::default());
    };
    let found = files.contexts.iter().find(|named| named.name == *wanted);
    found
        .and_then(|named| named.context.clone())
        .ok_or_else(|| ConfigError::NoContext(wanted.clone()))
}

fn cluster(
    files: &Kubeconfig,
    flags: &ConnectionFlags,
    context: &Context,
) -> Result<Cluster, ConfigError> {
    let wanted = flags.cluster.as_ref().unwrap_or(&context.cluster);
    let found = files.clusters.iter().find(|named| named.name == *wanted);
    match found.and_then(|named| named.cluster.clone()) {
        Some(cluster) => Ok(cluster),
        // The flag alone says where the cluster is.
        None if flags.server.is_some() && flags.cluster.is_none() => Ok(Cluster::default()),
        None if wanted.is_empty() => Err(ConfigError::Nothing),
        None => Err(ConfigError::NoCluster(wanted.clone())),
    }
}

/// An unknown user is nobody in particular, as in kubectl.
fn user(files: &Kubeconfig, flags: &ConnectionFlags, context: &Context) -> AuthInfo {
    let wanted = flags.user.as_ref().or(context.user.as_ref());
    let found = files
        .auth_infos
        .iter()
        .find(|named| Some(&named.name) == wanted);
    found
        .and_then(|named| named.auth_info.clone())
        .unwrap_or_default()
}

fn apply_to_cluster(cluster: &mut Cluster, flags: &ConnectionFlags) {
    if let Some(server) = &flags.server {
        cluster.server = Some(with_scheme(server));
    }
    if flags.insecure_skip_tls_verify {
        cluster.insecure_skip_tls_verify = Some(true);
        cluster.certificate_authority = None;
        cluster.certificate_authority_data = None;
    }
    if let Some(authority) = &flags.certificate_authority {
        cluster.certificate_authority = Some(text(authority));
        cluster.certificate_authority_data = None;
        cluster.insecure_skip_tls_verify = None;
    }
    if let Some(name) = &flags.tls_server_name {
        cluster.tls_server_name = Some(name.clone());
    }
    if flags.disable_compression {
        cluster.disable_compression = Some(true);
    }
}

/// A token says who it is, so it takes the place of whatever would have made
/// one.
fn apply_to_user(user: &mut AuthInfo, flags: &ConnectionFlags) {
    if let Some(token) = &flags.token {
        user.token = Some(token.clone().into());
        user.token_file = None;
        user.exec = None;
        user.auth_provider = None;
    }
    if let Some(certificate) = &flags.client_certificate {
        user.client_certificate = Some(text(certificate));
        user.client_certificate_data = None;
    }
    if let Some(key) = &flags.client_key {
        user.client_key = Some(text(key));
        user.client_key_data = None;
    }
    if flags.impersonate.is_some() {
        user.impersonate.clone_from(&flags.impersonate);
    }
    if !flags.impersonate_groups.is_empty() {
        user.impersonate_groups = Some(flags.impersonate_groups.clone());
    }
    if flags.impersonate_uid.is_some() {
        user.impersonate_uid.clone_from(&flags.impersonate_uid);
    }
}

/// `--server localhost:8080` means http, as in client-go.
fn with_scheme(server: &str) -> String {
    if server.contains("://") {
        return server.to_owned();
    }
    format!("http://{server}")
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
