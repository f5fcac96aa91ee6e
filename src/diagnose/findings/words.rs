//! What several findings say in the same words.

use jiff::Timestamp;

use crate::snapshot::Workload;
use crate::trace::{
    LimitRecord, Measured, MetricRecord, MetricResult, Origin, PolicyRecord, Proposed, Rule,
    SettingRecord, Trace, seconds_text,
};

/// The metric's name; a metric whose source is unusable has none.
pub(super) fn metric_name(metric: &MetricRecord) -> String {
    if metric.source.name.is_empty() {
        return format!("metric {}", metric.index);
    }
    metric.source.name.clone()
}

/// What the metrics ask for, where they decide.
pub(super) fn asked(trace: &Trace) -> Option<i32> {
    let recommendation = trace.recommendation.as_ref()?;
    let decides = recommendation.rule == Rule::RecommendationLargest;
    recommendation.replicas.filter(|_| decides)
}

/// `the metrics ask for 30`, or which one does.
pub(super) fn asks(trace: &Trace, asked: i32) -> String {
    match trace.winner() {
        Some(metric) if trace.metrics.len() > 1 => {
            format!("{} asks for {asked}", metric_name(metric))
        }
        _ => format!("the metrics ask for {asked}"),
    }
}

/// The size at which the pass began, where it is known.
pub(super) fn current(trace: &Trace) -> Option<i32> {
    trace.scale.as_ref()?.current_replicas
}

/// What a metric proposes, and by which rule.
pub(super) fn proposed(metric: &MetricRecord) -> Option<&Proposed> {
    match metric.result.as_ref()? {
        MetricResult::Proposed(proposed) => Some(proposed),
        MetricResult::Failed { .. } | MetricResult::Unreadable { .. } => None,
    }
}

/// The measurement that decided: the second one, where pods were filled in.
pub(super) fn deciding(metric: &MetricRecord) -> Option<&Measured> {
    let filled_in = metric.filled_in.as_ref().map(|filled| &filled.measured);
    filled_in.or(metric.measured.as_ref())
}

/// Which side of `behavior` a limit belongs to; absent without `behavior`, and
/// where nothing was to be limited.
pub(super) fn side(limit: &LimitRecord) -> Option<&'static str> {
    match limit.rule {
        Rule::LimitScaleUp => Some("scaleUp"),
        Rule::LimitScaleDown => Some("scaleDown"),
        _ => None,
    }
}

/// Whether a policy, not a bound, limited the count.
pub(super) fn is_by_policy(limit: &LimitRecord) -> bool {
    limit.limited && matches!(limit.reason, "ScaleUpLimit" | "ScaleDownLimit")
}

/// A policy as people say it: `Pods 4 per 1m`.
pub(super) fn policy_text(policy: &PolicyRecord) -> String {
    let period = seconds_text(policy.period_seconds.into());
    format!("{} {} per {period}", policy.kind, policy.value)
}

/// How long ago a moment was, or how far ahead it lies.
pub(super) fn apart(trace: &Trace, at: Timestamp) -> String {
    let apart = trace.at.duration_since(at).as_millis().unsigned_abs();
    seconds_text(i64::try_from((apart + 500) / 1_000).unwrap_or(i64::MAX))
}

/// `Kind/name` of the target.
pub(super) fn target_name(trace: &Trace) -> String {
    format!("{}/{}", trace.target.kind, trace.target.name)
}

/// A setting of the controller.
pub(super) fn setting<'a>(trace: &'a Trace, name: &str) -> Option<&'a SettingRecord> {
    let mut settings = trace.basis.settings.iter();
    settings.find(|setting| setting.name == name)
}

/// Where a setting's value comes from.
pub(super) fn origin_text(origin: Origin) -> &'static str {
    match origin {
        Origin::Given => "given to this run",
        Origin::Seen => "seen",
        Origin::Assumed => "the default, assumed",
    }
}

/// When the size of a target was last written, by whomever.
pub(super) fn resized_at(target: &Workload) -> Option<Timestamp> {
    let entries = target.metadata.managed_fields.iter();
    let owns = |fields: &crate::snapshot::Fields| {
        let spec = fields.spec.as_ref();
        spec.is_some_and(|spec| spec.replicas.is_some())
    };
    let sizes = entries.filter(|entry| owns(&entry.fields));
    sizes.filter_map(|entry| entry.time).max()
}
