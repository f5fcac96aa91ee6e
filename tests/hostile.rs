//! Documents that nobody would write: whatever is readable is explained, in
//! every format, without a panic and without an overflow that traps.

#[path = "support/vectors.rs"]
mod vectors;

use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::history::{self, Observer};
use hpa_explain::render::{Explanation, TextOptions, write_json, write_text, write_yaml};
use hpa_explain::snapshot::{Snapshot, read_documents};
use hpa_explain::trace::Trace;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Value, json};
use vectors::{RECORDED, vectors};

/// Values at the ends of their ranges, put in place of texts.
const TEXTS: [&str; 16] = [
    "",
    "0",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "1e2147483647",
    "-7e-2147483648",
    "99999999999Ei",
    "0.0000000001m",
    "0001-01-01T00:00:00Z",
    "-009999-01-02T01:59:59Z",
    "9999-12-30T22:00:00.999999999Z",
    "-2562047h47m16.854775808s",
    "2562047h47m16.854775807s",
    "Disabled",
    "\u{1b}[2J\u{202e}%s%d%!",
];

#[test]
fn nothing_that_can_be_read_panics() {
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let (mut tried, mut explained) = (0, 0);
    for (version, _) in RECORDED {
        for vector in vectors(version) {
            let document = match tried % 2 {
                0 => vector.snapshot,
                _ => with_evidence(vector.snapshot),
            };
            let document = spoil(document, &mut rng);
            tried += 1;
            let documents = read_documents(&document.to_string());
            for snapshot in documents
                .iter()
                .filter_map(|document| document.snapshot.as_ref().ok())
            {
                explain(snapshot);
                explained += 1;
            }
        }
    }
    assert_eq!(tried, 7224);
    assert!(explained > 2000, "{explained} is too few to say anything");
}

fn explain(snapshot: &Snapshot) {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    let now = snapshot.captured_at;
    let trace = match snapshot.history {
        Some(_) => reconcile(snapshot, &settings, now),
        None => history::explain(snapshot, &settings, now, &Observer::default()),
    };
    render(snapshot, &trace);
}

fn render(snapshot: &Snapshot, trace: &Trace) {
    let mut out = Vec::new();
    let options = TextOptions {
        width: 60,
        colour: false,
        ascii: false,
        verbosity: 2,
        zone: jiff::tz::TimeZone::UTC,
        ..TextOptions::default()
    };
    write_text(trace, &options, &mut out).expect("memory is writable");
    write_json(&Explanation::of(trace), false, &mut out).expect("memory is writable");
    write_yaml(snapshot, &mut out).expect("memory is writable");
}

/// An unknown memory, and all that can tell of it.
fn with_evidence(mut document: Value) -> Value {
    let now = document["capturedAt"].as_str().expect("a time");
    let now: Timestamp = now.parse().expect("a time");
    let ago = |seconds| now - SignedDuration::from_secs(seconds);
    let kind = "HorizontalPodAutoscaler";
    let event = |kind: &str, reason: &str, message: &str, (first, last): (i64, i64)| {
        json!({
            "involvedObject": {"kind": kind, "name": "web"}, "reason": reason, "message": message,
            "firstTimestamp": ago(first), "lastTimestamp": ago(last), "count": 3,
            "series": {"count": 2, "lastObservedTime": ago(last)},
        })
    };
    let hpa = &mut document["horizontalPodAutoscaler"];
    let target = hpa["spec"]["scaleTargetRef"]["kind"].clone();
    hpa["metadata"]["creationTimestamp"] = json!(ago(9_000));
    hpa["metadata"]["managedFields"] = json!([
        {"manager": "kcm", "operation": "Update", "subresource": "status", "time": ago(20),
            "fieldsV1": {"f:status": {}}},
        {"manager": "kubectl", "operation": "Apply", "time": ago(2_000), "fieldsV1": {"f:spec": {}}},
    ]);
    if hpa["status"]["lastScaleTime"].is_null() {
        hpa["status"]["lastScaleTime"] = json!(ago(50));
    }
    document["controllerLease"] = json!({"spec": {"acquireTime": ago(7_000)}});
    document["events"] = json!([
        event(
            kind,
            "SuccessfulRescale",
            "New size: 4; reason: All metrics below target",
            (400, 80)
        ),
        event(
            kind,
            "SuccessfulRescale",
            "New size: 7; reason: cpu above target",
            (50, 50)
        ),
        event(kind, "FailedGetScale", "no", (300, 200)),
        event(kind, "FailedGetScale", "no", (100, 30)),
        event(
            target.as_str().unwrap_or_default(),
            "ScalingReplicaSet",
            "Scaled up replica set web-1 from 4 to 7",
            (50, 50)
        ),
    ]);
    if let Some(fields) = document.as_object_mut() {
        fields.remove("history");
    }
    document
}

/// Replaces a few values, anywhere in the document, by extreme ones of the
/// same type.
fn spoil(mut document: Value, rng: &mut TestRng) -> Value {
    for _ in 0..rng.random_range(1..4) {
        let mut leaves = Vec::new();
        collect(&document, String::new(), &mut leaves);
        let path = &leaves[rng.random_range(0..leaves.len())];
        let leaf = document.pointer_mut(path).expect("a leaf");
        *leaf = extreme(leaf, rng);
    }
    if rng.random_range(0..4) == 0 {
        document
            .as_object_mut()
            .expect("a document")
            .remove("history");
    }
    document
}

fn extreme(leaf: &Value, rng: &mut TestRng) -> Value {
    match leaf {
        Value::Number(_) => {
            let numbers = [0, -1, 1, i32::MAX, i32::MIN, i32::MAX - 1];
            json!(numbers[rng.random_range(0..numbers.len())])
        }
        Value::String(_) => json!(TEXTS[rng.random_range(0..TEXTS.len())]),
        Value::Bool(set) => json!(!set),
        _ => Value::Null,
    }
}

fn collect(value: &Value, path: String, leaves: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(value, format!("{path}/{name}"), leaves);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect(value, format!("{path}/{index}"), leaves);
            }
        }
        _ => leaves.push(path),
    }
}
