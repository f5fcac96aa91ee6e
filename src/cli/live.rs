//! The main job on a cluster: read one HPA's inputs, explain them.

use std::process::ExitCode;

use jiff::Timestamp;

use crate::collect::{
    Found, Reader, Unanswered, client, collect, find, load,
};

use super::args::{Explain, Output};
use super::connection::environment;
use super::explain::Printer;
use super::failure::Failure;
use super::select::Wanted;
use super::terminal::Terminal;
use super::unreached::{no_client, no_configuration, not_collected, unreachable};

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
    let client = client(config).map_err(|error| no_client(&error))?;
    let reader = Reader::new(client, explain.connection.request_timeout());
    let names = names(explain, &reader, &namespace)
        .await
        .map_err(|error| unreachable(&error, &server))?;
    let mut snapshots = Vec::new();
    for name in &names {
        let snapshot = collect(&reader, &namespace, name, Timestamp::now()).await;
        snapshots.push(snapshot.map_err(|error| not_collected(&error, &server, &namespace))?);
    }
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
) -> Result<Vec<String>, Unanswered> {
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
