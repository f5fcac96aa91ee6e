//! A file's text, taken apart into documents.

use serde::de::IgnoredAny;
use serde_json::error::Category;

use super::node::Place;
use super::parse::parse;

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

impl DocumentText<'_> {
    /// The place of a field by its path, or of as much of it as there is.
    pub fn place_of(&self, path: &str) -> Place {
        let start = Place {
            line: self.lines_before + 1,
            column: 1,
        };
        parse(self.text, self.lines_before).map_or(start, |node| node.place_of(path))
    }
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
