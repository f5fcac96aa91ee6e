//! Built-in snapshots of real cases: the whole tool without a cluster.
//!
//! They hold inputs only. Explaining one takes the same path as explaining a
//! file.

use std::io::Write;
use std::process::ExitCode;

use crate::snapshot::read_documents;

use super::args::{Demo, Format};
use super::explain::Printer;
use super::failure::Failure;
use super::terminal::Terminal;

/// A built-in snapshot.
struct Case {
    name: &'static str,
    shows: &'static str,
    text: &'static str,
}

macro_rules! cases {
    ($($name:literal: $shows:literal, $file:literal;)*) => {
        const CASES: &[Case] = &[$(Case {
            name: $name,
            shows: $shows,
            text: include_str!(concat!("../../demos/", $file)),
        },)*];
    };
}

cases! {}

/// Explains a built-in snapshot, or lists them.
///
/// # Errors
///
/// There is no such case; the output cannot be written.
pub fn run(demo: &Demo, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.adopt(&demo.output);
    if demo.list {
        list(terminal)?;
        return Ok(ExitCode::SUCCESS);
    }
    let case = find(demo.case.as_deref())?;
    let overrides = demo.settings.overrides();
    let documents = read_documents(case.text);
    let mut printer = Printer::new(demo.output.format, documents.len(), terminal);
    for document in documents {
        printer.explain(&document.snapshot?, &overrides)?;
    }
    if demo.case.is_none() && demo.output.format == Format::Text {
        writeln!(
            terminal.out(),
            "\nMore built-in cases: kubectl hpa-explain demo CASE"
        )?;
        list(terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn find(name: Option<&str>) -> anyhow::Result<&'static Case> {
    let wanted = name.unwrap_or(CASES[0].name);
    CASES
        .iter()
        .find(|case| case.name == wanted)
        .ok_or_else(|| {
            let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
            Failure::new(
                format!("there is no built-in case `{wanted}`"),
                format!("take one of {}", names.join(", ")),
            )
        })
}

fn list(terminal: &mut Terminal) -> anyhow::Result<()> {
    let width = CASES
        .iter()
        .map(|case| case.name.len())
        .max()
        .unwrap_or_default();
    for case in CASES {
        writeln!(terminal.out(), "  {:width$}  {}", case.name, case.shows)?;
    }
    Ok(())
}
