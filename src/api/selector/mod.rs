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

/// All labels of some pods. Of a thousand selectors hardly one asks for any of
/// these, and to read each of them takes longer than to look at its first label.
#[derive(Debug)]
pub struct AllLabels<'l>(BTreeSet<(&'l str, &'l str)>);

impl<'l> AllLabels<'l> {
    /// The labels of each pod.
    pub fn of(pods: impl Iterator<Item = &'l Labels>) -> Self {
        let labels = pods.flat_map(Labels::entries);
        Self(
            labels
                .map(|(key, value)| (key.as_str(), value.as_str()))
                .collect(),
        )
    }

    /// Whether a selector may match one of the pods: not where none has the label
    /// that it asks for first, as far as that is written as the API server writes
    /// it: `app=web`.
    pub fn may_meet(&self, selector: &str) -> bool {
        let first = selector.split(',').next().unwrap_or_default();
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./".contains(it);
        let Some((key, value)) = first.split_once('=') else {
            return true;
        };
        let is_plain = !key.is_empty() && key.chars().chain(value.chars()).all(is_plain);
        !is_plain || self.0.contains(&(key, value))
    }
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
