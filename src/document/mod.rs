//! What people write: the reader of manifests, snapshots, records and scenarios.
//!
//! A text is taken apart into documents, each is parsed within limits into
//! [`Node`]s that know their places, and from there read into whatever type is
//! asked for. JSON that is right is read at once, without the tree.

mod bytes;
pub mod manifest;
mod node;
mod parse;
mod path;
pub mod snapshot;
mod texts;
mod typed;

pub use bytes::{Encoding, TextError, read_at_most, read_text, unread};
pub use node::{Entry, Node, Place, Value};
pub use parse::{SyntaxError, field, parse};
pub use path::{FieldPath, PathStep};
pub use texts::{DocumentText, Form, MOST_AT_FIRST, Readable, document_texts, is_template};
pub use typed::{Fault, Misfit, UnknownField, levenshtein, misspelt, nearest, typed};
