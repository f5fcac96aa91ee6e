//! The main job: explain HPAs.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use crate::controller::{Overrides, Settings, reconcile};
use crate::render::{Explanation, write_json, write_text, write_yaml};
use crate::snapshot::{Document, ReadError, Snapshot};

use super::args::{Explain, Format, Output};
use super::failure::Failure;
use super::live;
use super::select::Wanted;
use super::source::read_file;
use super::terminal::Terminal;

/// Explains the wanted HPAs of a snapshot file.
///
/// # Errors
///
/// The file cannot be read or holds no wanted HPA; the output cannot be
/// written.
pub fn run(
    explain: &Explain,
    output: &Output,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let Some(path) = &explain.snapshot else {
        return live::run(explain, output, terminal);
    };
    let documents = wanted(read_file(path)?, explain, path)?;
    let overrides = explain.settings.overrides();
    let mut printer = Printer::new(output.format, documents.len(), terminal);
    let mut code = ExitCode::SUCCESS;
    for document in &documents {
        match &document.snapshot {
            Ok(snapshot) => printer.explain(snapshot, &overrides)?,
            Err(error) => {
                printer.unreadable(path, error)?;
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

/// The documents that the names and the namespace ask for. Without names,
/// documents that cannot be read are kept, to be reported in their place;
/// with names they are reported where a name is not found.
fn wanted(
    mut documents: Vec<Document>,
    explain: &Explain,
    path: &Path,
) -> anyhow::Result<Vec<Document>> {
    if let Some(namespace) = &explain.namespace {
        documents.retain(|document| match &document.snapshot {
            Ok(snapshot) => snapshot.horizontal_pod_autoscaler.metadata.namespace == *namespace,
            Err(_) => true,
        });
    }
    if explain.names.is_empty() {
        return Ok(documents);
    }
    let names: Vec<Wanted> = explain
        .names
        .iter()
        .map(|name| Wanted::parse(name))
        .collect();
    for (wanted, name) in names.iter().zip(&explain.names) {
        let is_there = |document: &Document| matches(document, wanted);
        if !documents.iter().any(is_there) {
            return Err(not_found(name, &documents, path));
        }
    }
    documents.retain(|document| names.iter().any(|wanted| matches(document, wanted)));
    Ok(documents)
}

fn matches(document: &Document, wanted: &Wanted) -> bool {
    document
        .snapshot
        .as_ref()
        .is_ok_and(|snapshot| wanted.matches(snapshot))
}

fn not_found(name: &str, documents: &[Document], path: &Path) -> anyhow::Error {
    let names: Vec<&str> = documents
        .iter()
        .filter_map(|document| document.snapshot.as_ref().ok())
        .map(|snapshot| snapshot.horizontal_pod_autoscaler.metadata.name.as_str())
        .take(10)
        .collect();
    let unreadable: Vec<String> = documents
        .iter()
        .filter_map(|document| document.snapshot.as_ref().err())
        .map(ToString::to_string)
        .take(3)
        .collect();
    let mut hint = match names.as_slice() {
        [] => "the file holds no readable HPA".to_owned(),
        names => format!("the file holds {}", names.join(", ")),
    };
    if !unreadable.is_empty() {
        hint = format!("{hint}; not readable: {}", unreadable.join("; "));
    }
    Failure::error(
        format!(
            "horizontalpodautoscalers.autoscaling \"{name}\" not found in {}",
            path.display()
        ),
        hint,
    )
}

/// Prints explanations, one after the other.
pub struct Printer<'t> {
    format: Format,
    /// Whether more than one document is to be printed.
    is_list: bool,
    printed: usize,
    terminal: &'t mut Terminal,
}

impl<'t> Printer<'t> {
    /// A printer for a number of documents.
    pub fn new(format: Format, documents: usize, terminal: &'t mut Terminal) -> Self {
        Self {
            format,
            is_list: documents > 1,
            printed: 0,
            terminal,
        }
    }

    /// Explains one HPA.
    pub fn explain(&mut self, snapshot: &Snapshot, overrides: &Overrides) -> anyhow::Result<()> {
        if self.format == Format::Snapshot {
            return self.snapshot(snapshot);
        }
        let settings = Settings::resolve(snapshot, overrides);
        let trace = reconcile(snapshot, &settings, snapshot.captured_at);
        self.separate()?;
        let is_pretty = self.is_pretty();
        let options = self.terminal.text.clone();
        let out = self.terminal.out();
        match self.format {
            Format::Text => write_text(&trace, &options, out)?,
            Format::Json => write_json(&Explanation::of(&trace), is_pretty, out)?,
            Format::Yaml | Format::Snapshot => write_yaml(&Explanation::of(&trace), out)?,
        }
        Ok(())
    }

    fn snapshot(&mut self, snapshot: &Snapshot) -> anyhow::Result<()> {
        self.separate()?;
        write_yaml(snapshot, self.terminal.out())?;
        Ok(())
    }

    /// A document that cannot be read: an error in its place for programs, a
    /// message for people.
    fn unreadable(&mut self, path: &Path, error: &ReadError) -> anyhow::Result<()> {
        let message = format!("{}: {error}", path.display());
        let document = serde_json::json!({ "error": message });
        let is_pretty = self.is_pretty();
        match self.format {
            Format::Json => write_json(&document, is_pretty, self.terminal.out())?,
            Format::Yaml => {
                self.separate()?;
                write_yaml(&document, self.terminal.out())?;
            }
            Format::Text | Format::Snapshot => {}
        }
        self.terminal.complain(&format!("error: {message}"));
        Ok(())
    }

    /// One document on a terminal is for a person.
    fn is_pretty(&self) -> bool {
        !self.is_list && self.terminal.interactive
    }

    fn separate(&mut self) -> anyhow::Result<()> {
        let separator = match self.format {
            Format::Text if self.printed > 0 => "\n",
            Format::Yaml | Format::Snapshot if self.is_list => "---\n",
            _ => "",
        };
        self.terminal.out().write_all(separator.as_bytes())?;
        self.printed += 1;
        Ok(())
    }
}
