//! The main job on a cluster: read one HPA's inputs, explain them.

use std::process::ExitCode;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use jiff::Timestamp;

use crate::collect::{
    Cluster, CollectError, ConfigError, Found, Reader, Unanswered, client, collect, find, load,
};
use crate::snapshot::Snapshot;

use super::args::{Explain, Output};
use super::connection::environment;
use super::explain::Printer;
use super::failure::Failure;
use super::select::Wanted;
use super::terminal::Terminal;

/// How many HPAs are read at the same time.
const AT_ONCE: usize = 8;

/// Explains HPAs of a cluster.
///
/// # Errors
///
/// No name, no connection, or an HPA that cannot be read.
pub fn run(
    explain: &Explain,
    output: &Output,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    if explain.names.is_empty() {
        return Err(Failure::error(
            "no HPA is named",
            "name one, as in `kubectl hpa-explain web -n shop`; `kubectl get hpa -A` lists them",
        ));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()?;
    runtime.block_on(explain_all(explain, output, terminal))
}

async fn explain_all(
    explain: &Explain,
    output: &Output,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let flags = explain.connection.flags();
    let config = load(&flags, &environment())
        .await
        .map_err(|e| no_configuration(&e))?;
    let server = config.cluster_url.to_string();
    let namespace = explain
        .namespace
        .clone()
        .unwrap_or_else(|| config.default_namespace.clone());
    let reader = Reader::new(client(config)?, explain.connection.patience());
    let failed = |error: CollectError| not_collected(&error, &server, &namespace);
    let names = names(explain, &reader, &namespace).await.map_err(failed)?;
    let cluster = Cluster::new(&reader);
    let collected = stream::iter(&names)
        .map(|name| collect(&cluster, &namespace, name, Timestamp::now()))
        .buffered(AT_ONCE);
    let snapshots: Vec<Snapshot> = collected.try_collect().await.map_err(failed)?;
    for warning in reader.warnings() {
        terminal.complain(&format!("Warning: {warning}"));
    }
    let overrides = explain.settings.overrides();
    terminal.text.live = true;
    let mut printer = Printer::new(output.format, snapshots.len(), terminal);
    for snapshot in &snapshots {
        printer.explain(snapshot, &overrides)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The HPAs that are named, or that point to a named target.
async fn names(
    explain: &Explain,
    reader: &Reader,
    namespace: &str,
) -> Result<Vec<String>, CollectError> {
    let mut names = Vec::new();
    for text in &explain.names {
        match Wanted::parse(text) {
            Wanted::Autoscaler(name) => names.push(name),
            Wanted::Target { kind, name } => {
                let found = find(reader, namespace).await?;
                let points_there = |found: &&Found| {
                    found.target.name == name && found.target.kind.eq_ignore_ascii_case(&kind)
                };
                let before = names.len();
                names.extend(
                    found
                        .iter()
                        .filter(points_there)
                        .map(|found| found.name.clone()),
                );
                if names.len() == before {
                    // The server then says that there is no such HPA.
                    names.push(text.clone());
                }
            }
        }
    }
    Ok(names)
}

fn no_configuration(error: &ConfigError) -> anyhow::Error {
    let hint = match error {
        ConfigError::NoContext(_) => "`kubectl config get-contexts` lists the contexts",
        ConfigError::RootAndInsecure => {
            "give either --certificate-authority or --insecure-skip-tls-verify"
        }
        _ => "set KUBECONFIG or --kubeconfig, or look at `kubectl hpa-explain demo`",
    };
    Failure::error(error.to_string(), hint)
}

fn not_collected(error: &CollectError, server: &str, namespace: &str) -> anyhow::Error {
    match error {
        CollectError::Unanswered(error) => unreachable(error, server),
        CollectError::Refused { reason, .. } => {
            let hint = match *reason {
                "NotFound" => format!("`kubectl get hpa -n {namespace}` lists the HPAs"),
                "Forbidden" => {
                    format!("ask for the right to get horizontalpodautoscalers in {namespace}")
                }
                "Unauthorized" => "log in again, or give --token".to_owned(),
                _ => "try again; `kubectl get --raw /readyz` tells how the server is".to_owned(),
            };
            Failure::error(error.to_string(), hint)
        }
        CollectError::Malformed(_) => Failure::error(
            error.to_string(),
            "please report this with the output of `kubectl get hpa -o yaml`",
        ),
    }
}

fn unreachable(error: &Unanswered, server: &str) -> anyhow::Error {
    let text = error.to_string();
    if text.contains("Connection refused") {
        return Failure::error(
            format!("the connection to the server {server} was refused"),
            "is it the right host and port? `kubectl config view --minify` shows the cluster",
        );
    }
    if text.contains("certificate") {
        return Failure::error(
            format!("the certificate of {server} is not accepted: {text}"),
            "give the cluster's authority with --certificate-authority",
        );
    }
    Failure::error(
        format!("no answer from {server}: {text}"),
        "check the connection, or allow more time with --request-timeout",
    )
}
