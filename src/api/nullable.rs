//! Reading as the API does: `null` counts as absent, and a list is an array or
//! a List as `kubectl get -o json` prints it.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{self, MapAccessDeserializer};
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Reads a value, and its default where `null` stands.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Whether a document need not say it: as it is read where it is absent.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads what a pass does not need: where the document means something else
/// by the word, as a hand-written one may, it is as if it were not there.
pub(crate) fn or_other<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either<T> {
        Intended(T),
        Other(IgnoredAny),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::Intended(value) => value,
        Either::Other(_) => T::default(),
    })
}

/// Reads an object, and nothing where the document means something else by
/// the word. Unlike [`or_other`], it keeps nothing of what it reads over.
pub(crate) fn object_or_none<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_any(AnyObject(PhantomData))
}

struct AnyObject<T>(PhantomData<T>);

macro_rules! nothing {
    ($($visit:ident: $type:ty),*) => {$(
        fn $visit<E: Error>(self, _: $type) -> Result<Option<T>, E> {
            Ok(None)
        }
    )*};
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for AnyObject<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Option<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<T>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Option<T>, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    nothing! { visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str }
}

/// Reads either form; `null` is an empty list.
pub(crate) fn items<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_any(Items(PhantomData))
}

/// The same, of a list that need not be there at all.
pub(crate) fn some_items<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    items(deserializer).map(Some)
}

struct Items<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an array or a List")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(value::SeqAccessDeserializer::new(seq))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        #[derive(Deserialize)]
        #[serde(bound = "T: Deserialize<'de>")]
        struct List<T> {
            #[serde(deserialize_with = "or_default")]
            items: Vec<T>,
        }
        Ok(List::deserialize(value::MapAccessDeserializer::new(map))?.items)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::object_or_none;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    struct Named {
        name: String,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Holder {
        #[serde(deserialize_with = "object_or_none")]
        it: Option<Named>,
    }

    #[test]
    fn what_is_no_object_is_as_if_it_were_not_there() {
        let named = |name: &str| Some(Named { name: name.into() });
        let rows = [
            (r#"{"it":{"name":"x","more":[{}]}}"#, named("x")),
            (r#"{"it":null}"#, None),
            (r#"{"it":[{"name":"x"}, 1]}"#, None),
            (r#"{"it":"x"}"#, None),
            (r#"{"it":-1}"#, None),
            (r#"{"it":1.5}"#, None),
            (r#"{"it":true}"#, None),
            ("{}", None),
        ];
        for (text, it) in rows {
            let holder: Holder = serde_json::from_str(text).expect(text);
            assert_eq!(holder.it, it, "{text}");
            let holder: Holder = serde_yaml::from_str(text).expect(text);
            assert_eq!(holder.it, it, "{text}");
        }
    }
}
