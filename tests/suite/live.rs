//! The real binary against a recorded API server.

use crate::support::apiserver;

use std::path::Path;

use crate::support::binary::{NAMES, run, stderr, stdout};
use apiserver::{ApiServer, Fault};
use serde_json::{Value, json};

fn explain(kubeconfig: &Path, name: &str) -> Value {
    let output = run(kubeconfig, &[name, "-n", "shop", "-o", "json"]);
    assert!(output.status.success(), "{name}: {}", stderr(&output));
    serde_json::from_str(stdout(&output)).expect("JSON")
}

/// The snapshot that the live run explained, with the memory of a controller
/// that has just started.
fn snapshot_with_empty_memory(kubeconfig: &Path, name: &str) -> Value {
    let output = run(kubeconfig, &[name, "-n", "shop", "-o", "snapshot"]);
    assert!(output.status.success(), "{name}: {}", stderr(&output));
    let mut snapshot: Value = serde_yaml::from_slice(&output.stdout).expect("YAML");
    snapshot["history"] =
        json!({ "recommendations": [], "scaleUpEvents": [], "scaleDownEvents": [] });
    snapshot
}

/// The status after the pass, as the recorded controller left it and as the
/// re-run with empty memory leaves it.
#[test]
fn the_status_is_the_recorded_one() {
    let directory = tempfile::tempdir().expect("a scratch directory");
    let (mut compared, mut readable, mut agreeing) = (0, 0, 0);
    let mut differing = Vec::new();
    for recording in ["steady", "surge", "cooling", "settled"] {
        let server = ApiServer::replay(recording).https().start();
        let kubeconfig = server.kubeconfig();
        for name in NAMES {
            let snapshot = snapshot_with_empty_memory(&kubeconfig, name);
            let status = &snapshot["horizontalPodAutoscaler"]["status"];
            let file = directory.path().join("snapshot.json");
            std::fs::write(&file, snapshot.to_string()).expect("writable");
            let path = file.to_str().expect("a plain path");
            let again = run(&kubeconfig, &["--snapshot", path, "-o", "json"]);
            let document: Value = serde_json::from_str(stdout(&again)).expect("JSON");
            let prediction = &document["prediction"];
            assert_eq!(
                prediction["desiredReplicas"], status["desiredReplicas"],
                "{recording}/{name}"
            );
            // Live, the memory is unknown: the decision is among the possible.
            let live = explain(&kubeconfig, name);
            let live = match &live["prediction"]["desiredReplicas"] {
                Value::Null => live["possible"].as_array().expect("counts").clone(),
                decided => vec![decided.clone()],
            };
            let reported = &status["desiredReplicas"];
            assert!(live.contains(reported), "{recording}/{name}: {live:?}");
            let current = current_metrics(prediction);
            if READABLE.contains(&name) {
                assert_eq!(
                    Value::Array(current),
                    status["currentMetrics"],
                    "{recording}/{name}"
                );
                readable += 1;
            }
            let (predicted, reported) = (
                reasons(&prediction["conditions"]),
                reasons(&status["conditions"]),
            );
            if predicted == reported {
                agreeing += 1;
            } else {
                let differs = |(one, other): &(&String, &String)| one != other;
                let pairs = predicted.iter().zip(&reported).filter(differs);
                let texts = pairs.map(|(one, other)| format!("{one}, recorded {other}"));
                let texts: Vec<String> = texts.collect();
                differing.push(format!("{recording}/{name}: {}", texts.join("; ")));
            }
            compared += 1;
        }
    }
    assert_eq!(differing, DIFFERING);
    assert_eq!((compared, readable), (40, 20));
    assert_eq!(agreeing, 34);
}

/// A re-run with empty memory can tell neither what an earlier
/// recommendation held back, nor so which bound or policy the held count met.
const DIFFERING: [&str; 6] = [
    "surge/checkout: AbleToScale ReadyForNewScale, recorded AbleToScale ScaleDownStabilized; \
     ScalingLimited DesiredWithinRange, recorded ScalingLimited TooManyReplicas",
    "cooling/canary: ScalingLimited DesiredWithinRange, recorded ScalingLimited TooManyReplicas",
    "cooling/checkout: ScalingLimited DesiredWithinRange, recorded ScalingLimited TooManyReplicas",
    "cooling/web: ScalingLimited DesiredWithinRange, recorded ScalingLimited ScaleDownLimit",
    "settled/canary: ScalingLimited DesiredWithinRange, recorded ScalingLimited TooManyReplicas",
    "settled/checkout: ScalingLimited DesiredWithinRange, recorded ScalingLimited TooManyReplicas",
];

/// The HPAs whose metrics can be read; the others have no target, no
/// request, no replicas, or several HPAs on their pods.
const READABLE: [&str; 5] = ["canary", "checkout", "db", "keda-hpa-worker", "web"];

fn current_metrics(prediction: &Value) -> Vec<Value> {
    let metrics = prediction["metrics"].as_array().expect("metrics");
    let current = metrics.iter().map(|metric| metric["current"].clone());
    current.filter(|current| !current.is_null()).collect()
}

/// Type and reason of each condition.
fn reasons(conditions: &Value) -> Vec<String> {
    let conditions = conditions.as_array().expect("conditions").iter();
    let text = |condition: &Value| {
        let part = |name: &str| condition[name].as_str().expect("text").to_owned();
        format!("{} {}", part("type"), part("reason"))
    };
    conditions.map(text).collect()
}

/// Each failing metric says what the controller's own condition or event
/// says.
#[test]
fn failing_metrics_fail_in_the_controllers_words() {
    let mut failing = 0;
    for recording in ["metrics-down", "external-down", "no-metrics-api"] {
        let server = ApiServer::replay(recording).https().start();
        let kubeconfig = server.kubeconfig();
        for name in NAMES {
            let document = explain(&kubeconfig, name);
            let snapshot = snapshot_with_empty_memory(&kubeconfig, name);
            let said = said(&snapshot);
            // Where no metric is looked at, none is said to fail.
            let scaling_active = condition(
                &snapshot["horizontalPodAutoscaler"]["status"]["conditions"],
                "ScalingActive",
            );
            if ["controlled by multiple", "scaling is disabled"]
                .iter()
                .any(|text| scaling_active.contains(text))
            {
                continue;
            }
            for metric in document["trace"]["metrics"].as_array().expect("metrics") {
                let result = &metric["result"];
                if result["outcome"] != "failed" {
                    continue;
                }
                let message = result["message"].as_str().expect("text");
                assert!(
                    said.iter().any(|text| text.ends_with(message)),
                    "{recording}/{name}: {message}\n{said:#?}"
                );
                failing += 1;
            }
        }
    }
    assert_eq!(failing, 17);
}

/// What the controller's conditions and events say.
fn said(snapshot: &Value) -> Vec<String> {
    let conditions = &snapshot["horizontalPodAutoscaler"]["status"]["conditions"];
    let lists = [conditions, &snapshot["events"]].map(|list| list.as_array().cloned());
    let all = lists.into_iter().flatten().flatten();
    all.map(|one| one["message"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn the_controllers_flags_and_the_servers_clock_are_read() {
    let server = ApiServer::replay("steady").https().start();
    let document = explain(&server.kubeconfig(), "web");
    let basis = &document["trace"]["basis"];
    assert_eq!(basis["release"]["version"], "v1.36.2");
    assert_eq!(basis["settings"][0]["origin"], "seen");
    let at = document["trace"]["at"].as_str().expect("a time");
    assert!(at.starts_with("2026-11-20T08:02:2"), "{at}");
}

/// A failure is only claimed of HPAs whose own conditions show it, as what
/// the last pass met.
#[test]
fn what_we_may_not_read_is_no_failure_of_the_controller() {
    let server = ApiServer::replay("forbidden").https().start();
    let kubeconfig = server.kubeconfig();
    let mut failing = Vec::new();
    for name in NAMES {
        let document = explain(&kubeconfig, name);
        assert!(document["prediction"].is_null(), "{name}");
        let trace = &document["trace"];
        for condition in trace["conditions"].as_array().expect("conditions") {
            assert_eq!(condition["status"], "Unknown", "{name}");
        }
        for metric in trace["metrics"].as_array().expect("metrics") {
            assert_eq!(metric["result"]["outcome"], "unreadable", "{name}");
        }
        let shows_failure = |condition: &Value| {
            condition["status"] == "False"
                && (condition["type"] == "AbleToScale" || condition["type"] == "ScalingActive")
                && condition["reason"] != "ScalingDisabled"
        };
        let reported = trace["reported"]["conditions"].as_array();
        let fails = reported.expect("conditions").iter().any(shows_failure);
        let output = run(&kubeconfig, &[name, "-n", "shop"]);
        let text = stdout(&output);
        assert_eq!(text.contains("Failing at the last pass"), fails, "{text}");
        assert_eq!(text.contains("Failing"), fails, "{text}");
        if fails {
            failing.push(name);
        }
    }
    let expected = [
        "api", "canary", "checkout", "db", "ghost", "twin-a", "twin-b", "web",
    ];
    assert_eq!(failing, expected);
}

#[test]
fn a_metrics_api_that_is_down_reads_as_the_controller_says() {
    let rows = [
        ("metrics-down", "canary"),
        ("external-down", "keda-hpa-worker"),
        ("no-metrics-api", "canary"),
    ];
    for (recording, name) in rows {
        let server = ApiServer::replay(recording).https().start();
        let document = explain(&server.kubeconfig(), name);
        let snapshot = snapshot_with_empty_memory(&server.kubeconfig(), name);
        let conditions = &snapshot["horizontalPodAutoscaler"]["status"]["conditions"];
        let reported = condition(conditions, "ScalingActive");
        let predicted = condition(&document["prediction"]["conditions"], "ScalingActive");
        assert_eq!(predicted, reported, "{recording}/{name}");
        assert!(!predicted.is_empty(), "{recording}/{name}");
    }
}

fn condition(conditions: &Value, kind: &str) -> String {
    let conditions = conditions.as_array().expect("conditions");
    let found = conditions
        .iter()
        .find(|condition| condition["type"] == kind);
    found.map_or_else(String::new, |condition| condition["message"].to_string())
}

#[test]
fn few_requests_and_no_verb_but_get() {
    // A server that sees another verb makes its test fail.
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    // A kind that is not built in is looked up; every other metric is asked
    // for; several HPAs of the namespace scale Deployments and StatefulSets; two are
    // at their maximum, where quotas and limit ranges matter.
    let rows = [("api", 12), ("db", 12), ("canary", 15), ("web", 16)];
    for (name, most) in rows {
        server.forget_log();
        explain(&kubeconfig, name);
        let log = server.log();
        let targets: Vec<&str> = log.iter().map(|entry| entry.target.as_str()).collect();
        assert!(log.len() <= most, "{name}: {targets:#?}");
        assert!(log.iter().all(|entry| entry.method == "GET"));
        let discovers = |target: &&&str| target.matches('/').count() <= 3 && **target != "/version";
        let lookups = targets.iter().filter(discovers).count();
        assert_eq!(lookups, usize::from(name == "canary"), "{targets:#?}");
    }
}

/// What the controller said of several HPAs on the same pods counts where we
/// cannot see the others.
#[test]
fn several_hpas_on_the_same_pods_by_the_controllers_word() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let list = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers$";
    let faults = [
        Fault::Status(403),
        Fault::Latency(std::time::Duration::from_secs(60)),
    ];
    for fault in faults {
        let id = server.fault(list, fault);
        let document = explain(&kubeconfig, "twin-a");
        server.lift(id);
        let active = condition(&document["prediction"]["conditions"], "ScalingActive");
        assert!(active.contains("[shop/twin-a shop/twin-b]"), "{active}");
    }
}

/// Only the group of a target's apiVersion counts; a kind that nothing serves
/// is the controller's failure, a discovery that fails is not.
#[test]
fn the_kind_of_a_target_is_looked_up_as_the_controller_does() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let hpa = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/canary";
    let snapshot = snapshot_with_empty_memory(&kubeconfig, "canary");
    let outcome = |kind: &str, version: &str| {
        let mut document = snapshot["horizontalPodAutoscaler"].clone();
        document["spec"]["scaleTargetRef"]["kind"] = json!(kind);
        document["spec"]["scaleTargetRef"]["apiVersion"] = json!(version);
        server.put(hpa, &document);
        let document = explain(&kubeconfig, "canary");
        let scale = &document["trace"]["scale"];
        let text = scale["error"].as_str().unwrap_or("read");
        format!("{}: {text}", scale["rule"].as_str().expect("a rule"))
    };
    let read = || "scale.read: read".to_owned();
    let none = |kind: &str, group: &str| {
        format!("scale.no-mapping: no matches for kind {kind:?} in group {group:?}")
    };
    let rows = [
        ("Rollout", "argoproj.io/v1alpha1", read()),
        ("Rollout", "argoproj.io/v9", read()),
        (
            "Rolling",
            "argoproj.io/v1alpha1",
            none("Rolling", "argoproj.io"),
        ),
        ("Rollout", "example.com/v1", none("Rollout", "example.com")),
        (
            "Deployment",
            "extensions/v1beta1",
            none("Deployment", "extensions"),
        ),
        ("Deployment", "", none("Deployment", "")),
    ];
    for (kind, version, expected) in &rows {
        assert_eq!(outcome(kind, version), *expected, "{version} {kind}");
    }
    server.fault("/apis/argoproj.io/v1alpha1$", Fault::Status(500));
    let text = outcome("Rollout", "argoproj.io/v1alpha1");
    assert!(text.starts_with("scale.unreadable: "), "{text}");
}

/// metrics-server before 0.5 does not repeat the pods' labels.
#[test]
fn samples_without_labels_are_those_of_their_pods() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let measured = |document: &Value| document["trace"]["metrics"][0]["measured"].clone();
    let before = measured(&explain(&kubeconfig, "canary"));
    let snapshot = snapshot_with_empty_memory(&kubeconfig, "canary");
    let mut samples = snapshot["metrics"]["resource"]["response"].clone();
    samples["kind"] = json!("PodMetricsList");
    samples["apiVersion"] = json!("metrics.k8s.io/v1beta1");
    for sample in samples["items"].as_array_mut().expect("samples") {
        let metadata = sample["metadata"].as_object_mut().expect("metadata");
        assert!(metadata.remove("labels").is_some());
    }
    let path = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app%3Dcanary";
    server.put(path, &samples);
    assert_eq!(measured(&explain(&kubeconfig, "canary")), before);
}

/// Adapters may serve only the older version of the custom metrics API.
#[test]
fn custom_metrics_of_the_older_version() {
    let path = "/namespaces/shop/pods/%2A/http_requests?labelSelector=app%3Dweb";
    let group = "/apis/custom.metrics.k8s.io";
    let version = json!({"groupVersion": "custom.metrics.k8s.io/v1beta1", "version": "v1beta1"});
    let values: Vec<Value> = (0..12)
        .map(|number| {
            json!({
                "describedObject": {"kind": "Pod", "namespace": "shop", "name": format!("p-{number}")},
                "metricName": "http_requests",
                "timestamp": "2026-11-20T08:02:18Z",
                "window": 30,
                "value": "18",
                "selector": null,
            })
        })
        .collect();
    let server = ApiServer::replay("steady")
        .https()
        .put(
            group,
            &json!({
                "kind": "APIGroup",
                "apiVersion": "v1",
                "name": "custom.metrics.k8s.io",
                "versions": [version],
                "preferredVersion": version,
            }),
        )
        .put(
            &format!("{group}/v1beta1{path}"),
            &apiserver::list_document("MetricValueList", "custom.metrics.k8s.io/v1beta1", &values),
        )
        .start();
    server.fault(&format!("{group}/v1beta2"), Fault::Text(404));
    let document = explain(&server.kubeconfig(), "web");
    let metric = &document["trace"]["metrics"][1];
    assert_eq!(metric["result"]["outcome"], "proposed", "{metric:#}");
    assert_eq!(metric["measured"]["average"], 18_000);
    assert_eq!(metric["measured"]["count"], 12);
}

/// Requests of the first stage are sent before it is known that they can
/// share a connection.
#[test]
fn all_requests_share_one_connection() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    for run in 0..3 {
        server.forget_log();
        explain(&kubeconfig, "api");
        let log = server.log();
        assert!(log.iter().all(|entry| entry.connection == run), "{log:#?}");
        assert!(log.len() > 5);
    }
}

/// The HPA and the version; the scale; the pods and their metrics. What is
/// beside them waits for no more.
#[test]
fn three_stages_of_requests() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    server.fault("/", Fault::Latency(std::time::Duration::from_millis(100)));
    explain(&kubeconfig, "api");
    let log = server.log();
    let stages: Vec<(usize, &str)> = log
        .iter()
        .map(|entry| (entry.stage, entry.target.as_str()))
        .collect();
    let needed = [
        (
            1,
            "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/api",
        ),
        (1, "/version"),
        (2, "/apis/apps/v1/namespaces/shop/deployments/api/scale"),
        (
            3,
            "/api/v1/namespaces/shop/pods?labelSelector=app%3Dapi&limit=500",
        ),
        (
            3,
            "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app%3Dapi",
        ),
    ];
    for (stage, target) in needed {
        assert!(stages.contains(&(stage, target)), "{target}: {stages:#?}");
    }
    assert!(stages.iter().all(|(stage, _)| *stage <= 3), "{stages:#?}");
    assert!(log.len() <= 12, "{stages:#?}");
}

/// A target's HPAs are found by a list, which then tells of its neighbours,
/// too, and of the HPA itself.
#[test]
fn three_stages_by_target() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    server.fault("/", Fault::Latency(std::time::Duration::from_millis(100)));
    explain(&kubeconfig, "deploy/api");
    let log = server.log();
    let stages: Vec<(usize, &str)> = log
        .iter()
        .map(|entry| (entry.stage, entry.target.as_str()))
        .collect();
    assert!(stages.iter().all(|(stage, _)| *stage <= 3), "{stages:#?}");
    assert!(log.len() <= 11, "{stages:#?}");
    let lists = log
        .iter()
        .filter(|entry| entry.path().ends_with("/horizontalpodautoscalers"));
    assert_eq!(lists.count(), 1);
}

#[test]
fn every_failure_names_the_next_step() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let rows: [(&[&str], &str); 5] = [
        (
            &["nosuch", "-n", "shop"],
            "Error from server (NotFound): horizontalpodautoscalers.autoscaling \"nosuch\" not found",
        ),
        (
            &["web", "--context", "nosuch"],
            "context \"nosuch\" does not exist",
        ),
        (
            &["web", "--kubeconfig", "/nowhere/config"],
            "/nowhere/config: no such file",
        ),
        (
            &["deploy/nosuch", "-n", "shop"],
            "no HPA in namespace shop points to deploy/nosuch",
        ),
        (&["-o", "snapshot"], "no HPA is named"),
    ];
    for (arguments, text) in rows {
        let output = run(&kubeconfig, arguments);
        // Only the last one is a mistake of usage.
        let code = if text == "no HPA is named" { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(
            stderr(&output).contains(text),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(stderr(&output).contains("hint: "), "{arguments:?}");
    }
    server.stop();
    let output = run(&kubeconfig, &["web", "-n", "shop"]);
    assert!(
        stderr(&output).contains("was refused"),
        "{}",
        stderr(&output)
    );
}

/// One that cannot be read does not hide the others.
#[test]
fn several_names() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let names = [
        "api",
        "nosuch",
        "deploy/twin",
        "rollout/canary",
        "hpa/api",
        "-n",
        "shop",
    ];
    let output = run(&kubeconfig, &[&names[..], &["-o", "json"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let documents = stdout(&output).lines().map(|line| {
        let document: Value = serde_json::from_str(line).expect("JSON");
        let name = document["name"].as_str().or(document["error"].as_str());
        name.expect("a name or an error").to_owned()
    });
    let nosuch =
        "Error from server (NotFound): horizontalpodautoscalers.autoscaling \"nosuch\" not found";
    let expected = ["api", nosuch, "twin-a", "twin-b", "canary"];
    assert_eq!(documents.collect::<Vec<_>>(), expected);
    assert_eq!(stderr(&output).matches("hint: ").count(), 1);
}

#[test]
fn a_server_that_does_not_answer_is_given_up() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    server.fault("/", Fault::Latency(std::time::Duration::from_secs(30)));
    let started = std::time::Instant::now();
    let output = run(
        &kubeconfig,
        &["web", "-n", "shop", "--request-timeout", "1s"],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("did not answer within 1s"),
        "{}",
        stderr(&output)
    );
    assert!(started.elapsed().as_secs() < 10);
}

/// A field selector has no *or*: what is of neither is left out here.
#[test]
fn the_events_of_the_hpa_and_of_its_target_come_with_one_request() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let rows = [
        (
            "api",
            "Deployment api",
            "fieldSelector=involvedObject.name%3Dapi&",
        ),
        (
            "checkout",
            "Deployment checkout",
            "fieldSelector=involvedObject.name%3Dcheckout&",
        ),
        (
            "keda-hpa-worker",
            "Deployment worker",
            "fieldSelector=involvedObject.kind%21%3DPod%2CinvolvedObject.kind%21%3DReplicaSet%2C",
        ),
    ];
    for (name, target, query) in rows {
        server.forget_log();
        let snapshot = snapshot_with_empty_memory(&kubeconfig, name);
        let log = server.log();
        let mut asked = log.iter().filter(|entry| entry.target.contains("/events"));
        let events = asked.next().expect("a request");
        assert!(events.target.contains(query), "{}", events.target);
        assert!(asked.next().is_none(), "{name}");
        let events = snapshot["events"].as_array().expect("events").iter();
        let mut about: Vec<String> = events
            .map(|event| {
                let about = &event["involvedObject"];
                let part = |part: &str| about[part].as_str().expect("text").to_owned();
                format!("{} {}", part("kind"), part("name"))
            })
            .collect();
        about.sort();
        about.dedup();
        let hpa = format!("HorizontalPodAutoscaler {name}");
        assert_eq!(about, [target.to_owned(), hpa], "{name}");
    }
}

/// What tells of earlier passes is in every snapshot, a redacted one, too.
#[test]
fn who_wrote_the_hpa_and_when_is_kept() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let mut with_status = 0;
    for name in NAMES {
        let snapshot = snapshot_with_empty_memory(&kubeconfig, name);
        assert_eq!(snapshot["provenance"]["redacted"], true, "{name}");
        let metadata = &snapshot["horizontalPodAutoscaler"]["metadata"];
        let writers = metadata["managedFields"].as_array().expect("writers");
        for writer in writers {
            assert!(!writer["manager"].as_str().expect("a name").is_empty());
            assert!(writer["time"].is_string(), "{name}: {writer}");
        }
        let is_status = |writer: &&Value| writer["subresource"] == "status";
        with_status += writers.iter().filter(is_status).count();
        assert!(metadata["creationTimestamp"].is_string(), "{name}");
    }
    assert_eq!(with_status, NAMES.len());
}
