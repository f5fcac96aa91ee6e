//! The picker, on a terminal of its own: util-linux's `script` makes one.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::apiserver::{ApiServer, Fault};
use crate::support::binary::{run, stdout};

/// What appears on a terminal of 80 columns where keys are pressed once a
/// text is there, and the exit code.
fn on_a_terminal(kubeconfig: &Path, arguments: &str, (seen, keys): (&str, &str)) -> (String, i32) {
    let binary = env!("CARGO_BIN_EXE_kubectl-hpa_explain");
    let line = format!("stty cols 80 rows 24; exec timeout --foreground 60 {binary} {arguments}");
    let mut script = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("TERM", "xterm")
        .env("LANG", "C.UTF-8")
        .env("SHELL", "/bin/sh")
        .env("KUBECONFIG", kubeconfig)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("util-linux's script runs");
    let mut input = script.stdin.take().expect("a pipe");
    let mut output = script.stdout.take().expect("a pipe");
    let mut screen = Vec::new();
    let mut piece = [0; 4096];
    let mut is_pressed = false;
    loop {
        let length = output.read(&mut piece).expect("readable");
        if length == 0 {
            break;
        }
        screen.extend(&piece[..length]);
        if !is_pressed && String::from_utf8_lossy(&screen).contains(seen) {
            // Who has ended by now reads no keys.
            _ = input.write_all(keys.as_bytes());
            is_pressed = true;
        }
    }
    let status = script.wait().expect("it ends");
    let screen = String::from_utf8(screen).expect("text");
    (screen, status.code().expect("a code"))
}

const ENTER: &str = "\r";
const ESCAPE: &str = "\u{1b}";
const CTRL_C: &str = "\u{3}";
const DOWN: &str = "\u{1b}[B";
const QUESTION: &str = "Which of 10 HPAs?";
/// What stands before the chosen one: all of them are there soon.
const LAST: &str = "\n> ";
/// What makes the cursor visible again.
const CURSOR: &str = "\u{1b}[?25h";

fn steady() -> ApiServer {
    ApiServer::replay("steady")
        .https()
        .at_a_standstill()
        .start()
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs util-linux's script")]
fn what_is_picked_is_explained() {
    let server = steady();
    let kubeconfig = server.kubeconfig();
    let listed = run(&kubeconfig, &["list", "-n", "shop", "-o", "name"]);
    let listed: Vec<String> = stdout(&listed)
        .lines()
        .filter_map(|line| Some(format!("shop/{} ", line.split_once('/')?.1)))
        .collect();
    let rows = [
        // Nothing typed: the worst. Each key narrows the list down.
        (ENTER.to_owned(), listed[0].as_str()),
        (format!("{DOWN}{ENTER}"), &listed[1]),
        (format!("keda{ENTER}"), "shop/keda-hpa-worker "),
        (format!("paused{ENTER}"), "shop/paused "),
    ];
    for (keys, explained) in &rows {
        for arguments in ["-n shop", "-A"] {
            let (screen, code) = on_a_terminal(&kubeconfig, arguments, (LAST, keys));
            assert_eq!(code, 0, "{keys:?}: {screen}");
            assert!(screen.contains(QUESTION), "{keys:?}: {screen}");
            let twins = "Failing: several HPAs sele";
            assert!(screen.contains(twins), "{screen}");
            let answer = screen.rsplit(CURSOR).next().unwrap_or_default();
            assert!(answer.contains(explained), "{keys:?}: {answer}");
        }
    }
    assert_eq!(rows.len(), 4);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs util-linux's script")]
fn who_leaves_gets_the_cursor_back() {
    let server = steady();
    for key in [ESCAPE, CTRL_C] {
        let (screen, code) = on_a_terminal(&server.kubeconfig(), "-n shop", (LAST, key));
        assert_eq!(code, 130, "{key:?}: {screen}");
        assert!(screen.contains(QUESTION), "{key:?}: {screen}");
        let hidden = screen.rfind("\u{1b}[?25l");
        assert!(screen.rfind(CURSOR) > hidden, "{key:?}: {screen}");
        assert!(!screen.contains("Basis"), "{key:?}: nothing is explained");
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs util-linux's script")]
fn the_list_is_printed_where_nobody_can_pick() {
    let server = steady();
    for arguments in [
        "-n shop | cat",
        "-n shop < /dev/null",
        "-n shop 2> /dev/null",
        "-n shop --exit-code",
    ] {
        let (screen, _) = on_a_terminal(&server.kubeconfig(), arguments, ("VERDICT", ENTER));
        assert!(screen.contains("VERDICT"), "{arguments}: {screen}");
        assert!(!screen.contains("Which of"), "{arguments}: {screen}");
    }
}

/// A line on the standard error stream says what is waited for, and is gone
/// when the answer comes.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs util-linux's script")]
fn a_long_wait_is_told_of_and_taken_back() {
    let server = steady();
    let late = Fault::Latency(Duration::from_millis(900));
    server.fault(
        "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers$",
        late.clone(),
    );
    server.fault("/api/v1/namespaces/shop/pods$", late);
    let (screen, code) = on_a_terminal(&server.kubeconfig(), "list -n shop", ("VERDICT", ""));
    assert_eq!(code, 0, "{screen}");
    let waiting = screen.find("\rwaiting for the API server …");
    let reading = screen.find("\rreading: 0 of 10 HPAs …");
    let blank = screen.find(&format!("\r{}\r", " ".repeat(28)));
    let table = screen.find("NAME ");
    assert!(waiting.is_some() && waiting < reading, "{screen:?}");
    assert!(reading < blank && blank < table, "{screen:?}");
}
