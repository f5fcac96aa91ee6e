//! Ctrl-C in the middle of a run.

use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// Runs a command, and interrupts it some time after it is ready for that.
pub fn interrupted(command: &mut Command, is_ready: impl Fn() -> bool, after: Duration) -> Output {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    while !is_ready() {
        assert!(child.try_wait().expect("a child").is_none(), "it ended");
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(after);
    let process = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &process]).status();
    assert!(kill.expect("kill").success());
    child.wait_with_output().expect("its end")
}
