//! Moments of made-up histories, each with what the reference model of the
//! controller (`tests/reference`) did from there on: no statement about the
//! future may be another, and no number of a finding.
//!
//! `tests/sweep/README.md` says how they were made, and how to run more.

#![expect(clippy::print_stdout, reason = "the figures are to be read")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Command;

use flate2::read::GzDecoder;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::binary::{run, stderr, stdout};

const STORED: &str = "tests/sweep/worlds.jsonl.gz";

/// A moment, and what is true of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Moment {
    world: String,
    snapshot: Value,
    /// The change that `dry-run` is asked about.
    edit: Vec<String>,
    /// The size after a pass at the moment.
    decision: i64,
    next_pass: Timestamp,
    steps: BTreeMap<String, Step>,
    /// A size, or `cycle`; nothing where no metric gives a number.
    rests_at: Value,
    /// The sizes pass by pass, as the spec is and as it would be.
    sides: [Vec<i64>; 2],
    break_points: Value,
    attempts: Value,
    /// The codes of the findings, each with the numbers of its message.
    findings: Vec<(String, Vec<String>)>,
}

/// The first change that the passes to come make, if the metrics go on asking
/// for it.
#[derive(Deserialize)]
struct Step {
    asked: bool,
    #[serde(default)]
    never: bool,
    at: Option<Timestamp>,
    to: Option<i64>,
}

/// How many statements of each kind held, and how many were not made, or not
/// as a single number.
type Tally = BTreeMap<&'static str, (usize, usize)>;

/// How many findings of each code have numbers that the model confirmed.
type ByCode = BTreeMap<String, usize>;

fn within(range: &Value, count: i64) -> bool {
    let end = |name: &str| range[name].as_i64();
    end("from").is_some_and(|from| from <= count) && end("to").is_some_and(|to| count <= to)
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_str().map(|text| text.parse().expect("a time"))
}

fn document(arguments: &[&str]) -> Value {
    let output = run(Path::new("/nowhere"), arguments);
    serde_json::from_str(stdout(&output))
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{}", stderr(&output)))
}

fn add(tally: &mut Tally, kind: &'static str, is_sharp: bool) {
    let (sharp, other) = tally.entry(kind).or_default();
    *(if is_sharp { sharp } else { other }) += 1;
}

impl Moment {
    fn hold_pass(&self, trace: &Value, tally: &mut Tally) {
        let outcome = &trace["outcome"];
        let range = match &outcome["possible"] {
            Value::Null => {
                let size = match outcome["rescale"].as_bool() {
                    Some(true) => &outcome["desiredReplicas"],
                    _ => &outcome["currentReplicas"],
                };
                json!({"from": size, "to": size})
            }
            range => range.clone(),
        };
        assert!(within(&range, self.decision), "{}: {outcome}", self.world);
        add(tally, "decision", range["from"] == range["to"]);
    }

    fn hold_steps(&self, trace: &Value, tally: &mut Tally) {
        for (way, real) in &self.steps {
            let said = &trace["outlook"][way];
            if said.is_null() {
                add(tally, "next step", false);
                continue;
            }
            let what = format!("{} {way}: {said}", self.world);
            assert_eq!(said["asked"], real.asked, "{what}");
            let latest = time(&said["latest"]);
            if real.never {
                let far = self.next_pass + jiff::SignedDuration::from_secs(149 * 15);
                assert!(latest.is_none_or(|latest| latest > far), "{what}");
                add(tally, "next step", said["replicas"].is_null());
                continue;
            }
            let (at, to) = (real.at.expect("a time"), real.to.expect("a size"));
            let is_in_time = time(&said["earliest"]).is_none_or(|earliest| earliest <= at)
                && latest.is_none_or(|latest| at <= latest.max(self.next_pass));
            assert!(is_in_time, "{what}; true: at {at}");
            assert!(within(&said["replicas"], to), "{what}; true: to {to}");
            let is_sharp = said["replicas"]["from"] == said["replicas"]["to"];
            add(tally, "next step", is_sharp);
        }
    }

    fn hold_rest(&self, trace: &Value, tally: &mut Tally) {
        let said = &trace["prospects"]["settling"];
        if said.is_null() {
            add(tally, "rests at", false);
            return;
        }
        if !said["possible"].is_null() {
            let size = self.rests_at.as_i64();
            let is_so = size.is_some_and(|size| within(&said["possible"], size));
            assert!(is_so, "{}: {said}; true: {}", self.world, self.rests_at);
            add(tally, "rests at", false);
            return;
        }
        let end = match said["end"].as_str() {
            Some("cycle") => &said["end"],
            _ => &said["replicas"],
        };
        assert_eq!(*end, self.rests_at, "{}: {said}", self.world);
        add(tally, "rests at", true);
    }

    fn hold_values(&self, trace: &Value, tally: &mut Tally, by_code: &mut ByCode) {
        let ahead = &trace["prospects"];
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let points = list(&ahead["breakPoints"]);
        assert_eq!(
            Value::from(points.clone()),
            self.break_points,
            "{}",
            self.world
        );
        let attempts = list(&ahead["attempts"]);
        assert_eq!(
            Value::from(attempts.clone()),
            self.attempts,
            "{}",
            self.world
        );
        for _ in points {
            add(tally, "break-points", true);
        }
        for _ in attempts {
            add(tally, "try", true);
        }
        let findings = list(&trace["findings"]);
        for (code, numbers) in &self.findings {
            *by_code.entry(code.clone()).or_default() += 1;
            let has_them = |finding: &&Value| {
                finding["code"] == code.as_str() && numbers_of(&finding["message"]) == *numbers
            };
            let found = findings.iter().find(has_them);
            assert!(
                found.is_some(),
                "{}: {code} with {numbers:?} is not among {findings:?}",
                self.world
            );
            add(tally, "finding", true);
        }
    }

    fn hold_sides(&self, path: &str, tally: &mut Tally) {
        let mut arguments = vec![
            "dry-run",
            "web",
            "--snapshot",
            path,
            "--for",
            "10m",
            "-o",
            "json",
        ];
        arguments.extend(self.edit.iter().map(String::as_str));
        let document = document(&arguments);
        let sides = [&document["current"], &document["candidates"][0]];
        for (side, sizes) in sides.into_iter().zip(&self.sides) {
            let coming = &side["coming"];
            let passes = coming["passes"].as_array().expect("passes");
            assert!(
                passes.len() == sizes.len() || !coming["stopped"].is_null(),
                "{}",
                self.world
            );
            for (pass, size) in passes.iter().zip(sizes) {
                let what = format!("{} {}: {pass}", self.world, side["name"]);
                assert!(within(&pass["replicas"], *size), "{what}; true: {size}");
                let is_sharp = pass["replicas"]["from"] == pass["replicas"]["to"];
                add(tally, "pass of dry-run --for", is_sharp);
            }
        }
    }
}

fn numbers_of(message: &Value) -> Vec<String> {
    let text = message.as_str().unwrap_or_default();
    let numbers = text.split(|letter: char| !letter.is_ascii_digit());
    let numbers = numbers.filter(|number| !number.is_empty());
    numbers.map(str::to_owned).collect()
}

#[test]
fn the_stored_worlds_go_on_as_it_is_said() {
    let mut text = String::new();
    let file = File::open(STORED).expect("the stored worlds");
    let mut lines = GzDecoder::new(file);
    lines.read_to_string(&mut text).expect("lines");
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("snapshot.json");
    let path = path.to_str().expect("a path");
    let mut tally = Tally::new();
    let mut by_code = ByCode::new();
    let mut moments = 0;
    for line in text.lines() {
        let moment: Moment = serde_json::from_str(line).expect("a moment");
        fs::write(path, moment.snapshot.to_string()).expect("written");
        let document = document(&["--snapshot", path, "-o", "json"]);
        let trace = &document["trace"];
        moment.hold_pass(trace, &mut tally);
        moment.hold_steps(trace, &mut tally);
        moment.hold_rest(trace, &mut tally);
        moment.hold_values(trace, &mut tally, &mut by_code);
        moment.hold_sides(path, &mut tally);
        moments += 1;
    }
    println!("{moments} moments; held, and held as a range or not said: {tally:?}");
    assert_eq!(moments, MOMENTS);
    let all: BTreeMap<_, _> = tally.iter().map(|(kind, (a, b))| (*kind, a + b)).collect();
    assert_eq!(all, BTreeMap::from(STATEMENTS));
    let findings = FINDINGS.map(|(code, count)| (code.to_owned(), count));
    assert_eq!(by_code, BTreeMap::from(findings));
    for (code, count) in FINDINGS {
        assert!(count >= LEAST || code == RARE, "{code}: {count}");
    }
}

/// So many findings of each code, at least; but few worlds make changes both
/// ways within a period that counts.
const LEAST: usize = 3;
const RARE: &str = "policy-period";

/// How many moments are stored, and how many statements they are for.
const MOMENTS: usize = 80;
const STATEMENTS: [(&str, usize); 7] = [
    ("break-points", 86),
    ("decision", MOMENTS),
    ("finding", 253),
    ("next step", 129),
    ("pass of dry-run --for", 6560),
    ("rests at", MOMENTS),
    ("try", 12),
];

/// How many findings of each code they are for.
const FINDINGS: [(&str, usize); 38] = [
    ("all-metrics-fail", 3),
    ("at-max", 13),
    ("at-max-exactly", 4),
    ("at-min", 8),
    ("behavior-disabled", 3),
    ("controller-restarted", 3),
    ("dampened", 3),
    ("fixed-size", 5),
    ("flapping", 23),
    ("hot-container", 3),
    ("hpa-deleted", 3),
    ("idle-above-target", 3),
    ("initializing-pods", 3),
    ("memory-cannot-fall", 3),
    ("metric-fails", 3),
    ("metric-twice", 4),
    ("metrics-api-unavailable", 9),
    ("misleading-message", 6),
    ("negative-metric", 3),
    ("one-hot-pod", 3),
    ("out-of-bounds", 6),
    ("percent-trap", 3),
    ("pods-pending", 3),
    ("pods-without-sample", 5),
    ("policy-limits", 7),
    ("policy-period", 1),
    ("replicas-writer", 21),
    ("rounded-up", 5),
    ("scale-down-blocked", 3),
    ("short-period", 6),
    ("sudden-drop", 4),
    ("target-above-limit", 3),
    ("target-in-units", 53),
    ("target-unreachable", 4),
    ("up-below-target", 4),
    ("value-for-average", 4),
    ("window-holds", 4),
    ("within-tolerance", 9),
];

#[test]
#[ignore = "needs python3; 500 worlds take about ten minutes, and far more unoptimized"]
fn five_hundred_worlds_go_on_as_it_is_said() {
    let worlds = std::env::var("WORLDS").unwrap_or_else(|_| "500".to_owned());
    let output = Command::new("python3")
        .args([
            "tests/reference/sweep.py",
            env!("CARGO_BIN_EXE_kubectl-hpa_explain"),
        ])
        .args(["--worlds", &worlds])
        .output()
        .expect("python3 runs");
    let counts = stdout(&output);
    println!("{counts}");
    assert!(output.status.success(), "{counts}{}", stderr(&output));
    assert!(counts.contains("wrong 0\n"), "{counts}");
    for (code, _) in FINDINGS {
        let name = format!("finding {code} ");
        let line = counts.lines().find(|line| line.starts_with(&name));
        let held = line.and_then(|line| line.split_once(" held ")?.1.parse::<usize>().ok());
        let is_enough = held >= Some(LEAST) || code == RARE;
        assert!(is_enough, "{code}: {line:?}\n{counts}");
    }
}
