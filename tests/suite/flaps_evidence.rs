//! What `flaps` takes for evidence: histories of the folder `tests/flaps`,
//! each with one thing about it changed.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::binary::{run, stderr, stdout};

/// What is changed about a history.
type Change = fn(&mut Value);

/// What lies in the load is told by its arithmetic, which has tests of its own.
const OF_THE_LOAD: [&str; 2] = ["metric-noise", "short-window"];

/// A history with a change, and what is found in it: the state, the
/// mechanisms beside those of the load, and parts of the text.
struct Row {
    shows: &'static str,
    history: &'static str,
    change: Change,
    state: &'static str,
    mechanisms: &'static [&'static str],
    says: &'static [&'static str],
}

/// The snapshot of a history.
fn snapshot(name: &str) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("tests/flaps").join(name).join("snapshot.yaml");
    let text = fs::read_to_string(&path).expect("a snapshot");
    serde_yaml::from_str(&text).expect("YAML")
}

/// What is printed of a snapshot: the document, and the text in one line.
fn judged(snapshot: &Value, arguments: &[&str]) -> (Value, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("snapshot.json");
    fs::write(&path, snapshot.to_string()).expect("writable");
    let path = path.to_string_lossy();
    let mut all = vec!["flaps", "--snapshot", &path];
    all.extend(arguments);
    let text = run(Path::new("/dev/null"), &all);
    all.extend(["-o", "json"]);
    let output = run(Path::new("/dev/null"), &all);
    assert!(output.status.success(), "{}", stderr(&output));
    let document = serde_json::from_slice(&output.stdout).expect("JSON");
    let words: Vec<&str> = stdout(&text).split_whitespace().collect();
    (document, words.join(" "))
}

fn hold(rows: &[Row], count: usize) {
    for row in rows {
        let mut snapshot = snapshot(row.history);
        (row.change)(&mut snapshot);
        let (document, text) = judged(&snapshot, &[]);
        let (item, shows) = (&document["items"][0], row.shows);
        assert_eq!(item["state"], row.state, "{shows}: {text}");
        let kinds = item["mechanisms"].as_array().into_iter().flatten();
        let kinds = kinds.filter_map(|it| it["kind"].as_str());
        let kinds: Vec<&str> = kinds.filter(|kind| !OF_THE_LOAD.contains(kind)).collect();
        assert_eq!(kinds, row.mechanisms, "{shows}: {text}");
        for says in row.says {
            assert!(text.contains(says), "{shows}: {says}\n{text}");
        }
    }
    assert_eq!(rows.len(), count);
}

fn about_all_events(snapshot: &mut Value, about: &Value) {
    for event in snapshot["events"].as_array_mut().into_iter().flatten() {
        event["involvedObject"] = about.clone();
    }
}

fn of_another_deployment(snapshot: &mut Value) {
    for set in snapshot["replicaSets"].as_array_mut().into_iter().flatten() {
        set["metadata"]["ownerReferences"][0]["name"] = json!("other");
    }
}

#[test]
fn what_is_about_another_object_is_none_of_the_hpas() {
    const HPA: &str = "HorizontalPodAutoscaler";
    let rows = [
        Row {
            shows: "events of this HPA",
            history: "window-single",
            change: |it| {
                about_all_events(
                    it,
                    &json!({"kind": HPA, "name": "web", "namespace": "shop"}),
                )
            },
            state: "flapping",
            mechanisms: &[],
            says: &["at least 5 times"],
        },
        Row {
            shows: "events of another HPA of the namespace",
            history: "window-single",
            change: |it| about_all_events(it, &json!({"kind": HPA, "name": "other"})),
            state: "calm",
            mechanisms: &[],
            says: &["the size changed once"],
        },
        Row {
            shows: "events of an HPA of that name elsewhere",
            history: "window-single",
            change: |it| {
                about_all_events(it, &json!({"kind": HPA, "name": "web", "namespace": "x"}))
            },
            state: "calm",
            mechanisms: &[],
            says: &["the size changed once"],
        },
        Row {
            shows: "roll-outs of another Deployment with the same labels",
            history: "surge",
            change: of_another_deployment,
            state: "flapping",
            mechanisms: &[],
            says: &["at least 5 times"],
        },
    ];
    hold(&rows, 4);
}
