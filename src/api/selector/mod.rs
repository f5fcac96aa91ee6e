//! The label selector of a scale: `app=web,tier in (a, b)`.
//!
//! The scale subresource states as a text which pods it counts. This reads
//! that text, with the controller's own words where it cannot be read, and
//! applies it to labels. The structured selector of a metric is another type,
//! [`super::LabelSelector`], and is never applied here.

mod parse;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use compact_str::CompactString;

use super::Labels;

pub use self::parse::ParseSelectorError;

/// The wording of two rules, which changed with release 1.35.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// Up to 1.34: `a qualified name must …`, lengths in `characters`.
    QualifiedName,
    /// From 1.35 on: `a valid label key must …`, lengths in `bytes`.
    LabelKey,
}

/// Requirements on labels, all of which must hold
/// (apimachinery `labels.Selector`). Without any it matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

/// A condition on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: CompactString,
    condition: Condition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Exists,
    DoesNotExist,
    In(BTreeSet<CompactString>),
    NotIn(BTreeSet<CompactString>),
    GreaterThan(i64),
    LessThan(i64),
}

impl Selector {
    /// Reads a selector; the empty text matches everything
    /// (apimachinery `labels.Parse`).
    ///
    /// # Errors
    ///
    /// Fails where the controller does, and says what it says in the given
    /// wording.
    pub fn parse(text: &str, wording: Wording) -> Result<Self, ParseSelectorError> {
        let requirements = parse::requirements(text, wording)?;
        Ok(Self { requirements })
    }

    /// The label that a selector asks for first, where it is written as the API
    /// server writes it: `app=web`. What has no such label meets none of it.
    pub fn first_label(text: &str) -> Option<(&str, &str)> {
        let first = text.split(',').next()?;
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./".contains(it);
        let (key, value) = first.split_once('=')?;
        let both = key.chars().chain(value.chars());
        (!key.is_empty() && both.into_iter().all(is_plain)).then_some((key, value))
    }

    /// The labels, of which every one is on what this selects: `app=web`.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let requirements = self.requirements.iter();
        requirements.filter_map(|it| match &it.condition {
            Condition::In(values) if values.len() == 1 => {
                Some((it.key.as_str(), values.first()?.as_str()))
            }
            _ => None,
        })
    }

    /// Whether labels meet every requirement
    /// (apimachinery `labels.Requirement.Matches`).
    pub fn matches(&self, labels: &Labels) -> bool {
        self.requirements
            .iter()
            .all(|requirement| requirement.holds(labels.get(requirement.key.as_str())))
    }
}

impl Requirement {
    /// Takes the label's value, if the label is there.
    fn holds(&self, value: Option<&CompactString>) -> bool {
        let number = || value?.parse::<i64>().ok();
        match &self.condition {
            Condition::Exists => value.is_some(),
            Condition::DoesNotExist => value.is_none(),
            Condition::In(values) => value.is_some_and(|value| values.contains(value)),
            Condition::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Condition::GreaterThan(bound) => number().is_some_and(|number| number > *bound),
            Condition::LessThan(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}
