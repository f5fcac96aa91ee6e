//! Documents as JSON.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

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
    if is_pretty {
        let safe = Safe(PrettyFormatter::new());
        document.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, safe))?;
    } else {
        let safe = Safe(CompactFormatter);
        document.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, safe))?;
    }
    out.write_all(b"\n")
}

/// Another formatter, with hostile characters escaped.
struct Safe<F>(F);

impl<F: Formatter> Formatter for Safe<F> {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(position) = rest.find(is_hidden) {
            let (clean, hostile) = rest.split_at(position);
            writer.write_all(clean.as_bytes())?;
            let character = hostile.chars().next().unwrap_or_default();
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &hostile[character.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}
