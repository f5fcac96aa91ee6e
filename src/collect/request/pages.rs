//! Lists, page by page.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::api::{Answered, Pod, nullable};
use crate::budget::{self, MOST_PAGES};

use super::collect_error::CollectError;
use super::paths::{self, Endpoint};
use super::reader::{Reader, Reply, Unanswered};

/// A page of a list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Page<T> {
    metadata: PageMeta,
    /// The objects that have not been handed over.
    #[serde(deserialize_with = "nullable::or_default")]
    pub items: Vec<T>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PageMeta {
    #[serde(rename = "continue")]
    token: Option<String>,
    resource_version: String,
}

/// The body of an answer that refuses an old continue token.
#[derive(Deserialize)]
struct Expired {
    metadata: PageMeta,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self {
            metadata: PageMeta::default(),
            items: Vec::new(),
        }
    }
}

impl<T> Page<T> {
    /// The version of the list, from which a watch can go on.
    pub fn version(&self) -> &str {
        &self.metadata.resource_version
    }
}

/// The pods that a selector matches, in a namespace or in all.
///
/// The controller reads its pods from a cache of its own, so a list that
/// fails here says nothing about the controller.
///
/// # Errors
///
/// Why they cannot be read.
pub async fn pods(
    reader: &Reader,
    namespace: Option<&str>,
    selector: &str,
) -> Result<Vec<Pod>, CollectError> {
    pages(reader, &paths::pods(namespace, selector)).await
}

/// All objects of a list, page by page, so that a large list is not held as
/// text.
///
/// # Errors
///
/// Why they cannot be read.
pub async fn pages<T: DeserializeOwned>(
    reader: &Reader,
    list: &Endpoint,
) -> Result<Vec<T>, CollectError> {
    pages_of(reader, list, |_| true).await
}

/// The objects of a list that are wanted, page by page: of the others no more
/// than a page is held.
///
/// # Errors
///
/// Why they cannot be read.
pub async fn pages_of<T: DeserializeOwned>(
    reader: &Reader,
    list: &Endpoint,
    is_selected: impl Fn(&T) -> bool,
) -> Result<Vec<T>, CollectError> {
    let mut items = Vec::new();
    let keep = |item| {
        if is_selected(&item) {
            items.push(item);
        }
    };
    each_of(reader, list, keep).await?;
    Ok(items)
}

/// Hands the objects of a list over, page by page.
///
/// # Errors
///
/// Why they cannot be read.
pub async fn each_of<T: DeserializeOwned>(
    reader: &Reader,
    list: &Endpoint,
    mut take: impl FnMut(T),
) -> Result<(), CollectError> {
    let mut token: Option<String> = None;
    let mut without_objects = 0;
    for _ in 0..MOST_PAGES {
        budget::room().map_err(Unanswered::from)?;
        let endpoint = list.clone().page(token.as_deref());
        let mut count = 0;
        let mut take_one = |object: &[u8]| {
            let object = serde_json::from_slice(object);
            count += usize::from(object.is_ok());
            object.map(&mut take).is_ok()
        };
        let reply = reader.get_list(&endpoint, &mut take_one).await?;
        let used = token;
        token = newer_token(&reply, used.as_deref());
        if token.is_some() {
            without_objects += 1;
            if without_objects > MOST_WITHOUT_OBJECTS {
                break;
            }
            continue;
        }
        let page = reply.required::<Page<T>>(&endpoint)?;
        without_objects = if count == 0 { without_objects + 1 } else { 0 };
        let next = page.metadata.token.filter(|token| !token.is_empty());
        if next.is_none() {
            return Ok(());
        }
        if next == used {
            let path = &list.path;
            let message = format!("the list {path} never ends: a page leads to itself");
            return Err(CollectError::Malformed(message));
        }
        if without_objects > MOST_WITHOUT_OBJECTS {
            break;
        }
        token = next;
    }
    let path = &list.path;
    let message = if without_objects > MOST_WITHOUT_OBJECTS {
        format!("the list {path} never ends: many pages in a row are empty")
    } else {
        format!("the list {path} has more than {MOST_PAGES} pages")
    };
    Err(CollectError::Malformed(message))
}

/// A list that takes long can outlive its token. The server then hands out
/// another one, which goes on where the list is, in its present state.
fn newer_token(reply: &Reply, old: Option<&str>) -> Option<String> {
    if reply.status.as_u16() != 410 {
        return None;
    }
    let token = reply.body::<Expired>()?.metadata.token?;
    (!token.is_empty() && Some(token.as_str()) != old).then_some(token)
}

/// The list as an answer, for those who can do without.
pub async fn list<T: DeserializeOwned>(reader: &Reader, endpoint: &Endpoint) -> Answered<Vec<T>> {
    list_of(reader, endpoint, |_| true).await
}

/// The objects of a list that are wanted, as an answer.
pub async fn list_of<T: DeserializeOwned>(
    reader: &Reader,
    endpoint: &Endpoint,
    is_selected: impl Fn(&T) -> bool,
) -> Answered<Vec<T>> {
    match pages_of(reader, endpoint, is_selected).await {
        Ok(items) => Answered::Response(items),
        Err(error) => Answered::Unreadable(error.failure()),
    }
}

/// No server hands out so many pages without an object, or tokens that are
/// too old, one after the other.
const MOST_WITHOUT_OBJECTS: usize = 20;
