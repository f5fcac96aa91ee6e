//! Snapshot files: one JSON document, JSON lines, or YAML documents.
//!
//! A document that cannot be read does not hide the others: each comes back
//! on its own, with its number and, where it failed, the path inside it and
//! the reason.

mod attempt;
mod document;
#[cfg(test)]
mod tests;

use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::error::Category;
use thiserror::Error;

use super::Snapshot;
use super::yaml_limits;

use attempt::{Attempt, json, yaml};
use document::document;

/// A document of a file: its number, counted from 1, and the snapshot or why
/// there is none.
#[derive(Debug)]
pub struct Document {
    /// The document's number in the file, counted from 1.
    pub number: usize,
    /// The snapshot, or why there is none.
    pub snapshot: Result<Snapshot, ReadError>,
    /// What is probably not meant as it stands there: misspelt fields, and
    /// values that no API server returns. Each names document and path.
    pub warnings: Vec<String>,
}

/// Why a document could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {reason}", at(*.document, .path))]
pub struct ReadError {
    /// The document's number in the file, counted from 1.
    pub document: usize,
    /// The path of the field at fault, such as `pods[3].metadata.name`;
    /// empty where the document as a whole is at fault.
    pub path: String,
    /// What is wrong there, and on which line where the parser knows.
    pub reason: String,
}

fn at(document: usize, path: &str) -> String {
    if path.is_empty() {
        return format!("document {document}");
    }
    format!("document {document}, {path}")
}

/// Reads every document of a file's text, in the file's order.
///
/// Text whose first character that is not blank is `{` is JSON: one document,
/// or one a line. Everything else is YAML.
#[must_use]
pub fn read_documents(text: &str) -> Vec<Document> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        read_json(text)
    } else {
        read_yaml(text)
    }
}

fn read_json(text: &str) -> Vec<Document> {
    if is_one_document(text) {
        return vec![document(1, json(text), || plain_json(text))];
    }
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .zip(1..)
        .map(|((index, line), number)| {
            let attempt = json(line).on_line(index + 1);
            document(number, attempt, || plain_json(line))
        })
        .collect()
}

fn plain_json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// Whether the text is one document over several lines, not one a line: its
/// first line holds less than a document, and no other line begins one.
fn is_one_document(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    if lines.any(|line| line.starts_with('{')) {
        return false;
    }
    let whole = serde_json::from_str::<IgnoredAny>(first);
    whole.is_err_and(|error| error.classify() == Category::Eof)
}

fn read_yaml(text: &str) -> Vec<Document> {
    let mut documents = Vec::new();
    let mut lines_before = 0;
    for part in yaml_parts(text) {
        if !is_blank(part) {
            let limits = yaml_limits::check(part);
            let attempt = match &limits {
                Ok(()) => yaml(part).after_lines(lines_before),
                Err(reason) => Attempt::refused(reason),
            };
            let plain = || limits.is_ok().then(|| serde_yaml::from_str(part).ok())?;
            documents.push(document(documents.len() + 1, attempt, plain));
        }
        lines_before += part.matches('\n').count();
    }
    documents
}

/// The documents of a YAML stream, split at the lines that begin one, so that
/// a syntax error in one does not end the stream.
fn yaml_parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (part, next) = match separator(text) {
            Some((start, end)) => (&text[..start], Some(&text[end..])),
            None => (text, None),
        };
        rest = next;
        Some(part)
    })
}

/// The first line that is `---` or begins with `--- `: its start and the
/// start of what follows the marker.
fn separator(text: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix("---")
            && (rest.is_empty() || rest.starts_with(char::is_whitespace))
        {
            return Some((start, start + 3));
        }
        start += line.len();
    }
    None
}

fn is_blank(part: &str) -> bool {
    part.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || line == "..."
    })
}
