//! Versions of the API, and the releases that serve them.

use std::collections::BTreeMap;

use hpa_explain::controller::Release;
use hpa_explain::document::manifest::Rules;
use hpa_explain::trace::Code;
use serde_json::{Value, json};

use super::{code, documents, folder, found, hpa, run};
use crate::support::binary::{stderr, stdout};

/// Versions, releases, and whether a release serves the version.
#[test]
fn a_version_that_is_gone_is_refused() {
    let rows = [
        ("autoscaling/v2", "1.23", true),
        ("autoscaling/v2", "1.38", true),
        ("autoscaling/v1", "1.38", true),
        ("autoscaling/v2beta2", "1.25", true),
        ("autoscaling/v2beta2", "1.26", false),
        ("autoscaling/v2beta2", "1.36", false),
        ("autoscaling/v2beta1", "1.24", true),
        ("autoscaling/v2beta1", "1.25", false),
    ];
    for (version, release, is_served) in rows {
        let text = hpa("  maxReplicas: 9\n").replace("autoscaling/v2", version);
        let arguments = ["-f", "-", "--kubernetes-version", release, "-o"];
        let answer = |format| run(&[&arguments[..], &[format]].concat(), text.as_bytes());
        let what = format!("{version} {release}");
        let json = answer("json");
        let review: Value = serde_json::from_str(stdout(&json)).expect("a review");
        assert_eq!(review["accepted"], is_served, "{what}");
        assert_eq!(review["defaulted"].is_object(), is_served, "{what}");
        assert_eq!(
            review["unserved"],
            json!((!is_served).then_some(true)),
            "{what}"
        );
        assert_eq!(code(&json), i32::from(!is_served), "{what}");
        let said = answer("text");
        let said = stdout(&said)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let by = format!("accepted by Kubernetes {release}");
        assert_eq!(said.contains(&by), is_served, "{what}: {said}");
        let refused = format!(
            "apiVersion: no matches for kind \"HorizontalPodAutoscaler\" in version \"{version}\""
        );
        assert_eq!(said.contains(&refused), !is_served, "{what}: {said}");
        assert_eq!(
            said.contains("use apiVersion: autoscaling/v2, "),
            !is_served,
            "{what}"
        );
    }
}

/// Releases, whose rules stand in, and what is said of it.
#[test]
fn a_release_that_no_answer_covers_is_told() {
    let compared = "only the rules of 1.36 were compared with a real API server\n";
    let rows = [
        (
            "1.22",
            "1.23",
            "warning: rules of 1.23, the oldest known, for 1.22; ",
        ),
        ("1.23", "1.23", "note: rules of 1.23; "),
        ("v1.35.2-eks-1", "1.35", "note: rules of 1.35; "),
        ("1.36", "1.36", ""),
        ("1.38", "1.38", "note: rules of 1.38; "),
        (
            "1.99",
            "1.38",
            "warning: rules of 1.38, the newest known, for 1.99; ",
        ),
    ];
    let text = hpa("  maxReplicas: 9\n");
    for (asked, rules, says) in rows {
        let arguments = ["-f", "-", "--kubernetes-version", asked];
        let output = run(&arguments, text.as_bytes());
        assert_eq!(
            stdout(&output),
            format!("a: accepted by Kubernetes {rules}\n")
        );
        let says = if says.is_empty() {
            String::new()
        } else {
            format!("{says}{compared}")
        };
        assert_eq!(stderr(&output), says, "{asked}");
    }
}

/// Fields that a version does not have yet, and those that only it has.
#[test]
fn each_version_has_its_own_fields() {
    let tolerance = "  maxReplicas: 9\n  behavior: {scaleDown: {tolerance: 0.2}}\n";
    let percent = "  maxReplicas: 9\n  targetCPUUtilizationPercentage: 70\n";
    let rows = [
        ("autoscaling/v2", tolerance, None),
        (
            "autoscaling/v2beta2",
            tolerance,
            Some("spec.behavior.scaleDown.tolerance"),
        ),
        ("autoscaling/v2beta1", tolerance, Some("spec.behavior")),
        ("autoscaling/v1", tolerance, Some("spec.behavior")),
        ("autoscaling/v1", percent, None),
        (
            "autoscaling/v2beta1",
            percent,
            Some("spec.targetCPUUtilizationPercentage"),
        ),
    ];
    for (version, spec, unknown) in rows {
        let text = hpa(spec).replace("autoscaling/v2", version);
        let found = found(&text, 36, &[]).into_iter();
        let found = found.filter(|(code, _)| *code == Code::UnknownField);
        let fields: Vec<String> = found.map(|(_, field)| field).collect();
        assert_eq!(fields, Vec::from_iter(unknown), "{version} {spec}");
    }
}

/// `autoscaling/v2beta1` has the metrics of an annotation of `v1` as fields.
#[test]
fn the_metrics_of_v2beta1_are_converted() {
    let text = hpa(
        "  maxReplicas: 9\n  metrics:\n  - {type: Resource, resource: {name: cpu, \
         targetAverageUtilization: 70}}\n  - {type: External, external: {metricName: q, \
         metricSelector: {matchLabels: {a: b}}, targetValue: 5}}\n",
    );
    let text = text.replace("autoscaling/v2", "autoscaling/v2beta1");
    let rules = Rules::new(Release::minor(24), &BTreeMap::new());
    let (manifests, _) = documents(&text, rules);
    assert_eq!(manifests[0].unknown_fields, []);
    let spec = serde_json::to_value(manifests[0].defaulted(rules)).expect("JSON");
    let expected = json!([
        {"type": "Resource", "resource": {"name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": 70}}},
        {"type": "External", "external": {
            "metric": {"name": "q", "selector": {"matchLabels": {"a": "b"}}},
            "target": {"type": "Value", "value": "5"}}},
    ]);
    assert_eq!(spec["metrics"], expected);
}

/// `autoscaling/v1` as its conversion is written down.
#[test]
fn the_oldest_version_is_converted() {
    let text = std::fs::read_to_string(folder().join("v1.yaml")).expect("a manifest");
    let rules = Rules::new(Release::minor(36), &BTreeMap::new());
    let (manifests, _) = documents(&text, rules);
    let spec = serde_json::to_value(manifests[0].defaulted(rules)).expect("JSON");
    let metrics = spec["metrics"].as_array().expect("metrics");
    let kinds: Vec<&str> = metrics
        .iter()
        .filter_map(|it| it["type"].as_str())
        .collect();
    // The cpu metric comes last.
    assert_eq!(kinds, ["Pods", "Object", "Resource"]);
    assert_eq!(
        metrics[1]["object"]["target"],
        json!({"type": "AverageValue", "averageValue": "5"})
    );
    let down = &spec["behavior"]["scaleDown"];
    assert_eq!(
        down["policies"][0],
        json!({"type": "Pods", "value": 1, "periodSeconds": 60})
    );
    let bare = "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: a, \
        annotations: {autoscaling.alpha.kubernetes.io/metrics: '[nonsense'}}\nspec: {maxReplicas: 2}\n";
    let (manifests, _) = documents(bare, rules);
    let spec = serde_json::to_value(manifests[0].defaulted(rules)).expect("JSON");
    assert_eq!(
        spec["metrics"][0]["resource"]["target"]["averageUtilization"],
        80
    );
}

/// Annotations of `autoscaling/v1`, those that are ignored, and whether the
/// default metric is told of.
#[test]
fn an_annotation_that_does_not_parse_is_told() {
    let prefix = "autoscaling.alpha.kubernetes.io/";
    let rows = [
        ("metrics: '[nonsense'", "", "metrics", true),
        (
            "metrics: '[nonsense'",
            "  targetCPUUtilizationPercentage: 60\n",
            "metrics",
            false,
        ),
        ("metrics: '{\"type\": \"Pods\"}'", "", "metrics", true),
        ("metrics: '[]'", "", "", false),
        ("behavior: '{\"ScaleUp\": 5}'", "", "behavior", false),
        ("behavior: '{}'", "", "", false),
        ("conditions: '[nonsense'", "", "", false),
    ];
    for (annotation, spec, ignored, is_default) in rows {
        let text = hpa(&format!("  maxReplicas: 9\n{spec}"))
            .replace("autoscaling/v2", "autoscaling/v1")
            .replace(
                "{name: a}\n",
                &format!("\n  name: a\n  annotations:\n    {prefix}{annotation}\n"),
            );
        let output = run(&["-f", "-", "-o", "json"], text.as_bytes());
        let review: Value = serde_json::from_str(stdout(&output)).expect("a review");
        assert_eq!(review["accepted"], true, "{annotation}");
        let findings = review["findings"].as_array().expect("findings");
        let mut told = findings
            .iter()
            .filter(|it| it["code"] == Code::AnnotationIgnored.as_str());
        let finding = told.next();
        let field = finding.map(|it| it["field"].as_str().expect("a field"));
        let expected = format!("metadata.annotations.{prefix}{ignored}");
        assert_eq!(
            field,
            (!ignored.is_empty()).then_some(&*expected),
            "{annotation}"
        );
        assert_eq!(told.next(), None, "{annotation}");
        let Some(finding) = finding else { continue };
        assert_eq!(finding["line"], 6, "{annotation}");
        let remedies = finding["remedies"].to_string();
        assert_eq!(remedies.contains("cpu at 80%"), is_default, "{annotation}");
    }
}
