//! Snapshot files: one JSON document, JSON lines, or YAML documents.
//!
//! A document that cannot be read does not hide the others: each comes back
//! on its own, with its number and, where it failed, the place, the path inside
//! it and the reason.

#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::document::{
    DocumentText, Fault, Node, Place, Readable, UnknownField, document_texts, parse, typed,
};

use super::Snapshot;
pub use super::check::Flaw;
use super::words::{self, in_words};
use crate::snapshot::check::is_known;

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

/// Why a document could not be read: line, column and flaw, to be put behind
/// the name of the file and a colon.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}:{}: {flaw}", .place.line, .place.column)]
pub struct ReadError {
    /// Where that is in the file.
    pub place: Place,
    /// The field at fault, and what is wrong there.
    pub flaw: Flaw,
}

impl From<Fault> for ReadError {
    fn from(fault: Fault) -> Self {
        let (reason, place) = in_words(&fault);
        let flaw = Flaw::new(fault.path, reason);
        Self { place, flaw }
    }
}

/// More warnings than this about one document are only counted.
const MOST_WARNINGS: usize = 20;

impl Document {
    /// The warnings, each with the document and the path.
    pub fn warning_lines(&self) -> Vec<String> {
        let more = self.warnings.len().saturating_sub(MOST_WARNINGS);
        let more = (more > 0).then(|| Flaw::new("", format!("{more} more warnings")));
        let warnings = self.warnings.iter().take(MOST_WARNINGS).cloned();
        let line = |flaw: Flaw| {
            let separator = if flaw.path.is_empty() { ":" } else { "," };
            format!("document {}{separator} {flaw}", self.number)
        };
        warnings.chain(more).map(line).collect()
    }
}

/// Reads every document of a file's text, in the file's order. After too many
/// that cannot be read, a last one says that the rest is not looked at.
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
                place: text.place_of(""),
                flaw: Flaw::new("", says),
            }),
            warnings: Vec::new(),
        });
        break;
    }
    documents
}

fn read(text: DocumentText, number: usize) -> Document {
    let mut unknown = Vec::new();
    let mut remarks = Vec::new();
    let read = typed(text, &mut unknown, is_known);
    let read = read.map_err(|fault| explained(*fault, &mut unknown));
    let snapshot = read.and_then(|snapshot: Snapshot| {
        let complete = snapshot.complete();
        let complete = complete.and_then(|it| it.0.pairs().map(|()| it));
        let (snapshot, own) = complete.map_err(|flaw| {
            let document = parse(text.text, text.lines_before).ok();
            let misplaced = document.and_then(|it| misplaced(&it, &mut unknown));
            let flaw = misplaced.unwrap_or(flaw);
            let place = text.place_of(&flaw.path);
            ReadError { place, flaw }
        })?;
        remarks = own;
        Ok(snapshot)
    });
    Document {
        number,
        snapshot,
        warnings: unknown.into_iter().map(Flaw::from).chain(remarks).collect(),
    }
}

/// An object that is not where it belongs.
fn misplaced(document: &Node, unknown: &mut Vec<UnknownField>) -> Option<Flaw> {
    let flaw = words::misplaced(&document.to_json())?;
    // Its fields are unknown there because it does not belong there.
    unknown.retain(|field| field.path != flaw.path);
    Some(flaw)
}

/// What is wrong, in people's words.
fn explained(fault: Fault, unknown: &mut Vec<UnknownField>) -> ReadError {
    if let Some(document) = &fault.document
        && let Some(flaw) = misplaced(document, unknown)
    {
        let place = document.place_of(&flaw.path);
        return ReadError { place, flaw };
    }
    if let Some((name, _)) = &fault.misspelt {
        // That it is unknown is the error.
        unknown.retain(|field| field.path != fault.path || field.name != *name);
    }
    fault.into()
}
