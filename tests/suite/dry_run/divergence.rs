//! The stage in which two decisions diverge.

use hpa_explain::trace::Stage;
use serde_json::json;

use super::candidate;
use crate::support::build::Case;

/// At 10, with a recommendation of 7 a minute ago; the target, the window and
/// the policy of the way down.
fn case((target, window, pods): (&str, i32, i32)) -> Case {
    let policy = json!({"type": "Pods", "value": pods, "periodSeconds": 60});
    let down = json!({"stabilizationWindowSeconds": window, "policies": [policy]});
    Case::new()
        .bounds(1, 20)
        .replicas(10)
        .external_average("load", target, &["4"])
        .behavior(json!({ "scaleDown": down }))
        .remembers(&[(60, 7)])
}

/// What was another count before a stage that leaves the same on both sides
/// has no part in what follows.
#[test]
fn the_stage_that_parts_the_decisions_is_named() {
    let own = ("1", 300, 4);
    let rows = [
        ("the policy alone", ("1", 300, 1), Stage::Limit),
        // 4 and 5 are asked for; 7 holds on both sides.
        ("target and policy", ("800m", 300, 1), Stage::Limit),
        ("target, window and policy", ("800m", 0, 1), Stage::Metric),
        ("the window alone", ("1", 0, 4), Stage::Stabilization),
        ("window and policy", ("1", 0, 20), Stage::Stabilization),
    ];
    for (what, other, stage) in rows {
        let side = candidate(&case(own), &case(other));
        let difference = side.difference.expect("two sides");
        assert!(difference.decision.is_some(), "{what}: {difference:?}");
        let parting = difference.first_divergence.expect("a stage");
        let stages = [&parting.now, &parting.instead];
        let stages = stages.map(|it| it.as_ref().map(|it| it.stage));
        assert_eq!(stages, [Some(stage); 2], "{what}: {parting:?}");
    }
    assert_eq!(rows.len(), 5);
}
