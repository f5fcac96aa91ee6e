//! Pods with their samples.

use serde_json::{Map, Value, json};

/// A pod and what the metrics API knows of it; ages are seconds before the
/// pass.
#[derive(Clone, Debug)]
pub struct Pod {
    phase: &'static str,
    namespace: Option<&'static str>,
    labels: Value,
    terminating: bool,
    started: Option<f64>,
    ready: Option<(&'static str, f64)>,
    sampled: Option<f64>,
    window: &'static str,
    containers: Vec<Container>,
    init_containers: Vec<Container>,
    own_requests: Map<String, Value>,
    overhead: Value,
    owners: Value,
}

/// A container: what it requests, and what it uses if it was sampled.
#[derive(Clone, Debug)]
pub struct Container {
    name: String,
    requests: Map<String, Value>,
    limits: Map<String, Value>,
    usage: Option<Map<String, Value>>,
    sidecar: bool,
}

/// A pod whose container `app` uses so many millicores and requests so many.
pub fn cpu(used: u32, requested: u32) -> Pod {
    Pod::of(vec![
        container("app")
            .uses("cpu", format!("{used}m"))
            .requests("cpu", format!("{requested}m")),
    ])
}

/// A pod that requests so many millicores and has no sample.
pub fn silent(requested: u32) -> Pod {
    Pod {
        sampled: None,
        ..cpu(0, requested)
    }
}

/// A pod whose container `app` uses so much memory and requests so much.
pub fn memory(used: &str, requested: &str) -> Pod {
    Pod::of(vec![
        container("app")
            .uses("memory", used)
            .requests("memory", requested),
    ])
}

/// A container that uses and requests nothing yet.
pub fn container(name: &str) -> Container {
    Container {
        name: name.to_owned(),
        requests: Map::new(),
        limits: Map::new(),
        usage: Some(Map::new()),
        sidecar: false,
    }
}

impl Container {
    pub fn uses(mut self, resource: &str, amount: impl Into<Value>) -> Self {
        let usage = self.usage.get_or_insert_with(Map::new);
        usage.insert(resource.to_owned(), amount.into());
        self
    }

    pub fn requests(mut self, resource: &str, amount: impl Into<Value>) -> Self {
        self.requests.insert(resource.to_owned(), amount.into());
        self
    }

    pub fn limits(mut self, resource: &str, amount: impl Into<Value>) -> Self {
        self.limits.insert(resource.to_owned(), amount.into());
        self
    }

    /// The metrics API does not list the container.
    pub fn unsampled(mut self) -> Self {
        self.usage = None;
        self
    }

    /// As an init container: one with restart policy `Always`.
    pub fn sidecar(mut self) -> Self {
        self.sidecar = true;
        self
    }

    fn spec(&self) -> Value {
        let mut spec = json!({"name": self.name, "resources": {"requests": self.requests}});
        if !self.limits.is_empty() {
            spec["resources"]["limits"] = json!(self.limits);
        }
        if self.sidecar {
            spec["restartPolicy"] = json!("Always");
        }
        spec
    }
}

impl Pod {
    /// A pod of the target: Running and Ready for a day, sampled just now.
    pub fn of(containers: Vec<Container>) -> Self {
        const DAY: f64 = 86_400.0;
        Self {
            phase: "Running",
            namespace: None,
            labels: json!({"app": "web"}),
            terminating: false,
            started: Some(DAY),
            ready: Some(("True", DAY)),
            sampled: Some(0.0),
            window: "30s",
            containers,
            init_containers: Vec::new(),
            own_requests: Map::new(),
            overhead: json!({}),
            owners: json!([]),
        }
    }

    pub fn phase(mut self, phase: &'static str) -> Self {
        self.phase = phase;
        self
    }

    pub fn pending(self) -> Self {
        self.phase("Pending").unsampled()
    }

    pub fn terminating(mut self) -> Self {
        self.terminating = true;
        self
    }

    pub fn started(mut self, ago: f64) -> Self {
        self.started = Some(ago);
        self
    }

    pub fn not_started(mut self) -> Self {
        self.started = None;
        self
    }

    /// The Ready condition's status, and for how long it has had it.
    pub fn ready(mut self, status: &'static str, since: f64) -> Self {
        self.ready = Some((status, since));
        self
    }

    pub fn without_ready_condition(mut self) -> Self {
        self.ready = None;
        self
    }

    /// Not ready since its start a minute ago: inside the cpu initialization
    /// period.
    pub fn starting(self) -> Self {
        self.started(60.0).ready("False", 60.0)
    }

    pub fn sampled(mut self, ago: f64) -> Self {
        self.sampled = Some(ago);
        self
    }

    pub fn unsampled(mut self) -> Self {
        self.sampled = None;
        self
    }

    pub fn labels(mut self, labels: Value) -> Self {
        self.labels = labels;
        self
    }

    /// Its controller owner.
    pub fn owned_by(mut self, kind: &str, name: &str) -> Self {
        self.owners = json!([{"kind": kind, "name": name, "controller": true}]);
        self
    }

    pub fn namespace(mut self, namespace: &'static str) -> Self {
        self.namespace = Some(namespace);
        self
    }

    pub fn init_containers(mut self, containers: Vec<Container>) -> Self {
        self.init_containers = containers;
        self
    }

    /// `spec.resources.requests`.
    pub fn pod_level(mut self, resource: &str, amount: &str) -> Self {
        self.own_requests.insert(resource.to_owned(), json!(amount));
        self
    }

    pub fn overhead(mut self, overhead: Value) -> Self {
        self.overhead = overhead;
        self
    }

    /// The `v1` Pod; `ago` writes an age as a moment.
    pub fn object(&self, name: &str, ago: impl Fn(f64) -> Value) -> Value {
        let specs = |containers: &[Container]| -> Vec<Value> {
            containers.iter().map(Container::spec).collect()
        };
        let conditions: Vec<Value> = self
            .ready
            .iter()
            .map(|(status, since)| {
                json!({"type": "Ready", "status": status, "lastTransitionTime": ago(*since)})
            })
            .collect();
        json!({
            "metadata": {
                "name": name,
                "namespace": self.namespace,
                "labels": self.labels,
                "ownerReferences": self.owners,
                "deletionTimestamp": self.terminating.then(|| ago(5.0)),
            },
            "spec": {
                "containers": specs(&self.containers),
                "initContainers": specs(&self.init_containers),
                "resources": {"requests": self.own_requests},
                "overhead": self.overhead,
            },
            "status": {
                "phase": self.phase,
                "startTime": self.started.map(&ago),
                "conditions": conditions,
            },
        })
    }

    /// The `PodMetrics`, if the pod was sampled.
    pub fn sample(&self, name: &str, ago: impl Fn(f64) -> Value) -> Option<Value> {
        let containers = self.containers.iter().chain(&self.init_containers);
        let usage: Vec<Value> = containers
            .filter_map(|c| Some(json!({"name": c.name, "usage": c.usage.as_ref()?})))
            .collect();
        Some(json!({
            "metadata": {"name": name, "namespace": "default", "labels": self.labels},
            "timestamp": ago(self.sampled?),
            "window": self.window,
            "containers": usage,
        }))
    }
}
