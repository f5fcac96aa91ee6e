//! `rbac` prints what the commands read: everything, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::support::apiserver::{ApiServer, Fault, list_document};
use crate::support::binary::{NAMES, run};
use serde::Deserialize;
use serde_json::{Value, json};

/// A permission as RBAC knows it: where, what, how.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Access {
    /// `*` for all namespaces.
    namespace: String,
    group: String,
    resource: String,
    verb: String,
}

/// What the API server makes of a path (apiserver `RequestInfo`); nothing for
/// `/version` and discovery, which every user may read.
fn access(target: &str) -> Option<Access> {
    let path = target.split('?').next()?;
    let mut parts = path.trim_matches('/').split('/');
    let group = match parts.next()? {
        "api" => "",
        "apis" => parts.next()?,
        _ => return None,
    };
    parts.next()?;
    let rest: Vec<&str> = parts.collect();
    let (namespace, rest) = match rest.as_slice() {
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (*namespace, rest),
        rest => ("*", rest),
    };
    let (resource, verb) = match rest {
        [] => return None,
        [resource] if target.contains("watch=1") => ((*resource).to_owned(), "watch"),
        [resource] => ((*resource).to_owned(), "list"),
        [resource, _] => ((*resource).to_owned(), "get"),
        [resource, _, subresource, ..] => (format!("{resource}/{subresource}"), "get"),
    };
    Some(Access {
        namespace: namespace.to_owned(),
        group: group.to_owned(),
        resource,
        verb: verb.to_owned(),
    })
}

#[test]
fn paths_are_read_as_the_api_server_reads_them() {
    let rows = [
        ("/version", None),
        ("/apis/argoproj.io/v1alpha1", None),
        ("/api/v1/pods?limit=500", Some(("*", "", "pods", "list"))),
        (
            "/api/v1/namespaces/shop/pods?a=b",
            Some(("shop", "", "pods", "list")),
        ),
        (
            "/apis/apps/v1/namespaces/shop/deployments/web/scale",
            Some(("shop", "apps", "deployments/scale", "get")),
        ),
        (
            "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/%2A/rps",
            Some(("shop", "custom.metrics.k8s.io", "pods/rps", "get")),
        ),
        (
            "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue",
            Some(("shop", "external.metrics.k8s.io", "queue", "list")),
        ),
        (
            "/api/v1/namespaces/shop/pods?a=b&watch=1",
            Some(("shop", "", "pods", "watch")),
        ),
    ];
    for (path, expected) in rows {
        let read = access(path);
        let read = read.as_ref().map(|read| {
            let Access {
                namespace,
                group,
                resource,
                verb,
            } = read;
            (&**namespace, &**group, &**resource, &**verb)
        });
        assert_eq!(read, expected, "{path}");
    }
    assert_eq!(rows.len(), 8);
}

/// The printed permissions.
fn permissions(arguments: &[&str]) -> BTreeSet<Access> {
    let output = run(Path::new("/nowhere"), &[&["rbac"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}");
    let mut permissions = BTreeSet::new();
    for document in serde_yaml::Deserializer::from_slice(&output.stdout) {
        let document = Value::deserialize(document).expect("YAML");
        let namespace = document["metadata"]["namespace"].as_str().unwrap_or("*");
        let rules = document["rules"].as_array().into_iter().flatten();
        for rule in rules {
            let texts = |field: &str| -> Vec<String> {
                serde_json::from_value(rule[field].clone()).expect("texts")
            };
            for group in texts("apiGroups") {
                for resource in texts("resources") {
                    permissions.extend(texts("verbs").into_iter().map(|verb| Access {
                        namespace: namespace.to_owned(),
                        group: group.clone(),
                        resource: resource.clone(),
                        verb,
                    }));
                }
            }
        }
    }
    permissions
}

impl Access {
    fn allows(&self, asked: &Self) -> bool {
        let covers = |own: &str, asked: &str| own == "*" || own == asked;
        covers(&self.namespace, &asked.namespace)
            && self.group == asked.group
            && covers(&self.resource, &asked.resource)
            && self.verb == asked.verb
    }
}

/// What is asked of a server by some runs.
fn asked(server: &ApiServer, runs: &[&[&str]]) -> BTreeSet<Access> {
    let kubeconfig = server.kubeconfig();
    for arguments in runs {
        let output = run(&kubeconfig, arguments);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {complaint}");
    }
    let log = server.log();
    log.iter()
        .filter_map(|entry| access(&entry.target))
        .collect()
}

/// What explaining asks for: for the recorded HPAs, and for one that is alone
/// in its namespace, whose target comes with no list.
fn asked_by_explain(server: &ApiServer) -> BTreeSet<Access> {
    let runs: Vec<[&str; 1]> = NAMES.iter().map(|name| [*name]).collect();
    let runs: Vec<&[&str]> = runs.iter().map(<[&str; 1]>::as_slice).collect();
    let mut asked_for = asked(server, &runs);
    let hpa = run(&server.kubeconfig(), &["web", "-o", "snapshot"]);
    let snapshot: Value = serde_yaml::from_slice(&hpa.stdout).expect("YAML");
    let pod = snapshot["pods"][0]["metadata"]["name"].as_str();
    let pod = format!("pod/{}", pod.expect("a pod"));
    asked_for.extend(asked(server, &[&[pod.as_str()]]));
    let alone = [snapshot["horizontalPodAutoscaler"].clone()];
    let list = list_document("HorizontalPodAutoscalerList", "autoscaling/v2", &alone);
    server.put(
        "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers",
        &list,
    );
    asked_for.extend(asked(server, &[&["web"]]));
    asked_for.extend(asked_about_others(server, &snapshot));
    asked_for
}

/// What is asked where a metrics API fails, and where pods say that a VPA has
/// set their requests.
fn asked_about_others(server: &ApiServer, web: &Value) -> BTreeSet<Access> {
    let mut pods = web["pods"].as_array().expect("pods").clone();
    for pod in &mut pods {
        pod["metadata"]["annotations"] = json!({"vpaObservedContainers": "app"});
    }
    let list = list_document("PodList", "v1", &pods);
    server.put(
        "/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb",
        &list,
    );
    let down = server.fault("/apis/metrics.k8s.io", Fault::Status(503));
    let asked_for = asked(server, &[&["web"]]);
    server.lift(down);
    asked_for
}

fn asked_by_list(arguments: &[&str]) -> BTreeSet<Access> {
    asked(&kubeadm(), &[arguments])
}

/// What watching asks for: what explaining does, and the watch.
fn asked_by_watch() -> BTreeSet<Access> {
    let server = kubeadm();
    let mut asked_for = asked(&server, &[&["watch", "web", "--for=1s"]]);
    asked_for.extend(asked_by_explain(&server));
    asked_for
}

/// What explaining asks of k3s, be the version there in time or late.
fn asked_by_explain_of_k3s() -> BTreeSet<Access> {
    let server = k3s();
    let slow = || Fault::Latency(Duration::from_millis(150));
    let target = server.fault("/apis/apps", slow());
    let mut asked_for = asked(&server, &[&["web"]]);
    server.lift(target);
    server.fault("/version", slow());
    asked_for.extend(asked_by_explain(&server));
    asked_for
}

/// A server whose controller is a pod of its own.
fn kubeadm() -> ApiServer {
    ApiServer::replay("steady").https().start()
}

/// A server whose controller is part of k3s.
fn k3s() -> ApiServer {
    let server = kubeadm();
    server.put("/version", &json!({ "gitVersion": "v1.36.2+k3s1" }));
    let node = json!({ "metadata": { "name": "one",
        "labels": { "node-role.kubernetes.io/control-plane": "true" },
        "annotations": { "k3s.io/node-args": "[\"server\"]" } } });
    server.put("/api/v1/nodes", &list_document("NodeList", "v1", &[node]));
    server
}

#[test]
fn the_role_is_the_least_that_serves() {
    let everything = || {
        let mut asked_for = asked_by_watch();
        asked_for.extend(asked_by_list(&["list"]));
        asked_for.extend(asked_by_list(&["flaps"]));
        asked_for
    };
    // Those that are named are read as an explanation reads them.
    let both = || {
        let mut asked_for = asked_by_explain(&kubeadm());
        asked_for.extend(asked_by_list(&["flaps"]));
        asked_for
    };
    let rows: [(&[&str], BTreeSet<Access>); 9] = [
        (&["flaps", "-n", "shop"], both()),
        (&["watch", "-n", "shop"], asked_by_watch()),
        (&["explain", "-n", "shop"], asked_by_explain(&kubeadm())),
        (&["list", "-n", "shop"], asked_by_list(&["list"])),
        (
            &["list", "-n", "shop", "--full"],
            asked_by_list(&["list", "--full"]),
        ),
        (&["-n", "shop"], everything()),
        (&["list", "-A"], asked_by_list(&["list", "-A"])),
        (
            &["explain", "-n", "shop", "--k3s"],
            asked_by_explain_of_k3s(),
        ),
        (&["list", "-A", "--k3s"], asked(&k3s(), &[&["list", "-A"]])),
    ];
    for (arguments, asked_for) in &rows {
        // The kinds beside Deployments and StatefulSets, which are always in.
        let kinds = ["--target=rollouts.argoproj.io"];
        let permissions = permissions(&[*arguments, &kinds].concat());
        assert!(asked_for.len() > 6, "{arguments:?}: {asked_for:?}");
        for asked in asked_for {
            let allowed = permissions
                .iter()
                .any(|permission| permission.allows(asked));
            assert!(allowed, "{arguments:?} does not allow {asked:?}");
        }
        for permission in &permissions {
            let used = asked_for.iter().any(|asked| permission.allows(asked));
            assert!(
                used,
                "{arguments:?} allows {permission:?}, which nothing uses"
            );
        }
    }
}

#[test]
fn what_is_printed_is_yaml_that_can_be_applied() {
    let (own, controller) = ("hpa-explain", "hpa-explain-controller");
    let of_nodes = ("ClusterRole", None, controller);
    let of_apis = ("ClusterRole", None, "hpa-explain-metrics-apis");
    let of_controller = ("Role", Some("kube-system"), controller);
    let rows = [
        (
            vec!["-A"],
            vec![("ClusterRole", None, own), of_apis, of_controller],
        ),
        (
            vec!["-n", "shop"],
            vec![("Role", Some("shop"), own), of_apis, of_controller],
        ),
        // Two roles of one name would replace each other.
        (
            vec!["-n", "kube-system"],
            vec![("Role", Some("kube-system"), own), of_apis, of_controller],
        ),
        (
            vec!["-A", "--k3s"],
            vec![("ClusterRole", None, own), of_apis, of_controller, of_nodes],
        ),
    ];
    for (arguments, roles) in &rows {
        let output = run(
            Path::new("/nowhere"),
            &[&["rbac"], arguments.as_slice()].concat(),
        );
        let documents = serde_yaml::Deserializer::from_slice(&output.stdout);
        let documents: Vec<Value> = documents
            .map(|document| Value::deserialize(document).expect("YAML"))
            .collect();
        assert_eq!(documents.len(), 2 * roles.len(), "{arguments:?}");
        for (pair, (kind, namespace, name)) in documents.chunks(2).zip(roles) {
            for (document, kind) in pair.iter().zip([(*kind).into(), format!("{kind}Binding")]) {
                assert_eq!(document["apiVersion"], "rbac.authorization.k8s.io/v1");
                assert_eq!(document["kind"], kind, "{arguments:?}");
                assert_eq!(document["metadata"]["name"], *name, "{arguments:?}");
                assert_eq!(document["metadata"]["namespace"], json!(namespace));
            }
            let role = &pair[1]["roleRef"];
            assert_eq!((&role["kind"], &role["name"]), (&json!(kind), &json!(name)));
        }
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(text.lines().all(|line| line.chars().count() <= 80));
        let rules = text.matches("- apiGroups").count();
        let remarks = text.matches("# needed: ").count() + text.matches("# optional: ").count();
        assert_eq!(remarks, rules, "every rule says what it is for");
    }
    assert_eq!(rows.len(), 4);
    let rows = [
        ["-n", "Shop"],
        ["-n", "a\"b"],
        ["--target", "a b.c"],
        ["--target", "x.y]"],
    ];
    for arguments in rows {
        let output = run(Path::new("/nowhere"), &["rbac", arguments[0], arguments[1]]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn other_kinds_come_beside_the_usual_ones() {
    let usual = permissions(&["-n", "shop"]);
    let more = permissions(&["-n", "shop", "--target", "rollouts.argoproj.io"]);
    assert!(usual.is_subset(&more));
    let added: Vec<(&str, &str)> = more
        .difference(&usual)
        .map(|access| (access.resource.as_str(), access.verb.as_str()))
        .collect();
    let own = [
        ("rollouts", "get"),
        ("rollouts", "list"),
        ("rollouts/scale", "get"),
    ];
    assert_eq!(added, own);
    // Naming what is there anyway changes nothing.
    let again = permissions(&["-n", "shop", "--target", "deployments.apps"]);
    assert_eq!(again, usual);
}
