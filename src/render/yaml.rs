//! Documents as YAML, for people and for files.

use std::io::{self, Write};

use serde::Serialize;

use super::escape;

/// Writes a document.
///
/// YAML lets characters pass that could take over a terminal; they are made
/// visible, which a program that reads them back sees as changed text. JSON
/// is exact.
///
/// # Errors
///
/// The output cannot be written.
pub fn write_yaml(document: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let text = serde_yaml::to_string(document).map_err(io::Error::other)?;
    for line in text.lines() {
        writeln!(out, "{}", escape(line))?;
    }
    Ok(())
}
