//! Whose a pod is: its owner, and the owner of that.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;

use crate::api::CrossVersionObjectReference;

use super::request::collect_error::CollectError;
use super::request::paths::{self, Resource};
use super::request::reader::Reader;

#[derive(Deserialize)]
struct Owned {
    metadata: ObjectMeta,
}

/// What controls a pod, and what controls that where it is a `ReplicaSet`:
/// only these stand between a pod and what somebody scales.
///
/// # Errors
///
/// The pod or the `ReplicaSet` cannot be read.
pub async fn owners(
    reader: &Reader,
    namespace: &str,
    pod: &str,
) -> Result<Vec<CrossVersionObjectReference>, CollectError> {
    let mut next = Some(CrossVersionObjectReference {
        api_version: "v1".to_owned(),
        kind: "Pod".to_owned(),
        name: pod.to_owned(),
    });
    let mut owners = Vec::new();
    while let Some(reference) = next {
        let Some(resource) = Resource::built_in(&reference) else {
            break;
        };
        let endpoint = paths::target(&resource, namespace, &reference.name);
        let object: Owned = reader.get(&endpoint).await?.required(&endpoint)?;
        let all = object.metadata.owner_references.unwrap_or_default();
        let owner = all.into_iter().find(|it| it.controller == Some(true));
        let owner = owner.map(|it| CrossVersionObjectReference {
            api_version: it.api_version,
            kind: it.kind,
            name: it.name,
        });
        owners.extend(owner.clone());
        next = owner.filter(|it| it.kind == "ReplicaSet");
    }
    Ok(owners)
}
