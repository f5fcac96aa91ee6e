//! The target: which resource it is, its scale, and the object itself; and whose a
//! pod is, which leads to a target.

use std::convert::Infallible;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    APIGroup, APIResource, APIResourceList, ObjectMeta,
};
use serde::Deserialize;

use crate::api::{
    AnswerError, AnswerErrorKind, Answered, CrossVersionObjectReference, ReadFailure, Scale,
};
use crate::collect::request::{CollectError, Reader, Resource, paths};

/// A target's resource, as far as it is known.
pub type Mapped = Result<Resource, Answered<Infallible>>;

/// The resource behind a kind: known, or asked for.
/// Errors: the answer that takes the place of whatever would be asked of the resource.
pub async fn resource(reader: &Reader, reference: &CrossVersionObjectReference) -> Mapped {
    if let Some(resource) = Resource::built_in(reference) {
        return Ok(resource);
    }
    let group = reference.group();
    let named = match reference.api_version.rsplit_once('/') {
        Some((_, version)) => version,
        None => "v1",
    };
    if let Some(found) = find(reader, group, named, &reference.kind).await? {
        return Ok(found);
    }
    // Only the group counts: the version that is named need not be served.
    let found = match preferred_version(reader, group).await? {
        Some(version) if version != named => find(reader, group, &version, &reference.kind).await?,
        _ => None,
    };
    found.ok_or_else(|| {
        let kind = &reference.kind;
        let text = format!("no matches for kind {kind:?} in group {group:?}");
        Answered::Error(AnswerError::new(AnswerErrorKind::NoMapping, text))
    })
}

/// Looks for a kind among the resources of a version.
async fn find(
    reader: &Reader,
    group: &str,
    version: &str,
    kind: &str,
) -> Result<Option<Resource>, Answered<Infallible>> {
    let endpoint = paths::resources(group, version);
    let list: Option<APIResourceList> = settled(reader.look_for(&endpoint).await)?;
    let resources = list.map_or_else(Vec::new, |list| list.resources);
    let is_selected = |listed: &APIResource| listed.kind == kind && !listed.name.contains('/');
    let found = resources.into_iter().find(is_selected);
    Ok(found.map(|listed| Resource {
        group: group.to_owned(),
        version: version.to_owned(),
        plural: listed.name,
    }))
}

/// The version that a group prefers; the core group has only one.
async fn preferred_version(
    reader: &Reader,
    group: &str,
) -> Result<Option<String>, Answered<Infallible>> {
    if group.is_empty() {
        return Ok(None);
    }
    let found: Option<APIGroup> = settled(reader.look_for(&paths::api_group(group)).await)?;
    let preferred = found.and_then(|group| group.preferred_version);
    Ok(preferred.map(|preferred| preferred.version))
}

/// What is there or not. The controller keeps what it once learned of the
/// API, so that we cannot learn it now says nothing about the controller.
fn settled<T>(answer: Answered<Option<T>>) -> Result<Option<T>, Answered<Infallible>> {
    match answer {
        Answered::Response(found) => Ok(found),
        Answered::Error(error) => Err(Answered::Unreadable(ReadFailure::not_read(error.text))),
        Answered::Unreadable(failure) => Err(Answered::Unreadable(failure)),
    }
}

/// The scale of a target whose resource was looked for.
pub async fn scale(
    reader: &Reader,
    namespace: &str,
    name: &str,
    mapped: &Mapped,
) -> Answered<Scale> {
    match mapped {
        Ok(resource) => reader.ask(&paths::scale(resource, namespace, name)).await,
        Err(answer) => answer.hand_on(),
    }
}

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
        let endpoint = resource.get(Some(namespace), &reference.name);
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
