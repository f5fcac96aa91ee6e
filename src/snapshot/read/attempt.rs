//! One try at a document: the snapshot, or what the parser has to say and
//! where.

use std::cell::RefCell;

use serde::Deserialize;
use serde_path_to_error::Segment;

use crate::snapshot::Snapshot;
use crate::snapshot::unknown::{Seen, Watch};

/// What one try at a document gave.
pub(super) struct Attempt {
    pub snapshot: Result<Snapshot, Fault>,
    pub seen: Seen,
    /// The document's line, where a line is all that it has.
    pub line: Option<usize>,
}

impl Attempt {
    /// A text that is not even tried.
    pub(super) fn refused(reason: &str) -> Self {
        Self {
            snapshot: Err(Fault::new(None, reason)),
            seen: Seen::default(),
            line: None,
        }
    }

    /// The parser sees a part of the file only; this says how many lines come
    /// before it.
    pub(super) fn after_lines(mut self, lines: usize) -> Self {
        if let Err(Fault {
            position: Some(position),
            ..
        }) = &mut self.snapshot
        {
            position.line += lines;
        }
        self
    }

    /// The parser sees a line only; this says which.
    pub(super) fn on_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        if let Err(Fault {
            position: Some(position),
            ..
        }) = &mut self.snapshot
        {
            position.line = line;
        }
        self
    }
}

/// What the parser has to say.
pub(super) struct Fault {
    pub path: String,
    /// The path as a JSON pointer.
    pub pointer: String,
    /// The last name in the path.
    pub key: String,
    pub reason: String,
    pub position: Option<Position>,
}

pub(super) struct Position {
    pub line: usize,
    pub column: usize,
}

pub(super) fn json(text: &str) -> Attempt {
    // Keeping track of the path costs time, so only a failure pays for it.
    let seen = RefCell::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let snapshot = Snapshot::deserialize(Watch::new(&mut deserializer, &seen));
    if let Ok(snapshot) = snapshot
        && deserializer.end().is_ok()
    {
        return Attempt {
            snapshot: Ok(snapshot),
            seen: seen.into_inner(),
            line: None,
        };
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut attempt = with_path(&mut deserializer);
    if attempt.snapshot.is_ok()
        && let Err(error) = deserializer.end()
    {
        attempt.snapshot = Err(Fault::new(None, &error.to_string()));
    }
    attempt
}

pub(super) fn yaml(text: &str) -> Attempt {
    with_path(serde_yaml::Deserializer::from_str(text))
}

fn with_path<'de, D>(deserializer: D) -> Attempt
where
    D: serde::Deserializer<'de>,
    D::Error: std::fmt::Display,
{
    let seen = RefCell::default();
    let mut track = serde_path_to_error::Track::new();
    let deserializer = serde_path_to_error::Deserializer::new(deserializer, &mut track);
    let snapshot = Snapshot::deserialize(Watch::new(deserializer, &seen));
    let snapshot = snapshot.map_err(|error| Fault::new(Some(&track.path()), &error.to_string()));
    Attempt {
        snapshot,
        seen: seen.into_inner(),
        line: None,
    }
}

impl Fault {
    fn new(path: Option<&serde_path_to_error::Path>, reason: &str) -> Self {
        let mut fault = Self {
            path: String::new(),
            pointer: String::new(),
            key: String::new(),
            reason: String::new(),
            position: None,
        };
        for segment in path.into_iter().flatten() {
            let step = match segment {
                Segment::Seq { index } => {
                    fault.path.push_str(&segment.to_string());
                    index.to_string()
                }
                Segment::Map { key } | Segment::Enum { variant: key } => {
                    if !fault.path.is_empty() {
                        fault.path.push('.');
                    }
                    fault.path.push_str(key);
                    fault.key.clone_from(key);
                    key.replace('~', "~0").replace('/', "~1")
                }
                // A key that is no text: the place around it is known.
                Segment::Unknown => break,
            };
            fault.pointer.push('/');
            fault.pointer.push_str(&step);
        }
        // The YAML parser says the path as well, or its beginning.
        let reason = match reason.split_once(": ") {
            Some((start, rest)) if !start.is_empty() && fault.path.starts_with(start) => rest,
            _ => reason,
        };
        let (reason, position) = without_position(reason);
        reason.clone_into(&mut fault.reason);
        fault.position = position;
        fault
    }
}

/// The parser's words, and the place that ends them.
fn without_position(text: &str) -> (&str, Option<Position>) {
    let parts = || {
        let (reason, place) = text.split_once(" at line ")?;
        let (line, column) = place.split_once(" column ")?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        Some((reason, Some(Position { line, column })))
    };
    parts().unwrap_or((text, None))
}
