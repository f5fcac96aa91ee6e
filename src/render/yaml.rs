//! Documents as YAML, for people and for files.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::is_hidden;
use super::json::write_json;

/// Writes a document.
///
/// YAML lets characters pass that could take over a terminal. A document with
/// such a character is written as JSON, which is YAML, too, and has an escape
/// for every character.
///
/// # Errors
///
/// The output cannot be written.
pub fn write_yaml(document: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let text = serde_yaml::to_string(document).map_err(io::Error::other)?;
    if text.chars().any(|c| c != '\n' && is_hidden(c)) {
        return write_json(document, true, out);
    }
    out.write_all(text.as_bytes())
}
