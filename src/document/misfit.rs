//! Why a value is not of the type that is asked for.

use std::fmt::Display;

use serde::de::{Error, Expected, Unexpected};

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
