//! 1.37 and 1.38: what was measured, and what merged pull requests describe.

use crate::support::build::Case;
use crate::support::pod::{cpu, memory, silent};
use hpa_explain::api::Quantity;
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::history::{self, Observer};
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

/// A conversion that is none to a size stays as it was: twice a size of more
/// than 2^30 is more than 32 bits hold.
#[test]
fn doubling_does_not_saturate() {
    let case = Case::new().bounds(1, i32::MAX).replicas(1_500_000_000);
    let case = case.wants(2_000_000_000).flag("tolerance", 0.01);
    let sizes = [36, 38].map(|release| case.clone().release(release).run().size());
    assert_eq!(sizes[0], sizes[1]);
}

/// k/k#140958: a status that says 0 replicas is no divisor, and the average of
/// an object is capped as that of an external metric.
#[test]
fn the_average_that_is_shown_since_1_38() {
    let external = |status, value: &str| {
        let case = Case::new().replicas(3).status_replicas(status);
        case.external_average("queue", "10", &[value])
    };
    let object = |status, value: &str| {
        let case = Case::new().replicas(3).status_replicas(status);
        case.object_average(("Service", "web"), "10", value)
    };
    let most = "9223372036854775807m";
    let rows = [
        (external(0, "50"), "-9223372036854775808m", "0"),
        (external(0, "0"), "-9223372036854775808m", "0"),
        (object(0, "50"), "-9223372036854775808m", "0"),
        (external(3, most), most, most),
        (object(3, most), "3074457345618258432m", most),
        (object(3, "10"), "3334m", "3334m"),
    ];
    for (number, (case, up_to_1_37, since)) in rows.iter().enumerate() {
        let shown = [37, 38].map(|release| case.clone().release(release).run());
        let shown = shown.map(|pass| pass.shown()["averageValue"].clone());
        assert_eq!(shown, [*up_to_1_37, *since], "row {number}");
    }
    assert_eq!(rows.len(), 6);
}

/// k/k#139029: which object, and then why.
#[test]
fn the_error_of_an_object_names_it_since_1_37() {
    let case = Case::new().object_value(("Ingress", "main"), "10", "1");
    let described = json!({"kind": "Ingress", "name": "main"});
    let busy = json!([{"metric": "requests", "describedObject": described,
        "error": "the server is busy"}]);
    let case = case.set("/metrics/custom", busy);
    let why = "unable to fetch metrics from custom metrics API: the server is busy";
    let rows = [
        (36, format!("Ingress on default main/{why}"), ": "),
        (37, format!("Ingress default/main: {why}"), " on "),
        (38, format!("Ingress default/main: {why}"), " on "),
    ];
    for (release, object, joint) in rows {
        let pass = case.clone().release(release).run();
        let (failure, end) = (pass.failure(), format!("{joint}{object}"));
        assert!(failure.ends_with(&end), "{release}: {failure}");
    }
}

/// k/k#139142: two names of however many, unless the gate is off.
#[test]
fn two_of_the_hpas_on_the_same_pods_are_named_since_1_37() {
    let others = ["api", "web-2", "zoo"];
    let others =
        others.map(|name| json!({"namespace": "default", "name": name, "selector": "app=web"}));
    let case = Case::new().cpu(50).pods(1, &cpu(50, 100));
    let case = case.set("/otherAutoscalers", json!(others));
    let all = "default/api default/web default/web-2 default/zoo";
    let gate = "HPAOptimizedSelectorStore";
    let rows = [
        (case.clone().release(36), format!("multiple HPAs: [{all}]")),
        (
            case.clone().release(37),
            "more than one HPA (e.g. [default/api default/web])".to_owned(),
        ),
        (
            case.clone().release(38),
            "more than one HPA (e.g. [default/api default/web])".to_owned(),
        ),
        (
            case.clone().release(37).gate(gate, false),
            format!("more than one HPA (e.g. [{all}])"),
        ),
        (
            case.release(36).gate(gate, false),
            format!("multiple HPAs: [{all}]"),
        ),
    ];
    for (number, (case, end)) in rows.iter().enumerate() {
        let events = case.run().events();
        let event = events
            .iter()
            .find(|event| event.starts_with("AmbiguousSelector"));
        let event = event.unwrap_or_else(|| panic!("row {number}: {events:?}"));
        assert!(event.ends_with(end.as_str()), "row {number}: {event}");
    }
}

/// k/k#141305, k/k#138510: a number that is too large is the largest.
#[test]
fn thousandths_are_exact_since_1_38() {
    let rows = [
        ("9E", 0, i64::MAX),
        ("10P", 0, i64::MAX),
        ("12345678901234567890", 4_807_115_922_877_858_896, i64::MAX),
        ("-1.0005000000000000000", -999, -1001),
        ("9300000000000000", -9_146_744_073_709_551_616, i64::MAX),
        ("-9300000000000000", 9_146_744_073_709_551_616, i64::MIN),
        ("9223372036854775807m", i64::MAX, i64::MAX),
        ("1e2000000000", 0, i64::MAX),
        ("100000001n", 101, 101),
        ("-1n", -1, -1),
        ("1Gi", 1_073_741_824_000, 1_073_741_824_000),
        ("0", 0, 0),
    ];
    for (text, up_to_1_37, since) in rows {
        let quantity: Quantity = text.parse().expect(text);
        let both = (quantity.milli_value(), quantity.exact_milli_value());
        assert_eq!(both, (up_to_1_37, since), "{text}");
    }
    assert_eq!(rows.len(), 12);
    let case = Case::new().bounds(1, 30).replicas(3);
    let case = case.external_average("queue", "1", &["9E"]);
    let sizes = [37, 38].map(|release| case.clone().release(release).run().size());
    assert_eq!(sizes, [1, 6]);
}

/// k/k#140459.
#[test]
fn quantities_beyond_the_suffixes_print_in_full_since_1_38() {
    let rows = [
        ("1000E", "1", "1e21"),
        ("12000000E", "12", "12e24"),
        ("1e21", "1e21", "1e21"),
        ("1000m", "1", "1"),
        ("999E", "999E", "999E"),
    ];
    for (text, up_to_1_37, since) in rows {
        let quantity: Quantity = text.parse().expect(text);
        let both = (quantity.to_string(), quantity.printed_in_full());
        assert_eq!(both, (up_to_1_37.to_owned(), since.to_owned()), "{text}");
    }
    assert_eq!(rows.len(), 5);
}

/// k/k#142192, for averages over pods.
#[test]
fn an_average_beyond_64_bits_does_not_wrap_since_1_38() {
    let most = "4611686018427387904m";
    let case = Case::new().bounds(1, 9).replicas(2).pods(2, &cpu(0, 0));
    let case = case.pods_metric("queue", "1", &[("pod-0", most), ("pod-1", most)]);
    let passes = [37, 38].map(|release| case.clone().release(release).run());
    assert_eq!(passes[0].shown()["averageValue"], "-4611686018427387904m");
    assert_eq!(passes[1].shown()["averageValue"], most);
    assert_eq!((passes[1].proposal(), passes[1].size()), (i32::MAX, 4));
}

/// k/k#138228: the status names the generation of the spec that it is about,
/// but for a pass that could not read the scale: that one leaves it.
#[test]
fn a_status_of_an_older_generation_is_none_of_the_present_spec() {
    let rows = [
        (Some(4), Some(4), "ReadyForNewScale", [false, false]),
        (Some(5), Some(4), "ReadyForNewScale", [true, true]),
        (Some(5), Some(4), "FailedGetScale", [true, false]),
        // Up to 1.36, and with the gate off, nothing is said.
        (Some(5), None, "ReadyForNewScale", [false, false]),
        (None, None, "ReadyForNewScale", [false, false]),
    ];
    let hpa = "/horizontalPodAutoscaler";
    for (number, (generation, observed, reason, [status, pass])) in rows.iter().enumerate() {
        let able =
            json!([{"type": "AbleToScale", "status": "True", "reason": reason, "message": ""}]);
        let case = Case::new().release(37).replicas(3).wants(3);
        let case = case
            .set(&format!("{hpa}/metadata/generation"), json!(generation))
            .set(&format!("{hpa}/status/observedGeneration"), json!(observed))
            .set(&format!("{hpa}/status/conditions"), able);
        let snapshot = case.snapshot();
        let read = &snapshot.hpa;
        let told = [read.is_status_of_older_spec(), read.is_pass_of_older_spec()];
        assert_eq!(told, [*status, *pass], "row {number}");
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let now = snapshot.captured_at;
        let trace = history::explain(&snapshot, &settings, now, &Observer::default());
        let check = trace.check.expect("a comparison");
        assert_eq!(check.says == "the spec changed", *pass, "row {number}");
    }
    assert_eq!(rows.len(), 5);
}

/// k/k#138228: with the gate off an edit waits for the next pass.
#[test]
fn the_gate_of_generations_is_locked_since_1_38() {
    let on = |release, gate: Option<bool>| {
        let case = Case::new().release(release);
        let case = match gate {
            Some(on) => case.gate("HPAGeneration", on),
            None => case,
        };
        Settings::resolve(&case.snapshot(), &Overrides::default())
            .gates
            .generation
    };
    let rows = [
        (36, [false, false, false]),
        (37, [true, false, true]),
        (38, [true, true, true]),
    ];
    for (release, expected) in rows {
        let gates = [None, Some(false), Some(true)];
        assert_eq!(gates.map(|gate| on(release, gate)), expected, "{release}");
    }
}

/// What is derived says so, and what is measured does not.
#[test]
fn rules_of_pull_requests_are_marked_as_derived() {
    let derived = |release| {
        let settings = Settings::resolve(
            &Case::new().release(release).snapshot(),
            &Overrides::default(),
        );
        settings.basis().release.derived.len()
    };
    assert_eq!([36, 37, 38, 39].map(derived), [0, 0, 6, 6]);
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
