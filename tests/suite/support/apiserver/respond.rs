//! From a request to its answer.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::{BodyExt, Either};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap};
use hyper::{Method, Request, Response};
use jiff::fmt::rfc2822::DateTimePrinter;
use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;

use super::body::{Pace, Sending};
use super::dry_run;
use super::fault::Faults;
use super::log::Log;
use super::partial;
use super::reply::{JSON, Reply};
use super::status;
use super::target::Target;
use super::watch::{self, Watches};
use super::world::World;

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    pub connection: usize,
    /// Whether it showed a certificate of the server's CA.
    pub has_certificate: bool,
}

/// Who is let in: everybody, if nothing is required.
#[derive(Default)]
pub struct Auth {
    pub token: Option<String>,
    pub certificate: bool,
}

impl Auth {
    fn admits(&self, headers: &HeaderMap, peer: Peer) -> bool {
        let token = self.token.as_ref().is_some_and(|token| {
            let header = headers.get(header::AUTHORIZATION);
            header.is_some_and(|header| *header == *format!("Bearer {token}"))
        });
        let certificate = self.certificate && peer.has_certificate;
        token || certificate || (self.token.is_none() && !self.certificate)
    }
}

/// The time of the recording, going on since the server started, so many
/// times as fast as this machine's; 0 times if it stands still.
#[derive(Clone, Copy)]
pub struct Clock {
    pub start: Timestamp,
    pub started: Instant,
    pub rate: u32,
}

impl Clock {
    pub fn now(&self) -> Timestamp {
        let passed = self.started.elapsed() * self.rate;
        self.start + SignedDuration::try_from(passed).expect("a short test")
    }
}

/// What was answered, by target and `Accept`, to cost nothing the next time.
type Cache = Mutex<HashMap<(String, String), Served>>;

#[derive(Clone)]
struct Served {
    reply: Reply,
    gzip: Option<Bytes>,
}

/// What the test and the server share.
pub struct Shared {
    pub world: RwLock<World>,
    pub faults: Faults,
    pub log: Arc<Log>,
    pub auth: Mutex<Auth>,
    pub clock: Clock,
    pub user: String,
    pub watches: Arc<Watches>,
    cache: Cache,
}

impl Shared {
    pub fn new(world: World, start: Timestamp, rate: u32, user: &str) -> Self {
        Self {
            world: RwLock::new(world),
            faults: Faults::default(),
            log: Arc::default(),
            auth: Mutex::default(),
            clock: Clock {
                start,
                started: Instant::now(),
                rate,
            },
            user: user.to_owned(),
            watches: Arc::default(),
            cache: Cache::default(),
        }
    }

    pub fn change(&self, change: impl FnOnce(&mut World)) {
        change(&mut self.world.write().expect("world"));
        self.cache.lock().expect("cache").clear();
    }

    fn served(&self, key: (String, String), target: &Target, user: &str, gzip: bool) -> Served {
        let mut cache = self.cache.lock().expect("cache");
        let accept = key.1.clone();
        let served = cache.entry(key).or_insert_with(|| {
            let world = self.world.read().expect("world");
            Served {
                reply: partial::apply(world.answer(target, &accept, user), &accept),
                gzip: None,
            }
        });
        if gzip && served.gzip.is_none() {
            served.gzip = Some(compressed(&served.reply.body));
        }
        let mut served = served.clone();
        served.gzip = served.gzip.filter(|_| gzip);
        served
    }
}

pub async fn respond(
    request: Request<Incoming>,
    peer: Peer,
    shared: &Shared,
) -> Response<Either<Sending, watch::Stream>> {
    let finish = shared.log.start(&request, peer.connection);
    let headers = request.headers();
    let target = request.uri().path_and_query();
    let text = target.map_or("/", |target| target.as_str()).to_owned();
    let target = Target::parse(&text);
    let user = field(headers, "impersonate-user")
        .unwrap_or(&shared.user)
        .to_owned();
    let user = user.as_str();
    let effects = shared.faults.effects(&target, user);
    let gzip = effects.gzip
        && field(headers, "accept-encoding").is_some_and(|accepted| accepted.contains("gzip"));

    let refusal = if !shared.auth.lock().expect("auth").admits(headers, peer) {
        Some(401)
    } else if request.method() != Method::GET && target.parameter("dryRun") != "All" {
        Some(405)
    } else {
        None
    };
    let refusal = refusal.map(|code| status::of(code, &target.path, user));
    if refusal.is_none() && effects.instead.is_none() && target.is_watch() {
        sleep(effects.latency).await;
        finish.answered(200);
        let rate = shared.clock.rate.max(1);
        let stream = watch::stream(&shared.watches, &target, &text, rate, finish);
        let reply = Reply::bytes(200, JSON, "");
        let response = head(&Served { reply, gzip: None }, &effects.warnings, shared);
        return response.body(Either::Right(stream)).expect("a response");
    }
    let mut served = if let Some(reply) = refusal.or_else(|| effects.instead.clone()) {
        Served { reply, gzip: None }
    } else if request.method() != Method::GET {
        let method = request.method().clone();
        let sent = request.into_body().collect().await.expect("a body");
        let sent = serde_json::from_slice(&sent.to_bytes()).expect("JSON");
        let stored = (method == Method::PATCH).then(|| {
            let world = shared.world.read().expect("world");
            world
                .answer(&Target::parse(&target.path), JSON, user)
                .value()
        });
        let reply = dry_run::answer(stored, &sent);
        Served { reply, gzip: None }
    } else {
        let accept = field(request.headers(), "accept")
            .unwrap_or_default()
            .to_owned();
        // The user is in the words of what is forbidden to him.
        shared.served((format!("{user} {text}"), accept), &target, user, gzip)
    };
    if !effects.missing.is_empty() {
        let reply = effects.without_missing(served.reply);
        served = Served { reply, gzip: None };
    }
    // A timer takes a while even if there is nothing to wait for.
    if !effects.latency.is_zero() {
        sleep(effects.latency).await;
    }
    finish.answered(served.reply.status);
    let body = served.gzip.as_ref().unwrap_or(&served.reply.body).clone();
    let mut response = head(&served, &effects.warnings, shared);
    if effects.pace == Pace::Truncated {
        response = response.header(header::CONTENT_LENGTH, body.len());
    }
    response
        .body(Either::Left(Sending::new(body, effects.pace, finish)))
        .expect("a response")
}

fn head(served: &Served, warnings: &[String], shared: &Shared) -> hyper::http::response::Builder {
    let date = DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&shared.clock.now())
        .expect("a date");
    let mut response = Response::builder()
        .status(served.reply.status)
        .header(header::DATE, date)
        .header(header::CACHE_CONTROL, "no-cache, private")
        .header(header::CONTENT_TYPE, &served.reply.content_type);
    for (name, value) in &served.reply.headers {
        response = response.header(*name, value);
    }
    for warning in warnings {
        response = response.header(header::WARNING, warning);
    }
    if served.gzip.is_some() {
        response = response
            .header(header::CONTENT_ENCODING, "gzip")
            .header(header::VARY, "Accept-Encoding");
    }
    response
}

/// Quickly rather than well, as the API server does it.
fn compressed(body: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory").into()
}

fn field<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
