//! Scenario files: one document a scenario, in the file's order.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use crate::cli::args::{Format, Output};
use crate::cli::exit::Verdict;
use crate::cli::failure::Failure;
use crate::cli::source::{name, read_text};
use crate::cli::terminal::Terminal;
use crate::controller::{Overrides, Settings};
use crate::manifest::{Rules, edited};
use crate::render::{ErrorDocument, ScenarioDocument, write_json, write_yaml};
use crate::simulate::{Scenario, metric_name, read_scenarios};
use crate::trace::{SimulatedRun, Simulation};

use super::print;

/// Runs every scenario of a file.
///
/// # Errors
///
/// The file cannot be read or holds none; the output cannot be written.
pub fn run(
    path: &Path,
    overrides: &Overrides,
    output: &Output,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let hint = "--scenario takes a file with an HPA and its demand, or - for standard input";
    let scenarios = read_scenarios(&read_text(path, hint)?);
    let name = name(path);
    if scenarios.is_empty() {
        return Err(Failure::error(format!("{name}: holds no scenario"), hint));
    }
    let is_list = scenarios.len() > 1;
    let mut printed = 0;
    let mut verdict = Verdict::default();
    for scenario in &scenarios {
        let told = match scenario {
            Ok(scenario) => match run_one(scenario, overrides) {
                Ok(run) => {
                    separate(output.format, is_list, printed, terminal)?;
                    printed += 1;
                    tell(scenario, run, overrides, output, is_list, terminal)?;
                    continue;
                }
                Err(error) => format!("{name}: {}: {error}", scenario.id),
            },
            Err(error) => format!("{name}: {error}"),
        };
        verdict.fail();
        let document = ErrorDocument {
            error: told.clone(),
        };
        match output.format {
            Format::Json => write_json(&document, false, terminal.out())?,
            Format::Yaml => {
                separate(output.format, is_list, printed, terminal)?;
                write_yaml(&document, terminal.out())?;
            }
            _ => {}
        }
        terminal.complain(&format!("error: {told}"));
    }
    Ok(verdict.code(false))
}

/// Runs a scenario whose HPA the API server would take.
fn run_one(scenario: &Scenario, overrides: &Overrides) -> Result<SimulatedRun, String> {
    let snapshot = &scenario.snapshot;
    let settings = Settings::resolve(snapshot, overrides);
    let mut gates = snapshot.controller.feature_gates.clone();
    gates.extend(overrides.feature_gates.clone());
    let rules = Rules::new(settings.release, &gates);
    let refused = edited(&snapshot.horizontal_pod_autoscaler, &[], rules).err();
    if let Some(refusals) = refused {
        let says: Vec<String> = refusals.into_iter().map(|it| it.says).collect();
        return Err(says.join("; "));
    }
    scenario.run(overrides).map_err(|error| error.to_string())
}

/// Writes what stands between two documents.
fn separate(
    format: Format,
    is_list: bool,
    printed: usize,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let separator = match format {
        Format::Text | Format::Wide | Format::Markdown if printed > 0 => "\n",
        Format::Yaml if is_list => "---\n",
        _ => "",
    };
    Ok(terminal.out().write_all(separator.as_bytes())?)
}

fn tell(
    scenario: &Scenario,
    run: SimulatedRun,
    overrides: &Overrides,
    output: &Output,
    is_list: bool,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let is_pretty = !is_list && terminal.interactive;
    let document = ScenarioDocument::of(&run);
    match output.format {
        Format::Json => write_json(&document, is_pretty, terminal.out())?,
        Format::Yaml => write_yaml(&document, terminal.out())?,
        _ => {
            let simulation = simulation(scenario, run, overrides);
            print::print(&simulation, output, terminal)?;
        }
    }
    Ok(())
}

/// A scenario as a simulation with one run.
fn simulation(scenario: &Scenario, run: SimulatedRun, overrides: &Overrides) -> Simulation {
    let hpa = &scenario.snapshot.horizontal_pod_autoscaler;
    let settings = Settings::resolve(&scenario.snapshot, overrides);
    let metric = hpa.spec.metrics.first();
    Simulation {
        namespace: hpa.metadata.namespace.to_string(),
        name: hpa.metadata.name.to_string(),
        target: hpa.spec.scale_target_ref.clone(),
        metric: metric.map_or("", metric_name).to_owned(),
        metric_type: metric.map_or_else(String::new, |it| it.kind.clone()),
        load: format!("the demand of {}", scenario.id),
        seconds: scenario.seconds(),
        every_seconds: scenario.step_seconds(),
        release: settings.release.to_string(),
        assumptions: vec!["pods are there, Ready and measured at once".to_owned()],
        warnings: Vec::new(),
        runs: vec![run],
        search: None,
    }
}
