//! Hours of load against one or several specs; or the scenarios of a file, one document
//! each, in the file's order.

mod answer;
pub mod baseline;
mod load;
mod workload;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::Args;

use super::dry_run::candidates::{Files, Proposed, expect_each_once};
use crate::api::{GoDuration, OneOf};
use crate::cli::kind::{FileKind, read_once};
use crate::cli::options::{self, Settings, name};
use crate::cli::{
    connection::Connection, failure::Failure, kind, options::Output, page::PageFlags,
    past::prometheus::PrometheusFlags, printer::Printer, terminal::Terminal,
};
use crate::controller;
use crate::document::manifest::{Assignment, refusals};
use crate::document::{MOST_AT_FIRST, Readable};
use crate::render::FormatKind;
use crate::simulate::{Scenario, metric_name, read_scenarios};
use crate::trace::{ScenarioRun, SimulatedRun, Simulation};
use baseline::{Baseline, rules_assumed};
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
    #[arg(long, value_name = "PATH=VALUE")]
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
/// Errors: no such HPA, no such load, a candidate that the API server would refuse, or
/// inputs that cannot be read.
pub fn run(simulate: &Simulate, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.expect_page(&simulate.page, &simulate.output)?;
    simulate.output.refuse_snapshot(
        "a simulation is not a snapshot",
        "`kubectl hpa-explain NAME -o snapshot` prints the inputs of a pass",
    )?;
    simulate.settings.expect_whole_seconds()?;
    if let Some(path) = &simulate.scenario {
        if terminal.page.is_some() {
            return Err(Failure::usage(
                "-o html makes no page of scenarios",
                "-o json has every pass of them",
            ));
        }
        return run_scenarios(path, &simulate.settings, &simulate.output, terminal);
    }
    let is_scraped = simulate.load == Some(LoadSpec::Scraped);
    if is_scraped != simulate.prometheus.is_given() {
        return Err(Failure::usage(
            "--load history and --prometheus go together",
            "a record is given as --load history:web.jsonl",
        ));
    }
    let own = simulate.files.iter().chain(&simulate.snapshot);
    let load = simulate.load.iter().filter_map(LoadSpec::file);
    read_once(own.chain(&simulate.candidate).chain(load))?;
    expect_each_once(&simulate.set)?;
    let files = Files::read(&simulate.candidate)?;
    let baseline = Baseline::read(simulate, terminal)?;
    let hpa = baseline.snapshot.hpa.clone();
    let rules = simulate.settings.rules(&baseline.snapshot);
    let others = Proposed::of(hpa, false, &files, &simulate.set, rules)?.candidates;
    let answer = simulate.answer(&baseline, &others, terminal)?;
    Printer::new(simulate.output.format, 1, terminal).print(&answer)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs every scenario of a file.
/// Errors: the file cannot be read or holds none; the output cannot be written.
fn run_scenarios(
    path: &Path,
    settings: &Settings,
    output: &Output,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let hint = "--scenario needs a file with an HPA and its demand, or - for standard input";
    let text = FileKind::Scenario.read(path, hint)?;
    let mut scenarios = read_scenarios(&text);
    let name = kind::name(path);
    if scenarios.len() == 0 {
        return Err(Failure::error(format!("{name}: it has no scenario"), hint));
    }
    let mut printer = Printer::new(output.format, scenarios.len(), terminal);
    let first: Vec<_> = scenarios.by_ref().take(MOST_AT_FIRST).collect();
    if let [Err(error), ..] = &first[..]
        && first.len() == MOST_AT_FIRST
        && first.iter().all(Result::is_err)
    {
        return Err(Failure::error(
            format!("{name}:{error}; nor is any of the next documents a scenario"),
            "a scenario has an HPA, `initialReplicas` and `demand`; docs/simulate.md shows one",
        ));
    }
    let mut readable = Readable::default();
    for scenario in first.into_iter().chain(scenarios) {
        let says = readable.gives_up(scenario.is_ok());
        let error = match &scenario {
            Ok(scenario) => match run_one(scenario, settings) {
                Ok(run) => {
                    tell(scenario, run, settings, &mut printer)?;
                    continue;
                }
                Err(error) => anyhow!("{name}: {}: {error}", scenario.id),
            },
            Err(error) => anyhow!("{name}:{error}"),
        };
        printer.error(&error)?;
        if let Some(says) = says {
            printer.terminal.complain(&format!("error: {name}: {says}"));
            break;
        }
    }
    Ok(printer.status.code(false))
}

/// Runs a scenario whose HPA the API server would take.
fn run_one(scenario: &Scenario, settings: &Settings) -> anyhow::Result<SimulatedRun> {
    let snapshot = &scenario.snapshot;
    let refusals = refusals(&snapshot.hpa, settings.rules(snapshot));
    if !refusals.is_empty() {
        bail!(refusals.join("; "));
    }
    Ok(scenario.run(&settings.overrides())?)
}

/// Prints an answer. What weakens it is said on the standard error stream,
/// too, where the format is for programs.
fn tell(
    scenario: &Scenario,
    run: SimulatedRun,
    settings: &Settings,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let mut simulation = simulation(scenario, run, settings);
    if !printer.format.is(FormatKind::Document) {
        return printer.print(&scenario.in_thousandths(simulation));
    }
    for run in simulation.runs.drain(..) {
        let warnings = simulation.warnings.clone();
        for warning in &warnings {
            let warning = format!("warning: {}: {warning}", run.name);
            printer.terminal.complain(&warning);
        }
        printer.print(&ScenarioRun { warnings, run })?;
    }
    Ok(())
}

fn simulation(scenario: &Scenario, run: SimulatedRun, settings: &Settings) -> Simulation {
    let hpa = &scenario.snapshot.hpa;
    let overrides = settings.overrides();
    let settings = controller::Settings::resolve(&scenario.snapshot, &overrides);
    let metric = hpa.spec.metrics.first();
    let mut warnings = scenario.warnings.clone();
    warnings.extend(settings.basis().weaknesses());
    let at_once = "pods are Ready and measured at once".to_owned();
    Simulation {
        namespace: hpa.metadata.namespace.to_string(),
        name: hpa.metadata.name.to_string(),
        target: hpa.spec.scale_target_ref.clone(),
        metric: metric.map_or("", metric_name).to_owned(),
        metric_label: metric.map_or("", metric_name).to_owned(),
        metric_type: metric.map_or_else(OneOf::default, |it| it.kind.clone()),
        load: format!("the demand of {}", scenario.id),
        seconds: scenario.seconds(),
        every_seconds: scenario.step_seconds,
        release: settings.release.to_string(),
        assumptions: [rules_assumed(&settings), vec![at_once]].concat(),
        warnings,
        runs: vec![run],
        search: None,
    }
}
