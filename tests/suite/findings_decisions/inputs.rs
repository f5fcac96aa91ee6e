//! Findings about the metrics, the limits and the spec: what fires each, and
//! the nearest that does not, on both sides of each edge.

use hpa_explain::trace::{Code, Severity};
use serde_json::{Value, json};

use super::{LONG_AGO, MINUTE_AGO, TWO_MINUTES_AGO, explained, found, hold, row};
use crate::support::build::Case;
use crate::support::pod::{Container, Pod, container, cpu, memory};

fn requesting(resource: &str, request: &str, limit: &str) -> Container {
    container("app")
        .uses(resource, "10m")
        .requests(resource, request)
        .limits(resource, limit)
}

/// Two pods of these containers.
fn two(containers: Vec<Container>) -> Case {
    Case::new().replicas(2).pods(2, &Pod::of(containers))
}

fn limited(limit: &str) -> Case {
    two(vec![requesting("cpu", "100m", limit)])
}

#[test]
fn targets_above_the_limit() {
    let memory = |limit: &str| two(vec![requesting("memory", "100Mi", limit)]);
    let beside = |proxy: Container| two(vec![requesting("cpu", "100m", "100m"), proxy]);
    let proxy = || container("proxy").uses("cpu", "1m").requests("cpu", "100m");
    let tolerant = |case: Case, tolerance: &str| {
        let rules = json!({"scaleUp": {"tolerance": tolerance}});
        case.gate("HPAConfigurableTolerance", true).behavior(rules)
    };
    let code = Code::TargetAboveLimit;
    let rows = [
        row(
            code,
            Severity::Warning,
            "cpu never asks for more pods: the limit caps it at 200%, and the target is 300%",
            limited("200m").cpu(300),
            limited("200m").cpu(181),
        ),
        row(
            code,
            Severity::Warning,
            "cpu never asks for more pods: the limit caps it at 200%, and the target is 182%",
            limited("200m").cpu(182),
            limited("201m").cpu(182),
        ),
        // The edge of the tolerance is inside from 1.33 on, and not before.
        row(
            code,
            Severity::Warning,
            "cpu never asks for more pods: the limit caps it at 110%, and the target is 100%",
            limited("110m").cpu(100).release(33),
            limited("110m").cpu(100).release(32),
        ),
        row(
            code,
            Severity::Warning,
            "cpu never asks for more pods: the limit caps it at 140%, and the target is 100%",
            tolerant(limited("140m").cpu(100), "0.5"),
            tolerant(limited("140m").cpu(100), "0.3"),
        ),
        row(
            code,
            Severity::Warning,
            "memory never asks for more pods: the limit caps it at 100%, and the target is 91%",
            memory("100Mi").memory(91),
            memory("100Mi").memory(90),
        ),
        row(
            code,
            Severity::Warning,
            "cpu never asks for more pods: the limit caps it at 100%, and the target is 95%",
            beside(proxy().limits("cpu", "100m")).cpu(95),
            beside(proxy()).cpu(95),
        ),
        row(
            code,
            Severity::Warning,
            "cpu never asks for more pods: the limit caps it at 550m, and the target is 500m",
            limited("550m").cpu_average("500m"),
            limited("551m").cpu_average("500m"),
        ),
        row(
            code,
            Severity::Warning,
            "cpu of container app never asks for more pods: the limit caps it at 100%, and the \
             target is 95%",
            beside(proxy()).container_cpu("app", 95),
            beside(proxy()).container_cpu("proxy", 95),
        ),
        row(
            code,
            Severity::Warning,
            "cpu never asks for more pods: the limit caps it at 100%, and the target is 95%",
            two(vec![proxy()])
                .cpu(95)
                .set("/pods/0/spec/resources", json!({"limits": {"cpu": "100m"}}))
                .set("/pods/1/spec/resources", json!({"limits": {"cpu": "100m"}})),
            two(vec![proxy()])
                .cpu(95)
                .set("/pods/0/spec/resources", json!({"limits": {"cpu": "100m"}})),
        ),
    ];
    hold(&rows, 9);
}

#[test]
fn one_pod_that_is_not_like_the_others() {
    let eight = |others: u32, hot: u32| {
        Case::new()
            .replicas(8)
            .pods(7, &cpu(others, 500))
            .pod("hot", cpu(hot, 500))
            .cpu(60)
    };
    let young = |started: f64| {
        Case::new()
            .replicas(8)
            .pods(7, &cpu(300, 500))
            .pod(
                "hot",
                cpu(2500, 500)
                    .started(started)
                    .ready("True", started - 20.0),
            )
            .cpu(60)
    };
    let pending = |others: u32| {
        Case::new()
            .replicas(8)
            .pods(4, &cpu(others, 500))
            .pods(3, &cpu(0, 500).pending())
            .pod("hot", cpu(4000, 500))
            .cpu(60)
    };
    let few = |others: usize| {
        let size = i32::try_from(others + 1).expect("a few pods");
        Case::new()
            .replicas(size)
            .pods(others, &cpu(50, 100))
            .pod("hot", cpu(200, 100))
            .cpu(60)
    };
    let custom = |hot: &str| {
        let values = [
            ("pod-0", "10"),
            ("pod-1", "10"),
            ("pod-2", "10"),
            ("hot", hot),
        ];
        Case::new()
            .replicas(4)
            .pods(3, &cpu(1, 100))
            .pod("hot", cpu(1, 100))
            .pods_metric("rps", "10", &values)
    };
    let hot = |says, case, other| row(Code::OneHotPod, Severity::Warning, says, case, other);
    let twice = "pod hot uses 600m cpu, the other 7 use 300m on average; without it the metrics ask \
                 for 8, not 9";
    let rows = [
        hot(
            "pod hot uses 2500m cpu, the other 7 use 300m on average; without it the metrics ask for \
             8, not 16",
            eight(300, 2500),
            eight(300, 2500).wants(12),
        ),
        hot(twice, eight(300, 600), eight(300, 599)),
        // The others alone are inside the tolerance, or ask for more.
        hot(
            "pod hot uses 2500m cpu, the other 7 use 330m on average; without it the metrics ask for \
             8, not 16",
            eight(330, 2500),
            eight(335, 2500),
        ),
        hot(
            "pod hot uses 2500m cpu, the other 7 use 300m on average; without it the metrics ask for \
             8, not 16",
            young(300.0),
            young(299.0),
        ),
        // That others do not start yet does not make theirs a small load.
        hot(
            "pod hot uses 4 cpu, the other 4 use 330m on average; without it the metrics ask for \
             8, not 18",
            pending(330),
            pending(335),
        ),
        hot(
            "pod hot uses 200m cpu, the other 2 use 50m on average; without it the metrics ask for 2, \
             not 5",
            few(2),
            few(1),
        ),
        hot(
            "pod hot uses 40 rps, the other 3 use 10 on average; without it the metrics ask for 4, \
             not 7",
            custom("40"),
            custom("19"),
        ),
    ];
    hold(&rows, 7);
}

#[test]
fn pods_that_use_little_at_max() {
    let at_max = |used: u32| {
        Case::new()
            .bounds(2, 15)
            .replicas(15)
            .pods(15, &cpu(used, 500))
            .cpu(10)
    };
    let uneven = |most: u32| {
        Case::new()
            .bounds(2, 15)
            .replicas(15)
            .pods(14, &cpu(100, 500))
            .pod("other", cpu(most, 500))
            .cpu(10)
    };
    let scaled = |at: &str| at_max(120).set("/horizontalPodAutoscaler/status/lastScaleTime", at);
    let code = Code::IdleAboveTarget;
    let rows = [
        row(
            code,
            Severity::Warning,
            "all 15 pods use about 24% of their cpu request (target 10%); if idle pods use as much, \
             the size stays at maxReplicas 15",
            at_max(120),
            at_max(120).bounds(2, 16),
        ),
        row(
            code,
            Severity::Warning,
            "all 15 pods use about 49% of their cpu request (target 10%); if idle pods use as much, \
             the size stays at maxReplicas 15",
            at_max(249),
            at_max(250),
        ),
        row(
            code,
            Severity::Warning,
            "all 15 pods use about 20% of their cpu request (target 10%); if idle pods use as much, \
             the size stays at maxReplicas 15",
            uneven(125),
            uneven(126),
        ),
        row(
            code,
            Severity::Warning,
            "all 15 pods use about 24% of their cpu request (target 10%); if idle pods use as much, \
             the size stays at maxReplicas 15",
            scaled("2026-03-01T11:55:00Z"),
            scaled("2026-03-01T11:55:01Z"),
        ),
    ];
    hold(&rows, 4);
}

#[test]
fn metrics_below_zero() {
    let at_max = |release: u32, values: &[&str]| {
        Case::new()
            .release(release)
            .bounds(2, 20)
            .replicas(20)
            .external_average("queue", "10", values)
    };
    let object = |value: &str| {
        Case::new()
            .replicas(3)
            .object_average(("Service", "web"), "10", value)
    };
    let value = |value: &str| {
        Case::new()
            .replicas(3)
            .pods(3, &cpu(1, 100))
            .external_value("queue", "10", &[value])
    };
    let pods = |value: &str| {
        let values = [("pod-0", value), ("pod-1", value), ("pod-2", value)];
        Case::new()
            .release(30)
            .replicas(3)
            .pods(3, &cpu(1, 100))
            .pods_metric("rps", "10", &values)
    };
    let beside = |value: &str| {
        Case::new()
            .release(33)
            .replicas(3)
            .pods(3, &cpu(60, 100))
            .cpu(60)
            .external_average("queue", "10", &[value])
    };
    let code = Code::NegativeMetric;
    let rows = [
        row(
            code,
            Severity::Error,
            "queue is -5: from Kubernetes 1.34 on, a sum below 0 counts as the largest number and \
             asks for 2147483647",
            at_max(36, &["-5"]),
            at_max(36, &["0"]),
        ),
        row(
            code,
            Severity::Error,
            "queue is -0.001: from Kubernetes 1.34 on, a sum below 0 counts as the largest number \
             and asks for 2147483647",
            at_max(34, &["-1m"]),
            at_max(34, &["1m"]),
        ),
        row(
            code,
            Severity::Error,
            "queue is 95: from Kubernetes 1.34 on, a sum below 0 after some of its series counts as \
             the largest number and asks for 2147483647",
            at_max(36, &["-5", "100"]),
            at_max(36, &["100", "-5"]),
        ),
        row(
            code,
            Severity::Warning,
            "queue is -5; a metric below 0 asks for 0, which leads to minReplicas 2",
            at_max(33, &["-5"]),
            at_max(33, &["5"]),
        ),
        row(
            code,
            Severity::Warning,
            "queue is -5; a metric below 0 asks for 0, which leads to minReplicas 1",
            value("-5"),
            value("0"),
        ),
        row(
            code,
            Severity::Warning,
            "requests of Service/web is -5; a metric below 0 asks for 0, which leads to \
             minReplicas 1",
            object("-5"),
            object("0"),
        ),
        // Too much to add up is not below 0.
        row(
            code,
            Severity::Warning,
            "rps is -1; a metric below 0 asks for 0, which leads to minReplicas 1",
            pods("-1"),
            pods("9000000000000000"),
        ),
        // The largest proposal counts.
        row(
            code,
            Severity::Warning,
            "queue is -5; a metric below 0 asks for 0, but cpu asks for 3",
            beside("-5"),
            beside("5"),
        ),
    ];
    hold(&rows, 8);
}

#[test]
fn the_spec_alone() {
    let case = || Case::new().replicas(5).pods(5, &cpu(60, 100)).cpu(60);
    let queue = |target: &str| {
        Case::new()
            .external_average("queue", "5", &["5"])
            .external_average("queue", target, &["5"])
    };
    let selecting = |label: &str| {
        let selector = json!({"matchLabels": {"queue": label}});
        queue("9").set(
            "/horizontalPodAutoscaler/spec/metrics/1/external/metric/selector",
            selector,
        )
    };
    let rows = [
        row(
            Code::FixedSize,
            Severity::Warning,
            "minReplicas and maxReplicas are both 5, so the size cannot change",
            case().bounds(5, 5),
            case().bounds(5, 6),
        ),
        row(
            Code::FixedSize,
            Severity::Warning,
            "minReplicas and maxReplicas are both 1, so the size cannot change",
            case().bounds(1, 1),
            case().bounds(0, 1),
        ),
        row(
            Code::FixedSize,
            Severity::Warning,
            "minReplicas and maxReplicas are both 9, so the size cannot change",
            case().bounds(9, 9),
            case().bounds(8, 9),
        ),
        row(
            Code::MetricTwice,
            Severity::Warning,
            "cpu is listed twice, with targets 60% and 80%; only the larger proposal counts",
            case().cpu(80),
            case().cpu_average("80m"),
        ),
        row(
            Code::MetricTwice,
            Severity::Warning,
            "cpu is listed twice with the same target, 60%",
            case().cpu(60),
            case().container_cpu("app", 60),
        ),
        row(
            Code::MetricTwice,
            Severity::Warning,
            "queue is listed twice, with targets 5 and 9; only the larger proposal counts",
            queue("9"),
            selecting("orders"),
        ),
        row(
            Code::MetricTwice,
            Severity::Warning,
            "cpu is listed twice, with targets 50% and 70%; only the larger proposal counts",
            case().container_cpu("app", 50).container_cpu("app", 70),
            case().container_cpu("app", 50),
        ),
    ];
    hold(&rows, 7);
}

#[test]
fn periods_below_the_sync_period() {
    let case = || Case::new().replicas(5).pods(5, &cpu(60, 100)).cpu(60);
    let policy = |period: i32| {
        let policies = json!([{"type": "Pods", "value": 4, "periodSeconds": period}]);
        let rules = json!({"scaleUp": {"policies": policies}});
        case().behavior(rules).flag("syncPeriodSeconds", 60)
    };
    let down_by = |pods: i32, period: i32| {
        let policies = json!([{"type": "Pods", "value": pods, "periodSeconds": period}]);
        let up = json!([{"type": "Pods", "value": 4, "periodSeconds": 60}]);
        let rules = json!({"scaleDown": {"policies": policies}, "scaleUp": {"policies": up}});
        case().behavior(rules).flag("syncPeriodSeconds", 60)
    };
    let window = |seconds: i32| {
        let rules = json!({"scaleUp": {"stabilizationWindowSeconds": seconds,
            "policies": [{"type": "Pods", "value": 4, "periodSeconds": 60}]}});
        case().behavior(rules).flag("syncPeriodSeconds", 60)
    };
    let rows = [
        row(
            Code::ShortPeriod,
            Severity::Warning,
            "scaleUp policy Pods 4 per 15s allows that much per 60s, because the controller \
             runs every 60s",
            policy(15),
            policy(15).flag("syncPeriodSeconds", 15),
        ),
        row(
            Code::ShortPeriod,
            Severity::Info,
            "scaleUp policy Pods 4 per 16s allows that much per 60s, because the controller \
             runs every 60s",
            policy(16),
            policy(60),
        ),
        row(
            Code::ShortPeriod,
            Severity::Info,
            "scaleDown policy Pods 4 per 30s allows that much per 60s, because the controller \
             runs every 60s",
            down_by(4, 30),
            down_by(4, 60),
        ),
        row(
            Code::ShortPeriod,
            Severity::Warning,
            "scaleUp window of 60s has no effect: the controller runs every 60s, so its previous \
             recommendation is already outside the window",
            window(60),
            window(61),
        ),
    ];
    hold(&rows, 4);
}

#[test]
fn an_hpa_that_is_deleted() {
    let case = || Case::new().replicas(5).pods(5, &cpu(60, 100)).cpu(60);
    let deleted = |at: &str| {
        let place = "/horizontalPodAutoscaler/metadata/deletionTimestamp";
        case().set(place, at)
    };
    let rows = [
        (MINUTE_AGO, "1m"),
        (TWO_MINUTES_AGO, "2m"),
        (LONG_AGO, "4h"),
    ]
    .map(|(at, ago)| {
        let finding = found(&deleted(at), Code::HpaDeleted).expect("a finding");
        assert_eq!(
            finding.message,
            format!(
                "the HPA was deleted {ago} ago and works only until its finalizers are removed; then \
                 nothing changes the size"
            )
        );
    });
    assert_eq!(found(&case(), Code::HpaDeleted), None);
    assert_eq!(rows.len(), 3);
}

/// What one metric would propose is its own, and what counts stands beside it
/// where that is another one's.
#[test]
fn one_metric_that_proposes_something_else() {
    let whole = |others: &str| {
        Case::new()
            .bounds(1, 30)
            .replicas(6)
            .pods(6, &cpu(1, 100))
            .external_average("queue", "1", &[others])
            .object_value(("Service", "web"), "5", "9")
    };
    let resting = |queue: &str| {
        Case::new()
            .replicas(4)
            .pods(4, &cpu(62, 100))
            .cpu(60)
            .external_average("queue", "1", &[queue])
    };
    let held = |queue: &str| {
        Case::new()
            .replicas(4)
            .pods(4, &memory("90Mi", "100Mi"))
            .memory(90)
            .external_average("queue", "1", &[queue])
    };
    let silent = |queue: &str| {
        Case::new()
            .replicas(4)
            .pods(3, &cpu(75, 100))
            .pod("late", cpu(0, 100).pending())
            .cpu(65)
            .external_average("queue", "1", &[queue])
    };
    let runs = "requests is at 9, and its target 5 has type Value; unless it falls as pods are added, the size \
                goes to maxReplicas 30; an AverageValue asks for ";
    let rows: [(Case, Code, String); 8] = [
        (
            whole("8"),
            Code::ValueForAverage,
            format!("{runs}2, but queue asks for 8"),
        ),
        (
            whole("3"),
            Code::ValueForAverage,
            format!("{runs}2, but queue asks for 3"),
        ),
        (whole("2"), Code::ValueForAverage, format!("{runs}2")),
        (whole("1"), Code::ValueForAverage, format!("{runs}2")),
        (resting("3"), Code::WithinTolerance, "asks for 3".to_owned()),
        (resting("2"), Code::WithinTolerance, "asks for 3".to_owned()),
        (
            held("3"),
            Code::MemoryCannotFall,
            "at 67% or less it asks for 3".to_owned(),
        ),
        (
            silent("1"),
            Code::Dampened,
            "cpu would ask for 5".to_owned(),
        ),
    ];
    for (case, code, says) in &rows {
        let finding = found(case, *code);
        let finding = finding.unwrap_or_else(|| panic!("{code}: {:#?}", explained(case).findings));
        let facts = finding.evidence.iter().map(|fact| fact.says.as_str());
        let texts: Vec<&str> = facts.chain([finding.message.as_str()]).collect();
        assert!(texts.contains(&says.as_str()), "{code}: {says}: {texts:#?}");
    }
    assert_eq!(rows.len(), 8);
}

/// A number that overflows asks for too few pods, Ready or not.
#[test]
fn an_overflow_is_no_collapse_of_readiness() {
    let case = |value: &str, ready: usize| {
        Case::new()
            .release(28)
            .replicas(10)
            .pods(ready, &cpu(1, 100))
            .pods(10 - ready, &cpu(1, 100).ready("False", 60.0))
            .external_value("queue", "1m", &[value])
    };
    let rows: [(Case, bool); 5] = [
        (case("9000000000", 9), false),
        (case("5m", 1), true),
        (case("10m", 1), false),
        (case("9m", 1), true),
        (case("900000000000", 1), false),
    ];
    for (case, is_found) in &rows {
        let proposal = explained(case).recommended();
        let finding = found(case, Code::ReadinessCollapse);
        assert_eq!(finding.is_some(), *is_found, "{proposal:?} {finding:#?}");
    }
    // They do overflow.
    assert!(explained(&rows[0].0).recommended() < Some(10));
    assert_eq!(rows.len(), 5);
}

/// The pods of a canary and of a stable version have one average.
#[test]
fn replica_sets_on_both_sides_of_the_target() {
    let canary = |used: u32, stable: u32, name: &str| {
        let of = |used, name: &str| cpu(used, 100).owned_by("ReplicaSet", name);
        Case::new()
            .replicas(4)
            .pods(3, &of(stable, "web-1"))
            .pod("canary", of(used, name))
            .cpu(60)
    };
    let hot = |says, case, other| row(Code::HotReplicaSet, Severity::Warning, says, case, other);
    let rows = [
        hot(
            "cpu is at 190% in the 1 pod of ReplicaSet/web-2 but at 10% in the 3 pods of \
             ReplicaSet/web-1 (target 60%); the average of 55% hides that",
            canary(190, 10, "web-2"),
            canary(190, 10, "web-1"),
        ),
        // Inside the tolerance nobody is above, or below.
        hot(
            "cpu is at 67% in the 1 pod of ReplicaSet/web-2 but at 53% in the 3 pods of \
             ReplicaSet/web-1 (target 60%); the average of 56% hides that",
            canary(67, 53, "web-2"),
            canary(66, 53, "web-2"),
        ),
        hot(
            "cpu is at 190% in the 1 pod of ReplicaSet/web-2 but at 53% in the 3 pods of \
             ReplicaSet/web-1 (target 60%); the average of 87% hides that",
            canary(190, 53, "web-2"),
            canary(190, 54, "web-2"),
        ),
    ];
    hold(&rows, 3);
}

/// One average covers pods that differ much.
#[test]
fn pods_that_differ() {
    let with = |used| {
        let case = Case::new().replicas(4).pods(3, &cpu(45, 100));
        case.pod("hot", cpu(used, 100)).cpu(60)
    };
    let uneven = |says, case, other| row(Code::UnevenPods, Severity::Info, says, case, other);
    let rows = [uneven(
        "cpu differs between the pods, from 45% to 90% (hot), with a median of 45%",
        with(90),
        with(89),
    )];
    hold(&rows, 1);
}

/// A pod that crashes counts with its last sample.
#[test]
fn pods_that_crash_and_count() {
    let waiting = |reason| {
        let status =
            json!([{"name": "app", "restartCount": 14, "state": {"waiting": {"reason": reason}}}]);
        let case = Case::new().replicas(2).pods(2, &cpu(60, 100)).cpu(60);
        case.set("/pods/1/status/containerStatuses", status)
    };
    let rows = [row(
        Code::CrashLoop,
        Severity::Warning,
        "1 of 2 pods (pod-1) counts although it crashes repeatedly: container app: \
         CrashLoopBackOff, 14 restarts",
        waiting("CrashLoopBackOff"),
        waiting("ContainerCreating"),
    )];
    hold(&rows, 1);
}

#[test]
fn requests_that_any_load_is_a_multiple_of() {
    let pods = |used, requested| {
        let case = Case::new().bounds(1, 10).replicas(2);
        case.pods(2, &cpu(used, requested)).cpu(80)
    };
    let small = |says, case, other| row(Code::SmallRequest, Severity::Warning, says, case, other);
    let rows = [
        small(
            "the cpu request of Deployment/web's pods is only 10m, so a usage of 20m per pod is \
             200% (target 80%)",
            pods(20, 10),
            pods(19, 10),
        ),
        small(
            "the cpu request of Deployment/web's pods is only 50m, so a usage of 100m per pod is \
             200% (target 80%)",
            pods(100, 50),
            pods(102, 51),
        ),
    ];
    hold(&rows, 2);
    let edited = json!({"kind": "Deployment", "metadata": {"name": "web", "managedFields": [
        {"manager": "helm", "operation": "Update", "time": LONG_AGO,
         "fieldsV1": {"f:spec": {"f:template": {"f:spec": {}}, "f:replicas": {}}}},
        {"manager": "kubectl-edit", "operation": "Update", "time": TWO_MINUTES_AGO,
         "fieldsV1": {"f:spec": {"f:template": {"f:spec": {}}}}},
        {"manager": "kubectl", "operation": "Update", "time": MINUTE_AGO,
         "fieldsV1": {"f:spec": {"f:replicas": {}}}}]}});
    let found = found(&pods(20, 10).set("/target", edited), Code::SmallRequest);
    let evidence = found.expect("it is found").evidence;
    let says: Vec<&str> = evidence.iter().map(|fact| fact.says.as_str()).collect();
    let expected =
        format!("kubectl-edit (Update) last changed the pod template 2m ago, at {TWO_MINUTES_AGO}");
    assert_eq!(says, [expected]);
}

/// What an HPA with nothing to be found has none of.
const NEW: [Code; 10] = [
    Code::NegativeMetric,
    Code::OneHotPod,
    Code::HotReplicaSet,
    Code::SmallRequest,
    Code::IdleAboveTarget,
    Code::TargetAboveLimit,
    Code::HpaDeleted,
    Code::MetricTwice,
    Code::FixedSize,
    Code::ShortPeriod,
];

#[test]
fn healthy_hpas_have_none_of_these() {
    let rows: [Case; 4] = [
        Case::new().replicas(5).pods(5, &cpu(60, 100)).cpu(60),
        limited("200m").cpu(60),
        Case::new()
            .bounds(2, 5)
            .replicas(5)
            .pods(5, &cpu(90, 100))
            .cpu(60),
        Case::new()
            .replicas(3)
            .behavior(Value::Null)
            .wants(3)
            .pods(3, &cpu(10, 100)),
    ];
    for case in &rows {
        let findings = explained(case).findings;
        assert!(
            findings.iter().all(|it| !NEW.contains(&it.code)),
            "{findings:#?}"
        );
    }
    assert_eq!(rows.len(), 4);
}
