//! From a document's text to a typed value, or to what is wrong with it and where; and the
//! fields that the type does not have, with what they were probably meant to be.

use std::fmt::{self, Display};
use std::iter::once;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeOwned, Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_ignored::Path;
use serde_json::error::Category;
use serde_path_to_error::Segment;

use super::node::{Node, Place, Value};
use super::parse::{SyntaxError, parse};
use super::path::{FieldPath, PathStep};
use super::texts::{DocumentText, Form};

/// Why a document is not what is asked for.
#[derive(Debug)]
pub struct Fault {
    /// The path of the field at fault, such as `pods[3].metadata.name`; empty
    /// where the document as a whole is at fault.
    pub path: FieldPath,
    /// The last name in the path.
    pub key: String,
    /// What is wrong there.
    pub reason: Misfit,
    /// Where that is in the file.
    pub place: Place,
    /// The document, where it could be parsed.
    pub document: Option<Node>,
    /// The name, and its place, that was probably meant to be the missing field.
    pub misspelt: Option<(String, Place)>,
}

/// Reads a document, and notes the fields that the type does not have in those
/// objects of whose path `is_known` is true.
///
/// # Errors
///
/// The text is neither JSON nor YAML, asks for too much, or is no such value.
pub fn typed<T: DeserializeOwned>(
    text: DocumentText,
    unknown: &mut Vec<UnknownField>,
    is_known: fn(&[PathStep<&str>]) -> bool,
) -> Result<T, Box<Fault>> {
    if text.form == Form::Yaml {
        return from_tree(&text, unknown, is_known);
    }
    // Trees and paths cost time, so only a failure pays for them.
    let mut json = serde_json::Deserializer::from_str(text.text);
    let mut take =
        |path: serde_ignored::Path<'_>| unknown.extend(unknown_field::<T>(&path, is_known));
    let read = T::deserialize(serde_ignored::Deserializer::new(&mut json, &mut take));
    let error = match read.and_then(|value| json.end().map(|()| value)) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    from_tree(&text, unknown, is_known).map_err(|fault| {
        // Of a text that is no JSON, JSON's own reader knows best why, where it
        // begins as JSON does.
        let begins = text.text.trim_start().strip_prefix('{');
        let is_json = begins.is_some_and(|it| it.trim_start().starts_with(['"', '}']));
        let is_whole = fault.document.is_some() || error.classify() == Category::Data;
        if is_whole || !is_json {
            fault
        } else {
            Fault::of_json(&error, text.lines_before).into()
        }
    })
}

fn from_tree<T: DeserializeOwned>(
    text: &DocumentText,
    unknown: &mut Vec<UnknownField>,
    is_known: fn(&[PathStep<&str>]) -> bool,
) -> Result<T, Box<Fault>> {
    // Of an attempt before this one.
    unknown.clear();
    let node = parse(text.text, text.lines_before).map_err(Fault::from)?;
    let mut track = serde_path_to_error::Track::new();
    let deserializer = serde_path_to_error::Deserializer::new(&node, &mut track);
    let mut take =
        |path: serde_ignored::Path<'_>| unknown.extend(unknown_field::<T>(&path, is_known));
    let read = T::deserialize(serde_ignored::Deserializer::new(deserializer, &mut take));
    read.map_err(|error| {
        let fault = Fault::at::<T>(&track.path(), error, node);
        if let Some((name, _)) = &fault.misspelt {
            // That it is unknown is the error.
            unknown.retain(|field| field.path != fault.path || field.name != *name);
        }
        fault.into()
    })
}

/// What an error of JSON says, without where that is.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&end).unwrap_or(&text).to_owned()
}

impl From<SyntaxError> for Fault {
    fn from(error: SyntaxError) -> Self {
        Self {
            path: FieldPath::default(),
            key: String::new(),
            reason: Misfit::Other(error.reason),
            place: error.place,
            document: None,
            misspelt: None,
        }
    }
}

impl Fault {
    fn of_json(error: &serde_json::Error, lines_before: usize) -> Self {
        let place = Place {
            line: error.line() + lines_before,
            column: error.column().max(1),
        };
        let reason = match error.classify() {
            Category::Eof => {
                "JSON that does not end: copy the file again if it is cut off".to_owned()
            }
            _ => without_place(error),
        };
        SyntaxError { place, reason }.into()
    }

    fn at<T: DeserializeOwned>(
        path: &serde_path_to_error::Path,
        reason: Misfit,
        document: Node,
    ) -> Self {
        // From a key that is no text on, no path is known.
        let steps = path.iter().map_while(|segment| match segment {
            Segment::Map { key: name } | Segment::Enum { variant: name } => {
                Some(PathStep::Field(name.as_str()))
            }
            Segment::Seq { index } => Some(PathStep::Item(*index)),
            Segment::Unknown => None,
        });
        let steps: Vec<_> = steps.collect();
        let known = FieldPath::of(&steps);
        let key = steps.iter().rev().find_map(PathStep::name);
        // What is wrong with an object as a whole is most often a name that is
        // there twice.
        let object = document.at(&known);
        let second = object.and_then(Node::second);
        let misspelt = match reason {
            Misfit::Missing(field) => {
                object.and_then(|it| misspelt(it, field, fields_at::<T>(&steps)))
            }
            _ => None,
        };
        Self {
            place: second.unwrap_or_else(|| document.place_of(&known)),
            path: known,
            key: key.unwrap_or_default().to_owned(),
            reason,
            document: Some(document),
            misspelt,
        }
    }
}

/// The unknown name in an object that was probably meant to be a field, and its place.
pub fn misspelt(object: &Node, field: &str, known: &[&str]) -> Option<(String, Place)> {
    let Value::Object(entries) = &object.value else {
        return None;
    };
    let names = entries.iter().map(|entry| entry.key.as_str());
    let unknown: Vec<&str> = names.filter(|it| !known.contains(it)).collect();
    let name = nearest(field, &unknown)?;
    let entry = entries.iter().find(|entry| entry.key == name)?;
    Some((entry.key.clone(), entry.place))
}

/// Why a value is not of the type that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// A field is not there.
    #[error("the field `{0}` is missing")]
    Missing(&'static str),
    /// A field is there twice.
    #[error("the field `{0}` is there twice")]
    Twice(&'static str),
    /// The value is another one.
    #[error("must be {expected}, not {found}")]
    Mismatch {
        /// What is there, such as `a list`.
        found: String,
        /// Whether that is a whole number.
        is_integer: bool,
        /// What the type asks for, by the name that its reader gives it.
        expected: String,
    },
    /// Something else, in the words of the type's reader.
    #[error("{0}")]
    Other(String),
}

impl Error for Misfit {
    fn custom<T: Display>(text: T) -> Self {
        Self::Other(text.to_string())
    }

    fn invalid_type(found: Unexpected, expected: &dyn Expected) -> Self {
        Self::Mismatch {
            is_integer: matches!(
                found,
                Unexpected::Signed(_) | Unexpected::Unsigned(_) | Unexpected::Other(_)
            ),
            found: match found {
                Unexpected::Seq => "a list".to_owned(),
                Unexpected::Map => "an object".to_owned(),
                Unexpected::Unit | Unexpected::Option => "an empty value".to_owned(),
                Unexpected::Str(_) => format!("the {found}"),
                Unexpected::Bool(value) => format!("`{value}`"),
                Unexpected::Unsigned(number) => format!("`{number}`"),
                Unexpected::Signed(number) => format!("`{number}`"),
                Unexpected::Float(number) => format!("`{number:?}`"),
                // Only what no number of 64 bits can hold.
                Unexpected::Other(_) => "a number of too many digits".to_owned(),
                other => other.to_string(),
            },
            expected: match expected.to_string() {
                // As derived readers say it, with the type's name.
                name if name.starts_with("struct ") => "an object".to_owned(),
                other => other,
            },
        }
    }

    fn invalid_value(found: Unexpected, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Missing(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::Twice(field)
    }
}

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
    pub path: FieldPath,
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

/// The unknown field at a path, where `is_known` is true of the path of its object.
pub(super) fn unknown_field<T: DeserializeOwned>(
    path: &Path,
    is_known: fn(&[PathStep<&str>]) -> bool,
) -> Option<UnknownField> {
    // Pods alone have a hundred thousand such fields: no list is made for each.
    let mut steps = [PathStep::Item(0); DEEPEST];
    let mut first = DEEPEST;
    let mut rest = path;
    loop {
        let (parent, step) = match rest {
            Path::Root => break,
            Path::Seq { parent, index } => (*parent, PathStep::Item(*index)),
            Path::Map { parent, key } => (*parent, PathStep::Field(key.as_str())),
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
    Some(UnknownField {
        path: FieldPath::of(object),
        name: (*name).to_owned(),
        similar: nearest(name, fields_at::<T>(object)),
    })
}

/// The fields that a type has in the object at a path; none where it takes any.
fn fields_at<T: DeserializeOwned>(path: &[PathStep<&str>]) -> &'static [&'static str] {
    T::deserialize(Probe(path)).err().map_or(&[], |it| it.0)
}

/// Leads a type along a path, and fails there with the fields that it asks for.
struct Probe<'p>(&'p [PathStep<&'p str>]);

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
