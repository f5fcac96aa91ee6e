//! Candidates that look back further than the spec that there is: what the
//! controller still remembers of that time counts.

use std::fs::{self, File};
use std::io;
use std::process::Command;

use serde_json::Value;

use crate::support::flapping;

/// From 4 on metrics ask for 13; `scaleUp` allows 4 pods in 15s as it is. By
/// the controller's log the size went from 13 to 4 at 08:28:36 and at
/// 08:26:35, and up from 4 in two steps in between.
#[test]
fn changes_count_as_far_back_as_the_candidates_periods_reach() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let path = |name: &str| folder.path().join(name);
    let mut record = File::create(path("api.jsonl")).expect("writable");
    io::copy(&mut flapping::lines(), &mut record).expect("writable");
    fs::write(path("kcm.log"), flapping::controller_log()).expect("writable");
    // When, the period, and what the size becomes: one, or of what is written
    // over at a moment that nobody can tell, the bounds.
    let rows = [
        ("2026-11-20T08:29:35Z", 15, (8, 8)),
        ("2026-11-20T08:29:35Z", 60, (13, 13)),
        ("2026-11-20T08:27:05Z", 15, (8, 8)),
        ("2026-11-20T08:27:05Z", 600, (8, 12)),
    ];
    for (at, period, (from, to)) in rows {
        let policies = format!("[{{type: Pods, value: 4, periodSeconds: {period}}}]");
        let set = format!("spec.behavior.scaleUp.policies={policies}");
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
            .args([
                "dry-run",
                "--history",
                "api.jsonl",
                "--controller-log",
                "kcm.log",
            ])
            .args(["--at", at, "--set", &set, "-o", "json"])
            .current_dir(folder.path())
            .env_clear()
            .output()
            .expect("the binary runs");
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let outcome = &document["candidates"][0]["trace"]["outcome"];
        let place = format!("{at} {period}s: {outcome}");
        assert_eq!(outcome["currentReplicas"], 4, "{place}");
        let of = |value: &Value| value.as_i64().expect("a bound");
        let range = &outcome["possible"];
        let bounds = if let Some(one) = outcome["desiredReplicas"].as_i64() {
            (one, one)
        } else {
            (of(&range["from"]), of(&range["to"]))
        };
        assert_eq!(bounds, (from, to), "{place}");
    }
}
