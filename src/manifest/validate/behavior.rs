//! `spec.behavior` (`validateBehavior`, `validateScalingRules`).

use std::cmp::Ordering;

use crate::api::{Behavior, LONGEST_WINDOW_SECONDS, Quantity, ScalingPolicy, ScalingRules};
use crate::manifest::field_error::FieldPath;

/// The longest period of a policy, in seconds.
const LONGEST_PERIOD: i32 = 1800;

/// Both directions, upwards first.
pub(super) fn behavior(mut field: FieldPath, behavior: &Behavior) {
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
