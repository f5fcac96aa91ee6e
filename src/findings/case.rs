//! What a diagnosis works on, with or without some of the pods, and when the size last
//! changed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::shared_findings;
use crate::api::{ApiService, HorizontalPodAutoscaler, HpaSpec, MetricIndex, Phase, Pod};
use crate::controller::{
    Memory, Prepared, Settings, Switch, decision, reconcile_once, selected_pods,
};
use crate::document::snapshot::Snapshot;
use crate::history::{Moves, Observer, moves, remembered};
use crate::trace::{
    Direction, EvidenceKind, Finding, Group, MetricRecord, PodRecord, RescaleReason, SizeChange,
    Trace, WaitingContainer,
};

/// The inputs of one pass.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The HPA and what the controller sees of the cluster.
    pub snapshot: &'a Snapshot,
    /// The same as the algorithm reads it.
    pub prepared: &'a Prepared<'a>,
    /// The same before an edit that somebody thinks of: its spec is what the
    /// controller has remembered by.
    pub before: &'a Snapshot,
    /// What was seen of earlier passes.
    pub observer: &'a Observer,
    /// Its custom and external metrics by their names.
    pub index: &'a MetricIndex<'a>,
    /// The pods that the target's scale selects, in the order given.
    pub selected: &'a [&'a Pod],
    /// The same by their names.
    pub by_name: &'a BTreeMap<&'a str, &'a Pod>,
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

    /// The pods that count for a metric, with what it made of them.
    pub fn counted<'t>(
        &self,
        metric: &'t MetricRecord,
    ) -> impl Iterator<Item = (&'a Pod, &'t PodRecord)> + use<'a, 't> {
        let pods = self.selected.iter().copied().zip(&metric.pods);
        pods.filter(|(_, record)| record.group == Group::Ready)
    }

    /// What is wrong with a metric whose resource is in no sample, and in none to come.
    pub fn unmeasured(&self, metric: &MetricRecord) -> Option<Finding> {
        let resource = metric.source.name.as_str();
        let of_pods = metric.is_of_resource().then_some(resource);
        let finding = of_pods.and_then(shared_findings::not_measured)?;
        let samples = self.snapshot.metrics.samples().iter();
        let mut used = samples.flat_map(|it| &it.containers);
        let is_there = used.any(|it| it.usage.get(resource).is_some());
        (!is_there).then_some(finding)
    }

    /// Who should answer for a metrics API that failed, such as
    /// `metrics.k8s.io`; absent where nobody asked, or nothing is registered.
    pub fn api_service(&self, group: &str) -> Option<&ApiService> {
        let mut services = self.snapshot.api_services.iter();
        services.find(|service| service.group() == group)
    }

    /// The same pass on altered inputs.
    pub fn on(&self, altered: &Snapshot) -> Trace {
        let prepared = Prepared::new(altered, self.settings);
        reconcile_once(&prepared, self.settings, self.memory.clone(), self.now)
    }

    /// The same pass with a rule of a later release.
    pub fn with_rule(&self, rule: Switch) -> Trace {
        let mut settings = self.settings.clone();
        settings.release = settings.release.with(rule);
        let prepared = Prepared::new(self.snapshot, &settings);
        reconcile_once(&prepared, &settings, self.memory.clone(), self.now)
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
    before: &Snapshot,
    prepared: &Prepared,
    settings: &Settings,
    memory: &Memory,
    mut trace: Trace,
    observer: &Observer,
    then: impl FnOnce(&Case, Trace) -> T,
) -> T {
    let snapshot = prepared.snapshot;
    let selected = selected_pods(snapshot);
    let by_name = selected
        .iter()
        .map(|pod| (pod.metadata.name.as_str(), *pod));
    let moves = moves(snapshot, settings, trace.at, observer);
    let index = MetricIndex::new(&snapshot.metrics);
    let case = Case {
        snapshot,
        prepared,
        before,
        observer,
        index: &index,
        selected: &selected,
        by_name: &by_name.collect(),
        settings,
        memory,
        moves: &moves,
        now: trace.at,
    };
    trace.last_change = last_change(moves.known.last(), &trace);
    trace.waiting = selected.iter().filter_map(|pod| waiting(pod)).collect();
    if trace.metrics.iter().any(|it| it.ready_pods.is_some()) {
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

/// The latest change before the pass: the one that something tells of, or else
/// the one of the status or of the controller's memory. The memory has how many
/// replicas it added, and so the size before.
pub(super) fn last_change(known: Option<&SizeChange>, trace: &Trace) -> Option<SizeChange> {
    let stored = stored(trace);
    let mut change = match known {
        Some(known) => known.clone(),
        None => by_status(trace, stored)?,
    };
    if let (None, Some(after), Some((at, added))) = (change.before, change.after, stored)
        && change.is_by_hpa()
        && SizeChange::is_moment(at, change.to)
    {
        change.before = Some(after.saturating_sub(added));
    }
    Some(since_status(&change, trace).unwrap_or(change))
}

/// The size is not the one that the last pass left: it changed after the last
/// rescale of the status.
fn since_status(rescale: &SizeChange, trace: &Trace) -> Option<SizeChange> {
    let (before, size) = (trace.reported.desired_replicas, trace.size()?);
    let is_left = trace.reported.current_replicas == before;
    let is_of_status = rescale.source == Some(EvidenceKind::LastScaleTime);
    (is_left && is_of_status && size != before).then(|| SizeChange {
        to: trace.at,
        before: Some(before),
        after: Some(size),
        way: Direction::between(before, size),
        is_own: None,
        source: Some(EvidenceKind::Status),
        ..rescale.clone()
    })
}

/// The last change before this pass that the controller's memory holds, and how
/// many replicas it added.
fn stored(trace: &Trace) -> Option<(Timestamp, i32)> {
    let up = trace.memory.scale_up_events.iter().flatten();
    let down = trace.memory.scale_down_events.iter().flatten();
    let up = up.map(|event| (event.timestamp, event.replicas));
    let down = down.map(|event| (event.timestamp, event.replicas.saturating_neg()));
    let earlier = up.chain(down).filter(|(at, _)| *at < trace.at);
    earlier.max_by_key(|(at, _)| *at)
}

/// A change by the HPA of which at most the moment and the number are known.
/// It led to the size that there is if the status still says so.
fn by_status(trace: &Trace, stored: Option<(Timestamp, i32)>) -> Option<SizeChange> {
    let reported = &trace.reported;
    let stored = stored.map(|(at, _)| at);
    let at = reported.last_scale_time.or(stored)?;
    let size = trace.size().unwrap_or(trace.outcome.current_replicas);
    let is_stored = stored.is_some_and(|stored| SizeChange::is_moment(stored, at));
    Some(SizeChange {
        from: at,
        to: at,
        count: 1,
        before: None,
        after: (is_stored && size == reported.desired_replicas).then_some(size),
        way: None,
        is_own: Some(true),
        reason: RescaleReason::NONE,
        source: reported
            .last_scale_time
            .map(|_| EvidenceKind::LastScaleTime),
    })
}
