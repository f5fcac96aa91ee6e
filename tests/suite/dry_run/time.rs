//! `--for`, as it is typed.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::support::flapping;

const SET: &str = "spec.behavior.scaleDown.stabilizationWindowSeconds=180";

/// The exit code, what was answered, and what was complained of.
fn run(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(["dry-run", "--history", "api.jsonl", "--set", SET])
        .args(arguments.split(' '))
        .current_dir(folder)
        .env_clear()
        .env("TZ", "UTC")
        .output()
        .expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let mut record = File::create(folder.path().join("api.jsonl")).expect("writable");
    io::copy(&mut flapping::lines(), &mut record).expect("writable");
    folder
}

#[test]
fn what_is_no_time_is_refused() {
    let folder = folder();
    let rows = [
        ("--at -5m --for 24h1s", 2, "must be at most 24h"),
        ("--at -5m --for 0s", 2, "must be at least 1s"),
        ("--at -5m --for -15m", 2, "must be at least 1s"),
        ("--at -5m --for NaN", 2, "such as 90s, 15m or 1h"),
        ("--at -5m --for 15", 2, "such as 90s, 15m or 1h"),
        (
            "--at -5m --for 15m --metric cpu=180%",
            1,
            "--for uses the load that was recorded",
        ),
        ("--at -5m --for 15m --missing 1", 1, "hint: leave them out"),
    ];
    for (arguments, exit, says) in rows {
        let (code, answered, complained) = run(folder.path(), arguments);
        assert_eq!(code, Some(exit), "{arguments}: {complained}");
        assert_eq!(answered, "", "{arguments}");
        assert!(complained.contains(says), "{arguments}: {complained}");
    }
    assert_eq!(rows.len(), 7);
}

#[test]
fn where_a_record_ends_is_said() {
    let folder = folder();
    let rows = [
        ("--at -0s --for 5m", Some("The record ends at 08:48:06:")),
        ("--at -5m --for 10m", Some("The record ends at 08:48:06:")),
        ("--at -5m --for 5m", None),
        (
            "--at 2026-11-20T08:43:00Z --for 3m",
            Some("in 3 of 13 passes a metric fails, so the size stays"),
        ),
    ];
    for (arguments, says) in rows {
        let (code, answered, complained) = run(folder.path(), arguments);
        assert_eq!((code, complained.as_str()), (Some(0), ""), "{arguments}");
        let lines: Vec<&str> = answered.lines().map(str::trim).collect();
        let text = lines.join(" ");
        match says {
            Some(says) => assert!(text.contains(says), "{arguments}: {text}"),
            None => assert!(!text.contains("The record ends"), "{arguments}: {text}"),
        }
    }
    assert_eq!(rows.len(), 4);
}
