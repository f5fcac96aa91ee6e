//! Fields that a snapshot does not have: read over, but not without a word.
//!
//! [`Watch`] stands before the parser at the snapshot's own levels only. The
//! Kubernetes objects inside have fields that are left out on purpose, so
//! their parser works on its own, and nothing is paid for their fields.

use std::cell::RefCell;
use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::check::Flaw;

/// The levels whose fields are the snapshot's own, by the names of their
/// types.
const OWN: [&str; 10] = [
    "Snapshot",
    "ControllerFlags",
    "Metrics",
    "Answered",
    "CustomMetric",
    "ExternalMetric",
    "OtherAutoscaler",
    "History",
    "Recommendation",
    "ScaleEvent",
];

/// The object whose kind is looked at, although no field holds it.
const SCALE: &str = "Scale";

/// A name further than this from each known one is no misspelling of it.
const FARTHEST: usize = 2;

/// What was seen beside the fields.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The unknown fields.
    pub unknown: Vec<Flaw>,
    /// The kind that the object says to be which should be a Scale.
    pub scale_kind: Option<String>,
}

/// A deserializer that notes which fields nothing is known of.
pub(super) struct Watch<'s, D> {
    inner: D,
    path: String,
    seen: &'s RefCell<Seen>,
}

impl<'s, D> Watch<'s, D> {
    /// Watches a whole document.
    pub(super) fn new(inner: D, seen: &'s RefCell<Seen>) -> Self {
        Self {
            inner,
            path: String::new(),
            seen,
        }
    }

    fn visitor<V>(self, inner: V, level: Option<Level>) -> (D, Watched<'s, V>) {
        let watched = Watched {
            inner,
            level,
            path: self.path,
            seen: self.seen,
        };
        (self.inner, watched)
    }
}

/// A type with the fields that it has.
#[derive(Clone, Copy)]
struct Level {
    name: &'static str,
    fields: &'static [&'static str],
}

macro_rules! hand_on {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, D::Error> {
            self.inner.$method($($argument,)* visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Watch<'_, D> {
    type Error = D::Error;

    hand_on! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_tuple(length: usize);
        deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_map();
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let (inner, visitor) = self.visitor(visitor, None);
        inner.deserialize_option(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let (inner, visitor) = self.visitor(visitor, None);
        inner.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        if !OWN.contains(&name) && name != SCALE {
            return self.inner.deserialize_struct(name, fields, visitor);
        }
        let (inner, visitor) = self.visitor(visitor, Some(Level { name, fields }));
        inner.deserialize_struct(name, fields, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// A visitor that hands on what is inside under watch.
struct Watched<'s, V> {
    inner: V,
    level: Option<Level>,
    path: String,
    seen: &'s RefCell<Seen>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Watched<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Watch {
            inner: deserializer,
            path: self.path,
            seen: self.seen,
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Items {
            inner: seq,
            next: 0,
            path: self.path,
            seen: self.seen,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let Some(level) = self.level else {
            return self.inner.visit_map(map);
        };
        self.inner.visit_map(Fields {
            inner: map,
            level,
            key: String::new(),
            path: self.path,
            seen: self.seen,
        })
    }
}

/// The items of a list, each under watch.
struct Items<'s, A> {
    inner: A,
    next: usize,
    path: String,
    seen: &'s RefCell<Seen>,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Items<'_, A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        let path = format!("{}[{}]", self.path, self.next);
        self.next += 1;
        self.inner.next_element_seed(Seed {
            inner: seed,
            path,
            seen: self.seen,
        })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// The fields of one of the snapshot's own levels.
struct Fields<'s, A> {
    inner: A,
    level: Level,
    key: String,
    path: String,
    seen: &'s RefCell<Seen>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Fields<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Some(key) = self.inner.next_key()? else {
            return Ok(None);
        };
        self.key = key;
        let key = StrDeserializer::new(&self.key);
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        if self.level.fields.contains(&self.key.as_str()) {
            let path = match self.path.as_str() {
                "" => self.key.clone(),
                path => format!("{path}.{}", self.key),
            };
            return self.inner.next_value_seed(Seed {
                inner: seed,
                path,
                seen: self.seen,
            });
        }
        if self.level.name == SCALE {
            return self.beside_scale(seed);
        }
        self.seen.borrow_mut().unknown.push(Flaw {
            path: self.path.clone(),
            reason: unknown(&self.key, self.level.fields),
        });
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> Fields<'_, A> {
    /// Whatever else a Scale holds; its kind is kept.
    fn beside_scale<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        if self.key != "kind" {
            return self.inner.next_value_seed(seed);
        }
        let kind: Value = self.inner.next_value()?;
        self.seen.borrow_mut().scale_kind = kind.as_str().map(str::to_owned);
        seed.deserialize(kind).map_err(A::Error::custom)
    }
}

/// Reads a value under watch.
struct Seed<'s, T> {
    inner: T,
    path: String,
    seen: &'s RefCell<Seen>,
}

impl<'de, T: DeserializeSeed<'de>> DeserializeSeed<'de> for Seed<'_, T> {
    type Value = T::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T::Value, D::Error> {
        self.inner.deserialize(Watch {
            inner: deserializer,
            path: self.path,
            seen: self.seen,
        })
    }
}

/// That a field is unknown, and what may have been meant.
fn unknown(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(known) => {
            format!("unknown field `{name}`, ignored; did you mean `{known}`?")
        }
        None => format!("unknown field `{name}`, ignored"),
    }
}

/// The name that was probably meant, if any is near.
#[must_use]
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let near = known.iter().map(|known| (distance(name, known), *known));
    let near =
        near.filter(|(distance, _)| *distance <= FARTHEST && *distance < name.chars().count());
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// How many characters must be put in, taken out or replaced.
fn distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 4 * FARTHEST {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances() {
        let rows = [
            ("metric", "metrics", 1),
            ("tolerence", "tolerance", 1),
            ("pod", "pods", 1),
            ("scael", "scale", 2),
            ("", "pods", 4),
            ("pods", "pods", 0),
        ];
        for (a, b, want) in rows {
            assert_eq!(distance(a, b), want, "{a} {b}");
        }
    }
}
