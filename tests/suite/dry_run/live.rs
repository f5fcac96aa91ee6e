//! On a cluster: both sides on what is read once, and what the API server
//! itself says of a candidate.

use std::path::Path;

use hpa_explain::collect::client;
use http::{Method, Request};
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::Value;

use crate::support::apiserver::{ApiServer, Fault};
use crate::support::binary::{NAMES, run, stderr, stdout};

fn document(kubeconfig: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let arguments = [&["dry-run", "-n", "shop", "-o", "json"], arguments].concat();
    let output = run(kubeconfig, &arguments);
    let text = stdout(&output);
    assert!(!text.is_empty(), "{arguments:?}: {}", stderr(&output));
    let document = serde_json::from_str(text).expect("JSON");
    (output.status.code(), document)
}

#[test]
fn the_current_side_is_what_explaining_tells() {
    let server = ApiServer::replay("steady")
        .https()
        .at_a_standstill()
        .start();
    let kubeconfig = server.kubeconfig();
    let mut compared = 0;
    for name in NAMES {
        let explained = run(&kubeconfig, &[name, "-n", "shop", "-o", "json"]);
        let explained: Value = serde_json::from_str(stdout(&explained)).expect("JSON");
        let (code, document) = document(&kubeconfig, &[name, "--set", "spec.maxReplicas=77"]);
        assert_eq!(code, Some(0), "{name}");
        let now = &document["current"]["trace"];
        assert_eq!(now["outcome"], explained["trace"]["outcome"], "{name}");
        let other = &document["candidates"][0]["trace"]["bounds"]["maxReplicas"];
        assert_eq!(*other, 77, "{name}");
        compared += 1;
    }
    assert_eq!(compared, 10);
}

#[test]
fn the_server_is_asked_and_stores_nothing() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let rows = [
        ("spec.maxReplicas=77", 0, "accepted", ""),
        ("spec.minReplicas=1", 0, "accepted", ""),
        (
            "spec.behavior.scaleUp.tolerance=0.02",
            0,
            "fieldsDropped",
            "spec.behavior.scaleUp.tolerance",
        ),
        (
            "spec.maxReplicas=5000",
            1,
            "refused",
            "denied the request: too many",
        ),
    ];
    for (set, code, answer, says) in rows {
        let arguments = ["web", "--server-side", "--set", set];
        let (exit, document) = document(&kubeconfig, &arguments);
        let server = &document["candidates"][0]["server"];
        assert_eq!(exit, Some(code), "{set}: {server}");
        assert_eq!(server["answer"], answer, "{set}");
        assert!(server.to_string().contains(says), "{set}: {server}");
    }
    let log = server.log();
    let written = log
        .iter()
        .filter(|entry| entry.method != Method::GET.as_str());
    let written: Vec<&str> = written.map(|entry| entry.target.as_str()).collect();
    assert_eq!(written.len(), rows.len(), "{written:?}");
    let path = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web?dryRun=All";
    assert!(written.iter().all(|it| it.starts_with(path)), "{written:?}");
}

/// What hinders the question says nothing of the spec: the comparison is
/// printed all the same, with its patch.
#[test]
fn a_server_that_cannot_be_asked_refuses_nothing() {
    let path = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web?dryRun=All";
    let rows = [
        (Fault::Status(401), "Unauthorized", "hint: "),
        (Fault::Status(403), " cannot ", "hint: "),
        (Fault::Status(404), "", "hint: "),
        (Fault::Status(500), "", "hint: "),
        (Fault::Status(503), "", "hint: "),
        (Fault::Text(403), "Forbidden", "hint: "),
        (Fault::Truncated, "", "hint: "),
    ];
    for (fault, says, hint) in rows {
        let place = format!("{fault:?}");
        let server = ApiServer::replay("steady").https().start();
        server.fault(path, fault);
        let arguments = ["dry-run", "web", "-n", "shop", "-o", "json"];
        let asked = ["--server-side", "--set", "spec.maxReplicas=77"];
        let output = run(&server.kubeconfig(), &[&arguments[..], &asked].concat());
        let document: Value = serde_json::from_str(stdout(&output)).expect("JSON");
        assert_eq!(output.status.code(), Some(1), "{place}");
        let side = &document["candidates"][0];
        assert_eq!(side["server"]["answer"], "notAsked", "{place}: {side}");
        assert!(side["patch"].is_object(), "{place}");
        let reason = side["server"]["reason"].as_str().unwrap_or_default();
        assert!(reason.contains(says), "{place}: {reason}");
        assert!(
            stderr(&output).contains(hint),
            "{place}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_new_hpa_is_created_in_a_dry_run_only() {
    let server = ApiServer::replay("steady").https().start();
    let folder = tempfile::tempdir().expect("a scratch directory");
    let file = folder.path().join("fresh.yaml");
    let manifest = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: fresh}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 9
";
    std::fs::write(&file, manifest).expect("writable");
    let file = file.to_str().expect("a plain path");
    let arguments = ["fresh", "--server-side", "-f", file];
    let (code, document) = document(&server.kubeconfig(), &arguments);
    assert_eq!(code, Some(0));
    assert!(document["current"].is_null());
    assert_eq!(document["candidates"][0]["server"]["answer"], "accepted");
    let output = run(
        &server.kubeconfig(),
        &[
            "dry-run",
            "nosuch",
            "-n",
            "shop",
            "--set",
            "spec.maxReplicas=3",
        ],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("not found"), "{}", stderr(&output));
}

#[test]
fn a_candidate_that_is_wrong_is_found_before_pods_and_samples_are_read() {
    let server = ApiServer::replay("steady").https().start();
    let arguments = [
        "dry-run",
        "web",
        "-n",
        "shop",
        "--set",
        "spec.maxReplicas=-4",
    ];
    let output = run(&server.kubeconfig(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("spec.maxReplicas: Invalid value: -4"));
    // The pods of kube-system tell which gates are on.
    let inputs = ["/namespaces/shop/pods", "/apis/metrics.k8s.io/"];
    let log = server.log();
    let is_input = |target: &str| inputs.iter().any(|path| target.contains(path));
    assert!(log.iter().all(|entry| !is_input(&entry.target)));
    server.fault("/", Fault::Status(403));
    let output = run(&server.kubeconfig(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("forbidden"), "{}", stderr(&output));
}

/// The field that no release has, given on the command line alone.
#[test]
fn a_fallback_is_accepted_and_dropped() {
    let server = ApiServer::replay("external-down").https().start();
    let gate = "--feature-gates=HPAExternalMetricFallback=true";
    let set = "--set=spec.metrics[0].external.fallback.replicas=3";
    let name = "keda-hpa-worker";
    let (code, document) = document(&server.kubeconfig(), &[name, "--server-side", gate, set]);
    assert_eq!(code, Some(0));
    let side = &document["candidates"][0];
    assert_eq!(side["server"]["answer"], "fieldsDropped");
    let dropped = side["server"]["fields"].to_string();
    assert!(
        dropped.contains("spec.metrics[0].external.fallback"),
        "{dropped}"
    );
    assert_eq!(side["trace"]["metrics"][0]["fallback"]["secondsLeft"], 180);
    let none = "--set=spec.metrics[0].external.fallback.replicas=0";
    let rows: [(&[&str], &str); 3] = [
        (&[set], "no such field; it is a design"),
        (&[none], "no such field; it is a design"),
        (
            &[gate, none],
            "external.fallback.replicas: Invalid value: 0: must be greater than 0",
        ),
    ];
    for (flags, says) in rows {
        let arguments = [&["dry-run", "-n", "shop", name], flags].concat();
        let output = run(&server.kubeconfig(), &arguments);
        assert_eq!(output.status.code(), Some(1), "{flags:?}");
        assert!(
            stderr(&output).contains(says),
            "{flags:?}: {}",
            stderr(&output)
        );
    }
}

/// A planted write: whoever wrote it, it does not leave.
#[test]
fn a_write_that_is_no_dry_run_does_not_leave_the_client() {
    let server = ApiServer::replay("steady").https().start();
    let path = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web";
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let file = Kubeconfig::read_from(server.kubeconfig()).expect("a kubeconfig");
        let options = KubeConfigOptions::default();
        let config = kube::Config::from_custom_kubeconfig(file, &options);
        let client = client(config.await.expect("a configuration")).expect("a client");
        let rows = [
            (Method::PATCH, path.to_owned(), false),
            (Method::DELETE, path.to_owned(), false),
            (Method::PUT, format!("{path}?dryRun=None"), false),
            (Method::PATCH, format!("{path}?dryRun=All"), true),
            (Method::GET, path.to_owned(), true),
        ];
        for (method, path, passes) in rows {
            let request = Request::builder().method(method.clone()).uri(&path);
            let request = request.body(Body::from(b"{}".to_vec())).expect("a request");
            let answer = client.send(request).await;
            assert_eq!(answer.is_ok(), passes, "{method} {path}");
            if let Err(error) = answer {
                let error = format!("{error:?}");
                assert!(
                    error.contains("PATCH")
                        || error.contains("is not sent")
                        || error.contains("Refused"),
                    "{error}"
                );
            }
        }
    });
    let log = server.log();
    let written = log
        .iter()
        .filter(|entry| entry.method != Method::GET.as_str());
    assert_eq!(written.count(), 1);
}
