//! The library against every recorded answer of the real controller.
//!
//! 100% is the only passing mark: a case that differs is a rule that is not
//! understood yet.

use crate::support::vectors::{DERIVED, RECORDED, Vector, vectors};
use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::read_documents;
use hpa_explain::render::Prediction;
use serde_json::{Map, Value};

macro_rules! conformance {
    ($($name:ident: $version:literal,)*) => {
        $(#[test]
        fn $name() {
            check($version);
        })*

        #[test]
        fn every_recorded_version_is_checked() {
            let checked = [$($version),*];
            assert_eq!(checked, RECORDED.map(|(version, _)| version));
            assert_eq!(RECORDED.iter().map(|(_, cases)| cases).sum::<usize>(), 11_003);
        }
    };
}

conformance! {
    v1_25: "v1.25.10",
    v1_26: "v1.26.5",
    v1_27: "v1.27.7",
    v1_28: "v1.28.3",
    v1_29: "v1.29.1",
    v1_30: "v1.30.1",
    v1_31: "v1.31.14",
    v1_32: "v1.32.13",
    v1_33: "v1.33.13",
    v1_34: "v1.34.9",
    v1_35: "v1.35.6",
    v1_36: "v1.36.2",
    v1_37: "v1.37.0",
    v1_38: "v1.38.0-dev",
}

#[test]
fn v1_38_as_pull_requests_describe_it() {
    let (version, cases) = DERIVED;
    assert_eq!(answered(version), cases);
}

fn check(version: &str) {
    let expected = RECORDED.iter().find(|(recorded, _)| *recorded == version);
    let checked = answered(version);
    assert_eq!(Some(checked), expected.map(|(_, cases)| *cases));
}

/// How many cases there are, all of which are answered as recorded.
fn answered(version: &str) -> usize {
    let mut checked = 0;
    for vector in vectors(version) {
        let expected = without_empty(vector.expect.clone());
        for overrides in [Overrides::default(), with_fallbacks()] {
            let predicted = without_empty(predict(&vector, &overrides));
            assert_eq!(predicted, expected, "case {}", vector.id);
        }
        checked += 1;
    }
    checked
}

/// A design that no release has, switched on: an HPA that does not use it is
/// decided the same.
fn with_fallbacks() -> Overrides {
    Overrides {
        feature_gates: [("HPAExternalMetricFallback".to_owned(), true)].into(),
        ..Overrides::default()
    }
}

fn predict(vector: &Vector, overrides: &Overrides) -> Value {
    let documents = read_documents(&vector.snapshot.to_string());
    let [document] = documents.as_slice() else {
        panic!("case {}: not one document", vector.id);
    };
    let snapshot = document.snapshot.as_ref().expect(&vector.id);
    let settings = Settings::resolve(snapshot, overrides);
    let trace = reconcile(snapshot, &settings, snapshot.captured_at);
    let prediction = Prediction::of(&trace).expect(&vector.id);
    serde_json::to_value(prediction).expect(&vector.id)
}

/// Absent, `null` and empty are the same, except that an entry of a list
/// keeps its place.
fn without_empty(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields
                .into_iter()
                .map(|(name, value)| (name, without_empty(value)));
            Value::Object(fields.filter(|(_, value)| !is_empty(value)).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_empty).collect()),
        other => other,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => *fields == Map::new(),
        _ => false,
    }
}
