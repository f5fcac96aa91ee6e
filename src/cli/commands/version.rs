//! The version, and the releases whose rules it knows.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::cli::printer::Printer;
use crate::cli::{options, options::Output, terminal::Terminal};
use crate::controller::Release;
use crate::render::{FormatKind, Printable};
use crate::trace::SCHEMA_VERSION;

#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  kubectl hpa-explain version -o json   for a bug report",
    mut_arg("format", |it| it.value_parser(options::formats(FormatKind::OfVersions))),
    mut_arg("verbosity", |it| it.hide(true))
)]
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
    /// Rules of the newest release that are known from pull requests only.
    derived_rules: Vec<&'static str>,
}

impl Printable for Versions {
    fn document(&self) -> impl Serialize {
        self
    }
}

/// Prints the versions.
pub fn run(version: &Version, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    let versions = Versions {
        version: env!("CARGO_PKG_VERSION"),
        trace_schema_version: SCHEMA_VERSION,
        oldest_release: Release::OLDEST.to_string(),
        newest_release: Release::NEWEST.to_string(),
        assumed_release: Release::ASSUMED.to_string(),
        unchecked_releases: Release::known()
            .filter(|release| release.remark().is_some())
            .map(|release| release.to_string())
            .collect(),
        derived_rules: Release::NEWEST
            .derived()
            .map(|(rule, _)| rule.name())
            .collect(),
    };
    let format = version.output.format;
    if format.is(FormatKind::Document) {
        Printer::new(format, 1, terminal).print(&versions)?;
        return Ok(ExitCode::SUCCESS);
    }
    let out = terminal.out();
    writeln!(out, "kubectl-hpa-explain v{}", versions.version)?;
    writeln!(
        out,
        "rules of Kubernetes {} to {},\nchecked against the real controller,\nexcept {}",
        versions.oldest_release,
        versions.newest_release,
        versions.unchecked_releases.join(", ")
    )?;
    if !versions.derived_rules.is_empty() {
        writeln!(
            out,
            "and {} rules of {},\nknown only from pull requests",
            versions.derived_rules.len(),
            versions.newest_release
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
