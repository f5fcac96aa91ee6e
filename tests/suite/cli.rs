//! The real binary, as people and programs call it.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A call of the binary, in an environment that tests can rely on.
fn plugin(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
    command
        .args(arguments)
        .env_clear()
        .env("TZ", "UTC")
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    plugin(arguments).output().expect("the binary runs")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

/// A file that is gone when the test ends.
struct Scratch {
    directory: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a scratch directory");
        Self { directory }
    }

    fn file(&self, name: &str, content: &[u8]) -> String {
        let path: PathBuf = self.directory.path().join(name);
        std::fs::write(&path, content).expect("a scratch file");
        path.to_str().expect("a plain path").to_owned()
    }
}

fn demo_snapshot(case: &str) -> String {
    let output = run(&["demo", case, "-o", "snapshot"]);
    assert!(output.status.success());
    stdout(&output).to_owned()
}

/// The same line without the events, which tell what is remembered.
fn forgetful(case: &str, name: &str) -> String {
    let mut value: Value = serde_json::from_str(&json_line(case, name)).expect("JSON");
    value.as_object_mut().expect("a snapshot").remove("events");
    value.to_string()
}

/// The page of a code fits, but for commands to copy.
#[test]
fn the_page_of_a_code_fits_the_width() {
    for columns in [40, 80] {
        let mut command = plugin(&["explain", "up-below-target"]);
        let output = command.env("COLUMNS", columns.to_string()).output();
        let output = output.expect("the binary runs");
        for line in stdout(&output).lines() {
            let is_command = line.contains("kubectl hpa-explain ");
            assert!(is_command || line.chars().count() <= columns, "{line}");
        }
    }
}

#[test]
fn a_page_of_fewer_than_40_columns_is_one_of_40() {
    let explained = |columns: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
            .args(["demo", "held-by-window"])
            .env("COLUMNS", columns)
            .output()
            .expect("the binary runs");
        stdout(&output).to_owned()
    };
    let forty = explained("40");
    assert!(forty.lines().all(|line| line.chars().count() <= 40));
    for columns in ["1", "20", "39"] {
        assert_eq!(explained(columns), forty, "COLUMNS={columns}");
    }
    assert_ne!(explained("41"), forty);
}

/// The snapshot as one JSON line, its HPA under another name.
fn json_line(case: &str, name: &str) -> String {
    let mut value: Value = serde_yaml::from_str(&demo_snapshot(case)).expect("YAML");
    value["horizontalPodAutoscaler"]["metadata"]["name"] = name.into();
    value.to_string()
}

#[test]
fn a_snapshot_that_was_printed_gives_the_same_explanation() {
    let scratch = Scratch::new();
    let list = run(&["demo", "--list"]);
    let cases: Vec<&str> = stdout(&list)
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(cases.len() >= 8, "{cases:?}");
    for case in &cases {
        let file = scratch.file("printed.yaml", demo_snapshot(case).as_bytes());
        for format in ["text", "json", "yaml"] {
            let direct = run(&["demo", case, "-o", format]);
            let again = run(&["--snapshot", &file, "-o", format]);
            assert_eq!(stdout(&direct), stdout(&again), "{case} as {format}");
            assert!(!direct.stdout.is_empty());
        }
    }
}

#[test]
fn json_is_one_document_a_line_in_the_order_of_the_file() {
    let scratch = Scratch::new();
    let lines = [
        json_line("slowed-by-policy", "first"),
        "{\"kind\": 5}".to_owned(),
        forgetful("held-by-window", "third"),
    ];
    let file = scratch.file("all.jsonl", lines.join("\n").as_bytes());
    let output = run(&["--snapshot", &file, "-o", "json"]);
    assert_eq!(output.status.code(), Some(1), "one document is broken");
    assert!(stderr(&output).contains("all.jsonl:2:2: kind: must be a string, not `5`"));
    let documents: Vec<Value> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let [first, second, third] = documents.as_slice() else {
        panic!("{} documents", documents.len());
    };
    assert_eq!(first["name"], "first");
    assert!(first["prediction"].is_object());
    assert!(
        second["error"]
            .as_str()
            .is_some_and(|text| text.contains("all.jsonl:2:2: kind"))
    );
    assert_eq!(third["name"], "third");
    assert!(third["prediction"].is_null(), "its memory is unknown");
    assert!(
        third["possible"]
            .as_array()
            .is_some_and(|counts| counts.len() > 1)
    );
}

#[test]
fn names_choose_among_the_documents() {
    let scratch = Scratch::new();
    let lines = [
        json_line("slowed-by-policy", "first"),
        json_line("held-by-window", "second"),
    ];
    let file = scratch.file("all.jsonl", lines.join("\n").as_bytes());
    let names = |arguments: &[&str]| -> Vec<String> {
        let arguments = [arguments, &["--snapshot", &file, "-o", "json"]].concat();
        let output = run(&arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        let documents = stdout(&output).lines().map(|line| {
            let document: Value = serde_json::from_str(line).expect("JSON");
            document["name"].as_str().expect("a name").to_owned()
        });
        documents.collect()
    };
    assert_eq!(names(&[]), ["first", "second"]);
    assert_eq!(names(&["second"]), ["second"]);
    assert_eq!(names(&["hpa/first", "second"]), ["first", "second"]);
    assert_eq!(names(&["deploy/checkout"]), ["first"]);
    assert_eq!(names(&["-n", "shop"]), ["first", "second"]);

    let missing = run(&["third", "--snapshot", &file]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("\"third\" not found"));
    assert!(
        stderr(&missing)
            .contains("hint: it holds shop/first (Deployment/checkout), shop/second (Deployment/")
    );
    let missing = run(&["deploy/other", "--snapshot", &file]);
    let message = format!("no HPA in {file} points to deploy/other\nhint: it holds shop/first (");
    assert!(stderr(&missing).contains(&message), "{}", stderr(&missing));
    for names in [&[][..], &["first"][..]] {
        let missing = run(&[names, &["-n", "other", "--snapshot", &file]].concat());
        assert_eq!(missing.status.code(), Some(1));
        assert!(stderr(&missing).contains("hint: the file holds HPAs of shop\n"));
    }
}

/// Whatever is asked of a file none of whose documents can be read, what is
/// wrong with them is the answer, and the only one.
#[test]
fn a_name_in_a_file_that_cannot_be_read() {
    let scratch = Scratch::new();
    let config = "kind: ConfigMap\napiVersion: v1\n";
    let file = scratch.file("web.yaml", config.as_bytes());
    let twice = scratch.file("two.yaml", format!("{config}---\n{config}").as_bytes());
    let asked: [&[&str]; 6] = [
        &["web"],
        &["deploy/web"],
        &["list", "web"],
        &["flaps", "web"],
        &["dry-run", "web", "--set", "spec.maxReplicas=3"],
        &["simulate", "web", "--load", "spike"],
    ];
    for (file, more) in [
        (&file, ""),
        (&twice, " (1 document after it cannot be read either)"),
    ] {
        let error = format!(
            "error: {file}:1:1: this is a ConfigMap, not a Snapshot: `kubectl hpa-explain \
             capture NAME --file FILE` writes a snapshot{more}\n"
        );
        for command in asked {
            let output = run(&[command, &["--snapshot", file]].concat());
            assert_eq!(stderr(&output), error, "{command:?}");
            assert_eq!(output.status.code(), Some(1), "{command:?}");
        }
    }
}

/// Where the answer cannot be written, the reason is told.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    for arguments in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["demo"],
        &["rbac"],
    ] {
        let full = std::fs::File::create("/dev/full").expect("a full disk");
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
            .args(arguments)
            .env_clear()
            .stdout(full)
            .output()
            .expect("the binary runs");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let text = "error: No space left on device";
        assert!(stderr(&output).starts_with(text), "{}", stderr(&output));
    }
}

#[test]
fn every_mistake_names_the_next_step() {
    let scratch = Scratch::new();
    let empty = scratch.file("empty.yaml", b"\n");
    let binary = scratch.file("packed.gz", b"\x1f\x8b\x08\xff\xfe");
    let absent = scratch.file("x", b"");
    std::fs::remove_file(&absent).expect("removable");
    let rows: [(&[&str], i32, &str); 13] = [
        (&["--snapshot", &absent], 1, "no such file"),
        (&["--snapshot", &empty], 1, "is empty, not a snapshot"),
        (
            &["--snapshot", &binary],
            1,
            "`gunzip -c FILE > PLAIN` unpacks it; give PLAIN",
        ),
        (&["demo", "nosuch"], 1, "`demo --list` shows all"),
        (&["web"], 1, "set KUBECONFIG or --kubeconfig"),
        (&["--tolerance", "much"], 2, "invalid value 'much'"),
        (
            &["--tolerance", "10%%"],
            2,
            "must be a fraction such as 0.1, or 10%",
        ),
        (&["--tolerance", "-1"], 2, "not below 0"),
        (
            &["--sync-period", "10"],
            2,
            "give a unit, such as 10s or 10m",
        ),
        (
            &["-o", "snapshot", "--tolerance", "0.2", "--snapshot", "x"],
            2,
            "prints the snapshot as it is",
        ),
        (
            &[
                "demo",
                "-o",
                "snapshot",
                "--feature-gates",
                "HPAScaleToZero=true",
            ],
            2,
            "prints the snapshot as it is",
        ),
        (&["--frobnicate"], 2, "has no flag --frobnicate"),
        (
            &["-o", "xml"],
            2,
            "possible values: text, wide, json, yaml, markdown, html, name, snapshot",
        ),
    ];
    for (arguments, code, text) in rows {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(
            stderr(&output).contains(text),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(stdout(&output).is_empty(), "{arguments:?}");
    }
}

#[test]
fn settings_that_are_given_win_and_say_so() {
    let explain = |arguments: &[&str]| -> Value {
        let arguments = [&["demo", "slowed-by-policy", "-o", "json"], arguments].concat();
        serde_json::from_str(stdout(&run(&arguments))).expect("JSON")
    };
    let release = |document: &Value| document["trace"]["basis"]["release"]["rules"].clone();
    assert_eq!(release(&explain(&[])), "1.36");
    assert_eq!(
        release(&explain(&["--kubernetes-version", "v1.29.1"])),
        "1.29"
    );

    let document = explain(&[
        "--tolerance",
        "200%",
        "--feature-gates",
        "HPAContainerMetrics=true",
    ]);
    let settings = document["trace"]["basis"]["settings"]
        .as_array()
        .expect("settings");
    let tolerance = settings
        .iter()
        .find(|setting| setting["name"] == "--horizontal-pod-autoscaler-tolerance");
    assert_eq!(tolerance.expect("a tolerance")["value"], "2");
    assert_eq!(tolerance.expect("a tolerance")["origin"], "given");
    // Everything is inside a tolerance of 200%.
    assert_eq!(document["prediction"]["desiredReplicas"], 12);
    let warning = &document["trace"]["basis"]["warnings"][0];
    assert!(
        warning
            .as_str()
            .is_some_and(|text| text.contains("HPAContainerMetrics has no effect"))
    );
}

#[test]
fn a_what_if_is_said_at_the_top_and_what_has_no_effect_at_the_end() {
    let arguments = [
        "demo",
        "window-band",
        "--tolerance",
        "0.05",
        "--kubernetes-version",
        "1.32",
        "--downscale-stabilization",
        "10m",
    ];
    let output = run(&arguments);
    let text = stdout(&output);
    assert_eq!(
        text.lines().nth(1),
        Some("What-if: tolerance 0.05, downscale-stabilization 10m0s, rules of 1.32"),
        "{text}"
    );
    assert!(text.contains("--downscale-stabilization has no effect"));
    let plain = run(&["demo", "window-band"]);
    assert!(!stdout(&plain).contains("What-if"));
    let rows = [
        ("1.20", "rules of 1.23, the oldest known, for 1.20"),
        ("1.50", "rules of 1.38, the newest known, for 1.50"),
    ];
    for (version, rules) in rows {
        let output = run(&["demo", "window-band", "--kubernetes-version", version]);
        let text = stdout(&output);
        assert!(text.contains(&format!("What-if: {rules}\n")), "{text}");
        assert!(
            text.contains(&format!("Basis  {rules}, as requested")),
            "{text}"
        );
    }
}

#[test]
fn everything_fits_a_terminal() {
    for arguments in [
        ["demo", "--list"].as_slice(),
        &["demo"],
        &["version"],
        &["demo", "foreign-pod-without"],
    ] {
        let output = run(arguments);
        for line in stdout(&output).lines().chain(stderr(&output).lines()) {
            assert!(line.chars().count() <= 80, "{arguments:?}: {line}");
        }
    }
    let mistyped = run(&["demo", "slowed-by-polcy"]);
    assert!(stderr(&mistyped).contains("did you mean `slowed-by-policy`?"));
}

#[test]
fn a_snapshot_can_come_from_standard_input() {
    let mut child = plugin(&["--snapshot", "-", "-o", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut input = child.stdin.take().expect("a pipe");
    input
        .write_all(demo_snapshot("slowed-by-policy").as_bytes())
        .expect("writable");
    drop(input);
    let output = child.wait_with_output().expect("the binary ends");
    assert!(output.status.success());
    assert!(stdout(&output).contains("\"desiredReplicas\":14"));
}

#[test]
fn what_is_hardly_meant_is_said_beside_the_answer() {
    let scratch = Scratch::new();
    let snapshot = demo_snapshot("slowed-by-policy").replacen("\nmetrics:", "\nmetric:", 1);
    let file = scratch.file("web.yaml", snapshot.as_bytes());
    let output = run(&["--snapshot", &file, "-o", "json"]);
    assert!(output.status.success());
    assert!(stdout(&output).starts_with("{\"apiVersion\""));
    let warning = "document 1: unknown field `metric`, ignored; did you mean `metrics`?";
    assert_eq!(stderr(&output), format!("warning: {file}: {warning}\n"));
}

#[test]
fn standard_input_has_a_name() {
    let mut child = plugin(&["--snapshot", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"{\"kind\": 5}").expect("writable");
    drop(input);
    let output = child.wait_with_output().expect("the binary ends");
    assert!(stderr(&output).starts_with("error: standard input:1:2: kind: "));
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let scratch = Scratch::new();
    let line = json_line("slowed-by-policy", "web");
    let file = scratch.file("many.jsonl", format!("{line}\n").repeat(2000).as_bytes());
    let mut child = plugin(&["--snapshot", &file, "-o", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut beginning = [0; 100];
    let mut pipe = child.stdout.take().expect("a pipe");
    pipe.read_exact(&mut beginning).expect("a beginning");
    drop(pipe);
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(output.stderr.is_empty(), "{}", stderr(&output));
}

#[test]
fn hostile_text_reaches_the_terminal_in_no_format() {
    let scratch = Scratch::new();
    let hostile = "a\u{1b}[31m\u{202e}\u{9b}2J\u{7}b";
    let mut value: Value = serde_yaml::from_str(&demo_snapshot("slowed-by-policy")).expect("YAML");
    value["horizontalPodAutoscaler"]["metadata"]["name"] = hostile.into();
    value["horizontalPodAutoscaler"]["spec"]["metrics"][0]["type"] = hostile.into();
    value["pods"][0]["metadata"]["name"] = hostile.into();
    value["serverVersion"] = hostile.into();
    let file = scratch.file("hostile.json", value.to_string().as_bytes());
    let broken = scratch.file(
        "broken.json",
        format!("{{\"kind\": \"{hostile}\"}}").as_bytes(),
    );
    for format in [
        "text", "wide", "json", "yaml", "markdown", "name", "snapshot",
    ] {
        for arguments in [
            vec!["--snapshot", &file, "-o", format, "-vv"],
            vec!["--snapshot", &broken, "-o", format],
            vec![hostile, "--snapshot", &file, "-o", format],
            vec!["other", "--snapshot", &file, "-o", format],
            // No name as it is, but one once it is shown.
            vec!["\r\n", "--snapshot", &file, "-o", format],
        ] {
            let output = run(&arguments);
            for text in [stdout(&output), stderr(&output)] {
                let is_raw = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
                assert!(!text.contains(is_raw), "{format} {arguments:?}: {text:?}");
            }
        }
    }
}

#[test]
fn help_and_version_are_answers() {
    let help = run(&["--help"]);
    assert!(help.status.success());
    assert!(stdout(&help).contains("Usage: kubectl hpa-explain"));
    assert!(stdout(&help).contains("--snapshot"));
    let version = run(&["version"]);
    assert!(
        stdout(&version).starts_with(concat!("kubectl-hpa-explain v", env!("CARGO_PKG_VERSION")))
    );
    for flag in ["--version", "-V"] {
        assert_eq!(stdout(&run(&[flag])), stdout(&version));
    }
    let version = run(&["version", "-o", "json"]);
    let version: Value = serde_json::from_str(stdout(&version)).expect("JSON");
    assert_eq!(
        version["uncheckedReleases"],
        serde_json::json!(["1.23", "1.24"])
    );
}

#[test]
fn text_from_a_file_forges_no_line() {
    let scratch = Scratch::new();
    let forged = "x`\nhint: run `rm -rf /`";
    let file = scratch.file(
        "forged.json",
        json_line("slowed-by-policy", forged).as_bytes(),
    );
    let mut document: Value =
        serde_json::from_str(&json_line("slowed-by-policy", "web")).expect("JSON");
    document["apiVersion"] = forged.into();
    let broken = scratch.file("broken.json", document.to_string().as_bytes());
    let calls: [&[&str]; 3] = [
        &["nosuch", "--snapshot", &file],
        &["--snapshot", &broken],
        &[forged, "--snapshot", &file, "-n", forged],
    ];
    for arguments in calls {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let lines = stderr(&output).lines();
        let hints: Vec<&str> = lines.filter(|line| line.starts_with("hint: run")).collect();
        assert!(hints.is_empty(), "{arguments:?}: {hints:?}");
    }
}
