//! The same load under several specs.

use jiff::Timestamp;
use thiserror::Error;

use crate::api::{
    Answered, HpaSpec, MetricSpec, Metrics, Scale, ScaleSpec, ScaleStatus, TargetKind,
    is_held_by_each_pod,
};
use crate::controller::prepared::{Metric, Prepared, Source, Target, target, target_kind};
use crate::controller::{Overrides, Release, Settings};
use crate::document::snapshot::Snapshot;
use crate::trace::{Bounds, Scores, SimulatedRun, SimulatedStep};

use super::keep::{Keep, Kept, opened};
use super::load::Load;
use super::run::{Driven, MOST_WORK, Plan, Ran, SimulateError, run, run_within};
use super::score::Capacity;
use super::workload::{Model, Spread};

/// The load of a metric.
#[derive(Clone, Copy, Debug)]
pub struct MetricLoad<'a> {
    /// The metric.
    pub metric: &'a MetricSpec,
    /// The demand.
    pub load: &'a Load,
    /// What serves it.
    pub model: &'a Model,
}

/// What is the same under every spec.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The HPA as it is, [`bare`]. What a pod is meant to carry is its target
    /// under every spec, so that the scores can be compared.
    pub snapshot: &'a Snapshot,
    /// What was given of the controller's settings.
    pub overrides: &'a Overrides,
    /// The load whose target is varied.
    pub lead: MetricLoad<'a>,
    /// Those of other metrics, on the same pods. Metrics without a load are taken
    /// never to ask for more.
    pub others: Vec<MetricLoad<'a>>,
    /// The size to begin with.
    pub replicas: i32,
    /// For how long, in seconds.
    pub seconds: i64,
    /// Which passes of a run are kept.
    pub keep: Keep,
}

/// Why a spec cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompareError {
    /// The load is of a metric that the spec does not have.
    #[error("{name}: the load is of {metric}, and the spec has no such metric")]
    NoMetric {
        /// What the spec is called.
        name: String,
        /// The metric.
        metric: String,
    },
    /// The target is a share of a request that is not known.
    #[error(
        "{name}: the target is a percentage of the pods' {metric} request, and the request is unknown"
    )]
    NoRequest {
        /// What the spec is called.
        name: String,
        /// The metric.
        metric: String,
    },
    /// What is too few pods is not known, so nothing can be searched for.
    #[error(
        "cannot tell how many pods {metric} needs: its target is not per pod, or each pod has its own load; a search needs a load that pods share"
    )]
    NoCapacity {
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

impl<'a> Subject<'a> {
    /// Runs a spec, and keeps its passes.
    ///
    /// # Errors
    ///
    /// The spec has no such metric, or asks for too many pods.
    pub fn run(&self, name: &str, spec: &HpaSpec) -> Result<SimulatedRun, CompareError> {
        let mut kept = None;
        let Ran { scores, failures } = self.visit(name, spec, |plan| {
            let every = plan.settings.sync_period_seconds();
            let kept = kept.insert(Kept::new(self.keep, self.seconds, every));
            run(plan, &mut |step| kept.take(step))
        })?;
        Ok(SimulatedRun {
            name: name.to_owned(),
            is_now: false,
            patch: None,
            bounds: Bounds::of(spec),
            scores,
            reaction: None,
            failures,
            steps: kept.map_or_else(Vec::new, Kept::steps),
        })
    }

    /// Runs again what was run under each of these specs, and keeps how those passes
    /// decided that a page opens. The first run may be apart from what happened.
    pub fn explain<'s>(
        &self,
        runs: &mut [SimulatedRun],
        specs: impl IntoIterator<Item = &'s HpaSpec>,
        is_apart: impl Fn(i64) -> bool,
    ) {
        let all = runs.iter().enumerate().map(|(at, run)| {
            let steps = run.steps.iter();
            let is_apart = |second| at == 0 && is_apart(second);
            let steps = steps.map(|it| (it.second, it.into(), is_apart(it.second)));
            steps.collect()
        });
        let seconds = opened(all);
        // A simulation begins at 0, and so do the moments that a page tells.
        let mut snapshot = self.snapshot.clone();
        snapshot.captured_at = Timestamp::UNIX_EPOCH;
        let subject = Subject {
            snapshot: &snapshot,
            ..self.clone()
        };
        for (run, spec) in runs.iter_mut().zip(specs) {
            let mut kept = run.steps.iter_mut().peekable();
            let mut explain = |step: SimulatedStep| {
                while kept.next_if(|it| it.second < step.second).is_some() {}
                if let Some(own) = kept.next_if(|it| it.second == step.second) {
                    let is_same = own.desired_replicas == step.desired_replicas;
                    own.page = step.page.filter(|_| is_same);
                }
            };
            // It ran once, so it does again.
            _ = subject.visit(&run.name, spec, |plan| {
                run_within(MOST_WORK, &seconds, plan, &mut explain)
            });
        }
    }

    /// Runs a spec, and keeps what came of it.
    ///
    /// # Errors
    ///
    /// The spec has no such metric, or asks for too many pods.
    pub fn scores(&self, name: &str, spec: &HpaSpec) -> Result<Scores, CompareError> {
        self.scores_within(MOST_WORK, name, spec)
    }

    /// The same as far as the pods of all passes together are at most so
    /// many.
    pub(super) fn scores_within(
        &self,
        most: i64,
        name: &str,
        spec: &HpaSpec,
    ) -> Result<Scores, CompareError> {
        let ran = self.visit(name, spec, |plan| run_within(most, &[], plan, &mut |_| {}))?;
        Ok(ran.scores)
    }

    /// What a pod carries of a load in the spec as it is.
    pub fn capacity(&self, of: &MetricLoad, settings: &Settings) -> Option<Capacity> {
        let own = &self.snapshot.hpa.spec;
        Capacity::of(own, of.metric, of.model.request, settings)
    }

    fn visit(
        &self,
        name: &str,
        spec: &HpaSpec,
        run: impl FnOnce(&Plan) -> Result<Ran, SimulateError>,
    ) -> Result<Ran, CompareError> {
        let mut snapshot = self.snapshot.clone();
        snapshot.hpa.spec = spec.clone();
        let settings = Settings::resolve(&snapshot, self.overrides);
        let driven = |it: &MetricLoad<'a>| {
            let (name, metric) = (name.to_owned(), metric_name(it.metric).to_owned());
            let mut metrics = spec.metrics.iter();
            let Some(index) = metrics.position(|own| own.measures_the_same(it.metric)) else {
                return Err(CompareError::NoMetric { name, metric });
            };
            let own = spec.metrics.get(index);
            if it.model.request.is_none() && own.is_some_and(is_share) {
                return Err(CompareError::NoRequest { name, metric });
            }
            Ok(Driven {
                index,
                load: it.load,
                model: it.model,
                capacity: self.capacity(it, &settings),
            })
        };
        let others = self.others.iter().map(driven);
        let plan = Plan {
            lead: driven(&self.lead)?,
            others: others.collect::<Result<_, _>>()?,
            snapshot: &snapshot,
            settings: &settings,
            replicas: self.replicas,
            seconds: self.seconds,
        };
        run(&plan).map_err(|error| CompareError::Run {
            name: name.to_owned(),
            error,
        })
    }
}

/// The HPA without anything that a workload will tell, at a size.
pub fn bare(snapshot: &Snapshot, replicas: i32) -> Snapshot {
    let mut bare = snapshot.clone();
    bare.pods.clear();
    bare.metrics = Metrics::default();
    bare.other_autoscalers.clear();
    bare.history = None;
    bare.target = None;
    bare.replica_sets.clear();
    bare.events.clear();
    bare.scale = Answered::Response(Scale {
        other_kind: None,
        spec: ScaleSpec { replicas },
        status: ScaleStatus {
            replicas,
            selector: "app=simulated".to_owned(),
        },
    });
    bare
}

/// What a metric of the spec is called.
pub fn metric_name(metric: &MetricSpec) -> &str {
    metric.name().unwrap_or("unknown")
}

/// What a metric of a spec is called where others of the same name are there,
/// too: `cpu/app` of a container, else `Resource:cpu`.
pub fn metric_label<'m>(
    metric: &'m MetricSpec,
    mut others: impl Iterator<Item = &'m MetricSpec>,
) -> String {
    let name = metric_name(metric);
    let is_other = |it: &MetricSpec| metric_name(it) == name && !it.measures_the_same(metric);
    match &metric.container_resource {
        _ if !others.any(is_other) => name.to_owned(),
        Some(resource) => format!("{name}/{}", resource.container),
        None => format!("{}:{name}", metric.kind),
    }
}

/// Whether a metric is the one that is asked for: by its name, by type and
/// name (`Resource:cpu`), or by name and container (`cpu/app`).
pub fn is_called(metric: &MetricSpec, requested: &str) -> bool {
    let name = metric_name(metric);
    let of_type = requested.split_once(':');
    let of_container = requested.split_once('/');
    let container = metric.container_resource.as_ref().map(|it| &it.container);
    requested == name
        || of_type.is_some_and(|(kind, own)| {
            own == name && metric.kind.as_str().eq_ignore_ascii_case(kind)
        })
        || of_container.is_some_and(|(own, it)| {
            own == name && container.is_some_and(|container| container == it)
        })
}

/// Whether the target is a share of what the pods request.
pub fn is_share(metric: &MetricSpec) -> bool {
    target_kind(metric) == Some(TargetKind::Utilization)
}

/// How the demand of a metric comes to be what its pods use.
pub fn spread(metric: &MetricSpec) -> Spread {
    match metric {
        _ if metric.is_one_value() => Spread::Whole,
        _ if metric.is_of_resource() && is_held_by_each_pod(metric_name(metric)) => Spread::EachPod,
        _ => Spread::Shared,
    }
}

/// What a metric of the HPA is simulated with where nothing else is known.
pub fn usual(
    snapshot: &Snapshot,
    overrides: &Overrides,
    (index, metric): (usize, &MetricSpec),
) -> Model {
    Model {
        request: common_request(snapshot, overrides, index),
        spread: spread(metric),
        ..Model::default()
    }
}

/// What the pods of a snapshot request of the metric's resource, in
/// thousandths: the most common request. Absent where none has one.
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
pub fn target_of_a_pod(
    metric: &MetricSpec,
    request: Option<i64>,
    release: Release,
) -> Option<(i64, bool)> {
    let is_held = spread(metric) == Spread::EachPod;
    match target(metric, release)? {
        Target::AverageValue(milli) => Some((milli, !is_held)),
        Target::Utilization(percent) => {
            let milli = i128::from(request?) * i128::from(percent) / 100;
            Some((i64::try_from(milli).ok()?, !is_held))
        }
        Target::Value(milli) => Some((milli, false)),
    }
}
