//! Ten HPAs of a real cluster: the re-run decides what the controller wrote
//! into their status.
//!
//! The controller's memory cannot be recorded, so every pass is re-run with
//! that of a controller that has just started.

use crate::support::recording::Recording;
use hpa_explain::controller::{Overrides, Settings, reconcile};
use hpa_explain::document::snapshot::read_documents;
use hpa_explain::render::Prediction;
use serde_json::{Value, json};

/// What the steady cluster decides.
///
/// A pass that fails keeps the `desiredReplicas` of before, so 0 where no
/// pass ever succeeded. The HPAs on one target ask for something, each on its
/// own, but nobody gets that far.
#[rustfmt::skip] // one row a line
const STEADY: [Row; 10] = [
    row("api", 2, 0, "-", "SucceededGetScale FailedGetResourceMetric"),
    row("canary", 6, 6, "18", "ReadyForNewScale ValidMetricFound TooManyReplicas NotScaledToZero"),
    row("checkout", 5, 5, "5 5", "ReadyForNewScale ValidMetricFound DesiredWithinRange NotScaledToZero"),
    row("db", 2, 2, "2", "ReadyForNewScale ValidMetricFound DesiredWithinRange"),
    row("ghost", 0, 0, "", "FailedGetScale"),
    row("keda-hpa-worker", 8, 8, "8", "ReadyForNewScale ValidMetricFound DesiredWithinRange NotScaledToZero"),
    row("paused", 0, 0, "-", "SucceededGetScale ScalingDisabled"),
    row("twin-a", 2, 0, "18", "SucceededGetScale AmbiguousSelector"),
    row("twin-b", 2, 0, "12", "SucceededGetScale AmbiguousSelector"),
    row("web", 12, 12, "8 15 3", "ReadyForNewScale ValidMetricFound TooManyReplicas NotScaledToZero"),
];

/// Where an older recommendation or scale event, which a new controller does
/// not remember, shows in a condition: the status's reason, and the re-run's.
#[rustfmt::skip] // one row a line
const REMEMBERED: [(&str, &str, &str, &str); 9] = [
    // Asked for more than the maximum moments ago; that still counts.
    ("surge checkout", "AbleToScale", "ScaleDownStabilized", "ReadyForNewScale"),
    ("surge checkout", "ScalingLimited", "TooManyReplicas", "DesiredWithinRange"),
    ("cooling canary", "ScalingLimited", "TooManyReplicas", "DesiredWithinRange"),
    ("cooling checkout", "ScalingLimited", "TooManyReplicas", "DesiredWithinRange"),
    // Its window is over, and half of the twelve went within this minute.
    ("cooling web", "ScalingLimited", "ScaleDownLimit", "DesiredWithinRange"),
    ("settled canary", "ScalingLimited", "TooManyReplicas", "DesiredWithinRange"),
    ("settled checkout", "ScalingLimited", "TooManyReplicas", "DesiredWithinRange"),
    ("external-down canary", "AbleToScale", "ScaleDownStabilized", "ReadyForNewScale"),
    ("external-down checkout", "ScalingLimited", "TooManyReplicas", "DesiredWithinRange"),
];

#[test]
fn a_steady_cluster_is_explained() {
    let passes = passes("steady");
    assert_eq!(passes.len(), STEADY.len());
    for (pass, row) in passes.iter().zip(STEADY) {
        let got = (
            pass.name.as_str(),
            pass.prediction["currentReplicas"].as_i64(),
            pass.prediction["desiredReplicas"].as_i64(),
            pass.proposals(),
            reasons(&pass.prediction),
        );
        let want = (
            row.name,
            Some(row.current),
            Some(row.desired),
            row.asks_for.to_owned(),
            row.reasons.to_owned(),
        );
        assert_eq!(got, want);
        assert_eq!(reasons(&pass.status), row.reasons, "{}", row.name);
        assert_eq!(pass.prediction["rescale"], false, "{}", row.name);
    }
}

#[test]
fn forty_passes_agree_with_their_status() {
    let counts = agreement(&["steady", "surge", "cooling", "settled"]);
    let want = Counts {
        passes: 40,
        with_metrics: 20,
        with_failed_metrics: 4,
        same_conditions: 34,
    };
    assert_eq!(counts, want);
}

#[test]
fn thirty_passes_without_metrics_agree_with_their_status() {
    let counts = agreement(&["metrics-down", "external-down", "no-metrics-api"]);
    let want = Counts {
        passes: 30,
        with_metrics: 4,
        with_failed_metrics: 14,
        same_conditions: 28,
    };
    assert_eq!(counts, want);
}

struct Row {
    name: &'static str,
    current: i64,
    desired: i64,
    asks_for: &'static str,
    reasons: &'static str,
}

const fn row(
    name: &'static str,
    current: i64,
    desired: i64,
    asks_for: &'static str,
    reasons: &'static str,
) -> Row {
    Row {
        name,
        current,
        desired,
        asks_for,
        reasons,
    }
}

#[derive(Debug, Default, PartialEq)]
struct Counts {
    passes: usize,
    with_metrics: usize,
    with_failed_metrics: usize,
    same_conditions: usize,
}

/// Holds every pass of the recordings against the status, and counts.
fn agreement(recordings: &[&str]) -> Counts {
    let mut counts = Counts::default();
    let mut differences = Vec::new();
    for recording in recordings {
        for pass in passes(recording) {
            let name = format!("{recording} {}", pass.name);
            let (got, status) = (&pass.prediction, &pass.status);
            assert_eq!(count(got, "desired"), count(status, "desired"), "{name}");
            assert_eq!(count(got, "current"), count(status, "current"), "{name}");

            let metrics = array(&status["currentMetrics"]);
            assert_eq!(pass.current_metrics(), metrics, "{name}");
            let failed = metrics.contains(&failed_metric());
            counts.with_failed_metrics += usize::from(failed);
            counts.with_metrics += usize::from(!failed && !metrics.is_empty());

            let found = condition_differences(&name, &pass);
            counts.same_conditions += usize::from(found.is_empty());
            differences.extend(found);
            counts.passes += 1;
        }
    }
    let in_recordings = |name: &str| recordings.iter().any(|r| name.starts_with(*r));
    let remembered = REMEMBERED
        .iter()
        .filter(|(name, ..)| in_recordings(name))
        .map(|(name, kind, status, ours)| [*name, *kind, *status, *ours].map(str::to_owned));
    assert_eq!(differences, remembered.collect::<Vec<_>>());
    counts
}

/// The conditions that differ: pass, type, the status's reason, the re-run's.
fn condition_differences(name: &str, pass: &Pass) -> Vec<[String; 4]> {
    let (ours, theirs) = (conditions(&pass.prediction), conditions(&pass.status));
    assert_eq!(ours.len(), theirs.len(), "{name}");
    let pairs = ours.iter().zip(&theirs);
    pairs
        .filter(|(ours, theirs)| ours != theirs)
        .map(|(ours, theirs)| {
            assert_eq!(ours["type"], theirs["type"], "{name}");
            let words = [&ours["type"], &theirs["reason"], &ours["reason"]];
            let [kind, theirs, ours] = words.map(text);
            [name.to_owned(), kind, theirs, ours]
        })
        .collect()
}

/// The conditions without times. The controller lists the HPAs of an
/// ambiguous selector in random order, so their names are sorted.
fn conditions(holder: &Value) -> Vec<Value> {
    let conditions = array(&holder["conditions"]).iter();
    conditions
        .map(|condition| {
            let message = text(&condition["message"]);
            json!({
                "type": condition["type"],
                "status": condition["status"],
                "reason": condition["reason"],
                "message": names_sorted(&message),
            })
        })
        .collect()
}

fn names_sorted(message: &str) -> String {
    let Some((start, names)) = message.split_once("multiple HPAs: [") else {
        return message.to_owned();
    };
    let mut names: Vec<&str> = names.trim_end_matches(']').split(' ').collect();
    names.sort_unstable();
    format!("{start}multiple HPAs: {names:?}")
}

fn reasons(holder: &Value) -> String {
    let reasons: Vec<String> = conditions(holder)
        .iter()
        .map(|condition| text(&condition["reason"]))
        .collect();
    reasons.join(" ")
}

/// One HPA: its status as recorded, and what the re-run of its pass gave.
struct Pass {
    name: String,
    status: Value,
    prediction: Value,
    merged: bool,
}

impl Pass {
    /// What each metric asks for, on its own.
    fn proposals(&self) -> String {
        let metrics = array(&self.prediction["metrics"]).iter();
        let proposals: Vec<String> = metrics
            .map(|metric| match metric["proposedReplicas"].as_i64() {
                Some(replicas) => replicas.to_string(),
                None => "-".to_owned(),
            })
            .collect();
        proposals.join(" ")
    }

    /// What the controller writes to `status.currentMetrics`; nothing where
    /// the pass does not get as far as merging the metrics.
    fn current_metrics(&self) -> Vec<Value> {
        let metrics = array(&self.prediction["metrics"]).iter();
        metrics
            .filter(|_| self.merged)
            .map(|metric| match &metric["current"] {
                Value::Null => failed_metric(),
                current => current.clone(),
            })
            .collect()
    }
}

/// What the status holds in the place of a metric that failed.
fn failed_metric() -> Value {
    json!({"type": ""})
}

fn passes(recording: &str) -> Vec<Pass> {
    let recording = Recording::open(recording);
    let autoscalers = recording.autoscalers();
    autoscalers
        .iter()
        .map(|hpa| pass(hpa, &recording.snapshot(hpa)))
        .collect()
}

fn pass(hpa: &Value, document: &Value) -> Pass {
    let name = text(&hpa["metadata"]["name"]);
    let mut documents = read_documents(&document.to_string());
    let snapshot = documents.remove(0).snapshot.expect(&name);
    let settings = Settings::resolve(&snapshot, &Overrides::default());
    let trace = reconcile(&snapshot, &settings, snapshot.captured_at);
    let prediction = Prediction::of(&trace).expect(&name);
    Pass {
        status: hpa["status"].clone(),
        prediction: serde_json::to_value(prediction).expect(&name),
        merged: trace.recommendation.is_some(),
        name,
    }
}

/// A count of a status; absent means 0.
fn count(holder: &Value, which: &str) -> i64 {
    let count = &holder[format!("{which}Replicas")];
    count.as_i64().unwrap_or_default()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
