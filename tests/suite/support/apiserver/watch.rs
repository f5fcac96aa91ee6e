//! Watches: what is written of an object, as it is written.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame};
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};

use super::log::Finish;
use super::status;
use super::target::{Address, Target};

/// The version of what is written first; recorded ones are smaller.
const FIRST: u64 = 1_000_000;

/// For how long a watch lasts that asks for no other time.
const LONGEST: Duration = Duration::from_secs(1800);

/// How long the first half of a line may take to leave.
const FLUSH: Duration = Duration::from_millis(20);

/// What ends the watches that are under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interrupt {
    /// The server ends them, as it does after a while.
    End,
    /// Half of a line, then the end.
    Cut,
    /// The connection breaks off.
    Break,
    /// A Status 410 in the stream.
    Expired,
    /// A Status 500 in the stream.
    Failed,
}

/// A write.
struct Change {
    version: u64,
    list: String,
    name: String,
    kind: &'static str,
    object: Value,
}

/// What was written, and who wants to know.
pub struct Watches {
    changes: Mutex<Vec<Change>>,
    newest: watch::Sender<u64>,
    /// What came before it is no longer kept.
    oldest: Mutex<u64>,
    interrupts: broadcast::Sender<Interrupt>,
}

impl Default for Watches {
    fn default() -> Self {
        Self {
            changes: Mutex::default(),
            newest: watch::Sender::new(FIRST),
            oldest: Mutex::new(0),
            interrupts: broadcast::Sender::new(16),
        }
    }
}

impl Watches {
    /// The version for the next write.
    pub fn next_version(&self) -> u64 {
        *self.newest.borrow() + 1
    }

    /// An object was written, or deleted, with its new version.
    pub fn tell(&self, address: &Address, kind: &'static str, object: &Value) {
        let version = self.next_version();
        self.changes.lock().expect("changes").push(Change {
            version,
            list: address.list_path(),
            name: address.name.clone().unwrap_or_default(),
            kind,
            object: object.clone(),
        });
        self.newest.send_replace(version);
    }

    /// Forgets what was written so far, as the store does after five minutes.
    pub fn compact(&self) {
        *self.oldest.lock().expect("oldest") = *self.newest.borrow();
    }

    /// How many watches are under way when it comes to them.
    pub fn interrupt(&self, interrupt: Interrupt) -> usize {
        self.interrupts.send(interrupt).unwrap_or(0)
    }

    fn after(&self, version: u64, asked: &Asked) -> Vec<(u64, Bytes)> {
        let changes = self.changes.lock().expect("changes");
        let wanted = changes.iter().filter(|change| {
            let named = asked.name.as_ref().is_none_or(|name| *name == change.name);
            change.version > version && change.list == asked.list && named
        });
        wanted
            .map(|change| (change.version, line(change.kind, &change.object)))
            .collect()
    }
}

/// What a watch is asked for.
struct Asked {
    list: String,
    name: Option<String>,
    version: u64,
    bookmarks: bool,
    time: Duration,
}

impl Asked {
    fn of(target: &Target, text: &str) -> Self {
        let parameter = |name: &str| {
            let query = text.split_once('?').map_or("", |(_, query)| query);
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let found = pairs.find(|(key, _)| *key == name);
            found.map_or("", |(_, value)| value)
        };
        let fields = target.parameter("fieldSelector");
        Self {
            list: target.path.clone(),
            name: fields.strip_prefix("metadata.name=").map(str::to_owned),
            version: parameter("resourceVersion").parse().unwrap_or(0),
            bookmarks: parameter("allowWatchBookmarks") == "true",
            time: parameter("timeoutSeconds")
                .parse()
                .map_or(LONGEST, Duration::from_secs),
        }
    }
}

/// The stream of a watch. Its times go by a clock that is so many times as
/// fast as this machine's.
pub fn stream(
    watches: &Arc<Watches>,
    target: &Target,
    text: &str,
    rate: u32,
    finish: Finish,
) -> Stream {
    let asked = Asked::of(target, text);
    let (send, lines) = mpsc::channel(16);
    tokio::spawn(tell(Arc::clone(watches), asked, rate, send));
    Stream {
        lines,
        _finish: finish,
    }
}

type Lines = mpsc::Sender<io::Result<Bytes>>;

async fn tell(watches: Arc<Watches>, asked: Asked, rate: u32, send: Lines) {
    let mut newest = watches.newest.subscribe();
    let mut interrupts = watches.interrupts.subscribe();
    let end = Instant::now() + asked.time / rate;
    let mut version = asked.version;
    if version < *watches.oldest.lock().expect("oldest") {
        _ = send.send(Ok(failure(410))).await;
        return;
    }
    loop {
        newest.mark_unchanged();
        for (written, line) in watches.after(version, &asked) {
            version = written;
            if send.send(Ok(line)).await.is_err() {
                return;
            }
        }
        tokio::select! {
            _ = newest.changed() => {}
            interrupt = interrupts.recv() => {
                let Ok(interrupt) = interrupt else { return };
                return interrupted(interrupt, version, &send).await;
            }
            // Once a minute, as the API server does it.
            () = sleep(Duration::from_secs(60) / rate), if asked.bookmarks => {
                version = version.max(*newest.borrow());
                if send.send(Ok(bookmark(version))).await.is_err() {
                    return;
                }
            }
            () = sleep_until(end) => return,
            () = send.closed() => return,
        }
    }
}

async fn interrupted(interrupt: Interrupt, version: u64, send: &Lines) {
    let last = match interrupt {
        Interrupt::End => return,
        Interrupt::Cut => {
            let line = bookmark(version);
            Ok(line.slice(..line.len() / 2))
        }
        Interrupt::Break => {
            let line = bookmark(version);
            _ = send.send(Ok(line.slice(..line.len() / 2))).await;
            sleep(FLUSH).await;
            Err(io::ErrorKind::ConnectionAborted.into())
        }
        Interrupt::Expired => Ok(failure(410)),
        Interrupt::Failed => Ok(failure(500)),
    };
    _ = send.send(last).await;
}

fn line(kind: &str, object: &Value) -> Bytes {
    format!("{}\n", json!({"type": kind, "object": object})).into()
}

fn bookmark(version: u64) -> Bytes {
    let object = json!({
        "kind": "HorizontalPodAutoscaler",
        "apiVersion": "autoscaling/v2",
        "metadata": {"resourceVersion": version.to_string()},
        "spec": {"scaleTargetRef": {"kind": "", "name": ""}, "maxReplicas": 0},
        "status": {"currentReplicas": 0, "desiredReplicas": 0},
    });
    line("BOOKMARK", &object)
}

fn failure(code: u16) -> Bytes {
    line("ERROR", &status::of(code, "/", "").value())
}

/// A watch that is being sent.
pub struct Stream {
    lines: mpsc::Receiver<io::Result<Bytes>>,
    _finish: Finish,
}

impl Body for Stream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let line = self.lines.poll_recv(context);
        line.map(|line| line.map(|line| line.map(Frame::data)))
    }
}
