//! How long a day of passes takes, one and a thousand behaviors, and what it
//! keeps in memory.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::alloc::System;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use divan::{Bencher, black_box};
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::Snapshot;
use hpa_explain::simulate::load::{Load, Noise, Shape};
use hpa_explain::simulate::{
    Capacity, Driven, Keep, MetricLoad, Model, Plan, Subject, bare, run, search, template,
};
use hpa_explain::trace::Scores;
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A day, in seconds.
const DAY: i64 = 86_400;

fn main() {
    divan::main();
    goals();
}

/// A day of passes at a mean of so many pods.
#[divan::bench(args = [20, 1_000], sample_count = 10)]
fn a_day(bencher: Bencher, pods: i64) {
    let world = World::new(pods);
    bencher.bench(|| world.run(DAY));
}

fn goals() {
    println!(
        "\n{:<46} {:>12} {:>12} {:>6}",
        "goal", "value", "goal", "ratio"
    );
    for (pods, goal) in [(20, 60.0), (1_000, 1_500.0)] {
        let world = World::new(pods);
        let took = median(5, || world.run(DAY));
        let label = format!("5760 passes with {pods} pods, ms");
        goal_line(&label, millis(took), goal);
    }
    search_goal("a day", &World::new(20), DAY, 60.0);
    // A history has a value every 15 seconds, and tune tries on it as many behaviors.
    let world = World::new(20).sampled(14 * DAY);
    search_goal("14 days of samples", &world, 14 * DAY, 30.0);
    // What the second half of two days needs beyond the first.
    let world = World::new(20);
    let (one, two) = (peak(&world, DAY), peak(&world, 2 * DAY));
    goal_line("bytes left over by a day more", two - one, 1.0);
}

/// More behaviors are not tried: their time is scaled.
const TRIED: usize = 200;

/// The time of a thousand behaviors.
fn search_goal(of: &str, world: &World, seconds: i64, goal: f64) {
    let snapshot = bare(&world.snapshot, 20);
    let spec = &snapshot.hpa.spec;
    let overrides = Overrides::default();
    let subject = Subject {
        snapshot: &snapshot,
        overrides: &overrides,
        lead: MetricLoad {
            metric: &spec.metrics[0],
            load: &world.load,
            model: &world.model,
        },
        others: Vec::new(),
        replicas: 20,
        seconds,
        keep: Keep::All,
    };
    let start = Instant::now();
    let count = AtomicUsize::new(1);
    let goes_on = || count.fetch_add(1, Ordering::Relaxed) < TRIED;
    let found = search(&subject, spec, |_| {}, goes_on).expect("a front");
    let took = start.elapsed().as_secs_f64();
    let tried = u32::try_from(found.tried).expect("a small count");
    let label = format!(
        "1000 candidates, {of}, 20 pods, {} cores, s",
        rayon::current_num_threads()
    );
    goal_line(&label, took * 1_000.0 / f64::from(tried), goal);
}

/// How many bytes a run leaves allocated at its end, its scores aside.
fn peak(world: &World, seconds: i64) -> f64 {
    let region = Region::new(ALLOCATOR);
    let scores = black_box(world.run(seconds));
    let change = region.change();
    assert!(scores.pod_seconds > 0);
    let left = change
        .bytes_allocated
        .saturating_sub(change.bytes_deallocated);
    f64::from(u32::try_from(left).unwrap_or(u32::MAX))
}

struct World {
    snapshot: Snapshot,
    load: Load,
    model: Model,
    pods: i32,
}

impl World {
    /// An uneven sine whose middle takes so many pods at 300m each.
    fn new(pods: i64) -> Self {
        let metric = json!({"type": "Resource", "resource": {"name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": 60}}});
        let hpa = json!({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                "minReplicas": 2, "maxReplicas": 20_000, "metrics": [metric], "behavior": {},
            },
        });
        let replicas = i32::try_from(pods).expect("a small count");
        let snapshot = template(&hpa, &Value::Null, &Value::Null, replicas);
        Self {
            snapshot: snapshot.expect("a snapshot"),
            load: Load {
                shape: Shape::Sine {
                    low: 240 * pods,
                    high: 360 * pods,
                    period: 3_600,
                },
                noise: Some(Noise::new(7, 10, DAY)),
            },
            model: Model {
                request: Some(500),
                ..Model::default()
            },
            pods: replicas,
        }
    }

    /// The same as a history has it: a value that stays until the next.
    fn sampled(mut self, seconds: i64) -> Self {
        let each = (0..seconds).step_by(15);
        let each = each.map(|second| (second, self.load.at(second)));
        self.load = Load::even(Shape::Steps(each.collect()));
        self
    }

    fn run(&self, seconds: i64) -> Scores {
        let settings = Settings::resolve(&self.snapshot, &Overrides::default());
        let spec = &self.snapshot.hpa.spec;
        let plan = Plan {
            snapshot: &self.snapshot,
            settings: &settings,
            lead: Driven {
                index: 0,
                load: &self.load,
                model: &self.model,
                capacity: Capacity::of(spec, &spec.metrics[0], self.model.request, &settings),
            },
            others: Vec::new(),
            replicas: self.pods,
            seconds,
        };
        let mut passes = 0;
        let scores = run(&plan, &mut |_| passes += 1).expect("a run");
        assert_eq!(passes, (seconds + 14) / 15);
        scores.scores
    }
}

fn goal_line(label: &str, value: f64, goal: f64) {
    println!(
        "{label:<46} {value:>12.3} {goal:>12.3} {:>6.2}",
        value / goal
    );
}

fn median<T>(times: usize, mut run: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..times)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
