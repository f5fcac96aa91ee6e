//! Answers in the format that was asked for.

use crate::render::{Printable, write_json, write_markdown, write_name, write_text, write_yaml};

use super::options::Format;
use super::terminal::Terminal;

/// Prints an answer; `is_list` is whether others follow it.
///
/// # Errors
///
/// The output cannot be written.
pub fn print(
    answer: &(impl Printable + ?Sized),
    format: Format,
    is_list: bool,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    // One document on a terminal is for a person.
    let is_pretty = !is_list && terminal.interactive;
    let options = terminal.text.clone();
    let out = terminal.out();
    match format {
        Format::Json => write_json(&answer.document(), is_pretty, out)?,
        Format::Yaml => write_yaml(&answer.document(), out)?,
        Format::Markdown => write_markdown(answer, &options, out)?,
        Format::Name => {
            for name in answer.names() {
                write_name(name, out)?;
            }
        }
        Format::Text | Format::Wide | Format::Snapshot => write_text(answer, &options, out)?,
    }
    Ok(())
}
