//! What is asked about others in the cluster: only where there is a reason
//! to, and never so that the answer has to wait.

use std::time::Duration;

use crate::support::apiserver::{ApiServer, Fault, list_document};
use crate::support::binary::{run, stderr, stdout};
use serde_json::{Value, json};

const VPAS: &str = "/apis/autoscaling.k8s.io/v1/namespaces/shop/verticalpodautoscalers";
const SCALED_OBJECT: &str = "/apis/keda.sh/v1alpha1/namespaces/shop/scaledobjects/worker";
const API_SERVICES: &str = "/apis/apiregistration.k8s.io/v1/apiservices";

fn steady() -> ApiServer {
    ApiServer::replay("steady").https().start()
}

fn document(server: &ApiServer, name: &str, format: &str) -> Value {
    let output = run(&server.kubeconfig(), &[name, "-n", "shop", "-o", format]);
    assert!(output.status.success(), "{name}: {}", stderr(&output));
    serde_yaml::from_str(stdout(&output)).expect("a document")
}

/// The findings of a code, as the explanation has them.
fn found(server: &ApiServer, name: &str, code: &str) -> Vec<String> {
    let document = document(server, name, "json");
    let findings = document["trace"]["findings"]
        .as_array()
        .expect("findings")
        .iter();
    let of_code = findings.filter(|finding| finding["code"] == code);
    of_code
        .map(|finding| finding["message"].as_str().expect("text").to_owned())
        .collect()
}

/// Why a part was not read, if it was to be.
fn not_read(snapshot: &Value, part: &str) -> Option<String> {
    let parts = snapshot["provenance"]["notRead"].as_array()?;
    let part = parts.iter().find(|it| it["part"] == part)?;
    Some(part["reason"].as_str().expect("text").to_owned())
}

/// The requests to a path and what is beneath it.
fn asked(server: &ApiServer, path: &str) -> usize {
    let log = server.log();
    log.iter()
        .filter(|entry| entry.path().starts_with(path))
        .count()
}

/// Lets the pods of an HPA say that a VPA has set their requests.
fn note_on_pods(server: &ApiServer, name: &str, app: &str) {
    let snapshot = document(server, name, "snapshot");
    let mut pods = snapshot["pods"].as_array().expect("pods").clone();
    for pod in &mut pods {
        pod["metadata"]["annotations"] = json!({
            "vpaUpdates": format!("Pod resources updated by {name}: container 0: cpu request"),
            "secret": "SECRET",
        });
    }
    let list = list_document("PodList", "v1", &pods);
    let path = format!("/api/v1/namespaces/shop/pods?labelSelector=app%3D{app}");
    server.put(&path, &list);
    server.forget_log();
}

fn vpa(target: &str) -> Value {
    json!({
        "metadata": {"name": format!("{target}-vpa"), "annotations": {"note": "SECRET"}},
        "spec": {
            "targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": target},
            "updatePolicy": {"updateMode": "Recreate"},
        },
    })
}

fn serve_vpas(server: &ApiServer) {
    let list = list_document(
        "VerticalPodAutoscalerList",
        "autoscaling.k8s.io/v1",
        &[vpa("web"), vpa("other")],
    );
    server.put(VPAS, &list);
}

#[test]
fn vpas_are_listed_where_a_pod_says_that_one_changed_it() {
    let server = steady();
    serve_vpas(&server);
    assert_eq!(found(&server, "web", "vpa-conflict"), [""; 0]);
    assert_eq!(asked(&server, VPAS), 0, "no pod says so");
    note_on_pods(&server, "web", "web");
    let message = "VerticalPodAutoscaler web-vpa (mode Recreate) changes the cpu request that \
                   the HPA's target is a percentage of";
    assert_eq!(found(&server, "web", "vpa-conflict"), [message]);
    assert_eq!(asked(&server, VPAS), 1);
    // Whose metric no request is a part of.
    note_on_pods(&server, "db", "db");
    document(&server, "db", "json");
    assert_eq!(asked(&server, VPAS), 0);
    let snapshot = document(&server, "web", "snapshot");
    let vpas = snapshot["verticalPodAutoscalers"].as_array().expect("VPAs");
    assert_eq!(vpas.len(), 1, "that of the target alone");
    assert!(!snapshot.to_string().contains("SECRET"), "{snapshot:#}");
}

/// What cannot be read is named, what is not served is none.
#[test]
fn vpas_that_cannot_be_listed() {
    let rows = [
        (None, None),
        (Some(Fault::Text(404)), None),
        (Some(Fault::Status(403)), Some("is forbidden")),
        (Some(Fault::Status(500)), Some("")),
        (
            Some(Fault::Latency(Duration::from_secs(60))),
            Some("not waited for"),
        ),
    ];
    let server = steady();
    note_on_pods(&server, "web", "web");
    for (fault, reason) in rows {
        let case = format!("{fault:?}");
        let fault = fault.map(|fault| server.fault(VPAS, fault));
        let snapshot = document(&server, "web", "snapshot");
        if let Some(fault) = fault {
            server.lift(fault);
        }
        let not_read = not_read(&snapshot, "verticalPodAutoscalers");
        match (not_read, reason) {
            (None, None) => {}
            (Some(said), Some(reason)) => assert!(said.contains(reason), "{case}: {said}"),
            other => panic!("{case}: {other:?}"),
        }
        assert_eq!(snapshot["verticalPodAutoscalers"], Value::Null, "{case}");
    }
}

#[test]
fn the_scaled_object_is_read_of_an_hpa_that_keda_made() {
    let server = steady();
    document(&server, "db", "json");
    assert_eq!(asked(&server, "/apis/keda.sh"), 0);
    // The recorded cluster has none.
    let snapshot = document(&server, "keda-hpa-worker", "snapshot");
    assert_eq!(asked(&server, SCALED_OBJECT), 1);
    assert_eq!(snapshot["scaledObject"], Value::Null);
    assert_eq!(not_read(&snapshot, "scaledObject"), None);
    server.put(
        SCALED_OBJECT,
        &json!({
            "apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject",
            "metadata": {"name": "worker", "namespace": "shop", "annotations": {
                "autoscaling.keda.sh/paused": "true",
                "kubectl.kubernetes.io/last-applied-configuration": "SECRET",
            }},
            "spec": {"cooldownPeriod": 300, "triggers": [{"type": "x", "metadata": {"password": "SECRET"}}]},
            "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": ""}]},
        }),
    );
    let paused = found(&server, "keda-hpa-worker", "keda-paused");
    assert_eq!(
        paused,
        ["ScaledObject/worker is paused, so KEDA does not scale"]
    );
    for redaction in ["snapshot", "json"] {
        let document = document(&server, "keda-hpa-worker", redaction);
        assert!(!document.to_string().contains("SECRET"), "{document:#}");
    }
    let rows = [
        (Fault::Status(403), "is forbidden"),
        (Fault::Latency(Duration::from_secs(60)), "not waited for"),
    ];
    for (fault, reason) in rows {
        let fault = server.fault(SCALED_OBJECT, fault);
        let snapshot = document(&server, "keda-hpa-worker", "snapshot");
        server.lift(fault);
        let said = not_read(&snapshot, "scaledObject").expect("a reason");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn who_answers_is_asked_of_the_apis_that_fail() {
    let names = |recording: &str, hpa: &str| {
        let server = ApiServer::replay(recording).https().start();
        let snapshot = document(&server, hpa, "snapshot");
        assert_eq!(not_read(&snapshot, "apiServices"), None);
        let services = snapshot["apiServices"].as_array().cloned();
        let services = services.unwrap_or_default().into_iter().map(|service| {
            let text = |value: &Value| value.as_str().expect("text").to_owned();
            let name = text(&service["metadata"]["name"]);
            let by = &service["spec"]["service"];
            let condition = &service["status"]["conditions"][0];
            let by = format!("{}/{}", text(&by["namespace"]), text(&by["name"]));
            format!(
                "{name} by {by}: {} {}",
                text(&condition["type"]),
                text(&condition["status"])
            )
        });
        (services.collect::<Vec<_>>(), asked(&server, API_SERVICES))
    };
    let by = |name: &str| format!("{name} by kube-system/rig-metrics: Available True");
    let rows = [
        ("steady", "db", vec![], 0),
        ("steady", "web", vec![], 0),
        ("metrics-down", "db", vec![by("v1beta1.metrics.k8s.io")], 1),
        (
            "external-down",
            "keda-hpa-worker",
            vec![by("v1beta1.external.metrics.k8s.io")],
            1,
        ),
        // The custom metrics API has two versions to look for.
        ("no-metrics-api", "db", vec![], 1),
        ("no-metrics-api", "web", vec![], 4),
        // What we may not read tells nothing of the API.
        ("forbidden", "db", vec![], 0),
    ];
    for (recording, hpa, services, requests) in &rows {
        let (found, asked) = names(recording, hpa);
        assert_eq!((&found, asked), (services, *requests), "{recording}/{hpa}");
    }
    assert_eq!(rows.len(), 7);
}

#[test]
fn who_answers_can_be_forbidden_or_slow() {
    let rows = [
        (Fault::Status(403), "is forbidden"),
        (Fault::Latency(Duration::from_secs(60)), "not waited for"),
    ];
    for (fault, reason) in rows {
        let server = ApiServer::replay("metrics-down").https().start();
        server.fault(API_SERVICES, fault);
        let snapshot = document(&server, "db", "snapshot");
        let said = not_read(&snapshot, "apiServices").expect("a reason");
        assert!(said.contains(reason), "{said}");
        let text = run(&server.kubeconfig(), &["db", "-n", "shop", "-v"]);
        assert!(
            stdout(&text).contains("who answers for the metrics API"),
            "{}",
            stdout(&text)
        );
    }
}

/// A registration holds the certificates of who answers.
#[test]
fn of_a_registration_only_who_answers_is_kept() {
    let server = ApiServer::replay("metrics-down").https().start();
    server.put(
        &format!("{API_SERVICES}/v1beta1.metrics.k8s.io"),
        &json!({
            "kind": "APIService", "apiVersion": "apiregistration.k8s.io/v1",
            "metadata": {"name": "v1beta1.metrics.k8s.io", "annotations": {"note": "SECRET"}},
            "spec": {"caBundle": "SECRET", "service": {"namespace": "kube-system", "name": "ms", "port": 443}},
            "status": {"conditions": [{"type": "Available", "status": "False", "reason": "MissingEndpoints"}]},
        }),
    );
    let snapshot = document(&server, "db", "snapshot");
    let condition = json!({"type": "Available", "status": "False", "reason": "MissingEndpoints", "message": ""});
    let service = json!([{
        "metadata": {"name": "v1beta1.metrics.k8s.io"},
        "spec": {"service": {"namespace": "kube-system", "name": "ms"}},
        "status": {"conditions": [condition]},
    }]);
    assert_eq!(snapshot["apiServices"], service);
}

/// The healthy HPA of the recordings is told of nobody above a remark.
#[test]
fn a_healthy_hpa_is_not_alarmed() {
    for recording in ["steady", "settled"] {
        let server = ApiServer::replay(recording).https().start();
        let document = document(&server, "db", "json");
        let findings = document["trace"]["findings"].as_array().expect("findings");
        assert!(!findings.is_empty());
        for finding in findings {
            assert_eq!(finding["severity"], "info", "{finding:#}");
        }
    }
}
