//! What no pass needs, of many HPAs, from lists: the events of the targets,
//! the `ReplicaSets` between Deployments and their pods, who else acts.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::{join_all, join4};
use serde::de::DeserializeOwned;

use super::Surveyed;
use super::metrics::Selecting;
use super::spread::{Lists, Located, Namespaces, Permits, Spread, objects, spread};
use crate::api::{
    Answered, ApiService, Event, LimitRange, ResourceQuota, RoomParts, ScaledObject,
    VerticalPodAutoscaler, Workload,
};
use crate::collect::autoscaler::supplements::{
    Versions, api_service, failing, has_requests_of_vpa,
};
use crate::collect::cluster::not_read;
use crate::collect::request::{Endpoint, list_of, paths};
use crate::document::snapshot::{NotRead, Part, Snapshot};

/// The lists, each as soon as it is there.
#[derive(Default)]
pub struct Supplements {
    replica_sets: Cell<Workload>,
    vertical: Cell<VerticalPodAutoscaler>,
    scaled_objects: Cell<ScaledObject>,
    resource_quotas: Cell<ResourceQuota>,
    limit_ranges: Cell<LimitRange>,
    api_services: OnceCell<BTreeMap<Versions, Answered<Option<ApiService>>>>,
}

type Cell<T> = OnceCell<Spread<Located<T>>>;

impl Supplements {
    /// Reads what the HPAs give a reason to, and quotas and limit ranges if wanted.
    pub async fn read(&self, permits: &Permits<'_>, surveyed: &[Surveyed], limits: bool) {
        let selected = || surveyed.iter().filter(|one| one.is_selected);
        let replica_sets = async {
            let all = surveyed.iter().enumerate();
            let selecting = Selecting::of(all.filter(|(_, one)| one.has_replica_sets()));
            let namespaces = selecting.namespaces();
            let lists = spread(&namespaces, async |namespace| {
                let endpoint = paths::replica_sets(namespace, "");
                let is_selected = |Located { metadata, .. }: &Located<_>| {
                    selecting.holds(&metadata.namespace, &metadata.labels)
                };
                objects(permits, &endpoint, is_selected).await
            });
            _ = self.replica_sets.set(lists.await);
        };
        let vertical = async {
            let measured = selected().filter(|one| one.hpa.measures_by_request());
            let lists = of_others(permits, measured, paths::vertical_pod_autoscalers);
            _ = self.vertical.set(lists.await);
        };
        let scaled_objects = async {
            let made = selected().filter(|one| one.hpa.scaled_object().is_some());
            let lists = of_others(permits, made, paths::scaled_objects);
            _ = self.scaled_objects.set(lists.await);
        };
        let limits = async {
            if limits {
                let quotas = of_others(permits, selected(), paths::resource_quotas);
                _ = self.resource_quotas.set(quotas.await);
                let ranges = of_others(permits, selected(), paths::limit_ranges);
                _ = self.limit_ranges.set(ranges.await);
            }
        };
        join4(replica_sets, vertical, scaled_objects, limits).await;
    }

    /// Reads who answers for the metrics APIs that fail.
    pub async fn read_api_services(&self, permits: &Permits<'_>, failing: BTreeSet<Versions>) {
        let found = failing.into_iter().map(async |versions| {
            let found = api_service(&*permits.next().await, versions).await;
            (versions, found)
        });
        let found = join_all(found).await.into_iter().collect();
        _ = self.api_services.set(found);
    }

    /// Adds what belongs to an HPA to its snapshot, and why some is missing.
    pub fn fill(&self, own: &Surveyed, snapshot: &mut Snapshot) {
        let missing = &mut snapshot.provenance.not_read;
        if own.has_replica_sets() {
            let selector = own.selector.as_ref();
            let is_own = |one: &Located<Workload>| {
                selector.is_some_and(|selector| selector.matches(&one.metadata.labels))
            };
            snapshot.replica_sets =
                of_one(&self.replica_sets, own, Part::ReplicaSets, is_own, missing);
        }
        let target = &own.hpa.spec.scale_target_ref;
        let is_of_target = |vpa: &Located<VerticalPodAutoscaler>| vpa.object.is_for(target);
        if has_requests_of_vpa(&own.hpa, &snapshot.pods) {
            let part = Part::VerticalPodAutoscalers;
            snapshot.vertical_pod_autoscalers =
                of_one(&self.vertical, own, part, is_of_target, missing);
        }
        if let Some(name) = own.hpa.scaled_object() {
            let is_it = |one: &Located<ScaledObject>| one.metadata.name == name;
            let (lists, part) = (&self.scaled_objects, Part::ScaledObject);
            let found = of_one(lists, own, part, is_it, missing);
            snapshot.scaled_object = found.into_iter().next();
        }
        if self.resource_quotas.get().is_some() {
            let (quotas, ranges) = (Part::ResourceQuotas, Part::LimitRanges);
            let resource_quotas = of_one(&self.resource_quotas, own, quotas, |_| true, missing);
            let limit_ranges = of_one(&self.limit_ranges, own, ranges, |_| true, missing);
            let is_read = |part| !missing.iter().any(|it| it.part == part);
            snapshot.room = Some(RoomParts {
                resource_quotas: is_read(quotas).then_some(resource_quotas),
                limit_ranges: is_read(ranges).then_some(limit_ranges),
                nodes: None,
            });
        }
        for versions in failing(&snapshot.metrics) {
            let answer = self.api_services.get().and_then(|all| all.get(versions));
            let found = answer.and_then(Answered::response).cloned().flatten();
            snapshot.api_services.extend(found);
            // Whoever may not read one may read none.
            if !missing.iter().any(|it| it.part == Part::ApiServices) {
                missing.extend(not_read(Part::ApiServices, answer));
            }
        }
    }
}

/// Objects of a kind that not every cluster knows.
async fn of_others<'s, T: DeserializeOwned>(
    permits: &Permits<'_>,
    surveyed: impl Iterator<Item = &'s Surveyed>,
    endpoint: fn(Option<&str>) -> Endpoint,
) -> Spread<Located<T>> {
    let namespaces: Namespaces = surveyed
        .map(|one| one.hpa.metadata.namespace.to_string())
        .collect();
    let read = async |namespace: Option<&str>| match objects(permits, &endpoint(namespace), |_| {
        true
    })
    .await
    {
        Err(missed) if missed.is_no_such_kind => Ok(Lists::default()),
        read => read,
    };
    spread(&namespaces, read).await
}

/// What of a list belongs to an HPA.
fn of_one<T: Clone>(
    lists: &Cell<T>,
    own: &Surveyed,
    part: Part,
    is_own: impl Fn(&Located<T>) -> bool,
    missing: &mut Vec<NotRead>,
) -> Vec<T> {
    let namespace = own.hpa.metadata.namespace.as_str();
    let list = lists.get().and_then(|lists| lists.get(namespace));
    missing.extend(not_read(part, list));
    let items = list.and_then(Answered::response).into_iter().flatten();
    let own = items.filter(|item| is_own(item));
    own.map(|item| item.object.clone()).collect()
}

impl Surveyed {
    /// Only a Deployment has something between it and its pods.
    fn has_replica_sets(&self) -> bool {
        let target = &self.hpa.spec.scale_target_ref;
        target.kind == "Deployment" && self.target.scale.selector().is_some()
    }
}

/// The kind of an HPA.
pub const AUTOSCALER: &str = "HorizontalPodAutoscaler";

/// What was said of the HPAs and of their targets.
#[derive(Default)]
pub struct Events {
    by_object: BTreeMap<Place, Vec<Event>>,
    not_read: Option<NotRead>,
}

/// Namespace, kind and name of an object.
pub type Place = (String, String, String);

/// The lists by kind, once they are there.
#[derive(Default)]
pub struct EventLists(RefCell<BTreeMap<String, Option<EventList>>>);

type EventList = Answered<Vec<Located<Event>>>;

impl EventLists {
    /// Asks for those of a kind, in a namespace or in all.
    pub async fn read(
        &self,
        permits: &Permits<'_>,
        namespace: Option<&str>,
        kind: &str,
        is_selected: impl Fn(&Place) -> bool,
    ) {
        self.0.borrow_mut().insert(kind.to_owned(), None);
        let endpoint = paths::events_of_kind(namespace, kind);
        let is_of_one = |item: &Located<Event>| {
            let place = place_of(item);
            place.1 == kind && is_selected(&place)
        };
        let answer = list_of(&*permits.next().await, &endpoint, is_of_one).await;
        self.0.borrow_mut().insert(kind.to_owned(), Some(answer));
    }

    /// What came of it by now.
    pub fn into_events(self) -> Events {
        let mut events = Events::default();
        for answer in self.0.into_inner().into_values() {
            let missing = not_read(Part::Events, answer.as_ref());
            events.not_read = events.not_read.or(missing);
            let items = answer.and_then(|it| it.into_response::<()>().ok());
            for item in items.into_iter().flatten() {
                let of_one = events.by_object.entry(place_of(&item));
                of_one.or_default().push(item.object);
            }
        }
        events
    }
}

fn place_of(item: &Located<Event>) -> Place {
    let about = &item.object.involved_object;
    let namespace = item.metadata.namespace.to_string();
    (namespace, about.kind.clone(), about.name.clone())
}

impl Events {
    /// Those of an object.
    pub fn of(&self, namespace: &str, kind: &str, name: &str) -> &[Event] {
        let key = (namespace.to_owned(), kind.to_owned(), name.to_owned());
        self.by_object.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Why some are missing, if they are.
    pub fn not_read(&self) -> Option<NotRead> {
        self.not_read.clone()
    }
}
