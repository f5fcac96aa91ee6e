//! 1.23 and 1.24, of which there are no recorded answers.

use crate::support::build::Case;
use crate::support::pod::{Pod, container, cpu, silent};
use serde_json::{Value, json};

/// What follows `first error is: ` in the error of the pass.
fn first_error(case: &Case) -> String {
    let pass = case.run();
    let (_, error) = pass
        .error()
        .split_once("first error is: ")
        .expect("a failed metric");
    error.to_owned()
}

#[test]
fn errors_are_wrapped_once_less_than_since_1_25() {
    let gone = |path: &str| format!("unable to fetch metrics from {path} metrics API: gone");
    let resource = format!(
        "failed to get cpu utilization: unable to get metrics for resource cpu: {}",
        gone("resource")
    );
    let external = format!(
        "unable to get external metric default/queue/nil: {}",
        gone("external")
    );
    let no_resource = Case::new()
        .pods(1, &cpu(50, 100))
        .set("/metrics/resource", json!({"error": "gone"}));
    let answer = json!([{"metric": "queue", "error": "gone"}]);
    let rows = [
        (
            no_resource.clone().cpu(50),
            resource.clone(),
            format!("failed to get cpu resource metric value: {resource}"),
        ),
        (
            no_resource.container_cpu("app", 50),
            resource.clone(),
            format!("failed to get app container metric value: {resource}"),
        ),
        (
            Case::new()
                .external_average("queue", "1", &[])
                .set("/metrics/external", answer.clone()),
            format!("failed to get queue external metric: {external}"),
            format!(
                "failed to get queue external metric value: failed to get queue external metric: {external}"
            ),
        ),
        (
            Case::new()
                .external_value("queue", "1", &[])
                .set("/metrics/external", answer),
            format!("failed to get external metric queue: {external}"),
            format!(
                "failed to get queue external metric value: failed to get external metric queue: {external}"
            ),
        ),
    ];
    for (case, before, since) in rows {
        assert_eq!(first_error(&case.clone().release(23)), before);
        assert_eq!(first_error(&case.clone().release(24)), before);
        assert_eq!(first_error(&case.release(25)), since);
    }
}

#[test]
fn errors_of_pods_and_objects_are_wrapped_as_ever() {
    let pods = Case::new()
        .pods(1, &cpu(50, 100))
        .pods_metric("queue", "1", &[]);
    let text = "failed to get pods metric value: unable to get metric queue: no metrics returned from custom metrics API";
    assert_eq!(first_error(&pods.release(24)), text);
    let object = Case::new().object_average(("Service", "web"), "1", "1");
    let object = object.set("/metrics/custom/0/response/items", json!([]));
    let text = "failed to get object metric value: failed to get requests object metric: unable to get metric requests: Service on default web/unable to fetch metrics from custom metrics API: the custom metrics API server returned 0 results when we asked for exactly one";
    assert_eq!(first_error(&object.release(24)), text);
}

#[test]
fn texts_are_shorter() {
    let none =
        json!({"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization"}}});
    let no_request = Pod::of(vec![container("app").uses("cpu", "50m")]);
    let rows = [
        (
            Case::new().pods(1, &cpu(50, 100)).metric(none),
            "invalid resource metric source: neither a utilization target nor a value target was set",
        ),
        (
            Case::new().pods(1, &no_request).cpu(50),
            "failed to get cpu utilization: missing request for cpu",
        ),
        (
            Case::new().pods(1, &cpu(50, 100).phase("Pending")).cpu(50),
            "failed to get cpu utilization: did not receive metrics for any ready pods",
        ),
        (
            Case::new()
                .pods(1, &cpu(50, 100).phase("Pending"))
                .cpu_average("50m"),
            "failed to get cpu utilization: did not receive metrics for any ready pods",
        ),
        (
            // Requests are looked at before it is known that no sample counts.
            Case::new().pods(1, &no_request.phase("Pending")).cpu(50),
            "failed to get cpu utilization: missing request for cpu",
        ),
    ];
    for (case, text) in rows {
        for release in [23, 24] {
            assert_eq!(case.clone().release(release).run().failure(), text);
        }
    }
}

#[test]
fn a_policy_sees_only_the_changes_of_its_own_direction() {
    let pods = |value: i32| json!({"type": "Pods", "value": value, "periodSeconds": 60});
    let behavior: Value =
        json!({"scaleUp": {"policies": [pods(4)]}, "scaleDown": {"policies": [pods(4)]}});
    let case = Case::new()
        .replicas(10)
        .behavior(behavior)
        .added(&[(30, 3)])
        .removed(&[(20, 1)]);
    // Upwards: 10 - 3 + 4, since 1.25 10 - 3 + 1 + 4.
    // Downwards: 10 + 1 - 4, since 1.25 10 - 3 + 1 - 4.
    let rows = [(23, 11, 7), (24, 11, 7), (25, 12, 4)];
    for (release, up, down) in rows {
        let case = case.clone().release(release);
        assert_eq!(case.clone().wants(50).run().size(), up, "{release}");
        assert_eq!(case.wants(1).run().size(), down, "{release}");
    }
}

#[test]
fn two_hpas_on_one_target_run_side_by_side() {
    let other = json!({"namespace": "default", "name": "other", "selector": "app=web"});
    let case = Case::new()
        .replicas(2)
        .pods(2, &cpu(90, 100))
        .cpu(50)
        .set("/otherAutoscalers", json!([other]));
    assert_eq!(case.clone().release(24).run().size(), 4);
    assert_eq!(case.release(26).run().size(), 2);
}

#[test]
fn a_partial_failure_is_swallowed_where_the_rest_scales_up() {
    let case = Case::new().replicas(2).fails("gone").wants(4);
    let pass = case.release(24).run();
    assert_eq!((pass.size(), pass.error()), (4, ""));
}

#[test]
fn sidecars_are_not_asked_for_requests() {
    let sidecar = container("proxy").uses("cpu", "50m").sidecar();
    let pod = Pod::of(vec![
        container("app").uses("cpu", "50m").requests("cpu", "200m"),
    ])
    .init_containers(vec![sidecar]);
    let pass = Case::new()
        .release(24)
        .replicas(1)
        .cpu(50)
        .pods(1, &pod)
        .run();
    assert_eq!(pass.percent(), (Some(50), None)); // the usage counts, though
}

#[test]
fn a_missing_pod_counts_as_100_percent() {
    let case = Case::new().release(24).replicas(6).cpu(200);
    let pass = case.pods(4, &cpu(100, 100)).pods(2, &silent(100)).run();
    assert_eq!(pass.percent(), (Some(100), Some(100)));
}
