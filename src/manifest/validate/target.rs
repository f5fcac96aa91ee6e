//! A metric's target, and which of its fields a source takes.

use std::cmp::Ordering;

use crate::api::{MetricTarget, OneOf, Quantity};
use crate::manifest::field_error::FieldError;

/// The checks that every target has to pass (`validateMetricTarget`).
fn common(field: &str, target: &MetricTarget, errors: &mut Vec<FieldError>) {
    let kind = format!("{field}.type");
    if target.kind.is_empty() {
        errors.push(FieldError::required(
            &kind,
            "must specify a metric target type",
        ));
    }
    if let OneOf::Unknown(unknown) = &target.kind {
        let text = "must be either Utilization, Value, or AverageValue";
        errors.push(FieldError::invalid_text(&kind, unknown, text));
    }
    positive(&format!("{field}.value"), target.value.as_ref(), errors);
    positive(
        &format!("{field}.averageValue"),
        target.average_value.as_ref(),
        errors,
    );
    if let Some(percent) = target.average_utilization.filter(|percent| *percent < 1) {
        errors.push(FieldError::invalid_number(
            &format!("{field}.averageUtilization"),
            percent.into(),
            "must be greater than 0",
        ));
    }
}

fn positive(field: &str, quantity: Option<&Quantity>, errors: &mut Vec<FieldError>) {
    let zero = Quantity::default();
    if let Some(quantity) = quantity.filter(|it| it.cmp_value(&zero) != Ordering::Greater) {
        let value = quantity.to_string();
        errors.push(FieldError::invalid_text(field, &value, "must be positive"));
    }
}

/// Of `Resource` and `ContainerResource`.
pub(super) fn of_resource(field: &str, target: &MetricTarget, errors: &mut Vec<FieldError>) {
    common(field, target, errors);
    match (target.average_utilization, &target.average_value) {
        (None, None) => errors.push(FieldError::required(
            &format!("{field}.averageUtilization"),
            "must set either a target raw value or a target utilization",
        )),
        (Some(_), Some(_)) => errors.push(FieldError::forbidden(
            &format!("{field}.averageValue"),
            "may not set both a target raw value and a target utilization",
        )),
        _ => {}
    }
}

/// Of `Pods`.
pub(super) fn of_pods(field: &str, target: &MetricTarget, errors: &mut Vec<FieldError>) {
    common(field, target, errors);
    if target.average_value.is_none() {
        errors.push(FieldError::required(
            &format!("{field}.averageValue"),
            "must specify a positive target averageValue",
        ));
    }
}

/// Of `Object`.
pub(super) fn of_object(field: &str, target: &MetricTarget, errors: &mut Vec<FieldError>) {
    common(field, target, errors);
    if target.value.is_none() && target.average_value.is_none() {
        errors.push(FieldError::required(
            &format!("{field}.averageValue"),
            "must set either a target value or averageValue",
        ));
    }
}

/// Of `External`.
pub(super) fn of_external(field: &str, target: &MetricTarget, errors: &mut Vec<FieldError>) {
    common(field, target, errors);
    match (&target.value, &target.average_value) {
        (None, None) => errors.push(FieldError::required(
            &format!("{field}.averageValue"),
            "must set either a target value for metric or a per-pod target",
        )),
        (Some(_), Some(_)) => errors.push(FieldError::forbidden(
            &format!("{field}.value"),
            "may not set both a target value for metric and a per-pod target",
        )),
        _ => {}
    }
}
