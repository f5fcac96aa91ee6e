//! The fields of an HPA, in `autoscaling/v2` and in the versions before.

use super::Object;
use crate::api::{
    Behavior, ContainerResourceMetricSource, CrossVersionObjectReference, Designed, Direction,
    ExternalMetricFallback, ExternalMetricSource, HpaSpec, LabelSelector, LabelSelectorRequirement,
    MetricIdentifier, MetricSpec, MetricTarget, ObjectMetricSource, OwnerReference,
    PodsMetricSource, Quantity, ResourceMetricSource, ScalingPolicy, ScalingRules,
};
use crate::document::manifest::Metadata;

/// Reads the spec of some version of the API.
pub(in crate::document::manifest) type SpecReader = fn(&mut Object) -> HpaSpec;

/// The whole document.
pub(in crate::document::manifest) fn document(
    object: &mut Object,
    spec: SpecReader,
) -> (Metadata, HpaSpec) {
    object.text("apiVersion");
    object.text("kind");
    object.object("status", |_| ());
    (
        object.required("metadata", metadata),
        object.required("spec", spec),
    )
}

/// `metadata` (`meta/v1` `ObjectMeta`).
fn metadata(object: &mut Object) -> Metadata {
    for read_only in [
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
    ] {
        object.skip(read_only);
    }
    for text in ["creationTimestamp", "uid", "resourceVersion", "selfLink"] {
        object.text(text);
    }
    object.long("generation");
    Metadata {
        name: object.text("name"),
        generate_name: object.text("generateName"),
        namespace: object.text("namespace"),
        labels: object.map("labels"),
        annotations: object.map("annotations"),
        owner_references: object
            .list("ownerReferences", owner_reference)
            .unwrap_or_default(),
        finalizers: object.texts("finalizers"),
    }
}

fn owner_reference(object: &mut Object) -> OwnerReference {
    object.skip("blockOwnerDeletion");
    object.skip("controller");
    object.text("apiVersion");
    object.text("uid");
    OwnerReference {
        kind: object.text("kind"),
        name: object.text("name"),
        controller: None,
    }
}

/// Fields that not every version with this spec has.
#[derive(Clone, Copy)]
struct Varying {
    /// `tolerance` of a direction's rules.
    tolerance: fn(&mut Object) -> Option<Quantity>,
    /// `fallback` of an External metric.
    fallback: fn(&mut Object) -> Option<Designed<ExternalMetricFallback>>,
}

const V2: Varying = Varying {
    tolerance: |rules| rules.quantity("tolerance"),
    fallback: |_| None,
};

/// `spec` of `autoscaling/v2`.
pub(in crate::document::manifest) fn spec(object: &mut Object) -> HpaSpec {
    spec_of(object, V2)
}

/// `spec` of `autoscaling/v2beta2`, which was gone before tolerances came.
pub(in crate::document::manifest) fn spec_of_v2beta2(object: &mut Object) -> HpaSpec {
    let tolerance = |_: &mut Object| None;
    spec_of(object, Varying { tolerance, ..V2 })
}

/// `spec` of `autoscaling/v2` by the design of KEP-5679, which no release
/// has.
pub(in crate::document::manifest) fn spec_with_fallback(object: &mut Object) -> HpaSpec {
    let fallback = |external: &mut Object| {
        let fallback = external.object("fallback", fallback);
        fallback.map(Designed::Fits)
    };
    spec_of(object, Varying { fallback, ..V2 })
}

fn spec_of(object: &mut Object, varying: Varying) -> HpaSpec {
    HpaSpec {
        scale_target_ref: object.required("scaleTargetRef", reference),
        min_replicas: object.whole("minReplicas"),
        max_replicas: object.whole("maxReplicas").unwrap_or_default(),
        metrics: object
            .list("metrics", |object| metric(object, varying))
            .unwrap_or_default(),
        behavior: object.object("behavior", |object| behavior(object, varying)),
    }
}

pub(in crate::document::manifest) fn reference(object: &mut Object) -> CrossVersionObjectReference {
    CrossVersionObjectReference {
        kind: object.text("kind"),
        name: object.text("name"),
        api_version: object.text("apiVersion"),
    }
}

fn metric(object: &mut Object, varying: Varying) -> MetricSpec {
    MetricSpec {
        kind: object.text("type").as_str().into(),
        resource: object.boxed("resource", |object| ResourceMetricSource {
            name: object.text("name"),
            target: object.required("target", target),
        }),
        container_resource: object.boxed("containerResource", |object| {
            ContainerResourceMetricSource {
                name: object.text("name"),
                container: object.text("container"),
                target: object.required("target", target),
            }
        }),
        pods: object.boxed("pods", |object| PodsMetricSource {
            metric: object.required("metric", identifier),
            target: object.required("target", target),
        }),
        object: object.boxed("object", |object| ObjectMetricSource {
            described_object: object.required("describedObject", reference),
            metric: object.required("metric", identifier),
            target: object.required("target", target),
        }),
        external: object.boxed("external", |object| ExternalMetricSource {
            metric: object.required("metric", identifier),
            target: object.required("target", target),
            fallback: (varying.fallback)(object),
        }),
    }
}

fn fallback(object: &mut Object) -> ExternalMetricFallback {
    ExternalMetricFallback {
        replicas: object.whole("replicas").unwrap_or_default(),
        failure_duration_seconds: object.long("failureDurationSeconds"),
    }
}

fn identifier(object: &mut Object) -> MetricIdentifier {
    MetricIdentifier {
        name: object.text("name"),
        selector: object.object("selector", selector),
    }
}

pub(in crate::document::manifest) fn selector(object: &mut Object) -> LabelSelector {
    let requirement = |object: &mut Object| LabelSelectorRequirement {
        key: object.text("key"),
        operator: object.text("operator"),
        values: object.texts("values"),
    };
    LabelSelector {
        match_labels: object.map("matchLabels"),
        match_expressions: object
            .list("matchExpressions", requirement)
            .unwrap_or_default(),
    }
}

fn target(object: &mut Object) -> MetricTarget {
    MetricTarget {
        kind: object.text("type").as_str().into(),
        value: object.quantity("value"),
        average_value: object.quantity("averageValue"),
        average_utilization: object.whole("averageUtilization"),
    }
}

fn behavior(object: &mut Object, varying: Varying) -> Behavior {
    let mut rules =
        |direction: Direction| object.object(direction.field(), |object| rules(object, varying));
    Behavior {
        scale_up: rules(Direction::Up),
        scale_down: rules(Direction::Down),
    }
}

fn rules(object: &mut Object, varying: Varying) -> ScalingRules {
    ScalingRules {
        stabilization_window_seconds: object.whole("stabilizationWindowSeconds"),
        select_policy: object
            .optional_text("selectPolicy")
            .map(|text| text.as_str().into()),
        policies: object.list("policies", policy),
        tolerance: (varying.tolerance)(object),
    }
}

fn policy(object: &mut Object) -> ScalingPolicy {
    ScalingPolicy {
        kind: object.text("type").as_str().into(),
        value: object.whole("value").unwrap_or_default(),
        period_seconds: object.whole("periodSeconds").unwrap_or_default(),
    }
}
