//! Who else acts on what an HPA acts on, or measures by: VPAs, the
//! `ScaledObject` that made the HPA, and who answers for a metrics API that
//! fails.
//!
//! Each is asked for only where the HPA gives a reason to.

use std::cell::OnceCell;

use futures_util::future::{join, join_all};
use tokio::sync::SetOnce;

use crate::api::{
    Answered, ApiService, CrossVersionObjectReference, HorizontalPodAutoscaler, Metrics, Pod,
    ScaledObject, VerticalPodAutoscaler,
};
use crate::collect::cluster::{Cluster, not_read};
use crate::collect::request::pages::pages_of;
use crate::collect::request::paths;
use crate::collect::request::reader::Reader;
use crate::snapshot::{NotRead, Part};

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
    autoscaler: SetOnce<Reasons>,
    inputs: SetOnce<Listing>,
    vertical: OnceCell<Answered<Vec<VerticalPodAutoscaler>>>,
    scaled_object: OnceCell<Answered<Option<ScaledObject>>>,
    api_services: OnceCell<Answered<Vec<ApiService>>>,
}

/// What of an HPA is a reason to ask.
#[derive(Debug)]
struct Reasons {
    /// The target, if what its pods request matters.
    measured_by_request: Option<CrossVersionObjectReference>,
    /// The `ScaledObject` that the HPA was made for.
    scaled_object: Option<String>,
}

/// What of a pass's inputs is a reason to ask.
#[derive(Debug)]
struct Listing {
    /// Whether a VPA has set what a pod requests.
    is_changed_by_vpa: bool,
    /// The metrics APIs that fail.
    failing: Vec<Versions>,
}

/// What became of it.
#[derive(Default)]
pub struct Acting {
    /// The VPAs of the target.
    pub vertical_pod_autoscalers: Vec<VerticalPodAutoscaler>,
    /// The `ScaledObject` that the HPA was made for.
    pub scaled_object: Option<ScaledObject>,
    /// Who answers for the metrics APIs that failed.
    pub api_services: Vec<ApiService>,
}

impl<'c> Actors<'c> {
    /// Nothing is there yet.
    pub fn new(cluster: &'c Cluster<'c>, namespace: &'c str) -> Self {
        Self {
            cluster,
            namespace,
            autoscaler: SetOnce::new(),
            inputs: SetOnce::new(),
            vertical: OnceCell::new(),
            scaled_object: OnceCell::new(),
            api_services: OnceCell::new(),
        }
    }

    /// The HPA is known.
    pub fn autoscaler_is(&self, hpa: &HorizontalPodAutoscaler) {
        let target = &hpa.spec.scale_target_ref;
        // It is told once; there is nothing to do about a second time.
        _ = self.autoscaler.set(Reasons {
            measured_by_request: hpa.measures_by_request().then(|| target.clone()),
            scaled_object: hpa.scaled_object().map(str::to_owned),
        });
    }

    /// The pods and the answers to the metrics are known.
    pub fn inputs_are(&self, pods: &[Pod], metrics: &Metrics) {
        _ = self.inputs.set(Listing {
            is_changed_by_vpa: pods.iter().any(Pod::is_changed_by_vpa),
            failing: failing(metrics),
        });
    }

    /// Asks for all of it, each as soon as there is a reason to.
    pub async fn read(&self) {
        join(
            async {
                let reasons = self.autoscaler.wait().await;
                join(
                    self.read_vertical(reasons),
                    self.read_scaled_object(reasons),
                )
                .await
            },
            self.read_api_services(),
        )
        .await;
    }

    /// Pods say that a VPA has set their requests; without that, nobody has to
    /// know whether there are any.
    async fn read_vertical(&self, reasons: &Reasons) {
        let Some(target) = &reasons.measured_by_request else {
            return;
        };
        if !self.inputs.wait().await.is_changed_by_vpa {
            return;
        }
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

    async fn read_scaled_object(&self, reasons: &Reasons) {
        if let Some(name) = &reasons.scaled_object {
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

    /// What came of it, and what did not come.
    pub fn into_parts(self) -> (Acting, Vec<NotRead>) {
        let mut missing = Vec::new();
        let (reasons, inputs) = (self.autoscaler.get(), self.inputs.get());
        let measured = reasons.is_some_and(|it| it.measured_by_request.is_some());
        if measured && inputs.is_some_and(|it| it.is_changed_by_vpa) {
            missing.extend(not_read(Part::VerticalPodAutoscalers, self.vertical.get()));
        }
        if reasons.is_some_and(|it| it.scaled_object.is_some()) {
            missing.extend(not_read(Part::ScaledObject, self.scaled_object.get()));
        }
        if inputs.is_some_and(|it| !it.failing.is_empty()) {
            missing.extend(not_read(Part::ApiServices, self.api_services.get()));
        }
        let acting = Acting {
            vertical_pod_autoscalers: response(self.vertical),
            scaled_object: response(self.scaled_object),
            api_services: response(self.api_services),
        };
        (acting, missing)
    }
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

fn response<T: Default>(answer: OnceCell<Answered<T>>) -> T {
    let answer = answer.into_inner();
    answer
        .and_then(|answer| answer.into_response::<T>().ok())
        .unwrap_or_default()
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
