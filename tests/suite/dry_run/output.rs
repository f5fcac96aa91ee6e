//! What is printed, as files.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite dry_run::` writes them anew.

use std::path::Path;

use super::folder::{Folder, WEB};
use crate::support::flapping;
use crate::support::golden::Goldens;

fn printed(demo: &str, arguments: &str) -> String {
    let folder = Folder::of(demo);
    let calm = calm();
    folder.write("calm.yaml", &calm);
    let fresh = calm.replace("name: web}\nspec", "name: fresh}\nspec");
    folder.write("fresh.yaml", fresh);
    folder.write("fewer.yaml", FEWER);
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let (code, answered, complained) = folder.run(&arguments);
    assert_eq!((code, complained.as_str()), (Some(0), ""), "{arguments:?}");
    answered
}

/// One metric of two, and no behavior.
const FEWER: &str = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: checkout, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: checkout}
  minReplicas: 4
  maxReplicas: 40
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}
";

fn calm() -> String {
    let behavior = "  behavior:\n    scaleUp:\n      \
        policies: [{type: Pods, value: 2, periodSeconds: 60}]\n";
    WEB.replace("averageUtilization: 60", "averageUtilization: 45") + behavior
}

/// The file, the built-in case, what is asked.
#[rustfmt::skip] // one row a line
const OUTPUTS: [(&str, &str, &str); 19] = [
    ("policy.txt", "slowed-by-policy", "checkout --set spec.behavior.scaleUp.policies[0].value=20"),
    ("several.txt", "stuck-without-samples", "web -f calm.yaml --set spec.minReplicas=9 --metric cpu=110% --missing 1"),
    ("window.v.txt", "held-by-window", "web -v --set spec.behavior.scaleDown.stabilizationWindowSeconds=60 --set spec.maxReplicas=40"),
    ("new.txt", "stuck-without-samples", "fresh -f fresh.yaml"),
    ("fewer.txt", "slowed-by-policy", "checkout -f fewer.yaml"),
    ("out-of-bounds.txt", "slowed-by-policy", "checkout --set spec.maxReplicas=8 --replicas 50"),
    ("same-counts.txt", "stuck-without-samples", "web --set spec.behavior.scaleDown.stabilizationWindowSeconds=60 --set spec.maxReplicas=17"),
    ("same-next.txt", "slowed-by-policy", "checkout --set spec.minReplicas=null"),
    ("at-max.txt", "slowed-by-policy", "checkout --set spec.maxReplicas=20"),
    ("not-told.txt", "slowed-by-policy", "checkout --set spec.maxReplicas=20 --missing 2"),
    ("coming.txt", "slowed-by-policy", "checkout --for 4m --set spec.behavior.scaleUp.policies[0].value=6"),
    ("coming-open.txt", "held-by-window", "web --for 8m --set spec.behavior.scaleDown.stabilizationWindowSeconds=60"),
    ("changed-metrics.txt", "slowed-by-policy", "checkout --set spec.metrics[0]=null --set spec.metrics[0].pods.target.averageValue=12"),
    ("coming-beside.txt", "stuck-without-samples", "fresh -f fresh.yaml --for 5m"),
    ("coming-assumed.txt", "readiness-collapse", "orders --for 15m --set spec.maxReplicas=60"),
    ("coming-failing.txt", "partial-failure", "web --for 4m --set spec.maxReplicas=60"),
    ("samples-still-missing.txt", "stuck-without-samples", "web --set spec.metrics[0].resource.target.averageUtilization=40"),
    ("coming.md", "slowed-by-policy", "checkout -o markdown --for 4m --set spec.maxReplicas=11"),
    ("policy.md", "slowed-by-policy", "checkout -o markdown --set spec.behavior.scaleUp.policies[0].value=20"),
];

#[test]
fn a_comparison_as_text_and_markdown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dry_run");
    let mut goldens = Goldens::default();
    for (file, demo, arguments) in OUTPUTS {
        let text = printed(demo, arguments);
        if file.ends_with("txt") {
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(80), "{file}");
        }
        goldens.check(&folder.join(file), &text);
    }
}

#[test]
fn a_moment_of_a_record_is_compared_without_a_cluster() {
    let folder = Folder::empty();
    let mut record = Vec::new();
    std::io::Read::read_to_end(&mut flapping::lines(), &mut record).expect("a record");
    folder.write("record.jsonl", record);
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
    let output = folder.binary(&arguments);
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
