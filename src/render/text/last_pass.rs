//! The controller's last pass, as the HPA's status shows it: all that there
//! is to go by where we may not read what it reads.

use crate::trace::{Condition, Rule};

use super::page::Line;
use super::words::View;

/// Whether the scale itself may not be read, so that even the current size
/// comes from the status.
pub(super) fn is_blind(view: View) -> bool {
    let scale = view.trace.scale.as_ref();
    scale.is_some_and(|scale| scale.rule == Rule::ScaleUnreadable)
}

/// Renders what the status shows, where the answer has to rest on it, or
/// where a failure here is none there.
pub(super) fn last_pass(view: View) -> Vec<Line> {
    let trace = view.trace;
    let recommendation = trace.recommendation.as_ref();
    let is_unreadable =
        recommendation.is_some_and(|record| record.rule == Rule::RecommendationUnreadable);
    let is_open = view.options.live && trace.outcome.desired_replicas.is_none();
    let fails_here = trace.conditions.iter().any(fails);
    let failed_before = trace.reported.conditions.iter().any(fails);
    let differs = view.options.live && fails_here && !failed_before;
    if !(is_unreadable || is_open || differs || is_blind(view)) {
        return Vec::new();
    }
    let reported = &view.trace.reported;
    let mut parts = vec![format!(
        "{}* replicas, {}* wanted",
        reported.current_replicas, reported.desired_replicas
    )];
    parts.extend(reported.last_scale_time.map(|at| {
        let (time, age) = (view.time(at), view.age(at));
        format!("last change {time}, {age} ago")
    }));
    parts.extend(reported.conditions.iter().map(|it| condition(view, it)));
    let text = format!("by the HPA's status: {}", parts.join("; "));
    view.page
        .brief("Last   ", &text, view.most(&[8, 5, 4, 3, 2]))
}

/// A condition, with its sentence where it says that something fails.
fn condition(view: View, condition: &Condition) -> String {
    let (kind, reason) = (view.name(&condition.kind), view.name(&condition.reason));
    let status = view.name(&condition.status);
    if fails(condition) {
        let message = view.page.reason(&condition.message, 240);
        return format!("{kind} {status} ({reason}: {message})");
    }
    format!("{kind} {status} ({reason})")
}

/// Whether a condition says that the controller cannot do its work.
pub(super) fn fails(condition: &Condition) -> bool {
    matches!(condition.kind.as_str(), "AbleToScale" | "ScalingActive")
        && condition.status == "False"
        && condition.reason != "ScalingDisabled"
}
