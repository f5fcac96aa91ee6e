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
    ($($name:literal: $shows:literal;)*) => {
        const CASES: &[Case] = &[$(Case {
            name: $name,
            shows: $shows,
            text: include_str!(concat!("../../demos/", $name, ".yaml")),
        },)*];
    };
}

cases! {
    "slowed-by-policy": "Scaling up, slowed by a policy";
    "stuck-without-samples": "Stuck: pods without numbers dampen the change";
    "held-by-window": "Held by the scaleDown window; memory only partly known";
    "foreign-pod-without-request": "Failing: a pod of another workload has no cpu request";
    "canary-pins-the-count": "Stuck: a canary that cannot start counts as 0%";
    "readiness-collapse": "Scaling down under overload: no pod is Ready";
    "window-band": "Held between two windows";
    "period-start": "A policy that counts changes both ways";
    "surge-adopted": "Scaling up by accident in a rollout";
    "up-below-target": "Scaling up far below the target";
    "partial-failure": "One of two metrics is not available";
    "ambiguous-selector": "Two HPAs on one Deployment block each other";
    "three-metrics-at-max": "At max, three metrics (objects of a real cluster)";
    "sidecar-without-request": "A sidecar has no cpu request (objects of a real cluster)";
}

/// What is explained where no case is asked for.
const FIRST: &str = "slowed-by-policy";

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
    let wanted = name.unwrap_or(FIRST);
    CASES
        .iter()
        .find(|case| case.name == wanted)
        .ok_or_else(|| {
            let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
            Failure::error(
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
