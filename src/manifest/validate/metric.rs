//! One metric: its type, and the one source that belongs to it
//! (`validateMetricSpec`), with the names that a `ContainerResource` may have
//! (`ValidateContainerResourceName` and `ValidateContainerName`).

use crate::api::names::{LABEL, is_label, is_subdomain, key_problems};
use crate::api::{
    ContainerResourceMetricSource, Designed, ExternalMetricFallback, MetricKind, MetricSpec,
    Wording,
};
use crate::controller::Switch;
use crate::manifest::Rules;
use crate::manifest::field_error::FieldError;

use super::names::{described_object, segment};
use super::target;

/// Seconds for which an External metric has to fail at least before its
/// fallback applies.
const LEAST_FAILURE_DURATION_SECONDS: i64 = 180;

/// One entry of `spec.metrics`.
pub(super) fn metric(field: &str, metric: &MetricSpec, rules: Rules, errors: &mut Vec<FieldError>) {
    let kind = format!("{field}.type");
    if metric.kind.is_empty() {
        errors.push(FieldError::required(
            &kind,
            "must specify a metric source type",
        ));
    }
    let unknown = FieldError::of_unknown(&kind, &metric.kind);
    errors.extend(unknown.clone());
    first_source(field, metric, rules, errors);
    // The server looks at the type twice.
    errors.extend(unknown);
    let requested = metric.kind.known().map(MetricKind::field);
    let present = present(metric);
    if let Some(source) = requested.filter(|source| !present.contains(source)) {
        let text = "must populate information for the given metric source";
        errors.push(FieldError::required(&format!("{field}.{source}"), text));
    }
    if present.len() == 1 {
        return;
    }
    for source in present {
        if requested != Some(source) {
            let text = "must populate the given metric source only";
            errors.push(FieldError::forbidden(&format!("{field}.{source}"), text));
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
fn first_source(field: &str, metric: &MetricSpec, rules: Rules, errors: &mut Vec<FieldError>) {
    let at = |path: &str| format!("{field}.{path}");
    let name = "must specify a metric name";
    if let Some(source) = &metric.object {
        let object = at("object.describedObject");
        described_object(&object, &source.described_object, rules, errors);
        segment(&at("object.metric.name"), &source.metric.name, name, errors);
        target::of_object(&at("object.target"), &source.target, errors);
    } else if let Some(source) = &metric.external {
        segment(
            &at("external.metric.name"),
            &source.metric.name,
            name,
            errors,
        );
        target::of_external(&at("external.target"), &source.target, errors);
        if let Some(Designed::Fits(designed)) = &source.fallback {
            fallback(&at("external.fallback"), designed, errors);
        }
    } else if let Some(source) = &metric.pods {
        segment(&at("pods.metric.name"), &source.metric.name, name, errors);
        target::of_pods(&at("pods.target"), &source.target, errors);
    } else if let Some(source) = &metric.resource {
        resource_name(&at("resource.name"), &source.name, errors);
        target::of_resource(&at("resource.target"), &source.target, errors);
    } else if let Some(source) = &metric.container_resource {
        container(&at("containerResource"), source, rules, errors);
    }
}

/// By the design of KEP-5679, which says "greater than" and "minimum" of the
/// same 180 seconds; the minimum is taken. No server has these words.
fn fallback(field: &str, fallback: &ExternalMetricFallback, errors: &mut Vec<FieldError>) {
    if fallback.replicas < 1 {
        errors.push(FieldError::invalid_number(
            &format!("{field}.replicas"),
            fallback.replicas.into(),
            "must be greater than 0",
        ));
    }
    let seconds = fallback.failure_seconds();
    if seconds < LEAST_FAILURE_DURATION_SECONDS {
        errors.push(FieldError::invalid_number(
            &format!("{field}.failureDurationSeconds"),
            seconds,
            &format!("must be greater than or equal to {LEAST_FAILURE_DURATION_SECONDS}"),
        ));
    }
}

fn resource_name(field: &str, name: &str, errors: &mut Vec<FieldError>) {
    if name.is_empty() {
        errors.push(FieldError::required(field, "must specify a resource name"));
    }
}

fn container(
    field: &str,
    source: &ContainerResourceMetricSource,
    rules: Rules,
    errors: &mut Vec<FieldError>,
) {
    let name = format!("{field}.name");
    resource_name(&name, &source.name, errors);
    if !source.name.is_empty() {
        for problem in problems(&source.name, rules.label_wording()) {
            errors.push(FieldError::invalid_text(&name, &source.name, &problem));
        }
    }
    let container = format!("{field}.container");
    if source.container.is_empty() {
        errors.push(FieldError::required(&container, "must specify a container"));
    } else {
        for problem in container_problems(&source.container, rules) {
            errors.push(FieldError::invalid_text(
                &container,
                &source.container,
                problem,
            ));
        }
    }
    target::of_resource(&format!("{field}.target"), &source.target, errors);
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
