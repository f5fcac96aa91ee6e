//! What happened to the recommendation: tolerance, stabilization, policies,
//! bounds.
//!
//! A stage that changed the number is shown with its arithmetic; those that
//! did not share a line.

mod limit;

use crate::render::block::Prose;
use crate::trace::{LimitRecord, MetricRecord, Recalled, Rule, StabilizationRecord, WindowEdge};

use super::origin;
use super::remembered::{
    self, Amount, Holder, Row, can_be_within, holder, is_known, recommendations, rows,
};
use super::words::{View, certain_count, ratio, tolerated, window};

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
                lines.extend(limit::limit(view, limit));
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
    let most = view.most(6);
    let mut entries = rows(view, &recalled, None, Amount::Recommended, most);
    entries.extend(left_by_a_restart(view, recommended, &recalled));
    if !entries.is_empty() && most > 1 {
        entries.push(this_pass(recommended));
    }
    entries.extend(limit::changes(view));
    if entries.is_empty() {
        return Vec::new();
    }
    if most > 1 {
        entries.insert(0, Row::titles());
    }
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
        source: vec![
            format!("an unseen controller restart could raise it to {largest}"),
            format!("a restart: up to {largest}"),
        ],
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
    parts.extend(limit::rate(view, limit));
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
    let most = view.most(6);
    let mut rows = rows(view, &recalled, decides, Amount::Recommended, most);
    for row in rows.iter_mut().filter(|row| row.is_marked) {
        row.note = note(view, record, holder.as_ref());
    }
    if rows.is_empty() {
        let text = "the memory is unknown, but makes no difference here";
        return vec![below(text)];
    }
    if most > 1 {
        rows.insert(0, Row::titles());
        rows.push(this_pass(record.recommendation));
    }
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
        source: vec!["this pass".to_owned()],
        ..Row::default()
    }
}
