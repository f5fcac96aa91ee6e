//! The target: which resource it is, its scale, and the object itself.

use serde::Deserialize;

use crate::snapshot::{Answer, Answered, CrossVersionObjectReference, Scale};

use super::paths::{self, Resource};
use super::reader::Reader;

/// A target's resource, as far as it is known.
pub type Mapped = Result<Resource, Answered<Resource>>;

/// The resource behind a kind: known, or asked for.
///
/// # Errors
///
/// The answer that takes the place of whatever would be asked of the
/// resource.
pub async fn resource(reader: &Reader, reference: &CrossVersionObjectReference) -> Mapped {
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
