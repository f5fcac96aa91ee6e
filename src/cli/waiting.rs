//! The standard error stream: complaints, and a word on what is waited for, where
//! it takes long and somebody looks.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::api::beginning;
use crate::collect::SurveyTally;
use crate::render::escape;

/// Shorter waits need no words.
const UNNOTICED: Duration = Duration::from_millis(300);

/// What takes no longer needs no estimate.
const WORTH_ESTIMATING: Duration = Duration::from_secs(2);

/// Nobody reads numbers that change faster.
const STEP: Duration = Duration::from_millis(100);

/// Where nobody looks, a line at times tells a log that it goes on.
const STEP_OF_A_LOG: Duration = Duration::from_secs(10);

/// What a server says at greater length helps nobody.
const MOST_COMPLAINED: usize = 4_000;

/// Says after a while what is waited for, until it ends. Nothing is said
/// where the standard error stream is no terminal.
pub struct Waiting {
    task: Option<JoinHandle<()>>,
    tally: Arc<SurveyTally>,
}

impl Waiting {
    /// Begins to wait, within a runtime of one thread.
    pub fn start() -> Self {
        let tally = Arc::<SurveyTally>::default();
        let begun = Instant::now();
        let own_tally = tally.clone();
        let task = io::stderr().is_terminal().then(|| {
            tokio::spawn(async move {
                sleep(UNNOTICED).await;
                let mut line = StatusLine::default();
                loop {
                    line.say(&reading(own_tally.counts(), begun));
                    sleep(STEP).await;
                }
            })
        });
        Self { task, tally }
    }

    /// Where it is noted how far it is.
    pub fn tally(&self) -> &SurveyTally {
        &self.tally
    }

    /// Ends it, and takes back what was said.
    pub fn end(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
        take_back();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.end();
    }
}

/// Says after a while how far a calculation is, until it is dropped.
pub struct Progress {
    /// What is done, and of what there are so many.
    doing: &'static str,
    what: &'static str,
    all: Option<usize>,
    done: usize,
    begun: Instant,
    /// When something is to be said.
    next: Instant,
    /// None where the standard error stream is no terminal.
    line: Option<StatusLine>,
}

impl Progress {
    /// Begins to do so many of something, if that is known, as in `simulating` and
    /// `specs`.
    pub fn of(doing: &'static str, all: Option<usize>, what: &'static str) -> Self {
        let line = io::stderr().is_terminal().then(StatusLine::default);
        let begun = Instant::now();
        Self {
            doing,
            what,
            all,
            done: 0,
            begun,
            next: begun
                + if line.is_some() {
                    UNNOTICED
                } else {
                    STEP_OF_A_LOG
                },
            line,
        }
    }

    /// One more is done.
    pub fn step(&mut self) {
        self.done += 1;
        let now = Instant::now();
        if now < self.next {
            return;
        }
        let Self {
            doing, what, done, ..
        } = self;
        let text = match self.all {
            Some(all) => {
                let more = more(self.begun, *done, all);
                format!("{doing}: {done} of {all} {what}{more}")
            }
            None => format!("{doing}: {done} {what}"),
        };
        if let Some(line) = &mut self.line {
            self.next = now + STEP;
            line.say(&text);
        } else {
            self.next = now + STEP_OF_A_LOG;
            write(&(text + "\n"));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.line.is_some() {
            take_back();
        }
    }
}

/// What is said on a line that stays free for the answer.
#[derive(Default)]
struct StatusLine {
    text: String,
}

/// The columns of it that are taken.
static SHOWN: AtomicUsize = AtomicUsize::new(0);

/// Takes it back, for another line in its place.
fn take_back() {
    let shown = SHOWN.swap(0, Ordering::Relaxed);
    if shown > 0 {
        write(&format!("\r{}\r", " ".repeat(shown)));
    }
}

impl StatusLine {
    fn say(&mut self, text: &str) {
        let mark = if is_ascii() { "..." } else { "…" };
        let text = format!("{text} {mark}");
        let shown = SHOWN.load(Ordering::Relaxed);
        if text == self.text && shown > 0 {
            return;
        }
        let width = text.chars().count();
        let rest = " ".repeat(shown.saturating_sub(width));
        write(&format!("\r{text}{rest}"));
        SHOWN.store(width.max(shown), Ordering::Relaxed);
        self.text = text;
    }
}

fn reading(counts: Option<(usize, usize)>, begun: Instant) -> String {
    match counts {
        None => "waiting for the API server".to_owned(),
        Some((read, all)) => {
            let more = more(begun, read, all);
            format!("reading: {read} of {all} HPAs{more}")
        }
    }
}

/// How long it will take yet, at the pace of what is done: once it has taken
/// two seconds.
fn more(begun: Instant, done: usize, all: usize) -> String {
    let took = begun.elapsed();
    let (done, left) = (done as u128, all.saturating_sub(done) as u128);
    if took < WORTH_ESTIMATING || done == 0 || left == 0 {
        return String::new();
    }
    let seconds = (took.as_millis() * left / done).div_ceil(1_000);
    format!(", about {seconds}s more")
}

fn write(text: &str) {
    let mut stderr = io::stderr();
    // Nobody is left to tell where even this fails.
    _ = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}

/// Whether the locale asks for ASCII: it is set, and not to UTF-8.
pub fn is_ascii() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty());
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        !(locale.contains("utf-8") || locale.contains("utf8"))
    })
}

/// Writes a line to the standard error stream. It stays one line, whatever is
/// in it.
pub fn complain(line: &str) {
    let line = escape(line);
    take_back();
    // Nobody is left to tell where even this fails.
    _ = writeln!(io::stderr(), "{}", beginning(&line, MOST_COMPLAINED));
}
