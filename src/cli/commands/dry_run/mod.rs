//! What an HPA would do under another spec, from a file, or with fields set: both sides
//! on the inputs of a cluster, or of a file.

mod altered;
pub mod baseline;
pub mod candidates;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use crate::api::{HorizontalPodAutoscaler, HpaSpec, MetricSpec};
use crate::cli::live::{names, several};
use crate::cli::options::{self, name};
use crate::cli::session::{Session, until_interrupted};
use crate::cli::{
    connection::Connection, exit::ExitStatus, failure::Failure, kind::read_once, options::Output,
    page::PageFlags, past::PastOrMoment, printer::Printer, terminal::Terminal,
};
use crate::collect::{Cluster, CollectError, autoscaler, dry_run_create, dry_run_patch, gather};
use crate::document::manifest::{Assignment, changes};
use crate::render::{Format, FormatKind};
use crate::trace::{self, FieldChange, ServerAnswer};
use crate::what_if::{self, Candidate, Horizon, Inputs};
use altered::Altered;
use baseline::Baseline;
use candidates::{Files, Proposed, expect_each_once};

const MORE: &str = "\
Compares the same pass on the same inputs under the current and the proposed
spec: the decision, the difference that decides, the behavior in effect, what
would change the size next, and the findings. Nothing is written to the cluster.";

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain dry-run web -n shop -f new.yaml
  kubectl hpa-explain dry-run web -n shop --set spec.maxReplicas=40 \\
    --set spec.behavior.scaleDown.stabilizationWindowSeconds=60
  kubectl hpa-explain dry-run web -f a.yaml -f b.yaml    several at once
  kubectl hpa-explain dry-run web --snapshot web.yaml -f new.yaml
  kubectl hpa-explain dry-run --history web.jsonl --at -5m -f new.yaml
  kubectl hpa-explain dry-run web -f new.yaml --for 15m    the coming minutes
  kubectl hpa-explain dry-run web -f new.yaml --prometheus --for 6h
  kubectl hpa-explain dry-run web -f new.yaml --metric cpu=180% --missing 2
                                           with other inputs
  kubectl hpa-explain dry-run web -f new.yaml --server-side
                                           and ask the API server";

/// What each source of the inputs takes with it.
const USAGE: &str = "\
kubectl hpa-explain dry-run NAME -f FILE… | --set PATH=VALUE…
       kubectl hpa-explain dry-run [NAME] --snapshot FILE -f FILE… | --set …
       kubectl hpa-explain dry-run --history FILE --at TIME -f FILE… | --set …";

#[derive(Debug, Args)]
#[command(
    before_help = EXAMPLES,
    after_long_help = MORE,
    override_usage = USAGE,
    mut_arg("format", |format| format.value_parser(options::formats(FormatKind::General)))
)]
pub struct DryRun {
    /// Which HPA: NAME, hpa/NAME, deploy/NAME of its target, or pod/NAME; it need
    /// not exist yet
    #[arg(value_name = "NAME", value_parser = name, required_unless_present_any = ["at", "snapshot"])]
    name: Option<String>,
    /// A manifest with the proposed HPA, or -; can be repeated
    #[arg(
        short = 'f',
        long = "filename",
        value_name = "FILE",
        required_unless_present = "set"
    )]
    files: Vec<PathBuf>,
    /// A field to set, such as spec.maxReplicas=40; null removes it
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<Assignment>,
    /// Run both sides for this time, such as 15m; with --at or --prometheus on the
    /// load of then
    #[arg(long = "for", value_name = "DURATION", allow_hyphen_values = true, value_parser = altered::parse)]
    duration: Option<i64>,
    /// Also ask the API server, with dryRun=All, which stores nothing
    #[arg(long, conflicts_with_all = ["snapshot", "at"])]
    server_side: bool,
    /// Read a snapshot file, or - for standard input
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// The namespace of the HPA
    #[arg(short, long)]
    namespace: Option<String>,
    #[command(flatten)]
    past: PastOrMoment,
    #[command(flatten)]
    altered: Altered,
    #[command(flatten)]
    settings: options::Settings,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    page: PageFlags,
}

/// Compares what an HPA does with what it would do.
/// Errors: no such HPA, no candidate, one that the API server would refuse, or inputs that
/// cannot be read.
pub fn run(dry_run: &DryRun, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.expect_page(&dry_run.page, &dry_run.output)?;
    terminal.text.unread = dry_run.past.files.unread();
    dry_run.output.refuse_snapshot(
        "a comparison is not a snapshot",
        "`kubectl hpa-explain NAME -o snapshot` prints the inputs",
    )?;
    dry_run.altered.check()?;
    if dry_run.duration.is_some() {
        dry_run.settings.expect_whole_seconds()?;
    }
    expect_each_once(&dry_run.set)?;
    read_once(dry_run.files.iter().chain(&dry_run.snapshot))?;
    let files = Files::read(&dry_run.files)?;
    let is_offline = dry_run.snapshot.is_some() || dry_run.past.at.is_some();
    if !is_offline {
        terminal.text.live = true;
        return until_interrupted(compare_live(dry_run, &files, terminal));
    }
    let baseline = Baseline::read(dry_run, &files, terminal)?;
    let answer = dry_run.compare(&baseline, terminal)?;
    Printer::new(dry_run.output.format, 1, terminal).print(&answer)?;
    Ok(ExitCode::SUCCESS)
}

impl DryRun {
    fn compare(
        &self,
        baseline: &Baseline,
        terminal: &mut Terminal,
    ) -> anyhow::Result<trace::DryRun> {
        let proposal = &baseline.proposal;
        let overrides = self.settings.overrides();
        let given = self.altered.given();
        let shown = terminal.shown(&baseline.snapshot);
        let mut inputs = Inputs {
            snapshot: &shown,
            overrides: &overrides,
            observer: &baseline.observer,
            now: baseline.at,
            given: &given,
            is_new: proposal.is_new,
            horizon: None,
        };
        let record = altered::recorded(self, &inputs, baseline, terminal)?;
        inputs.horizon = self.duration.map(|seconds| Horizon {
            seconds,
            record: record.as_ref().map(|it| &it.0),
            explains: self.output.format == Format::Html,
        });
        let answer = what_if::dry_run(&inputs, &proposal.candidates);
        let mut answer = answer.map_err(|error| {
            let hint = "--metric, --unready, --missing and --replicas change existing inputs";
            Failure::usage(error.to_string(), hint)
        })?;
        let remarks = record.iter().flat_map(|it| &it.1).chain(&proposal.remarks);
        answer.warnings.extend(remarks.cloned());
        let hpa = &baseline.snapshot.hpa;
        answer
            .warnings
            .extend(self.altered.no_percentages(&hpa.spec));
        Ok(answer)
    }
}

/// Compares both sides on what a cluster tells.
/// Errors: no connection, no such HPA, or one that cannot be read.
async fn compare_live(
    dry_run: &DryRun,
    files: &Files,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let session = &Session::open(&dry_run.connection, dry_run.namespace.as_deref()).await?;
    let read = read(dry_run, files, session).await;
    session.report(terminal);
    let mut baseline = read?;
    baseline.read_past(dry_run, terminal)?;
    if dry_run.server_side {
        let (hpa, is_new) = (&baseline.snapshot.hpa, baseline.proposal.is_new);
        for candidate in &mut baseline.proposal.candidates {
            let answer = server_answers(session, hpa, is_new, candidate).await;
            let answer = answer.unwrap_or_else(|error| {
                terminal.fail(&session.failure(&error));
                ServerAnswer::NotAsked {
                    reason: error.reason(),
                }
            });
            candidate.server = Some(answer);
        }
        session.say_requests(terminal);
    }
    let answer = dry_run.compare(&baseline, terminal)?;
    Printer::new(dry_run.output.format, 1, terminal).print(&answer)?;
    let mut answers = answer.candidates.iter().filter_map(|it| it.server.as_ref());
    // A server that refuses a candidate, or cannot be asked, is a failure.
    let has_failed = answers.any(|it| {
        matches!(
            it,
            ServerAnswer::Refused { .. } | ServerAnswer::NotAsked { .. }
        )
    });
    Ok(ExitStatus::of(has_failed).code(false))
}

/// Reads the HPA, and then everything that any of the specs asks for. What is
/// wrong with one of these is found before.
async fn read(dry_run: &DryRun, files: &Files, session: &Session) -> anyhow::Result<Baseline> {
    let cluster = Cluster::new(&session.reader);
    let named = named(dry_run, session, &cluster);
    let (name, known) = cluster.with_settings(named).await?;
    let version = cluster.version_observed();
    let gates = cluster.flags().feature_gates;
    let rules = dry_run.settings.rules_of(version.as_deref(), gates);
    let is_new = known.is_none();
    let hpa = match known {
        None => files.autoscaler((&session.namespace, &name), rules)?,
        known => known,
    };
    let hpa = hpa.ok_or_else(|| session.failure(&CollectError::no_autoscaler(&name)))?;
    let proposal = Proposed::of(hpa, is_new, files, &dry_run.set, rules)?;
    let mut asking = proposal.hpa.clone();
    asking.spec.metrics = metrics(&proposal);
    let own = (session.namespace.as_str(), name.as_str());
    let collected = gather(&cluster, own, Some(asking), Timestamp::now()).await;
    let snapshot = collected.map_err(|error| session.failure(&error))?;
    Ok(Baseline::of(proposal, snapshot))
}

/// What the server would make of a candidate.
async fn server_answers(
    session: &Session,
    hpa: &HorizontalPodAutoscaler,
    is_new: bool,
    candidate: &Candidate,
) -> Result<ServerAnswer, CollectError> {
    let reader = &session.reader;
    let answer = if is_new {
        let mut hpa = hpa.clone();
        hpa.spec = candidate.spec.clone();
        dry_run_create(reader, &hpa).await
    } else {
        let patch = candidate.patch.as_ref();
        let patch = patch.map_or_else(|| "{}".to_owned(), |it| it.patch.clone());
        let own = (hpa.metadata.namespace.as_str(), hpa.metadata.name.as_str());
        dry_run_patch(reader, own, patch).await
    };
    match answer {
        Ok(mut stored) => {
            stored.spec.set_defaults();
            Ok(compared(&candidate.spec, &stored.spec))
        }
        Err(error) if error.is_about_the_object() => Ok(ServerAnswer::Refused {
            message: error.reason(),
        }),
        Err(error) => Err(error),
    }
}

/// What the server would store, held against what was sent.
fn compared(sent: &HpaSpec, stored: &HpaSpec) -> ServerAnswer {
    let all = changes(sent, stored).into_iter();
    let (dropped, other): (Vec<_>, Vec<_>) = all.partition(|it| it.to.is_none());
    let names = |all: Vec<FieldChange>| all.into_iter().map(|it| it.field).collect();
    match (dropped.is_empty(), other.is_empty()) {
        (true, true) => ServerAnswer::Accepted,
        (false, true) => ServerAnswer::FieldsDropped {
            fields: names(dropped),
        },
        (_, false) => ServerAnswer::FieldsChanged {
            fields: names(other),
            dropped: names(dropped),
        },
    }
}

/// The HPA that is meant, if it exists.
async fn named(
    dry_run: &DryRun,
    session: &Session,
    cluster: &Cluster<'_>,
) -> anyhow::Result<(String, Option<HorizontalPodAutoscaler>)> {
    let requested = dry_run.name.clone().unwrap_or_default();
    let mut found = names(std::slice::from_ref(&requested), session, cluster).await?;
    let (Some(named), true) = (found.pop(), found.is_empty()) else {
        return Err(several(&requested));
    };
    let read = autoscaler(cluster, &session.namespace, &named.name).await;
    let hpa = read.map_err(|error| session.failure(&error))?;
    Ok((named.name, hpa))
}

/// Every metric that one of the specs asks for, once.
fn metrics(proposal: &Proposed) -> Vec<MetricSpec> {
    let mut metrics = proposal.hpa.spec.metrics.clone();
    for metric in proposal.candidates.iter().flat_map(|it| &it.spec.metrics) {
        if !metrics.contains(metric) {
            metrics.push(metric.clone());
        }
    }
    metrics
}
