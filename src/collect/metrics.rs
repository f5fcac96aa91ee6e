//! The metrics of an HPA, asked exactly as the controller asks.

use futures_util::future::{join, join_all};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIGroup;

use super::request::{Endpoint, Reader, paths};
use super::target::resource;
use crate::api::{
    AnswerError, AnswerErrorKind, Answered, CrossVersionObjectReference, CustomMetric,
    DescribedObject, ExternalMetric, ExternalMetricValueList, MetricIdentifier, MetricSource,
    MetricSpec, MetricValueList, Metrics, ObjectMetricSource, PodMetricsList, PodsMetricSource,
    ReadFailure, wire_text,
};

/// Asks for every metric of the spec.
pub async fn metrics(
    reader: &Reader,
    namespace: &str,
    selector: &str,
    specs: &[MetricSpec],
) -> Metrics {
    let adapted = specs.iter();
    let adapted = adapted.map(|spec| adapted_metric(reader, namespace, selector, spec));
    let samples = pod_metrics(reader, namespace, selector, specs);
    let (resource, adapted) = join(samples, join_all(adapted)).await;
    let mut metrics = Metrics {
        resource,
        ..Metrics::default()
    };
    for answer in adapted {
        add(&mut metrics, answer);
    }
    metrics
}

/// Adds what adapters answered.
pub fn add(metrics: &mut Metrics, adapted: Metrics) {
    metrics.custom.extend(adapted.custom);
    metrics.external.extend(adapted.external);
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

/// What an adapter answers of a custom or an external metric; nothing of others.
pub async fn adapted_metric(
    reader: &Reader,
    namespace: &str,
    selector: &str,
    spec: &MetricSpec,
) -> Metrics {
    match spec.source() {
        Some(MetricSource::Pods(PodsMetricSource { metric, .. })) => {
            let endpoint = |version: &str| paths::pods_metric(version, namespace, selector, metric);
            let answer = of_any_version(reader, endpoint).await;
            custom(metric, None, namespace, answer)
        }
        Some(MetricSource::Object(source)) => {
            let answer = of_object(reader, namespace, source).await;
            let object = Some(&source.described_object);
            custom(&source.metric, object, namespace, answer)
        }
        Some(MetricSource::External(source)) => {
            let endpoint = paths::external_metric(namespace, &source.metric);
            external(&source.metric, reader.ask(&endpoint).await)
        }
        _ => Metrics::default(),
    }
}

/// The same where nobody is asked.
pub fn not_asked(namespace: &str, spec: &MetricSpec) -> Metrics {
    let reason = ReadFailure::not_asked();
    let (metric, object) = match spec.source() {
        Some(MetricSource::Pods(source)) => (&source.metric, None),
        Some(MetricSource::Object(source)) => (&source.metric, Some(&source.described_object)),
        Some(MetricSource::External(source)) => {
            return external(&source.metric, Answered::Unreadable(reason));
        }
        _ => return Metrics::default(),
    };
    custom(metric, object, namespace, Answered::Unreadable(reason))
}

async fn of_object(
    reader: &Reader,
    namespace: &str,
    source: &ObjectMetricSource,
) -> Answered<MetricValueList> {
    let object = &source.described_object;
    let resource = if object.is_namespace() {
        None
    } else {
        match resource(reader, object).await {
            Ok(resource) => Some(resource),
            Err(answer) => return unmapped(object, answer.hand_on()),
        }
    };
    let object = resource
        .as_ref()
        .map(|resource| (resource, object.name.as_str()));
    let endpoint = |version: &str| paths::object_metric(version, namespace, object, &source.metric);
    of_any_version(reader, endpoint).await
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
fn custom(
    identifier: &MetricIdentifier,
    object: Option<&CrossVersionObjectReference>,
    namespace: &str,
    answer: Answered<MetricValueList>,
) -> Metrics {
    let custom = CustomMetric {
        metric: identifier.name.clone(),
        metric_selector: wire_text(identifier.selector.as_ref()).unwrap_or_default(),
        described_object: object.map(|it| DescribedObject::new(it.request_target(namespace))),
        answer,
    };
    Metrics {
        custom: vec![custom],
        ..Metrics::default()
    }
}

fn external(identifier: &MetricIdentifier, answer: Answered<ExternalMetricValueList>) -> Metrics {
    let external = ExternalMetric {
        metric: identifier.name.clone(),
        metric_selector: wire_text(identifier.selector.as_ref()).unwrap_or_default(),
        answer,
    };
    Metrics {
        external: vec![external],
        ..Metrics::default()
    }
}

/// The versions of the custom metrics API that the controller knows.
const OLDER: &str = "v1beta1";
const NEWER: &str = "v1beta2";

/// Adapters serve v1beta2, v1beta1 or both. The newer one is asked without
/// looking first; discovery decides only where it is not there.
async fn of_any_version(
    reader: &Reader,
    endpoint: impl Fn(&str) -> Endpoint,
) -> Answered<MetricValueList> {
    let newer = endpoint(NEWER);
    let reply = match reader.get(&newer).await {
        Ok(reply) => reply,
        Err(error) => return error.answered(&newer),
    };
    if !reply.is_no_such_path() {
        return reply.answered(&newer);
    }
    let group = paths::api_group("custom.metrics.k8s.io");
    let Ok(discovered) = reader.get(&group).await else {
        return reply.answered(&newer);
    };
    if discovered.is_no_such_path() {
        return nothing_serves("no custom metrics API (custom.metrics.k8s.io) registered");
    }
    let Ok(served) = discovered.object::<APIGroup>(&group) else {
        return reply.answered(&newer);
    };
    let versions = served.preferred_version.iter().chain(&served.versions);
    let mut known = versions.map(|it| it.version.as_str());
    match known.find(|it| matches!(*it, OLDER | NEWER)) {
        Some(OLDER) => reader.ask(&endpoint(OLDER)).await,
        Some(_) => reply.answered(&newer),
        None => nothing_serves("no known available metric versions found"),
    }
}

/// The client's words where discovery knows no version.
fn nothing_serves(text: &str) -> Answered<MetricValueList> {
    Answered::Error(AnswerError::new(AnswerErrorKind::ApiNotFound, text))
}
