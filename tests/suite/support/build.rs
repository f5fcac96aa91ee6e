//! One HPA and every input of a pass, in the controller's terms.

use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::pass::Pass;
use super::pod::Pod;

/// One HPA and every input of a pass; ages are seconds before the pass.
///
/// Unless said otherwise: release 1.36, flags at their defaults, bounds
/// 1..=100, no `behavior`, and a controller that has run for long but
/// remembers nothing that is young enough to count.
#[derive(Clone, Debug)]
pub struct Case {
    now: Timestamp,
    release: u32,
    bounds: (i32, i32),
    behavior: Value,
    metrics: Vec<Value>,
    replicas: i32,
    status_replicas: Option<i32>,
    pods: Vec<(String, Pod)>,
    custom: Vec<Value>,
    external: Vec<Value>,
    recommendations: Vec<Value>,
    added: Vec<Value>,
    removed: Vec<Value>,
    conditions: Vec<Value>,
    edits: Vec<(String, Value)>,
}

impl Case {
    pub fn new() -> Self {
        const OLDER_THAN_EVERY_WINDOW: f64 = 7_200.0;
        let case = Self {
            now: "2026-03-01T12:00:00Z".parse().expect("a moment"),
            release: 36,
            bounds: (1, 100),
            behavior: Value::Null,
            metrics: Vec::new(),
            replicas: 1,
            status_replicas: None,
            pods: Vec::new(),
            custom: Vec::new(),
            external: Vec::new(),
            recommendations: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            conditions: Vec::new(),
            edits: Vec::new(),
        };
        case.remembers(&[(OLDER_THAN_EVERY_WINDOW, 1)])
    }

    // The controller.

    /// The minor release.
    pub fn release(mut self, minor: u32) -> Self {
        self.release = minor;
        self
    }

    pub fn flag(self, name: &str, value: impl Into<Value>) -> Self {
        self.set(&format!("/controller/{name}"), value)
    }

    pub fn gate(self, name: &str, on: bool) -> Self {
        self.set(&format!("/controller/featureGates/{name}"), on)
    }

    // The HPA.

    pub fn bounds(mut self, min: i32, max: i32) -> Self {
        self.bounds = (min, max);
        self
    }

    pub fn behavior(mut self, behavior: Value) -> Self {
        self.behavior = behavior;
        self
    }

    pub fn metric(mut self, metric: Value) -> Self {
        self.metrics.push(metric);
        self
    }

    /// Percent of the cpu request.
    pub fn cpu(self, target: i32) -> Self {
        self.resource(
            "cpu",
            &json!({"type": "Utilization", "averageUtilization": target}),
        )
    }

    pub fn cpu_average(self, target: &str) -> Self {
        self.resource(
            "cpu",
            &json!({"type": "AverageValue", "averageValue": target}),
        )
    }

    /// Percent of the memory request.
    pub fn memory(self, target: i32) -> Self {
        self.resource(
            "memory",
            &json!({"type": "Utilization", "averageUtilization": target}),
        )
    }

    pub fn memory_average(self, target: &str) -> Self {
        self.resource(
            "memory",
            &json!({"type": "AverageValue", "averageValue": target}),
        )
    }

    fn resource(self, name: &str, target: &Value) -> Self {
        self.metric(json!({"type": "Resource", "resource": {"name": name, "target": target}}))
    }

    /// Percent of one container's cpu request.
    pub fn container_cpu(self, container: &str, target: i32) -> Self {
        let target = json!({"type": "Utilization", "averageUtilization": target});
        let source = json!({"name": "cpu", "container": container, "target": target});
        self.metric(json!({"type": "ContainerResource", "containerResource": source}))
    }

    /// A custom metric of each pod, with what each says.
    pub fn pods_metric(mut self, name: &str, target: &str, values: &[(&str, &str)]) -> Self {
        let items: Vec<Value> = values
            .iter()
            .map(|(pod, value)| json!({"describedObject": {"kind": "Pod", "name": pod}, "value": value}))
            .collect();
        self.custom
            .push(json!({"metric": name, "response": {"items": items}}));
        let target = json!({"type": "AverageValue", "averageValue": target});
        self.metric(json!({"type": "Pods", "pods": {"metric": {"name": name}, "target": target}}))
    }

    pub fn external_value(self, name: &str, target: &str, values: &[&str]) -> Self {
        self.external(name, &json!({"type": "Value", "value": target}), values)
    }

    pub fn external_average(self, name: &str, target: &str, values: &[&str]) -> Self {
        self.external(
            name,
            &json!({"type": "AverageValue", "averageValue": target}),
            values,
        )
    }

    fn external(mut self, name: &str, target: &Value, values: &[&str]) -> Self {
        let items: Vec<Value> = values.iter().map(|value| json!({"value": value})).collect();
        self.external
            .push(json!({"metric": name, "response": {"items": items}}));
        self.metric(
            json!({"type": "External", "external": {"metric": {"name": name}, "target": target}}),
        )
    }

    /// A metric of `kind/name` that says `value`.
    pub fn object_value(self, (kind, name): (&str, &str), target: &str, value: &str) -> Self {
        self.object(
            (kind, name),
            &json!({"type": "Value", "value": target}),
            value,
        )
    }

    pub fn object_average(self, (kind, name): (&str, &str), target: &str, value: &str) -> Self {
        self.object(
            (kind, name),
            &json!({"type": "AverageValue", "averageValue": target}),
            value,
        )
    }

    fn object(mut self, (kind, name): (&str, &str), target: &Value, value: &str) -> Self {
        let described = json!({"kind": kind, "name": name});
        self.custom.push(json!({
            "metric": "requests",
            "describedObject": described,
            "response": {"items": [{"describedObject": described, "value": value}]},
        }));
        let source =
            json!({"describedObject": described, "metric": {"name": "requests"}, "target": target});
        self.metric(json!({"type": "Object", "object": source}))
    }

    /// An External metric that asks for so many replicas, provided that this
    /// is outside the tolerance.
    pub fn wants(self, replicas: i32) -> Self {
        let name = format!("load-{}", self.metrics.len());
        self.external_average(&name, "1", &[&replicas.to_string()])
    }

    /// An External metric that cannot be read.
    pub fn fails(mut self, error: &str) -> Self {
        let name = format!("broken-{}", self.metrics.len());
        self.external.push(json!({"metric": name, "error": error}));
        let target = json!({"type": "AverageValue", "averageValue": "1"});
        self.metric(
            json!({"type": "External", "external": {"metric": {"name": name}, "target": target}}),
        )
    }

    pub fn condition(mut self, kind: &str, status: &str) -> Self {
        self.conditions
            .push(json!({"type": kind, "status": status, "reason": kind, "message": ""}));
        self
    }

    // The target.

    /// `scale.spec.replicas`, and the same in its status.
    pub fn replicas(mut self, replicas: i32) -> Self {
        self.replicas = replicas;
        self
    }

    /// `scale.status.replicas`, where it lags behind.
    pub fn status_replicas(mut self, replicas: i32) -> Self {
        self.status_replicas = Some(replicas);
        self
    }

    pub fn selector(self, selector: &str) -> Self {
        self.set("/scale/response/status/selector", selector)
    }

    /// So many pods, named `pod-0` and so on.
    pub fn pods(mut self, count: usize, pod: &Pod) -> Self {
        for _ in 0..count {
            let name = format!("pod-{}", self.pods.len());
            self.pods.push((name, pod.clone()));
        }
        self
    }

    pub fn pod(mut self, name: &str, pod: Pod) -> Self {
        self.pods.push((name.to_owned(), pod));
        self
    }

    // The memory.

    /// Recommendations of earlier passes, before stabilization.
    pub fn remembers<A: Into<f64> + Copy>(mut self, entries: &[(A, i32)]) -> Self {
        self.recommendations = self.entries("replicas", entries);
        self
    }

    /// Nothing at all.
    pub fn just_started(mut self) -> Self {
        self.recommendations = Vec::new();
        self
    }

    /// Changes upwards that were carried out.
    pub fn added<A: Into<f64> + Copy>(mut self, entries: &[(A, i32)]) -> Self {
        self.added = self.entries("replicaChange", entries);
        self
    }

    /// Changes downwards that were carried out.
    pub fn removed<A: Into<f64> + Copy>(mut self, entries: &[(A, i32)]) -> Self {
        self.removed = self.entries("replicaChange", entries);
        self
    }

    fn entries<A: Into<f64> + Copy>(&self, field: &str, entries: &[(A, i32)]) -> Vec<Value> {
        let entry =
            |(age, count): &(A, i32)| json!({field: count, "timestamp": self.ago((*age).into())});
        entries.iter().map(entry).collect()
    }

    /// The same HPA some seconds after a pass, with the size, the memory and
    /// the conditions that the pass left behind.
    pub fn after(&self, pass: &Pass, seconds: i64) -> Self {
        let slots = |field: &str, slots: &Option<Vec<hpa_explain::trace::Remembered>>| {
            let slots = slots.iter().flatten();
            slots
                .map(|slot| json!({field: slot.replicas, "timestamp": slot.timestamp}))
                .collect()
        };
        let memory = &pass.trace.memory;
        Self {
            now: self.now + SignedDuration::from_secs(seconds),
            replicas: pass.size(),
            status_replicas: None,
            recommendations: slots("replicas", &memory.recommendations),
            added: slots("replicaChange", &memory.scale_up_events),
            removed: slots("replicaChange", &memory.scale_down_events),
            conditions: pass.trace.conditions.iter().map(|c| json!(c)).collect(),
            ..self.clone()
        }
    }

    /// Without its metrics and their answers, so that others can be given.
    pub fn without_metrics(mut self) -> Self {
        self.metrics.clear();
        self.custom.clear();
        self.external.clear();
        self
    }

    // Anything else.

    /// Puts a value at a JSON pointer of the finished snapshot.
    pub fn set(mut self, pointer: &str, value: impl Into<Value>) -> Self {
        self.edits.push((pointer.to_owned(), value.into()));
        self
    }

    fn ago(&self, seconds: f64) -> Value {
        json!(self.now - SignedDuration::from_secs_f64(seconds))
    }

    /// The snapshot as a document.
    pub fn document(&self) -> Value {
        let ago = |seconds| self.ago(seconds);
        let pods = self.pods.iter();
        let samples = self.pods.iter();
        let mut document = json!({
            "apiVersion": "hpa-explain/v1",
            "kind": "Snapshot",
            "capturedAt": self.now,
            "serverVersion": format!("v1.{}.0", self.release),
            "controller": {"featureGates": {}},
            "horizontalPodAutoscaler": {
                "apiVersion": "autoscaling/v2",
                "kind": "HorizontalPodAutoscaler",
                "metadata": {"namespace": "default", "name": "web"},
                "spec": {
                    "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                    "minReplicas": self.bounds.0,
                    "maxReplicas": self.bounds.1,
                    "metrics": self.metrics,
                    "behavior": self.behavior,
                },
                "status": {
                    "currentReplicas": self.replicas,
                    "desiredReplicas": self.replicas,
                    "conditions": self.conditions,
                },
            },
            "scale": {"response": {
                "spec": {"replicas": self.replicas},
                "status": {
                    "replicas": self.status_replicas.unwrap_or(self.replicas),
                    "selector": "app=web",
                },
            }},
            "pods": pods.map(|(name, pod)| pod.object(name, ago)).collect::<Vec<_>>(),
            "metrics": {
                "resource": {"response": {
                    "items": samples.filter_map(|(name, pod)| pod.sample(name, ago)).collect::<Vec<_>>(),
                }},
                "custom": self.custom,
                "external": self.external,
            },
            "otherAutoscalers": [],
            "history": {
                "recommendations": self.recommendations,
                "scaleUpEvents": self.added,
                "scaleDownEvents": self.removed,
            },
        });
        for (pointer, value) in &self.edits {
            put(&mut document, pointer, value.clone());
        }
        document
    }

    /// The snapshot.
    pub fn snapshot(&self) -> Snapshot {
        read(&self.document())
    }

    /// Runs one pass.
    pub fn run(&self) -> Pass {
        let snapshot = self.snapshot();
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        Pass::new(reconcile(&snapshot, &settings, snapshot.captured_at))
    }
}

/// Puts a value at a pointer whose parent is there.
fn put(document: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = document.pointer_mut(parent).expect("the pointer's parent");
    match parent {
        Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        parent => parent[key] = value,
    }
}

fn read(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    assert_eq!(documents.len(), 1);
    documents.remove(0).snapshot.expect("a readable snapshot")
}
