//! Documents as YAML, for people and for files.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::is_hidden;
use super::json::write_escaped;
use super::{Printable, Renderer, TextOptions};

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
/// of characters beyond U+FFFF. So is one with a text that is no text to readers of
/// YAML 1.1, which kubectl is.
///
/// # Errors
///
/// The output cannot be written.
pub fn write_yaml(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_yaml::to_string(document).map_err(io::Error::other)?;
    let is_plain = text.bytes().all(|it| matches!(it, b'\n' | b' '..=b'~'));
    let is_hiding = !is_plain && text.chars().any(|it| it != '\n' && is_hidden(it));
    if is_hiding || text.lines().any(is_misread) {
        let text = serde_json::to_string_pretty(document)?;
        return write_escaped(&text, |it| format!("\\U{:08x}", u32::from(it)), out);
    }
    out.write_all(text.as_bytes())
}

/// Whether a line has a name or a text without quotes that YAML 1.1 takes for a
/// truth or a number: no value that is one is written so.
fn is_misread(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("- ");
    let (name, value) = line.split_once(": ").unwrap_or((line, ""));
    [name.trim_end_matches(':'), value].iter().any(|word| {
        let is_truth = ["on", "off", "yes", "no", "y", "n"]
            .iter()
            .any(|it| word.eq_ignore_ascii_case(it));
        let is_digit = |it: char| it.is_ascii_digit() || "_:+-.".contains(it);
        let is_number = word.starts_with(|it: char| it.is_ascii_digit() || "+-".contains(it));
        is_truth || is_number && word.contains(['_', ':']) && word.chars().all(is_digit)
    })
}

#[cfg(test)]
mod tests {
    use super::write_yaml;

    /// What YAML 1.1 reads as something else is in quotes, as a name, too.
    #[test]
    fn a_text_is_a_text_to_every_reader() {
        let words = ["on", "OFF", "yes", "No", "y", "N", "1_000", "1:30", "-1_0"];
        for word in words {
            for document in [
                serde_json::json!(word),
                serde_json::json!({ word: "x" }),
                serde_json::json!({ "x": [word] }),
            ] {
                let mut written = Vec::new();
                write_yaml(&document, &mut written).expect("written");
                let written = String::from_utf8(written).expect("text");
                assert!(written.contains(&format!("\"{word}\"")), "{written}");
            }
        }
        for plain in ["once", "2026-11-20T03:12:08Z", "a: no one", "5", "no-1"] {
            let mut written = Vec::new();
            write_yaml(&serde_json::json!({ "x": plain, "y1": 5 }), &mut written).expect("written");
            assert_ne!(written[0], b'{', "{plain}");
        }
    }

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
