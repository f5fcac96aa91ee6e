//! Whether another spec pays for the load of a history.

mod history;
mod price;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::Args;
use jiff::SignedDuration;

use crate::budget;
use crate::cli::connection::Connection;
use crate::cli::exit::{ExitStatus, INTERRUPTED};
use crate::cli::failure::{Failure, Interrupted};
use crate::cli::options::{self, Output};
use crate::cli::page::PageFlags;
use crate::cli::past::prometheus::{PrometheusFlags, span};
use crate::cli::printer::Printer;
use crate::cli::terminal::Terminal;
use crate::cli::waiting::Progress;
use crate::cli::which::Which;
use crate::render::{Format, FormatKind};
use crate::trace::{self, Severity, TuneAnswer};
use crate::tune::{self, Question};

use crate::cli::commands::list::listing::nothing;
use history::Past;
use price::Price;

const MORE: &str = "\
The spec as it is runs first, on the load of the history, and must do what the
HPA did. Other specs are then tried on the first half, and the best one must
pay on the second. MISSING is how many pod-hours the load needed at the target
beyond those that served.";

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain tune --history web.jsonl       a record; no cluster
  kubectl hpa-explain tune --history web.jsonl -o patch > patch.json
  kubectl hpa-explain tune web -n shop --prometheus http://localhost:9090 --for 7d
  kubectl hpa-explain tune -A --prometheus           every HPA, what gains most first
  kubectl hpa-explain tune -A --prometheus --exit-code -o name
                                                     the same for a script";

#[derive(Debug, Args)]
#[command(
    before_help = EXAMPLES,
    after_long_help = MORE,
    mut_arg("format", |format| format.value_parser(options::formats(FormatKind::OfChanges)))
)]
pub struct Tune {
    #[command(flatten)]
    which: Which,
    /// Exit with 3 if a change pays
    #[arg(long)]
    exit_code: bool,
    /// Read a snapshot file, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "history")]
    snapshot: Option<PathBuf>,
    /// Read the record of an HPA that `watch --record` or `record` wrote
    #[arg(
        long,
        value_name = "FILE",
        group = "earlier",
        help_heading = "Earlier passes"
    )]
    history: Option<PathBuf>,
    #[command(flatten)]
    prometheus: PrometheusFlags,
    /// How far back to look, such as 6h or 14d; 24h of a Prometheus and all of a file
    /// unless given
    #[arg(
        long = "for",
        value_name = "DURATION",
        value_parser = span,
        requires = "earlier",
        help_heading = "Earlier passes"
    )]
    span: Option<SignedDuration>,
    /// Read the nodes and the pods of all namespaces too, to tell whether maxReplicas
    /// can be reached
    #[arg(long, requires = "names", conflicts_with_all = ["history", "snapshot"])]
    nodes: bool,
    /// Try a smaller cpu request of the pods as well, with a target that lets each
    /// carry as much as before
    #[arg(long)]
    requests: bool,
    /// What an hour costs of a core and of a GiB that pods request, such as
    /// cpu-hour=0.04,gib-hour=0.005
    #[arg(long, value_name = "PRICE", value_parser = Price::parse)]
    price: Option<Price>,
    #[command(flatten)]
    settings: options::Settings,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    page: PageFlags,
}

/// Tunes HPAs.
/// Errors: no history is given, it cannot be read, or no such HPA.
pub fn run(tune: &Tune, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.expect_page(&tune.page, &tune.output)?;
    tune.settings.expect_whole_seconds()?;
    if tune.history.is_none() && !tune.prometheus.is_given() {
        return Err(Failure::usage(
            "tune tries other specs on the load of a history, and none is given",
            "`kubectl hpa-explain watch NAME --record FILE` records one for --history FILE: at \
             least an hour, better a day; --prometheus [URL] asks a Prometheus for one",
        ));
    }
    // Ctrl-C ends it with those that were searched to the end by then.
    budget::catch_interrupt(INTERRUPTED)?;
    let (mut answers, has_failed) = tune.answers(terminal)?;
    if answers.is_empty() && budget::is_interrupted() {
        return Err(Interrupted.into());
    }
    if answers.is_empty() && !has_failed {
        terminal.complain(&nothing(tune.which.namespace()));
    }
    answers.sort_by(|one, other| {
        let gain = |it: &trace::Tune| it.advice().map_or(0.0, |it| it.gain);
        let matters = |it: &trace::Tune| (it.pays(), it.limit.is_some());
        let by_gain = gain(other).total_cmp(&gain(one));
        let is_first = matters(other).cmp(&matters(one));
        let by_place = (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name));
        is_first.then(by_gain).then(by_place)
    });
    let mut status = ExitStatus::of(has_failed);
    for answer in &answers {
        status.note(answer.pays().then_some(Severity::Warning));
    }
    let format = tune.output.format;
    if matches!(format, Format::Patch | Format::Name) {
        for note in answers.iter().filter_map(|it| note(it, format)) {
            terminal.complain(&format!("note: {note}"));
        }
    }
    Printer::new(format, 1, terminal).print(answers.as_slice())?;
    Ok(status.code(tune.exit_code))
}

/// What a patch or a name does not tell of an answer.
fn note(answer: &trace::Tune, format: Format) -> Option<String> {
    let whose = format!("{}/{}", answer.namespace, answer.name);
    match (&answer.answer, answer.limit) {
        (TuneAnswer::Refused(it), _) => {
            return Some(format!("{whose}: no advice: {}", it.reason));
        }
        (TuneAnswer::NothingToGain { .. }, Some(limit)) => {
            return Some(format!("{whose}: {}", limit.too_low()));
        }
        (TuneAnswer::NothingToGain { .. }, None)
            if format == Format::Patch && answer.request().is_none() =>
        {
            return Some(format!("{whose}: nothing to gain: no patch pays"));
        }
        _ => {}
    }
    if answer.request().is_some() {
        let too = answer.advice().map_or("", |_| " too");
        return Some(format!(
            "{whose}: a smaller cpu request pays{too}; -o text has both commands"
        ));
    }
    let overwritten = answer.advice()?.patch.overwritten.as_ref()?;
    let by = &overwritten.by;
    Some(format!("{whose}: {by} will overwrite the patch"))
}

impl Tune {
    /// What is said to each, and whether some could not be read.
    fn answers(&self, terminal: &mut Terminal) -> anyhow::Result<(Vec<trace::Tune>, bool)> {
        let overrides = self.settings.overrides();
        let mut answers = Vec::new();
        let progress: Mutex<Option<Progress>> = Mutex::default();
        let step = || {
            let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            progress.iter_mut().for_each(Progress::step);
        };
        let has_patch = self.output.format == Format::Patch;
        let mut is_refused = false;
        let has_failed = self.each(terminal, |past: &Past, count| {
            let is_single = count == 1;
            is_refused = has_patch && !is_single;
            if is_refused || budget::is_interrupted() {
                return;
            }
            if answers.is_empty() {
                // How long a search takes is known when it ends.
                let begun = if is_single {
                    Progress::of("tuning", None, "specs")
                } else {
                    Progress::of("tuning", Some(count), "HPAs")
                };
                *progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(begun);
            }
            let question = Question {
                snapshot: &past.snapshot,
                overrides: &overrides,
                observed: &past.observed,
                flaps: &past.flaps,
                is_coarse: !is_single,
                with_requests: self.requests,
                explains: self.output.format == Format::Html,
            };
            let mut answer = tune::tune(&question, &|| {
                if is_single {
                    step();
                }
                !budget::is_interrupted()
            });
            if !is_single {
                step();
            }
            if let Some(why) = &past.missing {
                answer.answer = TuneAnswer::Refused(why.clone());
            }
            answer.pod_hour_price = self.price.and_then(|it| it.of_a_pod(&past.snapshot));
            answer.core_hour_price = self.price.map(|it| it.cpu);
            // A search that was cut off proves nothing.
            if !budget::is_interrupted() {
                answers.push(answer);
            }
        })?;
        if is_refused {
            return Err(Failure::error(
                "-o patch prints the patch of one HPA",
                "name it; -o json has the patches of all",
            ));
        }
        Ok((answers, has_failed))
    }
}
