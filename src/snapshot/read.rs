//! Snapshot files: one JSON document, JSON lines, or YAML documents.
//!
//! A document that cannot be read does not hide the others: each comes back
//! on its own, with its number and, where it failed, the path inside it and
//! the reason.

use serde_json::error::Category;
use thiserror::Error;

use super::Snapshot;

/// A document of a file: its number, counted from 1, and the snapshot or why
/// there is none.
#[derive(Debug)]
pub struct Document {
    /// The document's number in the file, counted from 1.
    pub number: usize,
    /// The snapshot, or why there is none.
    pub snapshot: Result<Snapshot, ReadError>,
}

/// Why a document could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("document {document}{}: {reason}", at(.path))]
pub struct ReadError {
    /// The document's number in the file, counted from 1.
    pub document: usize,
    /// The path of the field at fault, such as `pods[3].metadata.name`;
    /// empty where the document as a whole is at fault.
    pub path: String,
    /// What is wrong there.
    pub reason: String,
}

fn at(path: &str) -> String {
    if path.is_empty() {
        return String::new();
    }
    format!(", {path}")
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
        return vec![document(1, json(text))];
    }
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .enumerate()
        .map(|(index, line)| document(index + 1, json(line)))
        .collect()
}

/// Whether the text is not one document a line: its first line does not hold
/// a whole one, or nothing follows that line.
fn is_one_document(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    if lines.next().is_none() {
        return true;
    }
    let whole = serde_json::from_str::<serde::de::IgnoredAny>(first);
    // A first line that is broken, not cut short, still is a line of its own.
    whole.is_err_and(|error| error.classify() == Category::Eof)
}

fn read_yaml(text: &str) -> Vec<Document> {
    let mut documents = Vec::new();
    for part in yaml_parts(text) {
        let number = documents.len() + 1;
        documents.push(document(number, yaml(part)));
    }
    documents
}

/// The documents of a YAML stream, split at the lines that begin one, so that
/// a syntax error in one does not end the stream. Empty ones do not count.
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
    .filter(|part| !is_blank(part))
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

fn json(text: &str) -> Result<Snapshot, (String, String)> {
    // Keeping track of the path costs time, so only a failure pays for it.
    if let Ok(snapshot) = serde_json::from_str(text) {
        return Ok(snapshot);
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let snapshot = with_path(&mut deserializer)?;
    deserializer
        .end()
        .map_err(|error| (String::new(), error.to_string()))?;
    Ok(snapshot)
}

fn yaml(text: &str) -> Result<Snapshot, (String, String)> {
    with_path(serde_yaml::Deserializer::from_str(text))
}

fn with_path<'de, D>(deserializer: D) -> Result<Snapshot, (String, String)>
where
    D: serde::Deserializer<'de>,
    D::Error: std::fmt::Display,
{
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let path = match error.path().to_string() {
            path if path == "." => String::new(),
            path => path,
        };
        (path, error.into_inner().to_string())
    })
}

fn document(number: usize, read: Result<Snapshot, (String, String)>) -> Document {
    let snapshot = read
        .and_then(|snapshot| snapshot.complete().map_err(|flaw| (flaw.path, flaw.reason)))
        .map_err(|(path, reason)| ReadError {
            document: number,
            path,
            reason,
        });
    Document { number, snapshot }
}
