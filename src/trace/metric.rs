//! How one metric came to its proposal, what it made of each pod, or why it failed.

use compact_str::CompactString;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::amount::counted;
use super::{FallbackRecord, Record, Rule, Trace};
use crate::api::{
    AnswerErrorKind, ConditionReason, MetricKind, MetricStatus, OneOf, Phase, ReadFailureKind,
    TargetKind,
};

/// One metric of the spec, evaluated on its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricRecord {
    /// The metric's place in the spec, counted from 0.
    pub index: usize,
    /// The metric's type as the spec writes it.
    #[serde(rename = "type")]
    pub kind: OneOf<MetricKind>,
    /// What the metric measures.
    pub source: Source,
    /// What it is aimed at; absent where the spec sets nothing usable.
    pub target: Option<TargetRecord>,
    /// Every pod that the selector matches, in the order given, once the
    /// metric's evaluation looked at pods one by one.
    pub pods: Vec<PodRecord>,
    /// How the pods were grouped.
    pub groups: Option<Groups>,
    /// How many pods are Running and Ready, for targets of type Value.
    pub ready_pods: Option<ReadyPods>,
    /// What was measured over the pods that count.
    pub measured: Option<Measured>,
    /// The second measurement, with set-aside pods filled in.
    pub filled_in: Option<FilledIn>,
    /// What came of it.
    pub result: Option<MetricResult>,
    /// What becomes of its fallback, by a design that no release has; absent
    /// where the gate `HPAExternalMetricFallback` is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Box<FallbackRecord>>,
}

impl MetricRecord {
    /// Whether the controller could not compute it, which is more than our
    /// not being allowed to read it.
    pub fn is_failed(&self) -> bool {
        matches!(self.result, Some(MetricResult::Failed { .. }))
    }

    /// Whether it counts as invalid: it failed, and no fallback asks for
    /// anything in its place.
    pub fn is_invalid(&self) -> bool {
        self.is_failed() && self.in_fallback().is_none()
    }

    /// Its fallback, where that asks for a size in this pass (KEP-5679; no
    /// release has it).
    pub fn in_fallback(&self) -> Option<&FallbackRecord> {
        self.fallback.as_deref().filter(|fallback| fallback.active)
    }

    /// Its fallback, where the metric has not failed for long enough.
    pub fn awaits_fallback(&self) -> Option<&FallbackRecord> {
        let fallback = self.fallback.as_deref();
        fallback.filter(|fallback| fallback.rule == Rule::FallbackWaiting)
    }

    /// What it asks for: its own proposal, or its fallback's.
    pub fn asks_for(&self) -> Option<i32> {
        let fallback = self.in_fallback().map(|fallback| fallback.replicas);
        fallback.or_else(|| self.proposed().map(|proposed| proposed.replicas))
    }

    /// Whether it measures a resource that pods request: of whole pods, or of
    /// one of their containers.
    pub fn is_of_resource(&self) -> bool {
        self.kind.is_of_resource()
    }

    /// Whether its target is in percent of what pods request.
    pub fn is_utilization(&self) -> bool {
        self.is_aimed_at(TargetKind::Utilization)
    }

    /// Whether its target is of a kind.
    pub fn is_aimed_at(&self, kind: TargetKind) -> bool {
        self.target.is_some_and(|target| target.kind == kind)
    }

    /// The pods that count for it.
    pub fn counted(&self) -> impl Iterator<Item = &PodRecord> + Clone {
        self.pods.iter().filter(|pod| pod.group == Group::Ready)
    }

    /// Why there is no number: it failed, or we may not read it.
    pub fn cause(&self) -> Option<&FailureCause> {
        match self.result.as_ref()? {
            MetricResult::Failed { cause, .. } | MetricResult::Unreadable { cause, .. } => {
                Some(cause)
            }
            MetricResult::Proposed(_) => None,
        }
    }

    /// What it proposes, and by which rule, if it does.
    pub fn proposed(&self) -> Option<&Proposed> {
        match self.result.as_ref()? {
            MetricResult::Proposed(proposed) => Some(proposed),
            MetricResult::Failed { .. } | MetricResult::Unreadable { .. } => None,
        }
    }

    /// The measurement that decides: the second one, where pods were filled
    /// in.
    pub fn deciding(&self) -> Option<&Measured> {
        let filled_in = self.filled_in.as_ref().map(|filled| &filled.measured);
        filled_in.or(self.measured.as_ref())
    }

    /// Whether pods that are set aside turn what the others ask for into the
    /// size that there is; `least` is the lower bound, below which nothing is
    /// missed.
    pub fn is_dampened(&self, current: i32, least: i32) -> bool {
        let Some(proposed) = self.proposed() else {
            return false;
        };
        let is_kept = match proposed.rule {
            Rule::ReplicasToleratedFilledIn | Rule::ReplicasReversed | Rule::ReplicasOpposed => {
                true
            }
            Rule::ReplicasFilledIn => proposed.replicas == current,
            _ => false,
        };
        let is_missed = |ratio: f64| ratio > 1.0 || current > least;
        let measured = self.measured.as_ref();
        is_kept && measured.is_some_and(|it| !it.within_tolerance && is_missed(it.ratio))
    }

    /// The pods that give no number and were filled in.
    pub fn filled_in_pods(&self) -> impl Iterator<Item = &PodRecord> {
        let filled = self.filled_in.as_ref();
        let missing = filled.is_some_and(|filled| filled.missing.is_some());
        let unready = filled.is_some_and(|filled| filled.unready.is_some());
        self.pods.iter().filter(move |pod| match pod.group {
            Group::Missing => missing,
            Group::Unready => unready,
            Group::Ready | Group::Ignored => false,
        })
    }
}

/// What a metric measures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Source {
    /// The resource or metric name.
    pub name: String,
    /// The container, for type `ContainerResource`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// `Kind/name`, for type `Object`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The metric's selector as text, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}

impl Source {
    /// Whether a container of this name is measured.
    pub fn has_container(&self, name: &str) -> bool {
        self.container.as_deref().is_none_or(|own| own == name)
    }
}

/// What a metric is aimed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TargetRecord {
    /// Which kind of target applies; this follows the fields that are set,
    /// as the controller does, not always `target.type`.
    #[serde(rename = "type")]
    pub kind: TargetKind,
    /// Percent for `Utilization`, thousandths otherwise.
    pub value: i64,
}

/// How the pods that the selector matches were grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Groups {
    /// All pods that the selector matches.
    pub selected: usize,
    /// Those that count with their sample.
    pub ready: usize,
    /// Those that count as not ready.
    pub unready: usize,
    /// Those without a sample.
    pub missing: usize,
    /// Those that play no part.
    pub ignored: usize,
    /// Samples of pods that the selector does not match; averages count
    /// them all the same.
    #[serde(rename = "strangers")]
    pub foreign_pods: usize,
}

/// How many of the selected pods are Running and Ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadyPods {
    /// All pods that the selector matches.
    pub selected: usize,
    /// Those that are Running and Ready.
    pub ready: usize,
}

/// A measurement and its ratio to the target. Amounts are thousandths.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Measured {
    /// How it was measured.
    pub rule: Rule,
    /// The sum over what counts.
    pub total: i64,
    /// The sum of the requests, for utilization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<i64>,
    /// Over how many entries the sum runs; the replicas that an external or
    /// object average divides by.
    pub count: i64,
    /// The percentage of the requests, for utilization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization: Option<i32>,
    /// The average per entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<i64>,
    /// Measured divided by target; `null` in documents where that is no finite
    /// number.
    #[schemars(extend("type" = ["number", "null"]))]
    pub ratio: f64,
    /// The smallest ratio that is still tolerated.
    pub tolerated_from: f64,
    /// The largest ratio that is still tolerated.
    pub tolerated_to: f64,
    /// Whether the ratio is tolerated.
    pub within_tolerance: bool,
    /// The utilization before it is cut to a whole percent, where that is what
    /// makes the ratio tolerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncut_utilization: Option<f64>,
    /// The ratio for the replicas of the scale's spec, where its status, which
    /// counts, has another number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec_ratio: Option<f64>,
    /// The division, with its numbers.
    pub formula: String,
}

/// The second measurement, with set-aside pods filled in.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FilledIn {
    /// What the pods without a sample counted as.
    pub missing: Option<Fill>,
    /// What the pods that are not ready counted as.
    pub unready: Option<Fill>,
    /// How many pods were filled in, all together.
    pub pods: usize,
    /// What was measured then.
    pub measured: Measured,
}

/// What a group of pods was counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Fill {
    /// Why they are counted so.
    pub rule: Rule,
    /// How many pods.
    pub pods: usize,
    /// Percent of the request for utilization, thousandths otherwise.
    pub counted_as: i64,
}

/// What came of a metric.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "outcome")]
pub enum MetricResult {
    /// It proposes a count.
    Proposed(Box<Proposed>),
    /// It failed.
    Failed {
        /// Always `metric.failed`.
        rule: Rule,
        /// Why.
        cause: FailureCause,
        /// The error of the metrics API in the texts, where that is why.
        #[serde(skip)]
        answer: Option<String>,
        /// The text of the event and the condition.
        message: String,
        /// The text in the pass's error.
        error: String,
        /// The event's reason; empty where no event is emitted.
        reason: OneOf<ConditionReason>,
    },
    /// We may not look, so it is not known what the controller sees.
    Unreadable {
        /// Always `metric.unreadable`.
        rule: Rule,
        /// Why, told apart.
        cause: FailureCause,
        /// Why we may not look, in a sentence.
        reason: String,
        /// What the HPA's status shows of it, seen by the last pass.
        reported: Option<Box<MetricStatus>>,
    },
}

/// A metric's proposal.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Proposed {
    /// The proposed count.
    pub replicas: i32,
    /// The rule that gave it.
    pub rule: Rule,
    /// The rule's formula, with its numbers.
    pub formula: String,
    /// The controller's name for the metric, as in conditions and events.
    pub name: String,
    /// The entry of `status.currentMetrics`.
    pub current: MetricStatus,
}

impl Record for MetricRecord {
    fn enter(self, trace: &mut Trace) {
        trace.metrics.push(self);
    }
}

/// What a metric's evaluation made of one pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PodRecord {
    /// The pod's name.
    #[schemars(with = "String")]
    pub name: CompactString,
    /// The group that it fell into.
    pub group: Group,
    /// The rule that put it there.
    pub rule: Rule,
    /// The pod's phase.
    pub phase: Phase,
    /// The sample's value in thousandths, where there is a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<i64>,
    /// The request in thousandths, where the metric compares with requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<i64>,
    /// The times that the readiness rules of cpu metrics compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<PodTimes>,
    /// From when on the pod counts, if it has a sample, by the passing of time
    /// alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// What the kubelet says of a container that does not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WaitingContainer {
    /// The pod's name.
    pub pod: String,
    /// The container's name.
    pub container: String,
    /// Why it waits, such as `CrashLoopBackOff`; empty where nothing tells.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// How often it was restarted.
    pub restarts: i32,
}

impl WaitingContainer {
    /// `container app: CrashLoopBackOff, 12 restarts`.
    pub fn text(&self) -> String {
        let reason = match self.reason.as_str() {
            "" => "waiting",
            reason => reason,
        };
        let text = format!("container {}: {reason}", self.container);
        match usize::try_from(self.restarts) {
            Ok(0) | Err(_) => text,
            Ok(restarts) => format!("{text}, {}", counted(restarts, "restart")),
        }
    }
}

/// The four groups of `groupPods`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Counts with its sample.
    Ready,
    /// Has no say downwards, counts as 0 upwards.
    Unready,
    /// Counts as if it sat on the target downwards, as 0 upwards.
    Missing,
    /// Plays no part.
    Ignored,
}

/// The times that the readiness rules of cpu metrics compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodTimes {
    /// `status.startTime`.
    pub started: Option<Timestamp>,
    /// Start plus the cpu initialization period.
    pub initialization_ends: Option<Timestamp>,
    /// Start plus the initial readiness delay.
    pub readiness_delay_ends: Option<Timestamp>,
    /// Whether the pod is Ready.
    pub ready: Option<bool>,
    /// The last transition of the Ready condition.
    pub ready_changed: Option<Timestamp>,
    /// When the sample was taken.
    pub sampled: Option<Timestamp>,
    /// The earliest sample that lies wholly after the transition.
    pub sample_needed: Option<Timestamp>,
}

impl Record for PodRecord {
    fn enter(self, trace: &mut Trace) {
        if let Some(metric) = trace.metrics.last_mut() {
            metric.pods.push(self);
        }
    }
}

/// Why a metric fails, by what somebody can do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum FailureCause {
    /// A selected pod has no request for the resource
    /// (`calculatePodRequests`); the first one that the controller reaches.
    MissingRequest {
        /// The resource.
        resource: String,
        /// The pod.
        pod: String,
        /// Its container; absent where the pod's own request is missing.
        #[serde(skip_serializing_if = "Option::is_none")]
        container: Option<String>,
    },
    /// A selected pod, or its sample, has no container of that name;
    /// the first one that the controller reaches.
    ContainerNotFound {
        /// The container that the metric names.
        container: String,
        /// The pod.
        pod: String,
    },
    /// The selector matches no pods.
    NoPods,
    /// The metrics API has samples, but none of a pod that counts.
    NoSamples,
    /// No pod that counts requests more than 0.
    NoReadyPodWithRequest,
    /// The metrics API answers without a single item.
    NoMetrics,
    /// The metrics API does not answer with exactly one item for an object.
    NotOne {
        /// How many it answers with.
        items: usize,
    },
    /// Nothing is registered for the metrics API.
    ApiNotFound,
    /// The server of the metrics API does not answer, or it fails.
    ApiUnavailable,
    /// The controller is not allowed to read the metric.
    Forbidden,
    /// The metrics API does not have the metric.
    MetricNotFound,
    /// No API serves the kind of the object that the metric describes.
    UnknownKind,
    /// The metric's own selector is not valid.
    InvalidSelector,
    /// The metric's target sets no field that its type uses.
    NoTarget,
    /// The controller does not know this type of metric.
    UnknownType,
    /// The feature gate `HPAContainerMetrics` is off.
    GateOff,
    /// The metric was not requested.
    NotAsked,
    /// The API server does not accept the credentials.
    Unauthorized,
    /// You are not allowed to read it.
    Refused,
    /// It could not be read.
    NotRead,
    /// Something else; the text says it.
    Other,
}

impl FailureCause {
    /// Whether somebody said no to us, as opposed to saying nothing.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Unauthorized | Self::Refused)
    }
}

impl From<&AnswerErrorKind> for FailureCause {
    fn from(kind: &AnswerErrorKind) -> Self {
        match kind {
            AnswerErrorKind::NoMapping => Self::UnknownKind,
            AnswerErrorKind::ApiNotFound => Self::ApiNotFound,
            AnswerErrorKind::MetricNotFound => Self::MetricNotFound,
            AnswerErrorKind::Unavailable => Self::ApiUnavailable,
            AnswerErrorKind::Forbidden => Self::Forbidden,
            AnswerErrorKind::NotFound(_) | AnswerErrorKind::Other => Self::Other,
        }
    }
}

impl From<ReadFailureKind> for FailureCause {
    fn from(kind: ReadFailureKind) -> Self {
        match kind {
            ReadFailureKind::NotAsked => Self::NotAsked,
            ReadFailureKind::Unauthorized => Self::Unauthorized,
            ReadFailureKind::Refused => Self::Refused,
            ReadFailureKind::NotRead => Self::NotRead,
        }
    }
}
