//! What is to be said beside the table: lines about the same thing, each with
//! the side that it is of.

use crate::render::text::TextOptions;
use crate::render::text::verdict;
use crate::trace::{Difference, DryRun, Finding, ServerAnswer, Side};

use super::changed::{behavior, metrics, spec};
use super::next::next_up;
use super::{sides, view};

/// A group of lines about the same thing, each with the side that it is of.
pub(in crate::render) struct Section {
    /// What the lines are about.
    pub(in crate::render) title: &'static str,
    /// The side, and what is to be said of it.
    pub(in crate::render) rows: Vec<(String, String)>,
}

/// What is to be said beside the table, in its order.
pub(in crate::render) fn groups(dry_run: &DryRun, options: &TextOptions) -> Vec<Section> {
    let all = [
        group("Verdict", dry_run, |side| verdicts(side, options)),
        next_up(dry_run, options),
        group("Spec", dry_run, |side| difference(side, spec)),
        group("Behavior", dry_run, |side| behavior(side, options)),
        group("Metrics", dry_run, |side| difference(side, metrics)),
        group("Found", dry_run, |side| {
            let is_new = dry_run.current.is_none();
            let findings = is_new.then(|| findings(&side.trace.findings));
            findings.unwrap_or_default()
        }),
        group("Gained", dry_run, |side| {
            difference(side, |it| findings(&it.gained))
        }),
        group("Lost", dry_run, |side| {
            difference(side, |it| findings(&it.lost))
        }),
        group("Server", dry_run, server),
    ];
    let all = all.into_iter();
    all.filter(|group| !group.rows.is_empty()).collect()
}

fn group(title: &'static str, dry_run: &DryRun, rows: impl Fn(&Side) -> Vec<String>) -> Section {
    let sides = sides(dry_run);
    let rows = sides.flat_map(|side| {
        let rows = rows(side).into_iter();
        rows.map(|row| (side.name.clone(), row))
    });
    Section {
        title,
        rows: rows.collect(),
    }
}

fn verdicts(side: &Side, options: &TextOptions) -> Vec<String> {
    let text = verdict::headline(view(&side.trace, options), &side.trace.verdict).text();
    vec![text]
}

/// What is to be said of how a side differs.
pub(super) fn difference(side: &Side, rows: impl Fn(&Difference) -> Vec<String>) -> Vec<String> {
    side.difference.as_deref().map(rows).unwrap_or_default()
}

fn findings(findings: &[Finding]) -> Vec<String> {
    let findings = findings.iter();
    findings
        .map(|finding| {
            let severity = finding.severity.as_str();
            format!("{} ({severity}): {}", finding.code, finding.message)
        })
        .collect()
}

fn server(side: &Side) -> Vec<String> {
    let Some(answer) = &side.server else {
        return Vec::new();
    };
    vec![match answer {
        ServerAnswer::Accepted => "accepted".to_owned(),
        ServerAnswer::FieldsDropped { fields } => {
            format!("accepted, field dropped: {}", fields.join(", "))
        }
        ServerAnswer::FieldsChanged { fields, dropped } => {
            let dropped = match dropped.as_slice() {
                [] => String::new(),
                dropped => format!("; field dropped: {}", dropped.join(", ")),
            };
            let changed = fields.join(", ");
            format!("accepted, changed by the server: {changed}{dropped}")
        }
        ServerAnswer::Refused { message } => format!("refused: {message}"),
        ServerAnswer::NotAsked { reason } => format!("could not be asked: {reason}"),
    }]
}
