//! One run of a program: how long it takes from start to end, and what it
//! uses.

use std::io::{ErrorKind, Read};
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

/// Runs a program to its end; none where there is no such program.
///
/// It must succeed and its output must hold all of `expected`, so that a
/// failure cannot pass for speed.
pub fn run(command: &mut Command, expected: &[String]) -> Option<Run> {
    let start = Instant::now();
    let spawned = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => panic!("{command:?}: {error}"),
    };
    let mut output = String::new();
    let mut stdout = child.stdout.take().expect("piped");
    stdout.read_to_string(&mut output).expect("text");
    let used = child.wait4().expect("it ends");
    let wall = start.elapsed();
    assert!(used.status.success(), "{command:?}: {}", used.status);
    // Columns are as wide as what is in them.
    let output: Vec<&str> = output.split_whitespace().collect();
    let output = output.join(" ");
    for text in expected {
        assert!(
            output.contains(text),
            "{command:?}: no {text:?} in\n{output}"
        );
    }
    Some(Run {
        wall,
        processor: used.rusage.utime + used.rusage.stime,
        peak: used.rusage.maxrss,
    })
}
