//! What the API server would make of manifests, and what is hardly meant in
//! them; without a cluster.

mod sources;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::controller::Release;
use crate::diagnose::{Lint as Input, WholeInput, review, unreadable};
use crate::manifest::{ANSWERED, Content, Rules};
use crate::render::{Format, FormatKind};
use crate::trace::amount::counted;

use crate::cli::options;
use crate::cli::options::Color;
use crate::cli::printer::Printer;
use crate::cli::terminal::Terminal;

use sources::Sources;

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain lint -f hpa.yaml            one file
  kubectl hpa-explain lint -f deploy/             every manifest of a folder
  helm template . | kubectl hpa-explain lint -f -
                                                  what a chart renders
  kubectl hpa-explain lint -f hpa.yaml --exit-code -o github
                                                  notes beside a pull request";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Lint {
    /// Manifests: files, folders, or - for standard input
    #[arg(
        short = 'f',
        long = "filename",
        value_name = "FILE",
        num_args = 1..,
        required = true
    )]
    files: Vec<PathBuf>,
    /// Exit with 3 if there is a finding of severity warning or error
    #[arg(long)]
    exit_code: bool,
    /// The release whose API server is asked, such as 1.32
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
    /// Output format
    #[arg(
        short = 'o',
        long = "output",
        value_name = "FORMAT",
        default_value = "text",
        value_parser = options::formats(FormatKind::OfManifests)
    )]
    format: Format,
    /// What findings rest on, too
    #[arg(short = 'v', long = "verbose", action = clap::ArgAction::Count)]
    verbosity: u8,
    /// When to colour the text
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Color,
}

/// Reviews every HPA of the files.
///
/// # Errors
///
/// A file cannot be read, or all of them are empty; the output cannot be
/// written.
pub fn run(lint: &Lint, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.text.verbosity = lint.verbosity;
    terminal.text.colour = terminal.colour(lint.color);
    let gates = lint.feature_gates.iter().cloned().collect();
    let release = lint.kubernetes_version.unwrap_or(Release::ASSUMED);
    let rules = Rules::new(release.nearest_known(), &gates);
    if let Some(caveat) = caveat(release) {
        terminal.complain(&caveat);
    }
    let sources = Sources::read(&lint.files, rules)?;
    for empty in sources.empty() {
        terminal.complain(&format!("note: {empty}: holds no document"));
    }
    let autoscalers = sources.autoscalers();
    let neighbors = sources.neighbors();
    let input = WholeInput::new(&autoscalers, &neighbors);
    let total = sources.reported().count();
    let mut printer = Printer::new(lint.format, total, terminal);
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
                    printer.fail();
                }
                printer.note(review.worst());
                printer.print(&review)?;
            }
            Ok(_) => {}
            Err(error) => {
                printer.fail();
                printer.print(&unreadable(file, document.hint, error))?;
            }
        }
    }
    if total == 0 {
        let documents = counted(sources.documents().count(), "document");
        let message = format!("no HorizontalPodAutoscaler in {documents}");
        printer.terminal.complain(&message);
        return Ok(ExitCode::SUCCESS);
    }
    Ok(printer.code(lint.exit_code))
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
