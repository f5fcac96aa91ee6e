//! A real Prometheus and a real `VictoriaMetrics` that serve the stored series:
//! the pages are those of the stored answers.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::prometheus::{file, server};
use crate::support::binary::{run, stderr, stdout};
use crate::support::prometheus::Stored;

/// A server that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn start(program: &str, arguments: &[&str], port: u16) -> Running {
    let mut command = Command::new(program);
    command.args(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let running = Running(command.spawn().expect(program));
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{program}");
        sleep(Duration::from_millis(100));
    }
    running
}

/// What a page, a story and a judgement say, by a server of the series.
fn pages(address: &str) -> Vec<String> {
    let (_folder, path) = file();
    let path = path.to_str().expect("a path");
    let own = ["--snapshot", path, "--prometheus", address];
    let lines: [&[&str]; 4] = [
        &["s3", "--at", "2026-11-22T19:57:45.5Z"],
        &["s7", "--at", "2026-11-22T20:04:00Z", "-o", "json"],
        &["s9", "--since", "-15m"],
        &["flaps", "s6"],
    ];
    let pages = lines.iter().map(|line| {
        let output = run(Path::new("/dev/null"), &[line, own.as_slice()].concat());
        assert!(output.status.success(), "{line:?}: {}", stderr(&output));
        stdout(&output).to_owned()
    });
    pages.collect()
}

/// Those of the stored answers.
fn expected() -> Vec<String> {
    let stored = Stored::read("15s");
    pages(&server(move |request| stored.reply(request)))
}

/// Asks until a new server has taken in all that it was given.
fn settled(address: &str, expected: &[String]) {
    let begun = Instant::now();
    let mut pages = Vec::new();
    while begun.elapsed() < Duration::from_secs(30) {
        let (_folder, path) = file();
        let path = path.to_str().expect("a path");
        let own = ["flaps", "s6", "--snapshot", path, "--prometheus", address];
        if run(Path::new("/dev/null"), &own).status.success() {
            pages = self::pages(address);
            if pages == expected {
                return;
            }
        }
        sleep(Duration::from_millis(500));
    }
    assert_eq!(pages, expected);
}

#[test]
#[ignore = "needs prometheus"]
fn a_real_prometheus_leads_to_the_same_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| {
        let path = folder.path().join(name);
        path.to_str().expect("a path").to_owned()
    };
    let text = Stored::read("15s").exposed(1, "# EOF\n");
    std::fs::write(path("series"), text).expect("a file");
    std::fs::write(path("settings"), "").expect("a file");
    let made = Command::new("promtool")
        .args(["tsdb", "create-blocks-from", "openmetrics"])
        .args([path("series"), path("data")])
        .output()
        .expect("promtool");
    assert!(made.status.success(), "{}", stderr(&made));
    let port = free_port();
    let arguments = [
        format!("--config.file={}", path("settings")),
        format!("--storage.tsdb.path={}", path("data")),
        "--storage.tsdb.retention.time=100y".to_owned(),
        format!("--web.listen-address=127.0.0.1:{port}"),
    ];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let _running = start("prometheus", &arguments, port);
    settled(&format!("http://127.0.0.1:{port}"), &expected());
}

#[test]
#[ignore = "needs victoria-metrics"]
fn a_real_victoria_metrics_leads_to_the_same_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let port = free_port();
    let arguments = [
        format!("-storageDataPath={}", data.display()),
        format!("-httpListenAddr=127.0.0.1:{port}"),
        "-retentionPeriod=100y".to_owned(),
        "-search.latencyOffset=0s".to_owned(),
        "-search.disableCache".to_owned(),
    ];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let _running = start("victoria-metrics", &arguments, port);
    let text = Stored::read("15s").exposed(1_000, "");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    write!(
        stream,
        "POST /api/v1/import/prometheus HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{text}",
        text.len()
    )
    .expect("sent");
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    settled(&format!("http://127.0.0.1:{port}"), &expected());
}
