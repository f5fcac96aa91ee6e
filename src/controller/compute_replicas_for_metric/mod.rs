//! One metric of the spec: to its calculation by type, and its errors in the
//! controller's words (`computeReplicasForMetric`).

mod external;
mod object;
mod pods;
mod resource;

use super::conditions::Complaint;
use super::external_metric_fallback::{
    Failing, fallback, record_fallback, record_unknown_fallback,
};
use super::prepared::{Metric, Source, Target, Unavailable};
use super::release::{Release, Switch};
use super::replica_calculator::{Calculation, Shown};
use super::time::Nanos;
use crate::api::{
    ConditionReason, CrossVersionObjectReference, FALLBACK_NORMAL, Format, MetricIdentifier,
    MetricSource, MetricStatus, MetricValueStatus, OneOf, Quantity, ReadFailure, TargetKind,
    go_text, wire_text,
};
use crate::trace::{
    self, FailureCause, MetricRecord, MetricResult, Proposed, Recorder, Rule, TargetRecord,
};

pub(in crate::controller) use external::{sum_for_average, sum_for_value};
pub(in crate::controller) use resource::measure;

/// Why a metric gives no proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricError {
    Failed(Box<Failure>),
    /// We may not look.
    Unreadable(ReadFailure),
}

/// A metric that failed, in the controller's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub cause: FailureCause,
    /// The error of the metrics API in it, where that is what is wrong.
    pub answer: Option<String>,
    /// The text of the event and of the condition.
    pub message: String,
    /// The text in the error of the pass.
    pub error: String,
    /// The reason of the event and of the condition; absent where the
    /// controller emits no event and leaves the condition empty.
    pub reason: Option<ConditionReason>,
    /// The fallback that counts down while an External metric fails; none
    /// where the gate of that design is off.
    pub fallback: Option<Failing>,
}

impl MetricError {
    /// A failure; `context` goes into the error of the pass only.
    fn failed(complaint: Complaint, reason: ConditionReason, context: &str) -> Self {
        Self::Failed(Box::new(Failure {
            cause: complaint.cause,
            answer: complaint.answer,
            error: format!("{context}{}", complaint.text),
            message: complaint.text,
            reason: Some(reason),
            fallback: None,
        }))
    }
}

/// Computes the proposal of one metric and records how.
/// Errors: the metric failed, or we may not read it.
pub fn compute_replicas_for_metric<R: Recorder>(
    calculation: &Calculation,
    metric: &Metric,
    namespace: &str,
    recorder: &mut R,
) -> Result<i32, MetricError> {
    recorder.record(|| begin(metric, calculation.pods.len()));
    let release = calculation.settings.release;
    let computed = match &metric.source {
        Source::Resource(resource) => resource::compute(calculation, resource, recorder),
        Source::Pods(pods) => pods::compute(calculation, pods, recorder),
        Source::Object(object) => object::compute(calculation, object, namespace, recorder),
        Source::External(external) => external::compute(calculation, external, namespace, recorder),
        Source::Unknown => Err(unknown(metric.spec.kind.as_str(), release)),
    };
    let computed = computed.map_err(|error| with_fallback(error, metric, calculation.now));
    recorder.record(|| match &computed {
        Ok(computed) => MetricResult::Proposed(Box::new(Proposed {
            replicas: computed.replicas,
            rule: computed.rule,
            formula: computed.formula(),
            name: metric_name(&metric.source, release),
            current: status(calculation, metric, computed.shown),
        })),
        Err(error) => failed(error, metric),
    });
    record_fallback(metric, computed.as_ref().err(), calculation.now, recorder);
    computed.map(|computed| computed.replicas)
}

/// The failure of a metric that has a fallback, which counts down from the
/// first of its failures on.
fn with_fallback(mut error: MetricError, metric: &Metric, now: Nanos) -> MetricError {
    if let (MetricError::Failed(failure), Some((_, fallback))) = (&mut error, fallback(metric)) {
        failure.fallback = Some(Failing::new(fallback, now));
    }
    error
}

/// The entry of `status.currentMetrics`.
fn status(calculation: &Calculation, metric: &Metric, shown: Shown) -> MetricStatus {
    let release = calculation.settings.release;
    let is_memory = matches!(&metric.source, Source::Resource(it) if it.name == "memory");
    let format = if is_memory && release.has(Switch::BinaryMemory) {
        Format::BinarySi
    } else {
        Format::DecimalSi
    };
    let mut status = MetricStatus::of(metric.spec, shown.status(format)).unwrap_or_default();
    // Up to 1.32 the status of an average leaves the object empty.
    let is_average = matches!(target(&metric.source), Some(Target::AverageValue(_)));
    if let Some(object) = &mut status.object
        && is_average
        && !release.has(Switch::ObjectAverageDescribed)
    {
        object.described_object = CrossVersionObjectReference::default();
    }
    if let Some(external) = &mut status.external {
        external.fallback_status = fallback(metric).map(|_| FALLBACK_NORMAL.to_owned());
    }
    status
}

fn unknown(kind: &str, release: Release) -> MetricError {
    let text = release.errorf(&format!("unknown metric source type {kind:?}"));
    let complaint = Complaint::new(text, FailureCause::UnknownType);
    MetricError::failed(complaint, ConditionReason::InvalidMetricSourceType, "")
}

/// Records a metric that cannot even be asked for, since we may not look at
/// what decides on its pods.
pub fn record_unreadable<R: Recorder>(metric: &Metric, reason: &ReadFailure, recorder: &mut R) {
    recorder.record(|| begin(metric, 0));
    recorder.record(|| unreadable(reason, metric));
    record_unknown_fallback(metric, recorder);
}

fn failed(error: &MetricError, metric: &Metric) -> MetricResult {
    match error {
        MetricError::Failed(failure) => MetricResult::Failed {
            rule: Rule::MetricFailed,
            cause: failure.cause.clone(),
            answer: failure.answer.clone(),
            message: failure.message.clone(),
            error: failure.error.clone(),
            reason: failure.reason.map_or_else(OneOf::default, OneOf::from),
        },
        MetricError::Unreadable(reason) => unreadable(reason, metric),
    }
}

/// What we may not read, the last pass may have left in the status.
fn unreadable(reason: &ReadFailure, metric: &Metric) -> MetricResult {
    MetricResult::Unreadable {
        rule: Rule::MetricUnreadable,
        cause: reason.kind.into(),
        reason: reason.text.clone(),
        reported: reported(metric).map(Box::new),
    }
}

/// What the status shows of a metric. Where no fallback applies, nobody reads
/// the fields that only fallbacks have.
fn reported(metric: &Metric) -> Option<MetricStatus> {
    let mut statuses = metric.reported.iter();
    let mut status = statuses.find(|it| it.is_of(metric.spec))?.clone();
    if let (None, Some(external)) = (fallback(metric), &mut status.external) {
        external.first_failure_time = None;
        external.fallback_status = None;
    }
    Some(status)
}

/// The error of a source that could not be read: a sentence of the
/// controller around the client's own, unless the request was never made.
fn unavailable(
    unavailable: &Unavailable,
    sentence: impl FnOnce(&str) -> String,
    failed: impl FnOnce(Complaint) -> MetricError,
) -> MetricError {
    match unavailable {
        Unavailable::Client(complaint) => failed(complaint.clone().says(sentence)),
        Unavailable::Selector(complaint) => failed(complaint.clone()),
        Unavailable::Unreadable(reason) => MetricError::Unreadable(reason.clone()),
    }
}

impl Release {
    /// `fmt.Errorf(text)`: up to 1.28 a finished text is used as a format.
    pub(super) fn errorf(self, text: &str) -> String {
        if self.has(Switch::LiteralMessages) {
            return text.to_owned();
        }
        super::go::sprintf_without_arguments(text)
    }
}

/// The controller's name of a metric, as conditions and events print it.
pub fn metric_name(source: &Source, release: Release) -> String {
    let external = |metric: &MetricIdentifier| {
        format!(
            "external metric {}({})",
            metric.name,
            go_text(metric.selector.as_ref())
        )
    };
    match source {
        Source::Resource(resource) => resource::name(resource, release),
        Source::Pods(pods) => format!("pods metric {}", pods.metric.name),
        Source::Object(object) => match object.target {
            // The controller names an average of an object like this, too.
            Some(Target::AverageValue(_)) => external(&object.source.metric),
            _ => format!(
                "{} metric {}",
                object.source.described_object.kind, object.source.metric.name
            ),
        },
        Source::External(source) => external(&source.source.metric),
        Source::Unknown => String::new(),
    }
}

/// The record that the evaluation fills in.
fn begin(metric: &Metric, pods: usize) -> MetricRecord {
    MetricRecord {
        index: metric.index,
        kind: metric.spec.kind.clone(),
        source: metric.spec.source().map(measured).unwrap_or_default(),
        target: target(&metric.source).map(Target::record),
        pods: Vec::with_capacity(pods),
        ..MetricRecord::default()
    }
}

/// What a metric measures.
fn measured(source: MetricSource) -> trace::Source {
    let (resource, container) = source.resource().unzip();
    let metric = source.metric();
    let name = resource.or(metric.map(|it| it.name.as_str()));
    let object = match source {
        MetricSource::Object(source) => Some(&source.described_object),
        _ => None,
    };
    let selector = metric.and_then(|it| wire_text(it.selector.as_ref()).ok());
    trace::Source {
        name: name.unwrap_or_default().to_owned(),
        container: container.flatten().map(str::to_owned),
        object: object.map(|it| format!("{}/{}", it.kind, it.name)),
        selector: selector.filter(|text| !text.is_empty()),
    }
}

fn target(source: &Source) -> Option<Target> {
    match source {
        Source::Resource(resource) => resource.target,
        Source::Pods(pods) => Some(Target::AverageValue(pods.target)),
        Source::Object(object) => object.target,
        Source::External(external) => external.target,
        Source::Unknown => None,
    }
}

impl Shown {
    /// The part of the status that says what was seen.
    fn status(self, format: Format) -> MetricValueStatus {
        let quantity = |milli| Some(Quantity::from_milli(milli, format));
        let (average_utilization, average_value, value) = match self {
            Self::Utilization(percent, average) => (Some(percent), quantity(average), None),
            Self::Average(average) => (None, quantity(average), None),
            Self::Value(value) => (None, None, quantity(value)),
        };
        MetricValueStatus {
            value,
            average_value,
            average_utilization,
        }
    }
}

impl Target {
    fn record(self) -> TargetRecord {
        let (kind, value) = match self {
            Self::Utilization(percent) => (TargetKind::Utilization, i64::from(percent)),
            Self::Value(milli) => (TargetKind::Value, milli),
            Self::AverageValue(milli) => (TargetKind::AverageValue, milli),
        };
        TargetRecord { kind, value }
    }
}
