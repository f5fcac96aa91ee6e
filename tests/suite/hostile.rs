//! Documents that nobody would write: whatever is readable is explained, in
//! every format, without a panic and without an overflow that traps.

use crate::support::vectors::{RECORDED, vectors};
use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::parse;
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::{self, Observer};
use hpa_explain::render::{Format, ListOptions, OwnDocument, Summary, SummaryList, TextOptions};
use hpa_explain::simulate::read_scenarios;
use hpa_explain::trace::Trace;
use hpa_explain::what_if;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Value, json};

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
                // Not every format of each of thousands.
                explain(snapshot, explained % 16 == 0);
                explained += 1;
            }
        }
    }
    assert_eq!(tried, 11_003);
    assert!(explained > 2000, "{explained} is too few to say anything");
}

fn explain(snapshot: &Snapshot, is_thorough: bool) {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    let now = snapshot.captured_at;
    let trace = match snapshot.history {
        Some(_) => reconcile(snapshot, &settings, now),
        None => history::explain(snapshot, &settings, now, &Observer::default()),
    };
    if is_thorough {
        assert_eq!(formats(&trace).len(), 10);
        return;
    }
    let options = TextOptions {
        width: 60,
        verbosity: 2,
        ..TextOptions::default()
    };
    written(|out| Format::Text.write(&trace, &options, out));
    written(|out| Format::Json.write(&trace, &options, out));
    written(|out| Format::Yaml.write(&OwnDocument(snapshot), &options, out));
}

/// A trace in every format.
fn formats(trace: &Trace) -> Vec<(&'static str, String)> {
    let options = TextOptions {
        verbosity: 2,
        ..TextOptions::default()
    };
    let wide = TextOptions {
        wide: true,
        verbosity: 0,
        ..options.clone()
    };
    let indented = TextOptions {
        indented: true,
        ..options.clone()
    };
    let list = SummaryList::of(vec![Summary::of(trace, &options)]);
    let columns = ListOptions {
        namespaces: true,
        headers: true,
        wide: false,
        width: Some(200),
        rbac: "rbac".to_owned(),
    };
    let listed = (list, columns);
    vec![
        (
            "text",
            written(|out| Format::Text.write(trace, &options, out)),
        ),
        ("wide", written(|out| Format::Text.write(trace, &wide, out))),
        (
            "markdown",
            written(|out| Format::Markdown.write(trace, &options, out)),
        ),
        (
            "json",
            written(|out| Format::Json.write(trace, &options, out)),
        ),
        (
            "yaml",
            written(|out| Format::Yaml.write(trace, &options, out)),
        ),
        (
            "name",
            written(|out| Format::Name.write(trace, &options, out)),
        ),
        (
            "list",
            written(|out| Format::Text.write(&listed, &options, out)),
        ),
        (
            "list, markdown",
            written(|out| Format::Markdown.write(&listed, &options, out)),
        ),
        (
            "list, json",
            written(|out| Format::Json.write(&listed, &indented, out)),
        ),
        (
            "list, yaml",
            written(|out| Format::Yaml.write(&listed, &options, out)),
        ),
    ]
}

/// A preview in every format.
fn previews(snapshot: &Snapshot) -> Vec<(&'static str, String)> {
    let (overrides, observer) = (Overrides::default(), Observer::default());
    let preview = what_if::preview(snapshot, &overrides, snapshot.captured_at, &observer);
    let options = TextOptions::default();
    let indented = TextOptions {
        indented: true,
        ..TextOptions::default()
    };
    vec![
        (
            "preview",
            written(|out| Format::Text.write(&preview, &options, out)),
        ),
        (
            "preview, markdown",
            written(|out| Format::Markdown.write(&preview, &options, out)),
        ),
        (
            "preview, json",
            written(|out| Format::Json.write(&preview, &indented, out)),
        ),
        (
            "preview, yaml",
            written(|out| Format::Yaml.write(&preview, &options, out)),
        ),
    ]
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("memory is writable");
    String::from_utf8(out).expect("text")
}

/// What names and messages can hold to do more than be read.
const HOSTILE: [(&str, &str); 8] = [
    ("control", "a\u{0}\u{7}\u{8}\r\n\tb\u{7f}\u{85}\u{9b}31m"),
    ("ANSI", "\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}[31mred"),
    (
        "bidi",
        "\u{202e}gnp\u{202c}\u{2066}x\u{2069}\u{200f}\u{61c}",
    ),
    (
        "no room",
        "a\u{200b}\u{feff}\u{2060}\u{ad}\u{e0041}b\u{2028}\u{2029}",
    ),
    ("marks", "Z\u{301}\u{302}\u{303}\u{489}\u{20dd}"),
    (
        "Markdown",
        "x|y `rm` ![p](//e/p.png) <img src=x> @team #1 [l](http://e) **b**",
    ),
    ("fences", "```\n````sh\nrm -rf ~\n```"),
    ("long", ""),
];

/// Every text of a document that comes from somebody else.
fn poison(document: &mut Value, text: &str) {
    let pointers = [
        "/horizontalPodAutoscaler/metadata/name",
        "/horizontalPodAutoscaler/metadata/namespace",
        "/horizontalPodAutoscaler/spec/scaleTargetRef/name",
        "/horizontalPodAutoscaler/spec/scaleTargetRef/kind",
        "/horizontalPodAutoscaler/status/conditions/0/message",
        "/horizontalPodAutoscaler/status/conditions/0/reason",
        "/scale/response/status/selector",
        "/metrics/resource/error",
        "/serverVersion",
    ];
    for pointer in pointers {
        if let Some(place) = document.pointer_mut(pointer) {
            *place = json!(text);
        }
    }
    for name in ["custom", "external"] {
        let answers = document["metrics"][name].as_array_mut();
        for answer in answers.into_iter().flatten() {
            if answer["error"].is_string() {
                answer["error"] = json!(text);
            }
        }
    }
    let metrics = document["horizontalPodAutoscaler"]["spec"]["metrics"].as_array_mut();
    for metric in metrics.into_iter().flatten() {
        for source in ["pods", "object", "external"] {
            if metric[source].is_object() {
                metric[source]["metric"]["name"] = json!(text);
            }
        }
    }
    for pod in document["pods"].as_array_mut().into_iter().flatten() {
        let name = format!(
            "{}{text}",
            pod["metadata"]["name"].as_str().unwrap_or_default()
        );
        pod["metadata"]["name"] = json!(name);
    }
}

/// Whether a terminal would obey the character, or not show it.
fn acts(character: char) -> bool {
    let acting = [
        '\u{ad}'..='\u{ad}',
        '\u{300}'..='\u{36f}',
        '\u{483}'..='\u{489}',
        '\u{61c}'..='\u{61c}',
        '\u{200b}'..='\u{200f}',
        '\u{2028}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{20d0}'..='\u{20f0}',
        '\u{feff}'..='\u{feff}',
        '\u{e0000}'..='\u{e0fff}',
    ];
    character != '\n' && character.is_control()
        || acting.iter().any(|range| range.contains(&character))
}

#[test]
fn nothing_hostile_gets_out_raw_in_any_format() {
    let mut checked = 0;
    let long = "x".repeat(10_000);
    for vector in vectors("v1.36.2").step_by(96) {
        for (at, (kind, text)) in HOSTILE.iter().enumerate() {
            let mut document = vector.snapshot.clone();
            if at % 2 == 0 {
                document = with_evidence(document);
            }
            let text = if text.is_empty() { &long } else { *text };
            poison(&mut document, text);
            let documents = read_documents(&document.to_string());
            let Ok(snapshot) = &documents[0].snapshot else {
                continue;
            };
            let settings = Settings::resolve(snapshot, &Overrides::default());
            let now = snapshot.captured_at;
            let trace = what_if::explain(snapshot, &settings, now, &Observer::default());
            let mut outputs = formats(&trace);
            if checked % 16 == 0 {
                outputs.extend(previews(snapshot));
            }
            for (format, output) in outputs {
                let found = output.chars().find(|c| acts(*c));
                assert_eq!(found, None, "{} {kind} {format}", vector.id);
                if format.contains("markdown") {
                    assert_plain_markdown(&output, &format!("{} {kind} {format}", vector.id));
                }
            }
            checked += 1;
        }
    }
    assert_eq!(checked, 200);
}

/// Outside of fences there is no HTML, link, picture or mention; each row of a
/// table has as many cells as its titles.
fn assert_plain_markdown(output: &str, what: &str) {
    let mut fence: Option<&str> = None;
    let mut columns = None;
    for line in output.lines() {
        let start = line.trim_start();
        let ticks = start.len() - start.trim_start_matches('`').len();
        match fence {
            Some(open) if start == open => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some(&start[..ticks]),
            None => {
                let harmless = [r"\\", r"\`", r"\[", r"\|", r"\:", r"\*", "`@`", "`#`"];
                let plain = harmless
                    .iter()
                    .fold(line.to_owned(), |line, it| line.replace(it, " "));
                for sign in ["<", ">", "[", "`", "@", "://", "**b"] {
                    assert!(!plain.contains(sign), "{what}: {sign} in {line}");
                }
                let cells = line.starts_with('|').then(|| plain.matches('|').count());
                assert!(
                    cells.is_none() || columns.is_none() || cells == columns,
                    "{what}: {line}"
                );
                columns = cells;
            }
        }
    }
    assert_eq!(fence, None, "{what}: a fence is open");
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

/// Each of them is looked at in the moments of all others.
#[test]
fn more_policies_than_anybody_has_are_refused() {
    let policy = json!({"type": "Pods", "value": 1, "periodSeconds": 15});
    let vector = vectors("v1.36.2").next().expect("a case");
    for (count, is_read) in [(100, true), (101, false)] {
        let mut document = vector.snapshot.clone();
        let spec = &mut document["horizontalPodAutoscaler"]["spec"];
        spec["behavior"] = json!({"scaleDown": {"policies": vec![&policy; count]}});
        let read = read_documents(&document.to_string()).remove(0).snapshot;
        assert_eq!(read.is_ok(), is_read, "{count}: {read:?}");
        let says = read.map_or_else(|error| error.to_string(), |_| String::new());
        assert_eq!(
            says.contains("scaleDown.policies: more than 100"),
            !is_read,
            "{says}"
        );
    }
}

/// What each metric makes of each pod is remembered, so the product counts.
#[test]
fn more_metrics_of_more_pods_than_fit_are_refused() {
    let metric = json!({"type": "External", "external": {"metric": {"name": "m"},
        "target": {"type": "Value", "value": "5"}}});
    let vector = vectors("v1.36.2").next().expect("a case");
    for (count, pods, is_read) in [(400, 500, true), (401, 500, false), (10_000, 20, true)] {
        let mut document = vector.snapshot.clone();
        document["horizontalPodAutoscaler"]["spec"]["metrics"] = json!(vec![&metric; count]);
        let pod = |number| json!({"metadata": {"name": format!("p{number}"), "namespace": "shop"}});
        document["pods"] = (0..pods).map(pod).collect();
        let read = read_documents(&document.to_string()).remove(0).snapshot;
        let says = read.map_or_else(|error| error.to_string(), |_| "read".to_owned());
        assert_eq!(says == "read", is_read, "{count}, {pods}: {says}");
        assert_eq!(says.contains("more than the 200000"), !is_read, "{says}");
    }
}

/// A short text that stands for a long document is refused by every reader,
/// soon and without the memory.
#[test]
fn texts_that_grow_or_nest_are_refused_by_every_reader() {
    let list = "x, ".repeat(10_000);
    let scenario = "horizontalPodAutoscaler: {apiVersion: autoscaling/v2, kind: \
        HorizontalPodAutoscaler, metadata: {name: web}, spec: {scaleTargetRef: {kind: Deployment, \
        name: web}, maxReplicas: 5}}\ninitialReplicas: 1\nstepSeconds: 15\n";
    let rows = [
        (
            format!("a: &a [{list}]\nb: [{}]\n", "*a, ".repeat(3_000)),
            "repeat more than",
        ),
        (
            format!(
                "{scenario}d: &d [{list}]\ndemand: [{}]\n",
                "*d, ".repeat(3_000)
            ),
            "repeat more than",
        ),
        (
            format!(
                "a: &a {}\nb: [{}]\n",
                "x".repeat(400_000),
                "*a, ".repeat(9_000)
            ),
            "repeat more than",
        ),
        (format!("a: {}", "[".repeat(100_000)), "128 levels deep"),
        (format!("a: {}", "{b: ".repeat(100_000)), "128 levels deep"),
        (format!("a:\n{}", "- ".repeat(100_000)), "128 levels deep"),
    ];
    assert_eq!(rows.len(), 6);
    for (text, reason) in rows {
        let start: String = text.chars().take(40).collect();
        let snapshot = read_documents(&text).remove(0).snapshot.expect_err(&start);
        let scenario = read_scenarios(&text)
            .next()
            .expect("one")
            .expect_err(&start);
        let manifest = parse(&text, 0).expect_err(&start);
        for said in [
            snapshot.to_string(),
            scenario.to_string(),
            manifest.to_string(),
        ] {
            assert!(said.contains(reason), "{start}: {said}");
        }
    }
}
