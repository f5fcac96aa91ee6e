//! What an External metric asks for while it fails, as KEP-5679 designs it.
//!
//! No release has this rule; it applies only where the feature gate
//! `HPAExternalMetricFallback` is switched on. The design gives the condition
//! no reasons and no sentences: those here are ours.

use super::compute_replicas_for_metric::MetricError;
use super::prepared::{External, Fallback, Metric, Prepared, Source};
use super::settings::Settings;
use super::time::{Nanos, SECOND, timestamp};
use crate::api::{
    Condition, ConditionKind, ConditionReason, ConditionStatus, ExternalMetricStatus,
    FALLBACK_ACTIVE, FALLBACK_NORMAL, GoDuration, MetricIdentifier, MetricKind, MetricStatus,
    MetricValueStatus,
};
use crate::trace::{
    ConditionRemoved, Event, EventType, FallbackRecord, Recorder, Rule, seconds_text,
};

/// The fallback of a metric that fails, and since when it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failing {
    fallback: Fallback,
    since: Nanos,
}

impl Failing {
    /// A metric that fails at a moment. The clock goes on where the status
    /// remembers a failure, and starts where it does not; the API keeps whole
    /// seconds.
    pub fn new(fallback: Fallback, now: Nanos) -> Self {
        let second = now.div_euclid(SECOND) * SECOND;
        Self {
            fallback,
            since: fallback.first_failure.unwrap_or(second),
        }
    }

    /// What the metric asks for, if it has failed for long enough.
    pub fn asks(&self, now: Nanos) -> Option<i32> {
        (self.left(now) <= 0).then_some(self.fallback.replicas)
    }

    /// For how much longer it has to fail; not above 0 once that is over.
    fn left(&self, now: Nanos) -> Nanos {
        self.since + self.fallback.failure_duration - now
    }

    /// The event of the pass that is the first to ask for the fallback.
    pub fn activation(&self, metric: &Metric) -> Option<Event> {
        let Source::External(external) = &metric.source else {
            return None;
        };
        let duration = i64::try_from(self.fallback.failure_duration).unwrap_or(i64::MAX);
        (!self.fallback.was_active).then(|| Event {
            kind: EventType::Normal,
            reason: "ExternalMetricFallbackActivated".to_owned(),
            message: format!(
                "Fallback activated for external metric '{}' after {} of consecutive failures, \
                 using fallback replica count: {}",
                external.source.metric.name,
                GoDuration(duration),
                self.fallback.replicas
            ),
        })
    }

    fn record(&self, metric: &MetricIdentifier, now: Nanos) -> FallbackRecord {
        let is_active = self.asks(now).is_some();
        let (since, left) = (timestamp(self.since), whole_seconds(self.left(now)));
        let passed = seconds_text(floor_seconds(now - self.since));
        let needed = seconds_text(floor_seconds(self.fallback.failure_duration));
        let (rule, status, comparison) = if is_active {
            (Rule::FallbackActive, FALLBACK_ACTIVE, ">=")
        } else {
            (Rule::FallbackWaiting, FALLBACK_NORMAL, "<")
        };
        FallbackRecord {
            active: is_active,
            first_failure: Some(since),
            active_at: Some(timestamp(self.since + self.fallback.failure_duration)),
            seconds_left: (!is_active).then_some(left),
            formula: format!("failing for {passed} {comparison} {needed}"),
            status: Some(entry(metric, since, status)),
            ..idle(rule, self.fallback)
        }
    }
}

/// What a metric that fails leaves in the status.
fn entry(metric: &MetricIdentifier, since: jiff::Timestamp, status: &str) -> MetricStatus {
    MetricStatus {
        kind: MetricKind::External.into(),
        external: Some(ExternalMetricStatus {
            metric: metric.clone(),
            current: MetricValueStatus::default(),
            first_failure_time: Some(since),
            fallback_status: Some(status.to_owned()),
        }),
        ..MetricStatus::default()
    }
}

/// The record of a fallback that plays no part.
fn idle(rule: Rule, fallback: Fallback) -> FallbackRecord {
    FallbackRecord {
        rule,
        replicas: fallback.replicas,
        failure_duration_seconds: floor_seconds(fallback.failure_duration),
        first_failure: None,
        active: false,
        active_at: None,
        seconds_left: None,
        formula: "the metric does not fail".to_owned(),
        status: None,
    }
}

/// Records what becomes of a metric's fallback, where it has one.
pub fn record_fallback<R: Recorder>(
    metric: &Metric,
    error: Option<&MetricError>,
    now: Nanos,
    recorder: &mut R,
) {
    let Some((external, fallback)) = fallback(metric) else {
        return;
    };
    recorder.record(|| match error {
        None => idle(Rule::FallbackNormal, fallback),
        Some(MetricError::Unreadable(_)) => unknown(fallback),
        Some(MetricError::Failed(failure)) => failure
            .fallback
            .unwrap_or_else(|| Failing::new(fallback, now))
            .record(&external.source.metric, now),
    });
}

/// Records a fallback of which nothing can be told.
pub fn record_unknown_fallback<R: Recorder>(metric: &Metric, recorder: &mut R) {
    if let Some((_, fallback)) = fallback(metric) {
        recorder.record(|| unknown(fallback));
    }
}

fn unknown(fallback: Fallback) -> FallbackRecord {
    FallbackRecord {
        first_failure: fallback.first_failure.map(timestamp),
        formula: "whether the metric fails is not known".to_owned(),
        ..idle(Rule::FallbackUnknown, fallback)
    }
}

/// The metric's source and fallback, where it has one and the gate is on.
pub fn fallback<'a>(metric: &'a Metric<'a>) -> Option<(&'a External<'a>, Fallback)> {
    match &metric.source {
        Source::External(external) => Some((external, external.fallback?)),
        _ => None,
    }
}

/// Sets the condition, or takes away one that no metric of the spec stands
/// for any more. Without the gate it is left as it is.
pub fn record_condition<R: Recorder>(
    prepared: &Prepared,
    settings: &Settings,
    proposals: &[Result<i32, MetricError>],
    now: Nanos,
    recorder: &mut R,
) {
    if !settings.gates.external_metric_fallback.is_on() {
        return;
    }
    if prepared.metrics.iter().any(|it| fallback(it).is_some()) {
        recorder.record(|| condition(prepared, proposals, now));
    } else {
        recorder.record(|| ConditionRemoved(ConditionKind::ExternalMetricFallbackActive));
    }
}

/// Says that the condition cannot be told, where it would be set.
pub fn record_unknown_condition<R: Recorder>(prepared: &Prepared, recorder: &mut R) {
    if prepared.metrics.iter().any(|it| fallback(it).is_some()) {
        recorder.record(|| condition(prepared, &[], 0));
    }
}

/// True, False or Unknown. A metric that has no proposal was not read.
fn condition(prepared: &Prepared, proposals: &[Result<i32, MetricError>], now: Nanos) -> Condition {
    let (mut active, mut unknown) = (Vec::new(), Vec::new());
    for (index, metric) in prepared.metrics.iter().enumerate() {
        let Some((external, _)) = fallback(metric) else {
            continue;
        };
        let name = external.source.metric.name.as_str();
        match proposals.get(index) {
            Some(Ok(_)) => {}
            Some(Err(MetricError::Failed(failure))) => {
                let failing = failure.fallback.as_ref();
                if failing.and_then(|it| it.asks(now)).is_some() {
                    active.push(name);
                }
            }
            Some(Err(MetricError::Unreadable(_))) | None => unknown.push(name),
        }
    }
    let (status, reason, message) = match (active.as_slice(), unknown.as_slice()) {
        ([], []) => (
            ConditionStatus::False,
            ConditionReason::FallbackInactive,
            "no external metric is in fallback".to_owned(),
        ),
        ([], names) => (
            ConditionStatus::Unknown,
            ConditionReason::FallbackUnknown,
            format!("it is not known whether these fail: {}", names.join(", ")),
        ),
        (names, _) => (
            ConditionStatus::True,
            ConditionReason::FallbackActive,
            format!("external metrics in fallback: {}", names.join(", ")),
        ),
    };
    Condition {
        kind: ConditionKind::ExternalMetricFallbackActive.into(),
        status: status.into(),
        reason: reason.into(),
        message,
        last_transition_time: None,
    }
}

/// Rounded up, so that what is not yet over has a second left.
fn whole_seconds(length: Nanos) -> i64 {
    let seconds = length.div_euclid(SECOND) + i128::from(length.rem_euclid(SECOND) > 0);
    i64::try_from(seconds).unwrap_or(i64::MAX)
}

fn floor_seconds(length: Nanos) -> i64 {
    i64::try_from(length.div_euclid(SECOND)).unwrap_or(i64::MAX)
}
