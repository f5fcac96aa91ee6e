//! Snapshot files: one JSON document, JSON lines, or YAML documents.
//!
//! A document that cannot be read does not hide the others: each comes back
//! on its own, with its number and, where it failed, the path inside it and
//! the reason.

#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::document::{DocumentText, Fault, Form, Node, Readable, document_texts, parse, typed};

use super::Snapshot;
pub use super::check::Flaw;
use super::unknown::unknown;
use super::words::{self, in_words};

/// A document of a file: its number, counted from 1, and the snapshot or why
/// there is none.
#[derive(Debug)]
pub struct Document {
    /// The document's number in the file, counted from 1.
    pub number: usize,
    /// The snapshot, or why there is none.
    pub snapshot: Result<Snapshot, ReadError>,
    /// What is probably not meant as it stands there: misspelt fields, and
    /// values that no API server returns.
    pub warnings: Vec<Flaw>,
}

/// Why a document could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("document {document}{}{flaw}", if .flaw.path.is_empty() { ": " } else { ", " })]
pub struct ReadError {
    /// The document's number in the file, counted from 1.
    pub document: usize,
    /// The field at fault, what is wrong there, and on which line where the
    /// parser knows.
    pub flaw: Flaw,
}

/// More warnings than this about one document are only counted.
const MOST_WARNINGS: usize = 20;

impl Document {
    /// The warnings, each with the document and the path.
    #[must_use]
    pub fn warning_lines(&self) -> Vec<String> {
        let more = self.warnings.len().saturating_sub(MOST_WARNINGS);
        let more = (more > 0).then(|| Flaw::new("", format!("{more} more warnings")));
        let warnings = self.warnings.iter().take(MOST_WARNINGS).cloned();
        let document = self.number;
        let line = |flaw| ReadError { document, flaw }.to_string();
        warnings.chain(more).map(line).collect()
    }
}

/// Reads every document of a file's text, in the file's order. After too many
/// that cannot be read, a last one says that the rest is not looked at.
#[must_use]
pub fn read_documents(text: &str) -> Vec<Document> {
    let mut documents: Vec<Document> = Vec::new();
    let mut readable = Readable::default();
    for (text, number) in document_texts(text).into_iter().zip(1..) {
        documents.push(read(text, number));
        let is_readable = documents.last().is_some_and(|it| it.snapshot.is_ok());
        let Some(says) = readable.gives_up(is_readable) else {
            continue;
        };
        if readable.is_foreign() {
            // The others fail as it does.
            documents.truncate(1);
        }
        documents.push(Document {
            number,
            snapshot: Err(ReadError {
                document: number,
                flaw: Flaw::new("", says),
            }),
            warnings: Vec::new(),
        });
        break;
    }
    documents
}

fn read(text: DocumentText, number: usize) -> Document {
    let mut warnings = Vec::new();
    let line = (text.form == Form::JsonLine).then(|| format!("line {}", text.lines_before + 1));
    let read = typed(text, &mut warnings, unknown);
    let read = read.map_err(|fault| explained(*fault, line.clone(), &mut warnings));
    let snapshot = read.and_then(|snapshot: Snapshot| {
        let (snapshot, remarks) = snapshot.complete().map_err(|flaw| {
            let document = parse(text.text, text.lines_before).ok();
            let misplaced = document.and_then(|it| misplaced(&it, &mut warnings));
            (misplaced.unwrap_or(flaw), line.clone())
        })?;
        warnings.extend(remarks);
        Ok(snapshot)
    });
    Document {
        number,
        snapshot: snapshot.map_err(|(flaw, place)| ReadError {
            document: number,
            flaw: match place {
                Some(place) => Flaw::new(flaw.path, format!("{} ({place})", flaw.reason)),
                None => flaw,
            },
        }),
        warnings,
    }
}

/// An object that is not where it belongs.
fn misplaced(document: &Node, warnings: &mut Vec<Flaw>) -> Option<Flaw> {
    let flaw = words::misplaced(&document.to_json())?;
    // Its fields are unknown there because it does not belong there.
    warnings.retain(|warning| warning.path != flaw.path);
    Some(flaw)
}

/// What is wrong, in people's words.
fn explained(
    fault: Fault,
    line: Option<String>,
    warnings: &mut Vec<Flaw>,
) -> (Flaw, Option<String>) {
    let document = fault.document.as_ref();
    if let Some(flaw) = document.and_then(|it| misplaced(it, warnings)) {
        return (flaw, line);
    }
    let (reason, place) = in_words(&fault);
    let is_of_whole = fault.path.is_empty() && fault.document.is_some();
    let place = if is_of_whole && place == fault.place {
        line
    } else {
        Some(place.to_string())
    };
    (Flaw::new(fault.path, reason), place)
}
