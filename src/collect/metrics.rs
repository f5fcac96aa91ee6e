//! The metrics of an HPA, asked exactly as the controller asks.

use futures_util::future::{join_all, join3};
use serde::Deserialize;

use crate::api::{
    AnswerError, AnswerErrorKind, Answered, CrossVersionObjectReference, CustomMetric,
    DescribedObject, ExternalMetric, ExternalMetricValueList, MetricIdentifier, MetricSource,
    MetricSpec, MetricValueList, Metrics, PodMetricsList, wire_text,
};

use super::request::paths::{self, CustomMetricsVersion, Endpoint};
use super::request::reader::Reader;
use super::target::resource;

/// Asks for every metric of the spec.
pub async fn metrics(
    reader: &Reader,
    namespace: &str,
    selector: &str,
    specs: &[MetricSpec],
) -> Metrics {
    let (resource, custom, external) = join3(
        pod_metrics(reader, namespace, selector, specs),
        custom_metrics(reader, namespace, selector, specs),
        external_metrics(reader, namespace, specs),
    )
    .await;
    Metrics {
        resource,
        custom,
        external,
    }
}

/// The samples of the pods, if any metric needs them.
async fn pod_metrics(
    reader: &Reader,
    namespace: &str,
    selector: &str,
    specs: &[MetricSpec],
) -> Option<Answered<PodMetricsList>> {
    if !specs.iter().any(MetricSpec::is_of_resource) {
        return None;
    }
    let endpoint = paths::pod_metrics(Some(namespace), selector);
    Some(reader.ask(&endpoint).await)
}

/// The answers to the Pods and Object metrics.
pub async fn custom_metrics(
    reader: &Reader,
    namespace: &str,
    selector: &str,
    specs: &[MetricSpec],
) -> Vec<CustomMetric> {
    let endpoint = specs.iter().filter_map(|spec| {
        let (identifier, object) = custom_source(spec)?;
        Some(custom(reader, namespace, selector, identifier, object))
    });
    join_all(endpoint).await
}

/// What a Pods or Object metric asks for: the metric, and the object.
pub fn custom_source(
    spec: &MetricSpec,
) -> Option<(&MetricIdentifier, Option<&CrossVersionObjectReference>)> {
    match spec.source()? {
        MetricSource::Pods(source) => Some((&source.metric, None)),
        MetricSource::Object(source) => Some((&source.metric, Some(&source.described_object))),
        _ => None,
    }
}

async fn custom(
    reader: &Reader,
    namespace: &str,
    selector: &str,
    identifier: &MetricIdentifier,
    object: Option<&CrossVersionObjectReference>,
) -> CustomMetric {
    let answer = match object {
        None => {
            of_any_version(reader, |version| {
                paths::pods_metric(version, namespace, selector, identifier)
            })
            .await
        }
        Some(object) if object.is_namespace() => {
            of_any_version(reader, |version| {
                paths::object_metric(version, namespace, None, identifier)
            })
            .await
        }
        Some(object) => match resource(reader, object).await {
            Ok(resource) => {
                of_any_version(reader, |version| {
                    let object = Some((&resource, object.name.as_str()));
                    paths::object_metric(version, namespace, object, identifier)
                })
                .await
            }
            Err(answer) => unmapped(object, answer.hand_on()),
        },
    };
    custom_metric(identifier, object, namespace, answer)
}

/// The client's words for an object whose kind no API serves
/// (`customMetricsClient.GetForObject`).
fn unmapped<T>(object: &CrossVersionObjectReference, answer: Answered<T>) -> Answered<T> {
    let kind = match object.group() {
        "" => object.kind.clone(),
        group => format!("{}.{group}", object.kind),
    };
    match answer {
        Answered::Error(AnswerError { kind: why, text }) => {
            let text = format!("unable to map kind {kind} to resource: {text}");
            Answered::Error(AnswerError::new(why, text))
        }
        other => other,
    }
}

/// An answer under the question that it belongs to.
pub fn custom_metric(
    identifier: &MetricIdentifier,
    object: Option<&CrossVersionObjectReference>,
    namespace: &str,
    answer: Answered<MetricValueList>,
) -> CustomMetric {
    CustomMetric {
        metric: identifier.name.clone(),
        metric_selector: wire_text(identifier.selector.as_ref()).unwrap_or_default(),
        described_object: object.map(|it| DescribedObject::new(it.request_target(namespace))),
        answer,
    }
}

/// Adapters serve v1beta2, v1beta1 or both. The newer one is asked without
/// looking first; discovery decides only where it is not there.
async fn of_any_version(
    reader: &Reader,
    endpoint: impl Fn(CustomMetricsVersion) -> Endpoint,
) -> Answered<MetricValueList> {
    let newer = endpoint(CustomMetricsVersion::V1Beta2);
    let reply = match reader.get(&newer).await {
        Ok(reply) => reply,
        Err(error) => return error.answered(&newer),
    };
    if !reply.is_no_such_path() {
        return reply.answered(&newer);
    }
    match served_versions(reader).await {
        Served::Older => {
            let older = endpoint(CustomMetricsVersion::V1Beta1);
            reader.ask(&older).await
        }
        Served::Newer | Served::Unknown => reply.answered(&newer),
        Served::Neither => nothing_serves("no known available metric versions found"),
        Served::Nothing => {
            nothing_serves("no custom metrics API (custom.metrics.k8s.io) registered")
        }
    }
}

/// The client's words where discovery knows no version.
fn nothing_serves(text: &str) -> Answered<MetricValueList> {
    Answered::Error(AnswerError::new(AnswerErrorKind::ApiNotFound, text))
}

/// What discovery says of `custom.metrics.k8s.io`.
enum Served {
    Newer,
    Older,
    Neither,
    Nothing,
    Unknown,
}

async fn served_versions(reader: &Reader) -> Served {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct ApiGroup {
        #[serde(default)]
        versions: Vec<ApiVersion>,
        preferred_version: Option<ApiVersion>,
    }
    #[derive(Deserialize)]
    struct ApiVersion {
        version: String,
    }
    let endpoint = paths::api_group("custom.metrics.k8s.io");
    let Ok(reply) = reader.get(&endpoint).await else {
        return Served::Unknown;
    };
    if reply.is_no_such_path() {
        return Served::Nothing;
    }
    let Ok(group) = reply.object::<ApiGroup>(&endpoint) else {
        return Served::Unknown;
    };
    let versions = group.preferred_version.iter().chain(&group.versions);
    let mut known = versions.filter_map(|version| match version.version.as_str() {
        "v1beta2" => Some(Served::Newer),
        "v1beta1" => Some(Served::Older),
        _ => None,
    });
    known.next().unwrap_or(Served::Neither)
}

/// The answers to the External metrics.
pub async fn external_metrics(
    reader: &Reader,
    namespace: &str,
    specs: &[MetricSpec],
) -> Vec<ExternalMetric> {
    let identifiers = specs.iter().filter_map(external_source);
    join_all(identifiers.map(|identifier| async move {
        let endpoint = paths::external_metric(namespace, identifier);
        external_metric(identifier, reader.ask(&endpoint).await)
    }))
    .await
}

/// What an External metric asks for.
pub fn external_source(spec: &MetricSpec) -> Option<&MetricIdentifier> {
    match spec.source()? {
        MetricSource::External(source) => Some(&source.metric),
        _ => None,
    }
}

/// An answer under the question that it belongs to.
pub fn external_metric(
    identifier: &MetricIdentifier,
    answer: Answered<ExternalMetricValueList>,
) -> ExternalMetric {
    ExternalMetric {
        metric: identifier.name.clone(),
        metric_selector: wire_text(identifier.selector.as_ref()).unwrap_or_default(),
        answer,
    }
}
