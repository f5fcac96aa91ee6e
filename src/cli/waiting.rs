//! A word on what is waited for, where it takes long and somebody looks.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::terminal::is_ascii;

/// Shorter waits need no words.
const UNNOTICED: Duration = Duration::from_millis(500);

/// Says after a while what is waited for, until it ends. Nothing is said
/// where the standard error stream is no terminal.
pub struct Waiting {
    task: Option<JoinHandle<()>>,
    is_said: Arc<AtomicBool>,
}

impl Waiting {
    /// Begins to wait, within a runtime of one thread.
    pub fn start() -> Self {
        let is_said = Arc::new(AtomicBool::new(false));
        let says = is_said.clone();
        let task = io::stderr().is_terminal().then(|| {
            tokio::spawn(async move {
                sleep(UNNOTICED).await;
                says.store(true, Ordering::Relaxed);
                write(text());
            })
        });
        Self { task, is_said }
    }

    /// Ends it, and takes back what was said.
    pub fn end(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
        if self.is_said.swap(false, Ordering::Relaxed) {
            let blank = " ".repeat(text().chars().count());
            write(&format!("\r{blank}\r"));
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.end();
    }
}

fn text() -> &'static str {
    if is_ascii() {
        "waiting for the API server ..."
    } else {
        "waiting for the API server …"
    }
}

fn write(text: &str) {
    let mut stderr = io::stderr();
    // Nobody is left to tell where even this fails.
    _ = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}
