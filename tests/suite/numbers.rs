//! Every number in the text is in the same run's document, and every equation
//! that is printed holds.

use crate::support::case;
mod document;
mod equation;
use crate::support::vectors;

use std::fs;
use std::path::Path;

use crate::support::apiserver::ApiServer;
use crate::support::binary::{NAMES, SITUATIONS, run, stdout};
use document::Document;
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::Observer;
use hpa_explain::render::{Explanation, Format, TextOptions};
use hpa_explain::trace::Trace;
use hpa_explain::what_if;
use serde_json::Value;

fn explained(snapshot: &Snapshot) -> Trace {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    what_if::explain(
        snapshot,
        &settings,
        snapshot.captured_at,
        &Observer::default(),
    )
}

fn text(trace: &Trace, verbosity: u8) -> String {
    let options = TextOptions {
        verbosity,
        ..TextOptions::default()
    };
    let mut out = Vec::new();
    Format::Text
        .write(trace, &options, &mut out)
        .expect("memory is writable");
    String::from_utf8(out).expect("text")
}

/// What is wrong with a text: numbers that the document does not have, and
/// equations that do not hold.
fn faults(text: &str, document: &Value) -> Vec<String> {
    let mut faults = Document::read(document).missing(text);
    faults.extend(equation::wrong(text));
    faults
}

fn faults_of(snapshot: &Snapshot) -> Vec<String> {
    let trace = explained(snapshot);
    let document = serde_json::to_value(Explanation::of(&trace)).expect("a document");
    let of = |verbosity| faults(&text(&trace, verbosity), &document);
    [0, 1, 2].into_iter().flat_map(of).collect()
}

fn snapshot(document: &str) -> Snapshot {
    let mut documents = read_documents(document);
    documents
        .pop()
        .expect("a document")
        .snapshot
        .expect("a snapshot")
}

fn expect_none(faults: &[String]) {
    let count = faults.len();
    assert!(faults.is_empty(), "{count} faults:\n{}", faults.join("\n"));
}

#[test]
fn of_every_recorded_autoscaler() {
    let (mut found, mut count) = (Vec::new(), 0);
    for situation in SITUATIONS {
        let server = ApiServer::replay(situation).https().start();
        let kubeconfig = server.kubeconfig();
        for name in NAMES {
            let output = run(&kubeconfig, &[name, "-n", "shop", "-o", "snapshot"]);
            let faults = faults_of(&snapshot(stdout(&output)));
            found.extend(faults.iter().map(|it| format!("{situation}/{name}: {it}")));
            count += 1;
        }
    }
    expect_none(&found);
    assert_eq!(count, 80);
}

#[test]
fn of_every_reported_case() {
    let (mut found, mut count) = (Vec::new(), 0);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    for file in fs::read_dir(folder).expect("the folder of cases") {
        let block = fs::read_to_string(file.expect("a file").path()).expect("readable");
        for run in case::read(&block).expect("a block") {
            // Releases before 1.23 are history, given for contrast only.
            let Some(case) = run.case() else { continue };
            let faults = faults_of(&snapshot(&case.document().to_string()));
            found.extend(faults.iter().map(|it| format!("{}: {it}", run.title())));
            count += 1;
        }
    }
    expect_none(&found);
    assert_eq!(count, 85);
}

/// Of every so many recorded vectors one is looked at.
const EVERY: usize = 12;

#[test]
fn of_recorded_vectors() {
    let (mut found, mut count) = (Vec::new(), 0);
    for (version, _) in vectors::RECORDED {
        for vector in vectors::vectors(version).step_by(EVERY) {
            let faults = faults_of(&snapshot(&vector.snapshot.to_string()));
            found.extend(faults.iter().map(|it| format!("{}: {it}", vector.id)));
            count += 1;
        }
    }
    expect_none(&found);
    assert_eq!(count, 920);
}

#[test]
fn a_number_from_elsewhere_is_found() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("demos/slowed-by-policy.yaml");
    let snapshot = snapshot(&fs::read_to_string(path).expect("readable"));
    let trace = explained(&snapshot);
    let document = serde_json::to_value(Explanation::of(&trace)).expect("a document");
    let text = text(&trace, 0);
    assert_eq!(faults(&text, &document), Vec::<String>::new());
    let rows = [
        ("150%", "149%", "149 in: "),
        ("asks for 30", "asks for 31", "31 in: "),
        ("4..40", "4..41", "41 in: "),
        ("10 + 4 = 14", "10 + 4 = 12", "does not hold: "),
        (
            "ceil(10 × 1.1) = 11",
            "ceil(10 × 1.1) = 10",
            "does not hold: ",
        ),
    ];
    for (printed, planted, fault) in rows {
        let wrong = text.replace(printed, planted);
        assert_ne!(wrong, text, "{printed}");
        let found = faults(&wrong, &document);
        assert!(
            found.iter().any(|it| it.starts_with(fault)),
            "{planted}: {found:?}"
        );
    }
}
