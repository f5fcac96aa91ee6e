//! From a document's text to a typed value, or to what is wrong with it and
//! where.

use std::fmt::Display;

use serde::de::{DeserializeOwned, Error, Expected, Unexpected};
use serde_json::error::Category;
use serde_path_to_error::Segment;

use super::node::{Node, Place, Value};
use super::parse::{SyntaxError, parse};
use super::texts::{DocumentText, Form};
use super::unknown::{PathStep, UnknownField, fields_at, nearest, unknown_field};

/// Why a document is not what is asked for.
#[derive(Debug)]
pub struct Fault {
    /// The path of the field at fault, such as `pods[3].metadata.name`; empty
    /// where the document as a whole is at fault.
    pub path: String,
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
    is_known: fn(&[PathStep]) -> bool,
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
    is_known: fn(&[PathStep]) -> bool,
) -> Result<T, Box<Fault>> {
    // Of an attempt before this one.
    unknown.clear();
    let node = parse(text.text, text.lines_before).map_err(Fault::from)?;
    let mut track = serde_path_to_error::Track::new();
    let deserializer = serde_path_to_error::Deserializer::new(&node, &mut track);
    let mut take =
        |path: serde_ignored::Path<'_>| unknown.extend(unknown_field::<T>(&path, is_known));
    let read = T::deserialize(serde_ignored::Deserializer::new(deserializer, &mut take));
    read.map_err(|error| Fault::at::<T>(&track.path(), error, node).into())
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
            path: String::new(),
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
        let is_known = |it: &&Segment| !matches!(it, Segment::Unknown);
        let mut known = String::new();
        let mut key = String::new();
        let mut steps = Vec::new();
        for segment in path.iter().take_while(is_known) {
            if let Segment::Map { key: name } | Segment::Enum { variant: name } = segment {
                if !known.is_empty() {
                    known.push('.');
                }
                key.clone_from(name);
                steps.push(PathStep::Field(name));
            } else if let Segment::Seq { index } = segment {
                steps.push(PathStep::Item(*index));
            }
            known.push_str(&segment.to_string());
        }
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
            key,
            reason,
            document: Some(document),
            misspelt,
        }
    }
}

/// The unknown name in an object that was probably meant to be a field.
fn misspelt(object: &Node, field: &str, known: &[&str]) -> Option<(String, Place)> {
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
