//! Targets whose type and value do not belong together, and metrics that are
//! there twice: the API server does not compare them.

use std::collections::BTreeMap;

use crate::snapshot::{HpaSpec, MetricSpec, MetricTarget};
use crate::trace::{Code, Finding};

use super::{Found, at};

/// What a target sets, by the type that belongs to it.
fn is_set(target: &MetricTarget, kind: &str) -> bool {
    match kind {
        "Utilization" => target.average_utilization.is_some(),
        "AverageValue" => target.average_value.is_some(),
        "Value" => target.value.is_some(),
        _ => false,
    }
}

/// An Object metric needs the value of its type, or fails in every pass.
pub(super) fn object_target(spec: &HpaSpec, findings: &mut Vec<Found>) {
    for (index, metric) in spec.metrics.iter().enumerate() {
        let Some(object) = metric.object.as_ref().filter(|_| metric.kind == "Object") else {
            continue;
        };
        let kind = object.target.kind.as_str();
        let field = match kind {
            "Value" => "value",
            "AverageValue" => "averageValue",
            _ => "value or averageValue",
        };
        if matches!(kind, "Value" | "AverageValue") && is_set(&object.target, kind) {
            continue;
        }
        let wrong = match kind {
            "" => "has no type".to_owned(),
            kind => format!("is of type {kind} and sets no {field}"),
        };
        let finding = Finding::new(
            Code::MetricSpecInvalid,
            format!(
                "the target of {} {wrong}: this metric fails in every pass",
                name(metric)
            ),
        );
        findings.push(at(
            format!("spec.metrics[{index}].object.target.type"),
            finding.advice("set the value that belongs to the type, or the type of the value"),
        ));
    }
}

/// Everywhere else the controller takes the value that it finds, whatever the
/// type says.
pub(super) fn ignored_type(spec: &HpaSpec, findings: &mut Vec<Found>) {
    for (index, metric) in spec.metrics.iter().enumerate() {
        let Some((source, target, counts)) = counting(metric) else {
            continue;
        };
        if target.kind == counts || !is_set(target, counts) {
            continue;
        }
        let finding = Finding::new(
            Code::TargetTypeIgnored,
            match target.kind.as_str() {
                "" => format!(
                    "the target of {} has no type, and it is its {counts} that counts",
                    name(metric)
                ),
                kind => format!(
                    "the target of {} says type {kind}, and it is its {counts} that counts",
                    name(metric)
                ),
            },
        );
        findings.push(at(
            format!("spec.metrics[{index}].{source}.target.type"),
            finding.patch("says what happens", format!("target:\n  type: {counts}")),
        ));
    }
}

/// What the metric is called; nothing stands for one without a name.
fn name(metric: &MetricSpec) -> &str {
    let name = metric.name().filter(|name| !name.is_empty());
    name.unwrap_or("a metric without a name")
}

/// The type that the controller acts by, for the sources where the target's
/// own does not matter.
fn counting(metric: &MetricSpec) -> Option<(&'static str, &MetricTarget, &'static str)> {
    let by_average = |target: &MetricTarget, other| {
        if target.average_value.is_some() {
            "AverageValue"
        } else {
            other
        }
    };
    match metric.kind.as_str() {
        "Resource" => {
            let target = &metric.resource.as_ref()?.target;
            Some(("resource", target, by_average(target, "Utilization")))
        }
        "ContainerResource" => {
            let target = &metric.container_resource.as_ref()?.target;
            let counts = by_average(target, "Utilization");
            Some(("containerResource", target, counts))
        }
        "Pods" => Some(("pods", &metric.pods.as_ref()?.target, "AverageValue")),
        "External" => {
            let target = &metric.external.as_ref()?.target;
            Some(("external", target, by_average(target, "Value")))
        }
        _ => None,
    }
}

/// The same metric against a second target of one type.
pub(super) fn twice(spec: &HpaSpec, findings: &mut Vec<Found>) {
    let mut known: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (index, metric) in spec.metrics.iter().enumerate() {
        let Some((key, target)) = identity(metric) else {
            continue;
        };
        let Some((first, other)) = known.get(&key) else {
            known.insert(key, (index, target));
            continue;
        };
        let finding = if *other == target {
            Finding::new(
                Code::MetricTwice,
                format!("{} is there twice with one target, {target}", name(metric)),
            )
        } else {
            Finding::new(
                Code::MetricTwice,
                format!(
                    "{} is there twice, with the targets {other} and {target}: only the larger \
                     proposal counts",
                    name(metric)
                ),
            )
        };
        findings.push(at(
            format!("spec.metrics[{index}]"),
            finding
                .fact(format!("spec.metrics[{first}]"), format!("target {other}"))
                .fact(format!("spec.metrics[{index}]"), format!("target {target}"))
                .advice("take one of the two out"),
        ));
    }
}

/// What a metric measures and the type of target that counts, as text, and the
/// target's value.
fn identity(metric: &MetricSpec) -> Option<(String, String)> {
    let (target, counts) = match (&metric.object, counting(metric)) {
        (_, Some((_, target, counts))) => (target, counts),
        (Some(object), _) if metric.kind == "Object" => {
            (&object.target, object.target.kind.as_str())
        }
        _ => return None,
    };
    let value = match counts {
        "Utilization" => format!("{}%", target.average_utilization?),
        "AverageValue" => target.average_value.as_ref()?.to_string(),
        _ => target.value.as_ref()?.to_string(),
    };
    let mut source = metric.clone();
    for target in source.targets_mut() {
        *target = MetricTarget {
            kind: counts.to_owned(),
            ..MetricTarget::default()
        };
    }
    Some((format!("{source:?}"), value))
}
