//! Fields that a snapshot does not have: read over, but not without a word.
//!
//! Those of the snapshot's own levels only: the Kubernetes objects inside have
//! fields that are left out on purpose.

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;
use serde_ignored::Path;

use super::check::Flaw;
use super::{ControllerFlags, History, OtherAutoscaler, Recommendation, ScaleEvent, Snapshot};
use crate::api::{Answered, CustomMetric, ExternalMetric, Metrics};

/// A name further than this from each known one is no misspelling of it.
const FARTHEST: usize = 2;

/// The most steps to one of the snapshot's own levels.
const DEEPEST: usize = 3;

/// That a field is ignored, where that is worth a word.
pub(super) fn unknown(path: &Path) -> Option<Flaw> {
    // Pods alone have a hundred thousand such fields: no list is made for each.
    let mut steps = [PathStep::Item(0); DEEPEST];
    let mut first = DEEPEST;
    let mut name = None;
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
        match (name, step) {
            (None, PathStep::Field(field)) => name = Some(field),
            (None, PathStep::Item(_)) => return None,
            (Some(_), step) => {
                first = first.checked_sub(1)?;
                steps[first] = step;
            }
        }
        rest = parent;
    }
    let steps = &steps[first..];
    let reason = remark(name?, fields_of(steps)?);
    let mut path = String::new();
    for step in steps {
        match step {
            PathStep::Field(name) if path.is_empty() => path.push_str(name),
            PathStep::Field(name) => path.extend([".", name]),
            PathStep::Item(index) => path.extend(["[", &index.to_string(), "]"]),
        }
    }
    Some(Flaw { path, reason })
}

#[derive(Clone, Copy)]
enum PathStep<'p> {
    Field(&'p str),
    Item(usize),
}

/// The fields of one of the snapshot's own levels.
fn fields_of(steps: &[PathStep]) -> Option<&'static [&'static str]> {
    use PathStep::{Field, Item};
    match steps {
        [] => fields::<Snapshot>(),
        [Field("controller")] => fields::<ControllerFlags>(),
        [Field("metrics")] => fields::<Metrics>(),
        [Field("scale")] | [Field("metrics"), Field("resource")] => fields::<Answered<()>>(),
        [Field("metrics"), Field("custom"), Item(_)] => fields::<CustomMetric>(),
        [Field("metrics"), Field("external"), Item(_)] => fields::<ExternalMetric>(),
        [Field("otherAutoscalers"), Item(_)] => fields::<OtherAutoscaler>(),
        [Field("history")] => fields::<History>(),
        [Field("history"), Field("recommendations"), Item(_)] => fields::<Recommendation>(),
        [
            Field("history"),
            Field("scaleUpEvents" | "scaleDownEvents"),
            Item(_),
        ] => fields::<ScaleEvent>(),
        _ => None,
    }
}

/// The names that a type asks its reader for.
fn fields<T: DeserializeOwned>() -> Option<&'static [&'static str]> {
    T::deserialize(FieldNames)
        .err()
        .map(|requested| requested.0)
}

/// Reads nothing, and fails with the names of the fields.
struct FieldNames;

#[derive(Debug)]
struct Names(&'static [&'static str]);

impl<'de> Deserializer<'de> for FieldNames {
    type Error = Names;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Names> {
        Err(Names(&[]))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Names> {
        Err(Names(fields))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map enum option identifier ignored_any
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Names {}

impl Error for Names {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

/// That a field is unknown, and what may have been meant.
fn remark(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(known) => {
            format!("unknown field `{name}`, ignored; did you mean `{known}`?")
        }
        None => format!("unknown field `{name}`, ignored"),
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

/// How many characters must be put in, taken out or replaced.
pub use strsim::levenshtein;

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
