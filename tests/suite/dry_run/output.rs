//! What is printed, as files.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite dry_run::` writes them anew.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::flapping;
use crate::support::golden;

fn binary(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("TZ", "UTC")
        .output()
        .expect("the binary runs")
}

fn printed(demo: &str, arguments: &str) -> String {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let snapshot = binary(folder.path(), &["demo", demo, "-o", "snapshot"]);
    let write = |name: &str, content: &[u8]| {
        std::fs::write(folder.path().join(name), content).expect("writable");
    };
    write("in.yaml", &snapshot.stdout);
    write("calm.yaml", CALM.as_bytes());
    write(
        "fresh.yaml",
        CALM.replace("name: web}\nspec", "name: fresh}\nspec")
            .as_bytes(),
    );
    let arguments = format!("dry-run {arguments} --snapshot in.yaml");
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let output = binary(folder.path(), &arguments);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {complained}");
    assert_eq!(complained, "", "{arguments:?}");
    String::from_utf8(output.stdout).expect("text")
}

const CALM: &str = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 3
  maxReplicas: 20
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 45}}
  behavior:
    scaleUp:
      policies: [{type: Pods, value: 2, periodSeconds: 60}]
";

/// The file, the built-in case, what is asked.
#[rustfmt::skip] // one row a line
const OUTPUTS: [(&str, &str, &str); 8] = [
    ("policy.txt", "slowed-by-policy", "checkout --set spec.behavior.scaleUp.policies[0].value=20"),
    ("several.txt", "stuck-without-samples", "web -f calm.yaml --set spec.minReplicas=9 --metric cpu=80% --missing 1"),
    ("window.v.txt", "held-by-window", "web -v --set spec.behavior.scaleDown.stabilizationWindowSeconds=60 --set spec.maxReplicas=40"),
    ("new.txt", "stuck-without-samples", "fresh -f fresh.yaml"),
    ("coming.txt", "slowed-by-policy", "checkout --for 4m --set spec.behavior.scaleUp.policies[0].value=6"),
    ("coming-open.txt", "held-by-window", "web --for 8m --set spec.behavior.scaleDown.stabilizationWindowSeconds=60"),
    ("coming.md", "slowed-by-policy", "checkout -o markdown --for 4m --set spec.maxReplicas=11"),
    ("policy.md", "slowed-by-policy", "checkout -o markdown --set spec.behavior.scaleUp.policies[0].value=20"),
];

#[test]
fn a_comparison_as_text_and_markdown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dry_run");
    for (file, demo, arguments) in OUTPUTS {
        let text = printed(demo, arguments);
        if file.ends_with("txt") {
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(80), "{file}");
        }
        golden::check(&folder.join(file), &text);
    }
    assert_eq!(OUTPUTS.len(), 8);
}

#[test]
fn a_moment_of_a_record_is_compared_without_a_cluster() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let mut record = Vec::new();
    std::io::Read::read_to_end(&mut flapping::lines(), &mut record).expect("a record");
    std::fs::write(folder.path().join("record.jsonl"), record).expect("writable");
    let arguments = [
        "dry-run",
        "--history",
        "record.jsonl",
        "--at",
        "2026-11-20T08:39:30Z",
        "--set",
        "spec.maxReplicas=3",
        "-ojson",
    ];
    let output = binary(folder.path(), &arguments);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complained}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["at"], "2026-11-20T08:39:30Z");
    assert_eq!(
        document["candidates"][0]["trace"]["bounds"]["maxReplicas"],
        3
    );
    assert!(document["current"]["trace"].is_object());
}
