//! Built-in snapshots of real cases: the whole tool without a cluster.
//!
//! They hold inputs only. Explaining one takes the same path as explaining a
//! file.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use super::explain::Explanations;
use crate::api::beginning;
use crate::cli::options::{Output, Releases, Settings};
use crate::cli::{failure::Failure, page::PageFlags, terminal::Terminal};
use crate::document::levenshtein;
use crate::document::snapshot::{Snapshot, read_documents};
use crate::history::Observer;
use crate::render::{Format, FormatKind};

#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  kubectl hpa-explain demo                   the first case, then their list
  kubectl hpa-explain demo window-band -v    one case, with every step")]
pub struct Demo {
    /// Which case; without one, the first, then a list of all
    pub case: Option<String>,
    /// List the cases
    #[arg(long, conflicts_with = "case")]
    pub list: bool,
    #[command(flatten)]
    pub releases: Releases,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub page: PageFlags,
}

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
            text: include_str!(concat!("../../../demos/", $name, ".yaml")),
        },)*];
    };
}

cases! {
    "slowed-by-policy": "Scaling up, limited by a policy";
    "stuck-without-samples": "Stuck: pods without samples cancel the change";
    "held-by-window": "Held by the scaleDown window, shown by an event";
    "foreign-pod-without-request": "Failing: another workload's pod has no request";
    "canary-pins-the-count": "Stuck: a canary that cannot start counts as 0%";
    "readiness-collapse": "Scaling down under overload: no pod is Ready";
    "window-band": "Held between two windows";
    "period-start": "A policy that counts changes both ways";
    "surge-adopted": "A rollout raises the size by accident";
    "up-below-target": "Scaling up far below the target";
    "partial-failure": "One of two metrics is not available";
    "ambiguous-selector": "Two HPAs on one Deployment block each other";
    "three-metrics-at-max": "At max, three metrics (from a real cluster)";
    "sidecar-without-request": "A sidecar has no request (from a real cluster)";
}

/// What is explained where no case is asked for.
const FIRST: &str = "slowed-by-policy";

/// The names of the built-in cases, and what they show.
pub fn cases() -> impl Iterator<Item = (&'static str, &'static str)> {
    CASES.iter().map(|case| (case.name, case.shows))
}

/// The inputs of a built-in case.
pub fn snapshots(name: &str) -> Vec<Snapshot> {
    let case = CASES.iter().find(|case| case.name == name);
    let documents = case.into_iter().flat_map(|case| read_documents(case.text));
    documents.filter_map(|it| it.snapshot.ok()).collect()
}

/// Explains a built-in snapshot, or lists them.
/// Errors: there is no such case; the output cannot be written.
pub fn run(demo: &Demo, terminal: &mut Terminal) -> anyhow::Result<ExitCode> {
    terminal.expect_page(&demo.page, &demo.output)?;
    if demo.list || matches!(demo.case.as_deref(), Some("list" | "ls")) {
        match demo.output.format {
            format if format.is(FormatKind::Paged) => list(terminal)?,
            Format::Name => {
                for case in CASES {
                    writeln!(terminal.out(), "{}", case.name)?;
                }
            }
            _ => {
                return Err(Failure::usage(
                    "the list of the built-in cases is text",
                    "-o name prints their names alone; `demo CASE -o FORMAT` explains one",
                ));
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let case = find(demo.case.as_deref())?;
    let overrides = demo.settings.overrides();
    let documents = read_documents(case.text);
    let mut answers = Explanations::new(&demo.output, demo.releases, documents.len(), terminal);
    for document in documents {
        let snapshot = document.snapshot?;
        let at = snapshot.captured_at;
        answers.explain(at, &snapshot, &overrides, &Observer::default(), None)?;
    }
    let is_text = demo.output.format.is(FormatKind::Paged);
    if demo.case.is_none() && is_text {
        writeln!(
            terminal.out(),
            "\nMore built-in cases: kubectl hpa-explain demo CASE"
        )?;
        list(terminal)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn find(name: Option<&str>) -> anyhow::Result<&'static Case> {
    let requested = name.unwrap_or(FIRST);
    CASES
        .iter()
        .find(|case| case.name == requested)
        .ok_or_else(|| {
            Failure::error(
                format!("no built-in case is called `{requested}`"),
                match nearest(requested) {
                    Some(name) => format!("did you mean `{name}`? `demo --list` shows all"),
                    None => "`demo --list` shows all".to_owned(),
                },
            )
        })
}

/// The name that holds what was typed, else the one that takes the fewest
/// edits, as a whole or one of its words.
fn nearest(requested: &str) -> Option<&'static str> {
    let requested = requested.to_lowercase();
    let requested = beginning(&requested, LONGEST);
    let edits = |name: &str| {
        let words = name.split('-').chain([name]);
        let edits = words.map(|word| levenshtein(requested, word)).min();
        let edits = edits.filter(|_| !name.contains(requested));
        edits.unwrap_or_default()
    };
    let names = CASES.iter().map(|case| (edits(case.name), case.name));
    let (edits, name) = names.min_by_key(|(edits, _)| *edits)?;
    // Where half of it is to be changed, something else was meant.
    (2 * edits < requested.chars().count()).then_some(name)
}

/// No name of a case has more characters.
const LONGEST: usize = 40;

fn list(terminal: &mut Terminal) -> anyhow::Result<()> {
    let width = CASES.iter().map(|it| it.name.len()).max().unwrap_or(0);
    let shows = CASES.iter().map(|it| it.shows.len()).max().unwrap_or(0);
    // On a narrow terminal what a case shows stands below its name.
    let (width, between) = match terminal.columns {
        Some(columns) if columns < width + shows + 4 => (0, "\n    "),
        _ => (width, "  "),
    };
    for Case { name, shows, .. } in CASES {
        writeln!(terminal.out(), "  {name:width$}{between}{shows}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{CASES, LONGEST, nearest};

    #[test]
    fn the_nearest_name_is_what_was_meant() {
        assert_eq!(nearest("policy"), Some("slowed-by-policy"));
        assert_eq!(nearest("polcy"), Some("slowed-by-policy"));
        assert_eq!(nearest("surge-adpted"), Some("surge-adopted"));
        assert_eq!(nearest("Window-Band"), Some("window-band"));
        assert_eq!(nearest("nosuch"), None);
        assert_eq!(nearest(""), None);
    }

    #[test]
    fn the_list_fits_a_terminal() {
        let longest = CASES.iter().map(|case| case.name.len()).max();
        let longest = longest.expect("cases");
        assert!(longest <= LONGEST);
        for case in CASES {
            assert!(4 + longest + case.shows.len() <= 78, "{}", case.name);
        }
    }
}
