//! What another spec changes: its fields, the behavior that is in effect, what
//! each metric asks for.

use crate::render::text::TextOptions;
use crate::trace::{
    BehaviorChange, BehaviorValue, Difference, FieldChange, MetricChange, Proposal, Side,
    ValueOrigin,
};

use super::groups::difference;

/// More fields than this are left to the patch.
const MOST_FIELDS: usize = 8;
/// Objects and lists that are longer are not printed in a line.
const MOST_JSON: usize = 30;

/// Each field.
pub(super) fn spec(difference: &Difference) -> Vec<String> {
    let changes = difference.spec.iter().take(MOST_FIELDS);
    let mut rows: Vec<String> = changes
        .map(|change| {
            let FieldChange { from, to, .. } = change;
            let field = change.field.trim_start_matches("spec.");
            match (&change.metric, to) {
                (Some(metric), None) => format!("{field} {metric}: removed"),
                (Some(metric), Some(_)) => format!("{field} {metric}: added"),
                _ => format!("{field}: {} → {}", short(from.as_ref()), short(to.as_ref())),
            }
        })
        .collect();
    if let more @ 1.. = difference.spec.len().saturating_sub(MOST_FIELDS) {
        rows.push(format!("and {more} more fields"));
    }
    rows
}

/// A value; of a whole object or list, that there is one: the patch has it.
fn short(value: Option<&String>) -> String {
    match value {
        None => "not set".to_owned(),
        Some(json) if json.starts_with(['{', '[']) && json.len() > MOST_JSON => "set".to_owned(),
        Some(json) => json.clone(),
    }
}

/// The values that differ, or with `-v` and for a new HPA all.
pub(super) fn behavior(side: &Side, options: &TextOptions) -> Vec<String> {
    let whole = |value: &BehaviorValue| format!("{}: {}", value.field, with_origin(value));
    if side.difference.is_none() || options.verbosity > 0 {
        let is_shown = options.verbosity > 0 || side.name != "now";
        let values = side.behavior.iter().filter(|_| is_shown);
        return values.map(whole).collect();
    }
    difference(side, |difference| {
        // The defaults do what the older algorithm does, in these.
        let is_told = |change: &&BehaviorChange| {
            let origins = [change.now.origin, change.instead.origin];
            let is_flag = |it: &ValueOrigin| ValueOrigin::FLAGS.contains(it);
            change.now.value != change.instead.value || origins.iter().any(is_flag)
        };
        let changes = difference.behavior.iter().filter(is_told);
        let texts = changes.map(|change| {
            let (now, instead) = (&change.now, &change.instead);
            format!(
                "{}: {} → {}",
                now.field,
                with_origin(now),
                with_origin(instead)
            )
        });
        texts.collect()
    })
}

fn with_origin(value: &BehaviorValue) -> String {
    format!("{} ({})", value.value, value.origin.says())
}

/// The metrics that ask for another size.
pub(super) fn metrics(difference: &Difference) -> Vec<String> {
    let changes = difference.metrics.iter();
    changes
        .map(|change| {
            let MetricChange {
                metric,
                now,
                instead,
            } = change;
            format!("{metric}: asks for {} → {}", asked(*now), asked(*instead))
        })
        .collect()
}

fn asked(proposal: Option<Proposal>) -> String {
    match proposal {
        None => "nothing, it is not there".to_owned(),
        Some(Proposal { replicas: None }) => "nothing: no number".to_owned(),
        Some(Proposal {
            replicas: Some(count),
        }) => count.to_string(),
    }
}
