//! Hours of load against one or several specs.

mod answer;
pub mod baseline;
mod load;
mod scenario;
mod workload;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::api::GoDuration;
use crate::cli::{
    Connection, Failure, Output, PageFlags, PrometheusFlags, Terminal, printer, read_once,
};
use crate::manifest::Assignment;
use crate::render::FormatKind;

use super::dry_run::candidates::{Files, Proposed};
use crate::cli::options::{self, name};

use baseline::Baseline;
use load::LoadSpec;
use workload::WorkloadArgs;

const MORE: &str = "\
The controller's own passes under virtual time, against a workload that takes
time to start and to be measured. Nothing is written to the cluster.

Loads are in the metric's own unit (cpu in cores: 900m, 2.5). Parts that you
leave out follow from the target and the size at the start:
  steps:0s=2,20m=6,40m=2     noise:mean=4,by=20%
  sine:low=1,high=5,period=1h     spike:base=2,peak=9,at=20m,for=5m
  ramp:from=2,to=9,over=30m       csv:FILE with lines of time,value
  history:FILE, what `watch --record` or `record` wrote
  history, what a Prometheus scraped in the last time: --prometheus [URL] --for 6h";

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain simulate web -n shop --load spike
  kubectl hpa-explain simulate web --load sine --for 24h --candidate b.yaml
  kubectl hpa-explain simulate web --snapshot web.yaml --load csv:monday.csv
  kubectl hpa-explain simulate -f hpa.yaml --request 500m --load ramp
  kubectl hpa-explain simulate web --load history --prometheus --for 6h
  kubectl hpa-explain simulate --scenario cases.jsonl -o json";

/// The length of a simulation where nothing says another one.
const USUAL_SECONDS: i64 = 3_600;

#[derive(Debug, Args)]
#[command(
    before_help = EXAMPLES,
    after_long_help = MORE,
    mut_arg("format", |format| format.value_parser(options::formats(FormatKind::General)))
)]
pub struct Simulate {
    /// Which HPA: NAME, hpa/NAME, deploy/NAME of its target, or pod/NAME
    #[arg(value_name = "NAME", value_parser = name, required_unless_present_any = ["scenario", "files", "snapshot"])]
    name: Option<String>,
    /// Run the scenarios of a file, each an HPA and its demand
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "name", "files", "snapshot", "namespace", "candidate", "set", "load", "duration",
            "metric", "replicas", "search", "request", "start_up", "readiness",
            "metric_window", "metric_lag", "status_lag", "burst", "rollout", "crashing",
            "capacity", "prometheus",
        ]
    )]
    scenario: Option<PathBuf>,
    /// A manifest with the HPA, or - for standard input
    #[arg(
        short = 'f',
        long = "filename",
        value_name = "FILE",
        conflicts_with_all = ["snapshot", "prometheus"]
    )]
    files: Option<PathBuf>,
    /// Read a snapshot file, or - for standard input
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// The namespace of the HPA
    #[arg(short, long)]
    namespace: Option<String>,
    /// A manifest with a proposed HPA; can be repeated
    #[arg(long, value_name = "FILE")]
    candidate: Vec<PathBuf>,
    /// A field to set, such as spec.maxReplicas=40
    #[arg(long, value_name = "PATH=VALUE", value_parser = |text: &str| text.parse::<Assignment>())]
    set: Vec<Assignment>,
    /// steps, sine, spike, ramp, noise, csv:FILE or history[:FILE] (see --help)
    #[arg(
        long_help = "steps, sine, spike, ramp, noise, csv:FILE or history[:FILE]; their parts are \
                     at the end",
        long, value_name = "LOAD", required_unless_present = "scenario", value_parser = LoadSpec::parse)]
    load: Option<LoadSpec>,
    /// For how long, such as 24h; by default 1h, or all of the load's file
    #[arg(long = "for", id = "duration", value_name = "DURATION", allow_hyphen_values = true, value_parser = options::whole_seconds)]
    duration: Option<GoDuration>,
    /// The metric of the load, as NAME, TYPE:NAME or NAME/CONTAINER; by default
    /// the first one of the spec
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// The size at the start; by default the current one, or minReplicas
    #[arg(long, value_name = "PODS", value_parser = clap::value_parser!(i32).range(0..=100_000))]
    replicas: Option<i32>,
    /// Try about a thousand behaviors, and print the best
    #[arg(long, conflicts_with = "scenario")]
    search: bool,
    #[command(flatten)]
    prometheus: PrometheusFlags,
    #[command(flatten)]
    workload: WorkloadArgs,
    #[command(flatten)]
    settings: options::Settings,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    page: PageFlags,
}

/// Simulates.
///
/// # Errors
///
/// No such HPA, no such load, a candidate that the API server would refuse,
/// or inputs that cannot be read.
pub fn run(simulate: &Simulate, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.adopt(&simulate.output);
    terminal.expect_page(&simulate.page, &simulate.output)?;
    simulate.output.refuse_snapshot(
        "a simulation is not a snapshot",
        "`kubectl hpa-explain NAME -o snapshot` prints the inputs of a pass",
    )?;
    if let Some(period) = simulate.settings.sync_period
        && !(period.is_whole_seconds() && period.seconds() > 0)
    {
        return Err(Failure::error(
            "--sync-period must be whole seconds, at least 1s: time is simulated second by second",
            "the controller's default is 15s",
        ));
    }
    if let Some(path) = &simulate.scenario {
        if terminal.page.is_some() {
            return Err(Failure::error(
                "-o html makes no page of scenarios",
                "-o json has every pass of them",
            ));
        }
        return scenario::run(path, &simulate.settings, &simulate.output, terminal);
    }
    let is_scraped = simulate.load == Some(LoadSpec::Scraped);
    if is_scraped != simulate.prometheus.is_given() {
        return Err(Failure::error(
            "--load history and --prometheus go together",
            "a record is given as --load history:web.jsonl",
        ));
    }
    let own = simulate.files.iter().chain(&simulate.snapshot);
    let load = simulate.load.iter().filter_map(LoadSpec::file);
    read_once(own.chain(&simulate.candidate).chain(load))?;
    let files = Files::read(&simulate.candidate)?;
    let baseline = Baseline::read(simulate, terminal)?;
    let hpa = baseline.snapshot.hpa.clone();
    let rules = simulate.settings.rules(&baseline.snapshot);
    let others = Proposed::of(hpa, false, &files, &simulate.set, rules)?.candidates;
    let answer = simulate.answer(&baseline, &others, terminal)?;
    printer::print(&answer, simulate.output.format, false, terminal)?;
    Ok(ExitCode::SUCCESS)
}
