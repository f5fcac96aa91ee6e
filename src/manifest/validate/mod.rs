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

use super::field_error::{FieldError, FieldPath};
use super::{Manifest, Rules};

/// Everything that the API server has against a manifest, in its order. The
/// spec has its defaults.
pub(super) fn validate(manifest: &Manifest, spec: &HpaSpec, rules: Rules) -> Vec<FieldError> {
    let mut errors = Vec::new();
    names::object_name(
        FieldPath::new("metadata.name", &mut errors),
        &manifest.metadata,
    );
    let mut field = FieldPath::new("spec", &mut errors);
    bounds(&mut field, spec, rules);
    names::scale_target(field.at("scaleTargetRef"), &spec.scale_target_ref, rules);
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
        behavior::behavior(field.at("behavior"), behavior);
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
