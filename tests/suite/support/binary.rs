//! The real binary, in an environment of its own, and the HPAs that the
//! recordings have.

#![allow(dead_code, reason = "each test program uses a part of this")]

use std::path::Path;
use std::process::{Command, Output};

/// The names of the recorded HPAs.
pub const NAMES: [&str; 10] = [
    "api",
    "canary",
    "checkout",
    "db",
    "ghost",
    "keda-hpa-worker",
    "paused",
    "twin-a",
    "twin-b",
    "web",
];

/// The situations that were recorded, each with those HPAs.
pub const SITUATIONS: [&str; 8] = [
    "steady",
    "surge",
    "cooling",
    "settled",
    "metrics-down",
    "external-down",
    "no-metrics-api",
    "forbidden",
];

/// Runs the binary with a kubeconfig, and with nothing else around it.
pub fn run(kubeconfig: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .env_clear()
        .env("KUBECONFIG", kubeconfig)
        .env("TZ", "UTC")
        .output()
        .expect("the binary runs")
}

pub fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

pub fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}
