//! Every recorded answer of the real controller once more, with what it
//! remembered unknown: the true decision is within the set of possible ones,
//! and each end of the set is reached by a memory that a re-run confirms.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

use crate::support::vectors::{RECORDED, Vector, vectors};
use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::trace::{Range, Trace, WitnessRecord};
use serde_json::{Value, json};

fn snapshot(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    documents.remove(0).snapshot.expect("a readable snapshot")
}

fn pass(snapshot: &Snapshot) -> Trace {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    reconcile(snapshot, &settings, snapshot.captured_at)
}

/// The set of possible decisions.
fn decision(trace: &Trace) -> Range {
    let decided = trace.outcome.desired_replicas.map(Range::of);
    let possible = trace.outcome.possible.or(decided);
    possible.expect("a decision or a set of them")
}

/// The snapshot with a witness's memory.
fn with_memory(document: &Value, witness: &WitnessRecord, id: &str) -> Snapshot {
    let memory = witness.memory.as_ref();
    let memory = memory.unwrap_or_else(|| panic!("{id}: {} has no witness", witness.replicas));
    let list = |slots: &Option<Vec<hpa_explain::trace::Remembered>>, count: &str| {
        let slots = slots.as_ref().expect("a list").iter();
        let slots = slots.map(|slot| json!({count: slot.replicas, "timestamp": slot.timestamp}));
        Value::Array(slots.collect())
    };
    let mut document = document.clone();
    document["history"] = json!({
        "recommendations": list(&memory.recommendations, "replicas"),
        "scaleUpEvents": list(&memory.scale_up_events, "replicaChange"),
        "scaleDownEvents": list(&memory.scale_down_events, "replicaChange"),
    });
    snapshot(&document)
}

/// The width of the set for a vector.
fn check(vector: &Vector) -> u32 {
    let mut document = vector.snapshot.clone();
    document["history"] = Value::Null;
    let trace = pass(&snapshot(&document));
    let range = decision(&trace);
    let decided = vector.expect["desiredReplicas"]
        .as_i64()
        .unwrap_or_default();
    let decided = i32::try_from(decided).expect("a count");
    let id = &vector.id;
    assert!(
        range.contains(decided),
        "{id}: {decided} is not within {range:?}"
    );
    if range.single().is_none() {
        assert_eq!(trace.witnesses.len(), 2, "{id}");
        let ends = [range.from, range.to];
        for (witness, end) in trace.witnesses.iter().zip(ends) {
            let confirmed = pass(&with_memory(&document, witness, id));
            assert_eq!(confirmed.outcome.desired_replicas, Some(end), "{id}");
        }
    }
    range.to.abs_diff(range.from)
}

#[test]
fn every_decision_is_within_the_set_and_every_end_has_a_witness() {
    let mut widths: Vec<u32> = Vec::new();
    for (version, expected) in RECORDED {
        let before = widths.len();
        widths.extend(vectors(version).map(|vector| check(&vector)));
        assert_eq!(widths.len() - before, expected, "{version}");
    }
    assert_eq!(widths.len(), 11_003);
    widths.sort_unstable();
    let single = widths.iter().filter(|width| **width == 0).count();
    let open = &widths[single..];
    println!(
        "{} vectors, every decision within the set, every end confirmed by a re-run; \
         one count in {single} ({} %); width: median {} of all, {} of the others",
        widths.len(),
        single * 100 / widths.len(),
        widths[widths.len() / 2],
        open[open.len() / 2],
    );
}
