//! What a real Prometheus saw of a real controller, held against that
//! controller's log, and what servers answer that are in trouble. Nothing here
//! needs a server: `tests/prometheus` has the answers.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::{Observer, Scrapes, moves};
use hpa_explain::trace::SizeChange;
use jiff::Timestamp;
use rustls::{ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::support::apiserver::{Certificate, Pki, list_document};
use crate::support::binary::{run, stderr, stdout};
use crate::support::prometheus::{Stored, unpacked};

fn snapshots() -> Vec<Snapshot> {
    let documents = read_documents(&unpacked("snapshots.jsonl.gz")).into_iter();
    let snapshots = documents.map(|it| it.snapshot.expect("a snapshot"));
    snapshots.collect()
}

/// A rescale that the controller logged.
struct Rescale {
    at: Timestamp,
    sizes: (i32, i32),
}

/// Those of an HPA since the HPAs of the recording were created.
fn rescales(name: &str, until: Timestamp) -> Vec<Rescale> {
    let begin: Timestamp = "2026-11-22T19:48:45Z".parse().expect("a time");
    let log = unpacked("rescaled.log.gz");
    let own = format!("HPA=\"soak/{name}\" ");
    let lines = log.lines().filter(|line| line.contains(&own));
    let rescales = lines.map(|line| {
        let number = |field: &str| -> i32 {
            let (_, rest) = line.split_once(field).expect(field);
            let digits = rest.split(' ').next().expect("a number");
            digits.parse().expect("a number")
        };
        let time = line.split(' ').nth(1).expect("a time");
        Rescale {
            at: format!("2026-11-22T{time}Z").parse().expect("a time"),
            sizes: (number("currentReplicas="), number("desiredReplicas=")),
        }
    });
    let in_time = rescales.filter(|it| it.at >= begin && it.at <= until);
    in_time.collect()
}

/// What the scrapes tell of the size of an HPA.
fn changes(snapshot: &Snapshot, server: &Stored) -> Vec<SizeChange> {
    let hpa = &snapshot.hpa;
    let series = server.series(&hpa.metadata.name, snapshot.captured_at, false);
    let mut observer = Observer::default();
    observer.read_scrapes(Scrapes::new(hpa, &series, &[], true).expect("scrapes"));
    let settings = Settings::resolve(snapshot, &Overrides::default());
    moves(snapshot, &settings, snapshot.captured_at, &observer).known
}

fn has_moment(change: &SizeChange, at: Timestamp) -> bool {
    change.from <= at && at <= change.to
}

/// How many rescales there were, how many are told as such with their sizes,
/// how many lie within a change that nobody is named for, and how many are
/// missing, for a change back came before the next scrape.
type Found = (&'static str, [[usize; 4]; 3]);

#[rustfmt::skip] // one row a line
const FOUND: [Found; 10] = [
    ("s1", [[11, 11, 0, 0], [11, 7, 4, 0], [11, 3, 8, 0]]),
    ("s2", [[6, 6, 0, 0], [6, 3, 3, 0], [6, 2, 3, 1]]),
    ("s3", [[26, 26, 0, 0], [26, 14, 10, 2], [26, 8, 14, 4]]),
    ("s4", [[31, 31, 0, 0], [31, 23, 8, 0], [31, 14, 14, 3]]),
    ("s5", [[12, 12, 0, 0], [12, 6, 4, 2], [12, 3, 7, 2]]),
    ("s6", [[33, 33, 0, 0], [33, 21, 10, 2], [33, 11, 19, 3]]),
    ("s7", [[28, 27, 1, 0], [28, 16, 12, 0], [28, 6, 21, 1]]),
    ("s8", [[38, 38, 0, 0], [38, 17, 21, 0], [38, 9, 29, 0]]),
    ("s9", [[46, 43, 2, 1], [46, 23, 23, 0], [46, 11, 31, 4]]),
    ("s10", [[5, 4, 1, 0], [5, 3, 2, 0], [5, 3, 1, 1]]),
];

#[test]
fn each_rescale_is_found_and_none_is_invented() {
    let snapshots = snapshots();
    let servers = ["15s", "30s", "60s"].map(Stored::read);
    let mut table = String::new();
    for (name, found) in FOUND {
        let is_it = |it: &&Snapshot| it.hpa.metadata.name == name;
        let snapshot = snapshots.iter().find(is_it).expect(name);
        let rescales = rescales(name, snapshot.captured_at);
        let mut counted = Vec::new();
        for server in &servers {
            let changes = changes(snapshot, server);
            let mut counts = [rescales.len(), 0, 0, 0];
            for rescale in &rescales {
                let mut of_then = changes.iter().filter(|it| has_moment(it, rescale.at));
                let is_told = |it: &SizeChange| {
                    let is_of = |own: Option<i32>, size| own.is_none_or(|own| own == size);
                    it.is_by_hpa()
                        && is_of(it.before, rescale.sizes.0)
                        && is_of(it.after, rescale.sizes.1)
                };
                let place = if of_then.clone().any(is_told) {
                    1
                } else if of_then.next().is_some() {
                    2
                } else {
                    3
                };
                counts[place] += 1;
            }
            for change in changes.iter().filter(|it| it.from >= rescales[0].at) {
                let is_it = |it: &&Rescale| {
                    has_moment(change, it.at) && change.after.is_none_or(|to| to == it.sizes.1)
                };
                let is_true = rescales.iter().any(|it| is_it(&it));
                assert!(
                    change.is_own.is_none_or(|own| own == is_true),
                    "{name}: {change:?}"
                );
            }
            counted.push(counts);
        }
        if counted != found {
            writeln!(table, "{name}: {counted:?}").expect("a text");
        }
    }
    assert!(table.is_empty(), "\n{table}");
}

/// Answers each query as a function says: by status and body.
pub fn server(answer: impl Fn(&str) -> (u16, String) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = reply(stream, &answer);
        }
    });
    format!("http://{address}")
}

fn reply(
    mut stream: impl Read + Write,
    answer: &impl Fn(&str) -> (u16, String),
) -> std::io::Result<()> {
    let (status, body) = answer(&head(&mut stream)?);
    write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// What is asked.
fn head(stream: &mut impl Read) -> std::io::Result<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte)? > 0 {
        head.extend(byte);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// The snapshots as a file, in a folder that lasts as long as it is held.
pub fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("all.jsonl");
    std::fs::write(&path, unpacked("snapshots.jsonl.gz")).expect("a file");
    (folder, path)
}

fn flaps(name: &str, address: &str, more: &[&str]) -> Output {
    let (_folder, path) = file();
    let path = path.to_str().expect("a path");
    let own = ["flaps", name, "--snapshot", path, "--prometheus", address];
    run(Path::new("/dev/null"), &[&own, more].concat())
}

/// What the real server answered.
fn stored() -> impl Fn(&str) -> (u16, String) {
    let server = Stored::read("15s");
    move |request: &str| server.reply(request)
}

#[test]
fn flaps_shows_what_was_scraped() {
    let output = flaps("s9", &server(stored()), &[]);
    let text = stdout(&output);
    assert!(
        text.contains("This HPA is flapping") && text.contains("reversed at least"),
        "{text}"
    );
    assert!(text.contains("another writer"), "{text}");
    assert!(
        text.contains("sources: Prometheus and the HPA's status"),
        "{text}{}",
        stderr(&output)
    );
    let output = flaps("s3", &server(stored()), &[]);
    let text = stdout(&output);
    assert!(text.contains("This HPA is flapping"), "{text}");
    assert!(!text.contains("another writer"), "{text}");
}

/// What was done to the HPAs, and nothing else: an edit, a size set by hand, and
/// one that is set again and again.
#[test]
fn edits_and_sizes_set_by_others_are_told() {
    let rows = [
        ("s2", "maxReplicas from 20 to 9 edited between", 0),
        (
            "s6",
            "someone else set the size to 15 between 2026-11-22T19:57:12Z",
            1,
        ),
        ("s9", "4 earlier sizes set by others", 4),
    ];
    let address = server(stored());
    for snapshot in snapshots() {
        let name = &snapshot.hpa.metadata.name;
        let output = flaps(name, &address, &[]);
        let words: Vec<&str> = stdout(&output).split_whitespace().collect();
        let text = words.join(" ");
        let row = rows.iter().find(|(own, ..)| own == name);
        let (said, others) = row.map_or(("", 0), |(_, said, others)| (*said, *others));
        assert!(text.contains(said), "{name}: {text}");
        assert_eq!(
            text.matches("someone else").count(),
            others,
            "{name}: {text}"
        );
        // Managed fields date what no series shows: the windows of two of them.
        let is_edited = ["s1", "s2", "s4"].contains(&name.as_str());
        assert_eq!(text.contains(" edited "), is_edited, "{name}: {text}");
    }
}

#[test]
fn the_queries_are_few_and_escaped() {
    let output = flaps(
        "s3",
        &server(stored()),
        &[
            "--show-requests",
            "--for",
            "6h",
            "--prometheus-label",
            r#"cluster=a"} or up #"#,
        ],
    );
    let sent: Vec<&str> = stderr(&output)
        .lines()
        .filter(|it| it.starts_with("GET"))
        .collect();
    assert_eq!(sent.len(), 2, "{sent:?}");
    for request in sent {
        assert!(
            request.contains("%5B21600000ms%5D&time=1795378659.000"),
            "{request}"
        );
        assert!(
            request.contains("cluster%3D%22a%5C%22%7D+or+up+%23%22%7D"),
            "{request}"
        );
    }
}

#[test]
fn a_server_that_refuses_long_windows_is_asked_for_shorter_ones() {
    let whole = stored();
    let address = server(move |request| {
        let (_, rest) = request.split_once("%5B").expect("a window");
        let (length, _) = rest.split_once("ms%5D").expect("its end");
        if length.parse::<u64>().expect("a number") > 30_000_000 {
            let text = r#"{"status":"error","errorType":"execution","error":"too many samples"}"#;
            return (422, text.to_owned());
        }
        whole(request)
    });
    let output = flaps("s3", &address, &[]);
    assert!(
        stdout(&output).contains("This HPA is flapping"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_server_in_trouble_leads_to_words_and_no_answer() {
    let nothing = r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#;
    let bad = r#"{"status":"error","errorType":"bad_data","error":"invalid parameter"}"#;
    let rows = [
        (
            401,
            "",
            "refuses the query with status 401",
            "--prometheus-token-file",
        ),
        (
            403,
            "{}",
            "refuses the query with status 403",
            "--prometheus-token-file",
        ),
        (
            404,
            "<html>",
            "is not a Prometheus (status 404)",
            "check the URL",
        ),
        (
            200,
            "{}",
            "is not a Prometheus (status 200)",
            "check the URL",
        ),
        (400, bad, "it answers: invalid parameter", "--for"),
        (422, bad, "it answers: invalid parameter", "--for"),
        (503, "", "is not a Prometheus (status 503)", "check the URL"),
        (
            200,
            nothing,
            "it has no series of HPA soak/s3",
            "honorLabels",
        ),
    ];
    for (status, body, says, hint) in rows {
        let output = flaps("s3", &server(move |_| (status, body.to_owned())), &[]);
        let text = stderr(&output);
        assert!(
            text.contains(says) && text.contains(hint),
            "{status}: {text}"
        );
        assert_eq!(stdout(&output), "", "{status}");
        assert_eq!(output.status.code(), Some(1), "{status}");
    }
    let output = flaps("s3", "http://127.0.0.1:1", &[]);
    assert!(
        stderr(&output).contains("check the URL"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn two_clusters_are_told_apart() {
    let one = stored();
    let address = server(move |request| {
        let (status, body) = one(request);
        let mut answer: Value = serde_json::from_str(&body).expect("an answer");
        let result = answer["data"]["result"].as_array_mut().expect("series");
        let mut others = result.clone();
        for other in &mut others {
            other["metric"]["cluster"] = "other".into();
        }
        result.extend(others);
        (status, answer.to_string())
    });
    let output = flaps("s3", &address, &[]);
    let text = stderr(&output);
    assert!(text.contains("soak/s3 several times"), "{text}");
    assert!(text.contains("--prometheus-label"), "{text}");
}

/// An answer without the samples from 20:00:00 to 20:05:00.
pub fn with_a_hole(body: &str) -> String {
    let mut answer: Value = serde_json::from_str(body).expect("an answer");
    for series in answer["data"]["result"].as_array_mut().expect("series") {
        let values = series["values"].as_array_mut().expect("samples");
        let hole = 1_795_377_600.0..1_795_377_900.0;
        values.retain(|it| !hole.contains(&it[0].as_f64().expect("a time")));
    }
    answer.to_string()
}

#[test]
fn a_hole_is_named() {
    let whole = stored();
    let address = server(move |request| {
        let (status, body) = whole(request);
        (status, with_a_hole(&body))
    });
    let output = flaps("s3", &address, &[]);
    let text = stdout(&output)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(text.contains("Prometheus has no scrape between"), "{text}");
}

/// A list of the Services that a chart's labels select, or a refusal.
fn services(request: &str, labels: &str, names: &[&str]) -> (u16, String) {
    let service = |name: &&str| {
        json!({"metadata": {"namespace": "mon", "name": name},
               "spec": {"ports": [{"name": "sidecar", "port": 8080}, {"name": "web", "port": 9090}]}})
    };
    let is_selected = request.contains(labels);
    let items: Vec<Value> = names.iter().filter(|_| is_selected).map(service).collect();
    (200, list_document("ServiceList", "v1", &items).to_string())
}

/// Runs with the API server at an address, which finds the Prometheus.
fn in_cluster(address: &str, more: &[&str]) -> Output {
    let (_folder, path) = file();
    let path = path.to_str().expect("a path");
    let own = ["flaps", "s3", "--snapshot", path, "--server", address];
    run(Path::new("/dev/null"), &[&own, more].concat())
}

#[test]
fn one_is_found_in_the_cluster() {
    let whole = stored();
    let address = server(move |request| {
        if request.contains("/api/v1/services?") {
            let labels = "labelSelector=app%3Dprometheus%2Ccomponent%3Dserver";
            return services(request, labels, &["prom-b", "prom-a"]);
        }
        let proxied = "GET /api/v1/namespaces/mon/services/prom-a:9090/proxy/api/v1/query?";
        assert!(request.starts_with(proxied), "{request}");
        whole(request)
    });
    let output = in_cluster(&address, &["--prometheus"]);
    assert!(
        stdout(&output).contains("This HPA is flapping"),
        "{}",
        stderr(&output)
    );
    let note = "asking the Prometheus mon/prom-a:9090, not mon/prom-b:9090 through the API server";
    assert!(stderr(&output).contains(note), "{}", stderr(&output));
}

#[test]
fn one_that_is_not_found_or_not_to_be_asked_leads_to_words() {
    let failure = |code: u16, text: &str| {
        let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure",
                            "reason": "Forbidden", "code": code, "message": text});
        (code, status.to_string())
    };
    let address = server(|request| services(request, "none", &[]));
    let text = in_cluster(&address, &["--prometheus"]);
    let text = stderr(&text);
    assert!(
        text.contains("no Prometheus was found in the cluster"),
        "{text}"
    );
    assert!(text.contains("--prometheus URL"), "{text}");
    let address = server(move |_| failure(403, "services is forbidden"));
    let output = in_cluster(&address, &["--prometheus"]);
    let text = stderr(&output);
    assert!(text.contains("services is forbidden"), "{text}");
    assert!(text.contains("rbac --prometheus"), "{text}");
    let rows = [
        (403, "services \"prom\" is forbidden", "rbac --prometheus"),
        (
            503,
            "no endpoints available for service \"prom:9090\"",
            "--prometheus URL",
        ),
        (404, "services \"prom\" not found", "--prometheus URL"),
    ];
    for (code, says, hint) in rows {
        let address = server(move |request| {
            if request.contains("/api/v1/services?") {
                return services(request, "kube-prometheus-stack", &["prom"]);
            }
            failure(code, says)
        });
        let output = in_cluster(&address, &["--prometheus"]);
        let text = stderr(&output);
        assert!(text.contains(says) && text.contains(hint), "{text}");
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert_eq!(stdout(&output), "", "{text}");
    }
}

/// Answers only who has sent this header.
fn guarded(header: &'static str) -> String {
    let whole = stored();
    server(move |request| {
        let is_allowed = request.to_lowercase().contains(&header.to_lowercase());
        if is_allowed {
            whole(request)
        } else {
            (401, String::new())
        }
    })
}

#[test]
fn who_asks_is_said_and_not_typed() {
    let folder = tempfile::tempdir().expect("a folder");
    let token = folder.path().join("token");
    std::fs::write(&token, "sesame\n").expect("a file");
    let token = token.to_str().expect("a path");
    let address = guarded("authorization: Bearer sesame\r\n");
    let output = flaps("s3", &address, &["--prometheus-token-file", token]);
    assert!(
        stdout(&output).contains("This HPA is flapping"),
        "{}",
        stderr(&output)
    );
    let address = guarded("x-scope-orgid: prod\r\n");
    let output = flaps(
        "s3",
        &address,
        &["--prometheus-header", "X-Scope-OrgID=prod"],
    );
    assert!(
        stdout(&output).contains("This HPA is flapping"),
        "{}",
        stderr(&output)
    );
    let address = guarded("authorization: Basic bWU6c2VzYW1l\r\n");
    let (_folder, path) = file();
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(["flaps", "s3", "--prometheus", "--snapshot"])
        .arg(path)
        .env_clear()
        .env("HPA_EXPLAIN_PROMETHEUS", address)
        .env("HPA_EXPLAIN_PROMETHEUS_USER", "me")
        .env("HPA_EXPLAIN_PROMETHEUS_PASSWORD", "sesame")
        .output()
        .expect("the binary runs");
    assert!(
        stdout(&output).contains("This HPA is flapping"),
        "{}",
        stderr(&output)
    );
    let output = flaps(
        "s3",
        "http://x",
        &["--prometheus-header", "Authorization=Bearer x"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("--prometheus-token-file"),
        "{}",
        stderr(&output)
    );
}

/// Runs with variables of the environment.
fn flaps_with(variables: &[(&str, &str)], address: &str, more: &[&str]) -> Output {
    let (_folder, path) = file();
    Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(["flaps", "s3", "--prometheus", address, "--snapshot"])
        .arg(path)
        .args(more)
        .env_clear()
        .envs(variables.iter().copied())
        .output()
        .expect("the binary runs")
}

#[test]
fn its_certificate_is_checked() {
    let pki = Pki::new(&["127.0.0.1".to_owned()], "nobody", Certificate::Good);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("https://{}", listener.local_addr().expect("an address"));
    let mut config = (*pki.server).clone();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let (config, whole) = (Arc::new(config), stored());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(config.clone()).expect("a connection");
            let mut stream = StreamOwned::new(connection, stream);
            let _ = reply(&mut stream, &whole);
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("a path").to_owned()
    };
    let own = write("own", &pki.ca);
    let output = flaps("s3", &address, &["--prometheus-ca-file", &own]);
    assert!(
        stdout(&output).contains("is flapping"),
        "{}",
        stderr(&output)
    );
    let other = Pki::new(&["127.0.0.1".to_owned()], "nobody", Certificate::Good).ca;
    let other = write("other", &other);
    let none = write("none", "no certificate");
    let rows: [(&[&str], &str); 3] = [
        (&[], "certificate"),
        (&["--prometheus-ca-file", &other], "certificate"),
        (
            &["--prometheus-ca-file", &none],
            "--prometheus-ca-file takes",
        ),
    ];
    for (more, says) in rows {
        let output = flaps("s3", &address, more);
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
        assert_eq!(stdout(&output), "", "{more:?}");
        assert_eq!(output.status.code(), Some(1), "{more:?}");
    }
}

#[test]
fn it_is_asked_through_the_proxy_that_leads_to_it() {
    let whole = stored();
    let proxy = server(move |request| {
        let is_whole = request.starts_with("GET http://prometheus.invalid/api/v1/query?");
        assert!(is_whole, "{request}");
        whole(request)
    });
    let address = "http://prometheus.invalid";
    let output = flaps_with(&[("HTTP_PROXY", &proxy)], address, &[]);
    assert!(
        stdout(&output).contains("is flapping"),
        "{}",
        stderr(&output)
    );
    let exempt = [("HTTP_PROXY", proxy.as_str()), ("NO_PROXY", ".invalid")];
    let output = flaps_with(&exempt, address, &[]);
    assert!(
        stderr(&output).contains("check the URL"),
        "{}",
        stderr(&output)
    );
    let output = flaps_with(&[("HTTP_PROXY", "ftp://x")], address, &[]);
    assert!(
        stderr(&output).contains("HTTP_PROXY"),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(1));
}

/// A server that is busy at first, with a word on when to come back or without.
#[test]
fn a_busy_server_is_asked_again() {
    let rows = [
        (429, "", 1),
        (503, "", 2),
        (503, "retry-after: 1\r\n", 1),
        (429, "retry-after: 3600\r\n", 2),
    ];
    for (status, header, times) in rows {
        let whole = stored();
        let busy = AtomicUsize::new(times);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                if busy.load(Ordering::Relaxed) == 0 {
                    let _ = reply(stream, &whole);
                    continue;
                }
                busy.fetch_sub(1, Ordering::Relaxed);
                let _ = head(&mut stream);
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status} X\r\n{header}connection: close\r\ncontent-length: 0\r\n\r\n"
                );
            }
        });
        let output = flaps("s3", &address, &[]);
        let text = stderr(&output);
        assert!(
            stdout(&output).contains("is flapping"),
            "{status} {header}: {text}"
        );
    }
}

#[test]
fn a_name_is_no_url() {
    let address = server(stored());
    let (_folder, path) = file();
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
            .arg("flaps")
            .args(arguments)
            .arg("--snapshot")
            .arg(&path)
            .env_clear()
            .env("HPA_EXPLAIN_PROMETHEUS", &address)
            .output()
            .expect("the binary runs")
    };
    let lines: [&[&str]; 5] = [
        &["s3", "--prometheus"],
        &["--prometheus", "s3"],
        &["--prometheus", "--for", "6h", "s3"],
        &["--prometheus", &address, "s3"],
        &["s3", "--prometheus", &address],
    ];
    for line in lines {
        let output = run(line);
        assert!(
            stdout(&output).contains("This HPA is flapping"),
            "{line:?}: {}",
            stderr(&output)
        );
    }
    let output = run(&["s3", "--prometheus", "prometheus.example"]);
    let text = stderr(&output);
    assert!(
        text.contains("prometheus.example is taken for a name"),
        "{text}"
    );
    let output = run(&["s3", "--prometheus", "localhost:9090"]);
    assert!(
        stderr(&output).contains("http://localhost:9090"),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_answer_without_an_end_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let _ = head(&mut stream);
                let head = "HTTP/1.1 200 X\r\ncontent-type: application/json\r\n\r\n{";
                let mut sent = stream.write_all(head.as_bytes());
                while sent.is_ok() {
                    thread::sleep(Duration::from_millis(100));
                    sent = stream.write_all(b" ");
                }
            });
        }
    });
    let output = flaps("s3", &address, &["--request-timeout", "500ms"]);
    let text = stderr(&output);
    assert!(text.contains("did not answer within 0.5s"), "{text}");
    assert!(text.contains("--request-timeout"), "{text}");
    assert_eq!(stdout(&output), "", "{text}");
}

#[test]
fn every_command_that_reads_the_past_reads_it() {
    let (_folder, path) = file();
    let path = path.to_str().expect("a path");
    let address = server(stored());
    let own = ["--snapshot", path, "--prometheus", &address, "-o", "json"];
    let rows: [&[&str]; 3] = [
        &["s9"],
        &["list", "s9"],
        &[
            "dry-run",
            "s9",
            "--set",
            "spec.maxReplicas=30",
            "--for",
            "5m",
        ],
    ];
    for command in rows {
        let output = run(Path::new("/dev/null"), &[command, &own].concat());
        assert!(output.status.success(), "{command:?}: {}", stderr(&output));
        let output = run(
            Path::new("/dev/null"),
            &[
                command,
                &["--snapshot", path, "--prometheus", "http://127.0.0.1:1"],
            ]
            .concat(),
        );
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        assert!(
            stderr(&output).contains("check the URL"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn of_several_those_that_it_does_not_know_are_named() {
    let whole = stored();
    let address = server(move |request| {
        if request.contains("%22s9%22") {
            return whole(request);
        }
        let nothing = json!({"status": "success", "data": {"resultType": "matrix", "result": []}});
        (200, nothing.to_string())
    });
    let (_folder, path) = file();
    let path = path.to_str().expect("a path");
    let arguments = [
        "flaps",
        "s9",
        "s3",
        "--snapshot",
        path,
        "--prometheus",
        &address,
    ];
    let output = run(Path::new("/dev/null"), &arguments);
    let text = stderr(&output);
    assert!(text.contains("no series of HPA soak/s3"), "{text}");
    assert!(stdout(&output).contains("s9"), "{text}");
    assert_eq!(output.status.code(), Some(1), "{text}");
}
