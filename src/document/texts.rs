//! A file's text, taken apart into documents, of which some may be unreadable.

use serde::de::IgnoredAny;
use serde_json::error::Category;

use super::node::Place;
use super::parse::parse;
use super::path::FieldPath;

/// What opens an action of Go's templates, which Helm's charts are.
const ACTION: &str = "{{";

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
    pub fn place_of(&self, path: &FieldPath) -> Place {
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
/// Text whose first character that is not blank is `{` is JSON: one document
/// after the other, or one a line. Everything else is YAML, and a template is
/// one document, where none has a beginning and an end yet.
pub fn document_texts(text: &str) -> Vec<DocumentText<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with(ACTION) {
        return vec![DocumentText {
            text,
            lines_before: 0,
            form: Form::Yaml,
        }];
    }
    if !text.trim_start().starts_with('{') {
        return yaml_texts(text);
    }
    if let Some(texts) = json_texts(text) {
        return texts;
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

/// The documents that stand over several lines, one after the other; between them
/// what of the text is none, up to a line that begins a document. Nothing where there
/// is one a line: the first line holds no part of a document, or every other line
/// begins one and the first is cut off.
fn json_texts(text: &str) -> Option<Vec<DocumentText<'_>>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = serde_json::from_str::<IgnoredAny>(lines.next()?);
    first
        .err()
        .filter(|error| error.classify() == Category::Eof)?;
    let mut others = lines.peekable();
    if others.peek().is_some() && others.all(|line| line.starts_with('{')) {
        return None;
    }
    let mut starts = vec![0];
    let mut start = 0;
    loop {
        let parts = serde_json::Deserializer::from_str(&text[start..]);
        let mut parts = parts.into_iter::<IgnoredAny>();
        while let Some(Ok(_)) = parts.next() {
            starts.push(start + parts.byte_offset());
        }
        let broken = starts.last().copied().unwrap_or_default();
        let Some(next) = text[broken..].find("\n{") else {
            break;
        };
        start = broken + next + 1;
        starts.push(start);
    }
    let mut lines_before = 0;
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let texts = starts.iter().zip(ends).map(|(start, end)| {
        let part = DocumentText {
            text: &text[*start..end],
            lines_before,
            form: Form::Json,
        };
        lines_before += part.text.matches('\n').count();
        part
    });
    let mut texts: Vec<DocumentText> = texts.collect();
    texts.retain(|it| !it.text.trim().is_empty());
    Some(texts)
}

/// Whether a text that is broken is a template: a line is an action of one, or a
/// value that one puts in. In quotes it is a text like any other.
pub fn is_template(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start().trim_start_matches("- ");
        let value = line.split_once(": ").map_or(line, |(_, value)| value);
        [line, value]
            .iter()
            .any(|it| it.trim_start().starts_with(ACTION))
    })
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

/// A file whose first documents cannot be read, so many of them, is of
/// something else.
pub const MOST_AT_FIRST: usize = 5;

/// More documents than this that cannot be read are of no use to anybody.
const MOST_UNREADABLE: usize = 1_000;

/// The documents of a file that can be read, and those that cannot.
#[derive(Debug, Default)]
pub struct Readable {
    documents: usize,
    unreadable: usize,
}

impl Readable {
    /// Takes the next document. Where it is one too many of those that cannot
    /// be read, the rest is not worth a look: what to say of it.
    pub fn gives_up(&mut self, is_readable: bool) -> Option<String> {
        self.documents += 1;
        self.unreadable += usize::from(!is_readable);
        let unreadable = self.unreadable;
        if self.is_foreign() {
            return Some(format!(
                "none of the first {unreadable} documents can be read; the rest is skipped"
            ));
        }
        let is_enough = unreadable == MOST_UNREADABLE && !is_readable;
        is_enough.then(|| format!("{unreadable} documents cannot be read; the rest is skipped"))
    }

    /// Whether the file as a whole is of something else.
    pub fn is_foreign(&self) -> bool {
        self.unreadable == MOST_AT_FIRST && self.documents == self.unreadable
    }
}
