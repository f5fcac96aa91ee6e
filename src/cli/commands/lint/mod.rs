//! What the API server would make of manifests, and what is hardly meant in
//! them; without a cluster.

mod sources;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::controller::Release;
use crate::findings::{Lint as Input, WholeInput, review, unreadable};
use crate::manifest::{ANSWERED, Content, Rules};
use crate::render::{Format, FormatKind, Printable, Reviewed};
use crate::trace::amount::counted;

use crate::cli::{Output, Printer, Terminal, options};

use sources::Sources;

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain lint hpa.yaml               one file
  kubectl hpa-explain lint deploy/                every manifest of a folder
  helm template . | kubectl hpa-explain lint -    what a chart renders
  kubectl hpa-explain lint deploy/ --exit-code -o github
                                                  notes beside a pull request
  kubectl hpa-explain lint deploy/ -o sarif > hpa.sarif
                                                  for code scanning
  kubectl hpa-explain lint deploy/ --exit-code -o junit > hpa.xml
                                                  for a CI's test report";

#[derive(Debug, Args)]
#[command(
    before_help = EXAMPLES,
    mut_arg("format", |it| it.value_parser(options::formats(FormatKind::OfManifests))),
    mut_arg("verbosity", |it| it.help("Show the evidence of findings"))
)]
pub struct Lint {
    /// Manifests: files, folders, or - for standard input
    #[arg(value_name = "FILE", required_unless_present = "files")]
    more_files: Vec<PathBuf>,
    /// Another way to give FILE, as in kubectl apply -f
    #[arg(short = 'f', long = "filename", value_name = "FILE", num_args = 1..)]
    files: Vec<PathBuf>,
    /// Exit with 3 if there is a finding of severity warning or error
    #[arg(long)]
    exit_code: bool,
    /// The release whose rules apply, such as 1.32
    #[arg(long, value_name = "VERSION", value_parser = Release::parse)]
    kubernetes_version: Option<Release>,
    /// Feature gates, such as HPAScaleToZero=true
    #[arg(
        long,
        value_name = "GATE=BOOL",
        value_delimiter = ',',
        value_parser = options::gate
    )]
    feature_gates: Vec<(String, bool)>,
    #[command(flatten)]
    output: Output,
}

/// Reviews every HPA of the files.
///
/// # Errors
///
/// A file cannot be read, or all of them are empty; the output cannot be
/// written.
pub fn run(lint: &Lint, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.adopt(&lint.output);
    terminal.text.exit_code = lint.exit_code;
    let gates = lint.feature_gates.iter().cloned().collect();
    let release = lint.kubernetes_version.unwrap_or(Release::ASSUMED);
    let rules = Rules::new(release.nearest_known(), &gates);
    if let Some(caveat) = caveat(release) {
        terminal.complain(&caveat);
    }
    let files = [lint.files.as_slice(), &lint.more_files].concat();
    let sources = Sources::read(&files, rules)?;
    for empty in sources.empty() {
        terminal.complain(&format!("note: {empty}: holds no document"));
    }
    let autoscalers = sources.autoscalers();
    let neighbors = sources.neighbors();
    let input = WholeInput::new(&autoscalers, &neighbors);
    let total = sources.reported().count();
    let is_whole = lint.output.format.is(FormatKind::Whole);
    let answers = if is_whole { 1 } else { total };
    let mut printer = Printer::new(lint.output.format, answers, terminal);
    let mut whole: Vec<Reviewed> = Vec::new();
    for (file, document) in sources.reported() {
        match &document.content {
            Ok(Content::Autoscaler(manifest)) => {
                let review = review(&Input {
                    file,
                    manifest,
                    input: &input,
                    rules,
                });
                if !review.accepted {
                    printer.status.fail();
                }
                printer.status.note(review.worst());
                if is_whole {
                    whole.extend(review.reviewed());
                } else {
                    printer.print(&review)?;
                }
            }
            Ok(_) => {}
            Err(error) => {
                printer.status.fail();
                let unreadable = unreadable(file, document.hint, error);
                if is_whole {
                    whole.extend(unreadable.reviewed());
                } else {
                    printer.print(&unreadable)?;
                }
            }
        }
    }
    if is_whole {
        printer.print(whole.as_slice())?;
    }
    for error in &sources.unread {
        printer.status.fail();
        printer.terminal.fail(error);
    }
    if total == 0 && sources.unread.is_empty() {
        let documents = counted(sources.documents().count(), "document");
        let message = format!("no HorizontalPodAutoscaler in {documents}");
        printer.terminal.complain(&message);
        return Ok(ExitCode::SUCCESS);
    }
    if lint.output.format == Format::Text && !lint.exit_code && printer.status.passes_over_errors()
    {
        let hint = "hint: --exit-code makes this exit code 3";
        printer.terminal.complain(hint);
    }
    Ok(printer.status.code(lint.exit_code))
}

/// What the answer for a release rests on, where that is not the answers of a
/// real API server.
fn caveat(release: Release) -> Option<String> {
    if release == ANSWERED {
        return None;
    }
    let rules = release.nearest_known();
    let answered = format!("only the rules of {ANSWERED} were compared with a real API server");
    Some(match release.nearest() {
        Some(nearest) => {
            let text = nearest.describe(&rules.to_string(), &release.to_string());
            format!("warning: {text}; {answered}")
        }
        None => format!("note: rules of {rules}; {answered}"),
    })
}
