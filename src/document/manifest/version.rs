//! The versions of the API that HPAs are written in: which releases serve each, what reads
//! it, and how the API server converts it to `autoscaling/v2`
//! (`pkg/apis/autoscaling/v1/conversion.go`).
//!
//! What an older version has no fields for stands in annotations. One that
//! does not parse is ignored, and none of them is kept.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::Rules;
use super::decode::{
    Notes, Object, SpecReader, reference, selector, spec, spec_of_v2beta2, spec_with_fallback,
};
use crate::api::{
    Behavior, ContainerResourceMetricSource, ExternalMetricSource, HpaSpec, LabelSelector,
    MetricIdentifier, MetricSpec, MetricTarget, ObjectMetricSource, PodsMetricSource, Quantity,
    ResourceMetricSource, ScalingPolicy, ScalingRules, TargetKind,
};
use crate::controller::{Release, Switch};
use crate::document::parse;

/// Takes what an older version keeps in annotations.
pub(super) type Conversion = fn(&mut HpaSpec, &mut Annotations);

/// A version of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V2,
    V1,
    V2beta2,
    V2beta1,
}

impl Version {
    const ALL: [Self; 4] = [Self::V2, Self::V1, Self::V2beta2, Self::V2beta1];

    /// The version of an `apiVersion`.
    pub(super) fn of(api_version: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|version| version.name() == api_version)
    }

    /// How `apiVersion` says it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::V2 => "autoscaling/v2",
            Self::V1 => "autoscaling/v1",
            Self::V2beta2 => "autoscaling/v2beta2",
            Self::V2beta1 => "autoscaling/v2beta1",
        }
    }

    pub(super) fn reader(self, rules: Rules) -> SpecReader {
        match self {
            Self::V2 if rules.external_metric_fallback => spec_with_fallback,
            Self::V2 => spec,
            Self::V1 => v1,
            Self::V2beta2 => spec_of_v2beta2,
            Self::V2beta1 => v2beta1,
        }
    }

    pub(super) fn conversion(self) -> Conversion {
        match self {
            Self::V2 => |_, _| {},
            Self::V1 => v1_annotations,
            Self::V2beta2 => v2beta2_annotations,
            Self::V2beta1 => v2beta1_annotations,
        }
    }

    /// The rule with which it is gone.
    const fn end(self) -> Option<Switch> {
        match self {
            Self::V2 | Self::V1 => None,
            Self::V2beta2 => Some(Switch::V2beta2Gone),
            Self::V2beta1 => Some(Switch::V2beta1Gone),
        }
    }

    /// The last release that serves it, of one that is gone by now.
    pub(super) fn last(self) -> Option<Release> {
        let end = self.end()?;
        Some(Release::minor(end.since().saturating_sub(1)))
    }

    /// That a release does not serve it.
    pub(super) fn unserved(self, release: Release) -> Option<Unserved> {
        let last = self.last().filter(|last| release > *last)?;
        let version = self;
        Some(Unserved {
            version,
            release,
            last,
        })
    }
}

/// That a release does not serve the version that an HPA is written in; it
/// looks at nothing else then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no matches for kind \"HorizontalPodAutoscaler\" in version \"{}\": Kubernetes {release} \
     does not serve it, {last} was the last to do so; use apiVersion: {}, {}",
    .version.name(),
    Version::V2.name(),
    match .version {
        Version::V2beta1 => "in which the fields of metrics differ",
        _ => "which has the same fields",
    }
)]
pub struct Unserved {
    version: Version,
    release: Release,
    last: Release,
}

/// In which `autoscaling/v1` keeps the metrics other than cpu.
pub const METRICS_ANNOTATION: &str = "autoscaling.alpha.kubernetes.io/metrics";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
const SCALE_UP_TOLERANCE: &str = "autoscaling.alpha.kubernetes.io/scale-up-tolerance";
const SCALE_DOWN_TOLERANCE: &str = "autoscaling.alpha.kubernetes.io/scale-down-tolerance";

/// `spec` of `autoscaling/v1`, where the cpu metric comes last.
pub(super) fn v1(object: &mut Object) -> HpaSpec {
    let cpu = object.whole("targetCPUUtilizationPercentage");
    HpaSpec {
        scale_target_ref: object.required("scaleTargetRef", reference),
        min_replicas: object.whole("minReplicas"),
        max_replicas: object.whole("maxReplicas").unwrap_or_default(),
        metrics: cpu.map(MetricSpec::cpu).into_iter().collect(),
        behavior: None,
    }
}

/// The annotations of an object, and those that were ignored because they do
/// not parse.
pub(super) struct Annotations<'a> {
    pub(super) all: &'a BTreeMap<String, String>,
    pub(super) ignored: Vec<&'static str>,
}

impl Annotations<'_> {
    fn take<T>(&mut self, key: &'static str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let value = read(self.all.get(key)?);
        if value.is_none() {
            self.ignored.push(key);
        }
        value
    }
}

/// Takes what `autoscaling/v1` keeps in annotations.
fn v1_annotations(spec: &mut HpaSpec, annotations: &mut Annotations) {
    let read = |object: &mut Object| object.list("items", v1_metric);
    let metrics = annotations.take(METRICS_ANNOTATION, |text| parsed(text, read));
    let mut metrics = metrics.flatten().unwrap_or_default();
    metrics.append(&mut spec.metrics);
    spec.metrics = metrics;
    v2beta1_annotations(spec, annotations);
}

/// `spec` of `autoscaling/v2beta1`, whose metrics have the form that
/// `autoscaling/v1` keeps in an annotation.
pub(super) fn v2beta1(object: &mut Object) -> HpaSpec {
    HpaSpec {
        scale_target_ref: object.required("scaleTargetRef", reference),
        min_replicas: object.whole("minReplicas"),
        max_replicas: object.whole("maxReplicas").unwrap_or_default(),
        metrics: object.list("metrics", v1_metric).unwrap_or_default(),
        behavior: None,
    }
}

/// Takes what `autoscaling/v2beta1` keeps in annotations.
fn v2beta1_annotations(spec: &mut HpaSpec, annotations: &mut Annotations) {
    let read = |object: &mut Object| object.object("items", internal_behavior);
    let behavior = annotations.take(BEHAVIOR, |text| parsed(text, read));
    spec.behavior = behavior.flatten();
}

/// Takes what `autoscaling/v2beta2` keeps in annotations.
fn v2beta2_annotations(spec: &mut HpaSpec, annotations: &mut Annotations) {
    let Some(behavior) = &mut spec.behavior else {
        return;
    };
    for (rules, key) in [
        (&mut behavior.scale_up, SCALE_UP_TOLERANCE),
        (&mut behavior.scale_down, SCALE_DOWN_TOLERANCE),
    ] {
        if let Some(rules) = rules {
            rules.tolerance = annotations.take(key, |text| text.parse::<Quantity>().ok());
        }
    }
}

/// The annotation's JSON, wrapped so that lists and objects read alike; `None`
/// where it does not fit.
fn parsed<T>(text: &str, read: impl FnOnce(&mut Object) -> T) -> Option<T> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    let node = parse(&format!("{{\"items\":{text}}}"), 0).ok()?;
    let notes = RefCell::new(Notes::default());
    let value = Object::root(&node, &notes).read(read);
    notes.into_inner().faults.is_empty().then_some(value)
}

/// A metric in the form of `autoscaling/v1`, where the target's fields stand
/// beside the metric's.
fn v1_metric(object: &mut Object) -> MetricSpec {
    MetricSpec {
        kind: object.text("type").as_str().into(),
        resource: object.boxed("resource", |object| ResourceMetricSource {
            name: object.text("name"),
            target: resource_target(object),
        }),
        container_resource: object.boxed("containerResource", |object| {
            ContainerResourceMetricSource {
                name: object.text("name"),
                container: object.text("container"),
                target: resource_target(object),
            }
        }),
        pods: object.boxed("pods", |object| PodsMetricSource {
            metric: identifier(object, "selector"),
            target: target(None, None, object.quantity("targetAverageValue")),
        }),
        object: object.boxed("object", |object| ObjectMetricSource {
            described_object: object.required("target", reference),
            metric: identifier(object, "selector"),
            target: object_target(object),
        }),
        external: object.boxed("external", |object| {
            let metric = identifier(object, "metricSelector");
            let value = object.quantity("targetValue");
            let per_pod = object.quantity("targetAverageValue");
            ExternalMetricSource {
                metric,
                target: target(value, None, per_pod),
                // KEP-5679 designs a field of `autoscaling/v2` alone.
                fallback: None,
            }
        }),
    }
}

fn identifier(object: &mut Object, selects: &'static str) -> MetricIdentifier {
    let selector: Option<LabelSelector> = object.object(selects, selector);
    MetricIdentifier {
        name: object.text("metricName"),
        selector,
    }
}

fn resource_target(object: &mut Object) -> MetricTarget {
    let percent = object.whole("targetAverageUtilization");
    target(None, percent, object.quantity("targetAverageValue"))
}

/// With an average the whole value is a zero that nobody meant; it is dropped
/// (from 1.36 on; before, such an object could not be updated).
fn object_target(object: &mut Object) -> MetricTarget {
    let value = object.quantity("targetValue");
    match object.quantity("averageValue") {
        Some(per_pod) => target(None, None, Some(per_pod)),
        None => MetricTarget {
            kind: TargetKind::Value.into(),
            ..target(value, None, None)
        },
    }
}

/// A target whose type follows from which field is there.
fn target(
    value: Option<Quantity>,
    average_utilization: Option<i32>,
    average_value: Option<Quantity>,
) -> MetricTarget {
    let kind = match (&value, average_utilization) {
        (Some(_), _) => TargetKind::Value,
        (None, Some(_)) => TargetKind::Utilization,
        (None, None) => TargetKind::AverageValue,
    };
    MetricTarget {
        kind: kind.into(),
        value,
        average_value,
        average_utilization,
    }
}

/// The behavior in the form of the server's own type: names begin with a
/// capital.
fn internal_behavior(object: &mut Object) -> Behavior {
    let rules = |object: &mut Object| ScalingRules {
        stabilization_window_seconds: object.whole("StabilizationWindowSeconds"),
        select_policy: object
            .optional_text("SelectPolicy")
            .map(|text| text.as_str().into()),
        policies: object.list("Policies", |object| ScalingPolicy {
            kind: object.text("Type").as_str().into(),
            value: object.whole("Value").unwrap_or_default(),
            period_seconds: object.whole("PeriodSeconds").unwrap_or_default(),
        }),
        tolerance: object.quantity("Tolerance"),
    };
    Behavior {
        scale_up: object.object("ScaleUp", rules),
        scale_down: object.object("ScaleDown", rules),
    }
}
