//! One metric: its type, and the one source that belongs to it
//! (`validateMetricSpec`), with the names that a `ContainerResource` may have
//! (`ValidateContainerResourceName` and `ValidateContainerName`).

use std::cmp::Ordering;

use crate::api::names::{LABEL, is_label, is_subdomain, key_problems};
use crate::api::{
    ContainerResourceMetricSource, Designed, ExternalMetricFallback, MetricKind, MetricSpec,
    MetricTarget, OneOf, Quantity, Wording,
};
use crate::controller::Switch;
use crate::manifest::Rules;
use crate::manifest::field_error::FieldPath;

use super::{described_object, segment};

/// Seconds for which an External metric has to fail at least before its
/// fallback applies.
const LEAST_FAILURE_DURATION_SECONDS: i64 = 180;

/// One entry of `spec.metrics`.
pub(super) fn metric(mut field: FieldPath, metric: &MetricSpec, rules: Rules) {
    let mut kind = field.at("type");
    if metric.kind.is_empty() {
        kind.required("must specify a metric source type");
    }
    kind.known(&metric.kind);
    first_source(&mut field, metric, rules);
    // The server looks at the type twice.
    field.at("type").known(&metric.kind);
    let requested = metric.kind.known().map(MetricKind::field);
    let present = present(metric);
    if let Some(source) = requested.filter(|source| !present.contains(source)) {
        let text = "must populate information for the given metric source";
        field.at(source).required(text);
    }
    if present.len() == 1 {
        return;
    }
    for source in present {
        if requested != Some(source) {
            let text = "must populate the given metric source only";
            field.at(source).forbidden(text);
        }
    }
}

/// The sources that are there, in the order in which the server looks for
/// them.
fn present(metric: &MetricSpec) -> Vec<&'static str> {
    let sources = [
        (MetricKind::Object, metric.object.is_some()),
        (MetricKind::External, metric.external.is_some()),
        (MetricKind::Pods, metric.pods.is_some()),
        (MetricKind::Resource, metric.resource.is_some()),
        (
            MetricKind::ContainerResource,
            metric.container_resource.is_some(),
        ),
    ];
    let present = sources.iter().filter(|(_, is_present)| *is_present);
    present.map(|(kind, _)| kind.field()).collect()
}

/// Of several sources only the first is looked into.
fn first_source(field: &mut FieldPath, metric: &MetricSpec, rules: Rules) {
    let name = "must specify a metric name";
    if let Some(source) = &metric.object {
        let mut object = field.at("object");
        described_object(
            &mut object.at("describedObject"),
            &source.described_object,
            rules,
        );
        segment(object.at("metric.name"), &source.metric.name, name);
        target_of_object(object.at("target"), &source.target);
    } else if let Some(source) = &metric.external {
        let mut external = field.at("external");
        segment(external.at("metric.name"), &source.metric.name, name);
        target_of_external(external.at("target"), &source.target);
        if let Some(Designed::Fits(designed)) = &source.fallback {
            fallback(external.at("fallback"), designed);
        }
    } else if let Some(source) = &metric.pods {
        segment(field.at("pods.metric.name"), &source.metric.name, name);
        target_of_pods(field.at("pods.target"), &source.target);
    } else if let Some(source) = &metric.resource {
        resource_name(&mut field.at("resource.name"), &source.name);
        target_of_resource(field.at("resource.target"), &source.target);
    } else if let Some(source) = &metric.container_resource {
        container(field.at("containerResource"), source, rules);
    }
}

/// By the design of KEP-5679, which says "greater than" and "minimum" of the
/// same 180 seconds; the minimum is taken. No server has these words.
fn fallback(mut field: FieldPath, fallback: &ExternalMetricFallback) {
    if fallback.replicas < 1 {
        let mut field = field.at("replicas");
        field.invalid_number(fallback.replicas, "must be greater than 0");
    }
    let seconds = fallback.failure_seconds();
    if seconds < LEAST_FAILURE_DURATION_SECONDS {
        let text = format!("must be greater than or equal to {LEAST_FAILURE_DURATION_SECONDS}");
        field
            .at("failureDurationSeconds")
            .invalid_number(seconds, text);
    }
}

fn resource_name(field: &mut FieldPath, name: &str) {
    if name.is_empty() {
        field.required("must specify a resource name");
    }
}

fn container(mut field: FieldPath, source: &ContainerResourceMetricSource, rules: Rules) {
    let mut name = field.at("name");
    resource_name(&mut name, &source.name);
    if !source.name.is_empty() {
        for problem in problems(&source.name, rules.release.label_wording()) {
            name.invalid_text(&source.name, problem);
        }
    }
    let mut container = field.at("container");
    if source.container.is_empty() {
        container.required("must specify a container");
    } else {
        for problem in container_problems(&source.container, rules) {
            container.invalid_text(&source.container, problem);
        }
    }
    target_of_resource(field.at("target"), &source.target);
}

/// Names without a prefix that stand for a resource somewhere in the API.
const STANDARD: [&str; 20] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];

const EXTENDED: &str = "doesn't follow extended resource name standard";

/// What is wrong with the name of a container's resource.
pub(super) fn problems(name: &str, wording: Wording) -> Vec<String> {
    let mut problems = key_problems(name, wording);
    let is_huge_page = name.starts_with("hugepages-");
    if !name.contains('/') {
        if problems.is_empty() && !is_huge_page && !STANDARD.contains(&name) {
            problems.push("must be a standard resource type or fully qualified".to_owned());
        }
        if !is_huge_page && !matches!(name, "cpu" | "memory" | "ephemeral-storage") {
            problems.push("must be a standard resource for containers".to_owned());
        }
        return problems;
    }
    let is_native = name.contains("kubernetes.io/");
    let as_request = format!("requests.{name}");
    let is_extended =
        !name.starts_with("requests.") && key_problems(&as_request, wording).is_empty();
    if !is_native && !is_extended {
        problems.push(EXTENDED.to_owned());
    }
    problems
}

/// What is wrong with the name of a container.
pub(super) fn container_problems(name: &str, rules: Rules) -> Vec<&'static str> {
    let mut problems = Vec::new();
    if name.len() > 63 {
        problems.push("must be no more than 63 characters");
    }
    if !is_label(name) {
        let has_dots = is_subdomain(name) && rules.release.has(Switch::DotsInLabelText);
        problems.push(if has_dots {
            "must not contain dots"
        } else {
            LABEL
        });
    }
    problems
}

/// The checks that every target has to pass (`validateMetricTarget`).
fn common(field: &mut FieldPath, target: &MetricTarget) {
    let mut kind = field.at("type");
    if target.kind.is_empty() {
        kind.required("must specify a metric target type");
    }
    if let OneOf::Unknown(unknown) = &target.kind {
        let text = "must be either Utilization, Value, or AverageValue";
        kind.invalid_text(unknown, text);
    }
    positive(field.at("value"), target.value.as_ref());
    positive(field.at("averageValue"), target.average_value.as_ref());
    if let Some(percent) = target.average_utilization.filter(|percent| *percent < 1) {
        let mut field = field.at("averageUtilization");
        field.invalid_number(percent, "must be greater than 0");
    }
}

fn positive(mut field: FieldPath, quantity: Option<&Quantity>) {
    let zero = Quantity::default();
    if let Some(quantity) = quantity.filter(|it| it.cmp_value(&zero) != Ordering::Greater) {
        field.invalid_text(&quantity.to_string(), "must be positive");
    }
}

/// Of `Resource` and `ContainerResource`.
pub(super) fn target_of_resource(mut field: FieldPath, target: &MetricTarget) {
    common(&mut field, target);
    match (target.average_utilization, &target.average_value) {
        (None, None) => field
            .at("averageUtilization")
            .required("must set either a target raw value or a target utilization"),
        (Some(_), Some(_)) => field
            .at("averageValue")
            .forbidden("may not set both a target raw value and a target utilization"),
        _ => {}
    }
}

pub(super) fn target_of_pods(mut field: FieldPath, target: &MetricTarget) {
    common(&mut field, target);
    if target.average_value.is_none() {
        let text = "must specify a positive target averageValue";
        field.at("averageValue").required(text);
    }
}

pub(super) fn target_of_object(mut field: FieldPath, target: &MetricTarget) {
    common(&mut field, target);
    if target.value.is_none() && target.average_value.is_none() {
        let text = "must set either a target value or averageValue";
        field.at("averageValue").required(text);
    }
}

pub(super) fn target_of_external(mut field: FieldPath, target: &MetricTarget) {
    common(&mut field, target);
    match (&target.value, &target.average_value) {
        (None, None) => field
            .at("averageValue")
            .required("must set either a target value for metric or a per-pod target"),
        (Some(_), Some(_)) => field
            .at("value")
            .forbidden("may not set both a target value for metric and a per-pod target"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_of_containers() {
        let fully = "must be a standard resource type or fully qualified";
        let standard = "must be a standard resource for containers";
        let rows: [(&str, &[&str]); 9] = [
            ("cpu", &[]),
            ("hugepages-2Mi", &[]),
            ("nvidia.com/gpu", &[]),
            ("kubernetes.io/x", &[]),
            ("foo", &[fully, standard]),
            ("storage", &[standard]),
            ("requests.cpu", &[standard]),
            ("requests.nvidia.com/gpu", &[EXTENDED]),
            ("requests.x/y", &[EXTENDED]),
        ];
        for (name, expected) in rows {
            assert_eq!(problems(name, Wording::LabelKey), expected, "{name}");
        }
        let malformed = problems("a b", Wording::LabelKey);
        assert_eq!(malformed.len(), 2, "{malformed:?}");
        assert!(malformed[0].starts_with("name part must consist of"));
    }
}
