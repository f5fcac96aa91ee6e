//! Documents as YAML, for people and for files.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::is_hidden;
use super::json::write_escaped;

/// Writes a document.
///
/// YAML lets characters pass that could take over a terminal. A document with
/// such a character is written as JSON, which is YAML, too, but for the escapes
/// of characters beyond U+FFFF.
///
/// # Errors
///
/// The output cannot be written.
pub fn write_yaml(document: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let text = serde_yaml::to_string(document).map_err(io::Error::other)?;
    if text.chars().any(|c| c != '\n' && is_hidden(c)) {
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
