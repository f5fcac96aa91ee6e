//! Clusters made up by a test.

use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, ListParams};
use serde_json::{Value, json};

use crate::apiserver::answers::client;
use crate::apiserver::client::{get, run};
use crate::support::apiserver::{ApiServer, list_document};

const HPAS: &str = "/apis/autoscaling/v2/horizontalpodautoscalers";

#[test]
fn ten_thousand_pods_come_in_pages() {
    let pods: Vec<Value> = (0..10_000)
        .map(|number| object("shop", &format!("web-{number:05}"), &json!({"app": "web"})))
        .collect();
    let path = "/api/v1/namespaces/shop/pods";
    let server = ApiServer::empty()
        .put(path, &list_document("PodList", "v1", &pods))
        .start();
    let (pages, names) = run(async {
        let pods: Api<Pod> = Api::namespaced(client(&server).await, "shop");
        let mut params = ListParams::default().labels("app=web").limit(500);
        let (mut pages, mut names) = (0, Vec::new());
        loop {
            let page = pods.list_metadata(&params).await.expect("a page");
            let token = page.metadata.continue_.unwrap_or_default();
            names.extend(page.items.into_iter().filter_map(|pod| pod.metadata.name));
            pages += 1;
            if token.is_empty() {
                return (pages, names);
            }
            params = params.continue_token(&token);
        }
    });
    assert_eq!((pages, names.len()), (20, 10_000));
    assert!(names.is_sorted());
    assert_eq!(
        get(&server, &format!("{path}?labelSelector=app%3Dother"))
            .names()
            .len(),
        0
    );
}

#[test]
fn many_autoscalers_in_many_namespaces() {
    let mut builder = ApiServer::empty();
    for namespace in 0..20 {
        let namespace = format!("team-{namespace}");
        let hpas: Vec<Value> = (0..10)
            .map(|number| object(&namespace, &format!("hpa-{number}"), &json!({})))
            .collect();
        let document = list_document("HorizontalPodAutoscalerList", "autoscaling/v2", &hpas);
        builder = builder.put(&in_namespace(&namespace, ""), &document);
    }
    let server = builder.start();
    assert_eq!(get(&server, HPAS).names().len(), 200);
    assert_eq!(get(&server, &in_namespace("team-7", "")).names().len(), 10);
    assert_eq!(get(&server, &in_namespace("team-20", "")).names().len(), 0);
    assert_eq!(get(&server, &in_namespace("team-7", "/hpa-3")).status, 200);
    assert_eq!(get(&server, &in_namespace("team-7", "/hpa-30")).status, 404);
    let page = get(&server, &format!("{HPAS}?limit=15")).json();
    assert_eq!(page["metadata"]["remainingItemCount"], 185);
    let token = page["metadata"]["continue"].as_str().expect("a token");
    let rest = get(&server, &format!("{HPAS}?continue={token}"));
    assert_eq!(rest.names().len(), 185);
    assert_eq!(get(&server, "/api/v1/pods").names().len(), 0);
}

fn in_namespace(namespace: &str, rest: &str) -> String {
    format!("/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers{rest}")
}

/// What is put replaces what was recorded, wherever it shows.
#[test]
fn a_recording_is_changed() {
    let server = ApiServer::replay("steady").start();
    let path = in_namespace("shop", "/web");
    let mut hpa = get(&server, &path).json();
    hpa["spec"]["maxReplicas"] = 99.into();
    server.put(&path, &hpa);
    assert_eq!(get(&server, &path).json(), hpa);
    for list in [HPAS, &in_namespace("shop", "")] {
        let got = get(&server, list);
        assert_eq!(got.names().len(), 10, "{list}");
        let document = got.json();
        let mut items = document["items"].as_array().expect("items").iter();
        let web = items
            .find(|item| item["metadata"]["name"] == "web")
            .expect("web");
        assert_eq!(web["spec"]["maxReplicas"], 99, "{list}");
    }
    let pods = "/api/v1/namespaces/shop/pods";
    let selected = &format!("{pods}?labelSelector=app%3Dweb");
    let ours = object("shop", "mine", &json!({"app": "web"}));
    server.put(&format!("{pods}/mine"), &ours);
    assert_eq!(get(&server, pods).names().len(), 35);
    assert_eq!(get(&server, selected).names().len(), 13);
    server.put(pods, &list_document("PodList", "v1", &[ours]));
    assert_eq!(get(&server, pods).names(), ["mine"]);
    assert_eq!(get(&server, selected).names(), ["mine"]);
    assert_eq!(get(&server, &format!("{pods}/canary-3")).status, 404);
    assert_eq!(get(&server, "/api/v1/pods").names().len(), 2);
}

#[test]
fn a_scale_is_derived_from_any_selector() {
    let labels = json!({"matchLabels": {"b": "2", "a": "1"}});
    let expressions = json!({
        "matchLabels": {"a": "1"},
        "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["web", "api"]},
            {"key": "old", "operator": "DoesNotExist"},
            {"key": "env", "operator": "NotIn", "values": ["test"]},
            {"key": "app", "operator": "Exists"},
        ],
    });
    let table = [
        (labels, "a=1,b=2"),
        (
            expressions,
            "!old,a=1,app,env notin (test),tier in (api,web)",
        ),
        (json!({"run": "plain"}), "run=plain"),
        (Value::Null, ""),
    ];
    let server = ApiServer::empty().start();
    for (selector, text) in table {
        let mut object = object("shop", "it", &json!({}));
        object["kind"] = "Thing".into();
        object["spec"] = json!({"replicas": 3, "selector": selector});
        object["status"] = json!({"replicas": 2});
        let path = "/apis/things.example/v1/namespaces/shop/things";
        server.put(&format!("{path}/it"), &object);
        let scale = get(&server, &format!("{path}/it/scale")).json();
        assert_eq!(scale["spec"]["replicas"], 3);
        assert_eq!(scale["status"], json!({"replicas": 2, "selector": text}));
        assert_eq!(get(&server, path).json()["kind"], "ThingList");
    }
}

/// Metrics of adapters: an external one says its labels, a custom one does
/// not, so a test that cares gives the query.
#[test]
fn metrics_of_adapters_are_served() {
    let custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/%2A/hits";
    let external = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue";
    let value = |labels: Value| json!({"metricLabels": labels, "value": "1"});
    let values = [value(json!({"q": "a"})), value(json!({"q": "b"}))];
    let list = list_document(
        "ExternalMetricValueList",
        "external.metrics.k8s.io/v1beta1",
        &values,
    );
    let hits =
        |items: &[Value]| list_document("MetricValueList", "custom.metrics.k8s.io/v1beta2", items);
    let server = ApiServer::empty()
        .put(external, &list)
        .put(custom, &hits(&values))
        .put(
            &format!("{custom}?labelSelector=app%3Dweb"),
            &hits(&values[..1]),
        )
        .start();
    let table = [
        (external.to_owned(), 2),
        (format!("{external}?labelSelector=q%3Db"), 1),
        (custom.to_owned(), 2),
        (format!("{custom}?labelSelector=app%3Dapi"), 2),
        (format!("{custom}?labelSelector=app%3Dweb"), 1),
        (custom.replace("%2A", "*"), 2),
    ];
    for (path, count) in table {
        let got = get(&server, &path).json();
        assert_eq!(got["items"].as_array().map(Vec::len), Some(count), "{path}");
    }
}

fn object(namespace: &str, name: &str, labels: &Value) -> Value {
    json!({"metadata": {"name": name, "namespace": namespace, "labels": labels}})
}
