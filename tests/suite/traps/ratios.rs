//! Truncation, tolerance and overflow.

use crate::support::build::Case;
use crate::support::pod::{Pod, container, cpu};
use serde_json::json;

#[test]
fn trap_03_exactly_110_percent() {
    let edge = |release, used| {
        let case = Case::new().release(release).replicas(4).cpu(50);
        case.pods(4, &cpu(used, 100)).run().proposal()
    };
    let proposals = [edge(32, 55), edge(33, 55), edge(32, 45), edge(33, 45)];
    assert_eq!(proposals, [5, 4, 4, 4]);

    let narrow = |release, used| {
        let case = Case::new().release(release).replicas(40).cpu(100);
        let case = case.flag("tolerance", 0.05);
        case.pods(40, &cpu(used, 100)).run().proposal()
    };
    let proposals = [
        narrow(32, 95),
        narrow(32, 105),
        narrow(33, 95),
        narrow(33, 105),
    ];
    assert_eq!(proposals, [38, 42, 40, 40]);
}

#[test]
fn trap_04_the_percentage_is_truncated_before_it_is_compared() {
    let pass = Case::new()
        .replicas(4)
        .cpu(50)
        .pods(4, &cpu(554, 1000))
        .run();
    assert_eq!(pass.percent(), (Some(55), None));
    assert_eq!(pass.proposal(), 4); // 1.108 would be 5
}

#[test]
fn trap_05_the_average_is_truncated_to_a_thousandth() {
    let pass = Case::new()
        .replicas(2)
        .pods(2, &cpu(0, 0))
        .pods_metric("queue", "1m", &[("pod-0", "1m"), ("pod-1", "2m")])
        .run();
    assert_eq!(pass.shown(), json!({"averageValue": "1m"}));
    assert_eq!(pass.proposal(), 2); // 1.5 would be 3
}

#[test]
fn trap_25_a_value_counts_ready_pods_an_average_does_not() {
    let unready = cpu(0, 0).started(3_600.0).ready("False", 60.0);
    let case = Case::new().replicas(10).pods(8, &cpu(0, 0));
    let value = case.clone().external_value("queue", "200", &["300"]);
    assert_eq!(value.clone().pods(2, &unready).run().proposal(), 12);
    assert_eq!(value.pods(2, &cpu(0, 0)).run().proposal(), 15);
    let average = case
        .pods(2, &unready)
        .external_average("queue", "20", &["300"]);
    assert_eq!(average.run().proposal(), 15);
}

#[test]
fn trap_26_a_negative_external_average_scales_to_the_maximum() {
    let case = Case::new().bounds(2, 5).replicas(3);
    let external = case.clone().external_average("balance", "1", &["-5"]);
    let (before, since) = (
        external.clone().release(33).run(),
        external.release(34).run(),
    );
    assert_eq!((before.proposal(), before.size()), (-5, 2));
    assert_eq!((since.proposal(), since.size()), (i32::MAX, 5));
    let object = case.object_average(("Service", "web"), "1", "-5").run();
    assert_eq!((object.proposal(), object.size()), (-5, 2));
}

#[test]
fn trap_27_three_billion_replicas_are_none() {
    let case = Case::new().bounds(2, 8).replicas(4).pods(1, &cpu(0, 0));
    let average = case.clone().object_average(("Service", "web"), "1", "3G");
    let value = case.external_value("queue", "1", &["3G"]);
    let rows = [
        (average.clone().release(37), i32::MIN, 2),
        (average.release(38), i32::MAX, 8),
        (value.clone().release(34), i32::MIN, 2),
        (value.release(35), i32::MAX, 8),
    ];
    for (number, (case, proposal, size)) in rows.iter().enumerate() {
        let pass = case.run();
        assert_eq!(
            (pass.proposal(), pass.size()),
            (*proposal, *size),
            "row {number}"
        );
    }
}

#[test]
fn trap_28_each_container_is_rounded_up_on_its_own() {
    let used = |name| container(name).uses("cpu", "100000001n");
    let pass = Case::new()
        .cpu_average("202m")
        .pods(1, &Pod::of(vec![used("app"), used("log")]))
        .run();
    assert_eq!(pass.shown(), json!({"averageValue": "202m"}));
}

#[test]
fn trap_36_a_namespace_metric_is_read_in_the_hpas_own_namespace() {
    let case = Case::new().replicas(2).pods(2, &cpu(0, 0)).object_value(
        ("Namespace", "other"),
        "10",
        "20",
    );
    let own = case
        .clone()
        .set("/metrics/custom/0/describedObject/name", "default");
    assert_eq!(own.run().proposal(), 4);
    let missing = case.run();
    let text = "unable to get metric requests: Namespace on default other/unable to fetch metrics from custom metrics API: ";
    assert!(missing.failure().starts_with(text), "{}", missing.failure());
}

#[test]
fn trap_37_inside_the_tolerance_an_average_proposes_the_status() {
    let pass = Case::new()
        .replicas(10)
        .status_replicas(6)
        .external_average("queue", "20", &["120"])
        .run();
    assert_eq!((pass.proposal(), pass.size()), (6, 6));
    assert_eq!(pass.reason(), Some("All metrics below target"));
}

#[test]
fn trap_40_a_tolerance_of_500_percent() {
    let up = json!({"scaleUp": {"tolerance": "5"}});
    let down = json!({"scaleDown": {"tolerance": "1"}});
    let rows = [
        (&up, 60, 10),
        (&up, 61, 61),
        (&down, 0, 10),
        (&down, 20, 20),
    ];
    for (behavior, wanted, proposal) in rows {
        let case = Case::new().replicas(10).behavior(behavior.clone());
        assert_eq!(
            case.wants(wanted).run().proposal(),
            proposal,
            "{behavior} {wanted}"
        );
    }
}
