//! One resource in several namespaces, with as few lists as may be, and only
//! so many requests under way at the same time, however the lists nest.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::stream::{self, StreamExt};
use http::StatusCode;
use serde::de::{DeserializeOwned, Error, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::AT_ONCE;
use crate::api::{
    Answered, ObjectMeta, Pod, PodMetrics, PodMetricsList, ReadFailure, Workload, share,
};
use crate::collect::request::{CollectError, Endpoint, Reader, StatusReason, Unanswered, each_of};

/// Up to so many namespaces are listed one by one: the lists then hold
/// nothing of the others, and all of them are asked at the same time.
const FEW: usize = AT_ONCE;

/// The namespaces that something is read of.
pub type Namespaces = BTreeSet<String>;

/// What was read, by namespace.
pub type Spread<T> = BTreeMap<String, Answered<Vec<T>>>;

/// An object of a namespace.
pub trait Placed {
    fn namespace(&self) -> &str;

    /// Holds what another object has as well only once, if that is worth it.
    fn share(&mut self, _other: &Self) {}
}

/// Objects by their namespaces.
pub struct Lists<T> {
    of: BTreeMap<String, Vec<T>>,
    /// How many objects came, kept or not.
    count: usize,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        let (of, count) = (BTreeMap::new(), 0);
        Self { of, count }
    }
}

impl<T: Placed> Lists<T> {
    /// Adds an object that is wanted to those of its namespace. With it come
    /// `remaining` at least. Neighbors in a list are likely to be of one template.
    fn push_if(&mut self, mut object: T, remaining: usize, is_selected: impl Fn(&T) -> bool) {
        self.count += 1;
        if !is_selected(&object) {
            return;
        }
        match self.of.get_mut(object.namespace()) {
            Some(list) => {
                if let Some(other) = list.last() {
                    object.share(other);
                }
                // Where all is kept, room for the rest: a list that grows by doubling
                // leaves as much again behind.
                if list.len() + 1 == self.count {
                    list.reserve_exact(remaining);
                }
                list.push(object);
            }
            None => _ = self.of.insert(object.namespace().to_owned(), vec![object]),
        }
    }
}

impl Placed for Workload {
    fn namespace(&self) -> &str {
        &self.metadata.namespace
    }
}

/// An object of a list with its metadata: of some kinds a snapshot keeps less.
pub struct Located<T> {
    /// What lists are made of.
    pub metadata: ObjectMeta,
    /// What a snapshot keeps.
    pub object: T,
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Described {
            metadata: ObjectMeta,
        }
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let Described { metadata } = serde_json::from_str(text.get()).map_err(Error::custom)?;
        let object = serde_json::from_str(text.get()).map_err(Error::custom)?;
        Ok(Self { metadata, object })
    }
}

impl<T> Placed for Located<T> {
    fn namespace(&self) -> &str {
        &self.metadata.namespace
    }
}

impl Placed for Pod {
    fn namespace(&self) -> &str {
        &self.metadata.namespace
    }

    fn share(&mut self, other: &Self) {
        Self::share(self, other);
    }
}

impl Placed for PodMetrics {
    fn namespace(&self) -> &str {
        &self.metadata.namespace
    }

    fn share(&mut self, other: &Self) {
        share(&mut self.metadata.labels, &other.metadata.labels);
    }
}

/// Why a list is not there.
pub struct Missed {
    /// Whether smaller lists may be there all the same.
    is_of_size: bool,
    /// Whether the server knows no such kind.
    pub is_no_such_kind: bool,
    answer: Answered<Infallible>,
}

/// Reads a resource in several namespaces: each on its own where they are
/// few, else all of the cluster at once, unless that alone is refused or too
/// much.
pub async fn spread<T: Placed>(
    namespaces: &Namespaces,
    read: impl AsyncFn(Option<&str>) -> Result<Lists<T>, Missed>,
) -> Spread<T> {
    if namespaces.len() > FEW {
        match read(None).await {
            Ok(mut lists) => {
                let of = |name: &String| {
                    let list = lists.of.remove(name).unwrap_or_default();
                    (name.clone(), Answered::Response(list))
                };
                return namespaces.iter().map(of).collect();
            }
            Err(missed) if missed.is_of_size => {}
            Err(missed) => {
                let of = |name: &String| (name.clone(), missed.answer.hand_on());
                return namespaces.iter().map(of).collect();
            }
        }
    }
    let lists = stream::iter(namespaces).map(async |namespace| {
        let answer = match read(Some(namespace)).await {
            Ok(mut lists) => Answered::Response(lists.of.remove(namespace).unwrap_or_default()),
            Err(missed) => missed.answer.hand_on(),
        };
        (namespace.clone(), answer)
    });
    lists.buffered(AT_ONCE).collect().await
}

/// The wanted objects of a list. That it cannot be read says nothing about
/// the controller, which does not ask for it.
pub async fn objects<T: DeserializeOwned + Placed>(
    permits: &Permits<'_>,
    endpoint: &Endpoint,
    is_selected: impl Fn(&T) -> bool,
) -> Result<Lists<T>, Missed> {
    let mut lists = Lists::default();
    let keep = |object, remaining| lists.push_if(object, remaining, &is_selected);
    let read = each_of(&*permits.next().await, endpoint, keep).await;
    read.map_err(|error| Missed {
        is_of_size: matches!(
            error,
            CollectError::Refused {
                reason: Some(StatusReason::Forbidden),
                ..
            }
        ),
        is_no_such_kind: error.is_not_found(),
        answer: Answered::Unreadable(error.failure()),
    })?;
    Ok(lists)
}

/// The wanted samples of a list, as far as the resources are kept. The metrics API
/// knows no pages.
///
/// The controller asks for the samples of one HPA's pods, never for this
/// list. That there is no metrics API, or nobody behind it, it would meet as
/// well; any other failure may be due to the size of the list or to who asks.
pub async fn samples(
    permits: &Permits<'_>,
    endpoint: &Endpoint,
    is_selected: impl Fn(&PodMetrics) -> bool,
    is_kept: impl Fn(&str) -> bool,
) -> Result<Lists<PodMetrics>, Missed> {
    let mut lists = Lists::default();
    let keep = |mut sample: PodMetrics| {
        for container in &mut sample.containers {
            container.usage.retain(&is_kept);
        }
        lists.push_if(sample, 0, &is_selected);
        true
    };
    let reply = permits.next().await.get_list(endpoint, keep).await;
    let reply = reply.map_err(|error| Missed {
        is_of_size: !matches!(error, Unanswered::Late(_)),
        is_no_such_kind: false,
        answer: unreadable(endpoint, ReadFailure::not_read(error.to_string())),
    })?;
    let is_down = reply.status == StatusCode::SERVICE_UNAVAILABLE;
    if (is_down || reply.is_no_such_path())
        && let Err(answer) = reply.answered::<IgnoredAny>(endpoint).into_response()
    {
        return Err(Missed {
            is_of_size: false,
            is_no_such_kind: false,
            answer,
        });
    }
    let rest: Result<PodMetricsList, _> = reply.required(endpoint);
    rest.map_err(|error| Missed {
        is_of_size: reply.status != StatusCode::UNAUTHORIZED,
        is_no_such_kind: false,
        answer: unreadable(endpoint, error.failure()),
    })?;
    Ok(lists)
}

/// A reason that says what of; a refusal names the right that is missing.
fn unreadable(endpoint: &Endpoint, mut reason: ReadFailure) -> Answered<Infallible> {
    if !reason.is_refusal() {
        reason.text = format!("{}: {reason}", endpoint.resource);
    }
    Answered::Unreadable(reason)
}

/// The turns of a survey's requests.
pub struct Permits<'r> {
    reader: &'r Reader,
    free: Semaphore,
}

impl<'r> Permits<'r> {
    /// Nothing is under way yet.
    pub fn new(reader: &'r Reader) -> Self {
        Self {
            reader,
            free: Semaphore::new(AT_ONCE),
        }
    }

    /// Waits until one more request may be sent. Its time starts then, so
    /// that a long queue makes no request late.
    pub async fn next(&self) -> Permit<'_> {
        Permit {
            reader: self.reader,
            // The semaphore is never closed, which is the only failure.
            _permit: self.free.acquire().await.ok(),
        }
    }
}

/// The reader for one request after another, never for two at a time.
pub struct Permit<'t> {
    reader: &'t Reader,
    _permit: Option<SemaphorePermit<'t>>,
}

impl Deref for Permit<'_> {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        self.reader
    }
}

/// How many HPAs are wanted, and of how many everything is read. Whoever
/// shows it looks at it from elsewhere.
#[derive(Debug, Default)]
pub struct SurveyTally {
    requested: AtomicUsize,
    read: AtomicUsize,
}

impl SurveyTally {
    /// So many are wanted.
    pub(super) fn want(&self, count: usize) {
        self.requested.store(count, Ordering::Relaxed);
    }

    /// So many more are read.
    pub(super) fn add(&self, count: usize) {
        self.read.fetch_add(count, Ordering::Relaxed);
    }

    /// How many are read, and how many are wanted; nothing as long as that is
    /// not known.
    pub fn counts(&self) -> Option<(usize, usize)> {
        let requested = self.requested.load(Ordering::Relaxed);
        let read = self.read.load(Ordering::Relaxed);
        (requested > 0).then_some((read.min(requested), requested))
    }
}
