//! `docs/schema.json` is the schema of what the binary prints for programs:
//! it is current, and every document keeps to it.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite schema::` writes the file anew.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::apiserver::ApiServer;
use crate::support::binary::{NAMES, SITUATIONS, run};
use crate::support::vectors::{RECORDED, vectors};
use crate::support::{flapping, golden};
use hpa_explain::render::schema;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Value, json};

#[test]
fn the_file_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema.json");
    let schema = serde_json::to_string_pretty(&schema()).expect("JSON") + "\n";
    golden::check(&path, &schema);
}

#[test]
fn every_field_is_in_camel_case() {
    let schema = serde_json::to_value(schema()).expect("JSON");
    let objects = schema["$defs"].as_object().expect("definitions").values();
    let objects = objects.filter_map(|it| it["properties"].as_object());
    let fields: Vec<&String> = objects.flat_map(|it| it.keys()).collect();
    assert!(fields.len() > 300, "{}", fields.len());
    for field in fields {
        assert!(!field.contains('_'), "{field}");
    }
}

/// Runs the binary, whatever its exit code, and reads the documents that it
/// prints, one a line.
fn documents(arguments: &[&str], input: &str) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .env_clear()
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the binary ends");
    // Whoever needs no input does not read it.
    _ = writer.join().expect("the writer ends");
    read(&output.stdout)
}

/// The documents of an output, one a line.
fn read(output: &[u8]) -> Vec<Value> {
    let lines = std::str::from_utf8(output).expect("text").lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Snapshots, one a line.
fn lines(snapshots: &[Value]) -> String {
    let lines = snapshots.iter().map(|snapshot| format!("{snapshot}\n"));
    lines.collect()
}

/// The schema, with no room for a field that it does not name: a field that
/// is missing from it is found.
fn closed() -> Validator {
    let mut schema = schema().to_value();
    let parts = embedded(&schema);
    close(&mut schema, &parts, "");
    jsonschema::validator_for(&schema).expect("a schema")
}

/// What is wrong with a document: of several alternatives, what is wrong by
/// the one that it is nearest to.
fn faults(validator: &Validator, document: &Value) -> Vec<String> {
    let faults = validator.iter_errors(document);
    faults.map(|fault| fault_text(&fault)).collect()
}

fn fault_text(fault: &ValidationError) -> String {
    let (ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }) =
        fault.kind()
    else {
        let text: String = fault.to_string().chars().take(300).collect();
        return format!("{}: {text}", fault.instance_path());
    };
    let faults = context.iter().flatten();
    let nearest = faults.max_by_key(|fault| fault.instance_path().to_string().len());
    nearest.map_or_else(|| fault.to_string(), fault_text)
}

/// The definitions that are a part of an object, not a value of their own.
fn embedded(schema: &Value) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(object) = schema.as_object()
        && object.contains_key("properties")
        && let Some(part) = object.get("$ref").and_then(Value::as_str)
    {
        parts.push(part.trim_start_matches('#').to_owned());
    }
    let children: Vec<&Value> = match schema {
        Value::Object(fields) => fields.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    parts.extend(children.into_iter().flat_map(embedded));
    parts
}

fn close(schema: &mut Value, parts: &[String], path: &str) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key("properties")
                && fields.get("type") == Some(&json!("object"))
                && !parts.iter().any(|part| part == path)
            {
                fields.insert("unevaluatedProperties".to_owned(), json!(false));
            }
            for (name, child) in fields {
                close(child, parts, &format!("{path}/{name}"));
            }
        }
        Value::Array(items) => {
            for item in items {
                close(item, parts, path);
            }
        }
        _ => {}
    }
}

fn check(validator: &Validator, documents: &[Value], what: &str) {
    for document in documents {
        let faults = faults(validator, document);
        assert!(faults.is_empty(), "{what}\n{}", faults.join("\n"));
    }
}

#[test]
fn the_closed_schema_finds_what_it_does_not_name() {
    let validator = closed();
    let mut documents = documents(&["demo", "stuck-without-samples", "-o", "json"], "");
    let document = documents.pop().expect("a document");
    assert!(validator.is_valid(&document));
    let places = [
        "",
        "/prediction",
        "/prediction/metrics/0",
        "/prediction/metrics/0/current/resource/current",
        "/trace",
        "/trace/basis/release",
        "/trace/metrics/0",
        "/trace/metrics/0/pods/0",
        "/trace/metrics/0/filledIn/measured",
        "/trace/metrics/0/result",
        "/trace/recollection/recommendations/0/source",
        "/trace/stabilization/down",
        "/trace/outlook/up",
    ];
    for place in places {
        let mut altered = document.clone();
        let object = altered.pointer_mut(place).and_then(Value::as_object_mut);
        let object = object.expect(place);
        object.insert("unnamed".to_owned(), json!(1));
        assert!(!validator.is_valid(&altered), "{place}");
    }
    let mut altered = document.clone();
    altered["trace"]["metrics"][0]["result"]["rule"] = json!("no.such-rule");
    assert!(!validator.is_valid(&altered));
}

#[test]
fn every_built_in_case_keeps_to_it() {
    let validator = closed();
    let list = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(["demo", "--list"])
        .output()
        .expect("the binary runs");
    let list = String::from_utf8(list.stdout).expect("text");
    let names = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let mut checked = 0;
    for name in names {
        let ways: [&[&str]; 3] = [&[], &["--all-versions"], &["--kubernetes-version", "1.24"]];
        for way in ways {
            let arguments = [&["demo", name, "-o", "json"], way].concat();
            let documents = documents(&arguments, "");
            check(&validator, &documents, name);
            checked += documents.len();
        }
    }
    assert_eq!(checked, 3 * 14);
}

#[test]
fn a_comparison_keeps_to_it() {
    let validator = closed();
    let demos = [
        "slowed-by-policy",
        "stuck-without-samples",
        "held-by-window",
        "window-band",
    ];
    for demo in demos {
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
            .args(["demo", demo, "-o", "snapshot"])
            .output()
            .expect("the binary runs");
        let snapshot = String::from_utf8(output.stdout).expect("text");
        let name = serde_yaml::from_str::<Value>(&snapshot).expect("YAML");
        let name = &name["horizontalPodAutoscaler"]["metadata"]["name"];
        let arguments = [
            "dry-run",
            name.as_str().expect("a name"),
            "--snapshot=-",
            "-ojson",
            "--set=spec.maxReplicas=9",
            "--set=spec.minReplicas=2",
            "--set=spec.behavior.scaleDown.stabilizationWindowSeconds=0",
        ];
        let documents = documents(&arguments, &snapshot);
        check(&validator, &documents, demo);
        assert_eq!(documents.len(), 1, "{demo}");
        assert_eq!(documents[0]["kind"], "DryRun");
    }
    assert_eq!(demos.len(), 4);
}

#[test]
fn what_is_known_of_flapping_keeps_to_it() {
    let validator = closed();
    let histories = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flaps");
    let mut checked = 0;
    for history in std::fs::read_dir(histories).expect("histories") {
        let file = history.expect("a history").path().join("snapshot.yaml");
        let Ok(snapshot) = std::fs::read_to_string(&file) else {
            continue;
        };
        let documents = documents(&["flaps", "--snapshot=-", "-o", "json"], &snapshot);
        check(&validator, &documents, &file.display().to_string());
        assert_eq!(documents[0]["kind"], "Flaps");
        checked += documents.len();
    }
    assert_eq!(checked, 44);
    // With what a simulation says to a change.
    let mut record = tempfile::NamedTempFile::new().expect("a file");
    std::io::copy(&mut flapping::lines(), &mut record).expect("writable");
    let path = record.path().to_string_lossy();
    let moment = ["--history", &path, "--at", "2026-11-20T08:35:45Z"];
    for (period, standing) in [("15s", "confirmed"), ("20m", "not-confirmed")] {
        let arguments = [
            &["flaps", "--sync-period", period, "-o", "json"],
            &moment[..],
        ];
        let documents = documents(&arguments.concat(), "");
        check(&validator, &documents, standing);
        let change = &documents[0]["items"][0]["mechanisms"][0]["changes"][0];
        assert_eq!(change["proof"]["standing"], standing);
    }
}

#[test]
fn what_tune_says_keeps_to_it() {
    let validator = closed();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tune");
    for (name, kind) in [
        ("quiet-min", "advice"),
        ("edge", "nothing-to-gain"),
        ("queue-value", "refused"),
    ] {
        let packed = std::fs::File::open(folder.join(format!("{name}.jsonl.gz"))).expect(name);
        let mut record = tempfile::NamedTempFile::new().expect("a file");
        std::io::copy(&mut flate2::read::GzDecoder::new(packed), &mut record).expect("writable");
        let path = record.path().to_string_lossy();
        let documents = documents(&["tune", "--history", &path, "-o", "json"], "");
        check(&validator, &documents, name);
        assert_eq!(documents[0]["kind"], "Tune");
        assert_eq!(documents[0]["items"][0]["answer"]["kind"], kind);
    }
}

#[test]
fn every_recorded_autoscaler_keeps_to_it_alone_and_listed() {
    let validator = closed();
    let mut checked = 0;
    for name in SITUATIONS {
        let server = ApiServer::replay(name).start();
        let arguments = [NAMES.as_slice(), &["-n", "shop", "-o", "json"]].concat();
        let explained = read(&run(&server.kubeconfig(), &arguments).stdout);
        check(&validator, &explained, name);
        assert_eq!(explained.len(), NAMES.len(), "{name}");
        let arguments = [arguments.as_slice(), &["--all-versions"]].concat();
        let previews = read(&run(&server.kubeconfig(), &arguments).stdout);
        check(&validator, &previews, name);
        assert_eq!(previews.len(), NAMES.len(), "{name}");
        let arguments = ["list", "-n", "shop", "-o", "json"];
        let list = read(&run(&server.kubeconfig(), &arguments).stdout);
        check(&validator, &list, name);
        let items = list[0]["items"].as_array();
        assert_eq!(items.map(Vec::len), Some(NAMES.len()), "{name}");
        checked += explained.len();
    }
    assert_eq!(checked, 80);
}

#[test]
fn vectors_of_every_release_keep_to_it() {
    let validator = closed();
    let mut checked = 0;
    for (version, _) in RECORDED {
        let every_eighth = vectors(version).step_by(8).map(|vector| vector.snapshot);
        let mut snapshots: Vec<Value> = every_eighth.collect();
        // Of every second one, the memory is not known.
        for snapshot in snapshots.iter_mut().step_by(2) {
            let fields = snapshot.as_object_mut().expect("a snapshot");
            fields.remove("history");
        }
        let documents = documents(&["--snapshot", "-", "-o", "json"], &lines(&snapshots));
        check(&validator, &documents, version);
        assert_eq!(documents.len(), snapshots.len(), "{version}");
        checked += documents.len();
    }
    assert_eq!(checked, 1381);
}

#[test]
fn what_cannot_be_read_keeps_to_it() {
    let validator = closed();
    let input = "{\"kind\": \"Snapshot\"}\n{\"apiVersion\": \"v2\", \"kind\": \"Else\"}\n";
    let documents = documents(&["--snapshot", "-", "-o", "json"], input);
    check(&validator, &documents, "errors");
    assert_eq!(documents.len(), 2);
    assert!(
        documents
            .iter()
            .all(|document| document["error"].is_string())
    );
}
