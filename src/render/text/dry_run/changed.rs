//! What is to be said beside the table: what another spec changes, in its
//! fields, in the behavior that is in effect, in what each metric asks for and
//! in what is found.

use serde_json::Value;

use crate::render::text::words::View;
use crate::render::text::{TextOptions, verdict};
use crate::trace::amount::counted;
use crate::trace::{
    BehaviorChange, BehaviorValue, Code, Difference, DryRun, FieldChange, Finding, Proposal,
    ServerAnswer, Side, ValueOrigin, below_spec,
};

use super::answer::next_up;
use super::sides;

/// More fields than this are left to the patch.
const MOST_FIELDS: usize = 8;
/// Objects and lists that are longer are not printed in a line.
const MOST_JSON: usize = 30;

/// What lines are about, and the lines, each with the side that it is of.
type Section = (&'static str, Vec<(String, String)>);

/// What is to be said beside the table, in its order.
pub(super) fn groups(dry_run: &DryRun, options: &TextOptions) -> Vec<Section> {
    let mut all = vec![
        group("Verdict", dry_run, |side| verdicts(side, options)),
        ("Next", next_up(dry_run, options)),
        group("Spec", dry_run, |side| difference(side, spec)),
        group("Behavior", dry_run, |side| {
            behavior(side, dry_run.current.is_none(), options)
        }),
        group("Metrics", dry_run, |side| difference(side, metrics)),
        group("Findings", dry_run, |side| {
            let is_new = dry_run.current.is_none();
            let findings = is_new.then(|| findings(side.trace.findings.iter()));
            findings.unwrap_or_default()
        }),
        group("New findings", dry_run, |side| {
            difference(side, |it| findings(it.gained.iter()))
        }),
        group("Resolved findings", dry_run, |side| {
            // Pods without a sample are still there where they no longer decide.
            let is_kept = |it: &&Finding| it.code == Code::Dampened && side.trace.has_set_aside();
            difference(side, |it| {
                findings(it.lost.iter().filter(|it| !is_kept(it)))
            })
        }),
        group("Server", dry_run, server),
    ];
    all.retain(|(_, rows)| !rows.is_empty());
    all
}

fn group(title: &'static str, dry_run: &DryRun, rows: impl Fn(&Side) -> Vec<String>) -> Section {
    let sides = sides(dry_run);
    let rows = sides.flat_map(|side| {
        let rows = rows(side).into_iter();
        rows.map(|row| (side.name.clone(), row))
    });
    (title, rows.collect())
}

fn verdicts(side: &Side, options: &TextOptions) -> Vec<String> {
    let text = verdict::headline(View::of(&side.trace, options), &side.trace.verdict).text();
    vec![text]
}

/// What is to be said of how a side differs.
fn difference(side: &Side, rows: impl Fn(&Difference) -> Vec<String>) -> Vec<String> {
    side.difference.as_deref().map(rows).unwrap_or_default()
}

fn findings<'f>(findings: impl Iterator<Item = &'f Finding>) -> Vec<String> {
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
            format!("accepted; the server drops {}", fields.join(", "))
        }
        ServerAnswer::FieldsChanged { fields, dropped } => {
            let dropped = match dropped.as_slice() {
                [] => String::new(),
                dropped => format!("; it drops {}", dropped.join(", ")),
            };
            let changed = fields.join(", ");
            format!("accepted; the server changes {changed}{dropped}")
        }
        ServerAnswer::Refused { message } => format!("refused: {message}"),
        ServerAnswer::NotAsked { reason } => format!("not asked: {reason}"),
    }]
}

/// The fields and metrics that another spec no longer has.
pub(super) fn removed(difference: &Difference) -> impl Iterator<Item = String> {
    let removed = difference.spec.iter().filter(|change| change.to.is_none());
    removed.map(named)
}

/// A field without the `spec.` in front; a metric with its name.
fn named(change: &FieldChange) -> String {
    let field = below_spec(&change.field);
    match &change.metric {
        Some(metric) => format!("{field} {metric}"),
        None => field.to_owned(),
    }
}

/// Each field.
fn spec(difference: &Difference) -> Vec<String> {
    let changes = difference.spec.iter().take(MOST_FIELDS);
    let mut rows: Vec<String> = changes
        .map(|change| {
            let FieldChange { from, to, .. } = change;
            let says = match (&change.metric, to) {
                (Some(_), None) => "removed".to_owned(),
                (Some(_), Some(_)) => "added".to_owned(),
                _ => format!("{} → {}", short(from.as_ref()), short(to.as_ref())),
            };
            format!("{}: {says}", named(change))
        })
        .collect();
    if let more @ 1.. = difference.spec.len().saturating_sub(MOST_FIELDS) {
        rows.push(format!("and {}", counted(more, "more field")));
    }
    rows
}

/// A value; of a whole object or list, that there is one: the patch has it.
fn short(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "not set".to_owned();
    };
    let json = value.to_string();
    let is_whole = value.is_object() || value.is_array();
    if is_whole && json.len() > MOST_JSON {
        return "set".to_owned();
    }
    json
}

/// The values that differ, or with `-v` and for a new HPA all.
fn behavior(side: &Side, is_new: bool, options: &TextOptions) -> Vec<String> {
    let whole = |value: &BehaviorValue| format!("{}: {}", value.field, with_origin(value));
    if side.difference.is_none() || options.verbosity > 0 {
        let is_shown = options.verbosity > 0 || is_new;
        let values = side.behavior.iter().filter(|_| is_shown);
        return values.map(whole).collect();
    }
    difference(side, |difference| {
        // The defaults do what the older algorithm does, in these.
        let is_shown = |change: &&BehaviorChange| {
            let origins = [change.now.origin, change.instead.origin];
            let is_flag = |it: &ValueOrigin| ValueOrigin::FLAGS.contains(it);
            change.now.value != change.instead.value || origins.iter().any(is_flag)
        };
        let changes = difference.behavior.iter().filter(is_shown);
        let texts = changes.map(|change| {
            let [from, to] = [&change.now, &change.instead].map(with_origin);
            format!("{}: {from} → {to}", change.now.field)
        });
        texts.collect()
    })
}

fn with_origin(value: &BehaviorValue) -> String {
    format!("{} ({})", value.value, value.origin.says())
}

/// The metrics that ask for another size.
fn metrics(difference: &Difference) -> Vec<String> {
    let changes = difference.metrics.iter();
    let texts = changes.map(|change| {
        let [from, to] = [change.now, change.instead].map(recommended);
        format!("{}: asks for {from} → {to}", change.metric)
    });
    texts.collect()
}

fn recommended(proposal: Option<Proposal>) -> String {
    match proposal {
        None => "nothing (not in the spec)".to_owned(),
        Some(Proposal { replicas: None }) => "nothing (no value)".to_owned(),
        Some(Proposal {
            replicas: Some(count),
        }) => count.to_string(),
    }
}
