//! An HPA without pods and samples, for a workload to fill in.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::snapshot::{API_VERSION, Document, KIND, ReadError, Snapshot, read_documents};

/// Reads an HPA, a server version and the controller's flags, each as a
/// snapshot file has them, or null.
///
/// # Errors
///
/// One of them is not what a snapshot file has there.
pub fn template(
    hpa: &Value,
    server_version: &Value,
    controller: &Value,
    replicas: i32,
) -> Result<Snapshot, ReadError> {
    document(hpa, server_version, controller, replicas).snapshot
}

/// The same with what is probably not meant as it stands there.
pub(super) fn document(
    hpa: &Value,
    server_version: &Value,
    controller: &Value,
    replicas: i32,
) -> Document {
    let mut document = json!({
        "apiVersion": API_VERSION,
        "kind": KIND,
        "capturedAt": Timestamp::UNIX_EPOCH,
        "horizontalPodAutoscaler": hpa,
        "scale": {"response": {
            "spec": {"replicas": replicas},
            "status": {"replicas": replicas, "selector": "app=simulated"},
        }},
    });
    for (field, value) in [
        ("serverVersion", server_version),
        ("controller", controller),
    ] {
        if !value.is_null() {
            document[field] = value.clone();
        }
    }
    let read = read_documents(&document.to_string()).pop();
    read.unwrap_or_else(|| Document {
        number: 1,
        snapshot: Err(ReadError {
            document: 1,
            path: String::new(),
            reason: "holds no HPA".to_owned(),
        }),
        warnings: Vec::new(),
    })
}
