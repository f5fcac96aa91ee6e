//! What a person is told of it: one golden file a situation.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite fallback::` writes the files anew.

use std::path::{Path, PathBuf};

use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::history::Observer;
use hpa_explain::render::{Format, Summary, TextOptions};
use hpa_explain::what_if::explain;
use serde_json::json;

use super::{GATE, WithFallback, on, queue, snapshot, waiting};
use crate::support::build::Case;
use crate::support::golden::Goldens;

/// A situation, and how much of it is shown.
fn situations() -> Vec<(&'static str, Case, u8)> {
    let behind = || queue().remembering(&[waiting("broken-0", 80)]);
    let ripe = || queue().remembering(&[waiting("broken-0", 185)]);
    let refused = json!({"metric": "broken-0", "unreadable": "forbidden"});
    let answering = || on().wants(4).fallback(0, json!({"replicas": 10}));
    vec![
        ("waiting", behind(), 0),
        ("waiting-in-full", behind(), 1),
        ("active", ripe(), 0),
        ("active-in-full", ripe(), 1),
        ("active-beside-another", ripe().wants(6).wants(30), 0),
        ("active-at-max", ripe().replicas(9).wants(2).bounds(1, 9), 0),
        ("waiting-and-blocking", behind().replicas(9).wants(2), 0),
        ("waiting-on-the-way-up", behind().wants(6), 0),
        ("answering", answering(), 0),
        ("answering-in-full", answering(), 1),
        ("not-read", ripe().set("/metrics/external/0", refused), 0),
        ("ignored", ripe().gate(GATE, false), 0),
        ("paused", ripe().replicas(0), 0),
    ]
}

fn text(case: &Case, verbosity: u8, width: usize) -> (String, String) {
    let snapshot = snapshot(case);
    let settings = Settings::resolve(&snapshot, &Overrides::default());
    let now = snapshot.captured_at;
    let trace = explain(&snapshot, &settings, now, &Observer::default());
    let options = TextOptions {
        verbosity,
        width,
        ..TextOptions::default()
    };
    let mut text = Vec::new();
    Format::Text
        .write(&trace, &options, &mut text)
        .expect("a vector takes all");
    let summary = Summary::of(&trace, &options);
    let list = format!("{}  {}", summary.replicas(), summary.headline);
    (String::from_utf8(text).expect("text"), list)
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fallback")
}

#[test]
fn every_situation() {
    let situations = situations();
    let mut goldens = Goldens::default();
    for (name, case, verbosity) in &situations {
        let (text, list) = text(case, *verbosity, 78);
        let page = format!("{text}\nIn a list: {list}\n");
        goldens.check(&directory().join(format!("{name}.txt")), &page);
    }
    let files = std::fs::read_dir(directory()).expect("a folder").count();
    assert_eq!(files, situations.len(), "one file a situation");
    assert_eq!(situations.len(), 13);
}

/// Nobody is to take it for what the cluster does.
#[test]
fn it_is_always_called_a_design() {
    const MARKS: [&str; 3] = ["a design", "no Kubernetes release", "is ignored"];
    let mut told = 0;
    for (name, case, verbosity) in situations() {
        for width in [40, 78, 200] {
            let (text, _) = text(&case, verbosity, width);
            let words: Vec<&str> = text.split_whitespace().collect();
            let words = words.join(" ");
            let is_told = words.contains("fallback");
            let is_marked = MARKS.iter().any(|mark| words.contains(mark));
            assert!(!is_told || is_marked, "{name} {width}: {text}");
            told += usize::from(is_told);
        }
    }
    assert!(told >= 30, "{told}");
}

#[test]
fn the_countdown() {
    let (text, _) = text(&queue().remembering(&[waiting("broken-0", 80)]), 0, 78);
    assert!(text.contains("would ask for 10 in 1m40s"), "{text}");
}
