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

#[test]
fn where_a_rate_meets_a_bound_the_bound_gives_the_reason() {
    let pods = json!({"type": "Pods", "value": 2, "periodSeconds": 60});
    let rules = json!({"policies": [pods]});
    let behavior = json!({"scaleUp": rules, "scaleDown": rules});
    let at_6 = Case::new().replicas(6);
    let with = at_6.clone().behavior(behavior);
    let rows = [
        (
            with.clone().bounds(1, 8).wants(20),
            8,
            "True/TooManyReplicas",
        ),
        (with.clone().bounds(1, 9).wants(20), 8, "True/ScaleUpLimit"),
        (with.clone().bounds(4, 9).wants(1), 4, "True/TooFewReplicas"),
        (with.bounds(3, 9).wants(1), 4, "True/ScaleDownLimit"),
        // Without behavior the rate is twice the size.
        (
            at_6.clone().bounds(1, 12).wants(20),
            12,
            "True/TooManyReplicas",
        ),
        (at_6.bounds(1, 13).wants(20), 12, "True/ScaleUpLimit"),
    ];
    for (number, (case, size, condition)) in rows.into_iter().enumerate() {
        let pass = case.run();
        assert_eq!(pass.size(), size, "row {number}");
        assert_eq!(pass.condition("ScalingLimited"), condition, "row {number}");
    }
}

#[test]
fn a_slot_is_reused_once_it_is_older_than_both_windows() {
    let windows = |up: u32, down: u32| {
        json!({
            "scaleUp": {"stabilizationWindowSeconds": up},
            "scaleDown": {"stabilizationWindowSeconds": down},
        })
    };
    let rows = [
        (windows(60, 300), 300.0, json!([5, 9])),
        (windows(60, 300), 300.001, json!([9])),
        (windows(300, 60), 300.0, json!([5, 9])),
        (windows(300, 60), 300.001, json!([9])),
        (windows(300, 60), 100.0, json!([5, 9])),
    ];
    for (number, (behavior, age, slots)) in rows.into_iter().enumerate() {
        let case = Case::new().replicas(5).behavior(behavior).wants(9);
        let pass = case.remembers(&[(age, 5)]).run();
        assert_eq!(pass.outcome["recommendationsAfter"], slots, "row {number}");
    }
}

#[test]
fn of_several_old_slots_the_last_is_reused() {
    let case = Case::new().replicas(5).wants(9);
    let case = case.remembers(&[(900, 1), (600, 2), (15, 3), (301, 4), (30, 5)]);
    let slots = json!([1, 2, 3, 9, 5]);
    assert_eq!(case.run().outcome["recommendationsAfter"], slots);
    let with_behavior = case.behavior(json!({}));
    assert_eq!(with_behavior.run().outcome["recommendationsAfter"], slots);
}

#[test]
fn select_policy_chooses_among_the_policies() {
    let policies = json!([
        {"type": "Pods", "value": 4, "periodSeconds": 60},
        {"type": "Percent", "value": 10, "periodSeconds": 60},
    ]);
    let rows = [("Max", 24, 16), ("Min", 22, 18), ("Disabled", 20, 20)];
    for (select, up, down) in rows {
        let rules = json!({"selectPolicy": select, "policies": policies});
        let case = Case::new().replicas(20);
        let case = case.behavior(json!({"scaleUp": rules, "scaleDown": rules}));
        assert_eq!(case.clone().wants(50).run().size(), up, "{select}");
        assert_eq!(case.wants(1).run().size(), down, "{select}");
    }
}
