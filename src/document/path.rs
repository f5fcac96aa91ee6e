//! Paths to the fields of a document, as values: nobody has to take a text apart to know
//! what one leads to.

use std::fmt;

use serde::{Serialize, Serializer};

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathStep<N> {
    /// To a field of an object, by its name.
    Field(N),
    /// To an item of a list.
    Item(usize),
}

impl<N: AsRef<str>> PathStep<N> {
    /// The name of the field, if it is to one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Field(name) => Some(name.as_ref()),
            Self::Item(_) => None,
        }
    }
}

/// A path from the root of a document, which is printed as `spec.metrics[0].type`; without
/// a step it is the document itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldPath(pub Vec<PathStep<String>>);

/// The names of fields, with dots between them.
impl From<&'static str> for FieldPath {
    fn from(names: &'static str) -> Self {
        debug_assert!(!names.contains('['), "{names}: `item` leads to an item");
        let names = names.split('.').filter(|it| !it.is_empty());
        Self(names.map(|it| PathStep::Field(it.to_owned())).collect())
    }
}

impl From<&FieldPath> for String {
    fn from(path: &FieldPath) -> Self {
        path.to_string()
    }
}

impl From<&FieldPath> for FieldPath {
    fn from(path: &FieldPath) -> Self {
        path.clone()
    }
}

impl FieldPath {
    /// The path with these steps.
    pub fn of(steps: &[PathStep<&str>]) -> Self {
        let steps = steps.iter().map(|step| match step {
            PathStep::Field(name) => PathStep::Field((*name).to_owned()),
            PathStep::Item(index) => PathStep::Item(*index),
        });
        Self(steps.collect())
    }

    /// The path of a field in what this one leads to.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>) -> Self {
        self.0.push(PathStep::Field(name.into()));
        self
    }

    /// The path of an item in it.
    #[must_use]
    pub fn item(mut self, index: usize) -> Self {
        self.0.push(PathStep::Item(index));
        self
    }

    /// The path of what another one leads to in it.
    #[must_use]
    pub fn join(mut self, inner: impl Into<Self>) -> Self {
        self.0.extend(inner.into().0);
        self
    }

    /// The names of the fields that it goes through.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(PathStep::name)
    }

    /// Whether it is the document itself.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What has the field, or the item; the document is its own.
    #[must_use]
    pub fn parent(&self) -> Self {
        let (_, parent) = self.0.split_last().unzip();
        Self(parent.map_or_else(Vec::new, <[_]>::to_vec))
    }

    /// The name of the field, if it leads to one.
    pub fn name(&self) -> Option<&str> {
        self.0.last().and_then(PathStep::name)
    }

    /// Whether it leads to the same as another one, or to a part of it.
    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.get(..outer.0.len()) == Some(outer.0.as_slice())
    }

    /// The same path in the first items of all lists.
    #[must_use]
    pub fn in_first_items(&self) -> Self {
        let steps = self.0.iter().map(|step| match step {
            PathStep::Item(_) => PathStep::Item(0),
            name @ PathStep::Field(_) => name.clone(),
        });
        Self(steps.collect())
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Field(name) if at == 0 => f.write_str(name)?,
                PathStep::Field(name) => write!(f, ".{name}")?,
                PathStep::Item(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl Serialize for FieldPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
