//! [`Node`]s to typed values and plain JSON, and back, by serde.

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::node::{Entry, Node, Place, Value};
use crate::document::typed::Misfit;

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
            Value::Number(text) => number(text, visitor),
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
fn number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, Misfit> {
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

    use super::super::parse::parse;
    use super::Node;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase")]
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
