//! Files and arguments that cannot be right, and what a person is told then:
//! what the thing is, where the fault is, and what would be right. The real
//! binary, one golden file an input.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite bad_inputs::` writes the files anew.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::golden::Goldens;

/// No answer takes longer, however slow the machine.
const SOON: Duration = Duration::from_secs(20);

/// An input: the files that there are, and what is asked.
#[derive(Clone)]
struct Bad {
    name: &'static str,
    files: Vec<(&'static str, Vec<u8>)>,
    arguments: Vec<&'static str>,
}

fn bad(name: &'static str, content: impl Into<Vec<u8>>, arguments: &[&'static str]) -> Bad {
    Bad {
        name,
        files: vec![("FILE", content.into())],
        arguments: arguments.to_vec(),
    }
}

/// An HPA, with a line in place of another one.
fn manifest(from: &str, to: &str) -> String {
    let manifest = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  \
        name: web\nspec:\n  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    \
        name: web\n  minReplicas: 2\n  maxReplicas: 10\n  metrics:\n  - type: Resource\n    \
        resource:\n      name: cpu\n      target:\n        type: Utilization\n        \
        averageUtilization: 60\n";
    assert!(manifest.contains(from), "{from}");
    manifest.replacen(from, to, 1)
}

/// A snapshot, with a text in place of another one.
fn snapshot(from: &str, to: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flaps/calm/snapshot.yaml");
    let snapshot = fs::read_to_string(path).expect("a snapshot");
    assert!(snapshot.contains(from), "{from}");
    snapshot.replacen(from, to, 1)
}

fn kubeconfig(user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts:\n- name: a\n  context: \
         {{cluster: a, user: a}}\nclusters:\n- name: a\n  cluster: {{server: \
         \"https://127.0.0.1:1\"}}\nusers:\n- name: a\n  user: {{{user}}}\n"
    )
}

/// Some lines that stand for a million.
fn aliases() -> String {
    let levels = "bcdefg".chars().zip("abcdef".chars());
    let level = |(one, other)| {
        format!(
            "{one}: &{one} [{}]\n",
            vec![format!("*{other}"); 10].join(",")
        )
    };
    format!(
        "a: &a [{}]\n{}",
        ["x"; 10].join(","),
        levels.map(level).collect::<String>()
    )
}

const GZIP: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00";
const UTF_16: &[u8] = b"\xff\xfea\x00:\x00";
const LOG: &str = "I1120 08:00:00.000000       1 horizontal.go:512] Successful rescale of web\n";
const RECORD: &str = "{\"apiVersion\":\"hpa-explain/v1\",\"kind\":\"Record\",\"namespace\":\
    \"shop\",\"horizontalPodAutoscaler\":\"web\"}\n{\"t\":\"2026-11-20T08:00:00Z\"}\n";

const SNAPSHOT: &[&str] = &["--snapshot", "FILE"];
const LINT: &[&str] = &["lint", "-f", "FILE"];
const HISTORY: &[&str] = &["flaps", "--at", "-0s", "--history", "FILE"];
const SCENARIO: &[&str] = &["simulate", "--scenario", "FILE"];
const KUBECONFIG: &[&str] = &["web", "--kubeconfig", "FILE"];

fn snapshots() -> Vec<Bad> {
    let nothing = || Vec::new();
    vec![
        bad("snapshot-empty", nothing(), SNAPSHOT),
        bad("snapshot-gzip", GZIP, SNAPSHOT),
        bad("snapshot-utf-16", UTF_16, SNAPSHOT),
        bad(
            "snapshot-utf-32",
            b"\xff\xfe\0\0a\0\0\0".as_slice(),
            SNAPSHOT,
        ),
        bad(
            "snapshot-template",
            "{{- if .Values.on }}\na: 1\n",
            SNAPSHOT,
        ),
        bad("snapshot-flow", "{kind: Snapshot, a: [1}\n", SNAPSHOT),
        bad(
            "snapshot-twice",
            snapshot("    name: web\n", "    name: web\n    name: web\n"),
            SNAPSHOT,
        ),
        bad("snapshot-latin-1", b"name: caf\xe9\n".as_slice(), SNAPSHOT),
        bad(
            "snapshot-png",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(),
            SNAPSHOT,
        ),
        bad("snapshot-nul", b"name: a\x00b\n".as_slice(), SNAPSHOT),
        bad(
            "snapshot-is-a-secret",
            "{\"apiVersion\": \"v1\", \"kind\": \"Secret\"}",
            SNAPSHOT,
        ),
        bad("snapshot-is-an-hpa", manifest("web", "web"), SNAPSHOT),
        bad("snapshot-is-a-record", RECORD, SNAPSHOT),
        bad("snapshot-is-a-log", LOG, SNAPSHOT),
        bad("snapshot-is-a-list", "[]", SNAPSHOT),
        bad("snapshot-of-nothing", "{}\n".repeat(300), SNAPSHOT),
        bad("snapshot-nested", "[".repeat(100_000), SNAPSHOT),
        bad(
            "snapshot-cut-off",
            &snapshot("#", "#").as_bytes()[..300],
            SNAPSHOT,
        ),
        bad(
            "snapshot-quantity",
            snapshot("value: \"49\"", "value: \"49x\""),
            SNAPSHOT,
        ),
        bad(
            "snapshot-time",
            snapshot("capturedAt: \"", "capturedAt: \"x"),
            SNAPSHOT,
        ),
        bad(
            "snapshot-field",
            snapshot("maxReplicas:", "maxReplica:"),
            SNAPSHOT,
        ),
        bad(
            "snapshot-number",
            snapshot("maxReplicas: 20", "maxReplicas: 1.5"),
            SNAPSHOT,
        ),
        bad(
            "snapshot-name",
            snapshot("#", "#"),
            &["wep", "--snapshot", "FILE"],
        ),
        bad("snapshot-missing", nothing(), &["--snapshot", "OTHER"]),
        bad("snapshot-folder", nothing(), &["--snapshot", "."]),
        bad("list-of-an-object", "{}", &["list", "--snapshot", "FILE"]),
    ]
}

fn manifests() -> Vec<Bad> {
    let hpa = |from, to: &str| manifest(from, to);
    let unknown: Vec<String> = (0..1_001).map(|at| format!("  x{at}: 1\n")).collect();
    let unknown = unknown.concat();
    vec![
        bad("lint-empty", "", LINT),
        bad(
            "lint-helm",
            "{{- if .Values.x }}\nkind: X\n{{- end }}\n",
            LINT,
        ),
        bad(
            "lint-kind-misspelled",
            hpa("PodAutoscaler", "PodAutoScaler"),
            LINT,
        ),
        bad(
            "lint-no-kind",
            hpa("kind: HorizontalPodAutoscaler\n", ""),
            LINT,
        ),
        bad(
            "lint-version",
            hpa("autoscaling/v2", "autoscaling/v3"),
            LINT,
        ),
        bad("lint-field", hpa("maxReplicas", "maxReplica"), LINT),
        bad(
            "lint-number",
            hpa("maxReplicas: 10", "maxReplicas: ten"),
            LINT,
        ),
        bad(
            "lint-fraction",
            hpa("maxReplicas: 10", "maxReplicas: 1.5"),
            LINT,
        ),
        bad(
            "lint-negative",
            hpa("minReplicas: 2", "minReplicas: -2"),
            LINT,
        ),
        bad(
            "lint-min-above-max",
            hpa("minReplicas: 2", "minReplicas: 20"),
            LINT,
        ),
        bad(
            "lint-metric-type",
            hpa("type: Resource", "type: Resources"),
            LINT,
        ),
        bad(
            "lint-target-type",
            hpa("type: Utilization", "type: Percent"),
            LINT,
        ),
        bad(
            "lint-twice",
            hpa(
                "  maxReplicas: 10\n",
                "  maxReplicas: 10\n  maxReplicas: 11\n",
            ),
            LINT,
        ),
        bad(
            "lint-metadata-list",
            hpa("metadata:\n  name: web", "metadata: [web]"),
            LINT,
        ),
        bad(
            "lint-items",
            hpa(
                "  metrics:\n",
                &format!("  metrics: [&a {{}}{}]\n  more:\n", ", *a".repeat(10_000)),
            ),
            LINT,
        ),
        bad(
            "lint-unknown-fields",
            hpa("  metrics:\n", &format!("{unknown}  metrics:\n")),
            LINT,
        ),
        bad(
            "lint-annotations",
            hpa(
                "  name: web\n",
                &format!(
                    "  name: web\n  annotations: {{a: {}}}\n",
                    "x".repeat(256 << 10)
                ),
            ),
            LINT,
        ),
        bad("lint-tab", hpa("  minReplicas", "\tminReplicas"), LINT),
        bad("lint-quote", hpa("name: web", "name: \"web"), LINT),
        bad("lint-gzip", GZIP, LINT),
    ]
}

fn dry_runs() -> Vec<Bad> {
    let hpa = |from, to| manifest(from, to);
    vec![
        bad(
            "dry-run-no-hpa",
            "kind: Secret\napiVersion: v1\n",
            &["dry-run", "-f", "FILE", "--snapshot", "SNAPSHOT"],
        ),
        bad(
            "dry-run-field",
            hpa("maxReplicas", "maxReplica"),
            &["dry-run", "-f", "FILE", "--snapshot", "SNAPSHOT"],
        ),
        bad(
            "dry-run-set-field",
            "",
            &[
                "dry-run",
                "--snapshot",
                "SNAPSHOT",
                "--set",
                "spec.maxReplica=3",
            ],
        ),
        bad(
            "dry-run-set-value",
            "",
            &[
                "dry-run",
                "--snapshot",
                "SNAPSHOT",
                "--set",
                "spec.maxReplicas=many",
            ],
        ),
        bad(
            "dry-run-set-nothing",
            "",
            &[
                "dry-run",
                "--snapshot",
                "SNAPSHOT",
                "--set",
                "spec.maxReplicas",
            ],
        ),
        bad(
            "dry-run-set-index",
            "",
            &[
                "dry-run",
                "--snapshot",
                "SNAPSHOT",
                "--set",
                "spec.metrics[9].type=Pods",
            ],
        ),
    ]
}

fn of_the_past() -> Vec<Bad> {
    let log = &["--snapshot", "SNAPSHOT", "--controller-log", "FILE"];
    vec![
        bad("record-empty", "", HISTORY),
        bad("record-gzip", GZIP, HISTORY),
        bad("record-is-a-snapshot", snapshot("#", "#"), HISTORY),
        bad("record-is-a-log", LOG, HISTORY),
        bad("record-of-nothing", "{}\n".repeat(300), HISTORY),
        bad(
            "record-of-another-form",
            RECORD.replacen("/v1", "/v9", 1),
            HISTORY,
        ),
        bad(
            "record-of-another-hpa",
            include_str!("../flaps/window-record/record.jsonl").replace("web", "api"),
            &["--snapshot", "SNAPSHOT", "--history", "FILE"],
        ),
        bad(
            "record-missing",
            "",
            &["flaps", "--at", "-0s", "--history", "OTHER"],
        ),
        bad(
            "record-moment",
            RECORD,
            &["flaps", "--at", "yesterday", "--history", "FILE"],
        ),
        bad("log-gzip", GZIP, log),
        bad("log-tar", [&[b'a'; 257][..], b"ustar\x0000"].concat(), log),
        bad("log-program", b"\x7fELF\x02\x01\x01\0".as_slice(), log),
        bad("log-is-a-snapshot", snapshot("#", "#"), log),
    ]
}

fn others() -> Vec<Bad> {
    let load = &["simulate", "--snapshot", "SNAPSHOT", "--load", "csv:FILE"];
    vec![
        bad(
            "lint-list-of-nothing",
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscalerList\nspec: {}\n",
            LINT,
        ),
        bad("scenario-nested", "[".repeat(100_000), SCENARIO),
        bad("scenario-field", "initialReplica: 1\n", SCENARIO),
        bad("scenario-of-nothing", "{}\n".repeat(300), SCENARIO),
        bad("scenario-is-a-list", "- 1\n", SCENARIO),
        bad("load-empty", "", load),
        bad("load-words", "time,load\nsoon,much\n", load),
        bad("load-one-line", "0,10\n", load),
        bad(
            "load-shape",
            "",
            &["simulate", "--snapshot", "SNAPSHOT", "--load", "wave:1"],
        ),
        bad("kubeconfig-empty", "", KUBECONFIG),
        bad("kubeconfig-no-yaml", "a: b: c\n", KUBECONFIG),
        bad("kubeconfig-shape", "contexts: web\n", KUBECONFIG),
        bad("kubeconfig-gzip", GZIP, KUBECONFIG),
        bad("kubeconfig-is-a-snapshot", snapshot("#", "#"), KUBECONFIG),
        bad("kubeconfig-aliases", aliases(), KUBECONFIG),
        bad(
            "kubeconfig-id-token",
            kubeconfig("auth-provider: {name: oidc, config: {id-token: a.b.c}}"),
            KUBECONFIG,
        ),
        bad("kubeconfig-missing", "", &["web", "--kubeconfig", "OTHER"]),
        bad(
            "kubeconfig-context",
            kubeconfig(""),
            &["web", "--kubeconfig", "FILE", "--context", "b"],
        ),
        bad(
            "kubeconfig-token-folder",
            kubeconfig("tokenFile: ."),
            KUBECONFIG,
        ),
        bad(
            "kubeconfig-authority",
            kubeconfig("client-certificate: OTHER, client-key: OTHER"),
            KUBECONFIG,
        ),
        bad(
            "kubeconfig-provider",
            kubeconfig("auth-provider: {name: gcp}"),
            KUBECONFIG,
        ),
        bad(
            "argument-hidden",
            "",
            &["--no-such\u{1b}]0;x\u{7}\r\u{9b}\u{202e}"],
        ),
        bad("argument-command", "", &["lst"]),
        bad(
            "argument-format",
            "",
            &["--snapshot", "SNAPSHOT", "-o", "xml"],
        ),
        bad(
            "argument-version",
            "",
            &["--snapshot", "SNAPSHOT", "--kubernetes-version", "1.x"],
        ),
        bad(
            "argument-gate",
            "",
            &[
                "--snapshot",
                "SNAPSHOT",
                "--feature-gates",
                "HPAScaleToZero",
            ],
        ),
        bad(
            "argument-duration",
            "",
            &["--snapshot", "SNAPSHOT", "--sync-period", "15"],
        ),
    ]
}

/// What is printed. A file that is named but not given is not there.
fn said(input: &Bad) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes);
    write("SNAPSHOT", snapshot("#", "#").as_bytes()).expect("writable");
    for (name, bytes) in &input.files {
        write(name, bytes).expect("writable");
    }
    let started = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(&input.arguments)
        .current_dir(folder.path())
        .env_clear()
        .env("TZ", "UTC")
        .output()
        .expect("the binary runs");
    assert!(started.elapsed() < SOON, "{}", input.name);
    assert_ne!(output.status.code(), Some(101), "{}", input.name);
    let stdout = String::from_utf8(output.stdout).expect("text");
    let stderr = String::from_utf8(output.stderr).expect("text");
    let hidden = |text: &str| text.chars().any(|it| it.is_control() && it != '\n');
    assert!(!hidden(&stdout) && !hidden(&stderr), "{}", input.name);
    let arguments: Vec<String> = input
        .arguments
        .iter()
        .map(|it| it.escape_debug().to_string())
        .collect();
    format!(
        "$ kubectl hpa-explain {}\n--- stdout\n{stdout}--- stderr\n{stderr}--- exit code {}\n",
        arguments.join(" "),
        output.status.code().expect("an exit code"),
    )
}

#[test]
fn every_bad_input_is_told_as_what_it_is() {
    let inputs = [
        snapshots(),
        manifests(),
        dry_runs(),
        of_the_past(),
        others(),
    ]
    .concat();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_inputs");
    let mut goldens = Goldens::default();
    for input in &inputs {
        goldens.check(&folder.join(format!("{}.txt", input.name)), &said(input));
    }
    let files = fs::read_dir(folder).expect("a folder").count();
    assert_eq!((inputs.len(), files), (92, 92));
}

/// What a file names may have no end.
#[cfg(unix)]
#[test]
fn what_has_no_end_is_refused() {
    let token = kubeconfig("tokenFile: /dev/zero");
    let zero = |flag: &'static str| vec!["--snapshot", "SNAPSHOT", flag, "/dev/zero"];
    let rows = [
        (
            bad("", "", &["--snapshot", "/dev/zero"]),
            "error: /dev/zero: not a text file: a NUL byte at line 1 column 1",
        ),
        (
            bad("", "", &["lint", "-f", "/dev/zero"]),
            "/dev/zero: not a text file: a NUL byte at line 1 column 1",
        ),
        (
            bad("", token, KUBECONFIG),
            "error: kubeconfig FILE, user \"a\": unable to read tokenFile /dev/zero: it is not a regular file",
        ),
        (
            bad("", "", &["web", "--kubeconfig", "/dev/zero"]),
            "error: kubeconfig /dev/zero: larger than 10 MiB",
        ),
        (
            bad("", "", &zero("--controller-log")),
            "error: /dev/zero: larger than 256 MiB, and not a file",
        ),
        (
            bad("", "", &zero("--history")),
            "error: /dev/zero: it is not a regular file; a record is read more than once",
        ),
    ];
    for (input, expected) in &rows {
        let said = said(input);
        assert!(said.contains(expected), "{said}");
        assert!(said.ends_with("exit code 1\n"), "{said}");
    }
    assert_eq!(rows.len(), 6);
}
