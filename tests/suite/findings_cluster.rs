//! Findings about others in the cluster: each as a table of what is found,
//! and of the nearest input of which it is not.

use crate::support;

use crate::support::flapping;

use std::collections::BTreeMap;

use crate::support::recording::Recording;
use hpa_explain::controller::{Overrides, Settings};
use hpa_explain::document::snapshot::{Snapshot, read_documents};
use hpa_explain::history::Observer;
use hpa_explain::trace::{Code, Finding, Severity, Trace};
use hpa_explain::what_if::explain;
use serde_json::{Value, json};
use support::build::Case;
use support::pod::cpu;

/// The codes that this is about.
const CODES: [Code; 8] = [
    Code::TargetOwned,
    Code::ReplicasWriter,
    Code::AppliedReplicas,
    Code::VpaConflict,
    Code::KedaPaused,
    Code::KedaFallback,
    Code::KedaOwned,
    Code::RollingUpdate,
];

fn read(document: &Value) -> Snapshot {
    let mut documents = read_documents(&document.to_string());
    assert_eq!(documents.len(), 1);
    documents.remove(0).snapshot.expect("a readable snapshot")
}

fn trace(snapshot: &Snapshot) -> Trace {
    let settings = Settings::resolve(snapshot, &Overrides::default());
    let observer = Observer::default();
    explain(snapshot, &settings, snapshot.captured_at, &observer)
}

/// What is found of others, as `Severity code: message`.
fn told(case: &Case) -> Vec<String> {
    let trace = trace(&read(&case.document()));
    of_others(&trace).map(line).collect()
}

fn of_others(trace: &Trace) -> impl Iterator<Item = &Finding> {
    let findings = trace.findings.iter();
    findings.filter(|finding| CODES.contains(&finding.code))
}

fn line(finding: &Finding) -> String {
    format!(
        "{:?} {}: {}",
        finding.severity, finding.code, finding.message
    )
}

/// The one finding of a code.
fn the(case: &Case, code: Code) -> Finding {
    let trace = trace(&read(&case.document()));
    let mut found = trace.findings.into_iter().filter(|it| it.code == code);
    let finding = found.next().expect("it is found");
    assert_eq!(found.next(), None, "once");
    finding
}

/// A healthy HPA of a Deployment with 4 pods, which the HPA last rescaled at
/// 11:50; the pass is at 12:00.
fn web() -> Case {
    Case::new()
        .cpu(60)
        .replicas(4)
        .bounds(2, 10)
        .remembers(&[(100, 4)])
        .pods(4, &cpu(300, 500))
        .set(
            "/horizontalPodAutoscaler/metadata/creationTimestamp",
            "2026-03-01T08:00:00Z",
        )
        .set(
            "/horizontalPodAutoscaler/metadata/managedFields",
            json!([{"manager": "kcm", "operation": "Update", "subresource": "status",
                "time": "2026-03-01T11:59:50Z"}]),
        )
        .set(
            "/horizontalPodAutoscaler/status/lastScaleTime",
            "2026-03-01T11:50:00Z",
        )
        .set("/target", target(&[("kcm", "Update", "scale", "", true)]))
}

/// Manager, operation, subresource, time, and whether it owns the size.
type Entry<'e> = (&'e str, &'e str, &'e str, &'e str, bool);

fn target(entries: &[Entry]) -> Value {
    json!({
        "metadata": {
            "name": "web",
            "creationTimestamp": "2026-03-01T08:00:00Z",
            "managedFields": entries.iter().map(entry).collect::<Vec<_>>(),
        },
        "spec": {"replicas": 4},
        "status": {"replicas": 4, "updatedReplicas": 4},
    })
}

fn entry((manager, operation, subresource, time, owns): &Entry) -> Value {
    let mut entry = json!({"manager": manager, "operation": operation});
    if !subresource.is_empty() {
        entry["subresource"] = json!(subresource);
    }
    if !time.is_empty() {
        entry["time"] = json!(time);
    }
    entry["fieldsV1"] = if *owns {
        json!({"f:spec": {"f:replicas": {}}})
    } else {
        json!({"f:spec": {}})
    };
    entry
}

fn managed(case: Case, entries: &[Entry]) -> Case {
    case.set("/target", target(entries))
}

/// What the Deployment's controller says of a change.
fn resized(at: &str, from: i32, to: i32) -> Value {
    let way = if to > from { "up" } else { "down" };
    event(
        ("Deployment", "ScalingReplicaSet"),
        at,
        &format!("Scaled {way} replica set web-7c9 from {from} to {to}"),
    )
}

/// What the HPA's controller says of a rescale.
fn rescaled(at: &str, to: i32) -> Value {
    let message = format!("New size: {to}; reason: cpu resource utilization above target");
    event(
        ("HorizontalPodAutoscaler", "SuccessfulRescale"),
        at,
        &message,
    )
}

fn event((kind, reason): (&str, &str), at: &str, message: &str) -> Value {
    let at = format!("2026-03-01T{at}Z");
    json!({
        "involvedObject": {"kind": kind, "name": "web"},
        "type": "Normal", "reason": reason, "message": message, "count": 1,
        "firstTimestamp": at, "lastTimestamp": at,
    })
}

/// Somebody sets 3 every three minutes, and the HPA 4 a quarter of a minute
/// later.
fn tug_of_war() -> Vec<Value> {
    let rounds = [
        ("11:49:45", "11:50:00"),
        ("11:46:45", "11:47:00"),
        ("11:43:45", "11:44:00"),
    ];
    let told = rounds
        .into_iter()
        .flat_map(|(theirs, own)| [resized(theirs, 4, 3), rescaled(own, 4), resized(own, 3, 4)]);
    told.collect()
}

const APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

fn applied(case: Case, text: &str) -> Case {
    case.set("/target/metadata/annotations", json!({APPLIED: text}))
}

#[test]
fn who_else_writes_the_size() {
    let own: Entry = ("kcm", "Update", "scale", "", true);
    let taken: Entry = ("kubectl", "Update", "scale", "2026-03-01T11:55:00Z", true);
    let rows: [(&str, Case, &[&str]); 13] = [
        ("nobody", web(), &[]),
        (
            "by hand, since the last rescale",
            managed(web(), &[taken]),
            &["Warning replicas-writer: kubectl scale, not the HPA, set the size of Deployment/web 5m ago"],
        ),
        (
            "before the last rescale, which would have taken the size from it",
            managed(web(), &[("kubectl", "Update", "scale", "2026-03-01T11:45:00Z", true)]),
            &[],
        ),
        (
            "together with the HPA: it has set the same size",
            managed(web(), &[own, ("argocd-controller", "Apply", "", "2026-03-01T11:55:00Z", true)]),
            &["Info applied-replicas: Argo CD (argocd-controller) set replicas of Deployment/web and will set it again"],
        ),
        (
            "who wrote something else",
            managed(web(), &[own, ("argocd-controller", "Apply", "", "2026-03-01T11:55:00Z", false)]),
            &[],
        ),
        (
            "the controller itself, whatever it is called",
            managed(web(), &[("kcm", "Update", "", "2026-03-01T11:55:00Z", true)]),
            &[],
        ),
        (
            "who created the target after the last rescale",
            managed(web(), &[("helm", "Update", "", "2026-03-01T11:55:00Z", true)])
                .set("/target/metadata/creationTimestamp", "2026-03-01T11:55:00Z"),
            &["Info applied-replicas: Helm set replicas of Deployment/web and will set it again"],
        ),
        (
            "who set the size at 0 is no news: the HPA is paused",
            managed(web(), &[taken]).replicas(0),
            &["Info replicas-writer: kubectl scale, not the HPA, set the size of Deployment/web 5m ago"],
        ),
        (
            "one change that is made up for",
            web().set("/events", json!([resized("11:49:45", 4, 3), rescaled("11:50:00", 4)])),
            &["Info replicas-writer: something other than the HPA set the size of Deployment/web from 4 to 3, 10m15s ago"],
        ),
        (
            "a change that is the HPA's",
            web().set("/events", json!([resized("11:50:00", 3, 4), rescaled("11:50:00", 4)])),
            &[],
        ),
        (
            "a tug of war",
            managed(web(), &[own, ("superset-operator", "Update", "", "2026-03-01T11:49:45Z", false)])
                .set("/events", json!(tug_of_war())),
            &["Warning replicas-writer: superset-operator, not the HPA, set the size of Deployment/web \
               3 times, about every 3m, last 10m15s ago"],
        ),
        (
            "while a roll-out moves pods, sizes of replica sets say nothing",
            web().set("/events", json!(tug_of_war())).set(
                "/replicaSets",
                json!([{"metadata": {"name": "web-8d1", "creationTimestamp": "2026-03-01T11:45:00Z"}}]),
            ),
            &[],
        ),
        (
            "before the HPA there was none to fight with",
            web()
                .set(
                    "/events",
                    json!([resized("11:49:45", 4, 3), rescaled("11:50:00", 4)]),
                )
                .set("/horizontalPodAutoscaler/metadata/creationTimestamp", "2026-03-01T11:49:50Z"),
            &[],
        ),
    ];
    for (name, case, expected) in &rows {
        assert_eq!(told(case), *expected, "{name}");
    }
    assert_eq!(rows.len(), 13);
}

#[test]
fn the_time_line_shows_both_sides() {
    let case = web().set("/events", json!(tug_of_war()));
    let evidence = the(&case, Code::ReplicasWriter).evidence;
    let told: Vec<String> = evidence
        .iter()
        .map(|fact| format!("{}: {}", fact.about, fact.says))
        .collect();
    let expected = [
        "Deployment/web: 2026-03-01T11:43:45Z Scaled down replica set web-7c9 from 4 to 3",
        "HorizontalPodAutoscaler/web: 2026-03-01T11:44:00Z New size: 4; reason: cpu resource utilization above target",
        "Deployment/web: 2026-03-01T11:46:45Z Scaled down replica set web-7c9 from 4 to 3",
        "HorizontalPodAutoscaler/web: 2026-03-01T11:47:00Z New size: 4; reason: cpu resource utilization above target",
        "Deployment/web: 2026-03-01T11:49:45Z Scaled down replica set web-7c9 from 4 to 3",
        "HorizontalPodAutoscaler/web: 2026-03-01T11:50:00Z New size: 4; reason: cpu resource utilization above target",
    ];
    assert_eq!(told, expected);
}

/// The HPA's own events can have been dropped; then only what it never does
/// tells of others.
#[test]
fn a_size_that_the_hpa_never_sets_is_somebody_elses() {
    // So many that not all may have been let through, and then none for as
    // long as one takes to be let through again.
    let many: Vec<Value> = (10..40)
        .chain([46, 52])
        .map(|minute| rescaled(&format!("11:{minute}:30"), 4 + minute % 2))
        .collect();
    let with = |size: i32| {
        let mut events = many.clone();
        events.push(resized("11:40:00", 4, size));
        told(&web().set("/events", json!(events)))
    };
    assert_eq!(with(6), [""; 0]);
    assert_eq!(
        with(1),
        [
            "Info replicas-writer: something other than the HPA set the size of Deployment/web from 4 to 1, 20m ago"
        ]
    );
}

#[test]
fn each_writer_has_its_recipe() {
    let at = "2026-03-01T11:55:00Z";
    let rows: [(Entry, &[&str]); 10] = [
        (
            ("kubectl-client-side-apply", "Update", "", at, true),
            &[
                "kubectl apply edit-last-applied deployment/web -n default",
                "remove spec.replicas from the manifest",
            ],
        ),
        (
            ("kubectl", "Apply", "", at, true),
            &[
                "replicas: 4",
                "--server-side --field-manager=handover-to-hpa",
            ],
        ),
        (
            ("helm", "Update", "", at, true),
            &[
                "if not .Values.autoscaling.enabled",
                "set the size to 1 once",
            ],
        ),
        (
            ("argocd-controller", "Apply", "", at, true),
            &[
                "ignoreDifferences",
                "group: apps",
                "RespectIgnoreDifferences=true",
            ],
        ),
        (
            ("kustomize-controller", "Apply", "", at, true),
            &["handover-to-hpa"],
        ),
        (
            ("helm-controller", "Update", "", at, true),
            &["autoscaling.enabled", "driftDetection"],
        ),
        (
            ("kubectl", "Update", "scale", at, true),
            &["set minReplicas"],
        ),
        (
            ("kubectl-edit", "Update", "", at, true),
            &["set minReplicas"],
        ),
        (
            ("superset-operator", "Update", "", at, true),
            &["kubectl get deployment/web -n default -o yaml --show-managed-fields"],
        ),
        (("terraform", "Apply", "", at, true), &["handover-to-hpa"]),
    ];
    for (entry, expected) in &rows {
        let finding = the(&managed(web(), &[*entry]), Code::ReplicasWriter);
        let text = serde_json::to_string(&finding.remedies).expect("JSON");
        for part in *expected {
            assert!(text.contains(part), "{entry:?}: {part}: {text}");
        }
    }
    assert_eq!(rows.len(), 10);
}

/// A field whose only owner gives it up is set to its default.
#[test]
fn who_shares_the_size_with_the_hpa_can_let_it_go() {
    let argo: Entry = ("flux", "Apply", "", "2026-03-01T11:55:00Z", true);
    let text = |entries: &[Entry], code| {
        let finding = the(&managed(web(), entries), code);
        serde_json::to_string(&finding.remedies).expect("JSON")
    };
    let alone = text(&[argo], Code::ReplicasWriter);
    let shared = text(
        &[argo, ("kcm", "Update", "scale", "", true)],
        Code::AppliedReplicas,
    );
    assert!(alone.contains("handover-to-hpa"), "{alone}");
    assert!(
        !shared.contains("handover-to-hpa") && shared.contains("the size stays"),
        "{shared}"
    );
}

#[test]
fn what_is_applied_sets_the_size_again() {
    let rows: [(&str, &[&str]); 6] = [
        (
            r#"{"spec":{"replicas":3,"template":{"spec":{"containers":[{"env":[{"value":"SECRET"}]}]}}}}"#,
            &[
                "Warning applied-replicas: the next apply of Deployment/web resets the size from 4 to 3",
            ],
        ),
        (
            r#"{"spec":{"replicas":4}}"#,
            &[
                "Info applied-replicas: the last applied manifest of Deployment/web sets replicas 4, the current size",
            ],
        ),
        (r#"{"spec":{}}"#, &[]),
        (r#"{"spec":{"replicas":null}}"#, &[]),
        (r#"{"spec":{"replicas":"3"}}"#, &[]),
        ("no JSON", &[]),
    ];
    for (text, expected) in &rows {
        let case = applied(web(), text);
        assert_eq!(told(&case), *expected, "{text}");
        let document = serde_json::to_string(&read(&case.document())).expect("JSON");
        assert!(!document.contains("SECRET"), "{document}");
    }
    assert_eq!(rows.len(), 6);
}

/// The recipe is that of whoever applies, and the same thing is told once.
#[test]
fn the_writer_that_applies_is_told_once() {
    let entry: Entry = (
        "kubectl-client-side-apply",
        "Update",
        "",
        "2026-03-01T11:55:00Z",
        true,
    );
    let case = applied(managed(web(), &[entry]), r#"{"spec":{"replicas":4}}"#);
    assert_eq!(
        told(&case),
        [
            "Warning replicas-writer: kubectl apply, not the HPA, set the size of Deployment/web 5m ago"
        ]
    );
    let argo: Entry = (
        "argocd-controller",
        "Update",
        "",
        "2026-03-01T11:40:00Z",
        false,
    );
    let case = applied(managed(web(), &[argo]), r#"{"spec":{"replicas":3}}"#);
    let remedies = the(&case, Code::AppliedReplicas).remedies;
    let patch = remedies.iter().find_map(|it| it.patch.as_deref());
    assert!(patch.expect("a patch").contains("ignoreDifferences"));
}

#[test]
fn a_target_that_is_a_part_of_something_else() {
    let owned = |kind: &str, owner: &str, controller: bool| {
        web()
            .set("/horizontalPodAutoscaler/spec/scaleTargetRef/kind", kind)
            .set(
                "/target/metadata/ownerReferences",
                json!([{"kind": owner, "name": "whole", "controller": controller}]),
            )
    };
    let rows: [(Case, &[&str]); 5] = [
        (
            owned("ReplicaSet", "Deployment", true),
            &[
                "Error target-owned: ReplicaSet/web belongs to Deployment/whole, which sets its size",
            ],
        ),
        (
            owned("ReplicaSet", "Rollout", true),
            &["Error target-owned: ReplicaSet/web belongs to Rollout/whole, which sets its size"],
        ),
        (
            owned("Deployment", "Superset", true),
            &[
                "Info target-owned: Deployment/web belongs to Superset/whole, which may set its size",
            ],
        ),
        (owned("ReplicaSet", "Deployment", false), &[]),
        (web(), &[]),
    ];
    for (case, expected) in &rows {
        assert_eq!(told(case), *expected);
    }
    assert_eq!(rows.len(), 5);
    let finding = the(&rows[0].0, Code::TargetOwned);
    let patch =
        "spec:\n  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: whole";
    assert_eq!(finding.remedies[0].patch.as_deref(), Some(patch));
}

fn vpa(mode: &Value, policies: &Value) -> Value {
    json!([{
        "metadata": {"name": "web-vpa"},
        "spec": {
            "targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "updatePolicy": {"updateMode": mode},
            "resourcePolicy": {"containerPolicies": policies},
        },
        "status": {"recommendation": {"containerRecommendations": [
            {"containerName": "app", "target": {"cpu": "250m", "memory": "128Mi"}},
            {"containerName": "other", "target": {"cpu": "1"}},
        ]}},
    }])
}

#[test]
fn a_vpa_on_the_resource_that_is_measured() {
    let sets = "changes the cpu request that the HPA's target is a percentage of";
    let with = |vpas: Value| web().set("/verticalPodAutoscalers", vpas);
    let found = |mode: &str| {
        vec![format!(
            "Warning vpa-conflict: VerticalPodAutoscaler web-vpa (mode {mode}) {sets}"
        )]
    };
    let mut other = vpa(&json!("Auto"), &json!([]));
    other[0]["spec"]["targetRef"]["name"] = json!("api");
    let average = web()
        .without_metrics()
        .cpu_average("300m")
        .set("/verticalPodAutoscalers", vpa(&json!("Auto"), &json!([])));
    let rows = [
        (with(vpa(&json!("Auto"), &json!([]))), found("Auto")),
        (with(vpa(&Value::Null, &json!(null))), found("Auto")),
        (with(vpa(&json!("Initial"), &json!([]))), found("Initial")),
        (
            with(vpa(&json!("InPlaceOrRecreate"), &json!([]))),
            found("InPlaceOrRecreate"),
        ),
        (with(vpa(&json!("Off"), &json!([]))), vec![]),
        (
            with(vpa(
                &json!("Auto"),
                &json!([{"containerName": "*", "controlledResources": ["memory"]}]),
            )),
            vec![],
        ),
        (
            with(vpa(
                &json!("Auto"),
                &json!([{"containerName": "app", "mode": "Off"}]),
            )),
            vec![],
        ),
        (with(other), vec![]),
        (average, vec![]),
    ];
    for (number, (case, expected)) in rows.iter().enumerate() {
        assert_eq!(told(case), *expected, "{number}");
    }
    assert_eq!(rows.len(), 9);
}

#[test]
fn what_keeps_a_vpa_off_the_measured_resource() {
    let remedies = |case: Case| {
        let finding = the(&case, Code::VpaConflict);
        let says: Vec<String> = finding.evidence.iter().map(|it| it.says.clone()).collect();
        (says, finding.remedies.into_iter().next().expect("a remedy"))
    };
    let auto = || vpa(&json!("Auto"), &json!([]));
    let (says, one) = remedies(web().set("/verticalPodAutoscalers", auto()));
    assert_eq!(
        says,
        ["cpu at 60% of the request", "recommends cpu 250m for app"]
    );
    let patch = one.patch.expect("a patch");
    assert!(
        patch.ends_with("controlledResources:\n      - memory"),
        "{patch}"
    );
    // Each resource is measured by: nothing is left to the VPA.
    let both = web().memory(70).set("/verticalPodAutoscalers", auto());
    let (_, both) = remedies(both);
    assert!(both.patch.expect("a patch").contains("updateMode: \"Off\""));
    // A patch would replace the policies that there are.
    let own = json!([{"containerName": "app", "minAllowed": {"cpu": "100m"}}]);
    let (_, policies) = remedies(web().set("/verticalPodAutoscalers", vpa(&json!("Auto"), &own)));
    assert_eq!(policies.patch, None);
    assert!(
        policies.says.contains("controlledResources: [memory]"),
        "{}",
        policies.says
    );
}

/// An HPA that KEDA made, with an external metric of 60 at a target of 20.
fn kedas() -> Case {
    Case::new()
        .bounds(1, 10)
        .replicas(3)
        .remembers(&[(100, 3)])
        .external_average("s0-rabbitmq-orders", "20", &["60"])
        .pods(3, &cpu(300, 500))
        .set(
            "/horizontalPodAutoscaler/metadata/ownerReferences",
            json!([{"kind": "ScaledObject", "name": "orders", "controller": true}]),
        )
}

const OWNED: &str = "Info keda-owned: KEDA created this HPA for ScaledObject/orders; KEDA scales between 0 and 1, the HPA from 1 up";

fn scaled_object(annotations: &Value, conditions: &Value) -> Value {
    json!({
        "metadata": {"name": "orders", "annotations": annotations},
        "spec": {
            "cooldownPeriod": 300, "minReplicaCount": 0,
            "fallback": {"failureThreshold": 3, "replicas": 3},
            "triggers": [{"type": "rabbitmq", "metadata": {"host": "amqp://SECRET"}}],
        },
        "status": {
            "conditions": conditions,
            "health": {"s0-rabbitmq-orders": {"numberOfFailures": 7, "status": "Failing"}},
            "lastActiveTime": "2026-03-01T11:58:00Z",
        },
    })
}

const MAYBE: &str = "Info keda-fallback: s0-rabbitmq-orders is exactly 3 times its target 20: \
                     it may be KEDA's fallback instead of a measurement (ScaledObject/orders was \
                     not read)";

/// Where the `ScaledObject` was not read: 60 of a target of 20 is remarked on.
#[test]
fn a_value_that_keda_may_have_made_up() {
    let with = |value: &str, target: &str| {
        let field = "/horizontalPodAutoscaler/spec/metrics/0/external/target/averageValue";
        kedas()
            .set("/metrics/external/0/response/items/0/value", value)
            .set(field, target)
    };
    let rows = [
        ("60", "20", true),
        ("61", "20", false),
        ("60500m", "20", false),
        ("0", "20", false),
        ("60", "20001m", false),
        // Of a small target many a measurement is a multiple.
        ("60", "6", false),
    ];
    for (value, target, is_remarked) in rows {
        let expected = if is_remarked {
            vec![MAYBE, OWNED]
        } else {
            vec![OWNED]
        };
        assert_eq!(told(&with(value, target)), expected, "{value} of {target}");
    }
}

#[test]
fn what_keda_does_beside_the_hpa_that_it_made() {
    let with = |annotations: Value, conditions: Value| {
        kedas().set("/scaledObject", scaled_object(&annotations, &conditions))
    };
    let fallback =
        |status: &str| json!([{"type": "Fallback", "status": status, "reason": "FallbackExists"}]);
    let labels = json!({
        "app.kubernetes.io/managed-by": "keda-operator",
        "scaledobject.keda.sh/name": "orders",
    });
    let made_up = "Warning keda-fallback: s0-rabbitmq-orders is not a measurement but the fallback (replicas 3), \
                   because KEDA cannot read its source";
    let unknown = "Warning keda-fallback: ScaledObject/orders uses its fallback, because KEDA cannot read a source";
    let paused = |at: &str| {
        format!("Warning keda-paused: ScaledObject/orders is paused{at}, so KEDA does not scale")
    };
    let rows: [(&str, Case, Vec<String>); 12] = [
        (
            "no owner",
            kedas().set(
                "/horizontalPodAutoscaler/metadata/ownerReferences",
                json!([]),
            ),
            vec![],
        ),
        (
            "not read",
            kedas(),
            vec![MAYBE.to_owned(), OWNED.to_owned()],
        ),
        (
            "by its labels",
            kedas()
                .set(
                    "/horizontalPodAutoscaler/metadata/ownerReferences",
                    json!([]),
                )
                .set("/horizontalPodAutoscaler/metadata/labels", labels),
            vec![MAYBE.to_owned(), OWNED.to_owned()],
        ),
        (
            "all is well",
            with(json!({}), fallback("False")),
            vec![OWNED.to_owned()],
        ),
        (
            "in fallback",
            with(json!({}), fallback("True")),
            vec![made_up.to_owned(), OWNED.to_owned()],
        ),
        (
            "in fallback, with another metric's value",
            with(json!({}), fallback("True"))
                .set("/metrics/external/0/response/items/0/value", "61"),
            vec![unknown.to_owned(), OWNED.to_owned()],
        ),
        (
            "paused",
            with(json!({"autoscaling.keda.sh/paused": "true"}), json!([])),
            vec![paused(""), OWNED.to_owned()],
        ),
        (
            "paused, by a word that is no truth value",
            with(json!({"autoscaling.keda.sh/paused": "please"}), json!([])),
            vec![paused(""), OWNED.to_owned()],
        ),
        (
            "not paused",
            with(json!({"autoscaling.keda.sh/paused": "false"}), json!([])),
            vec![OWNED.to_owned()],
        ),
        (
            "paused at a size",
            with(
                json!({"autoscaling.keda.sh/paused-replicas": "0"}),
                json!([]),
            ),
            vec![paused(" (paused-replicas: 0)"), OWNED.to_owned()],
        ),
        (
            "by its condition alone",
            with(json!({}), json!([{"type": "Paused", "status": "True"}])),
            vec![paused(""), OWNED.to_owned()],
        ),
        (
            "another annotation",
            with(json!({"other": "true"}), json!([])),
            vec![OWNED.to_owned()],
        ),
    ];
    for (name, case, expected) in &rows {
        assert_eq!(told(case), *expected, "{name}");
        let document = serde_json::to_string(&read(&case.document())).expect("JSON");
        assert!(!document.contains("SECRET"), "{name}");
    }
    assert_eq!(rows.len(), 12);
}

#[test]
fn kedas_numbers_are_in_the_evidence() {
    let fallback = json!([{"type": "Fallback", "status": "True", "reason": "FallbackExists"}]);
    let paused = json!({"autoscaling.keda.sh/paused-replicas": "0"});
    let case = kedas().set("/scaledObject", scaled_object(&paused, &fallback));
    let says = |code| {
        let finding = the(&case, code);
        let facts = finding.evidence.into_iter();
        facts
            .map(|fact| format!("{}: {}", fact.about, fact.says))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        says(Code::KedaFallback),
        [
            "ScaledObject/orders Fallback: True: FallbackExists",
            "s0-rabbitmq-orders: 60 = target 20 × fallback.replicas 3",
            "ScaledObject/orders s0-rabbitmq-orders: Failing; consecutive failures: 7",
        ]
    );
    let owned = says(Code::KedaOwned);
    assert_eq!(owned.len(), 3, "{owned:?}");
    assert!(
        owned[1].starts_with("ScaledObject/orders spec.cooldownPeriod: 5m without activity"),
        "{owned:?}"
    );
    let command = the(&case, Code::KedaPaused).remedies[0].command.clone();
    assert_eq!(
        command.expect("a command").to_string(),
        "kubectl annotate scaledobject orders -n default autoscaling.keda.sh/paused-replicas-"
    );
}

/// What KEDA does between 0 and 1 is no fight with its own HPA.
#[test]
fn keda_is_nobody_else() {
    let scaled = |case: Case| {
        let entry: Entry = ("keda", "Update", "scale", "2026-03-01T11:55:00Z", true);
        managed(case, &[entry])
            .set(
                "/horizontalPodAutoscaler/status/lastScaleTime",
                "2026-03-01T11:50:00Z",
            )
            .set(
                "/events",
                json!([resized("11:55:00", 1, 0), resized("11:56:00", 0, 1)]),
            )
    };
    let measured = kedas().set("/metrics/external/0/response/items/0/value", "61");
    assert_eq!(told(&scaled(measured)), [OWNED]);
    let others = kedas().set(
        "/horizontalPodAutoscaler/metadata/ownerReferences",
        json!([]),
    );
    assert_eq!(
        told(&scaled(others)),
        [
            "Info replicas-writer: KEDA, not the HPA, set the size of Deployment/web from 1 to 0, 5m ago"
        ]
    );
}

#[test]
fn a_rolling_update() {
    let status = |all: Value, updated: Value| {
        web().set(
            "/target/status",
            json!({"replicas": all, "updatedReplicas": updated}),
        )
    };
    let rows: [(Case, &[&str]); 5] = [
        (status(json!(4), json!(4)), &[]),
        (status(json!(4), Value::Null), &[]),
        (
            status(json!(4), json!(3)),
            &["Info rolling-update: Deployment/web is rolling out: 3 of 4 pods are updated"],
        ),
        (
            status(json!(5), json!(1)),
            &[
                "Info rolling-update: Deployment/web is rolling out: 1 of 5 pods are updated; the 5 pods are 1 more than its size 4",
            ],
        ),
        (
            status(json!(i32::MAX), json!(i32::MIN)).set("/target/spec/replicas", i32::MIN),
            &[
                "Info rolling-update: Deployment/web is rolling out: -2147483648 of 2147483647 pods are updated; the \
               2147483647 pods are 4294967295 more than its size -2147483648",
            ],
        ),
    ];
    for (case, expected) in &rows {
        assert_eq!(told(case), *expected);
    }
    assert_eq!(rows.len(), 5);
}

/// Twenty-five minutes of a real cluster, with a `kubectl scale` at 08:30:21
/// and a `kubectl apply` at 08:32:31.
#[test]
fn the_writers_of_a_real_cluster() {
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    for sample in flapping::samples() {
        let trace = trace(&sample.snapshot);
        for finding in of_others(&trace).filter(|it| it.code == Code::ReplicasWriter) {
            let message = finding.message.rsplit_once(", ").expect("an age").0;
            let told = format!("{:?} {message}", finding.severity);
            first
                .entry(told)
                .or_insert(sample.at.strftime("%H:%M:%S").to_string());
        }
    }
    let told: Vec<(&str, &str)> = first
        .iter()
        .map(|(told, at)| (at.as_str(), told.as_str()))
        .collect();
    let expected = [
        (
            "08:30:26",
            "Info something other than the HPA set the size of Deployment/api from 13 to 3",
        ),
        (
            "08:32:36",
            "Warning kubectl apply, not the HPA, set the size of Deployment/api from 8 to 4",
        ),
    ];
    assert_eq!(told, expected);
}

/// Only one server can be registered for an API: it is named where the API
/// fails, with what the API server says of it.
#[test]
fn who_answers_for_an_api_that_fails_is_named() {
    let failing = web().set(
        "/metrics/resource",
        json!({"error": "the server is currently unable to handle the request (get pods.metrics.k8s.io)"}),
    );
    let registered = failing.clone().set(
        "/apiServices",
        json!([{
            "metadata": {"name": "v1beta1.metrics.k8s.io"},
            "spec": {"service": {"namespace": "kube-system", "name": "metrics-server"}},
            "status": {"conditions": [{
                "type": "Available", "status": "False", "reason": "MissingEndpoints",
                "message": "endpoints for service/metrics-server have no addresses",
            }]},
        }]),
    );
    let of_api = |case: &Case| -> Vec<String> {
        let evidence = the(case, Code::MetricsApiUnavailable).evidence.into_iter();
        let facts = evidence.filter(|fact| fact.about.starts_with("APIService/"));
        facts
            .map(|fact| format!("{}: {}", fact.about, fact.says))
            .collect()
    };
    assert_eq!(of_api(&failing), [""; 0]);
    assert_eq!(
        of_api(&registered),
        [
            "APIService/v1beta1.metrics.k8s.io: served by Service kube-system/metrics-server",
            "APIService/v1beta1.metrics.k8s.io: Available False (MissingEndpoints): endpoints for \
             service/metrics-server have no addresses",
        ]
    );
    let remedies = the(&registered, Code::MetricsApiUnavailable).remedies;
    let commands: Vec<String> = remedies
        .iter()
        .flat_map(hpa_explain::trace::Remedy::texts)
        .collect();
    let endpoints =
        "kubectl get endpointslices -n kube-system -l kubernetes.io/service-name=metrics-server";
    assert!(
        commands.iter().any(|it| it.replace('\'', "") == endpoints),
        "{commands:#?}"
    );
}

/// Every message is a line that a person can read.
#[test]
fn recorded_hpas_are_told_of_others_in_a_line_each() {
    let (mut hpas, mut counts) = (0, BTreeMap::new());
    for name in ["steady", "surge", "cooling", "settled", "metrics-down"] {
        let recording = Recording::open(name);
        for hpa in recording.autoscalers() {
            let trace = trace(&read(&recording.snapshot(&hpa)));
            for finding in of_others(&trace) {
                assert!(
                    finding.message.chars().count() <= 140,
                    "{}",
                    finding.message
                );
                assert!(!finding.message.ends_with('.'), "{}", finding.message);
                *counts.entry(finding.code).or_insert(0) += 1;
                let is_db = trace.name == "db";
                assert!(
                    !is_db || finding.severity == Severity::Info,
                    "{}",
                    finding.message
                );
            }
            hpas += 1;
        }
    }
    assert_eq!(hpas, 50);
    assert_eq!(counts, BTreeMap::from([(Code::KedaOwned, 5)]));
}
