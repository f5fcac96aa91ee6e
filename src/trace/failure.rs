//! Why a metric fails.

use schemars::JsonSchema;
use serde::Serialize;

use crate::api::ReadFailureKind;

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
    /// What an API server's refusal of a metric means, told by its text:
    /// client-go's sentence for the status code, or the server's own.
    pub fn of_answer(text: &str) -> Self {
        const TEXTS: [(&str, FailureCause); 14] = [
            ("forbidden", FailureCause::Forbidden),
            ("unable to map kind", FailureCause::UnknownKind),
            (
                "could not find the requested resource",
                FailureCause::ApiNotFound,
            ),
            ("no custom metrics api", FailureCause::ApiNotFound),
            (
                "no known available metric versions",
                FailureCause::ApiNotFound,
            ),
            ("could not find the metric", FailureCause::MetricNotFound),
            ("no matching metrics found", FailureCause::MetricNotFound),
            ("unable to handle the request", FailureCause::ApiUnavailable),
            ("unable to return a response", FailureCause::ApiUnavailable),
            ("an error on the server", FailureCause::ApiUnavailable),
            ("too many requests", FailureCause::ApiUnavailable),
            ("internal error occurred", FailureCause::ApiUnavailable),
            // Of metrics-server and of adapters whose own source is gone.
            ("metrics not available", FailureCause::ApiUnavailable),
            ("unable to fetch metrics", FailureCause::ApiUnavailable),
        ];
        let text = text.to_lowercase();
        let known = TEXTS.into_iter().find(|(part, _)| text.contains(part));
        known.map_or(Self::Other, |(_, cause)| cause)
    }

    /// Whether somebody said no to us, as opposed to saying nothing.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Unauthorized | Self::Refused)
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

#[cfg(test)]
mod tests {
    use super::FailureCause;

    #[test]
    fn what_a_server_says_is_told_apart() {
        let rows = [
            (
                "the server could not find the requested resource (get pods.metrics.k8s.io)",
                FailureCause::ApiNotFound,
            ),
            (
                "no custom metrics API (custom.metrics.k8s.io) registered",
                FailureCause::ApiNotFound,
            ),
            (
                "no known available metric versions found",
                FailureCause::ApiNotFound,
            ),
            (
                "the server is currently unable to handle the request",
                FailureCause::ApiUnavailable,
            ),
            ("metrics not available", FailureCause::ApiUnavailable),
            ("unable to fetch metrics", FailureCause::ApiUnavailable),
            (
                "an error on the server (\"\") has prevented the request from succeeding",
                FailureCause::ApiUnavailable,
            ),
            (
                "the server could not find the metric m for pods",
                FailureCause::MetricNotFound,
            ),
            (
                "No matching metrics found for s0-kafka",
                FailureCause::MetricNotFound,
            ),
            (
                "pods.metrics.k8s.io is forbidden: User \"x\" cannot list",
                FailureCause::Forbidden,
            ),
            (
                "unable to map kind Route to resource: no matches",
                FailureCause::UnknownKind,
            ),
            ("gone", FailureCause::Other),
            ("", FailureCause::Other),
        ];
        for (text, cause) in rows {
            assert_eq!(FailureCause::of_answer(text), cause, "{text}");
        }
    }
}
