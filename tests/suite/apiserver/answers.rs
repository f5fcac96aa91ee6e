//! What is answered: recorded, selected, paged, derived, refused.

use std::fs::File;
use std::io::{BufRead, BufReader};

use flate2::read::GzDecoder;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, ListParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::{Value, json};

use crate::apiserver::client::{Connection, Options, get, get_with, run};
use crate::support::apiserver::{ApiServer, Fault};

const RECORDINGS: [&str; 8] = [
    "cooling",
    "external-down",
    "forbidden",
    "metrics-down",
    "no-metrics-api",
    "settled",
    "steady",
    "surge",
];

const PODS: &str = "/api/v1/namespaces/shop/pods";
const EVENTS: &str = "/api/v1/namespaces/shop/events";
const USAGE: &str = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods";

#[test]
fn recorded_answers_are_played_byte_for_byte() {
    for name in RECORDINGS {
        let server = ApiServer::replay(name).start();
        let lines = lines(name);
        let answers = run(async {
            let mut answers = Vec::new();
            let mut connection = Connection::open(&server, &Options::default()).await?;
            for line in &lines {
                let line: Value = serde_json::from_str(line).expect(name);
                let path = line["path"].as_str().expect("a path");
                let accept = line["accept"].as_str().unwrap_or("application/json");
                answers.push(connection.send("GET", path, &[("accept", accept)]).await?);
            }
            std::io::Result::Ok(answers)
        });
        let answers = answers.expect(name);
        assert_eq!(answers.len(), if name == "forbidden" { 79 } else { 94 });
        for (got, line) in answers.iter().zip(&lines) {
            let want: Value = serde_json::from_str(line).expect(name);
            assert_eq!(got.status, want["status"], "{name} {}", want["path"]);
            assert_eq!(got.header("content-type"), want["contentType"], "{name}");
            match want["body"].as_str() {
                Some(text) => assert_eq!(got.text(), text, "{name}"),
                None => assert!(line.ends_with(&format!(":{}}}", got.text())), "{name}"),
            }
        }
    }
}

#[test]
fn only_what_a_query_means_matters() {
    let server = ApiServer::replay("steady").start();
    let want = get(&server, &format!("{USAGE}?labelSelector=app%3Dweb"));
    let same = [
        "labelSelector=app=web",
        "fieldSelector=&labelSelector=app%3dweb",
        "labelSelector=app%3Dweb&timeout=5s&resourceVersion=0",
        // The metrics server knows nothing of pages.
        "labelSelector=app%3Dweb&limit=2",
    ];
    for query in same {
        assert_eq!(
            get(&server, &format!("{USAGE}?{query}")).body,
            want.body,
            "{query}"
        );
    }
    // The load of the recording is shared among the pods that are asked for.
    let derived = get(&server, &format!("{USAGE}?labelSelector=app+in+(web)"));
    assert_eq!(derived.names(), want.names());
    assert_ne!(derived.json()["items"], want.json()["items"]);
}

#[test]
fn objects_are_selected() {
    let server = ApiServer::replay("steady").start();
    let ghost = "fieldSelector=involvedObject.kind%3DHorizontalPodAutoscaler,\
                 involvedObject.name%3Dghost";
    let regarding = "fieldSelector=regarding.kind%3DHorizontalPodAutoscaler,\
                     regarding.name%3Dghost";
    let new_events = "/apis/events.k8s.io/v1/namespaces/shop/events";
    let ghosts = get(&server, &format!("{EVENTS}?{ghost}")).names().len();
    #[rustfmt::skip] // one query a line
    let table = [
        (PODS, "", 34),
        (PODS, "labelSelector=app%3Dweb", 12),
        (PODS, "labelSelector=app%3D%3Dweb", 12),
        (PODS, "labelSelector=app in (web,api)", 14),
        (PODS, "labelSelector=app in (web, api),app!=web", 2),
        (PODS, "labelSelector=app notin (web)", 22),
        (PODS, "labelSelector=!app", 0),
        (PODS, "labelSelector=app,!nobody", 34),
        (PODS, "labelSelector=app%3E1", 0),
        (PODS, "labelSelector=app%3Dweb&fieldSelector=status.phase!=Failed", 12),
        (PODS, "fieldSelector=status.phase%3DNever", 0),
        (PODS, "fieldSelector=metadata.name%3Dcanary-3", 1),
        (USAGE, "labelSelector=app in (web)", 12),
        (EVENTS, ghost, ghosts),
        (EVENTS, "fieldSelector=involvedObject.kind%3DNothing", 0),
        (new_events, regarding, ghosts),
    ];
    assert!(ghosts > 0);
    for (path, query, count) in table {
        let query = query.replace(' ', "%20");
        let got = get(&server, &format!("{path}?{query}"));
        assert_eq!(got.names().len(), count, "{path}?{query}");
    }
}

#[test]
fn selectors_that_mean_nothing_are_refused() {
    let server = ApiServer::replay("steady").start();
    let deployments = "/apis/apps/v1/namespaces/shop/deployments";
    let table = [
        (
            PODS,
            "fieldSelector=spec.x%3D1",
            "field label not supported: spec.x",
        ),
        (
            deployments,
            "fieldSelector=status.phase%3D1",
            "\"status.phase\" is not a known field selector: only \"metadata.name\", \
             \"metadata.namespace\"",
        ),
        (
            PODS,
            "labelSelector=a+b",
            "unable to parse requirement: a b",
        ),
        (
            PODS,
            "limit=5&continue=nonsense!",
            "invalid continue token: continue key is not valid",
        ),
    ];
    for (path, query, message) in table {
        let got = get(&server, &format!("{path}?{query}")).json();
        assert_eq!(
            (&got["code"], &got["reason"]),
            (&json!(400), &json!("BadRequest"))
        );
        assert_eq!(got["message"], message, "{query}");
    }
}

/// Twelve pods in pages of five, read with the client library of the tool.
#[test]
fn lists_come_in_pages() {
    let server = ApiServer::replay("steady").https().start();
    let pages = run(async {
        let pods: Api<Pod> = Api::namespaced(client(&server).await, "shop");
        let mut pages = Vec::new();
        let mut params = ListParams::default().labels("app=web").limit(5);
        loop {
            let page = pods.list(&params).await.expect("a page");
            let token = page.metadata.continue_.clone().unwrap_or_default();
            assert_eq!(page.metadata.remaining_item_count, None, "a selection");
            pages.push(page.items.len());
            if token.is_empty() {
                return pages;
            }
            params = params.continue_token(&token);
        }
    });
    assert_eq!(pages, [5, 5, 2]);
    let log = server.log();
    assert_eq!(log.len(), 3);
    assert!(log.iter().all(|entry| entry.path() == PODS));
}

/// The first page is recorded, its token leads on into what is derived.
#[test]
fn a_recorded_token_is_followed() {
    let server = ApiServer::replay("steady").start();
    let all = get(&server, PODS).names();
    let mut names = Vec::new();
    let mut token = String::new();
    let mut remaining = Vec::new();
    loop {
        let page = get(&server, &format!("{PODS}?limit=5&continue={token}"));
        names.extend(page.names());
        let metadata = page.json()["metadata"].clone();
        remaining.push(metadata["remainingItemCount"].as_u64().unwrap_or_default());
        match metadata["continue"].as_str() {
            Some(next) => token = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(names, all);
    assert_eq!(remaining, [29, 24, 19, 14, 9, 4, 0]);
}

#[test]
fn an_expired_token_hands_out_one_that_goes_on() {
    let server = ApiServer::replay("steady").start();
    let page = get(&server, &format!("{PODS}?limit=20")).json();
    let token = page["metadata"]["continue"].as_str().expect("a token");
    let next = format!("{PODS}?limit=20&continue={token}");
    let fault = server.fault("/", Fault::ExpiredContinue);
    let gone = get(&server, &next);
    assert_eq!(
        (gone.status, &gone.json()["reason"]),
        (410, &json!("Expired"))
    );
    let message = gone.json()["message"].to_string();
    assert!(
        message.contains("The provided continue parameter is too old"),
        "{message}"
    );
    let document = gone.json();
    let newest = document["metadata"]["continue"].as_str().expect("a token");
    let rest = get(&server, &format!("{PODS}?limit=20&continue={newest}"));
    assert_eq!(rest.names().len(), 14);
    server.lift(fault);
    assert_eq!(get(&server, &next).names(), rest.names());
}

#[test]
fn what_nobody_recorded_is_derived() {
    let server = ApiServer::replay("steady").start();
    let pods = get(&server, PODS).json();
    let pod = get(&server, &format!("{PODS}/canary-3")).json();
    assert_eq!(
        (&pod["kind"], &pod["apiVersion"]),
        (&json!("Pod"), &json!("v1"))
    );
    let items = pods["items"].as_array().expect("items");
    let listed = items
        .iter()
        .find(|item| item["metadata"]["name"] == "canary-3");
    assert_eq!(pod["spec"], listed.expect("a pod")["spec"]);

    let replica_set = "/apis/apps/v1/namespaces/shop/replicasets/web-5759445d49/scale";
    let scale = get(&server, replica_set).json();
    assert_eq!(scale["kind"], "Scale");
    assert_eq!(scale["spec"]["replicas"], 12);
    assert_eq!(scale["status"]["replicas"], 12);
    assert_eq!(
        scale["status"]["selector"],
        "app=web,pod-template-hash=5759445d49"
    );

    #[rustfmt::skip] // one path a line
    let lists = [
        ("/api/v1/pods", "PodList", 35),
        ("/api/v1/pods?labelSelector=app%3Dweb", "PodList", 12),
        ("/api/v1/namespaces/kube-system/pods", "PodList", 1),
        ("/api/v1/namespaces/elsewhere/pods", "PodList", 0),
        ("/api/v1/namespaces", "NamespaceList", 2),
        ("/apis/metrics.k8s.io/v1beta1/pods", "PodMetricsList", 34),
        ("/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts", "RolloutList", 1),
        ("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases", "LeaseList", 0),
        ("/apis/autoscaling/v2/namespaces/x/horizontalpodautoscalers", "HorizontalPodAutoscalerList", 0),
    ];
    for (path, kind, count) in lists {
        let got = get(&server, path);
        assert_eq!(got.json()["kind"], kind, "{path}");
        assert_eq!(got.names().len(), count, "{path}");
    }
    // Whole lists win over selections where both hold the same pod.
    let usage = get(&server, "/apis/metrics.k8s.io/v1beta1/pods").json();
    assert_eq!(usage["items"], get(&server, USAGE).json()["items"]);

    let leases = get(&server, "/apis/coordination.k8s.io/v1").json();
    assert_eq!(leases["resources"][0]["kind"], "Lease");
    let batch = get(&server, "/apis/batch").json();
    assert_eq!(
        (&batch["kind"], &batch["name"]),
        (&json!("APIGroup"), &json!("batch"))
    );
}

#[test]
fn only_metadata_is_sent_to_who_wants_that() {
    let server = ApiServer::replay("steady").start();
    let accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    let list = get_with(&server, PODS, &[("accept", accept)]);
    assert_eq!(list.json()["kind"], "PartialObjectMetadataList");
    assert_eq!(list.names().len(), 34);
    assert!(list.json()["items"][0]["spec"].is_null());
    // Discovery in one document is for those who ask for it.
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
                  application/json";
    let kind = |accept| get_with(&server, "/apis", &[("accept", accept)]).json()["kind"].clone();
    assert_eq!(kind(accept), "APIGroupDiscoveryList");
    assert_eq!(kind("application/json"), "APIGroupList");
}

#[test]
fn what_is_not_there_is_not_found() {
    let deployments = "/apis/apps/v1/namespaces/shop/deployments";
    let custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop";
    #[rustfmt::skip] // one path a line
    let table = [
        ("steady", format!("{PODS}/x"), "pods \"x\" not found"),
        ("steady", "/api/v1/namespaces/x".to_owned(), "namespaces \"x\" not found"),
        ("steady", format!("{deployments}/x"), "deployments.apps \"x\" not found"),
        ("steady", format!("{deployments}/x/scale"), "deployments.apps \"x\" not found"),
        ("steady", format!("{deployments}/missing/status"), "deployments.apps \"missing\" not found"),
        ("steady", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager".to_owned(),
            "leases.coordination.k8s.io \"kube-controller-manager\" not found"),
        ("steady", format!("{custom}/pods/%2A/nothing?labelSelector=app%3Dweb"),
            "the server could not find the metric nothing for pods"),
        ("steady", format!("{custom}/services/web/nothing"),
            "the server could not find the metric nothing for services web"),
        ("steady", format!("{deployments}/web/nothing"), ""),
        ("steady", "/apis/apps/v1/namespaces/shop/nothings".to_owned(), ""),
        ("steady", "/apis/apps/v2/namespaces/shop/deployments".to_owned(), ""),
        ("steady", "/apis/nobody.example/v1/things".to_owned(), ""),
        ("steady", "/apis/nobody.example".to_owned(), ""),
        ("steady", "/nothing".to_owned(), ""),
        ("no-metrics-api", format!("{USAGE}/web"), ""),
        ("no-metrics-api", "/apis/metrics.k8s.io/v1beta1/pods".to_owned(), ""),
        ("no-metrics-api", format!("{custom}/pods/%2A/http_requests"), ""),
    ];
    for (recording, path, message) in table {
        let server = ApiServer::replay(recording).start();
        let got = get(&server, &path);
        assert_eq!(got.status, 404, "{path}");
        if message.is_empty() {
            assert_eq!(got.text(), "404 page not found\n", "{path}");
            assert_eq!(got.header("content-type"), "text/plain; charset=utf-8");
        } else {
            assert_eq!(got.json()["message"], message, "{path}");
            assert_eq!(got.json()["reason"], "NotFound", "{path}");
        }
    }
}

/// Who may only read some things is told so of everything else too.
#[test]
fn what_is_forbidden_stays_forbidden() {
    let server = ApiServer::replay("forbidden").start();
    #[rustfmt::skip] // one path a line
    let table = [
        ("/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&limit=500",
            "pods is forbidden: User \"viewer\" cannot list resource \"pods\" in API group \"\" in the namespace \"shop\""),
        ("/api/v1/namespaces/shop/pods/web",
            "pods \"web\" is forbidden: User \"viewer\" cannot get resource \"pods\" in API group \"\" in the namespace \"shop\""),
        ("/api/v1/pods",
            "pods is forbidden: User \"viewer\" cannot list resource \"pods\" in API group \"\" at the cluster scope"),
        ("/apis/apps/v1/namespaces/shop/replicasets/x/scale",
            "replicasets.apps \"x\" is forbidden: User \"viewer\" cannot get resource \"replicasets/scale\" in API group \"apps\" in the namespace \"shop\""),
        ("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a",
            "leases.coordination.k8s.io \"a\" is forbidden: User \"viewer\" cannot get resource \"leases\" in API group \"coordination.k8s.io\" in the namespace \"kube-system\""),
        ("/apis/autoscaling/v2/namespaces/other/horizontalpodautoscalers",
            "horizontalpodautoscalers.autoscaling is forbidden: User \"viewer\" cannot list resource \"horizontalpodautoscalers\" in API group \"autoscaling\" in the namespace \"other\""),
        ("/apis/nobody.example/v1/namespaces/shop/things",
            "things.nobody.example is forbidden: User \"viewer\" cannot list resource \"things\" in API group \"nobody.example\" in the namespace \"shop\""),
    ];
    for (path, message) in table {
        let got = get(&server, path);
        assert_eq!(got.status, 403, "{path}");
        assert_eq!(got.json()["message"], message);
    }
    let down = ApiServer::replay("metrics-down").start();
    for path in [
        format!("{USAGE}?labelSelector=a%3Db"),
        format!("{USAGE}/web"),
    ] {
        let got = get(&down, &path);
        assert_eq!(
            (got.status, &got.json()["message"]),
            (503, &json!("metrics not available"))
        );
    }
}

/// The recorded refusals, in the words of the server's own.
#[test]
fn refusals_are_worded_as_recorded() {
    let steady = ApiServer::replay("steady").start();
    steady.fault("/", Fault::Status(403));
    let mut compared = 0;
    for line in lines("forbidden") {
        let line: Value = serde_json::from_str(&line).expect("JSON");
        if line["status"] == 403 {
            let got = get(&steady, line["path"].as_str().expect("a path"));
            assert_eq!(got.json(), line["body"]);
            compared += 1;
        }
    }
    assert_eq!(compared, 48);
}

fn lines(name: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
    let file = File::open(format!("{folder}/{name}.jsonl.gz")).expect(name);
    let lines = BufReader::new(GzDecoder::new(file)).lines().skip(1);
    lines.map(|line| line.expect(name)).collect()
}

/// The client of the tool's own library, by the server's kubeconfig.
pub async fn client(server: &ApiServer) -> kube::Client {
    let file = Kubeconfig::read_from(server.kubeconfig()).expect("a kubeconfig");
    let options = KubeConfigOptions::default();
    let mut config = kube::Config::from_custom_kubeconfig(file, &options)
        .await
        .expect("a config");
    config.default_retry = false;
    kube::Client::try_from(config).expect("a client")
}
