//! Documents that nobody would write: whatever is readable is explained, in
//! every format, without a panic and without an overflow that traps.

#[path = "support/vectors.rs"]
mod vectors;

use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::render::{Explanation, TextOptions, write_json, write_text, write_yaml};
use hpa_explain::snapshot::{Snapshot, read_documents};
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
            let document = spoil(vector.snapshot, &mut rng);
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
    let trace = reconcile(snapshot, &settings, snapshot.captured_at);
    let mut out = Vec::new();
    let options = TextOptions {
        width: 60,
        colour: false,
        ascii: false,
        verbosity: 2,
        zone: jiff::tz::TimeZone::UTC,
        ..TextOptions::default()
    };
    write_text(&trace, &options, &mut out).expect("memory is writable");
    write_json(&Explanation::of(&trace), false, &mut out).expect("memory is writable");
    write_yaml(snapshot, &mut out).expect("memory is writable");
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
