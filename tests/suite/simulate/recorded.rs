//! The load of a record is the load that was there: what happened in a world
//! of the reference model happens again in the simulation of its record, and
//! what `flaps` says to a change is what the change does in that world.
//! `tests/simulate/recorded/make.py` made the records and the truth.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::copy;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;
use jiff::{SignedDuration, Timestamp, Unit};
use serde_json::{Value, json};

use crate::support::golden;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simulate/recorded")
}

fn truth() -> Value {
    let text = fs::read_to_string(folder().join("truth.json")).expect("the truth");
    serde_json::from_str(&text).expect("JSON")
}

/// A record, unpacked, with its last snapshot beside it.
fn unpack(scratch: &Path, name: &str) {
    let packed = File::open(folder().join(format!("{name}.jsonl.gz"))).expect(name);
    let mut record = File::create(scratch.join("web.jsonl")).expect("writable");
    copy(&mut GzDecoder::new(packed), &mut record).expect("a record");
    let last = ours(scratch, "--history web.jsonl --at -0s -o snapshot");
    fs::write(scratch.join("web.yaml"), last).expect("writable");
}

fn ours(scratch: &Path, arguments: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments.split(' '))
        .current_dir(scratch)
        .env_clear()
        .output()
        .expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    assert!(
        output.status.success(),
        "{arguments}: {}",
        text(output.stderr)
    );
    text(output.stdout)
}

fn document(scratch: &Path, arguments: &str) -> Value {
    serde_json::from_str(&ours(scratch, arguments)).expect("JSON")
}

/// How often a size changed, and how often it turned round.
fn turns(sizes: &[i64]) -> (usize, usize) {
    let pairs = sizes.iter().zip(sizes.iter().skip(1));
    let changes = pairs.filter(|(one, next)| one != next);
    let ways: Vec<bool> = changes.map(|(one, next)| next > one).collect();
    let reversals = ways.iter().zip(ways.iter().skip(1));
    (
        ways.len(),
        reversals.filter(|(one, next)| one != next).count(),
    )
}

/// Within a tenth, or one.
fn is_close(ours: usize, theirs: usize) -> bool {
    ours.abs_diff(theirs) * 10 <= theirs.max(10)
}

#[test]
fn what_happened_happens_again() {
    let truth = truth();
    let truth = truth.as_object().expect("records");
    let mut table = format!(
        "{:14}{:>18}{:>18}{:>8}\n",
        "", "it happened", "simulated", "same"
    );
    let _ = writeln!(
        table,
        "{:14}{:>18}{:>18}{:>8}",
        "record", "changes, turns", "changes, turns", "size"
    );
    let mut held = 0;
    for (name, true_one) in truth {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        unpack(scratch.path(), name);
        let arguments = format!(
            "simulate web --snapshot web.yaml --load history:web.jsonl --replicas {} -o json",
            true_one["first"]
        );
        let answer = document(scratch.path(), &arguments);
        let number = |value: &Value| value.as_i64().expect("a size");
        let steps = answer["runs"][0]["steps"].as_array().expect("steps");
        let simulated = steps.iter().map(|step| number(&step["desiredReplicas"]));
        let first = number(&true_one["first"]);
        let simulated: Vec<i64> = [first].into_iter().chain(simulated).collect();
        let sizes = true_one["sizes"].as_array().expect("sizes");
        let sizes: Vec<i64> = [first]
            .into_iter()
            .chain(sizes.iter().map(number))
            .collect();
        assert!(simulated.len().abs_diff(sizes.len()) <= 1, "{name}");
        let pairs = sizes.iter().zip(&simulated).skip(1);
        let same = pairs.clone().filter(|(one, other)| one == other).count() * 100 / pairs.count();
        let (theirs, own) = (turns(&sizes), turns(&simulated));
        let _ = writeln!(
            table,
            "{name:14}{:>18}{:>18}{same:>7}%",
            format!("{}, {}", theirs.0, theirs.1),
            format!("{}, {}", own.0, own.1)
        );
        assert!(same >= 90, "{table}");
        assert!(is_close(own.0, theirs.0), "{table}");
        assert!(is_close(own.1, theirs.1), "{table}");
        held += 1;
    }
    assert_eq!(held, 14);
    golden::check(&folder().join("table.txt"), &table);
}

/// The moments of a record's samples, each with the size then.
fn sampled(scratch: &Path) -> Vec<(Timestamp, i64)> {
    let text = fs::read_to_string(scratch.join("web.jsonl")).expect("a record");
    let mut size = None;
    let sample = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let own = &line["scale"]["response"]["spec"]["replicas"];
        size = own.as_i64().or(size);
        Some((line["t"].as_str()?.parse().expect("a time"), size?))
    };
    text.lines().filter_map(sample).collect()
}

/// `dry-run --for` from the sixth minute of a record on: the unchanged spec
/// does what happened.
#[test]
fn what_happened_is_what_dry_run_foresees() {
    let mut table = format!(
        "{:14}{:>18}{:>18}\n{:14}{:>18}{:>18}\n",
        "", "it happened", "dry-run --for", "record", "changes, turns", "changes, turns"
    );
    let mut held = 0;
    for name in truth().as_object().expect("records").keys() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        unpack(scratch.path(), name);
        let samples = sampled(scratch.path());
        let at = samples[0].0.round(Unit::Second).expect("a time") + SignedDuration::from_mins(5);
        let end = at + SignedDuration::from_mins(18);
        let before = samples.iter().rfind(|(time, _)| *time <= at);
        let after = samples
            .iter()
            .filter(|(time, _)| *time > at && *time <= end);
        let sizes: Vec<i64> = before
            .into_iter()
            .chain(after)
            .map(|(_, size)| *size)
            .collect();
        let theirs = turns(&sizes);
        let arguments = format!(
            "dry-run web --history web.jsonl --at {at} --for 18m --set spec.maxReplicas=99 -o json"
        );
        let answer = document(scratch.path(), &arguments);
        let coming = &answer["current"]["coming"];
        let ends = |count: &str| {
            ["from", "to"].map(|end| {
                let count = coming[count][end].as_u64().expect("a count");
                usize::try_from(count).expect("few")
            })
        };
        let told = ["changes", "reversals"].map(|count| match ends(count) {
            [from, to] if from == to => to.to_string(),
            [from, to] => format!("{from}..{to}"),
        });
        let _ = writeln!(
            table,
            "{name:14}{:>18}{:>18}",
            format!("{}, {}", theirs.0, theirs.1),
            told.join(", ")
        );
        for (count, theirs) in [("changes", theirs.0), ("reversals", theirs.1)] {
            let is_close = |own| is_close(own, theirs);
            assert!(ends(count).into_iter().all(is_close), "{table}");
        }
        held += 1;
    }
    assert_eq!(held, 14);
    golden::check(&folder().join("coming.txt"), &table);
}

/// A change that is confirmed leaves no more reversals in the world that the
/// record is of than was said.
#[test]
fn what_is_confirmed_is_true() {
    let truth = truth();
    let mut table = format!("{:14}{:>12}{:>12}  change\n", "record", "told", "true");
    let mut confirmed = 0;
    for (name, true_one) in truth.as_object().expect("records") {
        let Some(with) = true_one.get("with") else {
            continue;
        };
        let scratch = tempfile::tempdir().expect("a scratch directory");
        unpack(scratch.path(), name);
        let answer = document(scratch.path(), "flaps --history web.jsonl --at -0s -o json");
        let mechanisms = answer["items"][0]["mechanisms"].as_array();
        let changes = mechanisms.into_iter().flatten();
        let changes = changes.filter_map(|it| it["changes"].as_array()).flatten();
        for change in changes.filter(|it| it["proof"]["standing"] == json!("confirmed")) {
            let set = change["set"].as_str().expect("a field");
            let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{name}: {set}"));
            let after = number(&with[set][1]);
            let sizes = true_one["sizes"].as_array().expect("sizes");
            let first = [&true_one["first"]].into_iter().chain(sizes);
            let sizes: Vec<i64> = first.filter_map(Value::as_i64).collect();
            let before = u64::try_from(turns(&sizes).1).expect("few");
            let proof = &change["proof"];
            let told = ["before", "after"].map(|side| number(&proof[side]["reversals"]));
            let _ = writeln!(
                table,
                "{name:14}{:>12}{:>12}  {set}",
                format!("{} → {}", told[0], told[1]),
                format!("{before} → {after}")
            );
            assert!(told[0].abs_diff(before) * 10 <= before.max(10), "{table}");
            assert!(after <= told[1], "{table}");
            assert!(after * 2 <= before, "{table}");
            confirmed += 1;
        }
    }
    assert_eq!(confirmed, 10, "{table}");
    golden::check(&folder().join("confirmed.txt"), &table);
}
