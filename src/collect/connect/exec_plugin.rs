//! Credentials from an exec plugin, which is a program that the kubeconfig
//! names: run once, as client-go runs it.
//!
//! The kube crate would run it three times, and wait for it for ever.

use std::io;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::{Either, select};
use kube::config::{AuthInfo, ExecAuthCluster, ExecConfig, ExecInteractiveMode};
use serde::Deserialize;
use serde_json::json;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};
use tokio::time::timeout;

/// Credentials take a few kilobytes.
const MOST_BYTES: u64 = 1 << 20;

/// How much of what it says to people is handed on.
const MOST_STDERR: u64 = 16 << 10;

/// How long what it has said is listened to once it has ended.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// The versions of the protocol; the old one may leave out `interactiveMode`.
const VERSIONS: [&str; 2] = [
    "client.authentication.k8s.io/v1",
    "client.authentication.k8s.io/v1beta1",
];

/// Who is there to hear what a plugin says.
#[derive(Clone, Copy, Debug, Default)]
pub enum Audience {
    /// Somebody at a terminal, who can be asked: the plugin has the terminal.
    Terminal,
    /// Somebody who reads what it says, of which each line goes here.
    Reader(fn(&str)),
    /// Nobody: it is to stay silent.
    #[default]
    Nobody,
}

/// Why a plugin gave no credentials.
#[derive(Debug, Error)]
pub enum PluginError {
    /// The kubeconfig does not say how to run it.
    #[error("exec plugin: {0}")]
    Misconfigured(String),
    /// It is not there; the kubeconfig may say how to install it.
    #[error("exec: executable {command} not found")]
    NotFound {
        /// The program.
        command: String,
        /// The kubeconfig's `installHint`.
        install_hint: Option<String>,
    },
    /// It cannot be run.
    #[error("exec: {command}: {cause}")]
    NotRun {
        /// The program.
        command: String,
        /// Why not.
        #[source]
        cause: io::Error,
    },
    /// It says that it failed.
    #[error("exec: executable {command} failed with {}", ended(*.status))]
    Failed {
        /// The program.
        command: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// It takes too long.
    #[error("exec: executable {command} did not end within {}s", .within.as_secs())]
    Timeout {
        /// The program.
        command: String,
        /// The time that it had.
        within: Duration,
    },
    /// What it prints are no credentials.
    #[error("exec: executable {command} printed no credentials: {reason}")]
    Nonsense {
        /// The program.
        command: String,
        /// What is wrong with it; nothing of the output itself.
        reason: String,
    },
}

fn ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "a signal".to_owned(),
    }
}

/// What a plugin prints.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExecCredential {
    kind: String,
    api_version: String,
    status: Option<Credentials>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Credentials {
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

/// Puts what the user's plugin gives in the place of the plugin. As in
/// client-go, it is not run for a user who has other credentials.
/// Errors: the plugin gives no credentials in time.
pub async fn run(
    user: &mut AuthInfo,
    cluster: &ExecAuthCluster,
    audience: Audience,
    within: Duration,
) -> Result<(), PluginError> {
    let Some(plugin) = user.exec.take() else {
        return Ok(());
    };
    let version = check(&plugin)?.to_owned();
    let has_certificate =
        user.client_certificate.is_some() || user.client_certificate_data.is_some();
    if user.token.is_some() || user.username.is_some() || has_certificate {
        return Ok(());
    }
    let is_interactive = is_interactive(&plugin, audience)?;
    let name = plugin.command.clone().unwrap_or_default();
    let info = info(&plugin, &version, is_interactive, cluster);
    let output = timeout(within, output(&plugin, is_interactive, audience, &info));
    let output = output.await.map_err(|_| PluginError::Timeout {
        command: name.clone(),
        within,
    })??;
    let status = credentials(&output, &name, &version)?;
    let encoded = |pem| STANDARD.encode(pem);
    user.token = status.token.map(Into::into);
    user.client_certificate_data = status.client_certificate_data.map(encoded);
    user.client_key_data = status.client_key_data.map(|pem| encoded(pem).into());
    Ok(())
}

/// The version of the protocol, if all is said that client-go asks for.
fn check(plugin: &ExecConfig) -> Result<&str, PluginError> {
    let wrong = |text: String| Err(PluginError::Misconfigured(text));
    if plugin.command.as_ref().is_none_or(String::is_empty) {
        return wrong("command must be specified".to_owned());
    }
    let version = plugin.api_version.as_deref().unwrap_or_default();
    if !VERSIONS.contains(&version) {
        return wrong(format!("invalid apiVersion {version:?}"));
    }
    if version == VERSIONS[0] && plugin.interactive_mode.is_none() {
        return wrong("interactiveMode must be specified".to_owned());
    }
    Ok(version)
}

fn is_interactive(plugin: &ExecConfig, audience: Audience) -> Result<bool, PluginError> {
    let is_terminal = matches!(audience, Audience::Terminal);
    match plugin.interactive_mode {
        Some(ExecInteractiveMode::Never) => Ok(false),
        Some(ExecInteractiveMode::Always) if !is_terminal => Err(PluginError::Misconfigured(
            "it needs a terminal, but standard input is not one".to_owned(),
        )),
        _ => Ok(is_terminal),
    }
}

/// What the plugin is told, in `KUBERNETES_EXEC_INFO`.
fn info(
    plugin: &ExecConfig,
    version: &str,
    is_interactive: bool,
    cluster: &ExecAuthCluster,
) -> String {
    let mut info = json!({
        "kind": "ExecCredential",
        "apiVersion": version,
        "spec": {"interactive": is_interactive},
    });
    if plugin.provide_cluster_info {
        info["spec"]["cluster"] = json!(cluster);
    }
    info.to_string()
}

/// The names that a plugin's file can have. Windows puts an extension of its own
/// to a name, of which the standard library knows only `.exe`; cloud vendors'
/// plugins are often scripts.
fn files(command: &str, is_windows: bool) -> impl Iterator<Item = String> {
    let extensions: &[&str] = if is_windows {
        &["", ".com", ".exe", ".bat", ".cmd"]
    } else {
        &[""]
    };
    extensions
        .iter()
        .map(move |extension| format!("{command}{extension}"))
}

/// Starts the plugin.
fn start(
    plugin: &ExecConfig,
    name: &str,
    is_interactive: bool,
    audience: Audience,
    info: &str,
) -> io::Result<Child> {
    let variables = plugin.env.iter().flatten();
    let variables = variables.filter_map(|pair| Some((pair.get("name")?, pair.get("value")?)));
    let inherited = |is_inherited| {
        if is_inherited {
            Stdio::inherit()
        } else {
            Stdio::null()
        }
    };
    let mut started = files(name, cfg!(windows)).map(|file| {
        Command::new(file)
            .args(plugin.args.iter().flatten())
            .envs(variables.clone())
            .env("KUBERNETES_EXEC_INFO", info)
            .stdin(inherited(is_interactive))
            .stdout(Stdio::piped())
            .stderr(match audience {
                Audience::Terminal => Stdio::inherit(),
                Audience::Reader(_) => Stdio::piped(),
                Audience::Nobody => Stdio::null(),
            })
            .kill_on_drop(true)
            .spawn()
    });
    let is_missing = |cause: &io::Error| cause.kind() == io::ErrorKind::NotFound;
    started
        .find(|child| !child.as_ref().is_err_and(is_missing))
        .unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))
}

/// Hands on what the plugin says to people, line by line as it comes. What
/// is too much is read and left out, so that the plugin goes on.
async fn hand_on(stderr: Option<ChildStderr>, audience: Audience, name: &str) {
    let (Some(stderr), Audience::Reader(take)) = (stderr, audience) else {
        return;
    };
    let mut lines = BufReader::new(stderr.take(MOST_STDERR)).lines();
    // What cannot be read, or is no text, was said to nobody.
    while let Ok(Some(line)) = lines.next_line().await {
        take(&line);
    }
    let stderr = lines.into_inner().into_inner();
    if stderr.limit() == 0 {
        take(&format!("exec: {name} says more, which is left out"));
    }
    _ = tokio::io::copy(&mut stderr.into_inner(), &mut tokio::io::sink()).await;
}

/// Runs the plugin.
async fn output(
    plugin: &ExecConfig,
    is_interactive: bool,
    audience: Audience,
    info: &str,
) -> Result<Vec<u8>, PluginError> {
    let name = plugin.command.clone().unwrap_or_default();
    let started = start(plugin, &name, is_interactive, audience, info);
    let mut child = started.map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => PluginError::NotFound {
            command: name.clone(),
            install_hint: plugin.install_hint.clone(),
        },
        _ => not_run(&name)(cause),
    })?;
    let stderr = hand_on(child.stderr.take(), audience, &name);
    let printed = printed(&mut child, &name);
    match select(pin!(printed), pin!(stderr)).await {
        // A process that it leaves behind may hold the stream for ever.
        Either::Left((printed, stderr)) => {
            _ = timeout(LAST_WORDS, stderr).await;
            printed
        }
        Either::Right(((), printed)) => printed.await,
    }
}

fn not_run(name: &str) -> impl Fn(io::Error) -> PluginError {
    move |cause| PluginError::NotRun {
        command: name.to_owned(),
        cause,
    }
}

/// What it prints until it ends.
async fn printed(child: &mut Child, name: &str) -> Result<Vec<u8>, PluginError> {
    let mut printed = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let mut stdout = stdout.take(MOST_BYTES);
        stdout
            .read_to_end(&mut printed)
            .await
            .map_err(not_run(name))?;
        if stdout.limit() == 0 {
            let reason = format!("it prints more than {} MiB", MOST_BYTES >> 20);
            return Err(nonsense(name, reason));
        }
    }
    let status = child.wait().await.map_err(not_run(name))?;
    if !status.success() {
        let command = name.to_owned();
        return Err(PluginError::Failed { command, status });
    }
    Ok(printed)
}

fn nonsense(name: &str, reason: impl Into<String>) -> PluginError {
    PluginError::Nonsense {
        command: name.to_owned(),
        reason: reason.into(),
    }
}

fn credentials(output: &[u8], name: &str, version: &str) -> Result<Credentials, PluginError> {
    let nonsense = |reason: &str| nonsense(name, reason);
    let credential: ExecCredential = serde_json::from_slice(output).map_err(|error| {
        // serde's sentence may quote the output, which may hold a secret.
        nonsense(&format!("no ExecCredential at line {}", error.line()))
    })?;
    if credential.kind != "ExecCredential" || credential.api_version != version {
        return Err(nonsense(&format!("no ExecCredential of {version}")));
    }
    let status = credential.status;
    let mut status = status.ok_or_else(|| nonsense("it has no status"))?;
    for text in [
        &mut status.token,
        &mut status.client_certificate_data,
        &mut status.client_key_data,
    ] {
        text.take_if(|text| text.is_empty());
    }
    if status.client_certificate_data.is_some() != status.client_key_data.is_some() {
        return Err(nonsense("only one of certificate and key"));
    }
    if status.token.is_none() && status.client_key_data.is_none() {
        return Err(nonsense("neither a token nor a certificate with its key"));
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::{PluginError, VERSIONS, credentials, files};

    #[test]
    fn windows_knows_a_plugin_by_more_than_its_name() {
        let rows: [(bool, &[&str]); 2] = [
            (false, &["aws"]),
            (true, &["aws", "aws.com", "aws.exe", "aws.bat", "aws.cmd"]),
        ];
        for (is_windows, expected) in rows {
            let names: Vec<String> = files("aws", is_windows).collect();
            assert_eq!(names, expected);
        }
    }

    #[test]
    fn what_a_plugin_prints_is_never_repeated() {
        let [version, beta] = VERSIONS;
        let of = |version: &str, status: &str| {
            format!(r#"{{"kind":"ExecCredential","apiVersion":"{version}"{status}}}"#)
        };
        let rows = [
            (String::new(), "no ExecCredential at line 1"),
            ("secret".to_owned(), "no ExecCredential at line 1"),
            (r#""secret""#.to_owned(), "no ExecCredential at line 1"),
            (
                "\n{\"kind\":\"secret\"}".to_owned(),
                "no ExecCredential at line 2",
            ),
            (of("secret", ""), "no ExecCredential of"),
            (
                of(beta, ""),
                "no ExecCredential of client.authentication.k8s.io/v1",
            ),
            (of(version, ""), "it has no status"),
            (
                of(version, r#","status":{}"#),
                "neither a token nor a certificate",
            ),
            (
                of(version, r#","status":{"token":["secret"]}"#),
                "no ExecCredential at line 1",
            ),
            (
                of(
                    version,
                    r#","status":{"token":"t","clientKeyData":"secret"}"#,
                ),
                "only one of certificate and key",
            ),
        ];
        for (output, want) in &rows {
            let read = credentials(output.as_bytes(), "x", version);
            let Err(PluginError::Nonsense { reason, .. }) = read else {
                panic!("{output}");
            };
            assert!(reason.starts_with(want), "{output}: {reason}");
            assert!(!reason.contains("secret"), "{output}: {reason}");
        }
        assert_eq!(rows.len(), 10);
    }
}
