//! From what was written to an HPA, as the API server decodes a request
//! (`DecodeInto` of `autoscaling/v2`).
//!
//! Whatever does not have the type of its field is a fault, and none of the
//! manifest counts then. `null` counts as absent, a `null` item of a list as
//! an empty one. An unknown field is left out.

mod hpa;
mod object;

pub(super) use hpa::{
    SpecReader, document, reference, selector, spec, spec_of_v2beta2, spec_with_fallback,
};
pub(super) use object::{Notes, Object};

use std::fmt;

use crate::document::Place;

/// Something that does not have the type of its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The field, such as `spec.maxReplicas`.
    pub field: String,
    /// Where its value stands.
    pub place: Place,
    /// What it must be.
    pub expected: Expected,
    /// What it is, for a person.
    pub found: String,
}

impl Fault {
    /// What it must be and what it is, for a person.
    pub fn reason(&self) -> String {
        format!("must be {}, not {}", self.expected, self.found)
    }
}

/// What the value of a field must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// An object.
    Object,
    /// A list.
    List,
    /// A string.
    Text,
    /// A whole number of 32 bits.
    Whole,
    /// The same; what was found is a whole number that does not fit.
    WholeInRange,
    /// A whole number of 64 bits.
    Long,
    /// A quantity.
    Quantity,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object => "an object",
            Self::List => "a list",
            Self::Text => "a string",
            Self::Whole => "a whole number such as 10",
            Self::WholeInRange => "a whole number from -2147483648 to 2147483647",
            Self::Long => "a whole number",
            Self::Quantity => "a quantity such as 250m or 1Gi",
        })
    }
}

/// A field that the API does not have, or has once only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFault {
    /// The field, such as `spec.metrics[0].external.fallback`.
    pub field: String,
    /// Where its name stands.
    pub place: Place,
    /// What makes it stray.
    pub kind: FieldFaultKind,
}

impl FieldFault {
    /// Whether it is the fallback of an External metric, which KEP-5679
    /// designs and no release has.
    pub fn is_of_design(&self) -> bool {
        let is_fallback =
            self.field.starts_with("spec.metrics[") && self.field.ends_with("].external.fallback");
        is_fallback && matches!(self.kind, FieldFaultKind::Unknown(_))
    }

    /// The fields that were probably meant.
    pub(crate) fn intended(&self) -> Vec<String> {
        let FieldFaultKind::Unknown(Suggestion::Fields(near)) = &self.kind else {
            return Vec::new();
        };
        let parent = self.field.rsplit_once('.').map_or("", |(parent, _)| parent);
        let whole = |name: &String| match parent {
            "" => name.clone(),
            _ if name.contains('.') => name.clone(),
            parent => format!("{parent}.{name}"),
        };
        near.iter().map(whole).collect()
    }
}

/// What makes a field stray.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldFaultKind {
    /// The version has no such field.
    Unknown(Suggestion),
    /// It is given twice; the last one counts.
    Duplicate,
}

/// What an unknown field was probably meant to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// Nothing that the API has is near.
    Nothing,
    /// One of these: a name of the same object, or a path.
    Fields(Vec<String>),
    /// Just this field, which a newer version has.
    Newer(&'static str),
}
