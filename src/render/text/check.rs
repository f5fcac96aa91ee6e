//! The controller's last pass, as the HPA's status shows it: held against
//! this one, and all that there is to go by where we may not read what it
//! reads.

use std::fmt::Write;

use super::page::Tone;
use super::words::View;
use crate::api::Condition;
use crate::render::block::Prose;
use crate::trace::{Check, CheckVerdict, Rule};

/// Whether the scale itself may not be read, so that even the current size
/// comes from the status.
pub(super) fn is_blind(view: View) -> bool {
    let scale = view.trace.scale.as_ref();
    scale.is_some_and(|scale| scale.rule == Rule::ScaleUnreadable)
}

/// Renders how this pass compares with the last one. Where the answer has to
/// rest on the status, or a failure here is none there, the status is all
/// that can be told.
pub(super) fn check(view: View) -> Vec<Prose> {
    let status = rests_on_status(view).then(|| status(view));
    match (&view.trace.check, status) {
        (Some(check), None) => compared(view, check),
        (Some(check), Some(status)) if check.verdict == CheckVerdict::Unexplained => {
            let mut rows = compared(view, check);
            rows.push(Prose::behind("       ", status));
            rows
        }
        (Some(_), Some(status)) => vec![Prose::behind("Check  ", status)],
        (None, Some(status)) => vec![Prose::behind("Status ", status)],
        (None, None) => Vec::new(),
    }
}

fn compared(view: View, check: &Check) -> Vec<Prose> {
    let row = Prose::behind("Check  ", text(view, check));
    if check.verdict != CheckVerdict::Unexplained {
        return vec![row];
    }
    // How to hand on what nobody can explain; a file can be handed on as it is.
    let command = view.trace.kubectl_hpa("kubectl hpa-explain capture");
    let command = command.and("--file capture.yaml");
    let capture = view
        .options
        .live
        .then(|| Prose::command("       ", &command));
    [row.toned(Tone::Warn)].into_iter().chain(capture).collect()
}

/// The comparison, with what the last pass left and what differs.
fn text(view: View, check: &Check) -> String {
    // A pass that changes nothing leaves no time: it is that of the status.
    let pass = check
        .written
        .map(|at| format!("status of {}", view.time(at)));
    let pass = pass.unwrap_or_else(|| "last pass".to_owned());
    let left = left(view, check);
    let text = match check.verdict {
        CheckVerdict::NoPass => return check.says.clone(),
        CheckVerdict::Agrees => format!("agrees with the {pass}: {left}"),
        CheckVerdict::InputsNewer => {
            format!("the inputs changed after the {pass}, which left {left}")
        }
        CheckVerdict::Memory => format!("consistent with the {pass}, {left}"),
        CheckVerdict::Unexplained => format!("{} the {pass} shows {left}", report(view)),
    };
    match check.says.as_str() {
        "" => text,
        says => format!("{text}: {says}"),
    }
}

fn report(view: View) -> &'static str {
    if view.options.live {
        "cannot be explained, please report it:"
    } else {
        "cannot be explained, please report it with this file:"
    }
}

/// What the last pass left behind: `9 (ScaleDownStabilized)`, or what failed.
fn left(view: View, check: &Check) -> String {
    if let Some(failing) = view.trace.reported.failing() {
        return view.name(failing.reason.as_str());
    }
    match check.able_to_scale.as_str() {
        "" => check.desired_replicas.to_string(),
        reason => format!("{} ({})", check.desired_replicas, view.name(reason)),
    }
}

fn rests_on_status(view: View) -> bool {
    let trace = view.trace;
    let recommendation = trace.recommendation.as_ref();
    let is_unreadable =
        recommendation.is_some_and(|record| record.rule == Rule::RecommendationUnreadable);
    let is_compared = trace.check.is_some();
    let is_open = view.options.live && trace.outcome.desired_replicas.is_none() && !is_compared;
    let fails_here = trace.conditions.iter().any(Condition::fails);
    let failed_before = trace.reported.failing().is_some();
    let differs = view.options.live && fails_here && !failed_before;
    is_unreadable || is_open || differs || is_blind(view)
}

/// What the status shows.
fn status(view: View) -> String {
    let reported = &view.trace.reported;
    let mut size = format!("{}* replicas", reported.current_replicas);
    // As long as no pass has decided, its 0 is what nobody wants.
    if reported.desired_replicas != 0 || reported.last_scale_time.is_some() {
        _ = write!(size, ", {}* desired", reported.desired_replicas);
    }
    let mut parts = vec![size];
    let last = reported.last_scale_time;
    parts.extend(last.map(|at| format!("last change {}", view.moment(at))));
    parts.extend(reported.conditions.iter().map(|it| condition(view, it)));
    format!("* from the HPA's status: {}", parts.join("; "))
}

/// A condition, with its sentence where it says that something fails.
fn condition(view: View, condition: &Condition) -> String {
    let texts = [
        condition.kind.as_str(),
        condition.status.as_str(),
        condition.reason.as_str(),
    ];
    let [kind, status, reason] = texts.map(|text| view.name(text));
    // At the top already, where the status is all that there is.
    if condition.fails() && !is_blind(view) {
        let message = view.page.reason(&condition.message, 240);
        return format!("{kind} {status} ({reason}: {message})");
    }
    format!("{kind} {status} ({reason})")
}
