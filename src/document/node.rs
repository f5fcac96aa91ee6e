//! A document as it was written: values that know their place in the file, what a plain
//! word or number of it stands for, and the way from them to typed values and plain JSON,
//! and back, by serde.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::path::{FieldPath, PathStep};
use super::typed::Misfit;

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

    /// The place of a field: the name where the last step has one. Of a path that leads
    /// nowhere, the place of as much of it as there is.
    pub fn place_of(&self, path: &FieldPath) -> Place {
        self.follow(path).1
    }

    /// The first value that holds more than so many others: its path, how many,
    /// and its place.
    pub fn with_more_than(&self, most: usize) -> Option<(FieldPath, usize, Place)> {
        let inner = |step: FieldPath, node: &Self| {
            let (rest, count, place) = node.with_more_than(most)?;
            Some((step.join(&rest), count, place))
        };
        let path = FieldPath::default;
        let count = match &self.value {
            Value::List(items) if items.len() <= most => {
                let mut items = items.iter().enumerate();
                return items.find_map(|(index, item)| inner(path().item(index), item));
            }
            Value::Object(entries) if entries.len() <= most => {
                let mut entries = entries.iter();
                return entries.find_map(|it| inner(path().field(&it.key), &it.value));
            }
            Value::List(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => return None,
        };
        Some((path(), count, self.place))
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// How many steps of a path there are.
    pub fn reached(&self, path: &FieldPath) -> usize {
        self.follow(path).0
    }

    /// The value without its places.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The value at a path; nothing where it leads nowhere.
    pub fn at(&self, path: &FieldPath) -> Option<&Self> {
        self.follow(path).2
    }

    fn follow(&self, path: &FieldPath) -> (usize, Place, Option<&Self>) {
        let (mut node, mut place) = (self, self.place);
        for (reached, step) in path.0.iter().enumerate() {
            let Some(inner) = node.step(step) else {
                return (reached, place, None);
            };
            (node, place) = inner;
        }
        (path.0.len(), place, Some(node))
    }

    /// What a step leads to, and its place.
    fn step(&self, step: &PathStep<String>) -> Option<(&Self, Place)> {
        match (step, &self.value) {
            (PathStep::Item(index), Value::List(items)) => {
                items.get(*index).map(|item| (item, item.place))
            }
            (PathStep::Field(name), Value::Object(entries)) => {
                let entry = entries.iter().rev().find(|entry| entry.key == *name);
                entry.map(|entry| (&entry.value, entry.place))
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

/// What a scalar without quotes stands for: in JSON what it says, in YAML what
/// version 1.1 makes of it and kubectl sends as JSON.
pub(super) fn plain(text: &str, is_json: bool) -> Value {
    match text {
        "null" => return Value::Null,
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        _ => {}
    }
    if is_json {
        return if is_json_number(text) {
            Value::Number(text.to_owned())
        } else {
            Value::Text(text.to_owned())
        };
    }
    match text {
        "" | "~" | "Null" | "NULL" => Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        _ => number(text).map_or_else(|| Value::Text(text.to_owned()), Value::Number),
    }
}

/// A number of YAML as the JSON that kubectl makes of it.
fn number(text: &str) -> Option<String> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let first = digits.as_bytes().first()?;
    if !first.is_ascii_digit() && *first != b'.' {
        return None;
    }
    if let Some(whole) = whole(&digits.replace('_', "")) {
        return Some(format!("{sign}{whole}"));
    }
    float(&format!("{sign}{digits}"))
}

/// A whole number: decimal, or with the prefix of another base; a leading 0
/// is that of octal.
fn whole(digits: &str) -> Option<u128> {
    let based = |prefix: &str, base| {
        let rest = digits.strip_prefix(prefix).filter(|it| !it.is_empty());
        rest.filter(|rest| rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
            .and_then(|rest| u128::from_str_radix(rest, base).ok())
    };
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit());
    based("0x", 16)
        .or_else(|| based("0b", 2))
        .or_else(|| based("0o", 8))
        .or_else(|| based("0", 8))
        .or_else(|| is_decimal.then(|| digits.parse().ok())?)
}

/// A number with a fraction or an exponent, in the shortest form that Go's
/// `encoding/json` writes.
fn float(text: &str) -> Option<String> {
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_number = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !has_digit || !is_number {
        return None;
    }
    let number: f64 = text.parse().ok().filter(|it: &f64| it.is_finite())?;
    Some(match number.abs() {
        0.0 | 1e-6..1e21 => number.to_string(),
        _ => format!("{number:e}"),
    })
}

fn is_json_number(text: &str) -> bool {
    serde_json::from_str::<serde_json::Number>(text).is_ok()
}

impl<'de> IntoDeserializer<'de, Misfit> for &'de Node {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(text) => visit_number(text, visitor),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::List(items) => visitor.visit_seq(SeqDeserializer::new(items.iter())),
            Value::Object(entries) => visitor.visit_map(fields(entries)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match &self.value {
            Value::Text(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            Value::Object(entries) => {
                visitor.visit_enum(MapAccessDeserializer::new(fields(entries)))
            }
            other => Err(Misfit::Mismatch {
                found: other.kind().to_owned(),
                is_integer: false,
                expected: "a string or an object".to_owned(),
            }),
        }
    }

    /// A list is no object, though serde would take it for one whose fields
    /// are in order.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match &self.value {
            Value::List(_) => Err(Misfit::invalid_type(Unexpected::Seq, &"an object")),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

type Fields<'n> = MapDeserializer<'n, Box<dyn Iterator<Item = (&'n str, &'n Node)> + 'n>, Misfit>;

fn fields(entries: &[Entry]) -> Fields<'_> {
    let entries = entries.iter();
    MapDeserializer::new(Box::new(
        entries.map(|entry| (entry.key.as_str(), &entry.value)),
    ))
}

/// As JSON's reader hands numbers on, and wider ones whole.
fn visit_number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, Misfit> {
    if let Ok(number) = text.parse::<u64>() {
        return visitor.visit_u64(number);
    }
    if let Ok(number) = text.parse::<i64>() {
        return visitor.visit_i64(number);
    }
    if let Ok(number) = text.parse::<i128>() {
        return visitor.visit_i128(number);
    }
    match text.parse::<f64>() {
        Ok(number) => visitor.visit_f64(number),
        Err(_) => visitor.visit_str(text),
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(text) => match serde_json::from_str::<serde_json::Number>(text) {
                Ok(number) => number.serialize(serializer),
                Err(_) => serializer.serialize_str(text),
            },
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(items) => serializer.collect_seq(items),
            Value::Object(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for entry in entries {
                    map.serialize_entry(&entry.key, &entry.value)?;
                }
                map.end()
            }
        }
    }
}

/// Nobody wrote it, so it has no place.
impl From<serde_json::Value> for Node {
    fn from(value: serde_json::Value) -> Self {
        use serde_json::Value as Json;
        let value = match value {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(value),
            Json::Number(number) => Value::Number(number.to_string()),
            Json::String(text) => Value::Text(text),
            Json::Array(items) => Value::List(items.into_iter().map(Self::from).collect()),
            Json::Object(fields) => Value::Object(
                fields
                    .into_iter()
                    .map(|(key, value)| Entry {
                        key,
                        place: Place::default(),
                        value: value.into(),
                    })
                    .collect(),
            ),
        };
        Self {
            value,
            place: Place::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::document::parse::parse;

    #[test]
    fn places_by_path() {
        let text =
            "a: 1\nspec:\n  metrics:\n  - type: Pods\n  - resource: {name: cpu}\nx.io/y: 5\n";
        let node = parse(text, 0).expect("a document");
        let metrics = || FieldPath::from("spec.metrics");
        let rows = [
            (FieldPath::default(), (1, 1)),
            (metrics(), (3, 3)),
            (metrics().item(0), (4, 5)),
            (metrics().item(0).field("type"), (4, 5)),
            (metrics().item(1).join("resource.name"), (5, 16)),
            (metrics().item(1).join("resource.target.type"), (5, 5)),
            (metrics().item(7).field("type"), (3, 3)),
            ("metadata.name".into(), (1, 1)),
            (FieldPath::default().field("x.io/y"), (6, 1)),
        ];
        for (path, (line, column)) in rows {
            let place = node.place_of(&path);
            assert_eq!((place.line, place.column), (line, column), "{path}");
        }
    }

    #[test]
    fn words_and_numbers_of_yaml() {
        let number = |text: &str| Value::Number(text.to_owned());
        let text = |text: &str| Value::Text(text.to_owned());
        let rows = [
            ("5", number("5")),
            ("-5", number("-5")),
            ("+5", number("5")),
            ("5.0", number("5")),
            ("1e3", number("1000")),
            ("0.05", number("0.05")),
            (".5", number("0.5")),
            ("1_000", number("1000")),
            ("0x10", number("16")),
            ("010", number("8")),
            ("08", number("8")),
            ("0", number("0")),
            ("100m", text("100m")),
            ("1Gi", text("1Gi")),
            ("5%", text("5%")),
            ("-", text("-")),
            ("1.2.3", text("1.2.3")),
            ("apps/v1", text("apps/v1")),
            ("yes", Value::Bool(true)),
            ("Off", Value::Bool(false)),
            ("~", Value::Null),
        ];
        for (written, intended) in rows {
            assert_eq!(plain(written, false), intended, "{written}");
        }
    }

    #[test]
    fn json_is_taken_literally() {
        assert_eq!(plain("5.0", true), Value::Number("5.0".to_owned()));
        assert_eq!(plain("yes", true), Value::Text("yes".to_owned()));
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Typed {
        name: String,
        size: Option<i32>,
        wide: i128,
        kind: Kind,
        rest: Vec<f64>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    enum Kind {
        Unit,
        Held(bool),
    }

    #[test]
    fn nodes_are_read_as_any_type() {
        let text = "name: web\nsize: ~\nwide: -123456789012345678901234567890\n\
            kind: {Held: yes}\nrest: [1, 2.5, -3]\n";
        let node = parse(text, 0).expect("a document");
        let typed = Typed {
            name: "web".to_owned(),
            size: None,
            wide: -123_456_789_012_345_678_901_234_567_890,
            kind: Kind::Held(true),
            rest: vec![1.0, 2.5, -3.0],
        };
        assert_eq!(Typed::deserialize(&node), Ok(typed));
        let unit = parse("Unit", 0).expect("a document");
        assert_eq!(Kind::deserialize(&unit), Ok(Kind::Unit));
        let other = parse("5", 0).expect("a document");
        let error = Kind::deserialize(&other).expect_err("no kind");
        assert_eq!(
            error.to_string(),
            "must be a string or an object, not a number"
        );
    }

    #[test]
    fn json_comes_back_as_it_went() {
        let value = json!({"a": [1, 2.5, "x", null, true, {"b": {}}]});
        assert_eq!(Node::from(value.clone()).to_json(), value);
    }
}
