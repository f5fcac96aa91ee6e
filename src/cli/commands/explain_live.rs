//! The main job: explain HPAs, of files or of a cluster, whose inputs are read.

use std::process::ExitCode;

use crate::cli::failure::Failure;
use crate::cli::live::read_named;
use crate::cli::past::Reading;
use crate::cli::terminal::Terminal;
use crate::render::Format;
use crate::snapshot::Snapshot;

use super::explain::{Explain, Explanations, of_files, story};
use super::list::{self, List};
use super::picker;

/// Explains HPAs of files, or else of a cluster.
///
/// # Errors
///
/// No name, no connection, or an HPA that cannot be read.
pub fn run(explain: &Explain, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.expect_page(&explain.page, &explain.output)?;
    if let Some(code) = of_files(explain, terminal)? {
        return Ok(code);
    }
    if !explain.names.is_empty() {
        return of_cluster(explain, terminal);
    }
    if !picker::is_requested(explain, terminal) {
        return without_a_name(explain, terminal);
    }
    match picker::picked(explain, terminal)? {
        Some(named) => of_cluster(&named, terminal),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn of_cluster(explain: &Explain, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    let namespace = explain.namespace.as_deref();
    let collected = read_named(
        &explain.names,
        &explain.connection,
        namespace,
        explain.nodes,
        terminal,
    )?;
    // Where nothing can be read, one reason is enough.
    if collected.iter().all(Result::is_err) {
        let first = collected.into_iter().find_map(Result::err);
        return first.map_or(Ok(ExitCode::FAILURE), Err);
    }
    let overrides = explain.settings.overrides();
    let reading = Reading::new(&overrides, &explain.connection).of_moment(explain.past.at);
    if let Some(since) = explain.since {
        let readable: Vec<&Snapshot> = collected.iter().flatten().collect();
        return story(explain, since, &readable, reading, terminal);
    }
    let readable = collected.iter().flatten();
    let past_passes = explain.past.files.read(readable, reading, terminal)?;
    terminal.text.live = true;
    let mut answers =
        Explanations::new(&explain.output, explain.releases, collected.len(), terminal);
    for snapshot in collected {
        match snapshot {
            Ok(snapshot) if explain.output.format == Format::Snapshot => {
                answers.snapshot(&snapshot.redacted())?;
            }
            Ok(snapshot) => answers.explain_with(&snapshot, &past_passes, &reading)?,
            Err(error) => answers.failed(&error)?,
        }
    }
    Ok(answers.code(explain.exit_code))
}

/// Lists the HPAs, where that is what the format and the flags are for.
fn without_a_name(explain: &Explain, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    let list = List::without_a_name(explain);
    if let Some(list) = list.filter(|_| !explain.releases.all_versions) {
        return list::run(&list, terminal);
    }
    let flag = match explain.output.format {
        _ if explain.releases.all_versions => "--all-versions",
        Format::Html => "-o html",
        _ => "-o snapshot",
    };
    Err(Failure::error(
        "no HPA is named",
        format!("name one, as in `kubectl hpa-explain web -n shop {flag}`"),
    ))
}
