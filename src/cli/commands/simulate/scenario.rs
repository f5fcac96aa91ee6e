//! Scenario files: one document a scenario, in the file's order.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use crate::cli::exit::Verdict;
use crate::cli::failure::Failure;
use crate::cli::options::{Format, Output, Settings};
use crate::cli::printer;
use crate::cli::source::{name, read_text};
use crate::cli::terminal::Terminal;
use crate::controller;
use crate::manifest::refusals;
use crate::render::{ErrorDocument, ScenarioDocument, write_json, write_yaml};
use crate::simulate::{Scenario, metric_name, read_scenarios};
use crate::trace::{ScenarioRun, SimulatedRun, Simulation};

use super::baseline::rules_assumed;

/// Runs every scenario of a file.
///
/// # Errors
///
/// The file cannot be read or holds none; the output cannot be written.
pub fn run(
    path: &Path,
    settings: &Settings,
    output: &Output,
    terminal: &mut Terminal,
) -> anyhow::Result<ExitCode> {
    let hint = "--scenario takes a file with an HPA and its demand, or - for standard input";
    let text = read_text(path, hint)?;
    let scenarios = read_scenarios(&text);
    let name = name(path);
    if scenarios.len() == 0 {
        return Err(Failure::error(format!("{name}: holds no scenario"), hint));
    }
    let is_list = scenarios.len() > 1;
    let mut printed = 0;
    let mut verdict = Verdict::default();
    for scenario in scenarios {
        let told = match &scenario {
            Ok(scenario) => match run_one(scenario, settings) {
                Ok(run) => {
                    separate(output.format, is_list, printed, terminal)?;
                    printed += 1;
                    tell(scenario, run, settings, output, is_list, terminal)?;
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
fn run_one(scenario: &Scenario, settings: &Settings) -> Result<SimulatedRun, String> {
    let snapshot = &scenario.snapshot;
    let refusals = refusals(
        &snapshot.horizontal_pod_autoscaler,
        settings.rules(snapshot),
    );
    if !refusals.is_empty() {
        return Err(refusals.join("; "));
    }
    let run = scenario.run(&settings.overrides());
    run.map_err(|error| error.to_string())
}

/// Writes what stands between two documents.
fn separate(
    format: Format,
    is_list: bool,
    printed: usize,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let separator = format.separator(is_list, printed);
    Ok(terminal.out().write_all(separator.as_bytes())?)
}

/// Prints an answer. What weakens it is said on the standard error stream,
/// too, where the format is for programs.
fn tell(
    scenario: &Scenario,
    run: SimulatedRun,
    settings: &Settings,
    output: &Output,
    is_list: bool,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let is_pretty = !is_list && terminal.interactive;
    let mut simulation = simulation(scenario, run, settings);
    match (output.format, simulation.runs.pop()) {
        (Format::Json | Format::Yaml, Some(run)) => {
            let warnings = simulation.warnings;
            for warning in &warnings {
                terminal.complain(&format!("warning: {}: {warning}", run.name));
            }
            let run = ScenarioRun { warnings, run };
            let document = ScenarioDocument::of(&run);
            match output.format {
                Format::Json => write_json(&document, is_pretty, terminal.out())?,
                _ => write_yaml(&document, terminal.out())?,
            }
        }
        (_, run) => {
            simulation.runs.extend(run);
            let simulation = scenario.in_thousandths(simulation);
            printer::print(&simulation, output.format, is_list, terminal)?;
        }
    }
    Ok(())
}

/// A scenario as a simulation with one run.
fn simulation(scenario: &Scenario, run: SimulatedRun, settings: &Settings) -> Simulation {
    let hpa = &scenario.snapshot.horizontal_pod_autoscaler;
    let overrides = settings.overrides();
    let settings = controller::Settings::resolve(&scenario.snapshot, &overrides);
    let metric = hpa.spec.metrics.first();
    let mut warnings = scenario.warnings.clone();
    warnings.extend(settings.basis().weaknesses());
    let at_once = "pods are there, Ready and measured at once".to_owned();
    Simulation {
        namespace: hpa.metadata.namespace.to_string(),
        name: hpa.metadata.name.to_string(),
        target: hpa.spec.scale_target_ref.clone(),
        metric: metric.map_or("", metric_name).to_owned(),
        metric_label: metric.map_or("", metric_name).to_owned(),
        metric_type: metric.map_or_else(String::new, |it| it.kind.clone()),
        load: format!("the demand of {}", scenario.id),
        seconds: scenario.seconds(),
        every_seconds: scenario.step_seconds(),
        release: settings.release.to_string(),
        assumptions: [rules_assumed(&settings), vec![at_once]].concat(),
        warnings,
        runs: vec![run],
        search: None,
    }
}
