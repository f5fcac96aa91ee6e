//! What the API server would make of a change, without storing it.

use http::Method;

use crate::api::HorizontalPodAutoscaler;

use super::request::collect_error::CollectError;
use super::request::paths;
use super::request::reader::Reader;

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
