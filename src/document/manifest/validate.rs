//! What the API server has against an HPA that is created
//! (`pkg/apis/autoscaling/validation`, `ValidateHorizontalPodAutoscaler`), with the names that
//! a `ContainerResource` may have (`ValidateContainerResourceName` and
//! `ValidateContainerName`).
//!
//! The checks do not stop each other, and their order is that in which the
//! server reports.

use std::cmp::Ordering;

use super::field_error::{Checked, FieldError};
use super::{Manifest, Metadata, Rules};
use crate::api::names::{
    LABEL, SUBDOMAIN, is_huge_page, is_label, is_subdomain, key_problems, value_problems,
};
use crate::api::{
    Behavior, ContainerResourceMetricSource, CrossVersionObjectReference, Designed,
    ExternalMetricFallback, HpaSpec, LONGEST_WINDOW_SECONDS, MetricKind, MetricSpec, MetricTarget,
    OneOf, Quantity, ScalingPolicy, ScalingRules, Wording,
};
use crate::controller::Switch;

/// Everything that the API server has against a manifest, in its order. The
/// spec has its defaults.
pub(super) fn validate(manifest: &Manifest, spec: &HpaSpec, rules: Rules) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let field = Checked::new("metadata", &mut errors);
    object_meta(field, &manifest.metadata, rules);
    let mut field = Checked::new("spec", &mut errors);
    bounds(&mut field, spec, rules);
    scale_target(field.at("scaleTargetRef"), &spec.scale_target_ref, rules);
    let mut metrics = field.at("metrics");
    for (index, metric) in spec.metrics.iter().enumerate() {
        metric_spec(metrics.item(index), metric, rules);
    }
    // Nothing is there to measure without a pod, but for what is outside.
    let has_outside = spec.metrics.iter().any(MetricSpec::is_one_value);
    if spec.min_replicas == Some(0) && !has_outside {
        metrics.forbidden(
            "must specify at least one Object or External metric to support scaling to zero \
             replicas",
        );
    }
    // `validateBehavior`: both directions, upwards first.
    for (direction, rules) in spec.behavior.iter().flat_map(Behavior::directions) {
        scaling_rules(field.at("behavior").at(direction.field()), rules);
    }
    errors
}

fn bounds(field: &mut Checked, spec: &HpaSpec, rules: Rules) {
    let (min, max) = (spec.min_replicas.unwrap_or(1), spec.max_replicas);
    let least = i32::from(!rules.scale_to_zero);
    if min < least {
        let text = format!("must be greater than or equal to {least}");
        field.at("minReplicas").invalid_number(min, text);
    }
    let mut field = field.at("maxReplicas");
    match max {
        1.. => {}
        _ if !rules.release.has(Switch::MaxReplicasTexts) => {
            field.invalid_number(max, "must be greater than 0");
        }
        0 => field.required("must be set and greater than 0"),
        _ => field.invalid_number(max, "must be greater than or equal to 1"),
    }
    if max < min {
        field.invalid_number(max, "must be greater than or equal to `minReplicas`");
    }
}

/// The longest period of a policy, in seconds.
const LONGEST_PERIOD: i32 = 1800;

/// A direction of `spec.behavior` (`validateScalingRules`).
fn scaling_rules(mut field: Checked, rules: &ScalingRules) {
    if let Some(window) = rules.stabilization_window_seconds {
        let mut field = field.at("stabilizationWindowSeconds");
        if window < 0 {
            field.invalid_number(window, "must be greater than or equal to zero");
        }
        if window > LONGEST_WINDOW_SECONDS {
            let text = format!("must be less than or equal to {LONGEST_WINDOW_SECONDS}");
            field.invalid_number(window, text);
        }
    }
    if let Some(select) = &rules.select_policy {
        field.at("selectPolicy").known(select);
    }
    let policies = rules.policies.as_deref().unwrap_or_default();
    let mut list = field.at("policies");
    if policies.is_empty() {
        list.required("must specify at least one Policy");
    }
    for (index, policy) in policies.iter().enumerate() {
        scaling_policy(list.item(index), policy);
    }
    let zero = Quantity::default();
    let tolerance = rules.tolerance.as_ref();
    if let Some(tolerance) = tolerance.filter(|it| it.cmp_value(&zero) == Ordering::Less) {
        let text = "must be greater than or equal to 0";
        let mut field = field.at("tolerance");
        field.invalid_text(&tolerance.to_string(), text);
    }
}

fn scaling_policy(mut field: Checked, policy: &ScalingPolicy) {
    field.at("type").known(&policy.kind);
    let above_zero = "must be greater than zero";
    if policy.value <= 0 {
        field.at("value").invalid_number(policy.value, above_zero);
    }
    let (mut field, period) = (field.at("periodSeconds"), policy.period_seconds);
    if period <= 0 {
        field.invalid_number(period, above_zero);
    }
    if period > LONGEST_PERIOD {
        let text = format!("must be less than or equal to {LONGEST_PERIOD}");
        field.invalid_number(period, text);
    }
}

/// What the server has against `metadata`, in whatever kind of object (`ValidateObjectMeta`);
/// its words on owners differ from release to release, and are left out.
fn object_meta(mut field: Checked, metadata: &Metadata, rules: Rules) {
    // The server puts letters behind it, so a dash may be its end (`maskTrailingDash`, with
    // what stands before the dash).
    let prefix = metadata.generate_name.as_str();
    if !prefix.is_empty() {
        let mut checked = prefix.to_owned();
        if prefix.len() > 1 && prefix.ends_with('-') {
            checked.truncate(prefix.len() - 1);
            checked.pop();
            checked.push('a');
        }
        subdomain(field.at("generateName"), &checked, prefix);
    }
    object_name(field.at("name"), metadata);
    let mut invalid = |inner: &'static str, value: &str, problems: Vec<String>| {
        for problem in problems {
            field.at(inner).invalid_text(value, problem);
        }
    };
    let wording = rules.release.label_wording();
    let namespace = metadata.namespace.as_str();
    // Without one, kubectl has it.
    if !namespace.is_empty() {
        invalid("namespace", namespace, label_problems(namespace, rules));
    }
    for (key, value) in &metadata.labels {
        invalid("labels", key, key_problems(key, wording));
        invalid("labels", value, value_problems(value, wording));
    }
    for key in metadata.annotations.keys() {
        let problems = key_problems(&key.to_lowercase(), wording);
        invalid("annotations", key, problems);
    }
    for name in &metadata.finalizers {
        invalid("finalizers", name, key_problems(name, wording));
    }
    for (index, name) in metadata.finalizers.iter().enumerate() {
        let is_standard = ["kubernetes", "orphan", "foregroundDeletion"].contains(&name.as_str());
        if !name.contains('/') && !is_standard {
            let text = "name is neither a standard finalizer name nor is it fully qualified";
            field.at("finalizers").item(index).invalid_text(name, text);
        }
    }
}

/// The longest name of an object.
const LONGEST_NAME: usize = 253;

/// `metadata.name`.
fn object_name(mut field: Checked, metadata: &Metadata) {
    let name = metadata.name.as_str();
    if name.is_empty() {
        if metadata.generate_name.is_empty() {
            field.required("name or generateName is required");
        }
        return;
    }
    subdomain(field, name, name);
}

/// A name, as it is checked and as it is written.
fn subdomain(mut field: Checked, checked: &str, name: &str) {
    if checked.len() > LONGEST_NAME {
        let text = format!("must be no more than {LONGEST_NAME} characters");
        field.invalid_text(name, text);
    }
    if !is_subdomain(checked) {
        field.invalid_text(name, SUBDOMAIN);
    }
}

/// `spec.scaleTargetRef`, whose API group is looked at from 1.34 on.
fn scale_target(mut field: Checked, target: &CrossVersionObjectReference, rules: Rules) {
    if described_object(&mut field, target, rules) {
        return;
    }
    let version = &target.api_version;
    // The one kind of the core group that scales.
    let is_core = target.kind == "ReplicationController";
    let has_group = version
        .split_once('/')
        .is_some_and(|(group, _)| !group.is_empty());
    if rules.release.has(Switch::TargetGroupRequired) && !is_core && !has_group {
        let mut field = field.at("apiVersion");
        field.invalid_text(version, "apiVersion must specify API group");
    }
}

/// `describedObject` of an Object metric. Whether its apiVersion has more than
/// one slash, which is told.
fn described_object(
    field: &mut Checked,
    object: &CrossVersionObjectReference,
    rules: Rules,
) -> bool {
    segment(field.at("kind"), &object.kind, "");
    segment(field.at("name"), &object.name, "");
    let version = &object.api_version;
    let is_malformed =
        rules.release.has(Switch::TargetGroupRequired) && version.matches('/').count() > 1;
    if is_malformed {
        let text = format!("unexpected GroupVersion string: {version}");
        field.at("apiVersion").invalid_text(version, text);
    }
    is_malformed
}

/// What becomes a part of a URL's path
/// (`ValidatePathSegmentName`); `required` is said where it is empty.
fn segment(mut field: Checked, value: &str, required: &str) {
    match value {
        "" => field.required(required),
        "." | ".." => field.invalid_text(value, format!("may not be '{value}'")),
        _ => {
            for character in ['/', '%'] {
                if value.contains(character) {
                    field.invalid_text(value, format!("may not contain '{character}'"));
                }
            }
        }
    }
}

/// Seconds for which an External metric has to fail at least before its
/// fallback applies.
const LEAST_FAILURE_DURATION_SECONDS: i64 = 180;

/// One entry of `spec.metrics`.
fn metric_spec(mut field: Checked, metric: &MetricSpec, rules: Rules) {
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
fn first_source(field: &mut Checked, metric: &MetricSpec, rules: Rules) {
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
fn fallback(mut field: Checked, fallback: &ExternalMetricFallback) {
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

fn resource_name(field: &mut Checked, name: &str) {
    if name.is_empty() {
        field.required("must specify a resource name");
    }
}

fn container(mut field: Checked, source: &ContainerResourceMetricSource, rules: Rules) {
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
        for problem in label_problems(&source.container, rules) {
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
fn problems(name: &str, wording: Wording) -> Vec<String> {
    let mut problems = key_problems(name, wording);
    let is_huge_page = is_huge_page(name);
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

/// What is wrong with the name of a container or a namespace.
fn label_problems(name: &str, rules: Rules) -> Vec<String> {
    let has_dots = is_subdomain(name) && rules.release.has(Switch::DotsInLabelText);
    let shape = if has_dots {
        "must not contain dots"
    } else {
        LABEL
    };
    let length = (name.len() > 63).then_some("must be no more than 63 characters");
    let shape = (!is_label(name)).then_some(shape);
    length.into_iter().chain(shape).map(str::to_owned).collect()
}

/// The checks that every target has to pass (`validateMetricTarget`).
fn common(field: &mut Checked, target: &MetricTarget) {
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

fn positive(mut field: Checked, quantity: Option<&Quantity>) {
    let zero = Quantity::default();
    if let Some(quantity) = quantity.filter(|it| it.cmp_value(&zero) != Ordering::Greater) {
        field.invalid_text(&quantity.to_string(), "must be positive");
    }
}

/// Of `Resource` and `ContainerResource`.
fn target_of_resource(mut field: Checked, target: &MetricTarget) {
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

fn target_of_pods(mut field: Checked, target: &MetricTarget) {
    common(&mut field, target);
    if target.average_value.is_none() {
        let text = "must specify a positive target averageValue";
        field.at("averageValue").required(text);
    }
}

fn target_of_object(mut field: Checked, target: &MetricTarget) {
    common(&mut field, target);
    if target.value.is_none() && target.average_value.is_none() {
        let text = "must set either a target value or averageValue";
        field.at("averageValue").required(text);
    }
}

fn target_of_external(mut field: Checked, target: &MetricTarget) {
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
