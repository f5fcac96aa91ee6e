//! What findings of a running HPA and those of a manifest say alike.

use serde_json::json;

use crate::api::{ExternalMetricFallback, VerticalPodAutoscaler};
use crate::document::nearest;
use crate::trace::amount::plural;
use crate::trace::{Code, Finding, Severity, ShellCommand, seconds_text};

/// A resource of pods that metrics-server does not measure, which knows `cpu` and
/// `memory`. Another server might, so that it is an error only where it is misspelled.
pub(super) fn not_measured(resource: &str) -> Option<Finding> {
    const MEASURED: [&str; 2] = ["cpu", "memory"];
    if MEASURED.contains(&resource) {
        return None;
    }
    let message = format!(
        "metrics-server measures only the resources cpu and memory of pods, not {resource}"
    );
    let finding = Finding::new(Code::MetricSpecInvalid, message);
    Some(match nearest(&resource.to_lowercase(), &MEASURED) {
        Some(near) => finding.advice(format!("change the resource's name to {near}")),
        None => finding
            .advice("measure it with a metric of type Pods, Object or External")
            .at_most(Severity::Warning),
    })
}

/// What a `behavior` that sets nothing does, and what none at all would do.
/// `window` is that of the controller's flag.
pub(super) fn empty_behavior(finding: Finding, window: &str) -> Finding {
    finding
        .fact(
            "spec.behavior",
            format!(
                "uses the API's defaults: up without a window, by 4 pods or 100% per 15s; down to the \
                 highest recommendation of {window}, by 100% per 15s"
            ),
        )
        .fact(
            "without behavior",
            format!(
                "uses the highest recommendation of {window} in both directions; goes up to twice the \
                 size or to 4, whichever is larger, in one pass"
            ),
        )
        .advice("set the windows and policies that you want, or remove behavior")
}

/// How `kubectl apply` stops to set the size, in two steps: the first apply
/// without the field would remove it, and 1 is the default. `target` is as
/// kubectl takes it; an empty namespace is that of the context.
pub(super) fn stop_applying(finding: Finding, target: &str, namespace: &str) -> Finding {
    let command = ShellCommand::new("kubectl apply edit-last-applied").word(target);
    let command = match namespace {
        "" => command,
        namespace => command.namespace(namespace),
    };
    finding
        .change(
            "first remove spec.replicas from the last-applied annotation, then from the manifest: \
             otherwise the next apply deletes the field, and the size becomes the API's default, 1",
            command,
        )
        .advice(format!("{REMOVE_REPLICAS} afterward"))
}

/// What stops an apply from setting the size, once it is safe to.
pub(super) const REMOVE_REPLICAS: &str = "remove spec.replicas from the manifest";

/// Why a share of few pods is more than it says.
pub(super) const WHOLE_PODS: &str = "policies round up to whole pods";

/// What a fallback of an External metric asks for, which no cluster does.
pub(super) fn designed(fallback: ExternalMetricFallback) -> String {
    format!(
        "replicas {} after {} of failures, but only in the design of KEP-5679",
        fallback.replicas,
        seconds_text(fallback.failure_seconds())
    )
}

/// Where to see what a fallback would do.
pub(super) const TRY_THE_DESIGN: &str =
    "use --feature-gates HPAExternalMetricFallback=true to see what the design would do";

/// What to do about a field that the API does not have, and what becomes of
/// it otherwise.
pub(super) fn unknown_field(step: &str) -> String {
    format!("{step}: kubectl rejects the file, and the API server ignores the field")
}

/// A target that a resource never gets above for its limit, which is `most` in
/// the unit of the target.
pub(super) fn target_above_limit(name: &str, resource: &str, most: &str, target: &str) -> Finding {
    let message = format!(
        "{name} never asks for more pods: the limit caps it at {most}, and the target is {target}"
    );
    let why = if resource == "cpu" {
        "a container is throttled at its limit"
    } else {
        "a container is killed at its limit"
    };
    Finding::new(Code::TargetAboveLimit, message).advice(format!(
        "lower the target well below {most}, or raise the limit: {why}"
    ))
}

/// A `VerticalPodAutoscaler` sets requests of resources that a target is a
/// percentage of.
pub(super) fn vpa_conflict(vpa: &VerticalPodAutoscaler, resources: &[&str]) -> Finding {
    let message = format!(
        "VerticalPodAutoscaler {} (mode {}) changes the {} {} that the HPA's target is a percentage of",
        vpa.metadata.name,
        vpa.mode(),
        resources.join(" and "),
        plural(resources.len(), "request", "requests"),
    );
    Finding::new(Code::VpaConflict, message)
}

/// How a `VerticalPodAutoscaler` leaves such resources alone.
pub(super) fn vpa_remedies(
    finding: Finding,
    vpa: &VerticalPodAutoscaler,
    resources: &[&str],
) -> Finding {
    let rest: Vec<&str> = ["cpu", "memory"]
        .into_iter()
        .filter(|resource| !resources.contains(resource))
        .collect();
    let has_policies = !vpa.spec.resource_policy.container_policies.is_empty();
    let finding = match rest.as_slice() {
        [] => finding.patch(
            "set the VPA to only recommend",
            &json!({"spec": {"updatePolicy": {"updateMode": "Off"}}}),
        ),
        [rest] if has_policies => finding.advice(format!(
            "restrict the VPA to {rest}: controlledResources: [{rest}] in each of its containerPolicies"
        )),
        rest => finding.patch(
            format!("restrict the VPA to {}", rest.join(" and ")),
            &json!({"spec": {"resourcePolicy": {"containerPolicies": [
                {"containerName": "*", "controlledResources": rest},
            ]}}}),
        ),
    };
    finding.advice("use a target of type AverageValue, which does not depend on requests")
}

/// What is compared with a target of type Value.
pub(super) const VALUE_IS_OF_THE_WHOLE: &str =
    "a target of type Value is compared with the whole metric, whatever the size";

/// What makes a whole an average. Divided by the pods, a latency or a share
/// means nothing; whether a metric is one of these, its name alone tells.
pub(super) const AVERAGE_IN_PLACE_OF_VALUE: &str = "use AverageValue if the metric is a \
     total, such as a queue length (a latency or a ratio must not be divided by the pods)";
