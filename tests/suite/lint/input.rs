//! Files, folders and streams, and what is wrong with them.

use serde_json::{Value, json};

use super::{code, hpa, run};
use crate::support::binary::{stderr, stdout};

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
    type Files<'a> = &'a [(&'a str, &'a str)];
    let hpa = hpa("  maxReplicas: 9\n");
    let rows: [(Files, &str, &str, i32); 4] = [
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

#[test]
fn what_is_no_manifest_is_told_with_its_place() {
    let rows: [(&[u8], &str); 13] = [
        (b"", "standard input: holds no document"),
        (b"\n# only this\n", "standard input: holds no document"),
        (b"\xff\xfe", "standard input: this is UTF-16, not UTF-8 text"),
        (b"a: b: c\n", "standard input:1:5"),
        (b"kind: X\n---\nfoo: 1\n", "standard input:3:1: kind is missing"),
        (b"- 1\n", "must be an object, not a list"),
        (b"{\"kind\": \"HorizontalPodAutoscaler\"}\n", "apiVersion is missing"),
        (
            b"apiVersion: apps/v1\nkind: HorizontalPodAutoscaler\n",
            "apiVersion apps/v1 has no HPA; use autoscaling/v2",
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
            "a tab in the indentation",
        ),
        (
            b"{{- if .Values.on }}\nkind: HorizontalPodAutoscaler\n{{- end }}\n",
            "error standard input:1:3: this is a Helm template, not YAML render it first \
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
    assert!(stderr(&output).contains("nowhere.yaml: no such file"));
    assert_eq!((code(&output), code(&run(&[], b""))), (1, 2));
}
