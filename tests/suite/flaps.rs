//! `flaps` on histories: a folder each, with the snapshot, sometimes the
//! controller's log, and what is printed. Beside each mechanism stands a
//! calm neighbour.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite flaps::` writes the texts anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use hpa_explain::render::{Format, TextOptions};
use hpa_explain::trace::{FlapState, MechanismKind, Proof, Scores, Trial};
use serde_json::{Value, json};

use crate::support::apiserver::ApiServer;
use crate::support::binary::{SITUATIONS, run, stderr, stdout};
use crate::support::flapping;
use crate::support::golden::Goldens;

/// What is found in a history: the state, and the mechanisms in the order in
/// which they are told.
type Expected = (&'static str, &'static str, &'static [&'static str]);

#[rustfmt::skip] // one row a line
const HISTORIES: [Expected; 44] = [
    ("argo-cd", "flapping", &["another-writer"]),
    ("behavior-added-later", "flapping", &["another-writer"]),
    ("bounds-edited", "flapping", &["edited-bounds"]),
    ("calm", "calm", &[]),
    ("keda-fallback", "stuck", &["keda-fallback"]),
    ("keda-fallback-flaps", "flapping", &["keda-fallback"]),
    ("latency-falls", "calm", &[]),
    ("memory-falls", "calm", &[]),
    ("noise", "flapping", &["metric-noise"]),
    ("noise-calm", "calm", &[]),
    ("noise-record", "flapping", &["metric-noise"]),
    ("noise-small", "flapping", &["metric-noise"]),
    ("other-reason", "stuck", &[]),
    ("over", "calm", &[]),
    ("rescale-before-failed-scale", "flapping", &["short-window"]),
    ("startup-burst", "flapping", &["startup-burst"]),
    ("startup-calm", "calm", &[]),
    ("startup-record", "flapping", &["startup-burst"]),
    ("surge", "flapping", &["rollout-surge"]),
    ("surge-calm", "calm", &[]),
    ("surge-now", "flapping", &["rollout-surge"]),
    ("trend", "flapping", &["metric-noise"]),
    ("two-hpas", "stuck", &["two-autoscalers"]),
    ("two-hpas-1.25", "flapping", &["two-autoscalers"]),
    ("two-mechanisms", "flapping", &["another-writer", "short-window"]),
    ("unknown", "unknown", &[]),
    ("unreachable", "stuck", &["unreachable-target"]),
    ("unreachable-calm", "calm", &[]),
    ("value-calm", "calm", &[]),
    ("value-climbs", "stuck", &["value-runaway"]),
    ("value-flaps", "flapping", &["value-runaway"]),
    ("value-flaps-record", "flapping", &["value-runaway"]),
    ("value-runaway", "stuck", &["value-runaway"]),
    ("window-calm", "calm", &[]),
    ("window-edited", "calm", &[]),
    ("window-edited-again", "flapping", &["short-window"]),
    ("window-folded", "flapping", &["short-window"]),
    ("window-log", "flapping", &["short-window"]),
    ("window-merged", "flapping", &["short-window"]),
    ("window-record", "flapping", &["short-window"]),
    ("window-single", "flapping", &["short-window"]),
    ("writer-events", "flapping", &["another-writer"]),
    ("writer-once", "calm", &[]),
    ("writer-unseen", "flapping", &["another-writer"]),
];

const COMMANDS: &str = include_str!("../../docs/commands.md");
const PAGE: &str = include_str!("../../docs/flaps.md");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flaps")
}

/// Runs `flaps` on a history, without a cluster.
fn judge(name: &str, arguments: &[&str]) -> Output {
    let folder = folder().join(name);
    let snapshot = folder.join("snapshot.yaml");
    let log = folder.join("controller.log");
    let (snapshot, log_path) = (snapshot.to_string_lossy(), log.to_string_lossy());
    let mut all = vec!["flaps", "--snapshot", &snapshot];
    if log.exists() {
        all.extend(["--controller-log", &log_path]);
    }
    let record = folder.join("record.jsonl");
    let record_path = record.to_string_lossy();
    if record.exists() {
        all.extend(["--history", &record_path]);
    }
    all.extend(arguments);
    run(Path::new("/dev/null"), &all)
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn names(item: &Value) -> Vec<&str> {
    let mechanisms = item["mechanisms"].as_array().expect("mechanisms").iter();
    mechanisms
        .map(|it| it["kind"].as_str().expect("a name"))
        .collect()
}

#[test]
fn every_mechanism_is_named_and_no_calm_one_alarms() {
    let mut told = BTreeSet::new();
    for (name, state, mechanisms) in HISTORIES {
        let output = judge(name, &["-o", "json", "--exit-code"]);
        let document = document(&output);
        let [item] = document["items"].as_array().expect("items").as_slice() else {
            panic!("{name}: {document}");
        };
        assert_eq!(item["state"], state, "{name}");
        assert_eq!(names(item), mechanisms, "{name}");
        told.extend(mechanisms);
        let is_problem = matches!(state, "flapping" | "stuck");
        let code = if is_problem { 3 } else { 0 };
        assert_eq!(output.status.code(), Some(code), "{name}");
        assert_eq!(item["severity"].is_string(), is_problem, "{name}");
        let changes = item["mechanisms"].as_array().into_iter().flatten();
        for change in changes.flat_map(|it| it["changes"].as_array().into_iter().flatten()) {
            // Only a record has the load to try it on.
            let is_tried = change["set"].is_string() && name.ends_with("-record");
            let standing = if is_tried { "confirmed" } else { "suggested" };
            assert_eq!(change["proof"]["standing"], standing, "{name}");
        }
    }
    // None is missing, and every folder was looked at.
    let all: Vec<Value> = MechanismKind::ALL.iter().map(|it| json!(it)).collect();
    let all: BTreeSet<&str> = all.iter().filter_map(Value::as_str).collect();
    assert_eq!(told, all);
    let folders = fs::read_dir(folder()).expect("histories");
    let folders = folders.filter(|it| it.as_ref().is_ok_and(|it| it.path().is_dir()));
    assert_eq!(folders.count(), HISTORIES.len());
}

#[test]
fn the_answer_reads_as_its_file_has_it() {
    let mut goldens = Goldens::default();
    for (name, ..) in HISTORIES {
        let output = judge(name, &[]);
        assert_eq!(stderr(&output), "", "{name}");
        let text = stdout(&output);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
        goldens.check(&folder().join(name).join("expected.txt"), text);
        if name == "window-log" {
            assert!(COMMANDS.contains(text), "docs/commands.md shows it");
        }
    }
    for (name, arguments, file) in [
        ("two-mechanisms", ["-o", "markdown"], "expected.md"),
        ("window-log", ["-v", "-v"], "expected.v.txt"),
    ] {
        let output = judge(name, &arguments);
        goldens.check(&folder().join(name).join(file), stdout(&output));
    }
}

/// Sizes alone tell no burst, noise and short window apart; what a record has
/// measured does.
#[test]
fn what_only_looks_like_a_mechanism_says_so() {
    #[rustfmt::skip] // one row a line
    let rows: [(&str, &str, &[&str]); 9] = [
        ("noise", "inferred", &["short-window"]),
        ("noise-record", "known", &[]),
        ("startup-record", "known", &[]),
        ("trend", "inferred", &["short-window"]),
        ("value-climbs", "inferred", &[]),
        ("value-flaps", "inferred", &["short-window"]),
        ("value-flaps-record", "known", &[]),
        ("window-record", "known", &[]),
        ("window-single", "inferred", &["metric-noise"]),
    ];
    for (name, standing, alike) in rows {
        let document = document(&judge(name, &["-o", "json"]));
        let mechanism = &document["items"][0]["mechanisms"][0];
        assert_eq!(mechanism["standing"], standing, "{name}");
        let told = mechanism["alike"].as_array().into_iter().flatten();
        let told: Vec<&str> = told.filter_map(Value::as_str).collect();
        assert_eq!(told, alike, "{name}");
        let text = judge(name, &[]);
        assert_eq!(
            ["sizes suggest", "looks like"]
                .iter()
                .any(|it| stdout(&text).contains(it)),
            standing == "inferred",
            "{name}"
        );
    }
}

/// A record without an event of the HPA cannot tell whose changes they are.
#[test]
fn without_events_nobody_is_blamed() {
    for (name, who) in [
        ("noise-record", "who made 14 of the 15 changes"),
        ("value-flaps-record", "who made 11 of the 12 changes"),
        ("window-record", "who made 5 of the 6 changes"),
    ] {
        let record = folder().join(name).join("record.jsonl");
        let record = record.to_string_lossy();
        let judged = |format: &[&str]| {
            let arguments = ["flaps", "--history", &record, "--at", "-0s"];
            run(Path::new("/dev/null"), &[&arguments, format].concat())
        };
        let document = document(&judged(&["-o", "json"]));
        let item = &document["items"][0];
        assert_eq!(item["state"], "flapping", "{name}");
        assert!(names(item).is_empty(), "{name}: {item}");
        let text = judged(&[]);
        let text = stdout(&text).split_whitespace().collect::<Vec<_>>();
        let text = text.join(" ");
        assert!(text.contains(who), "{name}: {text}");
        assert!(!text.contains("may set"), "{name}: {text}");
    }
}

/// Of the windows that a simulation confirms, the shortest is suggested.
#[test]
fn the_shortest_window_that_helps_is_suggested() {
    let document = document(&judge("noise-record", &["-o", "json"]));
    let change = &document["items"][0]["mechanisms"][0]["changes"][0];
    let set = "spec.behavior.scaleDown.stabilizationWindowSeconds=60";
    assert_eq!(change["set"], set, "90 s would span the longest trough");
    let scores = &change["proof"];
    assert_eq!(scores["standing"], "confirmed");
    let reversals = |which: &str| scores[which]["reversals"].as_u64().expect("a count");
    assert!(reversals("after") * 2 <= reversals("before"), "{scores}");
}

/// Six rescales in two aggregated events: the least number of turns is the
/// whole number of them, for each size was reached three times one way.
#[test]
fn folded_events_are_counted() {
    let rows = [
        ("window-folded", (5, None), (4, 2)),
        ("window-single", (5, None), (6, 0)),
        ("window-log", (5, Some(5)), (6, 0)),
        ("window-merged", (5, None), (5, 6)),
    ];
    for (name, (least, most), (with, without)) in rows {
        let document = document(&judge(name, &["-o", "json"]));
        let item = &document["items"][0];
        let reversals = &item["swing"]["reversals"];
        let counted = (reversals["from"].as_i64(), reversals["to"].as_i64());
        assert_eq!(counted, (Some(least), most), "{name}");
        let told = &item["told"];
        let moments = (&told["withMoment"], &told["withoutMoment"]);
        assert_eq!(moments, (&with.into(), &without.into()), "{name}");
    }
}

/// The window that is suggested is longer than the longest trough and no
/// longer than a step and a pass more.
#[test]
fn the_suggested_window_follows_from_the_trough() {
    // Falls and rises are 300 s apart, and the window was 60 s; the log knows
    // that the load was gone for 375 s.
    // An older fall tells nothing where the window of then is not known.
    let rows = [
        ("window-single", 390),
        ("window-log", 390),
        ("window-edited-again", 240),
        ("noise", 240),
    ];
    for (name, seconds) in rows {
        let document = document(&judge(name, &["-o", "json"]));
        let changes = &document["items"][0]["mechanisms"][0]["changes"];
        let patch = changes[0]["patch"].as_str().expect("a patch");
        let end = format!("stabilizationWindowSeconds: {seconds}");
        assert!(patch.ends_with(&end), "{name}: {patch}");
    }
}

/// What is to be set is taken as it stands by the commands that try it.
#[test]
fn what_is_suggested_can_be_tried() {
    let mut tried = 0;
    for (name, ..) in HISTORIES {
        let document = document(&judge(name, &["-o", "json"]));
        let mechanisms = document["items"][0]["mechanisms"].as_array();
        let changes = mechanisms.into_iter().flatten();
        let changes = changes.flat_map(|it| it["changes"].as_array().into_iter().flatten());
        for set in changes.filter_map(|it| it["set"].as_str()) {
            let snapshot = folder().join(name).join("snapshot.yaml");
            let snapshot = snapshot.to_string_lossy();
            let arguments = ["dry-run", "web", "--snapshot", &snapshot, "--set", set];
            let output = run(Path::new("/dev/null"), &arguments);
            assert!(output.status.success(), "{name} {set}: {}", stderr(&output));
            tried += 1;
        }
    }
    assert_eq!(tried, 14);
}

/// A moment of the recorded run, with the controller's log or without.
fn recorded(at: &str, with_log: bool, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("run.jsonl");
    let mut file = fs::File::create(&record).expect("writable");
    std::io::copy(&mut flapping::lines(), &mut file).expect("writable");
    let log = folder.path().join("kcm.log");
    fs::write(&log, flapping::controller_log()).expect("writable");
    let (record, log) = (record.to_string_lossy(), log.to_string_lossy());
    let mut all = vec!["flaps", "--history", &record, "--at", at];
    if with_log {
        all.extend(["--controller-log", &log]);
    }
    all.extend(arguments);
    run(Path::new("/dev/null"), &all)
}

/// The load alternates every 75 s against a window of 30 s, until the window
/// is made 180 s at 08:35:51; somebody scales and applies once each.
#[test]
fn the_recorded_run_flaps_for_its_window_until_that_is_longer() {
    let rows = [
        ("2026-11-20T08:24:20Z", "calm", 0),
        ("2026-11-20T08:29:00Z", "calm", 0),
        ("2026-11-20T08:30:00Z", "flapping", 4),
        ("2026-11-20T08:35:45Z", "flapping", 12),
        ("2026-11-20T08:36:30Z", "calm", 12),
        ("2026-11-20T08:38:00Z", "calm", 12),
        ("2026-11-20T08:44:00Z", "calm", 12),
        ("-0s", "calm", 12),
    ];
    for (at, state, reversals) in rows {
        for with_log in [false, true] {
            let output = recorded(at, with_log, &["-o", "json"]);
            let document = document(&output);
            let item = &document["items"][0];
            let place = format!("{at}, log {with_log}");
            assert_eq!(item["state"], state, "{place}: {item}");
            let expected: &[&str] = match state {
                "flapping" => &["short-window"],
                _ => &[],
            };
            assert_eq!(names(item), expected, "{place}");
            let least = item["swing"]["reversals"]["from"].as_i64();
            assert!(least.unwrap_or_default() >= reversals, "{place}: {least:?}");
            // Nothing is known yet of what that edit does.
            let is_over = state == "calm" && reversals > 0;
            let edited = is_over.then_some("2026-11-20T08:35:51Z");
            assert_eq!(item["swing"]["edited"].as_str(), edited, "{place}");
        }
    }
    let mut goldens = Goldens::default();
    for (at, file) in [
        ("2026-11-20T08:35:45Z", "run.txt"),
        ("2026-11-20T08:44:00Z", "run.edited.txt"),
    ] {
        let output = recorded(at, false, &[]);
        goldens.check(&folder().join(file), stdout(&output));
        assert!(PAGE.contains(stdout(&output)), "the page shows it");
    }
    for (with_log, file) in [(false, "run.txt"), (true, "run.log.txt")] {
        let output = recorded("2026-11-20T08:35:45Z", with_log, &[]);
        assert_eq!(stderr(&output), "");
        goldens.check(&folder().join(file), stdout(&output));
        let (_, tried) = stdout(&output).split_once("\nTry").expect("what helps");
        let (tried, _) = tried.split_once("\nData").expect("what tells");
        assert!(
            COMMANDS.contains(tried),
            "docs/commands.md shows it: {tried}"
        );
    }
}

/// All histories in one file, as `capture -A` would write them.
fn together() -> tempfile::NamedTempFile {
    let mut all = String::new();
    for (name, ..) in HISTORIES {
        let path = folder().join(name).join("snapshot.yaml");
        let text = fs::read_to_string(path).expect("a snapshot");
        let renamed = text.replacen("    name: web\n", &format!("    name: {name}\n"), 1);
        all = format!("{all}---\n{renamed}");
    }
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    std::io::Write::write_all(&mut file, all.as_bytes()).expect("writable");
    file
}

#[test]
fn many_are_a_table_with_the_worst_first() {
    let file = together();
    let path = file.path().to_string_lossy();
    let none = Path::new("/dev/null");
    let mut goldens = Goldens::default();
    let output = run(none, &["flaps", "--snapshot", &path, "--exit-code"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    goldens.check(&folder().join("several.txt"), stdout(&output));
    let output = run(none, &["flaps", "--snapshot", &path, "-o", "markdown"]);
    goldens.check(&folder().join("several.md"), stdout(&output));
    let output = run(none, &["flaps", "--snapshot", &path, "-o", "name"]);
    let listed: Vec<&str> = stdout(&output).lines().collect();
    // Without its record, one looks like what it is not.
    let is_problem = |it: &&Expected| it.1 != "calm" || it.0 == "memory-falls";
    let problems = HISTORIES.iter().filter(is_problem);
    assert_eq!(listed.len(), problems.count());
    assert!(!stdout(&output).contains("-calm"));
    let output = run(none, &["flaps", "--snapshot", &path, "calm", "noise-calm"]);
    assert_eq!(stdout(&output), "No HPA is flapping or stuck (2 HPAs).\n");
    let output = run(none, &["flaps", "--snapshot", &path, "nobody"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("hint: it holds shop/"),
        "{}",
        stderr(&output)
    );
}

/// What a simulation confirms is said with its scores.
#[test]
fn a_confirmed_change_says_so() {
    use hpa_explain::controller::{Overrides, Settings};
    use hpa_explain::history::Observer;
    let path = folder().join("window-single/snapshot.yaml");
    let text = fs::read_to_string(path).expect("a snapshot");
    let mut documents = hpa_explain::document::snapshot::read_documents(&text);
    let snapshot = documents.remove(0).snapshot.expect("a snapshot");
    let settings = Settings::resolve(&snapshot, &Overrides::default());
    let at = snapshot.captured_at;
    let mut flaps = hpa_explain::what_if::flaps(
        &snapshot,
        &settings,
        at,
        &Observer::default(),
        &hpa_explain::flaps::ObservedPasses::default(),
    );
    assert_eq!(flaps.state, FlapState::Flapping);
    let trial = Trial {
        metric: "cpu".to_owned(),
        left_out: vec!["queue".to_owned()],
        seconds: 600,
        replicas: 4,
        before: Scores {
            reversals: 5,
            pod_seconds: 3_300,
            ..Scores::default()
        },
        after: Scores {
            pod_seconds: 4_800,
            ..Scores::default()
        },
    };
    let on = "by simulation on 10m of recorded cpu (without queue, which may ask for more): 5 \
              reversals → 0, time with too few pods unknown, 5.5 → 8 pods on average";
    let suggested = "(inferred, not simulated)".to_owned();
    for (proof, says) in [
        (Proof::Suggested, suggested.clone()),
        (Proof::Confirmed(trial.clone()), format!(" confirmed {on}")),
        (Proof::NotConfirmed(trial), format!("not confirmed {on}")),
    ] {
        let is_tried = proof != Proof::Suggested;
        flaps.mechanisms[0].changes[0].proof = proof;
        let mut text = Vec::new();
        Format::Text
            .write(
                [flaps.clone()].as_slice(),
                &TextOptions::default(),
                &mut text,
            )
            .expect("written");
        let text = String::from_utf8(text).expect("text");
        let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains(&says), "{text}");
        assert_eq!(flowing.contains(&suggested), !is_tried, "{text}");
    }
}

/// The record until a moment, in a file.
fn cut(folder: &Path, at: &str) -> String {
    let mut whole = String::new();
    std::io::Read::read_to_string(&mut flapping::lines(), &mut whole).expect("a record");
    let is_until = |line: &&str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        line["t"].as_str().is_none_or(|own| own <= at)
    };
    let lines: Vec<&str> = whole.lines().filter(is_until).collect();
    assert!(lines.len() < whole.lines().count(), "{at}");
    let path = folder.join("cut.jsonl");
    fs::write(&path, lines.join("\n")).expect("writable");
    path.to_string_lossy().into_owned()
}

/// Whoever simulates the change on what was recorded until that moment finds
/// the same scores, and by these it helps.
#[test]
fn a_confirmed_change_is_simulated_again() {
    let mut confirmed = 0;
    for (at, reversals) in [
        ("2026-11-20T08:30:00Z", 4),
        ("2026-11-20T08:33:00Z", 6),
        ("2026-11-20T08:35:45Z", 8),
    ] {
        let document = document(&recorded(at, false, &["-o", "json"]));
        let change = &document["items"][0]["mechanisms"][0]["changes"][0];
        let (set, proof) = (change["set"].as_str().expect("a field"), &change["proof"]);
        assert_eq!(proof["standing"], "confirmed", "{at}: {proof}");
        assert_eq!(proof["before"]["reversals"], reversals, "{at}");
        assert_eq!(proof["after"]["reversals"], 0, "{at}");
        let short = |side: &str| proof[side]["underProvisionedSeconds"].as_i64();
        assert!(short("after") < short("before"), "{at}: {proof}");

        let folder = tempfile::tempdir().expect("a folder");
        let record = cut(folder.path(), at);
        let none = Path::new("/dev/null");
        let output = run(none, &["--history", &record, "--at", at, "-o", "snapshot"]);
        let snapshot = folder.path().join("snapshot.yaml");
        fs::write(&snapshot, &output.stdout).expect("writable");
        let snapshot = snapshot.to_string_lossy();
        let (load, replicas) = (format!("history:{record}"), proof["replicas"].to_string());
        let mut arguments = vec!["simulate", "api", "--snapshot", &snapshot, "--load", &load];
        arguments.extend(["--replicas", &replicas, "--set", set, "-o", "json"]);
        let output = run(none, &arguments);
        assert!(output.status.success(), "{at}: {}", stderr(&output));
        let again: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let again = again.pointer("/items/0").unwrap_or(&again);
        assert_eq!(again["seconds"], proof["seconds"], "{at}");
        assert_eq!(again["runs"][0]["scores"], proof["before"], "{at}");
        assert_eq!(again["runs"][1]["scores"], proof["after"], "{at}");
        confirmed += 1;
    }
    assert_eq!(confirmed, 3);
}

/// With a pass every 20 minutes nothing turns round in a record of 12: what
/// a simulation does not show, it cannot confirm.
#[test]
fn what_a_simulation_does_not_show_is_not_confirmed() {
    let at = "2026-11-20T08:35:45Z";
    let output = recorded(at, false, &["--sync-period", "20m", "-o", "json"]);
    let document = document(&output);
    let change = &document["items"][0]["mechanisms"][0]["changes"][0];
    assert_eq!(change["proof"]["standing"], "not-confirmed", "{change}");
    assert_eq!(change["proof"]["before"]["reversals"], 0, "{change}");
    for (format, sign) in [("text", ""), ("markdown", "  - ")] {
        let output = recorded(at, false, &["--sync-period", "20m", "-o", format]);
        let says = format!("{sign}not confirmed by simulation on 12m10s of recorded cpu: 0");
        assert!(stdout(&output).contains(&says), "{}", stdout(&output));
    }
}

/// Of a cluster the lists are read first, and what stands out is read as if
/// it were named.
#[test]
fn of_a_cluster_what_stands_out_is_looked_at() {
    let server = ApiServer::replay("steady").start();
    let kubeconfig = server.kubeconfig();
    let output = run(&kubeconfig, &["flaps", "-n", "shop", "-o", "json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let document = document(&output);
    let items = document["items"].as_array().expect("items");
    assert_eq!(items.len(), 10);
    let state = |name: &str| {
        let item = items.iter().find(|it| it["name"] == name);
        let item = item.expect("an HPA");
        (item["state"].as_str().unwrap_or_default(), names(item))
    };
    let twins = ("stuck", vec!["two-autoscalers"]);
    assert_eq!(state("twin-a"), twins);
    assert_eq!(state("twin-b"), twins);
    assert_eq!(state("ghost"), ("stuck", Vec::new()));
    for calm in ["checkout", "db", "paused"] {
        assert_eq!(state(calm), ("calm", Vec::new()), "{calm}");
    }
    for situation in SITUATIONS {
        let server = ApiServer::replay(situation).start();
        let output = run(&server.kubeconfig(), &["flaps", "-n", "shop", "-o", "json"]);
        let document = self::document(&output);
        let items = document["items"].as_array().into_iter().flatten();
        let flapping = items.filter(|it| it["state"] == "flapping");
        let names: Vec<_> = flapping.map(|it| it["name"].clone()).collect();
        assert_eq!(names, Vec::<Value>::new(), "{situation}");
    }
    // One that is named is judged alike, and a selector selects.
    let one = run(&kubeconfig, &["flaps", "twin-a", "-n", "shop"]);
    assert!(stdout(&one).starts_with("shop/twin-a  Deployment/twin  stuck at"));
    let output = run(&kubeconfig, &["flaps", "-n", "shop", "-l", "app=nothing"]);
    assert!(stderr(&output).ends_with("No resources found in shop namespace.\n"));
}
