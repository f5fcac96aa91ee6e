//! From the lists to one snapshot an HPA.

use std::time::Duration;

use tokio::time::timeout;

use crate::api::{Answered, Event, Metrics, Pod, PodMetricsList, ReadFailure};
use crate::collect::autoscaler::gather::without_pods;
use crate::collect::autoscaler::neighbours::has_registered;
use crate::collect::autoscaler::supplements::{failing, has_requests_of_vpa};
use crate::snapshot::{NotRead, OtherAutoscaler, Part, Snapshot};

use super::spread::{Permits, Spread};
use super::supplements::AUTOSCALER;
use super::{Survey, Surveyed, Unusable, place_of};

/// Why a part is missing that no pass needs.
pub const NOT_FOR_A_LIST: &str = "not asked for a list";

impl Survey {
    /// The snapshots of the wanted HPAs by namespace and name, each put
    /// together when it is its turn: the lists are held once.
    pub fn snapshots(&self) -> impl ExactSizeIterator<Item = Result<Snapshot, Unusable>> {
        let requested: Vec<&Surveyed> = self.selected().collect();
        requested.into_iter().map(|one| {
            self.snapshot(one).finish().map_err(|flaw| Unusable {
                namespace: one.hpa.metadata.namespace.to_string(),
                name: one.hpa.metadata.name.to_string(),
                reason: flaw.to_string(),
            })
        })
    }

    /// The namespaces and names of the wanted HPAs, in the same order.
    pub fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.selected().map(|one| place_of(&one.hpa))
    }

    fn selected(&self) -> impl Iterator<Item = &Surveyed> {
        let all = self.needed.autoscalers.iter();
        all.filter(|one| one.is_selected)
    }

    fn snapshot(&self, own: &Surveyed) -> Snapshot {
        let (hpa, scale) = (own.hpa.clone(), own.target.scale.clone());
        let mut snapshot = self.shared.snapshot(hpa, scale);
        (snapshot.pods, snapshot.metrics) = self.inputs(own);
        let (others, unknown) = self.others(own);
        snapshot.other_autoscalers = others;
        snapshot.events = self.events_of(own);
        let missing = &mut snapshot.provenance.not_read;
        match &own.target.workload {
            Ok(workload) => snapshot.target.clone_from(workload),
            Err(reason) => missing.push(NotRead::new(Part::Target, reason.clone())),
        }
        missing.extend(own.missed_pods(self));
        missing.extend(unknown);
        missing.extend(self.events.not_read());
        match &self.needed.supplements {
            Some(supplements) => supplements.fill(own, &mut snapshot),
            None => missing.extend(own.not_asked(&snapshot.pods)),
        }
        snapshot
    }

    fn events_of(&self, own: &Surveyed) -> Vec<Event> {
        let (namespace, name) = place_of(&own.hpa);
        let target = &own.hpa.spec.scale_target_ref;
        let own = self.events.of(namespace, AUTOSCALER, name);
        [own, self.events.of(namespace, &target.kind, &target.name)].concat()
    }

    /// Reads who answers for the metrics APIs that fail, for a moment.
    pub(super) async fn read_api_services(&self, permits: &Permits<'_>, wait: Duration) {
        let Some(supplements) = &self.needed.supplements else {
            return;
        };
        let failing = self.selected().flat_map(|own| failing(&self.inputs(own).1));
        // What has not come by then is named as not waited for.
        let _ = timeout(
            wait,
            supplements.read_api_services(permits, failing.collect()),
        )
        .await;
    }

    /// What the selector decides.
    fn inputs(&self, own: &Surveyed) -> (Vec<Pod>, Metrics) {
        if own.target.selector().is_none() {
            return Default::default();
        }
        let specs = &own.hpa.spec.metrics;
        let pods = own.of_its(&self.needed.pods, &own.pods);
        let mut metrics = Metrics {
            resource: own.needs_samples().then(|| {
                match own
                    .of_its(&self.needed.samples, &own.samples)
                    .into_response()
                {
                    Ok(items) => Answered::Response(PodMetricsList { items }),
                    Err(failed) => failed,
                }
            }),
            ..own.adapted.clone()
        };
        if let Answered::Unreadable(reason) = &pods {
            without_pods(&mut metrics, reason, specs);
        }
        let pods = pods.into_response::<()>().unwrap_or_default();
        (pods, metrics)
    }

    /// The other HPAs of the namespace as far as the controller knows them,
    /// and why one is missing.
    fn others(&self, own: &Surveyed) -> (Vec<OtherAutoscaler>, Option<NotRead>) {
        let namespace = &own.hpa.metadata.namespace;
        let others = self.needed.autoscalers.iter().filter(|other| {
            other.hpa.metadata.namespace == *namespace
                && other.hpa.metadata.name != own.hpa.metadata.name
                && has_registered(&other.hpa.status)
        });
        let (mut known, mut unknown) = (Vec::new(), None);
        for other in others {
            if let Answered::Unreadable(reason) = &other.target.scale {
                unknown.get_or_insert(NotRead::new(Part::OtherAutoscalers, reason.clone()));
            }
            known.extend(other.target.selector().map(|selector| OtherAutoscaler {
                namespace: namespace.to_string(),
                name: other.hpa.metadata.name.to_string(),
                selector: selector.to_owned(),
            }));
        }
        (known, unknown)
    }
}

impl Surveyed {
    /// What no pass needs, and no list of many HPAs is worth.
    fn not_asked(&self, pods: &[Pod]) -> impl Iterator<Item = NotRead> {
        let parts = [
            (true, Part::ReplicaSets),
            (
                has_requests_of_vpa(&self.hpa, pods),
                Part::VerticalPodAutoscalers,
            ),
            (self.hpa.scaled_object().is_some(), Part::ScaledObject),
        ];
        let parts = parts.into_iter().filter(|(is_selected, _)| *is_selected);
        parts.map(|(_, part)| NotRead::new(part, ReadFailure::not_read(NOT_FOR_A_LIST)))
    }

    /// Why the pods are missing, if they are.
    fn missed_pods(&self, survey: &Survey) -> Option<NotRead> {
        self.target.selector()?;
        let list = survey.needed.pods.get(self.hpa.metadata.namespace.as_str());
        Some(NotRead::new(Part::Pods, list?.failure()?))
    }

    /// What is selected of the list of the HPA's namespace.
    fn of_its<T: Clone>(&self, lists: &Spread<T>, places: &[usize]) -> Answered<Vec<T>> {
        match lists.get(self.hpa.metadata.namespace.as_str()) {
            Some(Answered::Response(items)) => {
                let selected = places.iter().filter_map(|place| items.get(*place));
                Answered::Response(selected.cloned().collect())
            }
            Some(Answered::Error(error)) => Answered::Error(error.clone()),
            Some(Answered::Unreadable(reason)) => Answered::Unreadable(reason.clone()),
            None => Answered::Response(Vec::new()),
        }
    }
}
