//! A metric's target, and which of its fields a source takes.

use std::cmp::Ordering;

use crate::api::{MetricTarget, OneOf, Quantity};
use crate::manifest::field_error::FieldPath;

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
pub(super) fn of_resource(mut field: FieldPath, target: &MetricTarget) {
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

pub(super) fn of_pods(mut field: FieldPath, target: &MetricTarget) {
    common(&mut field, target);
    if target.average_value.is_none() {
        let text = "must specify a positive target averageValue";
        field.at("averageValue").required(text);
    }
}

pub(super) fn of_object(mut field: FieldPath, target: &MetricTarget) {
    common(&mut field, target);
    if target.value.is_none() && target.average_value.is_none() {
        let text = "must set either a target value or averageValue";
        field.at("averageValue").required(text);
    }
}

pub(super) fn of_external(mut field: FieldPath, target: &MetricTarget) {
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
