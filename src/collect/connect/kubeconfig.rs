//! Which cluster, as whom: kubeconfig files and kubectl's connection flags.
//!
//! kubectl and the kube crate differ in details that users would notice:
//! kubectl skips files of `$KUBECONFIG` that are missing, its flags change
//! the *chosen* cluster and user, and it has its own rules for proxies and
//! exec plugins. All that is done here, before the kube crate sees the
//! configuration.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io, mem};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::{HeaderValue, Uri};
use kube::Config;
use kube::config::{
    AuthInfo, Cluster, Context, ExecAuthCluster, KubeConfigOptions, Kubeconfig, KubeconfigError,
    NamedAuthInfo, NamedCluster, NamedContext,
};
use secrecy::ExposeSecret;
use serde_json::{Map, Value};
use thiserror::Error;

use super::exec_plugin::{self, Audience, PluginError};
use super::proxy::{ProxyError, has_host_and_port, proxy_for};
use crate::document::snapshot::{expected, without_value};
use crate::document::{
    DocumentText, Encoding, FieldPath, TextError, document_texts, misspelt, parse, read_at_most,
    read_text, typed, unread,
};

/// No kubeconfig, token or certificate is larger.
const MOST_BYTES: u64 = 10 << 20;

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
    /// How long an exec plugin may take.
    pub plugin_timeout: Duration,
}

/// What the process finds around it.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The files of `$KUBECONFIG`, or the one in the home folder.
    pub kubeconfig_files: Vec<PathBuf>,
    /// Where this runs in a pod, what the cluster tells it.
    pub in_cluster: Option<InCluster>,
    /// Those of [`super::PROXY_VARIABLES`] that are set, with their values.
    pub proxy_variables: Vec<(String, String)>,
    /// Who hears what an exec plugin says.
    pub audience: Audience,
}

/// The service account of a pod.
#[derive(Clone, Debug)]
pub struct InCluster {
    /// `$KUBERNETES_SERVICE_HOST`.
    pub host: String,
    /// `$KUBERNETES_SERVICE_PORT`.
    pub port: String,
    /// Where `token`, `ca.crt` and `namespace` are mounted.
    pub folder: PathBuf,
}

/// Why there is no configuration.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A file that was named explicitly is not there.
    #[error("kubeconfig {}: no such file", .0.display())]
    Missing(PathBuf),
    /// No file is there, nothing else says where the cluster is.
    #[error("no configuration has been provided: no kubeconfig file was found{}", sought(.0))]
    Nothing(Vec<PathBuf>),
    /// The files name no context to use.
    #[error("no configuration has been provided: the kubeconfig sets no current-context")]
    NoCurrentContext,
    /// The files name no context at all.
    #[error("kubeconfig {}: {}", listed(.files), if *.are_empty { "it is empty" } else { "no context is defined" })]
    NoContexts {
        /// The files.
        files: Vec<PathBuf>,
        /// Whether there is nothing in them.
        are_empty: bool,
    },
    /// A kubeconfig is none.
    #[error("kubeconfig {}{fault}", .path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where and what is wrong with it, without its content, which may be
        /// secret.
        fault: String,
        /// What to do about a file that is no text.
        hint: Option<&'static str>,
    },
    /// A file says that it is something else.
    #[error("kubeconfig {} is of kind {kind}, not a kubeconfig", .path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// What it says.
        kind: String,
    },
    /// The configuration names a file that cannot be read.
    #[error("{origin}unable to read {what} {path}: {}", unread(.cause))]
    Unreadable {
        /// Where it is named.
        origin: Origin,
        /// The field of the kubeconfig.
        what: &'static str,
        /// The file.
        path: String,
        /// Why not.
        #[source]
        cause: io::Error,
    },
    /// What it says cannot be used.
    #[error(transparent)]
    Unusable(#[from] KubeconfigError),
    /// The named context is not in the files.
    #[error("context \"{requested}\" does not exist")]
    NoContext {
        /// Its name.
        requested: String,
        /// Those that are there.
        known: Vec<String>,
    },
    /// The named cluster is not in the files.
    #[error("cluster \"{0}\" does not exist")]
    NoCluster(String),
    /// The user that a flag names is not in the files.
    #[error("auth info \"{0}\" does not exist")]
    NoUser(String),
    /// The server's address cannot be one; what may be a password is left out.
    #[error("host must be a URL or a host:port pair: {:?}", .0.rsplit('@').next().unwrap_or_default())]
    Server(String),
    /// The entry of a cluster, which stands there, has no address.
    #[error("{0}the field `server` is missing")]
    NoServer(Origin),
    /// The authority's data holds no certificate.
    #[error("unable to load root certificates: no certificate in the PEM data")]
    NoAuthority,
    /// The token cannot be sent.
    #[error("the token holds what no header can: a line break or a control character")]
    Token,
    /// Two settings contradict each other.
    #[error("specifying a root certificates file with the insecure flag is not allowed")]
    RootAndInsecure,
    /// A user can prove who it is in one way only.
    #[error("more than one authentication method found: token and username, only one is allowed")]
    TwoMethods,
    /// The user logs in by a way that kubectl has given up as well.
    #[error("{origin}{}", without_provider(.name))]
    AuthProvider {
        /// Where it is named.
        origin: Origin,
        /// What it is called.
        name: String,
    },
    /// The token of an OIDC provider is none.
    #[error("{0}the id-token of auth-provider \"oidc\" is not a JSON Web Token")]
    IdToken(Origin),
    /// Groups or a UID are impersonated, but nobody who has them.
    #[error("requesting uid, groups or user-extra without impersonating a user")]
    NobodyImpersonated,
    /// The proxy cannot be used.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
    /// The exec plugin gives no credentials.
    #[error("getting credentials: {0}")]
    Plugin(#[from] PluginError),
}

/// Where a setting stands, as the beginning of a sentence about it.
#[derive(Clone, Debug, Error)]
pub enum Origin {
    /// In a flag, or the pod that this runs in.
    #[error("")]
    Outside,
    /// In the kubeconfig.
    #[error("kubeconfig {}, {kind} {name:?}: ", listed(.files))]
    Entry {
        /// The files, of which one has the entry.
        files: Vec<PathBuf>,
        /// What the entry is of.
        kind: &'static str,
        /// Its name.
        name: String,
    },
}

/// Where no file is.
fn sought(files: &[PathBuf]) -> String {
    match files {
        [] => String::new(),
        files => format!(" at {}", listed(files)),
    }
}

fn listed(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|it| it.display().to_string()).collect();
    names.join(", ")
}

/// kubectl 1.26 left out those of clouds; of the others it knows one.
fn without_provider(name: &str) -> String {
    match name {
        "gcp" | "azure" => {
            format!("auth-provider {name:?} was removed from kubectl in 1.26")
        }
        _ => format!("no auth-provider found for name {name:?}"),
    }
}

/// Resolves flags, files and environment into one configuration. This runs
/// the user's exec plugin, if there is one.
///
/// # Errors
///
/// No configuration, or one that cannot be used.
pub async fn load(
    flags: &ConnectionFlags,
    environment: &Environment,
) -> Result<Config, ConfigError> {
    let (files, texts) = read_files(flags, environment).await?;
    let chosen = async {
        let chosen = match (&files, &environment.in_cluster) {
            (Some(files), _) => Chosen::from_files(files, flags, environment)?,
            (None, _) if flags.server.is_some() => {
                Chosen::from_files(&Kubeconfig::default(), flags, environment)?
            }
            (None, Some(pod)) => Chosen::in_cluster(pod),
            (None, None) => return Err(ConfigError::Nothing(environment.kubeconfig_files.clone())),
        };
        chosen.with(flags)?.config(flags, environment).await
    };
    chosen.await.map_err(|error| match error {
        ConfigError::NoContexts { .. }
        | ConfigError::NoCurrentContext
        | ConfigError::NoContext { .. }
        | ConfigError::NoCluster(_)
        | ConfigError::NoUser(_)
        | ConfigError::NoServer(_) => texts.iter().find_map(misspelt_in).unwrap_or(error),
        other => other,
    })
}

/// A field of a file that was probably meant to be one that leads to a server.
fn misspelt_in((path, text): &(PathBuf, String)) -> Option<ConfigError> {
    let of_document = |text: DocumentText| {
        let document = &parse(text.text, text.lines_before).ok()?;
        let items = |list: &'static str| {
            (0..).map_while(move |it| document.at(&FieldPath::from(list).item(it)))
        };
        let inner = |list, field| items(list).filter_map(move |it| it.get(field));
        let fields = ["contexts", "clusters", "users", "current-context"].into_iter();
        let fields = fields
            .map(|it| (document, it))
            .chain(items("contexts").map(|it| (it, "context")))
            .chain(items("clusters").map(|it| (it, "cluster")))
            .chain(items("users").map(|it| (it, "user")))
            .chain(inner("contexts", "context").map(|it| (it, "cluster")))
            .chain(inner("clusters", "cluster").map(|it| (it, "server")));
        let mut missing = fields.filter(|(object, field)| object.get(field).is_none());
        missing.find_map(|(object, field)| Some((misspelt(object, field, &[])?, field)))
    };
    let ((name, place), field) = document_texts(text).into_iter().find_map(of_document)?;
    let suggestion = format!("unknown field `{name}`; did you mean `{field}`?");
    Some(ConfigError::Broken {
        path: path.clone(),
        fault: format!(":{}:{}: {suggestion}", place.line, place.column),
        hint: None,
    })
}

/// The files that are read.
fn paths(flags: &ConnectionFlags, environment: &Environment) -> Vec<PathBuf> {
    let mut paths = match &flags.kubeconfig {
        Some(path) => vec![path.clone()],
        None => environment.kubeconfig_files.clone(),
    };
    paths.retain(|path| !is_missing(path));
    paths
}

/// As client-go tells: what cannot be read is there.
fn is_missing(path: &Path) -> bool {
    fs::metadata(path).is_err_and(|it| it.kind() == io::ErrorKind::NotFound)
}

/// The merged files, of which the first one that sets a value wins; and their texts.
async fn read_files(
    flags: &ConnectionFlags,
    environment: &Environment,
) -> Result<(Option<Kubeconfig>, Vec<(PathBuf, String)>), ConfigError> {
    if let Some(path) = flags.kubeconfig.as_ref().filter(|it| is_missing(it)) {
        return Err(ConfigError::Missing(path.clone()));
    }
    let (mut merged, mut texts): (Option<Kubeconfig>, _) = (None, Vec::new());
    for path in paths(flags, environment) {
        let (next, text) = read_file(&path, flags.plugin_timeout).await?;
        texts.push((path, text));
        merged = Some(match merged {
            Some(merged) => merged.merge(next)?,
            None => next,
        });
    }
    Ok((merged, texts))
}

async fn read_file(path: &Path, within: Duration) -> Result<(Kubeconfig, String), ConfigError> {
    let broken = |fault: String, hint| ConfigError::Broken {
        path: path.to_owned(),
        fault,
        hint,
    };
    let unreadable = |cause| broken(format!(": {}", unread(&cause)), None);
    let (bytes, is_regular) = read_within(path, within).await.map_err(unreadable)?;
    // kube reads UTF-16 that says so, in pairs, without looking whether there are
    // any.
    let is_marked = matches!(bytes[..], [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let text = match read_text(&bytes[..], MOST_BYTES) {
        Ok(text) => text,
        Err(TextError::Other(Encoding::Utf16)) if is_marked && bytes.len() % 2 == 0 => {
            String::from_utf8_lossy(&bytes).into_owned()
        }
        Err(error) => return Err(broken(format!(": {error}"), error.hint())),
    };
    let read = if is_regular {
        // Only this knows which of its paths are beside it.
        Kubeconfig::read_from(path)
    } else {
        // A pipe, as of `<(...)`, is empty now.
        Kubeconfig::from_yaml(&text)
    };
    match read {
        Ok(file) => match file.kind.as_deref() {
            None | Some("" | "Config") => Ok((file, text)),
            Some(kind) => {
                let kind: String = kind.chars().take(63).collect();
                let path = path.to_owned();
                Err(ConfigError::OtherKind { path, kind })
            }
        },
        Err(_) => Err(broken(fault(&text), None)),
    }
}

/// The bytes of a file, and whether it is a regular one. A pipe is waited for as
/// long as a plugin is: there may be nobody who writes to it.
async fn read_within(path: &Path, within: Duration) -> io::Result<(Vec<u8>, bool)> {
    let path = path.to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let file = fs::File::open(path)?;
        let is_regular = file.metadata()?.is_file();
        Ok((read_at_most(file, MOST_BYTES)?, is_regular))
    });
    let read = tokio::time::timeout(within, read).await;
    read.unwrap_or_else(|_| {
        let text = format!("it is a pipe that gave nothing within {within:?}");
        Ok(Err(io::Error::new(io::ErrorKind::TimedOut, text)))
    })?
}

/// Where and why a text is no kubeconfig. What stands there may be secret.
fn fault(text: &str) -> String {
    let documents = document_texts(text).into_iter();
    let mut faults = documents.filter_map(|document| {
        let read: Result<Kubeconfig, _> = typed(document, &mut Vec::new(), |_| false);
        read.err()
    });
    let Some(fault) = faults.next() else {
        return ": this is YAML, but not a kubeconfig".to_owned();
    };
    let what = match (&fault.document, &fault.path, without_value(&fault)) {
        (None, ..) => format!("this cannot be read as YAML: {}", fault.reason),
        (Some(_), path, Some(flaw)) if path.is_empty() => flaw,
        (Some(_), path, Some(flaw)) => format!("{path}: {flaw}"),
        (Some(_), path, None) if path.is_empty() => "this is YAML, but not a kubeconfig".to_owned(),
        (Some(document), path, None) => match document.at(path) {
            Some(found) => {
                let expected = expected(&fault).unwrap_or("something else");
                format!("{path} must be {expected}, not {}", found.value.kind())
            }
            None => format!("{path} is missing or of another type"),
        },
    };
    format!(":{}:{}: {what}", fault.place.line, fault.place.column)
}

/// Reads a file that the configuration names. It must be a regular one, for
/// what a device or a pipe holds may have no end.
fn read_small(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(&path)?;
    if !metadata.is_file() {
        return Err(if metadata.is_dir() {
            io::ErrorKind::IsADirectory.into()
        } else {
            io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
        });
    }
    read_at_most(fs::File::open(path)?, MOST_BYTES)
}

/// The chosen context's parts, and where they stand.
struct Chosen {
    cluster: Cluster,
    cluster_origin: Origin,
    user: AuthInfo,
    user_origin: Origin,
    namespace: Option<String>,
}

/// The name under which they are handed to the kube crate.
const CHOSEN: &str = "chosen";

/// Keeps the kube crate from looking for a proxy by rules of its own; it is
/// never talked to.
const NO_LOOKING: &str = "http://proxy.invalid";

impl Chosen {
    fn from_files(
        files: &Kubeconfig,
        flags: &ConnectionFlags,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let context = context(files, flags, environment)?;
        let entry = |kind, name: Option<&String>| Origin::Entry {
            files: paths(flags, environment),
            kind,
            name: name.cloned().unwrap_or_default(),
        };
        Ok(Self {
            cluster: cluster(files, flags, &context)?,
            cluster_origin: entry("cluster", flags.cluster.as_ref().or(Some(&context.cluster))),
            user: user(files, flags, &context)?,
            user_origin: entry("user", flags.user.as_ref().or(context.user.as_ref())),
            namespace: context.namespace,
        })
    }

    /// The service account's cluster and user.
    fn in_cluster(pod: &InCluster) -> Self {
        let host = if pod.host.contains(':') {
            format!("[{}]", pod.host)
        } else {
            pod.host.clone()
        };
        let namespace = read_small(pod.folder.join("namespace")).ok();
        let namespace = namespace.and_then(|bytes| String::from_utf8(bytes).ok());
        Self {
            cluster: Cluster {
                server: Some(format!("https://{host}:{}", pod.port)),
                certificate_authority: Some(text(&pod.folder.join("ca.crt"))),
                ..Cluster::default()
            },
            cluster_origin: Origin::Outside,
            user: AuthInfo {
                token_file: Some(text(&pod.folder.join("token"))),
                ..AuthInfo::default()
            },
            user_origin: Origin::Outside,
            namespace: namespace.map(|name| name.trim().to_owned()),
        }
    }

    /// Applies the flags, and checks what comes of it.
    fn with(mut self, flags: &ConnectionFlags) -> Result<Self, ConfigError> {
        apply_to_cluster(&mut self.cluster, flags);
        apply_to_user(&mut self.user, flags);
        if flags.certificate_authority.is_some() {
            self.cluster_origin = Origin::Outside;
        }
        if flags.client_certificate.is_some() || flags.client_key.is_some() {
            self.user_origin = Origin::Outside;
        }
        self.cluster.tls_server_name.take_if(|name| name.is_empty());
        let Self { cluster, user, .. } = &self;
        let has_root =
            cluster.certificate_authority.is_some() || cluster.certificate_authority_data.is_some();
        if has_root && cluster.insecure_skip_tls_verify == Some(true) {
            return Err(ConfigError::RootAndInsecure);
        }
        if user.token.is_some() && user.username.is_some() {
            return Err(ConfigError::TwoMethods);
        }
        let has_more = user.impersonate_uid.is_some()
            || user.impersonate_groups.is_some()
            || user.impersonate_user_extra.is_some();
        if has_more && user.impersonate.as_ref().is_none_or(String::is_empty) {
            return Err(ConfigError::NobodyImpersonated);
        }
        Ok(self)
    }

    /// The kube crate's form of it.
    async fn config(
        mut self,
        flags: &ConnectionFlags,
        environment: &Environment,
    ) -> Result<Config, ConfigError> {
        check_files(&self)?;
        if is_plain(&self.cluster) {
            withhold_secrets(&mut self.user);
        }
        check_provider(&self)?;
        read_token(&mut self)?;
        let known = ExecAuthCluster::try_from(&self.cluster)?;
        let within = flags.plugin_timeout;
        exec_plugin::run(&mut self.user, &known, environment.audience, within).await?;
        if let Some(token) = &self.user.token
            && HeaderValue::from_str(token.expose_secret()).is_err()
        {
            return Err(ConfigError::Token);
        }
        let no_looking = Some(NO_LOOKING.to_owned());
        let proxy_url = mem::replace(&mut self.cluster.proxy_url, no_looking);
        let server = self.cluster.server.clone().unwrap_or_default();
        if server.is_empty() {
            return Err(ConfigError::NoServer(self.cluster_origin));
        }
        let uri = server.parse::<Uri>().ok().filter(has_host_and_port);
        if !uri.is_some_and(|uri| matches!(uri.scheme_str(), Some("http" | "https"))) {
            return Err(ConfigError::Server(server));
        }
        let options = KubeConfigOptions::default();
        let mut config = Config::from_custom_kubeconfig(self.kubeconfig(), &options).await?;
        if config.root_cert.as_ref().is_some_and(Vec::is_empty) {
            return Err(ConfigError::NoAuthority);
        }
        config.proxy_url = proxy_for(
            &config.cluster_url,
            proxy_url.as_deref(),
            &environment.proxy_variables,
        )?;
        // A metrics API that is down answers 503, and the crate's own retries
        // would keep us waiting for minutes.
        config.default_retry = false;
        Ok(config)
    }

    fn kubeconfig(self) -> Kubeconfig {
        Kubeconfig {
            current_context: Some(CHOSEN.to_owned()),
            contexts: vec![NamedContext {
                name: CHOSEN.to_owned(),
                context: Some(Context {
                    cluster: CHOSEN.to_owned(),
                    user: Some(CHOSEN.to_owned()),
                    namespace: self.namespace.filter(|name| !name.is_empty()),
                    ..Context::default()
                }),
                ..NamedContext::default()
            }],
            clusters: vec![NamedCluster {
                name: CHOSEN.to_owned(),
                cluster: Some(self.cluster),
                ..NamedCluster::default()
            }],
            auth_infos: vec![NamedAuthInfo {
                name: CHOSEN.to_owned(),
                auth_info: Some(self.user),
                ..NamedAuthInfo::default()
            }],
            ..Kubeconfig::default()
        }
    }
}

/// Over plain http everybody on the way could read who we are.
fn is_plain(cluster: &Cluster) -> bool {
    let server = cluster.server.as_deref().unwrap_or_default();
    !server.to_ascii_lowercase().starts_with("https://")
}

/// As client-go, secrets are for TLS only; whom to impersonate is no secret.
fn withhold_secrets(user: &mut AuthInfo) {
    *user = AuthInfo {
        impersonate: user.impersonate.take(),
        impersonate_uid: user.impersonate_uid.take(),
        impersonate_groups: user.impersonate_groups.take(),
        impersonate_user_extra: user.impersonate_user_extra.take(),
        ..AuthInfo::default()
    };
}

/// Files that cannot be read are named by what they are for.
fn check_files(chosen: &Chosen) -> Result<(), ConfigError> {
    let Chosen { cluster, user, .. } = chosen;
    let files = [
        (
            &chosen.cluster_origin,
            "certificate-authority",
            &cluster.certificate_authority,
            cluster.certificate_authority_data.is_none(),
        ),
        (
            &chosen.user_origin,
            "client-certificate",
            &user.client_certificate,
            user.client_certificate_data.is_none(),
        ),
        (
            &chosen.user_origin,
            "client-key",
            &user.client_key,
            user.client_key_data.is_none(),
        ),
    ];
    for (origin, what, path, is_used) in files {
        if let Some(path) = path.as_ref().filter(|_| is_used) {
            let read = read_small(path);
            read.map_err(|cause| ConfigError::Unreadable {
                origin: origin.clone(),
                what,
                path: path.clone(),
                cause,
            })?;
        }
    }
    Ok(())
}

/// Of the auth providers, the predecessors of exec plugins, one is left.
fn check_provider(chosen: &Chosen) -> Result<(), ConfigError> {
    match &chosen.user.auth_provider {
        Some(provider) if provider.name != "oidc" => Err(ConfigError::AuthProvider {
            origin: chosen.user_origin.clone(),
            name: provider.name.clone(),
        }),
        Some(provider) => match provider.config.get("id-token") {
            Some(token) if !token.is_empty() && !is_jwt(token) => {
                Err(ConfigError::IdToken(chosen.user_origin.clone()))
            }
            _ => Ok(()),
        },
        None => Ok(()),
    }
}

/// Whether a text has the form of a JSON Web Token: three parts, of which the
/// second one is an object.
fn is_jwt(token: &str) -> bool {
    let parts: Vec<&str> = token.split('.').collect();
    let [_, claims, _] = parts[..] else {
        return false;
    };
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims.trim_end_matches('='));
    claims.is_ok_and(|it| serde_json::from_slice::<Map<String, Value>>(&it).is_ok())
}

/// Reads the token file, which comes before a token as in client-go. It may
/// end in a line break.
fn read_token(chosen: &mut Chosen) -> Result<(), ConfigError> {
    let Some(path) = chosen.user.token_file.take() else {
        return Ok(());
    };
    let token = read_small(&path).and_then(|bytes| {
        let text = String::from_utf8(bytes);
        text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
    });
    let token = token.map_err(|cause| ConfigError::Unreadable {
        origin: chosen.user_origin.clone(),
        what: "tokenFile",
        path,
        cause,
    })?;
    chosen.user.token = Some(token.trim().to_owned().into());
    Ok(())
}

fn context(
    files: &Kubeconfig,
    flags: &ConnectionFlags,
    environment: &Environment,
) -> Result<Context, ConfigError> {
    let requested = flags.context.as_ref().or(files.current_context.as_ref());
    let requested = requested.filter(|name| !name.is_empty());
    if requested.is_none() && (flags.server.is_some() || flags.cluster.is_some()) {
        return Ok(Context::default());
    }
    if files.contexts.is_empty() {
        let files = paths(flags, environment);
        let is_empty = |it: &PathBuf| fs::metadata(it).is_ok_and(|it| it.len() == 0);
        let are_empty = files.iter().all(is_empty);
        return Err(ConfigError::NoContexts { files, are_empty });
    }
    let requested = requested.ok_or(ConfigError::NoCurrentContext)?;
    let found = files.contexts.iter().find(|named| named.name == *requested);
    found
        .and_then(|named| named.context.clone())
        .ok_or_else(|| ConfigError::NoContext {
            requested: requested.clone(),
            known: files.contexts.iter().map(|it| it.name.clone()).collect(),
        })
}

fn cluster(
    files: &Kubeconfig,
    flags: &ConnectionFlags,
    context: &Context,
) -> Result<Cluster, ConfigError> {
    let requested = flags.cluster.as_ref().unwrap_or(&context.cluster);
    let found = files.clusters.iter().find(|named| named.name == *requested);
    match found.and_then(|named| named.cluster.clone()) {
        Some(cluster) => Ok(cluster),
        // The flag alone says where the cluster is.
        None if flags.server.is_some() && flags.cluster.is_none() => Ok(Cluster::default()),
        None => Err(ConfigError::NoCluster(requested.clone())),
    }
}

/// An unknown user of a context is nobody in particular, as in kubectl.
fn user(
    files: &Kubeconfig,
    flags: &ConnectionFlags,
    context: &Context,
) -> Result<AuthInfo, ConfigError> {
    let requested = flags.user.as_ref().or(context.user.as_ref());
    let found = files
        .auth_infos
        .iter()
        .find(|named| Some(&named.name) == requested);
    match (found.and_then(|named| named.auth_info.clone()), &flags.user) {
        (Some(user), _) => Ok(user),
        (None, Some(name)) => Err(ConfigError::NoUser(name.clone())),
        (None, None) => Ok(AuthInfo::default()),
    }
}

fn apply_to_cluster(cluster: &mut Cluster, flags: &ConnectionFlags) {
    if let Some(server) = &flags.server {
        cluster.server = Some(server.clone());
    }
    cluster.server = cluster.server.as_deref().map(with_scheme);
    if flags.insecure_skip_tls_verify {
        cluster.insecure_skip_tls_verify = Some(true);
        cluster.certificate_authority = None;
        cluster.certificate_authority_data = None;
    }
    if let Some(authority) = &flags.certificate_authority {
        cluster.certificate_authority = Some(text(authority));
        cluster.certificate_authority_data = None;
        if !flags.insecure_skip_tls_verify {
            cluster.insecure_skip_tls_verify = None;
        }
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
    if user.client_certificate.is_none() && user.client_certificate_data.is_none() {
        // As client-go: it opens nothing alone.
        user.client_key = None;
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
