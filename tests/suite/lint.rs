//! `lint` with the real binary: what the API server would make of manifests,
//! and what is hardly meant in them.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite lint::` writes the files anew.

mod around;
mod input;
mod reports;
mod silent;
mod together;
mod unknown;
mod versions;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::binary::{stderr, stdout};
use crate::support::golden::Goldens;
use hpa_explain::controller::Release;
use hpa_explain::document::manifest::{Content, FieldFaultKind, Manifest, Neighbor, Rules, read};
use hpa_explain::findings::{InFile, Lint, WholeInput, lint};
use hpa_explain::trace::Code;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lint")
}

/// Runs `lint` in the folder of the manifests, with a text as its input.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .arg("lint")
        .args(arguments)
        .current_dir(folder())
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // It may have seen enough before all is written.
    _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("an end")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

#[test]
fn the_formats() {
    let rows: [(&str, &[&str]); 7] = [
        ("shop.txt", &["-f", "shop.yaml"]),
        ("shop-v.txt", &["-f", "shop.yaml", "-v"]),
        ("shop.github", &["-f", "shop.yaml", "-o", "github"]),
        ("shop.junit.xml", &["-f", "shop.yaml", "-o", "junit"]),
        ("shop.jsonl", &["-f", "shop.yaml", "-o", "json"]),
        ("v1.txt", &["-f", "v1.yaml", "-v"]),
        ("v1.out.yaml", &["-f", "v1.yaml", "-o", "yaml"]),
    ];
    let mut goldens = Goldens::default();
    for (file, arguments) in rows {
        let output = run(arguments, b"");
        goldens.check(&folder().join(file), stdout(&output));
        assert_eq!(stderr(&output), "", "{arguments:?}");
    }
}

#[test]
fn exit_codes() {
    let good = "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, \
        spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, maxReplicas: 5}}";
    let warned = good.replace("maxReplicas: 5", "maxReplicas: 1");
    let noted = good.replace("maxReplicas: 5", "maxReplicas: 5, behavior: {}");
    let refused = good.replace("maxReplicas: 5", "maxReplicas: 0");
    let other = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
    let rows: [(&str, &[&str], i32); 8] = [
        (good, &["--exit-code"], 0),
        (&warned, &[], 0),
        (&warned, &["--exit-code"], 3),
        (&noted, &["--exit-code"], 0),
        (&refused, &[], 1),
        (&refused, &["--exit-code"], 1),
        ("a: [", &[], 1),
        (other, &["--exit-code"], 0),
    ];
    for (text, arguments, expected) in rows {
        // Flow style on one line is YAML; this makes sure of it.
        let text = format!("---\n{text}\n");
        let arguments = [&["-f", "-"], arguments].concat();
        let output = run(&arguments, text.as_bytes());
        assert_eq!(code(&output), expected, "{text}: {}", stdout(&output));
    }
}

/// A folder in which nothing is a manifest is as wrong as an empty one.
#[test]
fn a_folder_of_snapshots_is_told_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("demos/held-by-window.yaml");
    let snapshot = folder.path().join("web.yaml");
    std::fs::copy(demo, &snapshot).expect("writable");
    let path = folder.path().to_str().expect("a plain path");
    let output = run(&["-f", path], b"");
    assert_eq!(code(&output), 1);
    let says = "web.yaml is a snapshot, not a manifest\nhint: `kubectl hpa-explain --snapshot";
    assert!(stderr(&output).contains(says), "{}", stderr(&output));
    // Beside a manifest it is passed over.
    let hpa = hpa("  maxReplicas: 5\n");
    std::fs::write(folder.path().join("hpa.yaml"), hpa).expect("writable");
    assert_eq!(code(&run(&["-f", path], b"")), 0);
}

fn documents(text: &str, rules: Rules) -> (Vec<Manifest>, Vec<Neighbor>) {
    let (mut manifests, mut neighbors) = (Vec::new(), Vec::new());
    for document in read(text, rules) {
        match document.content.expect(text) {
            Content::Autoscaler(manifest) => manifests.push(*manifest),
            Content::Neighbor(neighbor) => neighbors.push(*neighbor),
            Content::Nothing => {}
        }
    }
    (manifests, neighbors)
}

/// The codes and fields that are found in the first manifest of a text.
fn found(text: &str, release: u32, gates: &[(&str, bool)]) -> BTreeSet<(Code, String)> {
    let gates = gates.iter();
    let gates: BTreeMap<String, bool> = gates
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect();
    let rules = Rules::new(Release::minor(release), &gates);
    let (manifests, neighbors) = documents(text, rules);
    let file = "hpa.yaml";
    let autoscalers = manifests.iter().map(|item| InFile { file, item });
    let neighbors = neighbors.iter().map(|item| InFile { file, item });
    let (autoscalers, neighbors): (Vec<_>, Vec<_>) = (autoscalers.collect(), neighbors.collect());
    let findings = lint(&Lint {
        file,
        manifest: &manifests[0],
        input: &WholeInput::new(&autoscalers, &neighbors),
        rules,
    });
    let findings = findings.into_iter();
    findings
        .map(|it| (it.finding.code, it.field.to_string()))
        .collect()
}

fn hpa(spec: &str) -> String {
    format!(
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: a}}\nspec:\n  \
         scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: a}}\n{spec}"
    )
}

/// What stands in the metadata, and how what the server has against it begins.
#[test]
fn metadata_is_looked_at_as_of_any_object() {
    const KEY: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and";
    let label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters";
    let value = "a valid label must be an empty string or consist of alphanumeric characters";
    let long = "n".repeat(64);
    let rows: [(&str, &[&str]); 16] = [
        ("generateName: web-", &[]),
        // The server looks at what is left of `webX-` as at `weba`.
        ("generateName: webX-", &[]),
        (
            "generateName: Web_",
            &["generateName: Invalid value: \"Web_\": a lowercase RFC 1123 subdomain"],
        ),
        ("namespace: shop", &[]),
        (
            "namespace: Shop",
            &[&format!("namespace: Invalid value: \"Shop\": {label}")],
        ),
        (
            "namespace: a.b",
            &["namespace: Invalid value: \"a.b\": must not contain dots"],
        ),
        (
            &format!("namespace: {long}"),
            &[&format!(
                "namespace: Invalid value: \"{long}\": must be no more than 63 characters"
            )],
        ),
        ("labels: {app.kubernetes.io/name: web, empty: ''}", &[]),
        (
            "labels: {a b: ok}",
            &[&format!("labels: Invalid value: \"a b\": {KEY}")],
        ),
        (
            "labels: {a: b c}",
            &[&format!("labels: Invalid value: \"b c\": {value}")],
        ),
        ("annotations: {example.com/Any: any value}", &[]),
        ("annotations: {Example.com/Any: any value}", &[]),
        (
            "annotations: {a b: any}",
            &[&format!("annotations: Invalid value: \"a b\": {KEY}")],
        ),
        ("finalizers: [foregroundDeletion, example.com/x]", &[]),
        (
            "finalizers: [kubernetes, cleanup]",
            &[
                "finalizers[1]: Invalid value: \"cleanup\": name is neither a standard finalizer \
               name nor is it fully qualified",
            ],
        ),
        (
            "finalizers: [a/b c]",
            &[&format!("finalizers: Invalid value: \"a/b c\": {KEY}")],
        ),
    ];
    let rules = Rules::new(Release::minor(36), &BTreeMap::new());
    for (metadata, expected) in rows {
        let text =
            hpa("  maxReplicas: 5\n").replace("{name: a}\n", &format!("{{name: a, {metadata}}}\n"));
        let (manifests, _) = documents(&text, rules);
        let errors = manifests[0].errors(rules);
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors.len(), expected.len(), "{metadata}: {errors:?}");
        for (error, expected) in errors.iter().zip(expected) {
            let expected = format!("metadata.{expected}");
            assert!(error.starts_with(&expected), "{error}\nis not\n{expected}");
        }
    }
    for wrong in [
        "creationTimestamp: 5",
        "finalizers: cleanup",
        "finalizers: [5]",
    ] {
        let text =
            hpa("  maxReplicas: 5\n").replace("{name: a}\n", &format!("{{name: a, {wrong}}}\n"));
        let (manifests, _) = documents(&text, rules);
        assert_eq!(manifests[0].faults.len(), 1, "{wrong}");
    }
    let twice = hpa("  maxReplicas: 5\n").replace("{name: a}", "{name: a, labels: {a: b, a: c}}");
    let (manifests, _) = documents(&twice, rules);
    let [fault] = manifests[0].unknown_fields.as_slice() else {
        panic!("{:?}", manifests[0].unknown_fields);
    };
    assert_eq!(fault.field.to_string(), "metadata.labels.a");
    assert_eq!(fault.kind, FieldFaultKind::Duplicate);
}

/// What fires each code, and the nearest that does not.
#[test]
fn findings() {
    let (up, down) = (
        |rules: &str| {
            format!("  maxReplicas: 9\n  minReplicas: 2\n  behavior: {{scaleUp: {{{rules}}}}}\n")
        },
        |rules: &str| {
            format!("  maxReplicas: 9\n  minReplicas: 2\n  behavior: {{scaleDown: {{{rules}}}}}\n")
        },
    );
    let resource = |target: &str| {
        format!(
            "  maxReplicas: 9\n  metrics: [{{type: Resource, resource: {{name: cpu, target: \
             {{{target}}}}}}}]\n"
        )
    };
    let object = |target: &str| {
        format!(
            "  maxReplicas: 9\n  metrics: [{{type: Object, object: {{describedObject: {{kind: \
             Service, name: s}}, metric: {{name: q}}, target: {{{target}}}}}}}]\n"
        )
    };
    let policies = |select: &str, policies: &str| {
        format!("selectPolicy: {select}, stabilizationWindowSeconds: 60, policies: [{policies}]")
    };
    let pods = "{type: Pods, value: 2, periodSeconds: 60}";
    let rows: Vec<(Code, &str, String, String)> = vec![
        (Code::UnknownField, "spec.maxReplcas", "  maxReplicas: 9\n  maxReplcas: 5\n".into(), "  maxReplicas: 9\n".into()),
        (Code::DuplicateField, "spec.maxReplicas", "  maxReplicas: 9\n  maxReplicas: 5\n".into(), "  maxReplicas: 9\n".into()),
        (Code::FixedSize, "spec.maxReplicas", "  maxReplicas: 3\n  minReplicas: 3\n".into(), "  maxReplicas: 3\n  minReplicas: 2\n".into()),
        (Code::ScaleToZeroOff, "spec.minReplicas", "  maxReplicas: 3\n  minReplicas: 0\n".into(), "  maxReplicas: 3\n  minReplicas: 1\n".into()),
        (Code::BehaviorEmpty, "spec.behavior", "  maxReplicas: 3\n  behavior: {}\n".into(), "  maxReplicas: 3\n".into()),
        (Code::BehaviorEmpty, "spec.behavior", down(""), down("stabilizationWindowSeconds: 300")),
        (Code::BehaviorDisabled, "spec.behavior.scaleUp.selectPolicy", up("selectPolicy: Disabled"), up("selectPolicy: Min")),
        (Code::ShortPeriod, "spec.behavior.scaleDown.stabilizationWindowSeconds", down("stabilizationWindowSeconds: 15"), down("stabilizationWindowSeconds: 16")),
        (Code::ShortPeriod, "spec.behavior.scaleUp.policies[0].periodSeconds", up("policies: [{type: Pods, value: 2, periodSeconds: 14}]"), up("policies: [{type: Pods, value: 2, periodSeconds: 15}]")),
        (Code::WindowOrder, "spec.behavior.scaleUp.stabilizationWindowSeconds", "  maxReplicas: 9\n  behavior: {scaleUp: {stabilizationWindowSeconds: 61}, scaleDown: {stabilizationWindowSeconds: 60}}\n".into(), "  maxReplicas: 9\n  behavior: {scaleUp: {stabilizationWindowSeconds: 60}, scaleDown: {stabilizationWindowSeconds: 60}}\n".into()),
        (Code::SuddenDrop, "spec.behavior.scaleDown.stabilizationWindowSeconds", down("stabilizationWindowSeconds: 0"), down("stabilizationWindowSeconds: 0, policies: [{type: Percent, value: 99, periodSeconds: 15}]")),
        (Code::PolicyUnused, "spec.behavior.scaleDown.policies[1]", down(&policies("Max", &format!("{{type: Percent, value: 100, periodSeconds: 15}}, {pods}"))), down(&policies("Min", &format!("{{type: Percent, value: 50, periodSeconds: 15}}, {pods}")))),
        (Code::PolicyUnused, "spec.behavior.scaleUp.policies[1]", up(&policies("Max", &format!("{pods}, {{type: Pods, value: 1, periodSeconds: 60}}"))), up(&policies("Max", &format!("{pods}, {{type: Pods, value: 1, periodSeconds: 15}}")))),
        (Code::PolicyUnused, "spec.behavior.scaleUp.policies[0]", up(&policies("Min", &format!("{pods}, {{type: Pods, value: 1, periodSeconds: 60}}"))), up(&policies("Max", &format!("{pods}, {{type: Pods, value: 3, periodSeconds: 90}}")))),
        (Code::PolicyUnused, "spec.behavior.scaleUp.policies[1]", up(&policies("Max", &format!("{pods}, {pods}"))), up(&policies("Max", pods))),
        (Code::PercentTrap, "spec.behavior.scaleUp.policies[0].value", up(&policies("Max", "{type: Percent, value: 50, periodSeconds: 60}")), up(&policies("Max", "{type: Percent, value: 51, periodSeconds: 60}"))),
        (Code::PercentTrap, "spec.behavior.scaleUp.policies[0].value", up(&policies("Max", "{type: Percent, value: 10, periodSeconds: 60}")), down(&policies("Max", "{type: Percent, value: 10, periodSeconds: 60}"))),
        (Code::ToleranceUnused, "spec.behavior.scaleDown.tolerance", down("tolerance: 1"), down("tolerance: 0.99")),
        (Code::ToleranceUnused, "spec.behavior.scaleUp.tolerance", up("tolerance: 0.2, selectPolicy: Disabled"), up("tolerance: 0.2")),
        (Code::MetricSpecInvalid, "spec.metrics[0].object.target.type", object("type: Value, averageValue: 5"), object("type: AverageValue, averageValue: 5")),
        (Code::TargetTypeIgnored, "spec.metrics[0].resource.target.type", resource("type: Value, averageUtilization: 50"), resource("type: Utilization, averageUtilization: 50")),
    ];
    for (code, field, fires, nearest) in rows {
        let is_found = |spec: &str| {
            let found = found(&hpa(spec), 36, &[]);
            found.iter().any(|(it, at)| *it == code && at == field)
        };
        assert!(is_found(&fires), "{code}: {fires}");
        assert!(!is_found(&nearest), "{code}: {nearest}");
    }
}

#[test]
fn releases_and_gates_matter() {
    type Gates<'a> = &'a [(&'a str, bool)];
    let tolerance = hpa("  maxReplicas: 9\n  behavior: {scaleUp: {tolerance: 0.2}}\n");
    let zero = hpa(
        "  maxReplicas: 9\n  minReplicas: 0\n  metrics: [{type: External, external: {metric: \
         {name: q}, target: {type: Value, value: 5}}}]\n",
    );
    let gate = "HPAConfigurableTolerance";
    let rows: [(&str, Code, u32, Gates, bool); 8] = [
        (&tolerance, Code::ToleranceUnused, 32, &[], true),
        (&tolerance, Code::ToleranceUnused, 34, &[], true),
        (
            &tolerance,
            Code::ToleranceUnused,
            34,
            &[(gate, true)],
            false,
        ),
        (&tolerance, Code::ToleranceUnused, 35, &[], false),
        (
            &tolerance,
            Code::ToleranceUnused,
            36,
            &[(gate, false)],
            true,
        ),
        (&zero, Code::ScaleToZeroOff, 36, &[], true),
        (
            &zero,
            Code::ScaleToZeroOff,
            36,
            &[("HPAScaleToZero", true)],
            false,
        ),
        (&zero, Code::ScaleToZeroOff, 37, &[], false),
    ];
    for (text, code, release, gates, expected) in rows {
        let found = found(text, release, gates);
        let is_found = found.iter().any(|(it, _)| *it == code);
        assert_eq!(is_found, expected, "{code} {release} {gates:?}");
    }
    let kept = |release| {
        let rules = Rules::new(Release::minor(release), &BTreeMap::new());
        let (manifests, _) = documents(&tolerance, rules);
        let behavior = manifests[0].defaulted(rules).behavior.expect("behavior");
        behavior.scale_up.expect("filled").tolerance
    };
    assert_eq!(kept(34), None);
    assert_eq!(kept(36).expect("a tolerance").text(), "200m");
}

/// Other objects of the same input.
#[test]
fn neighbours() {
    let deployment = |name: &str, replicas: &str| {
        format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec: \
             {{{replicas}}}\n"
        )
    };
    let base = hpa("  maxReplicas: 9\n");
    let second = base.replace("metadata: {name: a}", "metadata: {name: b}");
    let other = second.replace("name: a}", "name: c}");
    let keda = base.replace(
        "metadata: {name: a}",
        "metadata: {name: a, ownerReferences: [{kind: ScaledObject, name: q}]}",
    );
    let rows = [
        (
            format!("{base}{}", deployment("a", "replicas: 3")),
            Some(Code::AppliedReplicas),
        ),
        (format!("{base}{}", deployment("a", "paused: true")), None),
        (
            format!("{base}{}", deployment("b", "replicas: 3")),
            Some(Code::TargetNotFound),
        ),
        (
            format!("{base}---\n{second}"),
            Some(Code::AmbiguousSelector),
        ),
        (format!("{base}---\n{base}"), Some(Code::DuplicateName)),
        (
            format!(
                "{base}---\n{}",
                base.replace("Deployment, name: a", "Deployment, name: b")
            ),
            Some(Code::DuplicateName),
        ),
        (format!("{base}---\n{other}"), None),
        (keda, Some(Code::KedaOwned)),
        (
            base.replace("autoscaling/v2", "autoscaling/v2beta2"),
            Some(Code::OldVersion),
        ),
        (base, None),
    ];
    for (text, code) in rows {
        let found: Vec<Code> = found(&text, 36, &[]).into_iter().map(|it| it.0).collect();
        assert_eq!(found, Vec::from_iter(code), "{text}");
    }
}

#[test]
fn nothing_of_a_manifest_steers_the_terminal() {
    let evil = "a\\u001b[31mred\\u202e\\u0007";
    let text = format!(
        "{{\"apiVersion\":\"autoscaling/v2\",\"kind\":\"HorizontalPodAutoscaler\",\"metadata\":\
         {{\"name\":\"{evil}\",\"namespace\":\"{evil}\"}},\"spec\":{{\"{evil}\":1,\"scaleTargetRef\":\
         {{\"kind\":\"{evil}\",\"name\":\"{evil}\"}},\"maxReplicas\":1,\"metrics\":[{{\"type\":\
         \"{evil}\"}}]}}}}"
    );
    for format in ["text", "json", "yaml", "github"] {
        let output = run(&["-f", "-", "-o", format], text.as_bytes());
        let said = format!("{}{}", stdout(&output), stderr(&output));
        let is_raw = |it: char| it != '\n' && (it.is_control() || it == '\u{202e}');
        assert!(!said.contains(is_raw), "{format}: {said:?}");
        assert!(said.contains("red"), "{format}: {said}");
    }
}
