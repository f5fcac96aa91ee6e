//! Documents as YAML, for people and for files.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::is_hidden;
use super::json::write_escaped;
use super::{Printable, Renderer, TextOptions};
use crate::trace::yaml;

/// For programs, and for people who read along.
pub(super) struct Yaml;

impl Renderer for Yaml {
    fn write(
        answer: &(impl Printable + ?Sized),
        _options: &TextOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_yaml(&answer.document(), out)
    }
}

/// Writes a document.
///
/// YAML lets characters pass that could take over a terminal. A document with
/// such a character is written as JSON, which is YAML, too, but for the escapes
/// of characters beyond U+FFFF.
fn write_yaml(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = yaml(document).map_err(io::Error::other)?;
    let is_plain = text.bytes().all(|it| matches!(it, b'\n' | b' '..=b'~'));
    let is_hiding = !is_plain && text.chars().any(|it| it != '\n' && is_hidden(it));
    if is_hiding {
        let text = serde_json::to_string_pretty(document)?;
        return write_escaped(&text, |it| format!("\\U{:08x}", u32::from(it)), out);
    }
    out.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::write_yaml;

    /// Whatever is hidden in it, what is written is plain and reads back.
    #[test]
    fn a_text_reads_back() {
        let rows = [
            ("plain \u{1f600}", "plain \u{1f600}"),
            ("\u{202e}", "\\U0000202e"),
            ("\u{e0041}\u{1b}", "\\U000e0041"),
        ];
        for (text, shown) in rows {
            let mut written = Vec::new();
            write_yaml(&text, &mut written).expect("written");
            let written = String::from_utf8(written).expect("text");
            assert!(written.contains(shown), "{written}");
            let read: String = serde_yaml::from_str(&written).expect("YAML");
            assert_eq!(read, text);
        }
    }
}
