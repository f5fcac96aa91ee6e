//! What history from a Prometheus costs: the whole process, beside its goals. The
//! Prometheus is a process of its own that makes its series up as it answers.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[allow(
    dead_code,
    reason = "of a played Prometheus, only its selectors are used"
)]
#[path = "../tests/suite/support/prometheus.rs"]
mod prometheus;

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::net::TcpListener;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use wait4::Wait4;

/// The first argument of the process that is the server.
const ROLE: &str = "serve";

/// Scrapes lie so many seconds apart.
const APART: i64 = 15;

/// The HPA that the made-up ones are like, `soak/s3`.
const LIKE: usize = 2;

/// The most pods that it has.
const PODS: i64 = 50;

/// How the names of HPAs begin that always have more than they need, as their lower
/// bound says.
const TOO_MANY: char = 't';

/// How many pods those have.
const FEW_PODS: i64 = 10;

/// A run, of so many HPAs, and what it may take.
struct Row {
    command: &'static str,
    autoscalers: usize,
    requests: usize,
    seconds: f64,
    mib: f64,
}

const fn day(command: &'static str) -> Row {
    Row {
        command,
        autoscalers: 1,
        requests: 12,
        seconds: 3.0,
        mib: 64.0,
    }
}

const ROWS: [Row; 7] = [
    day("s3 --at -1h"),
    day("s3 --since -22h"),
    day("flaps s3 --for 24h"),
    day("simulate s3 --load history --for 24h"),
    day("record s3 --for 24h --file KEPT"),
    Row {
        command: "flaps -A --for 14d",
        autoscalers: 200,
        requests: 400,
        seconds: 300.0,
        mib: 256.0,
    },
    Row {
        command: "tune -A --for 24h --exit-code",
        autoscalers: 200,
        requests: 800,
        seconds: 300.0,
        mib: 64.0,
    },
];

fn main() {
    if env::args().nth(1).is_some_and(|role| role == ROLE) {
        return serve();
    }
    let bench = env::current_exe().expect("the benchmark's own path");
    let mut server = Command::new(bench)
        .arg(ROLE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut said = BufReader::new(server.stdout.take().expect("piped"));
    let mut address = String::new();
    said.read_line(&mut address).expect("an address");
    let home = tempfile::tempdir().expect("a home folder");
    println!(
        "{:<38} {:>5} {:>8} {:>5} {:>6} {:>5} {:>6} {:>7} {:>5} {:>6} {:>4}",
        "command",
        "HPAs",
        "requests",
        "goal",
        "cpu s",
        "goal",
        "ratio",
        "MiB",
        "goal",
        "ratio",
        "exit"
    );
    for row in &ROWS {
        measure(row, home.path(), address.trim_end());
    }
    server.kill().expect("the server ends");
    server.wait().expect("the server ends");
}

/// Runs it, and prints what it took; the server's time is not in its own.
fn measure(row: &Row, home: &Path, address: &str) {
    let snapshots = home.join("snapshots.jsonl");
    let begins = if row.command.starts_with("tune") {
        TOO_MANY
    } else {
        'w'
    };
    written(&snapshots, row.autoscalers, begins);
    let arguments = row.command.split(' ').map(|word| match word {
        "KEPT" => home.join("kept").into_os_string(),
        word => word.into(),
    });
    let began = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .arg("--snapshot")
        .arg(&snapshots)
        .args([
            "--prometheus",
            address,
            "--show-requests",
            "--request-timeout",
            "10m",
        ])
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut said = String::new();
    let mut errors = child.stderr.take().expect("piped");
    errors.read_to_string(&mut said).expect("text");
    let used = child.wait4().expect("it ends");
    let requests = said.lines().filter(|line| line.starts_with("GET ")).count();
    let seconds = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    let peak = u32::try_from(used.rusage.maxrss >> 10).expect("a small program");
    let mib = f64::from(peak) / 1_024.0;
    let code = used.status.code();
    let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    // Refusals would be fast.
    if row.command.ends_with("--exit-code") {
        assert_eq!(code, "3", "a change pays");
    }
    println!(
        "{:<38} {:>5} {requests:>8} {:>5} {seconds:>6.2} {:>5.0} {:>6.2} {mib:>7.1} {:>5.0} {:>6.2} {code:>4}  ({:.1} s with the server's)",
        row.command,
        row.autoscalers,
        row.requests,
        row.seconds,
        seconds / row.seconds,
        row.mib,
        mib / row.mib,
        began.elapsed().as_secs_f64(),
    );
}

/// Writes so many HPAs, all like the one; others than it begin with a letter.
fn written(path: &Path, autoscalers: usize, begins: char) {
    let like = prometheus::unpacked("snapshots.jsonl.gz");
    let like = like.lines().nth(LIKE).expect("an HPA");
    let mut like: Value = serde_json::from_str(like).expect("a snapshot");
    // What a history tells of is not cut off by an edit.
    let long_ago: Value = "2026-10-01T00:00:00Z".into();
    let metadata = &mut like["horizontalPodAutoscaler"]["metadata"];
    metadata["creationTimestamp"] = long_ago.clone();
    for entry in metadata["managedFields"]
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        entry["time"] = long_ago.clone();
    }
    let mut file = BufWriter::new(File::create(path).expect("writable"));
    for number in 0..autoscalers {
        if number > 0 {
            let name: Value = format!("{begins}{number}").into();
            let hpa = &mut like["horizontalPodAutoscaler"];
            if begins == TOO_MANY {
                hpa["spec"]["minReplicas"] = FEW_PODS.into();
                hpa["spec"]["maxReplicas"] = 60.into();
            }
            hpa["metadata"]["name"] = name.clone();
            hpa["spec"]["scaleTargetRef"]["name"] = name;
        }
        writeln!(file, "{like}").expect("writable");
    }
    file.flush().expect("writable");
}

/// The server's side: says where it is, and answers until it is ended.
fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    println!("http://{}", listener.local_addr().expect("an address"));
    for mut stream in listener.incoming().flatten() {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head);
        let line = head.lines().next().unwrap_or_default();
        // Who asks may be gone.
        _ = reply(&mut stream, &body(line));
    }
}

fn reply(stream: &mut impl Write, body: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The answer to a request, such as `GET /api/v1/query?…`.
fn body(request: &str) -> String {
    let (_, query) = request.split_once('?').unwrap_or_default();
    let query = query.split(' ').next().unwrap_or_default();
    let query: BTreeMap<_, _> = form_urlencoded::parse(query.as_bytes()).collect();
    let Some((selector, range)) = query.get("query").and_then(|it| it.rsplit_once('[')) else {
        return r#"{"status":"success","data":{"resultType":"vector","result":[]}}"#.to_owned();
    };
    let until: f64 = query["time"].parse().expect("a time");
    let range = range.strip_suffix("ms]").expect("milliseconds");
    let range: i64 = range.parse().expect("a number");
    #[expect(clippy::cast_possible_truncation)]
    let until = until as i64;
    let times = (until - range / 1_000).div_euclid(APART) + 1..=until.div_euclid(APART);
    let matchers = prometheus::matchers(selector);
    let selected = all(selector).into_iter().filter(|(labels, _)| {
        let mut matchers = matchers.iter();
        matchers.all(|(name, is_it)| is_it(labels.get(name).map_or("", String::as_str)))
    });
    let series = selected.map(|(labels, value)| scraped(&labels, times.clone(), value));
    let result = series.collect::<Vec<_>>().join(",");
    format!(r#"{{"status":"success","data":{{"resultType":"matrix","result":[{result}]}}}}"#)
}

fn scraped(labels: &BTreeMap<String, String>, times: RangeInclusive<i64>, value: Shape) -> String {
    let mut text = format!(r#"{{"metric":{},"values":["#, json!(labels));
    for (place, scrape) in times.enumerate() {
        let comma = if place == 0 { "" } else { "," };
        let (at, value) = (scrape * APART, value(scrape * APART));
        write!(text, r#"{comma}[{at}.55,"{value}"]"#).expect("memory");
    }
    text + "]}"
}

/// What a series has at a moment.
type Shape = fn(i64) -> f64;

/// The size: another one each ten minutes.
fn size(at: i64) -> f64 {
    whole(PODS - 20 + at.div_euclid(600).rem_euclid(21))
}

fn whole(number: i64) -> f64 {
    f64::from(i32::try_from(number).unwrap_or(i32::MAX))
}

/// What differs between HPAs.
struct Played {
    least: Shape,
    size: Shape,
    /// The size of the last scrape.
    before: Shape,
    /// What pods use, by the kind of the target.
    used: [(&'static str, Shape); 2],
}

impl Played {
    fn of(name: &str) -> Self {
        if name.starts_with(TOO_MANY) {
            return Self {
                least: |_| whole(FEW_PODS),
                size: |_| whole(FEW_PODS),
                before: |_| whole(FEW_PODS),
                used: [
                    ("utilization", |at| whole(15 + at / 600 % 20)),
                    ("average", |at| whole(15 + at / 600 % 20) / 1_000.0),
                ],
            };
        }
        Self {
            least: |_| 2.0,
            size,
            before: |at| size(at - APART),
            used: [
                ("utilization", |at| whole(40 + at / APART % 20)),
                ("average", |at| whole(40 + at / APART % 20) / 1_000.0),
            ],
        }
    }
}

/// All series of the HPA that a selector is of, or of its target.
fn all(selector: &str) -> Vec<(BTreeMap<String, String>, Shape)> {
    let labels = [
        "horizontalpodautoscaler=\"",
        "deployment=\"",
        "owner_name=\"",
        "pod=~\"(",
    ];
    let mut behind = labels.iter().filter_map(|label| selector.split_once(label));
    let (_, name) = behind.next().expect("whose series");
    let name = name.split(['"', '-']).next().unwrap_or_default();
    let mut all: Vec<(BTreeMap<String, String>, Shape)> = Vec::new();
    let mut add = |family: &str, labels: Value, value: Shape| {
        let mut own = BTreeMap::from([
            ("__name__".to_owned(), family.to_owned()),
            ("namespace".to_owned(), "soak".to_owned()),
            ("instance".to_owned(), "10.0.0.1:8080".to_owned()),
        ]);
        let labels: BTreeMap<String, String> = serde_json::from_value(labels).expect("labels");
        own.extend(labels);
        all.push((own, value));
    };
    let of_hpa = |family: &str| format!("kube_horizontalpodautoscaler_{family}");
    let hpa = json!({"horizontalpodautoscaler": name});
    let Played {
        least,
        size,
        before,
        used,
    } = Played::of(name);
    add(&of_hpa("spec_min_replicas"), hpa.clone(), least);
    add(&of_hpa("spec_max_replicas"), hpa.clone(), |_| 60.0);
    add(&of_hpa("status_current_replicas"), hpa.clone(), before);
    add(&of_hpa("status_desired_replicas"), hpa.clone(), size);
    for (kind, value) in used {
        let metric = json!({"horizontalpodautoscaler": name, "metric_name": "cpu",
            "metric_target_type": kind});
        add(&of_hpa("status_target_metric"), metric.clone(), value);
        if kind == "utilization" {
            add(&of_hpa("spec_target_metric"), metric, |_| 50.0);
        }
    }
    for (condition, holds) in [
        ("AbleToScale", "true"),
        ("ScalingActive", "true"),
        ("ScalingLimited", "false"),
    ] {
        for status in ["true", "false", "unknown"] {
            let labels = json!({"horizontalpodautoscaler": name, "condition": condition,
                "status": status});
            let value: Shape = if status == holds { |_| 1.0 } else { |_| 0.0 };
            add(&of_hpa("status_condition"), labels, value);
        }
    }
    for family in [
        "kube_deployment_spec_replicas",
        "kube_deployment_status_replicas",
    ] {
        add(family, json!({"deployment": name}), size);
    }
    let set = format!("{name}-abc12");
    let owner = json!({"replicaset": set, "owner_kind": "Deployment", "owner_name": name});
    add("kube_replicaset_owner", owner, |_| 1.0);
    let pods = if name.starts_with(TOO_MANY) {
        FEW_PODS
    } else {
        PODS
    };
    for pod in 0..pods {
        let pod = format!("{set}-{pod:05}");
        let born: Shape = |_| 1_790_000_000.0;
        for family in ["created", "start_time", "status_ready_time"] {
            add(&format!("kube_pod_{family}"), json!({"pod": pod}), born);
        }
        let owner = json!({"pod": pod, "owner_kind": "ReplicaSet", "owner_name": set});
        add("kube_pod_owner", owner, |_| 1.0);
        add(
            "kube_pod_status_ready",
            json!({"pod": pod, "condition": "true"}),
            |_| 1.0,
        );
        for phase in ["Pending", "Running", "Succeeded", "Failed", "Unknown"] {
            let value: Shape = if phase == "Running" { |_| 1.0 } else { |_| 0.0 };
            add(
                "kube_pod_status_phase",
                json!({"pod": pod, "phase": phase}),
                value,
            );
        }
        for resource in ["cpu", "memory"] {
            let labels = json!({"pod": pod, "container": "app", "resource": resource});
            add("kube_pod_container_resource_requests", labels, |_| 0.1);
        }
    }
    all
}
