//! What the API server would make of manifests, and what is hardly meant in
//! them; without a cluster.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::controller::Release;
use crate::diagnose::{InFile, Lint as Input, review};
use crate::manifest::{Content, Document, Manifest, ReplicasOf, Rules, SyntaxError, read};
use crate::render::{
    write_json, write_review, write_review_github, write_unreadable, write_unreadable_github,
    write_yaml,
};
use crate::trace::{Review, Unreadable};

use super::args::{self, Color};
use super::exit::Verdict;
use super::failure::Failure;
use super::source::{name, read_once, read_text};
use super::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kubectl hpa-explain lint -f hpa.yaml            one file
  kubectl hpa-explain lint -f deploy/             every manifest of a folder
  helm template . | kubectl hpa-explain lint -f -
                                                  what a chart renders
  kubectl hpa-explain lint -f hpa.yaml --exit-code -o github
                                                  notes beside a pull request";

/// What a file of a folder is called if it is read.
const MANIFESTS: [&str; 3] = ["yaml", "yml", "json"];

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
        value_parser = args::gate
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

/// A file and what is in it.
struct Source {
    name: String,
    documents: Vec<Document>,
}

/// Reviews every HPA of the files.
///
/// # Errors
///
/// A file cannot be read, or holds nothing; the output cannot be written.
pub fn run(lint: &Lint, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.text.verbosity = lint.verbosity;
    terminal.text.colour = terminal.colour(lint.color);
    let gates = lint.feature_gates.iter().cloned().collect();
    let release = lint.kubernetes_version.unwrap_or(Release::ASSUMED);
    let rules = Rules::new(release.nearest_known(), &gates);
    read_once(&lint.files)?;
    let mut sources = Vec::new();
    for path in files(&lint.files)? {
        sources.push(source(&path, rules)?);
    }
    let contents = || sources.iter().flat_map(|source| &source.documents);
    let autoscalers = all(&sources, autoscaler);
    let sizes = all(&sources, size);
    let total = contents().filter(|it| is_told(it)).count();
    let mut printer = Printer {
        format: lint.format,
        is_list: total > 1,
        printed: 0,
        verdict: Verdict::default(),
        terminal,
    };
    for source in &sources {
        for document in &source.documents {
            match &document.content {
                Ok(Content::Autoscaler(manifest)) => printer.review(&review(&Input {
                    file: &source.name,
                    manifest,
                    autoscalers: &autoscalers,
                    sizes: &sizes,
                    rules,
                }))?,
                Ok(_) => {}
                Err(error) => printer.unreadable(&source.name, error)?,
            }
        }
    }
    if total == 0 {
        let documents = contents().count();
        let what = if documents == 1 {
            "document"
        } else {
            "documents"
        };
        let message = format!("no HorizontalPodAutoscaler in {documents} {what}");
        printer.terminal.complain(&message);
    }
    Ok(printer.verdict.code(lint.exit_code))
}

/// Everything of a kind in the input.
fn all<T>(sources: &[Source], is_it: fn(&Document) -> Option<&T>) -> Vec<InFile<'_, T>> {
    let mut all = Vec::new();
    for Source { name, documents } in sources {
        let items = documents.iter().filter_map(is_it);
        all.extend(items.map(|item| InFile { file: name, item }));
    }
    all
}

fn autoscaler(document: &Document) -> Option<&Manifest> {
    match &document.content {
        Ok(Content::Autoscaler(manifest)) => Some(manifest),
        _ => None,
    }
}

fn size(document: &Document) -> Option<&ReplicasOf> {
    match &document.content {
        Ok(Content::Replicas(size)) => Some(size),
        _ => None,
    }
}

fn is_told(document: &Document) -> bool {
    matches!(document.content, Ok(Content::Autoscaler(_)) | Err(_))
}

/// The files, with those of folders in the order of their names, as kubectl
/// takes them: without the folders inside.
fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = path.read_dir().map_err(|error| unreadable(path, &error))?;
        let mut inside = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| unreadable(path, &error))?.path();
            let extension = path.extension().and_then(|it| it.to_str());
            if extension.is_some_and(|it| MANIFESTS.contains(&it)) && path.is_file() {
                inside.push(path);
            }
        }
        if inside.is_empty() {
            return Err(Failure::error(
                format!("{}: no manifest in this folder", path.display()),
                "files whose names end in .yaml, .yml or .json are read, folders inside are not",
            ));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> anyhow::Error {
    Failure::error(
        format!("{}: {error}", path.display()),
        "-f takes files, folders, or - for standard input",
    )
}

fn source(path: &Path, rules: Rules) -> anyhow::Result<Source> {
    let text = read_text(path, "-f takes files, folders, or - for standard input")?;
    let documents = read(&text, rules);
    let name = name(path);
    if documents.is_empty() {
        return Err(Failure::error(
            format!("{name}: holds no document"),
            "give a manifest, such as what `kubectl get hpa NAME -o yaml` prints",
        ));
    }
    Ok(Source { name, documents })
}

/// Prints reviews, one after the other.
struct Printer<'t> {
    format: LintFormat,
    is_list: bool,
    printed: usize,
    verdict: Verdict,
    terminal: &'t mut Terminal,
}

impl Printer<'_> {
    fn review(&mut self, review: &Review) -> anyhow::Result<()> {
        if !review.accepted {
            self.verdict.fail();
        }
        self.verdict.note(review.worst());
        self.separate()?;
        let is_pretty = self.is_pretty();
        let options = self.terminal.text.clone();
        let out = self.terminal.out();
        match self.format {
            LintFormat::Text => write_review(review, &options, out)?,
            LintFormat::Json => write_json(review, is_pretty, out)?,
            LintFormat::Yaml => write_yaml(review, out)?,
            LintFormat::Github => write_review_github(review, out)?,
        }
        Ok(())
    }

    fn unreadable(&mut self, file: &str, error: &SyntaxError) -> anyhow::Result<()> {
        self.verdict.fail();
        self.separate()?;
        let document = Unreadable {
            file: file.to_owned(),
            line: error.place.line,
            column: error.place.column,
            error: error.reason.clone(),
        };
        let is_pretty = self.is_pretty();
        let options = self.terminal.text.clone();
        let out = self.terminal.out();
        match self.format {
            LintFormat::Text => write_unreadable(&document, &options, out)?,
            LintFormat::Json => write_json(&document, is_pretty, out)?,
            LintFormat::Yaml => write_yaml(&document, out)?,
            LintFormat::Github => write_unreadable_github(&document, out)?,
        }
        Ok(())
    }

    fn is_pretty(&self) -> bool {
        !self.is_list && self.terminal.interactive
    }

    fn separate(&mut self) -> anyhow::Result<()> {
        use std::io::Write;
        let separator = match self.format {
            LintFormat::Text if self.printed > 0 => "\n",
            LintFormat::Yaml if self.is_list => "---\n",
            _ => "",
        };
        self.terminal.out().write_all(separator.as_bytes())?;
        self.printed += 1;
        Ok(())
    }
}
