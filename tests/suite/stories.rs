//! Scenarios that documentation and design texts tell, pass by pass.

use crate::dry_run::candidate;
use crate::support;

use hpa_explain::document::manifest::{Assignment, Rules, edited};
use hpa_explain::trace::{Decided, Range};
use serde_json::{Value, json};
use support::build::Case;
use support::pod::{Pod, container, cpu, memory, silent};

/// A pass a minute, each with what the metrics ask for: the sizes that they
/// leave. A dry-run of the behavior on an HPA that has none says the same of
/// every pass.
fn sizes(case: Case, raw: &[i32]) -> Vec<i32> {
    let mut case = case.flag("tolerance", 0);
    let mut sizes = Vec::new();
    for raw in raw {
        let now = case.clone().without_metrics().wants(*raw);
        let pass = now.run();
        let side = candidate(&now.clone().behavior(Value::Null), &now);
        let decided = Decided::of(&side.trace).to.and_then(Range::single);
        assert_eq!(decided, Some(pass.size()), "pass {}", sizes.len() + 1);
        sizes.push(pass.size());
        case = case.after(&pass, 60);
    }
    sizes
}

fn policy(kind: &str, value: i32, seconds: i32) -> Value {
    json!({"type": kind, "value": value, "periodSeconds": seconds})
}

/// KEP-853: fast up.
#[test]
fn s1_percent_900_multiplies_by_ten() {
    let case = Case::new()
        .bounds(1, 1000)
        .behavior(json!({"scaleUp": {"policies": [policy("Percent", 900, 60)]}}));
    assert_eq!(sizes(case, &[1000; 4]), [10, 100, 1000, 1000]);
}

/// KEP-853: fast up, and slowly down.
#[test]
fn s2_one_pod_less_every_ten_minutes() {
    let case = Case::new().bounds(1, 1000).behavior(json!({
        "scaleUp": {"policies": [policy("Percent", 900, 60)]},
        "scaleDown": {"stabilizationWindowSeconds": 300, "policies": [policy("Pods", 1, 600)]},
    }));
    let load_gone = |at_the_top: usize| [vec![1000; at_the_top], vec![1; 30]].concat();
    let passes = sizes(case.clone().replicas(1000), &load_gone(1));
    let held = [vec![1000; 5], vec![999; 10], vec![998; 10], vec![997; 6]];
    assert_eq!(passes, held.concat());
    // Just after the way up the period begins at 10, one below which is 9.
    let passes = sizes(case, &load_gone(4));
    assert_eq!(
        passes[..9],
        [10, 100, 1000, 1000, 1000, 1000, 1000, 1000, 9]
    );
}

/// KEP-853: slowly up.
#[test]
fn s3_one_pod_more_a_minute() {
    let case = Case::new().behavior(json!({"scaleUp": {"policies": [policy("Pods", 1, 60)]}}));
    assert_eq!(sizes(case, &[50; 4]), [2, 3, 4, 5]);
}

/// KEP-853 writes "never down" as a policy of value 0, which the API refuses
/// today.
#[test]
fn s4_never_down_is_select_policy_disabled() {
    let never_down = json!({"scaleDown": {"selectPolicy": "Disabled"}});
    let case = Case::new().replicas(10).behavior(never_down);
    let pass = case.clone().wants(1).run();
    assert_eq!((pass.size(), pass.reason()), (10, None));
    assert_eq!(pass.condition("ScalingLimited"), "True/ScaleDownLimit");
    assert_eq!(
        sizes(case.clone(), &[1, 15, 3, 20, 1]),
        [10, 15, 15, 20, 20]
    );
    let hpa = case.wants(1).snapshot().hpa;
    let set = "spec.behavior.scaleDown.policies[0]={type: Pods, value: 0, periodSeconds: 60}";
    let set: Assignment = set.parse().expect("an assignment");
    let rules = Rules::new(hpa_explain::controller::Release::ASSUMED, &[].into());
    let refusals = edited(&hpa, &[set], rules).expect_err("a refusal");
    let says = "policies[0].value: Invalid value: 0: must be greater than zero";
    assert!(refusals[0].to_string().ends_with(says), "{refusals:?}");
}

/// KEP-853: a long window downwards.
#[test]
fn s5_the_highest_of_ten_minutes_holds() {
    let rules = json!({"stabilizationWindowSeconds": 600, "policies": [policy("Pods", 5, 60)]});
    let case = Case::new()
        .replicas(10)
        .behavior(json!({"scaleDown": rules}));
    let sizes = sizes(case, &[10, 9, 8, 9, 9, 8, 9, 8, 9, 8, 7]);
    assert_eq!(sizes, [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 9]);
}

/// KEP-853: a window upwards.
#[test]
fn s6_the_lowest_of_five_minutes_holds() {
    let rules = json!({"stabilizationWindowSeconds": 300, "policies": [policy("Pods", 20, 60)]});
    let case = Case::new().replicas(2).behavior(json!({"scaleUp": rules}));
    let sizes = sizes(case, &[2, 3, 19, 10, 3, 4, 7]);
    assert_eq!(sizes, [2, 2, 2, 2, 2, 3, 3]);
}

fn down(select: &str, policies: &[Value]) -> Case {
    let rules = json!({
        "stabilizationWindowSeconds": 0, "selectPolicy": select, "policies": policies,
    });
    Case::new()
        .replicas(80)
        .behavior(json!({"scaleDown": rules}))
}

/// The documentation's example of two policies.
#[test]
fn d1_the_larger_of_two_policies() {
    let case = down("Max", &[policy("Pods", 4, 60), policy("Percent", 10, 60)]);
    assert_eq!(
        sizes(case, &[1; 16]),
        [72, 64, 57, 51, 45, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 1]
    );
}

/// The same, and the smaller of them.
#[test]
fn d2_the_smaller_of_two_policies() {
    let case = down("Min", &[policy("Percent", 10, 60), policy("Pods", 5, 60)]);
    assert_eq!(
        sizes(case, &[1; 15]),
        [75, 70, 65, 60, 55, 50, 45, 40, 36, 32, 28, 25, 22, 19, 17]
    );
}

/// A walk-through: what 30% is more than 7 pods of.
#[test]
fn b1_the_larger_of_two_policies_upwards() {
    let rules = json!({"policies": [policy("Percent", 30, 60), policy("Pods", 7, 60)]});
    let case = Case::new().replicas(18).behavior(json!({"scaleUp": rules}));
    assert_eq!(sizes(case, &[100; 3]), [25, 33, 43]);
}

/// KEP-4951: 100Mi per pod with a scaleUp tolerance of 5%.
#[test]
fn d3_104_and_105_mib_hold_and_106_scale() {
    let rows = [("104Mi", 10), ("105Mi", 10), ("106Mi", 11)];
    for (used, size) in rows {
        let pass = Case::new()
            .replicas(10)
            .memory_average("100Mi")
            .behavior(json!({"scaleUp": {"tolerance": "0.05"}}))
            .pods(10, &memory(used, "200Mi"))
            .run();
        assert_eq!(pass.size(), size, "{used}");
    }
}

/// The documentation's "implicit maintenance-mode deactivation".
#[test]
fn d4_zero_replicas_pause_until_someone_sets_them() {
    let paused = Case::new().bounds(2, 10).replicas(0).wants(9);
    let pass = paused.run();
    assert_eq!((pass.size(), pass.reason()), (0, None));
    assert_eq!(pass.condition("ScalingActive"), "False/ScalingDisabled");
    let later = paused.after(&pass, 86_400);
    assert_eq!(later.run().size(), 0);
    let pass = later.replicas(1).run();
    assert_eq!(pass.size(), 2);
    assert_eq!(
        pass.reason(),
        Some("Current number of replicas below Spec.MinReplicas")
    );
}

/// A walk-through has failed pods count and says 17, capped at 16.
#[test]
fn b2_two_failed_and_two_silent_pods_of_fourteen() {
    let pass = Case::new()
        .bounds(12, 16)
        .replicas(14)
        .cpu(60)
        .pods(10, &cpu(850, 1000))
        .pods(2, &silent(1000).phase("Failed"))
        .pods(2, &silent(1000))
        .run();
    assert_eq!(pass.groups(), [10, 0, 2, 2]);
    assert_eq!(pass.percent(), (Some(85), Some(70)));
    assert_eq!((pass.proposal(), pass.size()), (14, 14));
}

/// The documentation's formula, with its own numbers: 200m against 100m
/// doubles, 50m halves.
#[test]
fn the_documented_formula_holds_where_every_pod_counts() {
    let rows = [("200m", 8), ("50m", 2), ("100m", 4)];
    for (used, size) in rows {
        let app = container("app").uses("cpu", used).requests("cpu", "1");
        let case = Case::new().replicas(4).cpu_average("100m");
        assert_eq!(
            case.pods(4, &Pod::of(vec![app])).run().size(),
            size,
            "{used}"
        );
    }
}
