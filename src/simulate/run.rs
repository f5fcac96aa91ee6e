//! The seconds of a simulation, one after the other.

use std::sync::Arc;

use jiff::Timestamp;
use thiserror::Error;

use crate::controller::prepared::Prepared;
use crate::controller::{
    MOST_PODS_EXPLAINED, Memory, MetricsError, Nanos, Reason, SECOND, Settings,
    reconcile_autoscaler, reconcile_prepared,
};
use crate::document::snapshot::Snapshot;
use crate::trace::{FailedPasses, Nothing, Scores, SimulatedStep};

use super::load::Load;
use super::score::{Capacity, Score};
use super::workload::{Model, Timing, Workload};

/// More pods than this are not simulated.
pub(super) const MOST_PODS: i32 = 100_000;

/// More pods in all passes together than this are not simulated: minutes of
/// work.
pub(super) const MOST_WORK: i64 = 10_000_000_000;

/// How much later than the period each pass of a record is: too little to add up.
const DRIFT: Nanos = 1_000;

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The HPA, with the scale that selects its pods.
    pub snapshot: &'a Snapshot,
    /// The controller's settings.
    pub settings: &'a Settings,
    /// The load that passes are told with.
    pub lead: Driven<'a>,
    /// Those of other metrics. What is left in the spec is taken never to ask for
    /// more.
    pub others: Vec<Driven<'a>>,
    /// The size to begin with.
    pub replicas: i32,
    /// For how long, in seconds.
    pub seconds: i64,
}

/// A metric with its load.
#[derive(Clone, Copy, Debug)]
pub struct Driven<'a> {
    /// The place of the metric in the spec.
    pub index: usize,
    /// The demand.
    pub load: &'a Load,
    /// What serves it.
    pub model: &'a Model,
    /// What a pod is meant to carry, by which the score is kept.
    pub capacity: Option<Capacity>,
}

/// Why a simulation cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SimulateError {
    /// Too many pods.
    #[error("at {second}s the HPA asks for {replicas} pods; at most 100000 are simulated")]
    TooManyPods {
        /// The second of the pass that asks for them.
        second: i64,
        /// How many.
        replicas: i32,
    },
    /// Too many passes of too many pods.
    #[error(
        "too many passes and pods from {second}s on: use a shorter --for, a longer --sync-period or \
         fewer pods"
    )]
    TooMuch {
        /// How far it came.
        second: i64,
    },
}

/// What came of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// The scores.
    pub scores: Scores,
    /// Why metrics failed.
    pub failures: Vec<FailedPasses>,
}

/// Runs all of it, and shows each pass to `visit`.
///
/// # Errors
///
/// The HPA asks for more pods than can be simulated, or they are too many for
/// so many passes.
pub fn run(plan: &Plan, visit: &mut impl FnMut(SimulatedStep)) -> Result<Ran, SimulateError> {
    run_within(MOST_WORK, &[], plan, visit)
}

/// The same as far as the pods of all passes together are at most so many; the passes of some
/// seconds are explained.
pub(super) fn run_within(
    most: i64,
    explained: &[i64],
    plan: &Plan,
    visit: &mut impl FnMut(SimulatedStep),
) -> Result<Ran, SimulateError> {
    bounded(plan.replicas, 0)?;
    let mut world = World::new(plan);
    let mut work = 0_i64;
    loop {
        let second = world.workload.second;
        if second >= plan.seconds {
            break;
        }
        if second == world.next_pass {
            world.next_pass = plan.lead.model.next_pass(second, world.every);
            work = work.saturating_add(i64::from(world.workload.pods()));
            if work > most {
                return Err(SimulateError::TooMuch { second });
            }
            visit(world.pass(explained.binary_search(&second).is_ok())?);
        }
        world.serve(plan.seconds);
    }
    Ok(Ran {
        scores: world.score.scores(),
        failures: world.controller.failures,
    })
}

/// No more pods than can be simulated.
pub(super) fn bounded(replicas: i32, second: i64) -> Result<(), SimulateError> {
    if replicas > MOST_PODS {
        return Err(SimulateError::TooManyPods { second, replicas });
    }
    Ok(())
}

/// Everything that changes.
struct World<'a> {
    controller: Controller<'a>,
    lead: Driven<'a>,
    workload: Workload<'a>,
    /// The same pods under the loads of other metrics.
    others: Vec<(Driven<'a>, Workload<'a>)>,
    score: Score,
    start: Timestamp,
    every: i64,
    next_pass: i64,
    /// How many passes of a record there were.
    passes: Nanos,
    /// How many pods there were, as far back as the status is behind: a ring,
    /// and where its oldest entry is.
    sizes: Vec<i32>,
    oldest: usize,
}

impl<'a> World<'a> {
    fn new(plan: &'a Plan<'a>) -> Self {
        let model = plan.lead.model;
        let all = || std::iter::once(&plan.lead).chain(&plan.others);
        let mut controller = Controller::new(plan.snapshot, plan.settings, plan.replicas);
        let prepared = &mut controller.prepared;
        prepared
            .metrics
            .retain(|metric| all().any(|it| it.index == metric.index));
        let start = plan.snapshot.captured_at;
        let every = plan.settings.sync_period_seconds();
        let first = |timing: &Timing| timing.first_pass(every);
        let behind = usize::try_from(model.status_lag).unwrap_or_default();
        let workload = |it: &Driven<'a>| Workload::new(it.load, it.model, start, plan.replicas);
        let others = plan.others.iter().map(|it| (*it, workload(it)));
        Self {
            score: Score::new(plan.lead.capacity, plan.replicas),
            controller,
            lead: plan.lead,
            workload: workload(&plan.lead),
            others: others.collect(),
            start,
            every,
            passes: 0,
            next_pass: model.timing.as_ref().map_or(0, first),
            sizes: vec![plan.replicas; behind],
            oldest: 0,
        }
    }

    fn pass(&mut self, is_explained: bool) -> Result<SimulatedStep, SimulateError> {
        let (second, demand) = (self.workload.second, self.workload.demand);
        self.observe();
        // Real passes are a little more than the period apart, which decides
        // whether what is just as old as a period or a window still counts.
        self.passes += i128::from(self.lead.model.timing.is_some());
        let now = moment(self.start, second) + self.passes * DRIFT;
        let step = self.controller.pass((second, now), demand, is_explained);
        let replicas = step.desired_replicas;
        bounded(replicas, second)?;
        let serving = i32::try_from(self.workload.fleet.serving);
        let step = SimulatedStep {
            pods: Some(self.workload.pods()),
            serving: Some(serving.unwrap_or(i32::MAX)),
            ..step
        };
        self.score.pass(&step);
        for workload in self.workloads() {
            workload.resize(replicas);
        }
        Ok(step)
    }

    fn workloads(&mut self) -> impl Iterator<Item = &mut Workload<'a>> {
        let others = self.others.iter_mut().map(|(_, workload)| workload);
        std::iter::once(&mut self.workload).chain(others)
    }

    /// What needs most pods of all that pods carry, in the unit of the first metric.
    fn demand(&self) -> i64 {
        let others = self.others.iter().filter_map(|(other, workload)| {
            let capacities = self.lead.capacity.zip(other.capacity);
            capacities.map(|(own, other)| own.as_of(other, workload.demand))
        });
        others.fold(self.workload.demand, i64::max)
    }

    /// Seconds go by until something changes, a pass is due, or the end.
    fn serve(&mut self, end: i64) {
        let workload = &self.workload;
        let (second, demand, pods) = (workload.second, self.demand(), workload.pods());
        let pass = Some(self.next_pass).filter(|pass| *pass > second);
        let others = self.others.iter().map(|(_, it)| it.quiet_until());
        let quiet = others.fold(workload.quiet_until(), i64::min);
        let until = quiet.min(pass.unwrap_or(end)).min(end);
        let (placed, serving) = (workload.fleet.placed, workload.fleet.serving);
        self.score.serve(demand, placed, serving, until - second);
        for _ in second..until {
            let Some(oldest) = self.sizes.get_mut(self.oldest) else {
                break;
            };
            *oldest = pods;
            self.oldest = (self.oldest + 1) % self.sizes.len();
        }
        for workload in self.workloads() {
            workload.go_on_until(until);
        }
    }

    /// Puts before a pass what it finds.
    fn observe(&mut self) {
        let behind = self.sizes.get(self.oldest).copied();
        let status = behind.unwrap_or_else(|| self.workload.pods());
        let prepared = &mut self.controller.prepared;
        if let Ok(scale) = &mut prepared.scale {
            scale.status_replicas = status;
        }
        prepared.pods.clear();
        self.workload.put_pods(prepared);
        for metric in &mut prepared.metrics {
            let mut others = self.others.iter();
            let other = others.find(|(it, _)| it.index == metric.index);
            let workload = other.map_or(&self.workload, |(_, workload)| workload);
            workload.measure(metric, &[]);
        }
    }
}

/// More different errors than these are not told apart.
const MOST_ERRORS: usize = 8;

/// Something of a simulated pass that is always the same: the moment at which
/// second 0 is.
pub(super) fn moment(start: Timestamp, second: i64) -> Nanos {
    start.as_nanosecond() + Nanos::from(second) * SECOND
}

/// The controller of one HPA, with what it remembers and what the HPA's
/// status carries from pass to pass.
#[derive(Debug)]
pub(super) struct Controller<'s> {
    /// What the next pass finds; the workload writes it.
    pub(super) prepared: Prepared<'s>,
    settings: &'s Settings,
    memory: Memory,
    scaling_limited: Option<Reason>,
    /// Why metrics failed.
    pub(super) failures: Vec<FailedPasses>,
    /// The size that the scale asks for.
    pub(super) replicas: i32,
}

impl<'s> Controller<'s> {
    /// A controller that has just started.
    pub(super) fn new(snapshot: &'s Snapshot, settings: &'s Settings, replicas: i32) -> Self {
        Self {
            prepared: Prepared::new(snapshot, settings),
            settings,
            memory: Memory::empty(),
            scaling_limited: None,
            failures: Vec::new(),
            replicas,
        }
    }

    /// Runs the pass of a second. All its readings of the clock are the same,
    /// that of the entry which the first pass seeds included.
    pub(super) fn pass(
        &mut self,
        (second, now): (i64, Nanos),
        demand: i64,
        is_explained: bool,
    ) -> SimulatedStep {
        let current = self.replicas;
        if matches!(self.memory.recommendations.as_deref(), Some([])) {
            self.memory.store_recommendation(current, now, None);
        }
        if let Ok(scale) = &mut self.prepared.scale {
            scale.replicas = current;
        }
        let (prepared, settings, memory) = (&self.prepared, self.settings, &mut self.memory);
        let (page, decision) = if is_explained && prepared.pods.len() <= MOST_PODS_EXPLAINED {
            let (trace, decision) = reconcile_prepared(prepared, settings, memory, now);
            (Some(Arc::new(trace)), decision)
        } else {
            let decision = reconcile_autoscaler(prepared, settings, memory, now, &mut Nothing);
            (None, decision)
        };
        let desired = decision.replicas.unwrap_or(current);
        self.scaling_limited = decision.scaling_limited.or(self.scaling_limited);
        self.prepared.scaled_to_zero = decision.scaled_to_zero;
        self.prepared.reported_current = current;
        self.prepared.reported_desired = desired;
        self.replicas = desired;
        if let Some(error) = &decision.metrics_error {
            self.note(error);
        }
        SimulatedStep {
            second,
            demand,
            current_replicas: current,
            recommendation: decision.recommendation.unwrap_or(-1),
            stabilized: decision.stabilized,
            desired_replicas: desired,
            scaling_limited_reason: self.scaling_limited,
            held_by: decision.held_by,
            able_to_scale_reason: decision.able_to_scale.into(),
            metrics_failed: decision.metrics_error.is_some(),
            pods: None,
            serving: None,
            page,
        }
    }

    /// Counts an error; of many different ones, those beyond a few with the
    /// last of them.
    fn note(&mut self, error: &MetricsError) {
        let is_full = self.failures.len() >= MOST_ERRORS;
        let known = self.failures.iter().position(|it| it.error == error.text);
        let known = known.or_else(|| is_full.then_some(MOST_ERRORS - 1));
        match known.and_then(|at| self.failures.get_mut(at)) {
            Some(failed) => failed.passes = failed.passes.saturating_add(1),
            None => self.failures.push(FailedPasses {
                error: error.text.clone(),
                first: error.first.clone(),
                passes: 1,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::controller::{Overrides, Settings};
    use crate::simulate::load::Shape;
    use crate::simulate::template;

    use super::*;

    /// Four pods in each of three passes are twelve.
    #[test]
    fn work_is_bounded() {
        let hpa = json!({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                "minReplicas": 4, "maxReplicas": 4,
                "metrics": [{"type": "Resource", "resource": {"name": "cpu",
                    "target": {"type": "AverageValue", "averageValue": "1"}}}],
            },
        });
        let snapshot = template(&hpa, &Value::Null, &Value::Null, 4).expect("a snapshot");
        let settings = Settings::resolve(&snapshot, &Overrides::default());
        let load = Load::even(Shape::Steps(vec![(0, 1_000)]));
        let plan = Plan {
            snapshot: &snapshot,
            settings: &settings,
            lead: Driven {
                index: 0,
                load: &load,
                model: &Model::default(),
                capacity: None,
            },
            others: Vec::new(),
            replicas: 4,
            seconds: 45,
        };
        assert!(run_within(12, &[], &plan, &mut |_| {}).is_ok());
        let too_much = Err(SimulateError::TooMuch { second: 30 });
        assert_eq!(run_within(11, &[], &plan, &mut |_| {}), too_much);
    }
}
