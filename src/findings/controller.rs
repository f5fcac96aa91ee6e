//! What befell the controller itself.

use jiff::{SignedDuration, Timestamp};

use super::Case;
use super::words::{apart, resized_at};
use crate::api::Behavior;
use crate::controller::whole_seconds;
use crate::trace::{Code, EvidenceKind, Finding, NoticeKind, ShellCommand, Trace, seconds_text};

/// The controller has lost its memory within a window or a period that
/// matters.
pub(super) fn restarted(case: &Case, trace: &Trace) -> Option<Finding> {
    // Where the metrics ask for the size that there is, memory plays no part.
    if trace.recommended().is_none() || trace.recommended() == trace.size() {
        return None;
    }
    let counts = SignedDuration::from_secs(longest_memory(case));
    let is_recent = |at: Timestamp| {
        let age = trace.at.duration_since(at);
        !age.is_negative() && age < counts
    };
    let lease = case.snapshot.controller_lease.as_ref();
    let acquired = lease.and_then(|it| it.spec.acquire_time);
    // Of a controller that has led for longer, this is the first pass on the HPA.
    if let Some(stabilization) = &trace.stabilization
        && let [entry] = stabilization.entries.as_slice()
        // A controller without a memory begins with the size that it finds.
        && trace.at.duration_since(entry.timestamp).as_millis() == 0
        && Some(entry.replicas) == trace.size()
        && acquired.is_none_or(is_recent)
    {
        let message = format!(
            "the controller has just started and keeps {} as its first recommendation",
            stabilization.result
        );
        return Some(Finding::new(Code::ControllerRestarted, message));
    }
    let recollection = &trace.recollection;
    let since = recollection.since.as_ref();
    let lead =
        since.filter(|since| since.source.kind == EvidenceKind::Lease && is_recent(since.at));
    if let Some(lead) = lead {
        let message = format!(
            "kube-controller-manager became the leader {} ago, so windows and periods started over",
            apart(trace, lead.at)
        );
        let transitions = lease.and_then(|lease| lease.spec.lease_transitions);
        let transitions =
            transitions.map_or_else(String::new, |count| format!("; transitions: {count}"));
        return Some(Finding::new(Code::ControllerRestarted, message).fact(
            "Lease/kube-controller-manager",
            format!("acquired {}{transitions}", lead.at),
        ));
    }
    let mut notices = recollection.notices.iter().rev();
    let restart =
        notices.find(|notice| notice.kind == NoticeKind::Restarted && is_recent(notice.to))?;
    let message = format!(
        "{}, {} ago, so windows and periods started over",
        restart.says,
        apart(trace, restart.to)
    );
    Some(Finding::new(Code::ControllerRestarted, message))
}

/// For how many seconds anything that the controller remembers can count.
fn longest_memory(case: &Case) -> i64 {
    let spec = &case.hpa().spec;
    let window = whole_seconds(case.settings.longest_window(spec));
    let directions = spec.behavior.iter().flat_map(Behavior::directions);
    let periods = directions.map(|(_, rules)| i64::from(rules.longest_period()));
    periods.fold(window, i64::max)
}

/// A pass is late by more than so many periods, and by a minute at least.
const PERIODS: i64 = 4;
const LATE: i64 = 60;

/// Something that every pass writes down has not been written for long.
pub(super) fn late(case: &Case, trace: &Trace) -> Option<Finding> {
    let (at, what, field) = unobserved(case)?;
    let period = case.settings.sync_period_seconds();
    let late = trace.at.duration_since(at).as_secs();
    if late <= LATE.max(period.saturating_mul(PERIODS)) {
        return None;
    }
    // When the controller that leads last said so, where that was long before the
    // Lease was read.
    let lease = case.snapshot.controller_lease.as_ref();
    let is_old = |at: &Timestamp| {
        let age = case.snapshot.captured_at.duration_since(*at);
        age.as_secs() > LATE.max(period)
    };
    let renewed = lease.and_then(|it| it.spec.renew_time).filter(is_old);
    let since = renewed.map(|at| format!("; the Lease was last renewed at {at}"));
    let since = since.unwrap_or_default();
    let message = format!(
        "{what} {} ago, but no pass of the controller has seen it; a pass should run every {}{since}",
        seconds_text(late),
        seconds_text(period)
    );
    let finding = Finding::new(Code::ControllerLate, message).facts([field]);
    Some(finding.look(
        "check whether the controller is running",
        ShellCommand::new("kubectl get lease kube-controller-manager -n kube-system"),
    ))
}

/// Since when something stands there that any pass would have taken into the
/// status: the HPA itself, its spec, or the size of its target.
fn unobserved(case: &Case) -> Option<(Timestamp, &'static str, (&'static str, String))> {
    let hpa = case.hpa();
    let status = &hpa.status;
    if status.conditions.is_empty() {
        let created = hpa.metadata.creation_timestamp?;
        let field = ("status.conditions", "none".to_owned());
        return Some((created, "the HPA was created", field));
    }
    if hpa.is_pass_of_older_spec() {
        let observed = status.observed_generation.unwrap_or_default();
        let field = ("status.observedGeneration", observed.to_string());
        return Some((hpa.spec_written()?, "the spec was changed", field));
    }
    let scale = case.snapshot.scale.response()?;
    let target = case.snapshot.target.as_ref()?;
    let observed = status.current_replicas;
    let is_unobserved =
        scale.spec.replicas != observed && target.spec.replicas == Some(scale.spec.replicas);
    let field = ("status.currentReplicas", observed.to_string());
    let resized = resized_at(target).filter(|_| is_unobserved)?;
    Some((resized, "the target's size was set", field))
}
