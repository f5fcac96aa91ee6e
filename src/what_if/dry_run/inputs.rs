//! What somebody wants to be different in the inputs, for every side alike:
//! the size, the value of a metric, pods that do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use thiserror::Error;

use super::answers::{set_external, set_object, set_pods};
use super::size::{resize, split};
use crate::api::{
    Answered, ByName, ConditionStatus, ContainerUsage, Format, GoDuration, HpaSpec, MetricSpec,
    Phase, Pod, PodConditionKind, PodMetrics, PodMetricsList, Quantity, SampleMeta, TargetKind,
};
use crate::controller::prepared::target_kind;
use crate::controller::{Nanos, Prepared, Settings, counting, pod_request, selected_pods};
use crate::document::snapshot::Snapshot;
use crate::findings::drop_samples;
use crate::trace::amount::counted;

/// What is altered in the inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// The size; the load is spread over it.
    pub replicas: Option<i32>,
    /// The metrics, by name.
    pub metrics: Vec<(String, Level)>,
    /// How many more pods are not Ready since their start.
    pub unready: usize,
    /// How many more pods have no sample.
    pub missing: usize,
}

/// What a metric is at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// Percent of what each pod requests.
    Percent(u32),
    /// In the metric's own unit: of each pod where it is measured pod by pod,
    /// else the whole metric.
    Amount(Quantity),
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Percent(percent) => write!(f, "{percent}%"),
            Self::Amount(amount) => write!(f, "{amount}"),
        }
    }
}

/// Why the inputs cannot be altered so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InputsError {
    /// No side has a metric of this name.
    #[error("the spec has no metric {name}; the metrics are {known}")]
    NoSuchMetric {
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// Only resources are measured in percent.
    #[error("{0} is not a resource that pods request; give its value instead of a percentage")]
    NoPercentage(String),
    /// A percentage of what a pod does not request, of a metric that needs no
    /// request.
    #[error("{pod} has no {name} request to take a percentage of; give the value per pod")]
    NoRequest {
        /// The resource.
        name: String,
        /// The first such pod.
        pod: String,
    },
    /// The controller cannot ask for the metric, so that no answer helps.
    #[error("{name} cannot have a value: its selector is invalid ({why})")]
    NoQuestion {
        /// The metric.
        name: String,
        /// What is wrong with its selector.
        why: String,
    },
    /// There are fewer pods that count.
    #[error("only {there} pods have a usable sample, fewer than the {desired} to leave out")]
    TooFewPods {
        /// How many count.
        there: usize,
        /// How many were asked for.
        desired: usize,
    },
    /// The scale cannot be read, so that no size can stand in for it.
    #[error("the scale could not be read, so the size cannot be changed")]
    NoScale,
    /// Pods are made after others.
    #[error("no pod can be copied")]
    NoPod,
}

impl Given {
    /// What is altered, in words.
    pub fn describe(&self) -> Vec<String> {
        let mut premises = Vec::new();
        if let Some(replicas) = self.replicas {
            let size = format!("the size is {replicas}, with the load spread over it");
            premises.push(size);
        }
        for (name, level) in &self.metrics {
            premises.push(match level {
                Level::Percent(percent) => format!("{name} is at {percent}% of the requests"),
                Level::Amount(amount) => format!("{name} is {amount}"),
            });
        }
        let aside = [
            (self.unready, "never Ready"),
            (self.missing, "without a sample"),
        ];
        let aside = aside.into_iter().filter(|(count, _)| *count > 0);
        premises.extend(aside.map(|(count, are)| format!("{} {are}", counted(count, "more pod"))));
        premises
    }

    /// The inputs, altered.
    /// Errors: what is to be altered is not there.
    pub(super) fn applied(
        &self,
        snapshot: &Snapshot,
        counting: Counting,
    ) -> Result<Snapshot, InputsError> {
        let mut altered = snapshot.clone();
        if let Some(replicas) = self.replicas {
            resize(&mut altered, replicas, counting)?;
        }
        for (name, level) in &self.metrics {
            set_metric(&mut altered, counting, name, level)?;
        }
        self.set_aside(&mut altered, counting)?;
        Ok(altered)
    }

    /// The last of the pods that count become unready, those before them lose
    /// their samples.
    fn set_aside(&self, snapshot: &mut Snapshot, counting: Counting) -> Result<(), InputsError> {
        let desired = self.unready.saturating_add(self.missing);
        if desired == 0 {
            return Ok(());
        }
        let counting = counting.pods(snapshot);
        let there = counting.len();
        if desired > there {
            return Err(InputsError::TooFewPods { there, desired });
        }
        let (rest, unready) = counting.split_at(there - self.unready);
        let missing = &rest[rest.len() - self.missing..];
        for pod in &mut snapshot.pods {
            if unready.iter().any(|it| pod.metadata.name == *it) {
                never_ready(pod);
            }
        }
        let is_missing = |name: &str| missing.iter().any(|it| it == name);
        drop_samples(snapshot, is_missing);
        Ok(())
    }
}

/// Its condition has been False since it started.
fn never_ready(pod: &mut Pod) {
    let started = pod.status.start_time;
    let conditions = Arc::make_mut(&mut pod.status.conditions);
    for condition in conditions
        .iter_mut()
        .filter(|it| it.kind == PodConditionKind::Ready)
    {
        condition.status = ConditionStatus::False.into();
        condition.last_transition_time = started;
    }
}

/// Sets every metric of a name that some side has; that one of them can be set
/// is enough.
pub(super) fn set_metric(
    snapshot: &mut Snapshot,
    counting: Counting,
    name: &str,
    level: &Level,
) -> Result<(), InputsError> {
    let mut is_set = false;
    let mut refused = None;
    for metric in counting.metrics().filter(|it| it.name() == Some(name)) {
        match set(snapshot, metric, level, counting.settings) {
            Ok(()) => is_set = true,
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    if is_set {
        return Ok(());
    }
    let known: BTreeSet<&str> = counting.metrics().filter_map(MetricSpec::name).collect();
    Err(refused.unwrap_or_else(|| InputsError::NoSuchMetric {
        name: name.to_owned(),
        known: known.into_iter().collect::<Vec<_>>().join(", "),
    }))
}

fn set(
    snapshot: &mut Snapshot,
    metric: &MetricSpec,
    level: &Level,
    settings: &Settings,
) -> Result<(), InputsError> {
    let name = || metric.name().unwrap_or_default().to_owned();
    if metric.measured_resource().is_some() {
        return set_resource(snapshot, metric, level, settings);
    }
    let Level::Amount(amount) = level else {
        return Err(InputsError::NoPercentage(name()));
    };
    if let Some(source) = &metric.pods {
        set_pods(snapshot, &source.metric, amount)
    } else if let Some(source) = &metric.object {
        set_object(snapshot, source, amount)
    } else if let Some(source) = &metric.external {
        set_external(snapshot, &source.metric, amount)
    } else {
        Ok(())
    }
    .map_err(|error| InputsError::NoQuestion {
        name: name(),
        why: error.to_string(),
    })
}

/// What decides on which pods count for the metrics of every side, the pods
/// aside.
#[derive(Clone, Copy)]
pub(super) struct Counting<'a> {
    /// The specs of all sides.
    pub specs: &'a [&'a HpaSpec],
    pub settings: &'a Settings,
    pub now: Nanos,
}

impl<'a> Counting<'a> {
    /// The metrics of all sides.
    pub(super) fn metrics(self) -> impl Iterator<Item = &'a MetricSpec> {
        self.specs.iter().flat_map(|spec| &spec.metrics)
    }

    /// The pods that each of the metrics counts; `None` for one that has no
    /// samples or needs none.
    pub(super) fn by_metric(self, snapshot: &Snapshot) -> Vec<Option<BTreeSet<String>>> {
        let mut asking = snapshot.clone();
        asking.hpa.spec.metrics = self.metrics().cloned().collect();
        let prepared = Prepared::new(&asking, self.settings);
        let counted = counting(&prepared, self.settings, self.now).into_iter();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        counted.map(|names| names.map(owned)).collect()
    }

    /// Whether what some metric asks for depends on pods, measured or not.
    pub(super) fn looks_at_pods(self) -> bool {
        self.metrics()
            .any(|metric| !metric.is_one_value() || target_kind(metric) == Some(TargetKind::Value))
    }

    /// The pods that every metric counts which counts any, in their order;
    /// where no metric has samples of pods, those that run.
    pub(super) fn pods(self, snapshot: &Snapshot) -> Vec<String> {
        let by_metric: Vec<_> = self.by_metric(snapshot).into_iter().flatten().collect();
        let is_unmeasured = by_metric.is_empty();
        let counting: Vec<_> = by_metric.iter().filter(|names| !names.is_empty()).collect();
        if counting.is_empty() && !is_unmeasured {
            return Vec::new();
        }
        let selected = selected_pods(snapshot).into_iter();
        let counting = selected.filter(|pod| {
            let name = pod.metadata.name.as_str();
            counting.iter().all(|names| names.contains(name)) && (!is_unmeasured || runs(pod))
        });
        counting.map(|pod| pod.metadata.name.to_string()).collect()
    }
}

fn runs(pod: &Pod) -> bool {
    pod.status.phase == Phase::Running && pod.metadata.deletion_timestamp.is_none()
}

/// The interval that samples are said to be measured over, in nanoseconds.
const WINDOW: i64 = 30_000_000_000;

/// Every sample says the same of the metric's resource. Where nothing was
/// measured, every pod that runs gets a sample.
pub(super) fn set_resource(
    snapshot: &mut Snapshot,
    metric: &MetricSpec,
    level: &Level,
    settings: &Settings,
) -> Result<(), InputsError> {
    let Some((resource, container)) = metric.measured_resource() else {
        return Ok(());
    };
    let desired = DesiredUsage {
        metric,
        resource,
        container,
        level,
        settings,
    };
    let selected = selected_pods(snapshot).into_iter();
    let pods = selected.map(|pod| (pod.metadata.name.to_string(), pod.clone()));
    let pods: BTreeMap<String, Pod> = pods.collect();
    for sample in samples(snapshot, &pods) {
        if let Some(pod) = pods.get(sample.metadata.name.as_str()) {
            desired.set(pod, sample)?;
        }
    }
    Ok(())
}

/// The samples of all pods, as they are or as they are made.
fn samples<'s>(
    snapshot: &'s mut Snapshot,
    pods: &BTreeMap<String, Pod>,
) -> impl Iterator<Item = &'s mut PodMetrics> {
    let at = snapshot.captured_at;
    let answered = &mut snapshot.metrics.resource;
    if answered.as_ref().is_none_or(|it| it.response().is_none()) {
        let running = pods.values().filter(|it| it.status.phase == Phase::Running);
        let items = running.map(|pod| new_sample(pod, at)).collect();
        *answered = Some(Answered::Response(PodMetricsList { items }));
    }
    let list = answered.as_mut().and_then(Answered::response_mut);
    list.into_iter().flat_map(|list| &mut list.items)
}

/// What the containers of a pod are to use.
struct DesiredUsage<'a> {
    metric: &'a MetricSpec,
    resource: &'a str,
    /// The container that alone is measured, if one is.
    container: Option<&'a str>,
    level: &'a Level,
    settings: &'a Settings,
}

impl DesiredUsage<'_> {
    /// The containers share it as they share the requests.
    fn set(&self, pod: &Pod, sample: &mut PodMetrics) -> Result<(), InputsError> {
        let total = self.total(pod)?;
        let containers = sample.containers.iter_mut();
        let is_intended =
            |it: &&mut ContainerUsage| self.container.is_none_or(|name| it.name == name);
        let intended: Vec<&mut ContainerUsage> = containers.filter(is_intended).collect();
        let request = |it: &&mut ContainerUsage| self.request(pod, Some(&it.name)).unwrap_or(0);
        let weights: Vec<i128> = intended.iter().map(request).collect();
        for (container, milli) in intended.into_iter().zip(split(total, &weights)) {
            container.usage = with(&container.usage, self.resource, milli);
        }
        Ok(())
    }

    /// What the pod, or the one container, is to use, in thousandths.
    fn total(&self, pod: &Pod) -> Result<i128, InputsError> {
        let percent = match self.level {
            Level::Amount(amount) => return Ok(amount.milli_value().into()),
            Level::Percent(percent) => i128::from(*percent),
        };
        let request = match self.request(pod, self.container) {
            Some(request) => request,
            // The controller complains of it, in every side that asks.
            None if self.metric.percent_of_request().is_some() => 0,
            None => {
                return Err(InputsError::NoRequest {
                    name: self.resource.to_owned(),
                    pod: pod.metadata.name.to_string(),
                });
            }
        };
        // Rounded up, so that a percentage that is cut off is the one that was
        // asked for.
        Ok((request * percent + 99).div_euclid(100))
    }

    fn request(&self, pod: &Pod, container: Option<&str>) -> Option<i128> {
        pod_request(pod, self.resource, container, self.settings).map(i128::from)
    }
}

fn with(usage: &ByName<Quantity>, resource: &str, milli: i64) -> ByName<Quantity> {
    let others = usage.keys().filter(|name| *name != resource);
    let others = others.filter_map(|name| Some((name.clone(), usage.get(name)?.clone())));
    let own = Quantity::from_milli(milli, Format::DecimalSi);
    others.chain([(resource.into(), own)]).collect()
}

fn new_sample(pod: &Pod, at: Timestamp) -> PodMetrics {
    let containers = pod.spec.running().map(|container| ContainerUsage {
        name: container.name.clone(),
        usage: ByName::default(),
    });
    PodMetrics {
        metadata: SampleMeta::from(&pod.metadata),
        timestamp: at,
        window: GoDuration(WINDOW),
        containers: containers.collect(),
    }
}
