//! From several metrics to one pass.

use crate::support::build::Case;
use crate::support::pod::cpu;
use serde_json::json;

const FOUND: &str = "the HPA was able to successfully calculate a replica count from";

#[test]
fn trap_23_ties_name_the_first_metric_but_zeros_the_last() {
    let case = Case::new().replicas(6);
    let tie = case.clone().cpu(50).pods(6, &cpu(25, 100)).wants(3).run();
    assert_eq!(tie.proposals(), [Ok(3), Ok(3)]);
    let name = "cpu resource utilization (percentage of request)";
    assert_eq!(tie.message("ScalingActive"), format!("{FOUND} {name}"));

    let zeros = case.clone().wants(0).wants(0).run();
    let name = "external metric load-1(nil)";
    assert_eq!(zeros.message("ScalingActive"), format!("{FOUND} {name}"));
    assert_eq!(zeros.size(), 1);
    assert_eq!(zeros.reason(), Some("All metrics below target"));

    assert_eq!(case.wants(0).wants(5).run().size(), 5);
}

#[test]
fn trap_24_one_failed_metric_blocks_only_the_way_down() {
    let with = |wanted| Case::new().replicas(5).fails("gone").wants(wanted).run();
    let (up, same, down) = (with(7), with(5), with(4));
    assert_eq!([up.size(), same.size(), down.size()], [7, 5, 5]);
    assert_eq!(up.condition("ScalingActive"), "True/ValidMetricFound");
    assert_eq!(same.condition("ScalingActive"), "True/ValidMetricFound");
    assert_eq!(
        down.condition("ScalingActive"),
        "False/FailedGetExternalMetric"
    );
    assert_eq!(same.outcome["recommendationsAfter"], json!([5]));
    assert_eq!(down.outcome["recommendationsAfter"], json!([1])); // as before
}

#[test]
fn trap_35_the_version_of_the_targets_api_is_ignored() {
    let pointer = "/horizontalPodAutoscaler/spec/scaleTargetRef/apiVersion";
    let pass = Case::new()
        .replicas(2)
        .wants(4)
        .set(pointer, "apps/v1beta1")
        .run();
    assert_eq!((pass.size(), pass.error()), (4, ""));
}

#[test]
fn trap_38_desired_replicas_outlive_a_failure() {
    let pass = Case::new()
        .replicas(5)
        .fails("gone")
        .set("/horizontalPodAutoscaler/status/currentReplicas", 6)
        .set("/horizontalPodAutoscaler/status/desiredReplicas", 7)
        .run();
    assert_eq!(pass.outcome["currentReplicas"], 5);
    assert_eq!(pass.outcome["desiredReplicas"], 7);
}

#[test]
fn trap_39_from_zero_there_is_no_tolerance() {
    let case = Case::new()
        .gate("HPAScaleToZero", true)
        .bounds(0, 10)
        .replicas(0);
    let by_itself = case.clone().condition("ScaledToZero", "True");
    let from = |target, usage| {
        by_itself
            .clone()
            .external_value("queue", target, &[usage])
            .run()
    };
    assert_eq!(from("2", "3").size(), 2);
    assert_eq!(from("1", "300m").size(), 1);
    assert_eq!(from("1", "0").size(), 0);
    let by_a_person = case.external_value("queue", "2", &["3"]).run();
    assert_eq!(
        by_a_person.condition("ScalingActive"),
        "False/ScalingDisabled"
    );
    assert_eq!(by_a_person.size(), 0);
}

#[test]
fn trap_42_two_hpas_conflict_only_over_a_pod() {
    let other = json!({"namespace": "default", "name": "other", "selector": "app=web"});
    let alone = Case::new().replicas(2).wants(4);
    let both = alone.clone().set("/otherAutoscalers", json!([other]));
    assert_eq!(both.run().size(), 4); // no pod yet
    assert_eq!(alone.pods(1, &cpu(0, 0)).run().size(), 4); // the other is not registered yet
    let conflict = both.pods(1, &cpu(0, 0)).run();
    assert_eq!(
        conflict.condition("ScalingActive"),
        "False/AmbiguousSelector"
    );
    let list =
        "pods by selector app=web are controlled by multiple HPAs: [default/other default/web]";
    assert_eq!(conflict.message("ScalingActive"), list);
    assert_eq!(conflict.size(), 2);
}
