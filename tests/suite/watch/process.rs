//! A run of the real binary that goes on until it is told to end.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};

use crate::watch::world::RATE;

/// A run, and what it has printed so far.
pub struct Process {
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
    readers: Vec<JoinHandle<()>>,
    complaints: Arc<Mutex<Vec<String>>>,
}

impl Process {
    /// Begins to watch `shop/web`.
    pub fn watch(kubeconfig: &Path, arguments: &[&str]) -> Self {
        Self::watch_at(RATE, kubeconfig, arguments)
    }

    /// The same by a clock that runs so many times as fast.
    pub fn watch_at(rate: u32, kubeconfig: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
            .args(["watch", "web", "-n", "shop"])
            .args(arguments)
            .env_clear()
            .env("KUBECONFIG", kubeconfig)
            .env("HPA_EXPLAIN_TEST_PACE", rate.to_string())
            .env("TZ", "UTC")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let lines = Arc::default();
        let complaints = Arc::default();
        let readers = vec![
            read(child.stdout.take().expect("a pipe"), &lines),
            read(child.stderr.take().expect("a pipe"), &complaints),
        ];
        Self {
            child,
            lines,
            readers,
            complaints,
        }
    }

    /// The resident memory, in pages.
    pub fn memory(&self) -> usize {
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id()));
        let statm = statm.expect("the process is there");
        let resident = statm.split(' ').nth(1).expect("the resident pages");
        resident.parse().expect("a number")
    }

    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().expect("lines").clone()
    }

    pub fn signal(&self, signal: &str) {
        let kill = Command::new("kill")
            .args([&format!("-{signal}"), &self.child.id().to_string()])
            .status();
        assert!(kill.expect("kill").success());
    }

    /// Waits for its end: status, output and complaints.
    pub fn end(mut self) -> (ExitStatus, Vec<String>, Vec<String>) {
        let status = self.child.wait().expect("it ends");
        for reader in self.readers.drain(..) {
            reader.join().expect("a reader");
        }
        let complaints = self.complaints.lock().expect("complaints").clone();
        (status, self.lines(), complaints)
    }
}

fn read(from: impl Read + Send + 'static, lines: &Arc<Mutex<Vec<String>>>) -> JoinHandle<()> {
    let lines = Arc::clone(lines);
    spawn(move || {
        for line in BufReader::new(from).lines() {
            lines.lock().expect("lines").push(line.expect("text"));
        }
    })
}
