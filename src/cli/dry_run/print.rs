//! The answer in the format that was asked for.

use std::process::ExitCode;

use crate::cli::args::{Format, Output};
use crate::cli::terminal::Terminal;
use crate::render::{
    DryRunDocument, write_dry_run, write_dry_run_markdown, write_json, write_name, write_yaml,
};
use crate::trace::{DryRun, ServerAnswer};

/// Whether there is such a format of a comparison.
///
/// # Errors
///
/// There is none.
pub fn check(output: &Output) -> anyhow::Result<()> {
    output.refuse_snapshot(
        "a comparison is no snapshot",
        "`kubectl hpa-explain NAME -o snapshot` prints the inputs",
    )
}

/// Prints the comparison; a server that refuses a candidate, or cannot be asked,
/// is a failure.
///
/// # Errors
///
/// The output cannot be written.
pub fn print(
    answer: &DryRun,
    output: &Output,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let is_pretty = terminal.interactive;
    let options = terminal.text.clone();
    let out = terminal.out();
    match output.format {
        Format::Json => write_json(&DryRunDocument::of(answer), is_pretty, out)?,
        Format::Yaml => write_yaml(&DryRunDocument::of(answer), out)?,
        Format::Markdown => write_dry_run_markdown(answer, &options, out)?,
        Format::Name => write_name(&answer.name, out)?,
        Format::Text | Format::Wide | Format::Snapshot => write_dry_run(answer, &options, out)?,
    }
    let mut answers = answer.candidates.iter().filter_map(|it| it.server.as_ref());
    let has_failed = answers.any(|it| {
        matches!(
            it,
            ServerAnswer::Refused { .. } | ServerAnswer::NotAsked { .. }
        )
    });
    Ok(if has_failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
