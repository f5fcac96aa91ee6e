//! The metadata that objects share, and what `kubectl apply` keeps of an
//! object: all of it, in an annotation. Of that text no more gets into a
//! snapshot than whether, and to what, it sets the size: the rest holds
//! whatever people put into manifests.

use std::collections::BTreeMap;
use std::sync::Arc;

use compact_str::CompactString;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{ByName, ConditionKind, ConditionReason, ConditionStatus, OneOf, nullable};

/// Labels by key. Keys and values are short, so they are kept in place: with
/// ten thousand pods, following pointers is what takes the time.
pub type Labels = ByName<CompactString>;

/// The part of `metadata` that the tool reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectMeta {
    /// The object's name.
    pub name: CompactString,
    /// The object's namespace; empty where the object does not say.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "CompactString::is_empty")]
    pub namespace: CompactString,
    /// The labels.
    #[serde(default)]
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub labels: Labels,
    /// What a VPA has noted on a pod, and no other annotations; hardly any
    /// pod has them.
    #[serde(default, deserialize_with = "noted")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Box<VpaAnnotations>>,
    /// When the object was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<Timestamp>,
    /// Set once the object is being deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<Timestamp>,
    /// The owners.
    #[serde(default, deserialize_with = "nullable::or_default")]
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub owner_references: Arc<[OwnerReference]>,
}

impl ObjectMeta {
    /// Holds what an object of the same template has as well only once.
    pub fn share(&mut self, other: &Self) {
        share(&mut self.labels, &other.labels);
        share(&mut self.owner_references, &other.owner_references);
    }
}

/// Where two values are equal, lets the one be a cheap copy of the other.
pub(crate) fn share<T: Clone + PartialEq>(own: &mut T, other: &T) {
    if own == other {
        own.clone_from(other);
    }
}

/// What a `VerticalPodAutoscaler` notes on the pods whose requests it sets
/// (`vpa-admission-controller`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VpaAnnotations {
    /// Which requests it set as the pod was created, and by which VPA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vpa_updates: Option<String>,
    /// The containers of a pod that a VPA changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vpa_observed_containers: Option<String>,
    /// Whether it has changed the pod while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vpa_in_place_updated: Option<String>,
}

fn noted<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Box<VpaAnnotations>>, D::Error> {
    let noted = Option::<VpaAnnotations>::deserialize(deserializer)?;
    let noted = noted.filter(|noted| *noted != VpaAnnotations::default());
    Ok(noted.map(Box::new))
}

/// An owner of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerReference {
    /// The owner's kind.
    pub kind: String,
    /// The owner's name.
    pub name: String,
    /// Whether this owner manages the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<bool>,
}

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

/// A condition that a pass sets, or found already there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(!default)]
pub struct Condition {
    /// Such as `AbleToScale`.
    #[serde(rename = "type")]
    pub kind: OneOf<ConditionKind>,
    /// `True`, `False` or `Unknown`.
    pub status: OneOf<ConditionStatus>,
    /// Why, in one word.
    #[serde(deserialize_with = "nullable::or_default")]
    pub reason: OneOf<ConditionReason>,
    /// Why, in the controller's sentence.
    #[serde(deserialize_with = "nullable::or_default")]
    pub message: String,
    /// When the status last changed, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Timestamp>,
}

impl Condition {
    /// The condition of a type; there is at most one.
    pub fn of(conditions: &[Self], kind: ConditionKind) -> Option<&Self> {
        conditions.iter().find(|it| it.kind == kind)
    }

    /// Whether it says that the controller cannot do its work.
    pub fn fails(&self) -> bool {
        let is_vital = matches!(
            self.kind.known(),
            Some(ConditionKind::AbleToScale | ConditionKind::ScalingActive)
        );
        is_vital
            && self.status == ConditionStatus::False
            && self.reason != ConditionReason::ScalingDisabled
    }
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
