//! Fields that a type does not have: which ones, and what they were probably
//! meant to be.

use std::fmt;
use std::iter::once;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_ignored::Path;

/// How many characters must be put in, taken out or replaced.
pub use strsim::levenshtein;

/// A name further than this from each known one is no misspelling of it.
const FARTHEST: usize = 2;

/// No field that is looked for is deeper.
const DEEPEST: usize = 12;

/// A field that a type does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownField {
    /// The path of the object that has it.
    pub path: String,
    /// Its name.
    pub name: String,
    /// The field that was probably meant.
    pub similar: Option<&'static str>,
}

impl fmt::Display for UnknownField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown field `{}`", self.name)?;
        let Some(similar) = self.similar else {
            return Ok(());
        };
        write!(f, "; did you mean `{similar}`?")
    }
}

/// A step of a path.
#[derive(Clone, Copy, Debug)]
pub enum PathStep<'p> {
    /// To a field of an object.
    Field(&'p str),
    /// To an item of a list.
    Item(usize),
}

/// The unknown field at a path, where `is_known` is true of the path of its object.
pub(super) fn unknown_field<T: DeserializeOwned>(
    path: &Path,
    is_known: fn(&[PathStep]) -> bool,
) -> Option<UnknownField> {
    // Pods alone have a hundred thousand such fields: no list is made for each.
    let mut steps = [PathStep::Item(0); DEEPEST];
    let mut first = DEEPEST;
    let mut rest = path;
    loop {
        let (parent, step) = match rest {
            Path::Root => break,
            Path::Seq { parent, index } => (*parent, PathStep::Item(*index)),
            Path::Map { parent, key } => (*parent, PathStep::Field(key)),
            Path::Some { parent }
            | Path::NewtypeStruct { parent }
            | Path::NewtypeVariant { parent } => {
                rest = parent;
                continue;
            }
        };
        first = first.checked_sub(1)?;
        steps[first] = step;
        rest = parent;
    }
    let (PathStep::Field(name), object) = steps[first..].split_last()? else {
        return None;
    };
    if !is_known(object) {
        return None;
    }
    let mut path = String::new();
    for step in object {
        match step {
            PathStep::Field(name) if path.is_empty() => path.push_str(name),
            PathStep::Field(name) => path.extend([".", name]),
            PathStep::Item(index) => path.extend(["[", &index.to_string(), "]"]),
        }
    }
    Some(UnknownField {
        path,
        name: (*name).to_owned(),
        similar: nearest(name, fields_at::<T>(object)),
    })
}

/// The fields that a type has in the object at a path; none where it takes any.
pub(super) fn fields_at<T: DeserializeOwned>(path: &[PathStep]) -> &'static [&'static str] {
    T::deserialize(Probe(path)).err().map_or(&[], |it| it.0)
}

/// Leads a type along a path, and fails there with the fields that it asks for.
struct Probe<'p>(&'p [PathStep<'p>]);

#[derive(Debug, thiserror::Error)]
#[error("{0:?}")]
struct RequestedFields(&'static [&'static str]);

impl Error for RequestedFields {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl IntoDeserializer<'_, RequestedFields> for Probe<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = RequestedFields;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RequestedFields> {
        match self.0 {
            [] => Err(RequestedFields(&[])),
            [PathStep::Field(name), rest @ ..] => {
                visitor.visit_map(MapDeserializer::new(once((*name, Probe(rest)))))
            }
            [PathStep::Item(_), rest @ ..] => {
                visitor.visit_seq(SeqDeserializer::new(once(Probe(rest))))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RequestedFields> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, RequestedFields> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RequestedFields> {
        if self.0.is_empty() {
            return Err(RequestedFields(fields));
        }
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The name that was probably meant, if any is near.
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let is_as_long = |known: &&&str| name.len().abs_diff(known.len()) <= 4 * FARTHEST;
    let near = known.iter().filter(is_as_long);
    let near = near.map(|known| (levenshtein(name, known), *known));
    let near =
        near.filter(|(distance, _)| *distance <= FARTHEST && *distance < name.chars().count());
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::levenshtein;

    #[test]
    fn distances() {
        let rows = [
            ("metric", "metrics", 1),
            ("tolerence", "tolerance", 1),
            ("pod", "pods", 1),
            ("scael", "scale", 2),
            ("", "pods", 4),
            ("pods", "pods", 0),
            ("kitten", "sitting", 3),
        ];
        for (a, b, want) in rows {
            assert_eq!(levenshtein(a, b), want, "{a} {b}");
        }
    }
}
