//! What the lines so far have left.

use jiff::Timestamp;

use super::line::{Change, Delta};
use crate::snapshot::{
    API_VERSION, Answered, ApiService, ControllerFlags, Event, HorizontalPodAutoscaler, KIND,
    Lease, Metrics, OtherAutoscaler, Pod, Provenance, Scale, ScaledObject, Snapshot,
    VerticalPodAutoscaler, Workload,
};

/// The parts of the latest sample.
#[derive(Debug, Default)]
pub(super) struct State {
    server_version: Option<String>,
    controller: ControllerFlags,
    pub horizontal_pod_autoscaler: Option<HorizontalPodAutoscaler>,
    scale: Option<Answered<Scale>>,
    pods: Vec<Pod>,
    metrics: Metrics,
    other_autoscalers: Vec<OtherAutoscaler>,
    target: Option<Workload>,
    replica_sets: Vec<Workload>,
    events: Vec<Event>,
    controller_lease: Option<Lease>,
    vertical_pod_autoscalers: Vec<VerticalPodAutoscaler>,
    scaled_object: Option<ScaledObject>,
    api_services: Vec<ApiService>,
    provenance: Provenance,
}

impl State {
    /// Takes in what a line changes.
    pub fn apply(&mut self, delta: Delta) {
        if delta.full {
            *self = Self::default();
        }
        put(&mut self.server_version, delta.server_version);
        put_or_default(&mut self.controller, delta.controller);
        put(
            &mut self.horizontal_pod_autoscaler,
            delta.horizontal_pod_autoscaler,
        );
        put(&mut self.scale, delta.scale.map(Answered::from));
        put_list(&mut self.pods, delta.pods);
        put_or_default(&mut self.metrics, delta.metrics);
        put(
            &mut self.metrics.resource,
            delta.pod_metrics.map(Answered::from),
        );
        put_list(&mut self.other_autoscalers, delta.other_autoscalers);
        put(&mut self.target, delta.target);
        put_list(&mut self.replica_sets, delta.replica_sets);
        put_list(&mut self.events, delta.events);
        put(&mut self.controller_lease, delta.controller_lease);
        put_list(
            &mut self.vertical_pod_autoscalers,
            delta.vertical_pod_autoscalers,
        );
        put(&mut self.scaled_object, delta.scaled_object);
        put_list(&mut self.api_services, delta.api_services);
        put_or_default(&mut self.provenance, delta.provenance);
    }

    /// All parts together, at the moment of a sample; or why they are none.
    pub fn snapshot(&self, at: Timestamp) -> Result<Snapshot, String> {
        let absent = |part| move || format!("no {part} was recorded");
        let hpa = self.horizontal_pod_autoscaler.clone();
        let snapshot = Snapshot {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            captured_at: at,
            server_version: self.server_version.clone(),
            controller: self.controller.clone(),
            horizontal_pod_autoscaler: hpa.ok_or_else(absent("HPA"))?,
            scale: self.scale.clone().ok_or_else(absent("scale"))?,
            pods: self.pods.clone(),
            metrics: self.metrics.clone(),
            other_autoscalers: self.other_autoscalers.clone(),
            history: None,
            target: self.target.clone(),
            replica_sets: self.replica_sets.clone(),
            events: self.events.clone(),
            controller_lease: self.controller_lease.clone(),
            vertical_pod_autoscalers: self.vertical_pod_autoscalers.clone(),
            scaled_object: self.scaled_object.clone(),
            api_services: self.api_services.clone(),
            provenance: self.provenance.clone(),
        };
        let complete = snapshot.complete(None);
        complete
            .map(|(snapshot, _)| snapshot)
            .map_err(|flaw| format!("{}: {}", flaw.path, flaw.reason))
    }
}

fn put<T>(part: &mut Option<T>, change: Change<T>) {
    match change {
        Change::None => {}
        Change::Gone => *part = None,
        Change::To(value) => *part = Some(value),
    }
}

fn put_or_default<T: Default>(part: &mut T, change: Change<T>) {
    match change {
        Change::None => {}
        Change::Gone => *part = T::default(),
        Change::To(value) => *part = value,
    }
}

fn put_list<T>(part: &mut Vec<T>, change: Option<Vec<T>>) {
    if let Some(items) = change {
        *part = items;
    }
}
