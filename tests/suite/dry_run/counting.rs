//! Which pods count where inputs are altered: those that the controller counts,
//! metric by metric.

use hpa_explain::controller::{Overrides, Prepared, Settings, Trial, WhatIf};
use hpa_explain::what_if::{Given, InputsError, Level};
use serde_json::json;

use super::what_ifs::{amount, given_error};
use super::{compare_with, other};
use crate::support::build::Case;
use crate::support::pod::{Pod, container, cpu, memory};

/// What each metric asks for under the inputs as they are altered.
fn asked(case: &Case, given: &Given) -> Vec<Option<i32>> {
    let snapshot = case.snapshot();
    let spec = snapshot.hpa.spec.clone();
    let compared = compare_with(&snapshot, &spec, given);
    let metrics = other(&compared).trace.metrics.iter();
    metrics
        .map(|metric| metric.proposed().map(|it| it.replicas))
        .collect()
}

fn size(replicas: i32) -> Given {
    Given {
        replicas: Some(replicas),
        ..Given::default()
    }
}

fn level(name: &str, level: Level) -> Given {
    Given {
        metrics: vec![(name.to_owned(), level)],
        ..Given::default()
    }
}

/// Not Ready for an hour, and Ready before: cpu counts it.
fn was_ready(pod: Pod) -> Pod {
    pod.ready("False", 3_600.0)
}

fn web(count: usize, pod: &Pod) -> Case {
    let replicas = i32::try_from(count).expect("a size");
    Case::new().replicas(replicas).cpu(50).pods(count, pod)
}

/// The target's own pods beside one of another Deployment.
fn with_foreign() -> Case {
    let own = cpu(300, 400).owned_by("ReplicaSet", "web-1");
    let labels = |hash: &str| json!({"app": "web", "pod-template-hash": hash});
    let foreign = cpu(100, 400).owned_by("ReplicaSet", "canary-2");
    web(4, &own.labels(labels("1"))).pod("canary", foreign.labels(labels("2")))
}

#[test]
fn pods_count_as_the_controller_counts_them() {
    let unready = || web(4, &was_ready(cpu(300, 400)));
    let last = || {
        let case = web(3, &cpu(300, 400)).replicas(4);
        case.pod("last", was_ready(cpu(300, 400)))
    };
    let uneven = || {
        let case = web(2, &cpu(100, 400)).replicas(3);
        case.pod("last", cpu(400, 400))
    };
    let starting = || {
        let case = web(3, &cpu(300, 400)).replicas(4);
        case.pod("last", cpu(300, 400).starting())
    };
    let pair = || {
        let pod = Pod::of(vec![
            container("app").uses("cpu", "300m").requests("cpu", "400m"),
            container("proxy")
                .uses("cpu", "10m")
                .requests("cpu", "100m"),
        ]);
        web(4, &pod).container_cpu("app", 50)
    };
    let queue = || Case::new().external_average("queue", "30", &["90"]);
    let missing = Given {
        missing: 1,
        ..Given::default()
    };
    let unset = Given {
        unready: 1,
        ..Given::default()
    };
    let rows: [(&str, Case, Given, &[Option<i32>]); 20] = [
        ("as it is", unready(), Given::default(), &[Some(6)]),
        ("fewer", unready(), size(3), &[Some(6)]),
        ("more", unready(), size(8), &[Some(6)]),
        (
            "one without a sample",
            unready(),
            missing.clone(),
            &[Some(5)],
        ),
        (
            "one not ready since its start",
            unready(),
            unset,
            &[Some(5)],
        ),
        ("the last one is not Ready", last(), size(3), &[Some(6)]),
        ("nor does it come twice", last(), size(8), &[Some(6)]),
        ("what goes used more", uneven(), size(2), &[Some(3)]),
        ("what goes used less", uneven(), size(1), &[Some(3)]),
        ("what goes did not count", starting(), size(3), &[Some(5)]),
        ("two of three that count", starting(), size(2), &[Some(5)]),
        (
            "a container beside the pod",
            pair(),
            size(8),
            &[Some(5), Some(6)],
        ),
        ("the same, fewer", pair(), size(3), &[Some(5), Some(6)]),
        (
            "of others nothing goes",
            with_foreign(),
            size(4),
            &[Some(7)],
        ),
        (
            "nor does it with fewer",
            with_foreign(),
            size(2),
            &[Some(7)],
        ),
        ("nor does it change", with_foreign(), size(8), &[Some(7)]),
        ("no metric looks at pods", queue(), size(2), &[Some(3)]),
        (
            "memory is held by each pod",
            Case::new()
                .replicas(4)
                .memory(50)
                .pods(4, &memory("300Mi", "400Mi")),
            size(8),
            &[Some(12)],
        ),
        ("huge pages are, too", huge_pages(), size(8), &[Some(12)]),
        (
            "each metric has its own pods",
            // Of cpu the last one does not count, of memory it does.
            both(),
            missing,
            &[Some(4), Some(9)],
        ),
    ];
    for (what, case, given, want) in &rows {
        assert_eq!(asked(case, given), *want, "{what}");
    }
    assert_eq!(rows.len(), 20);
}

/// Three pods, and one that starts: of cpu it does not count yet.
fn both() -> Case {
    let app = container("app").uses("cpu", "300m").uses("memory", "300Mi");
    let pod = Pod::of(vec![app.requests("cpu", "400m")]);
    let case = web(3, &pod).replicas(4).memory_average("100Mi");
    case.pod("last", pod.starting())
}

fn huge_pages() -> Case {
    let pod = container("app").uses("hugepages-2Mi", "300Mi");
    let pod = Pod::of(vec![pod.requests("hugepages-2Mi", "400Mi")]);
    let target = json!({"type": "Utilization", "averageUtilization": 50});
    let metric = json!({"name": "hugepages-2Mi", "target": target});
    Case::new()
        .replicas(4)
        .metric(json!({"type": "Resource", "resource": metric}))
        .pods(4, &pod)
}

/// At every size the pass on altered inputs asks for what the resting points
/// are found by.
#[test]
fn another_size_is_what_a_resting_point_is_tried_at() {
    let of_pods: [(&str, &str); 3] = [("pod-0", "7"), ("pod-1", "11"), ("pod-2", "30")];
    let three = |case: Case| {
        let case = case
            .replicas(3)
            .pods(1, &cpu(90, 400))
            .pods(1, &cpu(170, 400));
        case.pods(1, &was_ready(cpu(333, 400)))
    };
    let rows = [
        three(Case::new().cpu(50)),
        three(Case::new().cpu_average("130m")),
        three(Case::new().pods_metric("requests", "9", &of_pods)),
        three(Case::new().container_cpu("app", 37)),
        three(Case::new().external_average("queue", "30", &["95"])),
        Case::new()
            .replicas(3)
            .cpu(50)
            .pods(3, &was_ready(cpu(200, 400))),
        with_foreign(),
    ];
    let mut compared = 0;
    for case in &rows {
        let snapshot = case.snapshot();
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let prepared = Prepared::new(&snapshot, &settings);
        let now = snapshot.captured_at.as_nanosecond();
        let foreign = ["canary"].into_iter().collect();
        let what_if = WhatIf::new(&prepared, &settings, now, &foreign).expect("a scale");
        for replicas in 1..=12 {
            let tried = what_if.at_size(replicas).expect("a size");
            let tried = tried.metric(0).and_then(Trial::ask);
            let tried = tried.map(|it| it.replicas);
            assert_eq!(
                asked(case, &size(replicas)),
                [tried],
                "{replicas}: {case:?}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 84);
}

/// Container `app` requests 200m, the pod 800m.
fn pod_level() -> Pod {
    let app = container("app").uses("cpu", "10m").requests("cpu", "200m");
    Pod::of(vec![app, container("proxy").uses("cpu", "10m")]).pod_level("cpu", "800m")
}

#[test]
fn a_percentage_is_one_of_what_the_controller_takes_for_the_request() {
    let half = level("cpu", Level::Percent(100));
    let case = || Case::new().replicas(4);
    let two = Pod::of(vec![
        container("app").uses("cpu", "1m").requests("cpu", "150m"),
        container("proxy").uses("cpu", "1m").requests("cpu", "51m"),
    ]);
    let rows: [(&str, Case, &[Option<i32>]); 5] = [
        (
            "of the container's own",
            case().container_cpu("app", 50).pods(4, &pod_level()),
            &[Some(8)],
        ),
        (
            "of the pod's",
            case().cpu(50).pods(4, &pod_level()),
            &[Some(8)],
        ),
        (
            "of all containers'",
            case().cpu(50).container_cpu("app", 50).pods(4, &two),
            &[Some(8), Some(8)],
        ),
        (
            "of the pod's in a release that knows none",
            case()
                .release(33)
                .container_cpu("app", 50)
                .pods(4, &pod_level()),
            &[Some(8)],
        ),
        (
            "of an average, where each pod requests something",
            case().cpu_average("100m").pods(4, &two),
            &[Some(9)],
        ),
    ];
    for (what, case, want) in &rows {
        assert_eq!(asked(case, &half), *want, "{what}");
    }
    assert_eq!(rows.len(), 5);
}

/// An External metric whose selector has an operator that does not exist.
fn unaskable() -> Case {
    let selector = json!({"matchExpressions": [{"key": "a", "operator": "Near", "values": ["b"]}]});
    let target = json!({"type": "AverageValue", "averageValue": "30"});
    let source = json!({"metric": {"name": "queue", "selector": selector}, "target": target});
    Case::new()
        .replicas(4)
        .metric(json!({"type": "External", "external": source}))
}

#[test]
fn what_cannot_be_given_is_said() {
    let no_question = InputsError::NoQuestion {
        name: "queue".to_owned(),
        why: "\"Near\" is not a valid label selector operator".to_owned(),
    };
    let no_request = InputsError::NoRequest {
        name: "cpu".to_owned(),
        pod: "pod-0".to_owned(),
    };
    let bare = Pod::of(vec![container("app").uses("cpu", "10m")]);
    let average = Case::new().replicas(1).cpu_average("100m").pods(1, &bare);
    let pending = web(2, &cpu(300, 400).pending());
    let rows = [
        (unaskable(), level("queue", amount("900")), no_question),
        (average, level("cpu", Level::Percent(80)), no_request),
        (pending, size(3), InputsError::NoPod),
    ];
    for (case, given, want) in &rows {
        assert_eq!(given_error(&case.snapshot(), given), *want, "{given:?}");
    }
    assert_eq!(rows.len(), 3);
}

/// The candidate mends the selector: there the value counts.
#[test]
fn a_value_that_one_side_can_take_is_given_to_it() {
    let mended = Case::new().external_average("queue", "30", &[]);
    let spec = mended.snapshot().hpa.spec;
    let given = level("queue", amount("900"));
    let compared = compare_with(&unaskable().snapshot(), &spec, &given);
    let proposed = other(&compared).trace.metrics[0].proposed();
    assert_eq!(proposed.map(|it| it.replicas), Some(30));
}

/// A namespace is asked for under the HPA's own name for it.
#[test]
fn a_metric_of_a_namespace_is_found() {
    let case = Case::new()
        .replicas(4)
        .object_average(("Namespace", "elsewhere"), "30", "60")
        .set("/metrics/custom", json!([]));
    let given = level("requests", amount("900"));
    assert_eq!(asked(&case, &Given::default()), [None]);
    assert_eq!(asked(&case, &given), [Some(30)]);
}
