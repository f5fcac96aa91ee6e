//! Why a metric fails.

use schemars::JsonSchema;
use serde::Serialize;

use crate::api::{AnswerErrorKind, ReadFailureKind};

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
