//! Who sets the size, by the sizes that a record sampled: `flaps` on records of
//! worlds in which it is known. `tests/flaps-records/make.py` writes them.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::support::binary::{run, stderr, stdout};

/// A record, the state, the mechanisms that are no load's with how sure they
/// are, and how many changes there were by the HPA and by others.
type Row = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    (u64, u64),
);

const WRITER: &[(&str, &str)] = &[("another-writer", "known")];
const BOUNDS: &[(&str, &str)] = &[("edited-bounds", "known")];
const UNREACHABLE: &[(&str, &str)] = &[("unreachable-target", "inferred")];

#[rustfmt::skip] // one row a line
const RECORDS: [Row; 17] = [
    ("bounds-as-writer", "flapping", BOUNDS, (8, 0)),
    ("bounds-both", "flapping", BOUNDS, (7, 0)),
    ("bounds-max", "flapping", BOUNDS, (11, 0)),
    ("bounds-min", "flapping", BOUNDS, (8, 0)),
    ("burst-noise", "flapping", &[], (28, 0)),
    ("burst-square", "flapping", &[], (44, 0)),
    ("burst-wide", "flapping", &[], (32, 0)),
    ("false-writer", "flapping", &[], (95, 0)),
    ("idle-10", "stuck", UNREACHABLE, (3, 0)),
    ("idle-5", "stuck", UNREACHABLE, (4, 0)),
    ("idle-8", "stuck", UNREACHABLE, (3, 0)),
    ("large-load", "calm", &[], (2, 0)),
    ("unreach-cpu", "stuck", UNREACHABLE, (3, 0)),
    ("writer-400s", "flapping", WRITER, (11, 5)),
    ("writer-61s", "flapping", WRITER, (19, 14)),
    ("writer-90s", "flapping", WRITER, (26, 13)),
    ("writer-missed", "flapping", WRITER, (44, 22)),
];

/// What lies in the load has tests of its own.
const OF_THE_LOAD: [&str; 2] = ["metric-noise", "short-window"];

fn unpacked(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = fs::read(root.join("tests/flaps-records").join(name)).expect("a file");
    let mut text = String::new();
    let mut packed = GzDecoder::new(file.as_slice());
    packed.read_to_string(&mut text).expect("gzip");
    text
}

/// What is told of a record: the document of its one HPA.
fn told(name: &str) -> Value {
    let record = tempfile::NamedTempFile::new().expect("a file");
    fs::write(record.path(), unpacked(&format!("{name}.jsonl.gz"))).expect("writable");
    let path = record.path().to_string_lossy();
    let arguments = ["flaps", "--history", &path, "--at", "-0s", "-o", "json"];
    let output = run(Path::new("/dev/null"), &arguments);
    assert!(output.status.success(), "{name}: {}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    document["items"][0].clone()
}

#[test]
fn a_writer_is_named_where_the_sizes_tell_of_one_and_nowhere_else() {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for (name, state, mechanisms, (own, others)) in RECORDS {
        let item = told(name);
        assert_eq!(item["state"], state, "{name}");
        let all = item["mechanisms"].as_array().expect("mechanisms").iter();
        let kinds = all.map(|it| (text(&it["kind"]), text(&it["standing"])));
        let kinds: Vec<_> = kinds
            .filter(|(kind, _)| !OF_THE_LOAD.contains(&kind.as_str()))
            .collect();
        let kinds: Vec<_> = kinds
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(kinds, mechanisms, "{name}");
        let changes = item["changes"].as_array().expect("changes");
        let count = |by: Value| {
            let by = changes.iter().filter(|it| it["isOwn"] == by);
            by.map(|it| it["count"].as_u64().expect("a count"))
                .sum::<u64>()
        };
        let by = (count(json!(true)), count(json!(false)), count(Value::Null));
        assert_eq!(
            by,
            (own, others, 0),
            "{name}: by the HPA, by others, by nobody knows whom"
        );
    }
    assert_eq!(RECORDS.len(), 17);
}

#[test]
fn a_writer_of_a_record_has_the_name_that_the_target_keeps() {
    let rows = [
        ("writer-missed", "Argo CD (argocd-controller)"),
        ("writer-90s", "Flux (kustomize-controller)"),
        ("writer-400s", "Helm"),
        ("writer-61s", "scale-bot"),
    ];
    for (name, writer) in rows {
        let item = told(name);
        let says = item["mechanisms"][0]["says"].as_str().expect("a sentence");
        assert!(says.contains(writer), "{name}: {says}");
    }
    assert_eq!(rows.len(), 4);
}

#[test]
fn the_load_is_not_to_blame_for_what_edits_do() {
    for name in [
        "bounds-as-writer",
        "bounds-max",
        "bounds-min",
        "bounds-both",
    ] {
        let item = told(name);
        let all = item["mechanisms"].as_array().expect("mechanisms").iter();
        let kinds: Vec<_> = all.map(|it| &it["kind"]).collect();
        assert_eq!(kinds, ["edited-bounds"], "{name}");
    }
}

/// What is noticed of an HPA that was created again.
fn noticed(change: impl Fn(&mut Value)) -> String {
    let text = unpacked("recreated-hpa.yaml.gz");
    let mut snapshot: Value = serde_yaml::from_str(&text).expect("YAML");
    change(&mut snapshot);
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), snapshot.to_string()).expect("writable");
    let path = file.path().to_string_lossy();
    let output = run(Path::new("/dev/null"), &["--snapshot", &path, "-v"]);
    stdout(&output)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Gives the events of the HPA uids: those before its creation, and those since.
fn with_uids(snapshot: &mut Value, before: &str, since: &str) {
    let created = snapshot["horizontalPodAutoscaler"]["metadata"]["creationTimestamp"].clone();
    let created = created.as_str().expect("a moment").to_owned();
    for event in snapshot["events"].as_array_mut().expect("events") {
        let is_older = event["lastTimestamp"].as_str() < Some(created.as_str());
        if event["involvedObject"]["kind"] == "HorizontalPodAutoscaler" {
            event["involvedObject"]["uid"] = json!(if is_older { before } else { since });
        }
    }
}

/// An edit of a record's line.
type Change = fn(&mut Value);

#[test]
fn events_of_another_hpa_of_the_name_tell_of_no_restart() {
    let anew = "its event count starts over";
    // What is changed, and whether a restart is noticed.
    let rows: [(&str, Change, bool); 6] = [
        ("as it is, without uids", |_| (), false),
        ("with uids", |it| with_uids(it, "a", "b"), false),
        (
            "with uids, and its own",
            |it| {
                with_uids(it, "a", "b");
                it["horizontalPodAutoscaler"]["metadata"]["uid"] = json!("b");
            },
            false,
        ),
        (
            "created at a time that nobody knows",
            |it| {
                with_uids(it, "a", "b");
                let metadata = &mut it["horizontalPodAutoscaler"]["metadata"];
                metadata["uid"] = json!("b");
                metadata["creationTimestamp"] = Value::Null;
            },
            false,
        ),
        (
            "redacted: its own uid is not there, and that of events is hashed",
            |it| {
                with_uids(it, "uid-1c3f7a20", "uid-9be10c44");
                it["provenance"] = json!({"redacted": true});
            },
            false,
        ),
        // One HPA all the time, whose controller counts anew.
        ("one uid", of_one_uid, true),
    ];
    for (shows, change, restarted) in rows {
        let text = noticed(|it| {
            it["controllerLease"] = Value::Null;
            change(it);
        });
        assert_eq!(text.contains(anew), restarted, "{shows}: {text}");
    }
    assert_eq!(rows.len(), 6);
    let text = noticed(of_one_uid);
    assert!(
        !text.contains(anew),
        "the Lease was held all the time: {text}"
    );
}

fn of_one_uid(snapshot: &mut Value) {
    with_uids(snapshot, "b", "b");
    let metadata = &mut snapshot["horizontalPodAutoscaler"]["metadata"];
    metadata["uid"] = json!("b");
    metadata["creationTimestamp"] = json!("2026-11-22T10:00:00Z");
}

/// The lines of the record of an HPA that is edited again and again while nobody
/// else sets its size, of every so many samples one: on 1.37 an edit queues a pass
/// at once, beside the one that is due.
fn thinned(every: usize, first: usize) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packed = fs::read(root.join("tests/recordings/played/edited.jsonl.gz")).expect("a record");
    let mut text = String::new();
    let mut unpacked = GzDecoder::new(packed.as_slice());
    unpacked.read_to_string(&mut text).expect("gzip");
    let mut lines = text.lines();
    let mut kept = vec![lines.next().expect("a header").to_owned()];
    let mut whole = json!({"full": true});
    for (number, line) in lines.enumerate() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        for (part, value) in line.as_object().expect("a sample") {
            whole[part] = value.clone();
        }
        if number % every == first {
            kept.push(whole.to_string());
        }
    }
    kept.join("\n")
}

#[test]
fn the_pass_that_an_edit_queues_is_the_hpas_own() {
    let mut records = 0;
    for every in 1..=5 {
        for first in 0..every {
            let record = tempfile::NamedTempFile::new().expect("a file");
            fs::write(record.path(), thinned(every, first)).expect("writable");
            let path = record.path().to_string_lossy();
            let arguments = ["flaps", "--history", &path, "--at", "-0s", "-o", "json"];
            let output = run(Path::new("/dev/null"), &arguments);
            let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let item = &document["items"][0];
            let changes = item["changes"].as_array().expect("changes");
            let by_others = changes.iter().filter(|it| it["isOwn"] == json!(false));
            assert_eq!(by_others.count(), 0, "every {every}, from {first}");
            // All samples show every change that the model made. Right after an
            // edit two passes can lie between two samples, so that there is no
            // end to what may have been.
            if every == 1 {
                assert_eq!(changes.len(), 48);
                let reversals = json!({"from": 24, "to": null});
                assert_eq!(item["swing"]["reversals"], reversals);
            }
            records += 1;
        }
    }
    assert_eq!(records, 15);
}
