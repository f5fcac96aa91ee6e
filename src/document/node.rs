//! A document as it was written: values that know their place in the file.

use std::collections::BTreeSet;
use std::fmt;

/// A place in a file, both counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What stands there.
    pub value: Value,
    /// Where it begins.
    pub place: Place,
}

/// What can stand in a manifest.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`, `~`, or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as the text that it is sent to the API server with.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// An object.
    Object(Vec<Entry>),
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name.
    pub key: String,
    /// Where the name stands.
    pub place: Place,
    /// The value.
    pub value: Node,
}

impl Place {
    /// The place behind what is read so far.
    pub fn after(text: &[u8]) -> Self {
        let mut lines = text.split(|byte| *byte == b'\n');
        let last = lines.next_back().unwrap_or_default();
        Self {
            line: 1 + lines.count(),
            column: 1 + String::from_utf8_lossy(last).chars().count(),
        }
    }
}

impl Value {
    /// What it is, for a message: `a string`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl Node {
    /// A field's value; of a name that is given twice the last one counts.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Value::Object(entries) = &self.value else {
            return None;
        };
        let entry = entries.iter().rev().find(|entry| entry.key == key);
        entry.map(|entry| &entry.value)
    }

    /// The text of a field, where it is one.
    pub fn text(&self, key: &str) -> Option<&str> {
        match &self.get(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Where a name stands that was there before.
    pub(super) fn second(&self) -> Option<Place> {
        let Value::Object(entries) = &self.value else {
            return None;
        };
        let mut names = BTreeSet::new();
        let second = entries.iter().find(|entry| !names.insert(&entry.key));
        second.map(|entry| entry.place)
    }

    /// The place of a field by its path, such as `spec.metrics[0].type`: the
    /// name where the last step has one. Of a path that leads nowhere, the
    /// place of as much of it as there is.
    pub fn place_of(&self, path: &str) -> Place {
        self.follow(path).1
    }

    /// The first value that holds more than so many others: its path, how many,
    /// and its place.
    pub fn with_more_than(&self, most: usize) -> Option<(String, usize, Place)> {
        let inner = |step: String, node: &Self| {
            let (rest, count, place) = node.with_more_than(most)?;
            let dot = if rest.is_empty() || rest.starts_with('[') {
                ""
            } else {
                "."
            };
            Some((format!("{step}{dot}{rest}"), count, place))
        };
        let count = match &self.value {
            Value::List(items) if items.len() <= most => {
                let mut items = items.iter().enumerate();
                return items.find_map(|(index, item)| inner(format!("[{index}]"), item));
            }
            Value::Object(entries) if entries.len() <= most => {
                let mut entries = entries.iter();
                return entries.find_map(|it| inner(it.key.clone(), &it.value));
            }
            Value::List(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => return None,
        };
        Some((String::new(), count, self.place))
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// How many steps of a path there are.
    pub fn reached(&self, path: &str) -> usize {
        self.follow(path).0
    }

    /// The value without its places.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The value at a path; nothing where it leads nowhere.
    pub fn at(&self, path: &str) -> Option<&Self> {
        self.follow(path).2
    }

    fn follow(&self, path: &str) -> (usize, Place, Option<&Self>) {
        let (mut node, mut place, mut reached) = (self, self.place, 0);
        let mut path = path;
        while !path.is_empty() {
            let Some((inner, at, rest)) = node.step(path) else {
                return (reached, place, None);
            };
            (node, place, path) = (inner, at, rest);
            reached += 1;
        }
        (reached, place, Some(node))
    }

    /// What the first step of a path leads to, and the rest. A last name may
    /// hold dots, as those of annotations do.
    fn step<'p>(&self, path: &'p str) -> Option<(&Self, Place, &'p str)> {
        match &self.value {
            Value::List(items) => {
                let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
                let item = items.get(index.parse::<usize>().ok()?)?;
                Some((item, item.place, rest))
            }
            Value::Object(entries) => {
                let path = path.strip_prefix('.').unwrap_or(path);
                let entry = |name: &str| entries.iter().rev().find(|entry| entry.key == name);
                let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
                let (entry, rest) = match entry(path) {
                    Some(last) => (last, ""),
                    None => (entry(name)?, rest),
                };
                Some((&entry.value, entry.place, rest))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} column {}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;

    #[test]
    fn places_by_path() {
        let text =
            "a: 1\nspec:\n  metrics:\n  - type: Pods\n  - resource: {name: cpu}\nx.io/y: 5\n";
        let node = parse(text, 0).expect("a document");
        let rows = [
            ("", (1, 1)),
            ("spec.metrics", (3, 3)),
            ("spec.metrics[0]", (4, 5)),
            ("spec.metrics[0].type", (4, 5)),
            ("spec.metrics[1].resource.name", (5, 16)),
            ("spec.metrics[1].resource.target.type", (5, 5)),
            ("spec.metrics[7].type", (3, 3)),
            ("metadata.name", (1, 1)),
            ("x.io/y", (6, 1)),
        ];
        for (path, (line, column)) in rows {
            let place = node.place_of(path);
            assert_eq!((place.line, place.column), (line, column), "{path}");
        }
    }
}
