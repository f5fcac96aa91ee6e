//! What the API server has against a field
//! (apimachinery `validation/field.Error`).

use std::fmt::{self, Write};

use crate::api::{OneOf, Words};

/// An error of a field, which prints as the API server prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field, such as `spec.metrics[0].resource.name`.
    pub field: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It must be there and is not; with or without a text.
    Required(String),
    /// Its value, as it is printed, and what it must be.
    Invalid(String, String),
    /// It must not be there.
    Forbidden(String),
    /// A value that is none of those supported, which are sorted.
    Unsupported(String, Vec<&'static str>),
}

/// A field that is checked, and where what is wrong with it is noted.
pub(super) struct FieldPath<'e> {
    path: String,
    errors: &'e mut Vec<FieldError>,
}

impl<'e> FieldPath<'e> {
    pub(super) fn new(path: &str, errors: &'e mut Vec<FieldError>) -> Self {
        let path = path.to_owned();
        Self { path, errors }
    }

    /// A field in it, such as `resource.name`.
    pub(super) fn at(&mut self, inner: &str) -> FieldPath<'_> {
        FieldPath::new(&format!("{}.{inner}", self.path), self.errors)
    }

    pub(super) fn item(&mut self, index: usize) -> FieldPath<'_> {
        FieldPath::new(&format!("{}[{index}]", self.path), self.errors)
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

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required(text) if text.is_empty() => f.write_str("Required value"),
            Self::Required(text) => write!(f, "Required value: {text}"),
            Self::Invalid(value, text) => write!(f, "Invalid value: {value}: {text}"),
            Self::Forbidden(text) => write!(f, "Forbidden: {text}"),
            Self::Unsupported(value, supported) => {
                let supported: Vec<String> = supported.iter().map(|it| go_quoted(it)).collect();
                let supported = supported.join(", ");
                let value = go_quoted(value);
                write!(
                    f,
                    "Unsupported value: {value}: supported values: {supported}"
                )
            }
        }
    }
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
