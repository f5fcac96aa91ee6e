//! The fields of an HPA, in `autoscaling/v2` and in the versions before.

use crate::manifest::Metadata;
use crate::snapshot::{
    Behavior, ContainerResourceMetricSource, CrossVersionObjectReference, Designed,
    ExternalMetricFallback, ExternalMetricSource, HpaSpec, LabelSelector, LabelSelectorRequirement,
    MetricIdentifier, MetricSpec, MetricTarget, ObjectMetricSource, OwnerReference,
    PodsMetricSource, ResourceMetricSource, ScalingPolicy, ScalingRules,
};

use super::Object;

/// Reads the spec of some version of the API.
pub(in crate::manifest) type SpecReader = fn(&mut Object) -> HpaSpec;

/// `metadata` (`meta/v1` `ObjectMeta`).
pub(in crate::manifest) fn metadata(object: &mut Object) -> Metadata {
    for read_only in [
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "finalizers",
        "managedFields",
    ] {
        object.skip(read_only);
    }
    for text in ["uid", "resourceVersion", "selfLink"] {
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

/// `spec` of `autoscaling/v2`, and of `v2beta2`.
pub(in crate::manifest) fn spec(object: &mut Object) -> HpaSpec {
    spec_of(object, |_| None)
}

/// `spec` of `autoscaling/v2` by the design of KEP-5679, which no release
/// has.
pub(in crate::manifest) fn spec_with_fallback(object: &mut Object) -> HpaSpec {
    spec_of(object, |external| {
        external.object("fallback", fallback).map(Designed::Fits)
    })
}

/// Reads the fallback of an External metric, where the API has one.
type FallbackReader = fn(&mut Object) -> Option<Designed<ExternalMetricFallback>>;

fn spec_of(object: &mut Object, fallback: FallbackReader) -> HpaSpec {
    HpaSpec {
        scale_target_ref: object.required("scaleTargetRef", reference),
        min_replicas: object.whole("minReplicas"),
        max_replicas: object.whole("maxReplicas").unwrap_or_default(),
        metrics: object
            .list("metrics", |object| metric(object, fallback))
            .unwrap_or_default(),
        behavior: object.object("behavior", behavior),
    }
}

pub(in crate::manifest) fn reference(object: &mut Object) -> CrossVersionObjectReference {
    CrossVersionObjectReference {
        kind: object.text("kind"),
        name: object.text("name"),
        api_version: object.text("apiVersion"),
    }
}

fn metric(object: &mut Object, fallback: FallbackReader) -> MetricSpec {
    MetricSpec {
        kind: object.text("type"),
        resource: object.object("resource", |object| ResourceMetricSource {
            name: object.text("name"),
            target: object.required("target", target),
        }),
        container_resource: object.object("containerResource", |object| {
            ContainerResourceMetricSource {
                name: object.text("name"),
                container: object.text("container"),
                target: object.required("target", target),
            }
        }),
        pods: object.object("pods", |object| PodsMetricSource {
            metric: object.required("metric", identifier),
            target: object.required("target", target),
        }),
        object: object.object("object", |object| ObjectMetricSource {
            described_object: object.required("describedObject", reference),
            metric: object.required("metric", identifier),
            target: object.required("target", target),
        }),
        external: object.object("external", |object| ExternalMetricSource {
            metric: object.required("metric", identifier),
            target: object.required("target", target),
            fallback: fallback(object),
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

pub(in crate::manifest) fn selector(object: &mut Object) -> LabelSelector {
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
        kind: object.text("type"),
        value: object.quantity("value"),
        average_value: object.quantity("averageValue"),
        average_utilization: object.whole("averageUtilization"),
    }
}

fn behavior(object: &mut Object) -> Behavior {
    Behavior {
        scale_up: object.object("scaleUp", rules),
        scale_down: object.object("scaleDown", rules),
    }
}

fn rules(object: &mut Object) -> ScalingRules {
    ScalingRules {
        stabilization_window_seconds: object.whole("stabilizationWindowSeconds"),
        select_policy: object.optional_text("selectPolicy"),
        policies: object.list("policies", policy),
        tolerance: object.quantity("tolerance"),
    }
}

fn policy(object: &mut Object) -> ScalingPolicy {
    ScalingPolicy {
        kind: object.text("type"),
        value: object.whole("value").unwrap_or_default(),
        period_seconds: object.whole("periodSeconds").unwrap_or_default(),
    }
}
