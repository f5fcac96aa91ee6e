//! Which HPAs there are, and what they scale.

use serde::Deserialize;

use crate::snapshot::{Answered, CrossVersionObjectReference};

use super::paths;
use super::reader::{Reader, Unanswered};

/// An HPA, as far as who it is and what it scales.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The HPA's name.
    pub name: String,
    /// What it scales.
    pub target: CrossVersionObjectReference,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Named,
    spec: Spec,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    scale_target_ref: CrossVersionObjectReference,
}

/// The HPAs of a namespace.
///
/// # Errors
///
/// The list cannot be read.
pub async fn find(reader: &Reader, namespace: &str) -> Result<Vec<Found>, Unanswered> {
    let listed: Answered<Listed> = reader.ask(&paths::autoscalers(namespace)).await;
    let Some(listed) = listed.response else {
        let reason = listed.error.or(listed.unreadable).unwrap_or_default();
        return Err(Unanswered::Body(reason));
    };
    let found = listed.items.into_iter().map(|item| Found {
        name: item.metadata.name,
        target: item.spec.scale_target_ref,
    });
    Ok(found.collect())
}
