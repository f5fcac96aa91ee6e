//! What a line of a watch says.

use serde::Deserialize;

use crate::api::HorizontalPodAutoscaler;
use crate::collect::request::collect_error::CollectError;

/// What a line of a watch says.
#[derive(Debug)]
pub enum WatchEvent {
    /// The HPA was written: as it is now, and the version to go on from.
    Put(Box<HorizontalPodAutoscaler>, String),
    Deleted(String),
    /// Nothing happened up to this version.
    Bookmark(String),
    /// The version to go on from is no longer kept.
    Expired(String),
}

/// The part of a line that every one has.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: String,
    object: EventObject,
}

/// Of an object its version, of a Status why.
#[derive(Deserialize)]
struct EventObject {
    #[serde(default)]
    metadata: Meta,
    #[serde(default)]
    message: String,
    #[serde(default)]
    code: u16,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta {
    resource_version: String,
}

#[derive(Deserialize)]
struct Whole {
    object: HorizontalPodAutoscaler,
}

impl WatchEvent {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// It is none of a watch on HPAs, or the server says what went wrong.
    pub fn read(line: &[u8]) -> Result<Self, CollectError> {
        let unexpected =
            |error| CollectError::Malformed(format!("unexpected line of the watch: {error}"));
        let head: Head = serde_json::from_slice(line).map_err(unexpected)?;
        let version = head.object.metadata.resource_version;
        match head.kind.as_str() {
            "ADDED" | "MODIFIED" => {
                let whole: Whole = serde_json::from_slice(line).map_err(unexpected)?;
                Ok(Self::Put(Box::new(whole.object), version))
            }
            "DELETED" => Ok(Self::Deleted(version)),
            "BOOKMARK" => Ok(Self::Bookmark(version)),
            "ERROR" if head.object.code == 410 => Ok(Self::Expired(head.object.message)),
            "ERROR" => Err(CollectError::Malformed(head.object.message)),
            other => Err(CollectError::Malformed(format!(
                "unexpected line of the watch: type {other:?}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WatchEvent;

    #[test]
    fn a_line_is_one_of_five_or_a_reason() {
        let hpa = |kind: &str| {
            format!(
                r#"{{"type":"{kind}","object":{{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",
                "metadata":{{"name":"web","resourceVersion":"7"}},
                "spec":{{"scaleTargetRef":{{"kind":"Deployment","name":"web"}},"maxReplicas":5}},
                "status":{{"desiredReplicas":3}}}}}}"#
            )
        };
        let status = |code: u16| {
            format!(
                r#"{{"type":"ERROR","object":{{"kind":"Status","message":"too old","code":{code}}}}}"#
            )
        };
        let rows = [
            (hpa("ADDED"), "put web 3 at 7"),
            (hpa("MODIFIED"), "put web 3 at 7"),
            (hpa("DELETED"), "deleted at 7"),
            (
                r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}"#.to_owned(),
                "bookmark at 9",
            ),
            (status(410), "expired: too old"),
            (status(500), "failed: too old"),
            (hpa("OTHER"), "failed: unexpected line of the watch: type"),
            (hpa("ADDED").replace("spec", "x"), "failed: unexpected line"),
            ("{".to_owned(), "failed: unexpected line"),
            (String::new(), "failed: unexpected line"),
        ];
        for (line, says) in rows {
            let read = match WatchEvent::read(line.as_bytes()) {
                Ok(WatchEvent::Put(hpa, version)) => {
                    let requested = hpa.status.desired_replicas;
                    format!("put {} {requested} at {version}", hpa.metadata.name)
                }
                Ok(WatchEvent::Deleted(version)) => format!("deleted at {version}"),
                Ok(WatchEvent::Bookmark(version)) => format!("bookmark at {version}"),
                Ok(WatchEvent::Expired(why)) => format!("expired: {why}"),
                Err(why) => format!("failed: {why}"),
            };
            assert!(read.starts_with(says), "{line}: {read}");
        }
    }
}
