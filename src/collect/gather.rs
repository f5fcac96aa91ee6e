//! One HPA's inputs, in three stages: the HPA and what needs nothing else;
//! the target's scale; then everything that the scale's selector decides.

use futures_util::future::{join, join_all, join4};
use jiff::Timestamp;
use serde::Deserialize;
use thiserror::Error;

use crate::snapshot::{
    API_VERSION, Answer, Answered, CrossVersionObjectReference, CustomMetric, DescribedObject,
    ExternalMetric, HorizontalPodAutoscaler, KIND, MetricSpec, Metrics, Pod, PodMetricsList, Scale,
    Snapshot, wire_text,
};

use super::controller_flags;
use super::other_autoscalers;
use super::paths::{self, Resource};
use super::reader::{Asked, Reader, Unanswered};

/// Why an HPA's inputs cannot be gathered. Nothing but the HPA itself is
/// needed to explain.
#[derive(Debug, Error)]
pub enum CollectError {
    /// The server has no answer.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
    /// The server refuses the HPA: the reason as kubectl names it, and the
    /// server's sentence.
    #[error("Error from server ({reason}): {message}")]
    Refused {
        /// Such as `NotFound` or `Forbidden`.
        reason: String,
        /// The server's sentence.
        message: String,
    },
    /// The server's HPA cannot be what it is.
    #[error("{0}")]
    Malformed(String),
}

/// Gathers the inputs of a pass on one HPA. `now` stands in for the server's
/// clock should it not tell the time.
///
/// # Errors
///
/// The HPA itself cannot be read.
pub async fn collect(
    reader: &Reader,
    namespace: &str,
    name: &str,
    now: Timestamp,
) -> Result<Snapshot, CollectError> {
    let (hpa, version, managers, others) = join4(
        autoscaler(reader, namespace, name),
        reader.ask::<Version>(&paths::version()),
        reader.ask(&paths::controller_managers()),
        reader.ask(&paths::autoscalers(namespace)),
    )
    .await;
    let hpa = hpa?;
    let scale = scale(reader, namespace, &hpa.spec.scale_target_ref).await;
    let selector = selector(&scale);
    let (inputs, other_autoscalers) = join(
        inputs(reader, namespace, &hpa, selector.as_deref()),
        other_autoscalers::read(reader, &hpa, selector.as_deref(), &others),
    )
    .await;
    let snapshot = Snapshot {
        api_version: API_VERSION.to_owned(),
        kind: KIND.to_owned(),
        captured_at: reader.server_time().unwrap_or(now),
        server_version: version.response.map(|version| version.git_version),
        controller: controller_flags::seen(&managers),
        horizontal_pod_autoscaler: hpa,
        scale,
        pods: inputs.pods,
        metrics: inputs.metrics,
        other_autoscalers,
        history: None,
    };
    snapshot.finish().map_err(CollectError::Malformed)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    git_version: String,
}

async fn autoscaler(
    reader: &Reader,
    namespace: &str,
    name: &str,
) -> Result<HorizontalPodAutoscaler, CollectError> {
    let asked = paths::autoscaler(namespace, name);
    let reply = reader.get(&asked).await?;
    reply
        .object(&asked)
        .map_err(|message| match reply.status.as_u16() {
            200 => CollectError::Malformed(message),
            code => CollectError::Refused {
                reason: reason(code).to_owned(),
                message,
            },
        })
}

/// The reason that kubectl prints for a status code.
fn reason(code: u16) -> &'static str {
    match code {
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        429 => "TooManyRequests",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "InternalError",
    }
}

async fn scale(
    reader: &Reader,
    namespace: &str,
    target: &CrossVersionObjectReference,
) -> Answered<Scale> {
    match resource(reader, target).await {
        Ok(resource) => {
            reader
                .ask(&paths::scale(&resource, namespace, &target.name))
                .await
        }
        Err(answer) => answer,
    }
}

/// The resource behind a kind: known, or asked for.
async fn resource<T>(
    reader: &Reader,
    reference: &CrossVersionObjectReference,
) -> Result<Resource, Answered<T>> {
    if let Some(resource) = Resource::built_in(reference) {
        return Ok(resource);
    }
    let listed: Answered<ResourceList> =
        reader.ask(&paths::discovery(&reference.api_version)).await;
    let unmapped = || {
        let group = paths::group_of(&reference.api_version);
        format!(
            "no matches for kind {:?} in group {group:?}",
            reference.kind
        )
    };
    match listed.answer() {
        Some(Answer::Response(list)) => list
            .find(reference)
            .ok_or_else(|| Answered::error(unmapped())),
        Some(Answer::Unreadable(reason)) => Err(Answered::unreadable(reason.to_owned())),
        Some(Answer::Error(_)) | None => Err(Answered::error(unmapped())),
    }
}

/// What discovery says of one API version.
#[derive(Deserialize)]
struct ResourceList {
    resources: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    name: String,
    kind: String,
}

impl ResourceList {
    fn find(&self, reference: &CrossVersionObjectReference) -> Option<Resource> {
        let is_wanted =
            |listed: &&Listed| listed.kind == reference.kind && !listed.name.contains('/');
        let listed = self.resources.iter().find(is_wanted)?;
        let version = reference.api_version.rsplit('/').next()?;
        Some(Resource {
            group: paths::group_of(&reference.api_version).to_owned(),
            version: version.to_owned(),
            plural: listed.name.clone(),
        })
    }
}

/// The pod selector, if there is one.
fn selector(scale: &Answered<Scale>) -> Option<String> {
    let selector = &scale.response.as_ref()?.status.selector;
    (!selector.is_empty()).then(|| selector.clone())
}

/// What the selector decides.
#[derive(Default)]
struct Inputs {
    pods: Vec<Pod>,
    metrics: Metrics,
}

async fn inputs(
    reader: &Reader,
    namespace: &str,
    hpa: &HorizontalPodAutoscaler,
    selector: Option<&str>,
) -> Inputs {
    let Some(selector) = selector else {
        return Inputs::default();
    };
    let metrics = &hpa.spec.metrics;
    let (pods, resource, custom, external) = join4(
        pods(reader, namespace, selector),
        resource_metrics(reader, namespace, selector, metrics),
        join_all(
            metrics
                .iter()
                .filter_map(|metric| custom(reader, namespace, selector, metric)),
        ),
        join_all(
            metrics
                .iter()
                .filter_map(|metric| external(reader, namespace, metric)),
        ),
    )
    .await;
    let mut inputs = Inputs {
        pods: Vec::new(),
        metrics: Metrics {
            resource,
            custom,
            external,
        },
    };
    match pods {
        Ok(pods) => inputs.pods = pods,
        Err(reason) => inputs.without_pods(&reason, metrics),
    }
    inputs
}

impl Inputs {
    /// Without the pods, nothing that is measured or multiplied by pods can
    /// be told.
    fn without_pods(&mut self, reason: &str, metrics: &[MetricSpec]) {
        self.metrics.resource = Some(Answered::unreadable(reason.to_owned()));
        let unreadable = || Some(reason.to_owned());
        let is_value = |name: &str| {
            metrics.iter().any(|metric| {
                let object = metric.object.as_ref().map(|o| (&o.metric.name, &o.target));
                let external = metric
                    .external
                    .as_ref()
                    .map(|e| (&e.metric.name, &e.target));
                let source = object.or(external);
                source.is_some_and(|(own, target)| own == name && target.value.is_some())
            })
        };
        for custom in &mut self.metrics.custom {
            if custom.described_object.is_none() || is_value(&custom.metric) {
                (custom.response, custom.error, custom.unreadable) = (None, None, unreadable());
            }
        }
        for external in &mut self.metrics.external {
            if is_value(&external.metric) {
                (external.response, external.error, external.unreadable) =
                    (None, None, unreadable());
            }
        }
    }
}

/// A page of a list.
#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    metadata: PageMeta,
    #[serde(default)]
    items: Vec<Pod>,
}

#[derive(Default, Deserialize)]
struct PageMeta {
    #[serde(default, rename = "continue")]
    token: Option<String>,
}

/// All pods that the selector matches, page by page.
async fn pods(reader: &Reader, namespace: &str, selector: &str) -> Result<Vec<Pod>, String> {
    let mut pods = Vec::new();
    let mut token = None;
    loop {
        let asked: Asked = paths::pods(namespace, selector, token.as_deref());
        let page: Answered<Page> = reader.ask(&asked).await;
        let Some(page) = page.response else {
            return Err(page.error.or(page.unreadable).unwrap_or_default());
        };
        pods.extend(page.items);
        token = page.metadata.token.filter(|token| !token.is_empty());
        if token.is_none() {
            return Ok(pods);
        }
    }
}

async fn resource_metrics(
    reader: &Reader,
    namespace: &str,
    selector: &str,
    metrics: &[MetricSpec],
) -> Option<Answered<PodMetricsList>> {
    let is_asked =
        |metric: &MetricSpec| matches!(metric.kind.as_str(), "Resource" | "ContainerResource");
    if !metrics.iter().any(is_asked) {
        return None;
    }
    Some(reader.ask(&paths::pod_metrics(namespace, selector)).await)
}

/// The answer to a Pods or Object metric.
fn custom<'a>(
    reader: &'a Reader,
    namespace: &'a str,
    selector: &'a str,
    metric: &'a MetricSpec,
) -> Option<impl Future<Output = CustomMetric> + 'a> {
    let identifier = match metric.kind.as_str() {
        "Pods" => &metric.pods.as_ref()?.metric,
        "Object" => &metric.object.as_ref()?.metric,
        _ => return None,
    };
    let object = metric
        .object
        .as_ref()
        .map(|object| &object.described_object);
    Some(async move {
        let answer = match object {
            None => {
                reader
                    .ask(&paths::pods_metric(namespace, selector, identifier))
                    .await
            }
            Some(object) if is_namespace(object) => {
                reader
                    .ask(&paths::object_metric(namespace, None, identifier))
                    .await
            }
            Some(object) => match resource(reader, object).await {
                Ok(resource) => {
                    let object = Some((&resource, object.name.as_str()));
                    reader
                        .ask(&paths::object_metric(namespace, object, identifier))
                        .await
                }
                Err(answer) => answer,
            },
        };
        CustomMetric {
            metric: identifier.name.clone(),
            metric_selector: wire_text(identifier.selector.as_ref()).unwrap_or_default(),
            described_object: object.map(|object| described(object, namespace)),
            response: answer.response,
            error: answer.error,
            unreadable: answer.unreadable,
        }
    })
}

fn is_namespace(object: &CrossVersionObjectReference) -> bool {
    object.kind == "Namespace" && matches!(object.api_version.as_str(), "" | "v1")
}

/// The object under the name that it was asked for.
fn described(object: &CrossVersionObjectReference, namespace: &str) -> DescribedObject {
    let name = if is_namespace(object) {
        namespace
    } else {
        &object.name
    };
    DescribedObject {
        kind: object.kind.clone(),
        name: name.to_owned(),
        ..DescribedObject::default()
    }
}

fn external<'a>(
    reader: &'a Reader,
    namespace: &'a str,
    metric: &'a MetricSpec,
) -> Option<impl Future<Output = ExternalMetric> + 'a> {
    if metric.kind != "External" {
        return None;
    }
    let identifier = &metric.external.as_ref()?.metric;
    Some(async move {
        let answer = reader
            .ask(&paths::external_metric(namespace, identifier))
            .await;
        ExternalMetric {
            metric: identifier.name.clone(),
            metric_selector: wire_text(identifier.selector.as_ref()).unwrap_or_default(),
            response: answer.response,
            error: answer.error,
            unreadable: answer.unreadable,
        }
    })
}
