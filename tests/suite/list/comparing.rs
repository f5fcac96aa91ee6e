//! `list --compare-version` and `--compare-<setting>`: what an upgrade, a
//! rollback or another setting would change.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::list::world::{NOW, cluster_of, file_of, hpa, run_on};
use crate::support::binary::{run, stderr, stdout};
use crate::support::golden;

/// Of another release.
fn of(version: &str, mut hpa: Value) -> Value {
    hpa["serverVersion"] = json!(version);
    hpa
}

/// Three of four pods are done: until 1.37 they count as pods without a
/// sample.
fn with_succeeded(name: &str) -> Value {
    let mut hpa = hpa("shop", name, "60m");
    for pod in 1..4 {
        hpa["pods"][pod]["status"]["phase"] = json!("Succeeded");
    }
    let samples = &mut hpa["metrics"]["resource"]["response"]["items"];
    samples.as_array_mut().expect("samples").truncate(1);
    hpa
}

/// A queue's consumers, 0 to 6, with so many replicas.
fn queue(name: &str, version: &str, replicas: i32, waiting: &str) -> Value {
    let mut queue = of(version, hpa("shop", name, "50m"));
    let spec = &mut queue["horizontalPodAutoscaler"]["spec"];
    spec["minReplicas"] = json!(0);
    spec["metrics"] = json!([{ "type": "External", "external": { "metric": { "name": "waiting" },
        "target": { "type": "AverageValue", "averageValue": "10" } } }]);
    queue["scale"]["response"]["spec"]["replicas"] = json!(replicas);
    queue["scale"]["response"]["status"]["replicas"] = json!(replicas);
    queue["metrics"] = json!({ "external": [{ "metric": "waiting", "metricSelector": "",
        "response": { "items": [{ "metricName": "waiting", "metricLabels": {}, "timestamp": NOW,
            "value": waiting }] } }] });
    queue
}

/// The same, at zero by its own decision.
fn asleep(name: &str, version: &str) -> Value {
    let mut queue = queue(name, version, 0, "25");
    let status = &mut queue["horizontalPodAutoscaler"]["status"];
    status["currentReplicas"] = json!(0);
    let conditions = status["conditions"].as_array_mut().expect("conditions");
    conditions.push(
        json!({ "type": "ScaledToZero", "status": "True", "reason": "ScaledToZero",
        "message": "", "lastTransitionTime": "2026-11-20T07:00:00Z" }),
    );
    queue
}

/// With a metric that we may not read.
fn unseen(name: &str) -> Value {
    let mut unseen = hpa("shop", name, "50m");
    unseen["metrics"]["resource"] = json!({ "unreadable": "not allowed" });
    unseen
}

fn six() -> Vec<Value> {
    vec![
        hpa("shop", "calm", "50m"),
        with_succeeded("jobs"),
        queue("queue", "v1.36.2", 2, "20"),
        unseen("secret"),
        hpa("dev", "calm", "50m"),
        hpa("dev", "near", "53m"),
    ]
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/list/{name}"))
}

#[test]
fn every_format_has_the_hpas_that_differ() {
    let rows: [(&str, Option<usize>, &[&str]); 7] = [
        ("compare-1.38.txt", Some(80), &[]),
        ("compare-1.38.narrow.txt", Some(48), &[]),
        ("compare-1.38.wide.txt", None, &["-o", "wide"]),
        ("compare-1.38.md", None, &["-o", "markdown"]),
        ("compare-1.38.json", None, &["-o", "json"]),
        ("compare-1.38.names.txt", None, &["-o", "name"]),
        (
            "compare-tolerance.txt",
            Some(80),
            &["--compare-tolerance", "0.01"],
        ),
    ];
    let file = file_of(&six());
    for (name, columns, more) in rows {
        let version: &[&str] = if name.contains("1.38") {
            &["--compare-version", "1.38"]
        } else {
            &[]
        };
        let arguments = [&["list"], version, more].concat();
        let output = run_on(file.path(), columns, &arguments);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        golden::check(&golden(name), stdout(&output));
    }
}

#[test]
fn a_rollback_tells_what_becomes_of_zero() {
    let file = file_of(&[
        asleep("asleep", "v1.37.0"),
        queue("awake", "v1.37.0", 2, "20"),
        of("v1.37.0", hpa("shop", "calm", "50m")),
    ]);
    let of = |version: &str| {
        let arguments = ["list", "--compare-version", version];
        stdout(&run_on(file.path(), Some(80), &arguments)).to_owned()
    };
    golden::check(&golden("compare-rollback-1.36.txt"), &of("1.36"));
    // Up to 1.35 whatever may be 0 comes back.
    golden::check(&golden("compare-rollback-1.35.txt"), &of("1.35"));
    let gate = ["list", "--compare-feature-gates", "HPAScaleToZero=false"];
    let off = run_on(file.path(), Some(80), &gate);
    golden::check(&golden("compare-gate-off.txt"), stdout(&off));
}

#[test]
fn what_is_told_is_what_the_other_release_does() {
    let file = file_of(&six());
    let document = |arguments: &[&str]| -> Vec<Value> {
        let output = run_on(file.path(), None, arguments);
        let lines = stdout(&output).lines();
        lines
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    };
    let mut told = 0;
    for version in ["1.25", "1.30", "1.33", "1.36", "1.37", "1.38"] {
        let arguments = ["list", "--compare-version", version, "-o", "json"];
        let output = run_on(file.path(), None, &arguments);
        let list: Value = serde_json::from_str(stdout(&output)).expect("JSON");
        let items = list["items"].as_array().expect("items");
        let untold = list["unknown"].as_array().expect("a list").len();
        let same = list["same"].as_u64().expect("a number");
        assert_eq!(
            items.len() + untold + usize::try_from(same).expect("few"),
            6
        );
        for (side, version) in [("now", "1.36"), ("then", version)] {
            let explained = document(&["--kubernetes-version", version, "-o", "json"]);
            for item in items {
                let is_it = |it: &&Value| {
                    (&it["name"], &it["namespace"]) == (&item["name"], &item["namespace"])
                };
                let own = explained.iter().find(is_it).expect("explained");
                let desired = &own["prediction"]["desiredReplicas"];
                assert_eq!(&item[side]["desiredReplicas"], desired, "{version}: {item}");
                told += 1;
            }
        }
    }
    assert_eq!(told, TOLD);
}

/// Two sides of each HPA that differs, over six releases.
const TOLD: usize = 12;

#[test]
fn the_exit_code_tells_whether_one_differs() {
    let rows: [(&[&str], i32); 6] = [
        (&["--compare-version", "1.38"], 0),
        (&["--compare-version", "1.38", "--exit-code"], 3),
        (&["--compare-version", "1.36", "--exit-code"], 0),
        (&["--compare-sync-period", "30s", "--exit-code"], 0),
        (&["--compare-version", "1.38", "--problems"], 1),
        (&["--compare-tolerance", "x"], 2),
    ];
    let file = file_of(&six());
    for (arguments, code) in rows {
        let output = run_on(file.path(), None, &[&["list"], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

/// What cannot be read fails the command, and the others are compared.
#[test]
fn a_file_with_a_fault_is_compared_as_far_as_it_can_be_read() {
    let file = file_of(&[with_succeeded("jobs"), json!({ "kind": "Snapshot" })]);
    let output = run_on(file.path(), None, &["list", "--compare-version", "1.38"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("shop/jobs"), "{}", stdout(&output));
    assert!(stderr(&output).contains("error: "), "{}", stderr(&output));
}

/// A cluster is compared as the file of its inputs is.
#[test]
fn a_cluster_before_a_rollback() {
    let hpas = [
        asleep("asleep", "v1.37.0"),
        queue("awake", "v1.37.0", 2, "20"),
        hpa("shop", "calm", "50m"),
        with_succeeded("jobs"),
        hpa("dev", "calm", "50m"),
    ];
    let server = cluster_of(&hpas, "v1.37.0");
    let kubeconfig = server.kubeconfig();
    let on_cluster = |arguments: &[&str]| {
        run(
            &kubeconfig,
            &[&["list", "-A", "--full"], arguments].concat(),
        )
    };
    let rollback = ["--compare-version", "1.36"];
    let text = on_cluster(&rollback);
    golden::check(&golden("compare-cluster.txt"), stdout(&text));
    let rows: [(&[&str], i32); 4] = [
        (&rollback, 0),
        (&["--compare-version", "1.36", "--exit-code"], 3),
        (&["--compare-version", "1.37", "--exit-code"], 0),
        (&["--compare-tolerance", "0.05", "--exit-code"], 0),
    ];
    for (arguments, code) in rows {
        let output = on_cluster(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
    let document =
        |output: &Output| -> Value { serde_json::from_str(stdout(output)).expect("JSON") };
    let told = |version: &str| document(&on_cluster(&["--compare-version", version, "-o", "json"]));
    let names = |told: &Value| -> Vec<String> {
        let items = told["items"].as_array().expect("items").iter();
        items
            .map(|item| item["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let (back, forth) = (told("1.36"), told("1.38"));
    assert_eq!(
        (names(&back), &back["same"]),
        (vec!["asleep".to_owned(), "awake".to_owned()], &json!(3))
    );
    assert_eq!(back["items"][0]["atZero"]["isThere"], json!(true));
    assert_eq!(
        (names(&forth), &forth["same"]),
        (vec!["jobs".to_owned()], &json!(4))
    );
    let rules = forth["items"][0]["then"]["newRules"].as_array();
    assert_eq!(rules.map(Vec::len), Some(1));
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = scratch.path().join("all.jsonl");
    let path = file.to_str().expect("a plain path");
    let captured = run(&kubeconfig, &["capture", "-A", "--file", path]);
    assert!(captured.status.success(), "{}", stderr(&captured));
    let arguments = [&["list"], &rollback[..], &["-o", "json"]].concat();
    assert_eq!(document(&run_on(&file, None, &arguments)), back);
}
