//! What the API server has against a field
//! (apimachinery `validation/field.Error`), and why a spec is no candidate.

use std::fmt::{self, Write};

use thiserror::Error;

use crate::api::{OneOf, Words};
use crate::document::{FieldPath, Place};

/// An error of a field, which prints as the API server prints it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct FieldError {
    /// The field, such as `spec.metrics[0].resource.name`.
    pub field: FieldPath,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// It must be there and is not; with or without a text.
    #[error("Required value{}{}", if .0.is_empty() { "" } else { ": " }, .0)]
    Required(String),
    /// Its value, as it is printed, and what it must be.
    #[error("Invalid value: {0}: {1}")]
    Invalid(String, String),
    /// It must not be there.
    #[error("Forbidden: {0}")]
    Forbidden(String),
    /// A value that is none of those supported, which are sorted.
    #[error("Unsupported value: {}: supported values: {}", go_quoted(.0), all_quoted(.1))]
    Unsupported(String, Vec<&'static str>),
}

/// Why a candidate is none: the field, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where; absent where it is about the whole.
    pub place: Option<Place>,
    /// The field that is wrong, where it is one.
    pub field: Option<FieldPath>,
    /// What is wrong.
    pub(super) says: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        f.write_str(&self.says)
    }
}

impl Refusal {
    pub(super) fn at(place: Place, says: impl Into<String>) -> Self {
        Self {
            place: Some(place),
            field: None,
            says: says.into(),
        }
    }

    pub(super) fn of(place: Place, field: &FieldPath, says: impl fmt::Display) -> Self {
        Self {
            place: Some(place),
            field: Some(field.clone()),
            says: says.to_string(),
        }
    }

    pub(super) fn whole(says: impl Into<String>) -> Self {
        Self {
            place: None,
            field: None,
            says: says.into(),
        }
    }
}

/// A field that is checked, and where what is wrong with it is noted.
pub(super) struct Checked<'e> {
    path: FieldPath,
    errors: &'e mut Vec<FieldError>,
}

impl<'e> Checked<'e> {
    pub(super) fn new(path: impl Into<FieldPath>, errors: &'e mut Vec<FieldError>) -> Self {
        let path = path.into();
        Self { path, errors }
    }

    /// A field in it, such as `resource.name`.
    pub(super) fn at(&mut self, inner: &'static str) -> Checked<'_> {
        Checked::new(self.path.clone().join(inner), self.errors)
    }

    pub(super) fn item(&mut self, index: usize) -> Checked<'_> {
        Checked::new(self.path.clone().item(index), self.errors)
    }

    pub(super) fn required(&mut self, text: &str) {
        self.note(Problem::Required(text.to_owned()));
    }

    /// Strings and quantities are printed in quotes.
    pub(super) fn invalid_text(&mut self, value: &str, text: impl Into<String>) {
        self.note(Problem::Invalid(go_quoted(value), text.into()));
    }

    pub(super) fn invalid_number(&mut self, value: impl Into<i64>, text: impl Into<String>) {
        self.note(Problem::Invalid(value.into().to_string(), text.into()));
    }

    pub(super) fn forbidden(&mut self, text: &str) {
        self.note(Problem::Forbidden(text.to_owned()));
    }

    /// A word that is none of the field's; the server sorts those that are.
    pub(super) fn known<T: Words>(&mut self, value: &OneOf<T>) {
        if let OneOf::Unknown(text) = value {
            let mut supported: Vec<_> = T::ALL.iter().map(|word| word.as_str()).collect();
            supported.sort_unstable();
            self.note(Problem::Unsupported(text.to_string(), supported));
        }
    }

    fn note(&mut self, problem: Problem) {
        let field = self.path.clone();
        self.errors.push(FieldError { field, problem });
    }
}

fn all_quoted(texts: &[&str]) -> String {
    let texts: Vec<String> = texts.iter().map(|it| go_quoted(it)).collect();
    texts.join(", ")
}

/// As Go's `%q` does it.
fn go_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            control if u32::from(control) < 0x20 || control == '\u{7f}' => {
                // Writing to a string cannot fail.
                _ = write!(quoted, "\\x{:02x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
