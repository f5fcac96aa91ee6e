//! The whole explanation of every built-in case, as text and as a document:
//! what a reviewer reads to see what a change does.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite golden::` writes the files anew.

use crate::support::golden::Goldens;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn run(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .env_clear()
        .env("TZ", "UTC")
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn demos() -> Vec<String> {
    let list = run(&["demo", "--list"]);
    let names = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn the_text_of_every_case() {
    let demos = demos();
    let mut goldens = Goldens::default();
    for demo in &demos {
        goldens.check(
            &directory().join(format!("{demo}.txt")),
            &run(&["demo", demo]),
        );
    }
    assert_eq!(demos.len(), 14);
}

#[test]
fn every_step_of_three_cases() {
    let cases = ["slowed-by-policy", "stuck-without-samples", "window-band"];
    let mut goldens = Goldens::default();
    for demo in cases {
        goldens.check(
            &directory().join(format!("{demo}.vv.txt")),
            &run(&["demo", demo, "-vv"]),
        );
    }
    assert_eq!(cases.len(), 3);
}

#[test]
fn the_document_of_every_case() {
    let demos = demos();
    let mut goldens = Goldens::default();
    for demo in &demos {
        let document: Value =
            serde_json::from_str(&run(&["demo", demo, "-o", "json"])).expect("JSON");
        let pretty = serde_json::to_string_pretty(&document).expect("JSON");
        goldens.check(&directory().join(format!("{demo}.json")), &(pretty + "\n"));
    }
    assert_eq!(demos.len(), 14);
}

#[test]
fn no_file_is_left_over() {
    let files = std::fs::read_dir(directory()).expect("a folder");
    let demos = demos();
    for file in files {
        let name = file
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a plain name");
        let demo = name.split('.').next().expect("a name");
        assert!(
            demos.iter().any(|known| known == demo),
            "{name} belongs to no case"
        );
    }
}
