//! Where the controller asks: the paths of every request, with the resource
//! names that its client puts into error texts.

use form_urlencoded::byte_serialize;

use crate::snapshot::{CrossVersionObjectReference, MetricIdentifier, wire_text};

use super::reader::Asked;

/// A kind that has a scale, or that a metric can describe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The plural.
    pub plural: String,
}

impl Resource {
    fn new(group: &str, version: &str, plural: &str) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            plural: plural.to_owned(),
        }
    }

    /// The resource behind a kind that every cluster has; no discovery is
    /// needed for these. The version in the reference does not matter.
    #[must_use]
    pub fn built_in(reference: &CrossVersionObjectReference) -> Option<Self> {
        let group = group_of(&reference.api_version);
        let resource = match (group, reference.kind.as_str()) {
            ("apps" | "extensions", "Deployment") => Self::new("apps", "v1", "deployments"),
            ("apps", "StatefulSet") => Self::new("apps", "v1", "statefulsets"),
            ("apps" | "extensions", "ReplicaSet") => Self::new("apps", "v1", "replicasets"),
            ("", "ReplicationController") => Self::new("", "v1", "replicationcontrollers"),
            ("", "Pod") => Self::new("", "v1", "pods"),
            ("", "Service") => Self::new("", "v1", "services"),
            ("networking.k8s.io", "Ingress") => Self::new("networking.k8s.io", "v1", "ingresses"),
            _ => return None,
        };
        Some(resource)
    }

    /// `ingresses.networking.k8s.io`, or the plural alone in the core group.
    #[must_use]
    pub fn qualified(&self) -> String {
        if self.group.is_empty() {
            return self.plural.clone();
        }
        format!("{}.{}", self.plural, self.group)
    }

    fn base(&self) -> String {
        if self.group.is_empty() {
            return format!("/api/{}", self.version);
        }
        format!("/apis/{}/{}", self.group, self.version)
    }
}

/// The group of an `apiVersion`; empty for the core group.
#[must_use]
pub fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// One HPA.
#[must_use]
pub fn autoscaler(namespace: &str, name: &str) -> Asked {
    Asked {
        path: format!("{}/{}", autoscalers(namespace).path, segment(name)),
        resource: "horizontalpodautoscalers.autoscaling".to_owned(),
        name: name.to_owned(),
    }
}

/// The HPAs of a namespace.
#[must_use]
pub fn autoscalers(namespace: &str) -> Asked {
    let namespace = segment(namespace);
    Asked {
        path: format!("/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers"),
        resource: "horizontalpodautoscalers.autoscaling".to_owned(),
        name: String::new(),
    }
}

/// The server's version.
#[must_use]
pub fn version() -> Asked {
    Asked {
        path: "/version".to_owned(),
        resource: "version".to_owned(),
        name: String::new(),
    }
}

/// The resources of an API group, to find the plural of a kind.
#[must_use]
pub fn discovery(api_version: &str) -> Asked {
    let path = if api_version.contains('/') {
        format!("/apis/{api_version}")
    } else {
        format!("/api/{api_version}")
    };
    Asked {
        path,
        resource: "resources".to_owned(),
        name: String::new(),
    }
}

/// The scale of a target. The controller's scale client prints no group.
#[must_use]
pub fn scale(resource: &Resource, namespace: &str, name: &str) -> Asked {
    Asked {
        path: format!(
            "{}/namespaces/{}/{}/{}/scale",
            resource.base(),
            segment(namespace),
            resource.plural,
            segment(name)
        ),
        resource: resource.plural.clone(),
        name: name.to_owned(),
    }
}

/// The workloads of a kind, `Deployment` or `StatefulSet`, of a namespace.
#[must_use]
pub fn workloads(namespace: &str, kind: &str) -> Asked {
    let plural = format!("{}s", kind.to_ascii_lowercase());
    Asked {
        path: format!("/apis/apps/v1/namespaces/{}/{plural}", segment(namespace)),
        resource: format!("{plural}.apps"),
        name: String::new(),
    }
}

/// A page of the pods that a selector matches.
#[must_use]
pub fn pods(namespace: &str, selector: &str, page: Option<&str>) -> Asked {
    let mut path = format!(
        "/api/v1/namespaces/{}/pods?labelSelector={}&limit=500",
        segment(namespace),
        value(selector)
    );
    if let Some(token) = page {
        path = format!("{path}&continue={}", value(token));
    }
    Asked {
        path,
        resource: "pods".to_owned(),
        name: String::new(),
    }
}

/// The samples of the pods that a selector matches.
#[must_use]
pub fn pod_metrics(namespace: &str, selector: &str) -> Asked {
    Asked {
        path: format!(
            "/apis/metrics.k8s.io/v1beta1/namespaces/{}/pods{}",
            segment(namespace),
            query(&[("labelSelector", selector)])
        ),
        resource: "pods.metrics.k8s.io".to_owned(),
        name: String::new(),
    }
}

/// A custom metric of each pod.
#[must_use]
pub fn pods_metric(namespace: &str, selector: &str, metric: &MetricIdentifier) -> Asked {
    let metric_selector = wire_text(metric.selector.as_ref()).unwrap_or_default();
    Asked {
        path: format!(
            "/apis/custom.metrics.k8s.io/v1beta2/namespaces/{}/pods/%2A/{}{}",
            segment(namespace),
            segment(&metric.name),
            query(&[
                ("labelSelector", selector),
                ("metricLabelSelector", &metric_selector),
            ])
        ),
        resource: "pods.custom.metrics.k8s.io".to_owned(),
        name: "*".to_owned(),
    }
}

/// A custom metric of one object; `None` of a namespace, whose own name is
/// not looked at.
#[must_use]
pub fn object_metric(
    namespace: &str,
    object: Option<(&Resource, &str)>,
    metric: &MetricIdentifier,
) -> Asked {
    let metric_selector = wire_text(metric.selector.as_ref()).unwrap_or_default();
    let base = format!(
        "/apis/custom.metrics.k8s.io/v1beta2/namespaces/{}",
        segment(namespace)
    );
    let query = query(&[("metricLabelSelector", &metric_selector)]);
    let metric = segment(&metric.name);
    match object {
        Some((resource, name)) => Asked {
            path: format!(
                "{base}/{}/{}/{metric}{query}",
                resource.qualified(),
                segment(name)
            ),
            resource: format!("{}.custom.metrics.k8s.io", resource.qualified()),
            name: name.to_owned(),
        },
        None => Asked {
            path: format!("{base}/metrics/{metric}{query}"),
            resource: "metrics.custom.metrics.k8s.io".to_owned(),
            name: metric,
        },
    }
}

/// An external metric.
#[must_use]
pub fn external_metric(namespace: &str, metric: &MetricIdentifier) -> Asked {
    let metric_selector = wire_text(metric.selector.as_ref()).unwrap_or_default();
    Asked {
        path: format!(
            "/apis/external.metrics.k8s.io/v1beta1/namespaces/{}/{}{}",
            segment(namespace),
            segment(&metric.name),
            query(&[("labelSelector", &metric_selector)])
        ),
        resource: format!("{}.external.metrics.k8s.io", metric.name),
        name: String::new(),
    }
}

/// The kube-controller-manager's pods, where they run in the cluster.
#[must_use]
pub fn controller_managers() -> Asked {
    Asked {
        path:
            "/api/v1/namespaces/kube-system/pods?labelSelector=component%3Dkube-controller-manager"
                .to_owned(),
        resource: "pods".to_owned(),
        name: String::new(),
    }
}

/// A query of the parameters that are not empty, as client-go leaves empty
/// ones out.
fn query(parameters: &[(&str, &str)]) -> String {
    let present = parameters.iter().filter(|(_, text)| !text.is_empty());
    let pairs: Vec<String> = present
        .map(|(name, text)| format!("{name}={}", value(text)))
        .collect();
    if pairs.is_empty() {
        return String::new();
    }
    format!("?{}", pairs.join("&"))
}

fn value(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

/// A path segment: blanks are not `+` there.
fn segment(text: &str) -> String {
    value(text).replace('+', "%20")
}
