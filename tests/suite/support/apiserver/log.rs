//! The requests that a server got.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use hyper::header::{HeaderMap, HeaderName};
use hyper::{Method, Request, Version};

/// A request.
#[derive(Clone, Debug)]
pub struct Entry {
    pub method: Method,
    /// Path and query as they were sent.
    pub target: String,
    pub headers: HeaderMap,
    pub version: Version,
    /// Which connection it came over, by the order of their beginning.
    pub connection: usize,
    /// The status that was answered; 0 before that.
    pub status: u16,
    pub started: Instant,
    /// When the last of the body was handed to the connection, or when nobody
    /// wanted it any more.
    pub ended: Option<Instant>,
    /// How many requests were under way when it came, itself included.
    pub in_flight: usize,
    /// One more than the last stage that had ended when it came: the number
    /// of requests that it may have waited for, one after another. It tells
    /// something only if answers take their time, as with `Fault::Latency`;
    /// otherwise the first of two parallel requests ends before the second
    /// comes.
    pub stage: usize,
}

impl Entry {
    /// A header as text; empty if it was not sent.
    pub fn header(&self, name: &str) -> &str {
        let name: HeaderName = name.parse().expect("a header");
        let value = self.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The path without its query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// The requests, in the order in which they came.
#[derive(Default)]
pub struct Log {
    entries: Mutex<Vec<(usize, Entry)>>,
    next: AtomicUsize,
}

impl Log {
    pub fn start<B>(self: &Arc<Self>, request: &Request<B>, connection: usize) -> Finish {
        let started = Instant::now();
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut entries = self.entries.lock().expect("log");
        let ended = entries.iter().filter(|(_, entry)| entry.ended.is_some());
        let stage = ended.map(|(_, entry)| entry.stage).max().unwrap_or(0) + 1;
        let open = entries.iter().filter(|(_, entry)| entry.ended.is_none());
        let in_flight = open.count() + 1;
        let target = request.uri().path_and_query();
        let entry = Entry {
            method: request.method().clone(),
            target: target.map_or(String::new(), ToString::to_string),
            headers: request.headers().clone(),
            version: request.version(),
            connection,
            status: 0,
            started,
            ended: None,
            in_flight,
            stage,
        };
        entries.push((id, entry));
        Finish {
            log: Arc::clone(self),
            id,
        }
    }

    pub fn entries(&self) -> Vec<Entry> {
        let entries = self.entries.lock().expect("log");
        entries.iter().map(|(_, entry)| entry.clone()).collect()
    }

    pub fn forget(&self) {
        self.entries.lock().expect("log").clear();
    }

    fn change(&self, id: usize, change: impl FnOnce(&mut Entry)) {
        let mut entries = self.entries.lock().expect("log");
        // It may be forgotten by now.
        if let Some((_, entry)) = entries.iter_mut().find(|(known, _)| *known == id) {
            change(entry);
        }
    }
}

/// Ends a request in the log when it is dropped.
pub struct Finish {
    log: Arc<Log>,
    id: usize,
}

impl Finish {
    pub fn answered(&self, status: u16) {
        self.log.change(self.id, |entry| entry.status = status);
    }
}

impl Drop for Finish {
    fn drop(&mut self) {
        let now = Instant::now();
        self.log.change(self.id, |entry| entry.ended = Some(now));
    }
}
