//! The fallback of an External metric in a candidate: a design that no
//! release has, with its countdown.

use std::path::Path;

use serde_json::{Value, json};

use super::folder::Folder;
use crate::support::build::Case;
use crate::support::golden::Goldens;

const GATE: &str = "--feature-gates=HPAExternalMetricFallback=true";
const SET: &str = "--set=spec.metrics[0].external.fallback.replicas=10";

/// A queue that has failed for 80 or for 185 seconds, as the status says.
fn queue(failing_since: &str) -> Case {
    let status = json!([{"type": "External", "external": {
        "metric": {"name": "broken-0"}, "current": {},
        "firstFailureTime": failing_since, "fallbackStatus": "Normal",
    }}]);
    let pointer = "/horizontalPodAutoscaler/status/currentMetrics";
    Case::new().replicas(4).fails("gone").set(pointer, status)
}

fn folder(case: &Case) -> Folder {
    let folder = Folder::empty();
    folder.write("in.yaml", case.document().to_string());
    folder
}

#[test]
fn the_countdown_and_the_size() {
    let rows = [
        ("fallback-waiting.txt", "2026-03-01T11:58:40Z"),
        ("fallback-active.txt", "2026-03-01T11:56:55Z"),
    ];
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dry_run");
    let mut goldens = Goldens::default();
    for (file, since) in rows {
        let (code, answered, complained) = folder(&queue(since)).run(&["web", GATE, SET]);
        assert_eq!((code, complained.as_str()), (Some(0), ""), "{file}");
        goldens.check(&files.join(file), &answered);
    }
}

/// Every format says that it is a design; the document has the clock.
#[test]
fn it_is_always_called_a_design() {
    let folder = folder(&queue("2026-03-01T11:58:40Z"));
    let formats = ["text", "markdown", "json", "yaml"];
    for format in formats {
        let (code, answered, _) = folder.run(&["web", GATE, SET, "-o", format]);
        let words: Vec<&str> = answered.split_whitespace().collect();
        assert_eq!(code, Some(0), "{format}");
        let is_told = words
            .join(" ")
            .contains("a design (KEP-5679) and no shipped feature");
        assert!(is_told, "{format}: {answered}");
    }
    let (_, answered, _) = folder.run(&["web", GATE, SET, "-o", "json"]);
    let document: Value = serde_json::from_str(&answered).expect("JSON");
    let side = &document["candidates"][0];
    let ahead = &side["difference"]["ahead"];
    assert_eq!(ahead["now"].get("fallbacks"), None);
    assert_eq!(ahead["instead"]["fallbacks"][0]["secondsLeft"], 100);
    assert_eq!(side["trace"]["metrics"][0]["fallback"]["replicas"], 10);
}

/// What the snapshot itself has of it.
#[test]
fn without_the_gate_no_side_has_one() {
    let pointer = "/horizontalPodAutoscaler/spec/metrics/0/external/fallback";
    let mut compared = 0;
    for fallback in [json!({"replicas": 7}), json!({"replicas": 0}), json!("x")] {
        let folder = folder(&queue("2026-03-01T11:56:55Z").set(pointer, fallback.clone()));
        let (code, answered, complained) = folder.run(&["web", "--set=spec.maxReplicas=100"]);
        assert_eq!((code, complained.as_str()), (Some(0), ""), "{fallback}");
        assert!(
            answered.contains("no difference; the spec is the same"),
            "{answered}"
        );
        assert!(
            answered.contains("fallback of the HPA is ignored"),
            "{answered}"
        );
        let (code, _, complained) = folder.run(&["web", SET]);
        assert_eq!(code, Some(1), "{fallback}");
        let says = "no such field; it is a design (KEP-5679) and no shipped feature, \
                    which --feature-gates HPAExternalMetricFallback=true tries";
        assert!(complained.contains(says), "{complained}");
        compared += 1;
    }
    assert_eq!(compared, 3);
    // With the gate, an unchanged one is no difference, and one that is
    // malformed is on neither side.
    for (fallback, is_left_out) in [(json!({"replicas": 7}), false), (json!("x"), true)] {
        let folder = folder(&queue("2026-03-01T11:56:55Z").set(pointer, fallback.clone()));
        let (_, answered, _) = folder.run(&["web", GATE, "--set=spec.maxReplicas=100"]);
        let is_same = answered.contains("no difference; the spec is the same");
        assert!(is_same, "{fallback}: {answered}");
        let is_said = answered.contains("fallback of the HPA is ignored");
        assert_eq!(is_said, is_left_out, "{fallback}: {answered}");
    }
}
