//! Fields that the API does not have.

use serde_json::Value;

use super::{hpa, run};
use crate::support::binary::stdout;

/// Versions, specs, the unknown field, and what was meant.
#[rustfmt::skip] // one row a line
#[test]
fn an_unknown_field_is_told_with_the_nearest_known_one() {
    let behavior = |rules: &str| format!("  maxReplicas: 9\n  behavior: {{{rules}}}\n");
    let resource = |fields: &str| {
        format!("  maxReplicas: 9\n  metrics: [{{type: Resource, resource: {{name: cpu, {fields}}}}}]\n")
    };
    let external = |fields: &str| {
        format!("  maxReplicas: 9\n  metrics: [{{type: External, external: {{{fields}}}}}]\n")
    };
    let top = |field: &str| format!("  maxReplicas: 9\n  {field}\n");
    let (v1, v2beta1, v2beta2, v2) = ("v1", "v2beta1", "v2beta2", "v2");
    let near = |field: &str| format!("; did you mean {field}?");
    let newer = |own: &str| format!(": autoscaling/v2 has it, autoscaling/{own} does not");
    let utilization = "spec.metrics[0].resource.target.averageUtilization";
    let rows = [
        // A similar name, and a part of one.
        (v2, top("maxReplcas: 5"), "spec.maxReplcas", near("maxReplicas")),
        (v2, top("replicas: 5"), "spec.replicas", near("minReplicas or maxReplicas")),
        (v2, behavior("scaleUp: {stabilizationWindow: 60}"), "spec.behavior.scaleUp.stabilizationWindow", near("stabilizationWindowSeconds")),
        (v2, behavior("scaleUp: {policies: [{type: Pods, value: 5, period: 60}]}"), "spec.behavior.scaleUp.policies[0].period", near("periodSeconds")),
        // The same name in another place.
        (v2, top("scaleDown: {}"), "spec.scaleDown", near("spec.behavior.scaleDown")),
        (v2, behavior("scaleDown: {}, policies: []"), "spec.behavior.policies", near("spec.behavior.scaleDown.policies")),
        (v2, top("policies: []"), "spec.policies", near("spec.behavior.scaleUp.policies or spec.behavior.scaleDown.policies")),
        (v2, resource("averageUtilization: 5"), "spec.metrics[0].resource.averageUtilization", near(utilization)),
        // The name that another version has.
        (v2, top("targetCPUUtilizationPercentage: 70"), "spec.targetCPUUtilizationPercentage", near("spec.metrics[0].resource.target.averageUtilization")),
        (v2, resource("targetAverageUtilization: 70"), "spec.metrics[0].resource.targetAverageUtilization", near(utilization)),
        (v2, external("metricName: q"), "spec.metrics[0].external.metricName", near("spec.metrics[0].external.metric.name")),
        (v2, external("targetValue: 5"), "spec.metrics[0].external.targetValue", near("spec.metrics[0].external.target.value")),
        // What only a newer version has.
        (v1, top("metrics: []"), "spec.metrics", newer(v1)),
        (v2beta1, top("behavior: {}"), "spec.behavior", newer(v2beta1)),
        (v2beta2, behavior("scaleUp: {tolerance: 0.2}"), "spec.behavior.scaleUp.tolerance", newer(v2beta2)),
        // Nothing is near, or too much.
        (v2, top("paused: true"), "spec.paused", String::new()),
        (v2, top("target: {}"), "spec.target", near("scaleTargetRef")),
        (v2, resource("metric: {}"), "spec.metrics[0].resource.metric", String::new()),
    ];
    for (version, spec, field, says) in rows {
        let text = hpa(&spec).replace("autoscaling/v2", &format!("autoscaling/{version}"));
        let output = run(&["-f", "-", "-o", "json"], text.as_bytes());
        let review: Value = serde_json::from_str(stdout(&output)).expect("a review");
        let findings = review["findings"].as_array().expect("findings");
        let finding = findings.iter().find(|it| it["field"] == field);
        let finding = finding.unwrap_or_else(|| panic!("{field}: {review}"));
        assert_eq!(finding["message"], format!("unknown field {field}{says}"));
    }
}

/// What is unknown, and whether the default target takes its place.
#[test]
fn a_target_that_would_be_dropped_is_told_of_the_default() {
    let cpu = "  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, \
        averageUtilization: 60}}}]\n";
    let rows = [
        (
            "autoscaling/v2",
            "  targetCPUUtilizationPercentage: 70\n".to_owned(),
            true,
        ),
        (
            "autoscaling/v2",
            "  targetMemoryUtilizationPercentage: 70\n".to_owned(),
            true,
        ),
        ("autoscaling/v2", "  metric: []\n".to_owned(), true),
        ("autoscaling/v1", cpu.to_owned(), true),
        ("autoscaling/v2", "  maxReplica: 5\n".to_owned(), false),
        (
            "autoscaling/v2",
            format!("{cpu}  targetCPUUtilizationPercentage: 70\n"),
            false,
        ),
    ];
    for (version, spec, expected) in rows {
        let text = hpa(&format!("  maxReplicas: 9\n{spec}")).replace("autoscaling/v2", version);
        let output = run(&["-f", "-"], text.as_bytes());
        let said = stdout(&output)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(said.contains("unknown field"), "{version} {spec}: {said}");
        let is_told = said.contains("sets the default metric: cpu at 80%");
        assert_eq!(is_told, expected, "{version} {spec}: {said}");
    }
}
