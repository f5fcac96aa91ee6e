//! Reading a demo, and what came of it in a few words.

use std::path::Path;

use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::trace::{MetricRecord, MetricResult, Trace};

/// A demo, by name.
pub fn demo(name: &str) -> Snapshot {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("demos");
    let text = std::fs::read_to_string(folder.join(format!("{name}.yaml")));
    read(&text.expect(name))
}

/// The one document of a text.
pub fn read(text: &str) -> Snapshot {
    let mut documents = read_documents(text);
    assert_eq!(documents.len(), 1);
    documents.remove(0).snapshot.expect("a snapshot")
}

pub fn explain(snapshot: &Snapshot) -> Trace {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    reconcile(snapshot, &settings, snapshot.captured_at)
}

/// The decision; where the memory matters and is not known, the range of
/// the possible.
pub fn decide(trace: &Trace) -> String {
    let outcome = &trace.outcome;
    let from = outcome.current_replicas;
    match (outcome.rescale, outcome.desired_replicas, outcome.possible) {
        (Some(true), Some(to), _) => format!("{from} -> {to}"),
        (Some(false), ..) => format!("stays at {from}"),
        (_, _, Some(range)) => format!("{from} -> {}..{}", range.from, range.to),
        _ => "unknown".to_owned(),
    }
}

/// What a metric asks for.
pub fn proposal(metric: &MetricRecord) -> String {
    match &metric.result {
        Some(MetricResult::Proposed(proposed)) => proposed.replicas.to_string(),
        Some(MetricResult::Failed { .. }) => "failed".to_owned(),
        _ => "unknown".to_owned(),
    }
}
