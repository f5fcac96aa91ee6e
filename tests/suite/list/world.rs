//! HPAs made up for a list, as the documents of a snapshot file.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::support::apiserver::{ApiServer, list_document};

pub const NOW: &str = "2026-11-20T08:00:00Z";

/// An HPA of four pods, 2 to 6, that use so much of the 100m they request;
/// the target is 50%. The controller remembers nothing.
pub fn hpa(namespace: &str, name: &str, usage: &str) -> Value {
    let meta =
        |name: String| json!({ "name": name, "namespace": namespace, "labels": { "app": name } });
    let of_pod = |number: usize| {
        let mut meta = meta(format!("{name}-{number}"));
        meta["labels"] = json!({ "app": "a" });
        meta
    };
    let pod = |number: usize| {
        json!({
            "metadata": of_pod(number),
            "spec": { "containers": [{ "name": "app", "resources": { "requests": { "cpu": "100m" } } }] },
            "status": { "phase": "Running", "startTime": "2026-11-20T06:00:00Z",
                "conditions": [{ "type": "Ready", "status": "True", "lastTransitionTime": "2026-11-20T06:01:00Z" }] },
        })
    };
    let sample = |number: usize| {
        json!({
            "metadata": of_pod(number), "timestamp": NOW, "window": "15s",
            "containers": [{ "name": "app", "usage": { "cpu": usage } }],
        })
    };
    let mut metadata = meta(name.to_owned());
    metadata["creationTimestamp"] = json!("2026-11-18T08:00:00Z");
    json!({
        "apiVersion": "hpa-explain/v1", "kind": "Snapshot", "capturedAt": NOW, "serverVersion": "v1.36.2",
        "horizontalPodAutoscaler": {
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata,
            "spec": {
                "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": name },
                "minReplicas": 2, "maxReplicas": 6,
                "metrics": [{ "type": "Resource", "resource": { "name": "cpu",
                    "target": { "type": "Utilization", "averageUtilization": 50 } } }],
            },
            "status": { "currentReplicas": 4, "desiredReplicas": 4,
                "lastScaleTime": "2026-11-20T07:00:00Z",
                "conditions": [{ "type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale",
                    "message": "", "lastTransitionTime": "2026-11-20T07:00:00Z" }] },
        },
        "scale": { "response": { "spec": { "replicas": 4 }, "status": { "replicas": 4, "selector": "app=a" } } },
        "history": { "recommendations": [], "scaleUpEvents": [], "scaleDownEvents": [] },
        "pods": (0..4).map(pod).collect::<Vec<_>>(),
        "metrics": { "resource": { "response": { "items": (0..4).map(sample).collect::<Vec<_>>() } } },
    })
}

/// One at maxReplicas that wants more.
pub fn at_max(namespace: &str, name: &str) -> Value {
    let mut hpa = hpa(namespace, name, "90m");
    hpa["horizontalPodAutoscaler"]["spec"]["maxReplicas"] = json!(4);
    hpa
}

/// One without pods.
pub fn failing(namespace: &str, name: &str) -> Value {
    let mut hpa = hpa(namespace, name, "50m");
    hpa["pods"] = json!([]);
    hpa
}

/// A file of documents, one a line.
pub fn file_of(documents: &[Value]) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile();
    let file_mut = file.as_mut().expect("a scratch file");
    for document in documents {
        writeln!(file_mut, "{document}").expect("writable");
    }
    file.expect("a scratch file")
}

/// Runs the binary on a file, with so many columns or no end to a line.
pub fn run_on(file: &Path, columns: Option<usize>, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
    command.args(arguments).arg("--snapshot").arg(file);
    command.env_clear().env("TZ", "UTC");
    if let Some(columns) = columns {
        command.env("COLUMNS", columns.to_string());
    }
    command.output().expect("the binary runs")
}

/// A cluster of a version that has the HPAs of these documents, each with a
/// Deployment and pods of its own.
pub fn cluster_of(documents: &[Value], version: &str) -> ApiServer {
    let mut objects: [Vec<Value>; 4] = Default::default();
    let mut external = Vec::new();
    for document in documents {
        let mut hpa = document["horizontalPodAutoscaler"].clone();
        hpa["apiVersion"] = json!("autoscaling/v2");
        let (metadata, replicas) = (
            &hpa["metadata"],
            &document["scale"]["response"]["spec"]["replicas"],
        );
        let labels = json!({ "app": metadata["name"] });
        objects[1].push(json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
            "spec": { "replicas": replicas, "selector": { "matchLabels": labels } },
            "status": { "replicas": replicas },
        }));
        let samples = &document["metrics"]["resource"]["response"]["items"];
        for (kind, own) in [(2, &document["pods"]), (3, samples)] {
            objects[kind].extend(own.as_array().into_iter().flatten().map(|object| {
                let mut object = object.clone();
                object["metadata"]["labels"] = labels.clone();
                object
            }));
        }
        for asked in document["metrics"]["external"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let (namespace, name) = (&metadata["namespace"], &asked["metric"]);
            let texts = [namespace, name].map(|it| it.as_str().expect("a text").to_owned());
            external.push((texts, asked["response"]["items"].clone()));
        }
        objects[0].push(hpa);
    }
    let lists = [
        (
            "/apis/autoscaling/v2/horizontalpodautoscalers",
            "HorizontalPodAutoscalerList",
        ),
        ("/apis/apps/v1/deployments", "DeploymentList"),
        ("/api/v1/pods", "PodList"),
        ("/apis/metrics.k8s.io/v1beta1/pods", "PodMetricsList"),
    ];
    let server = ApiServer::empty().at(NOW.parse().expect("a time"));
    let mut server = server.put("/version", &json!({ "gitVersion": version }));
    for ((path, kind), objects) in lists.into_iter().zip(objects) {
        let parts: Vec<&str> = path.split('/').collect();
        let group = parts[2..parts.len() - 1].join("/");
        server = server.put(path, &list_document(kind, &group, &objects));
    }
    for ([namespace, name], items) in external {
        let path = format!("/apis/external.metrics.k8s.io/v1beta1/namespaces/{namespace}/{name}");
        let list = json!({ "kind": "ExternalMetricValueList",
            "apiVersion": "external.metrics.k8s.io/v1beta1", "metadata": {}, "items": items });
        server = server.put(&path, &list);
    }
    server.https().at_a_standstill().start()
}
