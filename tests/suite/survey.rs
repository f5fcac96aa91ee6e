//! What a list derives of many HPAs is what asking for each of them gives.

use std::time::Duration;

use crate::support::apiserver::{ApiServer, Fault, list_document};
use hpa_explain::api::{Event, PodMetrics, Selector, Wording};
use hpa_explain::collect::{Cluster, Patience, Reader, Scope, client, collect, survey};
use hpa_explain::document::snapshot::{Part, Snapshot};
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
    survey_of(server, Some("shop"), labels)
}

/// The snapshots of a survey of a namespace, or of all.
fn survey_of(
    server: &ApiServer,
    namespace: Option<&str>,
    labels: Option<&Selector>,
) -> Vec<Snapshot> {
    survey_by(
        server,
        Scope {
            namespace,
            labels,
            metrics: Some(|_, _| true),
            ..Scope::default()
        },
    )
}

fn survey_by(server: &ApiServer, scope: Scope<'_>) -> Vec<Snapshot> {
    block_on(async {
        let reader = reader(server);
        let cluster = Cluster::new(&reader);
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
    &snapshot.hpa.metadata.name
}

/// What a pass is computed from, in an order of its own. The samples of the
/// recordings depend on how they are asked for: of them the names remain.
fn inputs(snapshot: &Snapshot) -> Value {
    let sample_name = |sample: &PodMetrics| sample.metadata.name.to_string();
    let mut pods = snapshot.pods.clone();
    pods.sort_by(|one, other| one.metadata.name.cmp(&other.metadata.name));
    let resource = snapshot.metrics.resource.as_ref();
    let mut samples: Vec<String> = resource
        .and_then(|answer| answer.response())
        .into_iter()
        .flat_map(|list| list.items.iter().map(sample_name))
        .collect();
    samples.sort_unstable();
    // `canary` scales a Rollout. The survey asks for the scale of every custom
    // kind, an explanation asks for its own alone: it says in `notRead` that
    // the other is not asked for. Once an explanation asks for a neighbour's
    // scale where the kind is mapped already, that is where this line ends:
    // for `canary` itself, and for whoever finds its kind by discovery.
    let mut others = snapshot.other_autoscalers.clone();
    others.retain(|other| other.name != "canary");
    others.sort_by(|one, other| one.name.cmp(&other.name));
    // Those of the targets are left to an explanation.
    let is_of_hpa = |event: &&Event| event.involved_object.kind == "HorizontalPodAutoscaler";
    let events: Vec<&Event> = snapshot
        .events
        .iter()
        .map(AsRef::as_ref)
        .filter(is_of_hpa)
        .collect();
    json!({
        "hpa": snapshot.hpa,
        "version": snapshot.server_version,
        "flags": snapshot.controller,
        "scale": snapshot.scale,
        "pods": pods,
        "samples": samples,
        "samplesFailed": resource.and_then(|answer| answer.error()),
        "custom": snapshot.metrics.custom,
        "external": snapshot.metrics.external,
        "others": others,
        "lease": snapshot.controller_lease,
        "events": events,
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

/// All of a snapshot but the moment and the order of objects.
fn whole(snapshot: &Snapshot) -> Value {
    let mut document = serde_json::to_value(snapshot).expect("JSON");
    let fields = document.as_object_mut().expect("an object");
    fields.remove("capturedAt");
    // A list does not repeat these.
    for repeated in ["apiVersion", "kind"] {
        let target = fields.get_mut("target").and_then(Value::as_object_mut);
        target.and_then(|target| target.remove(repeated));
    }
    for list in ["events", "replicaSets", "verticalPodAutoscalers"] {
        if let Some(Value::Array(items)) = fields.get_mut(list) {
            items.sort_by_key(Value::to_string);
        }
    }
    let inputs = inputs(snapshot);
    let inputs = inputs.as_object().expect("an object");
    for (place, list) in [("pods", "pods"), ("otherAutoscalers", "others")] {
        fields.insert(place.to_owned(), inputs[list].clone());
    }
    fields["metrics"]["resource"] = inputs["samples"].clone();
    // What limits the pods is read for one HPA alone.
    fields.remove("room");
    // See `canary` above.
    let missing = fields["provenance"]
        .get("notRead")
        .and_then(Value::as_array);
    let missing = missing.into_iter().flatten().cloned();
    let of_others = |one: &Value| one["part"] == "otherAutoscalers";
    let missing: Vec<Value> = missing.filter(|one| !of_others(one)).collect();
    fields.insert("provenance".to_owned(), json!(missing));
    document
}

#[test]
fn a_whole_survey_holds_all_that_single_requests_return() {
    let mut compared = 0;
    for recording in [
        "steady",
        "surge",
        "metrics-down",
        "external-down",
        "no-metrics-api",
    ] {
        let server = ApiServer::replay(recording).start();
        let scope = Scope {
            namespace: Some("shop"),
            metrics: Some(|_, _| true),
            whole: true,
            ..Scope::default()
        };
        for snapshot in survey_by(&server, scope) {
            let name = name(&snapshot);
            let single = collected(&server, name);
            let (one, other) = (whole(&snapshot), whole(&single));
            let fields = one.as_object().expect("an object").keys();
            assert!(fields.eq(other.as_object().expect("an object").keys()));
            for (field, value) in one.as_object().into_iter().flatten() {
                assert_eq!(*value, other[field], "{recording}/{name}: {field}");
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 50);
}

/// metrics-server before 0.5 does not repeat the pods' labels.
#[test]
fn samples_without_labels_are_those_of_their_pods() {
    let server = ApiServer::replay("steady").start();
    let before = surveyed(&server, None);
    let mut samples: Vec<Value> = Vec::new();
    for snapshot in &before {
        let answer = snapshot.metrics.resource.as_ref();
        let list = answer.and_then(|answer| answer.response());
        samples.extend(list.into_iter().flat_map(|list| &list.items).map(|sample| {
            let mut sample = serde_json::to_value(sample).expect("JSON");
            sample["metadata"]
                .as_object_mut()
                .expect("metadata")
                .remove("labels");
            sample
        }));
    }
    samples.sort_by_key(Value::to_string);
    samples.dedup();
    let list = list_document("PodMetricsList", "metrics.k8s.io/v1beta1", &samples);
    server.put("/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods", &list);
    for (before, after) in before.iter().zip(surveyed(&server, None)) {
        assert_eq!(inputs(before), inputs(&after), "{}", name(before));
        assert_eq!(
            before.metrics.resource,
            after.metrics.resource,
            "{}",
            name(before)
        );
    }
    assert!(samples.len() > 10, "{}", samples.len());
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
        let scale = snapshot.scale.response().expect(kind);
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
fn a_target_that_is_not_there_is_what_the_controller_finds() {
    let server = ApiServer::replay("steady").start();
    let all = surveyed(&server, None);
    let target = |snapshot: &Snapshot| {
        let mut missing = snapshot.provenance.not_read.iter();
        let missing = missing.find(|one| one.part == Part::Target);
        (
            snapshot.target.is_some(),
            missing.map(|one| one.reason.text.clone()),
        )
    };
    let rows = [
        ("web", (true, None)),
        ("ghost", (false, None)),
        ("canary", (false, Some("not asked for a list".to_owned()))),
    ];
    for (wanted, expected) in &rows {
        let snapshot = all.iter().find(|one| name(one) == *wanted);
        assert_eq!(target(snapshot.expect(wanted)), *expected, "{wanted}");
    }
    assert_eq!(rows.len(), 3);
    let ghost = all.iter().find(|one| name(one) == "ghost").expect("ghost");
    let error = ghost.scale.error().expect("an error");
    assert_eq!(error, "deployments.apps \"missing\" not found");
    let single = collected(&server, "ghost");
    assert_eq!(
        (&ghost.scale, target(ghost)),
        (&single.scale, target(&single))
    );
    // The same words as the controller's own, in the condition that it wrote.
    let conditions = &ghost.hpa.status.conditions;
    let mut messages = conditions.iter().map(|one| one.message.as_str());
    assert!(messages.any(|message| message.contains(error)));
}

#[test]
fn the_events_of_all_hpas_are_one_request() {
    let place = |namespace: &str| json!({ "name": "web", "namespace": namespace });
    let hpas = ["blog", "shop"].map(|namespace| {
        json!({ "metadata": place(namespace), "spec": { "maxReplicas": 5, "scaleTargetRef":
            { "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" } } })
    });
    let event = |namespace: &str, kind: &str, message: &str| {
        let name = format!("web.{}", message.len());
        json!({ "metadata": { "name": name, "namespace": namespace },
            "involvedObject": { "kind": kind, "name": "web", "namespace": namespace },
            "reason": "SuccessfulRescale", "message": message })
    };
    let hpa = "HorizontalPodAutoscaler";
    let events = [
        event("blog", hpa, "New size: 2"),
        event("shop", hpa, "New size: 33"),
        event("shop", "Deployment", "Scaled up replica set"),
    ];
    let server = ApiServer::empty().start();
    let list = list_document("HorizontalPodAutoscalerList", "autoscaling/v2", &hpas);
    server.put("/apis/autoscaling/v2/horizontalpodautoscalers", &list);
    server.put("/api/v1/events", &list_document("EventList", "v1", &events));
    let read = |namespace| -> Vec<(Vec<String>, Option<String>)> {
        let surveyed = survey_of(&server, namespace, None);
        let read = surveyed.iter().map(|one| {
            let said = one.events.iter().map(|event| event.message.clone());
            let mut missing = one.provenance.not_read.iter();
            let missing = missing.find(|one| one.part == Part::Events);
            (said.collect(), missing.map(|one| one.reason.text.clone()))
        });
        read.collect()
    };
    let said = |message: &str| (vec![message.to_owned()], None);
    let both = vec![said("New size: 2"), said("New size: 33")];
    assert_eq!(read(None), both);
    assert_eq!(read(Some("shop")), [said("New size: 33")]);
    let log = server.log();
    let targets = log.iter().map(|entry| entry.target.as_str());
    let asked: Vec<&str> = targets
        .filter(|target| target.contains("/events"))
        .collect();
    let fields = "fieldSelector=involvedObject.kind%3DHorizontalPodAutoscaler&limit=500";
    assert_eq!(
        asked,
        [
            format!("/api/v1/events?{fields}"),
            format!("/api/v1/namespaces/shop/events?{fields}"),
        ]
    );
    server.fault("/api/v1/events", Fault::Status(403));
    for (said, missing) in read(None) {
        assert!(said.is_empty());
        assert!(missing.expect("a reason").contains("forbidden"));
    }
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
    server.fault("/", Fault::Latency(Duration::from_millis(100)));
    assert_eq!(surveyed(&server, None).len(), 40);
    assert_in_flight(
        &server,
        &[("/canary/scale", 40), ("/external.metrics.k8s.io", 80)],
    );
}

/// That so many requests were sent, several at a time, and never more than
/// eight in all.
fn assert_in_flight(server: &ApiServer, rows: &[(&str, usize)]) {
    let log = server.log();
    for (part, count) in rows {
        let entries = log.iter().filter(|entry| entry.target.contains(part));
        assert_eq!(entries.clone().count(), *count, "{part}");
        let most = entries.map(|entry| entry.in_flight).max();
        assert!(most >= Some(4), "{part}: {most:?}");
    }
    let most = log.iter().map(|entry| entry.in_flight).max();
    assert!(most <= Some(8), "{most:?}");
}

#[test]
fn lists_of_several_kinds_share_the_eight() {
    let kinds = [
        ("Deployment", "apps/v1", "/apis/apps/v1/deployments"),
        ("StatefulSet", "apps/v1", "/apis/apps/v1/statefulsets"),
        ("ReplicaSet", "apps/v1", "/apis/apps/v1/replicasets"),
        (
            "ReplicationController",
            "v1",
            "/api/v1/replicationcontrollers",
        ),
    ];
    let server = ApiServer::empty().start();
    let mut hpas = Vec::new();
    for (kind, version, path) in kinds {
        let name = kind.to_lowercase();
        let labels = json!({ "app": name });
        let selector = match kind {
            "ReplicationController" => labels,
            _ => json!({ "matchLabels": labels }),
        };
        let places =
            (0..8).map(|number| json!({ "name": name, "namespace": format!("n-{number}") }));
        let workloads = places.clone().map(|place| {
            json!({ "metadata": place, "spec": { "replicas": 1, "selector": selector },
                "status": { "replicas": 1 } })
        });
        let workloads: Vec<Value> = workloads.collect();
        server.put(
            path,
            &list_document(&format!("{kind}List"), version, &workloads),
        );
        hpas.extend(places.map(|place| {
            json!({ "metadata": place, "spec": { "maxReplicas": 5,
                "metrics": [{ "type": "Resource", "resource": { "name": "cpu",
                    "target": { "type": "Utilization", "averageUtilization": 50 } } }],
                "scaleTargetRef": { "apiVersion": version, "kind": kind, "name": name } } })
        }));
    }
    server.put(
        "/apis/autoscaling/v2/horizontalpodautoscalers",
        &list_document("HorizontalPodAutoscalerList", "autoscaling/v2", &hpas),
    );
    server.fault("/", Fault::Latency(Duration::from_millis(100)));
    let found = block_on(async {
        let reader = reader(&server);
        let cluster = Cluster::new(&reader);
        let scope = Scope {
            namespace: None,
            labels: None,
            metrics: None,
            ..Scope::default()
        };
        let survey = survey(&cluster, scope, Timestamp::UNIX_EPOCH).await;
        survey.expect("HPAs").snapshots().len()
    });
    assert_eq!(found, 32);
    assert_in_flight(
        &server,
        &[
            ("/deployments", 8),
            ("/statefulsets", 8),
            ("/replicasets", 8),
            ("/replicationcontrollers", 8),
            ("/metrics.k8s.io/v1beta1/namespaces/n-", 8),
            ("/api/v1/namespaces/n-", 16),
        ],
    );
}
