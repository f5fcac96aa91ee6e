//! A world with one HPA: load, people, restarts, failing metrics, dropped and
//! merged events.

use hpa_explain::api::{
    Answered, Condition, ConditionKind, ConditionReason, ConditionStatus, Event, Fields, HpaSpec,
    HpaStatus, InvolvedObject, ManagedFields, MetricStatus, SpecFields,
};
use hpa_explain::controller::{
    Memory, Overrides, Prepared, Settings, reconcile_autoscaler, reconcile_prepared,
};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::trace::{MetricResult, Nothing};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// What the observer has.
#[derive(Clone, Copy, Debug)]
pub struct Sight {
    pub lease: bool,
    pub records: bool,
}

/// Numbers that look random and are not.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        let sides = u64::try_from(choices.len()).expect("few");
        choices[usize::try_from(self.roll(sides)).expect("few")]
    }
}

/// What the event client lets through.
struct Events {
    /// Those of a process that has ended: they are counted no further.
    old: Vec<Event>,
    kept: Vec<Event>,
    tokens: f64,
    refilled: Timestamp,
    /// The messages of rescales in the last ten minutes.
    similar: Vec<(Timestamp, String)>,
}

pub struct World {
    dice: Dice,
    sight: Sight,
    now: Timestamp,
    next_pass: Timestamp,
    snapshot: Snapshot,
    memory: Memory,
    status: HpaStatus,
    written: Option<Timestamp>,
    edited: Timestamp,
    started: Timestamp,
    demand: i64,
    demand_until: Timestamp,
    fails_until: Timestamp,
    /// Until when the API server refuses to write the scale, and to read it.
    refuses_until: Timestamp,
    absent_until: Timestamp,
    size: i32,
    events: Events,
    target_events: Events,
}

fn milliseconds(count: u64) -> SignedDuration {
    SignedDuration::from_millis(i64::try_from(count).expect("few"))
}

/// As the API writes it.
fn second(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).expect("a time")
}

impl World {
    pub fn new(seed: u64, sight: Sight) -> Self {
        let mut dice = Dice(seed.wrapping_mul(7_919).wrapping_add(17));
        for _ in 0..4 {
            dice.roll(2);
        }
        let start: Timestamp = "2026-11-20T08:00:00.25Z".parse().expect("a time");
        let release = dice.of(&["v1.24.0", "v1.25.10", "v1.32.13", "v1.36.2", "v1.37.0"]);
        let document = json!({
            "apiVersion": "hpa-explain/v1", "kind": "Snapshot", "capturedAt": start,
            "serverVersion": release,
            "controller": {"downscaleStabilizationSeconds": dice.of(&[0, 30, 120, 300])},
            "horizontalPodAutoscaler": {
                "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
                "metadata": {"name": "web", "namespace": "shop", "creationTimestamp": second(start)},
                "spec": spec(&mut dice)},
            "scale": {"response": {"spec": {"replicas": 4},
                "status": {"replicas": 4, "selector": "app=web"}}},
            "metrics": {"external": [{"metric": "load", "metricSelector": "",
                "response": {"items": [{"metricName": "load", "value": "4"}]}}]},
        });
        let mut documents = read_documents(&document.to_string());
        let snapshot = documents.remove(0).snapshot.expect("a readable snapshot");
        let events = || Events {
            old: Vec::new(),
            kept: Vec::new(),
            tokens: 25.0,
            refilled: start,
            similar: Vec::new(),
        };
        Self {
            sight,
            now: start,
            next_pass: start + SignedDuration::from_secs(15),
            snapshot,
            memory: Memory::empty(),
            status: HpaStatus::default(),
            written: None,
            edited: start,
            started: start,
            demand: 4,
            demand_until: start,
            fails_until: start,
            refuses_until: start,
            absent_until: start + milliseconds(dice.of(&[0, 0, 0, 200_000, 900_000])),
            size: i32::try_from(dice.roll(12)).expect("few"),
            events: events(),
            target_events: events(),
            dice,
        }
    }

    /// What the controller remembers.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The samples until the next pass, every five seconds; whatever happens
    /// in that time happens.
    pub fn samples(&mut self) -> Vec<Snapshot> {
        let mut samples = Vec::new();
        self.people();
        while self.now + SignedDuration::from_secs(5) < self.next_pass {
            self.now += SignedDuration::from_secs(5);
            self.load();
            samples.push(self.seen(self.now));
        }
        self.now = self.next_pass;
        self.load();
        samples
    }

    /// What is seen at the moment of the next pass.
    pub fn snapshot(&self) -> Snapshot {
        self.seen(self.now)
    }

    /// Everything that can be seen.
    fn seen(&self, now: Timestamp) -> Snapshot {
        let mut snapshot = self.inputs(now);
        let hpa = &mut snapshot.hpa;
        hpa.metadata.managed_fields = vec![ManagedFields {
            manager: "kubectl".to_owned(),
            operation: "Update".to_owned(),
            time: Some(second(self.edited)),
            fields: Fields {
                spec: Some(SpecFields::default()),
            },
            ..ManagedFields::default()
        }];
        hpa.metadata
            .managed_fields
            .extend(self.written.map(|time| ManagedFields {
                manager: "kube-controller-manager".to_owned(),
                operation: "Update".to_owned(),
                subresource: "status".to_owned(),
                time: Some(second(time)),
                fields: Fields::default(),
            }));
        snapshot.events = [&self.events, &self.target_events]
            .into_iter()
            .flat_map(|events| events.old.iter().chain(&events.kept).cloned())
            .map(Into::into)
            .collect();
        if self.sight.lease {
            let lease = json!({"spec": {"acquireTime": self.started, "renewTime": second(now)}});
            snapshot.controller_lease = serde_json::from_value(lease).expect("a lease");
        }
        snapshot
    }

    /// What the controller sees.
    fn inputs(&self, now: Timestamp) -> Snapshot {
        let mut snapshot = self.snapshot.clone();
        snapshot.captured_at = now;
        snapshot.hpa.status = self.status.clone();
        let scale = snapshot.scale.response_mut().expect("a scale");
        scale.spec.replicas = self.size;
        scale.status.replicas = self.size;
        if now < self.absent_until {
            snapshot.scale = Answered::Error("it is not there".to_owned().into());
        }
        let load = &mut snapshot.metrics.external[0];
        if now < self.fails_until {
            load.answer = Answered::Error("the adapter is away".to_owned().into());
        } else {
            let list = load.answer.response_mut().expect("a list");
            list.items[0].value = self.demand.to_string().parse().expect("a quantity");
        }
        snapshot
    }

    fn load(&mut self) {
        if self.now >= self.demand_until {
            self.demand = i64::try_from(self.dice.roll(16)).expect("few");
            self.demand_until = self.now + milliseconds(15_000 + self.dice.roll(180_000));
        }
        if self.now >= self.absent_until && self.dice.one_in(150) {
            self.absent_until = self.now + milliseconds(5_000 + self.dice.roll(40_000));
        }
        if self.now >= self.refuses_until && self.dice.one_in(60) {
            self.refuses_until = self.now + milliseconds(5_000 + self.dice.roll(60_000));
        }
        if self.now >= self.fails_until && self.dice.one_in(120) {
            self.fails_until = self.now + milliseconds(20_000 + self.dice.roll(60_000));
        }
    }

    /// Between two passes people and the machine do things.
    fn people(&mut self) {
        let at = self.now + milliseconds(200 + self.dice.roll(3_000));
        if self.dice.one_in(50) {
            let size = i32::try_from(self.dice.roll(15)).expect("few");
            self.resize(size, at);
        } else if self.dice.one_in(70) {
            let mut spec = spec(&mut self.dice);
            spec["scaleTargetRef"] =
                json!({"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"});
            let spec: HpaSpec = serde_json::from_value(spec).expect("a spec");
            self.snapshot.hpa.spec = spec;
            // The API server stamps it; it defaults it, too.
            let text = serde_json::to_string(&self.snapshot).expect("a document");
            let mut documents = read_documents(&text);
            self.snapshot = documents.remove(0).snapshot.expect("a readable snapshot");
            self.edited = at;
        } else if self.dice.one_in(60) {
            self.memory = Memory::empty();
            self.started = at;
            self.next_pass = at + milliseconds(15_000 + self.dice.roll(4_000));
            self.events.forget();
        }
    }

    fn resize(&mut self, size: i32, at: Timestamp) {
        if size == self.size {
            return;
        }
        let way = if size > self.size { "up" } else { "down" };
        let message = format!(
            "Scaled {way} replica set web-1 from {} to {size}",
            self.size
        );
        self.target_events
            .say("Deployment", "ScalingReplicaSet", &message, at);
        self.size = size;
    }

    /// Runs the pass and returns what it decided: the size, or what the
    /// status goes on showing.
    pub fn pass(&mut self) -> i32 {
        let now = self.now;
        let snapshot = self.inputs(now);
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let prepared = Prepared::new(&snapshot, &settings);
        let before = self.memory.clone();
        let (known, _) = reconcile_prepared(
            &prepared,
            &settings,
            &mut before.clone(),
            now.as_nanosecond(),
        );
        reconcile_autoscaler(
            &prepared,
            &settings,
            &mut self.memory,
            now.as_nanosecond(),
            &mut Nothing,
        );
        let decided = known.outcome.desired_replicas.expect("a known memory");
        let rescales = known.outcome.rescale == Some(true);
        let is_refused = rescales && now < self.refuses_until;
        if is_refused {
            // What was recommended is stored by then, the change is not.
            self.memory.scale_up_events = before.scale_up_events;
            self.memory.scale_down_events = before.scale_down_events;
        }
        for event in &known.events {
            let (reason, message) = if is_refused && event.reason == "SuccessfulRescale" {
                (
                    "FailedRescale",
                    format!("{}; error: refused", event.message),
                )
            } else {
                (event.reason.as_str(), event.message.clone())
            };
            self.events
                .say("HorizontalPodAutoscaler", reason, &message, now);
        }
        let mut status = HpaStatus {
            current_replicas: known.outcome.current_replicas,
            desired_replicas: if is_refused {
                self.status.desired_replicas
            } else {
                decided
            },
            last_scale_time: self.status.last_scale_time,
            ..HpaStatus::default()
        };
        if rescales && !is_refused {
            status.last_scale_time = Some(second(now));
        }
        let is_measured = known.recommendation.is_some();
        status.current_metrics = known
            .metrics
            .iter()
            .filter(|_| is_measured)
            .map(|metric| match &metric.result {
                Some(MetricResult::Proposed(proposed)) => proposed.current.clone(),
                _ => MetricStatus::default(),
            })
            .collect();
        if known.recommendation.is_none() && snapshot.scale.response().is_none() {
            status
                .current_metrics
                .clone_from(&self.status.current_metrics);
        }
        let mut conditions = known.conditions.clone();
        for condition in &mut conditions {
            if is_refused && condition.kind == ConditionKind::AbleToScale {
                condition.status = ConditionStatus::False.into();
                condition.reason = ConditionReason::FailedUpdateScale.into();
            }
        }
        status.conditions = conditions
            .iter()
            .map(|condition| {
                let mut before = self.status.conditions.iter();
                let before = before.find(|before| {
                    before.kind == condition.kind && before.status == condition.status
                });
                Condition {
                    kind: condition.kind.clone(),
                    status: condition.status.clone(),
                    reason: condition.reason.clone(),
                    message: condition.message.clone(),
                    last_transition_time: before
                        .map_or(Some(second(now)), |before| before.last_transition_time),
                }
            })
            .collect();
        let written = now + milliseconds(self.dice.roll(900));
        if rescales && !is_refused {
            self.resize(decided, now + milliseconds(20));
        }
        if status != self.status {
            self.status = status;
            self.written = Some(written);
        }
        self.next_pass = now + milliseconds(15_000 + self.dice.roll(120));
        self.now = written.max(now);
        decided
    }
}

impl Events {
    /// A new process begins.
    fn forget(&mut self) {
        self.old.append(&mut self.kept);
        self.tokens = 25.0;
        self.similar.clear();
    }

    fn say(&mut self, kind: &str, reason: &str, message: &str, now: Timestamp) {
        let at = second(now);
        let since = now.duration_since(self.refilled).as_secs_f64();
        self.tokens = (self.tokens + since / 300.0).min(25.0);
        self.refilled = now;
        let is_kept = |event: &Event| {
            let last = event.last_timestamp;
            last.is_some_and(|last| now.duration_since(last).as_secs() < 3_600)
        };
        self.old.retain(is_kept);
        self.kept.retain(is_kept);
        // Many similar ones are merged into one.
        self.similar
            .retain(|(at, _)| now.duration_since(*at).as_secs() < 600);
        self.similar.push((now, format!("{reason} {message}")));
        let mut distinct: Vec<&String> = self.similar.iter().map(|(_, text)| text).collect();
        distinct.retain(|text| text.starts_with(reason));
        distinct.sort();
        distinct.dedup();
        let is_merged = distinct.len() > 10;
        if self.tokens < 1.0 {
            return;
        }
        self.tokens -= 1.0;
        let prefix = "(combined from similar events): ";
        let same = |event: &&mut Event| {
            event.reason == reason
                && if is_merged {
                    event.message.starts_with(prefix)
                } else {
                    event.message == message
                }
        };
        if let Some(event) = self.kept.iter_mut().find(same) {
            event.count = event.count.map(|count| count + 1);
            event.last_timestamp = Some(at);
            if is_merged {
                event.message = format!("{prefix}{message}");
            }
            return;
        }
        self.kept.push(Event {
            involved_object: InvolvedObject {
                kind: kind.to_owned(),
                name: "web".to_owned(),
                ..InvolvedObject::default()
            },
            kind: "Normal".to_owned(),
            reason: reason.to_owned(),
            message: if is_merged {
                format!("{prefix}{message}")
            } else {
                message.to_owned()
            },
            count: Some(1),
            first_timestamp: Some(at),
            last_timestamp: Some(at),
            ..Event::default()
        });
    }
}

fn spec(dice: &mut Dice) -> Value {
    let min = dice.of(&[1, 1, 2, 3]);
    let mut spec = json!({
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "minReplicas": min, "maxReplicas": min + dice.of(&[4, 8, 20]),
        "metrics": [{"type": "External", "external": {"metric": {"name": "load"},
            "target": {"type": "AverageValue", "averageValue": "1"}}}],
    });
    if !dice.one_in(3) {
        spec["behavior"] = json!({"scaleUp": rules(dice), "scaleDown": rules(dice)});
    }
    spec
}

fn rules(dice: &mut Dice) -> Value {
    let mut rules = json!({});
    if !dice.one_in(3) {
        rules["stabilizationWindowSeconds"] = json!(dice.of(&[0, 0, 15, 60, 300]));
    }
    if dice.one_in(2) {
        let mut policy = || {
            let kind = dice.of(&["Pods", "Percent"]);
            let value = if kind == "Pods" {
                dice.of(&[1, 2, 4])
            } else {
                dice.of(&[10, 50, 100, 150])
            };
            json!({"type": kind, "value": value, "periodSeconds": dice.of(&[15, 60, 180, 600])})
        };
        let policies = vec![policy(), policy()];
        rules["policies"] = json!(policies);
        rules["selectPolicy"] = json!(dice.of(&["Max", "Max", "Min", "Disabled"]));
    }
    rules
}
