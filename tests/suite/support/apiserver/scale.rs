//! The scale subresource of an object that nobody recorded it of.

use serde_json::{Map, Value, json};

/// The Scale of a workload: a Deployment, a Rollout, or anything else that counts its replicas in the same places.
pub fn of(object: &Value) -> Value {
    let mut metadata = Map::new();
    for name in [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    ] {
        if let Some(value) = object["metadata"].get(name) {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    let mut spec = json!({});
    // A Scale of zero replicas leaves the number out.
    if let Some(replicas) = object["spec"]["replicas"]
        .as_u64()
        .filter(|count| *count > 0)
    {
        spec["replicas"] = replicas.into();
    }
    let replicas = object["status"]["replicas"].as_u64().unwrap_or_default();
    json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": spec,
        "status": {"replicas": replicas, "selector": selector(&object["spec"]["selector"])},
    })
}

/// A selector as text; that of a `ReplicationController` is plain labels.
fn selector(selector: &Value) -> String {
    let expressions = selector["matchExpressions"].as_array();
    let labels = match selector["matchLabels"].as_object() {
        Some(labels) => Some(labels),
        None if expressions.is_some() => None,
        None => selector.as_object(),
    };
    let labels = labels.into_iter().flatten();
    let mut parts: Vec<String> = labels
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    parts.extend(expressions.into_iter().flatten().map(expression));
    parts.sort();
    parts.join(",")
}

fn expression(expression: &Value) -> String {
    let key = expression["key"].as_str().unwrap_or_default();
    let values = expression["values"].as_array().into_iter().flatten();
    let mut values: Vec<&str> = values.filter_map(Value::as_str).collect();
    values.sort_unstable();
    let values = values.join(",");
    match expression["operator"].as_str() {
        Some("In") => format!("{key} in ({values})"),
        Some("NotIn") => format!("{key} notin ({values})"),
        Some("Exists") => key.to_owned(),
        Some("DoesNotExist") => format!("!{key}"),
        other => panic!("no selector has the operator {other:?}"),
    }
}
