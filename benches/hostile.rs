//! What hostile files and bad servers cost: the whole process, from its start to
//! its end, beside what each of them once took.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "../tests/suite/support/apiserver/mod.rs"]
mod apiserver;
#[path = "live/cluster.rs"]
mod cluster;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

use cluster::Cluster;

/// A run; `FILE` is a file with the text.
struct Row {
    input: &'static str,
    /// What it took before there were limits.
    once: &'static str,
    command: &'static str,
    /// What the file is made of, and how often that is repeated.
    text: (&'static str, usize),
    /// What the server does to requests below a path.
    fault: &'static str,
    most: Goal,
}

/// The longest that it may take.
#[derive(Clone, Copy)]
struct Goal {
    seconds: f64,
    mib: f64,
}

/// For a file of at most 1 MB, and for a server that goes on talking.
const USUAL: Goal = Goal {
    seconds: 5.0,
    mib: 200.0,
};

/// For a server that is waited for: five seconds more than that.
const fn waits(seconds: f64) -> Goal {
    Goal {
        seconds: seconds + 5.0,
        mib: 200.0,
    }
}

const ALIASES: &str = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n\
    c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n\
    e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n\
    g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n";

const TOKEN: &str = "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, \
    context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n\
    users: [{name: u, user: {tokenFile: /dev/zero}}]\n";

const CALM: &str = include_str!("../tests/flaps/calm/snapshot.yaml");

const BLANK: (&str, usize) = ("", 0);

#[rustfmt::skip] // one row a line
const ROWS: [Row; 26] = [
    Row { input: "F1 scenario of aliases", once: "without an end", command: "simulate --scenario FILE", text: (ALIASES, 1), fault: "", most: USUAL },
    Row { input: "F1 scenario, 400,000 brackets", once: "over 60 s", command: "simulate --scenario FILE", text: ("[", 400_000), fault: "", most: USUAL },
    Row { input: "F2 snapshot of aliases", once: "1.7 GB", command: "--snapshot FILE", text: (ALIASES, 1), fault: "", most: USUAL },
    Row { input: "F2 --snapshot /dev/zero", once: "1 GB", command: "--snapshot /dev/zero", text: BLANK, fault: "", most: USUAL },
    Row { input: "F2 two million unknown keys", once: "2,000,000 lines", command: "--snapshot FILE", text: ("unknown: 1\n", 2_000_000), fault: "", most: USUAL },
    Row { input: "F3 tokenFile: /dev/zero", once: "15 s, 11.6 GB", command: "web --kubeconfig FILE", text: (TOKEN, 1), fault: "", most: USUAL },
    Row { input: "F3 --kubeconfig /dev/zero", once: "without an end", command: "web --kubeconfig /dev/zero", text: BLANK, fault: "", most: USUAL },
    Row { input: "F3 --controller-log /dev/zero", once: "without an end", command: "web --snapshot FILE --controller-log /dev/zero", text: (CALM, 1), fault: "", most: USUAL },
    Row { input: "F4 744 h of 1 s passes as JSON", once: "566 MB written", command: "simulate --snapshot FILE --load noise --for 744h --sync-period 1s -o json", text: (CALM, 1), fault: "", most: USUAL },
    Row { input: "F6 an HPA without an end", once: "327 MB", command: "web -n shop", text: BLANK, fault: "endless /apis/autoscaling", most: USUAL },
    Row { input: "F6 pods and metrics without an end", once: "327 MB", command: "web -n shop", text: BLANK, fault: "endless /api/v1", most: USUAL },
    Row { input: "F6 a bomb of pods", once: "327 MB", command: "web -n shop", text: BLANK, fault: "bomb /api/v1", most: USUAL },
    Row { input: "F6 list -A, 300 HPAs, endless", once: "1.7 GB", command: "list -A", text: BLANK, fault: "endless /api/v1", most: USUAL },
    Row { input: "F6 flaps -A, 300 HPAs, endless", once: "1.7 GB", command: "flaps -A", text: BLANK, fault: "endless /api/v1", most: USUAL },
    Row { input: "F6 flaps -A, endless metrics", once: "1.7 GB", command: "flaps -A", text: BLANK, fault: "endless /apis/metrics.k8s.io", most: USUAL },
    Row { input: "F6 capture -A, 300 HPAs, endless", once: "84 s", command: "capture -A --file -", text: BLANK, fault: "endless /api/v1", most: USUAL },
    Row { input: "F6 pages without an end", once: "408,000 requests", command: "list -A", text: BLANK, fault: "pages /api/v1", most: waits(15.0) },
    Row { input: "F6 410 to every request", once: "120 requests a second", command: "watch web -n shop --for 6s", text: BLANK, fault: "gone /apis/autoscaling", most: waits(6.0) },
    Row { input: "F7 any JSON as a list", once: "exit code 0", command: "list -A", text: BLANK, fault: "anything /apis/autoscaling", most: USUAL },
    Row { input: "F7 a misspelled kind", once: "exit code 0", command: "lint --exit-code -f FILE", text: ("apiVersion: autoscaling/v2\nkind: HorizontalPodAutoScaler\n", 1), fault: "", most: USUAL },
    Row { input: "F8 U+E0041 in YAML", once: "invalid YAML", command: "--snapshot FILE -o yaml", text: ("{\"kind\": \"\\udb40\\udc41\"}", 1), fault: "", most: USUAL },
    Row { input: "F9 an argument of escapes", once: "shown raw", command: "web --\u{202e}\u{1b}]0;x\u{7}", text: BLANK, fault: "", most: USUAL },
    Row { input: "F10 an input as the output", once: "overwritten", command: "capture web -n shop --file FILE", text: (CALM, 1), fault: "gone /api/v1", most: USUAL },
    Row { input: "F11 a server that is silent", once: "exit code 0", command: "watch web -n shop --for 6s", text: BLANK, fault: "silent /", most: waits(6.0) },
    Row { input: "F12 UTF-16", once: "called compressed", command: "--snapshot FILE", text: ("a\0b\0", 200_000), fault: "", most: USUAL },
    Row { input: "F12 a template", once: "read as JSON", command: "lint -f FILE", text: ("{{ if .Values.a }}\n", 1), fault: "", most: USUAL },
];

fn main() {
    if cluster::served() {
        return;
    }
    let home = tempfile::tempdir().expect("a home folder");
    let mut cluster = Cluster::start(300, 3, Duration::ZERO);
    println!(
        "{:<35} {:>21} {:>6} {:>5} {:>6} {:>7} {:>5} {:>6} {:>4} {:>8}",
        "input", "once", "s", "goal", "ratio", "MiB", "goal", "ratio", "exit", "requests"
    );
    for row in &ROWS {
        measure(row, home.path(), &mut cluster);
    }
    cluster.stop();
}

/// Runs it, and prints what it took.
fn measure(row: &Row, home: &Path, cluster: &mut Cluster) {
    let file = written(home, row.text);
    let kubeconfig = if let Some((fault, path)) = row.fault.split_once(' ') {
        cluster.fault(path, fault);
        cluster.kubeconfig().to_owned()
    } else {
        "/dev/null".into()
    };
    let arguments = row.command.split(' ').map(|word| match word {
        "FILE" => file.clone().into_os_string(),
        word => word.into(),
    });
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .env("KUBECONFIG", kubeconfig)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let used = child.wait4().expect("it ends");
    let seconds = start.elapsed().as_secs_f64();
    let peak = u32::try_from(used.rusage.maxrss >> 10).expect("a small program");
    let (mib, most) = (f64::from(peak) / 1_024.0, row.most);
    let code = used.status.code();
    let requests = if row.fault.is_empty() {
        0
    } else {
        cluster.requests()
    };
    let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    println!(
        "{:<35} {:>21} {seconds:>6.2} {:>5.0} {:>6.2} {mib:>7.1} {:>5.0} {:>6.2} {code:>4} {requests:>8}",
        row.input,
        row.once,
        most.seconds,
        seconds / most.seconds,
        most.mib,
        mib / most.mib,
    );
}

/// The file, written piece by piece: a process begins with the peak of the one
/// that starts it.
fn written(home: &Path, (text, times): (&str, usize)) -> PathBuf {
    let path = home.join("input");
    let mut file = BufWriter::new(File::create(&path).expect("writable"));
    for _ in 0..times {
        file.write_all(text.as_bytes()).expect("writable");
    }
    file.flush().expect("writable");
    path
}
