//! The same load under several specs.

use thiserror::Error;

use crate::controller::prepared::{Metric, Prepared, Source};
use crate::controller::{Overrides, Settings};
use crate::snapshot::{
    Answered, HpaSpec, MetricSpec, Metrics, Scale, ScaleSpec, ScaleStatus, Snapshot,
};
use crate::trace::SimulatedRun;

use super::load::Load;
use super::run::{Plan, SimulateError, run};
use super::workload::{Model, Spread};

/// Resources of which each pod holds its own, however many there are.
const HELD_BY_EACH_POD: [&str; 2] = ["memory", "ephemeral-storage"];

/// What is the same under every spec.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The HPA, as it is.
    pub snapshot: &'a Snapshot,
    /// What was given of the controller's settings.
    pub overrides: &'a Overrides,
    /// The metric that the load is of.
    pub metric: &'a MetricSpec,
    /// The demand.
    pub load: &'a Load,
    /// What serves it.
    pub model: &'a Model,
    /// The size to begin with.
    pub replicas: i32,
    /// For how long, in seconds.
    pub seconds: i64,
}

/// Why a spec cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompareError {
    /// The load is of a metric that the spec does not have.
    #[error("{name}: has no metric {metric}, which the load is of")]
    NoMetric {
        /// What the spec is called.
        name: String,
        /// The metric.
        metric: String,
    },
    /// The simulation cannot go on.
    #[error("{name}: {error}")]
    Run {
        /// What the spec is called.
        name: String,
        /// Why.
        error: SimulateError,
    },
}

impl Subject<'_> {
    /// Runs a spec, and keeps every pass.
    ///
    /// # Errors
    ///
    /// The spec has no such metric, or asks for too many pods.
    pub fn run(&self, name: &str, spec: &HpaSpec) -> Result<SimulatedRun, CompareError> {
        let mut snapshot = bare(self.snapshot, self.replicas);
        snapshot.horizontal_pod_autoscaler.spec = spec.clone();
        let settings = Settings::resolve(&snapshot, self.overrides);
        let mut metrics = spec.metrics.iter();
        let Some(metric) = metrics.position(|it| is_same(it, self.metric)) else {
            return Err(CompareError::NoMetric {
                name: name.to_owned(),
                metric: metric_name(self.metric).to_owned(),
            });
        };
        let plan = Plan {
            snapshot: &snapshot,
            settings: &settings,
            metric,
            load: self.load,
            model: self.model,
            replicas: self.replicas,
            seconds: self.seconds,
        };
        let mut steps = Vec::new();
        let scores = run(&plan, &mut |step| steps.push(step));
        let scores = scores.map_err(|error| CompareError::Run {
            name: name.to_owned(),
            error,
        })?;
        Ok(SimulatedRun {
            name: name.to_owned(),
            patch: None,
            scores,
            steps,
        })
    }
}

/// The HPA without anything that a workload will tell.
pub(super) fn bare(snapshot: &Snapshot, replicas: i32) -> Snapshot {
    let mut bare = snapshot.clone();
    bare.pods.clear();
    bare.metrics = Metrics::default();
    bare.other_autoscalers.clear();
    bare.history = None;
    bare.horizontal_pod_autoscaler.status.conditions.clear();
    bare.scale = Answered {
        response: Some(Scale {
            spec: ScaleSpec { replicas },
            status: ScaleStatus {
                replicas,
                selector: "app=simulated".to_owned(),
            },
        }),
        error: None,
        unreadable: None,
    };
    bare
}

/// What a metric of the spec is called.
#[must_use]
pub fn metric_name(metric: &MetricSpec) -> &str {
    let resource = metric.resource.as_ref().map(|it| it.name.as_str());
    let container = metric.container_resource.as_ref();
    let pods = metric.pods.as_ref().map(|it| it.metric.name.as_str());
    let object = metric.object.as_ref().map(|it| it.metric.name.as_str());
    let external = metric.external.as_ref().map(|it| it.metric.name.as_str());
    let named = resource.or(container.map(|it| it.name.as_str()));
    named.or(pods).or(object).or(external).unwrap_or("unknown")
}

fn is_same(metric: &MetricSpec, other: &MetricSpec) -> bool {
    metric.kind == other.kind && metric_name(metric) == metric_name(other)
}

/// How the demand of a metric comes to be what its pods use.
#[must_use]
pub fn spread(metric: &MetricSpec) -> Spread {
    match metric.kind.as_str() {
        "Object" | "External" => Spread::Whole,
        "Resource" | "ContainerResource" if HELD_BY_EACH_POD.contains(&metric_name(metric)) => {
            Spread::EachPod
        }
        _ => Spread::Shared,
    }
}

/// What the pods of a snapshot request of the metric's resource, in
/// thousandths: the most common request. Absent where none has one.
#[must_use]
pub fn common_request(snapshot: &Snapshot, overrides: &Overrides, index: usize) -> Option<i64> {
    let settings = Settings::resolve(snapshot, overrides);
    let prepared = Prepared::new(snapshot, &settings);
    let metric: &Metric = prepared.metrics.get(index)?;
    let Source::Resource(resource) = &metric.source else {
        return None;
    };
    let mut requests = resource.requests.clone().ok()?;
    requests.sort_unstable();
    let runs = requests.chunk_by(|one, other| one == other);
    let most = runs.max_by_key(|run| run.len())?;
    most.first().copied().filter(|request| *request > 0)
}

/// What a pod carries at the target, in thousandths, and whether more pods
/// carry more. Of a value for all it is the whole value.
#[must_use]
pub fn target_of_a_pod(metric: &MetricSpec, request: Option<i64>) -> Option<(i64, bool)> {
    let target = [
        metric.resource.as_ref().map(|it| &it.target),
        metric.container_resource.as_ref().map(|it| &it.target),
        metric.pods.as_ref().map(|it| &it.target),
        metric.object.as_ref().map(|it| &it.target),
        metric.external.as_ref().map(|it| &it.target),
    ];
    let target = target.into_iter().flatten().next()?;
    let is_held = spread(metric) == Spread::EachPod;
    if let Some(average) = &target.average_value {
        return Some((average.milli_value(), !is_held));
    }
    if let Some(percent) = target.average_utilization {
        let milli = i128::from(request?) * i128::from(percent) / 100;
        return Some((i64::try_from(milli).ok()?, !is_held));
    }
    let value = target.value.as_ref()?;
    Some((value.milli_value(), false))
}
