//! Writes that the server forgets again (`dryRun=All`), as a server answers
//! them that has no `fallback`, whose feature gate for `tolerance` is off and
//! whose admission allows no more than 1000 replicas.

use serde_json::{Value, json};

use super::reply::Reply;

/// What would be stored of a new object, or of one that is there.
pub fn answer(stored: Option<Value>, sent: &Value) -> Reply {
    let mut object = stored.unwrap_or_else(|| json!({}));
    merge(&mut object, sent);
    if object["spec"]["maxReplicas"].as_i64() > Some(1000) {
        let message = "admission webhook \"bounds.example.com\" denied the request: too many";
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": "Forbidden", "code": 403,
        });
        return Reply::json(403, &status);
    }
    let metrics = object["spec"]["metrics"].as_array_mut();
    for metric in metrics.into_iter().flatten() {
        let external = metric.get_mut("external").and_then(Value::as_object_mut);
        external.map(|external| external.remove("fallback"));
    }
    for direction in ["scaleUp", "scaleDown"] {
        let rules = object["spec"]["behavior"][direction].as_object_mut();
        rules.map(|rules| rules.remove("tolerance"));
    }
    // What indexing into nothing has left behind.
    if object["spec"]["behavior"].get("scaleUp") == Some(&Value::Null) {
        object["spec"]["behavior"] = Value::Null;
    }
    Reply::json(200, &object)
}

/// RFC 7386.
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (name, value) in fields {
        if value.is_null() {
            target.as_object_mut().expect("an object").remove(name);
        } else {
            merge(&mut target[name], value);
        }
    }
}
