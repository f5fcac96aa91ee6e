//! A cluster of any size, and the server that plays it in a process of its
//! own, so that neither its work nor its memory counts as the client's.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::apiserver::{ApiServer, Fault, list_document};

/// The first argument of the process that is the server.
const ROLE: &str = "serve";

const HPAS: &str = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/shop/deployments";
const PODS: &str = "/api/v1/namespaces/shop/pods";
const POD_METRICS: &str = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods";

/// A server process, as seen from the one that measures.
pub struct Cluster {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    kubeconfig: PathBuf,
}

impl Cluster {
    /// Starts a server with so many HPAs, `shop/web` the first of them, that
    /// have so many pods each.
    pub fn start(autoscalers: usize, pods: usize, round_trip: Duration) -> Self {
        let bench = std::env::current_exe().expect("the benchmark's own path");
        let numbers = [autoscalers as u128, pods as u128, round_trip.as_millis()];
        let mut process = Command::new(bench)
            .arg(ROLE)
            .args(numbers.map(|it| it.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let questions = process.stdin.take().expect("piped");
        let answers = BufReader::new(process.stdout.take().expect("piped"));
        let mut cluster = Self {
            process,
            questions,
            answers,
            kubeconfig: PathBuf::new(),
        };
        cluster.kubeconfig = cluster.answer().into();
        cluster
    }

    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// From now on requests below a path meet a fault, and no other ones do.
    #[allow(dead_code, reason = "only one of the benchmarks has bad servers")]
    pub fn fault(&mut self, path: &str, fault: &str) {
        writeln!(self.questions, "{fault} {path}").expect("the server listens");
        self.answer();
    }

    /// How many requests came since this was asked last.
    pub fn requests(&mut self) -> usize {
        writeln!(self.questions).expect("the server listens");
        self.answer().parse().expect("a number")
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("an answer");
        line.trim_end().to_owned()
    }

    /// Stops the server, which fails if it saw any verb but GET.
    pub fn stop(self) {
        let Self {
            mut process,
            questions,
            ..
        } = self;
        drop(questions);
        let status = process.wait().expect("the server ends");
        assert!(status.success(), "the server: {status}");
    }
}

/// Whether this process is to be a server, which it then was.
pub fn served() -> bool {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments
        .split_first()
        .filter(|(role, _)| *role == ROLE)
        .map(|(_, rest)| rest);
    rest.map(serve).is_some()
}

/// The server's side: says where its kubeconfig is, then answers each line
/// with the number of requests, until there is no more input. A line that is not
/// empty names a fault and a path.
fn serve(arguments: &[String]) {
    let [autoscalers, pods, round_trip] = arguments else {
        panic!("{ROLE} HPAS PODS MILLISECONDS");
    };
    let [autoscalers, pods] = [autoscalers, pods].map(|it| it.parse().expect("a number"));
    let round_trip = round_trip.parse().expect("milliseconds");
    let server = server(autoscalers, pods, Duration::from_millis(round_trip));
    println!("{}", server.kubeconfig().display());
    for line in io::stdin().lock().lines() {
        let line = line.expect("text");
        if let Some((name, path)) = line.split_once(' ') {
            server.lift_all();
            server.fault(path, fault(name));
        }
        println!("{}", server.log().len());
        server.forget_log();
    }
}

fn fault(name: &str) -> Fault {
    match name {
        "endless" => Fault::Endless,
        "bomb" => Fault::Bomb,
        "pages" => Fault::EmptyPages,
        "gone" => Fault::Gone,
        "silent" => Fault::Latency(Duration::from_secs(600)),
        "anything" => Fault::Instead("{}"),
        other => panic!("no fault is called {other}"),
    }
}

/// The times in the answers, by this machine's clock: a difference between the
/// two would be told of.
struct Times {
    started: String,
    sampled: String,
}

impl Times {
    fn of_now() -> Self {
        let now = Timestamp::now();
        let ago = |seconds| {
            let time = now - SignedDuration::from_secs(seconds);
            time.strftime("%FT%TZ").to_string()
        };
        Self {
            started: ago(3_600),
            sampled: ago(10),
        }
    }
}

/// The recorded cluster with so many HPAs and pods in the place of the recorded
/// ones. What it has answered once it sends again as it is, so only the first
/// of equal requests costs it anything.
fn server(autoscalers: usize, pods: usize, round_trip: Duration) -> ApiServer {
    let times = Times::of_now();
    let names: Vec<String> = (0..autoscalers).map(app).collect();
    let hpas: Vec<Value> = names
        .iter()
        .map(|it| autoscaler(it, pods, &times))
        .collect();
    let deployments: Vec<Value> = names.iter().map(|it| deployment(it, pods)).collect();
    let each = |item: fn(&str, usize, &Times) -> Value| {
        let all = names
            .iter()
            .flat_map(|app| (0..pods).map(move |number| (app, number)));
        all.map(|(app, number)| item(app, number, &times))
            .collect::<Vec<Value>>()
    };
    let list = |path: &str, kind: &str, version: &str, items: &[Value]| {
        (path.to_owned(), list_document(kind, version, items))
    };
    let lists = [
        list(HPAS, "HorizontalPodAutoscalerList", "autoscaling/v2", &hpas),
        list(DEPLOYMENTS, "DeploymentList", "apps/v1", &deployments),
        list(PODS, "PodList", "v1", &each(pod)),
        list(
            POD_METRICS,
            "PodMetricsList",
            "metrics.k8s.io/v1beta1",
            &each(pod_metrics),
        ),
    ];
    let mut server = ApiServer::replay("steady")
        .https()
        .round_trip(round_trip)
        .put(&format!("{HPAS}/web"), &hpas[0])
        .put(&format!("{DEPLOYMENTS}/web"), &deployments[0]);
    for (path, list) in &lists {
        server = server.put(path, list);
    }
    // Only now, because making the pods takes seconds.
    server.at(Timestamp::now()).start()
}

/// The name of an HPA, and of what it scales.
fn app(number: usize) -> String {
    match number {
        0 => "web".to_owned(),
        _ => format!("web-{number}"),
    }
}

fn autoscaler(name: &str, pods: usize, times: &Times) -> Value {
    json!({
        "kind": "HorizontalPodAutoscaler",
        "apiVersion": "autoscaling/v2",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": "0057e5d9-ffb6-4f52-b021-de6cdd4e1b7c",
            "resourceVersion": "893",
            "creationTimestamp": times.started,
        },
        "spec": {
            "scaleTargetRef": {"kind": "Deployment", "name": name, "apiVersion": "apps/v1"},
            "minReplicas": 2,
            "maxReplicas": 20_000,
            "metrics": [{"type": "Resource", "resource": {
                "name": "cpu",
                "target": {"type": "Utilization", "averageUtilization": 60},
            }}],
            "behavior": {
                "scaleUp": {
                    "stabilizationWindowSeconds": 0,
                    "selectPolicy": "Max",
                    "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
                },
                "scaleDown": {
                    "stabilizationWindowSeconds": 60,
                    "selectPolicy": "Max",
                    "policies": [{"type": "Percent", "value": 50, "periodSeconds": 60}],
                },
            },
        },
        "status": {
            "currentReplicas": pods,
            "desiredReplicas": pods,
            "currentMetrics": [{"type": "Resource", "resource": {
                "name": "cpu",
                "current": {"averageValue": "150m", "averageUtilization": 60},
            }}],
            "conditions": [
                condition(times, "AbleToScale", "ReadyForNewScale", "recommended size matches current size"),
                condition(times, "ScalingActive", "ValidMetricFound", "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)"),
                condition(times, "ScalingLimited", "DesiredWithinRange", "the desired count is within the acceptable range"),
            ],
        },
    })
}

fn condition(times: &Times, kind: &str, reason: &str, message: &str) -> Value {
    json!({
        "type": kind,
        "status": if kind == "ScalingLimited" { "False" } else { "True" },
        "lastTransitionTime": times.started,
        "reason": reason,
        "message": message,
    })
}

fn deployment(name: &str, pods: usize) -> Value {
    json!({
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": name}},
        "spec": {"replicas": pods, "selector": {"matchLabels": {"app": name}}},
        "status": {"replicas": pods, "readyReplicas": pods},
    })
}

/// A pod as large as those of real Deployments are: about 4 KiB, most of it
/// nothing that an HPA looks at.
fn pod(app: &str, number: usize, times: &Times) -> Value {
    let conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"]
        .map(|kind| is_true(kind, times));
    json!({
        "metadata": {
            "name": name(app, number),
            "generateName": "web-5759445d49-",
            "namespace": "shop",
            "uid": format!("127f99ce-fead-4cb2-a261-{number:012x}"),
            "resourceVersion": (1_000 + number).to_string(),
            "creationTimestamp": times.started,
            "labels": labels(app),
            "annotations": {
                "prometheus.io/scrape": "true",
                "prometheus.io/port": "9090",
                "kubectl.kubernetes.io/restartedAt": times.started,
            },
            "ownerReferences": [{
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "name": "web-5759445d49",
                "uid": "8608820a-90c5-4365-9f31-0a55ad446ef2",
                "controller": true,
                "blockOwnerDeletion": true,
            }],
            "managedFields": managed_fields(times),
        },
        "spec": {
            "containers": [container("app", "200m"), container("proxy", "50m")],
            "volumes": [
                {"name": "config", "configMap": {"name": "web", "defaultMode": 420}},
                {"name": "token", "projected": {"defaultMode": 420, "sources": [
                    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                    {"configMap": {"name": "kube-root-ca.crt"}},
                ]}},
            ],
            "nodeName": format!("node-{}", number / 100),
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "web",
            "securityContext": {},
            "schedulerName": "default-scheduler",
            "tolerations": [
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
                {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
            ],
            "priority": 0,
            "enableServiceLinks": true,
            "preemptionPolicy": "PreemptLowerPriority",
        },
        "status": {
            "phase": "Running",
            "conditions": conditions,
            "hostIP": "10.1.0.1",
            "podIP": "10.0.0.1",
            "podIPs": [{"ip": "10.0.0.1"}],
            "startTime": times.started,
            "containerStatuses": [container_status("app", times), container_status("proxy", times)],
            "qosClass": "Burstable",
        },
    })
}

fn is_true(condition: &str, times: &Times) -> Value {
    json!({
        "type": condition,
        "status": "True",
        "lastProbeTime": null,
        "lastTransitionTime": times.started,
    })
}

fn container_status(name: &str, times: &Times) -> Value {
    json!({
        "name": name,
        "state": {"running": {"startedAt": times.started}},
        "lastState": {},
        "ready": true,
        "restartCount": 0,
        "image": "registry.example/web:1.27",
        "imageID": "registry.example/web@sha256:0d17b565c37bcbd895e9d92315a05c1c3c9a29f762b011a10c54a66cd53c9b31",
        "containerID": "containerd://2f1c7e0a9b5d4c3e8f6071829304a5b6c7d8e9f00112233445566778899aabbc",
        "started": true,
    })
}

fn container(name: &str, cpu: &str) -> Value {
    json!({
        "name": name,
        "image": "registry.example/web:1.27",
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "env": [
            {"name": "LOG_LEVEL", "value": "info"},
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
        ],
        "resources": {"requests": {"cpu": cpu, "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/web", "readOnly": true}],
        "readinessProbe": {
            "httpGet": {"path": "/ready", "port": "http", "scheme": "HTTP"},
            "timeoutSeconds": 1,
            "periodSeconds": 10,
            "successThreshold": 1,
            "failureThreshold": 3,
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    })
}

fn managed_fields(times: &Times) -> Value {
    let condition = json!({".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {}});
    json!([{
        "manager": "kubelet",
        "operation": "Update",
        "apiVersion": "v1",
        "time": times.started,
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:status": {
            "f:conditions": {
                "k:{\"type\":\"ContainersReady\"}": condition,
                "k:{\"type\":\"Initialized\"}": condition,
                "k:{\"type\":\"Ready\"}": condition,
            },
            "f:containerStatuses": {},
            "f:phase": {},
            "f:podIP": {},
            "f:startTime": {},
        }},
        "subresource": "status",
    }])
}

/// 90% of what the pod requests, where 60% is the target.
fn pod_metrics(app: &str, number: usize, times: &Times) -> Value {
    json!({
        "metadata": {
            "name": name(app, number),
            "namespace": "shop",
            "creationTimestamp": times.sampled,
            "labels": labels(app),
        },
        "timestamp": times.sampled,
        "window": "30s",
        "containers": [
            {"name": "app", "usage": {"cpu": "187654321n", "memory": "204800Ki"}},
            {"name": "proxy", "usage": {"cpu": "37345679n", "memory": "20480Ki"}},
        ],
    })
}

/// Of the length that a Deployment's pods have.
fn name(app: &str, number: usize) -> String {
    format!("{app}-5759445d49-{number:05}")
}

fn labels(app: &str) -> Value {
    json!({"app": app, "pod-template-hash": "5759445d49", "tier": "front"})
}
