//! What else looks the same, where the sizes alone are known.

use crate::api::MetricSpec;
use crate::diagnose::flaps::pass_facts::PassFacts;
use crate::snapshot::Snapshot;
use crate::trace::{Mechanism, MechanismKind, Standing};

/// A mechanism that the sizes look like, with what this HPA can have in its
/// place.
pub(super) fn looks_like(ground: &PassFacts, kind: MechanismKind, says: String) -> Mechanism {
    let snapshot = ground.case.snapshot;
    let metrics = || snapshot.horizontal_pod_autoscaler.spec.metrics.iter();
    let possible = [
        (MechanismKind::KedaFallback, can_fall_back(snapshot)),
        (MechanismKind::StartupBurst, metrics().any(is_of_cpu)),
        (MechanismKind::ValueRunaway, metrics().any(is_of_value)),
        (MechanismKind::MetricNoise, true),
        (MechanismKind::ShortWindow, true),
    ];
    let others = possible
        .into_iter()
        .filter(|(other, can)| *can && *other != kind);
    Mechanism {
        standing: Standing::Inferred,
        alike: others.map(|(other, _)| other).collect(),
        ..Mechanism::known(kind, says)
    }
}

/// Whether KEDA made the HPA, and nothing tells that it has no fallback.
fn can_fall_back(snapshot: &Snapshot) -> bool {
    let object = snapshot.scaled_object.as_ref();
    object.map_or_else(|| snapshot.is_by_keda(), |it| it.spec.fallback.is_some())
}

fn is_of_cpu(metric: &MetricSpec) -> bool {
    let of_pods = metric.resource.as_ref().map(|it| it.name.as_str());
    let of_one = metric
        .container_resource
        .as_ref()
        .map(|it| it.name.as_str());
    of_pods.or(of_one) == Some("cpu")
}

/// Whether it is compared with its target as a whole.
fn is_of_value(metric: &MetricSpec) -> bool {
    let object = metric.object.as_ref().map(|it| &it.target);
    let external = metric.external.as_ref().map(|it| &it.target);
    let mut targets = object.into_iter().chain(external);
    targets.any(|it| it.value.is_some())
}
