//! What a line of the list says of an HPA: what holds it, and since when.

use std::collections::BTreeMap;

use crate::support::vectors::{RECORDED, vectors};
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::Observer;
use hpa_explain::render::{Summary, TextOptions};
use hpa_explain::trace::{Code, Hold};
use hpa_explain::what_if;
use jiff::Timestamp;
use serde_json::{Value, json};

fn summary(snapshot: &Snapshot) -> Summary {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    let now = snapshot.captured_at;
    let trace = what_if::explain(snapshot, &settings, now, &Observer::default());
    Summary::of(&trace, &TextOptions::default())
}

fn read(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    documents.remove(0).snapshot.expect("a snapshot")
}

/// What must hold an HPA whose verdict begins so; `None` where nothing does.
#[rustfmt::skip] // one row a line
const VERDICTS: [(&str, &[Option<Hold>]); 8] = [
    ("Held by the scaleDown window", &[Some(Hold::ScaleDownWindow)]),
    ("Held by the scaleUp window", &[Some(Hold::ScaleUpWindow)]),
    ("Held by policy", &[Some(Hold::ScaleUpPolicy), Some(Hold::ScaleDownPolicy), Some(Hold::Doubling)]),
    ("Held by selectPolicy Disabled", &[Some(Hold::Disabled)]),
    ("At max", &[Some(Hold::MaxReplicas)]),
    ("At min", &[Some(Hold::MinReplicas)]),
    ("Paused", &[Some(Hold::Paused)]),
    ("Failing", &[Some(Hold::Failure), Some(Hold::FailedMetric)]),
];

/// What must hold an HPA of which this is found.
#[rustfmt::skip] // one row a line
const FOUND: [(Code, &[Hold]); 4] = [
    (Code::WindowHolds, &[Hold::ScaleUpWindow, Hold::ScaleDownWindow]),
    (Code::PolicyLimits, &[Hold::ScaleUpPolicy, Hold::ScaleDownPolicy, Hold::Doubling]),
    (Code::BehaviorDisabled, &[Hold::Disabled]),
    (Code::Paused, &[Hold::Paused]),
];

/// Whatever the recorded controllers decided, verdict, findings and hold are
/// of one mind.
#[test]
fn what_holds_is_what_the_verdict_says() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found: BTreeMap<Code, usize> = BTreeMap::new();
    let mut steady = 0;
    for version in [RECORDED[0].0, RECORDED[11].0] {
        for vector in vectors(version) {
            let summary = summary(&read(&vector.snapshot));
            let verdict = summary.headline.as_str();
            let row = VERDICTS.iter().find(|(word, _)| verdict.starts_with(word));
            if let Some((word, holds)) = row {
                assert!(
                    holds.contains(&summary.holds),
                    "{version} {}: {verdict}, {:?}",
                    vector.id,
                    summary.holds
                );
                *seen.entry(word).or_default() += 1;
            }
            for (code, holds) in FOUND {
                if summary.findings.iter().any(|noted| noted.code == code) {
                    assert!(
                        summary.holds.is_some_and(|hold| holds.contains(&hold)),
                        "{version} {}: {code}, {:?}",
                        vector.id,
                        summary.holds
                    );
                    *found.entry(code).or_default() += 1;
                }
            }
            if verdict == "Steady" {
                let fine = [None, Some(Hold::Tolerance)];
                assert!(fine.contains(&summary.holds), "{version} {}", vector.id);
                steady += 1;
            }
        }
    }
    let enough = |word: &&&str| seen.get(**word) > Some(&3);
    let words: Vec<&str> = VERDICTS.iter().map(|(word, _)| *word).collect();
    let met: Vec<&&str> = words.iter().filter(enough).collect();
    assert_eq!(met.len(), VERDICTS.len(), "{seen:?}");
    assert_eq!(found.len(), FOUND.len(), "{found:?}");
    assert!(steady > 100, "{steady}");
}

const NOW: &str = "2026-11-20T08:00:00Z";
const SCALED: &str = "2026-11-20T07:00:00Z";
const MOVED: &str = "2026-11-20T07:30:00Z";

/// An HPA of four pods, 2 to 4, that use so much of the 100m they request;
/// the target is 50%.
fn of_four_pods(usage: &str) -> Value {
    let pod = |number: usize| {
        json!({
            "metadata": { "name": format!("web-{number}"), "namespace": "shop", "labels": { "app": "web" } },
            "spec": { "containers": [{ "name": "app", "resources": { "requests": { "cpu": "100m" } } }] },
            "status": { "phase": "Running", "startTime": "2026-11-20T06:00:00Z",
                "conditions": [{ "type": "Ready", "status": "True", "lastTransitionTime": "2026-11-20T06:01:00Z" }] },
        })
    };
    let sample = |number: usize| {
        json!({
            "metadata": { "name": format!("web-{number}"), "namespace": "shop", "labels": { "app": "web" } },
            "timestamp": NOW, "window": "15s",
            "containers": [{ "name": "app", "usage": { "cpu": usage } }],
        })
    };
    json!({
        "apiVersion": "hpa-explain/v1", "kind": "Snapshot", "capturedAt": NOW, "serverVersion": "v1.36.2",
        "horizontalPodAutoscaler": {
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": {
                "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" },
                "minReplicas": 2, "maxReplicas": 4,
                "metrics": [{ "type": "Resource", "resource": { "name": "cpu",
                    "target": { "type": "Utilization", "averageUtilization": 50 } } }],
            },
            "status": { "currentReplicas": 4, "desiredReplicas": 4, "lastScaleTime": SCALED,
                "conditions": [
                    condition("AbleToScale", "True", "ReadyForNewScale"),
                    condition("ScalingActive", "True", "ValidMetricFound"),
                    condition("ScalingLimited", "True", "TooManyReplicas"),
                ] },
        },
        "scale": { "response": { "spec": { "replicas": 4 }, "status": { "replicas": 4, "selector": "app=web" } } },
        "pods": (0..4).map(pod).collect::<Vec<_>>(),
        "metrics": { "resource": { "response": { "items": (0..4).map(sample).collect::<Vec<_>>() } } },
    })
}

fn condition(kind: &str, status: &str, reason: &str) -> Value {
    json!({ "type": kind, "status": status, "reason": reason, "message": "", "lastTransitionTime": MOVED })
}

/// A field of the HPA, and what it is to be.
type Change = (&'static str, Value);

fn changed(mut snapshot: Value, changes: &[Change]) -> Summary {
    for (pointer, value) in changes {
        match snapshot.pointer_mut(pointer) {
            Some(field) => *field = value.clone(),
            None => panic!("{pointer}"),
        }
    }
    summary(&read(&snapshot))
}

const CONDITIONS: &str = "/horizontalPodAutoscaler/status/conditions";
const LAST_SCALE: &str = "/horizontalPodAutoscaler/status/lastScaleTime";
const DESIRED: &str = "/horizontalPodAutoscaler/status/desiredReplicas";
const SIZE: &str = "/scale/response/spec/replicas";

fn transition(at: &str) -> Change {
    (
        "/horizontalPodAutoscaler/status/conditions/2/lastTransitionTime",
        json!(at),
    )
}

fn limited(reason: &str) -> Change {
    (
        "/horizontalPodAutoscaler/status/conditions/2/reason",
        json!(reason),
    )
}

fn inactive(reason: &str) -> Change {
    let inactive = condition("ScalingActive", "False", reason);
    ("/horizontalPodAutoscaler/status/conditions/1", inactive)
}

/// What is the case, the usage of each pod, what holds and since when.
type Case = (
    &'static str,
    &'static str,
    Vec<Change>,
    Option<Hold>,
    Option<&'static str>,
);

#[rustfmt::skip] // one case a line
fn cases() -> [Case; 13] {
    let (max, fits) = (Some(Hold::MaxReplicas), Some(Hold::Tolerance));
    let (fails, paused) = (Some(Hold::Failure), Some(Hold::Paused));
    let never = || (LAST_SCALE, Value::Null);
    let no_pods = || ("/pods", json!([]));
    let at_zero = || (SIZE, json!(0));
    [
        // At the bound: the condition, or a later change of the size.
        ("at max", "90m", vec![], max, Some(MOVED)),
        ("scaled after the transition", "90m", vec![transition("2026-11-20T06:30:00Z")], max, Some(SCALED)),
        ("at max, never scaled", "90m", vec![never()], max, Some(MOVED)),
        ("at max, limited by something else", "90m", vec![limited("ScaleUpLimit")], max, None),
        ("a transition to come", "90m", vec![transition("2026-11-20T09:00:00Z")], max, None),
        ("no conditions", "90m", vec![(CONDITIONS, json!([]))], max, None),
        // At its size: the last change of it.
        ("steady", "50m", vec![], fits, Some(SCALED)),
        ("steady, but the last pass wanted another size", "50m", vec![(DESIRED, json!(3))], fits, None),
        ("steady, never scaled", "50m", vec![never()], fits, None),
        // Failing: the condition, where it is the same failure.
        ("no pods", "50m", vec![no_pods(), inactive("FailedGetResourceMetric")], fails, Some(MOVED)),
        ("another failure before", "50m", vec![no_pods(), inactive("InvalidSelector")], fails, None),
        // Paused.
        ("paused", "50m", vec![at_zero(), inactive("ScalingDisabled")], paused, Some(MOVED)),
        ("paused since the last pass", "50m", vec![at_zero()], paused, None),
    ]
}

#[test]
fn since_is_only_what_is_told() {
    for (what, usage, changes, holds, since) in cases() {
        let summary = changed(of_four_pods(usage), &changes);
        let since: Option<Timestamp> = since.map(|at| at.parse().expect("a time"));
        assert_eq!((summary.holds, summary.since), (holds, since), "{what}");
    }
}

/// What the windows hold tells since when a change is asked for, where all of
/// that is known.
#[test]
fn a_window_holds_since_the_first_pass_that_asked() {
    let entry = |replicas: i32, at: &str| json!({ "replicas": replicas, "timestamp": at });
    let held = entry(4, "2026-11-20T07:58:00Z");
    let rows = [
        (vec![held.clone()], NOW),
        (
            vec![held.clone(), entry(3, "2026-11-20T07:59:45Z")],
            "2026-11-20T07:59:45Z",
        ),
        (
            vec![
                entry(3, "2026-11-20T07:59:45Z"),
                held.clone(),
                entry(2, "2026-11-20T07:59:30Z"),
            ],
            "2026-11-20T07:59:30Z",
        ),
        (
            vec![
                entry(2, "2026-11-20T07:57:00Z"),
                held,
                entry(2, "2026-11-20T07:59:30Z"),
            ],
            "2026-11-20T07:59:30Z",
        ),
    ];
    for (entries, since) in &rows {
        let mut snapshot = of_four_pods("30m");
        snapshot["history"] = json!({ "recommendations": entries });
        let summary = changed(snapshot, &[]);
        assert_eq!(summary.holds, Some(Hold::ScaleDownWindow));
        assert_eq!(summary.since, Some(since.parse().expect("a time")));
    }
    assert_eq!(rows.len(), 4);
    // Where the memory is not known, nothing tells.
    let unknown = changed(of_four_pods("30m"), &[]);
    assert_eq!(unknown.since, None);
}
