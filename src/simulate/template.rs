//! An HPA without pods and samples, for a workload to fill in.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::api::HpaSpec;
use crate::controller::prepared::{ScaleError, SelectorCheck};
use crate::controller::{Overrides, Prepared, Settings, is_disabled_at};
use crate::document::Place;
use crate::snapshot::{API_VERSION, Document, Flaw, KIND, ReadError, Snapshot, read_documents};

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
) -> Result<Snapshot, Flaw> {
    let read = document(hpa, server_version, controller, replicas);
    read.snapshot.map_err(|error| error.flaw)
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
            place: Place::default(),
            flaw: Flaw::new("", "it has no HPA"),
        }),
        warnings: Vec::new(),
    })
}

/// Why the controller changes nothing today, or why that is not known; absent
/// where nothing of this kind is the matter. A simulation assumes that it
/// is fixed.
pub fn idle_today(snapshot: &Snapshot, overrides: &Overrides) -> Option<String> {
    let settings = Settings::resolve(snapshot, overrides);
    let prepared = Prepared::new(snapshot, &settings);
    let (effect, why) = match (&prepared.scale, &prepared.selector) {
        (Err(ScaleError::Unreadable(reason)), _) => (
            "what the controller does today is unknown",
            format!("reading the target's scale is not allowed: {reason}"),
        ),
        (Err(error), _) => (
            "the controller changes nothing today",
            format!("it cannot read the target's scale: {}", reported(error)),
        ),
        (_, SelectorCheck::Accepted) => return None,
        (_, SelectorCheck::Required) => (
            "the controller changes nothing today",
            "the target's scale has no selector".to_owned(),
        ),
        (_, SelectorCheck::Invalid(error)) => (
            "the controller changes nothing today",
            format!("the scale's selector does not parse: {error}"),
        ),
        (_, SelectorCheck::Ambiguous(autoscalers)) => (
            "the controller changes nothing today",
            format!(
                "several HPAs select the same pods: {}",
                autoscalers.join(", ")
            ),
        ),
    };
    Some(format!(
        "{effect}: {why}; the simulation assumes that this is fixed"
    ))
}

fn reported<'e>(error: &'e ScaleError) -> &'e str {
    match error {
        ScaleError::ApiVersion(error) => error,
        ScaleError::NoMapping(error) | ScaleError::Failed(error) => error,
        ScaleError::Unreadable(reason) => &reason.text,
    }
}

/// Whether the controller leaves a target of this size alone under a spec:
/// at 0, where it did not scale to it itself.
pub fn is_paused(
    snapshot: &Snapshot,
    overrides: &Overrides,
    spec: &HpaSpec,
    replicas: i32,
) -> bool {
    let mut snapshot = snapshot.clone();
    snapshot.hpa.spec = spec.clone();
    let settings = Settings::resolve(&snapshot, overrides);
    is_disabled_at(&Prepared::new(&snapshot, &settings), &settings, replicas)
}
