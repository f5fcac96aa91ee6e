//! What a list derives of many HPAs is what asking for each of them gives.

#[path = "support/apiserver/mod.rs"]
mod apiserver;

use std::time::Duration;

use apiserver::{ApiServer, list_document};
use hpa_explain::collect::{Cluster, Patience, Reader, Scope, client, collect, survey};
use hpa_explain::snapshot::{PodMetrics, Selector, Snapshot, Wording};
use jiff::Timestamp;
use serde_json::{Value, json};

const PATIENCE: Patience = Patience {
    request: Duration::from_secs(60),
    whole: Duration::from_secs(120),
};

fn reader(server: &ApiServer) -> Reader {
    let url = server.url().parse().expect("a URL");
    let client = client(kube::Config::new(url)).expect("a client");
    Reader::new(client, PATIENCE)
}

fn block_on<T>(task: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(task)
}

/// The snapshots of a survey of the namespace `shop`.
fn surveyed(server: &ApiServer, labels: Option<&Selector>) -> Vec<Snapshot> {
    block_on(async {
        let reader = reader(server);
        let cluster = Cluster::new(&reader);
        let scope = Scope {
            namespace: Some("shop"),
            labels,
            full: true,
        };
        let survey = survey(&cluster, scope, Timestamp::UNIX_EPOCH).await;
        let survey = survey.expect("HPAs");
        let snapshots = survey.snapshots();
        snapshots.map(|one| one.expect("a snapshot")).collect()
    })
}

fn collected(server: &ApiServer, name: &str) -> Snapshot {
    block_on(async {
        let reader = reader(server);
        let cluster = Cluster::new(&reader);
        let snapshot = collect(&cluster, "shop", name, Timestamp::UNIX_EPOCH).await;
        snapshot.expect("a snapshot")
    })
}

fn name(snapshot: &Snapshot) -> &str {
    &snapshot.horizontal_pod_autoscaler.metadata.name
}

/// What a pass is computed from, in an order of its own. The samples of the
/// recordings depend on how they are asked for: of them the names remain.
fn inputs(snapshot: &Snapshot) -> Value {
    let sample_name = |sample: &PodMetrics| sample.metadata.name.to_string();
    let mut pods = snapshot.pods.clone();
    pods.sort_by(|one, other| one.metadata.name.cmp(&other.metadata.name));
    let resource = snapshot.metrics.resource.as_ref();
    let mut samples: Vec<String> = resource
        .and_then(|answer| answer.response.as_ref())
        .into_iter()
        .flat_map(|list| list.items.iter().map(sample_name))
        .collect();
    samples.sort_unstable();
    // What a custom kind selects is not asked for a single explanation.
    let mut others = snapshot.other_autoscalers.clone();
    others.retain(|other| other.name != "canary");
    others.sort_by(|one, other| one.name.cmp(&other.name));
    json!({
        "hpa": snapshot.horizontal_pod_autoscaler,
        "version": snapshot.server_version,
        "flags": snapshot.controller,
        "scale": snapshot.scale,
        "pods": pods,
        "samples": samples,
        "samplesFailed": resource.and_then(|answer| answer.error.as_ref()),
        "custom": snapshot.metrics.custom,
        "external": snapshot.metrics.external,
        "others": others,
    })
}

#[test]
fn lists_hold_what_single_requests_return() {
    let mut compared = 0;
    for recording in [
        "steady",
        "surge",
        "cooling",
        "settled",
        "metrics-down",
        "external-down",
        "no-metrics-api",
    ] {
        let server = ApiServer::replay(recording).start();
        for snapshot in surveyed(&server, None) {
            let name = name(&snapshot);
            let single = collected(&server, name);
            assert_eq!(inputs(&snapshot), inputs(&single), "{recording}/{name}");
            compared += 1;
        }
    }
    assert_eq!(compared, 70);
}

#[test]
fn selectors_of_every_form_are_written_as_the_api_server_writes_them() {
    let labels = |labels: Value| json!({ "matchLabels": labels });
    let rows = [
        ("Deployment", labels(json!({"b": "2", "a": "1"})), "a=1,b=2"),
        (
            "StatefulSet",
            json!({"matchExpressions": [
                {"key": "tier", "operator": "NotIn", "values": ["z", "y"]},
                {"key": "app", "operator": "Exists"},
            ]}),
            "app,tier notin (y,z)",
        ),
        ("ReplicaSet", labels(json!({"app": "web"})), "app=web"),
        ("ReplicationController", json!({"app": "web"}), "app=web"),
    ];
    for (kind, selector, text) in &rows {
        let server = ApiServer::empty().start();
        let (version, base) = match *kind {
            "ReplicationController" => ("v1", "/api/v1"),
            _ => ("apps/v1", "/apis/apps/v1"),
        };
        let plural = format!("{}s", kind.to_lowercase());
        let workload = json!({
            "apiVersion": version, "kind": kind,
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "replicas": 4, "selector": selector }, "status": { "replicas": 3 },
        });
        let hpa = json!({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "maxReplicas": 5, "scaleTargetRef":
                { "apiVersion": version, "kind": kind, "name": "web" } },
        });
        let empty = |kind, version| list_document(kind, version, &[]);
        server.put("/api/v1/namespaces/shop/pods", &empty("PodList", "v1"));
        server.put(
            "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods",
            &empty("PodMetricsList", "metrics.k8s.io/v1beta1"),
        );
        server.put(
            &format!("{base}/namespaces/shop/{plural}"),
            &list_document(&format!("{kind}List"), version, &[workload]),
        );
        server.put(
            "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers",
            &list_document("HorizontalPodAutoscalerList", "autoscaling/v2", &[hpa]),
        );
        let snapshots = surveyed(&server, None);
        let [snapshot] = snapshots.as_slice() else {
            panic!("{kind}: not one");
        };
        let scale = snapshot.scale.response.as_ref().expect(kind);
        assert_eq!(scale.status.selector, *text, "{kind}");
        assert_eq!((scale.spec.replicas, scale.status.replicas), (4, 3));
        assert_eq!(snapshot.scale, collected(&server, "web").scale, "{kind}");
    }
    assert_eq!(rows.len(), 4);
}

#[test]
fn who_is_not_wanted_is_not_in_it() {
    let server = ApiServer::replay("steady").start();
    let worker = Selector::parse("app.kubernetes.io/part-of=worker", Wording::LabelKey);
    let snapshots = surveyed(&server, Some(&worker.expect("a selector")));
    let names: Vec<&str> = snapshots.iter().map(name).collect();
    assert_eq!(names, ["keda-hpa-worker"]);
    let pods = &snapshots[0].pods;
    assert!(
        pods.iter()
            .all(|pod| pod.metadata.name.starts_with("worker-"))
    );
    assert_eq!(pods.len(), 8);
}

#[test]
fn at_most_eight_requests_are_under_way() {
    let server = ApiServer::replay("steady").start();
    let hpas: Vec<Value> = (0..40)
        .map(|number| {
            let external = |metric: u32| {
                json!({ "type": "External", "external": {
                    "metric": { "name": format!("queue-{number}-{metric}") },
                    "target": { "type": "Value", "value": "5" } } })
            };
            json!({
                "metadata": { "name": format!("web-{number}"), "namespace": "shop" },
                "spec": { "maxReplicas": 5, "metrics": [external(1), external(2)],
                    "scaleTargetRef": {
                        "apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "name": "canary" } },
            })
        })
        .collect();
    let list = list_document("HorizontalPodAutoscalerList", "autoscaling/v2", &hpas);
    server.put(
        "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers",
        &list,
    );
    server.fault(
        "/apis/argoproj.io/v1alpha1/namespaces",
        apiserver::Fault::Latency(Duration::from_millis(5)),
    );
    server.fault(
        "/apis/external.metrics.k8s.io",
        apiserver::Fault::Latency(Duration::from_millis(5)),
    );
    assert_eq!(surveyed(&server, None).len(), 40);
    let log = server.log();
    let of = |part: &str| {
        let entries = log.iter().filter(|entry| entry.target.contains(part));
        let most = entries.clone().map(|entry| entry.in_flight).max();
        (entries.count(), most.unwrap_or_default())
    };
    assert_eq!(of("/canary/scale").0, 40);
    assert_eq!(of("/external.metrics.k8s.io").0, 80);
    // Beside them, the controller's pods and lease, the pods, the samples.
    for part in ["/canary/scale", "/external.metrics.k8s.io"] {
        let (_, most) = of(part);
        assert!((4..=8 + 4).contains(&most), "{part}: {most}");
    }
}
