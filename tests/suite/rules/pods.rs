//! What pods request.

use crate::support::build::Case;
use crate::support::pod::{Container, Pod, container, cpu};
use hpa_explain::trace::Rule;
use serde_json::json;

fn asks(name: &str, millicores: u32) -> Container {
    container(name)
        .uses("cpu", "50m")
        .requests("cpu", format!("{millicores}m"))
}

fn asks_nothing(name: &str) -> Container {
    container(name).uses("cpu", "50m")
}

#[test]
fn containers_are_looked_at_before_sidecars_in_their_order() {
    let rows = [
        (
            vec![asks("app", 100), asks_nothing("log")],
            vec![asks_nothing("proxy").sidecar()],
            "log",
        ),
        (vec![asks_nothing("b"), asks_nothing("a")], vec![], "b"),
        (
            vec![asks("app", 100)],
            vec![asks_nothing("z").sidecar(), asks_nothing("a").sidecar()],
            "z",
        ),
    ];
    for (containers, init_containers, named) in rows {
        let pod = Pod::of(containers).init_containers(init_containers);
        let pass = Case::new().cpu(50).pods(1, &pod).run();
        let text = format!(
            "failed to get cpu utilization: missing request for cpu in container {named} of Pod pod-0"
        );
        assert_eq!(pass.failure(), text);
    }
}

#[test]
fn ordinary_init_containers_need_no_request() {
    let pod =
        Pod::of(vec![asks("app", 100)]).init_containers(vec![container("migrate").unsampled()]);
    let pass = Case::new().cpu(50).pods(1, &pod).run();
    assert_eq!(pass.percent(), (Some(50), None));
}

#[test]
fn a_pod_level_request_for_hugepages_alone_excuses_containers() {
    let pod =
        Pod::of(vec![asks("app", 200), asks_nothing("log")]).pod_level("hugepages-2Mi", "4Mi");
    let case = Case::new().cpu(50).pods(1, &pod);
    assert_eq!(case.run().percent(), (Some(50), None)); // 100m of 200m
    let text =
        "failed to get cpu utilization: missing request for cpu in container log of Pod pod-0";
    assert_eq!(
        case.clone()
            .gate("PodLevelResources", false)
            .run()
            .failure(),
        text
    );
    assert_eq!(case.release(33).run().failure(), text);
}

#[test]
fn a_pod_level_request_for_anything_else_does_not() {
    let pod = Pod::of(vec![asks_nothing("app")]).pod_level("ephemeral-storage", "1Gi");
    let pass = Case::new().cpu(50).pods(1, &pod).run();
    let text =
        "failed to get cpu utilization: missing request for cpu in container app of Pod pod-0";
    assert_eq!(pass.failure(), text);
}

#[test]
fn without_any_request_the_pod_level_one_is_missed() {
    let pod = Pod::of(vec![asks_nothing("app")]).pod_level("memory", "1Gi");
    let pass = Case::new().cpu(50).pods(1, &pod).run();
    let text = "failed to get cpu utilization: missing pod-level request for cpu in Pod pod-0";
    assert_eq!(pass.failure(), text);
}

#[test]
fn an_aggregate_request_is_the_larger_of_running_and_starting() {
    let init = |name, millicores| {
        container(name)
            .unsampled()
            .requests("cpu", format!("{millicores}m"))
    };
    let rows = [
        // Containers and sidecars together: 100 + 50.
        (vec![init("proxy", 50).sidecar()], 150),
        // The migration beside the sidecar that was started before it.
        (vec![init("proxy", 50).sidecar(), init("migrate", 300)], 350),
        // The migration before any sidecar.
        (vec![init("migrate", 300), init("proxy", 50).sidecar()], 300),
    ];
    for (init_containers, request) in rows {
        let pod = Pod::of(vec![asks("app", 100)]).init_containers(init_containers);
        let pod = pod.pod_level("memory", "1Gi");
        let pass = Case::new().cpu(50).pods(1, &pod).run();
        assert_eq!(pass.metric().pods[0].request, Some(request));
    }
}

#[test]
fn a_pod_level_request_replaces_the_aggregate_one_and_overhead_adds_to_it() {
    let pod = Pod::of(vec![asks("app", 100)])
        .pod_level("cpu", "400m")
        .overhead(json!({"cpu": "100m"}));
    let request = |release| {
        let pass = Case::new().release(release).cpu(50).pods(1, &pod).run();
        pass.metric().pods[0].request
    };
    assert_eq!(request(33), Some(100));
    assert_eq!(request(37), Some(500));
    assert_eq!(request(38), Some(400)); // k/k#142154
}

#[test]
fn a_request_of_zero_is_a_request() {
    let pass = Case::new().cpu(50).pods(1, &cpu(50, 0)).run();
    let text = "failed to get cpu utilization: no metrics returned matched known pods";
    assert_eq!(pass.failure(), text);
}

#[test]
fn readiness_needs_a_condition_and_a_start() {
    let rows = [
        (
            cpu(50, 100).without_ready_condition(),
            Rule::PodNoReadyCondition,
        ),
        (cpu(50, 100).not_started(), Rule::PodNoReadyCondition),
        // `Unknown` is not False.
        (
            cpu(50, 100).started(1_000.0).ready("Unknown", 990.0),
            Rule::PodReady,
        ),
        (
            cpu(50, 100).started(60.0).ready("Unknown", 60.0),
            Rule::PodReady,
        ),
        (cpu(50, 100).phase("Unknown"), Rule::PodReady),
        (
            cpu(50, 100).phase("Failed").terminating(),
            Rule::PodTerminating,
        ),
        (cpu(50, 100).pending().terminating(), Rule::PodTerminating),
        (
            cpu(50, 100).pending().without_ready_condition(),
            Rule::PodPending,
        ),
        (cpu(50, 100).unsampled().not_started(), Rule::PodNoSample),
    ];
    for (number, (pod, rule)) in rows.iter().enumerate() {
        let case = Case::new().cpu(50).pod("steady", cpu(50, 100));
        let pass = case.pods(1, pod).run();
        assert_eq!(pass.metric().pods[1].rule, *rule, "row {number}");
    }
}
