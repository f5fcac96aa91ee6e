//! The version, and the releases whose rules it knows.

use crate::cli::options::{Format, Output};
use clap::Args;
use std::io::Write;
use std::process::ExitCode;

use serde::Serialize;

use crate::controller::Release;
use crate::render::{write_json, write_yaml};
use crate::trace::SCHEMA_VERSION;

use crate::cli::terminal::Terminal;

#[derive(Debug, Args)]
pub struct Version {
    #[command(flatten)]
    pub output: Output,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Versions {
    version: &'static str,
    trace_schema_version: u32,
    oldest_release: String,
    newest_release: String,
    assumed_release: String,
    /// Releases whose rules no recorded answer of a real controller covers.
    unchecked_releases: Vec<String>,
}

/// Prints the versions.
///
/// # Errors
///
/// The output cannot be written.
pub fn run(version: &Version, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    let versions = versions();
    let is_pretty = terminal.interactive;
    let out = terminal.out();
    match version.output.format {
        Format::Json => write_json(&versions, is_pretty, out)?,
        Format::Yaml => write_yaml(&versions, out)?,
        _ => {
            writeln!(out, "kubectl-hpa-explain v{}", versions.version)?;
            writeln!(
                out,
                "rules of Kubernetes {} to {},\nchecked against the real controller except {}",
                versions.oldest_release,
                versions.newest_release,
                versions.unchecked_releases.join(", ")
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn versions() -> Versions {
    Versions {
        version: env!("CARGO_PKG_VERSION"),
        trace_schema_version: SCHEMA_VERSION,
        oldest_release: Release::OLDEST.to_string(),
        newest_release: Release::NEWEST.to_string(),
        assumed_release: Release::ASSUMED.to_string(),
        unchecked_releases: Release::known()
            .filter(|release| release.remark().is_some())
            .map(|release| release.to_string())
            .collect(),
    }
}
