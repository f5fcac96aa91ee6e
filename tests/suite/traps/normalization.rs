//! Windows, policies and bounds.

use crate::support::build::Case;
use crate::support::pass::Pass;
use serde_json::{Value, json};

/// One pass every 15 s, each with what the metrics then ask for.
fn syncs(case: &Case, wanted: &[i32]) -> Vec<Pass> {
    let mut case = case.clone();
    let mut passes = Vec::new();
    for replicas in wanted {
        let pass = case.clone().without_metrics().wants(*replicas).run();
        case = case.after(&pass, 15);
        passes.push(pass);
    }
    passes
}

fn sizes(passes: &[Pass]) -> Vec<i32> {
    passes.iter().map(Pass::size).collect()
}

fn policy(kind: &str, value: i32, period: i32) -> Value {
    json!({"type": kind, "value": value, "periodSeconds": period})
}

#[test]
fn trap_01_scales_up_with_all_metrics_below_target() {
    let case = Case::new().bounds(1, 50).replicas(2);
    let passes = syncs(&case, &[20, 1, 1]);
    assert_eq!(sizes(&passes), [4, 8, 16]);
    assert_eq!(passes[0].condition("ScalingLimited"), "True/ScaleUpLimit");
    let event = "SuccessfulRescale: New size: 8; reason: All metrics below target";
    assert_eq!(passes[1].events(), [event]);
    let passes = syncs(&case.behavior(json!({})), &[20, 1, 1]);
    assert_eq!(sizes(&passes), [6, 6, 6]);
}

#[test]
fn trap_02_an_empty_behavior_is_not_the_same_as_none() {
    let rows = [(3, 6, 7), (1, 4, 5), (0, 4, 4), (5, 10, 10)];
    for (replicas, without, with) in rows {
        let case = Case::new()
            .gate("HPAScaleToZero", true)
            .condition("ScaledToZero", "True")
            .bounds(0, 100)
            .replicas(replicas)
            .wants(20);
        assert_eq!(case.run().size(), without, "from {replicas}");
        assert_eq!(
            case.behavior(json!({})).run().size(),
            with,
            "from {replicas}"
        );
    }
}

#[test]
fn trap_16_percentages_are_rounded_twice() {
    let rows = [
        (100, 10, 111), // 100 × 1.1 is a little more than 110
        (5, 10, 6),
        (72, -10, 64), // 64.8
        (5, -10, 4),
        (1, -10, 0),
        (10, -80, 1), // 10 × (1 − 0.8) is a little less than 2
        (10, -90, 0),
    ];
    for (start, percent, limit) in rows {
        let rules = json!({"policies": [policy("Percent", i32::abs(percent), 60)]});
        let pass = Case::new()
            .bounds(0, 1_000)
            .replicas(start)
            .behavior(json!({"scaleUp": rules, "scaleDown": rules}))
            .wants(if percent > 0 { 1_000 } else { 0 })
            .run();
        assert_eq!(pass.policy_limits(), [limit], "{start} {percent:+}%");
        assert_eq!(pass.size(), limit, "{start} {percent:+}%");
    }
}

#[test]
fn trap_17_an_entry_exactly_as_old_as_the_window() {
    let remembered = |age: f64| Case::new().replicas(10).wants(2).remembers(&[(age, 10)]);
    let rows = [
        (remembered(300.0), 10, json!([10, 2])),
        (remembered(300.001), 2, json!([2])),
        (remembered(300.0).behavior(json!({})), 2, json!([10, 2])),
        (remembered(300.001).behavior(json!({})), 2, json!([2])),
    ];
    for (number, (case, size, slots)) in rows.iter().enumerate() {
        let pass = case.run();
        assert_eq!(pass.size(), *size, "row {number}");
        assert_eq!(pass.outcome["recommendationsAfter"], *slots, "row {number}");
    }
}

#[test]
fn trap_18_a_restarted_controller_holds_for_a_whole_window() {
    let restarted = Case::new().replicas(4).just_started();
    let passes = syncs(&restarted, &[2; 22]);
    assert_eq!(sizes(&passes[..20]), [4; 20]); // up to 285 s
    assert_eq!(sizes(&passes[20..]), [2, 2]); // from 300 s on
    assert_eq!(passes[0].outcome["recommendationsAfter"], json!([4, 2]));

    let window = json!({"scaleUp": {"stabilizationWindowSeconds": 60}});
    let passes = syncs(&restarted.behavior(window), &[9; 6]);
    assert_eq!(sizes(&passes), [4, 4, 4, 4, 8, 9]);
    assert_eq!(passes[0].condition("AbleToScale"), "True/ScaleUpStabilized");
}

#[test]
fn trap_19_above_max_nothing_slows_the_way_down() {
    let pass = Case::new()
        .bounds(1, 5)
        .replicas(20)
        .wants(20)
        .behavior(json!({"scaleDown": {"selectPolicy": "Disabled"}}))
        .remembers(&[(15, 20)])
        .condition("ScalingLimited", "True")
        .run();
    assert_eq!(pass.size(), 5);
    assert_eq!(
        pass.reason(),
        Some("Current number of replicas above Spec.MaxReplicas")
    );
    assert_eq!(pass.condition("ScalingLimited"), "True/ScalingLimited");
    assert_eq!(pass.outcome["recommendationsAfter"], json!([20]));
    assert!(pass.trace.recommendation.is_none());
}

#[test]
fn trap_20_removed_pods_give_room_upwards() {
    let case = Case::new()
        .replicas(10)
        .wants(50)
        .behavior(json!({"scaleUp": {"policies": [policy("Pods", 2, 60)]}}))
        .removed(&[(5, 4)]);
    assert_eq!(case.run().size(), 16);
    assert_eq!(case.release(24).run().size(), 12);
}

#[test]
fn trap_21_removed_pods_give_no_room_downwards() {
    let pass = Case::new()
        .replicas(10)
        .wants(1)
        .behavior(json!({"scaleDown": {"policies": [policy("Pods", 4, 60)]}}))
        .removed(&[(30, 4)])
        .run();
    assert_eq!(pass.policy_limits(), [10]);
    assert_eq!((pass.size(), pass.reason()), (10, None));
    assert_eq!(pass.condition("ScalingLimited"), "True/ScaleDownLimit");
}

#[test]
fn trap_22_a_slot_is_reused_after_its_own_directions_period() {
    let start = Case::new().replicas(20).behavior(json!({
        "scaleUp": {"policies": [policy("Pods", 1, 600)]},
        "scaleDown": {"stabilizationWindowSeconds": 0, "policies": [policy("Pods", 5, 15)]},
    }));
    let removed = |pass: &Pass| pass.trace.limit.as_ref().expect("a limit").policies[0].removed;

    let minus_5 = start.clone().wants(15).run();
    assert_eq!(minus_5.outcome["scaleDownEventsAfter"], json!([5]));
    let at_20_s = start.after(&minus_5, 20).without_metrics();
    let minus_1 = at_20_s
        .clone()
        .set("/controller/tolerance", 0)
        .wants(14)
        .run();
    assert_eq!(minus_1.outcome["scaleDownEventsAfter"], json!([1]));
    let at_30_s = at_20_s
        .after(&minus_1, 10)
        .without_metrics()
        .wants(50)
        .run();
    assert_eq!(removed(&at_30_s), 1);

    // Without a second one, the first keeps counting upwards.
    let at_599_s = start.after(&minus_5, 599).wants(50).run();
    assert_eq!(removed(&at_599_s), 5);
    let at_600_s = start.after(&minus_5, 600).wants(50).run();
    assert_eq!(removed(&at_600_s), 0);
}

#[test]
fn trap_41_more_than_100_percent_down_is_a_limit_below_zero() {
    let pass = Case::new()
        .bounds(2, 20)
        .replicas(10)
        .wants(0)
        .behavior(json!({"scaleDown": {"policies": [policy("Percent", 200, 60)]}}))
        .run();
    assert_eq!(pass.policy_limits(), [-10]);
    assert_eq!(pass.size(), 2);
    assert_eq!(pass.condition("ScalingLimited"), "True/TooFewReplicas");
}
