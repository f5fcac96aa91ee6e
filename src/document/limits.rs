//! What a file may ask of whoever reads it.
//!
//! A short text can stand for a very large document, by aliases that repeat
//! parts of it, or take very long, by nesting. No file needs either.

use std::collections::BTreeMap;

use granit_parser::Event;

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

/// The deepest nesting; the API has no object that needs a tenth of it.
pub const DEEPEST: usize = 128;

/// The most values that a document may hold, without those that aliases repeat.
const MOST_VALUES: usize = 2_000_000;

/// The most values that aliases may repeat.
const MOST_REPEATED: usize = 500_000;

/// What a document asks too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Values.
    #[error("more than {MOST_VALUES} values")]
    Values,
    /// Nesting.
    #[error(
        "nested more than {DEEPEST} levels deep; a snapshot, a scenario or an HPA has fewer than 20"
    )]
    Depth,
    /// An alias inside its own anchor.
    #[error("the alias is inside the value that it repeats")]
    Cycle,
    /// Values that aliases repeat.
    #[error(
        "aliases (*NAME) repeat more than {MOST_REPEATED} values, which is refused; write the values out, or give another file"
    )]
    Repeated,
}

/// So many bytes of text weigh as much as a value.
const TEXT: usize = 32;

/// What the events of a document have asked for so far.
#[derive(Debug, Default)]
pub struct Limits {
    /// What is not closed yet: its anchor, and its weight so far.
    open: Vec<(usize, usize)>,
    /// The weight of what aliases can repeat.
    anchors: BTreeMap<usize, usize>,
    repeated: usize,
    values: usize,
}

impl Limits {
    /// Takes the next event.
    ///
    /// # Errors
    ///
    /// The document asks for too much.
    pub fn take(&mut self, event: &Event) -> Result<(), LimitError> {
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(LimitError::Values);
        }
        match event {
            Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _) => {
                if self.open.len() >= DEEPEST {
                    return Err(LimitError::Depth);
                }
                self.open.push((*anchor, 1));
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (anchor, weight) = self.open.pop().unwrap_or_default();
                self.add(anchor, weight)
            }
            Event::Scalar(text, _, anchor, _) => self.add(*anchor, 1 + text.len() / TEXT),
            Event::Alias(anchor) => {
                let Some(weight) = self.anchors.get(anchor).copied() else {
                    return Err(LimitError::Cycle);
                };
                self.repeat(weight)?;
                self.add(0, weight)
            }
            _ => Ok(()),
        }
    }

    fn add(&mut self, anchor: usize, weight: usize) -> Result<(), LimitError> {
        if let Some((_, outer)) = self.open.last_mut() {
            *outer = outer.saturating_add(weight);
        }
        if anchor != 0 {
            // Whoever keeps it for its aliases keeps a copy.
            self.repeat(weight)?;
            self.anchors.insert(anchor, weight);
        }
        Ok(())
    }

    fn repeat(&mut self, weight: usize) -> Result<(), LimitError> {
        self.repeated = self.repeated.saturating_add(weight);
        if self.repeated > MOST_REPEATED {
            return Err(LimitError::Repeated);
        }
        Ok(())
    }
}
