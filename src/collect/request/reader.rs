//! GET requests, and writes that the server forgets again: each within its
//! deadline, all within one.

use std::cell::RefCell;
use std::future::pending;
use std::time::Duration;

use http::header::{CONTENT_TYPE, DATE, RETRY_AFTER, WARNING};
use http::{HeaderMap, HeaderName, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use jiff::{SignedDuration, Timestamp};
use kube::Client;
use kube::client::Body;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use tokio::time::{Instant, sleep, timeout_at};

use super::collect_error::failed;
use super::items::Items;
use super::paths::TypeMeta;
use crate::api::{AnswerError, Answered, ReadFailure};
use crate::budget::{self, MOST_REQUESTS, Spent};
use crate::collect::connect::innermost;
use crate::collect::request::{CollectError, Depth, Endpoint, Lines, Status, collect_error};

/// The most that is held of a body, beside the objects that were taken out of
/// it; a page of 500 pods as a whole stays far below.
const MOST_BYTES: usize = 32 << 20;

/// A Status is no longer than this.
const MOST_BYTES_OF_STATUS: usize = 4 << 10;

/// How many bytes of what is no JSON are shown.
const LONGEST_BEGINNING: usize = 40;

/// How often a server that asks for patience is asked again. client-go has
/// more of it, but nobody waits in front of client-go.
const MOST_RETRIES: usize = 3;

/// How often it is looked whether somebody has ended the run.
const GLANCE: Duration = Duration::from_millis(50);

/// How long to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For one request.
    pub request: Duration,
    /// For all of them together.
    pub whole: Duration,
}

/// Why a request has no answer at all.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// The server did not answer this request in time.
    #[error("the server did not answer within {}", seconds(.0))]
    Timeout(Duration),
    /// The time for all requests together is over.
    #[error("not everything could be read within {}", seconds(.0))]
    Late(Duration),
    /// The server could not be reached, or broke off.
    #[error("{}", innermost(.0))]
    Broken(kube::Error),
    /// The body broke off.
    #[error("the answer broke off: {0}")]
    Body(String),
    /// The body is larger than that of any answer.
    #[error("the answer is larger than {} MiB", MOST_BYTES >> 20)]
    TooLarge,
    /// The run has used up what it may take.
    #[error(transparent)]
    Spent(#[from] Spent),
}

/// `15s`, or `0.5s`.
fn seconds(duration: &Duration) -> String {
    format!("{}s", duration.as_secs_f64())
}

/// An answer, successful or not.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// Why an answer holds no object.
#[derive(Debug)]
pub enum NoObject {
    /// It is no success; in client-go's words.
    Failed(AnswerError),
    /// It is not what was asked for.
    Malformed(String),
}

/// A request that was sent, for those who want to see what is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The method; anything but `GET` is a dry run.
    pub method: Method,
    /// The path with its query.
    pub path: String,
    /// The HTTP status; `None` where there was no answer.
    pub status: Option<u16>,
    /// From sending it to the end of the answer.
    pub took: Duration,
}

/// Sends requests, and keeps what the answers say beside their content.
pub struct Reader {
    client: Client,
    patience: Patience,
    deadline: Instant,
    heard: RefCell<Heard>,
}

/// What the answers say beside their content.
#[derive(Debug, Default)]
struct Heard {
    warnings: Vec<String>,
    date: Option<(Timestamp, Instant)>,
    clock_ahead: Option<SignedDuration>,
    sent: Vec<Sent>,
}

impl Reader {
    /// A reader whose time starts now.
    pub fn new(client: Client, patience: Patience) -> Self {
        Self {
            client,
            patience,
            deadline: after(patience.whole),
            heard: RefCell::default(),
        }
    }

    /// The time by the server's clock: that of its latest answer (the `Date`
    /// header, whole seconds) plus the whole seconds since then.
    pub fn server_time(&self) -> Option<Timestamp> {
        let (date, heard_at) = self.heard.borrow().date?;
        let since = i64::try_from(heard_at.elapsed().as_secs()).ok()?;
        date.checked_add(SignedDuration::from_secs(since)).ok()
    }

    /// How far this machine's clock is ahead of the server's, give or take
    /// half a second and the way of the answer.
    pub fn clock_ahead(&self) -> Option<SignedDuration> {
        self.heard.borrow().clock_ahead
    }

    /// The server's warnings, once each.
    pub fn warnings(&self) -> Vec<String> {
        self.heard.borrow().warnings.clone()
    }

    /// The requests so far, in the order in which they ended.
    pub fn sent(&self) -> Vec<Sent> {
        self.heard.borrow().sent.clone()
    }

    /// The requests since they were last taken, for those who go on for long.
    pub fn take_sent(&self) -> Vec<Sent> {
        std::mem::take(&mut self.heard.borrow_mut().sent)
    }

    /// How long is waited for answers.
    pub fn patience(&self) -> Patience {
        self.patience
    }

    /// Sends one GET and reads the whole answer.
    ///
    /// # Errors
    ///
    /// No answer, or none in time.
    pub async fn get(&self, endpoint: &Endpoint) -> Result<Reply, Unanswered> {
        self.got(endpoint, &mut |_| false).await
    }

    /// The same for a list, whose objects are handed over as they come. Those that
    /// are taken, up to the first that is not, or is none, are no part of the reply.
    ///
    /// # Errors
    ///
    /// No answer, or none in time.
    pub async fn get_list<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        mut take: impl FnMut(T) -> bool,
    ) -> Result<Reply, Unanswered> {
        let mut read = |object: &[u8]| serde_json::from_slice(object).is_ok_and(&mut take);
        self.got(endpoint, &mut read).await
    }

    async fn got(&self, endpoint: &Endpoint, take: Take<'_>) -> Result<Reply, Unanswered> {
        if self.heard.borrow().sent.len() >= MOST_REQUESTS {
            return Err(Spent::Requests.into());
        }
        let started = Instant::now();
        let until = after(self.patience.request).min(self.deadline);
        let exchange = async {
            tokio::select! {
                // Boxed: everybody who asks holds one.
                result = Box::pin(self.patiently(endpoint, until, take)) => result,
                () = interrupted() => Err(Spent::Interrupted.into()),
            }
        };
        let result = match timeout_at(until, exchange).await {
            Ok(result) => result,
            Err(_) if until == self.deadline => Err(Unanswered::Late(self.patience.whole)),
            Err(_) => Err(Unanswered::Timeout(self.patience.request)),
        };
        let status = result.as_ref().ok().map(|reply| reply.status);
        self.note(Method::GET, endpoint, status, started);
        result
    }

    /// Asks again where the server wants to be asked later, as client-go
    /// does, as long as there is time for it.
    async fn patiently(
        &self,
        endpoint: &Endpoint,
        until: Instant,
        take: Take<'_>,
    ) -> Result<Reply, Unanswered> {
        let mut retries = 0;
        loop {
            let reply = whole_reply(self.send(&endpoint.path).await?, endpoint.depth, take).await?;
            match reply.retry_after() {
                Some(wait) if retries < MOST_RETRIES && ends_before(wait, until) => {
                    sleep(wait).await;
                    retries += 1;
                }
                _ => return Ok(reply),
            }
        }
    }

    /// Sends one GET whose answer goes on; only its beginning has a deadline.
    ///
    /// # Errors
    ///
    /// No answer in time, or none that succeeds.
    pub async fn lines(&self, endpoint: &Endpoint) -> Result<Lines, CollectError> {
        let started = Instant::now();
        let response = timeout_at(after(self.patience.request), self.send(&endpoint.path)).await;
        let response = response.unwrap_or(Err(Unanswered::Timeout(self.patience.request)));
        let status = response.as_ref().ok().map(Response::status);
        self.note(Method::GET, endpoint, status, started);
        let response = response?;
        if response.status().is_success() {
            return Ok(Lines::of(response.into_body()));
        }
        let reply = timeout_at(
            after(self.patience.request),
            whole_reply(response, endpoint.depth, &mut |_| false),
        )
        .await;
        let reply = reply.unwrap_or(Err(Unanswered::Timeout(self.patience.request)))?;
        Err(reply.refused(endpoint))
    }

    /// Sends what would be a write, for the server to say what would come of
    /// it. A write without `dryRun=All` is not sent at all.
    ///
    /// # Errors
    ///
    /// No answer, or none in time.
    pub async fn dry_run(
        &self,
        method: Method,
        endpoint: &Endpoint,
        content_type: &str,
        body: String,
    ) -> Result<Reply, Unanswered> {
        let started = Instant::now();
        let request = Request::builder()
            .method(method.clone())
            .uri(&endpoint.path)
            .header("accept", "application/json")
            .header(CONTENT_TYPE, content_type)
            .body(Body::from(body.into_bytes()))
            .map_err(|error| Unanswered::Body(error.to_string()))?;
        let exchange = async {
            whole_reply(self.sent_off(request).await?, endpoint.depth, &mut |_| {
                false
            })
            .await
        };
        let until = after(self.patience.request).min(self.deadline);
        let result = timeout_at(until, exchange).await;
        let result = result.unwrap_or(Err(Unanswered::Timeout(self.patience.request)));
        let status = result.as_ref().ok().map(|reply| reply.status);
        self.note(method, endpoint, status, started);
        result
    }

    fn note(
        &self,
        method: Method,
        endpoint: &Endpoint,
        status: Option<StatusCode>,
        started: Instant,
    ) {
        self.heard.borrow_mut().sent.push(Sent {
            method,
            path: endpoint.path.clone(),
            status: status.map(|it| it.as_u16()),
            took: started.elapsed(),
        });
    }

    async fn send(&self, path: &str) -> Result<Response<Body>, Unanswered> {
        let request = Request::get(path)
            .header("accept", "application/json")
            .body(Body::empty())
            .map_err(|error| Unanswered::Body(error.to_string()))?;
        self.sent_off(request).await
    }

    async fn sent_off(&self, request: Request<Body>) -> Result<Response<Body>, Unanswered> {
        let response = self.client.send(request).await;
        let response = response.map_err(Unanswered::Broken)?;
        self.heard.borrow_mut().note(response.headers());
        Ok(response)
    }

    /// What the controller would have been told, or why we may not look.
    pub async fn ask<T: DeserializeOwned>(&self, endpoint: &Endpoint) -> Answered<T> {
        match self.get(endpoint).await {
            Ok(reply) => reply.answered(endpoint),
            Err(error) => error.answered(endpoint),
        }
    }

    /// As [`Self::ask`], for an object that need not be there.
    pub async fn look_for<T: DeserializeOwned>(&self, endpoint: &Endpoint) -> Answered<Option<T>> {
        match self.get(endpoint).await {
            Ok(reply) if reply.status == StatusCode::NOT_FOUND => Answered::Response(None),
            Ok(reply) => reply.answered(endpoint),
            Err(error) => error.answered(endpoint),
        }
    }
}

/// A moment from now on; a year is as good as for ever.
fn after(time: Duration) -> Instant {
    Instant::now() + time.min(Duration::from_secs(365 * 24 * 3600))
}

/// Failures that only we meet: of proxies and login pages, and of limits that
/// count each user's requests.
fn is_ours(status: StatusCode) -> bool {
    status.is_redirection()
        || matches!(
            status,
            StatusCode::PROXY_AUTHENTICATION_REQUIRED | StatusCode::TOO_MANY_REQUESTS
        )
}

/// Whether a wait from now on is over in time; a server can ask for any.
fn ends_before(wait: Duration, until: Instant) -> bool {
    let end = Instant::now().checked_add(wait);
    end.is_some_and(|end| end < until)
}

/// Comes when somebody ends the run.
pub async fn interrupted() {
    if !budget::is_interruptible() {
        return pending().await;
    }
    while !budget::is_interrupted() {
        sleep(GLANCE).await;
    }
}

/// What takes an object of a list out of its text, if it can.
type Take<'t> = &'t mut dyn FnMut(&[u8]) -> bool;

/// The whole answer but for what is taken out of its body.
async fn whole_reply(
    response: Response<Body>,
    depth: Depth,
    take: Take<'_>,
) -> Result<Reply, Unanswered> {
    let (parts, mut body) = response.into_parts();
    let mut items = Items::at(depth);
    while let Some(frame) = body.frame().await {
        budget::room()?;
        let frame = frame.map_err(|error| Unanswered::Body(innermost(&error)))?;
        if let Ok(data) = frame.into_data() {
            items.read(&data, take);
        }
        if items.held() > MOST_BYTES {
            return Err(Unanswered::TooLarge);
        }
    }
    Ok(Reply {
        status: parts.status,
        headers: parts.headers,
        body: items.rest(),
    })
}

impl Heard {
    fn note(&mut self, headers: &HeaderMap) {
        for warning in headers.get_all(WARNING) {
            for text in collect_error::texts(&String::from_utf8_lossy(warning.as_bytes())) {
                if !self.warnings.contains(&text) {
                    self.warnings.push(text);
                }
            }
        }
        let date = text(headers, &DATE).and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
        if let Some(date) = date {
            let date = date.timestamp();
            self.date = Some((date, Instant::now()));
            // The header leaves out the fraction: half a second on average.
            let local = Timestamp::now() - SignedDuration::from_millis(500);
            let ahead = local.duration_since(date);
            // An answer that takes its time makes the clock look ahead.
            let known = self.clock_ahead.map_or(ahead, |known| known.min(ahead));
            self.clock_ahead = Some(known);
        }
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

impl Unanswered {
    /// In client-go a request that takes too long reads like a gateway's
    /// timeout; a connection that breaks, or our own hurry, is ours alone.
    pub fn answered<T>(&self, endpoint: &Endpoint) -> Answered<T> {
        match self {
            Self::Timeout(_) => Answered::Error(failed(endpoint, 504, None, b"")),
            _ => Answered::Unreadable(ReadFailure::not_read(self.to_string())),
        }
    }
}

impl Reply {
    /// The object.
    /// Errors: the answer is no success, or is not what was asked for.
    pub fn object<T: DeserializeOwned>(&self, endpoint: &Endpoint) -> Result<T, NoObject> {
        let kind = text(&self.headers, &CONTENT_TYPE);
        if !self.status.is_success() || self.is_failure_in_disguise() {
            let error = failed(endpoint, self.status.as_u16(), kind, &self.body);
            return Err(NoObject::Failed(error));
        }
        let object = serde_json::from_slice(&self.body);
        let came: TypeMeta = serde_json::from_slice(&self.body).unwrap_or_default();
        // What it is tells more than which of its fields does not fit.
        let unexpected = endpoint.unexpected(&came);
        match (object, unexpected) {
            (Ok(object), None) => Ok(object),
            (Err(error), unexpected) if unexpected.is_none() || came.is_nothing() => {
                let flaw = flaw(&self.body, &error);
                let text = format!("unexpected answer to {}: {flaw}", endpoint.path);
                Err(NoObject::Malformed(text))
            }
            (_, unexpected) => Err(NoObject::Malformed(unexpected.unwrap_or_default())),
        }
    }

    /// The answer, told apart by whose failure it is.
    pub fn answered<T: DeserializeOwned>(&self, endpoint: &Endpoint) -> Answered<T> {
        let status = self.status;
        let error = match self.object(endpoint) {
            Ok(response) => return Answered::Response(response),
            Err(NoObject::Malformed(text)) => {
                return Answered::Unreadable(ReadFailure::not_read(text));
            }
            Err(NoObject::Failed(error)) => error,
        };
        // The controller has rights of its own, and nobody is between it and
        // the server; servers limit each user.
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let text = endpoint.refused(&error.text);
                Answered::Unreadable(ReadFailure::of_status(status.as_u16(), text))
            }
            _ if is_ours(status) => Answered::Unreadable(ReadFailure::not_read(error.text)),
            _ => Answered::Error(error),
        }
    }

    /// Whether a success holds a Status that says the opposite; client-go
    /// goes by the Status.
    fn is_failure_in_disguise(&self) -> bool {
        // A Status is short, and what is long is read once only.
        self.body.len() < MOST_BYTES_OF_STATUS
            && self.failure().is_some_and(|it| it.outcome == "Failure")
    }

    /// Whether the path itself leads nowhere, as opposed to an object that a
    /// server knows not to have: no API server, no adapter says so in JSON.
    pub fn is_no_such_path(&self) -> bool {
        self.status == StatusCode::NOT_FOUND && serde_json::from_slice::<Json>(&self.body).is_err()
    }

    /// What the body holds, whatever the status.
    pub fn body<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The Status in the body, where it is one.
    pub fn failure(&self) -> Option<Status> {
        Status::of(&self.body)
    }

    /// How long the server wants us to wait before asking again.
    fn retry_after(&self) -> Option<Duration> {
        let is_busy = self.status == StatusCode::TOO_MANY_REQUESTS || self.status.is_server_error();
        let seconds = text(&self.headers, &RETRY_AFTER).filter(|_| is_busy)?;
        Some(Duration::from_secs(seconds.trim().parse().ok()?))
    }
}

/// Why a body holds no such object. What is no JSON at all, as the page of a
/// proxy, is told by how it begins.
fn flaw(body: &[u8], error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof if body.trim_ascii().is_empty() => "it is empty".to_owned(),
        Category::Eof => format!("JSON without its end, cut off after {} bytes", body.len()),
        Category::Syntax if !body.trim_ascii_start().starts_with(b"{") => {
            let beginning = String::from_utf8_lossy(&body[..body.len().min(LONGEST_BEGINNING)]);
            format!("it is not JSON, and begins with `{}`", beginning.trim())
        }
        _ => error.to_string(),
    }
}

/// Any JSON, read over.
type Json = serde::de::IgnoredAny;
