//! Documents as JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::is_hidden;

/// Writes a document and a line end: on one line, or indented.
///
/// Characters that could take over a terminal, which JSON itself need not
/// escape, are escaped all the same.
///
/// # Errors
///
/// The output cannot be written.
pub fn write_json(
    document: &impl Serialize,
    is_pretty: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let text = if is_pretty {
        serde_json::to_string_pretty(document)?
    } else {
        serde_json::to_string(document)?
    };
    let mut rest = text.as_str();
    // JSON itself writes no such character but the ends of its lines: all
    // others stand in texts.
    while let Some(position) = rest.find(|it| it != '\n' && is_hidden(it)) {
        let (clean, hostile) = rest.split_at(position);
        out.write_all(clean.as_bytes())?;
        let character = hostile.chars().next().unwrap_or_default();
        for unit in character.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
        rest = &hostile[character.len_utf8()..];
    }
    out.write_all(rest.as_bytes())?;
    out.write_all(b"\n")
}
