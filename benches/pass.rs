//! How long one pass takes, and what it allocates.
//!
//! divan shows the distributions; the goals are printed after them, each with
//! its value and the ratio of the two.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::alloc::System;
use std::time::{Duration, Instant};

use divan::{Bencher, black_box};
use hpa_explain::controller::{
    Memory, Overrides, Prepared, Settings, reconcile, reconcile_autoscaler,
};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::{self, Observer};
use hpa_explain::render::{Format, TextOptions};
use hpa_explain::trace::Nothing;
use hpa_explain::what_if;
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    divan::main();
    goals();
}

/// From the snapshot to the whole trace.
#[divan::bench(args = [10, 1_000, 10_000])]
fn with_trace(bencher: Bencher, pods: usize) {
    let snapshot = snapshot(pods);
    let settings = settings(&snapshot);
    bencher.bench(|| reconcile(black_box(&snapshot), &settings, snapshot.captured_at));
}

/// A pass on prepared inputs, as listing and simulating run it.
#[divan::bench(args = [20, 1_000])]
fn without_recording(bencher: Bencher, pods: usize) {
    let snapshot = snapshot(pods);
    let settings = settings(&snapshot);
    let prepared = Prepared::new(&snapshot, &settings);
    let mut now = snapshot.captured_at.as_nanosecond();
    let mut memory = Memory::new(snapshot.history.as_ref());
    bencher.bench_local(|| {
        now += settings.sync_period;
        reconcile_autoscaler(
            black_box(&prepared),
            &settings,
            &mut memory,
            now,
            &mut Nothing,
        )
    });
}

fn goals() {
    println!(
        "\n{:<46} {:>12} {:>12} {:>6}",
        "goal", "value", "goal", "ratio"
    );
    for pods in [10, 1_000, 10_000] {
        let snapshot = snapshot(pods);
        let settings = settings(&snapshot);
        let run = || reconcile(black_box(&snapshot), &settings, snapshot.captured_at);
        let took = median(run);
        // The goal is 5 ms for 10,000 pods; for fewer it is as much a pod, and
        // a tenth of a millisecond for the pass itself.
        let goal = Duration::from_micros(100) + Duration::from_nanos(490) * small(pods);
        goal_line(
            &format!("pass with trace, {pods} pods, ms"),
            millis(took),
            millis(goal),
        );
    }
    allocations_goal();
    explanation_goal();
    let snapshot = snapshot(20);
    let settings = settings(&snapshot);
    let prepared = Prepared::new(&snapshot, &settings);
    let mut now = snapshot.captured_at.as_nanosecond();
    let mut memory = Memory::new(snapshot.history.as_ref());
    let passes = 1_000;
    let took = median(|| {
        for _ in 0..passes {
            now += settings.sync_period;
            black_box(reconcile_autoscaler(
                black_box(&prepared),
                &settings,
                &mut memory,
                now,
                &mut Nothing,
            ));
        }
    });
    let micros = millis(took) * 1_000.0 / f64::from(passes);
    goal_line("pass without recording, 20 pods, µs", micros, 5.0);
}

/// What a pod adds shows where there are many: with a few pods more, a pass
/// also comes to stages that it did not have before, such as filling in the
/// first pod without a sample. What is left of ten pods is the pass's own.
fn allocations_goal() {
    let (few, many) = (1_000, 10_000);
    let each = (allocations(many) - allocations(few)) / as_f64(many - few);
    let label = format!("allocations a pod, {few} to {many} pods");
    goal_line(&label, each, 4.0);
    let own = allocations(10) - 10.0 * each;
    figure_line("allocations of the pass itself, 10 pods", own);
}

/// From the snapshot to the text that people read.
fn explanation_goal() {
    let snapshot = snapshot(10_000);
    let (settings, at) = (settings(&snapshot), snapshot.captured_at);
    let observer = Observer::default();
    let explained = || what_if::explain(black_box(&snapshot), &settings, at, &observer);
    let recalled = || history::explain(black_box(&snapshot), &settings, at, &observer);
    let written = || {
        let mut text = Vec::new();
        Format::Text
            .write(&explained(), &TextOptions::default(), &mut text)
            .expect("memory");
        text
    };
    let diagnosed = median(explained).saturating_sub(median(recalled));
    let label = "prospects and findings, 10000 pods, ms";
    goal_line(label, millis(diagnosed), 15.0);
    let label = "explanation as text, 10000 pods, ms";
    goal_line(label, millis(median(written)), 50.0);
}

/// How often a pass with the whole trace allocates.
fn allocations(pods: usize) -> f64 {
    let snapshot = snapshot(pods);
    let settings = settings(&snapshot);
    let region = Region::new(ALLOCATOR);
    let trace = black_box(reconcile(&snapshot, &settings, snapshot.captured_at));
    let change = region.change();
    drop(trace);
    as_f64(change.allocations + change.reallocations)
}

fn goal_line(label: &str, value: f64, goal: f64) {
    println!(
        "{label:<46} {value:>12.3} {goal:>12.3} {:>6.2}",
        value / goal
    );
}

/// A figure that has no goal.
fn figure_line(label: &str, value: f64) {
    println!("{label:<46} {value:>12.3} {:>12} {:>6}", "-", "-");
}

/// The median of enough runs to be steady. Dropping the result is no part of
/// a pass.
fn median<T>(mut run: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..101)
        .map(|_| {
            let start = Instant::now();
            let result = black_box(run());
            let took = start.elapsed();
            drop(result);
            took
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn as_f64(count: usize) -> f64 {
    f64::from(small(count))
}

fn small(count: usize) -> u32 {
    u32::try_from(count).expect("a small count")
}

fn settings(snapshot: &Snapshot) -> Settings {
    Settings::resolve(snapshot, &Overrides::default())
}

/// An HPA on cpu with a window, policies and some pods in each group.
fn snapshot(pods: usize) -> Snapshot {
    let replicas = pods;
    let object = |number: usize| {
        let phase = if number % 50 == 7 {
            "Pending"
        } else {
            "Running"
        };
        json!({
            "metadata": { "name": name(number), "namespace": "shop", "labels": labels() },
            "spec": { "containers": [
                { "name": "app", "resources": { "requests": { "cpu": "250m", "memory": "128Mi" } } },
                { "name": "proxy", "resources": { "requests": { "cpu": "50m", "memory": "32Mi" } } },
            ]},
            "status": { "phase": phase, "startTime": "2026-11-01T08:00:00Z", "conditions": [
                { "type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-01T08:00:00Z" },
                { "type": "Ready", "status": "True", "lastTransitionTime": "2026-11-01T08:00:20Z" },
            ]},
        })
    };
    let sample = |number: usize| {
        json!({
            "metadata": { "name": name(number), "namespace": "shop", "labels": labels() },
            "timestamp": "2026-11-01T11:59:50Z",
            "window": "30s",
            "containers": [
                { "name": "app", "usage": { "cpu": "213456789n", "memory": "98304Ki" } },
                { "name": "proxy", "usage": { "cpu": "12345678n", "memory": "16384Ki" } },
            ],
        })
    };
    let recommendations: Vec<_> = (0..20)
        .map(|age| json!({ "replicas": replicas, "timestamp": format!("2026-11-01T11:{:02}:{:02}Z", 55 + age / 4, age % 4 * 15) }))
        .collect();
    let document = json!({
        "apiVersion": "hpa-explain/v1",
        "kind": "Snapshot",
        "capturedAt": "2026-11-01T12:00:00Z",
        "serverVersion": "v1.36.2",
        "horizontalPodAutoscaler": {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": {
                "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" },
                "minReplicas": 2,
                "maxReplicas": 20_000,
                "metrics": [{ "type": "Resource", "resource": {
                    "name": "cpu",
                    "target": { "type": "Utilization", "averageUtilization": 50 },
                }}],
                "behavior": {},
            },
        },
        "scale": { "response": {
            "spec": { "replicas": replicas },
            "status": { "replicas": replicas, "selector": "app=web,tier in (front,back)" },
        }},
        "pods": (0..pods).map(object).collect::<Vec<_>>(),
        "metrics": { "resource": { "response": {
            "items": (0..pods).filter(|number| number % 50 != 9).map(sample).collect::<Vec<_>>(),
        }}},
        "history": { "recommendations": recommendations, "scaleUpEvents": [], "scaleDownEvents": [] },
    });
    let mut documents = read_documents(&document.to_string());
    documents
        .pop()
        .expect("one document")
        .snapshot
        .expect("a snapshot")
}

fn name(number: usize) -> String {
    format!("checkout-service-7c9d4f6b5d-{number:05}")
}

fn labels() -> serde_json::Value {
    json!({ "app": "web", "tier": "front", "pod-template-hash": "7c9d4f6b5" })
}
