//! What explaining costs on a live cluster: the whole process, from its start
//! to its end, over TLS and HTTP/2, beside `kubectl describe hpa` on the same
//! server.
//!
//! This process starts each program and waits for it; the server is a process
//! of its own, so that with two cores it takes nothing from the client.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "../tests/suite/support/apiserver/mod.rs"]
mod apiserver;
#[path = "live/cluster.rs"]
mod cluster;
#[path = "live/process.rs"]
mod process;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use cluster::Cluster;
use process::{Run, run};

/// The goals at a number of pods, and how often it is measured.
struct Size {
    pods: usize,
    runs: usize,
    wall_ms: f64,
    peak_mib: f64,
    /// Of the time that `kubectl describe hpa` takes.
    share: Option<f64>,
}

const SIZES: [Size; 3] = [
    Size {
        pods: 3,
        runs: 41,
        wall_ms: 15.0,
        peak_mib: 15.0,
        share: Some(0.3),
    },
    Size {
        pods: 500,
        runs: 21,
        wall_ms: 120.0,
        peak_mib: 25.0,
        share: None,
    },
    Size {
        pods: 10_000,
        runs: 9,
        wall_ms: 1_000.0,
        peak_mib: 40.0,
        share: None,
    },
];

/// How far away the server is where round trips are counted.
const ROUND_TRIP: Duration = Duration::from_millis(50);

const MOST_ROUND_TRIPS: f64 = 5.5;

/// Where one page holds the pods.
const MOST_REQUESTS: f64 = 12.0;

/// How many HPAs are listed, and how much longer that may take where they are
/// compared with another release.
const LISTED: usize = 1_000;

const MOST_COMPARED_MS: f64 = 2_000.0;

fn main() {
    if cluster::served() {
        return;
    }
    let kubectl = Command::new("kubectl").arg("help").output();
    kubectl.expect("kubectl on PATH, which ours is held against: install it from kubernetes.io");
    let home = tempfile::tempdir().expect("a home folder");
    println!(
        "{:<31} {:>8} {:>8} {:>6} {:>10} {:>10}",
        "median", "value", "goal", "ratio", "least", "most"
    );
    start_alone(home.path());
    for size in &SIZES {
        near(size, home.path());
    }
    far(home.path());
    listed(home.path());
    of_all(home.path());
    large(home.path());
    println!("\npeak: largest resident set of that process alone, as wait4 reports it");
}

/// The floor of every other figure.
fn start_alone(home: &Path) {
    let runs: Vec<Run> = (0..41)
        .map(|_| run(ours(home, Path::new("")).arg("--help"), &[]))
        .collect();
    row("--help, ms", &figures(&runs, wall_ms), None);
    row("--help, peak MiB", &figures(&runs, peak_mib), None);
}

/// Ours and kubectl by turns, so that both meet the same weather.
fn near(size: &Size, home: &Path) {
    let mut cluster = Cluster::start(1, size.pods, Duration::ZERO);
    let kubeconfig = cluster.kubeconfig().to_owned();
    let explain = || run(&mut explain(home, &kubeconfig), &explained(size.pods));
    let describe = || run(&mut describe(home, &kubeconfig), &described(size.pods));
    // The server's first answers are made, the later ones are only sent; and
    // kubectl's discovery is cached from here on.
    explain();
    describe();
    cluster.requests();
    explain();
    let requests = cluster.requests();

    let (ours, kubectls): (Vec<_>, Vec<_>) =
        (0..size.runs).map(|_| (explain(), describe())).unzip();
    cluster.stop();

    // Every page of 500 pods after the first is one more.
    let most_requests = MOST_REQUESTS + as_f64(size.pods.div_ceil(500) - 1);
    let label = |what: &str| format!("{} pods, {what}", size.pods);
    let wall = figures(&ours, wall_ms);
    row(&label("ms"), &wall, Some(size.wall_ms));
    row(&label("processor ms"), &figures(&ours, processor_ms), None);
    row(
        &label("peak MiB"),
        &figures(&ours, peak_mib),
        Some(size.peak_mib),
    );
    row(&label("requests"), &[as_f64(requests)], Some(most_requests));
    let theirs = figures(&kubectls, wall_ms);
    row(&label("kubectl describe ms"), &theirs, None);
    let share = median(&wall) / median(&theirs);
    row(&label("share of kubectl's"), &[share], size.share);
}

fn far(home: &Path) {
    let pods = SIZES[0].pods;
    let cluster = Cluster::start(1, pods, ROUND_TRIP);
    let kubeconfig = cluster.kubeconfig().to_owned();
    let explain = || run(&mut explain(home, &kubeconfig), &explained(pods));
    explain();
    let runs: Vec<Run> = (0..11).map(|_| explain()).collect();
    cluster.stop();
    let round_trips = figures(&runs, |run| wall_ms(run) / millis(ROUND_TRIP));
    row(
        &format!("{pods} pods, 50 ms away, round trips"),
        &round_trips,
        Some(MOST_ROUND_TRIPS),
    );
}

/// What an upgrade would change, of a thousand HPAs, beside what they do now.
fn listed(home: &Path) {
    let cluster = Cluster::start(LISTED, 10, Duration::ZERO);
    let kubeconfig = cluster.kubeconfig().to_owned();
    let list = |more: &[&str], expected: String| {
        let mut command = ours(home, &kubeconfig);
        command.args(["list", "-n", "shop"]).args(more);
        run(&mut command, &[expected])
    };
    let listed = || list(&[], format!("web-{}", LISTED - 1));
    let compared = || list(&["--compare-version", "1.38"], format!("{LISTED} stay"));
    listed();
    let (listed, compared): (Vec<_>, Vec<_>) = (0..9).map(|_| (listed(), compared())).unzip();
    cluster.stop();
    let (listed, compared) = (figures(&listed, wall_ms), figures(&compared, wall_ms));
    let label = |what: &str| format!("{LISTED} HPAs, {what}");
    row(&label("list ms"), &listed, None);
    row(
        &label("compared ms"),
        &compared,
        Some(median(&listed) + MOST_COMPARED_MS),
    );
}

/// What runs over all HPAs reads lists.
fn of_all(home: &Path) {
    let [list, flaps, capture] = [
        &["list"][..],
        &["flaps", "-o", "json"],
        &["capture", "--file", "-"],
    ];
    // Pods of each HPA, the command, and the most requests, ms and MiB.
    let rows = [
        (10, list, 80.0, 3_000.0, None),
        (10, flaps, 80.0, 3_000.0, None),
        (10, capture, 80.0, 3_000.0, None),
        (50, list, 150.0, 5_000.0, Some(64.0)),
        (50, flaps, 150.0, 5_000.0, None),
        (50, capture, 150.0, 5_000.0, None),
    ];
    for (pods, command, most_requests, most_ms, most_mib) in rows {
        let mut cluster = Cluster::start(LISTED, pods, Duration::ZERO);
        let kubeconfig = cluster.kubeconfig().to_owned();
        let all = || {
            let mut all = ours(home, &kubeconfig);
            all.args(command).arg("-A");
            run(&mut all, &[format!("web-{}", LISTED - 1)])
        };
        all();
        cluster.requests();
        all();
        let requests = cluster.requests();
        let runs: Vec<Run> = (0..5).map(|_| all()).collect();
        cluster.stop();
        let label = |what: &str| format!("{} -A, {} pods, {what}", command[0], LISTED * pods);
        row(&label("ms"), &figures(&runs, wall_ms), Some(most_ms));
        row(&label("requests"), &[as_f64(requests)], Some(most_requests));
        row(&label("peak MiB"), &figures(&runs, peak_mib), most_mib);
    }
}

/// What grows in a file.
fn large(home: &Path) {
    let calm = include_str!("../tests/flaps/calm/snapshot.yaml");
    let calm: Value = serde_yaml::from_str(calm).expect("a snapshot");
    let captured: Timestamp = calm["capturedAt"]
        .as_str()
        .and_then(|it| it.parse().ok())
        .expect("a time");
    let hpa = &calm["horizontalPodAutoscaler"];
    let manifest = |number: usize| {
        let mut manifest = json!({ "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler", "spec": hpa["spec"] });
        let name = format!("web-{number}");
        manifest["metadata"] = json!({ "name": name, "namespace": "shop" });
        manifest["spec"]["scaleTargetRef"]["name"] = json!(name);
        manifest.to_string() + "\n"
    };
    let manifests: String = (0..8_000).map(manifest).collect();
    let scaled_object = |number: usize| {
        let target = json!({ "name": format!("api-{number}") });
        let object = json!({ "apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject",
            "metadata": { "name": format!("api-{number}"), "namespace": "shop" },
            "spec": { "scaleTargetRef": target } });
        object.to_string() + "\n"
    };
    let beside: String = (0..8_000).map(scaled_object).collect();
    let names = || (0..10_000).map(|number| format!("m{number}"));
    let mut metrics = calm.clone();
    metrics["horizontalPodAutoscaler"]["spec"]["metrics"] = names()
        .map(|name| {
            let target = json!({ "type": "AverageValue", "averageValue": "10" });
            json!({ "type": "External", "external": { "metric": { "name": name }, "target": target } })
        })
        .collect();
    metrics["metrics"] = json!({ "external": names().map(|name| {
        let item = json!({ "metricName": name, "timestamp": calm["capturedAt"], "value": "25" });
        json!({ "metric": name, "response": { "items": [item] } })
    }).collect::<Vec<Value>>() });
    let mut memory = calm.clone();
    let recommendation = |number: i64| {
        let at = captured - SignedDuration::from_millis(number * 3);
        json!({ "replicas": 2 + number % 9, "timestamp": at.to_string() })
    };
    let recommendations: Vec<Value> = (0..100_000).map(recommendation).collect();
    memory["history"] = json!({ "recommendations": recommendations, "scaleUpEvents": [],
        "scaleDownEvents": [] });
    let rows = [
        (
            "lint, 8000 ScaledObjects too, ms",
            "lint -f",
            manifests.clone() + &beside,
            "",
            4_000.0,
        ),
        ("lint, 8000 HPAs, ms", "lint -f", manifests, "", 2_000.0),
        (
            "dry-run, 10000 metrics, ms",
            "dry-run web --snapshot",
            metrics.to_string(),
            "--set spec.maxReplicas=30",
            1_000.0,
        ),
        (
            "memory of 100000, ms",
            "web --snapshot",
            memory.to_string(),
            "",
            1_000.0,
        ),
    ];
    for (label, command, text, more, most_ms) in rows {
        let file = home.join("large.jsonl");
        std::fs::write(&file, text).expect("writable");
        let once = || {
            let mut once = ours(home, Path::new("/dev/null"));
            once.args(command.split(' '))
                .arg(&file)
                .args(more.split_whitespace());
            run(&mut once, &["web".to_owned()])
        };
        let runs: Vec<Run> = (0..5).map(|_| once()).collect();
        row(label, &figures(&runs, wall_ms), Some(most_ms));
    }
}

fn explain(home: &Path, kubeconfig: &Path) -> Command {
    let mut command = ours(home, kubeconfig);
    command.args(["web", "-n", "shop"]);
    command
}

/// Every pod is read and counted, and half as many again are asked for.
fn explained(pods: usize) -> Vec<String> {
    let wanted = (pods * 3).div_ceil(2);
    vec![
        format!("shop/web Deployment/web {pods} → "),
        format!("90% 60% (150m) 1.50 {pods} of {pods} {wanted} "),
        format!("{pods} selected, {pods} counted, none set aside"),
    ]
}

fn describe(home: &Path, kubeconfig: &Path) -> Command {
    let mut command = plain("kubectl".as_ref(), home, kubeconfig);
    command.args(["describe", "hpa", "web", "-n", "shop"]);
    command
}

fn described(pods: usize) -> Vec<String> {
    vec![format!("{pods} current / {pods} desired")]
}

fn ours(home: &Path, kubeconfig: &Path) -> Command {
    let program = env!("CARGO_BIN_EXE_kubectl-hpa_explain");
    plain(program.as_ref(), home, kubeconfig)
}

/// A program in an environment that holds no more than it needs.
fn plain(program: &Path, home: &Path, kubeconfig: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", home)
        .env("KUBECONFIG", kubeconfig)
        .env("TZ", "UTC");
    command
}

fn row(label: &str, values: &[f64], goal: Option<f64>) {
    let value = median(values);
    let goal_text = goal.map_or_else(String::new, |goal| format!("{goal:.1}"));
    let ratio = goal.map_or_else(String::new, |goal| format!("{:.2}", value / goal));
    let (least, most) = match values {
        [_] => (String::new(), String::new()),
        [first, .., last] => (format!("{first:.2}"), format!("{last:.2}")),
        [] => panic!("{label}: nothing was measured"),
    };
    println!("{label:<31} {value:>8.2} {goal_text:>8} {ratio:>6} {least:>10} {most:>10}");
}

/// One figure of every run, in order of size.
fn figures(runs: &[Run], figure: impl Fn(&Run) -> f64) -> Vec<f64> {
    let mut figures: Vec<f64> = runs.iter().map(figure).collect();
    figures.sort_unstable_by(f64::total_cmp);
    figures
}

fn median(sorted: &[f64]) -> f64 {
    sorted[sorted.len() / 2]
}

fn wall_ms(run: &Run) -> f64 {
    millis(run.wall)
}

fn processor_ms(run: &Run) -> f64 {
    millis(run.processor)
}

fn peak_mib(run: &Run) -> f64 {
    as_f64(usize::try_from(run.peak >> 10).expect("a small program")) / 1_024.0
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn as_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("a small count"))
}
