//! What is asked of a cluster for it, when, and what of that a capture holds.

use serde_json::{Value, json};

use super::{explained, line};
use crate::support::apiserver::{ApiServer, Fault, list_document};
use crate::support::binary::{run, stderr, stdout};

const HPA: &str = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web";
const QUOTAS: &str = "/api/v1/namespaces/shop/resourcequotas";
const RANGES: &str = "/api/v1/namespaces/shop/limitranges";
const NODES: &str = "/api/v1/nodes";
const OWN_PODS: &str = "/api/v1/namespaces/shop/pods";
const PODS: &str = "/api/v1/pods";
const RUNNING: &str = "/api/v1/pods?fieldSelector=status.phase!=Succeeded,status.phase!=Failed";

/// The recorded cluster, with `web` at its maximum: the metrics ask for more.
fn at_max() -> ApiServer {
    let server = ApiServer::replay("steady").https().start();
    let snapshot = snapshot(&server, &[]);
    let mut hpa = snapshot["horizontalPodAutoscaler"].clone();
    hpa["spec"]["maxReplicas"] = snapshot["scale"]["response"]["spec"]["replicas"].clone();
    for metric in hpa["spec"]["metrics"].as_array_mut().expect("metrics") {
        if metric["type"] == "Resource" {
            metric["resource"]["target"]["averageUtilization"] = json!(1);
        }
    }
    server.put(HPA, &hpa);
    let quota = json!({
        "metadata": {"name": "compute", "annotations": {"note": "SECRET"}},
        "spec": {"hard": {"pods": "30"}}, "status": {"hard": {"pods": "30"}, "used": {"pods": "29"}},
    });
    server.put(QUOTAS, &list_document("ResourceQuotaList", "v1", &[quota]));
    server.put(RANGES, &list_document("LimitRangeList", "v1", &[]));
    server.forget_log();
    server
}

fn page(server: &ApiServer, arguments: &[&str]) -> String {
    let arguments = [&["web", "-n", "shop"], arguments].concat();
    let output = run(&server.kubeconfig(), &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output).to_owned()
}

fn snapshot(server: &ApiServer, arguments: &[&str]) -> Value {
    let text = page(server, &[&["-o", "snapshot"], arguments].concat());
    serde_yaml::from_str(&text).expect("a snapshot")
}

fn requests(server: &ApiServer, path: &str) -> usize {
    let log = server.log();
    let here = |it: &str| it == path || it.starts_with(&format!("{path}?"));
    log.iter().filter(|entry| here(entry.path())).count()
}

#[test]
fn quotas_are_read_at_max_alone() {
    let server = at_max();
    let text = page(&server, &[]);
    let room = line(&text).expect(&text);
    assert!(
        room.starts_with(
            "does not fit: quota compute allows pods 30, 29 used, 1 for each pod; 1 more pod fits, the "
        ),
        "{room}"
    );
    let all = [QUOTAS, RANGES, NODES, PODS];
    assert_eq!(all.map(|path| requests(&server, path)), [1, 1, 0, 0]);
    server.forget_log();
    let other = run(&server.kubeconfig(), &["db", "-n", "shop", "--nodes"]);
    assert_eq!(line(stdout(&other)), None);
    assert_eq!(all.map(|path| requests(&server, path)), [0; 4]);
}

/// What a file keeps gives the same line, and nothing that it does not need.
#[test]
fn a_capture_has_the_same_line() {
    let server = at_max();
    put_nodes(&server, "900");
    for arguments in [&[][..], &["--nodes"]] {
        let text = page(&server, &[arguments, &["-o", "snapshot"]].concat());
        for secret in ["SECRET", "host-a"] {
            assert!(!text.contains(secret), "{text}");
        }
        let live = line(&page(&server, arguments)).expect("a line");
        assert_eq!(line(&explained(&text, &[])), Some(live));
    }
}

fn put_nodes(server: &ApiServer, cpu: &str) {
    put_nodes_with(server, cpu, &json!({}));
}

/// Nodes, and a pod of the target that has what admission added.
fn put_nodes_with(server: &ApiServer, cpu: &str, added: &Value) {
    let node = json!({
        "metadata": {"name": "host-a", "labels": {"kubernetes.io/hostname": "host-a", "zone": "SECRET"}},
        "spec": {"providerID": "SECRET"},
        "status": {"allocatable": {"cpu": cpu, "memory": "64Ti", "pods": "10000"}, "addresses": ["SECRET"]},
    });
    server.put(NODES, &list_document("NodeList", "v1", &[node]));
    let pod = json!({
        "metadata": {"name": "other", "namespace": "elsewhere"},
        "spec": {"nodeName": "host-a", "containers": [
            {"name": "app", "env": ["SECRET"], "resources": {"requests": {"cpu": "1"}}},
        ]},
        "status": {"phase": "Running"},
    });
    let mut own = json!({
        "metadata": {"name": snapshot(server, &[])["pods"][0]["metadata"]["name"], "namespace": "shop"},
        "spec": {"nodeName": "host-a", "containers": [], "schedulerName": "default-scheduler"},
    });
    let spec = own["spec"].as_object_mut().expect("an object");
    spec.extend(added.as_object().expect("an object").clone());
    server.put(RUNNING, &list_document("PodList", "v1", &[own, pod]));
}

#[test]
fn nodes_are_read_where_they_are_asked_for() {
    let server = at_max();
    let quota = json!({"metadata": {"name": "none"}});
    server.put(QUOTAS, &list_document("ResourceQuotaList", "v1", &[quota]));
    put_nodes(&server, "900");
    let room = |arguments: &[&str]| line(&page(&server, arguments)).expect("a line");
    assert!(room(&[]).ends_with("nodes were not looked at (--nodes)"));
    server.forget_log();
    let with_nodes = room(&["--nodes"]);
    assert!(with_nodes.starts_with("fits: "), "{with_nodes}");
    assert_eq!([NODES, PODS].map(|path| requests(&server, path)), [1, 1]);
    put_nodes(&server, "1m");
    let with_nodes = room(&["--nodes"]);
    assert!(
        with_nodes.starts_with("does not fit: no more pods fit on 1 node, "),
        "{with_nodes}"
    );
}

/// A pod that was resized takes the most of what it is to have, of what the node has set
/// aside, and of what it runs with.
#[test]
fn a_resized_pod_takes_what_it_has() {
    let server = at_max();
    server.put(QUOTAS, &list_document("ResourceQuotaList", "v1", &[]));
    let rows = [
        ("containers", json!({}), 1),
        (
            "containers",
            json!({"resources": {"requests": {"cpu": "12"}}}),
            12,
        ),
        (
            "containers",
            json!({"allocatedResources": {"cpu": "12"}, "resources": null}),
            12,
        ),
        (
            "containers",
            json!({"allocatedResources": {"cpu": "3"}, "resources": {"requests": {"cpu": "2"}}}),
            3,
        ),
        (
            "initContainers",
            json!({"resources": {"requests": {"cpu": "9"}}}),
            9,
        ),
    ];
    for (kind, mut status, taken) in rows {
        status["name"] = json!("app");
        let statuses = if kind == "containers" {
            "containerStatuses"
        } else {
            "initContainerStatuses"
        };
        put_nodes(&server, "900");
        let container = json!({"name": "app", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}});
        let pod = json!({
            "metadata": {"name": "other", "namespace": "elsewhere"},
            "spec": {"nodeName": "host-a", kind: [container]},
            "status": {"phase": "Running", statuses: [status]},
        });
        server.put(RUNNING, &list_document("PodList", "v1", &[pod]));
        let snapshot = snapshot(&server, &["--nodes"]);
        let node = &snapshot["room"]["nodes"]["items"][0];
        let expected = json!(taken.to_string());
        assert_eq!(
            node["requested"]["cpu"], expected,
            "{kind} {status}\n{node}"
        );
    }
}

/// The overhead comes on top of what a pod requests for all of its containers, and is
/// in what it has as a whole. A resize that the node can never have takes nothing.
#[test]
fn a_pod_takes_what_it_has_as_a_whole_and_its_overhead() {
    let server = at_max();
    server.put(QUOTAS, &list_document("ResourceQuotaList", "v1", &[]));
    let cpu = |cpu: u32| json!({"requests": {"cpu": cpu.to_string()}});
    let waits =
        |reason: &str| json!([{"type": "PodResizePending", "status": "True", "reason": reason}]);
    let of_app = |has: u32| json!([{"name": "app", "allocatedResources": {"cpu": has.to_string()}, "resources": cpu(has)}]);
    let (deferred, infeasible) = (waits("Deferred"), waits("Infeasible"));
    let rows = [
        (json!({"resources": cpu(5)}), json!({}), 11),
        (
            json!({"resources": cpu(5)}),
            json!({"resources": cpu(15), "allocatedResources": {"cpu": "14"}}),
            15,
        ),
        (
            json!({"resources": cpu(5)}),
            json!({"resources": null, "allocatedResources": {"cpu": "14"}}),
            14,
        ),
        (
            json!({"resources": cpu(5)}),
            json!({"resources": cpu(8)}),
            11,
        ),
        (
            json!({"resources": cpu(50)}),
            json!({"resources": cpu(8), "conditions": infeasible}),
            9,
        ),
        (
            json!({"resources": cpu(50)}),
            json!({"conditions": infeasible}),
            56,
        ),
        (
            json!({}),
            json!({"conditions": infeasible, "containerStatuses": of_app(2)}),
            8,
        ),
        (
            json!({}),
            json!({"conditions": deferred, "containerStatuses": of_app(2)}),
            9,
        ),
        (json!({}), json!({"conditions": infeasible}), 9),
    ];
    assert_eq!(rows.len(), 9);
    for (mut spec, mut status, taken) in rows {
        put_nodes(&server, "900");
        spec["nodeName"] = json!("host-a");
        spec["overhead"] = json!({"cpu": "6"});
        spec["containers"] = json!([{"name": "app", "resources": cpu(3)}]);
        status["phase"] = json!("Running");
        let pod = json!({"metadata": {"name": "other", "namespace": "elsewhere"}, "spec": spec, "status": status});
        server.put(
            RUNNING,
            &list_document("PodList", "v1", std::slice::from_ref(&pod)),
        );
        let snapshot = snapshot(&server, &["--nodes"]);
        let node = &snapshot["room"]["nodes"]["items"][0];
        let expected = json!(taken.to_string());
        assert_eq!(node["requested"]["cpu"], expected, "{pod}\n{node}");
    }
}

/// Where a pod may run is told by the template only as far as pods of it show nothing
/// else: what the API server adds to every pod does not count.
#[test]
fn what_admission_adds_shows_on_the_pods() {
    let server = at_max();
    server.put(QUOTAS, &list_document("ResourceQuotaList", "v1", &[]));
    let waits = |key: &str| json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
    let always = [
        waits("node.kubernetes.io/not-ready"),
        waits("node.kubernetes.io/unreachable"),
    ];
    let rows = [
        (json!({"tolerations": always}), "fits: "),
        (
            json!({"nodeSelector": {"pool": "shop"}}),
            "unknown: an admission",
        ),
        (
            json!({"tolerations": [waits("pool")]}),
            "unknown: an admission",
        ),
        (json!({"schedulerName": "volcano"}), "unknown: an admission"),
        (json!({"runtimeClassName": "kata"}), "unknown: an admission"),
        (
            json!({"schedulingGates": [{"name": "queue"}]}),
            "unknown: an admission",
        ),
        (
            json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                {"nodeSelectorTerms": [{"matchExpressions": [{"key": "pool", "operator": "Exists"}]}]}}}}),
            "unknown: an admission",
        ),
    ];
    let sets = [
        (
            "topologySpreadConstraints",
            json!([{"whenUnsatisfiable": "DoNotSchedule"}]),
        ),
        (
            "volumes",
            json!([{"name": "data", "persistentVolumeClaim": {"claimName": "x"}}]),
        ),
        ("volumes", json!([{"name": "data", "csi": {"driver": "x"}}])),
        ("resourceClaims", json!([{"name": "gpu"}])),
        ("hostNetwork", json!(true)),
    ];
    let sets = sets.map(|(field, value)| {
        let says = format!("unknown: a pod sets {field}, which is not computed");
        (json!({field: value}), says)
    });
    let port =
        json!({"containers": [{"name": "app", "ports": [{"containerPort": 80, "hostPort": 80}]}]});
    let port = (
        port,
        "unknown: a pod sets hostPort, which is not computed".to_owned(),
    );
    let rows = rows.map(|(added, says)| (added, says.to_owned()));
    for (added, says) in rows.into_iter().chain(sets).chain([port]) {
        put_nodes_with(&server, "900", &added);
        let room = line(&page(&server, &["--nodes"])).expect("a line");
        assert!(room.starts_with(&says), "{added}\n{room}");
    }
}

/// What another Deployment owns is a pod of others, whatever its labels; pods that wait
/// count against the room, and what changed between the two lists makes it unknown.
#[test]
fn pods_of_others_and_what_changed_meanwhile() {
    let server = at_max();
    server.put(QUOTAS, &list_document("ResourceQuotaList", "v1", &[]));
    put_nodes(&server, "900");
    let there = snapshot(&server, &[])["pods"]
        .as_array()
        .expect("pods")
        .clone();
    let first = there[0].clone();
    let own = |name: &str, node: Option<&str>| {
        let mut pod = first.clone();
        pod["metadata"]["name"] = json!(name);
        pod["metadata"]["namespace"] = json!("shop");
        pod["spec"]["nodeName"] = json!(node);
        pod["status"] = json!({"phase": if node.is_some() { "Running" } else { "Pending" }});
        pod
    };
    let foreign = |name: &str, node: Option<&str>, cpu: &str| {
        let mut pod = own(name, node);
        pod["metadata"]["ownerReferences"] = json!([
            {"apiVersion": "apps/v1", "kind": "Deployment", "name": "other", "uid": "o", "controller": true},
        ]);
        pod["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": cpu}});
        pod
    };
    let host = Some("host-a");
    let changed =
        "unknown: the nodes and the pods on them (its pods changed meanwhile) could not be read";
    let lacks = "unknown: the nodes and the pods on them (the list lacks nodes that its pods run on) could not be read";
    let both = |pods: &[Value]| (pods.to_vec(), pods.to_vec());
    let a = own(first["metadata"]["name"].as_str().expect("a name"), host);
    let mut urgent = foreign("b", None, "1");
    urgent["spec"]["priority"] = json!(1000);
    let other = "unknown: 1 pod of others waits for a node too";
    let rows = [
        (both(&[]), "fits: "),
        (both(&[foreign("b", None, "10m")]), "fits: "),
        (both(&[foreign("b", None, "899900m")]), other),
        (both(&[urgent]), other),
        ((vec![], vec![own("b", host)]), changed),
        ((vec![own("b", None)], vec![own("b", host)]), changed),
        (both(&[own("b", Some("host-b"))]), lacks),
    ];
    assert_eq!(rows.len(), 7);
    let room = |before: &[Value], after: &[Value]| {
        let before = [std::slice::from_ref(&a), &there[1..], before].concat();
        server.put(OWN_PODS, &list_document("PodList", "v1", &before));
        server.put(RUNNING, &list_document("PodList", "v1", after));
        let text = page(&server, &["--nodes"]);
        line(&text).expect(&text)
    };
    for ((before, after), says) in rows {
        let line = room(&before, &[std::slice::from_ref(&a), &after].concat());
        assert!(line.starts_with(says), "{says}\n{line}");
    }
    let alone = [foreign("b", host, "1")];
    assert_eq!(
        room(&alone, &alone),
        "unknown: no pod yet shows what admission adds to the template"
    );
}

/// Whoever may not read it knows less, and the pass is the same.
#[test]
fn without_the_rights_it_is_unknown() {
    let rows = [
        (
            QUOTAS,
            "unknown: the ResourceQuotas of the namespace (forbidden) could not be read",
        ),
        (
            RANGES,
            "unknown: the LimitRanges of the namespace (forbidden) could not be read",
        ),
        (
            NODES,
            "unknown: the nodes and the pods on them (forbidden) could not be read",
        ),
        (
            PODS,
            "unknown: the nodes and the pods on them (forbidden) could not be read",
        ),
    ];
    let server = at_max();
    server.put(QUOTAS, &list_document("ResourceQuotaList", "v1", &[]));
    put_nodes(&server, "900");
    for (path, says) in rows {
        let fault = server.fault(path, Fault::Status(403));
        let text = page(&server, &["--nodes"]);
        server.lift(fault);
        assert_eq!(line(&text).as_deref(), Some(says), "{path}\n{text}");
        assert!(text.contains("At max"), "{text}");
    }
}

/// The role names what is read for it, and that of the nodes is apart.
#[test]
fn the_role_has_the_rights() {
    let server = ApiServer::empty().https().start();
    let role = |arguments: &[&str]| {
        let output = run(&server.kubeconfig(), &[&["rbac"], arguments].concat());
        stdout(&output).to_owned()
    };
    let nodes = r#"resources: ["nodes", "pods"]"#;
    for resource in ["limitranges", "resourcequotas"] {
        assert!(role(&[]).contains(resource));
    }
    assert!(!role(&[]).contains(nodes));
    assert!(role(&["explain", "--nodes"]).contains(nodes));
}
