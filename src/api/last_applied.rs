//! What `kubectl apply` keeps of an object: all of it, in an annotation. Of
//! that text no more gets into a snapshot than whether, and to what, it sets
//! the size: the rest holds whatever people put into manifests.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::nullable;

/// The annotation.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

#[derive(Deserialize, Serialize)]
struct Applied {
    #[serde(default, deserialize_with = "nullable::or_default")]
    spec: Spec,
}

#[derive(Default, Deserialize, Serialize)]
struct Spec {
    #[serde(skip_serializing_if = "Option::is_none")]
    replicas: Option<i64>,
}

/// Reads annotations, with no more of what was applied than the size.
pub(crate) fn annotations<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let mut annotations: BTreeMap<String, String> = nullable::or_default(deserializer)?;
    if let Some(applied) = annotations.remove(LAST_APPLIED)
        && let Some(size) = size_alone(&applied)
    {
        annotations.insert(LAST_APPLIED.to_owned(), size);
    }
    Ok(annotations)
}

/// `{"spec":{"replicas":3}}`, or `{"spec":{}}` where the size is not set;
/// nothing of a text that is no object.
fn size_alone(applied: &str) -> Option<String> {
    let applied: Applied = serde_json::from_str(applied).ok()?;
    serde_json::to_string(&applied).ok()
}

/// The size that the last `kubectl apply` set, if it set one.
pub(crate) fn replicas(annotations: &BTreeMap<String, String>) -> Option<i64> {
    let applied: Applied = serde_json::from_str(annotations.get(LAST_APPLIED)?).ok()?;
    applied.spec.replicas
}

#[cfg(test)]
mod tests {
    use super::size_alone;

    #[test]
    fn of_what_was_applied_the_size_alone_stays() {
        let rows = [
            (
                r#"{"metadata":{"name":"x"},"spec":{"replicas":3,"template":{"env":"SECRET"}}}"#,
                Some(r#"{"spec":{"replicas":3}}"#),
            ),
            (r#"{"spec":{"template":{}}}"#, Some(r#"{"spec":{}}"#)),
            (r#"{"spec":{"replicas":null}}"#, Some(r#"{"spec":{}}"#)),
            (r#"{"spec":null}"#, Some(r#"{"spec":{}}"#)),
            ("{}", Some(r#"{"spec":{}}"#)),
            (r#"{"spec":{"replicas":"SECRET"}}"#, None),
            ("SECRET", None),
            ("", None),
        ];
        for (applied, reduced) in rows {
            assert_eq!(size_alone(applied).as_deref(), reduced, "{applied}");
        }
    }
}
