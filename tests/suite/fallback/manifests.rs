//! The field in what people write: a field behind the gate, and without the
//! gate an unknown one of which nothing else counts.

use hpa_explain::controller::Release;
use hpa_explain::document::manifest::{Content, Manifest, Rules, read};
use serde_json::{Value, json};

use super::GATE;
use crate::dry_run::folder::Folder;

const FIELD: &str = "spec.metrics[0].external.fallback";

fn rules(gate: bool) -> Rules {
    Rules::new(Release::ASSUMED, &[(GATE.to_owned(), gate)].into())
}

fn text(fallback: &str) -> String {
    format!(
        "apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{name: web}}
spec:
  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}
  maxReplicas: 20
  metrics:
  - type: External
    external:
      metric: {{name: queue}}
      target: {{type: AverageValue, averageValue: '1'}}
      fallback: {fallback}
"
    )
}

fn manifest(text: &str, gate: bool) -> Manifest {
    let mut documents = read(text, rules(gate));
    match documents.remove(0).content {
        Ok(Content::Autoscaler(manifest)) => *manifest,
        other => panic!("{text}: {other:?}"),
    }
}

/// What there is against a manifest: what does not decode, what is unknown,
/// what is refused.
fn against(manifest: &Manifest, gate: bool) -> Vec<String> {
    let faults = manifest.faults.iter();
    let faults = faults.map(|it| format!("{} {}", it.field, it.reason()));
    let unknown_fields = manifest.unknown_fields.iter();
    let unknown_fields = unknown_fields.map(|it| format!("unknown {}", it.field));
    let errors = manifest.errors(rules(gate)).into_iter();
    let errors = errors.map(|it| it.to_string());
    faults.chain(unknown_fields).chain(errors).collect()
}

/// What is written, what is stored where nothing is against it, and what is
/// against it.
#[rustfmt::skip] // one row a line
fn rows() -> Vec<(&'static str, Option<Value>, Vec<&'static str>)> {
    vec![
        ("{replicas: 10}", Some(json!({"replicas": 10, "failureDurationSeconds": 180})), vec![]),
        ("{replicas: 1, failureDurationSeconds: 180}", Some(json!({"replicas": 1, "failureDurationSeconds": 180})), vec![]),
        ("{replicas: 2147483647, failureDurationSeconds: 9223372036854775807}", Some(json!({"replicas": i32::MAX, "failureDurationSeconds": i64::MAX})), vec![]),
        ("null", Some(Value::Null), vec![]),
        ("{replicas: 0}", None, vec![".replicas: Invalid value: 0: must be greater than 0"]),
        ("{replicas: -3}", None, vec![".replicas: Invalid value: -3: must be greater than 0"]),
        ("{}", None, vec![".replicas: Invalid value: 0: must be greater than 0"]),
        ("{replicas: 1, failureDurationSeconds: 179}", None, vec![".failureDurationSeconds: Invalid value: 179: must be greater than or equal to 180"]),
        ("{replicas: 0, failureDurationSeconds: -1}", None, vec![".replicas: Invalid value: 0: must be greater than 0", ".failureDurationSeconds: Invalid value: -1: must be greater than or equal to 180"]),
        ("{replicas: many}", None, vec![".replicas must be a whole number such as 10, not the string \"many\""]),
        ("{replicas: 2147483648}", None, vec![".replicas must be a whole number from -2147483648 to 2147483647, not 2147483648"]),
        ("{replicas: .nan}", None, vec![".replicas must be a whole number such as 10, not the string \".nan\""]),
        ("{replicas: 1, failureDurationSeconds: 3m}", None, vec![".failureDurationSeconds must be a whole number, not the string \"3m\""]),
        ("5", None, vec![" must be an object, not 5"]),
        ("[1]", None, vec![" must be an object, not a list"]),
        ("{replicas: 1, replica: 2}", None, vec!["unknown .replica"]),
    ]
}

#[test]
fn behind_the_gate_it_is_decoded_defaulted_and_validated() {
    for (written, stored, said) in rows() {
        let manifest = manifest(&text(written), true);
        let said: Vec<String> = said
            .iter()
            .map(|text| match text.strip_prefix("unknown ") {
                Some(inner) => format!("unknown {FIELD}{inner}"),
                None => format!("{FIELD}{text}"),
            })
            .collect();
        assert_eq!(against(&manifest, true), said, "{written}");
        if let Some(stored) = stored {
            let spec = json!(manifest.defaulted(rules(true)));
            assert_eq!(
                spec["metrics"][0]["external"]["fallback"], stored,
                "{written}"
            );
        }
    }
    assert_eq!(rows().len(), 16);
}

#[test]
fn without_the_gate_it_is_unknown_and_nothing_inside_it_counts() {
    let bare = text("null").replace("      fallback: null\n", "");
    let bare = manifest(&bare, false).defaulted(rules(false));
    for (written, _, _) in rows() {
        let manifest = manifest(&text(written), false);
        let said = against(&manifest, false);
        assert_eq!(said, [format!("unknown {FIELD}")], "{written}");
        assert_eq!(manifest.defaulted(rules(false)), bare, "{written}");
    }
}

/// The design is one of `autoscaling/v2` alone.
#[test]
fn older_versions_do_not_have_it() {
    let beta = text("{replicas: 10}").replace("autoscaling/v2", "autoscaling/v2beta2");
    let said = against(&manifest(&beta, true), true);
    assert_eq!(said, [format!("unknown {FIELD}")]);
    let annotation = json!([{"type": "External", "external": {
        "metricName": "queue", "targetValue": "1", "fallback": {"replicas": "many"},
    }}]);
    let old = json!({
        "apiVersion": "autoscaling/v1",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "annotations": {
            "autoscaling.alpha.kubernetes.io/metrics": annotation.to_string(),
        }},
        "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "maxReplicas": 5},
    });
    let old = manifest(&old.to_string(), true);
    assert_eq!(against(&old, true), [""; 0]);
    assert_eq!(old.defaulted(rules(true)).fallbacks().count(), 0);
}

/// In every format, gate on or off, whatever is wrong with it.
#[test]
fn lint_always_calls_it_a_design() {
    let folder = Folder::empty();
    let mut linted = 0;
    for (written, _, _) in rows() {
        folder.write("queue.yaml", text(written));
        for gate in ["true", "false"] {
            let gate = format!("{GATE}={gate}");
            for format in ["text", "json", "yaml", "github"] {
                let arguments = [
                    "lint",
                    "-f",
                    "queue.yaml",
                    "-o",
                    format,
                    "--feature-gates",
                    &gate,
                ];
                let output = folder.binary(&arguments);
                let said = String::from_utf8(output.stdout).expect("text");
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                let is_set = written != "null" || gate.ends_with("false");
                let is_told = said.contains("a design (KEP-5679) and no shipped feature");
                assert_eq!(is_told, is_set, "{written} {gate} {format}: {said}");
                linted += 1;
            }
        }
    }
    assert_eq!(linted, 16 * 8);
}
