//! Recorded timelines of the real controller, as somebody beside it would
//! have seen them.

#![allow(dead_code, reason = "each test program uses a part of this")]

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::GzDecoder;
use hpa_explain::api::{
    Answered, Condition, ConditionStatus, Event, Fields, HorizontalPodAutoscaler, HpaStatus,
    InvolvedObject, ManagedFields, MetricStatus, Pod, PodMetrics, Quantity, Scale,
};
use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::trace::MetricResult;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

/// The versions whose timelines were recorded, and how many there are.
pub const RECORDED: [(&str, usize); 4] = [
    ("v1.25.10", 30),
    ("v1.32.13", 30),
    ("v1.36.2", 140),
    ("v1.38.0-dev", 44),
];

/// A recorded timeline.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    pub id: String,
    server_version: String,
    #[serde(rename = "horizontalPodAutoscaler")]
    hpa: Value,
    controller: Value,
    step_seconds: i64,
    pod_cpu_request_milli: Option<i64>,
    demand: Vec<i64>,
    pub expect: Expect,
}

/// What the real controller did, step by step.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expect {
    pub current_replicas: Vec<i32>,
    pub recommendation: Vec<i32>,
    pub desired_replicas: Vec<i32>,
    scaling_limited_reason: Vec<String>,
    able_to_scale_reason: Vec<String>,
}

/// The recorded timelines of a version.
pub fn timelines(version: &str) -> Vec<Timeline> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/conformance/timelines-{version}.jsonl.gz"));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    let timeline = |line: std::io::Result<String>| {
        let line = line.expect("the file is readable");
        serde_json::from_str(&line).expect("every line is a timeline")
    };
    lines.map(timeline).collect()
}

/// Somebody who sees, at each step, its inputs, and of earlier steps what the
/// API keeps.
pub struct Observed {
    timeline: Timeline,
    template: Snapshot,
    pod: Option<(Pod, PodMetrics)>,
    start: Timestamp,
    status: HpaStatus,
    written: Option<Timestamp>,
    events: Vec<Event>,
    next: usize,
}

/// What else the observer can see.
#[derive(Clone, Copy)]
pub struct Sight {
    /// The lease tells that the controller began with the first step.
    pub lease: bool,
    /// Equal events are counted in one, as the client does it.
    pub aggregated: bool,
}

impl Observed {
    pub fn new(timeline: Timeline, sight: Sight) -> Self {
        let start: Timestamp = "2026-11-20T08:00:00Z".parse().expect("a time");
        let mut document = json!({
            "apiVersion": "hpa-explain/v1", "kind": "Snapshot", "capturedAt": start,
            "serverVersion": timeline.server_version,
            "controller": timeline.controller,
            "horizontalPodAutoscaler": timeline.hpa,
            "scale": {"response": {"apiVersion": "autoscaling/v1", "kind": "Scale",
                "metadata": {"name": "web", "namespace": "shop"},
                "spec": {"replicas": 1}, "status": {"replicas": 1, "selector": "app=web"}}},
            "pods": [pod("template", timeline.pod_cpu_request_milli.unwrap_or(100))],
            "metrics": {"resource": {"response": {"items": [usage("template", start)]}},
                "external": [{"metric": "queue_messages_ready", "metricSelector": "",
                    "response": {"items": [{"metricName": "queue_messages_ready",
                        "timestamp": start, "value": "0"}]}}]},
        });
        if sight.lease {
            let acquired = start - SignedDuration::from_secs(timeline.step_seconds);
            document["controllerLease"] = json!({"spec": {"acquireTime": acquired}});
        }
        let mut documents = read_documents(&document.to_string());
        let mut template = documents.remove(0).snapshot.expect("a readable snapshot");
        let pod = template.pods.pop();
        let usage = template
            .metrics
            .resource
            .as_mut()
            .and_then(|answered| answered.response_mut()?.items.pop());
        Self {
            pod: pod.zip(usage),
            template,
            start,
            status: HpaStatus::default(),
            written: None,
            events: Vec::new(),
            next: 0,
            timeline,
        }
    }
}

fn pod(name: &str, request: i64) -> Value {
    json!({"metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": format!("{request}m")}}}]},
        "status": {"phase": "Running", "startTime": "2026-11-19T00:00:00Z", "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-19T00:00:00Z"}]}})
}

fn usage(name: &str, at: Timestamp) -> Value {
    json!({"metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"}},
        "timestamp": at, "window": "30s", "containers": [{"name": "app", "usage": {"cpu": "0"}}]})
}

impl Observed {
    /// How many steps there are.
    pub fn steps(&self) -> usize {
        self.timeline.demand.len()
    }

    /// The moment of a step.
    pub fn at(&self, step: usize) -> Timestamp {
        let step = i64::try_from(step).expect("few steps");
        self.start + SignedDuration::from_secs(step * self.timeline.step_seconds)
    }

    /// What the real controller decided in a step.
    pub fn decided(&self, step: usize) -> i32 {
        self.timeline.expect.desired_replicas[step]
    }

    /// What is to be seen at the next step, before its pass.
    pub fn next(&mut self, sight: Sight) -> Option<Snapshot> {
        let step = self.next;
        if step >= self.steps() {
            return None;
        }
        self.next += 1;
        let snapshot = self.snapshot(step);
        let shown = metrics(&snapshot);
        self.pass(step, shown, sight);
        Some(snapshot)
    }

    fn snapshot(&self, step: usize) -> Snapshot {
        let now = self.at(step);
        let current = self.timeline.expect.current_replicas[step];
        let mut snapshot = self.template.clone();
        snapshot.captured_at = now;
        let scale: &mut Scale = snapshot.scale.response_mut().expect("a scale");
        scale.spec.replicas = current;
        scale.status.replicas = current;
        let hpa: &mut HorizontalPodAutoscaler = &mut snapshot.hpa;
        hpa.status = self.status.clone();
        hpa.metadata.managed_fields = self.managed_fields();
        snapshot.events = self.events.iter().cloned().map(Into::into).collect();
        let demand = self.timeline.demand[step];
        if self.timeline.pod_cpu_request_milli.is_some() {
            self.add_pods(&mut snapshot, current, demand);
        } else {
            snapshot.pods.clear();
            if let Some((pod, _)) = &self.pod {
                let names = (0..current).map(|number| named(pod, number));
                snapshot.pods.extend(names);
            }
            let list = snapshot.metrics.external[0].answer.response_mut();
            let item = &mut list.expect("a list").items[0];
            item.value = quantity(&demand.to_string());
            item.timestamp = Some(snapshot.captured_at);
        }
        snapshot
    }

    fn add_pods(&self, snapshot: &mut Snapshot, current: i32, demand: i64) {
        let (pod, usage) = self.pod.as_ref().expect("a template");
        let now = snapshot.captured_at;
        snapshot.pods = (0..current).map(|number| named(pod, number)).collect();
        let each = demand * 1_000_000 / i64::from(current.max(1));
        let used = quantity(&format!("{each}n"));
        let sample = |number: i32| {
            let mut sample: PodMetrics = usage.clone();
            sample.metadata.name = format!("web-{number}").into();
            sample.timestamp = now;
            for container in &mut sample.containers {
                container.usage = [("cpu".into(), used.clone())].into_iter().collect();
            }
            sample
        };
        let items = (0..current).map(sample).collect();
        let answered: &mut Answered<_> = snapshot.metrics.resource.as_mut().expect("an answer");
        answered.response_mut().expect("a list").items = items;
    }

    fn managed_fields(&self) -> Vec<ManagedFields> {
        let status = self.written.map(|time| ManagedFields {
            manager: "kube-controller-manager".to_owned(),
            operation: "Update".to_owned(),
            subresource: "status".to_owned(),
            time: Some(time),
            fields: Fields::default(),
        });
        status.into_iter().collect()
    }

    /// What the real pass left behind.
    fn pass(&mut self, step: usize, shown: Vec<MetricStatus>, sight: Sight) {
        let now = self.at(step);
        let expect = &self.timeline.expect;
        let (from, to) = (expect.current_replicas[step], expect.desired_replicas[step]);
        let recommendation = expect.recommendation[step];
        let mut status = HpaStatus {
            current_replicas: from,
            desired_replicas: to,
            current_metrics: if recommendation < 0 {
                Vec::new()
            } else {
                shown
            },
            ..self.status.clone()
        };
        let able = expect.able_to_scale_reason[step].clone();
        let limited = expect.scaling_limited_reason[step].clone();
        let is_limited = limited != "DesiredWithinRange";
        set(&mut status, "AbleToScale", true, &able, now);
        set(&mut status, "ScalingLimited", is_limited, &limited, now);
        if from != to {
            status.last_scale_time = Some(now);
            self.report(from, to, recommendation, now, sight);
        }
        if status != self.status {
            self.status = status;
            self.written = Some(now);
        }
    }

    fn report(&mut self, from: i32, to: i32, recommendation: i32, now: Timestamp, sight: Sight) {
        let hpa = &self.template.hpa;
        let (min, max) = (hpa.spec.min_replicas.unwrap_or(1), hpa.spec.max_replicas);
        let reason = if from > max {
            "Current number of replicas above Spec.MaxReplicas"
        } else if from < min {
            "Current number of replicas below Spec.MinReplicas"
        } else if recommendation > from {
            "cpu resource utilization (percentage of request) above target"
        } else if recommendation < from {
            "All metrics below target"
        } else {
            ""
        };
        let message = format!("New size: {to}; reason: {reason}");
        let mut known = self.events.iter_mut();
        if sight.aggregated
            && let Some(event) = known.find(|event| event.message == message)
        {
            event.count = event.count.map(|count| count + 1);
            event.last_timestamp = Some(now);
            return;
        }
        self.events.push(Event {
            involved_object: InvolvedObject {
                kind: "HorizontalPodAutoscaler".to_owned(),
                name: "web".to_owned(),
                ..InvolvedObject::default()
            },
            kind: "Normal".to_owned(),
            reason: "SuccessfulRescale".to_owned(),
            message,
            count: Some(1),
            first_timestamp: Some(now),
            last_timestamp: Some(now),
            ..Event::default()
        });
        let hour_ago = now - SignedDuration::from_hours(1);
        self.events
            .retain(|event| event.last_timestamp.is_some_and(|at| at > hour_ago));
    }
}

fn set(status: &mut HpaStatus, kind: &str, is_true: bool, reason: &str, now: Timestamp) {
    if reason.is_empty() {
        return;
    }
    let word = if is_true {
        ConditionStatus::True
    } else {
        ConditionStatus::False
    };
    let reason = reason.into();
    let mut known = status.conditions.iter_mut();
    if let Some(condition) = known.find(|condition| condition.kind.as_str() == kind) {
        if condition.status != word {
            condition.status = word.into();
            condition.last_transition_time = Some(now);
        }
        condition.reason = reason;
        return;
    }
    status.conditions.push(Condition {
        kind: kind.into(),
        status: word.into(),
        reason,
        message: String::new(),
        last_transition_time: Some(now),
    });
}

fn named(pod: &Pod, number: i32) -> Pod {
    let mut pod = pod.clone();
    pod.metadata.name = format!("web-{number}").into();
    pod
}

fn quantity(text: &str) -> Quantity {
    text.parse().expect("a quantity")
}

/// What the status shows of the metrics: the values that the pass saw.
fn metrics(snapshot: &Snapshot) -> Vec<MetricStatus> {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    let trace = reconcile(snapshot, &settings, snapshot.captured_at);
    let shown = trace.metrics.iter().map(|metric| match &metric.result {
        Some(MetricResult::Proposed(proposed)) => proposed.current.clone(),
        _ => MetricStatus::default(),
    });
    shown.collect()
}
