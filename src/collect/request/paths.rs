//! Where the controller asks: the paths of every request, with the resource
//! names that its client puts into error texts, and the rights that each
//! needs.

use jiff::Timestamp;
use serde::Deserialize;

use super::collect_error::is_by_admission;
use crate::api::url::{query, segment, value};
use crate::api::{CrossVersionObjectReference, MetricIdentifier, beginning, needing, wire_text};
use crate::collect::request::{Depth, Right};

/// The most objects of one page, as in kubectl.
const PAGE: usize = 500;

/// The namespace of the controller's own objects.
pub const KUBE_SYSTEM: &str = "kube-system";

/// What is asked for; resource and name are client-go's terms, for its error
/// texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The path with its query.
    pub path: String,
    /// The resource with its group, such as `pods.metrics.k8s.io`.
    pub resource: String,
    /// The object; empty for a list.
    pub name: String,
    /// What one must be allowed to ask it; absent for what everybody may.
    pub right: Option<Right>,
    /// What the answer is to say that it is; absent where anything may come.
    pub kind: Option<AnswerKind>,
    /// Where the objects are, if the answer is a list of them.
    pub depth: Depth,
}

/// What an object or a list says that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerKind {
    api_version: String,
    /// Or how the kind of any list ends.
    name: String,
}

/// The fields that say it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TypeMeta {
    api_version: String,
    kind: String,
}

impl TypeMeta {
    /// Whether the document does not say what it is.
    pub fn is_nothing(&self) -> bool {
        self.kind.is_empty()
    }
}

/// No kind and no version is longer.
const LONGEST: usize = 63;

impl Endpoint {
    /// What came in the place of what was asked for, if anything did: any
    /// document would do for an object of which every field can be missing.
    pub fn unexpected(&self, came: &TypeMeta) -> Option<String> {
        let AnswerKind { api_version, name } = self.kind.as_ref()?;
        let is_kind = match name.as_str() {
            "List" => came.kind.ends_with("List"),
            name => came.kind == name,
        };
        if is_kind && came.api_version == *api_version {
            return None;
        }
        let came = match came.kind.as_str() {
            "" => "a document without a kind".to_owned(),
            kind => format!(
                "{} of apiVersion {:?}",
                beginning(kind, LONGEST),
                beginning(&came.api_version, LONGEST)
            ),
        };
        let path = &self.path;
        Some(format!(
            "unexpected answer to {path}: {came}, not a {name} of {api_version}"
        ))
    }

    /// What everybody may ask, and what may be anything.
    fn open(path: String, resource: &str) -> Self {
        Self {
            path,
            resource: resource.to_owned(),
            name: String::new(),
            right: None,
            kind: None,
            depth: Depth::List,
        }
    }

    /// The page of a list that a continue token leads to.
    pub fn page(mut self, token: Option<&str>) -> Self {
        let separator = if self.path.contains('?') { '&' } else { '?' };
        self.path = format!("{}{separator}limit={PAGE}", self.path);
        if let Some(token) = token {
            self.path = format!("{}&continue={}", self.path, value(token));
        }
        self
    }

    /// A refusal that names the right that is missing. The API server's own
    /// sentence does; those of proxies before it need not.
    pub fn refused(&self, text: &str) -> String {
        match &self.right {
            Some(right) if !text.contains(&right.resource) && !is_by_admission(text) => {
                needing(text, right)
            }
            _ => text.to_owned(),
        }
    }
}

/// A kind that has a scale, or that a metric can describe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The group; empty for the core group.
    pub group: String,
    pub version: String,
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
    pub fn built_in(reference: &CrossVersionObjectReference) -> Option<Self> {
        Some(Self::new(reference.group(), "v1", reference.plural()?))
    }

    /// `ingresses.networking.k8s.io`, or the plural alone in the core group.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() {
            return self.plural.clone();
        }
        format!("{}.{}", self.plural, self.group)
    }

    fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// What one of its objects is; of a kind that somebody defined it is not
    /// known.
    fn kind(&self) -> Option<&'static str> {
        Some(match (self.group.as_str(), self.plural.as_str()) {
            ("apiregistration.k8s.io", "apiservices") => "APIService",
            ("apps", "deployments") => "Deployment",
            ("apps", "replicasets") => "ReplicaSet",
            ("apps", "statefulsets") => "StatefulSet",
            ("autoscaling", "horizontalpodautoscalers") => "HorizontalPodAutoscaler",
            ("autoscaling.k8s.io", "verticalpodautoscalers") => "VerticalPodAutoscaler",
            ("coordination.k8s.io", "leases") => "Lease",
            ("keda.sh", "scaledobjects") => "ScaledObject",
            ("metrics.k8s.io", "pods") => "PodMetrics",
            ("", "events") => "Event",
            ("", "limitranges") => "LimitRange",
            ("", "namespaces") => "Namespace",
            ("", "nodes") => "Node",
            ("", "pods") => "Pod",
            ("", "replicationcontrollers") => "ReplicationController",
            ("", "resourcequotas") => "ResourceQuota",
            ("", "services") => "Service",
            _ => return None,
        })
    }

    fn answer(&self, kind: impl Into<String>) -> AnswerKind {
        AnswerKind {
            api_version: self.api_version(),
            name: kind.into(),
        }
    }

    fn right(&self, verb: &'static str, namespace: Option<&str>) -> Right {
        Right::new(verb, &self.group, &self.plural, namespace)
    }

    /// The path of its objects, in a namespace or in all.
    fn objects(&self, namespace: Option<&str>) -> String {
        let base = if self.group.is_empty() {
            format!("/api/{}", self.version)
        } else {
            format!("/apis/{}/{}", self.group, self.version)
        };
        match namespace {
            Some(namespace) => {
                format!("{base}/namespaces/{}/{}", segment(namespace), self.plural)
            }
            None => format!("{base}/{}", self.plural),
        }
    }

    /// A list of its objects, in a namespace or in all.
    pub fn list(&self, namespace: Option<&str>, parameters: &[(&str, &str)]) -> Endpoint {
        Endpoint {
            path: format!("{}{}", self.objects(namespace), query(parameters)),
            resource: self.qualified(),
            name: String::new(),
            right: Some(self.right("list", namespace)),
            // Whoever defines a kind may name its list.
            kind: Some(self.answer(format!("{}List", self.kind().unwrap_or_default()))),
            depth: Depth::List,
        }
    }

    /// A write that the server forgets again.
    fn dry_run(&self, verb: &'static str, namespace: &str, endpoint: Endpoint) -> Endpoint {
        let parameters = query(&[("dryRun", "All"), ("fieldManager", MANAGER)]);
        Endpoint {
            path: format!("{}{parameters}", endpoint.path),
            right: Some(self.right(verb, Some(namespace))),
            ..endpoint
        }
    }

    /// One of its objects; of a namespace, where it is in one.
    pub fn get(&self, namespace: Option<&str>, name: &str) -> Endpoint {
        Endpoint {
            path: format!("{}/{}", self.objects(namespace), segment(name)),
            resource: self.qualified(),
            name: name.to_owned(),
            right: Some(self.right("get", namespace)),
            kind: self.kind().map(|kind| self.answer(kind)),
            depth: Depth::List,
        }
    }
}

/// One HPA.
pub fn autoscaler(namespace: &str, name: &str) -> Endpoint {
    horizontal_pod_autoscalers().get(Some(namespace), name)
}

/// What names the tool to the server as the writer of fields.
const MANAGER: &str = "kubectl-hpa-explain";

/// One HPA, to be patched in a dry run.
pub fn patch_autoscaler(namespace: &str, name: &str) -> Endpoint {
    let resource = horizontal_pod_autoscalers();
    let endpoint = resource.get(Some(namespace), name);
    resource.dry_run("patch", namespace, endpoint)
}

/// One HPA, to be created in a dry run.
pub fn create_autoscaler(namespace: &str, name: &str) -> Endpoint {
    let resource = horizontal_pod_autoscalers();
    let endpoint = Endpoint {
        path: resource.objects(Some(namespace)),
        ..resource.get(Some(namespace), name)
    };
    resource.dry_run("create", namespace, endpoint)
}

/// The HPAs of a namespace, or of all.
pub fn autoscalers(namespace: Option<&str>) -> Endpoint {
    horizontal_pod_autoscalers().list(namespace, &[])
}

/// The HPAs of a namespace, or of all, that a field selector matches.
pub fn autoscalers_by_fields(namespace: Option<&str>, fields: &str) -> Endpoint {
    horizontal_pod_autoscalers().list(namespace, &[("fieldSelector", fields)])
}

/// What is written of one HPA after a version, for so many seconds.
pub fn watch_autoscaler(namespace: &str, name: &str, version: &str, seconds: u32) -> Endpoint {
    let field = format!("metadata.name={name}");
    let parameters = [
        ("fieldSelector", field.as_str()),
        ("watch", "1"),
        ("resourceVersion", version),
        ("allowWatchBookmarks", "true"),
        ("timeoutSeconds", &seconds.to_string()),
    ];
    let resource = horizontal_pod_autoscalers();
    Endpoint {
        right: Some(resource.right("watch", Some(namespace))),
        ..resource.list(Some(namespace), &parameters)
    }
}

fn horizontal_pod_autoscalers() -> Resource {
    Resource::new("autoscaling", "v2", "horizontalpodautoscalers")
}

/// Kinds of which a namespace has many events, and which hardly anybody
/// scales.
const NOISY: [&str; 5] = [
    "Pod",
    "ReplicaSet",
    "Job",
    "CronJob",
    "PersistentVolumeClaim",
];

/// The events of an HPA and of its target, and some others: a field selector
/// has no *or*. Where the two have one name, by that; else without the kinds
/// of which there are most.
pub fn events(namespace: &str, name: &str, target: &CrossVersionObjectReference) -> Endpoint {
    let fields = if name == target.name {
        format!("involvedObject.name={name}")
    } else {
        let noisy = NOISY.iter().filter(|kind| **kind != target.kind);
        let others: Vec<String> = noisy
            .map(|kind| format!("involvedObject.kind!={kind}"))
            .collect();
        others.join(",")
    };
    Resource::new("", "v1", "events").list(Some(namespace), &[("fieldSelector", &fields)])
}

/// The events of all objects of a kind in a namespace, or in all.
pub fn events_of_kind(namespace: Option<&str>, kind: &str) -> Endpoint {
    let fields = format!("involvedObject.kind={kind}");
    Resource::new("", "v1", "events").list(namespace, &[("fieldSelector", &fields)])
}

/// The namespaces of the cluster.
pub fn namespaces() -> Endpoint {
    Resource::new("", "v1", "namespaces").list(None, &[])
}

/// The server's version.
pub fn version() -> Endpoint {
    Endpoint::open("/version".to_owned(), "version")
}

/// The Services of all namespaces that a selector matches.
pub fn services(labels: &str) -> Endpoint {
    Resource::new("", "v1", "services").list(None, &[("labelSelector", labels)])
}

/// Below which path the API server hands on what is asked of a Service, which
/// has its port in its name.
pub fn service_proxy(namespace: &str, service: &str) -> String {
    format!(
        "/api/v1/namespaces/{}/services/{service}/proxy",
        segment(namespace)
    )
}

/// A query of a Prometheus below a path: what there is at a moment.
pub fn prometheus_query(below: &str, query: &str, at: Timestamp) -> Endpoint {
    let (seconds, thousandths) = (at.as_second(), at.subsec_millisecond());
    let query = value(query);
    let path = format!("{below}/api/v1/query?query={query}&time={seconds}.{thousandths:03}");
    Endpoint {
        depth: Depth::Series,
        ..Endpoint::open(path, "query")
    }
}

/// The resources of a version of an API group, to find the plural of a kind.
pub fn resources(group: &str, version: &str) -> Endpoint {
    let path = if group.is_empty() {
        format!("/api/{}", segment(version))
    } else {
        format!("/apis/{}/{}", segment(group), segment(version))
    };
    Endpoint::open(path, "resources")
}

/// The versions of an API group.
pub fn api_group(group: &str) -> Endpoint {
    Endpoint::open(format!("/apis/{}", segment(group)), "groups")
}

/// The scale of a target. The controller's scale client prints no group.
pub fn scale(resource: &Resource, namespace: &str, name: &str) -> Endpoint {
    let Resource { group, plural, .. } = resource;
    let (object, scale) = (
        resource.get(Some(namespace), name),
        format!("{plural}/scale"),
    );
    Endpoint {
        path: format!("{}/scale", object.path),
        resource: plural.clone(),
        right: Some(Right::new("get", group, &scale, Some(namespace))),
        kind: Some(AnswerKind {
            api_version: "autoscaling/v1".to_owned(),
            name: "Scale".to_owned(),
        }),
        ..object
    }
}

/// The `ReplicaSets` that a selector matches: a Deployment's pods belong to
/// one of them.
pub fn replica_sets(namespace: Option<&str>, selector: &str) -> Endpoint {
    Resource::new("apps", "v1", "replicasets").list(namespace, &[("labelSelector", selector)])
}

/// The pods that a selector matches, in a namespace or in all.
pub fn pods(namespace: Option<&str>, selector: &str) -> Endpoint {
    Resource::new("", "v1", "pods").list(namespace, &[("labelSelector", selector)])
}

/// The samples of the pods that a selector matches.
pub fn pod_metrics(namespace: Option<&str>, selector: &str) -> Endpoint {
    Resource::new("metrics.k8s.io", "v1beta1", "pods")
        .list(namespace, &[("labelSelector", selector)])
}

/// A custom metric of each pod.
pub fn pods_metric(
    version: &str,
    namespace: &str,
    selector: &str,
    metric: &MetricIdentifier,
) -> Endpoint {
    let metric_selector = wire_text(metric.selector.as_ref()).unwrap_or_default();
    let parameters = [
        ("labelSelector", selector),
        ("metricLabelSelector", &metric_selector),
    ];
    custom_metric(version, namespace, ("pods", "*", &metric.name), &parameters)
}

/// A custom metric of one object; `None` of a namespace, whose own name is
/// not looked at.
pub fn object_metric(
    version: &str,
    namespace: &str,
    object: Option<(&Resource, &str)>,
    metric: &MetricIdentifier,
) -> Endpoint {
    let metric_selector = wire_text(metric.selector.as_ref()).unwrap_or_default();
    let parameters = [("metricLabelSelector", metric_selector.as_str())];
    let qualified = object.map(|(resource, _)| resource.qualified());
    let of = match (&qualified, object) {
        (Some(resource), Some((_, name))) => (resource.as_str(), name, metric.name.as_str()),
        _ => ("metrics", metric.name.as_str(), ""),
    };
    custom_metric(version, namespace, of, &parameters)
}

/// A value of the custom metrics API: resource, object, metric.
fn custom_metric(
    version: &str,
    namespace: &str,
    (resource, name, metric): (&str, &str, &str),
    parameters: &[(&str, &str)],
) -> Endpoint {
    let group = "custom.metrics.k8s.io";
    let base = format!(
        "/apis/{group}/{version}/namespaces/{}/{resource}/{}",
        segment(namespace),
        segment(name),
    );
    let (path, subresource) = if metric.is_empty() {
        (base, resource.to_owned())
    } else {
        let path = format!("{base}/{}", segment(metric));
        (path, format!("{resource}/{metric}"))
    };
    Endpoint {
        path: format!("{path}{}", query(parameters)),
        resource: format!("{resource}.{group}"),
        name: name.to_owned(),
        right: Some(Right::new("get", group, &subresource, Some(namespace))),
        kind: Some(AnswerKind {
            api_version: format!("{group}/{version}"),
            name: "MetricValueList".to_owned(),
        }),
        depth: Depth::List,
    }
}

pub fn external_metric(namespace: &str, metric: &MetricIdentifier) -> Endpoint {
    let metric_selector = wire_text(metric.selector.as_ref()).unwrap_or_default();
    let group = "external.metrics.k8s.io";
    Endpoint {
        path: format!(
            "/apis/{group}/v1beta1/namespaces/{}/{}{}",
            segment(namespace),
            segment(&metric.name),
            query(&[("labelSelector", &metric_selector)])
        ),
        resource: format!("{}.{group}", metric.name),
        name: String::new(),
        right: Some(Right::new("list", group, &metric.name, Some(namespace))),
        kind: Some(AnswerKind {
            api_version: format!("{group}/v1beta1"),
            name: "ExternalMetricValueList".to_owned(),
        }),
        depth: Depth::List,
    }
}

/// The kube-controller-manager's pods, where they run in the cluster.
pub fn controller_managers() -> Endpoint {
    pods(Some(KUBE_SYSTEM), "component=kube-controller-manager")
}

/// The nodes that run the control plane.
pub fn control_plane_nodes() -> Endpoint {
    let label = "node-role.kubernetes.io/control-plane=true";
    Resource::new("", "v1", "nodes").list(None, &[("labelSelector", label)])
}

/// The quotas of a namespace.
pub fn resource_quotas(namespace: Option<&str>) -> Endpoint {
    Resource::new("", "v1", "resourcequotas").list(namespace, &[])
}

/// The limit ranges of a namespace.
pub fn limit_ranges(namespace: Option<&str>) -> Endpoint {
    Resource::new("", "v1", "limitranges").list(namespace, &[])
}

/// The nodes of the cluster.
pub fn nodes() -> Endpoint {
    Resource::new("", "v1", "nodes").list(None, &[])
}

/// The pods of all namespaces that have not ended.
pub fn all_pods() -> Endpoint {
    let fields = "status.phase!=Succeeded,status.phase!=Failed";
    Resource::new("", "v1", "pods").list(None, &[("fieldSelector", fields)])
}

/// The lease of the kube-controller-manager that leads.
pub fn controller_lease() -> Endpoint {
    let leases = Resource::new("coordination.k8s.io", "v1", "leases");
    leases.get(Some(KUBE_SYSTEM), "kube-controller-manager")
}

/// The `VerticalPodAutoscalers` of a namespace.
pub fn vertical_pod_autoscalers(namespace: Option<&str>) -> Endpoint {
    Resource::new("autoscaling.k8s.io", "v1", "verticalpodautoscalers").list(namespace, &[])
}

/// The `ScaledObject` that KEDA made an HPA for.
pub fn scaled_object(namespace: &str, name: &str) -> Endpoint {
    scaled().get(Some(namespace), name)
}

/// All that KEDA makes HPAs for, in a namespace or in all.
pub fn scaled_objects(namespace: Option<&str>) -> Endpoint {
    scaled().list(namespace, &[])
}

fn scaled() -> Resource {
    Resource::new("keda.sh", "v1alpha1", "scaledobjects")
}

/// Who answers for a version of an API, such as `v1beta1.metrics.k8s.io`.
pub fn api_service(name: &str) -> Endpoint {
    Resource::new("apiregistration.k8s.io", "v1", "apiservices").get(None, name)
}
