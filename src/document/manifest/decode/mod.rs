//! From what was written to an HPA, as the API server decodes a request
//! (`DecodeInto` of `autoscaling/v2`).
//!
//! Whatever does not have the type of its field is a fault, and none of the
//! manifest counts then. `null` counts as absent, a `null` item of a list as
//! an empty one. An unknown field is left out.

mod hpa;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use crate::api::Quantity;
use crate::document::{Entry, FieldPath, Node, Place, Value};

pub(super) use hpa::{
    SpecReader, document, reference, selector, spec, spec_of_v2beta2, spec_with_fallback,
};

/// Something that does not have the type of its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The field, such as `spec.maxReplicas`.
    pub field: FieldPath,
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

/// A field that the API does not have, or that a manifest gives twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFault {
    /// The field, such as `spec.metrics[0].external.fallback`.
    pub field: FieldPath,
    /// Where its name stands.
    pub place: Place,
    /// What makes it stray.
    pub kind: FieldFaultKind,
}

impl FieldFault {
    /// Whether it is the fallback of an External metric, which KEP-5679
    /// designs and no release has.
    pub fn is_of_design(&self) -> bool {
        let fallback = FieldPath::from("spec.metrics")
            .item(0)
            .join("external.fallback");
        self.field.in_first_items() == fallback && matches!(self.kind, FieldFaultKind::Unknown(_))
    }

    /// The fields that were probably meant.
    pub(crate) fn intended(&self) -> Vec<FieldPath> {
        match &self.kind {
            FieldFaultKind::Unknown(Suggestion::Renamed(names)) => {
                let parent = self.field.parent();
                let paths = names.iter().map(|it| parent.clone().field(it));
                paths.collect()
            }
            FieldFaultKind::Unknown(Suggestion::Moved(paths)) => paths.clone(),
            _ => Vec::new(),
        }
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
    /// One of these names, which the same object has.
    Renamed(Vec<String>),
    /// One of these fields, elsewhere.
    Moved(Vec<FieldPath>),
    /// Just this field, which a newer version has.
    Newer(&'static str),
}

impl Suggestion {
    /// The fields that were probably meant, as a question.
    pub(crate) fn question(&self) -> Option<String> {
        let all = match self {
            Self::Renamed(names) => names.clone(),
            Self::Moved(paths) => paths.iter().map(FieldPath::to_string).collect(),
            Self::Nothing | Self::Newer(_) => return None,
        };
        Some(format!("did you mean {}?", all.join(" or ")))
    }
}

/// What was noted while a document was read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub faults: Vec<Fault>,
    pub unknown_fields: Vec<FieldFault>,
    /// Every field that was asked for, where these are what is wanted: then
    /// objects and items are read that are not there.
    pub fields: Option<Vec<FieldPath>>,
}

/// An object whose fields are read one by one; what is left in the end is
/// unknown.
pub(super) struct Object<'n> {
    entries: &'n [Entry],
    path: FieldPath,
    known: Vec<&'static str>,
    notes: &'n RefCell<Notes>,
}

impl<'n> Object<'n> {
    /// The document itself.
    pub(super) fn root(node: &'n Node, notes: &'n RefCell<Notes>) -> Self {
        Self::of(Some(node), FieldPath::default(), notes)
    }

    fn of(node: Option<&'n Node>, path: FieldPath, notes: &'n RefCell<Notes>) -> Self {
        let entries = match node.map(|node| &node.value) {
            None | Some(Value::Null) => &[],
            Some(Value::Object(entries)) => entries.as_slice(),
            Some(other) => {
                let place = node.map_or_else(Place::default, |node| node.place);
                note_fault(notes, path.clone(), place, Expected::Object, other);
                &[]
            }
        };
        Self {
            entries,
            path,
            known: Vec::new(),
            notes,
        }
    }

    /// A field as it was written; `null` is absent.
    pub(super) fn field(&mut self, key: &'static str) -> Option<&'n Node> {
        self.known.push(key);
        if let Some(fields) = &mut self.notes.borrow_mut().fields {
            fields.push(self.path_of(key));
        }
        let entry = self.entries.iter().rev().find(|entry| entry.key == key)?;
        (entry.value.value != Value::Null).then_some(&entry.value)
    }

    /// A string, where there is one.
    pub(super) fn optional_text(&mut self, key: &'static str) -> Option<String> {
        let node = self.field(key)?;
        match &node.value {
            Value::Text(text) => Some(text.clone()),
            other => self.fault(key, node.place, Expected::Text, other),
        }
    }

    /// A string; the empty one where there is none.
    pub(super) fn text(&mut self, key: &'static str) -> String {
        self.optional_text(key).unwrap_or_default()
    }

    /// A whole number of 32 bits, where there is one.
    pub(super) fn whole(&mut self, key: &'static str) -> Option<i32> {
        self.number(key, Expected::Whole)
    }

    /// A whole number of 64 bits, where there is one.
    pub(super) fn long(&mut self, key: &'static str) -> Option<i64> {
        self.number(key, Expected::Long)
    }

    fn number<T: std::str::FromStr>(&mut self, key: &'static str, expected: Expected) -> Option<T> {
        let node = self.field(key)?;
        match &node.value {
            Value::Number(text) => text.parse().ok().or_else(|| {
                let expected = match expected {
                    Expected::Whole if text.parse::<i128>().is_ok() => Expected::WholeInRange,
                    other => other,
                };
                self.fault(key, node.place, expected, &node.value)
            }),
            other => self.fault(key, node.place, expected, other),
        }
    }

    /// A quantity, where there is one.
    pub(super) fn quantity(&mut self, key: &'static str) -> Option<Quantity> {
        let node = self.field(key)?;
        let expected = Expected::Quantity;
        match &node.value {
            Value::Number(text) | Value::Text(text) => text
                .parse()
                .ok()
                .or_else(|| self.fault(key, node.place, expected, &node.value)),
            other => self.fault(key, node.place, expected, other),
        }
    }

    /// An object, where there is one.
    pub(super) fn object<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Object<'n>) -> T,
    ) -> Option<T> {
        let node = self.field(key);
        let is_read = node.is_some() || self.wants_fields();
        is_read.then(|| Object::of(node, self.path_of(key), self.notes).read(read))
    }

    /// An object that is seldom there.
    pub(super) fn boxed<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Object<'n>) -> T,
    ) -> Option<Box<T>> {
        self.object(key, read).map(Box::new)
    }

    /// An object; an empty one where there is none.
    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Object<'n>) -> T,
    ) -> T {
        let node = self.field(key);
        Object::of(node, self.path_of(key), self.notes).read(read)
    }

    /// A list of objects, where there is one.
    pub(super) fn list<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&mut Object<'n>) -> T,
    ) -> Option<Vec<T>> {
        let (notes, path) = (self.notes, self.path_of(key));
        let items = self.items(key);
        if self.wants_fields() {
            Object::of(None, path.clone().item(0), notes).read(&read);
        }
        let read =
            |(index, item)| Object::of(Some(item), path.clone().item(index), notes).read(&read);
        Some(items?.iter().enumerate().map(read).collect())
    }

    /// A list of strings; an empty one where there is none.
    pub(super) fn texts(&mut self, key: &'static str) -> Vec<String> {
        let mut texts = Vec::new();
        for (index, item) in self.items(key).into_iter().flatten().enumerate() {
            match &item.value {
                Value::Text(text) => texts.push(text.clone()),
                Value::Null => texts.push(String::new()),
                other => {
                    let path = self.path_of(key).item(index);
                    note_fault(self.notes, path, item.place, Expected::Text, other);
                }
            }
        }
        texts
    }

    /// A map of strings, such as labels; an empty one where there is none.
    pub(super) fn map<M: FromIterator<(String, String)>>(&mut self, key: &'static str) -> M {
        let path = self.path_of(key);
        let inner = Object::of(self.field(key), path, self.notes);
        let mut met = BTreeSet::new();
        let entries = inner.entries.iter().filter_map(|entry| {
            if !met.insert(entry.key.as_str()) {
                inner.note_field(entry, FieldFaultKind::Duplicate);
            }
            let text = match &entry.value.value {
                Value::Text(text) => text.clone(),
                Value::Null => String::new(),
                other => {
                    let path = inner.path_of(&entry.key);
                    note_fault(inner.notes, path, entry.value.place, Expected::Text, other);
                    return None;
                }
            };
            Some((entry.key.clone(), text))
        });
        entries.collect()
    }

    /// A field that nothing is read of.
    pub(super) fn skip(&mut self, key: &'static str) {
        self.known.push(key);
    }

    fn items(&mut self, key: &'static str) -> Option<&'n [Node]> {
        let node = self.field(key)?;
        match &node.value {
            Value::List(items) => Some(items),
            other => self.fault(key, node.place, Expected::List, other),
        }
    }

    /// Reads the object, and notes what is left.
    pub(super) fn read<T>(mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let value = read(&mut self);
        let mut met = BTreeSet::new();
        for entry in self.entries {
            let is_known = self.known.contains(&entry.key.as_str());
            let is_again = !met.insert(entry.key.as_str());
            let kind = match (is_known, is_again) {
                (true, false) => continue,
                (true, true) => FieldFaultKind::Duplicate,
                (false, _) => FieldFaultKind::Unknown(Suggestion::Nothing),
            };
            self.note_field(entry, kind);
        }
        value
    }

    fn note_field(&self, entry: &Entry, kind: FieldFaultKind) {
        self.notes.borrow_mut().unknown_fields.push(FieldFault {
            field: self.path_of(&entry.key),
            place: entry.place,
            kind,
        });
    }

    fn wants_fields(&self) -> bool {
        self.notes.borrow().fields.is_some()
    }

    fn path_of(&self, key: &str) -> FieldPath {
        self.path.clone().field(key)
    }

    fn fault<T>(&self, key: &str, place: Place, expected: Expected, found: &Value) -> Option<T> {
        note_fault(self.notes, self.path_of(key), place, expected, found);
        None
    }
}

fn note_fault(
    notes: &RefCell<Notes>,
    field: FieldPath,
    place: Place,
    expected: Expected,
    found: &Value,
) {
    let found = match found {
        Value::Number(text) => text.clone(),
        Value::Text(text) if text.chars().count() <= 40 => format!("the string {text:?}"),
        Value::Bool(value) => value.to_string(),
        other => other.kind().to_owned(),
    };
    notes.borrow_mut().faults.push(Fault {
        field,
        place,
        expected,
        found,
    });
}
