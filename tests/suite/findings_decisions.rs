//! Findings about the decision, the behavior, the memory and the scale: for
//! each an input that leads to it, with its message, and the nearest one that
//! does not.

use crate::support;

mod inputs;

use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::read_documents;
use hpa_explain::history::Observer;
use hpa_explain::trace::{Code, Finding, Severity, Trace};
use hpa_explain::what_if::explain;
use serde_json::{Value, json};
use support::build::Case;
use support::pod::{Pod, cpu, memory};

/// One field makes the difference between the two cases.
struct Row {
    code: Code,
    severity: Severity,
    message: &'static str,
    fires: Case,
    nearest: Case,
}

fn row(code: Code, severity: Severity, message: &'static str, fires: Case, nearest: Case) -> Row {
    Row {
        code,
        severity,
        message,
        fires,
        nearest,
    }
}

fn explained(case: &Case) -> Trace {
    let mut documents = read_documents(&case.document().to_string());
    let snapshot = documents.remove(0).snapshot.expect("a readable snapshot");
    let settings = Settings::resolve(&snapshot, &Overrides::default());
    explain(
        &snapshot,
        &settings,
        snapshot.captured_at,
        &Observer::default(),
    )
}

fn found(case: &Case, code: Code) -> Option<Finding> {
    let mut findings = explained(case).findings.into_iter();
    findings.find(|finding| finding.code == code)
}

/// Holds every row, and how many there are.
fn hold(rows: &[Row], count: usize) {
    let mut differing = Vec::new();
    for row in rows {
        let code = row.code;
        match found(&row.fires, code) {
            None => differing.push(format!("{code}: not found: {:?}", row.message)),
            Some(found)
                if (found.message.as_str(), found.severity) != (row.message, row.severity) =>
            {
                differing.push(format!(
                    "{code}: expected {:?} {:?}\n  found {:?} {:?}",
                    row.message, row.severity, found.message, found.severity
                ));
            }
            Some(_) => {}
        }
        if let Some(found) = found(&row.nearest, code) {
            differing.push(format!("{code}: not expected: {:?}", found.message));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert_eq!(rows.len(), count);
}

const NOW: &str = "2026-03-01T12:00:00Z";
const MINUTE_AGO: &str = "2026-03-01T11:59:00Z";
const TWO_MINUTES_AGO: &str = "2026-03-01T11:58:00Z";
const LONG_AGO: &str = "2026-03-01T08:00:00Z";

/// A target of another kind.
fn aimed_at(case: Case, api_version: &str, kind: &str) -> Case {
    let reference = "/horizontalPodAutoscaler/spec/scaleTargetRef";
    case.set(&format!("{reference}/apiVersion"), api_version)
        .set(&format!("{reference}/kind"), kind)
}

#[test]
fn the_target() {
    let case = || Case::new().replicas(3).wants(3).pods(3, &cpu(10, 100));
    let failing = |error: &str| case().set("/scale", json!({"error": error}));
    let unknown = r#"no matches for kind "Deployment" in group "extensions""#;
    let no_scale = "the server could not find the requested resource";
    let rows = [
        row(
            Code::TargetUnknownKind,
            Severity::Error,
            "scaleTargetRef.apiVersion extensions/v1beta1 does not serve kind Deployment; Deployment is in apps/v1",
            aimed_at(failing(unknown), "extensions/v1beta1", "Deployment"),
            aimed_at(case(), "extensions/v1beta1", "Deployment")
                .set("/scale", json!({"unreadable": unknown})),
        ),
        row(
            Code::TargetUnknownKind,
            Severity::Error,
            "scaleTargetRef.apiVersion space.example.com/v1 does not serve kind Rocket",
            aimed_at(
                failing(r#"no matches for kind "Rocket" in group "space.example.com""#),
                "space.example.com/v1",
                "Rocket",
            ),
            aimed_at(case(), "space.example.com/v1", "Rocket"),
        ),
        row(
            Code::TargetNotFound,
            Severity::Error,
            "Deployment/web does not exist in namespace default",
            failing(r#"deployments.apps "web" not found"#),
            failing(r#"namespaces "other" not found"#),
        ),
        row(
            Code::TargetCannotScale,
            Severity::Error,
            "kind DaemonSet has no scale subresource, so the HPA cannot set its size",
            aimed_at(failing(no_scale), "apps/v1", "DaemonSet"),
            aimed_at(failing(no_scale), "apps/v1", "StatefulSet"),
        ),
        row(
            Code::SelectorMissing,
            Severity::Error,
            "the scale subresource of Rocket/web has no status.selector, so its pods are unknown",
            aimed_at(case().selector(""), "space.example.com/v1", "Rocket"),
            aimed_at(case(), "space.example.com/v1", "Rocket"),
        ),
        row(
            Code::SelectorMissing,
            Severity::Error,
            "status.selector in the scale subresource of Deployment/web does not parse",
            case().selector("app in"),
            case().selector("app in (web)"),
        ),
        row(
            Code::AmbiguousSelector,
            Severity::Error,
            "HPA keda-hpa-web selects the same pods, so neither HPA scales",
            case().set(
                "/otherAutoscalers",
                json!([other("default", "keda-hpa-web")]),
            ),
            case().set("/otherAutoscalers", json!([other("other", "keda-hpa-web")])),
        ),
        row(
            Code::AmbiguousSelector,
            Severity::Error,
            "HPAs a, b, c and 1 more select the same pods, so none of these HPAs scales",
            case().set(
                "/otherAutoscalers",
                json!(["a", "b", "c", "d"].map(|name| other("default", name))),
            ),
            case().set("/otherAutoscalers", json!([])),
        ),
        row(
            Code::AmbiguousSelector,
            Severity::Warning,
            "HPA keda-hpa-web also selects the same pods, so each sets its own size",
            case().release(25).set(
                "/otherAutoscalers",
                json!([other("default", "keda-hpa-web")]),
            ),
            case()
                .release(25)
                .set("/otherAutoscalers", json!([other("other", "keda-hpa-web")])),
        ),
    ];
    hold(&rows, 9);
}

fn other(namespace: &str, name: &str) -> Value {
    json!({"namespace": namespace, "name": name, "selector": "app=web"})
}

#[test]
fn the_behavior() {
    let disabled = |side: &str, select: &str| {
        Case::new()
            .replicas(5)
            .behavior(json!({side: {"selectPolicy": select}}))
    };
    let empty = |remembered: i32| {
        Case::new()
            .bounds(5, 35)
            .replicas(5)
            .wants(2)
            .behavior(json!({}))
            .remembers(&[(120, remembered)])
    };
    let rows = [
        row(
            Code::BehaviorDisabled,
            Severity::Warning,
            "scaleUp.selectPolicy Disabled keeps the size at 5; the metrics ask for 20",
            disabled("scaleUp", "Disabled").wants(20),
            disabled("scaleUp", "Max").wants(20),
        ),
        row(
            Code::BehaviorDisabled,
            Severity::Info,
            "scaleDown.selectPolicy Disabled keeps the size at 5; the metrics ask for 2",
            disabled("scaleDown", "Disabled").wants(2),
            disabled("scaleDown", "Disabled").wants(5),
        ),
        row(
            Code::BehaviorEmpty,
            Severity::Info,
            "an empty behavior leads to 5; no behavior at all would lead to 6",
            empty(6),
            empty(5),
        ),
    ];
    hold(&rows, 3);
}

fn policy(kind: &str, value: i32, period: i32) -> Value {
    json!({"type": kind, "value": value, "periodSeconds": period})
}

fn down(policies: &[Value]) -> Case {
    Case::new().behavior(json!({"scaleDown": {
        "stabilizationWindowSeconds": 0, "policies": policies,
    }}))
}

fn up(select: &str, policies: &[Value]) -> Case {
    Case::new().behavior(json!({"scaleUp": {"selectPolicy": select, "policies": policies}}))
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn the_policies() {
    let one_in_five = || down(&[policy("Pods", 2, 300)]).replicas(8).wants(1);
    let tenth = |size: i32| down(&[policy("Percent", 10, 60)]).replicas(size).wants(1);
    let few = |select: &str| {
        let policies = [policy("Percent", 10, 60), policy("Pods", 4, 60)];
        up(select, &policies).replicas(10).wants(30)
    };
    let all = |percent: i32| {
        down(&[policy("Pods", 2, 60), policy("Percent", percent, 60)])
            .replicas(18)
            .wants(3)
    };
    let idle = |size: i32| Case::new().replicas(size).wants(3);
    // Nobody but the API server remembers that the size went up.
    let rose = |ago: i64| {
        let at = ago_text(ago);
        idle(18)
            .behavior(json!({"scaleDown": {"stabilizationWindowSeconds": 0}}))
            .condition("AbleToScale", "True")
            .set("/history", Value::Null)
            .set(
                "/events",
                json!([{"reason": "SuccessfulRescale", "count": 1, "firstTimestamp": at,
                    "lastTimestamp": at, "message": "New size: 18; reason: load-0 above target"}]),
            )
            .set("/horizontalPodAutoscaler/status/lastScaleTime", at.as_str())
            .set(
                "/horizontalPodAutoscaler/metadata/managedFields",
                json!([{"manager": "kcm", "operation": "Update", "subresource": "status",
                    "time": at}]),
            )
            .set(
                "/controllerLease",
                json!({"spec": {"acquireTime": LONG_AGO, "renewTime": NOW}}),
            )
    };
    let from_zero = |release: u32| {
        up("Max", &[policy("Percent", 100, 60)])
            .release(release)
            .bounds(0, 10)
            .replicas(0)
            .wants(4)
    };
    let rows = [
        row(
            Code::PolicyLimits,
            Severity::Info,
            "scaleUp policy Pods 4 per 1m allows at most 14 for now; the metrics ask for 30",
            few("Max"),
            few("Max").without_metrics().wants(14),
        ),
        row(
            Code::PolicyLimits,
            Severity::Info,
            "without behavior, one pass goes at most to twice the size or 4, whichever is larger, which is 6 now; the metrics ask for 7",
            Case::new().replicas(3).wants(7),
            Case::new().replicas(3).wants(6),
        ),
        row(
            Code::PolicyPeriod,
            Severity::Info,
            "scaleDown policy Pods 2 per 5m counts from 4, not 8, because 4 pods were added within its period",
            one_in_five().added(&[(120, 4)]),
            one_in_five().added(&[(300, 4)]),
        ),
        row(
            Code::PolicyPeriod,
            Severity::Info,
            "scaleDown policy Pods 2 per 5m counts from 8: up to Kubernetes 1.24, the 4 added within 5m are left out",
            one_in_five().release(24).added(&[(120, 4)]),
            one_in_five().release(24),
        ),
        row(
            Code::PercentTrap,
            Severity::Info,
            "scaleDown policy Percent 10 per 1m of 11 is 2 pods, which is 18%: policies round up to whole pods",
            tenth(11),
            // One pod is the least that can go.
            tenth(4),
        ),
        row(
            Code::PercentTrap,
            Severity::Warning,
            "scaleUp.selectPolicy Min chooses Percent 10 per 1m (1 pod here) instead of Pods 4 per 1m",
            few("Min"),
            few("Max"),
        ),
        row(
            Code::PercentTrap,
            Severity::Warning,
            "scaleDown policy Percent 100 per 1m does not limit the drop to 3; without it, Pods 2 per 1m allows no less than 16",
            all(100),
            all(5),
        ),
        row(
            Code::PercentTrap,
            Severity::Warning,
            "scaleUp policy Percent 100 per 1m of 0 pods is 0, so the target stays at 0",
            from_zero(35),
            from_zero(35).replicas(1),
        ),
        row(
            Code::SuddenDrop,
            Severity::Info,
            "the size goes from 18 to 3 at once; no scaleDown policy limits this drop",
            idle(18),
            idle(18).behavior(json!({"scaleDown": {"policies": [policy("Percent", 10, 60)]}})),
        ),
        row(
            Code::SuddenDrop,
            Severity::Info,
            "the size goes from 7 to 3 at once; no scaleDown policy limits this drop",
            idle(7).behavior(json!({})),
            idle(6).behavior(json!({})),
        ),
        // What came within the minute that a Percent of it looks back may go at once.
        row(
            Code::SuddenDrop,
            Severity::Info,
            "the size goes from 18 to 3 at once; no scaleDown policy limits this drop",
            rose(90),
            rose(40),
        ),
    ];
    hold(&rows, 11);
}

#[test]
fn the_window() {
    let falling = |age: i32| Case::new().replicas(9).wants(5).remembers(&[(age, 9)]);
    let rising = |lowest: i32| {
        Case::new()
            .replicas(4)
            .wants(8)
            .behavior(json!({"scaleUp": {"stabilizationWindowSeconds": 120}}))
            .remembers(&[(30, lowest)])
    };
    let raised = || {
        Case::new()
            .bounds(5, 35)
            .replicas(5)
            .wants(2)
            .remembers(&[(120, 6)])
    };
    let foreign = |replicas: i32| {
        Case::new()
            .replicas(replicas)
            .cpu(50)
            .pods(4, &cpu(0, 200))
            .pods(1, &cpu(600, 600))
    };
    let raised_last = |from: i32| {
        let condition =
            json!({"type": "AbleToScale", "status": "True", "reason": "SucceededRescale"});
        let event = json!({"reason": "SuccessfulRescale", "firstTimestamp": MINUTE_AGO,
            "message": "New size: 6; reason: All metrics below target"});
        let status = json!({"currentReplicas": from, "desiredReplicas": 6,
            "lastScaleTime": MINUTE_AGO, "conditions": [condition]});
        Case::new()
            .replicas(6)
            .wants(6)
            .set("/horizontalPodAutoscaler/status", status)
            .set("/events", json!([event]))
    };
    let rows = [
        row(
            Code::WindowHolds,
            Severity::Info,
            "the scaleDown window of 5m keeps the size at 9 for 2m15s more; the metrics ask for 5",
            falling(165),
            falling(301),
        ),
        row(
            Code::WindowHolds,
            Severity::Info,
            "the scaleUp window of 2m keeps the size at 4 for 1m30s more; the metrics ask for 8",
            rising(4),
            rising(8),
        ),
        // The policy alone allows no more.
        row(
            Code::WindowHolds,
            Severity::Info,
            "the scaleUp window of 2m keeps the size at 4 for 1m30s more; the metrics ask for 8",
            rising(4),
            rising(6).set(
                "/horizontalPodAutoscaler/spec/behavior/scaleUp/policies",
                json!([policy("Pods", 1, 60)]),
            ),
        ),
        // The bound alone keeps the size.
        row(
            Code::WindowHolds,
            Severity::Info,
            "the scaleDown window of 5m keeps the size at 9 for 2m15s more; the metrics ask for 5",
            falling(165).bounds(8, 20),
            falling(165).bounds(9, 20),
        ),
        row(
            Code::UpBelowTarget,
            Severity::Warning,
            "the size goes up to 6 although the metrics ask for 2: without behavior, the highest recommendation of 5m also counts for scale-ups",
            raised(),
            raised().behavior(json!({})),
        ),
        row(
            Code::UpBelowTarget,
            Severity::Warning,
            "cpu is below its target but asks for 5, not 4, because the selector matches 5 pods",
            foreign(4),
            foreign(5),
        ),
        row(
            Code::UpBelowTarget,
            Severity::Warning,
            "the size went up from 5 to 6 1m ago by an older recommendation; no metric asked for it",
            raised_last(5),
            raised_last(7),
        ),
    ];
    hold(&rows, 7);
}

#[test]
fn the_tolerance_and_rounding() {
    let jobs = |total: &str| {
        Case::new()
            .replicas(9)
            .external_average("jobs", "4", &[total])
    };
    let ratio = |used: &str| {
        Case::new()
            .replicas(4)
            .memory(100)
            .pods(4, &memory(used, "200Mi"))
    };
    let rows = [
        row(
            Code::WithinTolerance,
            Severity::Info,
            "jobs is at 4.11, target 4: ratio 1.03 is inside the tolerance 0.90..1.10",
            jobs("37"),
            jobs("36"),
        ),
        row(
            Code::WithinTolerance,
            Severity::Info,
            "jobs is at 4.33, target 4: ratio 1.08 is inside the tolerance 0.90..1.10",
            jobs("39"),
            jobs("40"),
        ),
        row(
            Code::RoundedUp,
            Severity::Info,
            "memory asks for ceil(0.8 × 4) = 4: a fraction of a pod counts as a whole pod",
            ratio("160Mi"),
            ratio("150Mi"),
        ),
        row(
            Code::RoundedUp,
            Severity::Info,
            "jobs asks for ceil(33 / 4) = 9: a fraction of a pod counts as a whole pod",
            Case::new()
                .replicas(9)
                .status_replicas(10)
                .external_average("jobs", "4", &["33"]),
            Case::new()
                .replicas(9)
                .status_replicas(10)
                .external_average("jobs", "4", &["36"]),
        ),
    ];
    hold(&rows, 4);
}

#[test]
fn the_origin_of_the_tolerance_is_told() {
    let with_own = |release: u32, gate: Option<bool>| {
        let case = Case::new()
            .release(release)
            .replicas(10)
            .external_average("jobs", "4", &["42"])
            .behavior(json!({"scaleUp": {"tolerance": "0.07", "stabilizationWindowSeconds": 60}}));
        match gate {
            Some(on) => case.gate("HPAConfigurableTolerance", on),
            None => case,
        }
    };
    let flag = "--horizontal-pod-autoscaler-tolerance";
    let field = "spec.behavior.scaleUp.tolerance";
    let off = "70m is ignored: the feature gate HPAConfigurableTolerance is off";
    let rows = [
        (with_own(36, None), vec![(field, "70m")]),
        (
            with_own(36, Some(false)),
            vec![(field, off), (flag, "0.1 (assumed default)")],
        ),
        (
            with_own(32, None),
            vec![
                (field, "70m is ignored before Kubernetes 1.33"),
                (flag, "0.1 (assumed default)"),
            ],
        ),
    ];
    for (case, expected) in rows {
        let finding = found(&case, Code::WithinTolerance).expect("inside the tolerance");
        let facts = finding
            .evidence
            .iter()
            .map(|fact| (fact.about.as_str(), fact.says.as_str()));
        let facts: Vec<_> = facts
            .filter(|(about, _)| about.ends_with("tolerance"))
            .collect();
        assert_eq!(facts, expected);
        // The window is what many suspect.
        assert!(
            finding
                .evidence
                .iter()
                .any(|fact| fact.says.starts_with("makes no difference")),
            "{:#?}",
            finding.evidence
        );
    }
}

#[test]
fn the_bounds() {
    let asks = |replicas: i32| Case::new().bounds(3, 20).wants(replicas);
    let zero = || Case::new().bounds(2, 10).replicas(0).wants(9);
    let overloaded = |pod: &Pod| {
        Case::new()
            .bounds(3, 20)
            .replicas(3)
            .external_value("queue", "100", &["500"])
            .pods(3, pod)
    };
    let idle = || {
        Case::new()
            .bounds(3, 20)
            .replicas(3)
            .external_value("queue", "100", &["20"])
    };
    assert!(found(&overloaded(&cpu(0, 100).ready("False", 60.0)), Code::AtMin).is_none());
    let rows = [
        row(
            Code::AtMax,
            Severity::Warning,
            "the size is at maxReplicas 20, but the metrics ask for 31, 11 more",
            asks(31).replicas(20),
            asks(20).replicas(20),
        ),
        row(
            Code::AtMax,
            Severity::Warning,
            "the size goes to maxReplicas 20, but the metrics ask for 31, 11 more",
            asks(31).replicas(15),
            asks(31).replicas(9),
        ),
        row(
            Code::AtMaxExactly,
            Severity::Info,
            "the size is at maxReplicas 20, exactly what the metrics ask for",
            asks(20).replicas(20),
            asks(17).replicas(20),
        ),
        row(
            Code::AtMin,
            Severity::Info,
            "the size is at minReplicas 3, and the metrics ask for 1: the target is idle",
            asks(1).replicas(3),
            asks(1).replicas(4),
        ),
        row(
            Code::AtMin,
            Severity::Info,
            "the size is at minReplicas 3, and the metrics ask for 1: the target is idle",
            idle().pods(3, &cpu(0, 100)),
            idle()
                .without_metrics()
                .external_value("queue", "100", &["500"]),
        ),
        row(
            Code::OutOfBounds,
            Severity::Info,
            "the size 21 is above maxReplicas 20 and is set to 20 at once, whatever the metrics ask for",
            asks(5).replicas(21),
            asks(5).replicas(20),
        ),
        row(
            Code::OutOfBounds,
            Severity::Info,
            "the size 2 is below minReplicas 3 and is set to 3 at once, whatever the metrics ask for",
            asks(5).replicas(2),
            asks(5).replicas(3),
        ),
        row(
            Code::Paused,
            Severity::Warning,
            "Deployment/web has 0 replicas, so the HPA does nothing until something sets its size",
            zero(),
            zero().replicas(1),
        ),
        row(
            Code::Paused,
            Severity::Info,
            "Deployment/web has 0 replicas; KEDA, not the HPA, scales it from 0 to 1",
            zero().set(
                "/horizontalPodAutoscaler/metadata/ownerReferences",
                json!([{"kind": "ScaledObject", "name": "web", "controller": true}]),
            ),
            zero().replicas(2),
        ),
    ];
    hold(&rows, 9);
}

/// A field that no release has, unless the design's gate is switched on.
#[test]
fn the_fallback() {
    let with = |case: Case, index: usize, fallback: Value| {
        let pointer = format!("/horizontalPodAutoscaler/spec/metrics/{index}/external/fallback");
        case.set(&pointer, fallback)
    };
    let one = || with(Case::new().wants(1), 0, json!({"replicas": 10}));
    let two = with(
        one().wants(1),
        1,
        json!({"replicas": 4, "failureDurationSeconds": 300}),
    );
    let rows = [
        row(
            Code::FallbackIgnored,
            Severity::Info,
            "spec.metrics[0].external.fallback is ignored: no Kubernetes release has this field",
            one(),
            one().gate("HPAExternalMetricFallback", true),
        ),
        row(
            Code::FallbackIgnored,
            Severity::Info,
            "spec.metrics[0].external.fallback and 1 more are ignored: no Kubernetes release has this field",
            two.clone(),
            Case::new().wants(1).wants(1),
        ),
    ];
    hold(&rows, 2);
    let finding = found(&two, Code::FallbackIgnored).expect("a finding");
    let facts = finding.evidence.iter().map(|fact| fact.says.as_str());
    assert!(facts.eq([
        "replicas 10 after 3m of failures, but only in the design of KEP-5679",
        "replicas 4 after 5m of failures, but only in the design of KEP-5679",
    ]));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn the_controller() {
    let led_since = |moment: &str| {
        Case::new()
            .replicas(9)
            .wants(5)
            .condition("AbleToScale", "True")
            .set("/history", Value::Null)
            .set(
                "/controllerLease",
                json!({"spec": {"acquireTime": moment, "renewTime": NOW, "leaseTransitions": 3}}),
            )
    };
    let metadata = "/horizontalPodAutoscaler/metadata";
    let created = |moment: &str| {
        Case::new()
            .replicas(3)
            .wants(3)
            .set(&format!("{metadata}/creationTimestamp"), moment)
    };
    let edited = |observed: i64| {
        let written = json!([{"manager": "kubectl", "operation": "Update", "time": TWO_MINUTES_AGO,
            "fieldsV1": {"f:spec": {}}}]);
        Case::new()
            .replicas(3)
            .wants(3)
            .condition("AbleToScale", "True")
            .set(&format!("{metadata}/generation"), 4)
            .set(&format!("{metadata}/managedFields"), written)
            .set(
                "/horizontalPodAutoscaler/status/observedGeneration",
                observed,
            )
    };
    let resized = |moment: &str| {
        Case::new()
            .replicas(3)
            .wants(3)
            .condition("AbleToScale", "True")
            .set("/horizontalPodAutoscaler/status/currentReplicas", 8)
            .set("/target", target("Deployment", 3, 3, moment))
    };
    let rows = [
        row(
            Code::ControllerRestarted,
            Severity::Info,
            "kube-controller-manager became the leader 2m ago, so windows and periods started over",
            led_since(TWO_MINUTES_AGO),
            led_since(LONG_AGO),
        ),
        row(
            Code::ControllerRestarted,
            Severity::Info,
            "the controller has just started and keeps 9 as its first recommendation",
            Case::new().replicas(9).wants(5).just_started(),
            Case::new().replicas(9).wants(9).just_started(),
        ),
        row(
            Code::ControllerLate,
            Severity::Warning,
            "the HPA was created 2m ago, but no pass of the controller has seen it; a pass should run every 15s",
            created(TWO_MINUTES_AGO),
            created(MINUTE_AGO),
        ),
        row(
            Code::ControllerLate,
            Severity::Warning,
            "the spec was changed 2m ago, but no pass of the controller has seen it; a pass should run every 15s",
            edited(3),
            edited(4),
        ),
        row(
            Code::ControllerLate,
            Severity::Warning,
            "the target's size was set 2m ago, but no pass of the controller has seen it; a pass should run every 15s",
            resized(TWO_MINUTES_AGO),
            resized(MINUTE_AGO),
        ),
    ];
    hold(&rows, 5);
    // Where nobody leads any more, it says since when.
    let lease = |renewed: &str| json!({"spec": {"acquireTime": LONG_AGO, "renewTime": renewed}});
    let late = [
        created(TWO_MINUTES_AGO),
        edited(3),
        resized(TWO_MINUTES_AGO),
    ];
    let leases = [
        (Value::Null, None),
        (lease(NOW), None),
        (lease("2026-03-01T11:59:30Z"), None),
        (lease("2026-03-01T11:58:30Z"), Some("2026-03-01T11:58:30Z")),
        (lease(LONG_AGO), Some(LONG_AGO)),
    ];
    for case in &late {
        for (lease, since) in &leases {
            let case = case.clone().set("/controllerLease", lease.clone());
            let message = found(&case, Code::ControllerLate)
                .expect("a finding")
                .message;
            let told = message.split_once("; the Lease was last renewed at ");
            assert_eq!(told.map(|it| it.1), *since, "{lease}: {message}");
        }
    }
    assert_eq!((late.len(), leases.len()), (3, 5));
}

/// The target as its own controller has left it, its size set at a moment.
fn target(kind: &str, wanted: i32, updated: i32, moment: &str) -> Value {
    json!({"apiVersion": "apps/v1", "kind": kind,
        "metadata": {"name": "web", "managedFields": [{
            "manager": "kube-controller-manager", "operation": "Update", "subresource": "scale",
            "time": moment, "fieldsV1": {"f:spec": {"f:replicas": {}}},
        }]},
        "spec": {"replicas": wanted},
        "status": {"replicas": 3, "readyReplicas": 2, "updatedReplicas": updated}})
}

#[test]
fn the_target_follows() {
    let lagging = |wanted: i32, kind: &str, updated: i32, moment: &str| {
        let case = Case::new()
            .replicas(wanted)
            .status_replicas(3)
            .wants(wanted);
        aimed_at(case, "apps/v1", kind).set("/target", target(kind, wanted, updated, moment))
    };
    let of_total = |total: &str| {
        let case = Case::new().replicas(10).status_replicas(15);
        case.external_average("lag", "100", &[total])
    };
    let surging = |running: i32| {
        Case::new()
            .replicas(10)
            .status_replicas(running)
            .external_average("lag", "100", &["1000"])
    };
    let rows = [
        row(
            Code::TargetLags,
            Severity::Warning,
            "StatefulSet/web has had 3 pods instead of 5 for 2m; the HPA is not the cause",
            lagging(5, "StatefulSet", 3, TWO_MINUTES_AGO),
            lagging(5, "StatefulSet", 3, "2026-03-01T11:59:01Z"),
        ),
        row(
            Code::TargetLags,
            Severity::Warning,
            "Deployment/web has had 3 pods instead of 2 for 2m; the HPA is not the cause",
            lagging(2, "Deployment", 3, TWO_MINUTES_AGO),
            // A roll-out has more pods than wanted.
            lagging(2, "Deployment", 1, TWO_MINUTES_AGO),
        ),
        row(
            Code::TargetLags,
            Severity::Info,
            "Deployment/web has 3 pods instead of 5; the HPA is not the cause",
            Case::new().replicas(5).status_replicas(3).wants(5),
            Case::new().replicas(5).status_replicas(5).wants(5),
        ),
        row(
            Code::RolloutSurge,
            Severity::Warning,
            "11 pods run instead of 10, as during a rollout; lag is inside its tolerance, so the HPA takes 11 as the size",
            surging(11),
            surging(12),
        ),
        row(
            Code::RolloutSurge,
            Severity::Warning,
            "15 pods run instead of 10, as during a rollout, so the ratio of lag is 0.60 instead of 0.90; with 10 pods the metrics ask for 10, not 9",
            of_total("900"),
            of_total("899"),
        ),
    ];
    hold(&rows, 5);
    let stuck = lagging(5, "StatefulSet", 3, TWO_MINUTES_AGO)
        .pod("web-0", cpu(10, 100))
        .pod("web-2", cpu(10, 100).ready("False", 300.0))
        .pod("web-10", cpu(10, 100).ready("False", 300.0));
    let finding = found(&stuck, Code::TargetLags).expect("it lags");
    let pods: Vec<_> = finding
        .evidence
        .iter()
        .filter(|fact| fact.about.starts_with("Pod/"))
        .collect();
    let [pod] = pods.as_slice() else {
        panic!("{pods:?}");
    };
    assert_eq!(pod.about, "Pod/web-2");
}

/// So many seconds before the pass.
fn ago_text(seconds: i64) -> String {
    let now: jiff::Timestamp = NOW.parse().expect("a time");
    (now - jiff::SignedDuration::from_secs(seconds)).to_string()
}

/// Rescales as events, by seconds before the pass.
fn rescaled(events: &[(i64, i64, i32, i32)]) -> Case {
    let event = |(first, last, count, size): &(i64, i64, i32, i32)| {
        let reason = if *size >= 9 {
            "cpu resource utilization (percentage of request) above target"
        } else {
            "All metrics below target"
        };
        json!({"reason": "SuccessfulRescale", "count": count,
            "firstTimestamp": ago_text(*first), "lastTimestamp": ago_text(*last),
            "message": format!("New size: {size}; reason: {reason}")})
    };
    let events: Vec<Value> = events.iter().map(event).collect();
    Case::new()
        .replicas(9)
        .wants(9)
        .behavior(json!({"scaleDown": {"stabilizationWindowSeconds": 30}}))
        .set("/events", events)
}

#[test]
fn the_ups_and_downs() {
    let six = [
        (630, 630, 1, 5),
        (510, 510, 1, 9),
        (390, 390, 1, 5),
        (270, 270, 1, 9),
        (150, 150, 1, 5),
        (30, 30, 1, 9),
    ];
    let rows = [
        row(
            Code::Flapping,
            Severity::Warning,
            "the size reversed at least 5 times in 10m, between 5 and 9; it last changed 30s ago",
            rescaled(&six),
            rescaled(&six[2..]),
        ),
        // Of equal events only the first and the last have a moment; each of
        // the others is a way there and back.
        row(
            Code::Flapping,
            Severity::Warning,
            "the size reversed at least 11 times in 23m, between 5 and 9; it last changed 30s ago",
            rescaled(&[(1410, 150, 6, 5), (1290, 30, 6, 9)]),
            rescaled(&[(1410, 150, 2, 5), (1290, 30, 2, 9)]),
        ),
        // Up and up again is no turn.
        row(
            Code::Flapping,
            Severity::Warning,
            "the size reversed at least 5 times in 10m, between 4 and 9; it last changed 30s ago",
            rescaled(&[six[0], six[1], six[2], six[3], (150, 150, 1, 4), six[5]]),
            rescaled(&[
                six[0],
                six[1],
                (390, 390, 1, 10),
                (270, 270, 1, 11),
                (150, 150, 1, 12),
            ]),
        ),
        // An hour ago it is over.
        row(
            Code::Flapping,
            Severity::Warning,
            "the size reversed at least 5 times in 10m, between 5 and 9; it last changed 9m ago",
            rescaled(&six.map(|(first, last, count, size)| (first + 510, last + 510, count, size))),
            rescaled(
                &six.map(|(first, last, count, size)| (first + 3000, last + 3000, count, size)),
            ),
        ),
    ];
    hold(&rows, 4);
    let finding = found(&rescaled(&six), Code::Flapping).expect("it flaps");
    let [trial, remedy] = finding.remedies.as_slice() else {
        panic!("{:?}", finding.remedies);
    };
    // What was tried comes before what is only inferred.
    let command = trial.command.as_ref().expect("a command").to_string();
    assert_eq!(command, "kubectl hpa-explain flaps web -n default");
    assert!(remedy.says.contains("not simulated"), "{}", remedy.says);
    let patch = remedy.patch.as_deref().expect("a patch");
    assert!(
        patch.ends_with("stabilizationWindowSeconds: 180"),
        "{patch}"
    );
    let reasons: Vec<_> = finding
        .evidence
        .iter()
        .filter(|fact| fact.about.ends_with("rescales"))
        .collect();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
}

/// A shell and YAML read every remedy as it is meant, and it fits the HPA.
#[test]
fn remedies_name_the_right_things() {
    let odd = || {
        Case::new()
            .replicas(3)
            .wants(3)
            .set("/horizontalPodAutoscaler/metadata/namespace", "shop")
            .set("/horizontalPodAutoscaler/spec/scaleTargetRef/name", "a b;c")
    };
    let rows = [
        (
            odd().replicas(0),
            Code::Paused,
            "kubectl scale 'deployment/a b;c' --replicas=1 -n shop",
        ),
        (
            aimed_at(odd().selector(""), "argoproj.io/v1alpha1", "Rollout"),
            Code::SelectorMissing,
            "kubectl get 'rollout.argoproj.io/a b;c' -n shop --subresource=scale -o yaml",
        ),
        (
            odd().set(
                "/scale",
                json!({"error": "deployments.apps \"a b;c\" not found"}),
            ),
            Code::TargetNotFound,
            "kubectl get deployment -n shop",
        ),
        (
            odd().status_replicas(1),
            Code::TargetLags,
            "kubectl describe 'deployment/a b;c' -n shop",
        ),
    ];
    for (case, code, command) in &rows {
        let finding = found(case, *code).unwrap_or_else(|| panic!("{code}"));
        let commands: Vec<_> = finding
            .remedies
            .iter()
            .filter_map(|it| it.command.as_ref())
            .map(ToString::to_string)
            .collect();
        assert_eq!(commands, [*command]);
    }
    assert_eq!(rows.len(), 4);
}
