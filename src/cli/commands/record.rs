//! Keep what a Prometheus knows of an HPA, for a colleague who cannot ask it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jiff::SignedDuration;

use super::simulate::baseline::only_one;
use crate::cli::destination::{Artifact, Destination};
use crate::cli::options::name;
use crate::cli::past::prometheus::{PrometheusFlags, span};
use crate::cli::{
    connection::Connection, failure::Failure, past::kept::Kept, past::reading::Reading,
    terminal::Terminal,
};
use crate::controller::Overrides;
use crate::trace::shell_word;

/// Of a longer time there are too many samples of pods.
const MOST: SignedDuration = SignedDuration::from_hours(24);

#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  kubectl hpa-explain record web -n shop --prometheus --file web.jsonl
  kubectl hpa-explain record web -n shop --prometheus http://localhost:9090 \\
    --for 6h --file web.jsonl
  kubectl hpa-explain --history web.jsonl --at 2026-11-20T03:12:00Z
                                        read it anywhere, no cluster
  kubectl hpa-explain flaps --history web.jsonl",
    after_long_help = "\
The file has the HPA and its inputs as they are now, redacted as by capture, and
the series that the Prometheus answered, without the labels that name machines.
`watch NAME --record FILE` records the inputs themselves from now on.",
    mut_arg("prometheus", |it| it.required(true))
)]
pub struct Record {
    /// Which HPA: NAME, hpa/NAME, deploy/NAME of its target, or pod/NAME
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,
    /// The namespace of the HPA
    #[arg(short, long)]
    namespace: Option<String>,
    /// Read the HPA from a snapshot file, or - for standard input
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// Write to this file, readable for you alone
    #[arg(long, value_name = "FILE")]
    file: PathBuf,
    /// How far back to ask, up to 24h
    #[arg(long = "for", value_name = "DURATION", value_parser = span, default_value = "24h")]
    span: SignedDuration,
    #[command(flatten)]
    prometheus: PrometheusFlags,
    #[command(flatten)]
    connection: Connection,
}

/// Writes what a Prometheus knows of an HPA to a file.
pub fn run(record: &Record, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    if record.span > MOST {
        return Err(Failure::usage(
            "record asks for at most 24h",
            "`flaps --prometheus --for 14d` reads the sizes of a longer time",
        ));
    }
    let destination = Destination::of(&record.file, Artifact::Scrapes)?;
    let snapshot = only_one(
        Some(&record.name),
        record.namespace.as_deref(),
        record.snapshot.as_deref(),
        &record.connection,
        terminal,
    )?;
    let snapshot = snapshot.redacted();
    let overrides = Overrides::default();
    let reading = Reading::new(&overrides, &record.connection).of_load(record.span);
    let hpa = &snapshot.hpa;
    let until = snapshot.captured_at;
    let scraped = record.prometheus.series(hpa, until, reading, terminal)?;
    let bytes = Kept::bytes(&snapshot, &scraped)?;
    destination.write(&bytes, terminal.out())?;
    if let Destination::File { name, .. } = destination {
        let file = shell_word(&name.display().to_string());
        terminal.complain(&format!("Wrote {file}, redacted"));
        terminal.complain(&format!(
            "Read it with: kubectl hpa-explain --history {file} --since -1h"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
