//! 1.37 and 1.38, whose rules come from release notes and merged pull
//! requests.

use crate::support::build::Case;
use crate::support::pod::{cpu, memory, silent};
use serde_json::json;

/// k/k#141397: a float that is too large for 32 bits becomes the largest
/// integer, no longer the smallest.
#[test]
fn counts_saturate_since_1_38() {
    let percent =
        json!({"scaleUp": {"policies": [{"type": "Percent", "value": 100, "periodSeconds": 60}]}});
    let huge = Case::new()
        .bounds(1, i32::MAX)
        .replicas(2_000_000_000)
        .behavior(percent)
        .wants(i32::MAX);
    let huge = huge.flag("tolerance", 0.01);
    assert_eq!(huge.clone().release(37).run().policy_limits(), [i32::MIN]);
    assert_eq!(huge.clone().release(38).run().policy_limits(), [i32::MAX]);
    assert_eq!(huge.clone().release(37).run().size(), 2_000_000_000);
    assert_eq!(huge.release(38).run().size(), i32::MAX);

    let pods = Case::new().bounds(2, 9).replicas(5).pods(1, &cpu(0, 0));
    let pods = pods.pods_metric("queue", "1m", &[("pod-0", "3G")]);
    let (before, since) = (pods.clone().release(37).run(), pods.release(38).run());
    assert_eq!((before.proposal(), before.size()), (i32::MIN, 2));
    assert_eq!((since.proposal(), since.size()), (i32::MAX, 9));
}

/// k/k#140958: a status that says 0 replicas is no divisor.
#[test]
fn the_average_over_no_replicas_is_the_total_since_1_38() {
    let case = Case::new().replicas(3).status_replicas(0);
    let case = case.external_average("queue", "10", &["50"]);
    let (before, since) = (case.clone().release(37).run(), case.release(38).run());
    assert_eq!(before.shown()["averageValue"], "-9223372036854775808m");
    assert_eq!(since.shown()["averageValue"], "50");
    assert_eq!((before.proposal(), since.proposal()), (5, 5));
}

/// k/k#142192: percentages are computed without overflow.
#[test]
fn a_total_beyond_64_bits_does_not_wrap_since_1_38() {
    // 10^14 bytes are 10^17 thousandths, and times 100 that is 10^19.
    let case = Case::new().memory(50).pods(1, &memory("100T", "100T"));
    assert_eq!(case.clone().release(38).run().percent(), (Some(100), None));
    // 10^19 - 2^64 = -8446744073709551616, which is -84 times 10^17.
    assert_eq!(case.release(37).run().percent(), (Some(-84), None));
}

/// k/k#141302, for every kind of pod metric.
#[test]
fn succeeded_pods_are_ignored_since_1_38() {
    let done = silent(100).phase("Succeeded");
    let case = Case::new()
        .replicas(4)
        .pods(3, &cpu(20, 100))
        .pods(1, &done);
    let values = [("pod-0", "20m"), ("pod-1", "20m"), ("pod-2", "20m")];
    let rows = [
        case.clone().cpu(50),
        case.clone().cpu_average("50m"),
        case.pods_metric("queue", "50m", &values),
    ];
    for (number, case) in rows.iter().enumerate() {
        assert_eq!(
            case.clone().release(37).run().groups(),
            [3, 0, 1, 0],
            "row {number}"
        );
        let since = case.clone().release(38).run();
        assert_eq!(
            (since.groups(), since.proposal()),
            ([3, 0, 0, 1], 2),
            "row {number}"
        );
    }
}

/// A Succeeded pod still needs a request: every selected pod does.
#[test]
fn ignored_pods_are_asked_for_requests_in_1_38_too() {
    let done = crate::support::pod::Pod::of(vec![crate::support::pod::container("job")]);
    let done = done.phase("Succeeded").unsampled();
    let case = Case::new()
        .release(38)
        .cpu(50)
        .pods(1, &cpu(50, 100))
        .pod("job-1", done);
    let text =
        "failed to get cpu utilization: missing request for cpu in container job of Pod job-1";
    assert_eq!(case.run().failure(), text);
}

#[test]
fn scaling_to_zero_is_on_since_1_37_and_can_be_switched_off() {
    let case = Case::new().bounds(0, 9).replicas(1).wants(0);
    let rows = [
        (case.clone().release(36), ""),
        (
            case.clone().release(36).gate("HPAScaleToZero", true),
            "True/ScaledToZero",
        ),
        (case.clone().release(37), "True/ScaledToZero"),
        (case.clone().release(38), "True/ScaledToZero"),
        (case.clone().release(37).gate("HPAScaleToZero", false), ""),
    ];
    for (number, (case, condition)) in rows.iter().enumerate() {
        let pass = case.run();
        assert_eq!(pass.size(), 0, "row {number}");
        assert_eq!(pass.condition("ScaledToZero"), *condition, "row {number}");
    }
    // What scaled itself to zero comes back by itself.
    let asleep = case.clone().release(37);
    let awake = asleep
        .after(&asleep.run(), 600)
        .without_metrics()
        .wants(2)
        .run();
    assert_eq!(awake.size(), 2);
    assert_eq!(awake.condition("ScaledToZero"), "False/NotScaledToZero");
    let asleep = case.release(36);
    let still = asleep
        .after(&asleep.run(), 600)
        .without_metrics()
        .wants(2)
        .run();
    assert_eq!(still.condition("ScalingActive"), "False/ScalingDisabled");
}

#[test]
fn the_tolerance_of_a_spec_cannot_be_switched_off_since_1_37() {
    let case = Case::new()
        .replicas(10)
        .behavior(json!({"scaleUp": {"tolerance": "0"}}));
    let case = case.wants(11).gate("HPAConfigurableTolerance", false);
    let proposals = [36, 37, 38].map(|release| case.clone().release(release).run().proposal());
    assert_eq!(proposals, [10, 11, 11]);
}
