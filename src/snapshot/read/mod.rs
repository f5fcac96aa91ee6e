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
use super::within_limits;

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
#[must_use]
pub fn read_documents(text: &str) -> Vec<Document> {
    let read = |(part, number): (DocumentText, usize)| match part.form {
        Form::Json => document(number, json(part.text), || plain_json(part.text)),
        Form::JsonLine => {
            let attempt = json(part.text).on_line(part.lines_before + 1);
            document(number, attempt, || plain_json(part.text))
        }
        Form::Yaml => {
            let attempt = within_limits(part.text, yaml);
            let is_read = attempt.is_ok();
            let attempt = attempt.unwrap_or_else(|reason| Attempt::refused(&reason));
            let plain = || is_read.then(|| serde_yaml::from_str(part.text).ok())?;
            document(number, attempt.after_lines(part.lines_before), plain)
        }
    };
    document_texts(text)
        .into_iter()
        .zip(1..)
        .map(read)
        .collect()
}

fn plain_json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// The text of one document of a file.
#[derive(Clone, Copy, Debug)]
pub struct DocumentText<'t> {
    /// The document's text.
    pub text: &'t str,
    /// How many lines of the file come before it.
    pub lines_before: usize,
    /// What it is written in.
    pub form: Form,
}

/// What a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON, over as many lines as it takes.
    Json,
    /// JSON on one line of several.
    JsonLine,
    /// YAML.
    Yaml,
}

/// Takes a file's text apart, so that a document that cannot be read does not
/// hide the others.
///
/// Text whose first character that is not blank is `{` is JSON: one document,
/// or one a line. Everything else is YAML.
#[must_use]
pub fn document_texts(text: &str) -> Vec<DocumentText<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with('{') {
        return yaml_texts(text);
    }
    if is_one_document(text) {
        return vec![DocumentText {
            text,
            lines_before: 0,
            form: Form::Json,
        }];
    }
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(lines_before, text)| DocumentText {
            text,
            lines_before,
            form: Form::JsonLine,
        })
        .collect()
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

fn yaml_texts(text: &str) -> Vec<DocumentText<'_>> {
    let mut parts = Vec::new();
    let mut lines_before = 0;
    for text in yaml_parts(text) {
        if !is_blank(text) {
            parts.push(DocumentText {
                text,
                lines_before,
                form: Form::Yaml,
            });
        }
        lines_before += text.matches('\n').count();
    }
    parts
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
