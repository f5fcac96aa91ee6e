//! The objects of a page, no more of them than a page can have.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Pages are asked for with a limit. A server may hand out more from a cache,
/// but what is longer than this would only fill the memory.
const MOST: usize = 100_000;

/// The objects of a page; `null` is none.
pub struct Items<T>(pub Vec<T>);

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(ItemsVisitor(PhantomData))
    }
}

struct ItemsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ItemsVisitor<T> {
    type Value = Items<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an array of objects")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Items::default())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            if items.len() == MOST {
                return Err(Error::custom(format!("more than {MOST} objects in a page")));
            }
            items.push(item);
        }
        Ok(Items(items))
    }
}

#[cfg(test)]
mod tests {
    use super::{Items, MOST};

    fn read(text: &str) -> Result<usize, String> {
        let items: Result<Items<u8>, _> = serde_json::from_str(text);
        items
            .map(|items| items.0.len())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_page_is_as_long_as_a_page() {
        assert_eq!(read("null"), Ok(0));
        assert_eq!(read("[1, 2]"), Ok(2));
        let many = |count| format!("[{}1]", "1,".repeat(count - 1));
        assert_eq!(read(&many(MOST)), Ok(MOST));
        let error = read(&many(MOST + 1)).expect_err("too many");
        assert!(error.contains("more than 100000 objects"), "{error}");
    }
}
