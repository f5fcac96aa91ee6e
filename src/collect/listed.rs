//! What lists tell: the HPAs of a namespace, or of all, or one of them; and
//! which namespaces there are.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Namespace;
use serde::Deserialize;

use super::request::pages::{Page, pages};
use crate::api::{AutoscalerMeta, FieldSelector, HorizontalPodAutoscaler, HpaSpec, HpaStatus};
use crate::collect::request::{CollectError, Reader, paths};

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
    let endpoint = paths::autoscalers(namespace);
    let items: Vec<Item> = pages(reader, &endpoint).await?;
    Ok(items.into_iter().map(Item::object).collect())
}

#[derive(Deserialize)]
struct ListedName {
    metadata: AutoscalerMeta,
}

/// The namespaces and names of the HPAs that the server selects.
/// Errors: the server does not know a field, or why the list cannot be read.
pub async fn names(
    reader: &Reader,
    namespace: Option<&str>,
    fields: &FieldSelector,
) -> Result<BTreeSet<(String, String)>, CollectError> {
    let endpoint = paths::autoscalers_by_fields(namespace, fields.text());
    let items: Vec<ListedName> = pages(reader, &endpoint).await?;
    let names = items.into_iter().map(|item| {
        let metadata = item.metadata;
        (metadata.namespace.to_string(), metadata.name.to_string())
    });
    Ok(names.collect())
}

/// One HPA in a list of its own, and the list's version, from which a watch
/// can go on.
pub struct Listed {
    /// The HPA, if there is one.
    pub hpa: Option<HorizontalPodAutoscaler>,
    pub version: String,
}

/// One HPA, for a watch.
pub async fn autoscaler(
    reader: &Reader,
    namespace: &str,
    name: &str,
) -> Result<Listed, CollectError> {
    let endpoint = paths::autoscalers_by_fields(Some(namespace), &format!("metadata.name={name}"));
    // A server that does not know the selector lists them all.
    let mut own = None;
    let find = |item: Item| {
        if own.is_none() && item.metadata.name == name {
            own = Some(item);
        }
        true
    };
    let reply = reader.get_list(&endpoint, find).await?;
    let list = reply.required::<Page<Item>>(&endpoint)?;
    let version = list.version().to_owned();
    Ok(Listed {
        hpa: own.map(Item::object),
        version,
    })
}

/// The names of the cluster's namespaces.
///
/// # Errors
///
/// Why the list cannot be read.
pub async fn namespaces(reader: &Reader) -> Result<Vec<String>, CollectError> {
    let listed: Vec<Namespace> = pages(reader, &paths::namespaces()).await?;
    let names = listed.into_iter().filter_map(|one| one.metadata.name);
    Ok(names.collect())
}
