//! `lint` with the real binary: what the API server would make of manifests,
//! and what is hardly meant in them.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite lint::` writes the files anew.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::support::binary::{stderr, stdout};
use crate::support::build::Case;
use crate::support::golden;
use hpa_explain::controller::Release;
use hpa_explain::diagnose::{InFile, Lint, lint};
use hpa_explain::manifest::{Content, Manifest, ReplicasOf, Rules, read};
use hpa_explain::trace::Code;
use serde_json::{Value, json};

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
    let rows: [(&str, &[&str]); 6] = [
        ("shop.txt", &["-f", "shop.yaml"]),
        ("shop-v.txt", &["-f", "shop.yaml", "-v"]),
        ("shop.github", &["-f", "shop.yaml", "-o", "github"]),
        ("shop.jsonl", &["-f", "shop.yaml", "-o", "json"]),
        ("v1.txt", &["-f", "v1.yaml", "-v"]),
        ("v1.out.yaml", &["-f", "v1.yaml", "-o", "yaml"]),
    ];
    for (file, arguments) in rows {
        let output = run(arguments, b"");
        golden::check(&folder().join(file), stdout(&output));
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

#[test]
fn what_is_no_manifest_is_told_with_its_place() {
    let rows: [(&[u8], &str); 13] = [
        (b"", "standard input: holds no document"),
        (b"\n# only this\n", "standard input: holds no document"),
        (b"\xff\xfe", "no UTF-8 text at byte 0"),
        (b"a: b: c\n", "standard input:1:5"),
        (b"kind: X\n---\nfoo: 1\n", "standard input:3:1: kind is missing"),
        (b"- 1\n", "must be an object, not a list"),
        (b"{\"kind\": \"HorizontalPodAutoscaler\"}\n", "apiVersion is missing"),
        (
            b"apiVersion: apps/v1\nkind: HorizontalPodAutoscaler\n",
            "apiVersion apps/v1 has no HPA",
        ),
        (
            b"kind: HorizontalPodAutoscaler\napiVersion: autoscaling/v2\nspec:\n  maxReplicas: .nan\n",
            "standard input:4:16: spec.maxReplicas must be a whole number",
        ),
        (
            b"kind: HorizontalPodAutoscaler\napiVersion: autoscaling/v2\nspec: {maxReplicas: 1.5}\n",
            "standard input:3:21: spec.maxReplicas must be a whole number",
        ),
        (
            b"kind: HorizontalPodAutoscaler\napiVersion: autoscaling/v2\nspec:\n\tmaxReplicas: 1\n",
            "indent with: use blanks",
        ),
        (
            b"{{- if .Values.on }}\nkind: HorizontalPodAutoscaler\n{{- end }}\n",
            "error standard input:1:1: {{ begins no YAML this is a template: give what it renders to \
             helm template . | kubectl hpa-explain lint -f -",
        ),
        (
            b"kind: HorizontalPodAutoscaler\nspec:\n  maxReplicas: {{ .Values.max }}\n",
            "helm template . | kubectl hpa-explain lint -f -",
        ),
    ];
    for (text, expected) in rows {
        let output = run(&["-f", "-"], text);
        let said = format!("{}{}", stdout(&output), stderr(&output));
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(expected), "{}: {said}", text.escape_ascii());
        assert_eq!(code(&output), 1, "{}", text.escape_ascii());
    }
    let output = run(&["-f", "nowhere.yaml"], b"");
    assert!(stderr(&output).contains("nowhere.yaml: No such file"));
    assert_eq!((code(&output), code(&run(&[], b""))), (1, 2));
}

/// Lists, folders and streams hold what single files hold.
#[test]
fn every_place_of_a_manifest_is_found() {
    let hpa = json!({
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"},
            "maxReplicas": 5,
        },
    });
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [hpa, {"kind": "ConfigMap"}]});
    let stream = format!("# Source: x\n---\n{hpa}\n---\n\n---\n{list}\n");
    let rows = [
        (hpa.to_string(), 1),
        (list.to_string(), 1),
        (stream, 2),
        (format!("{hpa}\n{hpa}\n"), 2),
        (serde_yaml::to_string(&list).expect("YAML"), 1),
    ];
    for (text, expected) in rows {
        let output = run(&["-f", "-", "-o", "json"], text.as_bytes());
        let reviews = stdout(&output).lines().map(|line| {
            let review: Value = serde_json::from_str(line).expect("a line a document");
            review["accepted"].as_bool().expect("a review")
        });
        assert_eq!(reviews.collect::<Vec<_>>(), vec![true; expected], "{text}");
    }
    let folder = tempfile::tempdir().expect("a scratch folder");
    for name in ["b.yaml", "a.json", "c.txt"] {
        std::fs::write(folder.path().join(name), hpa.to_string()).expect("writable");
    }
    let path = folder.path().to_str().expect("text");
    let output = run(&["-f", path, "-o", "json"], b"");
    let lines = stdout(&output).lines();
    let files = lines.map(|line| {
        let review: Value = serde_json::from_str(line).expect("a review");
        review["file"].as_str().expect("a file").to_owned()
    });
    let expected = ["a.json", "b.yaml"].map(|name| format!("{path}/{name}"));
    assert_eq!(files.collect::<Vec<_>>(), expected);
}

/// The files of a folder, and what is said of them: an empty one is what a
/// template comes to that is switched off.
#[test]
fn an_empty_file_does_not_hide_the_others() {
    let hpa = hpa("  maxReplicas: 9\n");
    let rows: [(&[(&str, &str)], &str, &str, i32); 4] = [
        (
            &[
                ("a.yaml", &hpa),
                ("b.yaml", "---\n# Source: b\n"),
                ("c.yaml", &hpa),
            ],
            "a.yaml c.yaml",
            "note: b.yaml: holds no document\n",
            0,
        ),
        (
            &[("a.yaml", ""), ("b.yaml", "kind: Service\n")],
            "",
            "note: a.yaml: holds no document\nno HorizontalPodAutoscaler in 1 document\n",
            0,
        ),
        (
            &[("a.yaml", "# Source: a\n")],
            "",
            "error: a.yaml: holds no document\nhint: give a manifest, such as what `kubectl get hpa \
             NAME -o yaml` prints\n",
            1,
        ),
        (
            &[("a.yaml", "# Source: a\n"), ("b.yaml", "")],
            "",
            "error: none of 2 files holds a document\nhint: give a manifest, such as what `kubectl \
             get hpa NAME -o yaml` prints\n",
            1,
        ),
    ];
    for (files, linted, complaint, expected) in rows {
        let folder = tempfile::tempdir().expect("a scratch folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("writable");
        }
        let path = folder.path().to_str().expect("text");
        let output = run(&["-f", path, "-o", "json"], b"");
        let own = |text: &str| text.replace(&format!("{path}/"), "");
        let reviews = stdout(&output).lines().map(|line| {
            let review: Value = serde_json::from_str(line).expect("a review");
            own(review["file"].as_str().expect("a file"))
        });
        assert_eq!(reviews.collect::<Vec<_>>().join(" "), linted, "{files:?}");
        assert_eq!(own(stderr(&output)), complaint, "{files:?}");
        assert_eq!(code(&output), expected, "{files:?}");
    }
}

fn documents(text: &str, rules: Rules) -> (Vec<Manifest>, Vec<ReplicasOf>) {
    let (mut manifests, mut sizes) = (Vec::new(), Vec::new());
    for document in read(text, rules) {
        match document.content.expect(text) {
            Content::Autoscaler(manifest) => manifests.push(*manifest),
            Content::Replicas(size) => sizes.push(size),
            Content::Other => {}
        }
    }
    (manifests, sizes)
}

/// The codes and fields that are found in the first manifest of a text.
fn found(text: &str, release: u32, gates: &[(&str, bool)]) -> BTreeSet<(Code, String)> {
    let gates = gates.iter();
    let gates: BTreeMap<String, bool> = gates
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect();
    let rules = Rules::new(Release::minor(release), &gates);
    let (manifests, sizes) = documents(text, rules);
    let file = "hpa.yaml";
    let autoscalers = manifests.iter().map(|item| InFile { file, item });
    let sizes = sizes.iter().map(|item| InFile { file, item });
    let findings = lint(&Lint {
        file,
        manifest: &manifests[0],
        autoscalers: &autoscalers.collect::<Vec<_>>(),
        sizes: &sizes.collect::<Vec<_>>(),
        rules,
    });
    let findings = findings.into_iter();
    findings.map(|it| (it.finding.code, it.field)).collect()
}

fn hpa(spec: &str) -> String {
    format!(
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: a}}\nspec:\n  \
         scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: a}}\n{spec}"
    )
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
        (Code::PercentTrap, "spec.behavior.scaleDown.policies[0].value", down(&policies("Max", "{type: Percent, value: 50, periodSeconds: 60}")), down(&policies("Max", "{type: Percent, value: 51, periodSeconds: 60}"))),
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

/// The length from which on a window is not called without use, run by the
/// controller's rules, a whole period after the pass before.
#[test]
fn a_window_holds_from_where_lint_says_so() {
    let mut compared = 0;
    for (window, size) in [(15, 5), (16, 9)] {
        let rules = json!({"stabilizationWindowSeconds": window,
            "policies": [{"type": "Pods", "value": 9, "periodSeconds": 15}]});
        let case = Case::new().replicas(9).wants(5).remembers(&[(15, 9)]);
        let case = case.behavior(json!({"scaleDown": rules}));
        assert_eq!(case.run().size(), size, "{window}s");
        let spec = format!("  maxReplicas: 9\n  behavior: {{scaleDown: {rules}}}\n");
        let all = found(&hpa(&spec), 36, &[]);
        let is_idle = all.iter().any(|(code, _)| *code == Code::ShortPeriod);
        assert_eq!(is_idle, size == 5, "{window}s");
        compared += 1;
    }
    assert_eq!(compared, 2);
}

/// A target's type as it is called, or that there is none.
#[test]
fn a_target_without_a_type_is_called_so() {
    let resource = "{type: Resource, resource: {name: cpu, target: {TARGET}}}";
    let object = "{type: Object, object: {describedObject: {kind: Service, name: s}, metric: \
        {name: q}, target: {TARGET}}}";
    let rows = [
        (
            resource.replace("TARGET", "averageUtilization: 50"),
            "the target of cpu has no type, and it is its Utilization that counts",
        ),
        (
            resource.replace("TARGET", "type: Value, averageUtilization: 50"),
            "the target of cpu says type Value, and it is its Utilization that counts",
        ),
        (
            object.replace("TARGET", "value: 5"),
            "the target of q has no type: this metric fails in every pass",
        ),
        (
            object.replace("TARGET", "type: Value"),
            "the target of q is of type Value and sets no value: this metric fails in every pass",
        ),
    ];
    for (metric, says) in &rows {
        let text = hpa(&format!("  maxReplicas: 9\n  metrics: [{metric}]\n"));
        let output = run(&["-f", "-"], text.as_bytes());
        let said = stdout(&output).split_whitespace().collect::<Vec<_>>();
        let said = said.join(" ");
        assert!(said.contains(says), "{metric}: {said}");
    }
    assert_eq!(rows.len(), 4);
}

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
    let newer = |own: &str| format!(": autoscaling/v2 has it, autoscaling/{own} has not");
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
        (v2, top("targetCPUUtilizationPercentage: 70"), "spec.targetCPUUtilizationPercentage", near("spec.metrics[].resource.target.averageUtilization")),
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
        let is_told = said.contains("the default takes its place: cpu at 80%");
        assert_eq!(is_told, expected, "{version} {spec}: {said}");
    }
}

/// Specs, and all that is found in them: what another finding makes moot is
/// left out.
#[test]
fn findings_do_not_contradict_each_other() {
    let slow = "{type: Percent, value: 10, periodSeconds: 5}";
    let behavior =
        |rules: &str| format!("  maxReplicas: 9\n  minReplicas: 2\n  behavior: {{{rules}}}\n");
    let fixed = |spec: &str| format!("  maxReplicas: 3\n  minReplicas: 3\n{spec}");
    let rows = [
        (
            behavior(&format!(
                "scaleUp: {{selectPolicy: Disabled, stabilizationWindowSeconds: 5, policies: [{slow}]}}"
            )),
            "behavior-disabled spec.behavior.scaleUp.selectPolicy",
        ),
        (
            behavior(
                "scaleUp: {stabilizationWindowSeconds: 90}, \
                 scaleDown: {selectPolicy: Disabled, stabilizationWindowSeconds: 60}",
            ),
            "behavior-disabled spec.behavior.scaleDown.selectPolicy",
        ),
        (
            behavior("scaleUp: {selectPolicy: Disabled, tolerance: 0.2}"),
            "behavior-disabled spec.behavior.scaleUp.selectPolicy, \
             tolerance-unused spec.behavior.scaleUp.tolerance",
        ),
        (
            fixed("  behavior: {scaleDown: {stabilizationWindowSeconds: 0}}\n"),
            "fixed-size spec.maxReplicas",
        ),
        (fixed("  behavior: {}\n"), "fixed-size spec.maxReplicas"),
        // What is no matter of the size is told in any case.
        (
            fixed("  behavior: {scaleUp: {period: 5, selectPolicy: Disabled}}\n"),
            "fixed-size spec.maxReplicas, unknown-field spec.behavior.scaleUp.period",
        ),
        (
            behavior(&format!(
                "scaleUp: {{policies: [{slow}, {{type: Percent, value: 20, periodSeconds: 5}}]}}"
            )),
            "policy-unused spec.behavior.scaleUp.policies[0], \
             short-period spec.behavior.scaleUp.policies[1].periodSeconds",
        ),
        (
            behavior(
                "scaleDown: {policies: [{type: Percent, value: 100, periodSeconds: 15}, \
                 {type: Percent, value: 200, periodSeconds: 15}]}",
            ),
            "policy-unused spec.behavior.scaleDown.policies[1]",
        ),
    ];
    for (spec, expected) in rows {
        let found = found(&hpa(&spec), 36, &[]).into_iter();
        let mut told: Vec<String> = found.map(|(code, at)| format!("{code} {at}")).collect();
        told.sort();
        assert_eq!(told.join(", "), expected, "{spec}");
    }
    let twice = "{type: Pods, value: 5, periodSeconds: 60}";
    let text = hpa(&behavior(&format!(
        "scaleDown: {{policies: [{twice}, {twice}]}}"
    )));
    let output = run(&["-f", "-"], text.as_bytes());
    let said = stdout(&output);
    assert!(
        said.contains("scaleDown Pods 5 per 60s is there twice"),
        "{said}"
    );
    assert!(!said.contains("selectPolicy"), "{said}");
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
        (format!("{base}{}", deployment("b", "replicas: 3")), None),
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
            .filter(|it| it["code"] == "annotation-ignored");
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
            said.contains("write apiVersion: autoscaling/v2, "),
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
    assert_eq!(manifests[0].strays, []);
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
