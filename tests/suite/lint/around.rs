//! What stands beside an HPA and decides what it can do: its target's kind,
//! the target itself, its pods, and what else scales it.

use std::collections::BTreeSet;

use hpa_explain::trace::Code;

use super::{code, found, run};
use crate::support::binary::{stderr, stdout};

/// What may be found and is no matter here.
const APPLIED: Code = Code::AppliedReplicas;

struct Input(String);

fn input(target: &str, spec: &str) -> Input {
    let metrics = if spec.contains("metrics:") {
        ""
    } else {
        "  metrics: [{type: Resource, \
        resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}]\n"
    };
    let bounds = if spec.contains("maxReplicas:") {
        ""
    } else {
        "  maxReplicas: 10\n"
    };
    Input(format!(
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: web, \
         namespace: shop}}\nspec:\n  minReplicas: 2\n  scaleTargetRef: {{{target}}}\n{bounds}{metrics}{spec}"
    ))
}

const WEB: &str = "apiVersion: apps/v1, kind: Deployment, name: web";

fn web(spec: &str) -> Input {
    input(WEB, spec)
}

impl Input {
    fn and(mut self, document: &str) -> Self {
        self.0.push_str("---\n");
        self.0.push_str(document);
        self.0.push('\n');
        self
    }

    fn object(self, what: &str, spec: &str) -> Self {
        let (kind, rest) = what.split_once(' ').expect("kind and name");
        let (version, kind) = kind.rsplit_once('/').expect("version and kind");
        let (namespace, name) = rest.split_once('/').unwrap_or(("shop", rest));
        let namespace = match namespace {
            "" => String::new(),
            namespace => format!(", namespace: {namespace}"),
        };
        self.and(&format!(
            "{{apiVersion: {version}, kind: {kind}, metadata: {{name: {name}{namespace}}}, spec: {{{spec}}}}}"
        ))
    }

    /// The Deployment web with these in its pods' spec.
    fn pods(self, spec: &str) -> Self {
        self.object(
            "apps/v1/Deployment web",
            &format!("template: {{spec: {{{spec}}}}}"),
        )
    }

    fn containers(self, containers: &str) -> Self {
        self.pods(&format!("containers: [{containers}]"))
    }

    fn found(&self) -> BTreeSet<(Code, String)> {
        let mut found = found(&self.0, 36, &[]);
        found.retain(|(code, _)| *code != APPLIED);
        found
    }
}

const APP: &str = "{name: app, resources: {requests: {cpu: 100m, memory: 128Mi}}}";

fn metric(resource: &str, target: &str) -> String {
    format!(
        "  metrics: [{{type: Resource, resource: {{name: {resource}, target: {{{target}}}}}}}]\n"
    )
}

fn of_container(name: &str) -> String {
    format!(
        "  metrics: [{{type: ContainerResource, containerResource: {{name: cpu, container: {name}, \
         target: {{type: Utilization, averageUtilization: 60}}}}}}]\n"
    )
}

fn external(name: &str, target: &str) -> String {
    format!(
        "  metrics: [{{type: External, external: {{metric: {{name: {name}}}, target: {{{target}}}}}}}]\n"
    )
}

fn down(rules: &str) -> String {
    format!("  behavior: {{scaleDown: {{{rules}}}}}\n")
}

/// What it is about, an input, and all that is found in it.
type Row<'r> = (&'r str, Input, Option<(Code, &'r str)>);

/// Inputs, and all that is found in them.
fn check(rows: Vec<Row>, count: usize) {
    assert_eq!(rows.len(), count);
    for (what, input, expected) in rows {
        let expected = expected.map(|(code, field)| (code, field.to_owned()));
        assert_eq!(
            input.found(),
            BTreeSet::from_iter(expected),
            "{what}\n{}",
            input.0
        );
    }
}

#[rustfmt::skip] // one row a line
#[test]
fn the_kind_of_the_target() {
    let of = |version: &str, kind: &str| input(&format!("{version}kind: {kind}, name: web"), "");
    let kind = "spec.scaleTargetRef.kind";
    let unknown = Some((Code::TargetUnknownKind, kind));
    let without = Some((Code::TargetCannotScale, kind));
    check(vec![
        ("a typo", of("apiVersion: apps/v1, ", "Deploymnet"), unknown),
        ("lower case", of("apiVersion: apps/v1, ", "deployment"), unknown),
        ("a plural", of("apiVersion: apps/v1, ", "StatefulSets"), unknown),
        ("a removed group", of("apiVersion: extensions/v1beta1, ", "Deployment"), unknown),
        ("another group", of("apiVersion: apps/v1, ", "ReplicationController"), unknown),
        ("the core group", of("apiVersion: v1, ", "Deployment"), unknown),
        ("no group", of("", "Deployment"), Some((Code::TargetUnknownKind, "spec.scaleTargetRef"))),
        ("a DaemonSet", of("apiVersion: apps/v1, ", "DaemonSet"), without),
        ("a Job", of("apiVersion: batch/v1, ", "Job"), without),
        ("a CronJob", of("apiVersion: batch/v1, ", "CronJob"), without),
        ("a Pod", of("apiVersion: v1, ", "Pod"), without),
        ("a kind of somebody's, without its group", of("apiVersion: apps/v1, ", "Rollout"), without),
        // Those that are right, or of which nothing is known.
        ("a Deployment", of("apiVersion: apps/v1, ", "Deployment"), None),
        ("an old version, which does not count", of("apiVersion: apps/v1beta1, ", "Deployment"), None),
        ("a StatefulSet", of("apiVersion: apps/v1, ", "StatefulSet"), None),
        ("a ReplicaSet", of("apiVersion: apps/v1, ", "ReplicaSet"), None),
        ("a ReplicationController", of("apiVersion: v1, ", "ReplicationController"), None),
        ("a Rollout", of("apiVersion: argoproj.io/v1alpha1, ", "Rollout"), None),
        ("a kind like one of Kubernetes", of("apiVersion: apps.kruise.io/v1alpha1, ", "DaemonSet"), None),
        ("somebody's Job", of("apiVersion: example.com/v1, ", "Job"), None),
    ], 20);
}

#[rustfmt::skip] // one row a line
#[test]
fn a_target_that_is_not_among_the_manifests() {
    let webb = || input("apiVersion: apps/v1, kind: Deployment, name: webb", "");
    let missing = Some((Code::TargetNotFound, "spec.scaleTargetRef.name"));
    let (deployment, set) = ("apps/v1/Deployment", "apps/v1/StatefulSet");
    check(vec![
        ("a typo", webb().object(&format!("{deployment} web"), ""), missing),
        ("a typo, nothing has a namespace", webb().object(&format!("{deployment} /web"), ""), missing),
        ("another one of its kind", webb().object(&format!("{deployment} cart"), ""), missing),
        ("its name, of another kind", webb().object(&format!("{set} webb"), "template: {spec: {}}"), missing),
        ("alone", webb(), None),
        ("others of another kind", webb().object(&format!("{set} web"), "").object("v1/Service webb", ""), None),
        ("others of another namespace", webb().object(&format!("{deployment} prod/web"), ""), None),
        ("it is there", webb().object(&format!("{deployment} webb"), ""), None),
        ("it is there and says no namespace", webb().object(&format!("{deployment} /webb"), ""), None),
        ("in another version", webb().object("apps/v1beta1/Deployment webb", ""), None),
        ("a Rollout beside Deployments", input("apiVersion: argoproj.io/v1alpha1, kind: Rollout, name: web", "").object(&format!("{deployment} cart"), ""), None),
    ], 11);
    let told = |text: &str| {
        let output = run(&["-f", "-"], text.as_bytes());
        (code(&output), stdout(&output).split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (_, said) = told(&webb().object(&format!("{deployment} web"), "").0);
    assert!(said.contains("did you mean Deployment web (line"), "{said}");
    // It may well come from elsewhere.
    let (_, said) = told(&webb().object(&format!("{deployment} cart"), "").0);
    assert!(said.contains("note"), "{said}");
}

#[rustfmt::skip] // one row a line
#[test]
fn what_the_pods_request() {
    let missing = Some((Code::MissingRequest, "spec.metrics[0]"));
    let none = "{name: side}";
    let sidecar = |resources: &str| format!("containers: [{APP}], initContainers: [{{name: mesh, restartPolicy: Always, {resources}}}]");
    check(vec![
        ("no request", web("").containers("{name: app}"), missing),
        ("one of two", web("").containers(&format!("{APP}, {none}")), missing),
        ("of memory", web(&metric("memory", "type: Utilization, averageUtilization: 60")).containers("{name: app, resources: {requests: {cpu: 1}}}"), missing),
        ("the default metric", web("  metrics: []\n").containers(none), missing),
        ("a sidecar", web("").pods(&sidecar("image: x")), missing),
        ("of the container that is measured", web(&of_container("side")).containers(&format!("{APP}, {none}")), missing),
        ("what else is wrong in the template", web("").containers("{name: app, image: yes, ports: 5}"), missing),
        ("no namespace", web("").object("apps/v1/Deployment /web", "template: {spec: {containers: [{name: app}]}}"), missing),
        ("a StatefulSet", input("apiVersion: apps/v1, kind: StatefulSet, name: web", "").object("apps/v1/StatefulSet web", "template: {spec: {containers: [{name: app}]}}"), missing),
        ("in a base and an overlay", web("").containers("{name: app}").containers("{name: app}"), missing),
        ("beside a patch without a template", web("").containers("{name: app}").object("apps/v1/Deployment web", "paused: true"), missing),
        // The nearest that are well.
        ("all request", web("").containers(&format!("{APP}, {APP}")), None),
        ("a limit is the request", web("").containers("{name: app, resources: {limits: {cpu: 1}}}"), None),
        ("a LimitRange", web("").containers(none).object("v1/LimitRange all", "limits: []"), None),
        ("of the pod", web("").pods("containers: [{name: app}], resources: {requests: {cpu: 1}}"), None),
        ("an init container", web("").pods(&format!("containers: [{APP}], initContainers: [{{name: init}}]")), None),
        ("a sidecar that requests", web("").pods(&sidecar("resources: {requests: {cpu: 1}}")), None),
        ("an average in units", web(&metric("cpu", "type: AverageValue, averageValue: 1")).containers(none), None),
        ("another container", web(&of_container("app")).containers(&format!("{APP}, {none}")), None),
        ("of another namespace", web("").object("apps/v1/Deployment prod/web", "template: {spec: {containers: [{name: app}]}}"), None),
        ("two versions of it", web("").containers(APP).containers(none), None),
        ("patched in", web("").containers("{name: app}").containers(APP), None),
        ("without a template", web("").object("apps/v1/Deployment web", "paused: true"), None),
    ], 23);
}

#[rustfmt::skip] // one row a line
#[test]
fn a_container_that_is_not_there() {
    let wrong = Some((Code::WrongContainer, "spec.metrics[0].containerResource.container"));
    check(vec![
        ("another name", web(&of_container("application")).containers(APP), wrong),
        ("an init container", web(&of_container("init")).pods(&format!("containers: [{APP}], initContainers: [{{name: init}}]")), wrong),
        ("upper case", web(&of_container("App")).containers(APP), wrong),
        ("beside a LimitRange", web(&of_container("application")).containers(APP).object("v1/LimitRange all", "limits: []"), wrong),
        ("it is there", web(&of_container("app")).containers(APP), None),
        ("a sidecar", web(&of_container("mesh")).pods(&format!("containers: [{APP}], initContainers: [{{name: mesh, restartPolicy: Always, resources: {{requests: {{cpu: 1}}}}}}]")), None),
        ("what a mesh injects", web(&of_container("istio-proxy")).containers(APP), None),
        ("nothing beside it", web(&of_container("application")), None),
    ], 8);
}

#[rustfmt::skip] // one row a line
#[test]
fn a_target_above_the_limits() {
    let above = Some((Code::TargetAboveLimit, "spec.metrics[0]"));
    let at = |percent: u32| metric("cpu", &format!("type: Utilization, averageUtilization: {percent}"));
    let limited = "{name: app, resources: {requests: {cpu: 100m}, limits: {cpu: 200m}}}";
    let guaranteed = "{name: app, resources: {limits: {cpu: 1, memory: 1Gi}}}";
    check(vec![
        ("300% of 200%", web(&at(300)).containers(limited), above),
        ("inside the tolerance", web(&at(182)).containers(limited), above),
        ("a limit alone", web(&at(100)).containers(guaranteed), above),
        ("an average", web(&metric("memory", "type: AverageValue, averageValue: 2Gi")).containers(guaranteed), above),
        ("of one container", web(&of_container("app").replace("60", "300")).containers(&format!("{limited}, {{name: side}}")), above),
        ("a wide tolerance", web(&format!("{}  behavior: {{scaleUp: {{tolerance: 0.5}}}}\n", at(140))).containers(limited), above),
        ("out of the tolerance", web(&at(181)).containers(limited), None),
        ("no limit", web(&at(300)).containers(APP), None),
        ("one of two without a limit", web(&at(300)).containers(&format!("{limited}, {APP}")), None),
        ("an average below", web(&metric("memory", "type: AverageValue, averageValue: 900Mi")).containers(guaranteed), None),
        ("of the pod", web(&at(300)).pods(&format!("containers: [{limited}], resources: {{limits: {{cpu: 4}}}}")), None),
    ], 11);
}

#[rustfmt::skip] // one row a line
#[test]
fn what_else_scales_the_target() {
    let keda = "keda.sh/v1alpha1/ScaledObject";
    let vpa = "autoscaling.k8s.io/v1/VerticalPodAutoscaler web";
    let twice = Some((Code::AmbiguousSelector, "spec.scaleTargetRef"));
    let conflict = Some((Code::VpaConflict, "spec.metrics[0]"));
    let vertical = |more: &str| format!("targetRef: {{{WEB}}}{more}");
    let annotated = |annotation: &str, spec: &str| format!(
        "{{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {{name: q, namespace: shop, annotations: {{{annotation}}}}}, spec: {{{spec}}}}}");
    let transfer = "scaledobject.keda.sh/transfer-hpa-ownership: 'true'";
    let config = |name: &str| format!("scaleTargetRef: {{name: web}}, advanced: {{horizontalPodAutoscalerConfig: {{name: {name}}}}}");
    check(vec![
        ("a ScaledObject", web("").object(&format!("{keda} web"), "scaleTargetRef: {name: web}"), twice),
        ("without a namespace", web("").object(&format!("{keda} /q"), "scaleTargetRef: {name: web}"), twice),
        ("in full", web("").object(&format!("{keda} q"), &format!("scaleTargetRef: {{{WEB}}}")), twice),
        ("that names its HPA otherwise", web("").object(&format!("{keda} q"), &config("other")), twice),
        ("that takes over another HPA", web("").and(&annotated(transfer, &config("other"))), twice),
        ("that takes over this HPA", web("").and(&annotated(transfer, &config("web"))), None),
        ("that is paused", web("").and(&annotated("autoscaling.keda.sh/paused: 'true'", "scaleTargetRef: {name: web}")), None),
        ("of another target", web("").object(&format!("{keda} web"), "scaleTargetRef: {name: cart}"), None),
        ("of another kind", web("").object(&format!("{keda} web"), "scaleTargetRef: {name: web, kind: StatefulSet}"), None),
        ("of another namespace", web("").object(&format!("{keda} prod/web"), "scaleTargetRef: {name: web}"), None),
        ("a ScaledJob", web("").object("keda.sh/v1alpha1/ScaledJob web", "jobTargetRef: {}"), None),
        ("a VPA", web("").object(vpa, &vertical(", updatePolicy: {updateMode: Auto}")), conflict),
        ("a VPA by default", web("").object(vpa, &vertical("")), conflict),
        ("a VPA at the start", web("").object(vpa, &vertical(", updatePolicy: {updateMode: Initial}")), conflict),
        ("a VPA of memory", web(&metric("memory", "type: Utilization, averageUtilization: 60")).object(vpa, &vertical(", resourcePolicy: {containerPolicies: [{containerName: '*', controlledResources: [memory]}]}")), conflict),
        ("a VPA that is off", web("").object(vpa, &vertical(", updatePolicy: {updateMode: 'Off'}")), None),
        ("a VPA of the other resource", web("").object(vpa, &vertical(", resourcePolicy: {containerPolicies: [{containerName: '*', controlledResources: [memory]}]}")), None),
        ("a VPA of another target", web("").object(vpa, "targetRef: {apiVersion: apps/v1, kind: Deployment, name: cart}"), None),
        ("a VPA and an average", web(&metric("cpu", "type: AverageValue, averageValue: 1")).object(vpa, &vertical("")), None),
        ("a VPA that leaves the only container alone", web("").containers(APP).object(vpa, &vertical(", resourcePolicy: {containerPolicies: [{containerName: app, mode: 'Off'}]}")), None),
    ], 20);
}

#[rustfmt::skip] // one row a line
#[test]
fn a_queue_by_its_whole() {
    let kind = "spec.metrics[0].external.target.type";
    let whole = Some((Code::ValueForAverage, kind));
    let value = "type: Value, value: 30";
    check(vec![
        ("a queue's length", web(&external("queue_length", value)), whole),
        ("of a queue service", web(&external("sqs-ApproximateNumberOfMessagesVisible", value)), whole),
        ("a lag", web(&external("kafka.consumer_group.lag", value)), whole),
        ("in camel case", web(&external("jobsWaiting", value)), whole),
        ("an average", web(&external("queue_length", "type: AverageValue, averageValue: 30")), None),
        ("a time", web(&external("queue_wait_seconds", value)), None),
        ("a speed", web(&external("messages_rate", value)), None),
        ("something else", web(&external("requests_in_flight", value)), None),
        ("a part of a word", web(&external("flag_enqueued", value)), None),
    ], 9);
}

#[rustfmt::skip] // one row a line
#[test]
fn what_never_counts() {
    let unused = |field| Some((Code::PolicyUnused, field));
    let policies = |all: &str| down(&format!("policies: [{all}]"));
    let (pods, percent) = ("{type: Pods, value: 5, periodSeconds: 60}", "{type: Percent, value: 10, periodSeconds: 60}");
    let second = "spec.behavior.scaleDown.policies[1]";
    let cpu = "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}";
    let twice = |other: &str| web(&format!("  metrics: [{cpu}, {other}]\n"));
    let again = Some((Code::MetricTwice, "spec.metrics[1]"));
    check(vec![
        ("10% of 10 pods beside 5", web(&policies(&format!("{pods}, {percent}"))), unused(second)),
        ("10% of 50 pods", web(&format!("  maxReplicas: 50\n{}", policies(&format!("{pods}, {percent}")))), unused(second)),
        ("the smaller one", web(&down(&format!("selectPolicy: Min, policies: [{percent}, {pods}]"))), unused(second)),
        ("100% up beside 1", web("  behavior: {scaleUp: {policies: [{type: Percent, value: 100, periodSeconds: 15}, {type: Pods, value: 2, periodSeconds: 15}]}}\n"), unused("spec.behavior.scaleUp.policies[1]")),
        ("10% of 51 pods", web(&format!("  maxReplicas: 51\n{}", policies(&format!("{pods}, {percent}")))), None),
        ("sooner", web(&policies(&format!("{pods}, {}", percent.replace("60", "30")))), None),
        ("what is the default", web("  maxReplicas: 4\n  behavior: {scaleDown: {stabilizationWindowSeconds: 60}}\n"), None),
        ("the same metric", twice(cpu), again),
        ("with another target", twice(&cpu.replace("60", "70")), again),
        ("of the same queue", web(&external("queue", "type: AverageValue, averageValue: 5").replace("}]", "}, {type: External, external: {metric: {name: queue}, target: {type: AverageValue, averageValue: 9}}}]")), again),
        ("another resource", twice(&cpu.replace("cpu", "memory")), None),
        ("an average beside a percentage", twice(&cpu.replace("type: Utilization, averageUtilization: 60", "type: AverageValue, averageValue: 1")), None),
    ], 12);
    let disabled = |side: &str, rules: &str| web(&format!("  behavior: {{{side}: {{selectPolicy: Disabled{rules}}}}}\n")).found();
    let rows = [
        ("scaleDown", ", stabilizationWindowSeconds: 600", Some("spec.behavior.scaleDown.stabilizationWindowSeconds")),
        ("scaleDown", ", policies: [{type: Pods, value: 5, periodSeconds: 60}]", Some("spec.behavior.scaleDown.policies")),
        ("scaleUp", ", stabilizationWindowSeconds: 60", Some("spec.behavior.scaleUp.stabilizationWindowSeconds")),
        ("scaleDown", ", stabilizationWindowSeconds: 0", None),
        ("scaleDown", "", None),
    ];
    assert_eq!(rows.len(), 5);
    for (side, rules, field) in rows {
        let unused = disabled(side, rules).into_iter().find(|(code, _)| *code == Code::PolicyUnused);
        assert_eq!(unused.map(|(_, at)| at), field.map(str::to_owned), "{rules}");
    }
}

/// No remedy of a finding leads to another finding: what it says to set is set,
/// and looked at again.
#[test]
fn a_remedy_raises_nothing() {
    let every_minute = "{type: Percent, value: 10, periodSeconds: 60}";
    // The part of each remedy that is for the HPA, where it goes.
    let rows = [
        ("sudden-drop", web(&down("stabilizationWindowSeconds: 300"))),
        ("sudden-drop of a pass", web(&down(&format!("policies: [{every_minute}]")))),
        ("percent-trap from 0", web("  behavior: {scaleUp: {selectPolicy: Max, policies: [{type: Pods, value: 2, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 15}]}}\n")),
        ("target-unknown-kind", web("")),
        ("value-for-average", web(&external("queue_length", "type: AverageValue, averageValue: 30"))),
        ("vpa-conflict", web("").object("autoscaling.k8s.io/v1/VerticalPodAutoscaler web", &format!("targetRef: {{{WEB}}}, resourcePolicy: {{containerPolicies: [{{containerName: '*', controlledResources: [memory]}}]}}"))),
    ];
    assert_eq!(rows.len(), 6);
    for (code, mut input) in rows {
        if code == "percent-trap from 0" {
            input.0 = input.0.replace("minReplicas: 2", "minReplicas: 0");
            let all = found(&input.0, 37, &[]);
            assert_eq!(all, BTreeSet::new(), "{code}\n{}", input.0);
            continue;
        }
        assert_eq!(input.found(), BTreeSet::new(), "{code}\n{}", input.0);
    }
    // And as it is printed.
    let raised = [
        input("apiVersion: apps/v1, kind: Deploymnet, name: web", ""),
        web(&down("stabilizationWindowSeconds: 0")),
        web(&metric("cpu", "type: Value, averageUtilization: 60")),
    ];
    let mut patched = 0;
    for input in raised {
        let output = run(&["-f", "-", "-o", "json"], input.0.as_bytes());
        let review: serde_json::Value = serde_json::from_str(stdout(&output)).expect("a review");
        let mut document: serde_yaml::Value = serde_yaml::from_str(&input.0).expect("a manifest");
        for finding in review["findings"].as_array().expect("findings") {
            for remedy in finding["remedies"].as_array().into_iter().flatten() {
                let Some(patch) = remedy["patch"].as_str() else {
                    continue;
                };
                let mut patch: serde_yaml::Value = serde_yaml::from_str(patch).expect("YAML");
                // Of a metric only the part that it is about is told.
                let of_metric = patch.get("target").cloned();
                if let Some(target) = of_metric {
                    patch =
                        serde_yaml::from_str("spec: {metrics: [{resource: {}}]}").expect("YAML");
                    patch["spec"]["metrics"][0]["resource"]["target"] = target;
                }
                merge(&mut document, &patch);
                patched += 1;
            }
        }
        let text = serde_yaml::to_string(&document).expect("YAML");
        assert_eq!(found(&text, 36, &[]), BTreeSet::new(), "{text}");
    }
    assert_eq!(patched, 3);
}

/// Sets what a patch says, and leaves the rest; items of lists by their place.
fn merge(document: &mut serde_yaml::Value, patch: &serde_yaml::Value) {
    use serde_yaml::Value;
    match (document, patch) {
        (Value::Mapping(own), Value::Mapping(patch)) => {
            for (key, value) in patch {
                merge(own.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (Value::Sequence(own), Value::Sequence(patch)) if own.len() >= patch.len() => {
            for (own, patch) in own.iter_mut().zip(patch) {
                merge(own, patch);
            }
        }
        (own, patch) => *own = patch.clone(),
    }
}

/// A misspelt kind is no other kind: it fails, whatever the flags.
#[test]
fn a_misspelt_kind_fails() {
    let good = web("").0;
    let rows = [
        ("HorizontalPodAutoScaler", "autoscaling/v2", 1),
        ("horizontalpodautoscaler", "autoscaling/v2", 1),
        ("HorizontalPodAutoscalers", "autoscaling/v2", 1),
        ("HorizontalPodAutoscale", "autoscaling/v1", 1),
        ("HPA", "autoscaling/v2", 1),
        ("HorizontalAutoscaler", "autoscaling/v2beta2", 1),
        ("HorizontalPodAutoScaler", "v2", 1),
        // What is somebody else's, or another kind.
        ("HorizontalPodAutoscalers", "example.com/v1", 0),
        ("WatermarkPodAutoscaler", "datadoghq.com/v1alpha1", 0),
        ("VerticalPodAutoscaler", "autoscaling.k8s.io/v1", 0),
        ("Scale", "autoscaling/v1", 0),
        ("ConfigMap", "v1", 0),
    ];
    assert_eq!(rows.len(), 12);
    for (kind, version, expected) in rows {
        let text = good.replace("HorizontalPodAutoscaler", kind);
        let text = text.replace(
            "apiVersion: autoscaling/v2",
            &format!("apiVersion: {version}"),
        );
        for arguments in [&["-f", "-"][..], &["-f", "-", "--exit-code"]] {
            let output = run(arguments, text.as_bytes());
            let said = format!("{}{}", stdout(&output), stderr(&output));
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(code(&output), expected, "{kind} {version}: {said}");
            let is_asked = said.contains("did you mean HorizontalPodAutoscaler?");
            assert_eq!(is_asked, expected == 1, "{kind} {version}: {said}");
        }
    }
}
