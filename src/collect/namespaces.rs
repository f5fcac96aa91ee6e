//! Which namespaces there are.

use serde::Deserialize;

use super::request::collect_error::CollectError;
use super::request::pages::pages;
use super::request::paths;
use super::request::reader::Reader;

#[derive(Deserialize)]
struct Namespace {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
}

/// The names of the cluster's namespaces.
///
/// # Errors
///
/// Why the list cannot be read.
pub async fn namespaces(reader: &Reader) -> Result<Vec<String>, CollectError> {
    let listed: Vec<Namespace> = pages(reader, &paths::namespaces()).await?;
    let names = listed.into_iter().map(|one| one.metadata.name);
    Ok(names.collect())
}
