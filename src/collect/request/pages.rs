//! Lists, page by page.

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::api::{Answered, nullable};
use crate::budget::{self, MOST_PAGES};
use crate::collect::request::{CollectError, Endpoint, Reader, Reply, Unanswered};

/// A page of a list.
#[derive(Deserialize)]
#[serde(expecting = "a list of objects")]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Page<T> {
    #[serde(default)]
    metadata: PageMeta,
    /// The objects that have not been handed over.
    #[serde(default = "Vec::new", deserialize_with = "nullable::or_default")]
    #[expect(dead_code, reason = "anything but a list is refused")]
    items: Vec<T>,
}

/// What is said of a page, or of an event of a watch.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PageMeta {
    #[serde(rename = "continue")]
    token: Option<String>,
    pub resource_version: String,
    /// How many objects follow this page; the server need not say.
    remaining_item_count: Option<i64>,
}

impl<T> Page<T> {
    /// The version of the list, from which a watch can go on.
    pub fn version(&self) -> &str {
        &self.metadata.resource_version
    }
}

/// All objects of a list, page by page, so that a large list is not held as
/// text.
pub async fn pages<T: DeserializeOwned>(
    reader: &Reader,
    list: &Endpoint,
) -> Result<Vec<T>, CollectError> {
    pages_of(reader, list, |_| true).await
}

/// The objects of a list that are wanted, page by page: of the others no more
/// than a page is held.
pub async fn pages_of<T: DeserializeOwned>(
    reader: &Reader,
    list: &Endpoint,
    is_selected: impl Fn(&T) -> bool,
) -> Result<Vec<T>, CollectError> {
    let mut items = Vec::new();
    let keep = |item, _| {
        if is_selected(&item) {
            items.push(item);
        }
    };
    each_of(reader, list, keep).await?;
    Ok(items)
}

/// Hands the objects of a list over, page by page, each with how many there still
/// are at least, itself among them; 0 where the server does not say.
pub async fn each_of<T: DeserializeOwned>(
    reader: &Reader,
    list: &Endpoint,
    mut take: impl FnMut(T, usize),
) -> Result<(), CollectError> {
    let mut token: Option<String> = None;
    let mut remaining = 0;
    let mut without_objects = 0;
    for _ in 0..MOST_PAGES {
        budget::room().map_err(Unanswered::from)?;
        let endpoint = list.clone().page(token.as_deref());
        let mut objects = Objects::default();
        let mut take = |object| {
            take(object, remaining);
            remaining = remaining.saturating_sub(1);
        };
        let keep = |object| objects.take(object, &mut take);
        let reply = reader.get_list(&endpoint, keep).await?;
        let count = objects.count(&list.path)?;
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
        let more = page.metadata.remaining_item_count.unwrap_or(0);
        remaining = usize::try_from(more).unwrap_or(0).min(MOST);
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
    let token = reply.body::<Page<IgnoredAny>>()?.metadata.token?;
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

/// Pages are asked for with a limit. A server may hand out more from a cache,
/// but what is longer than this would only fill the memory.
const MOST: usize = 100_000;

/// How many objects a page has.
#[derive(Default)]
struct Objects(usize);

impl Objects {
    /// Hands one over, unless it is one too many.
    fn take<T>(&mut self, object: T, take: &mut impl FnMut(T)) -> bool {
        self.0 += 1;
        if self.0 <= MOST {
            take(object);
        }
        self.0 <= MOST
    }

    fn count(&self, path: &str) -> Result<usize, CollectError> {
        if self.0 > MOST {
            let message =
                format!("unexpected answer to {path}: more than {MOST} objects in a page");
            return Err(CollectError::Malformed(message));
        }
        Ok(self.0)
    }
}

/// No server hands out so many pages without an object, or tokens that are
/// too old, one after the other.
const MOST_WITHOUT_OBJECTS: usize = 20;

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;

    use super::{MOST, Objects};
    use crate::collect::request::items::{Depth, Items};

    fn read(text: &str) -> Result<usize, String> {
        let (mut items, mut objects, mut taken) = (Items::at(Depth::List), Objects::default(), 0);
        let mut take = |_: IgnoredAny| taken += 1;
        items.read(format!("{{\"items\":{text}}}").as_bytes(), &mut |object| {
            serde_json::from_slice(object).is_ok_and(|it| objects.take(it, &mut take))
        });
        let count = objects.count("/pods").map_err(|error| error.to_string());
        assert_eq!(taken, count.clone().unwrap_or(MOST));
        count
    }

    #[test]
    fn a_page_is_as_long_as_a_page() {
        assert_eq!(read("null"), Ok(0));
        assert_eq!(read("[{}, {}]"), Ok(2));
        let many = |count| format!("[{}{{}}]", "{},".repeat(count - 1));
        assert_eq!(read(&many(MOST)), Ok(MOST));
        let error = read(&many(MOST + 1)).expect_err("too many");
        assert!(error.contains("more than 100000 objects"), "{error}");
    }
}
