//! A metric that for long has asked for nothing that the bounds allow.

use super::Case;
use super::words::{break_points, field};
use crate::history::{PastProposals, past_proposals};
use crate::trace::amount::in_unit_of_target;
use crate::trace::{Code, EvidenceKind, Finding, MetricRecord, Trace, seconds_text};

/// Over a shorter time it says little.
const LONG: i64 = 3_600;

/// A metric has never asked for more than `minReplicas`, or always for more than
/// `maxReplicas`, this pass included.
pub(super) fn beyond_a_bound(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let all = past_proposals(case.snapshot, case.settings, case.now, case.observer);
    for (metric, past) in trace.metrics.iter().zip(all) {
        let is_long = |it: &PastProposals| it.to.duration_since(it.from).as_secs() >= LONG;
        if let Some(past) = past.filter(is_long) {
            findings.extend(of_metric(trace, metric, &past));
        }
    }
}

fn of_metric(trace: &Trace, metric: &MetricRecord, past: &PastProposals) -> Option<Finding> {
    let (min, max) = (trace.bounds.min_replicas, trace.bounds.max_replicas);
    let now = metric.asks_for()?;
    let name = &metric.source.name;
    let of_unit = |value| in_unit_of_target(metric, value);
    let long = seconds_text(past.to.duration_since(past.from).as_secs());
    let sources = past.sources.iter().copied().map(source);
    let sources: Vec<&str> = sources.collect();
    let known = format!(
        "from {} to {}, by {}",
        past.from,
        past.to,
        sources.join(" and ")
    );
    // What it takes is told for the size that there is.
    let is_at = |bound| trace.outcome.current_replicas == bound;
    let finding = if past.replicas.to.max(now) <= min {
        let message = format!("for {long}, {name} has not asked for more than minReplicas {min}");
        let up = break_points(trace, metric).and_then(|points| points.up.as_ref());
        let up = up.filter(|_| is_at(min));
        Finding::new(Code::NeverAboveMin, message)
            .facts(
                past.values
                    .map(|it| (name.clone(), format!("{} at most", of_unit(it.1)))),
            )
            .facts(up.map(|up| {
                let says = format!("asks for more than {min} at {} or more", of_unit(up.value));
                (field(metric), says)
            }))
            .advice("lower minReplicas, or the target, unless so many pods are meant as a reserve")
    } else if past.replicas.from.min(now) > max {
        let message =
            format!("for {long}, {name} has asked for more than maxReplicas {max} in every pass");
        let goal = metric.target.filter(|_| is_at(max));
        Finding::new(Code::AlwaysAboveMax, message)
            .facts(
                past.values
                    .map(|it| (name.clone(), format!("{} at least", of_unit(it.0)))),
            )
            .facts(goal.map(|goal| {
                let says = format!(
                    "asks for no more than {max} at {} or less",
                    of_unit(goal.value)
                );
                (field(metric), says)
            }))
            .advice("raise maxReplicas or the target, or make each pod handle more load")
    } else {
        return None;
    };
    Some(finding.fact("passes that are known", known))
}

/// What tells of passes.
fn source(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::ControllerLog => "the controller's log",
        EvidenceKind::Record => "the record",
        _ => "Prometheus",
    }
}
