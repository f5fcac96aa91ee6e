//! Which HPAs there are, and what they scale.

use crate::api::CrossVersionObjectReference;

use super::listed::autoscalers;
use super::request::collect_error::CollectError;
use super::request::reader::Reader;

/// An HPA, as far as who it is and what it scales.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The HPA's namespace.
    pub namespace: String,
    /// The HPA's name.
    pub name: String,
    /// What it scales.
    pub target: CrossVersionObjectReference,
}

/// The HPAs of a namespace, or of all, in the server's order.
///
/// # Errors
///
/// Why the list cannot be read.
pub async fn find(reader: &Reader, namespace: Option<&str>) -> Result<Vec<Found>, CollectError> {
    let listed = autoscalers(reader, namespace).await?;
    let found = listed.into_iter().map(|one| Found {
        namespace: one.metadata.namespace.to_string(),
        name: one.metadata.name.to_string(),
        target: one.spec.scale_target_ref,
    });
    Ok(found.collect())
}
