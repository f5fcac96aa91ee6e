//! Text, JSON and prediction are projections of the trace: whoever changes a
//! field of it sees it change in them.

use hpa_explain::controller::{Overrides, Release, Settings, reconcile};
use hpa_explain::render::{Explanation, Prediction, TextOptions, write_text};
use hpa_explain::snapshot::read_documents;
use hpa_explain::trace::{Group, MetricResult, Trace};
use serde_json::{Value, json};

/// One field of a trace, changed.
struct Mutation {
    field: &'static str,
    change: fn(&mut Trace),
    /// The prediction's field that shows it, if it is one of its fields.
    predicted: Option<&'static str>,
}

fn mutation(
    field: &'static str,
    predicted: Option<&'static str>,
    change: fn(&mut Trace),
) -> Mutation {
    Mutation {
        field,
        change,
        predicted,
    }
}

fn trace(demo: &str) -> Trace {
    trace_with(demo, &Overrides::default())
}

fn trace_with(demo: &str, overrides: &Overrides) -> Trace {
    let path = format!("{}/demos/{demo}.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a demo");
    let mut documents = read_documents(&text);
    let snapshot = documents
        .pop()
        .expect("one document")
        .snapshot
        .expect("a snapshot");
    let settings = Settings::resolve(&snapshot, overrides);
    reconcile(&snapshot, &settings, snapshot.captured_at)
}

fn text(trace: &Trace) -> String {
    let options = TextOptions {
        verbosity: 2,
        ..TextOptions::default()
    };
    let mut out = Vec::new();
    write_text(trace, &options, &mut out).expect("memory is writable");
    String::from_utf8(out).expect("text")
}

fn json(trace: &Trace) -> Value {
    serde_json::to_value(Explanation::of(trace)).expect("a document")
}

fn predicted(trace: &Trace, field: &str) -> Value {
    let prediction = json!(Prediction::of(trace));
    prediction.pointer(field).cloned().unwrap_or(Value::Null)
}

fn check(demo: &str, mutations: &[Mutation]) {
    let before = trace(demo);
    for Mutation {
        field,
        change,
        predicted: pointer,
    } in mutations
    {
        let mut after = before.clone();
        change(&mut after);
        assert_ne!(before, after, "{demo}: {field} is not changed");
        assert_ne!(
            json(&before),
            json(&after),
            "{demo}: {field} is not in the JSON"
        );
        assert_ne!(
            text(&before),
            text(&after),
            "{demo}: {field} is not in the text"
        );
        if let Some(pointer) = pointer {
            let (before, after) = (predicted(&before, pointer), predicted(&after, pointer));
            assert_ne!(
                before, after,
                "{demo}: {field} is not predicted from the trace"
            );
        }
    }
}

#[test]
fn a_changed_decision_shows() {
    let mutations = [
        mutation("name", None, |t| t.name.push('x')),
        mutation("at", None, |t| t.at += jiff::SignedDuration::from_secs(1)),
        mutation("release", None, |t| {
            t.basis.release.version = Some("v1.34.0".to_owned());
        }),
        mutation("bounds", None, |t| t.bounds.max_replicas += 1),
        mutation("current size", None, |t| {
            t.scale.as_mut().expect("a scale").current_replicas = Some(11);
        }),
        mutation("outcome, current", Some("/currentReplicas"), |t| {
            t.outcome.current_replicas += 1;
        }),
        mutation("outcome, desired", Some("/desiredReplicas"), |t| {
            t.outcome.desired_replicas = Some(15);
        }),
        mutation("outcome, error", Some("/error"), |t| {
            t.outcome.error = Some("something failed".to_owned());
        }),
        mutation("recommendation", None, |t| {
            t.recommendation
                .as_mut()
                .expect("a recommendation")
                .replicas = Some(31);
        }),
        mutation("stabilized", None, |t| {
            t.stabilization.as_mut().expect("a stage").result = 29;
        }),
        mutation("limited", None, |t| {
            t.limit.as_mut().expect("a stage").result = 13;
        }),
        mutation("a policy's formula", None, |t| {
            t.limit.as_mut().expect("a stage").policies[0].formula = "10 + 5 = 15".to_owned();
        }),
        mutation("a policy's added", None, |t| {
            t.limit.as_mut().expect("a stage").policies[0].added += 1;
        }),
        mutation("a condition", Some("/conditions"), |t| {
            t.conditions[0].message.push('!');
        }),
        mutation("an event", Some("/events"), |t| {
            t.events[0].message.push('!');
        }),
        mutation("the memory", Some("/recommendationsAfter"), |t| {
            let recommendations = t.memory.recommendations.as_mut().expect("a list");
            recommendations[0].replicas += 1;
        }),
    ];
    check("slowed-by-policy", &mutations);
}

#[test]
fn a_changed_metric_shows() {
    let mutations = [
        mutation("source", None, |t| t.metrics[0].source.name.push('x')),
        mutation("target", None, |t| {
            t.metrics[0].target.as_mut().expect("a target").value = 61;
        }),
        mutation("utilization", None, |t| {
            t.metrics[0]
                .measured
                .as_mut()
                .expect("measured")
                .utilization = Some(93);
        }),
        mutation("ratio", None, |t| {
            t.metrics[0]
                .filled_in
                .as_mut()
                .expect("filled in")
                .measured
                .ratio = 0.96;
        }),
        mutation("filled in", None, |t| {
            let filled = t.metrics[0].filled_in.as_mut().expect("filled in");
            filled.measured.utilization = Some(58);
        }),
        mutation("proposal", Some("/metrics/0/proposedReplicas"), |t| {
            if let Some(MetricResult::Proposed(proposed)) = &mut t.metrics[0].result {
                proposed.replicas = 7;
            }
        }),
        mutation("metric name", Some("/metrics/0/name"), |t| {
            if let Some(MetricResult::Proposed(proposed)) = &mut t.metrics[0].result {
                proposed.name.push('x');
            }
        }),
        mutation("group sizes", Some("/metrics/0/readyPodCount"), |t| {
            t.metrics[0].groups.as_mut().expect("groups").ready = 4;
        }),
        mutation("a pod's name", None, |t| {
            t.metrics[0].pods[0].name.push('x');
        }),
        mutation("a pod's group", Some("/metrics/0/ignoredPods"), |t| {
            t.metrics[0].pods[0].group = Group::Ignored;
        }),
        mutation("a pod's usage", None, |t| {
            t.metrics[0].pods[0].usage = Some(461);
        }),
    ];
    check("stuck-without-samples", &mutations);
}

#[test]
fn a_changed_failure_shows() {
    let mutations = [
        mutation("message", None, |t| {
            if let Some(MetricResult::Failed { message, .. }) = &mut t.metrics[0].result {
                message.push('!');
            }
        }),
        mutation("error", Some("/metrics/0/error"), |t| {
            if let Some(MetricResult::Failed { error, .. }) = &mut t.metrics[0].result {
                error.push('!');
            }
        }),
    ];
    check("foreign-pod-without-request", &mutations);
    let possible = [mutation("possible", None, |t| {
        t.outcome.possible.as_mut().expect("a range").to += 1;
    })];
    check("held-by-window", &possible);
}

#[test]
fn releases_without_recorded_answers_say_so_in_trace_and_text() {
    let mut unchecked = Vec::new();
    for minor in 23..=38 {
        let overrides = Overrides {
            release: Some(Release::minor(minor)),
            ..Overrides::default()
        };
        let trace = trace_with("slowed-by-policy", &overrides);
        if let Some(remark) = &trace.basis.release.remark {
            // The text breaks its lines wherever they end.
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words(&text(&trace)).contains(&words(remark)), "1.{minor}");
            unchecked.push(minor);
        }
    }
    assert_eq!(unchecked, [23, 24, 37, 38]);
}
