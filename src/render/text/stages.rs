//! What happened to the recommendation: tolerance, stabilization, policies,
//! bounds.
//!
//! A stage that changed the number is shown with its arithmetic; those that
//! did not share a line.

use super::origin;
use super::remembered::{
    self, Amount, Holder, Row, can_be_within, holder, is_known, is_within, kind, recommendations,
    rows, time_of,
};
use super::words::{self, View, certain_count, ratio, tolerated, window};
use crate::api::SelectPolicy;
use crate::render::block::Prose;
use crate::trace::{
    Hold, Knowledge, LimitRecord, MetricRecord, PolicyRecord, Recalled, Rule, StabilizationRecord,
    WindowEdge,
};

/// The columns of a stage's name.
const NAME: usize = 11;

/// Renders the stages.
pub(super) fn stages(view: View) -> Vec<Prose> {
    let trace = view.trace;
    let mut lines: Vec<Prose> = tolerance(view).into_iter().collect();
    match (&trace.stabilization, &trace.limit) {
        (Some(stabilization), Some(limit)) => {
            let is_held = stabilization.result != stabilization.recommendation;
            if is_held || limit.limited {
                lines.extend(stabilize(view, stabilization));
                lines.extend(limited(view, limit));
            } else {
                lines.push(untouched(view, stabilization, limit));
            }
        }
        _ => lines.extend(unknown(view)),
    }
    if let Some(clamp) = &trace.zero_clamp {
        let value = format!("{} → {}", clamp.from, clamp.to);
        let text = "a workload that was scaled to zero comes back with minReplicas";
        lines.push(stage("from zero", &value, text));
    }
    lines
}

/// One stage: its name, what it made of the number, and why.
fn stage(name: &str, value: &str, text: &str) -> Prose {
    Prose::behind(format!("  {name:<NAME$}{value}  "), text)
}

/// Lines that belong to the stage above.
fn below(text: impl Into<String>) -> Prose {
    Prose::behind(format!("{:NAME$}  ", ""), text)
}

/// A table that belongs to the stage above.
fn table(view: View, rows: &[Row]) -> Vec<Prose> {
    remembered::lines(view, rows, NAME + 2)
}

/// The winner's tolerance, or what was filled in for it, where that is what
/// keeps the size.
fn tolerance(view: View) -> Option<Prose> {
    let recommendation = view.trace.recommendation.as_ref();
    let decides = recommendation.is_some_and(|record| record.rule == Rule::RecommendationLargest);
    let winner = view.trace.winner().filter(|_| decides)?;
    let rule = winner.proposed().map(|proposed| proposed.rule);
    let lead = match rule {
        Some(Rule::ReplicasReversed | Rule::ReplicasOpposed) => "  filled in  ",
        _ => "  tolerance  ",
    };
    tolerance_text(view, winner).map(|text| Prose::behind(lead, text))
}

fn tolerance_text(view: View, metric: &MetricRecord) -> Option<String> {
    let proposed = metric.proposed()?;
    let first = metric.measured.as_ref()?;
    let filled = metric.filled_in.as_ref();
    let second = filled.map_or(first, |filled| &filled.measured);
    let (replicas, value) = (proposed.replicas, ratio(second));
    let text = match proposed.rule {
        Rule::AverageTolerated if replicas != view.current() => format!(
            "{value} is inside {}, so it takes the {replicas} replicas of the target's status",
            tolerated(second)
        ),
        Rule::ReplicasTolerated
        | Rule::ReplicasToleratedFilledIn
        | Rule::ValueTolerated
        | Rule::AverageTolerated => format!(
            "{value} is inside {}, so it stays at {replicas}",
            tolerated(second)
        ),
        Rule::ReplicasReversed => format!(
            "with these pods the ratio {} becomes {value}, on the other side of 1, so it stays at \
             {replicas}",
            ratio(first)
        ),
        Rule::ReplicasOpposed if view.options.verbosity == 0 => {
            format!("with these pods the result would go the other way, so it stays at {replicas}")
        }
        Rule::ReplicasOpposed => proposed.formula.clone(),
        _ => return None,
    };
    Some(text)
}

/// What is left to say where the pass has no record of the later stages,
/// because what the controller remembers decides.
fn unknown(view: View) -> Vec<Prose> {
    let recommendation = view.trace.recommendation.as_ref();
    let outcome = &view.trace.outcome;
    let recommended = recommendation.and_then(|recommendation| recommendation.replicas);
    let (Some(recommended), Rule::Undecided) = (recommended, outcome.rule) else {
        return Vec::new();
    };
    let Some(range) = outcome.possible else {
        return Vec::new();
    };
    let value = format!("{recommended} → {}..{}", range.from, range.to);
    let table = remembered_of_all(view, recommended);
    let text = if table.is_empty() {
        "the controller's memory decides, and it is unknown"
    } else {
        "the controller's memory decides"
    };
    [stage("limits", &value, text)]
        .into_iter()
        .chain(table)
        .collect()
}

/// The recommendations and changes that can count.
fn remembered_of_all(view: View, recommended: i32) -> Vec<Prose> {
    let recalled = recommendations(view);
    let mut entries = rows(view, &recalled, None, Amount::Recommended, view.most(6));
    entries.extend(left_by_a_restart(view, recommended, &recalled));
    if !entries.is_empty() {
        entries.push(this_pass(recommended));
    }
    entries.extend(changes(view));
    if entries.is_empty() {
        return Vec::new();
    }
    entries.insert(0, Row::titles());
    table(view, &entries)
}

/// Where sizes are possible that no recommendation of the list leads to: one
/// of before a restart that nobody saw, or at it.
fn left_by_a_restart(view: View, recommended: i32, recalled: &[Recalled]) -> Option<Row> {
    let largest = view.trace.outcome.possible?.to;
    let is_reported = |entry: &Recalled| entry.replicas.to.is_none_or(|most| most >= largest);
    let is_other = largest > recommended.max(view.current()) && !recalled.iter().any(is_reported);
    let may_be = view.trace.recollection.may_have_restarted;
    (is_other && may_be).then(|| Row {
        age: "any age".to_owned(),
        value: "unknown".to_owned(),
        source: format!("an unseen controller restart could raise it to {largest}"),
        ..Row::default()
    })
}

/// Neither stage changed the number.
fn untouched(view: View, record: &StabilizationRecord, limit: &LimitRecord) -> Prose {
    let bounds = view.trace.bounds;
    let bounds = format!("bounds {}..{}", bounds.min_replicas, bounds.max_replicas);
    let windows = match record.up {
        _ if !is_known(view) => names(record),
        Some(_) => format!("{} hold nothing", names(record)),
        None => format!("{} holds nothing", names(record)),
    };
    let mut parts = vec![windows];
    parts.extend(rate(view, limit));
    parts.push(bounds);
    let how = match certain_count(view) {
        Some(_) => "none applies, whatever is in the controller's memory",
        None => "none applies",
    };
    let text = format!("{how} ({})", parts.join(", "));
    stage("limits", &limit.result.to_string(), &text)
}

/// The windows by their lengths.
fn names(record: &StabilizationRecord) -> String {
    let down = window(record.down.window_seconds);
    match record.up {
        Some(up) => format!("windows {} up, {down} down", window(up.window_seconds)),
        None => format!("window {down}"),
    }
}

/// Renders the stage.
fn stabilize(view: View, record: &StabilizationRecord) -> Vec<Prose> {
    let (from, to) = (record.recommendation, record.result);
    if from == to {
        let text = if is_known(view) {
            format!("no older recommendation holds it back ({})", names(record))
        } else {
            format!("makes no difference here ({})", names(record))
        };
        return vec![stage("stabilize", &from.to_string(), &text)];
    }
    let is_up = from > to;
    let (edge, kind) = match record.up {
        Some(up) if is_up => (up, "lowest"),
        _ => (record.down, "highest"),
    };
    let effect = if edge.value == to || !is_known(view) {
        "applies".to_owned()
    } else {
        format!("is {}, so {to} stays", edge.value)
    };
    let text = format!(
        "the {kind} recommendation of the last {} {effect}",
        window(edge.window_seconds)
    );
    let text = format!("{text} ({})", source(view, record, &edge, is_up));
    let first = stage("stabilize", &format!("{from} → {to}"), &text);
    let entries = entries(view, record, &edge, is_up);
    [first].into_iter().chain(entries).collect()
}

/// Where the window's length comes from.
fn source(view: View, record: &StabilizationRecord, edge: &WindowEdge, is_up: bool) -> String {
    if edge.from_spec {
        return "spec".to_owned();
    }
    if is_up {
        return "default".to_owned();
    }
    let name = "--horizontal-pod-autoscaler-downscale-stabilization";
    let setting = view.trace.basis.setting(name);
    let flag = setting.map_or_else(
        || "controller flag".to_owned(),
        |setting| format!("controller flag, {}", origin(setting.origin)),
    );
    if record.up.is_none() {
        return format!("no behavior; {flag}");
    }
    flag
}

/// The remembered recommendations that can count, the one that holds among
/// them.
fn entries(view: View, record: &StabilizationRecord, edge: &WindowEdge, is_up: bool) -> Vec<Prose> {
    let mut recalled = recommendations(view);
    recalled.retain(|entry| can_be_within(view, entry, edge.window_seconds));
    let holder = holder(view, record, edge, is_up);
    let decides = holder.as_ref().map(|holder| &holder.recalled);
    let mut rows = rows(view, &recalled, decides, Amount::Recommended, view.most(6));
    for row in rows.iter_mut().filter(|row| row.is_marked) {
        row.note = note(view, record, holder.as_ref());
    }
    if rows.is_empty() {
        let text = "the memory is unknown, but makes no difference here";
        return vec![below(text)];
    }
    rows.insert(0, Row::titles());
    rows.push(this_pass(record.recommendation));
    table(view, &rows)
}

/// What the entry that decides does, and for how long; where others can
/// follow it, the next step's bounds tell that.
fn note(view: View, record: &StabilizationRecord, holder: Option<&Holder>) -> String {
    let until = holder.and_then(|holder| holder.until);
    match until.filter(|_| is_known(view)) {
        Some(until) => format!("holds {} until {}", record.result, view.moment(until)),
        None => format!("holds {}", record.result),
    }
}

/// What this pass itself adds.
fn this_pass(recommendation: i32) -> Row {
    Row {
        age: "now".to_owned(),
        value: recommendation.to_string(),
        source: "this pass".to_owned(),
        ..Row::default()
    }
}

/// Of more changes than this, the times are left to `-v`.
const MOST_TIMES: usize = 2;

/// How far the policies go, or without them a pass; nothing where nothing
/// was to be limited.
fn rate(view: View, limit: &LimitRecord) -> Option<String> {
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

/// Renders the stage.
fn limited(view: View, record: &LimitRecord) -> Vec<Prose> {
    let bounds = view.trace.bounds;
    let within = format!("bounds {}..{}", bounds.min_replicas, bounds.max_replicas);
    let value = format!("{} → {}", record.stabilized, record.result);
    let rate = rate(view, record).map_or_else(String::new, |rate| format!(" ({rate})"));
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
            let text = format!("{within}{keeps}{rate}");
            return vec![stage("limits", &record.result.to_string(), &text)];
        }
        Some(Hold::MaxReplicas) => {
            let text = format!("maxReplicas {}{rate}", bounds.max_replicas);
            ("bounds", text)
        }
        Some(Hold::MinReplicas) => {
            let text = format!("minReplicas {}{rate}", bounds.min_replicas);
            ("bounds", text)
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
        let policy = &record.policies[*at];
        // What decides is marked.
        let mark = if Some(*at) == first { "▶ " } else { "  " };
        let name = words::policy(policy);
        let lead = format!("{:NAME$}{mark}{name:<17} ", "");
        lines.push(Prose::behind(lead, &policy.formula));
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

/// The first few policies, in the spec's order; the selected one always does.
fn shown(view: View, record: &LimitRecord, first: Option<usize>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..record.policies.len()).collect();
    order.sort_by_key(|at| Some(*at) != first);
    order.truncate(view.most(4));
    order.sort_unstable();
    order
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
fn changes(view: View) -> Vec<Row> {
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
