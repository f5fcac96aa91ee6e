//! The main job on a cluster: read the HPAs' inputs, explain them.

use std::process::ExitCode;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use jiff::Timestamp;

use crate::collect::{Cluster, CollectError, Found, Reader, collect, find};
use crate::snapshot::Snapshot;

use super::args::{Explain, Format, Output};
use super::explain::Printer;
use super::failure::Failure;
use super::list::{self, List};
use super::select::Wanted;
use super::session::{Session, block_on};
use super::terminal::Terminal;

/// How many HPAs are read at the same time.
pub const AT_ONCE: usize = 8;

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
        return match List::without_a_name(explain, output) {
            Some(list) => list::run(&list, terminal),
            None => Err(Failure::error(
                "no HPA is named",
                "name one, as in `kubectl hpa-explain web -n shop -o snapshot`",
            )),
        };
    }
    let snapshots = block_on(async {
        let session = Session::open(&explain.connection, explain.namespace.as_deref()).await?;
        let snapshots = snapshots(explain, &session).await;
        session.report(terminal);
        snapshots
    })?;
    let overrides = explain.settings.overrides();
    terminal.text.live = true;
    let mut printer = Printer::new(output.format, snapshots.len(), terminal);
    for snapshot in snapshots {
        match output.format {
            Format::Snapshot => printer.snapshot(&snapshot.redacted())?,
            _ => printer.explain(&snapshot, &overrides)?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The snapshots of the HPAs that are named.
async fn snapshots(explain: &Explain, session: &Session) -> anyhow::Result<Vec<Snapshot>> {
    let (reader, namespace) = (&session.reader, &session.namespace);
    let failed = |error: CollectError| session.failure(&error);
    let names = names(&explain.names, reader, namespace)
        .await
        .map_err(failed)?;
    let cluster = Cluster::new(reader);
    let collected = stream::iter(&names)
        .map(|name| collect(&cluster, namespace, name, Timestamp::now()))
        .buffered(AT_ONCE);
    collected.try_collect().await.map_err(failed)
}

/// The HPAs that are named, or that point to a named target.
pub async fn names(
    wanted: &[String],
    reader: &Reader,
    namespace: &str,
) -> Result<Vec<String>, CollectError> {
    let mut names = Vec::new();
    for text in wanted {
        match Wanted::parse(text) {
            Wanted::Autoscaler(name) => names.push(name),
            Wanted::Target { kind, name } => {
                let found = find(reader, Some(namespace)).await?;
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
