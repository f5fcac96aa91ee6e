//! `list` with the real binary against a recorded API server, and against
//! clusters made up for the occasion.

#![expect(
    clippy::print_stdout,
    reason = "how many requests is part of the answer"
)]

mod comparing;
mod file;
mod picker;
mod world;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::support::apiserver::{ApiServer, Fault, list_document};
use crate::support::binary::{NAMES, SITUATIONS, run, stderr, stdout};
use crate::support::golden::Goldens;
use jiff::Timestamp;
use serde_json::{Value, json};

fn text(kubeconfig: &Path, arguments: &[&str]) -> String {
    let output = run(kubeconfig, arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
    stdout(&output).to_owned()
}

fn document(kubeconfig: &Path, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["-o", "json"]].concat();
    serde_json::from_str(&text(kubeconfig, &arguments)).expect("JSON")
}

/// The HPAs of a list by name.
fn items(document: &Value) -> BTreeMap<&str, &Value> {
    let items = document["items"].as_array().expect("items").iter();
    items
        .map(|item| (item["name"].as_str().expect("a name"), item))
        .collect()
}

const COMMANDS: &str = include_str!("../../docs/commands.md");

const SAMPLES: &str = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods";

/// A recording whose whole list of samples holds what the selections of it
/// hold. The recorded metrics API shares one load among all pods that a
/// request asks for, so its own whole list says something else.
fn replay(recording: &str) -> ApiServer {
    // Each moment has its own answer: what is compared is of one.
    let server = ApiServer::replay(recording)
        .https()
        .at_a_standstill()
        .start();
    let kubeconfig = server.kubeconfig();
    let mut samples = BTreeMap::new();
    for name in NAMES {
        let snapshot = text(&kubeconfig, &[name, "-n", "shop", "-o", "snapshot"]);
        let snapshot: Value = serde_yaml::from_str(&snapshot).expect("YAML");
        let list = &snapshot["metrics"]["resource"]["response"]["items"];
        for sample in list.as_array().into_iter().flatten() {
            samples.insert(sample["metadata"]["name"].to_string(), sample.clone());
        }
    }
    let samples: Vec<Value> = samples.into_values().collect();
    if !samples.is_empty() {
        let list = list_document("PodMetricsList", "metrics.k8s.io/v1beta1", &samples);
        server.put(SAMPLES, &list);
    }
    server.forget_log();
    server
}

#[test]
fn a_list_is_one_line_an_hpa() {
    let rows = [
        ("steady", "list-steady.txt"),
        ("forbidden", "list-forbidden.txt"),
    ];
    let mut goldens = Goldens::default();
    for (recording, file) in rows {
        let server = replay(recording);
        let list = text(&server.kubeconfig(), &["list"]);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/list");
        goldens.check(&folder.join(file), &list);
        assert!(list.lines().all(|line| line.chars().count() <= 80));
        if recording == "steady" {
            assert!(COMMANDS.contains(&list), "docs/commands.md shows it");
        }
        // Without a name, the same is printed.
        assert_eq!(text(&server.kubeconfig(), &[]), list);
    }
}

/// The counts that are possible after the next pass: one where it is decided.
fn possible(desired: &Value, document: &Value) -> Option<(i64, i64)> {
    let range = &document["possibleRange"];
    let ends = [&range["from"], &range["to"]].map(Value::as_i64);
    match (desired.as_i64(), ends) {
        (Some(desired), _) => Some((desired, desired)),
        (None, [Some(from), Some(to)]) => Some((from, to)),
        _ => None,
    }
}

fn decided(explained: &Value) -> Option<(i64, i64)> {
    let outcome = &explained["trace"]["outcome"];
    // A pass that writes no size leaves it as it is, whatever the status says.
    let desired = match outcome["rescale"].as_bool() {
        Some(false) => &outcome["currentReplicas"],
        _ => &outcome["desiredReplicas"],
    };
    possible(desired, explained)
}

/// The same from a file without the events of the target.
fn decided_without_target_events(kubeconfig: &Path, name: &str) -> Option<(i64, i64)> {
    let snapshot = text(kubeconfig, &[name, "-o", "snapshot"]);
    let mut snapshot: Value = serde_yaml::from_str(&snapshot).expect("YAML");
    let events = snapshot["events"].as_array_mut().expect("events");
    events.retain(|event| event["involvedObject"]["kind"] == "HorizontalPodAutoscaler");
    let file = tempfile::NamedTempFile::new().expect("a scratch file");
    std::fs::write(file.path(), snapshot.to_string()).expect("writable");
    let path = file.path().to_str().expect("a plain path");
    decided(&document(kubeconfig, &["--snapshot", path]))
}

/// An explanation also knows the events of the target, so it can be surer, but
/// never by anything else.
#[test]
fn a_list_decides_as_the_explanations_do() {
    let (mut compared, mut surer) = (0, Vec::new());
    for recording in SITUATIONS {
        let server = replay(recording);
        let kubeconfig = server.kubeconfig();
        let quick = document(&kubeconfig, &["list"]);
        let full = document(&kubeconfig, &["list", "--full"]);
        let (quick, full) = (items(&quick), items(&full));
        assert_eq!(quick.keys().copied().collect::<Vec<_>>(), NAMES);
        for name in NAMES {
            let explained = document(&kubeconfig, &[name]);
            let listed = |item: &Value| possible(&item["desiredReplicas"], item);
            let mut expected = decided(&explained);
            if let (Some((from, to)), Some((least, most))) = (expected, listed(full[name]))
                && (from, to) != (least, most)
            {
                assert!(least <= from && to <= most, "{recording}/{name}");
                expected = decided_without_target_events(&kubeconfig, name);
                surer.push(format!("{recording}/{name}"));
            }
            assert_eq!(listed(full[name]), expected, "{recording}/{name} --full");
            compared += 1;
            let metrics = explained["trace"]["metrics"].as_array();
            let is_resource = |metric: &Value| {
                let kind = metric["type"].as_str().expect("a type");
                ["Resource", "ContainerResource"].contains(&kind)
            };
            if metrics.expect("metrics").iter().all(is_resource) {
                assert_eq!(listed(quick[name]), expected, "{recording}/{name}");
                compared += 1;
            }
        }
    }
    // Seven of the ten have no custom or external metric.
    assert_eq!(compared, 8 * (10 + 7));
    // Their targets' events rule out a restart of the controller.
    let known = [
        "cooling/checkout",
        "cooling/keda-hpa-worker",
        "settled/checkout",
    ];
    assert_eq!(surer, known);
}

#[test]
fn custom_and_external_metrics_are_asked_for_only_with_full() {
    let server = replay("steady");
    let kubeconfig = server.kubeconfig();
    let adapted = || {
        let is_adapted = |target: &String| {
            target.contains("/custom.metrics.k8s.io") || target.contains("/external.metrics.k8s.io")
        };
        let targets = server.log().into_iter().map(|entry| entry.target);
        targets.filter(is_adapted).count()
    };
    let quick = document(&kubeconfig, &["list"]);
    assert_eq!(adapted(), 0);
    let quick = items(&quick);
    // Three HPAs have such metrics; what they show is of the last pass.
    for name in ["checkout", "keda-hpa-worker", "web"] {
        assert!(quick[name]["lastPass"]["because"].is_string(), "{name}");
    }
    let marked = |item: &&&Value| item["lastPass"].is_object();
    assert_eq!(quick.values().filter(marked).count(), 3);
    let full = document(&kubeconfig, &["list", "--full"]);
    assert_eq!(adapted(), 4);
    assert_eq!(items(&full).values().filter(marked).count(), 0);
}

#[test]
fn no_failure_is_claimed_that_the_conditions_do_not_show() {
    let server = ApiServer::replay("forbidden").https().start();
    let kubeconfig = server.kubeconfig();
    let list = document(&kubeconfig, &["list"]);
    let mut failing = Vec::new();
    for (name, item) in items(&list) {
        let because = item["lastPass"]["because"].as_str().expect(name);
        assert!(because.contains("forbidden"), "{name}: {because}");
        if item["verdict"]["word"] == "failing" {
            failing.push(name);
        }
    }
    let is_shown = |name: &&str| {
        let hpa = document_of(&server, name, |_| ());
        let conditions = hpa["status"]["conditions"].as_array().expect("conditions");
        conditions.iter().any(|one| {
            let kind = one["type"].as_str().expect("a type");
            ["AbleToScale", "ScalingActive"].contains(&kind)
                && one["status"] == "False"
                && one["reason"] != "ScalingDisabled"
        })
    };
    let shown: Vec<&str> = NAMES.into_iter().filter(is_shown).collect();
    assert_eq!(failing, shown);
    assert_eq!(shown.len(), 8, "the metrics were down when it was recorded");
}

const NAMESPACES: usize = 20;
const NOW: &str = "2026-11-20T08:00:00Z";

/// So many namespaces with ten HPAs each, on cpu and memory.
fn many(namespaces: usize) -> ApiServer {
    let mut objects: [Vec<Value>; 4] = Default::default();
    for number in 0..namespaces * 10 {
        let namespace = format!("team-{:02}", number / 10);
        let name = format!("app-{}", number % 10);
        let meta =
            |name: &str| json!({ "name": name, "namespace": namespace, "labels": { "app": name } });
        let resource = |name: &str| {
            json!({ "type": "Resource", "resource": {
                "name": name, "target": { "type": "Utilization", "averageUtilization": 50 } } })
        };
        objects[0].push(json!({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": meta(&name),
            "spec": {
                "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": name },
                "minReplicas": 1, "maxReplicas": 10,
                "metrics": [resource("cpu"), resource("memory")],
            },
            "status": { "currentReplicas": 3, "desiredReplicas": 3 },
        }));
        objects[1].push(json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(&name),
            "spec": { "replicas": 3, "selector": { "matchLabels": { "app": name } } },
            "status": { "replicas": 3 },
        }));
        for pod in 0..3 {
            let mut meta = meta(&format!("{name}-{pod}"));
            meta["labels"] = json!({ "app": name });
            objects[2].push(json!({
                "apiVersion": "v1", "kind": "Pod", "metadata": meta,
                "spec": { "containers": [{ "name": "app", "resources": {
                    "requests": { "cpu": "100m", "memory": "100Mi" } } }] },
                "status": { "phase": "Running", "startTime": "2026-11-20T06:00:00Z",
                    "conditions": [{ "type": "Ready", "status": "True",
                        "lastTransitionTime": "2026-11-20T06:01:00Z" }] },
            }));
            objects[3].push(json!({
                "metadata": meta, "timestamp": NOW, "window": "15s",
                "containers": [{ "name": "app", "usage": { "cpu": "100m", "memory": "50Mi" } }],
            }));
        }
    }
    let [autoscalers, deployments, pods, samples] = objects;
    ApiServer::empty()
        .at(NOW.parse().expect("a time"))
        .put(
            "/apis/autoscaling/v2/horizontalpodautoscalers",
            &list_document(
                "HorizontalPodAutoscalerList",
                "autoscaling/v2",
                &autoscalers,
            ),
        )
        .put(
            "/apis/apps/v1/deployments",
            &list_document("DeploymentList", "apps/v1", &deployments),
        )
        .put("/api/v1/pods", &list_document("PodList", "v1", &pods))
        .put(
            "/apis/metrics.k8s.io/v1beta1/pods",
            &list_document("PodMetricsList", "metrics.k8s.io/v1beta1", &samples),
        )
        .https()
        .start()
}

#[test]
fn two_hundred_hpas_take_a_handful_of_requests() {
    let server = many(NAMESPACES);
    let list = document(&server.kubeconfig(), &["list", "-A"]);
    let requests = server.log().len();
    println!("list -A over 200 HPAs in {NAMESPACES} namespaces: {requests} requests");
    assert!(requests <= 60, "{requests}");
    let list = list["items"].as_array().expect("items");
    assert_eq!(list.len(), 200);
    for item in list {
        // One by one, they would be the largest part of the document.
        assert!(item.get("possible").is_none());
        assert_eq!(item["possibleRange"]["to"], 6, "{item}");
        assert_eq!(item["currentReplicas"], 3);
    }
}

#[test]
fn who_may_see_some_namespaces_only_sees_them_one_by_one() {
    let server = many(NAMESPACES);
    let kubeconfig = server.kubeconfig();
    let whole = text(&kubeconfig, &["list", "-A"]);
    for resource in [
        "/api/v1/pods$",
        "/apis/apps/v1/deployments$",
        "/apis/metrics.k8s.io/v1beta1/pods$",
    ] {
        server.fault(resource, Fault::Status(403));
    }
    server.forget_log();
    assert_eq!(text(&kubeconfig, &["list", "-A"]), whole);
    let requests = server.log().len();
    assert!(
        (3 * NAMESPACES..=3 * NAMESPACES + 10).contains(&requests),
        "{requests}"
    );
    // The HPAs themselves are what a list cannot do without.
    server.fault(
        "/apis/autoscaling/v2/horizontalpodautoscalers$",
        Fault::Status(403),
    );
    let output = run(&kubeconfig, &["list", "-A"]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    let said = said.strip_prefix("warning: ").map_or(said, |clock| {
        clock.split_once('\n').map_or("", |(_, rest)| rest)
    });
    assert_eq!(
        said,
        "Error from server (Forbidden): horizontalpodautoscalers.autoscaling is forbidden: \
         User \"viewer\" cannot list resource \"horizontalpodautoscalers\" in API group \
         \"autoscaling\" at the cluster scope\n\
         hint: list one namespace with -n; `kubectl hpa-explain rbac list -A` prints the required role\n"
    );
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_listed() {
    let rows = [
        ("/api/v1/namespaces/shop/pods", 403, "db", "forbidden"),
        (SAMPLES, 403, "db", "forbidden"),
        (
            "/apis/apps/v1/namespaces/shop/statefulsets",
            403,
            "db",
            "forbidden",
        ),
        (
            "/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts",
            403,
            "canary",
            "forbidden",
        ),
    ];
    for (path, status, name, reason) in rows {
        let server = replay("steady");
        let kubeconfig = server.kubeconfig();
        let before = document(&kubeconfig, &["list"]);
        assert!(items(&before)[name]["lastPass"].is_null(), "{path}");
        server.fault(path, Fault::Status(status));
        let after = document(&kubeconfig, &["list"]);
        let because = items(&after)[name]["lastPass"]["because"].to_string();
        assert!(because.contains(reason), "{path}: {because}");
        assert_eq!(items(&after).len(), 10);
        assert_eq!(items(&after)["paused"]["verdict"]["word"], "paused");
    }
}

/// More than `--request-timeout=1s` allows.
const LATE: Fault = Fault::Latency(Duration::from_secs(30));

/// The controller asks for the samples of one HPA's pods at a time. What only
/// the list of all of them meets is no failure of its own.
#[test]
fn a_failed_list_of_all_samples_is_not_the_controllers_failure() {
    let busy = Fault::TooManyRequests {
        times: usize::MAX,
        retry_after: 30,
    };
    let rows = [
        (
            LATE,
            Some("pods.metrics.k8s.io: the server did not answer within 1s"),
        ),
        (
            Fault::Status(500),
            Some("pods.metrics.k8s.io: Internal error occurred"),
        ),
        (Fault::Text(500), Some("(get pods.metrics.k8s.io)")),
        (Fault::Status(504), Some("pods.metrics.k8s.io")),
        (busy, Some("pods.metrics.k8s.io")),
        (
            Fault::Truncated,
            Some("pods.metrics.k8s.io: the answer broke off"),
        ),
        // No metrics API, or nobody behind it: so it is for the controller.
        (Fault::Status(503), None),
        (Fault::Text(503), None),
        (Fault::Text(404), None),
        (Fault::MissingGroup, None),
    ];
    let server = replay("steady");
    let kubeconfig = server.kubeconfig();
    let arguments = ["list", "--request-timeout=1s"];
    for (fault, because) in &rows {
        let id = server.fault(SAMPLES, fault.clone());
        let list = document(&kubeconfig, &arguments);
        server.lift(id);
        let db = items(&list)["db"];
        let said = db["lastPass"]["because"].as_str();
        match because {
            Some(reason) => {
                assert!(
                    said.is_some_and(|said| said.contains(reason)),
                    "{fault:?}: {db}"
                );
                assert_eq!(db["verdict"]["word"], "unchanged", "{fault:?}");
            }
            None => assert_eq!(
                (said, &db["verdict"]["word"]),
                (None, &"failing".into()),
                "{fault:?}"
            ),
        }
    }
    assert_eq!(rows.len(), 10);
    let fine = document(&kubeconfig, &arguments);
    assert!(items(&fine)["db"]["lastPass"].is_null());
}

#[test]
fn what_is_too_much_at_once_is_read_namespace_by_namespace() {
    let server = many(NAMESPACES);
    let kubeconfig = server.kubeconfig();
    let arguments = ["list", "-A", "--request-timeout=1s"];
    let whole = text(&kubeconfig, &arguments);
    let all = "/apis/metrics.k8s.io/v1beta1/pods$";
    let rows = [
        LATE,
        Fault::Status(500),
        Fault::Status(429),
        Fault::Status(504),
    ];
    for fault in &rows {
        let id = server.fault(all, fault.clone());
        server.forget_log();
        assert_eq!(text(&kubeconfig, &arguments), whole, "{fault:?}");
        let log = server.log();
        let of_one = |path: &str| path.starts_with("/apis/metrics.k8s.io/v1beta1/namespaces/");
        let lists = log.iter().filter(|entry| of_one(entry.path())).count();
        assert_eq!(lists, NAMESPACES, "{fault:?}");
        server.lift(id);
    }
    assert_eq!(rows.len(), 4);
    // Of an API that is down no smaller list is asked for.
    server.fault(all, Fault::Status(503));
    server.forget_log();
    assert!(text(&kubeconfig, &arguments).contains("Failing"));
    assert!(server.log().len() < 10);
}

#[test]
fn a_list_is_as_wide_as_the_terminal() {
    let server = replay("steady");
    let kubeconfig = server.kubeconfig();
    let long = "twin-of-a-team-that-likes-to-give-its-workloads-telling-names";
    let path = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/";
    let twin = document_of(&server, "twin-a", |twin| {
        twin["metadata"]["name"] = long.into();
    });
    server.put(&format!("{path}{long}"), &twin);
    let verdict = "Failing: several HPAs select the same pods";
    let rows = [
        ("200", long, verdict),
        ("120", long, "Failing: several HPAs select the same"),
        (
            "78",
            "twin-of-a-team-that-likes-to-g",
            "Failing: several HPAs",
        ),
        (
            "50",
            "NAME       twin-of-a-team-that-likes",
            "  VERDICT  Failing: several HPAs select the same",
        ),
        (
            "40",
            "NAME       twin-of-a-team-that",
            "  VERDICT  Failing: several",
        ),
    ];
    for (columns, name, verdict) in rows {
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
            .arg("list")
            .env_clear()
            .env("KUBECONFIG", &kubeconfig)
            .env("COLUMNS", columns)
            .output()
            .expect("the binary runs");
        let list = stdout(&output);
        assert!(
            list.lines().any(|line| line.starts_with(name)),
            "{columns}: {list}"
        );
        assert!(list.contains(verdict), "{columns}: {list}");
        let most = list.lines().map(|line| line.chars().count()).max();
        let columns: usize = columns.parse().expect("a number");
        assert!(most <= Some(columns), "{columns}: {list}");
    }
    assert_eq!(rows.len(), 5);
}

#[test]
fn labels_select_and_the_others_are_still_known() {
    let server = replay("steady");
    let kubeconfig = server.kubeconfig();
    let list = document(
        &kubeconfig,
        &["list", "-l", "scaledobject.keda.sh/name=worker"],
    );
    assert_eq!(
        items(&list).keys().copied().collect::<Vec<_>>(),
        ["keda-hpa-worker"]
    );
    let list = document(&kubeconfig, &["list", "-l", "!scaledobject.keda.sh/name"]);
    assert_eq!(items(&list).len(), 9);
    let output = run(&kubeconfig, &["list", "-l", "a in b"]);
    assert_eq!(output.status.code(), Some(2));
    // Of the twins, which disable each other, one is asked for.
    let path = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/twin-a";
    let twin = document_of(&server, "twin-a", |twin| {
        twin["metadata"]["labels"] = json!({ "only": "me" });
    });
    server.put(path, &twin);
    let list = document(&kubeconfig, &["list", "-l", "only=me"]);
    let verdict = &items(&list)["twin-a"]["verdict"];
    assert_eq!(verdict["word"], "failing");
    assert_eq!(verdict["because"]["kind"], "shared-pods");
}

/// The server knows the fields; those who are left out are still known.
#[test]
fn the_server_selects_by_fields() {
    let server = replay("steady");
    let kubeconfig = server.kubeconfig();
    let rows = [
        ("metadata.name=twin-a", &["twin-a"][..]),
        ("metadata.name==db,metadata.namespace=shop", &["db"]),
        ("metadata.name=nobody", &[]),
    ];
    for (fields, names) in rows {
        server.forget_log();
        let list = document(&kubeconfig, &["list", "-A", "--field-selector", fields]);
        assert_eq!(items(&list).keys().copied().collect::<Vec<_>>(), names);
        let log = server.log();
        let is_passed_on = log
            .iter()
            .any(|entry| entry.target.contains("fieldSelector=metadata.name"));
        assert!(is_passed_on, "{fields}");
    }
    let twin = document(
        &kubeconfig,
        &["list", "--field-selector", "metadata.name=twin-a"],
    );
    let verdict = &items(&twin)["twin-a"]["verdict"];
    assert_eq!(verdict["word"], "failing");
    assert_eq!(verdict["because"]["kind"], "shared-pods");
    let output = run(&kubeconfig, &["list", "--field-selector", "spec.x=1"]);
    assert_eq!(output.status.code(), Some(1));
    let said = "Error from server (BadRequest): \"spec.x\" is not a known field selector: only \
                \"metadata.name\", \"metadata.namespace\"\n";
    assert!(stderr(&output).contains(said), "{}", stderr(&output));
}

#[test]
fn the_exit_code_tells_what_a_cluster_has() {
    let server = replay("steady");
    let kubeconfig = server.kubeconfig();
    let rows: [(&[&str], i32); 7] = [
        (&["list"], 3),
        (&["list", "--full", "-o", "json"], 3),
        (&[], 3),
        (&["list", "--field-selector", "metadata.name=db"], 0),
        (&["db"], 0),
        (&["web"], 3),
        // A failure leaves open what else there is.
        (&["web", "nobody"], 1),
    ];
    for (arguments, code) in rows {
        let arguments = [arguments, &["--exit-code"]].concat();
        assert_eq!(
            run(&kubeconfig, &arguments).status.code(),
            Some(code),
            "{arguments:?}"
        );
    }
    assert_eq!(run(&kubeconfig, &["web"]).status.code(), Some(0));
    let demo = run(&kubeconfig, &["demo", "--exit-code"]);
    assert_eq!(demo.status.code(), Some(2), "{}", stderr(&demo));
}

/// A recorded HPA, changed.
fn document_of(server: &ApiServer, name: &str, change: impl FnOnce(&mut Value)) -> Value {
    let snapshot = text(&server.kubeconfig(), &[name, "-o", "snapshot"]);
    let mut snapshot: Value = serde_yaml::from_str(&snapshot).expect("YAML");
    let mut hpa = snapshot["horizontalPodAutoscaler"].take();
    change(&mut hpa);
    hpa
}

#[test]
fn a_custom_kind_is_looked_up_once() {
    let server = replay("steady");
    let kubeconfig = server.kubeconfig();
    let path = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/canary-2";
    let other = document_of(&server, "canary", |hpa| {
        hpa["metadata"]["name"] = "canary-2".into();
    });
    server.put(path, &other);
    server.forget_log();
    document(&kubeconfig, &["list"]);
    let log = server.log();
    let count = |path: &str| log.iter().filter(|entry| entry.path() == path).count();
    assert_eq!(count("/apis/argoproj.io/v1alpha1"), 1);
    let scale = "/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/canary/scale";
    assert_eq!(count(scale), 2);
    assert_eq!(count("/api/v1/namespaces/shop/pods"), 1);
}

#[test]
fn nothing_to_list_is_no_failure() {
    let server = ApiServer::empty().at(Timestamp::now()).https().start();
    let list = list_document("HorizontalPodAutoscalerList", "autoscaling/v2", &[]);
    server.put("/apis/autoscaling/v2/horizontalpodautoscalers", &list);
    let kubeconfig = server.kubeconfig();
    let rows: [(&[&str], &str); 3] = [
        (
            &["list", "-n", "shop"],
            "No resources found in shop namespace.\n",
        ),
        (&["-n", "shop"], "No resources found in shop namespace.\n"),
        (&["list", "-A"], "No resources found\n"),
    ];
    for (arguments, said) in rows {
        let output = run(&kubeconfig, arguments);
        assert!(output.status.success(), "{arguments:?}");
        assert_eq!(
            (stdout(&output), stderr(&output)),
            ("", said),
            "{arguments:?}"
        );
    }
    let empty = document(&kubeconfig, &["list", "-A"]);
    assert_eq!(
        empty,
        json!({ "apiVersion": "hpa-explain/v1", "kind": "SummaryList", "items": [] })
    );
}

/// Any document would do for an empty list: what is none fails, and says what
/// it was.
#[test]
fn what_is_no_list_of_hpas_is_no_empty_list() {
    let list = |kind: &str, version: &str| list_document(kind, version, &[]);
    let mut anonymous = list("HorizontalPodAutoscalerList", "autoscaling/v2");
    anonymous.as_object_mut().expect("a list").remove("kind");
    let rows = [
        (json!({}), "a document without a kind"),
        (json!([]), "a document without a kind"),
        (anonymous, "a document without a kind"),
        (
            json!({"kind": "Secret", "apiVersion": "v1", "metadata": {}, "data": {"a": "c2VjcmV0"}}),
            "Secret of apiVersion \"v1\"",
        ),
        (
            json!({"kind": "SecretList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}}]}),
            "SecretList of apiVersion \"v1\"",
        ),
        (list("PodList", "v1"), "PodList of apiVersion \"v1\""),
        (
            list("HorizontalPodAutoscalerList", "autoscaling/v1"),
            "HorizontalPodAutoscalerList of apiVersion \"autoscaling/v1\"",
        ),
    ];
    assert_eq!(rows.len(), 7);
    for (document, came) in rows {
        let server = ApiServer::empty().at(Timestamp::now()).https().start();
        let path = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers";
        server.put(path, &document);
        let kubeconfig = server.kubeconfig();
        for command in ["list", "flaps"] {
            let output = run(&kubeconfig, &[command, "-n", "shop"]);
            let said = stderr(&output);
            assert_eq!(
                output.status.code(),
                Some(1),
                "{command} {document}: {said}"
            );
            assert_eq!(stdout(&output), "", "{command} {document}");
            let wanted = format!("{came}, not a HorizontalPodAutoscalerList of autoscaling/v2");
            assert!(said.contains(&wanted), "{command} {document}: {said}");
            assert!(
                !said.contains("No resources"),
                "{command} {document}: {said}"
            );
        }
    }
}

#[test]
fn a_snapshot_file_is_listed_without_a_cluster() {
    let server = replay("steady");
    let kubeconfig = server.kubeconfig();
    let folder = tempfile::tempdir().expect("a scratch directory");
    let file = folder.path().join("shop.yaml");
    let arguments = [&NAMES[..], &["-o", "snapshot"]].concat();
    std::fs::write(&file, text(&kubeconfig, &arguments)).expect("writable");
    let file = file.to_str().expect("a plain path");
    let full = document(&kubeconfig, &["list", "--full"]);
    server.stop();
    let listed = document(&kubeconfig, &["list", "--snapshot", file]);
    let (full, listed) = (items(&full), items(&listed));
    for name in NAMES {
        for field in [
            "currentReplicas",
            "desiredReplicas",
            "possibleRange",
            "verdict",
        ] {
            assert_eq!(listed[name][field], full[name][field], "{name}: {field}");
        }
    }
    let by_name = ["list", "--snapshot", file, "-o", "name", "--sort-by=name"];
    let names = text(&kubeconfig, &by_name);
    assert_eq!(names.lines().count(), NAMES.len());
    assert!(names.starts_with("horizontalpodautoscaler.autoscaling/api\n"));
    let bare = ["list", "--snapshot", file, "--no-headers", "--sort-by=name"];
    let bare = text(&kubeconfig, &bare);
    assert!(bare.starts_with("shop   api "), "{bare}");
    let elsewhere = run(&kubeconfig, &["list", "--snapshot", file, "-n", "else"]);
    assert_eq!(
        stderr(&elsewhere),
        "No resources found in else namespace.\n"
    );
}
