//! What failed metrics do to the pass, and what the controller says of it.

use super::containers::has;
use crate::api::{ConditionKind, ConditionStatus};
use crate::controller::Switch;
use crate::findings::Case;
use crate::findings::words::{condition, each_once, line, whole_name as name};
use crate::trace::amount::{counted, plural};
use crate::trace::{
    Code, FailureCause, Finding, MetricRecord, MetricResult, RecommendationRecord, Rule, Severity,
    Trace,
};

/// One of: no metric is left, the others would scale down, the others decide
/// (`computeReplicasForMetrics`).
pub(super) fn failing_metrics(case: &Case, trace: &Trace) -> Option<Finding> {
    let recommendation = trace.recommendation.as_ref()?;
    if recommendation.failed == 0 {
        return None;
    }
    let finding = match recommendation.rule {
        Rule::RecommendationNone => all_fail(trace, recommendation),
        Rule::RecommendationBlocked => blocked(case, trace, recommendation),
        Rule::RecommendationLargest => one_fails(trace, recommendation),
        _ => return None,
    };
    Some(finding)
}

fn failed(trace: &Trace) -> String {
    each_once(trace.invalid_metrics().map(name))
}

fn fail(recommendation: &RecommendationRecord) -> &'static str {
    plural(recommendation.failed, "fails", "fail")
}

fn all_fail(trace: &Trace, recommendation: &RecommendationRecord) -> Finding {
    let size = trace.outcome.current_replicas;
    let all = match recommendation.failed {
        1 => "the only metric fails".to_owned(),
        2 => "both metrics fail".to_owned(),
        all => format!("all {all} metrics fail"),
    };
    let message = format!("{all}, so the size stays at {size} whatever the load is");
    let finding = Finding::new(Code::AllMetricsFail, message);
    let min = trace.bounds.min_replicas;
    finding.fact("failing", failed(trace)).fact(
        "spec.minReplicas",
        format!("{min}; other bounds change nothing unless {size} is outside them"),
    )
}

fn blocked(case: &Case, trace: &Trace, recommendation: &RecommendationRecord) -> Finding {
    let recommended = recommendation.largest.unwrap_or_default().max(0);
    let winner = trace.winner().map_or_else(String::new, name);
    let (failed, verb) = (failed(trace), fail(recommendation));
    let blocks = plural(recommendation.failed, "blocks", "block");
    let message = format!(
        "{failed} {verb} and {blocks} the scale-down to {recommended} that {winner} asks for"
    );
    let finding = Finding::new(Code::ScaleDownBlocked, message);
    // The same HPA without the metrics that fail.
    let mut altered = case.snapshot.clone();
    let mut records = trace.metrics.iter();
    let specs = &mut altered.hpa.spec.metrics;
    specs.retain(|_| !records.next().is_some_and(MetricRecord::is_invalid));
    let without = case.on(&altered);
    let now = trace.outcome.current_replicas;
    let size = without.outcome.desired_replicas;
    let says = size.map(|size| format!("the size would be {size}; now it stays at {now}"));
    finding
        .facts(says.map(|says| ("without the failed metrics", says)))
        .fact(
            "a scale-up",
            "is still possible: a failed metric blocks only scale-downs",
        )
}

fn one_fails(trace: &Trace, recommendation: &RecommendationRecord) -> Finding {
    let all = trace.metrics.len();
    let verb = fail(recommendation);
    let message = format!(
        "{} of {all} metrics {verb} ({}); the others decide, but can only scale up",
        recommendation.failed,
        failed(trace)
    );
    let winner = trace.winner().and_then(|winner| {
        let says = format!("asks for {}", winner.asks_for()?);
        Some((name(winner), says))
    });
    Finding::new(Code::MetricFails, message).facts(winner)
}

/// The controller guesses at pods that are not ready where none is.
pub(super) fn misleading_message(case: &Case, trace: &Trace) -> Option<Finding> {
    let guesses = case.settings.release.has(Switch::TargetedPodsText);
    let metric = trace.failed_metrics().find(|metric| {
        let groups = metric.groups.unwrap_or_default();
        guesses
            && metric.cause() == Some(&FailureCause::NoSamples)
            && groups.selected > 0
            && groups.unready == 0
    });
    // A wrong name is told with what is wrong about it.
    let is_named_right = |container: &str| case.selected.iter().any(|pod| has(pod, container));
    let metric = metric.filter(|metric| {
        let container = metric.source.container.as_deref();
        container.is_none_or(is_named_right)
    })?;
    let Some(MetricResult::Failed { message, .. }) = &metric.result else {
        return None;
    };
    let groups = metric.groups.unwrap_or_default();
    let (missing, ignored) = (groups.missing, groups.ignored);
    let says = format!(
        "the message \"pods might be unready\" is misleading: of {} {missing} {} no sample, and \
         {ignored} {} left out",
        counted(groups.selected, "pod"),
        plural(groups.missing, "has", "have"),
        plural(groups.ignored, "is", "are"),
    );
    Some(Finding::new(Code::MisleadingMessage, says).fact(name(metric), line(message)))
}

/// A pass that fails leaves conditions as an earlier one set them.
pub(super) fn stale_conditions(_case: &Case, trace: &Trace) -> Option<Finding> {
    let rules = [Rule::RecommendationNone, Rule::RecommendationBlocked];
    let recommendation = trace.recommendation.as_ref();
    let fails = recommendation.is_some_and(|it| rules.contains(&it.rule));
    let active = trace.reported.condition(ConditionKind::ScalingActive);
    let failing = active.filter(|condition| condition.status == ConditionStatus::False);
    let limited = trace.reported.condition(ConditionKind::ScalingLimited);
    let (Some(failing), Some(limited), true) = (failing, limited, fails) else {
        return None;
    };
    let since = failing.last_transition_time;
    let since = since.map_or_else(String::new, |at| format!(" {} ago", trace.age(at)));
    let message = format!(
        "condition ScalingLimited {} was set before the metrics failed{since} and no longer applies",
        condition(limited)
    );
    Some(
        Finding::new(Code::MisleadingMessage, message)
            .fact("status.conditions ScalingLimited", line(&limited.message))
            .fact("status.conditions ScalingActive", condition(failing))
            .at_most(Severity::Info),
    )
}
