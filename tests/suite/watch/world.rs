//! A cluster with one HPA and a controller that scales it, in quick motion.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::apiserver::{ApiServer, list_document};

/// How many times as fast as this machine's the server's clock runs.
pub const RATE: u32 = 150;

/// How long anything may take that is waited for.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The list that the HPA is in.
pub const HPAS: &str = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers";

/// What each pod requests, and 60% of it is aimed at.
const REQUEST: i64 = 100;

/// A cluster with one HPA.
pub struct World {
    pub server: ApiServer,
    /// When the controller wrote the status, by the server's clock.
    pub written: Vec<Timestamp>,
    status: Value,
    replicas: i64,
    /// What all pods use together, in thousandths of a core.
    load: i64,
    begun: Instant,
    /// From pass to pass, by this machine's clock: 15 s by the server's.
    period: Duration,
    passes: u32,
}

/// A pass, as it was.
pub struct Played {
    pub at: Timestamp,
    /// Whether a sample was taken in the last seconds before it.
    pub is_sampled: bool,
    /// The utilization that such a sample tells, and what the pass measured.
    pub utilization: [i64; 2],
}

impl World {
    /// The cluster before the first pass.
    pub fn start() -> Self {
        Self::start_at(RATE)
    }

    /// The same with a clock that runs so many times as fast.
    pub fn start_at(rate: u32) -> Self {
        let start: Timestamp = "2026-11-01T12:00:00Z".parse().expect("a time");
        let server = ApiServer::empty()
            .at(start)
            .times_as_fast(rate)
            .put(
                "/apis/apps/v1/namespaces/shop/replicasets",
                &list("ReplicaSet", "apps/v1"),
            )
            .put("/api/v1/namespaces/shop/events", &list("Event", "v1"))
            .put("/api/v1/namespaces/kube-system/pods", &list("Pod", "v1"))
            .put(
                "/apis/apps/v1/namespaces/shop/deployments",
                &list("Deployment", "apps/v1"),
            )
            .put(HPAS, &list("HorizontalPodAutoscaler", "autoscaling/v2"))
            .start();
        let mut world = Self {
            server,
            written: Vec::new(),
            status: Value::Null,
            replicas: 4,
            load: 240,
            begun: Instant::now(),
            period: Duration::from_secs(15) / rate,
            passes: 0,
        };
        world.serve_inputs();
        world.reconcile();
        world
    }

    /// How many passes there were.
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// Runs so many passes, each in its time.
    pub fn run(&mut self, passes: u32) {
        for _ in 0..passes {
            self.passes += 1;
            sleep_until(self.due());
            self.reconcile();
            // What pods use changes between two passes.
            sleep(self.period * 3 / 10);
            self.load = load(self.passes);
            self.serve_inputs();
        }
    }

    /// Runs one pass in its time. What pods use changes long before it, and again
    /// in the last half of a second, when a sample just before it is taken.
    pub fn run_on(&mut self, [long_before, at_last]: [i64; 2]) -> Played {
        let (last, second) = (self.due(), self.period / 15);
        self.passes += 1;
        let due = self.due();
        sleep_until(last + second * 4);
        self.load = long_before;
        self.serve_inputs();
        sleep_until(last + second * 29 / 2);
        let is_late = |started: Instant| started + second * 3 >= due;
        let log = self.server.log().into_iter();
        let mut samples = log.filter(|it| it.target.contains("/metrics.k8s.io/"));
        let is_sampled = samples.any(|it| is_late(it.started) && it.ended.is_some());
        let before = self.utilization();
        self.load = at_last;
        self.serve_inputs();
        sleep_until(due);
        let utilization = [before, self.utilization()];
        self.reconcile();
        Played {
            at: *self.written.last().expect("a status"),
            is_sampled,
            utilization,
        }
    }

    /// When the pass that comes next is due.
    fn due(&self) -> Instant {
        self.begun + self.period * self.passes
    }

    fn utilization(&self) -> i64 {
        self.load / self.replicas * 100 / REQUEST
    }

    /// Stops the clock of the passes until something is so.
    pub fn wait_until(&mut self, what: &str, is_so: impl Fn(&ApiServer) -> bool) {
        let begun = Instant::now();
        while !is_so(&self.server) {
            assert!(begun.elapsed() < PATIENCE, "waited in vain: {what}");
            sleep(Duration::from_millis(5));
        }
        self.begun += begun.elapsed();
    }

    /// How many watches were asked for that the server let through.
    pub fn watches(server: &ApiServer) -> usize {
        let log = server.log().into_iter();
        log.filter(|entry| entry.target.contains("watch=1") && entry.status == 200)
            .count()
    }

    /// A file in a directory that lasts as long as the server.
    pub fn kubeconfig(&self) -> PathBuf {
        self.server.kubeconfig()
    }

    /// One pass of the controller: utilization to replicas, without memory.
    fn reconcile(&mut self) {
        let current = self.replicas;
        let utilization = self.utilization();
        let is_near = (54..=66).contains(&utilization);
        let wanted = (utilization * current + 59) / 60;
        let desired = if is_near {
            current
        } else {
            wanted.clamp(2, 10)
        };
        let status = json!({
            "currentReplicas": current,
            "desiredReplicas": desired,
            "currentMetrics": [{"type": "Resource", "resource": {"name": "cpu", "current": {
                "averageValue": format!("{}m", self.load / current),
                "averageUtilization": utilization,
            }}}],
            "conditions": [condition("AbleToScale", if desired == current {
                "ReadyForNewScale"
            } else {
                "SucceededRescale"
            })],
        });
        if desired != current {
            self.replicas = desired;
            self.serve_inputs();
        }
        if status == self.status {
            return;
        }
        let at = second(self.server.now());
        self.status = status;
        self.server
            .update(&format!("{HPAS}/web"), &hpa(&self.status, at));
        self.written.push(at);
    }

    fn serve_inputs(&self) {
        let sampled = self.server.now() - SignedDuration::from_secs(5);
        let names: Vec<String> = (0..self.replicas).map(|it| format!("web-{it}")).collect();
        let usage = self.load / self.replicas;
        let pods: Vec<Value> = names.iter().map(|name| pod(name)).collect();
        let usages = names.iter().map(|name| pod_metrics(name, usage, sampled));
        let usages: Vec<Value> = usages.collect();
        let server = &self.server;
        server.put(
            "/api/v1/namespaces/shop/pods",
            &list_document("PodList", "v1", &pods),
        );
        server.put(
            "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods",
            &list_document("PodMetricsList", "metrics.k8s.io/v1beta1", &usages),
        );
        server.put(
            "/apis/apps/v1/namespaces/shop/deployments/web",
            &deployment(self.replicas),
        );
    }
}

fn sleep_until(at: Instant) {
    sleep(at.saturating_duration_since(Instant::now()));
}

/// The load after a pass: a little different each time, the same now and then,
/// and now and then enough for another size.
fn load(pass: u32) -> i64 {
    let pass = i64::from(pass / 3 * 3);
    240 + 60 * (pass / 12 % 4) + pass % 7
}

fn list(kind: &str, version: &str) -> Value {
    list_document(&format!("{kind}List"), version, &[])
}

fn second(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).expect("a time")
}

fn hpa(status: &Value, at: Timestamp) -> Value {
    json!({
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {
            "name": "web",
            "namespace": "shop",
            "uid": "0057e5d9-ffb6-4f52-b021-de6cdd4e1b7c",
            "creationTimestamp": "2026-11-01T11:00:00Z",
            "managedFields": [{
                "manager": "kube-controller-manager",
                "operation": "Update",
                "apiVersion": "autoscaling/v2",
                "subresource": "status",
                "time": at.to_string(),
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:status": {}},
            }],
        },
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 2,
            "maxReplicas": 10,
            "metrics": [{"type": "Resource", "resource": {
                "name": "cpu",
                "target": {"type": "Utilization", "averageUtilization": 60},
            }}],
            // As the API server completes it.
            "behavior": {
                "scaleDown": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max",
                    "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]},
                "scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max",
                    "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15},
                        {"type": "Percent", "value": 100, "periodSeconds": 15}]},
            },
        },
        "status": status,
    })
}

fn condition(kind: &str, reason: &str) -> Value {
    json!({
        "type": kind,
        "status": "True",
        "lastTransitionTime": "2026-11-01T11:00:15Z",
        "reason": reason,
        "message": "",
    })
}

fn deployment(replicas: i64) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}},
        "status": {"replicas": replicas},
    })
}

fn pod(name: &str) -> Value {
    json!({
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"}},
        "spec": {
            "nodeName": "node-1",
            "containers": [{"name": "app", "image": "registry/app:1",
                "resources": {"requests": {"cpu": format!("{REQUEST}m")}}}],
        },
        "status": {
            "phase": "Running",
            "startTime": "2026-11-01T11:00:00Z",
            "conditions": [{
                "type": "Ready",
                "status": "True",
                "lastTransitionTime": "2026-11-01T11:00:05Z",
            }],
        },
    })
}

fn pod_metrics(name: &str, usage: i64, sampled: Timestamp) -> Value {
    json!({
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"}},
        "timestamp": second(sampled).to_string(),
        "window": "30s",
        "containers": [{"name": "app", "usage": {"cpu": format!("{usage}m")}}],
    })
}
