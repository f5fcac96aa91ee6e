//! Policies and bounds, with their arithmetic.

use crate::api::SelectPolicy;
use crate::render::block::Prose;
use crate::render::text::remembered::{Amount, Row, is_within, kind, rows, time_of};
use crate::render::text::words::{self, View};
use crate::trace::{Hold, Knowledge, LimitRecord, PolicyRecord, Recalled, Rule};

use super::{NAME, below, stage, table};

/// Of more changes than this, the times are left to `-v`.
const MOST_TIMES: usize = 2;

/// How far the policies go, or without them a pass; nothing where nothing
/// was to be limited.
pub(super) fn rate(view: View, limit: &LimitRecord) -> Option<String> {
    // How far up a pass can go tells nothing on the way down.
    let is_low = limit.result < view.current() || limit.result <= view.trace.bounds.min_replicas;
    if is_low && limit.rule == Rule::LimitDoubling {
        return None;
    }
    let text = match (limit.rule, limit.rate_limit) {
        (Rule::LimitScaleDown, Some(rate)) => format!("policies down to {rate}"),
        (Rule::LimitScaleUp, Some(rate)) => format!("policies up to {rate}"),
        (_, Some(rate)) => format!("to {rate} at most in one pass"),
        (_, None) => return None,
    };
    Some(text)
}

/// The same behind what came first.
fn with_rate(view: View, text: String, limit: &LimitRecord) -> String {
    match rate(view, limit) {
        Some(rate) => format!("{text} ({rate})"),
        None => text,
    }
}

/// Renders the stage.
pub(super) fn limit(view: View, record: &LimitRecord) -> Vec<Prose> {
    let bounds = view.trace.bounds;
    let within = format!("bounds {}..{}", bounds.min_replicas, bounds.max_replicas);
    let value = format!("{} → {}", record.stabilized, record.result);
    let (name, text) = match record.hold() {
        None => {
            let recommended = view.trace.recommended();
            let keeps = match record.result {
                max if max == bounds.max_replicas && recommended > Some(max) => {
                    format!("; maxReplicas {max} would keep it as well")
                }
                min if min == bounds.min_replicas && recommended < Some(min) => {
                    format!("; minReplicas {min} would keep it as well")
                }
                size if size == bounds.max_replicas || size == bounds.min_replicas => String::new(),
                _ => ", not reached".to_owned(),
            };
            let text = with_rate(view, format!("{within}{keeps}"), record);
            return vec![stage("limits", &record.result.to_string(), &text)];
        }
        Some(Hold::MaxReplicas) => {
            let bound = format!("maxReplicas {}", bounds.max_replicas);
            ("bounds", with_rate(view, bound, record))
        }
        Some(Hold::MinReplicas) => {
            let bound = format!("minReplicas {}", bounds.min_replicas);
            ("bounds", with_rate(view, bound, record))
        }
        Some(Hold::Doubling) => {
            let twice = format!(
                "at most twice {} or 4, whichever is larger; {within}",
                view.current()
            );
            ("limit", twice)
        }
        Some(_) => return policies(view, record, &value, &within),
    };
    vec![stage(name, &value, &text)]
}

/// The policies with their arithmetic.
fn policies(view: View, record: &LimitRecord, value: &str, within: &str) -> Vec<Prose> {
    let select = record.select_policy.unwrap_or(SelectPolicy::Max);
    let text = format!("selectPolicy {select}; {within}");
    let mut lines = vec![stage("policy", value, &text)];
    if select == SelectPolicy::Disabled {
        return lines;
    }
    let first = record.policies.iter().position(|policy| policy.selected);
    let order = shown(view, record, first);
    for at in &order {
        lines.push(arithmetic(&record.policies[*at], Some(*at) == first));
    }
    if order.len() < record.policies.len() {
        let more = record.policies.len() - order.len();
        lines.push(below(format!("and {more} more")));
    }
    if let Some(policy) = first.and_then(|at| record.policies.get(at)) {
        lines.extend(behind(record, policy));
        lines.extend(period(view, policy));
    } else {
        lines.extend(table(view, &changes(view)));
    }
    lines
}

/// The policies that fit, in the spec's order; the selected one always does.
fn shown(view: View, record: &LimitRecord, first: Option<usize>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..record.policies.len()).collect();
    order.sort_by_key(|at| Some(*at) != first);
    order.truncate(view.most(4));
    order.sort_unstable();
    order
}

/// A policy with its arithmetic, and the mark of what decides.
fn arithmetic(policy: &PolicyRecord, is_marked: bool) -> Prose {
    let mark = if is_marked { "▶ " } else { "  " };
    let name = words::policy(policy);
    let lead = format!("{:NAME$}{mark}{name:<17} ", "");
    Prose::behind(lead, &policy.formula)
}

/// A policy may only slow a change down, never turn it round.
fn behind(record: &LimitRecord, policy: &PolicyRecord) -> Option<Prose> {
    let (limit, result) = (policy.limit, record.result);
    let text = format!("a limit of {limit} would reverse the change, so {result} stays");
    (limit != result).then(|| below(text))
}

/// Where the size at the start of the period comes from.
fn period(view: View, policy: &PolicyRecord) -> Option<Prose> {
    if view.trace.remembered == Knowledge::Unknown {
        let text = "recent changes are unknown, but make no difference here";
        return Some(below(text));
    }
    let changes = match (policy.added, policy.removed) {
        (0, 0) => return None,
        (added, 0) => format!("− {added} added"),
        (0, removed) => format!("+ {removed} removed"),
        (added, removed) => format!("− {added} added + {removed} removed"),
    };
    let (start, now, seconds) = (policy.period_start, view.current(), policy.period_seconds);
    let text = format!("{start} = {now} now {changes} in the last {seconds}s");
    let times = times(view, policy);
    let times = times.map_or_else(String::new, |times| format!(" ({times})"));
    let uncounted = policy.uncounted.map_or_else(String::new, |it| {
        format!("; in this release the {it} changed the other way do not count")
    });
    Some(below(format!("{text}{times}{uncounted}")))
}

/// When these changes were made and where they are known from, if all of
/// them are known and few.
fn times(view: View, policy: &PolicyRecord) -> Option<String> {
    let recollection = &view.trace.recollection;
    let seconds = i64::from(policy.period_seconds);
    let within = |events: &'_ [Recalled], sum: i32| {
        let events = events.iter();
        let events = events.filter(|event| is_within(view, event, seconds));
        let events: Vec<Recalled> = events.cloned().collect();
        let counts = events.iter().map(|event| i64::from(event.replicas.from));
        (counts.sum::<i64>() == i64::from(sum)).then_some(events)
    };
    let added = within(&recollection.scale_up_events, policy.added)?;
    let removed = within(&recollection.scale_down_events, policy.removed)?;
    let changes = [added, removed].concat();
    if changes.is_empty() || changes.len() > MOST_TIMES {
        return None;
    }
    let texts = changes.iter().map(|change| {
        let time = time_of(view, change);
        format!("{time} {}", kind(change.source.kind))
    });
    Some(texts.collect::<Vec<_>>().join(", "))
}

/// The changes that can count, each way; together where the same is known of
/// both.
pub(super) fn changes(view: View) -> Vec<Row> {
    let recollection = &view.trace.recollection;
    let most = view.most(4);
    let (up, down) = (
        &recollection.scale_up_events,
        &recollection.scale_down_events,
    );
    if up == down {
        return rows(view, up, None, Amount::Changed, most);
    }
    let mut changes = rows(view, up, None, Amount::Added, most);
    changes.extend(rows(view, down, None, Amount::Removed, most));
    changes
}
