//! What the API server has against an HPA that is created
//! (`pkg/apis/autoscaling/validation`, `ValidateHorizontalPodAutoscaler`).
//!
//! The checks do not stop each other, and their order is that in which the
//! server reports.

mod behavior;
mod metric;
mod names;
mod target;

use crate::api::{HpaSpec, MetricSpec};
use crate::controller::Switch;

use super::field_error::FieldError;
use super::{Manifest, Rules};

/// Everything that the API server has against a manifest, in its order. The
/// spec has its defaults.
pub(super) fn validate(manifest: &Manifest, spec: &HpaSpec, rules: Rules) -> Vec<FieldError> {
    let mut errors = Vec::new();
    names::object_name(&manifest.metadata, &mut errors);
    bounds(spec, rules, &mut errors);
    names::scale_target(&spec.scale_target_ref, rules, &mut errors);
    for (index, metric) in spec.metrics.iter().enumerate() {
        metric::metric(
            &format!("spec.metrics[{index}]"),
            metric,
            rules,
            &mut errors,
        );
    }
    scale_to_zero(spec, &mut errors);
    if let Some(behavior) = &spec.behavior {
        behavior::behavior(behavior, &mut errors);
    }
    errors
}

fn bounds(spec: &HpaSpec, rules: Rules, errors: &mut Vec<FieldError>) {
    let (min, max) = (spec.min_replicas.unwrap_or(1), spec.max_replicas);
    let least = i32::from(!rules.scale_to_zero);
    if min < least {
        let text = format!("must be greater than or equal to {least}");
        errors.push(FieldError::invalid_number(
            "spec.minReplicas",
            min.into(),
            &text,
        ));
    }
    let field = "spec.maxReplicas";
    match max {
        1.. => {}
        _ if !rules.release.has(Switch::MaxReplicasTexts) => {
            let text = "must be greater than 0";
            errors.push(FieldError::invalid_number(field, max.into(), text));
        }
        0 => errors.push(FieldError::required(
            field,
            "must be set and greater than 0",
        )),
        _ => {
            let text = "must be greater than or equal to 1";
            errors.push(FieldError::invalid_number(field, max.into(), text));
        }
    }
    if max < min {
        let text = "must be greater than or equal to `minReplicas`";
        errors.push(FieldError::invalid_number(field, max.into(), text));
    }
}

/// Nothing is there to measure without a pod, but for what is outside.
fn scale_to_zero(spec: &HpaSpec, errors: &mut Vec<FieldError>) {
    let has_outside = spec.metrics.iter().any(MetricSpec::is_one_value);
    if spec.min_replicas == Some(0) && !has_outside {
        errors.push(FieldError::forbidden(
            "spec.metrics",
            "must specify at least one Object or External metric to support scaling to zero \
             replicas",
        ));
    }
}
