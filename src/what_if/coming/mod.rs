//! The coming minutes: the pass again and again, each on the size that the
//! one before it left, under a load that stays, or that was recorded, sample by sample, with
//! the passes that find it.

mod branches;

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::prospects::foreign_pods;
use crate::api::{HpaSpec, MetricSpec};
use crate::controller::prepared::{Metric, Pod, Sample, none_returned};
use crate::controller::{
    Memory, Nanos, Overrides, Prepared, SECOND, Settings, WhatIf, selected_pods, timestamp,
};
use crate::document::snapshot::{SAMPLE_REACH_SECONDS, Snapshot};
use crate::simulate::load::{self, Load};
use crate::simulate::{Model, PodStart, Workload, usual};
use crate::trace::{Average, Coming, ForecastLoad, Lapse, Minutes, Range, Stopped};
use branches::{PassInputs, StopReason};

pub(super) use branches::{Branches, Staying};

/// More passes than this are not run.
const MOST_PASSES: usize = 10_000;

/// How far to look ahead, and on which load.
#[derive(Clone, Copy, Debug)]
pub struct Horizon<'a> {
    /// How much time, in seconds.
    pub seconds: i64,
    /// What was recorded of it; without it the load stays as it is.
    pub record: Option<&'a Recorded>,
    /// Whether a page opens passes to come.
    pub explains: bool,
}

impl Horizon<'_> {
    /// What is the same for every side.
    pub(super) fn minutes(self, settings: &Settings, start: Timestamp) -> Minutes {
        let end = start.as_nanosecond() + self.length();
        Minutes {
            seconds: self.seconds,
            every_seconds: settings.sync_period_seconds(),
            load: self.record.map_or(ForecastLoad::Constant, |record| {
                record.load(start.as_nanosecond(), end)
            }),
        }
    }

    fn length(self) -> Nanos {
        Nanos::from(self.seconds) * SECOND
    }
}

/// Runs the passes of a side from a moment on, the first one on the inputs as
/// they are, with what the controller remembers before it; those of some seconds explained.
pub(super) fn coming(
    snapshot: &Snapshot,
    settings: &Settings,
    memory: &Memory,
    now: Timestamp,
    horizon: Horizon,
    explained: &[i64],
) -> Coming {
    let prepared = Prepared::new(snapshot, settings);
    let foreign = foreign_pods(snapshot, selected_pods(snapshot).into_iter());
    let names = foreign.iter().map(|pod| pod.name.as_str()).collect();
    let start = now.as_nanosecond();
    let run = SideRun {
        settings,
        explained,
        memory,
        start,
        end: start + horizon.length(),
    };
    let Some(what_if) = WhatIf::new(&prepared, settings, start, &names) else {
        return Coming {
            changes: Range::of(0),
            reversals: Range::of(0),
            average_replicas: Average::default(),
            taken_constant: Vec::new(),
            stopped: Some(stopped(start, StopReason::NoScale)),
            passes: Vec::new(),
        };
    };
    let Some(record) = horizon.record else {
        let load = Staying {
            what_if: &what_if,
            first: start,
        };
        return run.follow(&what_if, load, |now| now + settings.pass_period());
    };
    let courses = record.courses(snapshot, now);
    let others = of_others(&prepared, &names);
    let pods = (&prepared, &others);
    let load = Replayed::new(&what_if, pods, settings, now, &courses);
    let every = settings.sync_period_seconds();
    run.follow(&what_if, load, |now| {
        let second = i64::try_from((now - start) / SECOND).unwrap_or(i64::MAX);
        let first = courses.iter().flatten().next();
        let next = first.map_or(second + every, |it| it.1.next_pass(second, every));
        start + Nanos::from(next) * SECOND
    })
}

fn stopped(at: Nanos, why: StopReason) -> Stopped {
    Stopped {
        at: timestamp(at),
        why: why.to_string(),
    }
}

/// One side's time.
struct SideRun<'a> {
    settings: &'a Settings,
    /// In which seconds a pass is explained.
    explained: &'a [i64],
    memory: &'a Memory,
    start: Nanos,
    end: Nanos,
}

impl SideRun<'_> {
    /// Runs to the end, or to where it is not known how it goes on.
    fn follow<'w>(
        &self,
        what_if: &WhatIf,
        load: impl PassInputs<'w>,
        next: impl Fn(Nanos) -> Nanos,
    ) -> Coming {
        let memory = what_if.counting(self.memory, self.start);
        let mut ways = Branches::at(what_if.size(), memory, load);
        let mut now = self.start;
        let mut passes = Vec::new();
        let mut early = None;
        while now <= self.end && early.is_none() {
            let second = timestamp(now).as_second();
            let explained = self.explained.binary_search(&second);
            match ways.pass(now, true, explained.ok().map(|_| self.settings)) {
                Ok(_) if passes.len() == MOST_PASSES => {
                    early = Some(stopped(now, StopReason::TooManyPasses));
                }
                Ok(pass) => passes.push(pass),
                Err(why) => early = Some(stopped(now, why)),
            }
            now = next(now);
        }
        ways.reported(passes, what_if.taken_constant(), early)
    }
}

/// What the metrics of all sides measured, at each sample of a record.
#[derive(Clone, Debug)]
pub struct Recorded {
    overrides: Overrides,
    /// Each metric once.
    loads: Vec<(MetricSpec, load::Recorded)>,
    /// When samples tell a load.
    times: Vec<Nanos>,
}

/// Passes of a record are known to the second, and changes before them to one
/// more on either side. Where each pass is a little more than the sync period
/// after the one before, a change of some passes ago is longer ago than that
/// many periods, which shows at the end of all these seconds.
const UNCERTAIN: Nanos = 2 * SECOND - 1;

/// The load of a metric, and what serves it.
type Course = (Load, Model);

impl Recorded {
    /// Nothing yet, for sides with these specs.
    pub fn new(specs: &[&HpaSpec], overrides: &Overrides) -> Self {
        let mut loads: Vec<(MetricSpec, load::Recorded)> = Vec::new();
        for metric in specs.iter().flat_map(|spec| &spec.metrics) {
            if !loads.iter().any(|(own, _)| own.measures_the_same(metric)) {
                loads.push((metric.clone(), load::Recorded::new(metric, overrides)));
            }
        }
        Self {
            overrides: overrides.clone(),
            loads,
            times: Vec::new(),
        }
    }

    /// Takes in a sample; they come in the order of time. One without a
    /// readable scale tells no load.
    pub fn take(&mut self, sample: &Snapshot) {
        if sample.scale.response().is_none() {
            return;
        }
        let mut asking = sample.clone();
        let metrics = self.loads.iter().map(|(metric, _)| metric.clone());
        asking.hpa.spec.metrics = metrics.collect();
        let foreign = foreign_pods(sample, selected_pods(sample).into_iter());
        let foreign = foreign.iter().map(|pod| pod.name.as_str()).collect();
        for (_, load) in &mut self.loads {
            load.take_without(&asking, &foreign);
        }
        self.times.push(sample.captured_at.as_nanosecond());
    }

    /// The load of each metric of a side from a moment on, and what serves it.
    /// Pods start as those of the record did; where it shows none, at once.
    fn courses(&self, side: &Snapshot, start: Timestamp) -> Vec<Option<Course>> {
        let metrics = side.hpa.spec.metrics.iter();
        let course = |(index, metric): (usize, &MetricSpec)| {
            let mut loads = self.loads.iter();
            let (_, load) = loads.find(|(own, _)| own.measures_the_same(metric))?;
            let recorded = load.load()?.since(start.as_second());
            let usual = usual(side, &self.overrides, (index, metric));
            let mut model = recorded.followed_by(usual);
            let starts = model.timing.as_mut().map(|timing| &mut timing.starts);
            if let Some(starts) = starts.filter(|starts| starts.is_empty()) {
                starts.push(PodStart::AT_ONCE);
            }
            Some((Load::even(recorded.shape), model))
        };
        metrics.enumerate().map(course).collect()
    }

    /// What is to be said of it.
    fn load(&self, start: Nanos, end: Nanos) -> ForecastLoad {
        let times = self.times.iter().copied();
        let times: Vec<Nanos> = times.filter(|at| (start..=end).contains(at)).collect();
        let before = std::iter::once(start).chain(times.iter().copied());
        let reach = Nanos::from(SAMPLE_REACH_SECONDS) * SECOND;
        let gaps = before.zip(&times).filter(|(from, to)| **to - from > reach);
        let gaps = gaps.map(|(from, to)| (timestamp(from), timestamp(*to)));
        let starts = self.loads.iter().map(|(_, load)| load.starts());
        ForecastLoad::Recorded {
            starts: starts.max().unwrap_or_default(),
            until: times.last().copied().map(timestamp),
            gaps: gaps.map(|(from, to)| Lapse { from, to }).collect(),
        }
    }
}

/// The pods of a way under the load of a record.
#[derive(Clone)]
struct Replayed<'w> {
    what_if: &'w WhatIf<'w>,
    /// The pass with nothing but the pods of others, which stay as they are.
    others: &'w Prepared<'w>,
    settings: &'w Settings,
    start: Nanos,
    /// By how much passes are later than their seconds say.
    later: Nanos,
    /// By the place of the metric.
    workloads: Vec<Option<Workload<'w>>>,
}

impl<'w> Replayed<'w> {
    /// The pods that a pass finds, from then on under the load of each metric.
    fn new(
        what_if: &'w WhatIf<'w>,
        (prepared, others): (&Prepared, &'w Prepared<'w>),
        settings: &'w Settings,
        start: Timestamp,
        courses: &'w [Option<Course>],
    ) -> Self {
        let is_own = |pod: &Pod| {
            let is_other = others.pods.iter().any(|other| other.name == pod.name);
            pod.is_there() && !is_other
        };
        let workload = |(metric, course): (&Metric, &'w Option<Course>)| {
            let (load, model) = course.as_ref()?;
            let samples = by_pod(metric);
            let is_sampled = |at: usize| samples.get(at).is_some_and(Option::is_some);
            let pods = prepared.pods.iter().enumerate();
            let pods = pods.filter(|(_, pod)| is_own(pod));
            let pods: Vec<(Pod, bool)> = pods.map(|(at, pod)| (*pod, is_sampled(at))).collect();
            let load = (load, model);
            Some(Workload::found(load, start, what_if.size(), &pods))
        };
        let workloads = prepared.metrics.iter().zip(courses).map(workload);
        let every = settings.sync_period_seconds();
        let mut timings = courses.iter().flatten();
        let drifts = timings.any(|(_, model)| model.drifts(every));
        let later = if drifts { UNCERTAIN } else { 0 };
        Self {
            what_if,
            others,
            settings,
            start: start.as_nanosecond(),
            later,
            workloads: workloads.collect(),
        }
    }

    /// The pass that finds the pods and samples of now; nothing where no metric has a
    /// recorded load.
    fn pass(&self, size: i32) -> Option<Prepared<'w>> {
        let first = self.workloads.iter().flatten().next()?;
        let mut pass = self.others.clone();
        if let Ok(scale) = &mut pass.scale {
            (scale.replicas, scale.status_replicas) = (size, first.pods());
        }
        pass.pods.clear();
        first.put_pods(&mut pass);
        pass.pods.extend(&self.others.pods);
        let metrics = pass.metrics.iter_mut().zip(&self.others.metrics);
        for ((metric, others), workload) in metrics.zip(&self.workloads) {
            match workload {
                Some(workload) => workload.measure(metric, by_pod(others)),
                None => silence(metric),
            }
        }
        Some(pass)
    }
}

impl<'w> PassInputs<'w> for Replayed<'w> {
    fn find(&mut self, now: Nanos, size: i32) -> Option<WhatIf<'w>> {
        let second = i64::try_from((now - self.start) / SECOND).ok()?;
        if second == 0 {
            return Some(self.what_if.clone());
        }
        for workload in self.workloads.iter_mut().flatten() {
            workload.go_on_to(second);
        }
        let Some(pass) = self.pass(size) else {
            return self.what_if.at_size(size);
        };
        let found = WhatIf::new(&pass, self.settings, now, &BTreeSet::new())?;
        Some(self.what_if.found_by(&found))
    }

    fn inputs(&self, now: Nanos, there: &WhatIf<'w>) -> Option<Prepared<'w>> {
        let later = (now != self.start).then(|| self.pass(there.size()));
        later.flatten().or_else(|| there.inputs(now))
    }

    fn leave(&mut self, size: i32) {
        for workload in self.workloads.iter_mut().flatten() {
            workload.resize(size);
        }
    }

    fn clock(&self, now: Nanos) -> (Nanos, Nanos) {
        let later = now + self.later;
        (if now == self.start { now } else { later }, later)
    }
}

/// A pass with nothing but the pods of others.
fn of_others<'w>(prepared: &Prepared<'w>, others: &BTreeSet<&str>) -> Prepared<'w> {
    let mut left = prepared.clone();
    let is_left = prepared.pods.iter().map(|it| others.contains(it.name));
    let is_left: Vec<bool> = is_left.collect();
    left.pods.retain(|pod| others.contains(pod.name));
    for metric in &mut left.metrics {
        if let Some(Ok(samples)) = metric.source.samples_mut() {
            let mut is_left = is_left.iter();
            let by_pod = &mut samples.by_pod;
            by_pod.retain(|_| is_left.next().copied().unwrap_or_default());
        }
    }
    left
}

/// The sample of each pod, of what is measured pod by pod.
fn by_pod<'m>(metric: &'m Metric) -> &'m [Option<Sample>] {
    let samples = metric.source.samples().and_then(|it| it.as_ref().ok());
    samples.map_or(&[], |samples| &samples.by_pod)
}

/// Of a metric that the record tells no load of, no pod has a sample.
fn silence(metric: &mut Metric) {
    if let Some(samples @ Ok(_)) = metric.source.samples_mut() {
        *samples = Err(none_returned("resource"));
    }
}
