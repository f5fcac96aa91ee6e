//! What is found in reported cases and in recordings of a cluster.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hpa_explain::document::snapshot::read_documents;
use hpa_explain::trace::{Code, Finding, Severity};
use serde_json::Value;

use super::{CODES, case, found};
use crate::support::build::Case;
use crate::support::pod::cpu;
use crate::support::recording::Recording;

/// The messages of what matters, of the codes that this program is about.
fn matters(findings: &[Finding]) -> Vec<String> {
    let of_inputs = findings
        .iter()
        .filter(|finding| CODES.contains(&finding.code))
        .filter(|finding| finding.severity > Severity::Info);
    let texts = of_inputs.map(|finding| format!("{}: {}", finding.code, finding.message));
    texts.collect()
}

#[test]
#[rustfmt::skip] // one run a line
fn reported_cases_are_told_by_their_causes() {
    let rows: [(&str, &[&str]); 14] = [
        ("A1", &["missing-request: pod report of Job/report (not Deployment/web's) has no cpu request", "all-metrics-fail: the only metric fails, so the size stays at 2 whatever the load is"]),
        ("A2", &["missing-request: container linkerd-proxy of pod gql has no cpu request", "all-metrics-fail: the only metric fails, so the size stays at 1 whatever the load is"]),
        ("A3", &["missing-request: container daprd has no cpu or memory request in any of the 10 pods", "all-metrics-fail: both metrics fail, so the size stays at 10 whatever the load is"]),
        ("A4", &[]),
        ("A6/since-1.33", &["pods-without-sample: 1 of 160 pods (crash) has no sample for cpu of container app, and it counts as 100%"]),
        ("A7/nobody-has-it", &["wrong-container: no pod has a container named application; the pods have app", "all-metrics-fail: the only metric fails, so the size stays at 3 whatever the load is"]),
        ("A7/rename-half-way", &["wrong-container: 1 of 3 pods (old) has no container named application but has app instead", "all-metrics-fail: the only metric fails, so the size stays at 3 whatever the load is"]),
        ("B1/as-reported", &["pods-pending: 2 of 5 pods (canary-0, canary-1) are Pending and count as 0%"]),
        ("C4", &["pods-pending: 9 of 10 pods (pend-0, pend-1 and 7 more) are Pending and count as 0%"]),
        ("D1/restarted-1-ready", &[]),
        ("D2/after-window", &["readiness-collapse: queue is above its target (5.00×), but none of the 10 pods is Ready, so it asks for 0 instead of 50"]),
        ("D3", &[]),
        ("E1/now", &["scale-down-blocked: broken-1 fails and blocks the scale-down to 1 that cpu asks for"]),
        ("W1", &["pods-without-sample: 2 of 14 pods (silent-0, silent-1) have no sample for cpu, and they count as 0%"]),
    ];
    let runs = runs();
    for (title, wanted) in rows {
        let document = runs.get(title).unwrap_or_else(|| panic!("no run {title}"));
        assert_eq!(matters(&found(document)), wanted, "{title}");
    }
}

/// The runs of all reported cases by their titles.
fn runs() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let files = fs::read_dir(&folder).expect("the folder of cases");
    let mut runs = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(file.expect("a file").path()).expect("a readable file");
        for run in case::read(&text).expect("a block") {
            if let Some(case) = run.case() {
                runs.insert(run.title(), case.document());
            }
        }
    }
    assert_eq!(runs.len(), 85);
    runs
}

#[test]
fn a_single_pod_without_the_container_fails_it_for_all_up_to_1_32() {
    let case = |release| {
        let crashed = cpu(0, 100).unsampled();
        Case::new()
            .release(release)
            .replicas(2)
            .pod("ok", cpu(50, 100))
            .pod("crashed", crashed.sampled(0.0))
            .container_cpu("app", 60)
            .set(
                "/metrics/resource/response/items/1/containers",
                serde_json::json!([]),
            )
    };
    let rows = [
        (
            32,
            "pods-without-sample: 1 of 2 pods (crashed) has no sample for cpu of container app, so the metric fails for all pods",
        ),
        (
            33,
            "pods-without-sample: 1 of 2 pods (crashed) has no sample for cpu of container app, and it counts as 100%",
        ),
    ];
    for (release, wanted) in rows {
        let found = matters(&found(&case(release).document()));
        assert_eq!(found.first().map(String::as_str), Some(wanted));
    }
}

#[test]
#[rustfmt::skip] // one HPA a line
fn a_cluster_without_metrics_is_told_by_the_api_that_fails() {
    let rows: [(&str, &str, &[&str]); 7] = [
        ("metrics-down", "db", &["metrics-api-unavailable: the metrics.k8s.io API (metrics-server) is down or fails, so memory cannot be read", "all-metrics-fail: the only metric fails, so the size stays at 2 whatever the load is"]),
        ("metrics-down", "checkout", &["metrics-api-unavailable: the metrics.k8s.io API (metrics-server) is down or fails, so cpu of container app cannot be read", "scale-down-blocked: cpu of container app fails and blocks the scale-down to 1 that requests_per_second of Service/checkout asks for"]),
        ("external-down", "keda-hpa-worker", &["metrics-api-unavailable: the external.metrics.k8s.io API is down or fails, so s0-rabbitmq-orders cannot be read", "all-metrics-fail: the only metric fails, so the size stays at 8 whatever the load is"]),
        ("external-down", "web", &["metrics-api-unavailable: the external.metrics.k8s.io API is down or fails, so queue_messages_ready cannot be read", "metric-fails: 1 of 3 metrics fails (queue_messages_ready); the others decide, but can only scale up"]),
        ("no-metrics-api", "db", &["metrics-api-missing: nothing serves the metrics.k8s.io API (metrics-server), so memory cannot be read", "all-metrics-fail: the only metric fails, so the size stays at 2 whatever the load is"]),
        ("no-metrics-api", "checkout", &["metrics-api-missing: nothing serves the metrics.k8s.io API (metrics-server), so cpu of container app cannot be read", "metrics-api-missing: nothing serves the custom.metrics.k8s.io API, so requests_per_second of Service/checkout cannot be read", "all-metrics-fail: both metrics fail, so the size stays at 6 whatever the load is"]),
        ("no-metrics-api", "paused", &[]),
    ];
    for (recording, name, wanted) in rows {
        assert_eq!(matters(&in_recording(recording, name)), wanted, "{recording} {name}");
    }
}

fn in_recording(recording: &str, name: &str) -> Vec<Finding> {
    let recording = Recording::open(recording);
    let autoscalers = recording.autoscalers();
    let hpa = autoscalers
        .iter()
        .find(|hpa| hpa["metadata"]["name"] == name);
    found(&recording.snapshot(hpa.expect("a recorded HPA")))
}

#[test]
fn a_healthy_autoscaler_has_nothing_that_matters() {
    for recording in ["steady", "settled"] {
        assert_eq!(
            matters(&in_recording(recording, "db")),
            [""; 0],
            "{recording}"
        );
    }
}

/// What a user meets who may read the HPAs alone.
#[test]
fn what_we_may_not_read_is_no_failure_of_the_controller() {
    let recording = Recording::open("forbidden");
    let autoscalers = recording.autoscalers();
    let mut seen = 0;
    for hpa in &autoscalers {
        let refused = "deployments.apps \"x\" is forbidden: User \"viewer\" cannot get resource";
        let document = serde_json::json!({
            "apiVersion": "hpa-explain/v1",
            "kind": "Snapshot",
            "capturedAt": hpa["metadata"]["creationTimestamp"],
            "horizontalPodAutoscaler": hpa,
            "scale": {"unreadable": refused},
        });
        let mut findings = found(&document);
        findings.retain(|finding| CODES.contains(&finding.code));
        let codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(
            codes,
            [Code::MetricUnreadable],
            "{}",
            hpa["metadata"]["name"]
        );
        let command = findings[0].remedies[0].command.as_ref();
        let command = command.expect("the command that prints the role");
        let command = command.to_string();
        assert!(
            command.starts_with("kubectl hpa-explain rbac -n shop"),
            "{command}"
        );
        seen += 1;
    }
    assert_eq!(seen, autoscalers.len());
    assert!(seen >= 10, "{seen}");
}

/// The path in the evidence is the one that the API server was asked.
#[test]
fn the_request_is_the_one_that_was_made() {
    let rows = [
        ("external-down", "keda-hpa-worker"),
        ("external-down", "web"),
        ("metrics-down", "db"),
        ("metrics-down", "checkout"),
        ("no-metrics-api", "checkout"),
        ("no-metrics-api", "web"),
    ];
    let mut compared = 0;
    for (name, hpa) in rows {
        let recording = Recording::open(name);
        for finding in in_recording(name, hpa) {
            for fact in finding.evidence.iter().filter(|fact| fact.about == "GET") {
                assert!(recording.has(&fact.says), "{name}: {}", fact.says);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 9);
}

/// Whatever the numbers and names are, there is an answer.
#[test]
fn no_input_is_too_strange() {
    let name = "x\u{1b}[31m'; rm -rf /\u{202e}".repeat(20);
    let extremes = [
        "0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "1e30",
        "1n",
    ];
    let mut ran = 0;
    for used in extremes {
        for requested in extremes {
            let pod = |used: &str, requested: &str| {
                let app = crate::support::pod::container(&name);
                let aside = crate::support::pod::container("aside").uses("cpu", requested);
                crate::support::pod::Pod::of(vec![
                    app.uses("cpu", used).requests("cpu", requested),
                    aside.requests("cpu", used),
                ])
            };
            for release in [23, 28, 32, 36, 38] {
                let case = Case::new()
                    .release(release)
                    .replicas(i32::MAX)
                    .pods(2, &pod(used, requested))
                    .pod(&name, cpu(1, 1).starting())
                    .cpu(i32::MAX)
                    .container_cpu(&name, 1)
                    .external_value("m", "1", &[used, requested])
                    .bounds(1, i32::MAX);
                let document = case.document();
                assert!(read_documents(&document.to_string())[0].snapshot.is_ok());
                _ = found(&document);
                ran += 1;
            }
        }
    }
    assert_eq!(ran, 180);
}
