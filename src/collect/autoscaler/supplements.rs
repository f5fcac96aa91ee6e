//! What a pass can be computed without, but is better with: the server's
//! version, the controller's flags and lease, the other HPAs, the
//! events of the HPA and of its target, the target itself, who else acts.

use std::cell::OnceCell;
use std::pin::pin;

use futures_util::future::{join, join4, select};
use tokio::sync::SetOnce;

use crate::api::{Answered, Event, HorizontalPodAutoscaler, Workload};
use crate::snapshot::{NotRead, Part, Snapshot};

use super::actors::Actors;
use super::neighbours::{self, Neighbours};
use crate::collect::cluster::{Cluster, not_read, taken};
use crate::collect::request::pages::{list, list_of};
use crate::collect::request::paths::{self, Resource};

/// The parts, each as soon as it is there.
pub struct Supplements<'c> {
    cluster: &'c Cluster<'c>,
    namespace: &'c str,
    name: &'c str,
    own: SetOnce<Own>,
    selector: SetOnce<Option<String>>,
    neighbours: Neighbours<'c>,
    /// Who else acts.
    pub actors: Actors<'c>,
    events: OnceCell<Answered<Vec<Event>>>,
    target_object: OnceCell<Answered<Option<Workload>>>,
    replica_sets: OnceCell<Answered<Vec<Workload>>>,
}

/// The HPA, once it is known, and the resource of its target, if that is.
#[derive(Debug)]
pub struct Own {
    pub hpa: HorizontalPodAutoscaler,
    resource: Option<Resource>,
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
            neighbours: Neighbours::new(cluster, namespace, name),
            actors: Actors::new(cluster, namespace),
            events: OnceCell::new(),
            target_object: OnceCell::new(),
            replica_sets: OnceCell::new(),
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

    /// Asks for all of it, each as soon as it can be.
    pub async fn read(&self) {
        join(
            join4(
                self.cluster.version(),
                self.read_managers(),
                self.cluster.read_lease(),
                self.read_events(),
            ),
            join4(
                self.neighbours.read(),
                self.read_target(),
                self.read_replica_sets(),
                self.actors.read(&self.own),
            ),
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
        let endpoint = paths::target(resource, self.namespace, &target.name);
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
        snapshot.events = taken(Part::Events, self.events, missing);
        if reference.kind == "Deployment" && selector.is_some_and(|text| !text.is_empty()) {
            snapshot.replica_sets = taken(Part::ReplicaSets, self.replica_sets, missing);
        }
        self.actors.fill(snapshot);
    }

    /// The target, or why it was not read; neither where there is none.
    fn target(&self) -> (Option<Workload>, Option<NotRead>) {
        let Some(own) = self.own.get().filter(|it| it.resource.is_some()) else {
            return (None, None);
        };
        match self.neighbours.listed(&own.hpa.spec.scale_target_ref) {
            Some(Ok(found)) => (found, None),
            Some(Err(missing)) => (None, Some(missing)),
            None => {
                let answer = self.target_object.get();
                let found = answer.and_then(Answered::response).cloned();
                (found.flatten(), not_read(Part::Target, answer))
            }
        }
    }
}
