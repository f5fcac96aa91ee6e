//! Which namespaces there are.

use k8s_openapi::api::core::v1::Namespace;

use super::request::collect_error::CollectError;
use super::request::pages::pages;
use super::request::paths;
use super::request::reader::Reader;

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
