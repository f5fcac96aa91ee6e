//! What can go wrong, on purpose.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::body::Pace;
use super::discovery;
use super::list::Token;
use super::reply::{JSON, Reply};
use super::status;
use super::target::Target;

/// A fault of some paths. Those that answer in the place of the recording
/// exclude each other: the one set last wins. The others add up.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Every answer comes this much later. To simulate a round trip of the
    /// network, handshakes included, see `Builder::round_trip`.
    Latency(Duration),
    /// A failure as a Status: 401, 403, 404, 405, 429, 500, 503, 504.
    Status(u16),
    /// A failure as plain text, as proxies and the layers before the API
    /// answer.
    Text(u16),
    /// 429 so many times, then fine.
    TooManyRequests { times: usize, retry_after: u64 },
    /// Half of the body, then the end of the connection.
    Truncated,
    /// A byte after each such time, and never an end.
    Trickle(Duration),
    /// The body compressed, for who asks for it.
    Gzip,
    /// The body, and then blanks as fast as they are read, without an end.
    Endless,
    /// A small compressed body that is far too large once it is unpacked.
    Bomb,
    /// To another path, with the status 302.
    Redirect(&'static str),
    /// Another document, with success.
    Instead(&'static str),
    /// A page without pods, and a token for the next one.
    EmptyPages,
    /// 410 to everything, each time with another token to go on with.
    Gone,
    /// Nobody may watch, only list.
    NoWatch,
    /// The API group of the path is not there, in discovery neither.
    MissingGroup,
    /// A `Warning` header.
    Warning(String),
    /// Continue tokens are too old, except those that a 410 hands out.
    ExpiredContinue,
}

/// Names a fault that was set, to take it away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaultId(usize);

/// The faults that are set.
#[derive(Default)]
pub struct Faults {
    set: Mutex<Vec<Set>>,
    next: AtomicUsize,
}

struct Set {
    id: FaultId,
    prefix: String,
    fault: Fault,
}

/// What the faults do to one request.
#[derive(Default)]
pub struct Effects {
    pub latency: Duration,
    pub instead: Option<Reply>,
    pub warnings: Vec<String>,
    pub gzip: bool,
    pub pace: Pace,
    /// Groups that discovery must not name.
    pub missing: Vec<String>,
}

impl Faults {
    pub fn set(&self, prefix: &str, fault: Fault) -> FaultId {
        let id = FaultId(self.next.fetch_add(1, Ordering::Relaxed));
        self.set.lock().expect("faults").push(Set {
            id,
            prefix: prefix.to_owned(),
            fault,
        });
        id
    }

    pub fn lift(&self, id: FaultId) {
        self.set.lock().expect("faults").retain(|set| set.id != id);
    }

    pub fn lift_all(&self) {
        self.set.lock().expect("faults").clear();
    }

    pub fn effects(&self, target: &Target, user: &str) -> Effects {
        let mut effects = Effects::default();
        for set in self.set.lock().expect("faults").iter_mut() {
            if matches!(set.fault, Fault::MissingGroup) && target.path == "/apis" {
                let group = set.prefix.trim_start_matches("/apis/");
                effects.missing.push(group.to_owned());
            }
            // Of one path that is read and written, the writes alone.
            let writes = set.prefix.strip_suffix("?dryRun=All");
            let is_meant = writes.is_none() || target.parameter("dryRun") == "All";
            if is_meant && matches(writes.unwrap_or(&set.prefix), &target.path) {
                effects.add(&mut set.fault, target, user);
            }
        }
        effects
    }
}

impl Effects {
    fn add(&mut self, fault: &mut Fault, target: &Target, user: &str) {
        match fault {
            Fault::Latency(time) => self.latency += *time,
            Fault::Status(code) => self.instead = Some(status::of(*code, &target.path, user)),
            Fault::Text(code) => self.instead = Some(status::text(*code)),
            Fault::TooManyRequests { times: 0, .. } => {}
            Fault::TooManyRequests { times, retry_after } => {
                *times -= 1;
                self.instead = Some(status::too_many_requests(*retry_after));
            }
            Fault::Truncated => self.pace = Pace::Truncated,
            Fault::Trickle(every) => self.pace = Pace::Trickle(*every),
            Fault::Endless => self.pace = Pace::Endless,
            Fault::Bomb => self.instead = Some(bomb()),
            Fault::Redirect(path) => {
                self.instead = Some(Reply::text(302, "Found").with("location", path));
            }
            Fault::Instead(body) => self.instead = Some(Reply::bytes(200, JSON, *body)),
            Fault::EmptyPages => {
                let metadata = json!({ "continue": another_token() });
                let page = json!({ "kind": "PodList", "apiVersion": "v1", "metadata": metadata,
                    "items": [] });
                self.instead = Some(Reply::json(200, &page));
            }
            Fault::Gone => self.instead = Some(status::expired(&another_token())),
            Fault::NoWatch if target.is_watch() => {
                self.instead = Some(status::may_not_watch(&target.path, user));
            }
            Fault::NoWatch => {}
            Fault::Gzip => self.gzip = true,
            Fault::MissingGroup => self.instead = Some(status::page_not_found()),
            Fault::Warning(text) => self.warnings.push(format!("299 - {text:?}")),
            Fault::ExpiredContinue => {
                let token = Token::read(target.parameter("continue"));
                if let Some(token) = token.filter(|token| token.revision >= 0) {
                    let newest = Token {
                        revision: -1,
                        ..token
                    };
                    self.instead = Some(status::expired(&newest.text()));
                }
            }
        }
    }

    /// The answer without the groups that are missing.
    pub fn without_missing(&self, reply: Reply) -> Reply {
        if self.missing.is_empty() || reply.status != 200 {
            return reply;
        }
        let mut document = reply.value();
        for group in &self.missing {
            discovery::without_group(&mut document, group);
        }
        Reply {
            body: document.to_string().into(),
            ..reply
        }
    }
}

/// A token that was not given out before.
fn another_token() -> String {
    static GIVEN: AtomicUsize = AtomicUsize::new(0);
    format!("token-{}", GIVEN.fetch_add(1, Ordering::Relaxed))
}

/// 256 MiB of blanks, in a few hundred KiB.
fn bomb() -> Reply {
    static PACKED: OnceLock<Vec<u8>> = OnceLock::new();
    let packed = PACKED.get_or_init(|| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        let blanks = vec![b' '; 1 << 20];
        for _ in 0..256 {
            packed.write_all(&blanks).expect("memory takes everything");
        }
        packed.finish().expect("memory takes everything")
    });
    Reply::bytes(200, JSON, packed.clone()).with("content-encoding", "gzip")
}

/// Whether a path is the prefix's or beneath it. Everything is beneath `/`,
/// and a `$` at the end stands for: this path only.
fn matches(prefix: &str, path: &str) -> bool {
    if let Some(whole) = prefix.strip_suffix('$') {
        return path == whole;
    }
    let rest = path.strip_prefix(prefix.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
