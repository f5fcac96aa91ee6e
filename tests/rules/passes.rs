//! From the scale to the decision.

use crate::support::build::Case;
use serde_json::json;

#[test]
fn a_percentage_of_a_negative_start_is_truncated() {
    let rows = [(10, -3), (12, -4), (13, -5)]; // -3.5, -4.5, -5
    for (added, limit) in rows {
        let policy = json!({"type": "Percent", "value": 50, "periodSeconds": 60});
        let pass = Case::new()
            .replicas(3)
            .added(&[(30, added)])
            .behavior(json!({"scaleDown": {"policies": [policy]}}))
            .wants(1)
            .run();
        let policies = &pass.trace.limit.as_ref().expect("a limit").policies;
        assert_eq!(policies[0].period_start, 3 - added);
        assert_eq!(pass.policy_limits(), [limit], "{added}");
        assert_eq!(pass.size(), 1);
    }
}

#[test]
fn the_zero_clamp_keeps_a_reason_and_gives_one_where_there_is_none() {
    let case = Case::new()
        .gate("HPAScaleToZero", true)
        .condition("ScaledToZero", "True")
        .bounds(3, 10)
        .replicas(0);
    let empty = json!({});
    let above = "external metric load-0(nil) above target";
    let below_min = "Current number of replicas below Spec.MinReplicas";
    let rows = [
        (case.clone().behavior(empty.clone()).wants(1), above),
        (case.clone().behavior(empty).wants(0), below_min),
        // Without behavior the bounds have done it already, without a reason.
        (case.clone().wants(1), above),
        (case.wants(0), ""),
    ];
    for (number, (case, reason)) in rows.into_iter().enumerate() {
        let pass = case.run();
        assert_eq!(
            (pass.size(), pass.reason()),
            (3, Some(reason)),
            "row {number}"
        );
        assert_eq!(pass.condition("ScaledToZero"), "False/NotScaledToZero");
    }
}

#[test]
fn a_target_that_cannot_be_resolved_stops_the_pass() {
    let version = "unexpected GroupVersion string: a/b/c";
    let kind = "no matches for kind \"Rocket\" in group \"space.example.com\"";
    let missing = "deployments/scale.apps \"web\" not found";
    let failing = |error: &str| Case::new().wants(5).set("/scale", json!({"error": error}));
    let reference = "/horizontalPodAutoscaler/spec/scaleTargetRef/apiVersion";
    let rows = [
        (
            Case::new().wants(5).set(reference, "a/b/c"),
            version,
            format!("invalid API version in scale target reference: {version}"),
        ),
        (
            failing(kind),
            kind,
            format!("unable to determine resource for scale target reference: {kind}"),
        ),
        (
            failing(missing),
            missing,
            format!("failed to query scale subresource for Deployment/default/web: {missing}"),
        ),
    ];
    for (case, text, error) in rows {
        let pass = case
            .condition("ScalingActive", "True")
            .set("/horizontalPodAutoscaler/status/currentReplicas", 4)
            .set("/horizontalPodAutoscaler/status/desiredReplicas", 6)
            .run();
        assert_eq!(pass.error(), error);
        assert_eq!(pass.events(), [format!("FailedGetScale: {text}")]);
        assert_eq!(pass.condition("AbleToScale"), "False/FailedGetScale");
        let sentence = "the HPA controller was unable to get the target's current scale";
        assert_eq!(pass.message("AbleToScale"), format!("{sentence}: {text}"));
        // Everything else is as the last pass left it.
        assert_eq!(pass.condition("ScalingActive"), "True/ScalingActive");
        assert_eq!(pass.outcome["currentReplicas"], 4);
        assert_eq!(pass.outcome["desiredReplicas"], 6);
        assert_eq!(pass.outcome["metrics"], json!([]));
        assert_eq!(pass.outcome["recommendationsAfter"], json!([1]));
    }
}

#[test]
fn a_target_without_group_or_version_is_none_of_the_controllers_business() {
    let reference = "/horizontalPodAutoscaler/spec/scaleTargetRef/apiVersion";
    for version in ["", "v1", "apps", "apps/v9", "/"] {
        let pass = Case::new().wants(5).set(reference, version).run();
        assert_eq!((pass.size(), pass.error()), (4, ""), "{version}");
    }
}
