//! Who else acts on what an HPA acts on, or measures by: VPAs, the
//! `ScaledObject` that made the HPA, and who answers for a metrics API that
//! fails.
//!
//! Each is asked for only where the HPA gives a reason to.

use std::cell::OnceCell;

use futures_util::future::{join, join_all};
use tokio::sync::SetOnce;

use super::supplements::Own;
use crate::api::{
    Answered, ApiService, HorizontalPodAutoscaler, Metrics, Pod, ScaledObject,
    VerticalPodAutoscaler,
};
use crate::collect::cluster::{Cluster, taken};
use crate::collect::request::pages::pages_of;
use crate::collect::request::paths;
use crate::collect::request::reader::Reader;
use crate::snapshot::{Part, Snapshot};

/// The APIs of metrics, and the versions that the controller knows of each.
const RESOURCE: &[&str] = &["v1beta1.metrics.k8s.io"];
const CUSTOM: &[&str] = &[
    "v1beta2.custom.metrics.k8s.io",
    "v1beta1.custom.metrics.k8s.io",
];
const EXTERNAL: &[&str] = &["v1beta1.external.metrics.k8s.io"];

/// The versions of an API, the newest first.
pub type Versions = &'static [&'static str];

/// Who else acts, each as soon as it is there.
pub struct Actors<'c> {
    cluster: &'c Cluster<'c>,
    namespace: &'c str,
    inputs: SetOnce<Listing>,
    vertical: OnceCell<Answered<Vec<VerticalPodAutoscaler>>>,
    scaled_object: OnceCell<Answered<Option<ScaledObject>>>,
    api_services: OnceCell<Answered<Vec<ApiService>>>,
}

/// What of a pass's inputs is a reason to ask.
#[derive(Debug)]
struct Listing {
    /// Whether a VPA has set what a pod requests.
    is_changed_by_vpa: bool,
    /// The metrics APIs that fail.
    failing: Vec<Versions>,
}

impl<'c> Actors<'c> {
    /// Nothing is there yet.
    pub fn new(cluster: &'c Cluster<'c>, namespace: &'c str) -> Self {
        Self {
            cluster,
            namespace,
            inputs: SetOnce::new(),
            vertical: OnceCell::new(),
            scaled_object: OnceCell::new(),
            api_services: OnceCell::new(),
        }
    }

    /// The pods and the answers to the metrics are known.
    pub fn inputs_are(&self, pods: &[Pod], metrics: &Metrics) {
        // It is told once; there is nothing to do about a second time.
        _ = self.inputs.set(Listing {
            is_changed_by_vpa: pods.iter().any(Pod::is_changed_by_vpa),
            failing: failing(metrics),
        });
    }

    /// Asks for all of it, each as soon as there is a reason to.
    pub async fn read(&self, own: &SetOnce<Own>) {
        let of_autoscaler = async {
            let hpa = &own.wait().await.hpa;
            join(self.read_vertical(hpa), self.read_scaled_object(hpa)).await
        };
        join(of_autoscaler, self.read_api_services()).await;
    }

    /// Pods say that a VPA has set their requests; without that, nobody has to
    /// know whether there are any.
    async fn read_vertical(&self, hpa: &HorizontalPodAutoscaler) {
        if !hpa.measures_by_request() || !self.inputs.wait().await.is_changed_by_vpa {
            return;
        }
        let target = &hpa.spec.scale_target_ref;
        let is_selected = |vpa: &VerticalPodAutoscaler| {
            let own = vpa.spec.target_ref.as_ref();
            own.is_some_and(|own| own.is_same_target(target))
        };
        let endpoint = paths::vertical_pod_autoscalers(Some(self.namespace));
        let answer = match pages_of(self.cluster.reader, &endpoint, is_selected).await {
            Ok(found) => Answered::Response(found),
            Err(error) if error.is_not_found() => Answered::Response(Vec::new()),
            Err(error) => Answered::Unreadable(error.failure()),
        };
        _ = self.vertical.set(answer);
    }

    async fn read_scaled_object(&self, hpa: &HorizontalPodAutoscaler) {
        if let Some(name) = hpa.scaled_object() {
            let endpoint = paths::scaled_object(self.namespace, name);
            let found = self.cluster.reader.look_for(&endpoint).await;
            _ = self.scaled_object.set(found);
        }
    }

    async fn read_api_services(&self) {
        let failing = &self.inputs.wait().await.failing;
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

    /// Adds what came of it to the snapshot of the HPA, and what did not come.
    pub fn fill(self, snapshot: &mut Snapshot) {
        let hpa = &snapshot.hpa;
        let missing = &mut snapshot.provenance.not_read;
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
    }
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
    let all = [(resource, RESOURCE), (custom, CUSTOM), (external, EXTERNAL)];
    let failing = all.into_iter().filter(|(fails, _)| *fails);
    failing.map(|(_, versions)| versions).collect()
}
