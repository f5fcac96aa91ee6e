//! The inputs of one HPA: what a pass needs, and what it is better with.
//!
//! One HPA's inputs come in three stages: the HPA; the target's scale; then everything
//! that the scale's selector decides. What a pass can do without is asked beside
//! them, and waited for only a moment.

pub mod neighbours;
pub mod room;
pub mod supplements;

use std::collections::HashMap;

use futures_util::future::join;
use http::Method;
use jiff::Timestamp;

use crate::api::{
    Answered, HorizontalPodAutoscaler, MetricSource, MetricSpec, Metrics, Pod, PodMetrics,
    ReadFailure, Scale,
};
use crate::collect::cluster::{Cluster, within};
use crate::collect::metrics::metrics;
use crate::collect::request::pages::pages;
use crate::collect::request::{CollectError, Reader, paths};
use crate::collect::target::{resource, scale};
use crate::document::snapshot::{NotRead, Part, Snapshot};
use room::read_nodes;
use supplements::Supplements;

/// Gathers the inputs of a pass on one HPA. `now` stands in for the server's
/// clock should it not tell the time.
///
/// # Errors
///
/// The HPA itself cannot be read.
pub async fn collect(
    cluster: &Cluster<'_>,
    namespace: &str,
    name: &str,
    now: Timestamp,
) -> Result<Snapshot, CollectError> {
    gather(cluster, (namespace, name), None, now).await
}

/// The same where the HPA may just have been read.
///
/// # Errors
///
/// The HPA cannot be read, or cannot be what it is.
pub async fn gather(
    cluster: &Cluster<'_>,
    (namespace, name): (&str, &str),
    known: Option<HorizontalPodAutoscaler>,
    now: Timestamp,
) -> Result<Snapshot, CollectError> {
    let supplementary = Supplements::new(cluster, namespace, name);
    // Boxed, for what waits for so many answers is large.
    let needed = Box::pin(needed(cluster, namespace, name, known, &supplementary));
    let needed = within(needed, Box::pin(supplementary.read()), cluster.wait).await?;
    let (hpa, scale, inputs) = needed;
    let mut snapshot = cluster.shared(now).snapshot(hpa, scale);
    (snapshot.pods, snapshot.metrics) = (inputs.pods, inputs.metrics);
    snapshot.provenance.not_read.extend(inputs.not_read);
    supplementary.fill(&mut snapshot);
    if cluster.room.nodes {
        read_nodes(cluster.reader, &mut snapshot).await;
    }
    snapshot
        .finish()
        .map_err(|flaw| CollectError::Malformed(flaw.to_string()))
}

/// What no pass can be computed without.
async fn needed(
    cluster: &Cluster<'_>,
    namespace: &str,
    name: &str,
    known: Option<HorizontalPodAutoscaler>,
    supplementary: &Supplements<'_>,
) -> Result<(HorizontalPodAutoscaler, Answered<Scale>, Selected), CollectError> {
    let reader = cluster.reader;
    let hpa = match known {
        Some(hpa) => hpa,
        None => the_autoscaler(reader, namespace, name).await?,
    };
    let reference = &hpa.spec.scale_target_ref;
    let mapped = resource(reader, reference).await;
    supplementary.target_is(&hpa, mapped.as_ref().ok());
    let scale = scale(reader, namespace, &reference.name, &mapped).await;
    let selector = scale.selector();
    supplementary.selector_is(selector);
    let inputs = inputs(reader, namespace, &hpa.spec.metrics, selector).await;
    supplementary.inputs_are(&hpa, &scale, &inputs.pods, &inputs.metrics);
    Ok((hpa, scale, inputs))
}

/// One HPA, if it exists.
///
/// # Errors
///
/// It cannot be read.
pub async fn autoscaler(
    cluster: &Cluster<'_>,
    namespace: &str,
    name: &str,
) -> Result<Option<HorizontalPodAutoscaler>, CollectError> {
    match the_autoscaler(cluster.reader, namespace, name).await {
        Ok(hpa) => Ok(Some(hpa)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

async fn the_autoscaler(
    reader: &Reader,
    namespace: &str,
    name: &str,
) -> Result<HorizontalPodAutoscaler, CollectError> {
    let endpoint = paths::autoscaler(namespace, name);
    reader.get(&endpoint).await?.required(&endpoint)
}

/// What the selector decides.
#[derive(Default)]
struct Selected {
    pods: Vec<Pod>,
    metrics: Metrics,
    not_read: Option<NotRead>,
}

async fn inputs(
    reader: &Reader,
    namespace: &str,
    specs: &[MetricSpec],
    selector: Option<&str>,
) -> Selected {
    let Some(selector) = selector else {
        return Selected::default();
    };
    // The controller reads its pods from a cache of its own, so a list that fails here
    // says nothing about the controller.
    let endpoint = paths::pods(Some(namespace), selector);
    let (pods, mut metrics) = join(
        pages(reader, &endpoint),
        metrics(reader, namespace, selector, specs),
    )
    .await;
    match pods {
        Ok(pods) => {
            if let Some(samples) = metrics.samples_mut() {
                label_samples(samples, &pods);
            }
            Selected {
                pods,
                metrics,
                not_read: None,
            }
        }
        Err(error) => {
            let reason = error.failure();
            without_pods(&mut metrics, &reason, specs);
            Selected {
                pods: Vec::new(),
                metrics,
                not_read: Some(NotRead::new(Part::Pods, reason)),
            }
        }
    }
}

/// Gives samples that carry no labels those of their pods: the server has
/// selected them, but metrics-server before 0.5 does not repeat the labels,
/// and the snapshot is selected from once more.
pub fn label_samples(samples: &mut [PodMetrics], pods: &[Pod]) {
    let is_bare = |sample: &PodMetrics| sample.metadata.labels.is_empty();
    if !samples.iter().any(is_bare) {
        return;
    }
    let labels: HashMap<_, _> = pods
        .iter()
        .map(|pod| (&pod.metadata.name, &pod.metadata.labels))
        .collect();
    for sample in samples.iter_mut().filter(|sample| is_bare(sample)) {
        if let Some(labels) = labels.get(&sample.metadata.name) {
            sample.metadata.labels = (*labels).clone();
        }
    }
}

/// Without the pods, nothing that is measured or multiplied by pods can be
/// told.
pub fn without_pods(metrics: &mut Metrics, reason: &ReadFailure, specs: &[MetricSpec]) {
    if metrics.resource.is_some() {
        metrics.resource = Some(Answered::Unreadable(reason.clone()));
    }
    let is_value = |name: &str| {
        specs.iter().any(|metric| {
            let source = metric.source().filter(|_| metric.is_one_value());
            let source = source.filter(|it| it.target().value.is_some());
            let metric = source.and_then(MetricSource::metric);
            metric.is_some_and(|it| it.name == name)
        })
    };
    for custom in &mut metrics.custom {
        if custom.described_object.is_none() || is_value(&custom.metric) {
            custom.answer = Answered::Unreadable(reason.clone());
        }
    }
    for external in &mut metrics.external {
        if is_value(&external.metric) {
            external.answer = Answered::Unreadable(reason.clone());
        }
    }
}

/// Asks what an HPA would be after a merge patch.
///
/// # Errors
///
/// The server has no answer, or refuses.
pub async fn dry_run_patch(
    reader: &Reader,
    (namespace, name): (&str, &str),
    patch: String,
) -> Result<HorizontalPodAutoscaler, CollectError> {
    let endpoint = paths::patch_autoscaler(namespace, name);
    let kind = "application/merge-patch+json";
    let reply = reader.dry_run(Method::PATCH, &endpoint, kind, patch);
    reply.await?.required(&endpoint)
}

/// Asks what an HPA would be once it is created.
///
/// # Errors
///
/// The server has no answer, or refuses.
pub async fn dry_run_create(
    reader: &Reader,
    hpa: &HorizontalPodAutoscaler,
) -> Result<HorizontalPodAutoscaler, CollectError> {
    let endpoint = paths::create_autoscaler(&hpa.metadata.namespace, &hpa.metadata.name);
    let document = serde_json::json!({
        "apiVersion": hpa.api_version,
        "kind": hpa.kind,
        "metadata": { "name": hpa.metadata.name, "namespace": hpa.metadata.namespace },
        "spec": hpa.spec,
    });
    let reply = reader.dry_run(
        Method::POST,
        &endpoint,
        "application/json",
        document.to_string(),
    );
    reply.await?.required(&endpoint)
}
