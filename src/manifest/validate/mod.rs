//! What the API server has against an HPA that is created
//! (`pkg/apis/autoscaling/validation`, `ValidateHorizontalPodAutoscaler`).
//!
//! The checks do not stop each other, and their order is that in which the
//! server reports.

mod metric;

use std::cmp::Ordering;

use crate::api::names::{SUBDOMAIN, is_subdomain};
use crate::api::{
    Behavior, CrossVersionObjectReference, HpaSpec, LONGEST_WINDOW_SECONDS, MetricSpec, Quantity,
    ScalingPolicy, ScalingRules,
};
use crate::controller::Switch;

use super::field_error::{FieldError, FieldPath};
use super::{Manifest, Metadata, Rules};

/// Everything that the API server has against a manifest, in its order. The
/// spec has its defaults.
pub(super) fn validate(manifest: &Manifest, spec: &HpaSpec, rules: Rules) -> Vec<FieldError> {
    let mut errors = Vec::new();
    object_name(
        FieldPath::new("metadata.name", &mut errors),
        &manifest.metadata,
    );
    let mut field = FieldPath::new("spec", &mut errors);
    bounds(&mut field, spec, rules);
    scale_target(field.at("scaleTargetRef"), &spec.scale_target_ref, rules);
    let mut metrics = field.at("metrics");
    for (index, metric) in spec.metrics.iter().enumerate() {
        metric::metric(metrics.item(index), metric, rules);
    }
    // Nothing is there to measure without a pod, but for what is outside.
    let has_outside = spec.metrics.iter().any(MetricSpec::is_one_value);
    if spec.min_replicas == Some(0) && !has_outside {
        metrics.forbidden(
            "must specify at least one Object or External metric to support scaling to zero \
             replicas",
        );
    }
    if let Some(behavior) = &spec.behavior {
        scaling_behavior(field.at("behavior"), behavior);
    }
    errors
}

fn bounds(field: &mut FieldPath, spec: &HpaSpec, rules: Rules) {
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

/// `spec.behavior` (`validateBehavior`, `validateScalingRules`): both directions,
/// upwards first.
fn scaling_behavior(mut field: FieldPath, behavior: &Behavior) {
    for (direction, rules) in behavior.directions() {
        scaling_rules(field.at(direction.field()), rules);
    }
}

fn scaling_rules(mut field: FieldPath, rules: &ScalingRules) {
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

fn scaling_policy(mut field: FieldPath, policy: &ScalingPolicy) {
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

/// The longest name of an object.
const LONGEST_NAME: usize = 253;

/// `metadata.name`.
fn object_name(mut field: FieldPath, metadata: &Metadata) {
    let name = metadata.name.as_str();
    if name.is_empty() {
        if metadata.generate_name.is_empty() {
            field.required("name or generateName is required");
        }
        return;
    }
    if name.len() > LONGEST_NAME {
        let text = format!("must be no more than {LONGEST_NAME} characters");
        field.invalid_text(name, text);
    }
    if !is_subdomain(name) {
        field.invalid_text(name, SUBDOMAIN);
    }
}

/// `spec.scaleTargetRef`, whose API group is looked at from 1.34 on.
fn scale_target(mut field: FieldPath, target: &CrossVersionObjectReference, rules: Rules) {
    if described_object(&mut field, target, rules) {
        return;
    }
    let version = &target.api_version;
    // The one kind of the core group that scales.
    let is_core = target.kind == "ReplicationController";
    if rules.release.has(Switch::TargetGroupRequired) && !is_core && !has_group(version) {
        let mut field = field.at("apiVersion");
        field.invalid_text(version, "apiVersion must specify API group");
    }
}

/// `describedObject` of an Object metric. Whether its apiVersion has more than
/// one slash, which is told.
fn described_object(
    field: &mut FieldPath,
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

fn has_group(version: &str) -> bool {
    let group = version.split_once('/').map(|(group, _)| group);
    group.is_some_and(|group| !group.is_empty())
}

/// What becomes a part of a URL's path
/// (`ValidatePathSegmentName`); `required` is said where it is empty.
fn segment(mut field: FieldPath, value: &str, required: &str) {
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
