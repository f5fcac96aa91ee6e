//! Hours of load against one or several specs.

mod ground;
mod load;
mod print;
mod scenario;
mod workload;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::controller::{Overrides, Settings};
use crate::manifest::{Assignment, edited};
use crate::simulate::{Subject, bare, metric_name, search};
use crate::snapshot::{GoDuration, HorizontalPodAutoscaler, HpaSpec, MetricSpec};
use crate::trace::{Search, SimulatedRun, Simulation, Unbeaten};

use super::args::{self, Output, name};
use super::connection::Connection;
use super::destination::Destination;
use super::dry_run::candidates::{Files, Named, candidates};
use super::dry_run::{patch, refused};
use super::failure::Failure;
use super::source::read_once;
use super::terminal::Terminal;

use ground::Ground;
use load::LoadSpec;
use workload::Workload;

const EXAMPLES: &str = "\
The controller's own passes under virtual time, against a workload that takes
time to start and to be measured. Nothing is written to the cluster.

Loads, in the metric's own unit (cpu in cores: 900m, 2.5); parts that are left
out follow from the target and the size to begin with:
  steps:0s=2,20m=6,40m=2     noise:mean=4,by=20%
  sine:low=1,high=5,period=1h     spike:base=2,peak=9,at=20m,for=5m
  ramp:from=2,to=9,over=30m       csv:FILE with lines of time,value
  history:FILE, a record that `watch --record` wrote

Examples:
  kubectl hpa-explain simulate web -n shop --load spike
  kubectl hpa-explain simulate web -n shop --load sine:low=1,high=5,period=1h \\
    --for 24h --candidate calm.yaml
  kubectl hpa-explain simulate web --snapshot web.yaml --load csv:monday.csv
  kubectl hpa-explain simulate -f hpa.yaml --request 500m --load ramp
  kubectl hpa-explain simulate --scenario cases.jsonl -o json";

/// The longest simulation: 31 days.
const MOST_SECONDS: i64 = 31 * 86_400;
/// The longest load of a search: a week.
const MOST_SEARCHED: i64 = 7 * 86_400;
/// The length of a simulation where nothing says another one.
const USUAL_SECONDS: i64 = 3_600;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Simulate {
    /// Which HPA: NAME, hpa/NAME, or TYPE/NAME of its target (deploy/web)
    #[arg(value_name = "NAME", value_parser = name, required_unless_present_any = ["scenario", "files"])]
    name: Option<String>,
    /// Run the scenarios of a file: an HPA and the demand of each step (JSON,
    /// JSON lines or YAML; - for standard input)
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "name", "files", "snapshot", "namespace", "candidate", "set", "load", "duration",
            "metric", "replicas", "search", "html", "request", "start_up", "readiness",
            "metric_window", "metric_lag", "status_lag", "burst", "rollout", "crashing",
            "capacity",
        ]
    )]
    scenario: Option<PathBuf>,
    /// A manifest with the HPA, in place of a cluster (- for standard input)
    #[arg(
        short = 'f',
        long = "filename",
        value_name = "FILE",
        conflicts_with = "snapshot"
    )]
    files: Option<PathBuf>,
    /// Read a snapshot file (YAML, JSON or JSON lines; - for standard input)
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// The namespace of the HPA
    #[arg(short, long)]
    namespace: Option<String>,
    /// A manifest with the HPA as it could be, beside the one that there is;
    /// may be given several times
    #[arg(long, value_name = "FILE")]
    candidate: Vec<PathBuf>,
    /// A field of the HPA as it could be, such as spec.maxReplicas=40
    #[arg(long, value_name = "PATH=VALUE", value_parser = |text: &str| text.parse::<Assignment>())]
    set: Vec<Assignment>,
    /// The load: steps, sine, spike, ramp, noise, csv:FILE or history:FILE, see
    /// below
    #[arg(long, value_name = "LOAD", required_unless_present = "scenario", value_parser = LoadSpec::parse)]
    load: Option<LoadSpec>,
    /// For how long, such as 24h; without it 1h, or as long as the load's file
    #[arg(long = "for", id = "duration", value_name = "DURATION", allow_hyphen_values = true, value_parser = args::duration)]
    duration: Option<GoDuration>,
    /// The metric that the load is of; without it, the first of the spec
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// The size to begin with; without it the one that there is, or of a
    /// manifest minReplicas
    #[arg(long, value_name = "PODS", value_parser = clap::value_parser!(i32).range(0..=100_000))]
    replicas: Option<i32>,
    /// Try about a thousand behaviors on the load, and print those that none of
    /// the others beats
    #[arg(long, conflicts_with = "scenario")]
    search: bool,
    /// Write the charts to a page of their own, too
    #[arg(long, value_name = "FILE", conflicts_with = "scenario")]
    html: Option<PathBuf>,
    #[command(flatten)]
    workload: Workload,
    #[command(flatten)]
    settings: args::Settings,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    output: Output,
}

/// Simulates.
///
/// # Errors
///
/// No such HPA, no such load, a candidate that the API server would refuse,
/// or inputs that cannot be read.
pub fn run(simulate: &Simulate, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.adopt(&simulate.output);
    print::check(&simulate.output)?;
    if let Some(path) = &simulate.scenario {
        return scenario::run(path, &simulate.settings, &simulate.output, terminal);
    }
    let own = simulate.files.iter().chain(&simulate.snapshot);
    read_once(own.chain(&simulate.candidate))?;
    let files = match Files::read(&simulate.candidate)? {
        Ok(files) => files,
        Err(refusals) => return Ok(refused(&refusals, terminal)),
    };
    let ground = match Ground::read(simulate, terminal)? {
        Ok(ground) => ground,
        Err(refusals) => return Ok(refused(&refusals, terminal)),
    };
    let hpa = &ground.snapshot.horizontal_pod_autoscaler;
    let rules = simulate.settings.rules(&ground.snapshot);
    let others = match candidates(&files, &simulate.set, hpa, false, rules) {
        Ok(others) => others,
        Err(refusals) => return Ok(refused(&refusals, terminal)),
    };
    if let Err(refusals) = edited(hpa, &[], rules) {
        let refusals: Vec<String> = refusals.into_iter().map(|it| it.says).collect();
        return Ok(refused(&refusals, terminal));
    }
    let others: Vec<(String, HpaSpec)> = others
        .iter()
        .map(Named::candidate)
        .map(|it| (it.name, it.spec))
        .collect();
    let page = simulate.html.as_deref().map(Destination::of).transpose()?;
    let answer = simulate.answer(&ground, &others)?;
    if let Some(page) = page {
        print::html(&answer, &page, terminal)?;
    }
    print::print(&answer, &simulate.output, terminal)
}

impl Simulate {
    fn overrides(&self) -> Overrides {
        self.settings.overrides()
    }

    /// The namespace; as in kubectl, an empty one was not given.
    fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref().filter(|name| !name.is_empty())
    }

    fn answer(&self, ground: &Ground, others: &[(String, HpaSpec)]) -> anyhow::Result<Simulation> {
        let snapshot = &ground.snapshot;
        let hpa = &snapshot.horizontal_pod_autoscaler;
        let overrides = self.overrides();
        let (index, metric) = self.driven(&hpa.spec)?;
        let replicas = self.replicas.unwrap_or(ground.replicas);
        let asked = self.load.clone().unwrap_or_default();
        let model = &self.workload;
        let model = model.model(snapshot, &overrides, index, metric, asked.is_measured())?;
        let base = load::at_target(metric, &model, replicas);
        let seconds = self.duration.map(GoDuration::seconds);
        let load = asked.load(metric, &overrides, base, seconds)?;
        let seconds = seconds.or(load.seconds).unwrap_or(USUAL_SECONDS);
        if !(1..=MOST_SECONDS).contains(&seconds) {
            return Err(Failure::error(
                "a simulation takes from 1s to 31 days",
                "--for gives its length, such as --for 24h",
            ));
        }
        if self.search && seconds > MOST_SEARCHED {
            return Err(Failure::error(
                "a search takes at most 168h of load",
                "--for gives a shorter part of it, such as --for 24h",
            ));
        }
        let empty = bare(snapshot, replicas);
        let subject = Subject {
            snapshot: &empty,
            overrides: &overrides,
            metric,
            load: &load.load,
            model: &model,
            replicas,
            seconds,
        };
        let mut runs = vec![subject.run("now", &hpa.spec)?];
        for (name, spec) in others {
            let run = subject.run(name, spec)?;
            runs.push(SimulatedRun {
                patch: patch(hpa, spec),
                ..run
            });
        }
        let search = if self.search {
            Some(searched(&subject, hpa)?)
        } else {
            None
        };
        let settings = Settings::resolve(snapshot, &overrides);
        Ok(Simulation {
            namespace: hpa.metadata.namespace.to_string(),
            name: hpa.metadata.name.to_string(),
            target: hpa.spec.scale_target_ref.clone(),
            metric: metric_name(metric).to_owned(),
            metric_type: metric.kind.clone(),
            load: load.words,
            seconds,
            every_seconds: settings.sync_period_seconds(),
            release: settings.release.to_string(),
            assumptions: workload::assumptions(&model, metric),
            warnings: ignored(&hpa.spec, metric, others),
            runs,
            search,
        })
    }

    /// The metric that the load is of.
    fn driven<'s>(&self, spec: &'s HpaSpec) -> anyhow::Result<(usize, &'s MetricSpec)> {
        let mut metrics = spec.metrics.iter().enumerate();
        let found = match &self.metric {
            None => metrics.next(),
            Some(name) => metrics.find(|(_, metric)| metric_name(metric) == name),
        };
        let names: Vec<&str> = spec.metrics.iter().map(metric_name).collect();
        found.ok_or_else(|| {
            Failure::error(
                format!(
                    "the HPA has no metric {}",
                    self.metric.as_deref().unwrap_or_default()
                ),
                format!("it has {}", names.join(", ")),
            )
        })
    }
}

/// Tries many behaviors.
fn searched(subject: &Subject, hpa: &HorizontalPodAutoscaler) -> anyhow::Result<Search> {
    let found = search(subject, &hpa.spec)?;
    let front = found.front.into_iter().map(|tried| Unbeaten {
        patch: patch(hpa, &tried.spec),
        name: tried.name,
        scores: tried.scores,
    });
    Ok(Search {
        tried: found.tried,
        front: front.collect(),
    })
}

/// What is said of the metrics that no load is of, of any of the specs.
fn ignored(spec: &HpaSpec, driven: &MetricSpec, others: &[(String, HpaSpec)]) -> Vec<String> {
    let all = [spec]
        .into_iter()
        .chain(others.iter().map(|(_, spec)| spec));
    let mut names: Vec<&str> = Vec::new();
    for metric in all.flat_map(|spec| &spec.metrics) {
        let name = metric_name(metric);
        if !metric.measures_the_same(driven) && !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "{} left out: taken never to ask for more than the load of {}",
        names.join(", "),
        metric_name(driven)
    )]
}
