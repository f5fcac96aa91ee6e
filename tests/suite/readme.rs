//! The README and the documentation keep their word: what they show is what
//! the binary prints, and every command in them works.

use std::path::Path;
use std::process::{Command, Output};

use hpa_explain::document::snapshot::RecordWriter;
use serde_json::Value;

const README: &str = include_str!("../../README.md");
const READING: &str = include_str!("../../docs/reading.md");
const SNAPSHOT: &str = include_str!("../../docs/snapshot.md");

const RECORD: &str = include_str!("../../docs/record.md");

/// The fenced blocks of a language.
pub fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let fence = format!("```{language}\n");
    let blocks = text.split(&fence).skip(1);
    blocks
        .map(|rest| rest.split("\n```").next().expect("a closed block"))
        .collect()
}

/// Whether a line calls the binary, with or without kubectl.
fn is_ours(line: &str) -> bool {
    arguments(line).is_some()
}

fn arguments(line: &str) -> Option<&str> {
    ["kubectl hpa-explain", "kubectl-hpa_explain"]
        .into_iter()
        .find_map(|name| line.strip_prefix(name))
}

/// Runs `kubectl hpa-explain ARGUMENTS` as the binary itself; the output goes
/// to a file where the line says so.
pub fn run(command: &str, directory: &Path) -> Output {
    let arguments = arguments(command).expect("our own command");
    let arguments = arguments.split(" #").next().expect("a command");
    let (arguments, file) = match arguments.split_once(" > ") {
        Some((arguments, file)) => (arguments, Some(file.trim())),
        None => (arguments, None),
    };
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .env_clear()
        .env("TZ", "UTC")
        .output()
        .expect("the binary runs");
    if let Some(file) = file {
        std::fs::write(directory.join(file), &output.stdout).expect("writable");
    }
    output
}

pub fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

#[test]
fn what_it_shows_is_what_is_printed() {
    let mut shown = 0;
    let pages = [README, READING];
    for block in pages.iter().flat_map(|page| blocks(page, "console")) {
        let (command, expected) = block.split_once('\n').expect("a command and its output");
        let command = command.strip_prefix("$ ").expect("a prompt");
        let output = run(command, Path::new("."));
        assert_eq!(stdout(&output).trim_end(), expected, "{command}");
        shown += 1;
    }
    assert_eq!(shown, 2);
}

#[test]
fn it_is_short() {
    let lines = README.lines().count();
    assert!(lines <= 150, "{lines} lines");
}

#[test]
fn every_command_works_in_its_order() {
    let directory = tempfile::tempdir().expect("a scratch directory");
    let mut ran = 0;
    let commands = blocks(README, "sh").into_iter().flat_map(str::lines);
    for command in commands.filter(|line| is_ours(line)) {
        let output = run(command, directory.path());
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {complaint}");
        assert!(complaint.is_empty(), "{command}: {complaint}");
        assert!(!output.stdout.is_empty(), "{command}");
        ran += 1;
    }
    assert_eq!(ran, 9);
}

#[test]
fn the_documented_snapshot_is_explained() {
    let directory = tempfile::tempdir().expect("a scratch directory");
    let [example] = blocks(SNAPSHOT, "yaml")[..] else {
        panic!("not one example");
    };
    std::fs::write(directory.path().join("web.yaml"), example).expect("writable");
    let output = run("kubectl hpa-explain --snapshot web.yaml", directory.path());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = stdout(&output);
    assert!(
        text.starts_with("shop/web  Deployment/web  2 → 4"),
        "{text}"
    );
    assert!(text.contains("2 selected, 2 counted"), "{text}");
}

#[test]
fn the_documented_record_begins_as_a_record_does() {
    let [example] = blocks(RECORD, "text")[..] else {
        panic!("not one example");
    };
    let lines: Vec<&str> = example.lines().collect();
    let begun = "2026-11-20T08:23:11Z".parse().expect("a time");
    let writer = RecordWriter::default();
    let value = |line: &str| -> Value { serde_json::from_str(line).expect("JSON") };
    assert_eq!(value(lines[0]), value(&writer.header("shop", "web", begun)));
    let gap = value(lines[3]);
    let at = gap["t"].as_str().expect("a time");
    let error = gap["error"].as_str().expect("a reason");
    assert_eq!(gap, value(&writer.gap(at.parse().expect("a time"), error)));
    assert_eq!(lines.len(), 4);
}

/// The script of the documentation, with a kubectl that has the objects of the
/// documented snapshot.
#[cfg(unix)]
#[test]
fn the_documented_script_makes_a_snapshot() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().expect("a scratch directory");
    let file = |name: &str| directory.path().join(name);
    let [example] = blocks(SNAPSHOT, "yaml")[..] else {
        panic!("not one example");
    };
    let example: serde_json::Value = serde_yaml::from_str(example).expect("YAML");
    let answers = [
        ("hpa", example["horizontalPodAutoscaler"].clone()),
        ("deploy", example["scale"]["response"].clone()),
        (
            "pods",
            serde_json::json!({"apiVersion": "v1", "kind": "List", "items": example["pods"]}),
        ),
        ("raw", example["metrics"]["resource"]["response"].clone()),
    ];
    for (name, answer) in answers {
        let text = serde_json::to_string_pretty(&answer).expect("JSON");
        std::fs::write(file(name), text).expect("writable");
    }
    let kubectl = "#!/bin/sh\n\
        case \"$1 $2\" in\n\
        version*) echo 'Client Version: v1.35.0'; echo 'Server Version: v1.36.2';;\n\
        'get --raw') cat raw;;\n\
        'get hpa.v2.autoscaling') cat hpa;;\n\
        *) cat \"$2\";;\n\
        esac\n";
    std::fs::write(file("kubectl"), kubectl).expect("writable");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(file("kubectl"), executable).expect("executable");

    let [script] = blocks(SNAPSHOT, "sh")[..] else {
        panic!("not one script");
    };
    let path = std::env::var("PATH").unwrap_or_default();
    let made = Command::new("sh")
        .args(["-euc", script])
        .current_dir(directory.path())
        .env("PATH", format!("{}:{path}", directory.path().display()))
        .status()
        .expect("a shell");
    assert!(made.success());
    let output = run("kubectl hpa-explain --snapshot web.yaml", directory.path());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = stdout(&output);
    assert!(text.starts_with("shop/web  Deployment/web  "), "{text}");
    assert!(text.contains("not captured"), "{text}");
    // Nothing is claimed of the controller for what was merely left out.
    let left_out = script.replace("echo \"  external: ", "echo \"  # ");
    let made = Command::new("sh")
        .args(["-euc", &left_out])
        .current_dir(directory.path())
        .env("PATH", format!("{}:{path}", directory.path().display()))
        .status()
        .expect("a shell");
    assert!(made.success());
    let output = run("kubectl hpa-explain --snapshot web.yaml", directory.path());
    assert_ne!(stdout(&output), text);
    for (text, fails) in [(text, false), (stdout(&output), true)] {
        assert_eq!(text.contains("does not have queue_length"), fails, "{text}");
    }
}
