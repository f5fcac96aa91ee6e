//! What the bounds do to the size.

use std::cmp::Ordering;

use crate::trace::{Code, Finding, Hold, MetricRecord, Rule, Severity, Trace};

use super::Case;
use super::reach::{runaway, seems_idle};
use super::words::asks;

/// The metrics ask for more than `maxReplicas`, or for just that.
pub(super) fn at_max(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let max = trace.bounds.max_replicas;
    let Some(asked) = trace.asked() else {
        return;
    };
    let is_there = trace.outcome.current_replicas == max;
    let at = if is_there {
        "at"
    } else if trace.outcome.desired_replicas == Some(max) {
        "goes to"
    } else {
        return;
    };
    match asked.cmp(&max) {
        Ordering::Greater => {
            let more = i64::from(asked) - i64::from(max);
            let message = format!(
                "{at} maxReplicas {max}; {}, {more} more",
                asks(trace, asked)
            );
            let finding =
                Finding::new(Code::AtMax, message).fact("spec.maxReplicas", max.to_string());
            // More pods may be in vain, and what to do then is told beside it.
            let is_in_vain = runaway(trace).is_some() || seems_idle(case, trace).is_some();
            findings.push(if is_in_vain {
                finding
            } else {
                finding
                    .advice("raise maxReplicas if the cluster has the room, or make a pod do more")
            });
        }
        Ordering::Equal if is_there => {
            let message = format!("at maxReplicas {max}, which is just what the metrics ask for");
            findings.push(Finding::new(Code::AtMaxExactly, message));
        }
        _ => {}
    }
}

/// The metrics ask for less than `minReplicas`. A metric that is above its
/// target and asks for less all the same is no sign of an idle app.
pub(super) fn at_min(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let min = trace.bounds.min_replicas;
    let Some(asked) = trace
        .asked()
        .filter(|_| trace.outcome.current_replicas == min)
    else {
        return;
    };
    let first = trace.winner().and_then(|winner| winner.measured.as_ref());
    let last = trace.winner().and_then(MetricRecord::deciding);
    let is_idle = [first, last].iter().flatten().all(|it| it.ratio < 1.0);
    let size = trace.outcome.desired_replicas;
    if asked < min && is_idle && size.is_none_or(|size| size == min) {
        let message = format!("at minReplicas {min}; {}: idle", asks(trace, asked));
        findings.push(Finding::new(Code::AtMin, message));
    }
}

/// The size is outside the bounds.
pub(super) fn out_of_bounds(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let current = trace.outcome.current_replicas;
    let (min, max) = (trace.bounds.min_replicas, trace.bounds.max_replicas);
    let (says, field, bound) = match trace.branch.as_ref().map(|branch| branch.rule) {
        Some(Rule::BranchAboveMax) => ("above maxReplicas", "spec.maxReplicas", max),
        Some(Rule::BranchBelowMin) => ("below minReplicas", "spec.minReplicas", min),
        _ => return,
    };
    let message = format!("{current} is {says} {bound}, which is set at once; no metric has a say");
    findings.push(Finding::new(Code::OutOfBounds, message).fact(field, bound.to_string()));
}

/// The target is at 0, and the HPA leaves it there.
pub(super) fn paused(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    if trace.verdict.hold != Some(Hold::Paused) {
        return;
    }
    let target = trace.target_name();
    let hpa = &case.snapshot.horizontal_pod_autoscaler.metadata;
    let mut owners = hpa.owner_references.iter();
    if let Some(owner) = owners.find(|owner| owner.kind == "ScaledObject") {
        let message = format!("{target} is at 0, from where KEDA, not the HPA, takes it to 1");
        findings.push(
            Finding::new(Code::Paused, message)
                .at_most(Severity::Info)
                .fact(
                    format!("ScaledObject/{}", owner.name),
                    "owns the HPA, and wakes the target when a trigger is active",
                ),
        );
        return;
    }
    let message = format!("{target} is at 0, where the HPA does nothing until its size is set");
    let min = trace.bounds.min_replicas;
    let finding = Finding::new(Code::Paused, message).command(
        "wakes it, if nobody stopped it on purpose; the HPA goes on from there",
        format!(
            "kubectl scale {} --replicas={} {}",
            trace.target_argument(),
            min.max(1),
            trace.namespace_argument()
        ),
    );
    findings.push(if min == 0 {
        finding.fact("spec.minReplicas", zero_text(trace))
    } else {
        finding
    });
}

/// Why a lower bound of 0 does not bring the target back.
fn zero_text(trace: &Trace) -> &'static str {
    let mut settings = trace.basis.settings.iter();
    let gate = settings.find(|setting| setting.name == "HPAScaleToZero");
    if gate.is_some_and(|gate| gate.value == "false") {
        return "0, but the feature gate HPAScaleToZero is off";
    }
    "0, but only an HPA that went to 0 itself, by its condition ScaledToZero, comes back"
}
