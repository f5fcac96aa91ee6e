//! Snapshot files: one JSON document, JSON lines, or YAML documents.
//!
//! A document that cannot be read does not hide the others: each comes back
//! on its own, with its number and, where it failed, the path inside it and
//! the reason.

use serde::de::IgnoredAny;
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
        .map(|(index, line)| document(index + 1, json(line).map_err(in_its_line)))
        .collect()
}

/// The document's number says which line it is; the parser only sees one.
fn in_its_line((path, reason): (String, String)) -> (String, String) {
    (path, reason.replace(" at line 1 column ", " at column "))
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
            // Only a failure needs the parser to count the lines of the file.
            let read = yaml(part).or_else(|_| yaml(&("\n".repeat(lines_before) + part)));
            documents.push(document(documents.len() + 1, read));
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
        let reason = error.into_inner().to_string();
        // The YAML parser says the path as well.
        let reason = match reason.strip_prefix(&format!("{path}: ")) {
            Some(reason) => reason.to_owned(),
            None => reason,
        };
        (path, reason)
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

#[cfg(test)]
mod tests {
    use super::{Document, read_documents};

    const WEB: &str = r#"{"apiVersion":"hpa-explain/v1","kind":"Snapshot","capturedAt":"2026-11-01T12:00:00Z","horizontalPodAutoscaler":{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":5}},"scale":{"error":"gone"}}"#;

    fn errors(text: &str) -> Vec<String> {
        let documents = read_documents(text).into_iter();
        let errors = documents.filter_map(|document| document.snapshot.err());
        errors.map(|error| error.to_string()).collect()
    }

    fn readable(documents: &[Document]) -> Vec<usize> {
        let readable = documents
            .iter()
            .filter(|document| document.snapshot.is_ok());
        readable.map(|document| document.number).collect()
    }

    /// The document as people lay it out, over several lines.
    fn pretty() -> String {
        let value: serde_json::Value = serde_json::from_str(WEB).expect("a document");
        serde_json::to_string_pretty(&value).expect("a document")
    }

    #[test]
    fn every_form_of_file_is_read() {
        let yaml = serde_yaml::to_string(
            &serde_json::from_str::<serde_json::Value>(WEB).expect("a document"),
        )
        .expect("a document");
        let rows = [
            ("one JSON document", WEB.to_owned(), 1),
            ("over several lines", pretty(), 1),
            ("with a byte order mark", format!("\u{feff}{WEB}"), 1),
            ("JSON lines", format!("{WEB}\n\n{WEB}\n"), 2),
            ("one YAML document", yaml.clone(), 1),
            (
                "YAML documents",
                format!("---\n{yaml}---\n# nothing\n---\n{yaml}...\n"),
                2,
            ),
            ("nothing", "\n# nothing\n".to_owned(), 0),
        ];
        for (form, text, count) in rows {
            let documents = read_documents(&text);
            assert_eq!(
                readable(&documents).len(),
                count,
                "{form}: {:?}",
                errors(&text)
            );
            assert_eq!(documents.len(), count, "{form}");
        }
    }

    #[test]
    fn one_bad_document_does_not_hide_the_others() {
        let cut = &WEB[..80];
        let rows = [
            (format!("{WEB}\n{cut}\n{WEB}"), vec![1, 3]),
            (format!("{cut}\n{WEB}"), vec![2]),
            (format!("{WEB}\nnot JSON\n{WEB}"), vec![1, 3]),
            (format!("{WEB}\nnot JSON"), vec![1]),
            (format!("a: [\n---\n{WEB}\n---\n\tb\n"), vec![2]),
        ];
        for (text, numbers) in rows {
            assert_eq!(readable(&read_documents(&text)), numbers, "{text}");
        }
    }

    #[test]
    fn errors_name_document_place_and_reason() {
        let change = |from: &str, to: &str| format!("{WEB}\n{}", WEB.replacen(from, to, 1));
        let rows = [
            (
                change(":5}", r#":"5"}"#),
                "document 2, horizontalPodAutoscaler.spec.maxReplicas: invalid type: string \"5\", expected i32 at column 278",
            ),
            (
                change(r#""error":"gone""#, ""),
                "document 2, scale: must hold exactly one of `response`, `error` and `unreadable`",
            ),
            (
                change(":5}", r#":5,"metrics":[{"type":"Pods"}]}"#),
                "document 2, horizontalPodAutoscaler.spec.metrics[0].pods: required for type Pods",
            ),
            (
                change("hpa-explain/v1", "v1"),
                "document 2, apiVersion: must be `hpa-explain/v1`, not `v1`",
            ),
            (
                change(
                    r#""scale""#,
                    r#""pods":[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}],"scale""#,
                ),
                "document 2, pods[1].metadata.name: a second pod named `a`",
            ),
            (
                "kind: Snapshot\n---\nkind: [\n".to_owned(),
                "document 2, kind: invalid type: sequence, expected a string at line 3 column 7",
            ),
        ];
        for (text, error) in rows {
            assert_eq!(errors(&text).last().map(String::as_str), Some(error));
        }
    }
}
