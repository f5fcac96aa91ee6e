//! The README keeps its word: what it shows is what the binary prints, and
//! every command in it works.

use std::path::Path;
use std::process::{Command, Output};

const README: &str = include_str!("../README.md");

/// The fenced blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let blocks = README.split(&fence).skip(1);
    blocks
        .map(|rest| rest.split("\n```").next().expect("a closed block"))
        .collect()
}

/// Runs `kubectl hpa-explain ARGUMENTS` as the binary itself.
fn run(command: &str, directory: &Path) -> Output {
    let arguments = command
        .strip_prefix("kubectl hpa-explain")
        .expect("our own command");
    let arguments = arguments.split(" #").next().expect("a command");
    Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .env_clear()
        .env("TZ", "UTC")
        .output()
        .expect("the binary runs")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

#[test]
fn what_it_shows_is_what_is_printed() {
    let mut shown = 0;
    for block in blocks("console") {
        let (command, expected) = block.split_once('\n').expect("a command and its output");
        let command = command.strip_prefix("$ ").expect("a prompt");
        let output = run(command, Path::new("."));
        assert_eq!(stdout(&output).trim_end(), expected, "{command}");
        shown += 1;
    }
    assert_eq!(shown, 1);
}

#[test]
fn every_command_works() {
    let directory = tempfile::tempdir().expect("a scratch directory");
    let file = |name: &str| directory.path().join(name);
    let web = run(
        "kubectl hpa-explain demo held-by-window -o snapshot",
        directory.path(),
    );
    std::fs::write(file("web.yaml"), &web.stdout).expect("writable");
    let document: serde_json::Value = serde_yaml::from_slice(&web.stdout).expect("YAML");
    std::fs::write(file("all.jsonl"), format!("{document}\n{document}\n")).expect("writable");

    let mut ran = 0;
    let commands = blocks("sh").into_iter().flat_map(str::lines);
    for command in commands.filter(|line| line.starts_with("kubectl hpa-explain")) {
        let output = run(command, directory.path());
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {complaint}");
        assert!(!output.stdout.is_empty(), "{command}");
        ran += 1;
    }
    assert_eq!(ran, 9);
}
