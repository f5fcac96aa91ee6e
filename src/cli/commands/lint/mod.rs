//! What the API server would make of manifests, and what is hardly meant in
//! them; without a cluster.

mod sources;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::controller::Release;
use crate::diagnose::{Lint as Input, review, unreadable};
use crate::manifest::{ANSWERED, Content, Rules};
use crate::trace::amount::counted;

use crate::cli::options;
use crate::cli::options::Color;
use crate::cli::terminal::Terminal;

use sources::{Printer, Sources};

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
        value_enum,
        default_value_t
    )]
    format: LintFormat,
    /// What findings rest on, too
    #[arg(short = 'v', long = "verbose", action = clap::ArgAction::Count)]
    verbosity: u8,
    /// When to colour the text
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Color,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LintFormat {
    /// For people
    #[default]
    Text,
    /// For programs; one document a line where there are several
    Json,
    /// For programs
    Yaml,
    /// Annotations for a pull request on GitHub
    Github,
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
    let total = sources.told().count();
    let mut printer = Printer::new(lint.format, total > 1, terminal);
    for (file, document) in sources.told() {
        match &document.content {
            Ok(Content::Autoscaler(manifest)) => printer.review(&review(&Input {
                file,
                manifest,
                autoscalers: &autoscalers,
                neighbors: &neighbors,
                rules,
            }))?,
            Ok(_) => {}
            Err(error) => printer.unreadable(&unreadable(file, document.hint, error))?,
        }
    }
    if total == 0 {
        let documents = counted(sources.documents().count(), "document");
        terminal.complain(&format!("no HorizontalPodAutoscaler in {documents}"));
        return Ok(ExitCode::SUCCESS);
    }
    Ok(printer.verdict(lint.exit_code))
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
            let told = nearest.told(&rules.to_string(), &release.to_string());
            format!("warning: {told}; {answered}")
        }
        None => format!("note: rules of {rules}; {answered}"),
    })
}
