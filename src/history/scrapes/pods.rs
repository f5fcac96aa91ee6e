//! The pods of a target as they were scraped: when each was there, started and
//! became Ready is exact, for these are values of series.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::api::{
    ConditionStatus, Container, CrossVersionObjectReference, Format, HorizontalPodAutoscaler,
    Labels, ObjectMeta, OneOf, Phase, Pod, PodCondition, PodConditionKind, PodSpec, PodStatus,
    Quantity, ResourceRequirements, Series,
};
use crate::controller::{Nanos, SECOND, timestamp};
use crate::history::Span;

/// The pods, by name.
#[derive(Clone, Debug, Default)]
pub struct ScrapedPods(Vec<ScrapedPod>);

/// A pod, as far as series tell of it.
#[derive(Clone, Debug, Default)]
pub struct ScrapedPod {
    name: String,
    /// The first and the last scrape that had it.
    scraped: Option<(Nanos, Nanos)>,
    created: Option<i64>,
    started: Option<i64>,
    deleted: Option<i64>,
    /// Whether it was Ready, from scrapes on that differ.
    ready: Vec<(Nanos, bool)>,
    /// When it became Ready, the same way.
    ready_since: Vec<(Nanos, i64)>,
    phase: Vec<(Nanos, Phase)>,
    /// By container and resource, in thousandths.
    requests: BTreeMap<String, BTreeMap<String, i64>>,
}

impl ScrapedPods {
    /// The pods that the target of an HPA owned.
    pub fn new(hpa: &HorizontalPodAutoscaler, series: &[Series]) -> Self {
        let target = &hpa.spec.scale_target_ref;
        let owned = owned(target, series);
        let mut pods: BTreeMap<&str, ScrapedPod> = BTreeMap::new();
        for one in series {
            let name = one.label("pod");
            if owned.contains(name) {
                let pod = pods.entry(name).or_default();
                name.clone_into(&mut pod.name);
                pod.take(one);
            }
        }
        Self(pods.into_values().collect())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that a scrape had, by their places.
    pub fn of_scrape(&self, at: Nanos) -> BTreeSet<usize> {
        let pods = self.0.iter().enumerate().filter(|(_, pod)| pod.had(at));
        pods.map(|(place, _)| place).collect()
    }

    pub fn get(&self, place: usize) -> &ScrapedPod {
        &self.0[place]
    }

    /// When the first one of a time was created.
    pub fn created_within(&self, span: Span) -> Option<Nanos> {
        let created = self.0.iter().map(ScrapedPod::created);
        created
            .filter(|at| span.from <= *at && *at <= span.to)
            .min()
    }

    /// Whether pods came and others went between two scrapes, in which order is
    /// not known.
    pub fn were_replaced(&self, one: Nanos, other: Nanos) -> bool {
        let has = |from, to| self.0.iter().any(|it| it.had(from) && !it.had(to));
        has(one, other) && has(other, one)
    }
}

/// The pods that the target owns, itself or by its `ReplicaSets`.
fn owned<'s>(target: &CrossVersionObjectReference, series: &'s [Series]) -> BTreeSet<&'s str> {
    let of = |family: &'static str, kind: &'s str| {
        let series = series.iter().filter(move |it| it.name() == family);
        series.filter(move |it| it.label("owner_kind") == kind)
    };
    let sets = of("kube_replicaset_owner", "Deployment");
    let sets = sets.filter(|it| it.label("owner_name") == target.name);
    let sets: BTreeSet<&str> = sets.map(|it| it.label("replicaset")).collect();
    let is_own = |it: &&Series| {
        let owner = it.label("owner_name");
        if target.kind == "Deployment" {
            it.label("owner_kind") == "ReplicaSet" && sets.contains(owner)
        } else {
            it.label("owner_kind") == target.kind && owner == target.name
        }
    };
    let owners = series.iter().filter(|it| it.name() == "kube_pod_owner");
    owners.filter(is_own).map(|it| it.label("pod")).collect()
}

/// Adds what is another value than the one before it.
fn push<T: PartialEq>(all: &mut Vec<(Nanos, T)>, at: Nanos, value: T) {
    if all.last().is_none_or(|(_, last)| *last != value) {
        all.push((at, value));
    }
}

/// The value at a moment: that of the last scrape before it.
fn at<T: Copy>(all: &[(Nanos, T)], moment: Nanos) -> Option<T> {
    let after = all.partition_point(|(at, _)| *at <= moment);
    all.get(after.checked_sub(1)?).map(|(_, value)| *value)
}

impl ScrapedPod {
    fn take(&mut self, series: &Series) {
        #[expect(clippy::cast_possible_truncation)]
        let whole = |value: f64| value as i64;
        let last = || series.values.last().map(|it| whole(it.1));
        let points = || series.values.iter().map(|it| (it.0.as_nanosecond(), it.1));
        match series.name() {
            "kube_pod_created" => {
                self.created = last();
                let times = || points().map(|(at, _)| at);
                for at in times() {
                    let (first, last) = self.scraped.unwrap_or((at, at));
                    self.scraped = Some((first.min(at), last.max(at)));
                }
            }
            "kube_pod_start_time" => self.started = last(),
            "kube_pod_deletion_timestamp" => self.deleted = last(),
            "kube_pod_status_ready" if series.label("condition") == "true" => {
                for (at, value) in points() {
                    push(&mut self.ready, at, value > 0.0);
                }
            }
            "kube_pod_status_ready_time" => {
                for (at, value) in points() {
                    push(&mut self.ready_since, at, whole(value));
                }
            }
            "kube_pod_status_phase" => {
                let phase = OneOf::from(series.label("phase"));
                let phase = phase.known().unwrap_or(Phase::Unknown);
                let own = points().filter(|(_, value)| *value > 0.0);
                self.phase.extend(own.map(|(at, _)| (at, phase)));
                self.phase.sort_by_key(|(at, _)| *at);
                self.phase.dedup_by_key(|(_, phase)| *phase);
            }
            "kube_pod_container_resource_requests" => {
                let Some(point) = series.values.last() else {
                    return;
                };
                let name = |label| series.label(label).to_owned();
                let requests = self.requests.entry(name("container")).or_default();
                requests.insert(name("resource"), whole((point.1 * 1_000.0).round()));
            }
            _ => {}
        }
    }

    /// Whether a scrape had it.
    fn had(&self, at: Nanos) -> bool {
        self.scraped
            .is_some_and(|(first, last)| first <= at && at <= last)
    }

    /// When it was created.
    pub fn created(&self) -> Nanos {
        Nanos::from(self.created.unwrap_or_default()) * SECOND
    }

    /// When it started.
    pub fn started(&self) -> Option<Nanos> {
        self.started.map(|at| Nanos::from(at) * SECOND)
    }

    /// Since when it was Ready at a moment, if it was; a scrape tells.
    pub fn ready_since(&self, moment: Nanos, scrape: Nanos) -> Option<Nanos> {
        // Of one that was gone by then, the last scrape that had it.
        let scrape = self.scraped.map_or(scrape, |(_, last)| scrape.min(last));
        if !at(&self.ready, scrape)? {
            return None;
        }
        let since = Nanos::from(at(&self.ready_since, scrape)?) * SECOND;
        (since <= moment).then_some(since)
    }

    /// The pod as it was at a moment, by what a scrape shows of it.
    pub fn pod(&self, labels: &Labels, moment: Nanos, scrape: Nanos) -> Pod {
        let second = |at: i64| Timestamp::from_second(at).ok();
        let ready = self.ready_since(moment, scrape);
        let changed = ready.map_or_else(
            || self.started.or(self.created).and_then(second),
            |at| Some(timestamp(at)),
        );
        let status = if ready.is_some() {
            ConditionStatus::True
        } else {
            ConditionStatus::False
        };
        let deleted = self
            .deleted
            .filter(|at| Nanos::from(*at) * SECOND <= moment);
        let container = |(name, requests): (&String, &BTreeMap<String, i64>)| Container {
            name: name.as_str().into(),
            resources: Some(ResourceRequirements {
                requests: requests
                    .iter()
                    .map(|(name, milli)| {
                        let quantity = Quantity::from_milli(*milli, Format::DecimalSi);
                        (name.as_str().into(), quantity)
                    })
                    .collect(),
                ..ResourceRequirements::default()
            }),
            ..Container::default()
        };
        Pod {
            metadata: ObjectMeta {
                name: self.name.as_str().into(),
                labels: labels.clone(),
                creation_timestamp: self.created.and_then(second),
                deletion_timestamp: deleted.and_then(second),
                ..ObjectMeta::default()
            },
            spec: PodSpec {
                containers: self.requests.iter().map(container).collect(),
                ..PodSpec::default()
            },
            status: PodStatus {
                phase: at(&self.phase, scrape).unwrap_or(Phase::Running).into(),
                start_time: self.started.and_then(second),
                conditions: [PodCondition {
                    kind: PodConditionKind::Ready.into(),
                    status: status.into(),
                    last_transition_time: changed,
                    ..PodCondition::default()
                }]
                .into(),
                ..PodStatus::default()
            },
        }
    }
}
