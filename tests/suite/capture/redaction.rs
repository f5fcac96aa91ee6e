//! What may be in a capture, and what may not.

use serde_json::Value;

use crate::capture::cluster::with_web_in;
use crate::capture::process::{Run, stderr};

#[test]
fn no_secret_is_in_the_file() {
    let server = with_web_in(&["shop"]).at_a_standstill().https().start();
    let run = Run::on(&server);
    let file = run.capture("web", &[]);
    let text = run.read(&file);
    assert!(!text.contains("SECRET"), "{text}");

    let snapshot: Value = serde_yaml::from_str(&text).expect("YAML");
    assert_eq!(snapshot["provenance"]["redacted"], true);
    assert_eq!(
        snapshot["provenance"]["toolVersion"],
        env!("CARGO_PKG_VERSION")
    );
    // Who is on one node, and who runs one image, can still be seen.
    let pods = snapshot["pods"].as_array().expect("pods");
    let [one, other] = &pods[..] else {
        panic!("two pods, not {}", pods.len());
    };
    for path in ["/spec/nodeName", "/spec/containers/0/image"] {
        assert!(one.pointer(path).is_some(), "{path}");
        assert_eq!(one.pointer(path), other.pointer(path));
    }
    let node = one["spec"]["nodeName"].as_str().expect("a node");
    let message = &one["status"]["conditions"][0]["message"];
    assert_eq!(*message, format!("assigned to {node}."));
    let message = &snapshot["target"]["status"]["conditions"][0]["message"];
    assert_eq!(*message, format!("denied: not on {node}"));
    assert_eq!(
        snapshot["target"]["metadata"]["annotations"],
        serde_json::json!({
            "kubectl.kubernetes.io/last-applied-configuration": r#"{"spec":{"replicas":2}}"#,
        })
    );
    assert_eq!(
        snapshot["scaledObject"]["metadata"]["annotations"],
        serde_json::json!({"autoscaling.keda.sh/paused": "true"})
    );
    let vpas = snapshot["verticalPodAutoscalers"].as_array().expect("VPAs");
    assert_eq!(vpas.len(), 1);
    // In the order of the labels that are left out.
    let series = &snapshot["metrics"]["external"][0]["response"]["items"];
    let values: Vec<&str> = series
        .as_array()
        .expect("series")
        .iter()
        .filter_map(|item| item["value"].as_str())
        .collect();
    assert_eq!(values, ["60", "30"]);
    let (live, from_file) = run.at_one_moment("web", &file);
    assert_eq!(live, from_file);
}

#[test]
fn not_redacted_keeps_what_was_read() {
    let server = with_web_in(&["shop"]).https().start();
    let run = Run::on(&server);
    let output = run.run(&[
        "capture",
        "web",
        "-n",
        "shop",
        "--file",
        "web.yaml",
        "--no-redact",
    ]);
    assert!(output.status.success());
    assert!(stderr(&output).contains("Warning: it is not redacted"));
    let text = run.read("web.yaml");
    let kept = [
        "SECRET-node-7",
        "SECRET.example/web:1.2",
        "SECRET-annotation",
        "SECRET-label",
        "SECRET-host_0d9f",
        "SECRET-uid-shop-web",
    ];
    for secret in kept {
        assert!(text.contains(secret), "{secret}: {text}");
    }
    // These are never read.
    let left_out = [
        "SECRET-command",
        "SECRET-argument",
        "SECRET-address",
        "SECRET-applied",
        "SECRET-trigger",
        "SECRET-scaled",
        "SECRET-vpa",
        "redacted: true",
    ];
    for secret in left_out {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[test]
fn the_snapshot_of_explain_is_redacted_too() {
    let server = with_web_in(&["shop"]).https().start();
    let run = Run::on(&server);
    let text = run.stdout(&["web", "-n", "shop", "-o", "snapshot"]);
    assert!(text.contains("redacted: true"), "{text}");
    assert!(!text.contains("SECRET"), "{text}");
    // A file is printed as it is.
    run.capture("web", &["--no-redact"]);
    let text = run.stdout(&["--snapshot", "web.yaml", "-o", "snapshot"]);
    assert_eq!(text, run.read("web.yaml"));
}

#[test]
fn pods_that_nobody_selects_are_left_out() {
    let server = with_web_in(&["shop"]).https().start();
    let run = Run::on(&server);
    for redaction in [&[][..], &["--no-redact"]] {
        let file = run.capture("web", redaction);
        let snapshot: Value = serde_yaml::from_str(&run.read(&file)).expect("YAML");
        let names = |list: &Value| -> Vec<String> {
            let items = list.as_array().expect("a list").iter();
            items
                .map(|item| item["metadata"]["name"].as_str().unwrap_or("").to_owned())
                .collect()
        };
        assert_eq!(names(&snapshot["pods"]), ["web-1", "web-2"]);
        let samples = &snapshot["metrics"]["resource"]["response"]["items"];
        assert_eq!(names(samples), ["web-1", "web-2"]);
    }
}

/// Names are called the same in every capture of one HPA, and otherwise in
/// that of another: who has a file cannot try out names.
#[test]
fn the_hashes_have_a_key_that_is_not_in_the_file() {
    let server = with_web_in(&["shop", "bank"]).https().start();
    let run = Run::on(&server);
    let node = |namespace: &str| {
        let text = run.stdout(&["capture", "web", "-n", namespace, "-o", "yaml"]);
        let snapshot: Value = serde_yaml::from_str(&text).expect("YAML");
        let node = &snapshot["pods"][0]["spec"]["nodeName"];
        node.as_str().expect("a node").to_owned()
    };
    let shop = node("shop");
    assert_eq!(node("shop"), shop);
    assert_ne!(node("bank"), shop);
}
