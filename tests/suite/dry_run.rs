//! What an HPA would do under another spec.

mod coming;
mod live;
mod output;
mod page;
mod refusals;
mod time;
mod what_ifs;

use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::diagnose::{Candidate, Given, Inputs, dry_run};
use hpa_explain::history::Observer;
use hpa_explain::manifest::{self, Rules};
use hpa_explain::render::Prediction;
use hpa_explain::snapshot::{HpaSpec, Snapshot, read_documents};
use hpa_explain::trace::{DryRun, Side};
use serde_json::{Value, json};

use crate::support::apiserver::dry_run::merge;
use crate::support::vectors::vectors;

fn snapshot(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    documents.remove(0).snapshot.expect("a snapshot")
}

fn snapshots(version: &str) -> Vec<(String, Snapshot)> {
    let all = vectors(version);
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
    };
    dry_run(&inputs, &[candidate]).expect("inputs")
}

fn compare(snapshot: &Snapshot, spec: &HpaSpec) -> DryRun {
    compare_with(snapshot, spec, &Given::default())
}

fn other(dry_run: &DryRun) -> &Side {
    &dry_run.candidates[0]
}

/// The spec of an HPA, taken as the API server takes what somebody writes.
fn written_again(snapshot: &Snapshot) -> Result<HpaSpec, Vec<manifest::Refusal>> {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    let rules = Rules::new(settings.release, &snapshot.controller.feature_gates);
    manifest::edited(&snapshot.horizontal_pod_autoscaler, &[], rules)
}

#[test]
fn a_spec_that_is_the_same_makes_no_difference() {
    let (mut compared, mut written) = (0, 0);
    for version in ["v1.25.10", "v1.31.14", "v1.35.6"] {
        for (id, snapshot) in snapshots(version) {
            let own = &snapshot.horizontal_pod_autoscaler.spec;
            let spec = written_again(&snapshot);
            written += usize::from(spec.is_ok());
            let compared_with = compare(&snapshot, &spec.unwrap_or_else(|_| own.clone()));
            let side = other(&compared_with);
            let difference = side.difference.as_ref().expect("two sides");
            assert!(difference.is_empty(), "{version} {id}: {difference:#?}");
            assert_eq!(manifest::merge_patch(own, own), None);
            compared += 1;
        }
    }
    assert_eq!(compared, 420 + 360 + 477);
    // Some vectors have specs that no API server would store.
    assert!(written > 1000, "{written}");
}

#[test]
fn the_other_side_is_the_pass_on_the_changed_snapshot() {
    let (mut compared, mut differing) = (0, 0);
    for version in ["v1.25.10", "v1.31.14"] {
        let all = snapshots(version);
        for (at, (id, snapshot)) in all.iter().enumerate() {
            let (_, donor) = &all[(at + 7) % all.len()];
            let spec = &donor.horizontal_pod_autoscaler.spec;
            let compared_with = compare(snapshot, spec);
            let mut changed = snapshot.clone();
            changed.horizontal_pod_autoscaler.spec = spec.clone();
            let settings = Settings::resolve(&changed, &Overrides::default());
            let want = reconcile(&changed, &settings, changed.captured_at);
            let side = other(&compared_with);
            assert_eq!(
                Prediction::of(&side.trace),
                Prediction::of(&want),
                "{version} {id}"
            );
            assert!(Prediction::of(&want).is_some());
            let difference = side.difference.as_ref().expect("two sides");
            differing += usize::from(difference.decision.is_some());
            compared += 1;
        }
    }
    assert_eq!(compared, 420 + 360);
    assert!(differing > 300, "{differing}");
}

#[test]
fn the_patch_makes_the_one_spec_of_the_other() {
    let all = snapshots("v1.31.14");
    let mut patched = 0;
    for (at, (id, snapshot)) in all.iter().enumerate() {
        let (_, donor) = &all[(at + 7) % all.len()];
        let before = &snapshot.horizontal_pod_autoscaler.spec;
        let after = &donor.horizontal_pod_autoscaler.spec;
        let mut document = json!({ "spec": before });
        if let Some(patch) = manifest::merge_patch(before, after) {
            merge(&mut document, &serde_json::from_str(&patch).expect("JSON"));
            patched += 1;
        }
        let mut stored: HpaSpec = serde_json::from_value(document["spec"].take()).expect(id);
        stored.set_defaults();
        assert_eq!(manifest::changes(&stored, after), [], "{id}");
    }
    assert!(patched > 300, "{patched}");
}
