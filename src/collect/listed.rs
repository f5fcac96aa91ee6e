//! The HPAs of a namespace, or of all, in one list.

use serde::Deserialize;

use crate::snapshot::{AutoscalerMeta, HorizontalPodAutoscaler, HpaSpec, HpaStatus};

use super::request::collect_error::CollectError;
use super::request::pages::pages;
use super::request::paths;
use super::request::reader::Reader;

/// An HPA in a list, which does not repeat kind and version.
#[derive(Deserialize)]
struct Item {
    metadata: AutoscalerMeta,
    spec: HpaSpec,
    #[serde(default)]
    status: HpaStatus,
}

impl Item {
    fn object(self) -> HorizontalPodAutoscaler {
        HorizontalPodAutoscaler {
            api_version: "autoscaling/v2".to_owned(),
            kind: "HorizontalPodAutoscaler".to_owned(),
            metadata: self.metadata,
            spec: self.spec,
            status: self.status,
        }
    }
}

/// The HPAs of a namespace, or of all, in the server's order.
///
/// # Errors
///
/// Why the list cannot be read.
pub async fn autoscalers(
    reader: &Reader,
    namespace: Option<&str>,
) -> Result<Vec<HorizontalPodAutoscaler>, CollectError> {
    let asked = paths::autoscalers(namespace, "");
    let items: Vec<Item> = pages(reader, &asked).await?;
    Ok(items.into_iter().map(Item::object).collect())
}
