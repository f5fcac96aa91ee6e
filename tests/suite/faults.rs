//! What goes wrong between the tool and a cluster, and what a person is told
//! then: the real binary, one golden file a fault.
//!
//! `UPDATE_GOLDEN=1 cargo test --test suite faults::` writes the files anew.

use crate::support::golden::Goldens;
use crate::support::interrupt::interrupted;

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::apiserver::{ApiServer, Fault, list_document};
use serde_json::{Value, json};

/// What one run said.
#[derive(Debug, PartialEq)]
struct Said {
    text: String,
    took: Duration,
}

fn run(server: &ApiServer, kubeconfig: &Path, arguments: &[&str]) -> Said {
    let started = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .env_clear()
        .env("KUBECONFIG", kubeconfig)
        .env("TZ", "UTC")
        .output()
        .expect("the binary runs");
    let took = started.elapsed();
    let stdout = String::from_utf8(output.stdout).expect("text");
    let stderr = String::from_utf8(output.stderr).expect("text");
    // The recording is of another day, and each server has a port of its own.
    let is_of_the_clock = |line: &&str| line.starts_with("warning: this machine's clock is ");
    let lines = stderr.split_inclusive('\n');
    let stderr: String = lines.filter(|line| !is_of_the_clock(line)).collect();
    let address = server.address().to_string();
    let text = format!(
        "$ kubectl hpa-explain {}\n--- stdout\n{stdout}--- stderr\n{stderr}--- exit code {}\n",
        arguments.join(" "),
        output.status.code().expect("an exit code"),
    );
    Said {
        text: without_seconds(text.replace(&address, "SERVER")),
        took,
    }
}

/// The time goes on while an answer is waited for, a little more or less.
fn without_seconds(text: String) -> String {
    (1..=9).fold(text, |text, second| {
        text.replace(&format!("08:02:2{second} UTC"), "08:02:2x UTC")
            .replace(&format!("2m1{second}s ago"), "2m1xs ago")
            .replace(&format!("samples {second}s old"), "samples xs old")
    })
}

/// A fault of a path, and what shows it.
struct Row {
    name: &'static str,
    path: &'static str,
    fault: Fault,
    arguments: &'static [&'static str],
    /// It must be over by then, on a machine that does something else, too.
    within: Duration,
}

const HPAS: &str = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers";
/// The list alone, without the HPAs beneath it.
const LIST: &str = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers$";
const HPA: &str = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web$";
const SCALE: &str = "/apis/apps/v1/namespaces/shop/deployments/web/scale";
const PODS: &str = "/api/v1/namespaces/shop/pods";
const POD_METRICS: &str = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods";
const CUSTOM: &str = "/apis/custom.metrics.k8s.io/v1beta2";
const EXTERNAL: &str = "/apis/external.metrics.k8s.io/v1beta1";

/// Longer than any row may take.
const HANGS: Duration = Duration::from_secs(60);
const SOON: Duration = Duration::from_secs(40);

/// What is beside a pass is waited for only a moment, which a machine that
/// does something else can miss: how often it may.
const MISSES: usize = 10;

fn row(name: &'static str, path: &'static str, fault: Fault) -> Row {
    Row {
        name,
        path,
        fault,
        arguments: &[],
        within: SOON,
    }
}

/// A row that waits for its deadline.
fn slow(name: &'static str, path: &'static str, fault: Fault) -> Row {
    Row {
        arguments: &["--request-timeout", "3s"],
        ..row(name, path, fault)
    }
}

fn rows() -> Vec<Row> {
    [
        fatal(),
        met_by_the_controller(),
        ours_alone(),
        beside(),
        hostile(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn busy() -> Fault {
    Fault::TooManyRequests {
        times: 100,
        retry_after: 1,
    }
}

/// Nothing but the HPA itself is fatal.
fn fatal() -> Vec<Row> {
    vec![
        row("hpa-401", "/apis/autoscaling", Fault::Status(401)),
        row("hpa-403", "/apis/autoscaling", Fault::Status(403)),
        row("hpa-404", "/apis/autoscaling", Fault::Status(404)),
        row("hpa-429", "/apis/autoscaling", busy()),
        row("hpa-500", "/apis/autoscaling", Fault::Status(500)),
        row("hpa-503", "/apis/autoscaling", Fault::Status(503)),
        row("hpa-truncated", "/apis/autoscaling", Fault::Truncated),
        slow("hpa-late", "/apis/autoscaling", Fault::Latency(HANGS)),
        slow(
            "hpa-slow",
            "/apis/autoscaling",
            Fault::Trickle(Duration::from_millis(100)),
        ),
    ]
}

/// What the controller would meet, too.
fn met_by_the_controller() -> Vec<Row> {
    vec![
        row("scale-404", SCALE, Fault::Status(404)),
        row("scale-500", SCALE, Fault::Status(500)),
        row("scale-503", SCALE, Fault::Text(503)),
        slow("scale-late", SCALE, Fault::Latency(HANGS)),
        row("metrics-404", POD_METRICS, Fault::Text(404)),
        row("metrics-429", POD_METRICS, busy()),
        row(
            "metrics-429-for-ever",
            POD_METRICS,
            Fault::TooManyRequests {
                times: 100,
                retry_after: u64::MAX,
            },
        ),
        row("metrics-500", POD_METRICS, Fault::Status(500)),
        row("metrics-503", POD_METRICS, Fault::Text(503)),
        slow("metrics-late", POD_METRICS, Fault::Latency(HANGS)),
        slow(
            "metrics-slow",
            POD_METRICS,
            Fault::Trickle(Duration::from_millis(100)),
        ),
        row(
            "metrics-group-missing",
            "/apis/metrics.k8s.io",
            Fault::MissingGroup,
        ),
        row("custom-503", CUSTOM, Fault::Text(503)),
        row(
            "custom-group-missing",
            "/apis/custom.metrics.k8s.io",
            Fault::MissingGroup,
        ),
        row("external-404", EXTERNAL, Fault::Status(404)),
        row("external-503", EXTERNAL, Fault::Status(503)),
        row(
            "external-group-missing",
            "/apis/external.metrics.k8s.io",
            Fault::MissingGroup,
        ),
    ]
}

/// What is ours alone.
fn ours_alone() -> Vec<Row> {
    vec![
        row("scale-401", SCALE, Fault::Status(401)),
        row("scale-403", SCALE, Fault::Status(403)),
        row("scale-truncated", SCALE, Fault::Truncated),
        row("scale-403-proxy", SCALE, Fault::Text(403)),
        row("pods-401", PODS, Fault::Status(401)),
        row("pods-403", PODS, Fault::Status(403)),
        row("pods-500", PODS, Fault::Status(500)),
        row("pods-truncated", PODS, Fault::Truncated),
        slow("pods-late", PODS, Fault::Latency(HANGS)),
        row("metrics-401", POD_METRICS, Fault::Status(401)),
        row("metrics-403", POD_METRICS, Fault::Status(403)),
        row("metrics-truncated", POD_METRICS, Fault::Truncated),
        row("custom-403", CUSTOM, Fault::Status(403)),
        row("external-403", EXTERNAL, Fault::Status(403)),
    ]
}

/// What a pass can be computed without.
fn beside() -> Vec<Row> {
    vec![
        row("version-403", "/version", Fault::Status(403)),
        row(
            "stateful-sets-late",
            "/apis/apps/v1/namespaces/shop/statefulsets$",
            Fault::Latency(HANGS),
        ),
        row("version-late", "/version", Fault::Latency(HANGS)),
        row(
            "flags-403",
            "/api/v1/namespaces/kube-system",
            Fault::Status(403),
        ),
        row("lease-403", "/apis/coordination.k8s.io", Fault::Status(403)),
        row("others-403", LIST, Fault::Status(403)),
        row(
            "workloads-403",
            "/apis/apps/v1/namespaces/shop/deployments$",
            Fault::Status(403),
        ),
        row(
            "events-403",
            "/api/v1/namespaces/shop/events",
            Fault::Status(403),
        ),
        row(
            "replicasets-403",
            "/apis/apps/v1/namespaces/shop/replicasets",
            Fault::Status(403),
        ),
        row(
            "flags-late",
            "/api/v1/namespaces/kube-system",
            Fault::Latency(HANGS),
        ),
        row(
            "lease-late",
            "/apis/coordination.k8s.io",
            Fault::Latency(HANGS),
        ),
        row("others-late", LIST, Fault::Latency(HANGS)),
        row(
            "events-late",
            "/api/v1/namespaces/shop/events",
            Fault::Latency(HANGS),
        ),
        row(
            "replicasets-late",
            "/apis/apps/v1/namespaces/shop/replicasets",
            Fault::Latency(HANGS),
        ),
        row(
            "warning",
            HPAS,
            Fault::Warning("autoscaling/v2 is \u{1b}[31mold".to_owned()),
        ),
    ]
}

/// What no server would answer.
fn hostile() -> Vec<Row> {
    let secret = r#"{"kind":"Secret","apiVersion":"v1","metadata":{"name":"web"}}"#;
    let elsewhere = Fault::Redirect("https://elsewhere.example/");
    vec![
        row("hpa-endless", HPA, Fault::Endless),
        row("hpa-bomb", HPA, Fault::Bomb),
        row("hpa-redirect", HPA, elsewhere.clone()),
        row("hpa-secret", HPA, Fault::Instead(secret)),
        row("hpa-gone", HPA, Fault::Gone),
        row("scale-endless", SCALE, Fault::Endless),
        row("scale-redirect", SCALE, elsewhere.clone()),
        row("scale-secret", SCALE, Fault::Instead(secret)),
        row("pods-endless", PODS, Fault::Endless),
        row("pods-bomb", PODS, Fault::Bomb),
        row("pods-redirect", PODS, elsewhere.clone()),
        row("pods-secret", PODS, Fault::Instead(secret)),
        row("pods-empty-pages", PODS, Fault::EmptyPages),
        row("pods-gone", PODS, Fault::Gone),
        row("metrics-endless", POD_METRICS, Fault::Endless),
        row("metrics-bomb", POD_METRICS, Fault::Bomb),
        row("metrics-redirect", POD_METRICS, elsewhere),
        row("metrics-secret", POD_METRICS, Fault::Instead(secret)),
        row("everything-secret", "/", Fault::Instead(secret)),
    ]
}

/// A run that waited for everything, unless the fault is that it cannot.
fn in_time(may_be_late: bool, run: impl Fn() -> Said) -> Said {
    let mut said = run();
    for _ in 0..MISSES {
        if may_be_late || !said.text.contains("not waited for") {
            break;
        }
        said = run();
    }
    said
}

#[test]
fn every_fault_is_told_as_what_it_is() {
    let rows = rows();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    let mut goldens = Goldens::default();
    // They wait far more than they work.
    let said: Vec<(&str, String)> = thread::scope(|scope| {
        let parts = rows.chunks(rows.len().div_ceil(4));
        let parts: Vec<_> = parts.map(|rows| scope.spawn(|| told(rows))).collect();
        let parts = parts.into_iter();
        parts.flat_map(|it| it.join().expect("told")).collect()
    });
    for (name, text) in &said {
        goldens.check(&folder.join(format!("{name}.txt")), text);
    }
    assert_eq!((rows.len(), said.len()), (74, 74 + 4));
}

/// What is said of each fault by its name, and of none.
fn told(rows: &[Row]) -> Vec<(&'static str, String)> {
    let server = ApiServer::replay("steady")
        .https()
        .at_a_standstill()
        .start();
    let kubeconfig = server.kubeconfig();
    let healthy = in_time(false, || run(&server, &kubeconfig, &["web", "-n", "shop"]));
    let mut told = vec![("healthy", healthy.text.clone())];
    for row in rows {
        let arguments = [&["web", "-n", "shop"], row.arguments].concat();
        let fault = server.fault(row.path, row.fault.clone());
        let said = in_time(row.name.ends_with("-late"), || {
            run(&server, &kubeconfig, &arguments)
        });
        server.lift(fault);
        assert!(said.took < row.within, "{}: {:?}", row.name, said.took);
        assert_ne!(said.text, healthy.text, "{} shows nothing", row.name);
        let again = in_time(false, || run(&server, &kubeconfig, &["web", "-n", "shop"]));
        assert_eq!(again.text, healthy.text, "{}", row.name);
        told.push((row.name, said.text));
    }
    told
}

/// What runs over all HPAs goes on without what it lacks, and says so.
#[test]
fn what_many_hpas_lack_is_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    let server = ApiServer::replay("steady").at_a_standstill().start();
    let kubeconfig = server.kubeconfig();
    let lists = [("pods", PODS), ("events", "/api/v1/events")];
    let commands: [&[&str]; 3] = [
        &["list", "-A"],
        &["flaps", "-A"],
        &["capture", "-A", "-o", "json"],
    ];
    let mut goldens = Goldens::default();
    for (list, path) in lists {
        let fault = server.fault(path, Fault::Truncated);
        for arguments in commands {
            let mut text = run(&server, &kubeconfig, arguments).text;
            if arguments[0] == "capture" {
                let from = text.find("--- stderr").expect("a part");
                text.drain(..from);
            }
            let name = format!("{}-without-{list}.txt", arguments[0]);
            goldens.check(&folder.join(name), &text);
        }
        server.lift(fault);
    }
    assert_eq!(lists.len() * commands.len(), 6);
}

/// Plain HTTP is version 1.1; what is encrypted above is 2.
#[test]
fn over_the_older_http_they_are_told_alike() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    let server = ApiServer::replay("steady").at_a_standstill().start();
    let kubeconfig = server.kubeconfig();
    let rows = hostile();
    for row in &rows {
        let fault = server.fault(row.path, row.fault.clone());
        let said = in_time(false, || run(&server, &kubeconfig, &["web", "-n", "shop"]));
        server.lift(fault);
        assert!(said.took < row.within, "{}: {:?}", row.name, said.took);
        let file = std::fs::read_to_string(folder.join(format!("{}.txt", row.name)));
        let told = file
            .expect("a file")
            .replace("https://SERVER", "http://SERVER");
        assert_eq!(said.text, told, "{}", row.name);
    }
    assert_eq!(rows.len(), 19);
}

/// What was read by then is the answer, and that it is no more is said.
#[test]
fn an_interrupt_leaves_what_was_read() {
    let rows = [
        ("list", PODS, "web"),
        ("flaps", PODS, "10 HPAs: 1 stuck, 6 unknown, 3 calm"),
        // Of the metrics that take a request each, some come.
        ("list --full", EXTERNAL, "keda-hpa-worker"),
        // Without the HPAs, there is nothing.
        ("list", "/apis/autoscaling", ""),
    ];
    for (command, path, shows) in rows {
        let server = ApiServer::replay("steady").at_a_standstill().start();
        let kubeconfig = server.kubeconfig();
        server.fault(path, Fault::Latency(HANGS));
        let mut program = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"));
        let args = program.args(command.split(' ')).args(["-n", "shop"]);
        let run = args.env_clear().env("KUBECONFIG", kubeconfig);
        let is_asked = || server.log().iter().any(|it| it.path().starts_with(path));
        // Whatever is asked beside it comes in this time.
        let output = interrupted(run, is_asked, Duration::from_millis(500));
        assert_eq!(output.status.code(), Some(130), "{command}");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(shows), "{command}: {text}");
        assert_eq!(text.is_empty(), shows.is_empty(), "{command}: {text}");
        let said = String::from_utf8_lossy(&output.stderr);
        let is_said = if shows.is_empty() {
            "interrupted: too little was read before for an answer"
        } else {
            "interrupted: the output has only what was read before"
        };
        assert!(said.contains(is_said), "{command}: {said}");
    }
    assert_eq!(rows.len(), 4);
}

/// Faults that HTTP itself provides for leave no trace.
#[test]
fn what_can_be_mended_is_mended() {
    let server = ApiServer::replay("steady")
        .https()
        .at_a_standstill()
        .start();
    let kubeconfig = server.kubeconfig();
    let arguments = ["web", "-n", "shop"];
    let healthy = in_time(false, || run(&server, &kubeconfig, &arguments)).text;
    let once = || Fault::TooManyRequests {
        times: 1,
        retry_after: 1,
    };
    let rows = [
        ("/", Fault::Gzip),
        (
            "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web$",
            once(),
        ),
        (SCALE, once()),
        (PODS, once()),
        (POD_METRICS, once()),
    ];
    for (path, fault) in &rows {
        server.forget_log();
        let id = server.fault(path, fault.clone());
        let said = in_time(false, || run(&server, &kubeconfig, &arguments));
        server.lift(id);
        assert_eq!(said.text, healthy, "{path}: {fault:?}");
        let log = server.log();
        if let Fault::TooManyRequests { .. } = fault {
            let path = path.trim_end_matches('$');
            let asked = log.iter().filter(|entry| entry.path() == path);
            let statuses: Vec<u16> = asked.map(|entry| entry.status).collect();
            assert!(statuses.starts_with(&[429, 200]), "{path}: {statuses:?}");
        } else {
            let mut encodings = log.iter().map(|entry| entry.header("accept-encoding"));
            assert!(encodings.len() > 5 && encodings.all(|encoding| encoding == "gzip"));
        }
    }
    assert_eq!(rows.len(), 5);
}

/// A list that outlives its continue token is read on with a newer one.
#[test]
fn pages_outlive_their_token() {
    let pods: Vec<Value> = (0..1200).map(pod).collect();
    let samples: Vec<Value> = (0..1200).map(sample).collect();
    let server = ApiServer::replay("steady")
        .https()
        .at_a_standstill()
        .put(PODS, &list_document("PodList", "v1", &pods))
        .put(
            POD_METRICS,
            &list_document("PodMetricsList", "metrics.k8s.io/v1beta1", &samples),
        )
        .start();
    let kubeconfig = server.kubeconfig();
    let arguments = ["canary", "-n", "shop"];
    let healthy = in_time(false, || run(&server, &kubeconfig, &arguments)).text;
    assert!(healthy.contains("1200 of 1200"), "{healthy}");
    server.forget_log();
    server.fault(PODS, Fault::ExpiredContinue);
    let said = in_time(false, || run(&server, &kubeconfig, &arguments));
    assert_eq!(said.text, healthy);
    let expired = server.log();
    let expired = expired.iter().filter(|entry| entry.status == 410).count();
    assert!(expired > 0, "{expired}");
}

fn pod(number: usize) -> Value {
    json!({
        "metadata": {
            "name": format!("canary-{number:04}"),
            "namespace": "shop",
            "labels": {"app": "canary"},
        },
        "spec": {"containers": [{
            "name": "app",
            "resources": {"requests": {"cpu": "100m"}},
        }]},
        "status": {
            "phase": "Running",
            "startTime": "2026-11-20T06:00:00Z",
            "conditions": [{
                "type": "Ready",
                "status": "True",
                "lastTransitionTime": "2026-11-20T06:01:00Z",
            }],
        },
    })
}

fn sample(number: usize) -> Value {
    json!({
        "metadata": {
            "name": format!("canary-{number:04}"),
            "namespace": "shop",
            "labels": {"app": "canary"},
        },
        "timestamp": "2026-11-20T08:02:10Z",
        "window": "15s",
        "containers": [{"name": "app", "usage": {"cpu": "50m", "memory": "10Mi"}}],
    })
}
