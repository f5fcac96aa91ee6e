//! One run of a program: how long it takes from start to end, and what it
//! uses.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

/// What one run cost.
#[derive(Clone, Copy)]
pub struct Run {
    /// From before the start until the process is gone.
    pub wall: Duration,
    /// Processor time, in user and system mode.
    pub processor: Duration,
    /// The largest resident set, in bytes.
    pub peak: u64,
}

/// Runs a program to its end.
///
/// It must succeed and its output must hold all of `expected`, so that a
/// failure cannot pass for speed.
pub fn run(command: &mut Command, expected: &[String]) -> Run {
    let start = Instant::now();
    let spawned = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let mut child = spawned.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    // Two lines at a time: the peak of a process begins at the size of the one
    // that starts it, which therefore holds no output.
    let stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut missing: Vec<&String> = expected.iter().collect();
    let mut last = String::new();
    for line in stdout.lines() {
        let line = line.expect("text");
        if missing.is_empty() {
            continue;
        }
        // Columns are as wide as what is in them.
        let words: Vec<&str> = line.split_whitespace().collect();
        let line = words.join(" ") + " ";
        let both = last + &line;
        missing.retain(|text| !both.contains(*text));
        last = line;
    }
    let used = child.wait4().expect("it ends");
    let wall = start.elapsed();
    assert!(used.status.success(), "{command:?}: {}", used.status);
    assert!(missing.is_empty(), "{command:?}: no {missing:?}");
    Run {
        wall,
        processor: used.rusage.utime + used.rusage.stime,
        peak: used.rusage.maxrss,
    }
}
