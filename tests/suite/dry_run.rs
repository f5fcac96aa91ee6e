//! What an HPA would do under another spec.

mod coming;
mod counting;
mod divergence;
mod fallback;
pub mod folder;
mod found;
mod keda;
mod live;
mod longer;
mod output;
mod page;
mod refusals;
mod refused_inputs;
mod sides;
mod time;
mod usage;
mod vectors;
mod what_ifs;

use hpa_explain::api::HpaSpec;
use hpa_explain::controller::Overrides;
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::Observer;
use hpa_explain::trace::{DryRun, Side};
use hpa_explain::what_if::{Candidate, Given, Inputs, dry_run, patch};
use serde_json::Value;

use crate::support::build::Case;
use crate::support::vectors::vectors as recorded;

fn snapshot(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    documents.remove(0).snapshot.expect("a snapshot")
}

fn snapshots(version: &str) -> Vec<(String, Snapshot)> {
    let all = recorded(version);
    all.map(|vector| (vector.id, snapshot(&vector.snapshot)))
        .collect()
}

fn compare_with(snapshot: &Snapshot, spec: &HpaSpec, given: &Given) -> DryRun {
    let (overrides, observer) = (Overrides::default(), Observer::default());
    let inputs = Inputs {
        snapshot,
        overrides: &overrides,
        observer: &observer,
        now: snapshot.captured_at,
        given,
        is_new: false,
        horizon: None,
    };
    let candidate = Candidate {
        name: "new.yaml".to_owned(),
        spec: spec.clone(),
        patch: patch(&snapshot.hpa, spec),
        create: None,
        server: None,
    };
    dry_run(&inputs, &[candidate]).expect("inputs")
}

fn compare(snapshot: &Snapshot, spec: &HpaSpec) -> DryRun {
    compare_with(snapshot, spec, &Given::default())
}

fn other(dry_run: &DryRun) -> &Side {
    &dry_run.candidates[0]
}

/// What a case would do under the spec of another.
pub fn candidate(now: &Case, instead: &Case) -> Side {
    let spec = instead.snapshot().hpa.spec;
    let mut compared = compare(&now.snapshot(), &spec);
    compared.candidates.remove(0)
}
