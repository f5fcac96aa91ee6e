//! What the API server would make of manifests, and what is hardly meant in
//! them; without a cluster.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::kind::{FileKind, name, read_once, read_text};
use crate::cli::select::is_hpa;
use crate::cli::{
    failure::Failure, options, options::Output, printer::Printer, terminal::Terminal,
};
use crate::controller::Release;
use crate::document::manifest::{ANSWERED, Content, Document, Manifest, Neighbor, Rules, read};
use crate::findings::{self, InFile, WholeInput, review, unreadable};
use crate::render::{Format, FormatKind, Printable, Reviewed};
use crate::trace::amount::counted;
use crate::trace::shell_word;

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
/// Errors: a file cannot be read, or all of them are empty; the output cannot be written.
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
                let review = review(&findings::Lint {
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

/// What a file of a folder is called if it is read.
const MANIFESTS: [&str; 3] = ["yaml", "yml", "json"];

const HINT: &str = "-f takes files, folders, or - for standard input";

struct InputFile {
    name: String,
    documents: Vec<Document>,
}

/// All files, in the order in which they are looked into.
struct Sources {
    files: Vec<InputFile>,
    /// Why files of folders cannot be read.
    unread: Vec<anyhow::Error>,
}

impl Sources {
    /// Reads the files; of folders those inside.
    /// Errors: one that is named cannot be read, or none holds a manifest: among others an
    /// empty one is what a template comes to that is switched off.
    fn read(paths: &[PathBuf], rules: Rules) -> anyhow::Result<Self> {
        read_once(paths)?;
        let mut sources = Vec::new();
        let mut unread = Vec::new();
        let mut other = None;
        for path in files(paths)? {
            let mut hint = HINT.to_owned();
            if let Some(name) = path
                .to_str()
                .map(|it| match it.split_once('/') {
                    Some((kind, name)) if is_hpa(kind) => name,
                    _ => it,
                })
                .filter(|it| !it.contains(['.', '/']) && *it != "-")
            {
                let name = shell_word(name);
                hint = format!(
                    "`kubectl get hpa {name} -o yaml | kubectl hpa-explain lint -f -` checks the HPA of this name; {HINT}"
                );
            }
            if path.to_str().is_some_and(|it| it.contains("://")) {
                let url = shell_word(&path.to_string_lossy());
                hint = format!("`curl -fsSL {url} | kubectl hpa-explain lint -` reads a URL");
            }
            let is_named = paths.contains(&path);
            let text = match read_text(&path, &hint) {
                Ok(text) => text,
                Err(error) if is_named => return Err(error),
                Err(error) => {
                    unread.push(error);
                    continue;
                }
            };
            match FileKind::Manifest.expect(&name(&path), &text) {
                Ok(()) => sources.push(InputFile {
                    documents: read(&text, rules),
                    name: name(&path),
                }),
                Err(error) if is_named => return Err(error),
                // Beside the manifests of a folder may be anything.
                Err(error) => other = other.or(Some(error)),
            }
        }
        let sources = Self {
            files: sources,
            unread,
        };
        if sources.documents().next().is_none() && sources.unread.is_empty() {
            if let Some(other) = other {
                return Err(other);
            }
            let names: Vec<&str> = sources.empty().collect();
            let message = match names.as_slice() {
                [only] => format!("{only}: holds no document"),
                several => format!("none of {} files holds a document", several.len()),
            };
            let hint = "give a manifest, such as what `kubectl get hpa NAME -o yaml` prints";
            return Err(Failure::error(message, hint));
        }
        Ok(sources)
    }

    /// The names of the files that hold nothing.
    fn empty(&self) -> impl Iterator<Item = &str> {
        let empty = self
            .files
            .iter()
            .filter(|source| source.documents.is_empty());
        empty.map(|source| source.name.as_str())
    }

    /// Every document, with the name of its file.
    fn documents(&self) -> impl Iterator<Item = (&str, &Document)> {
        self.files.iter().flat_map(|InputFile { name, documents }| {
            let documents = documents.iter();
            documents.map(|document| (name.as_str(), document))
        })
    }

    /// The documents of which something is told.
    fn reported(&self) -> impl Iterator<Item = (&str, &Document)> {
        let documents = self.documents();
        documents.filter(|(_, it)| matches!(it.content, Ok(Content::Autoscaler(_)) | Err(_)))
    }

    /// Every HPA.
    fn autoscalers(&self) -> Vec<InFile<'_, Manifest>> {
        self.all(|content| match content {
            Content::Autoscaler(manifest) => Some(manifest.as_ref()),
            _ => None,
        })
    }

    /// Everything else.
    fn neighbors(&self) -> Vec<InFile<'_, Neighbor>> {
        self.all(|content| match content {
            Content::Neighbor(neighbor) => Some(neighbor.as_ref()),
            _ => None,
        })
    }

    fn all<T>(&self, is_it: fn(&Content) -> Option<&T>) -> Vec<InFile<'_, T>> {
        let documents = self.documents().filter_map(|(file, document)| {
            let item = is_it(document.content.as_ref().ok()?)?;
            Some(InFile { file, item })
        });
        documents.collect()
    }
}

/// The files, with those of folders in the order of their names, as kubectl
/// takes them: without the folders inside. A file that is given twice is one.
fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(inside(path)?);
        } else {
            files.push(path.clone());
        }
    }
    let mut known = BTreeSet::new();
    files.retain(|path| known.insert(path.clone()));
    Ok(files)
}

fn inside(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let unreadable =
        |error: std::io::Error| Failure::error(format!("{}: {error}", folder.display()), HINT);
    let mut inside = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let extension = path.extension().and_then(|it| it.to_str());
        if extension.is_some_and(|it| MANIFESTS.contains(&it)) && path.is_file() {
            inside.push(path);
        }
    }
    if inside.is_empty() {
        return Err(Failure::error(
            format!("{}: no manifest in this folder", folder.display()),
            "files whose names end in .yaml, .yml or .json are read, folders inside are not",
        ));
    }
    inside.sort();
    Ok(inside)
}
