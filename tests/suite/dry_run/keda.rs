//! A patch of an HPA that KEDA makes.

use std::path::Path;

use serde_json::{Value, json};

use super::folder::Folder;
use crate::support::build::Case;
use crate::support::golden;

const SET: [&str; 3] = [
    "--set=spec.maxReplicas=40",
    "--set=spec.metrics[0].resource.target.averageUtilization=50",
    "--set=spec.behavior.scaleDown.stabilizationWindowSeconds=60",
];

fn folder(owners: Value) -> Folder {
    let folder = Folder::empty();
    let case = Case::new().bounds(2, 20).replicas(5).cpu(60).wants(5);
    let case = case.set("/horizontalPodAutoscaler/metadata/ownerReferences", owners);
    folder.write("in.yaml", case.document().to_string());
    folder
}

fn kedas() -> Folder {
    folder(
        json!([{"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "name": "orders",
        "controller": true}]),
    )
}

#[test]
fn who_overwrites_it_is_said_with_the_place_that_lasts() {
    let (code, answered, complained) = kedas().run(&[&["web"], &SET[..]].concat());
    assert_eq!((code, complained.as_str()), (Some(0), ""));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dry_run/keda.txt");
    golden::check(&file, &answered);
}

/// Only the fields that change are named; of an HPA that nobody makes, none.
#[test]
fn every_format_has_it() {
    let rows = [
        (SET[0], "spec.maxReplicaCount"),
        (SET[1], "spec.triggers"),
        (
            SET[2],
            "spec.advanced.horizontalPodAutoscalerConfig.behavior",
        ),
        ("--set=spec.minReplicas=3", "spec.minReplicaCount"),
    ];
    let (own, free) = (kedas(), folder(json!([])));
    for (set, there) in rows {
        let (_, answered, _) = own.run(&["web", set, "-ojson"]);
        let document: Value = serde_json::from_str(&answered).expect("JSON");
        let overwritten = &document["candidates"][0]["patch"]["overwritten"];
        assert_eq!(overwritten["by"], "ScaledObject/orders", "{set}");
        let fields = overwritten["fields"].as_array().expect("fields");
        assert_eq!(fields.len(), 1, "{set}: {fields:?}");
        assert_eq!(fields[0]["there"], there, "{set}");
        let field = fields[0]["field"].as_str().expect("a field");
        assert!(field.starts_with("spec.") && set.contains(field), "{field}");
        let (_, answered, _) = own.run(&["web", set, "-omarkdown"]);
        assert!(answered.contains(there), "{set}: {answered}");
        let (_, answered, _) = free.run(&["web", set, "-ojson"]);
        assert!(!answered.contains("overwritten"), "{set}: {answered}");
    }
    assert_eq!(rows.len(), 4);
}
