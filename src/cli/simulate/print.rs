//! The simulation in the format that was asked for.

use std::process::ExitCode;

use crate::cli::args::{Format, Output};
use crate::cli::destination::Destination;
use crate::cli::terminal::Terminal;
use crate::render::{
    SimulationDocument, write_json, write_name, write_simulation, write_simulation_html,
    write_simulation_markdown, write_yaml,
};
use crate::trace::Simulation;

/// Whether there is such a format of a simulation.
///
/// # Errors
///
/// There is none.
pub fn check(output: &Output) -> anyhow::Result<()> {
    output.refuse_snapshot(
        "a simulation is no snapshot",
        "`kubectl hpa-explain NAME -o snapshot` prints the inputs of a pass",
    )
}

/// Prints a simulation.
///
/// # Errors
///
/// The output cannot be written.
pub fn print(
    simulation: &Simulation,
    output: &Output,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let is_pretty = terminal.interactive;
    let options = terminal.text.clone();
    let out = terminal.out();
    match output.format {
        Format::Json => write_json(&SimulationDocument::of(simulation), is_pretty, out)?,
        Format::Yaml => write_yaml(&SimulationDocument::of(simulation), out)?,
        Format::Markdown => write_simulation_markdown(simulation, &options, out)?,
        Format::Name => write_name(&simulation.name, out)?,
        Format::Text | Format::Wide | Format::Snapshot => {
            write_simulation(simulation, &options, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a simulation as a page of its own.
///
/// # Errors
///
/// The page cannot be written.
pub fn html(
    simulation: &Simulation,
    page: &Destination,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    write_simulation_html(simulation, &mut bytes)?;
    page.write(&bytes, terminal.out())
}
