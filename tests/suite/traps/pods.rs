//! Which pods count, and as what.

use crate::support::build::Case;
use crate::support::pass::Pass;
use crate::support::pod::{Pod, container, cpu, memory, silent};
use hpa_explain::trace::Rule;
use serde_json::json;

/// Aimed at 50% of the cpu request.
fn aimed(replicas: i32) -> Case {
    Case::new().replicas(replicas).cpu(50)
}

#[test]
fn trap_06_ready_pods_are_multiplied_not_replicas() {
    let case = aimed(10).pods(4, &cpu(75, 100));
    let pass = case.run();
    assert_eq!((pass.proposal(), pass.size()), (6, 6));
    assert_eq!(pass.reason(), Some("All metrics below target"));
    let held = case.remembers(&[(60, 10)]).run();
    assert_eq!(held.condition("AbleToScale"), "True/ScaleDownStabilized");
    assert_eq!(held.size(), 10);
}

#[test]
fn trap_07_a_surge_of_pods_scales_up_below_the_target() {
    let pass = aimed(4).pods(6, &cpu(40, 100)).run();
    assert_eq!((pass.proposal(), pass.size()), (5, 5));
    let name = "cpu resource utilization (percentage of request)";
    assert_eq!(pass.reason(), Some(format!("{name} above target").as_str()));
}

#[test]
fn trap_08_a_missing_pod_counts_in_full_downwards() {
    let pass = aimed(4).pods(3, &cpu(20, 100)).pods(1, &silent(100)).run();
    assert_eq!(pass.percent(), (Some(20), Some(40)));
    assert_eq!(pass.proposal(), 4);
    assert_eq!(pass.shown()["averageUtilization"], 20);
}

#[test]
fn trap_09_a_missing_pod_counts_as_the_target_average() {
    let case = Case::new().replicas(4).cpu_average("50m");
    let pass = case.pods(3, &cpu(20, 100)).pods(1, &silent(100)).run();
    let filled_in = pass.metric().filled_in.as_ref().expect("filled in");
    assert_eq!(filled_in.measured.average, Some(27)); // 110 / 4
    assert_eq!(pass.proposal(), 3);
}

#[test]
fn trap_10_a_missing_pod_counts_as_the_target_above_100_percent() {
    let case = Case::new().replicas(6).cpu(200);
    let case = case.pods(4, &cpu(100, 100)).pods(2, &silent(100));
    let (before, since) = (case.clone().release(25).run(), case.release(26).run());
    assert_eq!((before.percent().1, before.proposal()), (Some(100), 3));
    assert_eq!((since.percent().1, since.proposal()), (Some(133), 4));
}

#[test]
fn trap_11_a_missing_pod_counts_as_nothing_upwards() {
    let pass = aimed(4).pods(3, &cpu(90, 100)).pods(1, &silent(100)).run();
    assert_eq!(pass.percent(), (Some(90), Some(67)));
    assert_eq!(pass.proposal(), 6);
}

#[test]
fn trap_12_unready_pods_vanish_downwards() {
    let unready = cpu(20, 100).starting();
    let pass = aimed(6).pods(3, &cpu(20, 100)).pods(3, &unready).run();
    assert_eq!(pass.groups(), [3, 3, 0, 0]);
    assert_eq!(pass.proposal(), 2); // 0.4 × 3; with all six it would be 3
}

#[test]
fn trap_13_unready_pods_count_as_nothing_upwards() {
    let with = |used| {
        let unready = cpu(used, 100).starting();
        aimed(5).pods(4, &cpu(used, 100)).pods(1, &unready).run()
    };
    let (at_60, at_90) = (with(60), with(90));
    assert_eq!((at_60.percent().1, at_60.proposal()), (Some(48), 5));
    assert_eq!((at_90.percent().1, at_90.proposal()), (Some(72), 8));
}

#[test]
fn trap_14_filled_in_a_count_never_moves_against_its_ratio() {
    let unready = cpu(90, 100).starting();
    let pass = aimed(8).pods(3, &cpu(90, 100)).pods(1, &unready).run();
    assert_eq!(pass.proposal(), 8); // not 1.34 × 4 = 6
    assert_eq!(pass.proposed().rule, Rule::ReplicasOpposed);
}

#[test]
fn trap_15_an_average_on_target_with_a_missing_pod() {
    let case = Case::new().replicas(4).cpu_average("50m");
    let case = case.pods(3, &cpu(50, 100)).pods(1, &silent(100));
    assert_eq!(case.clone().release(27).run().proposal(), 3); // 37m of 50m
    assert_eq!(case.release(28).run().proposal(), 4);
}

#[test]
fn trap_29_any_selected_pod_can_break_the_metric() {
    let evicted = Pod::of(vec![container("old")]).phase("Failed").unsampled();
    let pass = aimed(3).pods(3, &cpu(50, 100)).pod("web-1", evicted).run();
    let text =
        "failed to get cpu utilization: missing request for cpu in container old of Pod web-1";
    assert_eq!(pass.failure(), text);
    assert_eq!(pass.groups(), [3, 0, 0, 1]);
}

#[test]
fn trap_30_succeeded_pods_are_missing_up_to_1_37() {
    let done = silent(100).phase("Succeeded");
    let case = aimed(4).pods(3, &cpu(20, 100)).pods(1, &done);
    let (before, since) = (case.clone().release(37).run(), case.release(38).run());
    assert_eq!((before.groups(), before.proposal()), ([3, 0, 1, 0], 4));
    assert_eq!((since.groups(), since.proposal()), ([3, 0, 0, 1], 2));
}

#[test]
fn trap_31_readiness_is_compared_strictly() {
    let initializing = |started| cpu(50, 100).started(started).ready("False", 100.0);
    let young = |sampled| {
        cpu(50, 100)
            .started(60.0)
            .ready("True", 40.0)
            .sampled(sampled)
    };
    let old = |since| cpu(50, 100).started(1_000.0).ready("False", since);
    let rows = [
        (initializing(300.0), Rule::PodReady),
        (initializing(299.0), Rule::PodInitializing),
        (young(10.0), Rule::PodReady), // 40 s ago plus a window of 30 s
        (young(11.0), Rule::PodStaleSample),
        (old(970.0), Rule::PodReady), // 30 s after the start
        (old(971.0), Rule::PodNeverReady),
    ];
    for (number, (pod, rule)) in rows.iter().enumerate() {
        let pass = aimed(2).pod("steady", cpu(50, 100)).pods(1, pod).run();
        assert_eq!(pass.metric().pods[1].rule, *rule, "row {number}");
    }
}

#[test]
fn trap_32_a_ready_pod_whose_sample_reaches_back_is_unready() {
    let pod = cpu(50, 100).started(60.0).ready("True", 10.0).sampled(5.0);
    let pass = aimed(2).pods(1, &cpu(50, 100)).pods(1, &pod).run();
    assert_eq!(pass.groups(), [1, 1, 0, 0]);
}

#[test]
fn trap_33_only_cpu_has_readiness_rules() {
    let groups = |case: Case| case.run().groups();
    let crashing = memory("50Mi", "100Mi").starting();
    let case = Case::new().replicas(2).memory(50);
    assert_eq!(groups(case.clone().pods(2, &crashing)), [2, 0, 0, 0]);
    let pending = crashing.clone().phase("Pending");
    assert_eq!(
        groups(case.pods(1, &crashing).pods(1, &pending)),
        [1, 1, 0, 0]
    );
    let case = Case::new().replicas(1).pods(1, &cpu(0, 0).starting());
    assert_eq!(
        groups(case.pods_metric("queue", "1", &[("pod-0", "1")])),
        [1, 0, 0, 0]
    );
}

#[test]
fn trap_34_an_average_divides_by_strangers_too() {
    let values = [("pod-0", "60"), ("pod-1", "60"), ("stranger", "0")];
    let case = Case::new().replicas(10).pods_metric("queue", "50", &values);
    let plain = case.clone().pods(2, &cpu(0, 0)).run();
    assert_eq!(plain.shown(), json!({"averageValue": "40"}));
    assert_eq!(plain.proposal(), 2); // 0.8 × 2
    // (60 + 60 + 0 + 50) / 4 = 42.5, times 4; by pods alone it would be 3.
    assert_eq!(case.pods(3, &cpu(0, 0)).run().proposal(), 4);
}

#[test]
fn trap_43_a_rollout_that_adds_the_measured_container() {
    let new = Pod::of(vec![
        container("app2").uses("cpu", "90m").requests("cpu", "100m"),
    ]);
    let case = Case::new().replicas(4).container_cpu("app2", 50);
    let case = case
        .pods(2, &new)
        .pod("old-0", cpu(10, 100))
        .pod("old-1", cpu(10, 100));
    let fails = |pass: &Pass, text: &str| pass.failure().ends_with(text);

    let since = case.clone().release(35).run();
    assert!(
        fails(&since, "container app2 not found in Pod old-0"),
        "{}",
        since.failure()
    );
    // Old pods add nothing to either sum, but each one to the multiplier.
    let between = case.clone().release(34).run();
    assert_eq!(
        (between.percent(), between.proposal()),
        ((Some(90), Some(90)), 8)
    );
    let before = case.release(32).run();
    let text = "failed to get container metrics: container app2 not present in metrics for pod default/old-0";
    assert!(fails(&before, text), "{}", before.failure());
}
