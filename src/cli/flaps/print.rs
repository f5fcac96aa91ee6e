//! The answer in the format that was asked for.

use crate::cli::args::{Format, Output};
use crate::cli::terminal::Terminal;
use crate::render::{
    FlapsDocument, write_flaps, write_flaps_markdown, write_json, write_name, write_yaml,
};
use crate::trace::{FlapState, Flaps};

/// Whether there is such a format of the answer.
///
/// # Errors
///
/// There is none.
pub fn check(output: &Output) -> anyhow::Result<()> {
    output.refuse_snapshot(
        "what is known of flapping is no snapshot",
        "`kubectl hpa-explain capture` writes the inputs to a file",
    )
}

/// Prints it. By name, those of which something is to be said.
///
/// # Errors
///
/// The output cannot be written.
pub fn print(items: &[Flaps], output: &Output, terminal: &mut Terminal) -> anyhow::Result<()> {
    let is_pretty = terminal.interactive;
    let options = terminal.text.clone();
    let out = terminal.out();
    match output.format {
        Format::Json => write_json(&FlapsDocument::of(items), is_pretty, out)?,
        Format::Yaml => write_yaml(&FlapsDocument::of(items), out)?,
        Format::Name => {
            for flaps in items.iter().filter(|it| it.state != FlapState::Calm) {
                write_name(&flaps.name, out)?;
            }
        }
        _ if items.is_empty() => {}
        Format::Markdown => write_flaps_markdown(items, &options, out)?,
        Format::Text | Format::Wide | Format::Snapshot => write_flaps(items, &options, out)?,
    }
    Ok(())
}
