//! Documents as JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::is_hidden;
use super::{Printable, Renderer, TextOptions};

/// For programs.
pub(super) struct Json;

impl Renderer for Json {
    fn write(
        answer: &(impl Printable + ?Sized),
        options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_json(&answer.document(), options.indented, out)
    }
}

/// Writes a document and a line end: on one line, or indented.
///
/// Characters that could take over a terminal, which JSON itself need not
/// escape, are escaped all the same.
pub(super) fn write_json(
    document: &impl Serialize,
    is_pretty: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let text = if is_pretty {
        serde_json::to_string_pretty(document)?
    } else {
        serde_json::to_string(document)?
    };
    let pair = |character: char| {
        let mut units = [0; 2];
        let units = character.encode_utf16(&mut units).iter();
        let units: Vec<String> = units.map(|unit| format!("\\u{unit:04x}")).collect();
        units.concat()
    };
    write_escaped(&text, pair, out)
}

/// Writes JSON text and a line end, its hidden characters by the escape.
pub(super) fn write_escaped(
    text: &str,
    escape: impl Fn(char) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    // JSON itself writes no such character but the ends of its lines: all
    // others stand in texts.
    let mut rest = text;
    while let Some(position) = rest.find(|it| it != '\n' && is_hidden(it)) {
        let (clean, hostile) = rest.split_at(position);
        out.write_all(clean.as_bytes())?;
        let character = hostile.chars().next().unwrap_or_default();
        out.write_all(escape(character).as_bytes())?;
        rest = &hostile[character.len_utf8()..];
    }
    out.write_all(rest.as_bytes())?;
    out.write_all(b"\n")
}
