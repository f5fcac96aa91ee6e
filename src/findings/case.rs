//! What a diagnosis works on, with or without some of the pods.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::api::{ApiService, HorizontalPodAutoscaler, HpaSpec, MetricIndex, Phase, Pod};
use crate::controller::{Memory, Settings, Switch, decision, reconcile_once, selected_pods};
use crate::history::{Moves, Observer, moves, remembered};
use crate::snapshot::Snapshot;
use crate::trace::{Group, MetricRecord, PodRecord, Trace, WaitingContainer};

use super::last_change::last_change;

/// The inputs of one pass.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The HPA and what the controller sees of the cluster.
    pub snapshot: &'a Snapshot,
    /// The same before an edit that somebody thinks of: its spec is what the
    /// controller has remembered by.
    pub before: &'a Snapshot,
    /// What was seen of earlier passes.
    pub observer: &'a Observer,
    /// Its custom and external metrics by their names.
    pub index: &'a MetricIndex<'a>,
    /// The pods that the target's scale selects, in the order given.
    pub selected: &'a [&'a Pod],
    /// The release's rules and the controller's settings.
    pub settings: &'a Settings,
    /// What the controller remembers before the pass, as far as it is known.
    pub memory: &'a Memory,
    /// The changes of the size before the pass.
    pub moves: &'a Moves,
    /// The moment of the pass.
    pub now: Timestamp,
}

impl<'a> Case<'a> {
    /// The HPA itself.
    pub fn hpa(&self) -> &'a HorizontalPodAutoscaler {
        &self.snapshot.hpa
    }

    /// The selected pods by their names.
    pub fn pods_by_name(&self) -> BTreeMap<&'a str, &'a Pod> {
        let pods = self.selected.iter();
        pods.map(|pod| (pod.metadata.name.as_str(), *pod)).collect()
    }

    /// The pods that count for a metric, with what it made of them.
    pub fn counted<'t>(
        &self,
        metric: &'t MetricRecord,
    ) -> impl Iterator<Item = (&'a Pod, &'t PodRecord)> + use<'a, 't> {
        let pods = self.selected.iter().copied().zip(&metric.pods);
        pods.filter(|(_, record)| record.group == Group::Ready)
    }

    /// Who should answer for a metrics API that failed, such as
    /// `metrics.k8s.io`; absent where nobody asked, or nothing is registered.
    pub fn api_service(&self, group: &str) -> Option<&ApiService> {
        let mut services = self.snapshot.api_services.iter();
        services.find(|service| service.group() == group)
    }

    /// The same pass on altered inputs.
    pub fn on(&self, altered: &Snapshot) -> Trace {
        reconcile_once(altered, self.settings, self.memory.clone(), self.now)
    }

    /// The same pass with a rule of a later release.
    pub fn with_rule(&self, rule: Switch) -> Trace {
        let mut settings = self.settings.clone();
        settings.release = settings.release.with(rule);
        reconcile_once(self.snapshot, &settings, self.memory.clone(), self.now)
    }

    /// The size that the same recommendation comes to under another spec: what
    /// comes after the metrics runs again, and looks at no pod. What is
    /// remembered counts as far back as that spec reaches; absent where what is
    /// not known of that decides.
    pub fn under(&self, trace: &Trace, change: impl FnOnce(&mut HpaSpec)) -> Option<i32> {
        let current = trace.size()?;
        let spec = self.changed(change);
        let memory = remembered(self.before, &spec, self.settings, self.now, self.observer);
        let now = self.now.as_nanosecond();
        let change = (current, trace.recommended()?);
        decision(&spec, self.settings, &memory, now, change)
    }

    /// The spec with a change, as the API server would store it.
    pub fn changed(&self, change: impl FnOnce(&mut HpaSpec)) -> HpaSpec {
        let mut spec = self.hpa().spec.clone();
        change(&mut spec);
        spec.set_defaults();
        spec
    }

    /// The same pass without these pods and their samples.
    pub fn without_pods(&self, names: &BTreeSet<&str>) -> Trace {
        let mut altered = self.snapshot.clone();
        drop_pods(&mut altered, |name| names.contains(name));
        self.on(&altered)
    }
}

/// Adds to a trace what its inputs say beside it, and hands both on.
pub(crate) fn of_case<T>(
    (before, snapshot): (&Snapshot, &Snapshot),
    settings: &Settings,
    memory: &Memory,
    mut trace: Trace,
    observer: &Observer,
    then: impl FnOnce(&Case, Trace) -> T,
) -> T {
    let selected = selected_pods(snapshot);
    let moves = moves(snapshot, settings, trace.at, observer);
    let index = MetricIndex::new(&snapshot.metrics);
    let case = Case {
        snapshot,
        before,
        observer,
        index: &index,
        selected: &selected,
        settings,
        memory,
        moves: &moves,
        now: trace.at,
    };
    trace.last_change = last_change(moves.known.last(), &trace);
    trace.waiting = selected.iter().filter_map(|pod| waiting(pod)).collect();
    if trace
        .metrics
        .iter()
        .any(|metric| metric.ready_pods.is_some())
    {
        let counts = |pod: &Pod| pod.status.phase == Phase::Running && pod.is_ready();
        // Those that do not count where the Ready pods multiply (`getReadyPodsCount`).
        let not_ready = selected.iter().filter(|pod| !counts(pod));
        let names = not_ready.map(|pod| pod.metadata.name.to_string());
        trace.not_ready = names.collect();
    }
    then(&case, trace)
}

/// The container that keeps a pod from running.
fn waiting(pod: &Pod) -> Option<WaitingContainer> {
    let (container, reason) = pod.waiting()?;
    let status = &pod.status;
    let mut statuses = status.container_statuses.iter();
    let own = statuses.find(|status| status.name.as_str() == container);
    Some(WaitingContainer {
        pod: pod.metadata.name.to_string(),
        container: container.to_owned(),
        reason: reason.to_owned(),
        restarts: own.map_or(0, |status| status.restart_count),
    })
}

/// Takes away some pods, by their names, and their samples.
pub(crate) fn drop_pods(snapshot: &mut Snapshot, is_gone: impl Fn(&str) -> bool) {
    snapshot.pods.retain(|pod| !is_gone(&pod.metadata.name));
    drop_samples(snapshot, is_gone);
}

/// Takes away what was measured of some pods, by their names.
pub(crate) fn drop_samples(snapshot: &mut Snapshot, is_intended: impl Fn(&str) -> bool) {
    if let Some(samples) = snapshot.metrics.samples_mut() {
        samples.retain(|sample| !is_intended(&sample.metadata.name));
    }
    for items in snapshot.metrics.pod_answers_mut() {
        items.retain(|item| !is_intended(&item.described_object.name));
    }
}
