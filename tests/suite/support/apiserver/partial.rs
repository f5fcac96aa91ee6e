//! Objects of which only the metadata is asked for.

use serde_json::{Value, json};

use super::reply::Reply;

const VERSION: &str = "meta.k8s.io/v1";

/// The answer without all but the metadata of its objects, where the
/// `Accept` header prefers that.
pub fn apply(reply: Reply, accept: &str) -> Reply {
    let asked = accept.split(',').next().unwrap_or_default();
    if reply.status != 200 || !asked.contains("as=PartialObjectMetadata") {
        return reply;
    }
    let document = reply.value();
    let document = match document["items"].as_array() {
        Some(items) => json!({
            "kind": "PartialObjectMetadataList",
            "apiVersion": VERSION,
            "metadata": document["metadata"],
            "items": items.iter().map(object).collect::<Vec<_>>(),
        }),
        None => object(&document),
    };
    Reply::json(200, &document)
}

fn object(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": VERSION,
        "metadata": object["metadata"],
    })
}
