//! Where the controller asks: the paths of every request, with the resource
//! names that its client puts into error texts, and the rights that each
//! needs.

use std::fmt;

use form_urlencoded::byte_serialize;
use jiff::Timestamp;
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};

use crate::api::{CrossVersionObjectReference, MetricIdentifier, wire_text};

use super::collect_error::is_by_admission;
use super::right::Right;

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
}

/// What an object or a list says that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerKind {
    api_version: String,
    /// Or how the kind of any list ends.
    name: &'static str,
}

/// The fields that say it.
#[derive(Default)]
pub struct TypeMeta {
    api_version: String,
    kind: String,
}

impl TypeMeta {
    /// Those of a document: servers write them first, so that what may be
    /// large is not read for them.
    pub fn of(body: &[u8]) -> Self {
        let mut found = Self::default();
        // Where they are known, the rest is left, which ends in an error.
        let _ = found.deserialize(&mut serde_json::Deserializer::from_slice(body));
        found
    }

    /// Whether the document does not say what it is.
    pub fn is_nothing(&self) -> bool {
        self.kind.is_empty()
    }
}

impl<'de> DeserializeSeed<'de> for &mut TypeMeta {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut TypeMeta {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "apiVersion" => self.api_version = map.next_value()?,
                "kind" => self.kind = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
            if !self.kind.is_empty() && !self.api_version.is_empty() {
                break;
            }
        }
        Ok(())
    }
}

/// No kind and no version is longer.
const LONGEST: usize = 63;

impl AnswerKind {
    fn new(api_version: &str, name: &'static str) -> Self {
        Self {
            api_version: api_version.to_owned(),
            name,
        }
    }
}

impl Endpoint {
    /// What came in the place of what was asked for, if anything did: any
    /// document would do for an object of which every field can be missing.
    pub fn unexpected(&self, came: &TypeMeta) -> Option<String> {
        let AnswerKind { api_version, name } = self.kind.as_ref()?;
        let is_kind = match *name {
            "List" => came.kind.ends_with("List"),
            name => came.kind == name,
        };
        if is_kind && came.api_version == *api_version {
            return None;
        }
        let short = |text: &str| text.chars().take(LONGEST).collect::<String>();
        let came = match came.kind.as_str() {
            "" => "a document without a kind".to_owned(),
            kind => format!(
                "{} of apiVersion {:?}",
                short(kind),
                short(&came.api_version)
            ),
        };
        let path = &self.path;
        Some(format!(
            "unexpected answer to {path}: {came}, not a {name} of {api_version}"
        ))
    }
}

impl Endpoint {
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
                format!("{text} (needs {right})")
            }
            _ => text.to_owned(),
        }
    }
}

/// The versions of `custom.metrics.k8s.io` that the controller knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CustomMetricsVersion {
    /// `v1beta1`.
    V1Beta1,
    /// `v1beta2`.
    V1Beta2,
}

impl CustomMetricsVersion {
    fn text(self) -> &'static str {
        match self {
            Self::V1Beta1 => "v1beta1",
            Self::V1Beta2 => "v1beta2",
        }
    }
}

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
    pub fn built_in(reference: &CrossVersionObjectReference) -> Option<Self> {
        let group = reference.group();
        let plural = match (group, reference.kind.as_str()) {
            ("apps", "Deployment") => "deployments",
            ("apps", "StatefulSet") => "statefulsets",
            ("apps", "ReplicaSet") => "replicasets",
            ("", "ReplicationController") => "replicationcontrollers",
            ("", "Pod") => "pods",
            ("", "Service") => "services",
            ("networking.k8s.io", "Ingress") => "ingresses",
            _ => return None,
        };
        Some(Self::new(group, "v1", plural))
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
    fn kind(&self) -> Option<AnswerKind> {
        let name = match (self.group.as_str(), self.plural.as_str()) {
            ("apiregistration.k8s.io", "apiservices") => "APIService",
            ("apps", "deployments") => "Deployment",
            ("apps", "replicasets") => "ReplicaSet",
            ("apps", "statefulsets") => "StatefulSet",
            ("autoscaling", "horizontalpodautoscalers") => "HorizontalPodAutoscaler",
            ("coordination.k8s.io", "leases") => "Lease",
            ("keda.sh", "scaledobjects") => "ScaledObject",
            ("", "replicationcontrollers") => "ReplicationController",
            _ => return None,
        };
        Some(AnswerKind::new(&self.api_version(), name))
    }

    fn list_kind(&self) -> AnswerKind {
        let Self { group, .. } = self;
        AnswerKind::new(
            &self.api_version(),
            match (group.as_str(), self.plural.as_str()) {
                ("autoscaling", "horizontalpodautoscalers") => "HorizontalPodAutoscalerList",
                ("autoscaling.k8s.io", "verticalpodautoscalers") => "VerticalPodAutoscalerList",
                ("apps", "deployments") => "DeploymentList",
                ("apps", "replicasets") => "ReplicaSetList",
                ("apps", "statefulsets") => "StatefulSetList",
                ("metrics.k8s.io", "pods") => "PodMetricsList",
                ("", "events") => "EventList",
                ("", "namespaces") => "NamespaceList",
                ("", "nodes") => "NodeList",
                ("", "pods") => "PodList",
                ("", "replicationcontrollers") => "ReplicationControllerList",
                ("", "services") => "ServiceList",
                // Whoever defines a kind may name its list.
                _ => "List",
            },
        )
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

    /// A list of its objects.
    fn list(&self, namespace: Option<&str>, parameters: &[(&str, &str)]) -> Endpoint {
        Endpoint {
            path: format!("{}{}", self.objects(namespace), query(parameters)),
            resource: self.qualified(),
            name: String::new(),
            right: Some(Right::new("list", &self.group, &self.plural, namespace)),
            kind: Some(self.list_kind()),
        }
    }

    /// A write that the server forgets again.
    fn dry_run(&self, verb: &'static str, namespace: &str, endpoint: Endpoint) -> Endpoint {
        let parameters = query(&[("dryRun", "All"), ("fieldManager", MANAGER)]);
        Endpoint {
            path: format!("{}{parameters}", endpoint.path),
            right: Some(Right::new(verb, &self.group, &self.plural, Some(namespace))),
            ..endpoint
        }
    }

    /// One of its objects.
    fn get(&self, namespace: &str, name: &str) -> Endpoint {
        Endpoint {
            path: format!("{}/{}", self.objects(Some(namespace)), segment(name)),
            resource: self.qualified(),
            name: name.to_owned(),
            right: Some(Right::new(
                "get",
                &self.group,
                &self.plural,
                Some(namespace),
            )),
            kind: self.kind(),
        }
    }
}

/// One HPA.
pub fn autoscaler(namespace: &str, name: &str) -> Endpoint {
    horizontal_pod_autoscalers().get(namespace, name)
}

/// What names the tool to the server as the writer of fields.
const MANAGER: &str = "kubectl-hpa-explain";

/// One HPA, to be patched in a dry run.
pub fn patch_autoscaler(namespace: &str, name: &str) -> Endpoint {
    let resource = horizontal_pod_autoscalers();
    let endpoint = resource.get(namespace, name);
    resource.dry_run("patch", namespace, endpoint)
}

/// One HPA, to be created in a dry run.
pub fn create_autoscaler(namespace: &str, name: &str) -> Endpoint {
    let resource = horizontal_pod_autoscalers();
    let endpoint = Endpoint {
        name: name.to_owned(),
        kind: resource.kind(),
        ..resource.list(Some(namespace), &[])
    };
    resource.dry_run("create", namespace, endpoint)
}

/// The HPAs of a namespace, or of all, that a label selector matches.
pub fn autoscalers(namespace: Option<&str>, labels: &str) -> Endpoint {
    horizontal_pod_autoscalers().list(namespace, &[("labelSelector", labels)])
}

/// The HPAs of a namespace, or of all, that a field selector matches.
pub fn autoscalers_by_fields(namespace: Option<&str>, fields: &str) -> Endpoint {
    horizontal_pod_autoscalers().list(namespace, &[("fieldSelector", fields)])
}

/// One HPA in a list of its own: a watch goes on from the version of a list.
pub fn list_autoscaler(namespace: &str, name: &str) -> Endpoint {
    autoscalers_by_fields(Some(namespace), &format!("metadata.name={name}"))
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
    let (group, plural) = (&resource.group, &resource.plural);
    Endpoint {
        right: Some(Right::new("watch", group, plural, Some(namespace))),
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
    Endpoint {
        path: "/version".to_owned(),
        resource: "version".to_owned(),
        name: String::new(),
        right: None,
        kind: None,
    }
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
    let encoded: String = byte_serialize(query.as_bytes()).collect();
    let (seconds, thousandths) = (at.as_second(), at.subsec_millisecond());
    Endpoint {
        path: format!("{below}/api/v1/query?query={encoded}&time={seconds}.{thousandths:03}"),
        resource: "query".to_owned(),
        name: String::new(),
        right: None,
        kind: None,
    }
}

/// The resources of a version of an API group, to find the plural of a kind.
pub fn resources(group: &str, version: &str) -> Endpoint {
    let path = if group.is_empty() {
        format!("/api/{}", segment(version))
    } else {
        format!("/apis/{}/{}", segment(group), segment(version))
    };
    Endpoint {
        path,
        resource: "resources".to_owned(),
        name: String::new(),
        right: None,
        kind: None,
    }
}

/// The versions of an API group.
pub fn api_group(group: &str) -> Endpoint {
    Endpoint {
        path: format!("/apis/{}", segment(group)),
        resource: "groups".to_owned(),
        name: String::new(),
        right: None,
        kind: None,
    }
}

/// The scale of a target. The controller's scale client prints no group.
pub fn scale(resource: &Resource, namespace: &str, name: &str) -> Endpoint {
    let subresource = format!("{}/scale", resource.plural);
    Endpoint {
        path: format!(
            "{}/{}/scale",
            resource.objects(Some(namespace)),
            segment(name)
        ),
        resource: resource.plural.clone(),
        name: name.to_owned(),
        right: Some(Right::new(
            "get",
            &resource.group,
            &subresource,
            Some(namespace),
        )),
        kind: Some(AnswerKind::new("autoscaling/v1", "Scale")),
    }
}

/// A target itself.
pub fn target(resource: &Resource, namespace: &str, name: &str) -> Endpoint {
    resource.get(namespace, name)
}

/// The workloads of a kind in a namespace, or in all.
pub fn workloads(resource: &Resource, namespace: Option<&str>) -> Endpoint {
    resource.list(namespace, &[])
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
    version: CustomMetricsVersion,
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
    version: CustomMetricsVersion,
    namespace: &str,
    object: Option<(&Resource, &str)>,
    metric: &MetricIdentifier,
) -> Endpoint {
    let metric_selector = wire_text(metric.selector.as_ref()).unwrap_or_default();
    let parameters = [("metricLabelSelector", metric_selector.as_str())];
    match object {
        Some((resource, name)) => custom_metric(
            version,
            namespace,
            (&resource.qualified(), name, &metric.name),
            &parameters,
        ),
        None => custom_metric(
            version,
            namespace,
            ("metrics", &metric.name, ""),
            &parameters,
        ),
    }
}

/// A value of the custom metrics API: resource, object, metric.
fn custom_metric(
    version: CustomMetricsVersion,
    namespace: &str,
    (resource, name, metric): (&str, &str, &str),
    parameters: &[(&str, &str)],
) -> Endpoint {
    let group = "custom.metrics.k8s.io";
    let base = format!(
        "/apis/{group}/{}/namespaces/{}/{resource}/{}",
        version.text(),
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
        kind: Some(AnswerKind::new(
            &format!("{group}/{}", version.text()),
            "MetricValueList",
        )),
    }
}

/// An external metric.
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
        kind: Some(AnswerKind::new(
            &format!("{group}/v1beta1"),
            "ExternalMetricValueList",
        )),
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

/// The lease of the kube-controller-manager that leads.
pub fn controller_lease() -> Endpoint {
    Resource::new("coordination.k8s.io", "v1", "leases").get(KUBE_SYSTEM, "kube-controller-manager")
}

/// The `VerticalPodAutoscalers` of a namespace.
pub fn vertical_pod_autoscalers(namespace: Option<&str>) -> Endpoint {
    Resource::new("autoscaling.k8s.io", "v1", "verticalpodautoscalers").list(namespace, &[])
}

/// The `ScaledObject` that KEDA made an HPA for.
pub fn scaled_object(namespace: &str, name: &str) -> Endpoint {
    scaled().get(namespace, name)
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
    let resource = Resource::new("apiregistration.k8s.io", "v1", "apiservices");
    Endpoint {
        path: format!("{}/{}", resource.objects(None), segment(name)),
        resource: resource.qualified(),
        name: name.to_owned(),
        right: Some(Right::new("get", &resource.group, &resource.plural, None)),
        kind: resource.kind(),
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

/// A path segment: blanks are not `+` there, and Go escapes asterisks.
fn segment(text: &str) -> String {
    let escaped = value(text).replace('+', "%20").replace('*', "%2A");
    match escaped.as_str() {
        // These would lead somewhere else.
        "." | ".." => escaped.replace('.', "%2E"),
        _ => escaped,
    }
}
