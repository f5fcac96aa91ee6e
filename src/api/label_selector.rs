//! The structured label selector of a metric.
//!
//! The controller never applies it: it sends it to the metrics API as a query
//! and prints it in messages, so these two texts are all there is. The selector
//! that picks pods is [`super::Selector`].

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::nullable::or_default;

/// A query on labels, as `matchLabels` and `matchExpressions` (`meta/v1`
/// `LabelSelector`).
///
/// The API does not validate the selector of a metric.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelector {
    /// Labels that must have exactly these values.
    #[serde(deserialize_with = "labels")]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub match_labels: BTreeMap<String, String>,
    /// Further requirements.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// A requirement on one label (`meta/v1` `LabelSelectorRequirement`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LabelSelectorRequirement {
    /// The label's key.
    #[serde(deserialize_with = "or_default")]
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`; anything else is kept, too.
    #[serde(deserialize_with = "or_default")]
    pub operator: String,
    /// The values of `In` and `NotIn`.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// An operator that does not exist (apimachinery `LabelSelectorAsSelector`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a valid label selector operator")]
pub struct InvalidOperatorError(pub String);

/// The text of a selector in a query; empty, that is, left out, for none
/// (apimachinery `LabelSelectorAsSelector` and `labels.Selector.String`).
///
/// # Errors
///
/// Fails for an operator that does not exist, before anything is asked.
pub fn wire_text(selector: Option<&LabelSelector>) -> Result<String, InvalidOperatorError> {
    let Some(selector) = selector else {
        return Ok(String::new());
    };
    let mut requirements = Vec::new();
    for (key, value) in &selector.match_labels {
        requirements.push((key, format!("{key}={value}")));
    }
    for expression in &selector.match_expressions {
        requirements.push((&expression.key, expression.wire_text()?));
    }
    // Stable: requirements on the same key stay as they were written.
    requirements.sort_by_key(|(key, _)| *key);
    let texts: Vec<_> = requirements.into_iter().map(|(_, text)| text).collect();
    Ok(texts.join(","))
}

/// The text of a selector in messages, which is what Go's `%+v` makes of it
/// (the generated `LabelSelector.String` of `meta/v1`).
pub fn go_text(selector: Option<&LabelSelector>) -> String {
    let Some(selector) = selector else {
        return "nil".to_owned();
    };
    let mut labels = String::new();
    for (key, value) in &selector.match_labels {
        // Writing to a string cannot fail.
        let _ = write!(labels, "{key}: {value},");
    }
    let mut expressions = String::new();
    for LabelSelectorRequirement {
        key,
        operator,
        values,
    } in &selector.match_expressions
    {
        let values = values.join(" ");
        let _ = write!(
            expressions,
            "LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},"
        );
    }
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},\
         MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}

impl LabelSelectorRequirement {
    fn wire_text(&self) -> Result<String, InvalidOperatorError> {
        let key = &self.key;
        let mut values: Vec<_> = self.values.iter().map(String::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        match self.operator.as_str() {
            "In" => Ok(format!("{key} in ({values})")),
            "NotIn" => Ok(format!("{key} notin ({values})")),
            "Exists" => Ok(key.clone()),
            "DoesNotExist" => Ok(format!("!{key}")),
            other => Err(InvalidOperatorError(other.to_owned())),
        }
    }
}

/// Reads labels; as the API does, null counts as an empty object or value.
fn labels<'de, D>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error>
where
    D: Deserializer<'de>,
{
    let labels: BTreeMap<_, Option<_>> = or_default(deserializer)?;
    let labels = labels.into_iter();
    Ok(labels
        .map(|(key, value)| (key, value.unwrap_or_default()))
        .collect())
}

/// Reads a list; as the API does, null counts as an empty list or element.
fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    let list: Vec<Option<T>> = or_default(deserializer)?;
    Ok(list.into_iter().map(Option::unwrap_or_default).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::api::label_selector::*;

    fn read(json: &str) -> Option<LabelSelector> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn texts() {
        let rows = [
            ("null", "", "nil"),
            (
                "{}",
                "",
                "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}",
            ),
            (
                r#"{"matchLabels":{"k2":"v2","k":"v"}}"#,
                "k=v,k2=v2",
                "&LabelSelector{MatchLabels:map[string]string{k: v,k2: v2,},MatchExpressions:[]LabelSelectorRequirement{},}",
            ),
            (
                r#"{"matchExpressions":[{"key":"a","operator":"In","values":["y","x"]}]}"#,
                "a in (x,y)",
                "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:a,Operator:In,Values:[y x],},},}",
            ),
            (
                r#"{"matchLabels":{"m":"1"},"matchExpressions":[
                    {"key":"z","operator":"NotIn","values":["x"]},
                    {"key":"b","operator":"Exists"},
                    {"key":"a","operator":"DoesNotExist","values":[]}]}"#,
                "!a,b,m=1,z notin (x)",
                "&LabelSelector{MatchLabels:map[string]string{m: 1,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:z,Operator:NotIn,Values:[x],},LabelSelectorRequirement{Key:b,Operator:Exists,Values:[],},LabelSelectorRequirement{Key:a,Operator:DoesNotExist,Values:[],},},}",
            ),
            (
                r#"{"matchLabels":{"k":"v"},"matchExpressions":[
                    {"key":"k","operator":"In","values":["v"]},
                    {"key":"k","operator":"Exists"}]}"#,
                "k=v,k in (v),k",
                "&LabelSelector{MatchLabels:map[string]string{k: v,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[v],},LabelSelectorRequirement{Key:k,Operator:Exists,Values:[],},},}",
            ),
        ];
        for (json, wire, go) in rows {
            let selector = read(json);
            assert_eq!(wire_text(selector.as_ref()).as_deref(), Ok(wire), "{json}");
            assert_eq!(go_text(selector.as_ref()), go, "{json}");
        }
        assert_eq!(rows.len(), 6);
    }

    #[test]
    fn unknown_operators() {
        let rows = [
            ("in", "\"in\" is not a valid label selector operator"),
            ("", "\"\" is not a valid label selector operator"),
            (
                "a\\\"b",
                "\"a\\\"b\" is not a valid label selector operator",
            ),
        ];
        for (operator, text) in rows {
            let json = format!(r#"{{"matchExpressions":[{{"key":"a","operator":"{operator}"}}]}}"#);
            let error = wire_text(read(&json).as_ref()).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
        assert_eq!(rows.len(), 3);
    }

    #[test]
    fn reading_and_writing() {
        let rows = [
            ("{}", "{}"),
            (r#"{"matchLabels":null,"matchExpressions":null}"#, "{}"),
            (r#"{"matchLabels":{},"matchExpressions":[]}"#, "{}"),
            (
                r#"{"matchLabels":{"a":null}}"#,
                r#"{"matchLabels":{"a":""}}"#,
            ),
            (
                r#"{"matchExpressions":[null,{"key":"a","operator":"In","values":[null]},{"key":null}]}"#,
                r#"{"matchExpressions":[{"key":"","operator":""},{"key":"a","operator":"In","values":[""]},{"key":"","operator":""}]}"#,
            ),
        ];
        for (json, written) in rows {
            assert_eq!(serde_json::to_string(&read(json)).unwrap(), written);
        }
        assert_eq!(rows.len(), 5);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            labels in prop::collection::btree_map(".{0,3}", ".{0,3}", 0..3),
            expressions in prop::collection::vec(
                (".{0,3}", "In|Exists|.{0,3}", prop::collection::vec(".{0,3}", 0..3)),
                0..3,
            ),
        ) {
            let selector = LabelSelector {
                match_labels: labels,
                match_expressions: expressions
                    .into_iter()
                    .map(|(key, operator, values)| LabelSelectorRequirement { key, operator, values })
                    .collect(),
            };
            let json = serde_json::to_string(&selector).unwrap();
            let _ = (wire_text(Some(&selector)), go_text(Some(&selector)));
            prop_assert_eq!(read(&json), Some(selector));
        }
    }
}
