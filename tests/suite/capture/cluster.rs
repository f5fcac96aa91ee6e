//! A made-up cluster in which every text that could be a secret is one.

use serde_json::{Value, json};

use crate::support::apiserver::{ApiServer, Builder, list_document};

/// A cluster with an HPA `web` in each namespace.
pub fn with_web_in(namespaces: &[&str]) -> Builder {
    let mut builder = ApiServer::empty();
    for namespace in namespaces {
        for (path, document) in documents(namespace) {
            builder = builder.put(&path, &document);
        }
    }
    builder.put(
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
        &json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "kube-controller-manager", "namespace": "kube-system"},
            "spec": {
                "holderIdentity": "SECRET-host_0d9f",
                "acquireTime": "2026-11-20T07:00:00.000000Z",
                "renewTime": "2026-11-20T08:02:20.000000Z",
            },
        }),
    )
}

fn documents(namespace: &str) -> Vec<(String, Value)> {
    let autoscaling = format!("/apis/autoscaling/v2/namespaces/{namespace}");
    let apps = format!("/apis/apps/v1/namespaces/{namespace}");
    let core = format!("/api/v1/namespaces/{namespace}");
    let metrics = format!("/apis/metrics.k8s.io/v1beta1/namespaces/{namespace}");
    let external = format!("/apis/external.metrics.k8s.io/v1beta1/namespaces/{namespace}");
    let list = list_document;
    vec![
        (
            format!("{autoscaling}/horizontalpodautoscalers"),
            list(
                "HorizontalPodAutoscalerList",
                "autoscaling/v2",
                &[autoscaler(namespace)],
            ),
        ),
        (
            format!("{apps}/deployments"),
            list("DeploymentList", "apps/v1", &[deployment(namespace)]),
        ),
        (
            format!("{apps}/replicasets"),
            list("ReplicaSetList", "apps/v1", &[replica_set(namespace)]),
        ),
        (
            format!("{core}/pods"),
            list(
                "PodList",
                "v1",
                // In no order, and one that is nobody's business.
                &["web-2", "web-1", "other-1"].map(|name| pod(namespace, name)),
            ),
        ),
        (
            format!("{metrics}/pods"),
            list(
                "PodMetricsList",
                "metrics.k8s.io/v1beta1",
                &["web-2", "web-1", "other-1"].map(|name| sample(namespace, name)),
            ),
        ),
        (
            format!("/apis/autoscaling.k8s.io/v1/namespaces/{namespace}/verticalpodautoscalers"),
            list(
                "VerticalPodAutoscalerList",
                "autoscaling.k8s.io/v1",
                &[vertical(namespace)],
            ),
        ),
        (
            format!("/apis/keda.sh/v1alpha1/namespaces/{namespace}/scaledobjects/web"),
            scaled_object(namespace),
        ),
        (
            format!("{external}/queue"),
            json!({
                "apiVersion": "external.metrics.k8s.io/v1beta1",
                "kind": "ExternalMetricValueList",
                "metadata": {},
                // In no order either.
                "items": [
                    {
                        "metricName": "queue",
                        "metricLabels": {"host": "SECRET-label-2"},
                        "timestamp": "2026-11-20T08:02:10Z",
                        "value": "30",
                    },
                    {
                        "metricName": "queue",
                        "metricLabels": {"host": "SECRET-label-1"},
                        "timestamp": "2026-11-20T08:02:10Z",
                        "value": "60",
                    },
                ],
            }),
        ),
    ]
}

fn metadata(namespace: &str, name: &str) -> Value {
    let app = name.split('-').next().unwrap_or(name);
    json!({
        "name": name,
        "namespace": namespace,
        "uid": format!("SECRET-uid-{namespace}-{name}"),
        "labels": {"app": app},
        "annotations": {"vault": "SECRET-annotation"},
        "creationTimestamp": "2026-11-20T07:00:00Z",
    })
}

fn autoscaler(namespace: &str) -> Value {
    let mut metadata = metadata(namespace, "web");
    metadata["ownerReferences"] = json!([{"kind": "ScaledObject", "name": "web"}]);
    json!({
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": metadata,
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1,
            "maxReplicas": 9,
            "metrics": [
                {"type": "Resource", "resource": {
                    "name": "cpu",
                    "target": {"type": "Utilization", "averageUtilization": 50},
                }},
                {"type": "External", "external": {
                    "metric": {"name": "queue"},
                    "target": {"type": "AverageValue", "averageValue": "30"},
                }},
            ],
        },
        "status": {"currentReplicas": 2, "desiredReplicas": 2},
    })
}

fn deployment(namespace: &str) -> Value {
    let applied = json!({
        "spec": {"replicas": 2, "template": {"spec": {"env": "SECRET-applied"}}},
    });
    let mut deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(namespace, "web"),
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"spec": {"containers": [container()]}},
        },
        "status": {
            "replicas": 2,
            "conditions": [
                {
                    "type": "ReplicaFailure",
                    "status": "True",
                    "reason": "FailedCreate",
                    "message": "denied: not on SECRET-node-7",
                },
            ],
        },
    });
    deployment["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] =
        applied.to_string().into();
    deployment
}

fn vertical(namespace: &str) -> Value {
    let mut metadata = metadata(namespace, "web");
    metadata["annotations"] = json!({"note": "SECRET-vpa"});
    json!({
        "metadata": metadata,
        "spec": {"targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
    })
}

fn scaled_object(namespace: &str) -> Value {
    let mut metadata = metadata(namespace, "web");
    metadata["annotations"] = json!({
        "autoscaling.keda.sh/paused": "true",
        "kubectl.kubernetes.io/last-applied-configuration": "SECRET-scaled",
    });
    json!({
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": metadata,
        "spec": {"triggers": [{"type": "x", "metadata": {"password": "SECRET-trigger"}}]},
        "status": {"conditions": [{"type": "Paused", "status": "True"}]},
    })
}

fn replica_set(namespace: &str) -> Value {
    let mut replica_set = deployment(namespace);
    replica_set["kind"] = "ReplicaSet".into();
    replica_set["metadata"]["name"] = "web-76bc5486c9".into();
    replica_set
}

fn container() -> Value {
    json!({
        "name": "app",
        "image": "SECRET.example/web:1.2",
        "command": ["SECRET-command"],
        "args": ["--password=SECRET-argument"],
        "env": [{"name": "PASSWORD", "value": "SECRET-environment"}],
        "resources": {"requests": {"cpu": "100m"}},
    })
}

fn pod(namespace: &str, name: &str) -> Value {
    let mut metadata = metadata(namespace, name);
    metadata["annotations"]["vpaObservedContainers"] = "app".into();
    json!({
        "metadata": metadata,
        "spec": {"nodeName": "SECRET-node-7", "containers": [container()]},
        "status": {
            "phase": "Running",
            "startTime": "2026-11-20T07:00:00Z",
            "hostIP": "SECRET-address",
            "conditions": [
                {
                    "type": "Ready",
                    "status": "True",
                    "lastTransitionTime": "2026-11-20T07:00:30Z",
                    "message": "assigned to SECRET-node-7.",
                },
            ],
        },
    })
}

fn sample(namespace: &str, name: &str) -> Value {
    json!({
        "metadata": metadata(namespace, name),
        "timestamp": "2026-11-20T08:02:10Z",
        "window": "15s",
        "containers": [{"name": "app", "usage": {"cpu": "80m"}}],
    })
}
