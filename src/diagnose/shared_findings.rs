//! What findings of a running HPA and those of a manifest say alike.

use crate::api::{ExternalMetricFallback, VerticalPodAutoscaler};
use crate::trace::{Code, Finding, seconds_text, shell_word};

/// What a `behavior` that sets nothing does, and what none at all would do.
/// `window` is that of the controller's flag.
pub(super) fn empty_behavior(finding: Finding, window: &str) -> Finding {
    finding
        .fact(
            "spec.behavior",
            format!(
                "as empty as this: up without a window, by 4 pods or 100% each 15s; down after \
                 the highest of {window}, by 100% each 15s"
            ),
        )
        .fact(
            "without behavior",
            format!("the highest of {window} counts both ways; up to twice the size, or 4, a pass"),
        )
        .advice("set the windows and policies that are meant, or leave behavior out")
}

/// How `kubectl apply` stops to set the size, in two steps: the first apply
/// without the field would remove it, and 1 is the default. `target` is as
/// kubectl takes it; an empty namespace is that of the context.
pub(super) fn stop_applying(finding: Finding, target: &str, namespace: &str) -> Finding {
    let namespace = match namespace {
        "" => String::new(),
        namespace => format!(" -n {}", shell_word(namespace)),
    };
    finding
        .change(
            "edit spec.replicas out of what was last applied first; an apply that merely drops it \
             resets the size to 1",
            format!("kubectl apply edit-last-applied {target}{namespace}"),
        )
        .advice(format!("then {REMOVE_REPLICAS}"))
}

/// What stops an apply from setting the size, once it is safe to.
pub(super) const REMOVE_REPLICAS: &str = "remove spec.replicas from the manifest";

/// Why a share of few pods is more than it says.
pub(super) const WHOLE_PODS: &str = "parts of a pod count as whole ones";

/// What a fallback of an External metric asks for, which no cluster does.
pub(super) fn designed(fallback: ExternalMetricFallback) -> String {
    format!(
        "{} after {} of failures, by the design of KEP-5679 alone",
        fallback.replicas,
        seconds_text(fallback.failure_seconds())
    )
}

/// Where to see what a fallback would do.
pub(super) const TRY_THE_DESIGN: &str =
    "--feature-gates HPAExternalMetricFallback=true shows what the design would do";

/// What to do about a field that the API does not have, and what becomes of
/// it otherwise.
pub(super) fn unknown_field(step: &str) -> String {
    format!("{step}: kubectl refuses it, and without a check it is dropped silently")
}

/// A target that a resource never gets above for its limit, which is `most` in
/// the unit of the target.
pub(super) fn target_above_limit(name: &str, resource: &str, most: &str, target: &str) -> Finding {
    let message = format!(
        "{name} never asks for more pods: the limit keeps it at {most} or less, target {target}"
    );
    let why = if resource == "cpu" {
        "a container is throttled at its limit"
    } else {
        "a container is killed at its limit"
    };
    Finding::new(Code::TargetAboveLimit, message)
        .advice(format!("{why}: aim well below {most}, or raise the limit"))
}

/// A `VerticalPodAutoscaler` sets requests of resources that a target is a
/// percentage of.
pub(super) fn vpa_conflict(vpa: &VerticalPodAutoscaler, resources: &[&str]) -> Finding {
    let message = format!(
        "VerticalPodAutoscaler {} (mode {}) sets the {} requests that the target is a percentage of",
        vpa.metadata.name,
        vpa.mode(),
        resources.join(" and "),
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
            "let the VPA only recommend",
            "spec:\n  updatePolicy:\n    updateMode: 'Off'",
        ),
        [rest] if has_policies => finding.advice(format!(
            "leave the VPA {rest} alone: controlledResources: [{rest}] in each of its containerPolicies"
        )),
        rest => finding.patch(
            format!("leave the VPA {} alone", rest.join(" and ")),
            format!(
                "spec:\n  resourcePolicy:\n    containerPolicies:\n    - containerName: '*'\n      \
                 controlledResources: [{}]",
                rest.join(", ")
            ),
        ),
    };
    finding.advice("or aim the metric at an AverageValue, which no request changes")
}

/// What makes a whole an average. Divided by the pods, a latency or a share
/// means nothing; whether a metric is one of these, its name alone tells.
pub(super) const AVERAGE_IN_PLACE_OF_VALUE: &str = "if it is a total, such as a queue: aims at so \
     much for each pod (a latency or a share divided by the pods means nothing)";
