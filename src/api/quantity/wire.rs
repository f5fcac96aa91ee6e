//! Quantities in JSON and YAML: written as strings, read from strings and
//! numbers (apimachinery `resource.Quantity.UnmarshalJSON`).
//!
//! A number is read by its shortest text, which is all that a data format
//! hands on: `1.500` without quotes is `1.5`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ParseQuantityError, Quantity};

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

/// As it is written.
impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "An amount as Kubernetes writes it, such as `250m` or `1Gi`.",
        })
    }
}

/// What the readers of documents are told to expect.
pub const QUANTITY: &str = "a quantity such as \"250m\" or 2";

struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(QUANTITY)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity, E> {
        text.parse().map_err(|error| match error {
            ParseQuantityError::TooLong => E::custom(error),
            _ => E::invalid_value(Unexpected::Str(text), &self),
        })
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Quantity, E> {
        // The range that Go's encoding/json writes without an exponent.
        match number.abs() {
            0.0 | 1e-6..1e21 => self.visit_str(&number.to_string()),
            size if size.is_finite() => self.visit_str(&format!("{number:e}")),
            _ => Err(E::invalid_value(Unexpected::Float(number), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::api::quantity::wire::*;

    #[test]
    fn json_and_yaml() {
        let rows = [
            ("\"250m\"", "250m"),
            ("\" 1Gi \"", "1Gi"),
            ("2", "2"),
            ("-2", "-2"),
            ("0.5", "0.5"),
            ("-0.0", "-0"),
            ("1e30", "1e30"),
            ("0.0000001", "1e-7"),
            ("18446744073709551615", "18446744073709551615"),
        ];
        for (document, text) in rows {
            let json: Quantity = serde_json::from_str(document).unwrap();
            let yaml: Quantity = serde_yaml::from_str(document).unwrap();
            assert_eq!((json.text(), yaml.text()), (text, text), "{document}");
            assert_eq!(serde_json::to_value(&json).unwrap(), text);
        }
        assert_eq!(rows.len(), 9);
        let wide: Quantity = serde_yaml::from_str("-123456789012345678901234567890").unwrap();
        assert_eq!(wide.text(), "-123456789012345678901234567890");
    }

    #[test]
    fn json_and_yaml_refusals() {
        let rows = [
            ("many", "string \"many\""),
            ("1K", "string \"1K\""),
            (".nan", "floating point `NaN`"),
            (".inf", "floating point `inf`"),
            ("[1]", "sequence"),
            ("true", "boolean `true`"),
            ("null", "unit value"),
        ];
        for (document, found) in rows {
            let error = serde_yaml::from_str::<Quantity>(document).unwrap_err();
            let text = format!("{found}, expected {QUANTITY}");
            assert!(error.to_string().contains(&text), "{document}: {error}");
        }
        assert_eq!(rows.len(), 7);
    }
}
