//! Scenario files: one document a scenario, in the file's order.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use crate::api::OneOf;
use crate::cli::kind::name;
use crate::cli::options::Settings;
use crate::cli::{Failure, FileKind, Output, Printer, Terminal};
use crate::controller;
use crate::document::{MOST_AT_FIRST, Readable};
use crate::manifest::refusals;
use crate::render::FormatKind;
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
    let hint = "--scenario needs a file with an HPA and its demand, or - for standard input";
    let text = FileKind::Scenario.read(path, hint)?;
    let mut scenarios = read_scenarios(&text);
    let name = name(path);
    if scenarios.len() == 0 {
        return Err(Failure::error(format!("{name}: it has no scenario"), hint));
    }
    let mut printer = Printer::new(output.format, scenarios.len(), terminal);
    let first: Vec<_> = scenarios.by_ref().take(MOST_AT_FIRST).collect();
    if let [Err(error), ..] = &first[..]
        && first.len() == MOST_AT_FIRST
        && first.iter().all(Result::is_err)
    {
        return Err(Failure::error(
            format!("{name}:{error}; nor is any of the next documents a scenario"),
            "a scenario has an HPA, `initialReplicas` and `demand`; docs/simulate.md shows one",
        ));
    }
    let mut readable = Readable::default();
    for scenario in first.into_iter().chain(scenarios) {
        let says = readable.gives_up(scenario.is_ok());
        let reported = match &scenario {
            Ok(scenario) => match run_one(scenario, settings) {
                Ok(run) => {
                    tell(scenario, run, settings, &mut printer)?;
                    continue;
                }
                Err(error) => format!("{name}: {}: {error}", scenario.id),
            },
            Err(error) => format!("{name}:{error}"),
        };
        printer.error(&reported)?;
        printer.terminal.complain(&format!("error: {reported}"));
        if let Some(says) = says {
            printer.terminal.complain(&format!("error: {name}: {says}"));
            break;
        }
    }
    Ok(printer.status.code(false))
}

/// Runs a scenario whose HPA the API server would take.
fn run_one(scenario: &Scenario, settings: &Settings) -> anyhow::Result<SimulatedRun> {
    let snapshot = &scenario.snapshot;
    let refusals = refusals(&snapshot.hpa, settings.rules(snapshot));
    if !refusals.is_empty() {
        bail!(refusals.join("; "));
    }
    Ok(scenario.run(&settings.overrides())?)
}

/// Prints an answer. What weakens it is said on the standard error stream,
/// too, where the format is for programs.
fn tell(
    scenario: &Scenario,
    run: SimulatedRun,
    settings: &Settings,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let mut simulation = simulation(scenario, run, settings);
    if !printer.format.is(FormatKind::Document) {
        return printer.print(&scenario.in_thousandths(simulation));
    }
    for run in simulation.runs.drain(..) {
        let warnings = simulation.warnings.clone();
        for warning in &warnings {
            let warning = format!("warning: {}: {warning}", run.name);
            printer.terminal.complain(&warning);
        }
        printer.print(&ScenarioRun { warnings, run })?;
    }
    Ok(())
}

fn simulation(scenario: &Scenario, run: SimulatedRun, settings: &Settings) -> Simulation {
    let hpa = &scenario.snapshot.hpa;
    let overrides = settings.overrides();
    let settings = controller::Settings::resolve(&scenario.snapshot, &overrides);
    let metric = hpa.spec.metrics.first();
    let mut warnings = scenario.warnings.clone();
    warnings.extend(settings.basis().weaknesses());
    let at_once = "pods are Ready and measured at once".to_owned();
    Simulation {
        namespace: hpa.metadata.namespace.to_string(),
        name: hpa.metadata.name.to_string(),
        target: hpa.spec.scale_target_ref.clone(),
        metric: metric.map_or("", metric_name).to_owned(),
        metric_label: metric.map_or("", metric_name).to_owned(),
        metric_type: metric.map_or_else(OneOf::default, |it| it.kind.clone()),
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
