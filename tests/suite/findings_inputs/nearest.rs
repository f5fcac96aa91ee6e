//! One input that fires a finding, and the same with one thing changed, which
//! does not.

use std::collections::BTreeSet;

use hpa_explain::trace::{Code, Severity};
use serde_json::{Value, json};

use super::{CODES, found};
use crate::support::build::Case;
use crate::support::pod::{Container, Pod, container, cpu, silent};

struct Row {
    code: Code,
    severity: Severity,
    /// The finding's message.
    says: &'static str,
    fires: Case,
    /// One thing changed.
    nearest: Case,
}

fn row(code: Code, severity: Severity, says: &'static str, fires: Case, nearest: Case) -> Row {
    Row {
        code,
        severity,
        says,
        fires,
        nearest,
    }
}

#[test]
fn each_finding_has_its_cause_and_no_other() {
    let rows: Vec<Row> = [
        requests(),
        containers(),
        sources(),
        answers(),
        pods(),
        young_pods(),
        samples(),
        failing(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let (mut silenced, mut wrong) = (BTreeSet::new(), Vec::new());
    for row in &rows {
        let of_code = |case: &Case| {
            let mut findings = found(&case.document());
            findings.retain(|finding| finding.code == row.code);
            findings
        };
        let fired = of_code(&row.fires);
        let [finding] = fired.as_slice() else {
            panic!("{}: not one finding {fired:#?}", row.says);
        };
        if finding.message != row.says {
            wrong.push(format!("{}\n  was {}", finding.message, row.says));
        }
        assert_eq!(finding.severity, row.severity, "{}", row.says);
        assert!(finding.message.chars().count() <= 140, "{}", row.says);
        assert!(!finding.message.ends_with('.'), "{}", row.says);
        let others = of_code(&row.nearest);
        let same = others.iter().find(|other| other.message == row.says);
        assert_eq!(same, None, "{}", row.says);
        if others.is_empty() {
            silenced.insert(row.code);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let covered: BTreeSet<Code> = rows.iter().map(|row| row.code).collect();
    assert_eq!(covered, CODES.into_iter().collect());
    assert_eq!(silenced, covered, "each one has an input without it");
    assert_eq!(rows.len(), 50);
}

/// So many pods that use half of what they request.
fn idle(count: usize) -> Case {
    let count_replicas = i32::try_from(count).expect("a few pods");
    Case::new()
        .replicas(count_replicas)
        .pods(count, &cpu(50, 100))
}

fn app(used: &str) -> Container {
    container("app").uses("cpu", used).requests("cpu", "100m")
}

fn with_sidecar(requests: Option<&str>) -> Pod {
    let proxy = container("proxy").uses("cpu", "12m");
    Pod::of(vec![
        app("50m"),
        match requests {
            Some(requests) => proxy.requests("cpu", requests),
            None => proxy,
        },
    ])
}

fn owner(kind: &str, name: &str) -> Value {
    json!([{"kind": kind, "name": name, "controller": true}])
}

fn requests() -> Vec<Row> {
    use Severity::{Error, Warning};
    let lacking = |pod: Pod| idle(1).pod("extra", pod).cpu(60);
    let owned = |kind: &str, name: &str| {
        lacking(Pod::of(vec![container("job")]).phase("Succeeded"))
            .release(38)
            .set("/pods/0/metadata/ownerReferences", owner("ReplicaSet", "web-1"))
            .set("/pods/1/metadata/ownerReferences", owner(kind, name))
            .set("/replicaSets", json!([{"metadata": {"name": "web-1", "ownerReferences": owner("Deployment", "web")}}]))
    };
    let native = |release| {
        let sidecar = container("proxy").uses("cpu", "1m").sidecar();
        let pod = Pod::of(vec![app("50m")]).init_containers(vec![sidecar]);
        lacking(pod).release(release)
    };
    let zero = |amount: &str| {
        let pod = Pod::of(vec![
            container("app").uses("cpu", "1m").requests("cpu", amount),
        ]);
        Case::new().pods(1, &pod).cpu(60)
    };
    let both = |memory: Option<&str>| {
        let app = app("50m").uses("memory", "1Mi").requests("memory", "2Mi");
        let proxy = container("proxy").uses("cpu", "1m").uses("memory", "1Mi");
        let proxy = match memory {
            Some(memory) => proxy.requests("memory", memory),
            None => proxy,
        };
        Case::new()
            .replicas(2)
            .pods(2, &Pod::of(vec![app, proxy]))
            .cpu(60)
    };
    let template = |names: &[&str]| {
        let containers: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
        json!({"metadata": {"name": "web"}, "spec": {"template": {"spec": {"containers": containers}}}})
    };
    vec![
        row(
            Code::MissingRequest,
            Error,
            "container proxy of pod extra has no cpu request",
            lacking(with_sidecar(None)),
            lacking(with_sidecar(Some("20m"))),
        ),
        row(
            Code::MissingRequest,
            Error,
            "container proxy of pod extra has no cpu request; it is injected, not in the pod template",
            lacking(with_sidecar(None)).set("/target", template(&["app"])),
            lacking(with_sidecar(None)).set("/target", template(&["app", "proxy"])),
        ),
        row(
            Code::MissingRequest,
            Error,
            "container proxy has no cpu or memory request in any of the 2 pods",
            both(None).memory(60),
            both(Some("1Mi")).memory(60),
        ),
        row(
            Code::MissingRequest,
            Error,
            "container proxy of pod extra has no cpu request",
            native(29),
            native(28),
        ),
        row(
            Code::MissingRequest,
            Error,
            "pod extra of Job/report (not Deployment/web's) has no cpu request",
            owned("Job", "report"),
            owned("ReplicaSet", "web-1"),
        ),
        row(
            Code::MissingRequest,
            Warning,
            "container proxy of pod extra has no cpu request",
            lacking(with_sidecar(None)).wants(3),
            lacking(with_sidecar(Some("1m"))).wants(3),
        ),
        row(
            Code::MissingRequest,
            Error,
            "all counted pods request 0 cpu, so the utilization cannot be computed",
            zero("0"),
            zero("1m"),
        ),
    ]
}

fn containers() -> Vec<Row> {
    use Severity::{Error, Info, Warning};
    let renamed = |release| {
        Case::new()
            .release(release)
            .replicas(2)
            .pod(
                "new",
                Pod::of(vec![
                    container("next").uses("cpu", "50m").requests("cpu", "100m"),
                ]),
            )
            .pod("old", Pod::of(vec![app("50m")]))
            .container_cpu("next", 60)
    };
    let hot = |used: &str, aside: &str| {
        let aside = container("aside").uses("cpu", "5m").requests("cpu", aside);
        Case::new()
            .replicas(2)
            .pods(2, &Pod::of(vec![app(used), aside]))
            .cpu(60)
    };
    let sidecar = |release| {
        let proxy = container("proxy")
            .uses("cpu", "50m")
            .requests("cpu", "100m")
            .sidecar();
        let pod = Pod::of(vec![app("50m")]).init_containers(vec![proxy]);
        Case::new().release(release).pods(1, &pod).cpu(60)
    };
    vec![
        row(
            Code::WrongContainer,
            Error,
            "no pod has a container named application; the pods have app",
            idle(3).container_cpu("application", 60),
            idle(3).container_cpu("app", 60),
        ),
        row(
            Code::WrongContainer,
            Error,
            "1 of 2 pods (old) has no container named next but has app instead",
            renamed(35),
            renamed(35).set("/pods/1/spec/containers/0/name", "next"),
        ),
        row(
            Code::WrongContainer,
            Warning,
            "1 of 2 pods (old) has no container named next but has app instead",
            renamed(34),
            renamed(34).set("/pods/1/metadata/deletionTimestamp", "2026-03-01T11:59:00Z"),
        ),
        row(
            Code::HotContainer,
            Warning,
            "container app is at 95% of its cpu request (target 60%), but its pods are at 25%; measured alone, it asks for 4, not 2",
            hot("95m", "300m"),
            hot("60m", "300m"),
        ),
        row(
            Code::HotContainer,
            Info,
            "container app is at 95% of its cpu request (target 60%), but its pods are at 10%; measured alone, it asks for 4, not 2",
            hot("95m", "900m"),
            hot("95m", "20m"),
        ),
        row(
            Code::SidecarRequestIgnored,
            Warning,
            "native sidecar proxy counts with its usage but not its request, so cpu is 100% instead of 50%",
            sidecar(28),
            sidecar(29),
        ),
    ]
}

const UNAVAILABLE: &str = "the server is currently unable to handle the request";
const REFUSED: &str = "pods.metrics.k8s.io is forbidden: User \"x\" cannot list";

fn sources() -> Vec<Row> {
    use Severity::{Error, Info, Warning};
    let answer = |answer: Value| idle(2).cpu(60).set("/metrics/resource", answer);
    let broken = |error: &str| Case::new().fails(error);
    let refused_before = |message: &str| {
        let condition = json!([{"type": "ScalingActive", "status": "False", "reason": "FailedGetResourceMetric", "message": message}]);
        idle(2)
            .cpu(60)
            .set("/horizontalPodAutoscaler/status/conditions", condition)
    };
    vec![
        row(
            Code::MetricsApiMissing,
            Error,
            "nothing serves the metrics.k8s.io API (metrics-server), so cpu cannot be read",
            answer(Value::Null),
            answer(json!({"error": UNAVAILABLE})),
        ),
        row(
            Code::MetricsApiMissing,
            Warning,
            "nothing serves the metrics.k8s.io API (metrics-server), so cpu cannot be read",
            answer(Value::Null).wants(3),
            answer(json!({"error": UNAVAILABLE})).wants(3),
        ),
        row(
            Code::MetricsApiUnavailable,
            Error,
            "the metrics.k8s.io API (metrics-server) is down or fails, so cpu and memory cannot be read",
            answer(json!({"error": UNAVAILABLE})).memory(60),
            answer(json!({"error": REFUSED})).memory(60),
        ),
        row(
            Code::MetricsApiUnavailable,
            Info,
            "the external.metrics.k8s.io API is down or fails, so broken-0 cannot be read",
            broken(UNAVAILABLE).replicas(0).bounds(1, 5),
            broken("gone").replicas(0).bounds(1, 5),
        ),
        row(
            Code::MetricsForbidden,
            Error,
            "the controller is not allowed to read cpu from the metrics.k8s.io API",
            answer(json!({"error": REFUSED})),
            answer(json!({"unreadable": REFUSED})),
        ),
        row(
            Code::MetricsForbidden,
            Error,
            "the controller was not allowed to read a metric in its last pass, although you can read all of them",
            refused_before(REFUSED),
            refused_before(UNAVAILABLE),
        ),
        row(
            Code::MetricNotFound,
            Error,
            "the external.metrics.k8s.io API answers but does not have broken-0",
            broken("the server could not find the metric broken-0 for namespace default"),
            broken(UNAVAILABLE),
        ),
    ]
}

fn answers() -> Vec<Row> {
    use Severity::{Error, Warning};
    let answer = |answer: Value| idle(2).cpu(60).set("/metrics/resource", answer);
    let targetless = |target: Value| {
        let source = json!({"name": "cpu", "target": target});
        idle(1).metric(json!({"type": "Resource", "resource": source}))
    };
    let object = |items: usize| {
        let items = vec![
            json!({"describedObject": {"kind": "Service", "name": "web"}, "value": "1"});
            items
        ];
        Case::new()
            .object_value(("Service", "web"), "1", "1")
            .set("/metrics/custom/0/response", json!({"items": items}))
    };
    vec![
        row(
            Code::MetricsEmpty,
            Error,
            "the external.metrics.k8s.io API answers but has no value for queue",
            Case::new().external_average("queue", "1", &[]),
            Case::new().external_average("queue", "1", &["1"]),
        ),
        row(
            Code::MetricsEmpty,
            Error,
            "the metrics.k8s.io API (metrics-server) answers but has no value for cpu",
            Case::new().replicas(2).pods(2, &silent(100)).cpu(60),
            Case::new()
                .replicas(2)
                .pods(2, &silent(100).phase("Pending"))
                .cpu(60),
        ),
        row(
            Code::MetricsEmpty,
            Error,
            "the custom.metrics.k8s.io API answers but has no value for requests of Service/web",
            object(0),
            object(1),
        ),
        row(
            Code::MetricSpecInvalid,
            Error,
            "the API returns 2 series for requests of Service/web, but exactly one is needed: narrow its selector",
            object(2),
            object(1),
        ),
        row(
            Code::MetricSpecInvalid,
            Error,
            "the target of cpu sets neither averageUtilization nor averageValue",
            targetless(json!({"type": "Utilization"})),
            targetless(json!({"type": "Utilization", "averageUtilization": 60})),
        ),
        row(
            Code::MetricSpecInvalid,
            Error,
            "cpu of container app is not computed, because feature gate HPAContainerMetrics is off",
            idle(1)
                .release(27)
                .container_cpu("app", 60)
                .gate("HPAContainerMetrics", false),
            idle(1)
                .release(27)
                .container_cpu("app", 60)
                .gate("HPAContainerMetrics", true),
        ),
        row(
            Code::NoPods,
            Error,
            "the selector app=web matches no pods, although the size of Deployment/web is 2",
            Case::new().replicas(2).cpu(60),
            Case::new().replicas(0).cpu(60),
        ),
        row(
            Code::MetricUnreadable,
            Warning,
            "you are not allowed to read cpu; the controller probably is",
            answer(json!({"unreadable": REFUSED})),
            answer(json!({"error": REFUSED})),
        ),
        row(
            Code::MetricUnreadable,
            Warning,
            "you are not allowed to read the scale of Deployment/web; the controller probably is",
            idle(2)
                .cpu(60)
                .set("/scale", json!({"unreadable": REFUSED})),
            idle(2).cpu(60).set("/scale", json!({"error": REFUSED})),
        ),
    ]
}

fn pods() -> Vec<Row> {
    use Severity::{Error, Info, Warning};
    let busy = |pod: Pod| {
        Case::new()
            .replicas(2)
            .pod("one", cpu(90, 100))
            .pod("two", pod)
            .cpu(60)
    };
    let unscheduled = |message: &str| {
        let condition = json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]);
        busy(cpu(90, 100).pending()).set("/pods/1/status/conditions", condition)
    };
    let waiting = |state: Value| {
        busy(cpu(90, 100).pending())
            .set("/pods/1/status/conditions", json!([]))
            .set(
                "/pods/1/status/containerStatuses",
                json!([{"name": "app", "state": state}]),
            )
    };
    let collapsed = |status| {
        Case::new()
            .replicas(10)
            .pods(10, &cpu(90, 100).ready(status, 60.0))
            .external_value("queue", "100", &["500"])
    };
    let failed = |phase| {
        idle(2)
            .pod("gone", cpu(0, 100).phase(phase).unsampled())
            .cpu(60)
    };
    vec![
        row(
            Code::PodsPending,
            Warning,
            "1 of 2 pods (two) is Pending and counts as 0%: 0/9 nodes are available: 9 Insufficient cpu",
            unscheduled("0/9 nodes are available: 9 Insufficient cpu."),
            busy(cpu(90, 100)),
        ),
        row(
            Code::PodsPending,
            Warning,
            "1 of 2 pods (two) is Pending and counts as 0%: CreateContainerConfigError (app)",
            waiting(json!({"waiting": {"reason": "CreateContainerConfigError"}})),
            waiting(json!({"running": {}})),
        ),
        row(
            Code::PodsPending,
            Info,
            "1 of 3 pods (late) is Pending",
            idle(2).pod("late", cpu(0, 100).pending()).cpu(60),
            idle(3).cpu(60),
        ),
        row(
            Code::ReadinessCollapse,
            Error,
            "queue is above its target (5.00×), but none of the 10 pods is Ready, so it asks for 0 instead of 50",
            collapsed("False"),
            collapsed("True"),
        ),
        row(
            Code::PodsIgnored,
            Info,
            "1 of 3 pods is left out: 1 Failed",
            failed("Failed"),
            failed("Running"),
        ),
        row(
            Code::PodsIgnored,
            Info,
            "1 of 3 pods is left out: 1 terminating",
            idle(2).pod("leaving", cpu(50, 100).terminating()).cpu(60),
            idle(2).pod("leaving", cpu(50, 100)).cpu(60),
        ),
    ]
}

fn young_pods() -> Vec<Row> {
    use Severity::{Info, Warning};
    let busy = |pod: Pod| {
        Case::new()
            .replicas(2)
            .pod("one", cpu(90, 100))
            .pod("two", pod)
            .cpu(60)
    };
    let burst = |used| {
        Case::new()
            .replicas(3)
            .pods(2, &cpu(50, 100))
            .pod("young", cpu(used, 100).started(120.0).ready("True", 100.0))
            .cpu(60)
    };
    vec![
        row(
            Code::NeverReady,
            Warning,
            "1 of 2 pods (two) has not been Ready since shortly after it started and counts as 0 for a scale-up",
            busy(cpu(90, 100).started(3_600.0).ready("False", 3_590.0)),
            busy(cpu(90, 100).started(3_600.0).ready("False", 60.0)),
        ),
        row(
            Code::NotReadyCounted,
            Info,
            "1 of 2 pods (two) is not Ready but still counts for cpu, because it was Ready before",
            busy(cpu(90, 100).ready("False", 60.0)),
            busy(cpu(90, 100).ready("True", 60.0)),
        ),
        row(
            Code::InitializingPods,
            Info,
            "1 of 2 pods does not count for cpu yet",
            busy(cpu(90, 100).starting()),
            busy(cpu(90, 100).started(301.0).ready("False", 60.0)),
        ),
        row(
            Code::InitializingPods,
            Info,
            "1 of 2 pods does not count for cpu yet; it counts in 2m at the latest",
            busy(cpu(90, 100).started(180.0).ready("False", 60.0)),
            busy(cpu(90, 100).started(180.0).ready("True", 60.0)),
        ),
        row(
            Code::StartupBurst,
            Warning,
            "pod young just became Ready and uses 190m cpu, the others 50m; without it cpu asks for 2, not 5",
            burst(190),
            burst(90),
        ),
    ]
}

fn samples() -> Vec<Row> {
    use Severity::{Info, Warning};
    let busy = |pod: Pod| {
        Case::new()
            .replicas(2)
            .pod("one", cpu(90, 100))
            .pod("two", pod)
            .cpu(60)
    };
    let aged = |ago| {
        Case::new()
            .replicas(2)
            .pods(2, &cpu(90, 100).sampled(ago))
            .cpu(60)
    };
    let shown = |status: &str| {
        let current = json!([{"type": "External", "external": {"metric": {"name": "broken-0"}, "current": {"averageValue": "45"}}}]);
        Case::new()
            .fails(UNAVAILABLE)
            .condition("ScalingActive", status)
            .set("/horizontalPodAutoscaler/status/currentMetrics", current)
    };
    vec![
        row(
            Code::PodsWithoutSample,
            Warning,
            "1 of 2 pods (two) has no sample for cpu, and it counts as 0%",
            busy(silent(100)),
            busy(cpu(0, 100)),
        ),
        row(
            Code::PodsWithoutSample,
            Info,
            "1 of 2 pods (two) has no sample for cpu, and it counts as 0%",
            busy(silent(100).started(30.0)),
            busy(silent(100).phase("Pending")),
        ),
        row(
            Code::StaleMetrics,
            Warning,
            "the newest sample of cpu is 10m old",
            aged(600.0),
            aged(60.0),
        ),
        row(
            Code::FrozenStatus,
            Warning,
            "the status still shows 45 for broken-0, from before the metric failed",
            shown("False"),
            shown("True"),
        ),
        row(
            Code::TargetInUnits,
            Info,
            "the target of cpu, 80% of the request 250m, is 200m per pod",
            Case::new().pods(1, &cpu(275, 250)).cpu(80),
            Case::new().pods(1, &cpu(275, 250)).cpu_average("200m"),
        ),
    ]
}

fn failing() -> Vec<Row> {
    use Severity::{Error, Info, Warning};
    let guessed = |second: Pod| {
        Case::new()
            .replicas(2)
            .pod("one", cpu(90, 100).terminating())
            .pod("two", second)
            .cpu(60)
    };
    let limited = |status: &str| {
        Case::new()
            .fails(UNAVAILABLE)
            .condition("ScalingActive", status)
            .condition("ScalingLimited", "True")
    };
    vec![
        row(
            Code::AllMetricsFail,
            Error,
            "both metrics fail, so the size stays at 3 whatever the load is",
            Case::new().replicas(3).fails("gone").fails("gone"),
            Case::new().replicas(3).fails("gone").wants(3),
        ),
        row(
            Code::ScaleDownBlocked,
            Warning,
            "broken-1 fails and blocks the scale-down to 1 that load-0 asks for",
            Case::new().replicas(3).wants(1).fails("gone"),
            Case::new().replicas(3).wants(3).fails("gone"),
        ),
        row(
            Code::MetricFails,
            Warning,
            "1 of 2 metrics fails (broken-1); the others decide, but can only scale up",
            Case::new().replicas(3).wants(5).fails("gone"),
            Case::new().replicas(3).wants(2).fails("gone"),
        ),
        row(
            Code::MisleadingMessage,
            Info,
            "the message \"pods might be unready\" is misleading: of 2 pods 1 has no sample, and 1 is left out",
            guessed(silent(100)),
            guessed(cpu(90, 100).starting()),
        ),
        row(
            Code::MisleadingMessage,
            Info,
            "condition ScalingLimited True (ScalingLimited) was set before the metrics failed and no longer applies",
            limited("False"),
            limited("True"),
        ),
    ]
}
