//! The load of a record: what was measured of an HPA that flapped, under the
//! behavior that it had and the one that calmed it.

use std::io::Read;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::flapping;

fn ours(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .output()
        .expect("the binary runs");
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {complained}");
    String::from_utf8(output.stdout).expect("text")
}

/// The demand went up and down between 420m and 1500m every 75 s. Before the
/// edit the scaleDown window was 30 s, after it 180 s with Pods 2/60s.
#[test]
fn the_edit_that_calmed_the_run_calms_it_in_the_simulation() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let write = |name: &str, content: &[u8]| {
        std::fs::write(folder.path().join(name), content).expect("writable");
    };
    let mut record = Vec::new();
    flapping::lines()
        .read_to_end(&mut record)
        .expect("a record");
    write("run.jsonl", &record);
    let before = [
        "--history",
        "run.jsonl",
        "--at",
        "2026-11-20T08:35:40Z",
        "-o",
        "snapshot",
    ];
    write("before.yaml", ours(folder.path(), &before).as_bytes());
    let down = "spec.behavior.scaleDown";
    let window = format!("{down}.stabilizationWindowSeconds=180");
    let kind = format!("{down}.policies[0].type=Pods");
    let value = format!("{down}.policies[0].value=2");
    let period = format!("{down}.policies[0].periodSeconds=60");
    let mut arguments = vec!["simulate", "api", "--snapshot", "before.yaml", "-o", "json"];
    arguments.extend([
        "--load",
        "history:run.jsonl",
        "--start-up",
        "2s",
        "--readiness",
        "0s",
    ]);
    for set in [&window, &kind, &value, &period] {
        arguments.extend(["--set", set]);
    }
    let answer: Value = serde_json::from_str(&ours(folder.path(), &arguments)).expect("JSON");
    let runs = answer["runs"].as_array().expect("runs");
    let score = |run: usize, name: &str| runs[run]["scores"][name].as_i64().expect("a score");
    // 25 minutes are twenty turns of the load, and most of them are followed.
    assert_eq!(answer["seconds"], 1_475);
    assert!(score(0, "reversals") >= 10, "{}", runs[0]["scores"]);
    assert!(score(1, "reversals") <= 2, "{}", runs[1]["scores"]);
    assert!(score(1, "underProvisionedSeconds") < score(0, "underProvisionedSeconds"));
    // The demand is the one that the script made: between 420m and 1500m,
    // but for what a pod uses at its start and its end.
    let steps = runs[0]["steps"].as_array().expect("steps");
    let demands = steps.iter().filter_map(|step| step["demand"].as_i64());
    let (low, high) = demands.fold((0, 0), |(low, high), demand| match demand {
        400..=480 => (low + 1, high),
        1_400..=1_520 => (low, high + 1),
        _ => (low, high),
    });
    assert!(low > 25 && high > 25, "{low} low, {high} high");
    assert_eq!(steps.len(), 99);
}
