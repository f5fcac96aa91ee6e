//! A watch on one HPA: every state of it that was written.
//!
//! A watch goes on from the version of the last object that it showed, so a
//! connection that ends loses nothing. Only where the server no longer keeps
//! what came after that version, what was written meanwhile is lost, and the
//! HPA is listed anew. Nothing that goes wrong ends the watch.

use std::time::Duration;

use futures_util::stream::{self, Stream};
use serde::Deserialize;
use tokio::time::{Instant, sleep, timeout};

use super::listed;
use crate::api::HorizontalPodAutoscaler;
use crate::collect::request::pages::PageMeta;
use crate::collect::request::{CollectError, Lines, Reader, Unanswered, paths};

/// For how long a watch is asked for, in seconds of the server's clock. It
/// bounds how long a connection that died unnoticed is listened to.
const SECONDS: u32 = 240;

/// The delays before the watch is asked for again.
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// How long after a line the next one is read: nobody writes an HPA as often,
/// and a server that floods us has to wait.
const APART: Duration = Duration::from_millis(20);

/// A watch that the server ends sooner than this was none.
const SHORTEST: Duration = Duration::from_secs(1);

/// How often the server's clock goes round while this machine's does once: 1,
/// except with a server for tests. Waits are given in the server's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace(pub u32);

impl Pace {
    /// How long a time of the server's is on this machine.
    pub fn here(self, time: Duration) -> Duration {
        time / self.0.max(1)
    }
}

/// What a watch sees.
#[derive(Debug)]
pub enum WatchNews {
    /// The server lets us watch, at first or again.
    Watching,
    /// The HPA as it was written.
    Written(Box<HorizontalPodAutoscaler>),
    /// There is no such HPA any more.
    Deleted,
    /// Something went wrong; the watch goes on. What was written meanwhile is
    /// still seen, unless the reason says otherwise.
    Gap(CollectError),
    /// The server no longer keeps what was written since the last state: all
    /// but the newest of it is lost.
    Lost(String),
}

/// Where a watch begins.
#[derive(Debug)]
pub struct Start {
    /// The HPA as it is.
    pub hpa: HorizontalPodAutoscaler,
    /// The version of the list that it was in.
    version: String,
}

impl Start {
    /// Reads the HPA for a watch to begin with.
    ///
    /// # Errors
    ///
    /// Why it cannot be read.
    pub async fn read(reader: &Reader, namespace: &str, name: &str) -> Result<Self, CollectError> {
        let listed = listed::autoscaler(reader, namespace, name).await?;
        let hpa = listed
            .hpa
            .ok_or_else(|| CollectError::no_autoscaler(name))?;
        Ok(Self {
            hpa,
            version: listed.version,
        })
    }
}

/// Watches an HPA from where it was read, without an end.
pub fn watch<'r>(
    reader: &'r Reader,
    namespace: &'r str,
    start: &Start,
    pace: Pace,
) -> impl Stream<Item = WatchNews> + 'r {
    let watch = Watch {
        reader,
        namespace,
        name: start.hpa.metadata.name.to_string(),
        pace,
        version: Some(start.version.clone()),
        is_listed_anew: false,
        open: None,
        delay: None,
        backoff: Backoff::new(FIRST_DELAY, LONGEST_DELAY),
    };
    stream::unfold(watch, |mut watch| async move {
        let observed = watch.next().await;
        Some((observed, watch))
    })
}

struct Watch<'r> {
    reader: &'r Reader,
    namespace: &'r str,
    name: String,
    pace: Pace,
    /// The version to go on from; none where the HPA is to be listed anew.
    version: Option<String>,
    /// Whether it was, and nothing has come since.
    is_listed_anew: bool,
    open: Option<OpenWatch>,
    /// What to wait for before anything else.
    delay: Option<Duration>,
    backoff: Backoff,
}

/// A watch that the server answers.
struct OpenWatch {
    lines: Lines,
    since: Instant,
    has_reported: bool,
}

impl Watch<'_> {
    /// What is seen next. What goes wrong is handed out before it is waited
    /// for.
    async fn next(&mut self) -> WatchNews {
        loop {
            if let Some(delay) = self.delay.take() {
                sleep(self.pace.here(delay)).await;
            }
            match self.step().await {
                Ok(Some(observed)) => return observed,
                Ok(None) => {}
                Err(error) => {
                    self.open = None;
                    self.delay = Some(self.backoff.failed());
                    return WatchNews::Gap(error);
                }
            }
        }
    }

    async fn step(&mut self) -> Result<Option<WatchNews>, CollectError> {
        let Some(version) = self.version.clone() else {
            return self.list().await.map(Some);
        };
        match &mut self.open {
            Some(open) => {
                let quiet = Duration::from_secs(u64::from(SECONDS));
                let quiet = self.pace.here(quiet) + self.reader.patience().request;
                let line = timeout(quiet, open.lines.next()).await;
                let line = line.unwrap_or(Err(Unanswered::Timeout(quiet)))?;
                self.reported(line)
            }
            None => self.open(&version).await,
        }
    }

    async fn open(&mut self, version: &str) -> Result<Option<WatchNews>, CollectError> {
        let endpoint = paths::watch_autoscaler(self.namespace, &self.name, version, SECONDS);
        match self.reader.lines(&endpoint).await {
            Ok(lines) => {
                self.open = Some(OpenWatch {
                    lines,
                    since: Instant::now(),
                    has_reported: false,
                });
                Ok(Some(WatchNews::Watching))
            }
            Err(error) if error.is_expired() => Ok(Some(self.expired(error.reason()))),
            Err(error) => Err(error),
        }
    }

    /// What a line says, or the end of the watch.
    fn reported(&mut self, line: Option<Vec<u8>>) -> Result<Option<WatchNews>, CollectError> {
        let Some(line) = line else {
            return self.ended();
        };
        let event = WatchEvent::read(&line)?;
        if !matches!(event, WatchEvent::Expired(_)) {
            self.backoff.went_well();
            self.is_listed_anew = false;
        }
        if let Some(open) = &mut self.open {
            open.has_reported = true;
        }
        self.delay = Some(APART);
        Ok(match event {
            WatchEvent::Put(hpa, version) => {
                self.version = Some(version);
                Some(WatchNews::Written(hpa))
            }
            WatchEvent::Deleted(version) => {
                self.version = Some(version);
                Some(WatchNews::Deleted)
            }
            WatchEvent::Bookmark(version) => {
                self.version = Some(version);
                None
            }
            WatchEvent::Expired(why) => Some(self.expired(why)),
        })
    }

    /// A server ends each watch after a while. One that does so at once is
    /// not asked at once again.
    fn ended(&mut self) -> Result<Option<WatchNews>, CollectError> {
        let was_one = self.open.take().is_some_and(|open| {
            open.has_reported || open.since.elapsed() >= self.pace.here(SHORTEST)
        });
        if was_one {
            return Ok(None);
        }
        let text = "the server ended the watch at once".to_owned();
        Err(CollectError::Unanswered(Unanswered::Body(text)))
    }

    /// Lists the HPA anew: at once, unless that was of no use just now.
    fn expired(&mut self, why: String) -> WatchNews {
        self.open = None;
        self.version = None;
        if self.is_listed_anew {
            self.delay = Some(self.backoff.failed());
        }
        WatchNews::Lost(why)
    }

    async fn list(&mut self) -> Result<WatchNews, CollectError> {
        let listed = listed::autoscaler(self.reader, self.namespace, &self.name).await?;
        self.version = Some(listed.version);
        self.is_listed_anew = true;
        Ok(match listed.hpa {
            Some(hpa) => WatchNews::Written(Box::new(hpa)),
            None => WatchNews::Deleted,
        })
    }
}

/// Delays that grow to a bound, until something goes well.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    first: Duration,
    most: Duration,
    next: Duration,
}

impl Backoff {
    /// Delays from the first one to the longest, each twice the one before.
    pub fn new(first: Duration, most: Duration) -> Self {
        Self {
            first,
            most,
            next: first.min(most),
        }
    }

    /// How long to wait after one more failure.
    pub fn failed(&mut self) -> Duration {
        let delay = self.next;
        self.next = self.next.saturating_mul(2).min(self.most);
        delay
    }

    /// Something went well: the next failure is a first one.
    pub fn went_well(&mut self) {
        self.next = self.first.min(self.most);
    }
}

/// What a line of a watch says.
#[derive(Debug)]
pub enum WatchEvent {
    /// The HPA was written: as it is now, and the version to go on from.
    Put(Box<HorizontalPodAutoscaler>, String),
    Deleted(String),
    /// Nothing happened up to this version.
    Bookmark(String),
    /// The version to go on from is no longer kept.
    Expired(String),
}

#[derive(Deserialize)]
struct EventLine<T> {
    #[serde(rename = "type")]
    kind: String,
    object: T,
}

/// Of an object its version, of a Status why.
#[derive(Deserialize)]
struct EventObject {
    #[serde(default)]
    metadata: PageMeta,
    #[serde(default)]
    message: String,
    #[serde(default)]
    code: u16,
}

impl WatchEvent {
    /// Reads a line.
    /// Errors: it is none of a watch on HPAs, or the server says what went wrong.
    pub fn read(line: &[u8]) -> Result<Self, CollectError> {
        let unexpected =
            |error| CollectError::Malformed(format!("unexpected line of the watch: {error}"));
        let head: EventLine<EventObject> = serde_json::from_slice(line).map_err(unexpected)?;
        let version = head.object.metadata.resource_version;
        match head.kind.as_str() {
            "ADDED" | "MODIFIED" => {
                let whole: EventLine<_> = serde_json::from_slice(line).map_err(unexpected)?;
                Ok(Self::Put(whole.object, version))
            }
            "DELETED" => Ok(Self::Deleted(version)),
            "BOOKMARK" => Ok(Self::Bookmark(version)),
            "ERROR" if head.object.code == 410 => Ok(Self::Expired(head.object.message)),
            "ERROR" => Err(CollectError::Malformed(head.object.message)),
            other => Err(CollectError::Malformed(format!(
                "unexpected line of the watch: type {other:?}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Backoff, WatchEvent};

    #[test]
    fn delays_grow_to_their_bound_and_begin_anew() {
        let mut backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(30));
        let mut delays = || -> Vec<u64> {
            let failed = (0..7).map(|_| backoff.failed().as_secs()).collect();
            backoff.went_well();
            failed
        };
        assert_eq!(delays(), [1, 2, 4, 8, 16, 30, 30]);
        assert_eq!(delays(), [1, 2, 4, 8, 16, 30, 30]);
    }

    #[test]
    fn a_line_is_one_of_five_or_a_reason() {
        let hpa = |kind: &str| {
            format!(
                r#"{{"type":"{kind}","object":{{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",
                "metadata":{{"name":"web","resourceVersion":"7"}},
                "spec":{{"scaleTargetRef":{{"kind":"Deployment","name":"web"}},"maxReplicas":5}},
                "status":{{"desiredReplicas":3}}}}}}"#
            )
        };
        let status = |code: u16| {
            format!(
                r#"{{"type":"ERROR","object":{{"kind":"Status","message":"too old","code":{code}}}}}"#
            )
        };
        let rows = [
            (hpa("ADDED"), "put web 3 at 7"),
            (hpa("MODIFIED"), "put web 3 at 7"),
            (hpa("DELETED"), "deleted at 7"),
            (
                r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}"#.to_owned(),
                "bookmark at 9",
            ),
            (status(410), "expired: too old"),
            (status(500), "failed: too old"),
            (hpa("OTHER"), "failed: unexpected line of the watch: type"),
            (hpa("ADDED").replace("spec", "x"), "failed: unexpected line"),
            ("{".to_owned(), "failed: unexpected line"),
            (String::new(), "failed: unexpected line"),
        ];
        for (line, says) in rows {
            let read = match WatchEvent::read(line.as_bytes()) {
                Ok(WatchEvent::Put(hpa, version)) => {
                    let requested = hpa.status.desired_replicas;
                    format!("put {} {requested} at {version}", hpa.metadata.name)
                }
                Ok(WatchEvent::Deleted(version)) => format!("deleted at {version}"),
                Ok(WatchEvent::Bookmark(version)) => format!("bookmark at {version}"),
                Ok(WatchEvent::Expired(why)) => format!("expired: {why}"),
                Err(why) => format!("failed: {why}"),
            };
            assert!(read.starts_with(says), "{line}: {read}");
        }
    }
}
