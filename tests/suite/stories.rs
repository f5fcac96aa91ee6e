//! Scenarios that documentation and design texts tell, as far as one pass
//! shows them.

use crate::support;

use serde_json::json;
use support::build::Case;
use support::pod::{Pod, container, cpu, memory, silent};

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

/// KEP-853 writes "never down" as a policy of value 0, which the API refuses
/// today.
#[test]
fn s4_never_down_is_select_policy_disabled() {
    let never_down = json!({"scaleDown": {"selectPolicy": "Disabled"}});
    let case = Case::new().replicas(10).behavior(never_down);
    let pass = case.clone().wants(1).run();
    assert_eq!((pass.size(), pass.reason()), (10, None));
    assert_eq!(pass.condition("ScalingLimited"), "True/ScaleDownLimit");
    assert_eq!(case.wants(15).run().size(), 15);
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
