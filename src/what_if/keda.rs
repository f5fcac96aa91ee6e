//! Where what KEDA writes into an HPA is set: in the `ScaledObject` that it
//! makes the HPA for (KEDA's `ScaledObject` reference).

use crate::api::{HorizontalPodAutoscaler, HpaSpec};
use crate::findings::BEHAVIOR;
use crate::manifest::changes;
use crate::trace::{Moved, Overwritten, is_pasteable, shell_word};

/// The fields of an HPA, and those of the `ScaledObject` that they come from.
const FIELDS: [(&str, &str); 4] = [
    ("spec.minReplicas", "spec.minReplicaCount"),
    ("spec.maxReplicas", "spec.maxReplicaCount"),
    ("spec.metrics", "spec.triggers"),
    ("spec.behavior", BEHAVIOR),
];

/// Who writes over a change of the HPA's spec, and where the same change
/// lasts; nothing for an HPA that nobody else makes.
pub(super) fn overwritten(hpa: &HorizontalPodAutoscaler, spec: &HpaSpec) -> Option<Overwritten> {
    let name = hpa.scaled_object()?;
    let changed = changes(&hpa.spec, spec);
    let is_of = |field: &str, own: &str| field.split(['.', '[']).take(2).eq(own.split('.'));
    let is_changed = |own| changed.iter().any(|it| is_of(&it.field, own));
    let fields = FIELDS.iter().filter(|(own, _)| is_changed(own));
    let command = format!(
        "kubectl edit scaledobject {} -n {}",
        shell_word(name),
        shell_word(&hpa.metadata.namespace)
    );
    Some(Overwritten {
        by: format!("ScaledObject/{name}"),
        fields: fields
            .map(|(field, there)| Moved { field, there })
            .collect(),
        command: is_pasteable(&command).then_some(command),
    })
}
