//! What the spec's `behavior` does that its writer may not expect.

use crate::api::Behavior;
use crate::diagnose::shared_findings;
use crate::trace::{Code, Finding, Hold, Severity, Trace, seconds_text};

use super::Case;
use super::words::{asks, current, side};

/// A direction that is switched off, where the metrics ask for it.
pub(super) fn disabled(_case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let (Some(limit), Some(asked)) = (&trace.limit, trace.asked()) else {
        return;
    };
    let Some(side) = side(limit).filter(|_| limit.hold() == Some(Hold::Disabled)) else {
        return;
    };
    let message = format!(
        "{side}.selectPolicy Disabled keeps {}; {}",
        limit.result,
        asks(trace, asked)
    );
    let finding = Finding::new(Code::BehaviorDisabled, message)
        .fact(format!("spec.behavior.{side}.selectPolicy"), "Disabled")
        .patch(
            "allows this direction again",
            format!("spec:\n  behavior:\n    {side}:\n      selectPolicy: Max"),
        );
    findings.push(match side {
        "scaleDown" => finding.at_most(Severity::Info),
        _ => finding,
    });
}

/// A `behavior` that sets nothing, where none at all would lead elsewhere.
pub(super) fn empty(case: &Case, trace: &Trace, findings: &mut Vec<Finding>) {
    let behavior = case.behavior();
    if behavior != Some(&Behavior::of_defaults()) || trace.asked() == current(trace) {
        return;
    }
    let without = case.under(trace, |spec| spec.behavior = None);
    let (Some(with), Some(without)) = (trace.outcome.desired_replicas, without) else {
        return;
    };
    if with == without {
        return;
    }
    let window = seconds_text(case.settings.downscale_stabilization_seconds());
    let finding = Finding::new(
        Code::BehaviorEmpty,
        format!("an empty behavior leads to {with}, none at all would lead to {without}"),
    );
    findings.push(shared_findings::empty_behavior(finding, &window));
}
