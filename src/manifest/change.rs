//! What makes one spec of another: field by field, and as a merge patch.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::snapshot::HpaSpec;

use super::stored;

/// A field that two specs do not have the same value of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The field, such as `spec.metrics[0].resource.target.averageUtilization`.
    pub field: String,
    /// Its value as JSON; absent where it is not there.
    pub from: Option<String>,
    /// The other spec's value.
    pub to: Option<String>,
}

/// The fields that two specs differ in, each as deep inside as it goes.
/// Quantities are compared as the API server prints them.
#[must_use]
pub fn changes(before: &HpaSpec, after: &HpaSpec) -> Vec<Change> {
    let mut changes = Vec::new();
    let (before, after) = (json(before), json(after));
    collect("spec", Some(&before), Some(&after), &mut changes);
    changes
}

/// The JSON merge patch (RFC 7386) that makes the one of the other, with the
/// `spec` around it; nothing where they are the same. It replaces lists as a
/// whole.
#[must_use]
pub fn merge_patch(before: &HpaSpec, after: &HpaSpec) -> Option<String> {
    let patch = patch(&json(before), &json(after))?;
    let mut whole = Map::new();
    whole.insert("spec".to_owned(), patch);
    Some(Value::Object(whole).to_string())
}

/// A spec has nothing that JSON could not hold.
fn json(spec: &HpaSpec) -> Value {
    let mut spec = spec.clone();
    stored::print_quantities(&mut spec);
    serde_json::to_value(spec).unwrap_or_default()
}

fn collect(path: &str, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<Change>) {
    if before == after {
        return;
    }
    match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                let path = format!("{path}.{name}");
                collect(&path, before.get(name), after.get(name), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            for index in 0..before.len().max(after.len()) {
                let path = format!("{path}[{index}]");
                collect(&path, before.get(index), after.get(index), found);
            }
        }
        _ => found.push(Change {
            field: path.to_owned(),
            from: before.map(Value::to_string),
            to: after.map(Value::to_string),
        }),
    }
}

fn patch(before: &Value, after: &Value) -> Option<Value> {
    if before == after {
        return None;
    }
    let (Value::Object(before), Value::Object(after)) = (before, after) else {
        return Some(after.clone());
    };
    let mut patched = Map::new();
    for (name, value) in after {
        let changed = match before.get(name) {
            Some(old) => patch(old, value),
            None => Some(value.clone()),
        };
        patched.extend(changed.map(|value| (name.clone(), value)));
    }
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    patched.extend(gone.map(|name| (name.clone(), Value::Null)));
    Some(Value::Object(patched))
}
