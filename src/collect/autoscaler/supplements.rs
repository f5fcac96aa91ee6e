//! What a pass can be computed without, but is better with: the server's
//! version, the controller's flags and lease, the other HPAs, the events of the HPA and
//! of its target, the target itself; and who else acts: VPAs, the `ScaledObject` that
//! made the HPA, who answers for a metrics API that fails, and the quotas and limit
//! ranges of the namespace. Each of these is asked for only where the HPA gives a reason
//! to.

use std::cell::OnceCell;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{join, join_all, join3, join4, select};
use tokio::sync::SetOnce;

use super::neighbours::{self, Neighbours};
use crate::api::{
    Answered, ApiService, Event, HorizontalPodAutoscaler, LimitRange, Metrics, NamedMeta, Phase,
    Pod, ResourceQuota, RoomParts, Scale, ScaledObject, VerticalPodAutoscaler, Workload,
};
use crate::collect::cluster::{Cluster, not_read, taken};
use crate::collect::request::{Reader, Resource, list, list_of, pages_of, paths};
use crate::document::snapshot::{NotRead, Part, Snapshot};

/// The APIs of resource, custom and external metrics, and the versions that the controller
/// knows of each.
pub const METRICS_APIS: [Versions; 3] = [
    &["v1beta1.metrics.k8s.io"],
    &[
        "v1beta2.custom.metrics.k8s.io",
        "v1beta1.custom.metrics.k8s.io",
    ],
    &["v1beta1.external.metrics.k8s.io"],
];

/// The versions of an API, the newest first.
pub type Versions = &'static [&'static str];

/// The parts, each as soon as it is there.
pub struct Supplements<'c> {
    cluster: &'c Cluster<'c>,
    namespace: &'c str,
    name: &'c str,
    own: SetOnce<Own>,
    selector: SetOnce<Option<String>>,
    reasons: SetOnce<Reasons>,
    neighbours: Neighbours<'c>,
    events: OnceCell<Answered<Vec<Event>>>,
    target_object: OnceCell<Answered<Option<Workload>>>,
    replica_sets: OnceCell<Answered<Vec<Workload>>>,
    vertical: OnceCell<Answered<Vec<VerticalPodAutoscaler>>>,
    scaled_object: OnceCell<Answered<Option<ScaledObject>>>,
    api_services: OnceCell<Answered<Vec<ApiService>>>,
    quotas: OnceCell<Answered<Vec<ResourceQuota>>>,
    ranges: OnceCell<Answered<Vec<LimitRange>>>,
}

/// The HPA, once it is known, and the resource of its target, if that is.
#[derive(Debug)]
struct Own {
    hpa: HorizontalPodAutoscaler,
    resource: Option<Resource>,
}

/// What of a pass's inputs is a reason to ask who else acts.
#[derive(Debug)]
struct Reasons {
    /// Whether a VPA has set what a pod requests.
    is_changed_by_vpa: bool,
    /// The metrics APIs that fail.
    failing: Vec<Versions>,
    /// Whether quotas and limit ranges matter: the size is the highest that the HPA
    /// allows, or pods of it wait; or they are asked for in any case.
    is_limited: bool,
}

impl<'c> Supplements<'c> {
    /// Nothing is there yet.
    pub fn new(cluster: &'c Cluster<'c>, namespace: &'c str, name: &'c str) -> Self {
        Self {
            cluster,
            namespace,
            name,
            own: SetOnce::new(),
            selector: SetOnce::new(),
            reasons: SetOnce::new(),
            neighbours: Neighbours::new(cluster, namespace, name),
            events: OnceCell::new(),
            target_object: OnceCell::new(),
            replica_sets: OnceCell::new(),
            vertical: OnceCell::new(),
            scaled_object: OnceCell::new(),
            api_services: OnceCell::new(),
            quotas: OnceCell::new(),
            ranges: OnceCell::new(),
        }
    }

    /// The HPA is known: what it scales can be asked for.
    pub fn target_is(&self, hpa: &HorizontalPodAutoscaler, resource: Option<&Resource>) {
        // It is told once; there is nothing to do about a second time.
        _ = self.own.set(Own {
            hpa: hpa.clone(),
            resource: resource.cloned(),
        });
    }

    /// The scale is known: what it selects can be asked for.
    pub fn selector_is(&self, selector: Option<&str>) {
        _ = self.selector.set(selector.map(str::to_owned));
    }

    /// The pods and the answers to the metrics are known.
    pub fn inputs_are(
        &self,
        hpa: &HorizontalPodAutoscaler,
        scale: &Answered<Scale>,
        pods: &[Pod],
        metrics: &Metrics,
    ) {
        let size = scale.response().map(|scale| scale.spec.replicas);
        let is_at_max = size.is_some_and(|size| size >= hpa.spec.max_replicas);
        let waits = |pod: &Pod| pod.status.phase == Phase::Pending;
        _ = self.reasons.set(Reasons {
            is_changed_by_vpa: pods.iter().any(Pod::is_changed_by_vpa),
            failing: failing(metrics),
            is_limited: self.cluster.room.always || is_at_max || pods.iter().any(waits),
        });
    }

    /// Asks for all of it, each as soon as it can be, and there is a reason to.
    pub async fn read(&self) {
        join4(
            join4(
                self.cluster.version(),
                self.read_managers(),
                self.cluster.read_lease(),
                self.read_events(),
            ),
            join3(
                self.neighbours.read(),
                self.read_target(),
                self.read_replica_sets(),
            ),
            join3(
                self.read_vertical(),
                self.read_scaled_object(),
                self.read_api_services(),
            ),
            self.read_limits(),
        )
        .await;
    }

    /// The version says where the flags are, but they wait for it only as long
    /// as the scale is waited for.
    async fn read_managers(&self) {
        select(pin!(self.cluster.version()), pin!(self.selector.wait())).await;
        self.cluster.read_managers().await;
    }

    /// Reads what was said of the HPA and of its target: a size that changes
    /// is an event of both.
    async fn read_events(&self) {
        let target = &self.own.wait().await.hpa.spec.scale_target_ref;
        let endpoint = paths::events(self.namespace, self.name, target);
        let is_selected = |event: &Event| {
            let about = &event.involved_object;
            match about.kind.as_str() {
                "HorizontalPodAutoscaler" => about.name == self.name,
                kind => kind == target.kind && about.name == target.name,
            }
        };
        let events = list_of(self.cluster.reader, &endpoint, is_selected).await;
        _ = self.events.set(events);
    }

    /// Reads the target, unless it comes with its neighbours.
    async fn read_target(&self) {
        let own = self.own.wait().await;
        let Some(resource) = &own.resource else {
            return;
        };
        let target = &own.hpa.spec.scale_target_ref;
        if self.neighbours.list(resource, target).await {
            return;
        }
        let endpoint = resource.get(Some(self.namespace), &target.name);
        _ = self
            .target_object
            .set(self.cluster.reader.look_for(&endpoint).await);
    }

    /// Only a Deployment has something between it and its pods.
    async fn read_replica_sets(&self) {
        let own = self.own.wait().await;
        let Some(selector) = self.selector.wait().await else {
            return;
        };
        if own.hpa.spec.scale_target_ref.kind != "Deployment" {
            return;
        }
        let endpoint = paths::replica_sets(Some(self.namespace), selector);
        _ = self
            .replica_sets
            .set(list(self.cluster.reader, &endpoint).await);
    }

    /// Pods say that a VPA has set their requests; without that, nobody has to
    /// know whether there are any.
    async fn read_vertical(&self) {
        let hpa = &self.own.wait().await.hpa;
        if !hpa.measures_by_request() || !self.reasons.wait().await.is_changed_by_vpa {
            return;
        }
        let target = &hpa.spec.scale_target_ref;
        let is_selected = |vpa: &VerticalPodAutoscaler| vpa.is_for(target);
        let endpoint = paths::vertical_pod_autoscalers(Some(self.namespace));
        let answer = match pages_of(self.cluster.reader, &endpoint, is_selected).await {
            Ok(found) => Answered::Response(found),
            Err(error) if error.is_not_found() => Answered::Response(Vec::new()),
            Err(error) => Answered::Unreadable(error.failure()),
        };
        _ = self.vertical.set(answer);
    }

    async fn read_scaled_object(&self) {
        if let Some(name) = self.own.wait().await.hpa.scaled_object() {
            let endpoint = paths::scaled_object(self.namespace, name);
            let found = self.cluster.reader.look_for(&endpoint).await;
            _ = self.scaled_object.set(found);
        }
    }

    async fn read_api_services(&self) {
        let failing = &self.reasons.wait().await.failing;
        if failing.is_empty() {
            return;
        }
        let found = failing
            .iter()
            .map(|versions| api_service(self.cluster.reader, versions));
        let found = join_all(found).await;
        // Whoever may not read one may read none.
        let found: Result<Vec<_>, _> = found.into_iter().map(Answered::into_response).collect();
        let answer = match found {
            Ok(found) => Answered::Response(found.into_iter().flatten().collect()),
            Err(refused) => refused,
        };
        _ = self.api_services.set(answer);
    }

    async fn read_limits(&self) {
        if !self.reasons.wait().await.is_limited {
            return;
        }
        let (reader, namespace) = (self.cluster.reader, Some(self.namespace));
        let (quotas, ranges) = (
            paths::resource_quotas(namespace),
            paths::limit_ranges(namespace),
        );
        let quotas = async { _ = self.quotas.set(list(reader, &quotas).await) };
        let ranges = async { _ = self.ranges.set(list(reader, &ranges).await) };
        join(quotas, ranges).await;
    }

    /// Adds what came of it to the snapshot of the HPA, and what did not come.
    pub fn fill(self, snapshot: &mut Snapshot) {
        let hpa = &snapshot.hpa;
        let reference = &hpa.spec.scale_target_ref;
        let selector = snapshot.scale.response();
        let selector = selector.map(|scale| scale.status.selector.as_str());
        let missing = &mut snapshot.provenance.not_read;
        let (mut others, unknown) = self.neighbours.selectors(reference, selector);
        if !unknown.is_empty()
            && let Some(selector) = selector
        {
            let known: Vec<String> = others.iter().map(|it| it.name.clone()).collect();
            let reported = neighbours::reported(hpa, selector).into_iter();
            others.extend(reported.filter(|it| !known.contains(&it.name)));
        }
        missing.extend(unknown);
        snapshot.other_autoscalers = others;
        let (target, no_target) = self.target();
        missing.extend(no_target);
        snapshot.target = target;
        let events = taken(Part::Events, self.events, missing).into_iter();
        snapshot.events = events.map(Arc::new).collect();
        if reference.kind == "Deployment" && selector.is_some_and(|text| !text.is_empty()) {
            snapshot.replica_sets = taken(Part::ReplicaSets, self.replica_sets, missing);
        }
        if has_requests_of_vpa(hpa, &snapshot.pods) {
            let part = Part::VerticalPodAutoscalers;
            snapshot.vertical_pod_autoscalers = taken(part, self.vertical, missing);
        }
        if hpa.scaled_object().is_some() {
            snapshot.scaled_object = taken(Part::ScaledObject, self.scaled_object, missing);
        }
        if !failing(&snapshot.metrics).is_empty() {
            snapshot.api_services = taken(Part::ApiServices, self.api_services, missing);
        }
        if self.reasons.get().is_some_and(|it| it.is_limited) {
            missing.extend(not_read(Part::ResourceQuotas, self.quotas.get()));
            missing.extend(not_read(Part::LimitRanges, self.ranges.get()));
            snapshot.room = Some(RoomParts {
                resource_quotas: by_name(self.quotas, |it| &it.metadata),
                limit_ranges: by_name(self.ranges, |it| &it.metadata),
                nodes: None,
            });
        }
    }

    /// The target, or why it was not read; neither where there is none.
    fn target(&self) -> (Option<Workload>, Option<NotRead>) {
        let Some(own) = self.own.get().filter(|it| it.resource.is_some()) else {
            return (None, None);
        };
        let listed = self.neighbours.listed(&own.hpa.spec.scale_target_ref);
        listed.unwrap_or_else(|| {
            let answer = self.target_object.get();
            let found = answer.and_then(Answered::response).cloned();
            (found.flatten(), not_read(Part::Target, answer))
        })
    }
}

/// What was read, in the order of the names.
fn by_name<T>(
    answer: OnceCell<Answered<Vec<T>>>,
    metadata: fn(&T) -> &NamedMeta,
) -> Option<Vec<T>> {
    let mut all = answer.into_inner()?.into_response::<()>().ok()?;
    all.sort_by(|a, b| metadata(a).name.cmp(&metadata(b).name));
    Some(all)
}

/// Whether a VPA has set a request that the HPA measures by.
pub fn has_requests_of_vpa(hpa: &HorizontalPodAutoscaler, pods: &[Pod]) -> bool {
    hpa.measures_by_request() && pods.iter().any(Pod::is_changed_by_vpa)
}

/// The newest version of an API that is registered, if any is.
pub async fn api_service(reader: &Reader, versions: Versions) -> Answered<Option<ApiService>> {
    for version in versions {
        let answer = reader.look_for(&paths::api_service(version)).await;
        if !matches!(answer, Answered::Response(None)) {
            return answer;
        }
    }
    Answered::Response(None)
}

/// The APIs of which an answer says that the controller gets none.
pub fn failing(metrics: &Metrics) -> Vec<Versions> {
    let resource = metrics.resource.iter().any(|one| one.error().is_some());
    let mut custom = metrics.custom.iter();
    let custom = custom.any(|one| one.answer.error().is_some());
    let mut external = metrics.external.iter();
    let external = external.any(|one| one.answer.error().is_some());
    let all = [resource, custom, external].into_iter().zip(METRICS_APIS);
    let failing = all.filter(|(fails, _)| *fails);
    failing.map(|(_, versions)| versions).collect()
}
