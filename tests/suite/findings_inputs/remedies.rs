//! What a finding rests on, and what it says helps: commands for the right
//! objects of the right namespace, and parts of manifests.

use hpa_explain::trace::{Code, Finding};
use serde_json::{Value, json};

use crate::findings_inputs::found;
use crate::support::build::Case;
use crate::support::pod::{Pod, container, cpu, silent};

fn of_code(code: Code, case: &Case) -> Finding {
    let findings = found(&case.document());
    let found = findings.into_iter().find(|finding| finding.code == code);
    found.unwrap_or_else(|| panic!("no {code}"))
}

fn commands(finding: &Finding) -> Vec<String> {
    let commands = finding.remedies.iter();
    commands
        .filter_map(|remedy| Some(remedy.command.as_ref()?.to_string()))
        .collect()
}

fn patches(finding: &Finding) -> Vec<&str> {
    let patches = finding.remedies.iter();
    patches
        .filter_map(|remedy| remedy.patch.as_deref())
        .collect()
}

fn facts(finding: &Finding) -> Vec<String> {
    let facts = finding.evidence.iter();
    facts
        .map(|fact| format!("{}: {}", fact.about, fact.says))
        .collect()
}

fn template(names: &[&str]) -> Value {
    let containers: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
    json!({"metadata": {"name": "web"}, "spec": {"template": {"spec": {"containers": containers}}}})
}

/// Two containers, the second one without requests.
fn meshed(name: &str) -> Case {
    let pod = Pod::of(vec![
        container("app")
            .uses("cpu", "50m")
            .uses("memory", "64Mi")
            .requests("cpu", "100m")
            .requests("memory", "128Mi"),
        container(name).uses("cpu", "12m").uses("memory", "20M"),
    ]);
    Case::new().replicas(2).pods(2, &pod).cpu(60).memory(60)
}

#[test]
fn a_container_of_the_template_gets_its_request_there() {
    let finding = of_code(
        Code::MissingRequest,
        &meshed("proxy").set("/target", template(&["app", "proxy"])),
    );
    assert_eq!(
        commands(&finding),
        ["kubectl set resources deployment/web -n default -c proxy --requests=cpu=12m,memory=20Mi"]
    );
    assert_eq!(
        facts(&finding),
        ["Pod/pod-0 container proxy: no cpu or memory request; in the pod template; also in pod-1"]
    );
    assert_eq!(
        patches(&finding),
        [
            "spec:\n  metrics:\n  - containerResource:\n      container: app\n      name: cpu\n      target:\n        averageUtilization: 60\n        type: Utilization\n    type: ContainerResource\n  - containerResource:\n      container: app\n      name: memory\n      target:\n        averageUtilization: 60\n        type: Utilization\n    type: ContainerResource"
        ]
    );
}

#[test]
fn an_injected_container_gets_its_request_where_the_injector_reads_it() {
    let rows = [
        (
            "linkerd-proxy",
            Some(
                "spec:\n  template:\n    metadata:\n      annotations:\n        config.linkerd.io/proxy-cpu-request: 12m\n        config.linkerd.io/proxy-memory-request: 20Mi",
            ),
        ),
        (
            "istio-proxy",
            Some(
                "spec:\n  template:\n    metadata:\n      annotations:\n        sidecar.istio.io/proxyCPU: 12m\n        sidecar.istio.io/proxyMemory: 20Mi",
            ),
        ),
        (
            "daprd",
            Some(
                "spec:\n  template:\n    metadata:\n      annotations:\n        dapr.io/sidecar-cpu-request: 12m\n        dapr.io/sidecar-memory-request: 20Mi",
            ),
        ),
        ("proxy", None),
    ];
    for (name, patch) in rows {
        let case = meshed(name).set("/target", template(&["app"]));
        let finding = of_code(Code::MissingRequest, &case);
        let annotated = patches(&finding)
            .into_iter()
            .find(|patch| patch.contains("annotations"));
        assert_eq!(annotated, patch, "{name}");
        assert!(commands(&finding).is_empty(), "{name}: {finding:#?}");
    }
}

#[test]
fn a_pod_of_somebody_else_is_told_with_the_result_without_it() {
    let owner = |kind: &str, name: &str| json!([{"kind": kind, "name": name, "controller": true}]);
    let job = Pod::of(vec![container("job")])
        .phase("Succeeded")
        .unsampled();
    let case = Case::new()
        .release(38)
        .replicas(3)
        .bounds(2, 5)
        .pods(2, &cpu(10, 100))
        .pod("report-1", job)
        .cpu(80)
        .set(
            "/pods/0/metadata/ownerReferences",
            owner("ReplicaSet", "web-1"),
        )
        .set(
            "/pods/1/metadata/ownerReferences",
            owner("ReplicaSet", "web-1"),
        )
        .set("/pods/2/metadata/ownerReferences", owner("Job", "report"))
        .set(
            "/replicaSets",
            json!([{"metadata": {"name": "web-1", "ownerReferences": owner("Deployment", "web")}}]),
        );
    let finding = of_code(Code::MissingRequest, &case);
    assert_eq!(
        facts(&finding),
        [
            "Pod/report-1 container job: no cpu request; phase Succeeded",
            "scale.status.selector: app=web matches them",
            "without it: cpu is at 10% and asks for 1; the size would be 2",
        ]
    );
    assert_eq!(
        commands(&finding),
        ["kubectl delete pod report-1 -n default"]
    );
}

#[test]
fn a_renamed_container_gets_both_names() {
    let case = Case::new()
        .replicas(2)
        .pod(
            "new",
            Pod::of(vec![
                container("next").uses("cpu", "1m").requests("cpu", "9m"),
            ]),
        )
        .pod("old", cpu(50, 100))
        .container_cpu("next", 60);
    let rows = [
        (
            32,
            "before Kubernetes 1.33, one such pod makes the metric fail for all pods",
        ),
        (
            33,
            "in Kubernetes 1.33, such a pod counts as a pod without a sample",
        ),
        (
            35,
            "since Kubernetes 1.35, one such pod makes a utilization metric fail for all pods",
        ),
    ];
    for (release, effect) in rows {
        let finding = of_code(Code::WrongContainer, &case.clone().release(release));
        assert_eq!(
            facts(&finding),
            [
                format!("spec.metrics[0]: {effect}"),
                "Pod/old: has app".to_owned()
            ]
        );
        let patch = patches(&finding).concat();
        let names: Vec<&str> = patch
            .lines()
            .filter_map(|line| line.trim().strip_prefix("container: "))
            .collect();
        assert_eq!(names, ["next", "app"]);
    }
}

#[test]
fn each_failure_of_an_api_has_the_command_that_shows_it() {
    let failed = |error: &str| {
        Case::new()
            .fails(error)
            .set("/horizontalPodAutoscaler/metadata/namespace", "shop")
    };
    let get = "kubectl get --raw /apis/external.metrics.k8s.io/v1beta1/namespaces/shop/broken-0";
    let rows: [(Code, &str, &[&str]); 4] = [
        (
            Code::MetricsApiMissing,
            "the server could not find the requested resource (get broken-0.external.metrics.k8s.io)",
            &["kubectl get apiservice v1beta1.external.metrics.k8s.io"],
        ),
        (
            Code::MetricsApiUnavailable,
            "the server is currently unable to handle the request",
            &[
                "kubectl describe apiservice v1beta1.external.metrics.k8s.io",
                get,
            ],
        ),
        (
            Code::MetricsForbidden,
            "broken-0.external.metrics.k8s.io is forbidden: User \"x\" cannot list",
            &[
                "kubectl auth can-i list broken-0.external.metrics.k8s.io -n shop --as system:serviceaccount:kube-system:horizontal-pod-autoscaler",
            ],
        ),
        (
            Code::MetricNotFound,
            "the server could not find the metric broken-0 for ",
            &[
                get,
                "kubectl get --raw /apis/external.metrics.k8s.io/v1beta1",
            ],
        ),
    ];
    for (code, error, wanted) in rows {
        assert_eq!(commands(&of_code(code, &failed(error))), wanted, "{code}");
    }
}

#[test]
fn pods_without_a_sample_are_told_with_their_node_and_effect() {
    let case = Case::new()
        .replicas(3)
        .pod("ok", cpu(90, 100))
        .pods(2, &silent(100))
        .cpu(60)
        .set("/pods/0/spec/nodeName", "w-1")
        .set("/pods/1/spec/nodeName", "w-3")
        .set("/pods/2/spec/nodeName", "w-3")
        .set(
            "/pods/1/status/containerStatuses",
            json!([{"name": "app", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]),
        );
    let finding = of_code(Code::PodsWithoutSample, &case);
    assert_eq!(
        facts(&finding),
        [
            "Pod/pod-1: Running, Ready, CrashLoopBackOff (app); started 1d ago on node w-3",
            "Pod/pod-2: Running, Ready; started 1d ago on node w-3",
            "cpu: a pod without a sample counts as 100% of its request for a scale-down, as 0 for a scale-up; this changes it from 90% to 30%",
            "Node/w-3: no pod on it has a sample",
        ]
    );
    assert_eq!(
        commands(&finding),
        ["kubectl get --raw /apis/metrics.k8s.io/v1beta1/nodes/w-3"]
    );
}

#[test]
fn a_target_in_percent_is_told_with_the_limit_of_the_template() {
    let limits = json!({"limits": {"cpu": "1"}});
    let target = json!({"metadata": {"name": "web"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "resources": limits}]}}}});
    let case = Case::new()
        .pods(4, &cpu(275, 250))
        .replicas(4)
        .cpu(80)
        .set("/target", target);
    let finding = of_code(Code::TargetInUnits, &case);
    assert_eq!(
        facts(&finding),
        [
            "spec.metrics[0]: measured 275m per pod, 110%",
            "the pod template: the target is 20% of the limit 1 cpu; limits do not count",
        ]
    );
}

/// No name from the cluster gets out of its word.
#[test]
fn names_stay_words_of_a_shell() {
    let case = Case::new()
        .replicas(2)
        .pod("one", cpu(90, 100))
        .pod("x; rm -rf $HOME", silent(100))
        .cpu(60);
    let finding = of_code(Code::PodsWithoutSample, &case);
    assert_eq!(
        commands(&finding),
        ["kubectl describe pod 'x; rm -rf $HOME' -n default"]
    );
}
