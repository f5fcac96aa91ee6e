//! Snapshots as clusters have them, and some as none should: for properties
//! that hold whatever the input.

use hpa_explain::document::snapshot::{Snapshot, read_documents};
use jiff::{SignedDuration, Timestamp};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The moment of every generated snapshot.
const NOW: &str = "2026-11-01T12:00:00Z";

/// Reads a document that was made here.
pub fn read(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    let document = documents.pop().expect("one document");
    document.snapshot.expect("generated documents are readable")
}

/// Any snapshot, as a document.
pub fn snapshots() -> impl Strategy<Value = Value> {
    let target = (
        replicas(),
        0..3_i32,
        bounds(),
        option::weighted(0.7, behavior()),
    );
    let inputs = (
        vec(metric(), 1..4),
        vec(pod(), 0..14),
        prop_oneof![9 => Just(Value::Null), 1 => Just(json!("the server is down"))],
        history(),
    );
    (23..=38_u32, flags(), target, inputs, any::<bool>()).prop_map(assemble)
}

type Target = (i32, i32, (i32, i32), Option<Value>);
type Inputs = (Vec<Metric>, Vec<Pod>, Value, Value);

fn assemble(
    (release, flags, target, inputs, to_zero): (u32, Value, Target, Inputs, bool),
) -> Value {
    let (replicas, lag, (min, max), behavior) = target;
    let (metrics, pods, resource_error, history) = inputs;
    let specs: Vec<&Value> = metrics.iter().map(|metric| &metric.spec).collect();
    let answers = |api: &str| -> Vec<Value> {
        let asked = metrics.iter().filter(|metric| metric.api == api);
        asked.map(|metric| metric.answer(&pods)).collect()
    };
    let items: Vec<Value> = named(&pods)
        .filter_map(|(name, pod)| pod.sample(&name))
        .collect();
    let resource = if resource_error.is_null() {
        json!({ "response": { "items": items } })
    } else {
        json!({ "error": resource_error })
    };
    let to_zero = if to_zero { "True" } else { "False" };
    json!({
        "apiVersion": "hpa-explain/v1",
        "kind": "Snapshot",
        "capturedAt": NOW,
        "serverVersion": format!("v1.{release}.0"),
        "controller": flags,
        "horizontalPodAutoscaler": {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": {
                "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" },
                "minReplicas": min,
                "maxReplicas": max,
                "metrics": specs,
                "behavior": behavior,
            },
            "status": { "conditions": [{ "type": "ScaledToZero", "status": to_zero }] },
        },
        "scale": { "response": {
            "spec": { "replicas": replicas },
            "status": { "replicas": (replicas - lag).max(0), "selector": "app=web" },
        }},
        "pods": named(&pods).map(|(name, pod)| pod.object(&name)).collect::<Vec<_>>(),
        "metrics": { "resource": resource, "custom": answers("custom"), "external": answers("external") },
        "history": history,
    })
}

fn named(pods: &[Pod]) -> impl Iterator<Item = (String, &Pod)> {
    let numbered = pods.iter().enumerate();
    numbered.map(|(number, pod)| (format!("web-{number}"), pod))
}

fn replicas() -> impl Strategy<Value = i32> {
    prop_oneof![1 => Just(0), 9 => 1..20_i32, 1 => 20..60_i32]
}

fn bounds() -> impl Strategy<Value = (i32, i32)> {
    (prop_oneof![1 => Just(0), 9 => 1..5_i32], 10..50_i32)
}

fn flags() -> impl Strategy<Value = Value> {
    let gates = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let times = (seconds(), seconds(), seconds());
    (prop_oneof![Just(0.0), Just(0.05), Just(0.1)], times, gates).prop_map(
        |(tolerance, (window, initialization, readiness), gates)| {
            json!({
                "tolerance": tolerance,
                "downscaleStabilizationSeconds": window,
                "cpuInitializationPeriodSeconds": initialization,
                "initialReadinessDelaySeconds": readiness,
                "featureGates": {
                    "HPAScaleToZero": gates.0,
                    "HPAConfigurableTolerance": gates.1,
                    "PodLevelResources": gates.2,
                    "HPAContainerMetrics": gates.3,
                },
            })
        },
    )
}

fn seconds() -> impl Strategy<Value = i32> {
    prop_oneof![1 => Just(0), 2 => Just(30), 5 => Just(300), 1 => 1..1000_i32]
}

fn behavior() -> impl Strategy<Value = Value> {
    (option::of(rules()), option::of(rules()))
        .prop_map(|(up, down)| json!({ "scaleUp": up, "scaleDown": down }))
}

fn rules() -> impl Strategy<Value = Value> {
    let policy = (
        prop_oneof![Just("Pods"), Just("Percent")],
        prop_oneof![8 => 1..40_i32, 2 => 40..300_i32, 1 => Just(i32::MAX)],
        prop_oneof![Just(15), Just(60), Just(600)],
    )
        .prop_map(|(kind, value, period)| {
            json!({ "type": kind, "value": value, "periodSeconds": period })
        });
    let select = prop_oneof![4 => Just("Max"), 2 => Just("Min"), 1 => Just("Disabled")];
    let tolerance = prop_oneof![Just("0"), Just("50m"), Just("0.13"), Just("5")];
    (
        option::of(seconds()),
        select,
        option::weighted(0.8, vec(policy, 1..4)),
        option::weighted(0.3, tolerance),
    )
        .prop_map(|(window, select, policies, tolerance)| {
            json!({
                "stabilizationWindowSeconds": window,
                "selectPolicy": select,
                "policies": policies,
                "tolerance": tolerance,
            })
        })
}

fn history() -> impl Strategy<Value = Value> {
    let recommendation =
        (0..40_i32, age()).prop_map(|(count, at)| json!({ "replicas": count, "timestamp": at }));
    let event = || {
        (1..12_i32, age())
            .prop_map(|(change, at)| json!({ "replicaChange": change, "timestamp": at }))
    };
    (vec(recommendation, 0..5), vec(event(), 0..3), vec(event(), 0..3)).prop_map(
        |(recommendations, up, down)| {
            json!({ "recommendations": recommendations, "scaleUpEvents": up, "scaleDownEvents": down })
        },
    )
}

/// A moment in the past, often exactly on the edge of a window.
fn age() -> impl Strategy<Value = String> {
    let seconds = prop_oneof![
        prop_oneof![Just(15), Just(30), Just(60), Just(300), Just(600)],
        1..900_i64
    ];
    seconds.prop_map(ago)
}

fn ago(seconds: i64) -> String {
    let now: Timestamp = NOW.parse().expect("a moment");
    (now - SignedDuration::from_secs(seconds)).to_string()
}

/// A metric of the spec and how its API answers.
#[derive(Clone, Debug)]
struct Metric {
    api: &'static str,
    spec: Value,
    name: &'static str,
    value: String,
    fails: bool,
}

impl Metric {
    fn answer(&self, pods: &[Pod]) -> Value {
        let is_object = self.spec["type"] == "Object";
        let described = is_object.then(|| json!({ "kind": "Service", "name": "web" }));
        let mut answer = json!({ "metric": self.name, "metricSelector": "" });
        if let Some(described) = &described {
            answer["describedObject"] = described.clone();
        }
        if self.fails {
            answer["error"] = json!("the server is down");
            return answer;
        }
        let items: Vec<Value> = if self.api == "external" {
            let series = [self.value.as_str(), "250m", "3"];
            series.map(|value| json!({ "value": value })).into()
        } else if let Some(described) = described {
            vec![json!({ "describedObject": described, "value": self.value })]
        } else {
            let sampled = named(pods).filter(|(_, pod)| pod.is_sampled);
            sampled
                .map(|(name, pod)| {
                    json!({ "describedObject": { "kind": "Pod", "name": name }, "value": pod.usage })
                })
                .collect()
        };
        answer["response"] = json!({ "items": items });
        answer
    }
}

fn metric() -> impl Strategy<Value = Metric> {
    let target = prop_oneof![
        3 => (10..150_i32).prop_map(|percent| json!({ "type": "Utilization", "averageUtilization": percent })),
        1 => quantity().prop_map(|value| json!({ "type": "AverageValue", "averageValue": value })),
    ];
    let resource = (
        prop_oneof![4 => Just("cpu"), 1 => Just("memory")],
        target,
        0..4_u8,
    )
        .prop_map(|(name, target, container)| {
            let spec = match container {
                0 => json!({ "type": "ContainerResource", "containerResource":
                    { "name": name, "container": "app", "target": target } }),
                _ => json!({ "type": "Resource", "resource": { "name": name, "target": target } }),
            };
            Metric {
                api: "resource",
                spec,
                name,
                value: String::new(),
                fails: false,
            }
        });
    let asked = (0..3_u8, any::<bool>(), quantity(), quantity(), 0..10_u8).prop_map(
        |(kind, is_average, target, value, fate)| {
            let target = if is_average || kind == 0 {
                json!({ "type": "AverageValue", "averageValue": target })
            } else {
                json!({ "type": "Value", "value": target })
            };
            let (api, spec) = match kind {
                0 => ("custom", json!({ "type": "Pods", "pods": { "metric": { "name": "m" }, "target": target } })),
                1 => ("custom", json!({ "type": "Object", "object": {
                    "describedObject": { "kind": "Service", "name": "web", "apiVersion": "v1" },
                    "metric": { "name": "m" }, "target": target } })),
                _ => ("external", json!({ "type": "External", "external": { "metric": { "name": "m" }, "target": target } })),
            };
            Metric { api, spec, name: "m", value, fails: fate == 0 }
        },
    );
    prop_oneof![3 => resource, 2 => asked]
}

/// Amounts, most of them sensible.
fn quantity() -> impl Strategy<Value = String> {
    prop_oneof![
        20 => (1..2000_i32).prop_map(|milli| format!("{milli}m")),
        5 => (1..500_i32).prop_map(|mebi| format!("{mebi}Mi")),
        2 => prop_oneof![Just("0"), Just("1e3"), Just("0.5"), Just("+5"), Just("007")].prop_map(str::to_owned),
        1 => prop_oneof![Just("-5"), Just("9E"), Just("12345678901234567890"), Just("9300000000000000")].prop_map(str::to_owned),
    ]
}

/// A pod, and whether the metrics APIs have a sample of it.
#[derive(Clone, Debug)]
struct Pod {
    phase: &'static str,
    is_terminating: bool,
    is_selected: bool,
    is_sampled: bool,
    started: i64,
    ready: &'static str,
    changed: i64,
    request: Option<String>,
    usage: String,
    sampled: i64,
}

fn pod() -> impl Strategy<Value = Pod> {
    let life = (
        prop_oneof![8 => Just("Running"), 1 => Just("Pending"), 1 => Just("Failed"), 1 => Just("Succeeded")],
        prop::bool::weighted(0.06),
        prop_oneof![5 => Just(86_400), 1 => 0..700_i64, 1 => Just(300)],
    );
    let readiness = (
        prop_oneof![8 => Just("True"), 2 => Just("False"), 1 => Just("Unknown")],
        0..700_i64,
    );
    let numbers = (
        option::weighted(0.97, (1..1000_i32).prop_map(|milli| format!("{milli}m"))),
        quantity(),
        0..90_i64,
    );
    (
        life,
        readiness,
        numbers,
        prop::bool::weighted(0.95),
        prop::bool::weighted(0.9),
    )
        .prop_map(
            |(
                (phase, is_terminating, started),
                (ready, changed),
                (request, usage, sampled),
                is_selected,
                is_sampled,
            )| Pod {
                phase,
                is_terminating,
                is_selected,
                is_sampled,
                started,
                ready,
                changed: changed.min(started),
                request,
                usage,
                sampled,
            },
        )
}

impl Pod {
    fn labels(&self) -> Value {
        json!({ "app": if self.is_selected { "web" } else { "other" } })
    }

    fn object(&self, name: &str) -> Value {
        let requests = self
            .request
            .as_ref()
            .map(|request| json!({ "cpu": request, "memory": "64Mi" }));
        json!({
            "metadata": {
                "name": name,
                "namespace": "shop",
                "labels": self.labels(),
                "deletionTimestamp": self.is_terminating.then_some(NOW),
            },
            "spec": { "containers": [{ "name": "app", "resources": { "requests": requests } }] },
            "status": {
                "phase": self.phase,
                "startTime": ago(self.started),
                "conditions": [{ "type": "Ready", "status": self.ready, "lastTransitionTime": ago(self.changed) }],
            },
        })
    }

    fn sample(&self, name: &str) -> Option<Value> {
        self.is_sampled.then(|| {
            json!({
                "metadata": { "name": name, "namespace": "shop", "labels": self.labels() },
                "timestamp": ago(self.sampled),
                "window": "30s",
                "containers": [{ "name": "app", "usage": { "cpu": self.usage, "memory": "32Mi" } }],
            })
        })
    }
}
