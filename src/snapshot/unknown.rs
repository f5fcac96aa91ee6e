//! Fields that a snapshot does not have: read over, but not without a word.

use crate::document::{PathStep, UnknownField};

use super::check::Flaw;

/// Whether a snapshot knows all fields of the object at a path: of its own levels, and
/// of the HPA's spec. Other Kubernetes objects inside have fields that are left out on
/// purpose.
pub(super) fn is_known(path: &[PathStep]) -> bool {
    use PathStep::{Field, Item};
    matches!(
        path,
        [] | [Field("controller" | "metrics" | "scale" | "history")]
            | [Field("metrics"), Field("resource")]
            | [Field("metrics"), Field("custom" | "external"), Item(_)]
            | [Field("otherAutoscalers"), Item(_)]
            | [
                Field("history"),
                Field("recommendations" | "scaleUpEvents" | "scaleDownEvents"),
                Item(_)
            ]
            | [Field("horizontalPodAutoscaler"), Field("spec"), ..]
    )
}

impl From<UnknownField> for Flaw {
    fn from(field: UnknownField) -> Self {
        let UnknownField {
            path,
            name,
            similar,
        } = field;
        let ignored = format!("unknown field `{name}`, ignored");
        let reason = match similar {
            Some(similar) => format!("{ignored}; did you mean `{similar}`?"),
            None => ignored,
        };
        Self { path, reason }
    }
}
