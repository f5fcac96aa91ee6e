//! What an HPA would do under another spec: from a file, or with fields set.

mod altered;
pub mod baseline;
pub mod candidates;
mod live;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::cli::{
    Connection, Failure, Output, PageFlags, PastOrMoment, Terminal, printer, read_once,
};
use crate::manifest::Assignment;
use crate::trace::DryRun as Answer;
use crate::what_if::{self, Horizon, Inputs, InputsError};

use crate::cli::options::{self, name};
use crate::render::FormatKind;

use altered::Altered;
use baseline::Baseline;
use candidates::Files;

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
    #[arg(long, value_name = "PATH=VALUE", value_parser = |text: &str| text.parse::<Assignment>())]
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
///
/// # Errors
///
/// No such HPA, no candidate, one that the API server would refuse, or inputs
/// that cannot be read.
pub fn run(dry_run: &DryRun, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.adopt(&dry_run.output);
    terminal.expect_page(&dry_run.page, &dry_run.output)?;
    terminal.text.unread = dry_run.past.files.unread();
    dry_run.output.refuse_snapshot(
        "a comparison is not a snapshot",
        "`kubectl hpa-explain NAME -o snapshot` prints the inputs",
    )?;
    dry_run.altered.check()?;
    read_once(dry_run.files.iter().chain(&dry_run.snapshot))?;
    let files = Files::read(&dry_run.files)?;
    let is_offline = dry_run.snapshot.is_some() || dry_run.past.at.is_some();
    if !is_offline {
        return live::run(dry_run, &files, terminal);
    }
    let baseline = Baseline::read(dry_run, &files, terminal)?;
    let answer = dry_run.compare(&baseline, terminal)?;
    printer::print(&answer, dry_run.output.format, false, terminal)?;
    Ok(ExitCode::SUCCESS)
}

impl DryRun {
    fn compare(&self, baseline: &Baseline, terminal: &mut Terminal) -> anyhow::Result<Answer> {
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
        });
        let answer = what_if::dry_run(&inputs, &proposal.candidates);
        let mut answer = answer.map_err(|error| not_altered(&error))?;
        let remarks = record.iter().flat_map(|it| &it.1).chain(&proposal.remarks);
        answer.warnings.extend(remarks.cloned());
        let hpa = &baseline.snapshot.hpa;
        answer
            .warnings
            .extend(self.altered.no_percentages(&hpa.spec));
        Ok(answer)
    }
}

fn not_altered(error: &InputsError) -> anyhow::Error {
    Failure::error(
        error.to_string(),
        "--metric, --unready, --missing and --replicas change existing inputs",
    )
}
