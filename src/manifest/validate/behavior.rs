//! `spec.behavior` (`validateBehavior`, `validateScalingRules`).

use std::cmp::Ordering;

use crate::api::{Behavior, LONGEST_WINDOW_SECONDS, Quantity, ScalingPolicy, ScalingRules};
use crate::manifest::field_error::FieldError;

/// The longest period of a policy, in seconds.
const LONGEST_PERIOD: i32 = 1800;

/// Both directions, upwards first.
pub(super) fn behavior(behavior: &Behavior, errors: &mut Vec<FieldError>) {
    for (direction, rules) in behavior.directions() {
        scaling_rules(&format!("spec.behavior.{direction}"), rules, errors);
    }
}

fn scaling_rules(field: &str, rules: &ScalingRules, errors: &mut Vec<FieldError>) {
    if let Some(window) = rules.stabilization_window_seconds {
        let field = format!("{field}.stabilizationWindowSeconds");
        if window < 0 {
            let text = "must be greater than or equal to zero";
            errors.push(FieldError::invalid_number(&field, window.into(), text));
        }
        if window > LONGEST_WINDOW_SECONDS {
            let text = format!("must be less than or equal to {LONGEST_WINDOW_SECONDS}");
            errors.push(FieldError::invalid_number(&field, window.into(), &text));
        }
    }
    if let Some(select) = &rules.select_policy {
        let field = format!("{field}.selectPolicy");
        errors.extend(FieldError::of_unknown(&field, select));
    }
    let policies = rules.policies.as_deref().unwrap_or_default();
    let list = format!("{field}.policies");
    if policies.is_empty() {
        let text = "must specify at least one Policy";
        errors.push(FieldError::required(&list, text));
    }
    for (index, policy) in policies.iter().enumerate() {
        scaling_policy(&format!("{list}[{index}]"), policy, errors);
    }
    tolerance(field, rules.tolerance.as_ref(), errors);
}

fn scaling_policy(field: &str, policy: &ScalingPolicy, errors: &mut Vec<FieldError>) {
    let kind = format!("{field}.type");
    errors.extend(FieldError::of_unknown(&kind, &policy.kind));
    let above_zero = "must be greater than zero";
    if policy.value <= 0 {
        let field = format!("{field}.value");
        errors.push(FieldError::invalid_number(
            &field,
            policy.value.into(),
            above_zero,
        ));
    }
    let (field, period) = (format!("{field}.periodSeconds"), policy.period_seconds);
    if period <= 0 {
        errors.push(FieldError::invalid_number(
            &field,
            period.into(),
            above_zero,
        ));
    }
    if period > LONGEST_PERIOD {
        let text = format!("must be less than or equal to {LONGEST_PERIOD}");
        errors.push(FieldError::invalid_number(&field, period.into(), &text));
    }
}

fn tolerance(field: &str, tolerance: Option<&Quantity>, errors: &mut Vec<FieldError>) {
    let zero = Quantity::default();
    if let Some(tolerance) = tolerance.filter(|it| it.cmp_value(&zero) == Ordering::Less) {
        let value = tolerance.to_string();
        errors.push(FieldError::invalid_text(
            &format!("{field}.tolerance"),
            &value,
            "must be greater than or equal to 0",
        ));
    }
}
